//! Refresh tokens: rotation and reuse detection. The rules are in `token_rotation.rs` of the crate.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use super::sessions::end_session;
use crate::error::Error;
use crate::session::{Device, Session};
use crate::token::{REFRESH_TOKEN_TTL, RefreshToken, TokenHash};
use crate::token_rotation::{PresentedToken, REISSUE_GRACE, RotationDecision};

/// Result of a rotation.
pub(crate) enum Rotation {
    Refreshed(Session),
    /// A retired token was presented; the session of this account was ended.
    Reused(Uuid),
    Expired,
}

/// Session that refresh tokens belong to.
pub(super) struct TokenSession {
    pub(super) account_id: Uuid,
    pub(super) session_id: Uuid,
    pub(super) expires_at: OffsetDateTime,
}

impl Store {
    /// Exchanges the token with the hash `presented` for `next`, or ends the session if the token was retired.
    pub(crate) async fn rotate_token(
        &self,
        presented: TokenHash,
        next: &RefreshToken,
        device: Option<&Device>,
    ) -> Result<Rotation, Error> {
        let mut tx = self.pool.begin().await?;
        let Some((session, presented)) = lock_session(&mut tx, presented).await? else {
            return Ok(Rotation::Expired);
        };
        let TokenSession { account_id, session_id, .. } = session;
        match presented.decide() {
            RotationDecision::Expired => return Ok(Rotation::Expired),
            RotationDecision::Reused => {
                end_session(&mut tx, account_id, session_id).await?;
                tx.commit().await?;
                return Ok(Rotation::Reused(account_id));
            }
            RotationDecision::Issue => {}
        }
        sqlx::query!(
            "update auth.session
             set last_seen_at = case when last_used_token_hash is distinct from $3 then $6 else last_seen_at end,
                 last_used_token_hash = $3,
                 user_agent = coalesce($4, user_agent), address = coalesce($5, address)
             where account_id = $1 and session_id = $2",
            account_id,
            session_id,
            presented.hash.as_bytes(),
            device.map(|device| &device.user_agent),
            device.map(|device| &device.address),
            OffsetDateTime::now_utc(),
        )
        .execute(&mut *tx)
        .await?;
        let refresh_expires_at = add_refresh_token(&mut tx, &session, next, Some(&presented.hash)).await?;
        let account = sqlx::query!(
            r#"select name, email, email_confirmed_at is not null as "email_confirmed!"
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Rotation::Refreshed(Session {
            account_id,
            session_id,
            name: account.name,
            email: account.email,
            email_confirmed: account.email_confirmed,
            refresh_expires_at,
        }))
    }
}

/// Finds a refresh token and locks its session, so that refreshing and ending the session are serialized.
async fn lock_session(tx: &mut PgConnection, hash: TokenHash) -> Result<Option<(TokenSession, PresentedToken)>, Error> {
    let token = sqlx::query!(
        r#"select account_id, session_id, predecessor_hash, expires_at <= now() as "is_expired!"
           from auth.refresh_token where token_hash = $1"#,
        hash.as_bytes(),
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(token) = token else {
        return Ok(None);
    };
    let session = sqlx::query!(
        r#"select last_used_token_hash, expires_at, ended_at is not null or expires_at <= now() as "is_expired!",
                  last_seen_at < now() - make_interval(secs => $3) as "is_grace_over!"
           from auth.session where account_id = $1 and session_id = $2 for update"#,
        token.account_id,
        token.session_id,
        REISSUE_GRACE.as_seconds_f64(),
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(session.map(|session| {
        let presented = PresentedToken {
            hash,
            predecessor: token.predecessor_hash.map(TokenHash::from_bytes),
            last_used: session.last_used_token_hash.map(TokenHash::from_bytes),
            is_expired: token.is_expired || session.is_expired,
            is_grace_over: session.is_grace_over,
        };
        let (account_id, session_id) = (token.account_id, token.session_id);
        (TokenSession { account_id, session_id, expires_at: session.expires_at }, presented)
    }))
}

/// Adds a refresh token to a session and returns its expiry.
pub(super) async fn add_refresh_token(
    tx: &mut PgConnection,
    session: &TokenSession,
    token: &RefreshToken,
    predecessor: Option<&TokenHash>,
) -> Result<OffsetDateTime, Error> {
    let hash = token.hash();
    let expires_at = sqlx::query_scalar!(
        r#"insert into auth.refresh_token (token_hash, account_id, session_id, predecessor_hash, expires_at)
           values ($1, $2, $3, $4, least($5, now() + make_interval(secs => $6)))
           returning expires_at"#,
        hash.as_bytes(),
        session.account_id,
        session.session_id,
        predecessor.map(TokenHash::as_bytes),
        session.expires_at,
        REFRESH_TOKEN_TTL.as_seconds_f64(),
    )
    .fetch_one(tx)
    .await?;
    Ok(expires_at)
}
