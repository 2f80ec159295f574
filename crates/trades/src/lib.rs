//! The trade log of each account, in books by broker and segment.
//!
//! Owns the schema `trades`. It never reads a broker's file and knows nothing of passwords: who calls is what the
//! verified access token says.
//!
//! Start reading at [`trade`], then `service.rs`.

mod contract;
mod cursor;
mod digest;
mod error;
mod grpc;
mod service;
mod store;
pub mod trade;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use sqlx::PgPool;
pub use store::{delete_account, delete_expired_rows};

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

fn with_limits(pools: Pools, limits: service::StreamLimits) -> TradesServiceServer<grpc::Trades> {
    TradesServiceServer::new(grpc::Trades::new(service::Service::new(store::Store::new(pools), limits)))
}
