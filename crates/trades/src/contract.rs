//! What a symbol of futures or options stands for, as the log takes it.

pub use instrument::{Contract, Kind as ContractKind};
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Date, Month};

use crate::trade::{LIMIT, LONGEST_SYMBOL, plain_text, violation};

/// Every rule that `contract` breaks, one violation for each field at fault.
pub(crate) fn broken(contract: &Contract) -> Vec<Violation> {
    let mut broken = Vec::new();
    let mut refuse = |reason, message: &str| broken.push(violation("contract", reason, message));
    if !plain_text(&contract.underlying, LONGEST_SYMBOL) {
        refuse("UNDERLYING_INVALID", "An underlying has 1 to 64 characters.");
    }
    if !is_expiry(&contract.expiry) {
        refuse("EXPIRY_INVALID", "An expiry is a day such as 2025-06-05, or a month such as 2025-06.");
    }
    match (contract.kind, contract.strike) {
        (ContractKind::Future, None) => (),
        (ContractKind::Future, Some(_)) => refuse("STRIKE_INVALID", "A future has no strike."),
        (ContractKind::Call | ContractKind::Put, strike) => {
            let sound =
                |strike: &Decimal| *strike > Decimal::ZERO && *strike < LIMIT && strike.normalize().scale() <= 4;
            if strike.as_ref().is_none_or(|strike| !sound(strike)) {
                refuse("STRIKE_INVALID", "The strike of an option is above 0 and has at most 4 decimals.");
            }
        }
    }
    broken
}

/// A day or a month of these centuries.
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
    fn a_contract_is_refused_for_each_rule_it_breaks() {
        let contract = |underlying: &str, expiry: &str, kind, strike: Option<&str>| {
            let strike = strike.map(|strike| strike.parse().unwrap());
            let contract = Contract { underlying: underlying.to_owned(), expiry: expiry.to_owned(), kind, strike };
            broken(&contract).into_iter().map(|rule| rule.reason).collect::<Vec<_>>()
        };
        let (future, call, put) = (ContractKind::Future, ContractKind::Call, ContractKind::Put);
        assert!(contract("NIFTY", "2025-06-05", call, Some("24750")).is_empty());
        assert!(contract("M&M", "2024-02-29", put, Some("1620.5")).is_empty());
        assert!(contract("BAJAJ-AUTO", "2025-06", future, None).is_empty());
        assert_eq!(contract("", "2025-06", future, None), ["UNDERLYING_INVALID"]);
        assert_eq!(contract(&"N".repeat(65), "2025-06", future, None), ["UNDERLYING_INVALID"]);
        for expiry in
            ["", "2025", "2025-13", "2025-6", "2025-02-29", "2025-06-05-01", "1925-06", "2025-06-5", "+025-06"]
        {
            assert_eq!(contract("NIFTY", expiry, future, None), ["EXPIRY_INVALID"], "{expiry}");
        }
        assert_eq!(contract("NIFTY", "2025-06", future, Some("1")), ["STRIKE_INVALID"]);
        for strike in [None, Some("0"), Some("-5"), Some("1.00001"), Some("100000000000")] {
            assert_eq!(contract("NIFTY", "2025-06", call, strike), ["STRIKE_INVALID"], "{strike:?}");
        }
    }
}
