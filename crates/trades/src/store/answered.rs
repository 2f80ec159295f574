//! Requests that were answered before, by the key that the client gave them.

use sqlx::PgExecutor;
use uuid::Uuid;

use super::write::Write;
use crate::error::Error;

/// What was asked, in short.
pub type Sha256 = [u8; 32];

/// A client's name for one request, however often it is sent.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub String);

/// A write that can be asked twice.
#[derive(Clone, Copy)]
pub(super) enum Rpc {
    Add,
    Replace,
    Import,
}

impl Rpc {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Import => "import",
        }
    }
}

/// What came of it.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub change_id: i64,
    pub added: i64,
    pub removed: i64,
    /// The trade that was added, where it is one.
    pub trade_id: Option<i64>,
}

/// An answer that was given before.
pub(super) struct Answered {
    request: Vec<u8>,
    outcome: Outcome,
    /// What came of it was taken back since.
    undone: bool,
}

impl Answered {
    /// The outcome, if the request is the same as then and its change still stands.
    pub fn to(&self, request: &Sha256) -> Result<Outcome, Error> {
        if self.request != request {
            return Err(Error::KeyReused);
        }
        if self.undone { Err(Error::ChangeUndone) } else { Ok(self.outcome) }
    }
}

/// The answer to the request of that key. Nobody gives one meanwhile: the account is locked.
pub(super) async fn find(
    executor: impl PgExecutor<'_>,
    account_id: Uuid,
    rpc: Rpc,
    key: &IdempotencyKey,
) -> Result<Option<Answered>, Error> {
    let row = sqlx::query!(
        r#"
        select a.request_sha256, a.change_id, a.added, a.removed, a.trade_id, c.undone_at is not null as "undone!"
        from trades.answered_request a
        join trades.change c on c.account_id = a.account_id and c.change_id = a.change_id
        where a.account_id = $1 and a.rpc = $2 and a.idempotency_key = $3
        "#,
        account_id,
        rpc.name(),
        key.0,
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| Answered {
        request: row.request_sha256,
        undone: row.undone,
        outcome: Outcome { change_id: row.change_id, added: row.added, removed: row.removed, trade_id: row.trade_id },
    }))
}

impl Write {
    /// Remembers what came of a request, where it has a key.
    pub async fn answer(
        &mut self,
        rpc: Rpc,
        key: Option<&IdempotencyKey>,
        request: &Sha256,
        outcome: Outcome,
    ) -> Result<(), Error> {
        let Some(key) = key else { return Ok(()) };
        let account_id = self.account_id;
        sqlx::query!(
            "
            insert into trades.answered_request (
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
        .execute(self.on())
        .await?;
        Ok(())
    }
}
