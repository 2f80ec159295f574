//! Login tokens, handoff tokens, and the signing key.

use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rpc::auth::v1::{
    CheckLinkTokenRequest, CreateHandoffRequest, ExchangeLoginTokenRequest, LogOutRequest,
    StartAnalyticsSessionRequest, StartAnalyticsSessionResponse,
};
use rpc::caller::Bearer;
use rpc::token::Claims;

use super::*;
use crate::signing_key::SigningKey;

impl Auth {
    async fn create_handoff(&mut self, tokens: &Tokens) -> String {
        let request = with_token(CreateHandoffRequest {}, &tokens.access_token);
        self.client.create_handoff(request).await.unwrap().into_inner().token
    }

    async fn start_analytics(&mut self, token: &str) -> Result<StartAnalyticsSessionResponse, Status> {
        let request = StartAnalyticsSessionRequest { token: token.to_owned() };
        Ok(self.client.start_analytics_session(request).await?.into_inner())
    }

    async fn exchange(&mut self, token: &str) -> Result<Tokens, Status> {
        self.exchange_in(token, false).await
    }

    async fn exchange_in(&mut self, token: &str, other_browser: bool) -> Result<Tokens, Status> {
        let request =
            ExchangeLoginTokenRequest { token: token.to_owned(), device: None, require_confirmed_email: other_browser };
        Ok(self.client.exchange_login_token(request).await?.into_inner().tokens.unwrap())
    }

    /// Checks the token of a link that was opened in another browser. Returns the name and the email address.
    async fn check_link(&mut self, token: &str) -> Result<(String, String), Status> {
        let request = CheckLinkTokenRequest { token: token.to_owned(), require_confirmed_email: true };
        let response = self.client.check_link_token(request).await?.into_inner();
        Ok((response.name, response.email))
    }
}

/// Creates a token that can be exchanged for a session.
async fn create_login_token(pool: &PgPool, account_id: &str) -> String {
    service(pool).await.create_login_token(account_id.parse().unwrap()).await.unwrap().token
}

fn decode_claims(token: &str) -> Claims {
    jsonwebtoken::dangerous::insecure_decode::<Claims>(token).unwrap().claims
}

fn is_session_ended(status: &Status) -> bool {
    (status.code(), reason(status).as_str()) == (Code::Unauthenticated, "SESSION_ENDED")
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_handoff_token_starts_one_read_only_analytics_session(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let handoff = auth.create_handoff(&tokens).await;
    let claims = decode_claims(&handoff);
    assert_eq!((claims.aud.as_str(), claims.exp - claims.iat), ("analytics", 120));
    assert_eq!((claims.name.as_str(), claims.email.as_str()), ("Asha Rao", "asha.rao@example.in"));

    let session = auth.start_analytics(&handoff).await.unwrap();
    let claims = decode_claims(&session.access_token);
    assert_eq!((claims.aud.as_str(), claims.exp - claims.iat), ("analytics-api", 1800));
    assert_eq!(session.expires_at.unwrap().seconds, claims.exp);
    let read = with_token(GetAccountRequest {}, &session.access_token);
    assert_eq!(auth.client.get_account(read).await.unwrap().into_inner().account_id, account_id);
    let write = with_token(CreateHandoffRequest {}, &session.access_token);
    let status = auth.client.create_handoff(write).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "FORBIDDEN"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_second_exchange_of_a_handoff_token_ends_the_session_of_the_first(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let (handoff, other) = (auth.create_handoff(&tokens).await, auth.create_handoff(&tokens).await);
    let (first, other) = (auth.start_analytics(&handoff).await.unwrap(), auth.start_analytics(&other).await.unwrap());
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&first.access_token), Ok(Bearer::Analytics(_))));
    assert!(is_session_ended(&auth.start_analytics(&handoff).await.unwrap_err()), "a handoff token works once");
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&first.access_token), Err(AuthError::Unauthenticated)));
    assert!(matches!(auth.verifier.verify(&other.access_token), Ok(Bearer::Analytics(_))), "others stay open");
    assert!(auth.verify(&tokens).await.is_ok(), "the session of the trader stays open");
    assert!(is_session_ended(&auth.start_analytics(&handoff).await.unwrap_err()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_analytics_session_ends_with_its_session_and_cannot_end_it(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let (used, unused) = (auth.create_handoff(&tokens).await, auth.create_handoff(&tokens).await);
    let session = auth.start_analytics(&used).await.unwrap().access_token;
    auth.client.log_out(with_token(LogOutRequest::default(), &session)).await.unwrap();
    assert!(auth.verify(&tokens).await.is_ok(), "an analytics token cannot log out");
    assert!(matches!(auth.verifier.verify(&session), Ok(Bearer::Analytics(_))));
    auth.log_out(&tokens.refresh_token).await;
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&session), Err(AuthError::Unauthenticated)));
    assert!(is_session_ended(&auth.start_analytics(&unused).await.unwrap_err()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_login_token_starts_one_session(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = create_login_token(&pool, &account_id).await;
    let claims = decode_claims(&token);
    assert_eq!((claims.aud.as_str(), claims.exp - claims.iat, claims.sid), ("login", 60, None));
    assert_eq!((claims.name.as_str(), claims.email.as_str()), ("Asha Rao", "asha.rao@example.in"));
    let tokens = auth.exchange(&token).await.unwrap();
    assert_eq!(auth.verify(&tokens).await.unwrap().account_id.to_string(), account_id);
    assert_eq!(tokens.device_token.len(), 43);
    assert!(is_session_ended(&auth.exchange(&token).await.unwrap_err()));
    assert_eq!(count(&pool, "select count(*) from auth.session").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_uses_of_a_login_token_start_one_session(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = create_login_token(&pool, &account_id).await;
    let uses: Vec<_> = (0..6)
        .map(|_| {
            let mut client = auth.client.clone();
            let request = ExchangeLoginTokenRequest { token: token.clone(), ..Default::default() };
            tokio::spawn(async move { client.exchange_login_token(request).await.is_ok() })
        })
        .collect();
    let mut worked = 0;
    for used in uses {
        worked += u32::from(used.await.unwrap());
    }
    assert_eq!(worked, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_login_token_is_rejected_for_a_closed_account(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = create_login_token(&pool, &account_id).await;
    sqlx::query("update auth.account set closed_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.exchange(&token).await.unwrap_err()), "ACCOUNT_CLOSED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s3_a_link_to_an_account_with_an_unconfirmed_address_works_only_in_the_browser_that_began_it(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let access_token = auth.log_in().await.access_token;
    let login_token = create_login_token(&pool, &account_id).await;
    for token in [&access_token, &login_token] {
        let status = auth.check_link(token).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "EMAIL_NOT_CONFIRMED"));
    }
    assert_eq!(reason(&auth.exchange_in(&login_token, true).await.unwrap_err()), "EMAIL_NOT_CONFIRMED");
    auth.exchange_in(&login_token, false).await.unwrap();

    let login_token = create_login_token(&pool, &account_id).await;
    sqlx::query("update auth.account set email_confirmed_at = now()").execute(&pool).await.unwrap();
    let asha = ("Asha Rao".to_owned(), "asha.rao@example.in".to_owned());
    for token in [&access_token, &login_token] {
        assert_eq!(auth.check_link(token).await.unwrap(), asha, "a check does not use the token");
        assert_eq!(auth.check_link(token).await.unwrap(), asha);
    }
    auth.exchange_in(&login_token, true).await.unwrap();
    assert!(is_session_ended(&auth.check_link(&login_token).await.unwrap_err()), "the token was used");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s3_the_check_of_a_link_rejects_forged_foreign_and_revoked_tokens(pool: PgPool) {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    sqlx::query("update auth.account set email_confirmed_at = now()").execute(&pool).await.unwrap();
    let tokens = auth.log_in().await;
    auth.check_link(&tokens.access_token).await.unwrap();
    let [_, payload, signature] = <[&str; 3]>::try_from(tokens.access_token.split('.').collect::<Vec<_>>()).unwrap();
    let header = jsonwebtoken::decode_header(&tokens.access_token).unwrap();
    let unsigned = |header: &str| format!("{}.{payload}.", URL_SAFE_NO_PAD.encode(header));
    let kid = header.kid.unwrap();
    let changed = String::from_utf8(URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap().replace("Asha", "Evil");
    let head = tokens.access_token.split('.').next().unwrap();
    let handoff = auth.create_handoff(&tokens).await;
    for forged in [
        unsigned(r#"{"alg":"none","typ":"at+jwt"}"#),
        unsigned(&format!(r#"{{"alg":"none","typ":"at+jwt","kid":"{kid}"}}"#)),
        format!("{head}.{}.{signature}", URL_SAFE_NO_PAD.encode(changed)),
        format!("{head}.{payload}."),
        handoff.clone(),
        auth.start_analytics(&handoff).await.unwrap().access_token,
        tokens.refresh_token.clone(),
    ] {
        assert!(is_session_ended(&auth.check_link(&forged).await.unwrap_err()), "{forged}");
    }
    auth.log_out(&tokens.refresh_token).await;
    assert!(is_session_ended(&auth.check_link(&tokens.access_token).await.unwrap_err()), "the session has ended");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_is_rejected_for_other_purposes(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let login_token = create_login_token(&pool, &account_id).await;
    let handoff = auth.create_handoff(&tokens).await;
    let other_handoff = auth.create_handoff(&tokens).await;
    let analytics = auth.start_analytics(&other_handoff).await.unwrap().access_token;

    for foreign in [&handoff, &tokens.access_token, &analytics, &tokens.refresh_token] {
        assert!(is_session_ended(&auth.exchange(foreign).await.unwrap_err()));
    }
    for foreign in [&login_token, &tokens.access_token, &analytics, &tokens.refresh_token] {
        assert!(is_session_ended(&auth.start_analytics(foreign).await.unwrap_err()));
    }
    for foreign in [&login_token, &handoff, &tokens.refresh_token] {
        assert!(matches!(auth.verifier.verify(foreign), Err(AuthError::Unauthenticated)));
        let call = auth.client.get_account(with_token(GetAccountRequest {}, foreign)).await.unwrap_err();
        assert_eq!(reason(&call), "UNAUTHENTICATED");
    }
    // A rejected use does not use up the token.
    auth.exchange(&login_token).await.unwrap();
    auth.start_analytics(&handoff).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_from_a_file_signs_and_stored_keys_are_not_trusted(pool: PgPool) {
    // Format of `openssl genpkey -algorithm ed25519`.
    let key = STANDARD.encode(Ed25519KeyPair::generate().unwrap().to_pkcs8v1().unwrap());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n");
    let (mut own, _) = Auth::with_asha(pool.clone()).await;
    let signing_key = SigningKey::from_pem(&pem).unwrap();
    assert!(!format!("{signing_key:?}").contains(&key[20..]));
    let with_key = Settings { signing_key: Some(signing_key), ..settings() };
    let mut auth = start(pool.clone(), with_key).await;
    let tokens = auth.log_in().await;
    assert!(auth.verify(&tokens).await.is_ok());
    let foreign = own.log_in().await;
    assert!(auth.verify(&foreign).await.is_err(), "the key in the database is not trusted");
    assert!(own.verify(&tokens).await.is_err());

    let error = SigningKey::from_pem("no key").unwrap_err();
    assert!(error.to_string().contains("no Ed25519 key"), "{error}");
}
