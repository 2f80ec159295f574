//! What the name of a future or an option says: of what, until when, at which strike.
//!
//! An exchange's symbol is `NAME`, the year's last two digits, then
//! - `MMM`, the strike and `CE` or `PE`: a monthly option, as `NIFTY26MAY23050PE`,
//! - `M` (1 to 9, O, N, D), the day, the strike and `CE` or `PE`: a weekly one, as `NIFTY2560524750PE`,
//! - `MMM` and `FUT`: a future, as `BANKNIFTY24FEBFUT`.
//!
//! Names may hold digits, `&` and `-`, strikes a point. The day of a monthly contract is not in its symbol: weekdays of
//! expiry have changed and holidays shift them, so without a column that tells it the day stays open.

use rust_decimal::Decimal;
use time::{Date, Duration, Month};

/// What kind of contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Both must trade on the day.
    Future,
    /// The right to buy.
    Call,
    /// The right to sell.
    Put,
}

/// What a symbol of futures or options stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Such as NIFTY.
    pub underlying: String,
    /// 2025-06-05, or 2025-06 where only the month is known.
    pub expiry: String,
    /// What kind.
    pub kind: Kind,
    /// Of an option, in rupees.
    pub strike: Option<Decimal>,
}

impl Kind {
    /// FUT, CE or PE, as exchanges write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Future => "FUT",
            Self::Call => "CE",
            Self::Put => "PE",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Future, Self::Call, Self::Put].into_iter().find(|kind| kind.name() == name)
    }
}

const LONGEST_NAME: usize = 64;
/// A weekly contract is listed a few weeks ahead. Digits that would be a later day are a part of something else.
const LONGEST_WEEKLY: Duration = Duration::days(120);
const YEARS_AHEAD: i32 = 6;
const STRIKE_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// The contract of a symbol that was traded on that day, as an exchange or as Groww writes it.
pub fn of(symbol: &str, traded: Date) -> Option<Contract> {
    of_symbol(symbol, traded, None).or_else(|| of_words(symbol))
}

/// The contract of an exchange's symbol that was traded on that day, with the expiry day if the file tells it.
pub fn of_symbol(symbol: &str, traded: Date, expiry: Option<Date>) -> Option<Contract> {
    if symbol.len() > LONGEST_NAME || !symbol.is_ascii() {
        return None;
    }
    let symbol = symbol.to_ascii_uppercase();
    let (body, kind) = split_kind(&symbol)?;
    // The shortest name wins: what follows it must be a date and a strike to the last digit.
    let readings = || {
        let parts = (1..body.len()).map(|at| body.split_at(at)).filter(|(name, _)| is_name(name));
        parts.filter_map(|(name, rest)| form(rest, kind).map(|(when, strike)| (name, when, strike)))
    };
    let on = |day: Date| {
        let (name, _, strike) = readings().find(|(_, when, _)| when.holds(day))?;
        Some(contract(name, day.to_string(), kind, strike))
    };
    expiry.and_then(on).or_else(|| {
        let (name, when, strike) = readings().find(|(_, when, _)| when.may_follow(traded))?;
        Some(contract(name, when.text(), kind, strike))
    })
}

/// The contract of Groww's words: `NIFTY 16 JUN 26 23900 Call`, `EICHERMOT 30 SEP 25 Fut`.
pub fn of_words(words: &str) -> Option<Contract> {
    if words.len() > LONGEST_NAME || !words.is_ascii() {
        return None;
    }
    let words = words.to_ascii_uppercase();
    let (rest, last) = words.trim().rsplit_once(' ')?;
    let kind = match last {
        "FUT" => Kind::Future,
        "CALL" | "CE" => Kind::Call,
        "PUT" | "PE" => Kind::Put,
        _ => return None,
    };
    let (rest, strike) = match kind {
        Kind::Future => (rest, None),
        Kind::Call | Kind::Put => {
            let (rest, text) = rest.rsplit_once(' ')?;
            (rest, Some(strike(text)?))
        }
    };
    let mut parts = rest.rsplitn(4, ' ');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let name = parts.next()?.trim();
    let year = if year.len() == 4 { year.strip_prefix("20")? } else { year };
    let day = Date::from_calendar_date(year_of(year)?, month_of(month)?, number(day)?).ok()?;
    let known = name.bytes().any(|c| c.is_ascii_alphabetic()) && !name.contains(|c: char| c.is_ascii_control());
    known.then(|| contract(name, day.to_string(), kind, strike))
}

fn contract(name: &str, expiry: String, kind: Kind, strike: Option<Decimal>) -> Contract {
    Contract { underlying: name.to_owned(), expiry, kind, strike }
}

fn split_kind(symbol: &str) -> Option<(&str, Kind)> {
    let mut kinds = [Kind::Future, Kind::Call, Kind::Put].into_iter();
    kinds.find_map(|kind| symbol.strip_suffix(kind.name()).map(|body| (body, kind)))
}

fn is_name(name: &str) -> bool {
    let sound = |c: u8| c.is_ascii_alphanumeric() || c == b'&' || c == b'-';
    name.bytes().all(sound) && name.bytes().any(|c| c.is_ascii_alphabetic())
}

/// When a contract ends, as far as its symbol tells.
#[derive(Clone, Copy)]
enum When {
    Month(i32, Month),
    Day(Date),
}

impl When {
    fn holds(self, day: Date) -> bool {
        match self {
            Self::Month(year, month) => (year, month) == (day.year(), day.month()),
            Self::Day(known) => known == day,
        }
    }

    /// Whether a contract that ends then may be traded on that day.
    fn may_follow(self, traded: Date) -> bool {
        match self {
            Self::Month(year, month) => {
                (year, u8::from(month)) >= (traded.year(), u8::from(traded.month()))
                    && year <= traded.year() + YEARS_AHEAD
            }
            Self::Day(day) => day >= traded && day - traded <= LONGEST_WEEKLY,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Month(year, month) => format!("{year}-{:02}", u8::from(month)),
            Self::Day(day) => day.to_string(),
        }
    }
}

/// What follows the name: when, and the strike.
fn form(rest: &str, kind: Kind) -> Option<(When, Option<Decimal>)> {
    let year = year_of(rest.get(..2)?)?;
    let after = rest.get(2..)?;
    let (when, rest) = match after.get(..3).and_then(month_of) {
        Some(month) => (When::Month(year, month), after.get(3..)?),
        None => {
            let month = match after.get(..1)? {
                "O" => Month::October,
                "N" => Month::November,
                "D" => Month::December,
                digit => Month::try_from(number(digit)?).ok()?,
            };
            let day = Date::from_calendar_date(year, month, number(after.get(1..3)?)?).ok()?;
            (When::Day(day), after.get(3..)?)
        }
    };
    match (kind, when, rest) {
        (Kind::Future, When::Month(..), "") => Some((when, None)),
        (Kind::Future, _, _) => None,
        (Kind::Call | Kind::Put, _, text) => Some((when, Some(strike(text)?))),
    }
}

fn strike(text: &str) -> Option<Decimal> {
    let sound = !text.is_empty() && text.len() <= 14 && text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let strike = sound.then(|| text.parse::<Decimal>().ok()).flatten()?.normalize();
    (strike > Decimal::ZERO && strike < STRIKE_LIMIT && strike.scale() <= 4).then_some(strike)
}

fn year_of(text: &str) -> Option<i32> {
    (text.len() == 2).then(|| number(text).map(|year| 2000 + i32::from(year))).flatten()
}

fn month_of(text: &str) -> Option<Month> {
    const NAMES: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
    let before = NAMES.iter().position(|name| *name == text)?;
    Some(Month::January.nth_next(u8::try_from(before).ok()?))
}

/// One or two digits.
fn number(text: &str) -> Option<u8> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
