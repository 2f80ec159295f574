//! Facts about one share or contract from both sides, from which the cause of a difference is found.

use std::collections::BTreeSet;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::sums::ClosedSums;
use crate::data_issues::DataIssue;
use crate::instrument::Instrument;

/// Sums of both sides for one share or contract, and facts that may explain their difference.
#[derive(Default)]
pub(super) struct Facts<'a> {
    pub log: Option<ClosedSums>,
    pub report: Option<ClosedSums>,
    /// Symbols in the trade log.
    pub symbols: BTreeSet<String>,
    /// Instrument of one of these symbols; a contract has only one.
    pub instrument: Option<Arc<Instrument>>,
    /// Symbol in the report; empty if it has none.
    pub report_symbol: String,
    /// Company's name in the report.
    pub name: String,
    pub isins: BTreeSet<String>,
    /// Number of trades up to the end of the period.
    pub trades: usize,
    /// Number of those trades that were entered or edited by the trader.
    pub manual_trades: usize,
    /// Quantity sold in the period without a purchase.
    pub missing_cost_basis: Decimal,
    /// Quantity closed on the first day of the period.
    pub closed_on_first_day: Decimal,
    /// Quantity closed on the last day of the period.
    pub closed_on_last_day: Decimal,
    /// Quantity closed by expiry.
    pub closed_at_expiry: Decimal,
    /// True if shares of an opening holding were closed.
    pub opening: bool,
    /// Quantity closed with a price that the trader entered: settlements and opening holdings.
    pub closed_at_entered_price: Decimal,
    /// Quantity that is open past its expiry.
    pub open_after_expiry: Decimal,
    /// True if that quantity was bought.
    pub open_after_expiry_long: bool,
    /// Open data issues.
    pub issues: Vec<&'a DataIssue>,
}

impl Facts<'_> {
    /// Returns the sums of the log minus those of the report; an absent side counts as 0.
    pub fn difference(&self) -> ClosedSums {
        self.log.unwrap_or_default().subtract(&self.report.unwrap_or_default())
    }

    /// Returns the symbol, or the name if there is none.
    pub fn symbol(&self) -> &str {
        let in_report = if self.report_symbol.is_empty() { &self.name } else { &self.report_symbol };
        self.symbols.last().unwrap_or(in_report)
    }
}
