//! Queue of the open data issues of an account.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use rust_decimal::Decimal;

use super::issue::{DataIssue, Ledgers};
use super::{corporate_actions, fair_values, file_gaps, missing_cost, odd_prices, settlements, unknown};
use crate::adjustment::{Adjustment, AdjustmentKind};
use crate::closed_trade::ClosedTrade;
use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;

/// Changes of the net result by likely answers.
#[derive(Debug, Default)]
pub struct Effects {
    /// Change by the likely answer to each issue, in the order of the issues; none if there is none or it is not
    /// calculated.
    pub single: Vec<Option<Decimal>>,
    /// Change by all likely answers together; none if there are none.
    pub together: Option<Decimal>,
}

/// Open data issues of an account.
#[derive(Debug)]
pub struct IssueQueue {
    /// Issues with a likely answer first, then by kind.
    pub issues: Vec<DataIssue>,
    /// Issues that may change closed trades, by the index of the ledger.
    by_ledger: HashMap<usize, Vec<usize>>,
    /// Calculated when they are needed first.
    pub effects: OnceLock<Effects>,
}

/// Finds all issues, dismissed ones included.
fn find_issues(ledgers: Ledgers) -> Vec<DataIssue> {
    let sources = [
        settlements::find,
        corporate_actions::find_proposals,
        corporate_actions::find_fractions,
        missing_cost::find,
        file_gaps::find,
        odd_prices::find,
        unknown::find_instruments,
        unknown::find_rates,
    ];
    sources.into_iter().flat_map(|find| find(ledgers)).collect()
}

impl IssueQueue {
    /// Finds the open issues in the ledgers of an analysis with these adjustments.
    pub fn new(ledgers: Ledgers, adjustments: &[Adjustment]) -> Self {
        let dismissed = dismissed_ids(adjustments);
        let mut issues = find_issues(ledgers);
        issues.extend(fair_values::find(ledgers, adjustments));
        issues.retain(|issue| !dismissed.contains(issue.id.as_str()));
        issues.sort_by(|one, other| {
            let key = |issue: &DataIssue| (issue.likely_answer().is_none(), issue.kind);
            key(one).cmp(&key(other)).then(other.day.cmp(&one.day)).then_with(|| one.id.cmp(&other.id))
        });
        let mut by_ledger: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, issue) in issues.iter_mut().enumerate() {
            for ledger_index in &issue.ledgers {
                let Some(ledger) = ledgers.get(*ledger_index) else { continue };
                by_ledger.entry(*ledger_index).or_default().push(index);
                for closed_trade in ledger.closed_trades.iter().filter(|trade| issue.scope.contains(ledger, trade)) {
                    issue.closed_trades += 1;
                    issue.years.insert(FinancialYear::from_day(closed_trade.closed_day));
                }
            }
        }
        Self { issues, by_ledger, effects: OnceLock::new() }
    }

    /// Returns whether an answer may change a closed trade of this ledger.
    pub fn is_doubtful(&self, ledger: &InstrumentLedger, closed_trade: &ClosedTrade) -> bool {
        let issues = self.by_ledger.get(&closed_trade.ledger).into_iter().flatten();
        let mut issues = issues.filter_map(|index| self.issues.get(*index));
        issues.any(|issue| issue.scope.contains(ledger, closed_trade))
    }
}

/// Returns the ids of the dismissed issues.
fn dismissed_ids(adjustments: &[Adjustment]) -> HashSet<&str> {
    let dismissals = adjustments.iter().filter(|one| one.kind == AdjustmentKind::Dismissal);
    dismissals.map(|dismissal| dismissal.symbol.as_str()).collect()
}
