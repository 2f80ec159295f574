//! Conversion of returns on capital.

use std::collections::HashMap;

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rpc::failure::Violation;
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive as _;
use time::Date;

use super::request::{MAX_SYMBOL_CHARS, parse_filter};
use super::values::{format_day, format_decimal, format_optional, format_optional_day, to_count};
use crate::capital_returns::{
    AccountReturns, Capital, CapitalQuery, CapitalReturns, MissingInput, PeriodReturnAbsence, RateAbsence, Returns,
    TimeWeightedAbsence, UnknownEntry,
};
use crate::error::{Error, INVALID};
use crate::fill::BrokerAccount;

/// Prices in one request; the URL of the REST request has them all.
const MAX_PRICES: usize = 200;
/// Exclusive limit of a price in rupees.
const MAX_PRICE: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);
/// Entries of an unknown kind that are named.
const MAX_NAMED_ENTRIES: usize = 20;
/// Gaps between ledgers that are named.
const MAX_NAMED_GAPS: usize = 20;
/// Symbols without a price, or with bonus shares, that are named.
const MAX_NAMED_SYMBOLS: usize = 20;

pub(super) fn parse_capital_query(request: wire::GetReturnsOnCapitalRequest) -> Result<CapitalQuery, Error> {
    let filter = parse_filter(request.filter, String::new())?;
    let invalid = || Violation::new("prices", INVALID).with("max", MAX_PRICES);
    if request.prices.len() > MAX_PRICES {
        return Err(invalid().into());
    }
    let parse_price = |one: wire::SymbolPrice| {
        let price = Decimal::from_str_exact(&one.price).ok();
        let is_valid = |price: &Decimal| price.scale() <= 4 && !price.is_sign_negative() && *price < MAX_PRICE;
        let is_symbol = (1..=MAX_SYMBOL_CHARS).contains(&one.symbol.chars().count());
        Ok((one.symbol, price.filter(is_valid).filter(|_| is_symbol).ok_or_else(invalid)?))
    };
    let prices: Result<HashMap<String, Decimal>, Violation> = request.prices.into_iter().map(parse_price).collect();
    Ok(CapitalQuery {
        from: filter.from,
        to: filter.to,
        broker: filter.broker,
        account_number: filter.account_number,
        prices: prices?,
    })
}

pub(super) fn to_returns_on_capital(returns: &CapitalReturns) -> wire::GetReturnsOnCapitalResponse {
    let accounts = returns.accounts.iter().map(|(account, returns)| to_account(*account, returns.as_ref()));
    wire::GetReturnsOnCapitalResponse { accounts: accounts.collect(), total: to_total(returns) }
}

/// Returns the sums of all accounts, with the rates of their joint capital.
fn to_total(returns: &CapitalReturns) -> Option<wire::CapitalReturns> {
    let joined = returns.total()?;
    let capitals = || returns.accounts.values().flatten().map(|account| &account.capital);
    Some(to_returns(&joined, &capitals().collect::<Vec<_>>()))
}

fn to_account(account: BrokerAccount, returns: Result<&AccountReturns, &MissingInput>) -> wire::AccountReturns {
    wire::AccountReturns {
        broker: account.broker.to_wire().into(),
        broker_account: to_wire_account_number(account.number),
        returns: returns.ok().map(|account| to_returns(&account.capital, &[&account.capital])),
        basis: returns.ok().map(to_basis),
        missing: returns.err().map(to_missing),
    }
}

/// Returns the sums of some capitals with the rates of the joint one.
fn to_returns(joined: &Capital, capitals: &[&Capital]) -> wire::CapitalReturns {
    let Returns { days, period, xirr, time_weighted, time_weighted_annual, is_approximate } = joined.returns();
    let sum = |part: fn(&Capital) -> Decimal| capitals.iter().map(|capital| part(capital)).sum::<Decimal>();
    let start_value = sum(|capital| capital.start_value);
    let deposits = sum(|capital| capital.sum(|day| day.deposits));
    let withdrawals = sum(|capital| capital.sum(|day| day.withdrawals));
    let transfers = sum(|capital| capital.sum(|day| day.transfers));
    let rate = xirr.ok().and_then(to_decimal);
    wire::CapitalReturns {
        from: format_day(joined.from),
        to: format_day(joined.to),
        days,
        start_value: format_decimal(start_value),
        deposits: format_decimal(deposits),
        withdrawals: format_decimal(withdrawals),
        transfers: format_decimal(transfers),
        invested: format_decimal(start_value + deposits - withdrawals + transfers),
        end_value: format_decimal(sum(Capital::end_value)),
        gain: format_decimal(sum(Capital::gain)),
        period_return: format_optional(period.ok().and_then(to_decimal)),
        period_return_status: match period {
            Ok(_) => wire::PeriodReturnStatus::Computed,
            Err(PeriodReturnAbsence::NoCapital) => wire::PeriodReturnStatus::NoCapital,
            Err(PeriodReturnAbsence::SmallAverage) => wire::PeriodReturnStatus::SmallAverage,
        }
        .into(),
        xirr: format_optional(rate),
        xirr_status: match xirr {
            Ok(_) if rate.is_some() => wire::XirrStatus::Computed,
            Err(RateAbsence::NoCapital) => wire::XirrStatus::NoCapital,
            Err(RateAbsence::ShortPeriod) => wire::XirrStatus::ShortPeriod,
            // A rate beyond the range of a decimal says nothing.
            Ok(_) | Err(RateAbsence::NoSingleRate) => wire::XirrStatus::NoSingleRate,
        }
        .into(),
        time_weighted: format_optional(time_weighted.ok().and_then(to_decimal)),
        time_weighted_status: match time_weighted {
            Ok(_) => wire::TimeWeightedStatus::Computed,
            Err(TimeWeightedAbsence::NoCapital) => wire::TimeWeightedStatus::NoCapital,
            Err(TimeWeightedAbsence::ResultWithoutCapital) => wire::TimeWeightedStatus::ResultWithoutCapital,
            Err(TimeWeightedAbsence::BelowZero) => wire::TimeWeightedStatus::BelowZero,
            Err(TimeWeightedAbsence::UnknownValue) => wire::TimeWeightedStatus::UnknownValue,
        }
        .into(),
        time_weighted_annual: format_optional(time_weighted_annual.and_then(to_decimal)),
        approximate: is_approximate,
    }
}

fn to_decimal(rate: f64) -> Option<Decimal> {
    Decimal::from_f64(rate)
}

fn to_basis(account: &AccountReturns) -> wire::CapitalBasis {
    wire::CapitalBasis {
        ledger_from: format_day(account.ledger_from),
        ledger_to: format_day(account.ledger_to),
        gaps: account.gaps.iter().take(MAX_NAMED_GAPS).map(to_gap).collect(),
        ledger_cash: format_decimal(account.ledger_cash),
        trade_after_ledger: format_optional_day(account.trade_after_ledger),
        open_positions: to_count(account.open_positions),
        positions_at_cost: to_count(account.positions_at_cost),
        symbols_without_price: account.symbols_without_price.iter().take(MAX_NAMED_SYMBOLS).cloned().collect(),
        bonus_without_cost: account.bonus_without_cost.iter().take(MAX_NAMED_SYMBOLS).cloned().collect(),
        start_at_cost: account.is_start_at_cost,
        difference: format_decimal(account.difference),
    }
}

fn to_gap((from, to): &(Date, Date)) -> wire::LedgerGap {
    wire::LedgerGap { from: format_day(*from), to: format_day(*to) }
}

fn to_missing(missing: &MissingInput) -> wire::MissingCapitalInput {
    let of_kind = |kind: wire::MissingCapitalKind| wire::MissingCapitalInput {
        kind: kind.into(),
        ..wire::MissingCapitalInput::default()
    };
    match missing {
        MissingInput::Ledger => of_kind(wire::MissingCapitalKind::Ledger),
        MissingInput::LedgerBalance => of_kind(wire::MissingCapitalKind::LedgerBalance),
        MissingInput::LedgerEntries { after, before, difference } => wire::MissingCapitalInput {
            from: format_day(*after),
            to: format_day(*before),
            difference: format_decimal(*difference),
            ..of_kind(wire::MissingCapitalKind::LedgerEntries)
        },
        MissingInput::LedgerOfPeriod { first_day, last_day } => wire::MissingCapitalInput {
            from: format_day(*first_day),
            to: format_day(*last_day),
            ..of_kind(wire::MissingCapitalKind::LedgerOfPeriod)
        },
        MissingInput::CostBasis { count } => {
            wire::MissingCapitalInput { count: to_count(*count), ..of_kind(wire::MissingCapitalKind::CostBasis) }
        }
        MissingInput::Settlements { count } => {
            wire::MissingCapitalInput { count: to_count(*count), ..of_kind(wire::MissingCapitalKind::Settlements) }
        }
        MissingInput::Trades(settlements) => wire::MissingCapitalInput {
            from: format_day(settlements.first_day),
            to: format_day(settlements.last_day),
            difference: format_decimal(settlements.difference),
            ..of_kind(wire::MissingCapitalKind::Trades)
        },
        MissingInput::OpenFutures { day, period } => wire::MissingCapitalInput {
            day: format_day(*day),
            from: format_optional_day(period.map(|(from, _)| from)),
            to: format_optional_day(period.map(|(_, to)| to)),
            ..of_kind(wire::MissingCapitalKind::OpenFutures)
        },
        MissingInput::UnsettledTrades { day, is_inside_ledger } => wire::MissingCapitalInput {
            day: format_day(*day),
            inside_ledger: *is_inside_ledger,
            ..of_kind(wire::MissingCapitalKind::UnsettledTrades)
        },
        MissingInput::UnknownEntries { count, entries } => wire::MissingCapitalInput {
            count: *count,
            entries: entries.iter().take(MAX_NAMED_ENTRIES).map(to_entry).collect(),
            ..of_kind(wire::MissingCapitalKind::UnknownEntries)
        },
        MissingInput::BlockedMargin { first_day } => wire::MissingCapitalInput {
            day: format_day(*first_day),
            ..of_kind(wire::MissingCapitalKind::BlockedMargin)
        },
        MissingInput::ReducedCost { count } => {
            wire::MissingCapitalInput { count: to_count(*count), ..of_kind(wire::MissingCapitalKind::ReducedCost) }
        }
    }
}

fn to_entry(entry: &UnknownEntry) -> wire::UnknownLedgerEntry {
    wire::UnknownLedgerEntry {
        day: format_day(entry.day),
        text: entry.text.clone(),
        amount: format_decimal(entry.amount),
    }
}
