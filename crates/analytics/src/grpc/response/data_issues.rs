//! Responses with data issues.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rust_decimal::Decimal;

use crate::analysis::Analysis;
use crate::data_issues::{AnswerAction, AnswerInput, DataIssue, ProposedAnswer};
use crate::financial_year::FinancialYear;
use crate::grpc::values::{
    format_day, format_decimal, format_optional, format_optional_day, to_contract, to_count, to_issue_kind,
};
use crate::issue_effects;
use crate::service::AnswerResult;

/// Issues in a response.
const MAX_ISSUES: usize = 500;

/// Returns the open issues; `others` are found outside the analysis and have no likely answer.
pub fn to_data_issue_list(analysis: &Analysis, others: Vec<DataIssue>) -> wire::ListDataIssuesResponse {
    let queue = analysis.issues();
    let effects = issue_effects::effects(analysis);
    let changes = effects.single.iter().copied().chain(std::iter::repeat(None));
    let issues = queue.issues.iter().chain(&others).zip(changes);
    wire::ListDataIssuesResponse {
        issues: issues.take(MAX_ISSUES).map(|(issue, change)| to_data_issue(issue, change)).collect(),
        total: to_count(queue.issues.len() + others.len()),
        likely: to_count(queue.issues.iter().filter(|issue| issue.likely_answer().is_some()).count()),
        closed_trades: to_count(analysis.closed_trades().filter(|trade| analysis.is_doubtful(trade)).count()),
        net: format_decimal(analysis.net()),
        net_change: format_optional(effects.together),
    }
}

fn to_data_issue(issue: &DataIssue, net_change: Option<Decimal>) -> wire::DataIssue {
    let instrument = issue.instrument.as_deref();
    wire::DataIssue {
        id: issue.id.clone(),
        kind: to_issue_kind(issue.kind).into(),
        broker: issue.account.map(|account| account.broker.to_wire().into()).unwrap_or_default(),
        broker_account: issue.account.map(|account| to_wire_account_number(account.number)).unwrap_or_default(),
        symbol: instrument.map(|instrument| instrument.symbol.clone()).unwrap_or_default(),
        contract: instrument.and_then(to_contract),
        date: format_optional_day(issue.day),
        details: Some(super::to_remark(issue.details.clone())),
        trade_id: issue.trade_id,
        closed_trades: to_count(issue.closed_trades),
        financial_years: issue.years.iter().copied().map(FinancialYear::name).collect(),
        net_change: format_optional(net_change),
        answers: issue.answers.iter().map(to_proposed_answer).collect(),
    }
}

fn to_proposed_answer(answer: &ProposedAnswer) -> wire::ProposedAnswer {
    let (latest_day, max_quantity) = match &answer.action {
        AnswerAction::AddOpening { latest_day, quantity, .. } => (Some(*latest_day), Some(*quantity)),
        AnswerAction::AddSettlement { day: None, latest_day, .. } => (Some(*latest_day), None),
        AnswerAction::AddSettlement { .. }
        | AnswerAction::AddFractionPayment { .. }
        | AnswerAction::AddFairValue { .. }
        | AnswerAction::Add(_)
        | AnswerAction::Dismiss => (None, None),
    };
    let input = |input: &AnswerInput| match input {
        AnswerInput::Date => wire::AnswerInput::Date.into(),
        AnswerInput::Price => wire::AnswerInput::Price.into(),
        AnswerInput::Quantity => wire::AnswerInput::Quantity.into(),
    };
    wire::ProposedAnswer {
        code: answer.code.to_owned(),
        params: answer.params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        likely: answer.likely,
        inputs: answer.inputs().iter().map(input).collect(),
        latest_date: latest_day.map(format_day).unwrap_or_default(),
        max_quantity: format_optional(max_quantity),
    }
}

pub fn to_answer_result(result: &AnswerResult) -> wire::AnswerDataIssuesResponse {
    let (first_id, last_id) = result.ids.unwrap_or_default();
    wire::AnswerDataIssuesResponse {
        answer_count: to_count(result.answer_count),
        first_id,
        last_id,
        net_before: format_decimal(result.net_before),
        net_after: format_decimal(result.net_after),
        issues_before: to_count(result.issues_before),
        issues_after: to_count(result.issues_after),
    }
}
