//! Comparison of a broker's tax report with the closed lots of the log, line by line.
//!
//! A line is the quantity of one share or contract that was opened on one day and closed on one day, under one head of
//! income. Lots of the log and rows of the report are added up to such lines, because brokers split lots differently.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::sums::{ClosedSums, ComparedSum, PAISA};
use super::tax_lines::{self, ReconciledLine};
use super::tax_report::{ReportHead, ReportLine, TaxReport};
use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::remark::Remark;

/// Lines in a response.
pub const MAX_LINES: usize = 5_000;

/// Sums of one head on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReconciledHead {
    pub head: ReportHead,
    pub buy_value: ComparedSum,
    pub sell_value: ComparedSum,
    pub gross: ComparedSum,
}

/// Result of the comparison with a tax report. Differences are the value of the log minus that of the report.
#[derive(Debug)]
pub struct TaxReconciliation {
    /// Heads that at least one side has.
    pub heads: Vec<ReconciledHead>,
    /// Lines; those that differ come first.
    pub lines: Vec<ReconciledLine>,
    /// Number of lines that differ.
    pub differing_lines: usize,
    /// Parts of either side that are not in its sums.
    pub not_compared: Vec<Remark>,
}

impl TaxReconciliation {
    /// Compares a report with the log; none if the log has no trade of its account and segments. `isins` are pairs of a
    /// symbol of the log and its ISIN.
    pub fn new(analysis: &Analysis, report: &TaxReport, isins: &[(String, String)]) -> Option<Self> {
        report.trades(analysis).next()?;
        let lines = tax_lines::reconcile_lines(analysis, report, isins);
        Some(Self {
            heads: sum_heads(&lines),
            differing_lines: lines.iter().filter(|line| line.cause.is_some()).count(),
            not_compared: not_compared(analysis, report, lines.len()),
            lines,
        })
    }
}

fn sum_heads(lines: &[ReconciledLine]) -> Vec<ReconciledHead> {
    let mut sums: BTreeMap<ReportHead, [ClosedSums; 2]> = BTreeMap::new();
    for line in lines {
        for (side, index) in [(line.log, 0), (line.report, 1)] {
            if let Some((head, of_line)) = side
                && let Some(sum) = sums.entry(head).or_default().get_mut(index)
            {
                sum.add(&of_line);
            }
        }
    }
    let compare = |(head, [log, report]): (ReportHead, [ClosedSums; 2])| ReconciledHead {
        head,
        buy_value: ComparedSum { log: log.buy_value, report: report.buy_value },
        sell_value: ComparedSum { log: log.sell_value, report: report.sell_value },
        gross: ComparedSum { log: log.gross, report: report.gross },
    };
    sums.into_iter().map(compare).collect()
}

/// Returns remarks on the parts of either side that are not in its sums, and on the report.
fn not_compared(analysis: &Analysis, report: &TaxReport, line_count: usize) -> Vec<Remark> {
    let missing = report.missing_cost_basis(analysis).map(|(_, _, _, value)| value).sum::<Decimal>();
    let other_profits: Vec<_> = report.lines.iter().filter(|line| states_other_profit(line)).collect();
    let stated = other_profits.iter().map(|line| line.profit).sum();
    let sum = other_profits.iter().map(|line| line.sums.gross).sum();
    let remarks = [
        (report.is_unverified, Remark::new("unverified_layout")),
        (report.unread_rows > 0, Remark::new("unread_rows").with("count", report.unread_rows)),
        (
            !other_profits.is_empty(),
            Remark::new("profit_differs")
                .with("count", other_profits.len())
                .with_amount("stated", stated)
                .with_amount("sum", sum),
        ),
        (missing > Decimal::ZERO, Remark::new("missing_cost_basis").with_amount("value", missing)),
        (line_count > MAX_LINES, Remark::new("lines_not_listed").with("lines", line_count).with("max", MAX_LINES)),
    ];
    let skipped = report.skipped_sections.iter();
    let skipped = skipped.map(|(title, rows)| Remark::new("section_skipped").with("title", title).with("count", rows));
    let segments = [("equity", false), ("fno", true)].into_iter().filter_map(|(segment, contract)| {
        let is_left_out = |closed_trade: &&ClosedTrade| closed_trade.instrument.is_contract() == contract;
        let lots = || report.closed_in_period(analysis).filter(is_left_out).map(|one| one.lot_matches.len()).sum();
        let count: usize = if report.covers(contract) { 0 } else { lots() };
        (count > 0).then(|| Remark::new("segment_not_in_report").with("segment", segment).with("count", count))
    });
    remarks
        .into_iter()
        .filter_map(|(applies, remark)| applies.then_some(remark))
        .chain(skipped)
        .chain(segments)
        .collect()
}

/// Returns whether the stated profit is not the sell value minus the buy value, to one paisa per row.
fn states_other_profit(line: &ReportLine) -> bool {
    (line.profit - line.sums.gross).abs() > PAISA * Decimal::from(line.rows)
}
