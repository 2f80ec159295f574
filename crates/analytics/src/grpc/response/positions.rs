//! Responses with positions.

use std::collections::BTreeMap;

use rpc::analytics::v1 as wire;
use rpc::trades::v1::{Side as WireSide, TimePrecision};
use rust_decimal::Decimal;
use time::Date;

use super::charges_and_taxes::to_charges;
use super::closed_trades::to_flags;
use crate::analysis::Analysis;
use crate::arithmetic::divide;
use crate::closed_trade::ClosedTrade;
use crate::fill::{Side, Source};
use crate::grpc::request::PositionQuery;
use crate::grpc::values::{
    format_day, format_decimal, format_optional, to_book, to_contract, to_count, to_direction, to_instrument,
    to_timestamp, to_trade_kind,
};
use crate::instrument_ledger::InstrumentLedger;
use crate::position::{ClosedLots, Position, PositionTrade, TradeResult};

/// Trades in the response of one position.
const MAX_POSITION_TRADES: usize = 500;

/// Returns a page of the positions that match a query: open ones, the newest first, then closed ones in its order.
pub fn to_position_page(analysis: &Analysis, query: &PositionQuery) -> wire::ListPositionsResponse {
    let open = find_open(analysis, query);
    let mut closed: Vec<&ClosedTrade> = if query.open == Some(true) {
        Vec::new()
    } else {
        let units = query.filter.units(analysis).into_iter();
        units.filter(|result| has_key(query, result)).collect()
    };
    query.order.sort(&mut closed);
    let all = open.iter().map(|(_, position)| &position.result).chain(closed.iter().copied());
    let total = open.len() + closed.len();
    let end = query.skip.saturating_add(query.page_size);
    let page: Vec<_> = all.clone().skip(query.skip).take(query.page_size).collect();
    let positions = page
        .iter()
        .filter_map(|result| Some(to_position(analysis, analysis.ledger(result)?, analysis.position(result)?)));
    wire::ListPositionsResponse {
        positions: positions.collect(),
        total: to_count(total),
        open: to_count(open.len()),
        days: to_days(&page, &closed),
        sums: Some(to_sums(open.iter().map(|(_, position)| &position.result), &closed)),
        next_page_token: if end < total { end.to_string() } else { String::new() },
    }
}

fn has_key(query: &PositionQuery, result: &ClosedTrade) -> bool {
    query.keys.is_empty() || result.position_key.is_some_and(|key| query.keys.contains(&key))
}

/// Returns the open positions that match a query, the newest first.
fn find_open<'a>(analysis: &'a Analysis, query: &PositionQuery) -> Vec<(&'a InstrumentLedger, &'a Position)> {
    if query.open == Some(false) {
        return Vec::new();
    }
    let positions =
        analysis.ledgers().flat_map(|ledger| ledger.positions.iter().map(move |position| (ledger, position)));
    let mut open: Vec<_> = positions
        .filter(|(ledger, position)| {
            let is_expired = ledger.open_part(position).is_some_and(|open| open.expired);
            !position.is_closed()
                && (is_expired || !query.awaiting_settlement)
                && has_key(query, &position.result)
                && query.filter.matches_at_any_time(position)
                && matches_expiry(query, position, is_expired)
        })
        .collect();
    open.sort_by(|(_, one), (_, other)| {
        let key = |position: &Position| (position.result.opened_at, position.key());
        key(other).cmp(&key(one))
    });
    open
}

/// Returns whether the expiry of a contract that awaits its settlement is in the period. Other open positions have not
/// ended and match every period.
fn matches_expiry(query: &PositionQuery, position: &Position, is_expired: bool) -> bool {
    !is_expired || position.result.instrument.expiry.is_none_or(|expiry| query.filter.matches_day(expiry.day))
}

/// Returns the sums of the days on which positions of the page were closed.
fn to_days(page: &[&ClosedTrade], closed: &[&ClosedTrade]) -> Vec<wire::PositionDay> {
    let mut days: BTreeMap<Date, (usize, Decimal, Decimal)> = BTreeMap::new();
    // Open positions are not among the closed ones, so the day on which one was reduced adds nothing.
    for result in page {
        days.entry(result.closed_day).or_default();
    }
    for result in closed {
        if let Some((positions, gross, charges)) = days.get_mut(&result.closed_day) {
            *positions += 1;
            *gross += result.gross;
            *charges += result.charges;
        }
    }
    let days = days.into_iter().rev().filter(|(_, (positions, ..))| *positions > 0);
    let day = |(date, (positions, gross, charges))| wire::PositionDay {
        date: format_day(date),
        positions: to_count(positions),
        gross: format_decimal(gross),
        charges: format_decimal(charges),
        net: format_decimal(gross - charges),
    };
    days.map(day).collect()
}

fn to_sums<'a>(open: impl Iterator<Item = &'a ClosedTrade>, closed: &[&ClosedTrade]) -> wire::PositionSums {
    let (mut gross, mut charges, mut open_net) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
    for result in open {
        gross += result.gross;
        charges += result.charges;
        open_net += result.net;
    }
    for result in closed {
        gross += result.gross;
        charges += result.charges;
    }
    wire::PositionSums {
        gross: format_decimal(gross),
        charges: format_decimal(charges),
        net: format_decimal(gross - charges),
        open_net: format_decimal(open_net),
    }
}

fn to_position(analysis: &Analysis, ledger: &InstrumentLedger, position: &Position) -> wire::Position {
    let (result, open) = (&position.result, ledger.open_part(position));
    let state = match open {
        None => wire::PositionState::Closed,
        Some(open) if open.expired => wire::PositionState::AwaitingSettlement,
        Some(_) => wire::PositionState::Open,
    };
    let (open_quantity, open_value) = open.map(|open| (open.quantity, open.value)).unwrap_or_default();
    let (quantity, entry_value) = (result.quantity + open_quantity, result.entry_value + open_value);
    let closed = position.is_closed().then_some(result);
    let labels = result.labels.as_deref();
    // A share may be renamed or merged after the first trade.
    let instrument = open.map_or(&result.instrument, |open| &open.instrument);
    wire::Position {
        id: result.id(),
        state: state.into(),
        symbol: instrument.symbol.clone(),
        contract: to_contract(instrument),
        underlying: instrument.underlying.clone(),
        instrument: to_instrument(instrument.class).into(),
        book: Some(to_book(result.account, instrument.is_contract())),
        kind: to_trade_kind(result.kind).into(),
        direction: to_direction(result.long).into(),
        quantity: format_decimal(quantity),
        open_quantity: format_decimal(open_quantity),
        opened_at: Some(to_timestamp(result.opened_at)),
        closed_at: closed.map(|result| to_timestamp(result.closed_at)),
        time_precision: if result.has_times { TimePrecision::Second } else { TimePrecision::Day }.into(),
        entry_value: format_decimal(entry_value),
        exit_value: format_decimal(result.exit_value),
        entry_price: format_decimal(divide(entry_value, quantity).unwrap_or_default()),
        exit_price: format_optional(divide(result.exit_value, result.quantity)),
        gross: format_decimal(result.gross),
        charges: format_decimal(result.charges),
        net: format_decimal(result.net),
        holding_seconds: closed.and_then(ClosedTrade::holding_seconds),
        setup: labels.map(|labels| labels.setup.clone()).unwrap_or_default(),
        psychology: labels.map(|labels| labels.psychology.clone()).unwrap_or_default(),
        flags: to_flags(result.flags, analysis.is_doubtful_position(position)),
        initial_risk: format_optional(result.risk),
        r: format_optional(closed.and_then(ClosedTrade::r)),
        closed_trades: to_count(position.closed_trades.len()),
    }
}

/// Returns a position with its trades and charges, without its strategies.
pub fn to_position_detail(
    analysis: &Analysis,
    ledger: &InstrumentLedger,
    position: &Position,
) -> wire::GetPositionResponse {
    let trades = ledger.position_trades(position);
    wire::GetPositionResponse {
        position: Some(to_position(analysis, ledger, position)),
        total_trades: to_count(trades.len()),
        trades: trades.into_iter().take(MAX_POSITION_TRADES).map(to_position_trade).collect(),
        charges: Some(to_charges(analysis.charges([&position.result].into_iter()))),
        stop_loss: format_optional(ledger.average_stop_loss(position)),
        strategies: Vec::new(),
    }
}

fn to_position_trade(trade: PositionTrade) -> wire::PositionTrade {
    let fill = trade.fill;
    let source = match fill.source {
        Source::Trade => wire::PositionTradeSource::Trade,
        Source::Opening => wire::PositionTradeSource::OpeningHolding,
        Source::Bonus => wire::PositionTradeSource::Bonus,
        Source::Settled => wire::PositionTradeSource::Settlement,
        Source::Delivered => wire::PositionTradeSource::Delivery,
        Source::Demerger => wire::PositionTradeSource::Demerger,
        Source::Rights => wire::PositionTradeSource::Rights,
        Source::Buyback { .. } => wire::PositionTradeSource::Buyback,
        Source::FractionPayment { .. } => wire::PositionTradeSource::FractionPayment,
    };
    let side = if fill.side == Side::Buy { WireSide::Buy } else { WireSide::Sell };
    let number = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let closed = trade.closed.as_ref();
    wire::PositionTrade {
        trade_id: fill.trade_id,
        source: source.into(),
        side: side.into(),
        executed_at: Some(to_timestamp(fill.executed_at)),
        time_precision: if fill.has_time { TimePrecision::Second } else { TimePrecision::Day }.into(),
        quantity: format_decimal(trade.quantity),
        value: format_decimal(trade.value),
        price: format_decimal(divide(trade.value, trade.quantity).unwrap_or_default()),
        charges: format_decimal(trade.charges),
        lot: trade.lot.map(number).unwrap_or_default(),
        closed_lots: closed.map(|closed| closed.numbers.iter().copied().map(number).collect()).unwrap_or_default(),
        gross: format_optional(closed.map(|closed| closed.gross)),
        net: format_optional(closed.map(ClosedLots::net)),
        stop_loss: format_optional(trade.stop_loss),
    }
}

pub fn to_trade_result(result: TradeResult) -> wire::TradeResult {
    let closed = result.closed.as_ref();
    wire::TradeResult {
        trade_id: result.trade_id,
        position_id: result.position.to_string(),
        closed_quantity: format_decimal(closed.map(|closed| closed.quantity).unwrap_or_default()),
        gross: format_optional(closed.map(|closed| closed.gross)),
        charges: format_optional(closed.map(|closed| closed.charges)),
        net: format_optional(closed.map(ClosedLots::net)),
    }
}
