//! Sessions, the credentials that start them, and known devices.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::Store;
use super::second_factor::trusted_devices::trust_device;
use super::token_rotation::{TokenSession, add_refresh_token};
use crate::account::Login;
use crate::error::Error;
use crate::secret::Secret;
use crate::session::{Device, ENDED_SESSION_RETENTION, SESSION_TTL, Session};
use crate::token::{RefreshToken, TokenHash};

/// Maximum number of known devices per account; beyond it, the ones seen least recently are removed.
const MAX_KNOWN_DEVICES: i64 = 20;
/// Maximum number of listed sessions.
const MAX_LISTED_SESSIONS: i64 = 100;

/// Credentials of an account, for a password check.
pub(crate) struct Credentials {
    pub(crate) account_id: Uuid,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) email_confirmed: bool,
    /// `None` for an account created with Google until its owner sets a password.
    pub(crate) password_hash: Option<String>,
}

/// Session to start, if the account has not changed since its credentials were read.
pub(crate) struct NewSession {
    pub(crate) account: Credentials,
    /// New password hash to store in place of a weaker one.
    pub(crate) rehash: Option<String>,
    /// Restores a closed account.
    pub(crate) restore: bool,
    /// Time between the closing of an account and its deletion.
    pub(crate) deletion_delay: Duration,
    pub(crate) device: Device,
    pub(crate) refresh: RefreshToken,
    /// The owner proved a second factor, or the account has none.
    pub(crate) is_fully_authenticated: bool,
    /// Lets the device log in without a second factor for a while.
    pub(crate) trust_device: bool,
}

/// Session that can still be refreshed.
pub(crate) struct OpenSession {
    pub(crate) session_id: Uuid,
    pub(crate) user_agent: String,
    pub(crate) address: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) last_seen_at: OffsetDateTime,
}

impl Store {
    /// Returns the credentials for `login`. An unknown login takes both queries as well, so that response times do not
    /// reveal which accounts exist.
    pub(crate) async fn find_credentials_by_login(&self, login: &Login) -> Result<Option<Credentials>, Error> {
        let account_id = self.find_account_id(login).await?;
        self.find_credentials(account_id.unwrap_or_default()).await
    }

    pub(crate) async fn find_credentials(&self, account_id: Uuid) -> Result<Option<Credentials>, Error> {
        Ok(sqlx::query_as!(
            Credentials,
            r#"select account_id, name, email, email_confirmed_at is not null as "email_confirmed!", password_hash
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Starts a session. Returns it with the device token for the next login.
    pub(crate) async fn start_session(&self, new: &NewSession) -> Result<(Session, Secret), Error> {
        let NewSession { account, device, refresh, .. } = new;
        let (account_id, session_id) = (account.account_id, Uuid::now_v7());
        let mut tx = self.pool.begin().await?;
        prepare_account(&mut tx, new).await?;
        let expires_at = sqlx::query_scalar!(
            "insert into auth.session (account_id, session_id, user_agent, address, expires_at, authenticated_at)
             values ($1, $2, $3, $4, now() + make_interval(secs => $5), case when $6 then now() end)
             returning expires_at",
            account_id,
            session_id,
            device.user_agent,
            device.address,
            SESSION_TTL.as_seconds_f64(),
            new.is_fully_authenticated,
        )
        .fetch_one(&mut *tx)
        .await?;
        let session = TokenSession { account_id, session_id, expires_at };
        let refresh_expires_at = add_refresh_token(&mut tx, &session, refresh, None).await?;
        let device_token = remember_device(&mut tx, account_id, device, new.trust_device).await?;
        tx.commit().await?;
        let session = Session {
            account_id,
            session_id,
            name: account.name.clone(),
            email: account.email.clone(),
            email_confirmed: account.email_confirmed,
            refresh_expires_at,
        };
        Ok((session, device_token))
    }

    /// Returns true if the session has neither ended nor expired.
    pub(crate) async fn is_session_open(&self, account_id: Uuid, session_id: Uuid) -> Result<bool, Error> {
        let is_open = sqlx::query_scalar!(
            r#"select exists (
                   select from auth.session
                   where account_id = $1 and session_id = $2 and ended_at is null and expires_at > now()
               ) as "is_open!""#,
            account_id,
            session_id,
        );
        Ok(is_open.fetch_one(&self.pool).await?)
    }

    /// Returns the account id and the session id of a refresh token.
    pub(crate) async fn find_session_by_token(&self, token: &TokenHash) -> Result<Option<(Uuid, Uuid)>, Error> {
        let session = sqlx::query!(
            "select account_id, session_id from auth.refresh_token where token_hash = $1",
            token.as_bytes(),
        )
        .map(|row| (row.account_id, row.session_id));
        Ok(session.fetch_optional(&self.pool).await?)
    }

    /// Returns the sessions that can still be refreshed, most recently used first.
    pub(crate) async fn list_open_sessions(&self, account_id: Uuid) -> Result<Vec<OpenSession>, Error> {
        let refreshable = sqlx::query_scalar!(
            "select distinct session_id from auth.refresh_token where account_id = $1 and expires_at > now()",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        let sessions = sqlx::query!(
            "select session_id, user_agent, address, created_at, last_seen_at from auth.session
             where account_id = $1 and ended_at is null and expires_at > now() and session_id = any ($3)
             order by last_seen_at desc, session_id
             limit $2",
            account_id,
            MAX_LISTED_SESSIONS,
            &refreshable,
        )
        .map(|row| OpenSession {
            session_id: row.session_id,
            user_agent: row.user_agent,
            address: row.address,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
        });
        Ok(sessions.fetch_all(&self.pool).await?)
    }

    /// Returns the address that a session was last seen at.
    pub(crate) async fn find_session_address(
        &self,
        account_id: Uuid,
        session_id: Uuid,
    ) -> Result<Option<String>, Error> {
        Ok(sqlx::query_scalar!(
            "select address from auth.session where account_id = $1 and session_id = $2",
            account_id,
            session_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Ends a session. Returns false if it had already ended.
    pub(crate) async fn end_session(&self, account_id: Uuid, session_id: Uuid) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = end_session(&mut tx, account_id, session_id).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Ends all sessions except `current`. Returns how many of them could still be refreshed.
    pub(crate) async fn end_other_sessions(&self, account_id: Uuid, current: Uuid) -> Result<i32, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = end_all_sessions(&mut tx, account_id, Some(current)).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Ends all sessions of an account. Returns how many of them could still be refreshed.
    pub(crate) async fn end_account_sessions(&self, account_id: Uuid) -> Result<i32, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = end_all_sessions(&mut tx, account_id, None).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Ends all sessions of all accounts. Returns their number.
    pub(crate) async fn end_sessions_of_all_accounts(&self) -> Result<usize, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = mark_all_sessions_ended(&mut tx).await?;
        sqlx::query!("delete from auth.refresh_token where session_id = any ($1)", &ended).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(ended.len())
    }

    /// Returns the ids of ended sessions whose access tokens may not have expired.
    pub(crate) async fn list_recently_ended_sessions(&self) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_scalar!(
            "select session_id from auth.ended_session where ended_at > now() - make_interval(secs => $1)",
            ENDED_SESSION_RETENTION.as_seconds_f64(),
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Ends the analytics session whose token has the id `token_id`; its other tokens stay valid.
    pub(crate) async fn end_analytics_session(&self, token_id: Uuid) -> Result<(), Error> {
        sqlx::query!("insert into auth.ended_session (session_id) values ($1) on conflict do nothing", token_id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Marks a one-time token as used. Returns false if it was used before.
    pub(crate) async fn use_token_once(&self, token_id: Uuid, expires_at: OffsetDateTime) -> Result<bool, Error> {
        let used = sqlx::query!(
            "insert into auth.used_token (token_id, expires_at) values ($1, $2) on conflict do nothing",
            token_id,
            expires_at,
        );
        Ok(used.execute(&self.pool).await?.rows_affected() == 1)
    }

    pub(crate) async fn is_token_used(&self, token_id: Uuid) -> Result<bool, Error> {
        let is_used = sqlx::query_scalar!(
            r#"select exists (select from auth.used_token where token_id = $1) as "is_used!""#,
            token_id,
        );
        Ok(is_used.fetch_one(&self.pool).await?)
    }
}

/// Locks the account, so that a session that starts during a password change either starts before it, and is then ended
/// by it, or not at all. Restores a closed account and stores the new password hash, if requested.
async fn prepare_account(tx: &mut PgConnection, new: &NewSession) -> Result<(), Error> {
    let is_closed = lock_account(&mut *tx, new).await?;
    if !is_closed && new.rehash.is_none() {
        return Ok(());
    }
    sqlx::query!(
        "update auth.account set closed_at = null, password_hash = coalesce($2, password_hash) where account_id = $1",
        new.account.account_id,
        new.rehash,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the account and checks that it has not changed since its credentials were read. Returns true if it is closed
/// and is to be restored.
pub(super) async fn lock_account(tx: &mut PgConnection, new: &NewSession) -> Result<bool, Error> {
    let account = &new.account;
    let stored = sqlx::query!(
        "select password_hash, closed_at from auth.account where account_id = $1 for update",
        account.account_id,
    )
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(Error::InvalidCredentials)?;
    if stored.password_hash != account.password_hash {
        return Err(Error::ConcurrentChange);
    }
    match stored.closed_at {
        Some(closed_at) if !new.restore => Err(Error::AccountClosed { deletion_date: closed_at + new.deletion_delay }),
        closed_at => Ok(closed_at.is_some()),
    }
}

/// Stores the token of a device and returns it. Keeps the presented token if it is well-formed, because a browser
/// stores one token and may log in to several accounts; generates a new one otherwise.
///
/// A device to be trusted always gets a new token, because somebody else may know the presented one.
async fn remember_device(
    tx: &mut PgConnection,
    account_id: Uuid,
    device: &Device,
    trust: bool,
) -> Result<Secret, Error> {
    let presented = device.token.as_ref().map(Secret::expose).filter(|token| Secret::is_well_formed(token) && !trust);
    let token = match presented {
        Some(token) => Secret::new(token.to_owned()),
        None => Secret::generate()?,
    };
    let hash = TokenHash::from_token(token.expose());
    if trust {
        trust_device(&mut *tx, account_id, device, &hash).await?;
    }
    // The account is locked, so no other login stores the device at the same time.
    let update = sqlx::query!(
        "update auth.known_device set last_seen_at = now() where account_id = $1 and device_hash = $2",
        account_id,
        hash.as_bytes(),
    );
    if update.execute(&mut *tx).await?.rows_affected() == 1 {
        return Ok(token);
    }
    sqlx::query!(
        "insert into auth.known_device (account_id, device_hash) values ($1, $2)",
        account_id,
        hash.as_bytes(),
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from auth.known_device where account_id = $1 and device_hash in (
             select device_hash from auth.known_device where account_id = $1
             order by last_seen_at desc, device_hash offset $2
         )",
        account_id,
        MAX_KNOWN_DEVICES,
    )
    .execute(tx)
    .await?;
    Ok(token)
}

/// Ends a session and deletes its refresh tokens. Returns false if it had already ended.
pub(super) async fn end_session(tx: &mut PgConnection, account_id: Uuid, session_id: Uuid) -> Result<bool, Error> {
    let update = sqlx::query!(
        "update auth.session set ended_at = now()
         where account_id = $1 and session_id = $2 and ended_at is null",
        account_id,
        session_id,
    );
    if update.execute(&mut *tx).await?.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!("insert into auth.ended_session (session_id) values ($1) on conflict do nothing", session_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query!("delete from auth.refresh_token where account_id = $1 and session_id = $2", account_id, session_id,)
        .execute(tx)
        .await?;
    Ok(true)
}

/// Ends all sessions of an account except `current`. Returns how many of them could still be refreshed. Expired
/// sessions are ended as well, because their access tokens may still be valid.
pub(super) async fn end_all_sessions(
    tx: &mut PgConnection,
    account_id: Uuid,
    current: Option<Uuid>,
) -> Result<i32, Error> {
    let ended = sqlx::query_scalar!(
        "update auth.session set ended_at = now()
         where account_id = $1 and session_id is distinct from $2 and ended_at is null
         returning session_id",
        account_id,
        current,
    )
    .fetch_all(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into auth.ended_session (session_id) select unnest($1::uuid[]) on conflict do nothing",
        &ended,
    )
    .execute(&mut *tx)
    .await?;
    let refreshable = sqlx::query_scalar!(
        r#"with deleted as (
               delete from auth.refresh_token where account_id = $1 and session_id = any ($2)
               returning session_id, expires_at
           )
           select count(distinct session_id) filter (where expires_at > now())::int as "refreshable!" from deleted"#,
        account_id,
        &ended,
    );
    Ok(refreshable.fetch_one(tx).await?)
}

/// Marks the sessions of all accounts as ended, and returns them. Their refresh tokens remain.
pub(super) async fn mark_all_sessions_ended(connection: &mut PgConnection) -> Result<Vec<Uuid>, Error> {
    let ended =
        sqlx::query_scalar!("update auth.session set ended_at = now() where ended_at is null returning session_id",)
            .fetch_all(&mut *connection)
            .await?;
    sqlx::query!(
        "insert into auth.ended_session (session_id) select unnest($1::uuid[]) on conflict do nothing",
        &ended,
    )
    .execute(&mut *connection)
    .await?;
    Ok(ended)
}
