//! Charges of a financial year by kind of income.

use super::accounts::{TaxAccounts, closed_in};
use super::entries::{BusinessShares, TaxEntry};
use crate::analysis::Analysis;
use crate::charges::Charges;
use crate::fill::TradeKind;
use crate::financial_year::FinancialYear;

/// Charges of the trades that were closed in a year.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YearCharges {
    pub speculative: Charges,
    pub non_speculative: Charges,
    pub capital_gains: Charges,
}

impl YearCharges {
    pub fn new(analysis: &Analysis, year: FinancialYear, accounts: &TaxAccounts, entries: &[TaxEntry]) -> Self {
        let (mut sums, business_shares) = (Self::default(), BusinessShares::new(entries));
        for closed_trade in closed_in(analysis, year, accounts) {
            let sum = match closed_trade.kind {
                TradeKind::Intraday => &mut sums.speculative,
                TradeKind::Futures | TradeKind::Options => &mut sums.non_speculative,
                TradeKind::Delivery if business_shares.contain(closed_trade.account, year) => &mut sums.non_speculative,
                TradeKind::Delivery => &mut sums.capital_gains,
            };
            let Some(ledger) = analysis.ledger(closed_trade) else { continue };
            let lot_matches = ledger.lot_matches(&closed_trade.lot_matches).iter();
            for range in lot_matches.flat_map(|lot_match| [&lot_match.entry, &lot_match.exit]) {
                sum.add(&ledger.range_detail(range).map(|detail| detail.charges).unwrap_or_default());
            }
        }
        sums
    }
}
