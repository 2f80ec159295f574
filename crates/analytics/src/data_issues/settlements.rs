//! Contracts that expired while open and await their settlement, one issue for each contract.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::answer::{AnswerAction, ProposedAnswer};
use super::issue::{DataIssue, IssueKind, Ledgers};
use super::underlying_bounds::{Moneyness, UnderlyingBounds};
use crate::adjustment::{Adjustment, AdjustmentKind};
use crate::arithmetic::divide;
use crate::fill::Fill;
use crate::financial_year::FinancialYear;
use crate::matching::OpenPosition;
use crate::remark::Remark;

pub fn find(ledgers: Ledgers) -> Vec<DataIssue> {
    // A contract may be open in several accounts; one settlement applies to all of them.
    let mut by_contract: BTreeMap<String, Vec<(&OpenPosition, &Fill)>> = BTreeMap::new();
    let positions = ledgers.iter().flat_map(|ledger| ledger.positions());
    for (position, fill) in positions.filter(|(position, _)| position.expired) {
        by_contract.entry(position.instrument.symbol.to_uppercase()).or_default().push((position, fill));
    }
    let bounds =
        UnderlyingBounds::new(ledgers, by_contract.values().flatten().map(|(position, _)| &*position.instrument));
    by_contract.iter().filter_map(|(symbol, positions)| settlement_issue(symbol, positions, &bounds)).collect()
}

fn settlement_issue(
    symbol: &str,
    positions: &[(&OpenPosition, &Fill)],
    bounds: &UnderlyingBounds,
) -> Option<DataIssue> {
    let (position, fill) = positions.first()?;
    let instrument = &position.instrument;
    let expiry = instrument.expiry?;
    let quantity: Decimal = positions.iter().map(|(position, _)| position.quantity).sum();
    let value: Decimal = positions.iter().map(|(position, _)| position.value).sum();
    let moneyness = bounds.moneyness(instrument);
    let (evidence, bound) = match &moneyness {
        Some(Moneyness::Out(code, bound) | Moneyness::In(code, bound)) => (*code, Some(*bound)),
        None => ("none", None),
    };
    let details = Remark::new(if instrument.is_option() { "expired_option" } else { "expired_future" })
        .with("side", if position.long { "long" } else { "short" })
        .with("quantity", quantity.normalize())
        .with_amount("price", divide(value, quantity).unwrap_or_default())
        .with("underlying", &instrument.underlying)
        .with("evidence", evidence)
        .with_amount("bound", bound.unwrap_or_default());
    let settlement = |price| Adjustment {
        id: 0,
        symbol: symbol.to_owned(),
        day: expiry.day,
        kind: AdjustmentKind::Settlement(price),
    };
    let worthless = || ProposedAnswer::new("worthless", AnswerAction::Add(vec![settlement(Decimal::ZERO)]));
    let settled = AnswerAction::AddSettlement {
        symbol: symbol.to_owned(),
        day: expiry.exact.then_some(expiry.day),
        latest_day: expiry.day,
    };
    let settled = ProposedAnswer::new("settled", settled);
    let answers = match moneyness {
        _ if !instrument.is_option() => vec![settled],
        Some(Moneyness::In(..)) => vec![settled, worthless()],
        Some(Moneyness::Out(..)) => vec![worthless().likely(true), settled],
        None => vec![worthless(), settled],
    };
    let account = if positions.len() == 1 { Some(fill.account) } else { None };
    let mut issue = DataIssue::new(IssueKind::Settlement, None, symbol, details);
    issue.years.insert(FinancialYear::from_day(expiry.day));
    Some(DataIssue { account, instrument: Some(instrument.clone()), day: Some(expiry.day), answers, ..issue })
}
