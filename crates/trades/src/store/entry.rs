//! Adding one trade.

use uuid::Uuid;

use super::answered::{self, IdempotencyKey, Outcome, Rpc, Sha256};
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Head, LoggedTrade, Store, head, pages};
use crate::error::Error;
use crate::trade::{Book, Trade};

/// A trade that was added.
pub struct Added {
    /// Absent where it was added before and is gone since.
    pub trade: Option<LoggedTrade>,
    pub head: Head,
    pub change_id: i64,
    /// It was added before, by a request of the same key.
    pub replayed: bool,
}

impl Store {
    /// Adds `trade` to `book`; with a key once, however often it is asked.
    pub async fn add(
        &self,
        account_id: Uuid,
        book: Book,
        trade: &Trade,
        key: Option<&IdempotencyKey>,
        request: &Sha256,
    ) -> Result<Added, Error> {
        let mut write = self.begin(account_id, Pace::Short, key.is_some()).await?;
        if let Some(key) = key
            && let Some(answered) = answered::find(write.on(), account_id, Rpc::Add, key).await?
        {
            return replay(write, answered.to(request)?).await;
        }
        let trade_id = write.next_trade_id;
        write.insert(book, &[trade]).await?;
        write.remember(&[&trade.symbol]).await?;
        let change_id = match join(&mut write, book, trade, trade_id).await? {
            Some(change_id) => change_id,
            None => {
                let change = NewChange {
                    kind: ChangeKind::Entry,
                    added: trade_id..write.next_trade_id,
                    removed: 0,
                    symbol: Some(&trade.symbol),
                    pair_id: trade.pair_id.as_deref(),
                    import_id: None,
                };
                write.record(book, change).await?
            }
        };
        let outcome = Outcome { change_id, added: 1, removed: 0, trade_id: Some(trade_id) };
        write.answer(Rpc::Add, key, request, outcome).await?;
        let trade = pages::trade(write.on(), account_id, trade_id).await?;
        let head = write.finish(book, 1, true).await?;
        Ok(Added { trade, head, change_id, replayed: false })
    }
}

async fn replay(mut write: Write, outcome: Outcome) -> Result<Added, Error> {
    let account_id = write.account_id;
    let trade = match outcome.trade_id {
        Some(trade_id) => pages::trade(write.on(), account_id, trade_id).await?,
        None => None,
    };
    let head = head(write.on(), account_id).await?;
    Ok(Added { trade, head, change_id: outcome.change_id, replayed: true })
}

/// Makes the trade a part of the change of the other leg, if that is the newest of the book that stands. A first leg of
/// another day stays by itself, or the second could not be taken back for as long as it should.
async fn join(write: &mut Write, book: Book, trade: &Trade, trade_id: i64) -> Result<Option<i64>, Error> {
    let Some(pair_id) = &trade.pair_id else { return Ok(None) };
    let account_id = write.account_id;
    let change_id = sqlx::query_scalar!(
        "
        update trades.change
        set added = added + int8multirange(int8range($5, $5, '[]')),
            added_count = added_count + 1,
            symbol = case when symbol = $6 then symbol end,
            touched = touched + int8multirange(int8range($5, $5, '[]')),
            version = (select version + 1 from trades.account where account_id = $1)
        where account_id = $1 and kind = 'entry' and pair_id = $4 and added_count = 1
          and made_at > now() - interval '1 day'
          and change_id = (
              select max(change_id) from trades.change
              where account_id = $1 and broker = $2 and segment = $3 and undone_at is null
          )
        returning change_id
        ",
        account_id,
        book.broker.name(),
        book.segment.name(),
        pair_id,
        trade_id,
        trade.symbol,
    )
    .fetch_optional(write.on())
    .await?;
    Ok(change_id)
}
