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
        let mut tx = self.pool.begin().await?;
        let due = sqlx::query!(
            "select account_id, email, phone from auth.account
             where closed_at <= now() - make_interval(secs => $1)
             order by closed_at limit $2 for update skip locked",
            after.as_seconds_f64(),
            BATCH,
        )
        .fetch_all(&mut *tx)
        .await?;
        let accounts: Vec<Uuid> = due.iter().map(|account| account.account_id).collect();
        let logins: Vec<String> =
            due.iter().flat_map(|account| Login::all(&account.email, account.phone.as_deref())).collect();
        // A second time they may be another account's: only what goes with them now goes at all.
        let gone = sqlx::query_scalar!(
            "delete from auth.login where login = any ($1) and account_id = any ($2) returning login",
            &logins,
            &accounts,
        )
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query!("delete from auth.letter where login = any ($1)", &gone).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.failed_login where login = any ($1)", &gone).execute(&mut *tx).await?;
        sqlx::query!("update auth.account set password_hash = null where account_id = any ($1)", &accounts)
            .execute(&mut *tx)
            .await?;
        sqlx::query!("delete from auth.google_identity where account_id = any ($1)", &accounts)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(accounts)
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
