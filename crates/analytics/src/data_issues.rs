//! Data issues: facts that figures depend on and that are unknown or doubtful, with their possible answers.
//!
//! Each source of issues is a function of the ledgers, listed in `queue`. An answer is stored as adjustments, after which
//! the issue is found no more. An issue that needs no answer is dismissed, which is an adjustment too.

mod answer;
mod corporate_actions;
mod fair_values;
mod file_gaps;
mod issue;
mod missing_cost;
mod odd_prices;
mod queue;
mod settlements;
mod underlying_bounds;
mod unknown;

pub use self::answer::{AnswerAction, AnswerInput, AnswerValues, IssueAnswer, ProposedAnswer, answers_to_adjustments};
pub use self::issue::{DataIssue, IssueKind};
pub use self::queue::{Effects, IssueQueue};
