//! Login and logout.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn reading_the_account_requires_a_token(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let status = auth.client.get_account(GetAccountRequest {}).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
    let status = auth.client.get_account(with_token(GetAccountRequest {}, "e30.e30.e30")).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn logs_in_by_email_or_phone_in_any_spelling(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    auth.verify_phone(&pool, &tokens).await.unwrap();
    for login in ["Asha.Rao@example.in", " asha.rao@EXAMPLE.in ", "9820041537", "+91 9820041537", "098200 41537"] {
        let tokens = auth.try_log_in(login, PASSWORD).await.unwrap();
        let caller = auth.verify(&tokens).await.unwrap();
        assert_eq!(caller.account_id.to_string(), account_id, "{login}");
        assert_eq!((caller.name.as_str(), caller.email.as_str()), ("Asha Rao", "asha.rao@example.in"), "{login}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn all_rejected_logins_look_the_same(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let wrong = auth.try_log_in("asha.rao@example.in", "Monsoon 88 Rain").await.unwrap_err();
    assert_eq!((wrong.code(), reason(&wrong).as_str()), (Code::Unauthenticated, "INVALID_CREDENTIALS"));
    let too_long = "x".repeat(2000);
    for (login, password) in [
        ("nobody@example.in", PASSWORD),
        ("9820041538", PASSWORD),
        ("9820041537", ""),
        ("asha.rao@example.in", " Monsoon 88 rain"),
        ("not a login", PASSWORD),
        ("", ""),
        ("asha.rao@example.in", too_long.as_str()),
        (too_long.as_str(), PASSWORD),
    ] {
        let status = auth.try_log_in(login, password).await.unwrap_err();
        assert_eq!(
            (status.code(), status.message(), status.details()),
            (wrong.code(), wrong.message(), wrong.details()),
            "{login:.30}"
        );
    }
    assert_eq!(count(&pool, "select count(*) from auth.session").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_weak_hash_is_replaced_at_the_next_login(pool: PgPool) {
    Auth::with_asha(pool.clone()).await;
    let mut stronger = start(pool.clone(), Settings { hash_memory_kib: 128, ..settings() }).await;
    for _ in 0..2 {
        stronger.log_in().await;
        let hash: String = sqlx::query_scalar("select password_hash from auth.account").fetch_one(&pool).await.unwrap();
        assert!(hash.contains("m=128,"), "{hash}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_access_token_has_the_expected_claims(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let token = auth.log_in().await.access_token;
    let header = jsonwebtoken::decode_header(&token).unwrap();
    assert_eq!((header.typ.as_deref(), header.alg), (Some("at+jwt"), jsonwebtoken::Algorithm::EdDSA));
    let claims = jsonwebtoken::dangerous::insecure_decode::<rpc::token::Claims>(&token).unwrap().claims;
    assert_eq!((claims.iss.as_str(), claims.aud.as_str()), ("tradebahi", "api"));
    assert_eq!((claims.exp - claims.iat, claims.nbf), (600, claims.iat));
}

#[sqlx::test(migrations = "../../migrations")]
async fn processes_share_one_signing_key(pool: PgPool) {
    let (one, other) = tokio::join!(auth(pool.clone()), auth(pool.clone()));
    assert_eq!(count(&pool, "select count(*) from auth.signing_key").await, 1);
    let (mut one, mut other) = (one, other);
    one.client.register(asha()).await.unwrap();
    let tokens = one.log_in().await;
    assert!(other.verify(&tokens).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn logging_out_by_refresh_token_ends_the_session_everywhere(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let session_id = auth.verify(&tokens).await.unwrap().session_id.to_string();
    assert!(auth.ended_session_ids().await.is_empty());
    auth.log_out(&tokens.refresh_token).await;
    assert_eq!(auth.ended_session_ids().await, [session_id]);
    assert!(matches!(auth.verify(&tokens).await, Err(AuthError::Unauthenticated)));
    assert_eq!(reason(&auth.refresh(&tokens.refresh_token).await.unwrap_err()), "SESSION_ENDED");
    auth.log_out(&tokens.refresh_token).await;
    assert_eq!(auth.ended_session_ids().await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn logging_out_by_access_token_ends_only_that_session(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let (tokens, other_device) = (auth.log_in().await, auth.log_in().await);
    let request = with_token(LogOutRequest::default(), &tokens.access_token);
    auth.client.log_out(request).await.unwrap();
    assert!(matches!(auth.verify(&tokens).await, Err(AuthError::Unauthenticated)));
    assert!(auth.verify(&other_device).await.is_ok());
    assert!(auth.refresh(&tokens.refresh_token).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn logging_out_without_a_session_succeeds(pool: PgPool) {
    let mut auth = auth(pool).await;
    for unknown in ["", "x"] {
        auth.log_out(unknown).await;
    }
    assert!(auth.ended_session_ids().await.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn stores_a_device_truncated_and_without_control_characters(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let device = Device {
        device_token: Default::default(),
        user_agent: format!("Fire\nfox{}", "x".repeat(300)),
        address: "2001:db8::1".to_owned(),
    };
    let (login, password) = ("asha.rao@example.in".to_owned(), PASSWORD.to_owned());
    auth.client
        .log_in(LogInRequest { restore: Default::default(), login, password, device: Some(device) })
        .await
        .unwrap();
    let stored: (String, String) =
        sqlx::query_as("select user_agent, address from auth.session").fetch_one(&pool).await.unwrap();
    assert_eq!(stored, (format!("Firefox{}", "x".repeat(249)), "2001:db8::1".to_owned()));
}
