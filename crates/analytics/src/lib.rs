//! Analysis of an account's trades: closed trades, charges, figures and taxes, exact to the paisa.
//!
//! Owns the schema `analytics`, which stores only what traders enter because no trade states it: adjustments, confirmed
//! strategies, and losses of the years before the log.
//! Trades are read from the trade log through its client, with the caller's credentials. Everything computed is cached
//! in memory per account and version, and can be recomputed at any time.
//!
//! Start reading at [`matching`] (lots and FIFO), then [`charges`], [`instrument_ledger`], [`analysis`], [`figures`]
//! and [`tax`]. Rates of charges are files in `rates/`, corporate actions of companies are in `events/`.

mod adjustment;
mod adjustment_index;
mod analysis;
mod arithmetic;
mod broker_terms;
mod brokerage_plan;
mod buyback_rules;
mod cache;
mod capital_returns;
mod charge_lines;
mod charge_rates;
mod charges;
mod closed_trade;
mod corporate_events;
mod data_issues;
mod error;
mod exchange;
mod expiry_calendar;
mod figures;
mod fill;
mod fill_key;
mod filter;
mod financial_year;
mod grpc;
mod instrument;
mod instrument_ledger;
mod issue_effects;
mod limits;
mod matching;
mod note_comparison;
mod overview;
mod parallel;
mod position;
mod position_lookup;
mod proposals;
mod rates_version;
mod reconcile;
mod remark;
mod securities;
mod service;
mod store;
mod strategies;
mod tax;
mod trade_log;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use sqlx::PgPool;
pub use store::delete_account;

/// Returns the gRPC service on this database, which reads trades through `trades`.
///
/// # Errors
/// If a rate file compiled into this program cannot be parsed.
pub fn server(
    pool: PgPool,
    trades: TradesServiceClient<Transport>,
) -> Result<AnalyticsServiceServer<grpc::Analytics>, Error> {
    let service = service::Service::new(store::Store::new(pool), trades, charge_rates::ChargeRates::load()?);
    Ok(AnalyticsServiceServer::new(grpc::Analytics::new(service)))
}
