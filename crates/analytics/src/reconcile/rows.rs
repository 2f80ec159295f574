//! Rows of shares and contracts: closed trades compared with the rows of the report.

use std::collections::HashMap;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::causes;
use super::facts::Facts;
use super::repairs::{self, Repair};
use super::report::Report;
use super::share_identity::{ShareId, ShareIdentities};
use super::sums::{ClosedSums, PAISA};
use crate::analysis::Analysis;
use crate::data_issues::DataIssue;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;

/// Greatest rounding of an entered price, which has four decimals.
pub(super) const MAX_PRICE_ROUNDING: Decimal = Decimal::from_parts(5, 0, 0, false, 5);

/// Comparison of one share or contract.
#[derive(Debug, PartialEq, Eq)]
pub struct ReconciledRow {
    /// Symbol in the trade log, otherwise that of the report; empty if the report states only a name.
    pub symbol: String,
    pub isin: String,
    pub name: String,
    pub log: Option<ClosedSums>,
    pub report: Option<ClosedSums>,
    /// Instrument in the trade log; none if the log has no trades in it.
    pub instrument: Option<Arc<Instrument>>,
    /// Cause of the difference; none if both sides agree.
    pub cause: Option<Remark>,
    /// Answer to a data issue by which the row is expected to agree.
    pub repair: Option<Repair>,
}

impl ReconciledRow {
    /// Returns the sums of the log minus those of the report; an absent side counts as 0.
    pub fn difference(&self) -> ClosedSums {
        self.log.unwrap_or_default().subtract(&self.report.unwrap_or_default())
    }

    fn new(facts: Facts, report: &Report) -> Self {
        let difference = facts.difference();
        let tolerance = PAISA + facts.closed_at_entered_price * MAX_PRICE_ROUNDING;
        let agrees = difference.quantity.is_zero() && difference.max_amount() <= tolerance;
        let cause = (!agrees).then(|| causes::find_cause(&facts));
        let repair = cause.as_ref().and_then(|cause| repairs::find_repair(&facts, cause, report));
        // If the trade log has several symbols, prefers the one that the report uses.
        let log_symbol = facts.symbols.get(&facts.report_symbol).or_else(|| facts.symbols.last());
        Self {
            symbol: log_symbol.cloned().unwrap_or(facts.report_symbol),
            isin: facts.isins.into_iter().next_back().unwrap_or_default(),
            name: facts.name,
            log: facts.log,
            report: facts.report,
            instrument: facts.instrument,
            cause,
            repair,
        }
    }
}

/// Compares all shares and contracts of either side. Rows that differ come first, the largest difference first.
/// `issues` are those whose answers may be repairs.
pub fn reconcile_rows(
    analysis: &Analysis,
    report: &Report,
    isins: &[(String, String)],
    issues: &[DataIssue],
) -> Vec<ReconciledRow> {
    let mut collector = FactCollector::default();
    collector.join_identities(analysis, report, isins);
    collector.add_trades(analysis, report);
    collector.add_closed_trades(analysis, report);
    collector.add_report(report);
    collector.add_issues(report, issues);
    let facts = collector.facts.into_values().filter(|facts| facts.log.is_some() || facts.report.is_some());
    let mut rows: Vec<ReconciledRow> = facts.map(|facts| ReconciledRow::new(facts, report)).collect();
    let size = |row: &ReconciledRow| {
        let difference = row.cause.is_some().then(|| row.difference());
        difference.map(|sums| (sums.gross.abs(), sums.quantity.abs()))
    };
    rows.sort_by(|one, other| {
        size(other).cmp(&size(one)).then_with(|| (&one.symbol, &one.name).cmp(&(&other.symbol, &other.name)))
    });
    rows
}

/// Collects the facts about each share or contract.
#[derive(Default)]
struct FactCollector<'a> {
    identities: ShareIdentities,
    /// Facts by the root of their identifiers.
    facts: HashMap<usize, Facts<'a>>,
}

impl<'a> FactCollector<'a> {
    /// Joins the identifiers of each share: symbols with ISINs, and symbols that a closed trade links by a rename.
    fn join_identities(&mut self, analysis: &Analysis, report: &Report, isins: &[(String, String)]) {
        let identities = &mut self.identities;
        isins.iter().for_each(|(symbol, isin)| identities.join_symbol(symbol, isin));
        identities.join_renames(analysis, report.closed_trades(analysis));
        report.rows.iter().for_each(|row| identities.join_symbol(&row.symbol, &row.isin));
    }

    fn facts_mut(&mut self, id: ShareId) -> &mut Facts<'a> {
        let index = self.identities.index(id);
        self.facts.entry(self.identities.root(index)).or_default()
    }

    fn facts_of_symbol(&mut self, symbol: &str) -> &mut Facts<'a> {
        self.facts_mut(ShareId::symbol(symbol))
    }

    /// Adds the trades of the report's broker and segment up to the end of its period.
    fn add_trades(&mut self, analysis: &Analysis, report: &Report) {
        // Counts by symbol first, because there are few symbols and many trades.
        let mut counts: HashMap<&str, (&Arc<Instrument>, usize, usize)> = HashMap::new();
        for fill in report.trades(analysis).filter(|fill| fill.day <= report.to) {
            let first = (&fill.instrument, 0, 0);
            let (_, trades, manual_trades) = counts.entry(&fill.instrument.symbol).or_insert(first);
            *trades += 1;
            *manual_trades += usize::from(fill.manual);
        }
        for (symbol, (instrument, trades, manual_trades)) in counts {
            let facts = self.facts_of_symbol(symbol);
            facts.symbols.insert(symbol.to_owned());
            facts.instrument = Some(instrument.clone());
            facts.trades += trades;
            facts.manual_trades += manual_trades;
        }
    }

    /// Adds the closed trades of the period, sales without a purchase, and contracts that are open past their expiry.
    fn add_closed_trades(&mut self, analysis: &Analysis, report: &Report) {
        for closed_trade in report.closed_trades(analysis) {
            let facts = self.facts_of_symbol(&closed_trade.instrument.symbol);
            facts.symbols.insert(closed_trade.instrument.symbol.clone());
            facts.log.get_or_insert_default().add(&ClosedSums::from_closed_trade(closed_trade));
            let count = |applies: bool, quantity: &mut Decimal| {
                if applies {
                    *quantity += closed_trade.quantity;
                }
            };
            count(closed_trade.closed_day == report.from, &mut facts.closed_on_first_day);
            count(closed_trade.closed_day == report.to, &mut facts.closed_on_last_day);
            count(closed_trade.flags.settled, &mut facts.closed_at_expiry);
            facts.opening |= closed_trade.flags.opening;
            let entered = closed_trade.flags.opening || closed_trade.flags.settled;
            count(entered, &mut facts.closed_at_entered_price);
        }
        for (sale, quantity) in report.missing_cost_basis(analysis) {
            self.facts_of_symbol(&sale.fill.instrument.symbol).missing_cost_basis += quantity;
        }
        let positions = analysis.ledgers().flat_map(InstrumentLedger::positions);
        for (position, fill) in positions.filter(|(position, _)| position.expired) {
            if report.covers(fill.account, fill.instrument.is_contract()) {
                let facts = self.facts_of_symbol(&fill.instrument.symbol);
                facts.open_after_expiry += position.quantity;
                facts.open_after_expiry_long = position.long;
            }
        }
    }

    /// Adds the issues of the report's account to their shares and contracts.
    fn add_issues(&mut self, report: &Report, issues: &'a [DataIssue]) {
        let of_account = |issue: &&DataIssue| issue.account.is_none_or(|account| account == report.account);
        for issue in issues.iter().filter(of_account) {
            if let Some(instrument) = &issue.instrument {
                self.facts_of_symbol(&instrument.symbol).issues.push(issue);
            }
        }
    }

    fn add_report(&mut self, report: &Report) {
        for row in &report.rows {
            let id = ShareId::from_row(&row.symbol, &row.isin, &row.name);
            let facts = self.facts_mut(id);
            facts.report.get_or_insert_default().add(&row.sums);
            facts.report_symbol.clone_from(&row.symbol);
            facts.name.clone_from(&row.name);
            if !row.isin.is_empty() {
                facts.isins.insert(row.isin.clone());
            }
        }
    }
}
