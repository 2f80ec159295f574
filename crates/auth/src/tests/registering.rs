//! Making an account.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_is_kept_as_it_was_typed(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    let account = account.into_inner();
    assert_eq!(account.account_id, account_id);
    assert_eq!(
        (account.name.as_str(), account.email.as_str(), account.phone.as_str()),
        ("Asha Rao", "Asha.Rao@example.in", "9820041537")
    );
    assert!(account.client_id.starts_with("TB-") && account.client_id.len() == 9, "{}", account.client_id);
    assert!(account.created_at.is_some());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_is_stored_as_a_hash_only(pool: PgPool) {
    Auth::with_asha(pool.clone()).await;
    let hash: String = sqlx::query_scalar("select password_hash from auth.account").fetch_one(&pool).await.unwrap();
    assert!(hash.starts_with("$argon2id$") && !hash.contains(PASSWORD), "{hash}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_field_at_fault_is_named_and_nothing_is_kept(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    let status = auth.client.register(RegisterRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let found = fields(&status);
    let found: Vec<_> = found.iter().map(|(field, reason)| (field.as_str(), reason.as_str())).collect();
    assert_eq!(found, [("name", "REQUIRED"), ("email", "REQUIRED"), ("phone", "REQUIRED"), ("password", "REQUIRED")]);
    let other = RegisterRequest { confirm_password: "Monsoon 88 Rain".to_owned(), ..asha() };
    let status = auth.client.register(other).await.unwrap_err();
    assert_eq!(fields(&status), [("confirmPassword".to_owned(), "MISMATCH".to_owned())]);
    assert_eq!(status.message(), "The two passwords are not the same.");
    assert_eq!(count(&pool, "select count(*) from auth.login").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_address_or_number_is_taken_however_it_is_spelt(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
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
    // What a refused registration had claimed is free again.
    auth.client.register(free).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn fifty_at_once_make_one_account(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let auth = auth(pool.clone()).await;
    let tries: Vec<_> = (0..50)
        .map(|i| {
            let mut client = auth.client.clone();
            let request = RegisterRequest { phone: format!("70000000{i:02}"), ..asha() };
            tokio::spawn(async move { client.register(request).await })
        })
        .collect();
    let mut made = 0;
    for attempt in tries {
        match attempt.await.unwrap() {
            Ok(_) => made += 1,
            Err(status) => assert_eq!(reason(&status), "EMAIL_TAKEN", "{status}"),
        }
    }
    assert_eq!(made, 1);
    for rows in ["select count(*) from auth.account", "select count(*) from auth.client_id"] {
        assert_eq!(count(&pool, rows).await, 1);
    }
    assert_eq!(count(&pool, "select count(*) from auth.login").await, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_registration_goes_on_when_the_client_hangs_up(pool: PgPool) {
    let auth = auth(pool.clone()).await;
    // Holds the last statement of the registration back until the client is gone.
    let mut gate = pool.begin().await.unwrap();
    sqlx::query("lock table auth.account in exclusive mode").execute(&mut *gate).await.unwrap();
    let mut client = auth.client.clone();
    let call = tokio::spawn(async move { client.register(asha()).await });
    until(&pool, WAITING, 1).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    gate.commit().await.unwrap();
    until(&pool, "select count(*) from auth.account", 1).await;
}
