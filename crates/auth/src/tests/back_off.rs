//! Wrong passwords, and closed accounts.

use super::*;

/// A sign-in from somewhere, with what the device was given before.
pub(super) fn from(address: &str, login: &str, password: &str, device_token: &str) -> LogInRequest {
    LogInRequest {
        login: login.to_owned(),
        password: password.to_owned(),
        device: Some(Device {
            user_agent: "Firefox".to_owned(),
            address: address.to_owned(),
            device_token: device_token.to_owned(),
        }),
        restore: false,
    }
}

pub(super) const HOME: &str = "203.0.113.7";
pub(super) const ASHA: &str = "asha.rao@example.in";

impl Auth {
    pub(super) async fn attempt(&mut self, request: LogInRequest) -> Result<Tokens, Status> {
        Ok(self.client.log_in(request).await?.into_inner().tokens.unwrap())
    }

    /// Gives the wrong password so often that the next attempt is held.
    pub(super) async fn fail_until_held(&mut self, address: &str, login: &str) {
        for _ in 0..5 {
            let refused = self.attempt(from(address, login, "wrong", "")).await.unwrap_err();
            assert_eq!(reason(&refused), "INVALID_CREDENTIALS");
        }
    }
}

/// As if the last failure held no more.
async fn wait_out(pool: &PgPool) {
    sqlx::query("update auth.failed_login set held_until = now()").execute(pool).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn after_five_failures_each_holds_twice_as_long_up_to_a_quarter_of_an_hour(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.fail_until_held(HOME, ASHA).await;
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
        let held: i64 =
            count(&pool, "select extract(epoch from held_until - last_failed_at)::bigint from auth.failed_login").await;
        assert_eq!(held, seconds);
        wait_out(&pool).await;
        assert_eq!(reason(&auth.attempt(from(HOME, ASHA, "wrong", "")).await.unwrap_err()), "INVALID_CREDENTIALS");
    }
    let held = auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap_err();
    assert_eq!((held.code(), reason(&held).as_str()), (Code::ResourceExhausted, "HELD"));
    let wait = held.get_details_retry_info().unwrap().retry_delay.unwrap().as_secs();
    assert!((890..=900).contains(&wait), "{wait}");
    assert_eq!(held.message(), format!("Too many failed attempts. Try again in {wait} seconds."));
}

#[sqlx::test(migrations = "../../migrations")]
async fn unknown_accounts_are_held_as_known_ones_are(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let mut replies = Vec::new();
    for login in [ASHA, "nobody@example.in", "9820041537", "9820041538", "no login at all"] {
        auth.fail_until_held(HOME, login).await;
        sqlx::query("update auth.failed_login set held_until = now() + interval '1 minute'")
            .execute(&pool)
            .await
            .unwrap();
        let held = auth.attempt(from(HOME, login, PASSWORD, "")).await.unwrap_err();
        replies.push((held.code(), held.message().to_owned(), held.details().to_vec()));
    }
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn failures_of_one_network_hold_nobody_elsewhere_and_success_forgets_them(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.fail_until_held(HOME, ASHA).await;
    let neighbour = auth.attempt(from("203.0.113.200", " Asha.Rao@EXAMPLE.in", PASSWORD, "")).await.unwrap_err();
    assert_eq!(reason(&neighbour), "HELD", "the same network, the same name");
    auth.attempt(from("203.0.114.7", ASHA, PASSWORD, "")).await.unwrap();
    wait_out(&pool).await;
    auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.failed_login").await, 0);
    auth.fail_until_held(HOME, ASHA).await;
    sqlx::query("update auth.failed_login set last_failed_at = now() - interval '25 hours', held_until = now()")
        .execute(&pool)
        .await
        .unwrap();
    auth.attempt(from(HOME, ASHA, "wrong", "")).await.unwrap_err();
    assert_eq!(count(&pool, "select failures::bigint from auth.failed_login").await, 1, "yesterday's have faded");
}

#[sqlx::test(migrations = "../../migrations")]
async fn guesses_at_once_get_no_further_than_one_after_another(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (auth, _) = Auth::with_asha(pool.clone()).await;
    let guesses: Vec<_> = (0..12)
        .map(|_| {
            let mut client = auth.client.clone();
            tokio::spawn(async move { client.log_in(from(HOME, ASHA, "wrong", "")).await.unwrap_err() })
        })
        .collect();
    let mut looked_at = 0;
    for guess in guesses {
        looked_at += usize::from(reason(&guess.await.unwrap()) == "INVALID_CREDENTIALS");
    }
    assert_eq!(looked_at, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_device_that_signed_in_before_answers_for_itself_alone(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let given = auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap().device_token;
    assert_eq!(given.len(), 43);
    auth.fail_until_held(HOME, ASHA).await;
    let again = auth.attempt(from(HOME, ASHA, PASSWORD, &given)).await.unwrap().device_token;
    assert_eq!(again, given);
    let stranger = auth.attempt(from(HOME, ASHA, PASSWORD, "made up")).await.unwrap_err();
    assert_eq!(reason(&stranger), "HELD");
    // Whoever took it gets no more guesses than anybody.
    for _ in 0..5 {
        auth.attempt(from("198.51.100.1", ASHA, "wrong", &given)).await.unwrap_err();
    }
    let thief = auth.attempt(from("192.0.2.1", ASHA, "wrong", &given)).await.unwrap_err();
    assert_eq!(reason(&thief), "HELD");
    let readable = "select count(*) from auth.known_device where length(device_hash) <> 32";
    assert_eq!(count(&pool, readable).await, 0, "only hashes are stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_device_of_one_account_is_a_stranger_to_another(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let ravi = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "9820041538".to_owned(), ..asha() };
    auth.client.register(ravi).await.unwrap();
    let token = auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap().device_token;
    auth.fail_until_held(HOME, "ravi@example.in").await;
    let stranger = auth.attempt(from(HOME, "ravi@example.in", PASSWORD, &token)).await.unwrap_err();
    assert_eq!(reason(&stranger), "HELD", "until it has signed in there, too");
}

#[sqlx::test(migrations = "../../migrations")]
async fn one_browser_is_known_to_every_account_that_it_signed_in_to(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let ravi = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "9820041538".to_owned(), ..asha() };
    auth.client.register(ravi).await.unwrap();
    let made_up = auth.attempt(from(HOME, ASHA, PASSWORD, "made up")).await.unwrap().device_token;
    assert_eq!(made_up.len(), 43, "one that we never gave is not taken");
    let mut token = String::new();
    for login in [ASHA, "ravi@example.in"] {
        token = auth.attempt(from(HOME, login, PASSWORD, &token)).await.unwrap().device_token;
    }
    for login in [ASHA, "ravi@example.in"] {
        auth.fail_until_held(HOME, login).await;
        assert_eq!(auth.attempt(from(HOME, login, PASSWORD, &token)).await.unwrap().device_token, token);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn of_an_account_twenty_devices_are_remembered(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await.device_token;
    sqlx::query("update auth.known_device set last_seen_at = now() - interval '1 day'").execute(&pool).await.unwrap();
    for _ in 0..20 {
        auth.log_in().await;
    }
    assert_eq!(count(&pool, "select count(*) from auth.known_device").await, 20);
    auth.fail_until_held(HOME, ASHA).await;
    let oldest = auth.attempt(from(HOME, ASHA, PASSWORD, &first)).await.unwrap_err();
    assert_eq!(reason(&oldest), "HELD", "the oldest was forgotten");
}

#[sqlx::test(migrations = "../../migrations")]
async fn this_machine_is_held_unless_the_settings_say_otherwise(pool: PgPool) {
    let (mut strict, _) = Auth::with_asha(pool.clone()).await;
    let mut lenient = start(pool.clone(), Settings { hold_failures: false, ..settings() }).await;
    for _ in 0..7 {
        lenient.attempt(from("127.0.0.1", ASHA, "wrong", "")).await.unwrap_err();
    }
    assert_eq!(count(&pool, "select count(*) from auth.failed_login").await, 0);
    let (near, far) = (
        lenient.attempt(from("127.0.0.1", ASHA, PASSWORD, "")).await.unwrap(),
        lenient.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap(),
    );
    for sign_in in [&near, &far] {
        for _ in 0..5 {
            lenient.close(sign_in, "wrong").await.unwrap_err();
        }
    }
    assert_eq!(count(&pool, "select count(*) from auth.failed_login").await, 1);
    assert_eq!(reason(&lenient.close(&far, PASSWORD).await.unwrap_err()), "HELD");
    assert_eq!(reason(&lenient.close(&near, "wrong").await.unwrap_err()), "INVALID");
    lenient.fail_until_held(HOME, ASHA).await;
    assert_eq!(reason(&lenient.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap_err()), "HELD");
    strict.fail_until_held("127.0.0.1", ASHA).await;
    assert_eq!(reason(&strict.attempt(from("127.0.0.1", ASHA, PASSWORD, "")).await.unwrap_err()), "HELD");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_that_nobody_looked_at_is_no_failure(pool: PgPool) {
    let (_, _) = Auth::with_asha(pool.clone()).await;
    // All find room in the queue, so that each is counted; then nearly all wait in vain for the one who hashes.
    let busy = Settings { hash_permits: 1, hash_queue: 15, hash_wait: Duration::ZERO, ..settings() };
    let slow = Settings { hash_memory_kib: 64 * 1024, hash_passes: 3, ..busy };
    let auth = start(pool.clone(), slow).await;
    let guesses: Vec<_> = (0..16)
        .map(|n| {
            let mut client = auth.client.clone();
            tokio::spawn(async move { client.log_in(from(HOME, &format!("n{n}@example.in"), "wrong", "")).await })
        })
        .collect();
    let mut looked_at = 0;
    for guess in guesses {
        looked_at += i64::from(reason(&guess.await.unwrap().unwrap_err()) == "INVALID_CREDENTIALS");
    }
    assert!((1..16).contains(&looked_at), "{looked_at}");
    assert_eq!(count(&pool, "select sum(failures)::bigint from auth.failed_login").await, looked_at);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_closed_account_opens_again_for_its_owner_who_says_so(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    sqlx::query("update auth.account set closed_at = '2026-11-20T10:00:00Z'").execute(&pool).await.unwrap();
    let wrong = auth.attempt(from(HOME, ASHA, "wrong", "")).await.unwrap_err();
    assert_eq!(reason(&wrong), "INVALID_CREDENTIALS", "only its owner learns that it is closed");
    let closed = auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap_err();
    assert_eq!((closed.code(), reason(&closed).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
    let facts = closed.get_details_error_info().unwrap().metadata;
    assert_eq!(facts["erased_on"], "2026-12-20T10:00:00Z");
    assert_eq!(count(&pool, "select count(*) from auth.sign_in").await, 0);
    let restore = LogInRequest { restore: true, ..from(HOME, ASHA, PASSWORD, "") };
    let tokens = auth.attempt(restore).await.unwrap();
    assert!(auth.verify(&tokens).await.is_ok());
    assert_eq!(count(&pool, "select count(*) from auth.account where closed_at is null").await, 1);
    auth.log_in().await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_cannot_hold_anybody_any_more_is_swept_away(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.log_in().await;
    for old in [
        "insert into auth.failed_login values ('a', 'b', 9, now() - interval '25 hours'), ('b', 'b', 9, now())",
        "insert into auth.used_token values (gen_random_uuid(), now() - interval '1 hour'), (gen_random_uuid(), now())",
        "insert into auth.known_device values (gen_random_uuid(), 'x', now() - interval '2 years')",
    ] {
        sqlx::query(old).execute(&pool).await.unwrap();
    }
    crate::sweep(&pool).await;
    for left in [
        "select count(*) from auth.failed_login",
        "select count(*) from auth.used_token",
        "select count(*) from auth.known_device",
    ] {
        assert_eq!(count(&pool, left).await, 1, "{left}");
    }
}
