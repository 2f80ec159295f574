//! Journals of the public pages: entries of whole trades that anyone may write, with or without an account.
//!
//! A journal belongs to whoever has its key, or to the account that claimed it.
//!
//! Start reading at [`entry`], then `grpc.rs`.

pub mod entry;
mod error;
mod grpc;
mod key;
mod store;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::journal::v1::journal_service_server::JournalServiceServer;
use sqlx::PgPool;
pub use store::{delete_account, delete_expired_rows};

/// Returns the service of the public journals.
pub fn server(pool: PgPool) -> JournalServiceServer<grpc::Journals> {
    JournalServiceServer::new(grpc::Journals::new(store::Store::new(pool)))
}
