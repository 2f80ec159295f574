//! The journal of an account: entries about positions, strategies and days, playbooks, templates, and bulk edits that can
//! be undone.
//!
//! An entry belongs to a key of the analytics, which this module does not interpret. Imports, undos and corrections change
//! no row here, so they cannot lose an entry; an entry whose key no position has any longer is listed by the edge and can
//! be attached to another position.
//!
//! Start reading at [`entry`], then `store.rs`.

mod edit;
pub mod entry;
mod error;
mod grpc;
mod playbook;
mod search_terms;
mod store;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::trader_journal::v1::trader_journal_service_server::TraderJournalServiceServer;
use sqlx::PgPool;
pub use store::{delete_account, delete_expired_rows};

/// Returns the service of the journals of accounts.
pub fn server(pool: PgPool) -> TraderJournalServiceServer<grpc::TraderJournals> {
    TraderJournalServiceServer::new(grpc::TraderJournals::new(store::Store::new(pool)))
}
