//! Every statement on the schema `trades`.

mod answered;
mod books;
mod changed;
mod changes;
mod commit;
mod edit;
mod entry;
mod erase;
mod import;
mod imported;
mod pages;
mod preview;
mod queue;
mod replace;
mod rows;
mod sales;
mod undo;
mod write;

pub use answered::{IdempotencyKey, Sha256};
pub use books::BookSummary;
pub use changed::Changed;
pub use changes::{Change, ImportSummary};
pub use commit::{Choices, Committed, Resolution};
pub use edit::{Deleted, Edit, Edited};
pub use entry::Added;
pub use erase::{delete_account, delete_expired_rows};
pub use imported::{ImportRecord, Imported, ReadCounts};
pub use pages::{Filter, HEAVIEST_PAGE, Reading, SortColumn};
pub use preview::{Conflict, Preview, PreviewOutcome, PreviewedFile, PreviewedTrade, Told};
pub use replace::Replaced;
pub use sales::UncoveredSale;
pub use undo::Undone;
pub use write::ChangeKind;

use rust_decimal::Decimal;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Pools;
use crate::contract::Contract;
use crate::error::Error;
use crate::trade::{Book, Broker, Exchange, Notes, Segment, Side, TimePrecision};

/// What is known of an account's trades without reading them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Moves with every change.
    pub version: i64,
    /// How many trades there are.
    pub total: i64,
    /// The book that was changed last; none while there is no trade.
    pub last_book: Option<Book>,
}

/// A trade in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedTrade {
    pub trade_id: i64,
    pub book: Book,
    pub side: Side,
    pub symbol: String,
    pub quantity: Decimal,
    pub price: Decimal,
    pub value: Decimal,
    pub executed_at: OffsetDateTime,
    pub time_precision: TimePrecision,
    pub exchange: Exchange,
    pub order_id: Option<String>,
    /// Absent where nothing; most trades have none.
    pub notes: Option<Box<Notes>>,
    pub pair_id: Option<String>,
    /// Came from a broker's file.
    pub imported: bool,
    /// Was written anew by the trader since.
    pub edited: bool,
    /// Of futures and options, where the source told it; absent for most.
    pub contract: Option<Box<Contract>>,
}

impl LoggedTrade {
    /// Where the trader means to get out at a loss.
    pub fn stop_loss(&self) -> Option<Decimal> {
        self.notes.as_ref()?.stop_loss
    }

    /// What it takes on the wire, in bytes and roughly.
    pub fn weight(&self) -> usize {
        let notes = self.notes.as_ref().map_or(0, |notes| {
            notes.stock_name.len() + notes.notes.len() + notes.psychology.len() + notes.market_outlook.len()
        });
        let contract = self.contract.as_ref().map_or(0, |contract| 30 + contract.underlying.len());
        100 + self.symbol.len() + self.order_id.as_ref().map_or(0, String::len) + notes + contract
    }
}

/// The tables.
#[derive(Clone)]
pub struct Store {
    pools: Pools,
    queues: queue::Queues,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self { pools, queues: queue::Queues::default() }
    }

    fn requests(&self) -> &PgPool {
        &self.pools.requests
    }

    pub async fn head(&self, account_id: Uuid) -> Result<Head, Error> {
        head(self.requests(), account_id).await
    }
}

async fn head(executor: impl PgExecutor<'_>, account_id: Uuid) -> Result<Head, Error> {
    let row = sqlx::query!(
        "select version, trade_count, last_broker, last_segment from trades.account where account_id = $1",
        account_id
    )
    .fetch_optional(executor)
    .await?;
    row.map_or(Ok(Head::default()), |row| head_of(row.version, row.trade_count, row.last_broker, row.last_segment))
}

fn head_of(version: i64, total: i64, broker: Option<String>, segment: Option<String>) -> Result<Head, Error> {
    let last_book = match (broker, segment) {
        (Some(broker), Some(segment)) if total > 0 => Some(book_of(&broker, &segment)?),
        (None | Some(_), _) => None,
    };
    Ok(Head { version, total, last_book })
}

fn book_of(broker: &str, segment: &str) -> Result<Book, Error> {
    Ok(Book { broker: stored(broker, Broker::from_name)?, segment: stored(segment, Segment::from_name)? })
}

/// A stored name that we do not know is our failure, not the caller's.
fn stored<T>(name: &str, read: fn(&str) -> Option<T>) -> Result<T, Error> {
    read(name).ok_or_else(|| Error::Store(sqlx::Error::Decode(format!("unknown name {name:?} in trades.trade").into())))
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}
