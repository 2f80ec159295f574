//! Ledgers worked by hand, and rules that hold for every ledger.

mod changes;
mod charges;
mod figures;
mod log;
mod matching;
mod property;
mod rates;
mod reconcile;
mod risk;
mod service;
mod tax;

use std::str::FromStr;
use std::sync::Arc;

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::macros::{date, format_description};
use time::{Date, PrimitiveDateTime, Time};

use crate::adjustment::{Adjustment, What};
use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::fill::{Broker, Exchange, Fill, INDIA, Side, Source};
use crate::group::Group;
use crate::instrument::Instrument;
use crate::log::instrument_of;
use crate::tariff::Tariff;

const TODAY: Date = date!(2026 - 11 - 20);

fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap()
}

fn day(text: &str) -> Date {
    Date::parse(text, format_description!("[year]-[month]-[day]")).unwrap()
}

/// Lines such as `2026-05-04 09:15 zerodha NSE buy INFY 10 1500.50 order-1 stop=1480`; `-` for no time, what follows the
/// price may be left out. Symbols that end in CE, PE or FUT are contracts.
fn ledger(lines: &str) -> Vec<Fill> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    (1..).zip(lines).map(|(trade_id, line)| fill(trade_id, line)).collect()
}

fn fill(trade_id: i64, line: &str) -> Fill {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (on, symbol) = (day(words[0]), words[5]);
    let time = match words[1] {
        "-" => Time::MIDNIGHT,
        time => Time::parse(time, format_description!("[hour]:[minute]")).unwrap(),
    };
    let is_contract = ["CE", "PE", "FUT"].iter().any(|end| symbol.ends_with(end));
    let quantity = decimal(words[6]);
    Fill {
        trade_id,
        source: Source::Trade,
        broker: Broker::from_name(words[2]).unwrap(),
        exchange: if words[3] == "NSE" { Exchange::Nse } else { Exchange::Bse },
        side: if words[4] == "buy" { Side::Buy } else { Side::Sell },
        instrument: Arc::new(if is_contract { contract(symbol, on) } else { Instrument::share(symbol) }),
        quantity,
        value: quantity * decimal(words[7]),
        at: PrimitiveDateTime::new(on, time).assume_offset(INDIA),
        day: on,
        timed: words[1] != "-",
        by_hand: words.get(9) == Some(&"hand"),
        order: words.get(8).filter(|order| !order.starts_with("stop=")).map(|order| (*order).into()),
        words: None,
        stop_loss: words.iter().find_map(|word| word.strip_prefix("stop=")).map(decimal),
    }
}

/// As the log tells it.
fn contract(symbol: &str, on: Date) -> Instrument {
    let told = instrument::parse_contract(symbol, on).map(|contract| wire::Contract {
        kind: match contract.kind {
            instrument::Kind::Future => wire::ContractKind::Future,
            instrument::Kind::Call => wire::ContractKind::Call,
            instrument::Kind::Put => wire::ContractKind::Put,
        }
        .into(),
        underlying: contract.underlying,
        expiry: contract.expiry,
        strike: String::new(),
    });
    told.and_then(|told| instrument_of(symbol, &told)).unwrap_or_else(|| Instrument::unknown(symbol))
}

fn entered(symbol: &str, on: &str, what: What) -> Adjustment {
    Adjustment { id: 1, symbol: symbol.to_owned(), day: day(on), what }
}

fn analysis(lines: &str, adjustments: &[Adjustment]) -> Analysis {
    Analysis::of(ledger(lines), adjustments, Tariff::of_files().unwrap(), TODAY)
}

/// `intraday long INFY 10: 15000 -> 15500 = 500`, in the order of closing.
fn said(closed_trade: &ClosedTrade) -> String {
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

fn first(analysis: &Analysis) -> &ClosedTrade {
    analysis.closed_trades().next().unwrap()
}

/// The sales without a purchase: trade and value.
fn missing_cost_basis(analysis: &Analysis) -> Vec<(i64, Decimal)> {
    let of_group = |group: &Group| -> Vec<(i64, Decimal)> {
        let origins = group.missing_cost_basis().iter().map(|slice| group.origin(slice).unwrap());
        origins.map(|origin| (origin.fill.trade_id, origin.value)).collect()
    };
    analysis.groups().flat_map(of_group).collect()
}

#[track_caller]
fn check(lines: &str, adjustments: &[Adjustment], closed_trades: &[&str]) -> Analysis {
    let analysis = analysis(lines, adjustments);
    let found: Vec<String> = analysis.closed_trades().map(said).collect();
    assert_eq!(found, closed_trades);
    analysis
}
