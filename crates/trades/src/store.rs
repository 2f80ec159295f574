//! SQL statements on the schema `trades`, except those on the journal tables, which the crate `journal` owns.

mod account_deletion;
mod add;
mod change_history;
mod changed_trades;
mod cleanup;
mod columns;
mod commit_preview;
mod delete;
mod edit;
mod idempotency;
mod import;
mod import_record;
mod insert;
mod log_head;
mod log_reader;
mod logged_trade;
mod preview;
mod replace;
mod summaries;
mod uncovered_sales;
mod undo;
mod undo_copies;
mod write;
mod write_queue;

pub use account_deletion::delete_account;
pub use add::AddOutcome;
pub use change_history::{Change, ImportSummary};
pub use changed_trades::{ChangedTrades, TradeDelta};
pub use cleanup::delete_expired_rows;
pub use commit_preview::{CommitOutcome, ConflictChoices, Resolution};
pub use delete::DeleteOutcome;
pub use edit::{Edit, EditOutcome};
pub use idempotency::IdempotencyKey;
pub use import_record::{FileCounts, ImportOutcome, ImportRecord};
pub use log_head::LogHead;
pub use log_reader::{Filter, LogReader, MAX_PAGE_BYTES, SortColumn};
pub use logged_trade::LoggedTrade;
pub use preview::{BrokerTrade, Conflict, Preview, PreviewOutcome, PreviewedFile, PreviewedTrade};
pub use replace::ReplaceOutcome;
use sqlx::PgPool;
pub use summaries::BookSummary;
pub use uncovered_sales::UncoveredSale;
pub use undo::UndoOutcome;
pub use write::ChangeKind;

use crate::pools::Pools;

/// Access to the tables of the schema `trades`.
#[derive(Clone)]
pub struct Store {
    pools: Pools,
    write_queues: write_queue::WriteQueues,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self { pools, write_queues: write_queue::WriteQueues::default() }
    }

    fn requests(&self) -> &PgPool {
        &self.pools.requests
    }
}
