//! Repairs: answers to data issues with the values of the report, by which a row is expected to agree.

use std::collections::{HashMap, HashSet};

use rust_decimal::Decimal;
use time::Date;

use super::facts::Facts;
use super::report::Report;
use super::rows::{ReconciledRow, reconcile_rows};
use crate::adjustment::Adjustment;
use crate::analysis::Analysis;
use crate::data_issues::{AnswerAction, AnswerValues, DataIssue, IssueAnswer, IssueKind, ProposedAnswer};
use crate::remark::Remark;

/// Decimals of an entered price.
const PRICE_DECIMALS: u32 = 4;

/// Answer to a data issue with the values of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Answer without its day.
    pub answer: IssueAnswer,
    /// Last possible day; none if the trader states no day.
    pub latest_day: Option<Date>,
}

/// Returns the answer to a data issue of this row that removes the cause of its difference.
pub(super) fn find_repair(facts: &Facts, cause: &Remark, report: &Report) -> Option<Repair> {
    match cause.code {
        "expiry" => settlement(facts),
        "missing_cost_basis" => corporate_action(facts).or_else(|| opening_holding(facts, report)),
        "renamed" | "split_or_bonus" => corporate_action(facts),
        _ => None,
    }
}

/// Returns the settlement of a contract that the report closed and the log did not.
fn settlement(facts: &Facts) -> Option<Repair> {
    let difference = facts.difference();
    let closing_value = if facts.open_after_expiry_long { difference.sell_value } else { difference.buy_value };
    let quantity = facts.open_after_expiry;
    let price = unit_price(-closing_value, quantity).filter(|_| -difference.quantity == quantity)?;
    let (issue, answer) = find_answer(facts, IssueKind::Settlement, "settled")?;
    let AnswerAction::AddSettlement { day, latest_day, .. } = &answer.action else { return None };
    let values = AnswerValues { price: Some(price), ..AnswerValues::default() };
    Some(Repair::new(issue, answer, values, day.is_none().then_some(*latest_day)))
}

/// Returns the purchase of all shares that were sold without one in the period, at the report's cost. Later sales use the
/// shares of earlier ones, so there may be none before the period.
fn opening_holding(facts: &Facts, report: &Report) -> Option<Repair> {
    let difference = facts.difference();
    let quantity = facts.missing_cost_basis;
    let price = unit_price(-difference.buy_value, quantity).filter(|_| -difference.quantity == quantity)?;
    let (issue, answer) = find_answer(facts, IssueKind::MissingCost, "bought")?;
    let AnswerAction::AddOpening { latest_day, quantity: all, .. } = &answer.action else { return None };
    if *latest_day < report.from || !quantity.fract().is_zero() {
        return None;
    }
    let values = AnswerValues { price: Some(price), quantity: Some(quantity.normalize()), day: None };
    Some(Repair::new(issue, answer, values, Some(*latest_day))).filter(|_| quantity <= *all)
}

/// Returns the likely corporate action of the share.
fn corporate_action(facts: &Facts) -> Option<Repair> {
    let mut issues = facts.issues.iter().filter(|issue| issue.kind == IssueKind::CorporateAction);
    let (issue, answer) = issues.find_map(|issue| Some((issue, issue.likely_answer()?)))?;
    Some(Repair::new(issue, answer, AnswerValues::default(), None))
}

fn find_answer<'a>(facts: &Facts<'a>, kind: IssueKind, code: &str) -> Option<(&'a DataIssue, &'a ProposedAnswer)> {
    let issue = facts.issues.iter().find(|issue| issue.kind == kind)?;
    Some((issue, issue.answers.iter().find(|answer| answer.code == code)?))
}

/// Returns the price of one unit; none if the value is negative.
fn unit_price(value: Decimal, quantity: Decimal) -> Option<Decimal> {
    let price = value.checked_div(quantity)?.round_dp(PRICE_DECIMALS).normalize();
    (price >= Decimal::ZERO).then_some(price)
}

impl Repair {
    fn new(issue: &DataIssue, answer: &ProposedAnswer, values: AnswerValues, latest_day: Option<Date>) -> Self {
        let answer = IssueAnswer { issue_id: issue.id.clone(), answer: answer.code.to_owned(), values };
        Self { answer, latest_day }
    }

    /// Returns the adjustments that it stores; as an example the day before the last possible one.
    fn adjustments(&self, issues: &HashMap<&str, &DataIssue>) -> Vec<Adjustment> {
        let IssueAnswer { issue_id, answer, values } = &self.answer;
        let day = self.latest_day.and_then(Date::previous_day);
        let adjustments = || {
            let issue = issues.get(issue_id.as_str())?;
            let answer = issue.answers.iter().find(|proposed| proposed.code == answer)?;
            answer.adjustments(issue, AnswerValues { day, ..*values }, "").ok()
        };
        adjustments().unwrap_or_default()
    }
}

/// Removes the repairs of rows that would still differ after all repairs.
pub(super) fn remove_ineffective(
    analysis: &Analysis,
    report: &Report,
    isins: &[(String, String)],
    rows: &mut [ReconciledRow],
) {
    let issues = analysis.issues().issues.iter().map(|issue| (issue.id.as_str(), issue)).collect();
    let mut issue_ids = HashSet::new();
    let repairs = rows.iter().filter_map(|row| row.repair.as_ref());
    let repairs = repairs.filter(|repair| issue_ids.insert(repair.answer.issue_id.as_str()));
    let repairs: Vec<Adjustment> = repairs.flat_map(|repair| repair.adjustments(&issues)).collect();
    if repairs.is_empty() {
        return;
    }
    let adjustments: Vec<Adjustment> = analysis.adjustments().iter().cloned().chain(repairs).collect();
    let repaired = reconcile_rows(&analysis.with_adjustments(&adjustments), report, isins, &[]);
    let key = |row: &ReconciledRow| (row.symbol.clone(), row.isin.clone(), row.name.clone());
    let agreeing: HashSet<_> = repaired.iter().filter(|row| row.cause.is_none()).map(key).collect();
    for row in rows.iter_mut().filter(|row| row.repair.is_some()) {
        if !agreeing.contains(&key(row)) {
            row.repair = None;
        }
    }
}
