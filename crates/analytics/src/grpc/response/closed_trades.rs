//! Responses with closed trades and open positions.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rpc::trades::v1::TimePrecision;
use rust_decimal::Decimal;

use crate::analysis::Analysis;
use crate::arithmetic::divide;
use crate::closed_trade::{ClosedTrade, Flags};
use crate::fill::Fill;
use crate::grpc::values::{
    format_day, format_decimal, format_expiry, format_optional, to_book, to_contract, to_count, to_direction,
    to_instrument, to_timestamp, to_trade_kind,
};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::{LotRange, OpenPosition};

/// Legs of a closed trade, per side.
const MAX_LEGS: usize = 100;
/// Items of each list of open positions.
const MAX_POSITIONS: usize = 500;

pub fn to_closed_trade(analysis: &Analysis, closed_trade: &ClosedTrade) -> wire::ClosedTrade {
    let ledger = analysis.ledger(closed_trade);
    let lot_matches = || ledger.into_iter().flat_map(|ledger| ledger.lot_matches(&closed_trade.lot_matches));
    let time_precision = if closed_trade.has_times { TimePrecision::Second } else { TimePrecision::Day };
    wire::ClosedTrade {
        id: closed_trade.id(),
        symbol: closed_trade.instrument.symbol.clone(),
        contract: to_contract(&closed_trade.instrument),
        underlying: closed_trade.instrument.underlying.clone(),
        instrument: to_instrument(closed_trade.instrument.class).into(),
        book: Some(to_book(closed_trade.account, closed_trade.instrument.is_contract())),
        kind: to_trade_kind(closed_trade.kind).into(),
        direction: to_direction(closed_trade.long).into(),
        quantity: format_decimal(closed_trade.quantity),
        opened_at: Some(to_timestamp(closed_trade.opened_at)),
        closed_at: Some(to_timestamp(closed_trade.closed_at)),
        time_precision: time_precision.into(),
        entry_value: format_decimal(closed_trade.entry_value),
        exit_value: format_decimal(closed_trade.exit_value),
        entry_price: format_optional(divide(closed_trade.entry_value, closed_trade.quantity)),
        exit_price: format_optional(divide(closed_trade.exit_value, closed_trade.quantity)),
        gross: format_decimal(closed_trade.gross),
        charges: format_decimal(closed_trade.charges),
        net: format_decimal(closed_trade.net),
        holding_seconds: closed_trade.holding_seconds(),
        setup: closed_trade.labels.as_ref().map(|labels| labels.setup.clone()).unwrap_or_default(),
        psychology: closed_trade.labels.as_ref().map(|labels| labels.psychology.clone()).unwrap_or_default(),
        initial_risk: format_optional(closed_trade.risk),
        r: format_optional(closed_trade.r()),
        flags: to_flags(closed_trade.flags, analysis.is_doubtful(closed_trade)),
        opening_legs: to_legs(ledger, lot_matches().map(|lot_match| &lot_match.entry)),
        closing_legs: to_legs(ledger, lot_matches().map(|lot_match| &lot_match.exit)),
    }
}

/// Returns the fills of lot ranges. Adjacent ranges of one lot are added up.
fn to_legs<'a>(ledger: Option<&InstrumentLedger>, ranges: impl Iterator<Item = &'a LotRange>) -> Vec<wire::Leg> {
    let mut legs: Vec<(usize, &Fill, Decimal, Decimal)> = Vec::new();
    for range in ranges {
        let Some(detail) = ledger.and_then(|ledger| ledger.range_detail(range)) else { continue };
        match legs.last_mut().filter(|(lot, ..)| *lot == range.lot) {
            Some((_, _, quantity, value)) => {
                *quantity += range.quantity();
                *value += detail.value;
            }
            None => legs.push((range.lot, detail.fill, range.quantity(), detail.value)),
        }
    }
    let leg = |(_, fill, quantity, value): (_, &Fill, _, _)| wire::Leg {
        trade_id: fill.trade_id,
        date: format_day(fill.day),
        quantity: format_decimal(quantity),
        value: format_decimal(value),
    };
    legs.into_iter().take(MAX_LEGS).map(leg).collect()
}

pub fn to_flags(flags: Flags, is_doubtful: bool) -> Vec<i32> {
    let all = [
        (flags.settled, wire::Flag::Settled),
        (flags.corporate_actions.split, wire::Flag::Split),
        (flags.bonus, wire::Flag::Bonus),
        (flags.corporate_actions.renamed, wire::Flag::Renamed),
        (flags.opening, wire::Flag::Opening),
        (flags.rates_missing, wire::Flag::RatesMissing),
        (flags.corporate_actions.merged, wire::Flag::Merged),
        (flags.corporate_actions.demerged, wire::Flag::Demerged),
        (flags.rights, wire::Flag::Rights),
        (flags.bought_back, wire::Flag::BoughtBack),
        (flags.corporate_actions.capital_returned, wire::Flag::CapitalReturned),
        (flags.fraction_paid, wire::Flag::FractionPaid),
        (flags.corporate_actions.contract_adjusted, wire::Flag::ContractAdjusted),
        (is_doubtful, wire::Flag::OpenIssue),
    ];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, flag)| flag.into()).collect()
}

/// Returns sales without a purchase, expired contracts and open positions, the newest first.
pub fn to_open_positions(analysis: &Analysis) -> wire::ListOpenPositionsResponse {
    let sales = analysis.ledgers().flat_map(|ledger| {
        ledger.missing_cost_basis().iter().filter_map(|range| Some((range, ledger.range_detail(range)?)))
    });
    let mut sales: Vec<(&LotRange, RangeDetail)> = sales.collect();
    sales.sort_by(|(_, one), (_, other)| other.fill.compare(one.fill));
    let mut positions: Vec<(&OpenPosition, &Fill)> = analysis.ledgers().flat_map(InstrumentLedger::positions).collect();
    positions.sort_by(|(_, one), (_, other)| other.compare(one));
    let (expired, open): (Vec<_>, Vec<_>) = positions.into_iter().partition(|(position, _)| position.expired);
    let first = |positions: &[(&OpenPosition, &Fill)]| {
        positions.iter().take(MAX_POSITIONS).map(|(position, fill)| to_open_position(position, fill)).collect()
    };
    wire::ListOpenPositionsResponse {
        missing_cost_basis_total: to_count(sales.len()),
        missing_cost_basis: sales
            .iter()
            .take(MAX_POSITIONS)
            .map(|(range, detail)| wire::MissingCostBasis {
                trade_id: detail.fill.trade_id,
                broker: detail.fill.account.broker.to_wire().into(),
                broker_account: to_wire_account_number(detail.fill.account.number),
                symbol: detail.fill.instrument.symbol.clone(),
                date: format_day(detail.fill.day),
                quantity: format_decimal(range.quantity()),
                value: format_decimal(detail.value),
            })
            .collect(),
        expired: first(&expired),
        expired_total: to_count(expired.len()),
        open: first(&open),
        open_total: to_count(open.len()),
    }
}

pub(super) fn to_open_position(position: &OpenPosition, fill: &Fill) -> wire::OpenPosition {
    let instrument = &position.instrument;
    wire::OpenPosition {
        symbol: instrument.symbol.clone(),
        contract: to_contract(instrument),
        instrument: to_instrument(instrument.class).into(),
        book: Some(to_book(fill.account, instrument.is_contract())),
        direction: to_direction(position.long).into(),
        quantity: format_decimal(position.quantity),
        value: format_decimal(position.value),
        opened_on: format_day(fill.day),
        expiry: instrument.expiry.map(format_expiry).unwrap_or_default(),
        awaiting_settlement: position.expired,
        fraction: position.fraction,
    }
}
