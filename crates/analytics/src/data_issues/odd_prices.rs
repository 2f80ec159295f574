//! Trades of shares and futures whose price is far from the other trades of the same day.

use rust_decimal::Decimal;

use super::answer::ProposedAnswer;
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::fill::{Fill, Source};
use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;

/// Ratio of a price to the median of the day above which it is odd. Exchanges stop a share without derivatives at 20 %
/// a day, so that both ends of a day differ by at most a half.
const ODD_PRICE_RATIO: Decimal = Decimal::from_parts(15, 0, 0, false, 1);
/// Trades of a day below which no price is typical.
const MIN_TRADES: usize = 2;

pub fn find(ledgers: Ledgers) -> Vec<DataIssue> {
    ledgers.iter().enumerate().flat_map(|(index, ledger)| find_in_ledger(index, ledger)).collect()
}

fn find_in_ledger(index: usize, ledger: &InstrumentLedger) -> Vec<DataIssue> {
    let is_checked = |fill: &&Fill| fill.source == Source::Trade && !fill.instrument.is_option();
    let fills: Vec<&Fill> = ledger.fills().filter(is_checked).collect();
    let days = fills.chunk_by(|one, other| one.day == other.day).filter(|fills| fills.len() >= MIN_TRADES);
    days.flat_map(|fills| odd_fills(fills)).map(|(fill, price, typical)| issue(index, fill, price, typical)).collect()
}

/// Returns the odd fills of a day with their price and the typical one. Of two fills that differ, the one that the
/// trader typed is odd; without such a one, neither is.
fn odd_fills<'a>(fills: &[&'a Fill]) -> Vec<(&'a Fill, Decimal, Decimal)> {
    let price = |fill: &Fill| fill.value.checked_div(fill.quantity).unwrap_or_default();
    let is_odd =
        |price: Decimal, typical: Decimal| price > typical * ODD_PRICE_RATIO || typical > price * ODD_PRICE_RATIO;
    if let [one, other] = fills {
        let (odd, typical) = if one.manual { (one, other) } else { (other, one) };
        let (price, typical) = (price(odd), price(typical));
        return if odd.manual && is_odd(price, typical) { vec![(odd, price, typical)] } else { Vec::new() };
    }
    let mut prices: Vec<Decimal> = fills.iter().map(|fill| price(fill)).collect();
    prices.sort_unstable();
    let Some(median) = prices.get(prices.len() / 2).copied() else { return Vec::new() };
    let odd = fills.iter().map(|fill| (*fill, price(fill), median));
    odd.filter(|(_, price, median)| is_odd(*price, *median)).collect()
}

fn issue(ledger: usize, fill: &Fill, price: Decimal, typical: Decimal) -> DataIssue {
    let details = Remark::new("odd_price")
        .with("quantity", fill.quantity.normalize())
        .with("day", fill.day)
        .with_amount("price", price)
        .with_amount("typical", typical);
    let mut issue = DataIssue::new(IssueKind::OddPrice, Some(fill.account), &fill.trade_id.to_string(), details);
    issue.years.insert(FinancialYear::from_day(fill.day));
    DataIssue {
        instrument: Some(fill.instrument.clone()),
        day: Some(fill.day),
        trade_id: fill.trade_id,
        answers: vec![ProposedAnswer::dismiss("price_is_right")],
        ledgers: vec![ledger],
        scope: Scope::Trade(fill.trade_id),
        ..issue
    }
}
