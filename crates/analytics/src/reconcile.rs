//! Reconciliation of a broker's profit and loss report or tax report with the trades: both sums, the difference, and its cause.
//!
//! Rows of shares and contracts are compared with the closed trades that closed in the report's period. Charges are
//! compared with the estimate for all trades of the period. A cause is stated only if the trade log or the report
//! contains evidence for it. A difference whose cause is an open data issue has a repair: its answer with the values of
//! the report. Brokerage of another plan has the prices of that plan.

mod brokerage_plan;
mod causes;
mod charges;
mod facts;
mod repairs;
mod report;
mod rows;
mod share_identity;
mod sums;
mod tax_causes;
mod tax_line;
mod tax_lines;
mod tax_reconciliation;
mod tax_report;

use rust_decimal::Decimal;

pub use self::charges::ReconciledCharge;
pub use self::repairs::Repair;
pub use self::report::{ChargeKind, Report, ReportChargeLine, ReportRow};
pub use self::rows::ReconciledRow;
pub use self::sums::{ClosedSums, ComparedSum};
pub use self::tax_lines::ReconciledLine;
pub use self::tax_reconciliation::{MAX_LINES, ReconciledHead, TaxReconciliation};
pub use self::tax_report::{MAX_REPORT_LINES, ReportHead, ReportLine, TaxReport};
use crate::analysis::Analysis;
use crate::remark::Remark;

/// Rows of a report, and rows in a response.
pub const MAX_ROWS: usize = 5_000;

/// Result of a reconciliation. Differences are the value of the log minus that of the report.
#[derive(Debug)]
pub struct Reconciliation {
    pub buy_value: ComparedSum,
    pub sell_value: ComparedSum,
    pub gross: ComparedSum,
    /// Sum of the charges that both sides state.
    pub charge_sum: ComparedSum,
    pub net: ComparedSum,
    /// Rows; those that differ come first.
    pub rows: Vec<ReconciledRow>,
    /// Number of rows that differ.
    pub differing_rows: usize,
    pub charges: Vec<ReconciledCharge>,
    /// Parts of either side that are not in its sums.
    pub not_compared: Vec<Remark>,
}

impl Reconciliation {
    /// Compares a report with the trades; none if there is no trade of its broker and segment. `isins` are pairs of a
    /// symbol of the trade log and its ISIN.
    pub fn new(analysis: &Analysis, report: &Report, isins: &[(String, String)]) -> Option<Self> {
        report.trades(analysis).next()?;
        let mut rows = rows::reconcile_rows(analysis, report, isins, &analysis.issues().issues);
        repairs::remove_ineffective(analysis, report, isins, &mut rows);
        let differing_rows = rows.iter().filter(|row| row.cause.is_some()).count();
        // Charges depend on the traded quantities.
        let same_trades = rows.iter().all(|row| row.difference().quantity.is_zero());
        let mut charges = charges::reconcile_charges(analysis, report, same_trades);
        for charge in &mut charges {
            if charge.cause.as_ref().is_some_and(|cause| cause.code == "plan") {
                charge.prices = brokerage_plan::find_prices(analysis, report, charge.report.unwrap_or_default());
            }
        }
        let sum = |field: fn(&ClosedSums) -> Decimal| ComparedSum {
            log: rows.iter().filter_map(|row| row.log.as_ref()).map(field).sum(),
            report: rows.iter().filter_map(|row| row.report.as_ref()).map(field).sum(),
        };
        let gross = sum(|sums| sums.gross);
        let both = || charges.iter().filter_map(|charge| charge.log.zip(charge.report));
        let charge_sum =
            ComparedSum { log: both().map(|(log, _)| log).sum(), report: both().map(|(_, report)| report).sum() };
        Some(Self {
            buy_value: sum(|sums| sums.buy_value),
            sell_value: sum(|sums| sums.sell_value),
            gross,
            charge_sum,
            net: gross.subtract(charge_sum),
            not_compared: not_compared(analysis, report, gross.report, rows.len()),
            rows,
            differing_rows,
            charges,
        })
    }

    pub fn agrees(&self) -> bool {
        self.differing_rows == 0 && self.charges.iter().all(|charge| charge.agrees)
    }
}

/// Returns remarks on the parts of either side that are not in its sums.
fn not_compared(analysis: &Analysis, report: &Report, sum_of_rows: Decimal, row_count: usize) -> Vec<Remark> {
    let stated = report.realised.unwrap_or(sum_of_rows);
    let (sales, value) = report
        .missing_cost_basis(analysis)
        .fold((0_usize, Decimal::ZERO), |(count, sum), (sale, _)| (count + 1, sum + sale.value));
    let remarks = [
        (report.unread_rows > 0, Remark::new("unread_rows").with("count", report.unread_rows)),
        (report.open_positions > 0, Remark::new("open_positions").with("count", report.open_positions)),
        (
            (stated - sum_of_rows).abs() > Decimal::ONE,
            Remark::new("total_differs").with_amount("stated", stated).with_amount("sum", sum_of_rows),
        ),
        (sales > 0, Remark::new("missing_cost_basis").with_amount("value", value)),
        (row_count > MAX_ROWS, Remark::new("rows_not_listed").with("rows", row_count).with("max", MAX_ROWS)),
    ];
    remarks.into_iter().filter_map(|(applies, remark)| applies.then_some(remark)).collect()
}
