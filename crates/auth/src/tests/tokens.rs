//! Each token for its purpose, and for nothing else.

use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rpc::auth::v1::{
    CreateHandoffRequest, ExchangeSignInTokenRequest, LogOutRequest, StartAnalyticsSessionRequest,
    StartAnalyticsSessionResponse,
};
use rpc::caller::Bearer;
use rpc::token::Claims;
use uuid::Uuid;

use super::*;
use crate::service::Service;
use crate::store::Store;

impl Auth {
    async fn handoff(&mut self, tokens: &Tokens) -> String {
        let request = with_token(CreateHandoffRequest {}, &tokens.access_token);
        self.client.create_handoff(request).await.unwrap().into_inner().token
    }

    async fn start_analytics(&mut self, token: &str) -> Result<StartAnalyticsSessionResponse, Status> {
        let request = StartAnalyticsSessionRequest { token: token.to_owned() };
        Ok(self.client.start_analytics_session(request).await?.into_inner())
    }

    async fn exchange(&mut self, token: &str) -> Result<Tokens, Status> {
        let request = ExchangeSignInTokenRequest { token: token.to_owned(), device: None };
        Ok(self.client.exchange_sign_in_token(request).await?.into_inner().tokens.unwrap())
    }
}

/// What signs somebody in who proved by other means who they are.
async fn sign_in_token(pool: &PgPool, account_id: &str) -> String {
    let service = Service::new(Store::new(pool.clone()), Store::new(pool.clone()), settings()).await.unwrap();
    service.sign_in_token(account_id.parse().unwrap()).await.unwrap().token
}

fn claims(token: &str) -> Claims {
    jsonwebtoken::dangerous::insecure_decode::<Claims>(token).unwrap().claims
}

fn ended(status: &Status) -> bool {
    (status.code(), reason(status).as_str()) == (Code::Unauthenticated, "SESSION_ENDED")
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_hand_off_becomes_a_session_that_reads_once(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let handoff = auth.handoff(&tokens).await;
    let said = claims(&handoff);
    assert_eq!((said.aud.as_str(), said.exp - said.iat), ("analytics", 120));
    assert_eq!((said.name.as_str(), said.email.as_str()), ("Asha Rao", "Asha.Rao@example.in"));

    let session = auth.start_analytics(&handoff).await.unwrap();
    let said = claims(&session.access_token);
    assert_eq!((said.aud.as_str(), said.exp - said.iat), ("analytics-api", 1800));
    assert_eq!(session.expires_at.unwrap().seconds, said.exp);
    assert!(ended(&auth.start_analytics(&handoff).await.unwrap_err()), "a hand-off works once");

    let read = with_token(GetAccountRequest {}, &session.access_token);
    assert_eq!(auth.client.get_account(read).await.unwrap().into_inner().account_id, account_id);
    let write = with_token(CreateHandoffRequest {}, &session.access_token);
    let refused = auth.client.create_handoff(write).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "FORBIDDEN"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_analytics_session_ends_with_its_sign_in_and_ends_none(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let (used, unused) = (auth.handoff(&tokens).await, auth.handoff(&tokens).await);
    let session = auth.start_analytics(&used).await.unwrap().access_token;
    auth.client.log_out(with_token(LogOutRequest::default(), &session)).await.unwrap();
    assert!(auth.verify(&tokens).await.is_ok(), "who reads does not sign out");
    assert!(matches!(auth.verifier.verify(&session), Ok(Bearer::Analytics(_))));
    auth.log_out(&tokens.refresh_token).await;
    auth.verifier.ask(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&session), Err(Refused::SignedOut)));
    assert!(ended(&auth.start_analytics(&unused).await.unwrap_err()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_sign_in_token_becomes_a_sign_in_once(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = sign_in_token(&pool, &account_id).await;
    let said = claims(&token);
    assert_eq!((said.aud.as_str(), said.exp - said.iat, said.sid), ("sign-in", 60, None));
    assert_eq!((said.name.as_str(), said.email.as_str()), ("Asha Rao", "Asha.Rao@example.in"));
    let tokens = auth.exchange(&token).await.unwrap();
    assert_eq!(auth.verify(&tokens).await.unwrap().account_id.to_string(), account_id);
    assert_eq!(tokens.device_token.len(), 43);
    assert!(ended(&auth.exchange(&token).await.unwrap_err()));
    assert_eq!(count(&pool, "select count(*) from auth.sign_in").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_used_twice_at_once_works_once(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = sign_in_token(&pool, &account_id).await;
    let uses: Vec<_> = (0..6)
        .map(|_| {
            let mut client = auth.client.clone();
            let request = ExchangeSignInTokenRequest { token: token.clone(), device: None };
            tokio::spawn(async move { client.exchange_sign_in_token(request).await.is_ok() })
        })
        .collect();
    let mut worked = 0;
    for used in uses {
        worked += u32::from(used.await.unwrap());
    }
    assert_eq!(worked, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_closed_account_is_not_signed_in_to_by_a_token(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let token = sign_in_token(&pool, &account_id).await;
    sqlx::query("update auth.account set closed_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.exchange(&token).await.unwrap_err()), "ACCOUNT_CLOSED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_is_refused_everywhere_but_for_its_purpose(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let sign_in = sign_in_token(&pool, &account_id).await;
    let handoff = auth.handoff(&tokens).await;
    let other_handoff = auth.handoff(&tokens).await;
    let analytics = auth.start_analytics(&other_handoff).await.unwrap().access_token;

    for foreign in [&handoff, &tokens.access_token, &analytics, &tokens.refresh_token] {
        assert!(ended(&auth.exchange(foreign).await.unwrap_err()));
    }
    for foreign in [&sign_in, &tokens.access_token, &analytics, &tokens.refresh_token] {
        assert!(ended(&auth.start_analytics(foreign).await.unwrap_err()));
    }
    for foreign in [&sign_in, &handoff, &tokens.refresh_token] {
        assert!(matches!(auth.verifier.verify(foreign), Err(Refused::SignedOut)));
        let call = auth.client.get_account(with_token(GetAccountRequest {}, foreign)).await.unwrap_err();
        assert_eq!(reason(&call), "SIGNED_OUT");
    }
    // None of them was used up by being shown at the wrong door.
    auth.exchange(&sign_in).await.unwrap();
    auth.start_analytics(&handoff).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_from_a_file_signs_and_no_other_is_trusted(pool: PgPool) {
    use std::os::unix::fs::PermissionsExt as _;
    // As `openssl genpkey -algorithm ed25519` writes it.
    let key = STANDARD.encode(Ed25519KeyPair::generate().unwrap().to_pkcs8v1().unwrap());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n");
    let (mut own, _) = Auth::with_asha(pool.clone()).await;
    let file = std::env::temp_dir().join(format!("signing-key-{}.pem", Uuid::new_v4()));
    std::fs::write(&file, pem).unwrap();
    let given = Settings { signing_key_file: Some(file.clone()), ..settings() };

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let open = crate::server(pool.clone(), pool.clone(), given.clone()).await.map(drop).unwrap_err();
    assert!(open.to_string().contains("others may read it"), "{open}");

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut auth = start(pool.clone(), given.clone()).await;
    let tokens = auth.log_in().await;
    assert!(auth.verify(&tokens).await.is_ok());
    let foreign = own.log_in().await;
    assert!(auth.verify(&foreign).await.is_err(), "the key in the database is not trusted beside it");
    assert!(own.verify(&tokens).await.is_err());

    std::fs::write(&file, "no key").unwrap();
    let nonsense = crate::server(pool.clone(), pool, given).await.map(drop).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(nonsense.to_string().contains("no Ed25519 key"), "{nonsense}");
}
