//! Throttling of failed logins, known devices, and logins to closed accounts.

use super::*;

/// Builds a login from `address` with the device token of an earlier login.
pub(super) fn log_in_request(address: &str, login: &str, password: &str, device_token: &str) -> LogInRequest {
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

pub(super) const HOME_ADDRESS: &str = "203.0.113.7";
pub(super) const ASHA_EMAIL: &str = "asha.rao@example.in";

impl Auth {
    pub(super) async fn send_log_in(&mut self, request: LogInRequest) -> Result<Tokens, Status> {
        Ok(self.client.log_in(request).await?.into_inner().tokens.unwrap())
    }

    /// Sends wrong passwords until the next attempt is throttled.
    pub(super) async fn fail_until_throttled(&mut self, address: &str, login: &str) {
        for _ in 0..5 {
            let status = self.send_log_in(log_in_request(address, login, "wrong", "")).await.unwrap_err();
            assert_eq!(reason(&status), "INVALID_CREDENTIALS");
        }
    }
}

/// Lets the current delay expire.
async fn expire_delay(pool: &PgPool) {
    sqlx::query("update auth.failed_login set throttled_until = now()").execute(pool).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn from_the_fifth_failure_the_delay_doubles_up_to_15_minutes(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
        let delay: i64 =
            count(&pool, "select extract(epoch from throttled_until - last_failed_at)::bigint from auth.failed_login where source <> 'all networks'")
                .await;
        assert_eq!(delay, seconds);
        expire_delay(&pool).await;
        assert_eq!(
            reason(&auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, "wrong", "")).await.unwrap_err()),
            "INVALID_CREDENTIALS"
        );
    }
    let status = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "LOGIN_THROTTLED"));
    let wait = status.get_details_retry_info().unwrap().retry_delay.unwrap().as_secs();
    assert!((890..=900).contains(&wait), "{wait}");
    assert_eq!(status.get_details_error_info().unwrap().metadata["count"], wait.to_string());
}

#[sqlx::test(migrations = "../../migrations")]
async fn unknown_accounts_are_throttled_like_existing_ones(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let mut replies = Vec::new();
    for login in [ASHA_EMAIL, "nobody@example.in", "9820041538", "no login at all"] {
        auth.fail_until_throttled(HOME_ADDRESS, login).await;
        sqlx::query("update auth.failed_login set throttled_until = now() + interval '1 minute'")
            .execute(&pool)
            .await
            .unwrap();
        let status = auth.send_log_in(log_in_request(HOME_ADDRESS, login, PASSWORD, "")).await.unwrap_err();
        replies.push((status.code(), status.message().to_owned(), status.details().to_vec()));
    }
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn failures_throttle_only_their_network_and_a_success_clears_them(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    let neighbour =
        auth.send_log_in(log_in_request("203.0.113.200", " Asha.Rao@EXAMPLE.in", PASSWORD, "")).await.unwrap_err();
    assert_eq!(reason(&neighbour), "LOGIN_THROTTLED", "same network and login");
    auth.send_log_in(log_in_request("203.0.114.7", ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    expire_delay(&pool).await;
    auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.failed_login where source <> 'all networks'").await, 0);
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    sqlx::query("update auth.failed_login set last_failed_at = now() - interval '25 hours', throttled_until = now()")
        .execute(&pool)
        .await
        .unwrap();
    auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, "wrong", "")).await.unwrap_err();
    assert_eq!(
        count(&pool, "select failures::bigint from auth.failed_login where source <> 'all networks'").await,
        1,
        "older failures do not count"
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_guesses_are_throttled_like_sequential_ones(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (auth, _) = Auth::with_asha(pool.clone()).await;
    let guesses: Vec<_> = (0..12)
        .map(|_| {
            let mut client = auth.client.clone();
            tokio::spawn(async move {
                client.log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, "wrong", "")).await.unwrap_err()
            })
        })
        .collect();
    let mut checked = 0;
    for guess in guesses {
        checked += usize::from(reason(&guess.await.unwrap()) == "INVALID_CREDENTIALS");
    }
    assert_eq!(checked, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_known_device_is_not_throttled_for_failures_of_its_network(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let token = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap().device_token;
    assert_eq!(token.len(), 43);
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    let again =
        auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, &token)).await.unwrap().device_token;
    assert_eq!(again, token);
    let stranger = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "made up")).await.unwrap_err();
    assert_eq!(reason(&stranger), "LOGIN_THROTTLED");
    // A stolen device token allows no additional guesses.
    for _ in 0..5 {
        auth.send_log_in(log_in_request("198.51.100.1", ASHA_EMAIL, "wrong", &token)).await.unwrap_err();
    }
    let thief = auth.send_log_in(log_in_request("192.0.2.1", ASHA_EMAIL, "wrong", &token)).await.unwrap_err();
    assert_eq!(reason(&thief), "LOGIN_THROTTLED");
    let readable = "select count(*) from auth.known_device where length(device_hash) <> 32";
    assert_eq!(count(&pool, readable).await, 0, "only hashes are stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_device_is_known_only_to_accounts_it_has_logged_in_to(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let ravi = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "9820041538".to_owned(), ..asha() };
    auth.client.register(ravi).await.unwrap();
    let token = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap().device_token;
    auth.fail_until_throttled(HOME_ADDRESS, "ravi@example.in").await;
    let stranger =
        auth.send_log_in(log_in_request(HOME_ADDRESS, "ravi@example.in", PASSWORD, &token)).await.unwrap_err();
    assert_eq!(reason(&stranger), "LOGIN_THROTTLED", "not known to this account");
}

#[sqlx::test(migrations = "../../migrations")]
async fn one_device_token_works_for_several_accounts(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let ravi = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "9820041538".to_owned(), ..asha() };
    auth.client.register(ravi).await.unwrap();
    let made_up =
        auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "made up")).await.unwrap().device_token;
    assert_eq!(made_up.len(), 43, "a malformed token is replaced");
    let mut token = String::new();
    for login in [ASHA_EMAIL, "ravi@example.in"] {
        token = auth.send_log_in(log_in_request(HOME_ADDRESS, login, PASSWORD, &token)).await.unwrap().device_token;
    }
    for login in [ASHA_EMAIL, "ravi@example.in"] {
        auth.fail_until_throttled(HOME_ADDRESS, login).await;
        assert_eq!(
            auth.send_log_in(log_in_request(HOME_ADDRESS, login, PASSWORD, &token)).await.unwrap().device_token,
            token
        );
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s5_guesses_from_one_ipv6_site_count_together(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    for subnet in 0..5 {
        let address = format!("2001:db8:7:{subnet}::1");
        auth.send_log_in(log_in_request(&address, ASHA_EMAIL, "wrong", "")).await.unwrap_err();
    }
    let next = auth.send_log_in(log_in_request("2001:db8:7:ffff::1", ASHA_EMAIL, PASSWORD, "")).await.unwrap_err();
    assert_eq!(reason(&next), "LOGIN_THROTTLED");
    auth.send_log_in(log_in_request("2001:db8:8::1", ASHA_EMAIL, PASSWORD, "")).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s5_guesses_by_email_and_by_phone_count_together(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    auth.verify_phone(&pool, &tokens).await.unwrap();
    for login in [ASHA_EMAIL, "9820041537", "+91 98200 41537", " ASHA.RAO@example.in", "9820041537"] {
        let status = auth.send_log_in(log_in_request(HOME_ADDRESS, login, "wrong", "")).await.unwrap_err();
        assert_eq!(reason(&status), "INVALID_CREDENTIALS");
    }
    for login in [ASHA_EMAIL, "9820041537"] {
        let status = auth.send_log_in(log_in_request(HOME_ADDRESS, login, PASSWORD, "")).await.unwrap_err();
        assert_eq!(reason(&status), "LOGIN_THROTTLED", "{login}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s5_guesses_from_many_networks_are_throttled_and_known_devices_are_not(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let token = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap().device_token;
    for login in [ASHA_EMAIL, "nobody@example.in"] {
        for network in 0..100 {
            let address = format!("198.51.{network}.1");
            let status = auth.send_log_in(log_in_request(&address, login, "wrong", "")).await.unwrap_err();
            assert_eq!(reason(&status), "INVALID_CREDENTIALS", "{login} {network}");
        }
    }
    let extend = "update auth.failed_login set throttled_until = now() + interval '5 minutes'
                  where source = 'all networks'";
    sqlx::query(extend).execute(&pool).await.unwrap();
    let mut replies = Vec::new();
    for login in [ASHA_EMAIL, "nobody@example.in"] {
        let status = auth.send_log_in(log_in_request("192.0.2.1", login, PASSWORD, "")).await.unwrap_err();
        replies.push((status.code(), reason(&status)));
    }
    assert_eq!(replies, [(Code::ResourceExhausted, "LOGIN_THROTTLED".to_owned()), replies[0].clone()]);
    let charged = "select count(*) from auth.failed_login where source = '192.0.2.0/24' and failures > 0";
    assert_eq!(count(&pool, charged).await, 0, "a throttled attempt does not count for its network");
    auth.send_log_in(log_in_request("192.0.2.1", ASHA_EMAIL, PASSWORD, &token)).await.unwrap();
    let total = "select sum(failures)::bigint from auth.failed_login where source = 'all networks'";
    assert_eq!(count(&pool, total).await, 200, "the login of a known device does not clear the failures of others");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_password_longer_than_any_account_has_is_not_hashed(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    // A hasher without a place in its queue rejects every hash as busy.
    let full = Settings { max_concurrent_hashes: 1, hash_queue_capacity: 0, ..settings() };
    let mut auth = start(pool.clone(), full).await;
    let long = "x".repeat(129);
    let status = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, &long, "")).await.unwrap_err();
    assert_eq!(reason(&status), "INVALID_CREDENTIALS");
    let status = auth.change_password(&tokens, &long, "Another 99 one").await.unwrap_err();
    assert_eq!(fields(&status), [("current_password".to_owned(), "WRONG".to_owned())]);
    let status = auth.change_password(&tokens, PASSWORD, &long).await.unwrap_err();
    assert_eq!(fields(&status), [("password".to_owned(), "TOO_LONG".to_owned())]);
    let status = auth.close(&tokens, &long).await.unwrap_err();
    assert_eq!(fields(&status), [("password".to_owned(), "WRONG".to_owned())]);
    assert_eq!(count(&pool, "select count(*) from auth.failed_login where source <> 'all networks'").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_remembers_twenty_devices(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await.device_token;
    sqlx::query("update auth.known_device set last_seen_at = now() - interval '1 day'").execute(&pool).await.unwrap();
    for _ in 0..20 {
        auth.log_in().await;
    }
    assert_eq!(count(&pool, "select count(*) from auth.known_device").await, 20);
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    let oldest = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, &first)).await.unwrap_err();
    assert_eq!(reason(&oldest), "LOGIN_THROTTLED", "the oldest is removed");
}

#[sqlx::test(migrations = "../../migrations")]
async fn loopback_is_throttled_unless_the_setting_is_off(pool: PgPool) {
    let (mut strict, _) = Auth::with_asha(pool.clone()).await;
    let mut lenient = start(pool.clone(), Settings { throttle_loopback: false, ..settings() }).await;
    for _ in 0..7 {
        lenient.send_log_in(log_in_request("127.0.0.1", ASHA_EMAIL, "wrong", "")).await.unwrap_err();
    }
    assert_eq!(count(&pool, "select count(*) from auth.failed_login").await, 0);
    let (local, remote) = (
        lenient.send_log_in(log_in_request("127.0.0.1", ASHA_EMAIL, PASSWORD, "")).await.unwrap(),
        lenient.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap(),
    );
    for tokens in [&local, &remote] {
        for _ in 0..5 {
            lenient.close(tokens, "wrong").await.unwrap_err();
        }
    }
    assert_eq!(count(&pool, "select count(*) from auth.failed_login where source <> 'all networks'").await, 1);
    assert_eq!(reason(&lenient.close(&remote, PASSWORD).await.unwrap_err()), "LOGIN_THROTTLED");
    assert_eq!(reason(&lenient.close(&local, "wrong").await.unwrap_err()), "INVALID");
    lenient.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    assert_eq!(
        reason(&lenient.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap_err()),
        "LOGIN_THROTTLED"
    );
    strict.fail_until_throttled("127.0.0.1", ASHA_EMAIL).await;
    assert_eq!(
        reason(&strict.send_log_in(log_in_request("127.0.0.1", ASHA_EMAIL, PASSWORD, "")).await.unwrap_err()),
        "LOGIN_THROTTLED"
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_that_was_not_checked_does_not_count_as_a_failure(pool: PgPool) {
    let (_, _) = Auth::with_asha(pool.clone()).await;
    // All requests fit into the queue and are counted. Only one can hash at a time, and most of the others time out.
    let busy = Settings {
        max_concurrent_hashes: 1,
        hash_queue_capacity: 15,
        hash_queue_timeout: Duration::ZERO,
        ..settings()
    };
    let slow = Settings { hash_memory_kib: 64 * 1024, hash_passes: 3, ..busy };
    let auth = start(pool.clone(), slow).await;
    let guesses: Vec<_> = (0..16)
        .map(|n| {
            let mut client = auth.client.clone();
            tokio::spawn(async move {
                client.log_in(log_in_request(HOME_ADDRESS, &format!("n{n}@example.in"), "wrong", "")).await
            })
        })
        .collect();
    let mut checked = 0;
    for guess in guesses {
        checked += i64::from(reason(&guess.await.unwrap().unwrap_err()) == "INVALID_CREDENTIALS");
    }
    assert!((1..16).contains(&checked), "{checked}");
    assert_eq!(
        count(&pool, "select sum(failures)::bigint from auth.failed_login where source <> 'all networks'").await,
        checked
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_owner_can_restore_a_closed_account_at_login(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    sqlx::query("update auth.account set closed_at = '2026-11-20T10:00:00Z'").execute(&pool).await.unwrap();
    let wrong = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, "wrong", "")).await.unwrap_err();
    assert_eq!(reason(&wrong), "INVALID_CREDENTIALS", "only the owner learns that the account is closed");
    let closed = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap_err();
    assert_eq!((closed.code(), reason(&closed).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
    let facts = closed.get_details_error_info().unwrap().metadata;
    assert_eq!(facts["deletion_date"], "2026-12-20T10:00:00Z");
    assert_eq!(count(&pool, "select count(*) from auth.session").await, 0);
    let restore = LogInRequest { restore: true, ..log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "") };
    let tokens = auth.send_log_in(restore).await.unwrap();
    assert!(auth.verify(&tokens).await.is_ok());
    assert_eq!(count(&pool, "select count(*) from auth.account where closed_at is null").await, 1);
    auth.log_in().await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn deletes_expired_failures_tokens_and_devices(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.log_in().await;
    for old in [
        "insert into auth.failed_login values ('a', 'b', 9, now() - interval '25 hours'), ('b', 'b', 9, now())",
        "insert into auth.used_token values (gen_random_uuid(), now() - interval '1 hour'), (gen_random_uuid(), now())",
        "insert into auth.known_device values (gen_random_uuid(), 'x', now() - interval '2 years')",
    ] {
        sqlx::query(old).execute(&pool).await.unwrap();
    }
    crate::delete_expired_rows(&pool).await;
    for left in [
        "select count(*) from auth.failed_login where login in ('a', 'b')",
        "select count(*) from auth.used_token",
        "select count(*) from auth.known_device",
    ] {
        assert_eq!(count(&pool, left).await, 1, "{left}");
    }
}
