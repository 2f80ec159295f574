//! The end of a closed account.

use time::Duration;
use uuid::Uuid;

use super::Store;
use crate::account::Login;
use crate::error::Error;

/// How many accounts are taken at once.
const BATCH: i64 = 100;

impl Store {
    /// Accounts that were closed `after` ago. They lose the names and the ways that they sign in by: nobody comes back
    /// from here while their data goes.
    pub(crate) async fn due_for_erasure(&self, after: Duration) -> Result<Vec<Uuid>, Error> {
        let due = sqlx::query_scalar!(
            "select account_id from auth.account
             where closed_at <= now() - make_interval(secs => $1) order by closed_at limit $2",
            after.as_seconds_f64(),
            BATCH,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut left = Vec::with_capacity(due.len());
        for account_id in due {
            if self.leave(account_id, after).await? {
                left.push(account_id);
            }
        }
        Ok(left)
    }

    /// Takes the names and the ways to sign in from an account, unless it was taken back into use meanwhile.
    async fn leave(&self, account_id: Uuid, after: Duration) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!(
            "select email, phone from auth.account
             where account_id = $1 and closed_at <= now() - make_interval(secs => $2) for update",
            account_id,
            after.as_seconds_f64(),
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(account) = account else { return Ok(false) };
        let logins: Vec<String> = Login::all(&account.email, account.phone.as_deref()).collect();
        // A second time they may be another account's: only what goes with them now goes at all.
        let gone = sqlx::query_scalar!(
            "delete from auth.login where login = any ($1) and account_id = $2 returning login",
            &logins,
            account_id,
        )
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query!("delete from auth.letter where login = any ($1)", &gone).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.failed_login where login = any ($1)", &gone).execute(&mut *tx).await?;
        sqlx::query!(
            "update auth.account set password_hash = null, has_google = false where account_id = $1",
            account_id,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!("delete from auth.google_identity where account_id = $1", account_id).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Deletes every row of an account; last the one that says that it is to be erased.
    pub(crate) async fn erase(&self, account_id: Uuid) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query!("delete from auth.refresh_token where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.sign_in where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.ticket where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.known_device where account_id = $1", account_id).execute(&mut *tx).await?;
        let client_id =
            sqlx::query_scalar!("delete from auth.account where account_id = $1 returning client_id", account_id)
                .fetch_optional(&mut *tx)
                .await?;
        sqlx::query!("delete from auth.client_id where client_id = $1", client_id).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
