//! Lines of both sides: closed lots of the log paired with the rows of a tax report, each with the cause of a difference.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use time::Date;

use super::share_identity::{ShareId, ShareIdentities};
use super::sums::ClosedSums;
use super::tax_causes::{self, DayFacts, ShareFacts};
use super::tax_line::{Line, LogLine, UnpairedLines, pair};
use super::tax_report::{ReportHead, TaxReport};
use crate::adjustment_index::AdjustmentIndex;
use crate::analysis::Analysis;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;

/// Comparison of the quantity of a share or contract that was opened on one day and closed on one day.
#[derive(Debug, PartialEq, Eq)]
pub struct ReconciledLine {
    /// As in [`super::ReconciledRow`].
    pub symbol: String,
    pub isin: String,
    pub name: String,
    pub entry_day: Date,
    pub exit_day: Date,
    pub log: Option<(ReportHead, ClosedSums)>,
    pub report: Option<(ReportHead, ClosedSums)>,
    /// Instrument in the log; none if the log has no trades in it.
    pub instrument: Option<Arc<Instrument>>,
    /// Cause of the difference; none if both sides agree.
    pub cause: Option<Remark>,
}

impl ReconciledLine {
    /// Returns the sums of the log minus those of the report; an absent side counts as 0.
    pub fn difference(&self) -> ClosedSums {
        let sums = |side: Option<(ReportHead, ClosedSums)>| side.map(|(_, sums)| sums).unwrap_or_default();
        sums(self.log).subtract(&sums(self.report))
    }
}

/// Compares all lines of either side. Lines that differ come first, the largest difference first.
pub(super) fn reconcile_lines(
    analysis: &Analysis,
    report: &TaxReport,
    isins: &[(String, String)],
) -> Vec<ReconciledLine> {
    let mut collector = LineCollector::default();
    isins.iter().for_each(|(symbol, isin)| collector.identities.join_symbol(symbol, isin));
    collector.identities.join_renames(analysis, report.closed_trades(analysis));
    report.lines.iter().for_each(|line| collector.identities.join_symbol(&line.symbol, &line.isin));
    collector.add_log(analysis, report);
    collector.add_report(report);
    let mut lines = collector.into_lines(report);
    let size = |line: &ReconciledLine| {
        let difference = line.cause.is_some().then(|| line.difference());
        difference.map(|sums| (sums.gross.abs(), sums.quantity.abs()))
    };
    let place = |line: &ReconciledLine| (line.exit_day, line.symbol.clone(), line.name.clone(), line.entry_day);
    lines.sort_by_cached_key(|line| (std::cmp::Reverse(size(line)), place(line)));
    lines
}

/// Collects the lines of both sides, and facts that may explain a difference.
#[derive(Default)]
struct LineCollector {
    identities: ShareIdentities,
    /// Facts by the root of the share's identifiers.
    shares: HashMap<usize, ShareFacts>,
    /// Lines by share, day of exit and day of entry.
    lines: BTreeMap<(usize, Date, Date), UnpairedLines>,
    /// Facts by share and day of exit.
    days: HashMap<(usize, Date), DayFacts>,
}

impl LineCollector {
    fn root(&mut self, id: ShareId) -> usize {
        let index = self.identities.index(id);
        self.identities.root(index)
    }

    fn add_log(&mut self, analysis: &Analysis, report: &TaxReport) {
        let instruments: HashMap<&str, &Arc<Instrument>> =
            report.trades(analysis).map(|fill| (fill.instrument.symbol.as_str(), &fill.instrument)).collect();
        for (symbol, instrument) in instruments {
            let root = self.root(ShareId::symbol(symbol));
            self.shares.entry(root).or_default().add_instrument(instrument);
        }
        let adjustments = AdjustmentIndex::new(analysis.adjustments());
        for closed_trade in report.closed_trades(analysis) {
            let Some(ledger) = analysis.ledger(closed_trade) else { continue };
            let root = self.root(ShareId::symbol(&closed_trade.instrument.symbol));
            self.shares.entry(root).or_default().add_instrument(&closed_trade.instrument);
            for lot_match in ledger.lot_matches(&closed_trade.lot_matches) {
                if let Some((line, days)) = LogLine::new(ledger, &adjustments, closed_trade, lot_match) {
                    self.add_lot(root, days, line);
                }
            }
        }
        for (symbol, day, quantity, _) in report.missing_cost_basis(analysis) {
            let root = self.root(ShareId::symbol(symbol));
            self.days.entry((root, day)).or_default().missing_cost_basis += quantity;
        }
        let positions = analysis.ledgers().flat_map(InstrumentLedger::positions);
        let expired = positions.filter(|(position, fill)| position.expired && fill.account == report.account);
        let expired: HashSet<&str> = expired.map(|(_, fill)| fill.instrument.symbol.as_str()).collect();
        for symbol in expired {
            let root = self.root(ShareId::symbol(symbol));
            self.shares.entry(root).or_default().is_open_after_expiry = true;
        }
    }

    fn add_lot(&mut self, root: usize, [entry_day, exit_day]: [Date; 2], lot: LogLine) {
        self.days.entry((root, exit_day)).or_default().add_lot(&lot);
        self.shares.entry(root).or_default().log.add(&lot.sums);
        let lines = &mut self.lines.entry((root, exit_day, entry_day)).or_default().log;
        match lines.iter_mut().find(|line| line.head == lot.head) {
            Some(line) => line.add(&lot),
            None => lines.push(lot),
        }
    }

    fn add_report(&mut self, report: &TaxReport) {
        for line in &report.lines {
            let root = self.root(ShareId::from_row(&line.symbol, &line.isin, &line.name));
            let share = self.shares.entry(root).or_default();
            share.report.add(&line.sums);
            share.rows += line.rows;
            if !line.isin.is_empty() {
                share.isin.clone_from(&line.isin);
            }
            self.days.entry((root, line.exit_day)).or_default().add_report(line);
            let lines = &mut self.lines.entry((root, line.exit_day, line.entry_day)).or_default().report;
            // Two spellings of one share.
            match lines.iter_mut().find(|other| other.head == line.head) {
                Some(other) => {
                    other.sums.add(&line.sums);
                    other.rows += line.rows;
                }
                None => lines.push(line.clone()),
            }
        }
    }

    fn into_lines(mut self, report: &TaxReport) -> Vec<ReconciledLine> {
        for (root, exit_day, _) in self.lines.keys() {
            self.days.entry((*root, *exit_day)).or_default().entry_days += 1;
        }
        let (mut lines, no_share, no_day) = (Vec::new(), ShareFacts::default(), DayFacts::default());
        for ((root, exit_day, entry_day), unpaired) in self.lines {
            let share = self.shares.get(&root).unwrap_or(&no_share);
            let day = self.days.get(&(root, exit_day)).unwrap_or(&no_day);
            for mut line in pair(unpaired) {
                if let Line { log: Some(log), report: None } = &mut line
                    && log.may_be(ReportHead::OtherSecurities)
                    && report.sections.contains(&ReportHead::OtherSecurities)
                {
                    log.head = ReportHead::OtherSecurities;
                }
                let cause = (!line.agrees()).then(|| tax_causes::find_cause(&line, exit_day, day, share));
                let of_report = line.report.as_ref();
                let symbol_of_report = of_report.map(|line| line.symbol.clone()).unwrap_or_default();
                lines.push(ReconciledLine {
                    symbol: share.symbol().map_or(symbol_of_report, str::to_owned),
                    isin: share.isin.clone(),
                    name: of_report.map(|line| line.name.clone()).unwrap_or_default(),
                    entry_day,
                    exit_day,
                    log: line.log.map(|log| (log.head, log.sums)),
                    report: line.report.map(|report| (report.head, report.sums)),
                    instrument: share.instrument.clone(),
                    cause,
                });
            }
        }
        lines
    }
}
