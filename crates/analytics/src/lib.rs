//! What the trades of an account say, to the paisa: closed trades, charges, figures, taxes.
//!
//! Owns the schema `analytics`, which holds no more than what traders enter because no trade says it. The trades it
//! reads through a client of the trade log, as whoever asks; what it works out of them is kept in memory, for each
//! account and version, and can be worked out again at any time.
//!
//! Start reading at [`matching`] (which sale belongs to which purchase), then [`charges`], [`group`], [`analysis`],
//! [`figures`] and [`tax`]; rates are files in `rates/`.

mod adjustment;
mod analysis;
mod cache;
mod charge_lines;
mod charges;
mod closed_trade;
mod cores;
mod error;
mod figures;
mod fill;
mod filter;
mod group;
mod grpc;
mod instrument;
mod log;
mod matching;
mod overview;
mod reconcile;
mod service;
mod store;
mod tariff;
mod tax;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use sqlx::PgPool;
pub use store::erase;

/// The service over its tables and the trade log.
///
/// # Errors
/// When a table of rates in this program cannot be read.
pub fn server(
    pool: PgPool,
    trades: TradesServiceClient<Transport>,
) -> Result<AnalyticsServiceServer<grpc::Analytics>, Error> {
    let service = service::Service::new(store::Store::new(pool), trades, tariff::Tariff::of_files()?);
    Ok(AnalyticsServiceServer::new(grpc::Analytics::new(service)))
}
