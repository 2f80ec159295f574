//! Shares bought before February 2018 and sold later, whose price of 31 January 2018 may count as their cost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::answer::{AnswerAction, ProposedAnswer};
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::{BrokerAccount, Fill};
use crate::financial_year::FinancialYear;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;
use crate::tax::{FAIR_VALUE_DAY, FairValue};

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
    let index = AdjustmentIndex::new(adjustments);
    let mut by_symbol: BTreeMap<String, Sales> = BTreeMap::new();
    for (fill, quantity, sold) in ledgers.iter().flat_map(|ledger| sales_without_value(ledger, &index)) {
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
    by_symbol.into_iter().map(to_issue).collect()
}

/// Returns the sales of a ledger for which the price may count and is not entered: fills of purchase, quantities in their
/// units, and days of sale.
fn sales_without_value<'a>(
    ledger: &'a InstrumentLedger,
    adjustments: &'a AdjustmentIndex,
) -> impl Iterator<Item = (&'a Fill, Decimal, Date)> {
    let closed_trades = ledger.closed_trades.iter().filter(|closed_trade| closed_trade.opened_day <= FAIR_VALUE_DAY);
    let lot_matches = closed_trades.flat_map(|closed_trade| ledger.lot_matches(&closed_trade.lot_matches));
    lot_matches.filter_map(move |lot_match| {
        let (bought, sold) = (ledger.fill_of_lot(lot_match.entry.lot)?, ledger.fill_of_lot(lot_match.exit.lot)?);
        let quantity = lot_match.entry.quantity();
        let value = FairValue::new(bought, quantity, sold.day, adjustments);
        (value == FairValue::Unknown).then_some((bought, quantity, sold.day))
    })
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
