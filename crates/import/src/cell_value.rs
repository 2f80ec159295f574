//! Parses cells to values: texts, decimals, ids, dates and times. Numeric cells are doubles; they are printed in
//! their shortest form and parsed as decimals.

use std::borrow::Cow;
use std::fmt::Write;

use rust_decimal::{Decimal, RoundingStrategy};
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use crate::sheet::{Cell, Row};

/// Time zone of the times in files, which do not state it.
const INDIA: UtcOffset = time::macros::offset!(+5:30);
/// Day 0 of spreadsheet serials. Correct from March 1900 on, because spreadsheets count a 29 February 1900.
const SERIAL_ZERO: Date = time::macros::date!(1899 - 12 - 30);
const MIN_YEAR: i32 = 1990;
const MAX_YEAR: i32 = 2100;
const MAX_TEXT_CHARS: usize = 1024;
const MAX_ID_BYTES: usize = 40;
const MAX_DECIMAL_CHARS: usize = 40;
/// 2^53. Larger doubles cannot represent every whole number, so the digits of an id may be lost.
const MAX_EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;
/// Exclusive limit of numeric cells.
const NUMBER_LIMIT: f64 = 1e15;

/// Returns the trimmed text of a cell; none if it is empty or too long. A number is printed in its shortest form.
pub(crate) fn parse_text<'r>(cell: Cell<'r>) -> Option<Cow<'r, str>> {
    match cell {
        Cell::Empty | Cell::Error => None,
        Cell::Text(text) => {
            let text = text.trim();
            (!text.is_empty() && text.len() <= MAX_TEXT_CHARS * 4 && text.chars().count() <= MAX_TEXT_CHARS)
                .then_some(Cow::Borrowed(text))
        }
        Cell::Number(number) | Cell::Serial(number) => Some(Cow::Owned(number.to_string())),
        Cell::Bool(value) => Some(Cow::Borrowed(if value { "true" } else { "false" })),
    }
}

/// Returns the content of a cell for display in a list of issues, cut to `max_chars`.
pub(crate) fn display_text(cell: Cell<'_>, max_chars: usize) -> String {
    match cell {
        Cell::Text(text) => text.trim().chars().filter(|c| !c.is_control()).take(max_chars).collect(),
        Cell::Error => "#ERROR".to_owned(),
        Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Bool(_) => {
            parse_text(cell).unwrap_or_default().chars().take(max_chars).collect()
        }
    }
}

/// Parses an amount or a quantity.
pub(crate) fn parse_decimal(cell: Cell<'_>) -> Option<Decimal> {
    match cell {
        Cell::Number(number) if !number.is_finite() || number.abs() >= NUMBER_LIMIT => None,
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole and below 10^15")]
        Cell::Number(number) if number.fract() == 0.0 => Some(Decimal::from(number as i64)),
        Cell::Number(number) => {
            let mut digits = String::with_capacity(24);
            write!(digits, "{number}").ok()?;
            digits.parse().ok()
        }
        Cell::Text(text) => parse_decimal_text(text),
        Cell::Empty | Cell::Serial(_) | Cell::Bool(_) | Cell::Error => None,
    }
}

/// Parses a decimal, ignoring commas, the rupee sign and spaces.
fn parse_decimal_text(text: &str) -> Option<Decimal> {
    let is_plain = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty()
            && digits.len() <= MAX_DECIMAL_CHARS
            && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.')
    };
    if is_plain(text) {
        return text.parse().ok();
    }
    if text.len() > MAX_TEXT_CHARS {
        return None;
    }
    let bare: String = text.chars().filter(|c| !matches!(c, ',' | '₹') && !c.is_whitespace()).collect();
    is_plain(&bare).then(|| bare.parse().ok()).flatten()
}

/// Formats a decimal as plain text without trailing zeros.
pub(crate) fn format_decimal(number: Decimal) -> String {
    number.normalize().to_string()
}

/// Rounds a price that was stored as a 32-bit float back to two decimals; rounds any other price to four.
pub(crate) fn round_price(price: Decimal) -> Decimal {
    let half_up = RoundingStrategy::MidpointAwayFromZero;
    let two_decimals = price.round_dp_with_strategy(2, half_up);
    let relative = price.checked_mul(Decimal::new(1, 7)).unwrap_or_default();
    let noise = relative.max(Decimal::new(5, 4));
    if (price - two_decimals).abs() <= noise { two_decimals } else { price.round_dp_with_strategy(4, half_up) }
}

/// Content of an id cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Id<'r> {
    Valid(Cow<'r, str>),
    /// The cell is empty, or a spreadsheet program rounded the id.
    Missing,
    /// The cell has a value that is not an id.
    Invalid,
}

/// Parses an id. A number counts as its digits, as long as a double represents them exactly.
pub(crate) fn parse_id(cell: Cell<'_>) -> Id<'_> {
    match cell {
        Cell::Empty | Cell::Error => Id::Missing,
        Cell::Bool(_) | Cell::Serial(_) => Id::Invalid,
        Cell::Number(number) if number.fract() == 0.0 && (1.0..MAX_EXACT_DOUBLE).contains(&number) => {
            Id::Valid(Cow::Owned(number.to_string()))
        }
        Cell::Number(number) if number.is_finite() && number >= MAX_EXACT_DOUBLE => Id::Missing,
        Cell::Number(_) => Id::Invalid,
        Cell::Text(text) => parse_id_text(text),
    }
}

fn parse_id_text(text: &str) -> Id<'_> {
    let text = text.trim().trim_start_matches('\'');
    // A formula that keeps a spreadsheet program from rounding the id.
    let text = text.strip_prefix("=\"").and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim();
    // Some programs store ids as floats and export them with `.0`.
    let text = text.strip_suffix(".0").unwrap_or(text);
    if text.is_empty() || text == "-" || text.eq_ignore_ascii_case("na") || has_exponent(text) {
        return Id::Missing;
    }
    let is_valid =
        text.len() <= MAX_ID_BYTES && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    if is_valid { Id::Valid(Cow::Borrowed(text)) } else { Id::Invalid }
}

/// Returns true for a number in exponent form, such as `1.10000E+15`.
fn has_exponent(text: &str) -> bool {
    let Some((digits, power)) = text.split_once(['E', 'e']) else {
        return false;
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    is_digits(power.trim_start_matches('+')) && digits.starts_with(|c: char| c.is_ascii_digit()) && {
        let (before, after) = digits.split_once('.').unwrap_or((digits, "0"));
        is_digits(before) && is_digits(after)
    }
}

/// Date, with a time of day if the cell has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub day: Date,
    pub time: Option<Time>,
}

impl Moment {
    /// Returns the instant in India time; midnight if there is no time of day.
    pub fn instant(self) -> OffsetDateTime {
        PrimitiveDateTime::new(self.day, self.time.unwrap_or(Time::MIDNIGHT)).assume_offset(INDIA)
    }
}

/// Parses a date with an optional time: ISO text, day-first text, or days since the end of 1899.
pub(crate) fn parse_moment(row: &Row<'_>, cell: Cell<'_>) -> Option<Moment> {
    match cell {
        Cell::Empty | Cell::Bool(_) | Cell::Error => None,
        Cell::Number(number) | Cell::Serial(number) => parse_serial(row.to_serial(number)),
        Cell::Text(text) => parse_moment_text(text.trim()),
    }
}

/// Parses the date of a text.
pub(crate) fn parse_day(text: &str) -> Option<Date> {
    parse_moment_text(text.trim()).map(|moment| moment.day)
}

/// Parses a time of day without a date.
pub(crate) fn parse_time_of_day(cell: Cell<'_>) -> Option<Time> {
    match cell {
        Cell::Number(number) | Cell::Serial(number) if (0.0..1.0).contains(&number) => {
            // Any day in the range of serials gives the same time of day.
            parse_serial(number + 40_000.0).and_then(|moment| moment.time)
        }
        Cell::Text(text) => parse_time_text(text.trim()),
        Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Bool(_) | Cell::Error => None,
    }
}

/// Converts days since the end of 1899; the fraction is the time of day, rounded to a second.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn parse_serial(days: f64) -> Option<Moment> {
    if !(30_000.0..75_000.0).contains(&days) {
        return None;
    }
    let day = SERIAL_ZERO.checked_add(Duration::days(days.trunc() as i64))?;
    let seconds = (days.fract() * 86_400.0).round() as i64;
    if seconds == 0 {
        return in_range(Moment { day, time: None });
    }
    let at = PrimitiveDateTime::new(day, Time::MIDNIGHT).checked_add(Duration::seconds(seconds))?;
    in_range(Moment { day: at.date(), time: Some(at.time()) })
}

fn parse_moment_text(text: &str) -> Option<Moment> {
    if !text.is_ascii() {
        return None;
    }
    let day_and_time = || match text.find(['T', ' ']) {
        None => Some(Moment { day: parse_day_text(text)?, time: None }),
        Some(at) => {
            let (day, time) = text.split_at(at);
            Some(Moment { day: parse_day_text(day)?, time: Some(parse_time_text(time.get(1..)?.trim())?) })
        }
    };
    // A date such as `15 Jun 2026` contains spaces itself.
    let day = || Some(Moment { day: parse_day_text(text)?, time: None });
    in_range(day_and_time().or_else(day).or_else(|| parse_spaced_moment(text))?)
}

/// Parses a date that contains spaces, and a time: `05 Aug 2026, 09:49:14 AM`.
fn parse_spaced_moment(text: &str) -> Option<Moment> {
    let before_colon = text.get(..text.find(':')?)?;
    let (day, time) = text.split_at(before_colon.rfind(' ')?);
    let day = parse_day_text(day.trim_end_matches([',', ' ']))?;
    Some(Moment { day, time: Some(parse_time_text(time.trim())?) })
}

/// Parses a date as [`parse_moment`], but a text with slashes as a spreadsheet program with American settings shows it:
/// `8/27/26 0:00`.
pub(crate) fn parse_american_moment(row: &Row<'_>, cell: Cell<'_>) -> Option<Moment> {
    let Cell::Text(text) = cell else {
        return parse_moment(row, cell);
    };
    let text = text.trim();
    let (date, time) = text.split_once(' ').map_or((text, None), |(date, time)| (date, Some(time)));
    let mut parts = date.split('/');
    let (Some(month), Some(day), Some(year), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return parse_moment(row, cell);
    };
    let year = year.strip_prefix("20").filter(|year| year.len() == 2).unwrap_or(year);
    let month = Month::try_from(parse_two_digits(month)?).ok()?;
    let year = (year.len() == 2).then(|| parse_two_digits(year)).flatten()?;
    let day = Date::from_calendar_date(2000 + i32::from(year), month, parse_two_digits(day)?).ok()?;
    let time = time.map(|time| parse_time_text(time.trim()).ok_or(())).transpose().ok()?;
    in_range(Moment { day, time })
}

fn parse_day_text(text: &str) -> Option<Date> {
    let separator = if text.contains('/') { '/' } else { '-' };
    // For a date such as `15 Jun 2026`.
    let separator = if text.contains(' ') { ' ' } else { separator };
    let mut parts = text.split(separator);
    let (first, second, last) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    if let Some(month) = parse_month_text(first) {
        return day_of(last, month, second.trim_end_matches(','));
    }
    let month = parse_two_digits(second).and_then(|number| Month::try_from(number).ok());
    match (month, parse_month_text(second)) {
        // A year of two digits is only clear next to a month's name.
        (_, Some(month)) if last.len() == 2 && first.len() <= 2 => day_of(&format!("20{last}"), month, first),
        (Some(month), _) | (None, Some(month)) if first.len() == 4 => day_of(first, month, last),
        (Some(month), _) | (None, Some(month)) => day_of(last, month, first),
        (None, None) => None,
    }
}

/// Returns a day from a year of four digits, a month and the digits of the day.
fn day_of(year: &str, month: Month, day: &str) -> Option<Date> {
    if year.len() != 4 {
        return None;
    }
    let year = i32::from(parse_two_digits(year.get(..2)?)?) * 100 + i32::from(parse_two_digits(year.get(2..)?)?);
    Date::from_calendar_date(year, month, parse_two_digits(day)?).ok()
}

/// Parses a month name or its first three letters, in any case.
pub(crate) fn parse_month_text(text: &str) -> Option<Month> {
    const NAMES: [(&str, Month); 12] = [
        ("January", Month::January),
        ("February", Month::February),
        ("March", Month::March),
        ("April", Month::April),
        ("May", Month::May),
        ("June", Month::June),
        ("July", Month::July),
        ("August", Month::August),
        ("September", Month::September),
        ("October", Month::October),
        ("November", Month::November),
        ("December", Month::December),
    ];
    let is = |name: &str| name.eq_ignore_ascii_case(text);
    NAMES.into_iter().find(|(name, _)| is(name) || name.get(..3).is_some_and(is)).map(|(_, month)| month)
}

/// Parses `HH:MM` or `HH:MM:SS`, with an optional fraction, on a 24-hour clock or with AM or PM.
fn parse_time_text(text: &str) -> Option<Time> {
    let strip_suffix = |text: &str, suffix: &str| {
        let at = text.len().checked_sub(2)?;
        let (clock, end) = (text.get(..at)?, text.get(at..)?);
        end.eq_ignore_ascii_case(suffix).then(|| clock.trim().to_owned())
    };
    let (clock, noon_offset) = match (strip_suffix(text, "am"), strip_suffix(text, "pm")) {
        (Some(clock), _) => (Cow::Owned(clock), Some(0)),
        (_, Some(clock)) => (Cow::Owned(clock), Some(12)),
        (None, None) => (Cow::Borrowed(text), None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (parse_two_digits(parts.next()?)?, parse_two_digits(parts.next()?)?);
    let second = match parts.next() {
        None => 0,
        Some(second) => parse_two_digits(second.split('.').next()?)?,
    };
    if parts.next().is_some() {
        return None;
    }
    let hour = match noon_offset {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(offset) => hour % 12 + offset,
    };
    Time::from_hms(hour, minute, second).ok()
}

/// Parses one or two digits.
fn parse_two_digits(text: &str) -> Option<u8> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn in_range(moment: Moment) -> Option<Moment> {
    (MIN_YEAR..=MAX_YEAR).contains(&moment.day.year()).then_some(moment)
}

#[cfg(test)]
#[path = "tests/cell_value.rs"]
mod tests;
