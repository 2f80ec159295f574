//! Proposed corporate actions, one issue for each event, and fractions of shares without a payment.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::answer::{AnswerAction, ProposedAnswer};
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::financial_year::FinancialYear;
use crate::instrument::Instrument;
use crate::proposals::{Certainty, Evidence, Proposal, join_proposals};
use crate::remark::Remark;

/// Returns the proposals, joined over all accounts that an event affects.
pub fn find_proposals(ledgers: Ledgers) -> Vec<DataIssue> {
    let events = join_proposals(ledgers.iter().map(|ledger| &ledger.proposals));
    events.into_iter().map(|(proposal, indices)| proposal_issue(&proposal, indices)).collect()
}

fn proposal_issue(proposal: &Proposal, ledgers: Vec<usize>) -> DataIssue {
    let Adjustment { symbol, day, kind, .. } = &proposal.adjustment;
    let (code, answer_code) = codes(kind);
    let Ratio { new, old } = kind.ratio().unwrap_or(Ratio { new: 1, old: 1 });
    let percent = if let AdjustmentKind::Demerger { cost_percent, .. } = kind { *cost_percent } else { Decimal::ZERO };
    let other = kind.other_symbol().unwrap_or_default().to_owned();
    let values = [("new", new.to_string()), ("old", old.to_string()), ("other", other)];
    let values: Vec<_> = values.into_iter().chain([("percent", percent.normalize().to_string())]).collect();
    let mut details = evidence(proposal).with("day", day);
    details.code = code;
    details.params.extend(values.iter().cloned());
    let no_action = Adjustment { kind: AdjustmentKind::NoAction, ..proposal.adjustment.clone() };
    let apply = ProposedAnswer {
        params: values,
        ..ProposedAnswer::new(answer_code, AnswerAction::Add(vec![proposal.adjustment.clone()]))
    };
    let mut issue =
        DataIssue::new(IssueKind::CorporateAction, None, &format!("{symbol}:{}:{day}", kind.name()), details);
    issue.years.insert(FinancialYear::from_day(*day));
    DataIssue {
        instrument: Some(Arc::new(Instrument::equity(symbol, ""))),
        day: Some(*day),
        answers: vec![
            apply.likely(proposal.is_likely()),
            ProposedAnswer::new("no_action", AnswerAction::Add(vec![no_action])),
        ],
        ledgers,
        scope: Scope::OpenOn(*day),
        ..issue
    }
}

/// Returns the codes of the sentences about an event, and of the answer that enters it.
fn codes(kind: &AdjustmentKind) -> (&'static str, &'static str) {
    match kind {
        AdjustmentKind::Split(_) => ("split", "enter_split"),
        AdjustmentKind::Bonus { .. } => ("bonus", "enter_bonus"),
        AdjustmentKind::Rename(_) => ("rename", "enter_rename"),
        AdjustmentKind::Merger { .. } => ("merger", "enter_merger"),
        AdjustmentKind::Demerger { .. } => ("demerger", "enter_demerger"),
        AdjustmentKind::Rights(_)
        | AdjustmentKind::Buyback(_)
        | AdjustmentKind::CapitalReturn(_)
        | AdjustmentKind::FractionPayment { .. }
        | AdjustmentKind::ContractAdjustment { .. }
        | AdjustmentKind::Settlement(_)
        | AdjustmentKind::Opening { .. }
        | AdjustmentKind::FairValue(_)
        | AdjustmentKind::NoAction
        | AdjustmentKind::Dismissal => ("corporate_event", "enter_event"),
    }
}

/// Returns the holding that the event affects, the strongest sign of it, and its certainty.
fn evidence(proposal: &Proposal) -> Remark {
    let (mut shares, mut units) = (Decimal::ZERO, Decimal::ZERO);
    for evidence in &proposal.evidence {
        match evidence {
            Evidence::Held { quantity, .. } => shares += *quantity,
            Evidence::OpenContract { quantity, .. } => units += *quantity,
            Evidence::IsinChanged { .. } | Evidence::SoldMoreThanHeld { .. } | Evidence::PriceChanged { .. } => {}
        }
    }
    let certainty = match proposal.certainty {
        Certainty::Verified => "verified",
        Certainty::Recalled => "recalled",
        Certainty::Suspected => "suspected",
    };
    let holding = if shares.is_zero() { ("contract", units) } else { ("shares", shares) };
    let details = Remark::new("corporate_event")
        .with("held", holding.0)
        .with("quantity", holding.1.normalize())
        .with("certainty", certainty);
    let sign = proposal.evidence.iter().filter_map(|evidence| match evidence {
        Evidence::IsinChanged { before, after } => Some((0, "isin", before.clone(), after.clone())),
        Evidence::SoldMoreThanHeld { quantity, .. } => {
            Some((1, "sold", quantity.normalize().to_string(), String::new()))
        }
        Evidence::PriceChanged { before, after } => {
            Some((2, "price", before.round_dp(2).normalize().to_string(), after.round_dp(2).normalize().to_string()))
        }
        Evidence::Held { .. } | Evidence::OpenContract { .. } => None,
    });
    let (_, sign, before, after) = sign.min().unwrap_or((3, "none", String::new(), String::new()));
    details.with("sign", sign).with("before", before).with("after", after)
}

/// Returns the fractions of shares that corporate actions left, for which no payment is entered.
pub fn find_fractions(ledgers: Ledgers) -> Vec<DataIssue> {
    let mut issues = Vec::new();
    for (index, ledger) in ledgers.iter().enumerate() {
        for (position, fill) in ledger.positions().filter(|(position, _)| position.fraction) {
            let symbol = &position.instrument.symbol;
            let details = Remark::new("fraction").with("quantity", position.quantity.normalize());
            let action = AnswerAction::AddFractionPayment {
                account: fill.account,
                symbol: symbol.clone(),
                earliest_day: fill.day,
            };
            issues.push(DataIssue {
                instrument: Some(position.instrument.clone()),
                answers: vec![ProposedAnswer::new("paid", action), ProposedAnswer::dismiss("keep_as_is")],
                ledgers: vec![index],
                scope: Scope::None,
                ..DataIssue::new(IssueKind::CorporateAction, Some(fill.account), &format!("{symbol}:fraction"), details)
            });
        }
    }
    issues
}
