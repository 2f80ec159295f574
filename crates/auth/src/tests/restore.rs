//! Revocation of credentials after a restore from a backup.

use super::emails::{Inbox, NEW_PASSWORD, parse_token};
use super::login_throttle::ASHA_EMAIL;
use super::*;
use crate::service_token;

#[sqlx::test(migrations = "../../migrations")]
async fn a_restore_revokes_sessions_links_and_queued_emails(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let tokens = auth.log_in().await;
    auth.request_password_reset(ASHA_EMAIL).await;
    let link = parse_token(&inbox.receive_one().await, "/reset-password");
    auth.request_password_reset(ASHA_EMAIL).await;
    for name in ["reports", "ticker"] {
        service_token::create(&pool, name, &["trades:read".to_owned()], time::Duration::days(1)).await.unwrap();
    }
    service_token::revoke(&pool, "ticker").await.unwrap();
    auth.verify(&tokens).await.unwrap();

    let active = crate::revoke_restored_credentials(&mut pool.acquire().await.unwrap()).await.unwrap();
    assert_eq!(active.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(), ["reports"]);
    assert_eq!(reason(&auth.refresh(&tokens.refresh_token).await.unwrap_err()), "SESSION_ENDED");
    assert_eq!(auth.ended_session_ids().await.len(), 1, "ended for processes with a key file as well");
    assert_eq!(reason(&auth.reset_password(&link, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    assert_eq!(inbox.receive_all().await, Vec::<String>::new());
    let mut auth = super::auth(pool).await;
    assert!(auth.verify(&tokens).await.is_err());
    let again = auth.log_in().await;
    auth.verify(&again).await.unwrap();
}
