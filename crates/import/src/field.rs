//! Cells to values: decimals, ids, times. Nothing here is a float longer than it takes to print it.

use std::borrow::Cow;
use std::fmt::Write;

use rust_decimal::{Decimal, RoundingStrategy};
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use crate::sheet::{Cell, Row};

/// Files tell the time in India and do not say so.
const INDIA: UtcOffset = time::macros::offset!(+5:30);
/// Day 0 of a spreadsheet, as far as days since March 1900 are concerned.
const SERIAL_ZERO: Date = time::macros::date!(1899 - 12 - 30);
const FIRST_YEAR: i32 = 1990;
const LAST_YEAR: i32 = 2100;
const LONGEST_TEXT: usize = 1024;
const LONGEST_ID: usize = 40;
/// Above it a double skips whole numbers, so its digits are not those of the id.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
const LARGEST_NUMBER: f64 = 1e15;

/// The trimmed text of a cell. A number is printed in as few digits as identify it.
pub(crate) fn text<'r>(cell: Cell<'r>) -> Option<Cow<'r, str>> {
    match cell {
        Cell::Empty | Cell::Error => None,
        Cell::Text(text) => {
            let text = text.trim();
            (!text.is_empty() && text.len() <= LONGEST_TEXT * 4 && text.chars().count() <= LONGEST_TEXT)
                .then_some(Cow::Borrowed(text))
        }
        Cell::Number(number) | Cell::Serial(number) => Some(Cow::Owned(number.to_string())),
        Cell::Truth(truth) => Some(Cow::Borrowed(if truth { "true" } else { "false" })),
    }
}

/// What a report shows of a cell.
pub(crate) fn shown(cell: Cell<'_>, longest: usize) -> String {
    match cell {
        Cell::Text(text) => text.trim().chars().filter(|c| !c.is_control()).take(longest).collect(),
        Cell::Error => "#ERROR".to_owned(),
        Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Truth(_) => {
            text(cell).unwrap_or_default().chars().take(longest).collect()
        }
    }
}

/// A number of money or things.
pub(crate) fn decimal(cell: Cell<'_>) -> Option<Decimal> {
    match cell {
        Cell::Number(number) if !number.is_finite() || number.abs() >= LARGEST_NUMBER => None,
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and below 10^15")]
        Cell::Number(number) if number.fract() == 0.0 => Some(Decimal::from(number as i64)),
        Cell::Number(number) => {
            let mut digits = String::with_capacity(24);
            write!(digits, "{number}").ok()?;
            digits.parse().ok()
        }
        Cell::Text(text) => decimal_text(text),
        Cell::Empty | Cell::Serial(_) | Cell::Truth(_) | Cell::Error => None,
    }
}

/// Thousands commas, the rupee sign and spaces are dress.
fn decimal_text(text: &str) -> Option<Decimal> {
    let plain = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty() && digits.len() <= 40 && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.')
    };
    if plain(text) {
        return text.parse().ok();
    }
    if text.len() > LONGEST_TEXT {
        return None;
    }
    let bare: String = text.chars().filter(|c| !matches!(c, ',' | '₹') && !c.is_whitespace()).collect();
    plain(&bare).then(|| bare.parse().ok()).flatten()
}

/// As plain text, without zeros that say nothing.
pub(crate) fn plain(number: Decimal) -> String {
    number.normalize().to_string()
}

/// Undoes what a 32-bit float did to a price of two decimals, and leaves others at four.
pub(crate) fn tidy_price(price: Decimal) -> Decimal {
    let half_up = RoundingStrategy::MidpointAwayFromZero;
    let cents = price.round_dp_with_strategy(2, half_up);
    let relative = price.checked_mul(Decimal::new(1, 7)).unwrap_or_default();
    let noise = relative.max(Decimal::new(5, 4));
    if (price - cents).abs() <= noise { cents } else { price.round_dp_with_strategy(4, half_up) }
}

/// What an id cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Id<'r> {
    Known(Cow<'r, str>),
    /// There is none, or a spreadsheet rounded it away.
    Missing,
    /// Something, but no id.
    Odd,
}

/// Ids are text; a numeric cell is its digits while a double can hold them.
pub(crate) fn id(cell: Cell<'_>) -> Id<'_> {
    match cell {
        Cell::Empty | Cell::Error => Id::Missing,
        Cell::Truth(_) | Cell::Serial(_) => Id::Odd,
        Cell::Number(number) if number.fract() == 0.0 && (1.0..LARGEST_EXACT).contains(&number) => {
            Id::Known(Cow::Owned(number.to_string()))
        }
        Cell::Number(number) if number.is_finite() && number >= LARGEST_EXACT => Id::Missing,
        Cell::Number(_) => Id::Odd,
        Cell::Text(text) => id_text(text),
    }
}

fn id_text(text: &str) -> Id<'_> {
    let text = text.trim().trim_start_matches('\'');
    // A column that went through a float column of some program.
    let text = text.strip_suffix(".0").unwrap_or(text);
    if text.is_empty() || text == "-" || text.eq_ignore_ascii_case("na") || is_exponent(text) {
        return Id::Missing;
    }
    let sound = text.len() <= LONGEST_ID && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    if sound { Id::Known(Cow::Borrowed(text)) } else { Id::Odd }
}

/// Such as `1.10000E+15`.
fn is_exponent(text: &str) -> bool {
    let Some((digits, power)) = text.split_once(['E', 'e']) else {
        return false;
    };
    let whole = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    whole(power.trim_start_matches('+')) && digits.starts_with(|c: char| c.is_ascii_digit()) && {
        let (before, after) = digits.split_once('.').unwrap_or((digits, "0"));
        whole(before) && whole(after)
    }
}

/// A day and, where the cell has one, a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub day: Date,
    pub time: Option<Time>,
}

impl Moment {
    /// When that is in India. Midnight, where only the day is known.
    pub fn instant(self) -> OffsetDateTime {
        PrimitiveDateTime::new(self.day, self.time.unwrap_or(Time::MIDNIGHT)).assume_offset(INDIA)
    }
}

/// The moment in a cell: ISO text, day-first text, or days since the end of 1899.
pub(crate) fn moment(row: &Row<'_>, cell: Cell<'_>) -> Option<Moment> {
    match cell {
        Cell::Empty | Cell::Truth(_) | Cell::Error => None,
        Cell::Number(number) | Cell::Serial(number) => serial(row.serial(number)),
        Cell::Text(text) => moment_text(text.trim()),
    }
}

/// The day that a text is.
pub(crate) fn day(text: &str) -> Option<Date> {
    moment_text(text.trim()).map(|moment| moment.day)
}

/// A time of day alone.
pub(crate) fn time_of_day(cell: Cell<'_>) -> Option<Time> {
    match cell {
        Cell::Number(number) | Cell::Serial(number) if (0.0..1.0).contains(&number) => {
            serial(number + 40_000.0).and_then(|moment| moment.time)
        }
        Cell::Text(text) => time_text(text.trim()),
        Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Truth(_) | Cell::Error => None,
    }
}

/// Days since the end of 1899, of which the fraction is the time of day to the nearest second.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn serial(days: f64) -> Option<Moment> {
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

fn moment_text(text: &str) -> Option<Moment> {
    if !text.is_ascii() {
        return None;
    }
    let day_and_time = || match text.find(['T', ' ']) {
        None => Some(Moment { day: day_text(text)?, time: None }),
        Some(at) => {
            let (day, time) = text.split_at(at);
            Some(Moment { day: day_text(day)?, time: Some(time_text(time.get(1..)?.trim())?) })
        }
    };
    // A day in words has spaces of its own.
    let moment = day_and_time().or_else(|| Some(Moment { day: day_text(text)?, time: None }))?;
    in_range(moment)
}

fn day_text(text: &str) -> Option<Date> {
    let separator = if text.contains('/') { '/' } else { '-' };
    // Such as 15 Jun 2026.
    let separator = if text.contains(' ') { ' ' } else { separator };
    let mut parts = text.split(separator);
    let (first, month, last) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
    if year.len() != 4 {
        return None;
    }
    let month = number(month).map_or_else(|| month_text(month), |number| Month::try_from(number).ok())?;
    let year = i32::from(number(year.get(..2)?)?) * 100 + i32::from(number(year.get(2..)?)?);
    Date::from_calendar_date(year, month, number(day)?).ok()
}

/// The first three letters of a month's name, or all of it, in any case.
fn month_text(text: &str) -> Option<Month> {
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

/// `HH:MM`, `HH:MM:SS`, with a fraction, or of twelve hours with AM or PM.
fn time_text(text: &str) -> Option<Time> {
    let halves = |text: &str, half: &str| {
        let at = text.len().checked_sub(2)?;
        let (clock, end) = (text.get(..at)?, text.get(at..)?);
        end.eq_ignore_ascii_case(half).then(|| clock.trim().to_owned())
    };
    let (clock, noon) = match (halves(text, "am"), halves(text, "pm")) {
        (Some(clock), _) => (Cow::Owned(clock), Some(0)),
        (_, Some(clock)) => (Cow::Owned(clock), Some(12)),
        (None, None) => (Cow::Borrowed(text), None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let second = match parts.next() {
        None => 0,
        Some(second) => number(second.split('.').next()?)?,
    };
    if parts.next().is_some() {
        return None;
    }
    let hour = match noon {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(noon) => hour % 12 + noon,
    };
    Time::from_hms(hour, minute, second).ok()
}

/// One or two digits.
fn number(text: &str) -> Option<u8> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn in_range(moment: Moment) -> Option<Moment> {
    (FIRST_YEAR..=LAST_YEAR).contains(&moment.day.year()).then_some(moment)
}

#[cfg(test)]
#[path = "tests/field.rs"]
mod tests;
