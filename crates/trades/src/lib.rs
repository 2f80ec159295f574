//! The trade log of each account, in books by broker and segment; and the journals of the public pages.
//!
//! Owns the schema `trades`. It never reads a broker's file and knows nothing of passwords: who calls is what the
//! verified access token says.
//!
//! Start reading at [`trade`], then `service.rs`; for the journals at [`journal`].

mod contract;
mod cursor;
mod digest;
mod error;
mod grpc;
pub mod journal;
mod service;
mod store;
pub mod trade;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::journals::v1::journal_service_server::JournalServiceServer;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use sqlx::PgPool;
pub use store::{erase, sweep};

/// Connections to Postgres. Imports hold theirs for as long as a file is read, so they have their own and the rest
/// never waits for them.
#[derive(Clone)]
pub struct Pools {
    /// For everything short.
    pub requests: PgPool,
    /// For imports.
    pub imports: PgPool,
}

/// The service over its tables.
pub fn server(pools: Pools) -> TradesServiceServer<grpc::Trades> {
    with_limits(pools, service::StreamLimits::default())
}

/// The journals of the public pages, over their tables.
pub fn journals(pools: Pools) -> JournalServiceServer<grpc::journal::Journals> {
    JournalServiceServer::new(grpc::journal::Journals::new(store::Store::new(pools)))
}

fn with_limits(pools: Pools, limits: service::StreamLimits) -> TradesServiceServer<grpc::Trades> {
    TradesServiceServer::new(grpc::Trades::new(service::Service::new(store::Store::new(pools), limits)))
}
