//! Column mappings that the trader confirmed for tables with an unknown layout.

use prost::Message as _;
use rpc::column_mapping::{MAX_MAPPINGS, header_digest};
use rpc::failure::Violation;
use rpc::trades::v1::ColumnMapping;
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::to_count;
use super::connections::Store;
use super::write::WriteKind;
use crate::error::Error;

/// Saved column mapping.
pub struct SavedMapping {
    /// SHA-256 of the header.
    pub header_digest: Vec<u8>,
    pub name: String,
    pub mapping: ColumnMapping,
    pub saved_at: OffsetDateTime,
}

impl Store {
    /// Returns the saved mappings by name.
    pub async fn list_column_mappings(&self, account_id: Uuid) -> Result<Vec<SavedMapping>, Error> {
        let rows = sqlx::query!(
            "
            select header_digest, name, mapping, saved_at from trades.column_mapping where account_id = $1
            order by name, header_digest
            ",
            account_id
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| {
                let mapping = ColumnMapping::decode(row.mapping.as_slice());
                let mapping = mapping.map_err(|error| sqlx::Error::Decode(error.into()))?;
                Ok(SavedMapping { header_digest: row.header_digest, name: row.name, mapping, saved_at: row.saved_at })
            })
            .collect()
    }

    /// Saves a mapping; replaces one for the same header.
    pub async fn save_column_mapping(
        &self,
        account_id: Uuid,
        name: String,
        mapping: ColumnMapping,
    ) -> Result<SavedMapping, Error> {
        let header_digest = header_digest(&mapping.header).to_vec();
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let others = sqlx::query_scalar!(
            r#"
            select count(*) as "count!" from trades.column_mapping where account_id = $1 and header_digest <> $2
            "#,
            account_id,
            header_digest
        )
        .fetch_one(write.connection())
        .await?;
        if others >= to_count(MAX_MAPPINGS) {
            return Err(Violation::new("mapping", "TOO_MANY").with("max", MAX_MAPPINGS).into());
        }
        let saved_at = sqlx::query_scalar!(
            "
            insert into trades.column_mapping (account_id, header_digest, name, mapping, saved_at)
            values ($1, $2, $3, $4, $5)
            on conflict (account_id, header_digest) do update set name = $3, mapping = $4, saved_at = $5
            returning saved_at
            ",
            account_id,
            header_digest,
            name,
            mapping.encode_to_vec(),
            OffsetDateTime::now_utc(),
        )
        .fetch_one(write.connection())
        .await?;
        write.commit_without_change().await?;
        Ok(SavedMapping { header_digest, name, mapping, saved_at })
    }

    /// Deletes the mapping for a header.
    pub async fn delete_column_mapping(&self, account_id: Uuid, header_digest: &[u8]) -> Result<(), Error> {
        sqlx::query!(
            "delete from trades.column_mapping where account_id = $1 and header_digest = $2",
            account_id,
            header_digest
        )
        .execute(self.requests())
        .await?;
        Ok(())
    }
}
