//! Shares that were sold without a purchase, one issue for each symbol and account.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::answer::{AnswerAction, ProposedAnswer};
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;
use crate::proposals::Evidence;
use crate::remark::Remark;

pub fn find(ledgers: Ledgers) -> Vec<DataIssue> {
    ledgers.iter().enumerate().filter_map(|(index, ledger)| find_in_ledger(index, ledger)).collect()
}

fn find_in_ledger(index: usize, ledger: &InstrumentLedger) -> Option<DataIssue> {
    // A likely corporate action explains the sales; its answer leaves those that it does not.
    let explains = |evidence: &Evidence| matches!(evidence, Evidence::SoldMoreThanHeld { .. });
    if ledger.proposals.iter().any(|proposal| proposal.is_likely() && proposal.evidence.iter().any(explains)) {
        return None;
    }
    let ranges = ledger.missing_cost_basis().iter();
    let sales: Vec<_> = ranges.filter_map(|range| Some((range.quantity(), ledger.range_detail(range)?))).collect();
    let (_, first) = sales.iter().min_by_key(|(_, sale)| sale.fill.day)?;
    let (_, last) = sales.iter().max_by_key(|(_, sale)| sale.fill.day)?;
    let (account, symbol) = (first.fill.account, last.fill.instrument.symbol.clone());
    let quantity: Decimal = sales.iter().map(|(quantity, _)| *quantity).sum();
    let details = Remark::new("missing_cost")
        .with("count", sales.len())
        .with("quantity", quantity.normalize())
        .with("first_day", first.fill.day)
        .with("last_day", last.fill.day)
        .with("days", if first.fill.day == last.fill.day { "one" } else { "several" })
        .with_amount("value", sales.iter().map(|(_, sale)| sale.value).sum());
    // The opening holding has the symbol under which the shares were sold first, so that later renames apply to it.
    let opening_symbol = first.fill.instrument.symbol.clone();
    let action = AnswerAction::AddOpening { account, symbol: opening_symbol, quantity, latest_day: first.fill.day };
    let years: BTreeSet<FinancialYear> = sales.iter().map(|(_, sale)| FinancialYear::from_day(sale.fill.day)).collect();
    Some(DataIssue {
        instrument: Some(last.fill.instrument.clone()),
        day: Some(first.fill.day),
        answers: vec![ProposedAnswer::new("bought", action)],
        ledgers: vec![index],
        scope: Scope::Delivery,
        years,
        ..DataIssue::new(IssueKind::MissingCost, Some(account), &symbol, details)
    })
}
