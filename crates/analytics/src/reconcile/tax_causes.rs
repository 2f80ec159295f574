//! Causes of differences between closed lots and lines of a tax report. A cause is stated only if the log or the report
//! contains evidence for it.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::sums::{ClosedSums, PAISA};
use super::tax_line::{Line, LogLine};
use super::tax_report::{ReportHead, ReportLine};
use crate::instrument::Instrument;
use crate::remark::Remark;

/// Facts about one share or contract in the period.
#[derive(Default)]
pub(super) struct ShareFacts {
    /// Instrument in the log; none if the log has no trades in it.
    pub instrument: Option<Arc<Instrument>>,
    pub isin: String,
    pub log: ClosedSums,
    pub report: ClosedSums,
    /// Number of rows of the report.
    pub rows: i64,
    /// The log has a position in the contract that is open past its expiry.
    pub is_open_after_expiry: bool,
}

impl ShareFacts {
    /// Adds an instrument of the log. Of a share with several symbols the last in the alphabet is kept.
    pub fn add_instrument(&mut self, instrument: &Arc<Instrument>) {
        if self.symbol().is_none_or(|symbol| symbol < instrument.symbol.as_str()) {
            self.instrument = Some(instrument.clone());
        }
        if self.isin.is_empty() {
            self.isin.clone_from(&instrument.isin);
        }
    }

    /// Returns the symbol in the log.
    pub fn symbol(&self) -> Option<&str> {
        self.instrument.as_ref().map(|instrument| instrument.symbol.as_str())
    }

    /// Returns whether both sides closed the same quantity for the same values in the period.
    fn agrees(&self) -> bool {
        let (difference, tolerance) = (self.log.subtract(&self.report), PAISA * Decimal::from(self.rows));
        difference.quantity.is_zero()
            && difference.buy_value.abs() <= tolerance
            && difference.sell_value.abs() <= tolerance
    }
}

/// Facts about one share or contract on one day of exit.
#[derive(Default)]
pub(super) struct DayFacts {
    log: ClosedSums,
    report: ClosedSums,
    rows: i64,
    /// Number of days of entry on either side.
    pub entry_days: usize,
    has_corporate_action: bool,
    is_opening: bool,
    /// Quantity sold without a purchase.
    pub missing_cost_basis: Decimal,
}

impl DayFacts {
    pub fn add_lot(&mut self, lot: &LogLine) {
        self.log.add(&lot.sums);
        self.has_corporate_action |= lot.has_corporate_action;
        self.is_opening |= lot.is_opening;
    }

    pub fn add_report(&mut self, line: &ReportLine) {
        self.report.add(&line.sums);
        self.rows += line.rows;
    }

    /// Returns whether both sides sold the same quantity for the same value, with purchases of several days.
    fn has_other_lots(&self) -> bool {
        let difference = self.log.subtract(&self.report);
        self.entry_days > 1
            && difference.quantity.is_zero()
            && difference.sell_value.abs() <= PAISA * Decimal::from(self.rows)
    }
}

/// Returns the cause of the difference between both sides of a line.
pub(super) fn find_cause(line: &Line, exit_day: Date, day: &DayFacts, share: &ShareFacts) -> Remark {
    let difference = line.difference();
    let is_fewer = difference.quantity < Decimal::ZERO;
    if let Some((log, report)) = line.heads().filter(|_| line.sums_agree()) {
        return Remark::new("other_head").with("log", log.code()).with("report", report.code());
    }
    if let Some(cause) = cause_of_values(line, &difference) {
        return cause;
    }
    if is_fewer && day.missing_cost_basis > Decimal::ZERO {
        let quantity = day.missing_cost_basis.normalize();
        return Remark::new("missing_cost_basis").with("quantity", quantity).with("day", exit_day);
    }
    if day.has_corporate_action {
        return Remark::new("corporate_action");
    }
    if day.is_opening {
        return Remark::new("opening_cost");
    }
    if day.has_other_lots() {
        return Remark::new("other_lots").with("case", "day").with("day", exit_day);
    }
    if share.agrees() {
        return Remark::new("other_lots").with("case", "period");
    }
    if is_fewer && share.is_open_after_expiry {
        return Remark::new("expiry");
    }
    if line.log.as_ref().is_some_and(|log| log.is_manual) {
        return Remark::new("manual_trades");
    }
    match (&line.log, &line.report) {
        (None, Some(report)) => {
            let name = if report.symbol.is_empty() { &report.name } else { &report.symbol };
            match share.symbol() {
                Some(symbol) => Remark::new("only_in_report").with("symbol", symbol),
                None => Remark::new("trades_missing").with("symbol", name),
            }
        }
        (Some(_), None) => Remark::new("only_in_log"),
        _ => Remark::unknown_cause(),
    }
}

/// Returns the cause if both sides closed the same quantity for other values.
fn cause_of_values(line: &Line, difference: &ClosedSums) -> Option<Remark> {
    let (log, report) = (line.log.as_ref()?, line.report.as_ref()?);
    if !difference.quantity.is_zero() {
        return None;
    }
    if difference.max_amount() <= Decimal::ONE && log.head == report.head {
        return Some(Remark::new("rounding"));
    }
    let tolerance = line.tolerance();
    if log.head == ReportHead::Fno || difference.sell_value.abs() > tolerance {
        return None;
    }
    let is_raised =
        log.raised_cost > log.sums.buy_value && (log.raised_cost - report.sums.buy_value).abs() <= tolerance;
    if is_raised {
        return Some(Remark::new("raised_cost"));
    }
    (log.is_fair_value_unknown && difference.buy_value < Decimal::ZERO).then(|| Remark::new("fair_value_missing"))
}
