//! Recovery codes.

use sqlx::PgConnection;
use uuid::Uuid;

use super::find_methods;
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;
use crate::store::Store;
use crate::store::outbox::queue_email;
use crate::token::TokenHash;

impl Store {
    /// Uses a recovery code and queues the email about it. Returns false if the account has no such code.
    pub(crate) async fn use_recovery_code(
        &self,
        account_id: Uuid,
        email: &str,
        code: &TokenHash,
    ) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let used = sqlx::query!(
            "delete from auth.recovery_code where account_id = $1 and code_hash = $2",
            account_id,
            code.as_bytes(),
        );
        if used.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(false);
        }
        queue_email(&mut tx, EmailKind::RecoveryCodeUsed, &Login::from_email(email)).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Replaces all recovery codes. Fails if the account has no second factor.
    pub(crate) async fn replace_recovery_codes(&self, account_id: Uuid, codes: &[TokenHash]) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        if !find_methods(&mut tx, account_id).await?.is_required() {
            return Err(Error::NoSecondFactor);
        }
        sqlx::query!("delete from auth.recovery_code where account_id = $1", account_id).execute(&mut *tx).await?;
        add_recovery_codes(&mut tx, account_id, codes).await?;
        tx.commit().await?;
        Ok(())
    }
}

pub(super) async fn add_recovery_codes(
    tx: &mut PgConnection,
    account_id: Uuid,
    codes: &[TokenHash],
) -> Result<(), Error> {
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| code.as_bytes().to_vec()).collect();
    sqlx::query!(
        "insert into auth.recovery_code (account_id, code_hash) select $1, unnest($2::bytea[])",
        account_id,
        &hashes,
    )
    .execute(tx)
    .await?;
    Ok(())
}
