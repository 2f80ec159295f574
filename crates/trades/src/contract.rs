//! Validation of future and option contracts.

pub use instrument::{Contract, Kind as ContractKind};
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Date, Month};

use crate::validation::{MAX_AMOUNT_EXCLUSIVE, MAX_SYMBOL_CHARS, is_plain_text};

/// Returns one violation for each violated rule.
pub(crate) fn validate(contract: &Contract) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !is_plain_text(&contract.underlying, MAX_SYMBOL_CHARS) {
        let violation = Violation::new("contract.underlying", "UNDERLYING_INVALID");
        violations.push(violation.with("max_chars", MAX_SYMBOL_CHARS));
    }
    if !is_expiry(&contract.expiry) {
        violations.push(Violation::new("contract.expiry", "EXPIRY_INVALID"));
    }
    match (contract.kind, contract.strike) {
        (ContractKind::Future, None) => (),
        (ContractKind::Future, Some(_)) => violations.push(Violation::new("contract.strike", "STRIKE_UNEXPECTED")),
        (ContractKind::Call | ContractKind::Put, strike) => {
            let is_valid = |strike: &Decimal| {
                *strike > Decimal::ZERO && *strike < MAX_AMOUNT_EXCLUSIVE && strike.normalize().scale() <= 4
            };
            if strike.as_ref().is_none_or(|strike| !is_valid(strike)) {
                violations.push(Violation::new("contract.strike", "STRIKE_INVALID"));
            }
        }
    }
    violations
}

/// Returns true for a day (2025-06-05) or a month (2025-06) from 1990 to 2100.
fn is_expiry(text: &str) -> bool {
    let digits = |part: &str, count| part.len() == count && part.bytes().all(|c| c.is_ascii_digit());
    let mut parts = text.split('-');
    let (Some(year), Some(month), day, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    if !digits(year, 4) || !digits(month, 2) || !day.is_none_or(|day| digits(day, 2)) {
        return false;
    }
    let month = month.parse::<u8>().ok().and_then(|month| Month::try_from(month).ok());
    let (Ok(year), Some(month), Ok(day)) = (year.parse(), month, day.unwrap_or("01").parse()) else { return false };
    (1990..=2100).contains(&year) && Date::from_calendar_date(year, month, day).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_contract_for_each_violated_rule() {
        let reasons = |underlying: &str, expiry: &str, kind, strike: Option<&str>| {
            let strike = strike.map(|strike| strike.parse().unwrap());
            let contract = Contract { underlying: underlying.to_owned(), expiry: expiry.to_owned(), kind, strike };
            validate(&contract).into_iter().map(|rule| rule.reason).collect::<Vec<_>>()
        };
        let (future, call, put) = (ContractKind::Future, ContractKind::Call, ContractKind::Put);
        assert!(reasons("NIFTY", "2025-06-05", call, Some("24750")).is_empty());
        assert!(reasons("M&M", "2024-02-29", put, Some("1620.5")).is_empty());
        assert!(reasons("BAJAJ-AUTO", "2025-06", future, None).is_empty());
        assert_eq!(reasons("", "2025-06", future, None), ["UNDERLYING_INVALID"]);
        assert_eq!(reasons(&"N".repeat(65), "2025-06", future, None), ["UNDERLYING_INVALID"]);
        for expiry in
            ["", "2025", "2025-13", "2025-6", "2025-02-29", "2025-06-05-01", "1925-06", "2025-06-5", "+025-06"]
        {
            assert_eq!(reasons("NIFTY", expiry, future, None), ["EXPIRY_INVALID"], "{expiry}");
        }
        assert_eq!(reasons("NIFTY", "2025-06", future, Some("1")), ["STRIKE_UNEXPECTED"]);
        for strike in [None, Some("0"), Some("-5"), Some("1.00001"), Some("100000000000")] {
            assert_eq!(reasons("NIFTY", "2025-06", call, strike), ["STRIKE_INVALID"], "{strike:?}");
        }
    }
}
