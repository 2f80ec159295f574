//! Last trading days of monthly contracts, from the lists `rates/expiry-weekdays.csv`, `rates/trading-holidays.csv` and
//! `rates/indices.csv`.
//!
//! A monthly contract expires on the last of one weekday in its month, or on the trading day before if that day is a
//! holiday. The weekday has changed over time. Where it or the holidays are not sourced, the day is unknown.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;
use time::macros::format_description;
use time::{Date, Month, Weekday};

use crate::exchange::Exchange;

/// Weekday of expiry of the contracts on one underlying, from a month on.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// First day of the first month of expiry.
    from: Date,
    /// None if it is unknown.
    weekday: Option<Weekday>,
}

#[derive(Deserialize)]
struct RuleRow {
    /// Month, such as `2025-09`.
    from: String,
    exchange: String,
    /// Empty for all other underlyings.
    underlying: String,
    weekday: String,
}

#[derive(Deserialize)]
struct HolidayRow {
    day: String,
}

#[derive(Deserialize)]
struct IndexRow {
    symbol: String,
}

struct Calendar {
    /// Rules by exchange and underlying, the oldest first.
    rules: HashMap<(Exchange, String), Vec<Rule>>,
    holidays: BTreeSet<Date>,
    indices: HashSet<String>,
}

impl Calendar {
    fn is_trading_day(&self, day: Date) -> bool {
        !self.holidays.contains(&day) && !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
    }
}

static CALENDAR: LazyLock<Calendar> = LazyLock::new(|| {
    // The tests load the files, so a row that cannot be parsed fails there.
    let mut rules: HashMap<(Exchange, String), Vec<Rule>> = HashMap::new();
    let mut reader = csv::Reader::from_reader(include_str!("../rates/expiry-weekdays.csv").as_bytes());
    for row in reader.deserialize::<RuleRow>().flatten() {
        let Some((key, rule)) = parse_rule(row) else { continue };
        rules.entry(key).or_default().push(rule);
    }
    rules.values_mut().for_each(|rules| rules.sort_by_key(|rule| rule.from));
    let mut reader = csv::Reader::from_reader(include_str!("../rates/trading-holidays.csv").as_bytes());
    let holidays = reader.deserialize::<HolidayRow>().flatten().filter_map(|row| parse_day(&row.day)).collect();
    let mut reader = csv::Reader::from_reader(include_str!("../rates/indices.csv").as_bytes());
    let indices = reader.deserialize::<IndexRow>().flatten().map(|row| row.symbol).collect();
    Calendar { rules, holidays, indices }
});

fn parse_rule(row: RuleRow) -> Option<((Exchange, String), Rule)> {
    let weekday = match row.weekday.as_str() {
        "" => None,
        "monday" => Some(Weekday::Monday),
        "tuesday" => Some(Weekday::Tuesday),
        "wednesday" => Some(Weekday::Wednesday),
        "thursday" => Some(Weekday::Thursday),
        "friday" => Some(Weekday::Friday),
        _ => return None,
    };
    let from = parse_day(&[&row.from, "-01"].concat())?;
    Some(((Exchange::from_name(&row.exchange)?, row.underlying), Rule { from, weekday }))
}

fn parse_day(text: &str) -> Option<Date> {
    Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

/// Returns whether the underlying of a contract is an index, so that the contract is settled in cash.
pub fn is_index(underlying: &str) -> bool {
    CALENDAR.indices.contains(underlying)
}

/// Returns the last trading day of the monthly contract on an underlying; none if it is unknown.
pub fn last_trading_day(exchange: Exchange, underlying: &str, year: i32, month: Month) -> Option<Date> {
    let calendar = &*CALENDAR;
    let first = Date::from_calendar_date(year, month, 1).ok()?;
    let rules = |underlying: &str| calendar.rules.get(&(exchange, underlying.to_owned()));
    let rule = rules(underlying).or_else(|| rules(""))?.iter().rfind(|rule| rule.from <= first)?;
    let weekday = rule.weekday?;
    // The holidays of a year are in the list if it has one of this year.
    let is_known = calendar.holidays.first()?.year() <= year && year <= calendar.holidays.last()?.year();
    let mut day = first.replace_day(month.length(year)).ok().filter(|_| is_known)?;
    while day.weekday() != weekday {
        day = day.previous_day()?;
    }
    while !calendar.is_trading_day(day) {
        day = day.previous_day()?;
    }
    Some(day)
}

/// Returns the next trading day after a day. In years without a list of holidays, only weekends are left out.
pub fn next_trading_day(day: Date) -> Date {
    let mut next = day;
    loop {
        let Some(following) = next.next_day() else { return next };
        next = following;
        if CALENDAR.is_trading_day(next) {
            return next;
        }
    }
}

/// Returns the last trading day before a day. In years without a list of holidays, only weekends are left out.
pub fn previous_trading_day(day: Date) -> Date {
    let mut previous = day;
    loop {
        let Some(preceding) = previous.previous_day() else { return previous };
        previous = preceding;
        if CALENDAR.is_trading_day(previous) {
            return previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn every_row_of_the_lists_can_be_parsed() {
        let mut reader = csv::Reader::from_reader(include_str!("../rates/expiry-weekdays.csv").as_bytes());
        let rules: Vec<RuleRow> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        let count = rules.len();
        assert_eq!(rules.into_iter().filter_map(parse_rule).count(), count);
        let mut reader = csv::Reader::from_reader(include_str!("../rates/trading-holidays.csv").as_bytes());
        let holidays: Vec<HolidayRow> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        assert_eq!(CALENDAR.holidays.len(), holidays.len());
        // A year without a holiday would be a gap in the list.
        let years: BTreeSet<i32> = CALENDAR.holidays.iter().map(|day| day.year()).collect();
        assert!(years.iter().copied().eq(2018..=2026), "{years:?}");
        assert!(is_index("NIFTY") && is_index("SENSEX") && !is_index("RELIANCE"));
    }

    #[test]
    fn finds_the_last_trading_day_on_both_sides_of_each_change() {
        let (nse, bse) = (Exchange::Nse, Exchange::Bse);
        for (exchange, underlying, expected) in [
            (nse, "RELIANCE", date!(2018 - 01 - 25)),
            // Bakri Id on Thursday 29 June 2023, Ram Navami on Thursday 30 March 2023.
            (nse, "NIFTY", date!(2023 - 06 - 28)),
            (nse, "RELIANCE", date!(2023 - 03 - 29)),
            (nse, "NIFTY", date!(2025 - 08 - 28)),
            (nse, "NIFTY", date!(2025 - 09 - 30)),
            (nse, "RELIANCE", date!(2025 - 09 - 30)),
            // Mahavir Jayanti on Tuesday 31 March 2026, Guru Nanak Jayanti on Tuesday 24 November 2026.
            (nse, "NIFTY", date!(2026 - 03 - 30)),
            (nse, "TCS", date!(2026 - 11 - 23)),
            (nse, "BANKNIFTY", date!(2023 - 09 - 28)),
            (nse, "BANKNIFTY", date!(2024 - 02 - 29)),
            (nse, "BANKNIFTY", date!(2024 - 03 - 27)),
            // The last Wednesday of 2024 was Christmas.
            (nse, "BANKNIFTY", date!(2024 - 12 - 24)),
            (nse, "BANKNIFTY", date!(2025 - 01 - 30)),
            (nse, "BANKNIFTY", date!(2025 - 09 - 30)),
            (nse, "FINNIFTY", date!(2024 - 12 - 31)),
            (nse, "FINNIFTY", date!(2025 - 01 - 30)),
            (nse, "MIDCPNIFTY", date!(2023 - 07 - 26)),
            (nse, "MIDCPNIFTY", date!(2023 - 08 - 28)),
            (nse, "MIDCPNIFTY", date!(2024 - 12 - 30)),
            (nse, "NIFTYNXT50", date!(2024 - 12 - 27)),
            (nse, "NIFTYNXT50", date!(2025 - 01 - 30)),
            (bse, "SENSEX", date!(2024 - 12 - 27)),
            (bse, "SENSEX", date!(2025 - 01 - 28)),
            (bse, "SENSEX", date!(2025 - 08 - 26)),
            (bse, "SENSEX", date!(2025 - 09 - 25)),
            (bse, "BANKEX", date!(2023 - 09 - 29)),
            (bse, "BANKEX", date!(2023 - 10 - 30)),
            (bse, "BANKEX", date!(2024 - 12 - 30)),
            (bse, "BANKEX", date!(2025 - 01 - 28)),
            (bse, "SENSEX50", date!(2024 - 12 - 26)),
            (bse, "SENSEX50", date!(2025 - 01 - 28)),
        ] {
            let day = last_trading_day(exchange, underlying, expected.year(), expected.month());
            assert_eq!(day, Some(expected), "{underlying}");
        }
    }

    #[test]
    fn the_next_trading_day_is_after_weekends_and_holidays() {
        for (day, expected) in [
            (date!(2026 - 11 - 12), date!(2026 - 11 - 13)),
            (date!(2026 - 11 - 13), date!(2026 - 11 - 16)),
            (date!(2026 - 11 - 23), date!(2026 - 11 - 25)),
            // No list of holidays.
            (date!(2035 - 01 - 25), date!(2035 - 01 - 26)),
        ] {
            assert_eq!(next_trading_day(day), expected);
        }
    }

    #[test]
    fn the_day_is_unknown_without_a_source() {
        for (exchange, underlying, year, month) in [
            (Exchange::Nse, "FINNIFTY", 2023, Month::June),
            (Exchange::Nse, "MIDCPNIFTY", 2023, Month::June),
            (Exchange::Bse, "SENSEX", 2023, Month::April),
            (Exchange::Bse, "RELIANCE", 2025, Month::August),
            (Exchange::Nse, "NIFTY", 2017, Month::December),
            // The holidays of 2027 are not published yet.
            (Exchange::Nse, "NIFTY", 2027, Month::January),
        ] {
            assert_eq!(last_trading_day(exchange, underlying, year, month), None, "{underlying} {year}");
        }
    }
}
