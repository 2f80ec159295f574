//! Login state that a new password resets.

use super::emails::{Inbox, NEW_PASSWORD, parse_token};
use super::login_throttle::{ASHA_EMAIL, HOME_ADDRESS, log_in_request};
use super::*;

/// Logs Asha in with a device, and then throttles her network.
async fn throttled(pool: &PgPool) -> (Auth, Tokens, Inbox) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(pool);
    inbox.receive_one().await;
    let tokens = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    for login in [ASHA_EMAIL, "nobody@example.in"] {
        auth.fail_until_throttled(HOME_ADDRESS, login).await;
    }
    let throttle = "update auth.failed_login set throttled_until = now() + interval '1 hour'
                    where source <> 'all networks'";
    sqlx::query(throttle).execute(pool).await.unwrap();
    (auth, tokens, inbox)
}

/// Checks that no device is known, and that only failures of other accounts remain.
async fn assert_login_state_reset(pool: &PgPool, auth: &mut Auth, device: &str) {
    assert_eq!(
        count(pool, "select count(*) from auth.failed_login where source <> 'all networks'").await,
        1,
        "that of the unknown account"
    );
    assert_eq!(count(pool, "select count(*) from auth.known_device").await, 0);
    auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, NEW_PASSWORD, "")).await.unwrap();
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    let status = auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, NEW_PASSWORD, device)).await.unwrap_err();
    assert_eq!(reason(&status), "LOGIN_THROTTLED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_reset_clears_failures_and_known_devices(pool: PgPool) {
    let (mut auth, tokens, inbox) = throttled(&pool).await;
    auth.request_password_reset(ASHA_EMAIL).await;
    auth.reset_password(&parse_token(&inbox.receive_one().await, "/reset-password"), NEW_PASSWORD).await.unwrap();
    assert_login_state_reset(&pool, &mut auth, &tokens.device_token).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_change_clears_failures_known_devices_and_reset_links(pool: PgPool) {
    let (mut auth, _, inbox) = throttled(&pool).await;
    let here = auth.send_log_in(log_in_request("198.51.100.1", ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    auth.request_password_reset(ASHA_EMAIL).await;
    let link = parse_token(&inbox.receive_one().await, "/reset-password");
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 1);
    assert_eq!(reason(&auth.reset_password(&link, "Another 99 one").await.unwrap_err()), "LINK_EXPIRED");
    assert_login_state_reset(&pool, &mut auth, &here.device_token).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_change_revokes_access_tokens_of_expired_sessions(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let expired = auth.log_in().await;
    for expire in ["update auth.session set expires_at = now()", "update auth.refresh_token set expires_at = now()"] {
        sqlx::query(expire).execute(&pool).await.unwrap();
    }
    auth.verify(&expired).await.unwrap();
    let (_other, here) = (auth.log_in().await, auth.log_in().await);
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 1, "only open sessions are counted");
    assert!(auth.verify(&expired).await.is_err());
    assert!(auth.verify(&here).await.is_ok());
}
