//! Tests with ledgers computed by hand, and properties of random ledgers.

mod broker_terms;
mod capital_returns;
mod changes;
mod charge_rates;
mod charges;
mod classes;
mod contract_notes;
mod corporate_actions;
mod data_issues;
mod deliveries;
mod figures;
mod losses;
mod matching;
mod positions;
mod property;
mod proposals;
mod reconcile;
mod return_lines;
mod risk;
mod service;
mod strategies;
mod tax;
mod tax_entries;
mod trade_log;
mod worked_cases;

use std::cmp::Reverse;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::macros::{date, format_description};
use time::{Date, PrimitiveDateTime, Time};

use crate::adjustment::{Adjustment, AdjustmentKind};
use crate::analysis::Analysis;
use crate::charge_rates::ChargeRates;
use crate::closed_trade::ClosedTrade;
use crate::exchange::Exchange;
use crate::fill::{Broker, BrokerAccount, Fill, INDIA, Side, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::proposals::{Proposal, join_proposals};
use crate::securities::is_trade_to_trade;
use crate::trade_log::parse_contract;

const TODAY: Date = date!(2026 - 11 - 20);

fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap()
}

/// Returns the first account with a broker.
fn account(broker: Broker) -> BrokerAccount {
    BrokerAccount { broker, number: 1 }
}

fn day(text: &str) -> Date {
    Date::parse(text, format_description!("[year]-[month]-[day]")).unwrap()
}

/// Parses lines such as `2026-05-04 09:15 zerodha NSE buy INFY 10 1500.50 order-1 stop=1480`. `-` means no time; fields
/// after the price are optional, also `series=BE` and `isin=INE009A01021`. `zerodha-2` is a second account. Symbols that end in CE, PE or FUT are
/// contracts.
fn ledger(lines: &str) -> Vec<Fill> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    (1..).zip(lines).map(|(trade_id, line)| fill(trade_id, line)).collect()
}

fn fill(trade_id: i64, line: &str) -> Fill {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (on, symbol) = (day(fields[0]), fields[5]);
    let time = match fields[1] {
        "-" => Time::MIDNIGHT,
        time => Time::parse(time, format_description!("[hour]:[minute]")).unwrap(),
    };
    let isin = fields.iter().find_map(|field| field.strip_prefix("isin=")).unwrap_or_default();
    let is_contract = isin.is_empty() && ["CE", "PE", "FUT"].iter().any(|end| symbol.ends_with(end));
    let quantity = decimal(fields[6]);
    let exchange = if matches!(fields[3], "NSE" | "NFO") { Exchange::Nse } else { Exchange::Bse };
    let series = fields.iter().find_map(|field| field.strip_prefix("series=")).unwrap_or_default();
    Fill {
        trade_id,
        key: FillKey::from_trade_id(trade_id),
        source: Source::Trade,
        account: BrokerAccount::from_key(fields[2]).unwrap(),
        exchange,
        side: if fields[4] == "buy" { Side::Buy } else { Side::Sell },
        delivery_only: is_trade_to_trade(exchange, series),
        instrument: Arc::new(if is_contract {
            contract(exchange, symbol, on)
        } else {
            Instrument::listed(exchange, symbol, isin, series)
        }),
        quantity,
        value: quantity * decimal(fields[7]),
        executed_at: PrimitiveDateTime::new(on, time).assume_offset(INDIA),
        day: on,
        has_time: fields[1] != "-",
        manual: fields.get(9) == Some(&"hand"),
        order_id: fields.get(8).filter(|order| !order.contains('=')).map(|order| (*order).into()),
        labels: None,
        stop_loss: fields.iter().find_map(|field| field.strip_prefix("stop=")).map(decimal),
    }
}

/// Returns the contract as the trade log sends it.
fn contract(exchange: Exchange, symbol: &str, traded: Date) -> Instrument {
    let contract = instrument::parse_contract(symbol, traded).map(|contract| wire::Contract {
        kind: match contract.kind {
            instrument::Kind::Future => wire::ContractKind::Future,
            instrument::Kind::Call => wire::ContractKind::Call,
            instrument::Kind::Put => wire::ContractKind::Put,
        }
        .into(),
        underlying: contract.underlying,
        expiry: contract.expiry,
        strike: contract.strike.map(|strike| strike.to_string()).unwrap_or_default(),
    });
    let instrument = contract.and_then(|contract| parse_contract(exchange, symbol, &contract));
    instrument.unwrap_or_else(|| Instrument::from_unparsed_symbol(symbol))
}

fn adjustment(symbol: &str, on: &str, kind: AdjustmentKind) -> Adjustment {
    Adjustment { id: 1, symbol: symbol.to_owned(), day: day(on), kind }
}

fn analysis(lines: &str, adjustments: &[Adjustment]) -> Analysis {
    Analysis::new(ledger(lines), adjustments, ChargeRates::load().unwrap(), TODAY)
}

/// Formats a closed trade, such as `intraday long INFY 10: 15000 -> 15500 = 500`.
/// Charge rates without any rate: all results are those before charges.
fn no_charges() -> &'static ChargeRates {
    static RATES: LazyLock<ChargeRates> = LazyLock::new(ChargeRates::empty);
    &RATES
}

fn describe(closed_trade: &ClosedTrade) -> String {
    format!(
        "{} {} {} {}: {} -> {} = {}",
        closed_trade.kind.name(),
        if closed_trade.long { "long" } else { "short" },
        closed_trade.instrument.symbol,
        closed_trade.quantity.normalize(),
        closed_trade.entry_value.normalize(),
        closed_trade.exit_value.normalize(),
        closed_trade.gross.normalize()
    )
}

/// Returns the proposed corporate actions, the newest first.
fn proposals(analysis: &Analysis) -> Vec<Proposal> {
    let joined = join_proposals(analysis.ledgers().map(|ledger| &ledger.proposals));
    let mut proposals: Vec<Proposal> = joined.into_iter().map(|(proposal, _)| proposal).collect();
    proposals.sort_by_key(|proposal| (Reverse(proposal.adjustment.day), Reverse(proposal.adjustment.symbol.clone())));
    proposals
}

fn first_closed_trade(analysis: &Analysis) -> &ClosedTrade {
    analysis.closed_trades().next().unwrap()
}

/// Returns the sales without a purchase: trade number and value.
fn missing_cost_basis(analysis: &Analysis) -> Vec<(i64, Decimal)> {
    let in_ledger = |ledger: &InstrumentLedger| -> Vec<(i64, Decimal)> {
        let details = ledger.missing_cost_basis().iter().map(|range| ledger.range_detail(range).unwrap());
        details.map(|detail| (detail.fill.trade_id, detail.value)).collect()
    };
    analysis.ledgers().flat_map(in_ledger).collect()
}

/// Asserts the closed trades of a ledger, in the order of closing.
#[track_caller]
fn check(lines: &str, adjustments: &[Adjustment], closed_trades: &[&str]) -> Analysis {
    let analysis = analysis(lines, adjustments);
    let actual: Vec<String> = analysis.closed_trades().map(describe).collect();
    assert_eq!(actual, closed_trades);
    analysis
}
