//! Registration.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn s4_stores_the_email_address_in_its_canonical_form(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    let account = account.into_inner();
    assert_eq!(account.account_id, account_id);
    assert_eq!(
        (account.name.as_str(), account.email.as_str(), account.phone.as_str()),
        ("Asha Rao", "asha.rao@example.in", "9820041537")
    );
    assert!(account.client_id.starts_with("TB-") && account.client_id.len() == 9, "{}", account.client_id);
    assert!(account.created_at.is_some());
}

#[sqlx::test(migrations = "../../migrations")]
async fn stores_only_a_hash_of_the_password(pool: PgPool) {
    Auth::with_asha(pool.clone()).await;
    let hash: String = sqlx::query_scalar("select password_hash from auth.account").fetch_one(&pool).await.unwrap();
    assert!(hash.starts_with("$argon2id$") && !hash.contains(PASSWORD), "{hash}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn reports_all_invalid_fields_and_stores_nothing(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    let status = auth.client.register(RegisterRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let violations = fields(&status);
    let violations: Vec<_> = violations.iter().map(|(field, reason)| (field.as_str(), reason.as_str())).collect();
    assert_eq!(
        violations,
        [("name", "REQUIRED"), ("email", "REQUIRED"), ("phone", "REQUIRED"), ("password", "REQUIRED")]
    );
    let other = RegisterRequest { confirm_password: "Monsoon 88 Rain".to_owned(), ..asha() };
    let status = auth.client.register(other).await.unwrap_err();
    assert_eq!(fields(&status), [("confirm_password".to_owned(), "MISMATCH".to_owned())]);
    assert_eq!(count(&pool, "select count(*) from auth.login").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_a_taken_address_or_number_in_any_spelling(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    auth.verify_phone(&pool, &tokens).await.unwrap();
    let free = RegisterRequest { email: "b@example.in".to_owned(), phone: "7000000001".to_owned(), ..asha() };
    for (email, phone, want, field) in [
        (" ASHA.RAO@EXAMPLE.IN ", "7000000001", "EMAIL_TAKEN", "email"),
        ("b@example.in", "09820041537", "PHONE_TAKEN", "phone"),
        ("b@example.in", "98200 41537", "PHONE_TAKEN", "phone"),
        ("asha.rao@example.in", "9820041537", "EMAIL_TAKEN", "email"),
    ] {
        let again = RegisterRequest { email: email.to_owned(), phone: phone.to_owned(), ..asha() };
        let status = auth.client.register(again).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::AlreadyExists, want), "{email} {phone}");
        assert_eq!(fields(&status), [(field.to_owned(), want.to_owned())], "{email} {phone}");
    }
    // A rejected registration leaves its logins free.
    auth.client.register(free).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_rejects_an_address_whose_lower_case_form_is_another(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    for (email, reason) in [("asha\u{212a}umar@example.in", "MALFORMED"), ("ash\u{e1}@example.in", "MALFORMED")] {
        let request = RegisterRequest { email: email.to_owned(), ..asha() };
        let status = auth.client.register(request).await.unwrap_err();
        assert_eq!(fields(&status), [("email".to_owned(), reason.to_owned())], "{email}");
    }
    let owner = RegisterRequest { email: "ashakumar@example.in".to_owned(), ..asha() };
    auth.client.register(owner).await.unwrap();
    let login = auth.try_log_in("asha\u{212a}umar@example.in", PASSWORD).await.unwrap_err();
    assert_eq!(reason(&login), "INVALID_CREDENTIALS");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_one_internationalized_domain_has_one_account(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (typed, ascii) = ("ravi@B\u{fc}cher.example", "ravi@xn--bcher-kva.example");
    let first = RegisterRequest { email: typed.to_owned(), phone: "7000000001".to_owned(), ..asha() };
    auth.client.register(first.clone()).await.unwrap();
    for email in [typed, ascii] {
        let again = RegisterRequest { email: email.to_owned(), phone: "7000000002".to_owned(), ..first.clone() };
        assert_eq!(reason(&auth.client.register(again).await.unwrap_err()), "EMAIL_TAKEN");
        let tokens = auth.try_log_in(email, PASSWORD).await.unwrap();
        assert_eq!(auth.verify(&tokens).await.unwrap().email, ascii);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_an_account_from_before_the_canonical_form_keeps_working(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    for email in ["ash\u{e1}@example.in", "asha@b\u{fc}cher.example"] {
        for (table, update) in [
            ("account", "update auth.account set email = $1"),
            ("login", "update auth.login set login = 'email:' || $1 where login like 'email:%'"),
        ] {
            sqlx::query(update).bind(email).execute(&pool).await.unwrap_or_else(|error| panic!("{table}: {error}"));
        }
        auth.try_log_in(&email.to_uppercase(), PASSWORD).await.unwrap();
        auth.request_password_reset(email).await;
        let queued = "select count(*) from auth.outbox o join auth.login l on o.login = l.login
                      where o.kind = 'reset-password'";
        assert_eq!(count(&pool, queued).await, 1);
        let again = RegisterRequest { email: email.to_owned(), phone: "7000000001".to_owned(), ..asha() };
        let status = auth.client.register(again).await.unwrap_err();
        assert!(["EMAIL_TAKEN", "INVALID"].contains(&reason(&status).as_str()), "{status}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn fifty_concurrent_registrations_create_one_account(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let auth = auth(pool.clone()).await;
    let tries: Vec<_> = (0..50)
        .map(|i| {
            let mut client = auth.client.clone();
            let request = RegisterRequest { phone: format!("70000000{i:02}"), ..asha() };
            tokio::spawn(async move { client.register(request).await })
        })
        .collect();
    let mut created = 0;
    for attempt in tries {
        match attempt.await.unwrap() {
            Ok(_) => created += 1,
            Err(status) => assert_eq!(reason(&status), "EMAIL_TAKEN", "{status}"),
        }
    }
    assert_eq!(created, 1);
    for rows in ["select count(*) from auth.account", "select count(*) from auth.client_id"] {
        assert_eq!(count(&pool, rows).await, 1);
    }
    assert_eq!(count(&pool, "select count(*) from auth.login").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_registration_completes_after_the_client_disconnects(pool: PgPool) {
    let auth = auth(pool.clone()).await;
    // Blocks the last statement of the registration until the client is gone.
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("lock table auth.account in exclusive mode").execute(&mut *lock).await.unwrap();
    let mut client = auth.client.clone();
    let call = tokio::spawn(async move { client.register(asha()).await });
    wait_for_count(&pool, WAITING_FOR_LOCK, 1).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    lock.commit().await.unwrap();
    wait_for_count(&pool, "select count(*) from auth.account", 1).await;
}
