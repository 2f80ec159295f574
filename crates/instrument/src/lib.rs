//! Parser of the symbols of futures and options: underlying, expiry, kind and strike.
//!
//! An exchange's symbol is the underlying's `NAME`, the last two digits of the year, then
//! - `MMM`, the strike and `CE` or `PE`: a monthly option, such as `NIFTY26MAY23050PE`,
//! - `M` (1 to 9, O, N, D), the day, the strike and `CE` or `PE`: a weekly option, such as `NIFTY2560524750PE`,
//! - `MMM` and `FUT`: a future, such as `BANKNIFTY24FEBFUT`.
//!
//! A name may contain digits, `&` and `-`; a strike may contain a decimal point. The symbol of a monthly contract does
//! not contain the day of expiry, which stays unknown here unless the file has a column for it. The analytics look it up
//! in the exchanges' calendars.

use rust_decimal::Decimal;
use time::{Date, Duration, Month};

/// Kind of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Obligation to trade at expiry.
    Future,
    /// Right to buy.
    Call,
    /// Right to sell.
    Put,
}

/// Future or option contract, as its symbol describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Underlying, such as `NIFTY`.
    pub underlying: String,
    /// Day of expiry, such as `2025-06-05`, or month, such as `2025-06`, if the day is unknown.
    pub expiry: String,
    /// Future, call or put.
    pub kind: Kind,
    /// Strike of an option in rupees; none for a future.
    pub strike: Option<Decimal>,
}

impl Kind {
    /// Returns the abbreviation that exchanges use: `FUT`, `CE` or `PE`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Future => "FUT",
            Self::Call => "CE",
            Self::Put => "PE",
        }
    }

    /// Returns the kind with this abbreviation.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Future, Self::Call, Self::Put].into_iter().find(|kind| kind.name() == name)
    }
}

/// Abbreviations of months in symbols and descriptions.
const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/// Length of a symbol or description in bytes. Longer texts are not parsed.
const MAX_SYMBOL_BYTES: usize = 64;
/// Time from a trade to the expiry of a weekly contract, which is listed a few weeks ahead. Digits that would be a later
/// day belong to the name or the strike.
const MAX_DAYS_TO_WEEKLY_EXPIRY: Duration = Duration::days(120);
/// Years from a trade to the expiry of a monthly contract.
const MAX_YEARS_TO_EXPIRY: i32 = 6;
/// Upper bound of a strike in rupees, exclusive.
const STRIKE_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// Parses an exchange's symbol or a broker's description of a contract that was traded on the day `traded`.
pub fn parse_contract(text: &str, traded: Date) -> Option<Contract> {
    parse_symbol(text, traded, None).or_else(|| parse_description(text))
}

/// Parses an exchange's symbol of a contract that was traded on the day `traded`.
///
/// `expiry` is the day from the file's expiry column, if it has one. It is ignored if it contradicts the symbol.
pub fn parse_symbol(symbol: &str, traded: Date, expiry: Option<Date>) -> Option<Contract> {
    if symbol.len() > MAX_SYMBOL_BYTES || !symbol.is_ascii() {
        return None;
    }
    let symbol = symbol.to_ascii_uppercase();
    let (body, kind) = split_kind(&symbol)?;
    // Several splits into name, expiry and strike may be possible. The shortest name wins: everything after it must be
    // an expiry and a strike, to the last digit.
    let candidates = || {
        let splits = (1..body.len()).map(|index| body.split_at(index)).filter(|(name, _)| is_name(name));
        splits.filter_map(|(name, rest)| {
            parse_expiry_and_strike(rest, kind).map(|(expiry, strike)| (name, expiry, strike))
        })
    };
    let with_day = |day: Date| {
        let (name, _, strike) = candidates().find(|(_, expiry, _)| expiry.contains(day))?;
        Some(contract(name, day.to_string(), kind, strike))
    };
    expiry.and_then(with_day).or_else(|| {
        let (name, expiry, strike) = candidates().find(|(_, expiry, _)| expiry.is_plausible_for(traded))?;
        Some(contract(name, expiry.to_text(), kind, strike))
    })
}

/// Words with which some brokers begin a description: the kind, and the exchange or the kind of the underlying.
const DESCRIPTION_KINDS: [(&str, bool); 8] = [
    ("FUT", true),
    ("FUTIDX", true),
    ("FUTSTK", true),
    ("BSXFUT", true),
    ("OPT", false),
    ("OPTIDX", false),
    ("OPTSTK", false),
    ("BSXOPT", false),
];

/// Parses a broker's description of a contract: the underlying, the day of expiry, and the strike and kind of an option.
///
/// Examples: `NIFTY 16 JUN 26 23900 Call`, `EICHERMOT 30 SEP 25 Fut`, `OPT NIFTY 07 Apr 2026 23000 CE`,
/// `FUT WIPRO 28 Apr 2026`, `OPTIDX NIFTY Aug 25 2026 24150.00 PE (BT)`.
pub fn parse_description(text: &str) -> Option<Contract> {
    if text.len() > MAX_SYMBOL_BYTES || !text.is_ascii() || text.contains(|c: char| c.is_ascii_control()) {
        return None;
    }
    let text = text.to_ascii_uppercase();
    let mut tokens: Vec<&str> = text.split(' ').filter(|token| !token.is_empty()).collect();
    if tokens.last().is_some_and(|token| token.starts_with('(')) {
        tokens.pop();
    }
    let first = tokens.first().and_then(|token| DESCRIPTION_KINDS.iter().find(|(kind, _)| kind == token));
    // An underlying may have such a name.
    let first = first.filter(|_| tokens.len() > 4);
    let kind = match (tokens.last().copied()?, first) {
        ("FUT", _) => Kind::Future,
        ("CALL" | "CE", _) => Kind::Call,
        ("PUT" | "PE", _) => Kind::Put,
        (_, Some((_, true))) => Kind::Future,
        _ => return None,
    };
    if matches!(tokens.last(), Some(&("FUT" | "CALL" | "CE" | "PUT" | "PE"))) {
        tokens.pop();
    }
    let strike = match kind {
        Kind::Future => None,
        Kind::Call | Kind::Put => Some(parse_strike(tokens.pop()?)?),
    };
    let (year, second, first_of_date) = (tokens.pop()?, tokens.pop()?, tokens.pop()?);
    let (day, month) = match parse_month(second) {
        Some(month) => (first_of_date, month),
        None => (second, parse_month(first_of_date)?),
    };
    let year = if year.len() == 4 { year.strip_prefix("20")? } else { year };
    let day = Date::from_calendar_date(parse_year(year)?, month, parse_number(day)?).ok()?;
    let name = tokens.get(usize::from(first.is_some())..)?.join(" ");
    name.bytes().any(|c| c.is_ascii_alphabetic()).then(|| contract(&name, day.to_string(), kind, strike))
}

/// Returns a description of a contract that [`parse_description`] accepts, such as `NIFTY 16 JUN 26 23900 CE`; none if
/// the day of expiry is unknown.
pub fn describe(contract: &Contract) -> Option<String> {
    let [year, month, day] = *contract.expiry.split('-').collect::<Vec<_>>() else { return None };
    let month = MONTHS.get(usize::from(parse_number(month)?).checked_sub(1)?)?;
    let date = format!("{} {day} {month} {}", contract.underlying, year.get(2..)?);
    Some(match contract.strike {
        Some(strike) => format!("{date} {strike} {}", contract.kind.name()),
        None => format!("{date} {}", contract.kind.name()),
    })
}

fn contract(name: &str, expiry: String, kind: Kind, strike: Option<Decimal>) -> Contract {
    Contract { underlying: name.to_owned(), expiry, kind, strike }
}

fn split_kind(symbol: &str) -> Option<(&str, Kind)> {
    let mut kinds = [Kind::Future, Kind::Call, Kind::Put].into_iter();
    kinds.find_map(|kind| symbol.strip_suffix(kind.name()).map(|body| (body, kind)))
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: u8| c.is_ascii_alphanumeric() || c == b'&' || c == b'-';
    name.bytes().all(is_allowed) && name.bytes().any(|c| c.is_ascii_alphabetic())
}

/// Expiry as precisely as the symbol states it.
#[derive(Clone, Copy)]
enum SymbolExpiry {
    Month(i32, Month),
    Day(Date),
}

impl SymbolExpiry {
    fn contains(self, day: Date) -> bool {
        match self {
            Self::Month(year, month) => (year, month) == (day.year(), day.month()),
            Self::Day(expiry) => expiry == day,
        }
    }

    /// Returns whether a contract with this expiry could be traded on the day `traded`.
    fn is_plausible_for(self, traded: Date) -> bool {
        match self {
            Self::Month(year, month) => {
                (year, u8::from(month)) >= (traded.year(), u8::from(traded.month()))
                    && year <= traded.year() + MAX_YEARS_TO_EXPIRY
            }
            Self::Day(day) => day >= traded && day - traded <= MAX_DAYS_TO_WEEKLY_EXPIRY,
        }
    }

    fn to_text(self) -> String {
        match self {
            Self::Month(year, month) => format!("{year}-{:02}", u8::from(month)),
            Self::Day(day) => day.to_string(),
        }
    }
}

/// Parses the part of a symbol between the name and the kind.
fn parse_expiry_and_strike(text: &str, kind: Kind) -> Option<(SymbolExpiry, Option<Decimal>)> {
    let year = parse_year(text.get(..2)?)?;
    let after_year = text.get(2..)?;
    let (expiry, rest) = match after_year.get(..3).and_then(parse_month) {
        Some(month) => (SymbolExpiry::Month(year, month), after_year.get(3..)?),
        None => {
            let month = match after_year.get(..1)? {
                "O" => Month::October,
                "N" => Month::November,
                "D" => Month::December,
                digit => Month::try_from(parse_number(digit)?).ok()?,
            };
            let day = Date::from_calendar_date(year, month, parse_number(after_year.get(1..3)?)?).ok()?;
            (SymbolExpiry::Day(day), after_year.get(3..)?)
        }
    };
    match (kind, expiry, rest) {
        (Kind::Future, SymbolExpiry::Month(..), "") => Some((expiry, None)),
        (Kind::Future, _, _) => None,
        (Kind::Call | Kind::Put, _, strike) => Some((expiry, Some(parse_strike(strike)?))),
    }
}

fn parse_strike(text: &str) -> Option<Decimal> {
    let is_number = !text.is_empty() && text.len() <= 14 && text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    is_number.then(|| text.parse::<Decimal>().ok()).flatten().map(|strike| strike.normalize()).filter(|s| is_strike(*s))
}

/// Returns true for a number that can be a strike.
pub fn is_strike(number: Decimal) -> bool {
    number > Decimal::ZERO && number < STRIKE_LIMIT && number.normalize().scale() <= 4
}

fn parse_year(text: &str) -> Option<i32> {
    (text.len() == 2).then(|| parse_number(text).map(|year| 2000 + i32::from(year))).flatten()
}

fn parse_month(text: &str) -> Option<Month> {
    let index = MONTHS.iter().position(|name| *name == text)?;
    Some(Month::January.nth_next(u8::try_from(index).ok()?))
}

/// Parses one or two digits.
fn parse_number(text: &str) -> Option<u8> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
