//! Deletion of closed accounts.

use time::Duration;
use uuid::Uuid;

use super::tax_links::delete_tax_links;
use super::{Store, second_factor};
use crate::account::Login;
use crate::error::Error;
use crate::login_throttle::account_key;

/// Maximum number of accounts returned at once.
const BATCH_SIZE: i64 = 100;

impl Store {
    /// Returns accounts that were closed `delay` ago or earlier, after deleting their logins and their Google
    /// identities: they cannot be restored while their data is being deleted.
    pub(crate) async fn list_accounts_due_for_deletion(&self, delay: Duration) -> Result<Vec<Uuid>, Error> {
        let due = sqlx::query_scalar!(
            "select account_id from auth.account
             where closed_at <= now() - make_interval(secs => $1) order by closed_at limit $2",
            delay.as_seconds_f64(),
            BATCH_SIZE,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut locked_out = Vec::with_capacity(due.len());
        for account_id in due {
            if self.delete_logins(account_id, delay).await? {
                locked_out.push(account_id);
            }
        }
        Ok(locked_out)
    }

    /// Deletes the logins and Google identities of an account. Returns false if the account was restored in the
    /// meantime.
    async fn delete_logins(&self, account_id: Uuid, delay: Duration) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!(
            "select email, phone from auth.account
             where account_id = $1 and closed_at <= now() - make_interval(secs => $2) for update",
            account_id,
            delay.as_seconds_f64(),
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(account) = account else { return Ok(false) };
        let logins: Vec<String> = Login::all(&account.email, account.phone.as_deref()).collect();
        // On a repeated run the logins may belong to another account, so only the ones deleted here are cleaned up
        // below.
        let deleted = sqlx::query_scalar!(
            "delete from auth.login where login = any ($1) and account_id = $2 returning login",
            &logins,
            account_id,
        )
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query!("delete from auth.outbox where login = any ($1)", &deleted).execute(&mut *tx).await?;
        let counted: Vec<String> = deleted.into_iter().chain([account_key(account_id)]).collect();
        sqlx::query!("delete from auth.failed_login where login = any ($1)", &counted).execute(&mut *tx).await?;
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

    /// Deletes all rows of an account. The row that marks it as due for deletion is among the last.
    pub(crate) async fn delete_account(&self, account_id: Uuid) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query!("delete from auth.refresh_token where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.session where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.email_link_token where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.known_device where account_id = $1", account_id).execute(&mut *tx).await?;
        sqlx::query!("delete from auth.phone_code where account_id = $1", account_id).execute(&mut *tx).await?;
        delete_tax_links(&mut tx, account_id).await?;
        second_factor::delete_all(&mut tx, account_id).await?;
        let client_id =
            sqlx::query_scalar!("delete from auth.account where account_id = $1 returning client_id", account_id)
                .fetch_optional(&mut *tx)
                .await?;
        sqlx::query!("delete from auth.client_id where client_id = $1", client_id).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
