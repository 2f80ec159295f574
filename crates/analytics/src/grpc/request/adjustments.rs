//! Parsing of adjustments, and of answers to data issues, which become adjustments.

use rpc::analytics::v1 as wire;
use rpc::broker_account::{MAX_BROKER_ACCOUNTS, parse_account_number};
use rpc::failure::Violation;
use rpc::trades::v1::Broker as WireBroker;
use rust_decimal::Decimal;
use time::macros::date;
use time::{Date, OffsetDateTime};

use super::{MAX_SYMBOL_CHARS, parse_day};
use crate::adjustment::{Adjustment, AdjustmentKind, PricedShares, Ratio};
use crate::data_issues::{AnswerValues, IssueAnswer};
use crate::error::{Error, INVALID};
use crate::fill::{Broker, BrokerAccount, INDIA};
use crate::tax::FAIR_VALUE_DAY;

/// Shares in either part of a ratio.
const MAX_RATIO_SHARES: i32 = 10_000;
/// Answers in one request.
const MAX_ANSWERS: usize = 500;
/// Characters of the id of a data issue and of the code of an answer.
const MAX_ISSUE_ID_CHARS: usize = 200;

/// Parses an adjustment; returns all invalid fields if there are any.
pub fn parse_adjustment(adjustment: wire::Adjustment) -> Result<Adjustment, Error> {
    let mut violations = Vec::new();
    let symbol = parse_symbol(&adjustment.symbol, "adjustment.symbol", &mut violations);
    let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
    let day =
        parse_day(&adjustment.date, "adjustment.date").ok().filter(|day| (date!(1990 - 01 - 01)..=today).contains(day));
    if day.is_none() {
        violations.push(Violation::new("adjustment.date", INVALID));
    }
    let kind = parse_kind(&adjustment, &symbol, day, &mut violations);
    match (kind, day) {
        (Some(kind), Some(day)) if violations.is_empty() => Ok(Adjustment { id: 0, symbol, day, kind }),
        _ => Err(Error::Invalid(violations)),
    }
}

/// Returns the optional and required fields of a kind, beside symbol and date.
fn fields_of(kind: wire::AdjustmentKind) -> &'static [&'static str] {
    const RATIO: [&str; 2] = ["adjustment.new_shares", "adjustment.old_shares"];
    match kind {
        wire::AdjustmentKind::Unspecified | wire::AdjustmentKind::NoAction | wire::AdjustmentKind::Dismissal => &[],
        wire::AdjustmentKind::Split => &RATIO,
        wire::AdjustmentKind::Bonus => &[RATIO[0], RATIO[1], "adjustment.allotted_on"],
        wire::AdjustmentKind::Rename => &["adjustment.new_symbol"],
        wire::AdjustmentKind::Merger | wire::AdjustmentKind::ContractAdjustment => {
            &[RATIO[0], RATIO[1], "adjustment.new_symbol", "adjustment.price"]
        }
        wire::AdjustmentKind::Demerger => &[RATIO[0], RATIO[1], "adjustment.new_symbol", "adjustment.cost_percent"],
        wire::AdjustmentKind::Settlement | wire::AdjustmentKind::CapitalReturn | wire::AdjustmentKind::FairValue => {
            &["adjustment.price"]
        }
        wire::AdjustmentKind::FractionPayment => {
            &["adjustment.broker", "adjustment.broker_account", "adjustment.price"]
        }
        wire::AdjustmentKind::Opening | wire::AdjustmentKind::Rights | wire::AdjustmentKind::Buyback => {
            &["adjustment.broker", "adjustment.broker_account", "adjustment.quantity", "adjustment.price"]
        }
    }
}

/// Reports the fields that the kind does not have.
fn check_fields(adjustment: &wire::Adjustment, violations: &mut Vec<Violation>) {
    let fields = [
        ("adjustment.new_shares", adjustment.new_shares != 0),
        ("adjustment.old_shares", adjustment.old_shares != 0),
        ("adjustment.new_symbol", !adjustment.new_symbol.is_empty()),
        ("adjustment.broker", adjustment.broker() != WireBroker::Unspecified),
        ("adjustment.broker_account", adjustment.broker_account != 0),
        ("adjustment.quantity", !adjustment.quantity.is_empty()),
        ("adjustment.price", !adjustment.price.is_empty()),
        ("adjustment.allotted_on", !adjustment.allotted_on.is_empty()),
        ("adjustment.cost_percent", !adjustment.cost_percent.is_empty()),
    ];
    let allowed = fields_of(adjustment.kind());
    for (field, is_sent) in fields {
        if is_sent && !allowed.contains(&field) {
            violations.push(Violation::new(field, "NOT_ALLOWED"));
        }
    }
}

fn parse_kind(
    adjustment: &wire::Adjustment,
    symbol: &str,
    day: Option<Date>,
    violations: &mut Vec<Violation>,
) -> Option<AdjustmentKind> {
    // Only an answer dismisses an issue.
    if matches!(adjustment.kind(), wire::AdjustmentKind::Unspecified | wire::AdjustmentKind::Dismissal) {
        violations.push(Violation::new("adjustment.kind", INVALID));
        return None;
    }
    check_fields(adjustment, violations);
    Some(match adjustment.kind() {
        wire::AdjustmentKind::Unspecified | wire::AdjustmentKind::Dismissal => return None,
        wire::AdjustmentKind::NoAction => AdjustmentKind::NoAction,
        wire::AdjustmentKind::Split => AdjustmentKind::Split(parse_ratio(adjustment, violations)?),
        wire::AdjustmentKind::Bonus => {
            let allotted = parse_allotment(&adjustment.allotted_on, day, violations);
            AdjustmentKind::Bonus { ratio: parse_ratio(adjustment, violations)?, allotted }
        }
        wire::AdjustmentKind::Rename => AdjustmentKind::Rename(parse_new_symbol(adjustment, symbol, violations)),
        wire::AdjustmentKind::Merger => {
            let into = parse_new_symbol(adjustment, symbol, violations);
            let cash = parse_optional_price(&adjustment.price, violations);
            AdjustmentKind::Merger { into, ratio: parse_ratio(adjustment, violations)?, cash: cash? }
        }
        wire::AdjustmentKind::Demerger => {
            let new_symbol = parse_new_symbol(adjustment, symbol, violations);
            let cost_percent = parse_cost_percent(&adjustment.cost_percent, violations);
            let ratio = parse_ratio(adjustment, violations);
            AdjustmentKind::Demerger { new_symbol, ratio: ratio?, cost_percent: cost_percent? }
        }
        wire::AdjustmentKind::ContractAdjustment => {
            let new_symbol =
                (!adjustment.new_symbol.is_empty()).then(|| parse_new_symbol(adjustment, symbol, violations));
            let price_cut = parse_optional_price(&adjustment.price, violations);
            let ratio = parse_ratio(adjustment, violations);
            AdjustmentKind::ContractAdjustment { new_symbol, ratio: ratio?, price_cut: price_cut? }
        }
        wire::AdjustmentKind::Settlement => AdjustmentKind::Settlement(parse_price(&adjustment.price, violations)?),
        wire::AdjustmentKind::CapitalReturn => {
            AdjustmentKind::CapitalReturn(parse_price(&adjustment.price, violations)?)
        }
        wire::AdjustmentKind::FairValue => {
            if day.is_some_and(|day| day != FAIR_VALUE_DAY) {
                violations.push(Violation::new("adjustment.date", "NOT_FAIR_VALUE_DAY"));
            }
            AdjustmentKind::FairValue(parse_price(&adjustment.price, violations)?)
        }
        wire::AdjustmentKind::FractionPayment => {
            let account = parse_adjusted_account(adjustment, violations);
            let amount = parse_price(&adjustment.price, violations);
            AdjustmentKind::FractionPayment { account: account?, amount: amount? }
        }
        wire::AdjustmentKind::Opening => {
            let PricedShares { account, quantity, price } = parse_priced_shares(adjustment, violations)?;
            AdjustmentKind::Opening { account, quantity, price }
        }
        wire::AdjustmentKind::Rights => AdjustmentKind::Rights(parse_priced_shares(adjustment, violations)?),
        wire::AdjustmentKind::Buyback => AdjustmentKind::Buyback(parse_priced_shares(adjustment, violations)?),
    })
}

fn parse_new_symbol(adjustment: &wire::Adjustment, symbol: &str, violations: &mut Vec<Violation>) -> String {
    let new_symbol = parse_symbol(&adjustment.new_symbol, "adjustment.new_symbol", violations);
    if new_symbol == symbol {
        violations.push(Violation::new("adjustment.new_symbol", "UNCHANGED"));
    }
    new_symbol
}

/// Parses the day of allotment, which is at most a year after the ex-date; none if it is empty.
fn parse_allotment(text: &str, ex_date: Option<Date>, violations: &mut Vec<Violation>) -> Option<Date> {
    if text.is_empty() {
        return None;
    }
    let allotted = parse_day(text, "adjustment.allotted_on").ok();
    let is_valid = allotted.is_some_and(|day| {
        ex_date.is_none_or(|ex_date| (ex_date..=ex_date.saturating_add(time::Duration::days(366))).contains(&day))
    });
    if !is_valid {
        violations.push(Violation::new("adjustment.allotted_on", INVALID));
    }
    allotted
}

/// Parses a percentage between 0 and 100 with at most 4 decimals.
fn parse_cost_percent(text: &str, violations: &mut Vec<Violation>) -> Option<Decimal> {
    let percent = Decimal::from_str_exact(text).ok().filter(|percent| {
        *percent > Decimal::ZERO && *percent < Decimal::ONE_HUNDRED && percent.normalize().scale() <= 4
    });
    if percent.is_none() {
        violations.push(Violation::new("adjustment.cost_percent", INVALID));
    }
    percent.map(|percent| percent.normalize())
}

fn parse_adjusted_account(adjustment: &wire::Adjustment, violations: &mut Vec<Violation>) -> Option<BrokerAccount> {
    let broker = Broker::from_wire(adjustment.broker());
    if broker.is_none() {
        violations.push(Violation::new("adjustment.broker", INVALID));
    }
    let number = parse_account_number(adjustment.broker_account);
    if number.is_none() {
        violations.push(Violation::new("adjustment.broker_account", INVALID).with("max", MAX_BROKER_ACCOUNTS));
    }
    Some(BrokerAccount { broker: broker?, number: number? })
}

fn parse_priced_shares(adjustment: &wire::Adjustment, violations: &mut Vec<Violation>) -> Option<PricedShares> {
    let account = parse_adjusted_account(adjustment, violations);
    let quantity = to_quantity(&adjustment.quantity);
    if quantity.is_none() {
        violations.push(Violation::new("adjustment.quantity", INVALID));
    }
    let price = parse_price(&adjustment.price, violations);
    Some(PricedShares { account: account?, quantity: quantity?, price: price? })
}

/// Parses the answers to data issues; returns all invalid fields if there are any.
pub fn parse_issue_answers(answers: Vec<wire::IssueAnswer>) -> Result<Vec<IssueAnswer>, Error> {
    if answers.is_empty() || answers.len() > MAX_ANSWERS {
        return Err(Violation::new("issue_answers", INVALID).with("max", MAX_ANSWERS).into());
    }
    let mut violations = Vec::new();
    let answers =
        (0..).zip(answers).map(|(index, answer): (usize, _)| parse_issue_answer(answer, index, &mut violations));
    let answers: Vec<IssueAnswer> = answers.collect();
    if violations.is_empty() { Ok(answers) } else { Err(Error::Invalid(violations)) }
}

fn parse_issue_answer(answer: wire::IssueAnswer, index: usize, violations: &mut Vec<Violation>) -> IssueAnswer {
    let wire::IssueAnswer { issue_id, answer, date, price, quantity } = answer;
    let mut check = |field: &str, is_valid: bool| {
        if !is_valid {
            violations.push(Violation::new(format!("issue_answers[{index}].{field}"), INVALID));
        }
    };
    let is_text = |text: &str| !text.is_empty() && text.chars().count() <= MAX_ISSUE_ID_CHARS;
    check("issue_id", is_text(&issue_id));
    check("answer", is_text(&answer));
    let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
    let day = parse_day(&date, "date").ok().filter(|day| (date!(1990 - 01 - 01)..=today).contains(day));
    check("date", date.is_empty() || day.is_some());
    let parsed_price = to_price(&price);
    check("price", price.is_empty() || parsed_price.is_some());
    let parsed_quantity = to_quantity(&quantity);
    check("quantity", quantity.is_empty() || parsed_quantity.is_some());
    let values = AnswerValues { day, price: parsed_price, quantity: parsed_quantity };
    IssueAnswer { issue_id, answer, values }
}

fn parse_ratio(adjustment: &wire::Adjustment, violations: &mut Vec<Violation>) -> Option<Ratio> {
    let mut is_valid = true;
    for (field, shares) in
        [("adjustment.new_shares", adjustment.new_shares), ("adjustment.old_shares", adjustment.old_shares)]
    {
        if !(1..=MAX_RATIO_SHARES).contains(&shares) {
            violations.push(Violation::new(field, INVALID).with("max", MAX_RATIO_SHARES));
            is_valid = false;
        }
    }
    is_valid.then_some(Ratio { new: adjustment.new_shares, old: adjustment.old_shares })
}

/// Parses a price; 0 if it is empty.
fn parse_optional_price(text: &str, violations: &mut Vec<Violation>) -> Option<Decimal> {
    if text.is_empty() { Some(Decimal::ZERO) } else { parse_price(text, violations) }
}

fn parse_price(text: &str, violations: &mut Vec<Violation>) -> Option<Decimal> {
    let price = to_price(text);
    if price.is_none() {
        violations.push(Violation::new("adjustment.price", INVALID));
    }
    price
}

fn to_price(text: &str) -> Option<Decimal> {
    let price = Decimal::from_str_exact(text).ok()?.normalize();
    let is_valid = price >= Decimal::ZERO && price < Decimal::from(100_000_000_000_u64) && price.scale() <= 4;
    is_valid.then_some(price)
}

/// Parses a number of shares.
fn to_quantity(text: &str) -> Option<Decimal> {
    let quantity = Decimal::from_str_exact(text).ok()?.normalize();
    let is_valid = quantity > Decimal::ZERO && quantity < Decimal::from(1_000_000_000) && quantity.fract().is_zero();
    is_valid.then_some(quantity)
}

/// Parses a symbol and converts it to capitals, as in the trade log.
fn parse_symbol(text: &str, field: &'static str, violations: &mut Vec<Violation>) -> String {
    let symbol = text.trim().to_uppercase();
    if symbol.is_empty() || symbol.chars().count() > MAX_SYMBOL_CHARS || symbol.chars().any(char::is_control) {
        violations.push(Violation::new(field, INVALID).with("max_chars", MAX_SYMBOL_CHARS));
    }
    symbol
}
