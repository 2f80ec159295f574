//! Idempotency keys: a request that is sent again returns the recorded outcome of the first one.

use sqlx::PgExecutor;
use uuid::Uuid;

use super::write::AccountWrite;
use crate::error::Error;
use crate::request_digest::Sha256;

/// Idempotency key of a request, chosen by the client.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub String);

/// Rpc that accepts an idempotency key.
#[derive(Clone, Copy)]
pub(super) enum IdempotentRpc {
    Add,
    Replace,
    Import,
}

impl IdempotentRpc {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Import => "import",
        }
    }
}

/// Outcome of a request, as recorded with its key.
#[derive(Clone, Copy)]
pub(super) struct RecordedOutcome {
    pub change_id: i64,
    pub added: i64,
    pub removed: i64,
    /// Trade added by AddTrade.
    pub trade_id: Option<i64>,
}

/// Request recorded with its idempotency key.
pub(super) struct RecordedRequest {
    request_sha256: Vec<u8>,
    outcome: RecordedOutcome,
    /// The change was undone since.
    undone: bool,
}

impl RecordedRequest {
    /// Returns the recorded outcome if `request` is the recorded request and its change was not undone.
    pub fn replay(&self, request: &Sha256) -> Result<RecordedOutcome, Error> {
        if self.request_sha256 != request {
            return Err(Error::IdempotencyKeyReused);
        }
        if self.undone { Err(Error::ChangeUndone) } else { Ok(self.outcome) }
    }
}

/// Returns the request recorded with `key`. The lock on the account prevents concurrent records.
pub(super) async fn find_request(
    executor: impl PgExecutor<'_>,
    account_id: Uuid,
    rpc: IdempotentRpc,
    key: &IdempotencyKey,
) -> Result<Option<RecordedRequest>, Error> {
    let row = sqlx::query!(
        r#"
        select a.request_sha256, a.change_id, a.added, a.removed, a.trade_id, c.undone_at is not null as "undone!"
        from trades.idempotent_request a
        join trades.change c on c.account_id = a.account_id and c.change_id = a.change_id
        where a.account_id = $1 and a.rpc = $2 and a.idempotency_key = $3
        "#,
        account_id,
        rpc.name(),
        key.0,
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| RecordedRequest {
        request_sha256: row.request_sha256,
        undone: row.undone,
        outcome: RecordedOutcome {
            change_id: row.change_id,
            added: row.added,
            removed: row.removed,
            trade_id: row.trade_id,
        },
    }))
}

impl AccountWrite {
    /// Records the outcome of a request that has an idempotency key.
    pub async fn record_request(
        &mut self,
        rpc: IdempotentRpc,
        key: Option<&IdempotencyKey>,
        request: &Sha256,
        outcome: RecordedOutcome,
    ) -> Result<(), Error> {
        let Some(key) = key else { return Ok(()) };
        let account_id = self.account_id;
        sqlx::query!(
            "
            insert into trades.idempotent_request (
                account_id, rpc, idempotency_key, request_sha256, change_id, added, removed, trade_id
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            ",
            account_id,
            rpc.name(),
            key.0,
            request.as_slice(),
            outcome.change_id,
            outcome.added,
            outcome.removed,
            outcome.trade_id,
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }
}
