//! Effects of the likely answers to data issues on the net result.

use rust_decimal::Decimal;

use crate::adjustment::Adjustment;
use crate::analysis::Analysis;
use crate::data_issues::{AnswerValues, DataIssue, Effects};

/// Issues whose effect is calculated one by one. Each takes an update of the analysis.
const MAX_SINGLE_EFFECTS: usize = 50;

/// Returns the effects of the likely answers: of all together, and of the first [`MAX_SINGLE_EFFECTS`] one by one.
pub fn effects(analysis: &Analysis) -> &Effects {
    analysis.issues().effects.get_or_init(|| calculate_effects(analysis))
}

fn calculate_effects(analysis: &Analysis) -> Effects {
    let issues = &analysis.issues().issues;
    let net = analysis.net();
    let change = |answers: Vec<Adjustment>| -> Decimal {
        let adjustments: Vec<Adjustment> = analysis.adjustments().iter().cloned().chain(answers).collect();
        analysis.with_adjustments(&adjustments).net() - net
    };
    let likely = |issue: &DataIssue| {
        issue.likely_answer()?.adjustments(issue, AnswerValues::default(), "").ok().filter(|list| !list.is_empty())
    };
    let all: Vec<Adjustment> = issues.iter().filter_map(likely).flatten().collect();
    let single = |(index, issue)| likely(issue).filter(|_| index < MAX_SINGLE_EFFECTS).map(change);
    Effects {
        together: (!all.is_empty()).then(|| change(all)),
        single: issues.iter().enumerate().map(single).collect(),
    }
}
