//! Decisions of the trade log: contents of pages, consistency of lists, and the limits of streams.

mod previews;
mod stream_limits;
mod streams;

pub use previews::{PreviewPart, PreviewResponse};
use rpc::failure::Violation;
use rpc::trades::v1::ColumnMapping;
use rust_decimal::Decimal;
pub use stream_limits::StreamLimits;
pub use streams::{ImportPart, ReplacePart};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::contract_note::BookNote;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::ledger::{CapitalFlows, Ledger, LedgerEntry, LedgerSum};
use crate::request_digest::RequestDigest;
use crate::store::{
    AddOutcome, BookSummary, BrokerAccountRecord, Change, ChangedTrades, DeleteOutcome, Edit, EditOutcome, Filter,
    IdempotencyKey, LedgerImport, LedgerOutcome, LedgerSumQuery, LogHead, LogReader, LoggedTrade, MAX_PAGE_BYTES,
    SavedBrokerAccount, SavedMapping, SortColumn, SortedTrade, Store, UndoOutcome,
};
use crate::trade::{Book, BrokerAccount, Trade};
use crate::trade_limit::LogOwner;

/// Maximum number of trades in one message of a list.
const MAX_LIST_PAGE_TRADES: u16 = 2_000;
/// Maximum number of pairs of symbol and ISIN listed for a book.
const MAX_ISINS: i64 = 10_000;

/// Sort order of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Time,
    Column(SortColumn),
}

/// Query for a page of the log.
pub struct Query {
    pub filter: Filter,
    pub sort: Sort,
    pub ascending: bool,
    pub page_size: u16,
    pub after: Option<Cursor>,
    pub known_version: Option<i64>,
}

/// Page of the log.
pub struct Page {
    /// The total counts the trades that match the filter.
    pub head: LogHead,
    pub trades: Vec<LoggedTrade>,
    pub next: Option<Cursor>,
}

/// The trade log service.
#[derive(Clone)]
pub struct Service {
    store: Store,
    limits: StreamLimits,
}

impl Service {
    pub fn new(store: Store, limits: StreamLimits) -> Self {
        Self { store, limits }
    }

    pub async fn get_log_head(&self, account_id: Uuid) -> Result<LogHead, Error> {
        self.store.get_log_head(account_id).await
    }

    /// Sends all trades, newest first, page by page. Holds no connection while the receiver is slow.
    ///
    /// All pages belong to one version. If the trades change in the meantime, the last item is
    /// [`Error::ChangedDuringRead`].
    pub async fn send_trades(
        &self,
        account_id: Uuid,
        head: LogHead,
        with_source_keys: bool,
        pages: mpsc::Sender<Result<Vec<LoggedTrade>, Error>>,
    ) {
        let filter = Filter { with_source_keys, ..Filter::default() };
        let mut remaining = head.total;
        let mut after = start_position(false);
        let mut limit = MAX_LIST_PAGE_TRADES;
        while remaining > 0 {
            let page = self.fetch_list_page(account_id, head.version, &filter, after, limit).await;
            if let Ok(trades) = &page {
                // After a page shortened by large notes, a lower limit avoids reading rows that would be discarded.
                limit = u16::try_from(2 * trades.len()).unwrap_or(MAX_LIST_PAGE_TRADES).min(MAX_LIST_PAGE_TRADES);
                remaining -= i64::try_from(trades.len()).unwrap_or(i64::MAX);
                after = trades.last().map_or(after, |last| (last.executed_at, last.trade_id));
            }
            let failed = page.is_err();
            if pages.send(page).await.is_err() || failed {
                return;
            }
        }
    }

    async fn fetch_list_page(
        &self,
        account_id: Uuid,
        version: i64,
        filter: &Filter,
        after: (time::OffsetDateTime, i64),
        limit: u16,
    ) -> Result<Vec<LoggedTrade>, Error> {
        let mut reader = self.store.open_log_reader(account_id).await?;
        let trades = reader.fetch_page_by_time(filter, false, after, limit).await?;
        reader.close();
        // Uses another connection: after a page shortened by large notes, the first one still has rows to discard.
        if trades.is_empty() || self.store.get_log_head(account_id).await?.version != version {
            return Err(Error::ChangedDuringRead);
        }
        Ok(trades)
    }

    pub async fn list_trades(&self, account_id: Uuid, mut query: Query) -> Result<Page, Error> {
        let start = Start::from_query(&query)?;
        let mut reader = self.store.open_log_reader(account_id).await?;
        let mut head = reader.get_log_head().await?;
        if query.known_version == Some(head.version) {
            reader.close();
            return Ok(Page { head, trades: Vec::new(), next: None });
        }
        if let Some(search) = &mut query.filter.search {
            reader.narrow_search(search).await?;
        }
        if !query.filter.matches_all() {
            head.total = reader.count_trades(&query.filter).await?;
        }
        // One more trade than requested shows that another page follows.
        let limit = query.page_size.saturating_add(1);
        let (mut trades, mut cursors) = fetch_from(start, &mut reader, &query, limit).await?;
        reader.close();
        let mut next = None;
        if trades.len() > usize::from(query.page_size) {
            trades.truncate(usize::from(query.page_size));
            cursors.truncate(usize::from(query.page_size));
            next = cursors.pop();
        }
        let fitting = count_fitting(&trades);
        if fitting < trades.len() {
            trades.truncate(fitting);
            cursors.truncate(fitting);
            next = cursors.pop();
        }
        Ok(Page { head, trades, next })
    }

    pub async fn get_trade(&self, account_id: Uuid, trade_id: i64) -> Result<LoggedTrade, Error> {
        self.store.get_trade(account_id, trade_id).await
    }

    /// Returns the trades that changed since the version `since`.
    pub async fn list_changed_trades(&self, account_id: Uuid, since: i64) -> Result<ChangedTrades, Error> {
        self.store.list_changed_trades(account_id, since).await
    }

    pub async fn list_books(&self, account_id: Uuid) -> Result<Vec<BookSummary>, Error> {
        self.store.list_books(account_id).await
    }

    pub async fn list_symbols(&self, account_id: Uuid, text: &str, limit: i64) -> Result<Vec<String>, Error> {
        self.store.list_symbols(account_id, text, limit).await
    }

    pub async fn list_broker_accounts(&self, account_id: Uuid) -> Result<Vec<BrokerAccountRecord>, Error> {
        self.store.list_broker_accounts(account_id).await
    }

    pub async fn save_broker_account(
        &self,
        account_id: Uuid,
        account: SavedBrokerAccount,
    ) -> Result<BrokerAccountRecord, Error> {
        self.store.save_broker_account(account_id, account).await
    }

    pub async fn delete_broker_account(&self, account_id: Uuid, account: BrokerAccount) -> Result<(), Error> {
        self.store.delete_broker_account(account_id, account).await
    }

    pub async fn list_contract_notes(&self, account_id: Uuid) -> Result<Vec<BookNote>, Error> {
        self.store.list_contract_notes(account_id).await
    }

    pub async fn preview_ledger(&self, account_id: Uuid, import: &LedgerImport) -> Result<LedgerOutcome, Error> {
        self.store.preview_ledger(account_id, import).await
    }

    pub async fn import_ledger(&self, account_id: Uuid, import: LedgerImport) -> Result<LedgerOutcome, Error> {
        let outcome = self.store.import_ledger(account_id, import).await?;
        tracing::info!(%account_id, added = outcome.added, duplicates = outcome.duplicates, "ledger_imported");
        Ok(outcome)
    }

    pub async fn list_ledgers(&self, account_id: Uuid) -> Result<Vec<Ledger>, Error> {
        self.store.list_ledgers(account_id).await
    }

    pub async fn delete_ledger(&self, account_id: Uuid, ledger_id: Uuid) -> Result<i64, Error> {
        let removed = self.store.delete_ledger(account_id, ledger_id).await?;
        tracing::info!(%account_id, entries = removed, "ledger_deleted");
        Ok(removed)
    }

    pub async fn list_ledger_sums(&self, account_id: Uuid, query: &LedgerSumQuery) -> Result<Vec<LedgerSum>, Error> {
        self.store.list_ledger_sums(account_id, query).await
    }

    pub async fn list_capital_flows(&self, account_id: Uuid) -> Result<CapitalFlows, Error> {
        self.store.list_capital_flows(account_id).await
    }

    pub async fn list_ledger_entries(&self, account_id: Uuid) -> Result<Vec<(BrokerAccount, LedgerEntry)>, Error> {
        self.store.list_ledger_entries(account_id).await
    }

    pub async fn list_column_mappings(&self, account_id: Uuid) -> Result<Vec<SavedMapping>, Error> {
        self.store.list_column_mappings(account_id).await
    }

    pub async fn save_column_mapping(
        &self,
        account_id: Uuid,
        name: String,
        mapping: ColumnMapping,
    ) -> Result<SavedMapping, Error> {
        self.store.save_column_mapping(account_id, name, mapping).await
    }

    pub async fn delete_column_mapping(&self, account_id: Uuid, header_digest: &[u8]) -> Result<(), Error> {
        self.store.delete_column_mapping(account_id, header_digest).await
    }

    pub async fn list_isins(&self, account_id: Uuid, book: Book) -> Result<Vec<(String, String)>, Error> {
        self.store.list_isins(account_id, book, MAX_ISINS).await
    }

    /// Returns the changes with a number below `before`, and the number at which the next page begins.
    pub async fn list_changes(
        &self,
        account_id: Uuid,
        book: Option<Book>,
        before: i64,
        limit: i64,
    ) -> Result<(Vec<Change>, Option<i64>), Error> {
        // One more change than requested shows that another page follows.
        let mut changes = self.store.list_changes(account_id, book, before, limit + 1).await?;
        let page_size = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = changes.len() > page_size;
        changes.truncate(page_size);
        let next = changes.last().filter(|_| has_more).map(|change| change.change_id);
        Ok((changes, next))
    }

    pub async fn add_trade(
        &self,
        owner: LogOwner,
        book: Book,
        trade: Trade,
        key: Option<IdempotencyKey>,
    ) -> Result<AddOutcome, Error> {
        let trade = trade.with_contract_of_symbol(book.segment);
        let request = RequestDigest::new(book).add_trade(&trade).finish();
        let added = self.store.add_trade(owner, book, &trade, key.as_ref(), &request).await?;
        tracing::info!(account_id = %owner.account_id, change = added.change_id, replayed = added.replayed, "trade_added");
        Ok(added)
    }

    pub async fn edit_trade(&self, account_id: Uuid, trade_id: i64, edit: Edit) -> Result<EditOutcome, Error> {
        let edited = self.store.edit_trade(account_id, trade_id, edit).await?;
        tracing::info!(%account_id, change = edited.change_id, "trade_edited");
        Ok(edited)
    }

    pub async fn delete_trade(&self, account_id: Uuid, trade_id: i64, pair: bool) -> Result<DeleteOutcome, Error> {
        let deleted = self.store.delete_trade(account_id, trade_id, pair).await?;
        tracing::info!(%account_id, change = deleted.change_id, trades = deleted.deleted, "trades_deleted");
        Ok(deleted)
    }

    pub async fn undo_change(
        &self,
        owner: LogOwner,
        change_id: i64,
        expected_newer_changes: i64,
    ) -> Result<UndoOutcome, Error> {
        let undone = self.store.undo_change(owner, change_id, expected_newer_changes).await?;
        tracing::info!(account_id = %owner.account_id, change = change_id, changes = undone.undone, "changes_undone");
        Ok(undone)
    }
}

/// Sort order of a page, and the position before its first trade.
enum Start {
    Time(time::OffsetDateTime, i64),
    /// `None` before the first trade of all.
    Column(SortColumn, Option<(String, Decimal, i64)>),
}

impl Start {
    /// Returns where the page of `query` starts.
    ///
    /// # Errors
    /// If the cursor belongs to another sort order.
    fn from_query(query: &Query) -> Result<Self, Error> {
        match (query.sort, &query.after) {
            (Sort::Time, None) => {
                let (executed_at, trade_id) = start_position(query.ascending);
                Ok(Self::Time(executed_at, trade_id))
            }
            (Sort::Time, Some(Cursor::Time { executed_at, trade_id })) => Ok(Self::Time(*executed_at, *trade_id)),
            (Sort::Column(column), None) => Ok(Self::Column(column, None)),
            (Sort::Column(column), Some(Cursor::Key { text, number, trade_id })) => {
                Ok(Self::Column(column, Some((text.clone(), *number, *trade_id))))
            }
            (Sort::Time, Some(Cursor::Key { .. })) | (Sort::Column(_), Some(Cursor::Time { .. })) => {
                Err(Violation::new("page_token", "INVALID").into())
            }
        }
    }
}

/// Fetches up to `limit` trades from `start` on, with the cursor of each.
async fn fetch_from(
    start: Start,
    reader: &mut LogReader,
    query: &Query,
    limit: u16,
) -> Result<(Vec<LoggedTrade>, Vec<Cursor>), Error> {
    match start {
        Start::Time(executed_at, trade_id) => {
            let after = (executed_at, trade_id);
            let trades = reader.fetch_page_by_time(&query.filter, query.ascending, after, limit).await?;
            let cursor =
                |trade: &LoggedTrade| Cursor::Time { executed_at: trade.executed_at, trade_id: trade.trade_id };
            let cursors = trades.iter().map(cursor).collect();
            Ok((trades, cursors))
        }
        Start::Column(column, after) => {
            let rows = reader.fetch_page_by_column(&query.filter, column, query.ascending, after, limit).await?;
            let with_cursor = |row: SortedTrade| {
                let cursor = Cursor::Key { text: row.text, number: row.number, trade_id: row.trade.trade_id };
                (row.trade, cursor)
            };
            Ok(rows.into_iter().map(with_cursor).unzip())
        }
    }
}

/// Returns the number of `trades` that fit into one message; at least one. Trades with long notes shorten a page.
fn count_fitting(trades: &[LoggedTrade]) -> usize {
    let mut bytes = 0;
    let fits = |trade: &&LoggedTrade| {
        bytes += trade.approximate_bytes();
        bytes <= MAX_PAGE_BYTES
    };
    trades.iter().take_while(fits).count().max(1)
}

/// Returns the position before the first trade in the order by time.
const fn start_position(ascending: bool) -> (time::OffsetDateTime, i64) {
    if ascending {
        (time::macros::datetime!(1900-01-01 0:00 UTC), i64::MIN)
    } else {
        (time::macros::datetime!(9999-01-01 0:00 UTC), i64::MAX)
    }
}
