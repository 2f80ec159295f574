//! Revocation of credentials after a restore from a backup.

use sqlx::PgConnection;

use super::service_tokens;
use super::sessions::mark_all_sessions_ended;
use crate::error::Error;
use crate::service_token::ServiceToken;

/// Ends all sessions, tax links and the trust in devices, deletes signing keys, refresh tokens, tickets and logins that wait for a
/// second factor, and empties the outbox. Second factors stay, because without them the accounts would be less protected. Returns the active
/// service tokens.
pub(crate) async fn revoke_restored_credentials(connection: &mut PgConnection) -> Result<Vec<ServiceToken>, Error> {
    // Deleting the keys is not enough: a key from a file stays valid.
    mark_all_sessions_ended(connection).await?;
    for statement in [
        sqlx::query!("truncate auth.refresh_token"),
        sqlx::query!("truncate auth.signing_key"),
        sqlx::query!("truncate auth.email_link_token"),
        sqlx::query!("truncate auth.trusted_device"),
        sqlx::query!("truncate auth.second_factor_challenge"),
        sqlx::query!("truncate auth.phone_code"),
        // One may have been revoked after the backup.
        sqlx::query!("update auth.tax_link set revoked_at = now() where revoked_at is null"),
        sqlx::query!("update auth.outbox set next_attempt_at = null where next_attempt_at is not null"),
    ] {
        statement.execute(&mut *connection).await?;
    }
    let tokens = service_tokens::list_all(connection).await?;
    Ok(tokens.into_iter().filter(|token| token.revoked_at.is_none()).collect())
}
