//! Adding one trade.

use super::connections::Store;
use super::idempotency::{IdempotencyKey, IdempotentRpc, RecordedOutcome, find_request};
use super::log_head::{LogHead, fetch_log_head};
use super::log_reader::fetch_trade;
use super::logged_trade::LoggedTrade;
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::error::Error;
use crate::request_digest::Sha256;
use crate::trade::{Book, Trade};
use crate::trade_limit::LogOwner;

/// Outcome of adding a trade.
pub struct AddOutcome {
    /// Absent if an earlier request added the trade and it was deleted since.
    pub trade: Option<LoggedTrade>,
    pub head: LogHead,
    pub change_id: i64,
    /// The trade was added by an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl Store {
    /// Adds `trade` to `book`; with an idempotency key, at most once.
    pub async fn add_trade(
        &self,
        owner: LogOwner,
        book: Book,
        trade: &Trade,
        key: Option<&IdempotencyKey>,
        request: &Sha256,
    ) -> Result<AddOutcome, Error> {
        let LogOwner { account_id, max_trades } = owner;
        let mut write = self.begin_write(account_id, WriteKind::Short, key.is_some()).await?;
        write.max_trades = max_trades;
        if let Some(key) = key
            && let Some(recorded) = find_request(write.connection(), account_id, IdempotentRpc::Add, key).await?
        {
            return replay(write, recorded.replay(request)?).await;
        }
        let trade_id = write.next_trade_id;
        write.insert(book, &[trade]).await?;
        write.add_symbols(&[&trade.symbol]).await?;
        let change_id = match join_pair(&mut write, book, trade, trade_id).await? {
            Some(change_id) => change_id,
            None => {
                let change = NewChange {
                    kind: ChangeKind::Entry,
                    added: trade_id..write.next_trade_id,
                    removed: 0,
                    filled: 0,
                    symbol: Some(&trade.symbol),
                    pair_id: trade.pair_id.as_deref(),
                    import_id: None,
                };
                write.record_change(book, change).await?
            }
        };
        let outcome = RecordedOutcome { change_id, added: 1, removed: 0, trade_id: Some(trade_id) };
        write.record_request(IdempotentRpc::Add, key, request, outcome).await?;
        let trade = fetch_trade(write.connection(), account_id, trade_id).await?;
        let head = write.commit(book, 1, true).await?;
        Ok(AddOutcome { trade, head, change_id, replayed: false })
    }
}

async fn replay(mut write: AccountWrite, outcome: RecordedOutcome) -> Result<AddOutcome, Error> {
    let account_id = write.account_id;
    let trade = match outcome.trade_id {
        Some(trade_id) => fetch_trade(write.connection(), account_id, trade_id).await?,
        None => None,
    };
    let head = fetch_log_head(write.connection(), account_id).await?;
    Ok(AddOutcome { trade, head, change_id: outcome.change_id, replayed: true })
}

/// Adds the trade to the change of the other leg, if that is the newest change of the book that is not undone.
///
/// A first leg older than a day keeps its own change; otherwise the second leg could be undone for less than 30 days.
async fn join_pair(write: &mut AccountWrite, book: Book, trade: &Trade, trade_id: i64) -> Result<Option<i64>, Error> {
    let Some(pair_id) = &trade.pair_id else { return Ok(None) };
    let account_id = write.account_id;
    let change_id = sqlx::query_scalar!(
        "
        update trades.change
        set added = added + int8multirange(int8range($5, $5, '[]')),
            added_count = added_count + 1,
            symbol = case when symbol = $6 then symbol end,
            changed_trade_ids = changed_trade_ids + int8multirange(int8range($5, $5, '[]')),
            version = (select version + 1 from trades.account where account_id = $1)
        where account_id = $1 and kind = 'entry' and pair_id = $4 and added_count = 1
          and made_at > now() - interval '1 day'
          and change_id = (
              select max(change_id) from trades.change
              where account_id = $1 and broker_account = $2 and segment = $3 and undone_at is null
          )
        returning change_id
        ",
        account_id,
        &book.broker_account.key(),
        book.segment.name(),
        pair_id,
        trade_id,
        trade.symbol,
    )
    .fetch_optional(write.connection())
    .await?;
    Ok(change_id)
}
