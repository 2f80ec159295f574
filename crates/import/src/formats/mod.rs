//! File formats of the brokers. Each format is one file.
//!
//! # How to add a format
//!
//! 1. Write `formats/<broker>_<report>.rs`, modelled on `groww_stock_orders.rs`. It implements two traits:
//!    - [`format::Format`]: names of the format, its broker, where the broker offers the file, and `match_header`, which
//!      recognises the header row and finds the columns by their names. Include a column or title that no other broker
//!      has, so that files of other brokers do not match.
//!    - [`format::RowReader`]: converts a row to a trade, or to an issue with the column, a stable code and a message.
//!      Read the cells with [`trade_fields`], which applies the limits of the trade log.
//! 2. Give every trade a `source_key` that is the same in every export of the broker: the day, the exchange and the
//!    broker's trade or order id. For rows without an id use [`file_state::FileState::number_key`].
//! 3. Add the file to the modules below, and the format to [`ALL`].
//! 4. Write `tests/<broker>_<report>.rs` with the layouts of the file and the expected trades and issues. Build the file
//!    in `tests/fixtures/`, with invented names and numbers, and add it to the seeds in `tests/fuzz.rs`.
//!
//! A new broker also needs a value in the enum `Broker` of `proto/tradebahi/trades/v1/trades.proto` (the compiler then
//! reports every place that must handle it), a migration of the check `trade_broker`, and a value in `openapi.yaml`. The
//! broker's other reports, which have no trades, are listed in [`unsupported_reports`], with a message that names the
//! report to download instead.

mod angelone_trades;
mod contract_note;
mod date_order;
mod dhan_trades;
mod dhan_transactions;
pub(crate) mod file_state;
mod fivepaisa_transactions;
pub(crate) mod format;
mod fyers_tradebook;
mod groww_fno_pnl;
mod groww_stock_orders;
mod hdfcsecurities_trades;
pub(crate) mod header;
mod icicidirect_orders;
mod icicidirect_portfolio;
pub(crate) mod issue;
mod kotak_transactions;
pub(crate) mod mapped_table;
mod mapping_checks;
mod paytmmoney_tradebook;
mod prehashed_map;
pub(crate) mod row_position;
mod shares;
pub(crate) mod stated_charges;
pub(crate) mod trade_fields;
mod trade_row;
mod trade_warnings;
pub(crate) mod unsupported_reports;
mod upstox_trades;
mod zerodha_tradebook;

use rpc::trades::v1::Broker;

use self::contract_note::ContractNote;
use self::format::Format;

/// All supported formats.
pub(crate) static ALL: [&dyn Format; 18] = [
    &zerodha_tradebook::ZerodhaTradebook,
    &groww_stock_orders::GrowwStockOrders,
    &groww_fno_pnl::GrowwFnoPnl,
    &upstox_trades::UpstoxTrades,
    &angelone_trades::AngelOneTrades,
    &dhan_transactions::DhanTransactions,
    &dhan_trades::DhanTrades,
    &fyers_tradebook::FyersTradebook,
    &icicidirect_orders::IciciDirectOrders,
    &icicidirect_portfolio::IciciDirectPortfolio,
    &kotak_transactions::KotakTransactions,
    &paytmmoney_tradebook::PaytmMoneyTradebook,
    &fivepaisa_transactions::FivePaisaTransactions,
    &hdfcsecurities_trades::HdfcSecuritiesTrades,
    &ContractNote { name: "zerodha-contract-note", broker: Broker::Zerodha },
    &ContractNote { name: "groww-contract-note", broker: Broker::Groww },
    &ContractNote { name: "upstox-contract-note", broker: Broker::Upstox },
    &ContractNote { name: "dhan-contract-note", broker: Broker::Dhan },
];

/// Returns the format with this name.
pub(crate) fn find(name: &str) -> Option<&'static dyn Format> {
    let mapped: &dyn Format = &mapped_table::FORMAT;
    ALL.into_iter().chain([mapped]).find(|format| format.name() == name)
}
