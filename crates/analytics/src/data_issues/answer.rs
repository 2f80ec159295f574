//! Possible answers to data issues, and the adjustments that store them.

use std::collections::{HashMap, HashSet};

use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use super::issue::DataIssue;
use crate::adjustment::{Adjustment, AdjustmentKind, NewAdjustment};
use crate::error::{Error, INVALID};
use crate::fill::{BrokerAccount, INDIA};
use crate::tax::FAIR_VALUE_DAY;

/// Value that the trader states with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerInput {
    Date,
    Price,
    Quantity,
}

/// Values that the trader stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerValues {
    pub day: Option<Date>,
    pub price: Option<Decimal>,
    pub quantity: Option<Decimal>,
}

/// Adjustments that an answer stores.
#[derive(Clone, Debug)]
pub enum AnswerAction {
    /// Adjustments without numbers.
    Add(Vec<Adjustment>),
    /// Opening holding, bought on the stated day at the stated price.
    AddOpening { account: BrokerAccount, symbol: String, quantity: Decimal, latest_day: Date },
    /// Payment of the stated amount, on the stated day, for a fraction of a share.
    AddFractionPayment { account: BrokerAccount, symbol: String, earliest_day: Date },
    /// Settlement at the stated price, on the stated day if the day of expiry is not known.
    AddSettlement { symbol: String, day: Option<Date>, latest_day: Date },
    /// Price of 31 January 2018.
    AddFairValue { symbol: String },
    /// Dismissal: the issue needs no answer.
    Dismiss,
}

/// Possible answer to a data issue.
#[derive(Clone, Debug)]
pub struct ProposedAnswer {
    /// Code, unique within the issue.
    pub code: &'static str,
    /// Values of its label.
    pub params: Vec<(&'static str, String)>,
    /// True if the data supports this answer.
    pub likely: bool,
    pub action: AnswerAction,
}

impl ProposedAnswer {
    pub fn new(code: &'static str, action: AnswerAction) -> Self {
        Self { code, params: Vec::new(), likely: false, action }
    }

    /// Returns the answer that an issue needs none. `code` selects its label.
    pub fn dismiss(code: &'static str) -> Self {
        Self::new(code, AnswerAction::Dismiss)
    }

    pub fn likely(self, likely: bool) -> Self {
        Self { likely, ..self }
    }

    /// Returns the values that the trader has to state.
    pub fn inputs(&self) -> &'static [AnswerInput] {
        match &self.action {
            AnswerAction::Add(_) | AnswerAction::Dismiss => &[],
            AnswerAction::AddOpening { .. } => &[AnswerInput::Date, AnswerInput::Price, AnswerInput::Quantity],
            AnswerAction::AddSettlement { day: Some(_), .. } | AnswerAction::AddFairValue { .. } => {
                &[AnswerInput::Price]
            }
            AnswerAction::AddSettlement { day: None, .. } | AnswerAction::AddFractionPayment { .. } => {
                &[AnswerInput::Date, AnswerInput::Price]
            }
        }
    }

    /// Returns the adjustments that store this answer. `path` is that of the answer in the request.
    ///
    /// # Errors
    /// The missing or invalid values.
    pub fn adjustments(
        &self,
        issue: &DataIssue,
        values: AnswerValues,
        path: &str,
    ) -> Result<Vec<Adjustment>, Vec<Violation>> {
        let mut violations = Vec::new();
        let mut violate = |field: &str, reason| violations.push(Violation::new(format!("{path}.{field}"), reason));
        let adjustment = |symbol: &str, day, kind| Adjustment { id: 0, symbol: symbol.to_owned(), day, kind };
        let adjustments = match &self.action {
            AnswerAction::Add(adjustments) => Some(adjustments.clone()),
            AnswerAction::AddOpening { account, symbol, quantity: max, latest_day } => {
                let quantity = values.quantity.unwrap_or(*max);
                if quantity > *max {
                    violate("quantity", "ABOVE_SOLD");
                }
                if values.day.is_some_and(|day| day > *latest_day) {
                    violate("date", "AFTER_SALE");
                }
                match (values.day, values.price) {
                    (Some(day), Some(price)) => {
                        let kind = AdjustmentKind::Opening { account: *account, quantity, price };
                        Some(vec![adjustment(symbol, day, kind)])
                    }
                    (day, price) => {
                        day.is_none().then(|| violate("date", "REQUIRED"));
                        price.is_none().then(|| violate("price", "REQUIRED"));
                        None
                    }
                }
            }
            AnswerAction::AddFractionPayment { account, symbol, earliest_day } => {
                if values.day.is_some_and(|day| day < *earliest_day) {
                    violate("date", "BEFORE_PURCHASE");
                }
                match (values.day, values.price) {
                    (Some(day), Some(amount)) => {
                        let kind = AdjustmentKind::FractionPayment { account: *account, amount };
                        Some(vec![adjustment(symbol, day, kind)])
                    }
                    (day, price) => {
                        day.is_none().then(|| violate("date", "REQUIRED"));
                        price.is_none().then(|| violate("price", "REQUIRED"));
                        None
                    }
                }
            }
            AnswerAction::AddSettlement { symbol, day, latest_day } => {
                if day.is_none() && values.day.is_some_and(|day| day > *latest_day) {
                    violate("date", "AFTER_EXPIRY");
                }
                match (day.or(values.day), values.price) {
                    (Some(day), Some(price)) => Some(vec![adjustment(symbol, day, AdjustmentKind::Settlement(price))]),
                    (day, price) => {
                        day.is_none().then(|| violate("date", "REQUIRED"));
                        price.is_none().then(|| violate("price", "REQUIRED"));
                        None
                    }
                }
            }
            AnswerAction::AddFairValue { symbol } => match values.price {
                Some(price) => Some(vec![adjustment(symbol, FAIR_VALUE_DAY, AdjustmentKind::FairValue(price))]),
                None => {
                    violate("price", "REQUIRED");
                    None
                }
            },
            AnswerAction::Dismiss => {
                let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
                Some(vec![adjustment(&issue.id, issue.day.unwrap_or(today), AdjustmentKind::Dismissal)])
            }
        };
        adjustments.filter(|_| violations.is_empty()).ok_or(violations)
    }
}

/// Answer of the trader to an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueAnswer {
    pub issue_id: String,
    /// Code of one of its answers.
    pub answer: String,
    pub values: AnswerValues,
}

/// Returns the adjustments that store answers. Skips issues that are answered already: those in `stored_issue_ids` that are
/// not open.
///
/// # Errors
/// An unknown issue, or the invalid values.
pub fn answers_to_adjustments(
    issues: &[DataIssue],
    answers: &[IssueAnswer],
    stored_issue_ids: &HashSet<String>,
) -> Result<Vec<NewAdjustment>, Error> {
    let by_id: HashMap<&str, &DataIssue> = issues.iter().map(|issue| (issue.id.as_str(), issue)).collect();
    let (mut adjustments, mut violations) = (Vec::new(), Vec::new());
    for (index, IssueAnswer { issue_id, answer, values }) in answers.iter().enumerate() {
        let path = format!("issue_answers[{index}]");
        let Some(issue) = by_id.get(issue_id.as_str()) else {
            if stored_issue_ids.contains(issue_id) {
                continue;
            }
            return Err(Error::DataIssueNotFound);
        };
        let Some(answer) = issue.answers.iter().find(|proposed| proposed.code == answer) else {
            violations.push(Violation::new(format!("{path}.answer"), INVALID));
            continue;
        };
        match answer.adjustments(issue, *values, &path) {
            Ok(added) => adjustments.extend(
                added.into_iter().map(|adjustment| NewAdjustment { adjustment, issue_id: Some(issue_id.clone()) }),
            ),
            Err(invalid) => violations.extend(invalid),
        }
    }
    if violations.is_empty() { Ok(adjustments) } else { Err(Error::Invalid(violations)) }
}
