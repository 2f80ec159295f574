//! Signing keys.

use sqlx::PgConnection;
use time::Duration;

use super::Store;
use crate::encryption::Column;
use crate::error::Error;
use crate::key_ring::{ACTIVATION_DELAY, KeyAge, OVERLAP, StoredKey};
use crate::signing_key::SigningKey;

impl Store {
    /// Returns all signing keys, newest first. A key that cannot be decrypted is among them, with the error.
    pub(crate) async fn list_signing_keys(&self) -> Result<Vec<StoredKey>, Error> {
        let rows = sqlx::query!(
            r#"select kid, private_key, extract(epoch from now() - created_at)::float8 as "age!"
               from auth.signing_key order by created_at desc, kid"#
        );
        let rows = rows.fetch_all(&self.pool).await?.into_iter();
        let keys = rows.map(|row| {
            let private_key = self.encryption_keys.decrypt(Column::SigningKey, &row.kid, row.private_key);
            let key = private_key.map(|private_key| SigningKey { kid: row.kid.clone(), private_key });
            StoredKey { kid: row.kid, key, age: Duration::seconds_f64(row.age) }
        });
        Ok(keys.collect())
    }

    /// Returns the ages of all signing keys, newest first.
    pub(crate) async fn list_signing_key_ages(&self) -> Result<Vec<KeyAge>, Error> {
        let ages = sqlx::query!(
            r#"select kid, created_at, extract(epoch from now() - created_at)::float8 as "age!"
               from auth.signing_key order by created_at desc, kid"#
        )
        .map(|row| KeyAge { kid: row.kid, created_at: row.created_at, age: Duration::seconds_f64(row.age) })
        .fetch_all(&self.pool);
        Ok(ages.await?)
    }

    /// Creates the first signing key unless another process already has.
    pub(crate) async fn create_first_signing_key(&self) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query!("lock table auth.signing_key in share row exclusive mode").execute(&mut *tx).await?;
        let count =
            sqlx::query_scalar!(r#"select count(*) as "count!" from auth.signing_key"#).fetch_one(&mut *tx).await?;
        if count == 0 {
            self.insert_signing_key(&mut tx, &SigningKey::generate()?).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(crate) async fn add_signing_key(&self, key: &SigningKey) -> Result<(), Error> {
        self.insert_signing_key(&mut *self.pool.acquire().await?, key).await
    }

    async fn insert_signing_key(&self, connection: &mut PgConnection, key: &SigningKey) -> Result<(), Error> {
        let stored = self.encryption_keys.encrypt(Column::SigningKey, &key.kid, &key.private_key)?;
        sqlx::query!("insert into auth.signing_key (kid, private_key) values ($1, $2)", key.kid, stored)
            .execute(connection)
            .await?;
        Ok(())
    }

    pub(crate) async fn remove_signing_key(&self, kid: &str) -> Result<(), Error> {
        sqlx::query!("delete from auth.signing_key where kid = $1", kid).execute(&self.pool).await?;
        Ok(())
    }

    /// Deletes replaced keys whose tokens have expired. Returns their number.
    pub(crate) async fn delete_expired_signing_keys(&self) -> Result<u64, Error> {
        let deleted = sqlx::query!(
            "delete from auth.signing_key
             where created_at < (
                 select max(created_at) from auth.signing_key
                 where created_at < now() - make_interval(secs => $1)
             )",
            (ACTIVATION_DELAY + OVERLAP).as_seconds_f64(),
        );
        Ok(deleted.execute(&self.pool).await?.rows_affected())
    }
}
