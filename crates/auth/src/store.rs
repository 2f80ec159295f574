//! Every statement on the schema `auth`.

pub(crate) mod care;
mod erasing;
pub(crate) mod google;
pub(crate) mod letters;

mod back_off;
pub(crate) mod restoring;
mod service_tokens;
pub(crate) mod signing_in;
mod sweeping;

use rpc::failure;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::account::{Account, Login, Registration, draw_client_id};
use crate::error::Error;
use crate::letter::Kind;
use crate::sign_in::{Device, Exchange, Presented, SignIn};
use crate::token::{IDLE_FOR, REMEMBER_ENDED_FOR, RefreshToken, StoredKey, TokenHash};

/// With 30 bits to draw from, the tenth collision in a row means that something else is wrong.
const MOST_DRAWS: usize = 10;

/// Accounts and sign-ins in Postgres. Clones share the pool.
#[derive(Clone)]
pub(crate) struct Store {
    pool: PgPool,
}

/// What came of a presented refresh token.
pub(crate) enum Rotation {
    Renewed(SignIn),
    /// It was used before by somebody else; the sign-in has been ended.
    Reused(Uuid),
    Over,
}

impl Store {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Makes an account, with the names that it signs in by.
    pub(crate) async fn register(&self, registration: &Registration, password_hash: &str) -> Result<Uuid, Error> {
        let account_id = Uuid::now_v7();
        let mut tx = self.pool.begin().await?;
        // All take the names in this order, so that no two wait for each other.
        claim(&mut tx, &Login::from(&registration.email), account_id, Error::EmailTaken).await?;
        claim(&mut tx, &Login::from(&registration.phone), account_id, Error::PhoneTaken).await?;
        let client_id = claim_client_id(&mut tx, account_id).await?;
        sqlx::query!(
            "insert into auth.account
                 (account_id, client_id, name, email, phone, password_hash, notice_version, noticed_at)
             values ($1, $2, $3, $4, $5, $6, $7, case when $7::text is not null then now() end)",
            account_id,
            client_id,
            registration.name.as_str(),
            registration.email.typed(),
            registration.phone.as_str(),
            password_hash,
            registration.notice_version,
        )
        .execute(&mut *tx)
        .await?;
        letters::ask(&mut tx, Kind::ConfirmEmail, &Login::from(&registration.email)).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    pub(crate) async fn account(&self, account_id: Uuid) -> Result<Option<Account>, Error> {
        Ok(sqlx::query_as!(
            Account,
            r#"select account_id, client_id, name, email, phone, created_at,
                      email_confirmed_at is not null as "email_confirmed!",
                      password_hash is not null as "has_password!", has_google
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Exchanges the token with the hash `presented` for `next`, or ends the sign-in when it was used before.
    pub(crate) async fn rotate(
        &self,
        presented: TokenHash,
        next: &RefreshToken,
        device: Option<&Device>,
    ) -> Result<Rotation, Error> {
        let mut tx = self.pool.begin().await?;
        let Some((family, presented)) = lock(&mut tx, presented).await? else {
            return Ok(Rotation::Over);
        };
        let Family { account_id, sign_in_id, .. } = family;
        match presented.exchange() {
            Exchange::Over => return Ok(Rotation::Over),
            Exchange::Reused => {
                end(&mut tx, account_id, sign_in_id).await?;
                tx.commit().await?;
                return Ok(Rotation::Reused(account_id));
            }
            Exchange::Renew => {}
        }
        sqlx::query!(
            "update auth.sign_in
             set refreshed_with = $3, last_seen_at = now(),
                 user_agent = coalesce($4, user_agent), address = coalesce($5, address)
             where account_id = $1 and sign_in_id = $2",
            account_id,
            sign_in_id,
            presented.hash.as_bytes(),
            device.map(|device| &device.user_agent),
            device.map(|device| &device.address),
        )
        .execute(&mut *tx)
        .await?;
        let refresh_expires_at = add_token(&mut tx, &family, next, Some(&presented.hash)).await?;
        let account = sqlx::query!("select name, email from auth.account where account_id = $1", account_id)
            .fetch_one(&mut *tx)
            .await?;
        tx.commit().await?;
        let (name, email) = (account.name, account.email);
        Ok(Rotation::Renewed(SignIn { account_id, sign_in_id, name, email, refresh_expires_at }))
    }

    /// The account and the sign-in that a refresh token belongs to.
    pub(crate) async fn sign_in_of(&self, token: &TokenHash) -> Result<Option<(Uuid, Uuid)>, Error> {
        let found = sqlx::query!(
            "select account_id, sign_in_id from auth.refresh_token where token_hash = $1",
            token.as_bytes(),
        )
        .map(|row| (row.account_id, row.sign_in_id));
        Ok(found.fetch_optional(&self.pool).await?)
    }

    /// Ends a sign-in; false where it was over already.
    pub(crate) async fn end_sign_in(&self, account_id: Uuid, sign_in_id: Uuid) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = end(&mut tx, account_id, sign_in_id).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// The sign-ins that ended while access tokens of theirs may still be in use.
    pub(crate) async fn ended_lately(&self) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_scalar!(
            "select sign_in_id from auth.ended_sign_in where ended_at > now() - make_interval(secs => $1)",
            REMEMBER_ENDED_FOR.as_seconds_f64(),
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Every signing key, the newest first.
    pub(crate) async fn keys(&self) -> Result<Vec<StoredKey>, Error> {
        let keys = sqlx::query!("select kid, private_key from auth.signing_key order by created_at desc, kid")
            .map(|row| StoredKey { kid: row.kid, private_key: Zeroizing::new(row.private_key) })
            .fetch_all(&self.pool);
        Ok(keys.await?)
    }

    /// Makes the first signing key, unless another core just did.
    pub(crate) async fn make_first_key(&self) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query!("lock table auth.signing_key in share row exclusive mode").execute(&mut *tx).await?;
        let made =
            sqlx::query_scalar!(r#"select count(*) as "count!" from auth.signing_key"#).fetch_one(&mut *tx).await?;
        if made == 0 {
            let key = StoredKey::make()?;
            sqlx::query!(
                "insert into auth.signing_key (kid, private_key) values ($1, $2)",
                key.kid,
                key.private_key.as_slice(),
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

/// Takes a name to sign in with, unless somebody has it: then fails with `taken`.
async fn claim(tx: &mut PgConnection, login: &Login, account_id: Uuid, taken: Error) -> Result<(), Error> {
    // Not an error of the database, which would write the name into its log.
    let claimed = sqlx::query!(
        "insert into auth.login (login, account_id) values ($1, $2) on conflict do nothing",
        login.as_str(),
        account_id,
    );
    if claimed.execute(tx).await?.rows_affected() == 1 { Ok(()) } else { Err(taken) }
}

/// The constraint that a statement broke.
fn constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error()?.constraint().map(failure::without_shard)
}

async fn claim_client_id(tx: &mut PgConnection, account_id: Uuid) -> Result<String, Error> {
    for _ in 0..MOST_DRAWS {
        let drawn = draw_client_id()?;
        let insert = sqlx::query!(
            "insert into auth.client_id (client_id, account_id) values ($1, $2) on conflict do nothing",
            drawn,
            account_id,
        );
        if insert.execute(&mut *tx).await?.rows_affected() == 1 {
            return Ok(drawn);
        }
    }
    Err(Error::NoClientId)
}

/// The sign-in that a refresh token belongs to.
struct Family {
    account_id: Uuid,
    sign_in_id: Uuid,
    expires_at: OffsetDateTime,
}

/// Finds a refresh token and locks its sign-in: of all that refresh or end it, one goes on at a time.
async fn lock(tx: &mut PgConnection, hash: TokenHash) -> Result<Option<(Family, Presented)>, Error> {
    let token = sqlx::query!(
        r#"select account_id, sign_in_id, predecessor_hash, expires_at <= now() as "over!"
           from auth.refresh_token where token_hash = $1"#,
        hash.as_bytes(),
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(token) = token else {
        return Ok(None);
    };
    let sign_in = sqlx::query!(
        r#"select refreshed_with, expires_at, ended_at is not null or expires_at <= now() as "over!"
           from auth.sign_in where account_id = $1 and sign_in_id = $2 for update"#,
        token.account_id,
        token.sign_in_id,
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(sign_in.map(|sign_in| {
        let presented = Presented {
            hash,
            predecessor: token.predecessor_hash.map(TokenHash::stored),
            taken_last: sign_in.refreshed_with.map(TokenHash::stored),
            over: token.over || sign_in.over,
        };
        let (account_id, sign_in_id) = (token.account_id, token.sign_in_id);
        (Family { account_id, sign_in_id, expires_at: sign_in.expires_at }, presented)
    }))
}

/// Adds a refresh token to a sign-in, and says until when it is good.
async fn add_token(
    tx: &mut PgConnection,
    family: &Family,
    token: &RefreshToken,
    predecessor: Option<&TokenHash>,
) -> Result<OffsetDateTime, Error> {
    let hash = token.hash();
    let expires_at = sqlx::query_scalar!(
        r#"insert into auth.refresh_token (token_hash, account_id, sign_in_id, predecessor_hash, expires_at)
           values ($1, $2, $3, $4, least($5, now() + make_interval(secs => $6)))
           returning expires_at"#,
        hash.as_bytes(),
        family.account_id,
        family.sign_in_id,
        predecessor.map(TokenHash::as_bytes),
        family.expires_at,
        IDLE_FOR.as_seconds_f64(),
    )
    .fetch_one(tx)
    .await?;
    Ok(expires_at)
}

/// Ends a sign-in with all its tokens; false where it was over already.
async fn end(tx: &mut PgConnection, account_id: Uuid, sign_in_id: Uuid) -> Result<bool, Error> {
    let update = sqlx::query!(
        "update auth.sign_in set ended_at = now()
         where account_id = $1 and sign_in_id = $2 and ended_at is null",
        account_id,
        sign_in_id,
    );
    if update.execute(&mut *tx).await?.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!("insert into auth.ended_sign_in (sign_in_id) values ($1) on conflict do nothing", sign_in_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query!("delete from auth.refresh_token where account_id = $1 and sign_in_id = $2", account_id, sign_in_id,)
        .execute(tx)
        .await?;
    Ok(true)
}
