//! What the trade log decides: what an import takes, what a page holds, when a list is whole.

use std::time::Duration;

use futures_util::{Stream, StreamExt, pin_mut};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::cursor::Cursor;
use crate::error::Error;
use crate::store::{Filter, Head, ImportRecord, Imported, LoggedTrade, SortColumn, Store};
use crate::trade::{Book, Trade};

/// Trades in one message of a list.
pub const LIST_PAGE: u16 = 2_000;

/// What the stream of an import brings after its head.
pub enum ImportPart {
    /// The next trades of the file.
    Batch(Vec<Trade>),
    /// The file's end, with the number of trades that it held.
    End(i64),
}

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

/// What one import may take. It holds one of few connections, and its account's lock.
#[derive(Clone, Copy, Debug)]
pub struct ImportLimits {
    /// Until the next part comes.
    pub wait: Duration,
    /// Until the last part has come. A statement that runs then has its own limit.
    pub whole: Duration,
    /// How many trades.
    pub trades: i64,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self { wait: Duration::from_secs(20), whole: Duration::from_secs(50), trades: 500_000 }
    }
}

#[derive(Clone)]
pub struct Service {
    store: Store,
    limits: ImportLimits,
}

impl Service {
    pub fn new(store: Store, limits: ImportLimits) -> Self {
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
        while left > 0 {
            let page = self.list_page(account_id, head.version, &filter, after).await;
            if let Ok(trades) = &page {
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
    ) -> Result<Vec<LoggedTrade>, Error> {
        let trades = self.store.page_by_time(account_id, filter, false, after, LIST_PAGE).await?;
        if trades.is_empty() || self.store.head(account_id).await?.version != version {
            return Err(Error::Changed);
        }
        Ok(trades)
    }

    pub async fn query(&self, account_id: Uuid, query: Query) -> Result<Page, Error> {
        let mut head = self.store.head(account_id).await?;
        if query.known_version == Some(head.version) {
            return Ok(Page { head, trades: Vec::new(), next: None });
        }
        if !query.filter.is_open() {
            head.total = self.store.count(account_id, &query.filter).await?;
        }
        // One more than asked for tells whether a page follows.
        let limit = query.limit.saturating_add(1);
        let (mut trades, mut ends) = match query.sort {
            Sort::Time => self.by_time(account_id, &query, limit).await?,
            Sort::Column(column) => self.by_column(account_id, &query, column, limit).await?,
        };
        let mut next = None;
        if trades.len() > usize::from(query.limit) {
            trades.truncate(usize::from(query.limit));
            ends.truncate(usize::from(query.limit));
            next = ends.pop();
        }
        Ok(Page { head, trades, next })
    }

    async fn by_time(
        &self,
        account_id: Uuid,
        query: &Query,
        limit: u16,
    ) -> Result<(Vec<LoggedTrade>, Vec<Cursor>), Error> {
        let after = match &query.after {
            None => beginning(query.ascending),
            Some(Cursor::Time { executed_at, trade_id }) => (*executed_at, *trade_id),
            Some(Cursor::Key { .. }) => return Err(foreign_cursor()),
        };
        let trades = self.store.page_by_time(account_id, &query.filter, query.ascending, after, limit).await?;
        let ends = trades
            .iter()
            .map(|trade| Cursor::Time { executed_at: trade.executed_at, trade_id: trade.trade_id })
            .collect();
        Ok((trades, ends))
    }

    async fn by_column(
        &self,
        account_id: Uuid,
        query: &Query,
        column: SortColumn,
        limit: u16,
    ) -> Result<(Vec<LoggedTrade>, Vec<Cursor>), Error> {
        let after = match &query.after {
            None => None,
            Some(Cursor::Key { text, number, trade_id }) => Some((text.clone(), *number, *trade_id)),
            Some(Cursor::Time { .. }) => return Err(foreign_cursor()),
        };
        let rows = self.store.page_by_column(account_id, &query.filter, column, query.ascending, after, limit).await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let end = Cursor::Key { text: row.text, number: row.number, trade_id: row.trade.trade_id };
                (row.trade, end)
            })
            .unzip())
    }

    /// Merges the trades of `parts` into `book`. Anything but an end in time that agrees with what came leaves nothing.
    pub async fn import(
        &self,
        account_id: Uuid,
        book: Book,
        record: ImportRecord,
        parts: impl Stream<Item = Result<ImportPart, Error>>,
    ) -> Result<Imported, Error> {
        pin_mut!(parts);
        let until = Instant::now() + self.limits.whole;
        let mut writer = self.store.start_import(account_id, book).await?;
        // Between statements alone: a commit that was cut off could have been one.
        while Instant::now() < until {
            let next = until.min(Instant::now() + self.limits.wait);
            let Ok(Some(part)) = timeout_at(next, parts.next()).await else {
                break;
            };
            match part? {
                ImportPart::Batch(trades) => {
                    let count = i64::try_from(trades.len()).unwrap_or(i64::MAX);
                    if writer.received().saturating_add(count) > self.limits.trades {
                        let sentence = format!("An import has at most {} trades.", self.limits.trades);
                        return Err(Error::field("trades", &sentence));
                    }
                    writer.add(&trades).await?;
                }
                ImportPart::End(trades) if trades == writer.received() => {
                    let imported = writer.finish(record).await?;
                    tracing::info!(
                        account = %account_id,
                        import = imported.import_id,
                        added = imported.added,
                        duplicates = imported.duplicates,
                        "trades imported"
                    );
                    return Ok(imported);
                }
                ImportPart::End(_) => break,
            }
        }
        Err(Error::BrokenOff { received: writer.received() })
    }
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
