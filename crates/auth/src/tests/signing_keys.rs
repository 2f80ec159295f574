//! Rotation and removal of signing keys, with two processes on one database.

use rpc::auth::v1::{CreateHandoffRequest, StartAnalyticsSessionRequest};

use super::*;
use crate::encryption::EncryptionKeys;
use crate::signing_keys::{self, KeyState, Removal};

fn kid(token: &str) -> String {
    jsonwebtoken::decode_header(token).unwrap().kid.unwrap()
}

/// Makes all keys older.
pub(super) async fn pass_time(pool: &PgPool, seconds: f64) {
    let update = "update auth.signing_key set created_at = created_at - make_interval(secs => $1)";
    sqlx::query(update).bind(seconds).execute(pool).await.unwrap();
}

impl Auth {
    /// Fetches keys and ended sessions, as every process does every two seconds.
    pub(super) async fn poll(&mut self) {
        self.verifier.refresh(&mut self.client).await.unwrap();
    }

    pub(super) async fn published_keys(&mut self) -> Vec<String> {
        let data = self.client.get_verification(GetVerificationRequest {}).await.unwrap().into_inner();
        data.keys.into_iter().map(|key| key.kid).collect()
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_after_a_rotation_all_processes_sign_with_the_new_key_and_accept_both(pool: PgPool) {
    let (mut one, _) = Auth::with_asha(pool.clone()).await;
    let mut other = auth(pool.clone()).await;
    let before = one.log_in().await;
    let old = kid(&before.access_token);
    let handoff = with_token(CreateHandoffRequest {}, &before.access_token);
    let handoff = one.client.create_handoff(handoff).await.unwrap().into_inner().token;

    let new = signing_keys::rotate(&pool, &EncryptionKeys::default()).await.unwrap();
    one.poll().await;
    assert_eq!(one.published_keys().await, [new.clone(), old.clone()]);
    assert_eq!(kid(&one.log_in().await.access_token), old, "the other process may not know the new key yet");

    pass_time(&pool, 10.0).await;
    one.poll().await;
    other.poll().await;
    let by_one = one.log_in().await;
    let by_other = other.log_in().await;
    for tokens in [&by_one, &by_other] {
        assert_eq!(kid(&tokens.access_token), new);
    }
    // `before` is of the old key.
    for tokens in [&by_one, &by_other, &before] {
        assert!(one.verify(tokens).await.is_ok() && other.verify(tokens).await.is_ok());
    }
    // A one-time token of the old key is exchanged by a process that signs with the new one.
    let request = StartAnalyticsSessionRequest { token: handoff };
    let analytics = other.client.start_analytics_session(request).await.unwrap().into_inner().access_token;
    assert_eq!(kid(&analytics), new);
    assert!(one.refresh(&before.refresh_token).await.is_ok(), "nobody is logged out");

    pass_time(&pool, 36.0 * 60.0).await;
    one.poll().await;
    assert_eq!(one.published_keys().await, std::slice::from_ref(&new));
    assert!(one.verify(&before).await.is_err());
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.signing_key").await, 1);
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.signing_key").await, 1, "the signing key is kept");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_removed_key_is_rejected_at_once_and_sessions_go_on(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let before = auth.log_in().await;
    let old = kid(&before.access_token);
    assert_eq!(signing_keys::remove(&pool, "none").await.unwrap(), Removal::Unknown);
    assert_eq!(signing_keys::remove(&pool, &old).await.unwrap(), Removal::StillSigning);
    let new = signing_keys::rotate(&pool, &EncryptionKeys::default()).await.unwrap();
    assert_eq!(signing_keys::remove(&pool, &old).await.unwrap(), Removal::StillSigning, "the new key is pending");

    pass_time(&pool, 10.0).await;
    let listed = signing_keys::list(&pool).await.unwrap();
    let states: Vec<_> = listed.iter().map(|key| (key.kid.as_str(), key.state)).collect();
    let [(first, KeyState::Signing), (second, KeyState::Replaced(_))] = states.as_slice() else { panic!("{states:?}") };
    assert_eq!((*first, *second), (new.as_str(), old.as_str()));

    assert_eq!(signing_keys::remove(&pool, &old).await.unwrap(), Removal::Removed);
    assert!(auth.verify(&before).await.is_err());
    let renewed = auth.refresh(&before.refresh_token).await.unwrap();
    assert_eq!(kid(&renewed.access_token), new);
    assert!(auth.verify(&renewed).await.is_ok());
}

/// Otherwise a process that missed the removal of all keys would reject every token.
#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_rotation_before_the_first_start_leaves_a_key_that_signs(pool: PgPool) {
    let new = signing_keys::rotate(&pool, &EncryptionKeys::default()).await.unwrap();
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    assert!(auth.verify(&tokens).await.is_ok());
    pass_time(&pool, 10.0).await;
    auth.poll().await;
    assert_eq!(kid(&auth.log_in().await.access_token), new);
}
