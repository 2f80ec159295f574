//! Beginning a sign-in.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Family, Store, add_token};
use crate::account::Login;
use crate::error::Error;
use crate::secret::Secret;
use crate::sign_in::{Device, SignIn};
use crate::token::{RefreshToken, SIGN_IN_FOR, TokenHash};

/// Devices that are remembered of an account; the one seen least lately goes first.
const MOST_DEVICES: i64 = 20;

/// What checking a password needs.
pub(crate) struct Credentials {
    pub(crate) account_id: Uuid,
    pub(crate) name: String,
    pub(crate) email: String,
    /// None for an account that Google made, until its owner sets one.
    pub(crate) password_hash: Option<String>,
}

/// A sign-in that may begin, if the account is still as it was when the credentials were read.
pub(crate) struct Beginning {
    pub(crate) account: Credentials,
    /// What to store in place of a weaker hash.
    pub(crate) stronger: Option<String>,
    /// Take a closed account back into use.
    pub(crate) restore: bool,
    /// How long that can be done.
    pub(crate) erase_after: Duration,
    pub(crate) device: Device,
    pub(crate) refresh: RefreshToken,
}

impl Store {
    /// Whose password `login` stands for. Both look-ups are made for an unknown one too, so that it takes as long.
    pub(crate) async fn credentials(&self, login: &Login) -> Result<Option<Credentials>, Error> {
        let found = sqlx::query_scalar!("select account_id from auth.login where login = $1", login.as_str())
            .fetch_optional(&self.pool)
            .await?;
        self.credentials_of(found.unwrap_or_default()).await
    }

    pub(crate) async fn credentials_of(&self, account_id: Uuid) -> Result<Option<Credentials>, Error> {
        Ok(sqlx::query_as!(
            Credentials,
            "select account_id, name, email, password_hash from auth.account where account_id = $1",
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Begins a sign-in. Answers with what the device is to show the next time, too.
    pub(crate) async fn begin_sign_in(&self, beginning: &Beginning) -> Result<(SignIn, Secret), Error> {
        let Beginning { account, device, refresh, .. } = beginning;
        let (account_id, sign_in_id) = (account.account_id, Uuid::now_v7());
        let mut tx = self.pool.begin().await?;
        take_into_use(&mut tx, beginning).await?;
        let expires_at = sqlx::query_scalar!(
            "insert into auth.sign_in (account_id, sign_in_id, user_agent, address, expires_at)
             values ($1, $2, $3, $4, now() + make_interval(secs => $5))
             returning expires_at",
            account_id,
            sign_in_id,
            device.user_agent,
            device.address,
            SIGN_IN_FOR.as_seconds_f64(),
        )
        .fetch_one(&mut *tx)
        .await?;
        let refresh_expires_at =
            add_token(&mut tx, &Family { account_id, sign_in_id, expires_at }, refresh, None).await?;
        let shown = remember_device(&mut tx, account_id, device).await?;
        tx.commit().await?;
        let (name, email) = (account.name.clone(), account.email.clone());
        Ok((SignIn { account_id, sign_in_id, name, email, refresh_expires_at }, shown))
    }

    /// Uses a token that is good once; false where it was used before.
    pub(crate) async fn use_token(&self, token_id: Uuid, expires_at: OffsetDateTime) -> Result<bool, Error> {
        let used = sqlx::query!(
            "insert into auth.used_token (token_id, expires_at) values ($1, $2) on conflict do nothing",
            token_id,
            expires_at,
        );
        Ok(used.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Whether a sign-in still goes on.
    pub(crate) async fn goes_on(&self, account_id: Uuid, sign_in_id: Uuid) -> Result<bool, Error> {
        let goes_on = sqlx::query_scalar!(
            r#"select exists (
                   select from auth.sign_in
                   where account_id = $1 and sign_in_id = $2 and ended_at is null and expires_at > now()
               ) as "goes_on!""#,
            account_id,
            sign_in_id,
        );
        Ok(goes_on.fetch_one(&self.pool).await?)
    }
}

/// Locks the account, so that a sign-in with a password that is being changed begins before that, and is ended by it,
/// or not at all.
async fn take_into_use(tx: &mut PgConnection, beginning: &Beginning) -> Result<(), Error> {
    let account = &beginning.account;
    let now = sqlx::query!(
        "select password_hash, closed_at from auth.account where account_id = $1 for update",
        account.account_id,
    )
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(Error::InvalidCredentials)?;
    if now.password_hash != account.password_hash {
        return Err(Error::Changed);
    }
    match now.closed_at {
        Some(closed_at) if !beginning.restore => {
            return Err(Error::AccountClosed { erased_on: closed_at + beginning.erase_after });
        }
        None if beginning.stronger.is_none() => return Ok(()),
        Some(_) | None => {}
    }
    sqlx::query!(
        "update auth.account set closed_at = null, password_hash = coalesce($2, password_hash) where account_id = $1",
        account.account_id,
        beginning.stronger,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Remembers a device by the token that it shows, or by a new one where it shows none that we could have given; says
/// which. A browser has room for one token, and may sign in to several accounts.
async fn remember_device(tx: &mut PgConnection, account_id: Uuid, device: &Device) -> Result<Secret, Error> {
    let token = match device.token.as_ref().map(Secret::expose).filter(|shown| Secret::is_drawn(shown)) {
        Some(shown) => Secret::new(shown.to_owned()),
        None => Secret::draw()?,
    };
    let hash = TokenHash::of(token.expose());
    // The account is locked, so nobody else remembers it meanwhile.
    let seen = sqlx::query!(
        "update auth.known_device set last_seen_at = now() where account_id = $1 and device_hash = $2",
        account_id,
        hash.as_bytes(),
    );
    if seen.execute(&mut *tx).await?.rows_affected() == 1 {
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
        MOST_DEVICES,
    )
    .execute(tx)
    .await?;
    Ok(token)
}
