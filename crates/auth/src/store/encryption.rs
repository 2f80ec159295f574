//! Encrypted secrets: which keys they need, and their encryption and decryption.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use crate::encryption::{Column, EncryptionCounts, KeyId, MAGIC, MIN_ENCRYPTED_BYTES, StoredForm, find_key_id};
use crate::error::{Error, InternalError};

/// Number of seeds that are changed in one transaction.
const BATCH_SIZE: i64 = 500;

impl Store {
    /// Checks that no secret in `column` is encrypted with a missing key. Warns of plain ones if there are keys.
    pub(crate) async fn check_encryption_keys(&self, column: Column) -> Result<(), Error> {
        let mut connection = self.pool.acquire().await?;
        for (id, count) in count_by_key(&mut connection, column).await? {
            match id {
                Some(id) if !self.encryption_keys.contains(id) => {
                    return Err(InternalError::MissingEncryptionKey { column, id }.into());
                }
                None if self.encryption_keys.first_id().is_some() => {
                    tracing::warn!(column = column.name(), count, "unencrypted_secrets");
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    /// Checks that the first encryption key, if there is one, encrypts a signing key, unless there is no signing key.
    pub(crate) async fn check_first_encryption_key_is_used(&self) -> Result<(), Error> {
        let Some(first) = self.encryption_keys.first_id() else { return Ok(()) };
        let used = count_by_key(&mut *self.pool.acquire().await?, Column::SigningKey).await?;
        if used.is_empty() || used.iter().any(|(id, _)| *id == Some(first)) {
            return Ok(());
        }
        Err(InternalError::UnusedEncryptionKey { id: first }.into())
    }

    /// Stores all signing keys in this form, in one transaction.
    pub(crate) async fn convert_signing_keys(&self, form: StoredForm) -> Result<EncryptionCounts, Error> {
        let mut counts = EncryptionCounts::default();
        let mut tx = self.pool.begin().await?;
        let rows = sqlx::query!("select kid, private_key from auth.signing_key order by kid");
        for row in rows.fetch_all(&mut *tx).await? {
            let Some(value) = self.convert(form, Column::SigningKey, &row.kid, &row.private_key)? else {
                counts.unchanged += 1;
                continue;
            };
            let updated = sqlx::query!(
                "update auth.signing_key set private_key = $3 where kid = $1 and private_key = $2",
                row.kid,
                row.private_key,
                value,
            );
            counts.add(updated.execute(&mut *tx).await?.rows_affected());
        }
        tx.commit().await?;
        Ok(counts)
    }

    /// Stores all seeds of authenticator apps in this form, one transaction for each batch.
    pub(crate) async fn convert_totp_secrets(&self, form: StoredForm) -> Result<EncryptionCounts, Error> {
        let mut counts = EncryptionCounts::default();
        let mut last = Uuid::nil();
        loop {
            let mut tx = self.pool.begin().await?;
            let rows = sqlx::query!(
                "select account_id, secret from auth.totp where account_id > $1 order by account_id limit $2",
                last,
                BATCH_SIZE,
            );
            let rows = rows.fetch_all(&mut *tx).await?;
            let Some(row) = rows.last() else { return Ok(counts) };
            last = row.account_id;
            for row in rows {
                let account_id = row.account_id;
                let value = self.convert(form, Column::TotpSecret, &account_id.to_string(), &row.secret)?;
                let Some(value) = value else {
                    counts.unchanged += 1;
                    continue;
                };
                // A setup that was begun again meanwhile has another seed.
                let updated = sqlx::query!(
                    "update auth.totp set secret = $3 where account_id = $1 and secret = $2",
                    account_id,
                    row.secret,
                    value,
                );
                counts.add(updated.execute(&mut *tx).await?.rows_affected());
            }
            tx.commit().await?;
        }
    }

    /// Returns `stored` in this form; `None` if it already is.
    fn convert(&self, form: StoredForm, column: Column, row_id: &str, stored: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let target = match form {
            StoredForm::Encrypted => self.encryption_keys.first_id(),
            StoredForm::Plain => None,
        };
        if find_key_id(stored) == target {
            return Ok(None);
        }
        let value = self.encryption_keys.decrypt(column, row_id, stored.to_vec())?;
        match form {
            StoredForm::Encrypted => self.encryption_keys.encrypt(column, row_id, &value).map(Some),
            StoredForm::Plain => Ok(Some(value.to_vec())),
        }
    }
}

impl EncryptionCounts {
    fn add(&mut self, updated: u64) {
        self.changed += updated;
        self.skipped += 1 - updated.min(1);
    }
}

/// Counts the secrets of a column by the key that encrypts them; `None` for plain ones.
pub(crate) async fn count_by_key(
    connection: &mut PgConnection,
    column: Column,
) -> Result<Vec<(Option<KeyId>, i64)>, Error> {
    let (min_length, magic) = (i32::try_from(MIN_ENCRYPTED_BYTES).unwrap_or(i32::MAX), MAGIC.as_slice());
    let counts: Vec<(Option<Vec<u8>>, i64)> = match column {
        Column::SigningKey => {
            sqlx::query!(
                r#"select case when octet_length(private_key) >= $1 and substring(private_key for 8) = $2
                       then substring(private_key from 9 for 8) end as key_id, count(*) as "count!"
                   from auth.signing_key group by 1"#,
                min_length,
                magic,
            )
            .map(|row| (row.key_id, row.count))
            .fetch_all(connection)
            .await?
        }
        Column::TotpSecret => {
            sqlx::query!(
                r#"select case when octet_length(secret) >= $1 and substring(secret for 8) = $2
                       then substring(secret from 9 for 8) end as key_id, count(*) as "count!"
                   from auth.totp group by 1"#,
                min_length,
                magic,
            )
            .map(|row| (row.key_id, row.count))
            .fetch_all(connection)
            .await?
        }
    };
    Ok(counts.into_iter().map(|(id, count)| (id.as_deref().and_then(KeyId::from_bytes), count)).collect())
}
