//! What the trade log decides: what an import takes, what a page holds, when a list is whole.

mod previews;
mod streams;

pub use previews::PreviewPart;
pub use streams::{ImportPart, ReplacePart, StreamLimits};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::cursor::Cursor;
use crate::digest::Digest;
use crate::error::Error;
use crate::store::{
    Added, BookSummary, Change, Changed, Deleted, Edit, Edited, Filter, HEAVIEST_PAGE, Head, IdempotencyKey,
    LoggedTrade, Reading, SortColumn, Store, Undone,
};
use crate::trade::{Book, Trade};

/// Trades in one message of a list.
const LIST_PAGE: u16 = 2_000;
/// ISINs of one book that are told, each with its symbol.
const MOST_ISINS: i64 = 10_000;

/// How a page is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By time.
    Time,
    /// By a column.
    Column(SortColumn),
}

/// Which page of the log is asked for.
pub struct Query {
    pub filter: Filter,
    pub sort: Sort,
    pub ascending: bool,
    pub limit: u16,
    pub after: Option<Cursor>,
    pub known_version: Option<i64>,
}

/// A page of the log.
pub struct Page {
    /// Its total counts what the filter lets through.
    pub head: Head,
    pub trades: Vec<LoggedTrade>,
    pub next: Option<Cursor>,
}

#[derive(Clone)]
pub struct Service {
    store: Store,
    limits: StreamLimits,
}

impl Service {
    pub fn new(store: Store, limits: StreamLimits) -> Self {
        Self { store, limits }
    }

    pub async fn head(&self, account_id: Uuid) -> Result<Head, Error> {
        self.store.head(account_id).await
    }

    /// Sends the whole list, newest first, page by page. No connection is held while the receiver is slow.
    ///
    /// The pages belong to one version: when the trades change meanwhile, the last thing sent is [`Error::Changed`].
    pub async fn list(&self, account_id: Uuid, head: Head, pages: mpsc::Sender<Result<Vec<LoggedTrade>, Error>>) {
        let filter = Filter::default();
        let mut left = head.total;
        let mut after = beginning(false);
        let mut limit = LIST_PAGE;
        while left > 0 {
            let page = self.list_page(account_id, head.version, &filter, after, limit).await;
            if let Ok(trades) = &page {
                // Where trades are heavy, the next page is not read in vain.
                limit = u16::try_from(2 * trades.len()).unwrap_or(LIST_PAGE).min(LIST_PAGE);
                left -= i64::try_from(trades.len()).unwrap_or(i64::MAX);
                after = trades.last().map_or(after, |last| (last.executed_at, last.trade_id));
            }
            let failed = page.is_err();
            if pages.send(page).await.is_err() || failed {
                return;
            }
        }
    }

    async fn list_page(
        &self,
        account_id: Uuid,
        version: i64,
        filter: &Filter,
        after: (time::OffsetDateTime, i64),
        limit: u16,
    ) -> Result<Vec<LoggedTrade>, Error> {
        let trades = self.store.reading(account_id).await?.page_by_time(filter, false, after, limit).await?;
        // On another connection: where trades are heavy, the first has more to discard than it gave.
        if trades.is_empty() || self.store.head(account_id).await?.version != version {
            return Err(Error::Changed);
        }
        Ok(trades)
    }

    pub async fn query(&self, account_id: Uuid, query: Query) -> Result<Page, Error> {
        let mut reading = self.store.reading(account_id).await?;
        let mut head = reading.head().await?;
        if query.known_version == Some(head.version) {
            return Ok(Page { head, trades: Vec::new(), next: None });
        }
        if !query.filter.is_open() {
            head.total = reading.count(&query.filter).await?;
        }
        // One more than asked for tells whether a page follows.
        let limit = query.limit.saturating_add(1);
        let (mut trades, mut ends) = match query.sort {
            Sort::Time => by_time(&mut reading, &query, limit).await?,
            Sort::Column(column) => by_column(&mut reading, &query, column, limit).await?,
        };
        let mut next = None;
        if trades.len() > usize::from(query.limit) {
            trades.truncate(usize::from(query.limit));
            ends.truncate(usize::from(query.limit));
            next = ends.pop();
        }
        let fits = fitting(&trades);
        if fits < trades.len() {
            trades.truncate(fits);
            ends.truncate(fits);
            next = ends.pop();
        }
        Ok(Page { head, trades, next })
    }

    pub async fn trade(&self, account_id: Uuid, trade_id: i64) -> Result<LoggedTrade, Error> {
        self.store.trade(account_id, trade_id).await
    }

    /// What changed since the version `since`.
    pub async fn changed(&self, account_id: Uuid, since: i64) -> Result<Changed, Error> {
        self.store.changed(account_id, since).await
    }

    pub async fn books(&self, account_id: Uuid) -> Result<Vec<BookSummary>, Error> {
        self.store.books(account_id).await
    }

    pub async fn symbols(&self, account_id: Uuid, text: &str, limit: i64) -> Result<Vec<String>, Error> {
        self.store.symbols(account_id, text, limit).await
    }

    pub async fn isins(&self, account_id: Uuid, book: Book) -> Result<Vec<(String, String)>, Error> {
        self.store.isins(account_id, book, MOST_ISINS).await
    }

    /// Changes older than `before`, and where the next page begins.
    pub async fn changes(
        &self,
        account_id: Uuid,
        book: Option<Book>,
        before: i64,
        limit: i64,
    ) -> Result<(Vec<Change>, Option<i64>), Error> {
        // One more than asked for tells whether a page follows.
        let mut changes = self.store.changes(account_id, book, before, limit + 1).await?;
        let full = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = changes.len() > full;
        changes.truncate(full);
        let next = changes.last().filter(|_| more).map(|change| change.change_id);
        Ok((changes, next))
    }

    pub async fn add(
        &self,
        account_id: Uuid,
        book: Book,
        trade: Trade,
        key: Option<IdempotencyKey>,
    ) -> Result<Added, Error> {
        let trade = trade.of(book.segment);
        let request = Digest::of(book).trade(&trade).finish();
        let added = self.store.add(account_id, book, &trade, key.as_ref(), &request).await?;
        tracing::info!(%account_id, change = added.change_id, replayed = added.replayed, "trade_added");
        Ok(added)
    }

    pub async fn edit(&self, account_id: Uuid, trade_id: i64, edit: Edit) -> Result<Edited, Error> {
        let edited = self.store.edit(account_id, trade_id, edit).await?;
        tracing::info!(%account_id, change = edited.change_id, "trade_edited");
        Ok(edited)
    }

    pub async fn delete(&self, account_id: Uuid, trade_id: i64, pair: bool) -> Result<Deleted, Error> {
        let deleted = self.store.delete(account_id, trade_id, pair).await?;
        tracing::info!(%account_id, change = deleted.change_id, trades = deleted.deleted, "trades_deleted");
        Ok(deleted)
    }

    pub async fn undo(&self, account_id: Uuid, change_id: i64, expected_newer: i64) -> Result<Undone, Error> {
        let undone = self.store.undo(account_id, change_id, expected_newer).await?;
        tracing::info!(%account_id, change = change_id, changes = undone.undone, "changes_undone");
        Ok(undone)
    }
}

async fn by_time(reading: &mut Reading, query: &Query, limit: u16) -> Result<(Vec<LoggedTrade>, Vec<Cursor>), Error> {
    let after = match &query.after {
        None => beginning(query.ascending),
        Some(Cursor::Time { executed_at, trade_id }) => (*executed_at, *trade_id),
        Some(Cursor::Key { .. }) => return Err(foreign_cursor()),
    };
    let trades = reading.page_by_time(&query.filter, query.ascending, after, limit).await?;
    let ends =
        trades.iter().map(|trade| Cursor::Time { executed_at: trade.executed_at, trade_id: trade.trade_id }).collect();
    Ok((trades, ends))
}

async fn by_column(
    reading: &mut Reading,
    query: &Query,
    column: SortColumn,
    limit: u16,
) -> Result<(Vec<LoggedTrade>, Vec<Cursor>), Error> {
    let after = match &query.after {
        None => None,
        Some(Cursor::Key { text, number, trade_id }) => Some((text.clone(), *number, *trade_id)),
        Some(Cursor::Time { .. }) => return Err(foreign_cursor()),
    };
    let rows = reading.page_by_column(&query.filter, column, query.ascending, after, limit).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let end = Cursor::Key { text: row.text, number: row.number, trade_id: row.trade.trade_id };
            (row.trade, end)
        })
        .unzip())
}

/// How many of `trades` one message takes. Where much is written beside them, a page is shorter than asked for.
fn fitting(trades: &[LoggedTrade]) -> usize {
    let mut weight = 0;
    let fits = |trade: &&LoggedTrade| {
        weight += trade.weight();
        weight <= HEAVIEST_PAGE
    };
    trades.iter().take_while(fits).count().max(1)
}

/// Before the first trade of the order by time.
const fn beginning(ascending: bool) -> (time::OffsetDateTime, i64) {
    if ascending {
        (time::macros::datetime!(1900-01-01 0:00 UTC), i64::MIN)
    } else {
        (time::macros::datetime!(9999-01-01 0:00 UTC), i64::MAX)
    }
}

fn foreign_cursor() -> Error {
    Error::field("cursor", "This cursor belongs to another order.")
}
