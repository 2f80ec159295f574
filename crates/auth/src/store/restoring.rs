//! What comes back with a backup, and may have been taken back since.

use sqlx::PgConnection;

use super::service_tokens;
use crate::error::Error;
use crate::service_token::Listed;

/// Ends every sign-in, drops the keys that tokens are signed with, and makes void what was sent out or waits to be. Says
/// which service tokens are good.
pub(crate) async fn take_back(connection: &mut PgConnection) -> Result<Vec<Listed>, Error> {
    // Beside the keys, for one that is given from outside stays.
    let ended =
        sqlx::query_scalar!("update auth.sign_in set ended_at = now() where ended_at is null returning sign_in_id",)
            .fetch_all(&mut *connection)
            .await?;
    sqlx::query!(
        "insert into auth.ended_sign_in (sign_in_id) select unnest($1::uuid[]) on conflict do nothing",
        &ended,
    )
    .execute(&mut *connection)
    .await?;
    for void in [
        sqlx::query!("truncate auth.refresh_token"),
        sqlx::query!("truncate auth.signing_key"),
        sqlx::query!("truncate auth.ticket"),
        sqlx::query!("update auth.letter set next_attempt_at = null where next_attempt_at is not null"),
    ] {
        void.execute(&mut *connection).await?;
    }
    let tokens = service_tokens::list(connection).await?;
    Ok(tokens.into_iter().filter(|token| token.revoked_at.is_none()).collect())
}
