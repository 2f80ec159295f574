//! The trade log of each account, in books by broker and segment.
//!
//! Owns the schema `trades`. This crate does not parse broker files and does not know passwords: the verified access
//! token identifies the caller.
//!
//! Start reading at [`trade`], then `service.rs`.

mod broker_account_settings;
mod contract;
mod contract_note;
mod cursor;
mod error;
mod grpc;
mod ledger;
mod pools;
mod request_digest;
mod search;
mod service;
mod store;
pub mod trade;
mod trade_limit;
mod validation;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use pools::Pools;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
pub use store::{delete_account, delete_expired_rows};

/// Returns the trade log service.
pub fn server(pools: Pools) -> TradesServiceServer<grpc::Trades> {
    server_with_limits(pools, service::StreamLimits::default())
}

fn server_with_limits(pools: Pools, limits: service::StreamLimits) -> TradesServiceServer<grpc::Trades> {
    TradesServiceServer::new(grpc::Trades::new(service::Service::new(store::Store::new(pools), limits)))
}
