//! Shares bought before February 2018 and sold later, whose price of 31 January 2018 may count as their cost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::answer::{AnswerAction, ProposedAnswer};
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::adjustment::{Adjustment, AdjustmentKind};
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;
use crate::instrument::Instrument;
use crate::remark::Remark;
use crate::tax::sales_with_fair_value;

/// Sales of one share.
struct Sales {
    instrument: Arc<Instrument>,
    accounts: BTreeSet<BrokerAccount>,
    quantity: Decimal,
    last_day: Date,
    years: BTreeSet<FinancialYear>,
}

/// Returns an issue for each share whose price of that day is not entered. Its answer changes the tax pack only.
pub fn find(ledgers: Ledgers, adjustments: &[Adjustment]) -> Vec<DataIssue> {
    let is_fair_value = |adjustment: &&Adjustment| matches!(adjustment.kind, AdjustmentKind::FairValue(_));
    let index = AdjustmentIndex::new(adjustments);
    let has_price = |symbol: &str| index.for_share(symbol).iter().copied().any(|one| is_fair_value(&one));
    let mut by_symbol: BTreeMap<String, Sales> = BTreeMap::new();
    for (fill, quantity, sold) in ledgers.iter().flat_map(|ledger| sales_with_fair_value(ledger, &index)) {
        // Purchases before and after a rename are of one share.
        let symbol = index.latest_symbol(&fill.instrument.symbol.to_uppercase()).to_owned();
        let sales = by_symbol.entry(symbol).or_insert_with(|| Sales {
            instrument: fill.instrument.clone(),
            accounts: BTreeSet::new(),
            quantity: Decimal::ZERO,
            last_day: sold,
            years: BTreeSet::new(),
        });
        sales.accounts.insert(fill.account);
        sales.quantity += quantity;
        sales.last_day = sales.last_day.max(sold);
        sales.years.insert(FinancialYear::from_day(sold));
    }
    by_symbol.into_iter().filter(|(symbol, _)| !has_price(symbol)).map(to_issue).collect()
}

fn to_issue((symbol, sales): (String, Sales)) -> DataIssue {
    let details =
        Remark::new("fair_value").with("quantity", sales.quantity.normalize()).with("last_day", sales.last_day);
    let action = AnswerAction::AddFairValue { symbol: symbol.clone() };
    // The price is that of the share, but an issue of one account concerns the tax pack of that account only.
    let account = sales.accounts.first().copied().filter(|_| sales.accounts.len() == 1);
    DataIssue {
        account,
        instrument: Some(sales.instrument),
        day: Some(sales.last_day),
        answers: vec![ProposedAnswer::new("fair_value", action), ProposedAnswer::dismiss("cost_is_higher")],
        scope: Scope::None,
        years: sales.years,
        ..DataIssue::new(IssueKind::FairValue, None, &symbol, details)
    }
}
