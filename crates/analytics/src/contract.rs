//! What a symbol stands for.

use time::{Date, Month};

/// What kind of thing is traded under a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Equity,
    Future,
    Call,
    Put,
}

/// When a contract ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// The last day of the month where the symbol tells no more.
    pub day: Date,
    /// It is that very day.
    pub exact: bool,
}

impl Expiry {
    /// Some day of the month of `day`.
    pub fn month(day: Date) -> Option<Self> {
        Some(Self { day: day.replace_day(day.month().length(day.year())).ok()?, exact: false })
    }
}

/// What is traded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instrument {
    pub symbol: String,
    pub class: Class,
    /// What a contract is on; of shares the symbol itself.
    pub underlying: String,
    pub expiry: Option<Expiry>,
}

const MONTHS: [(&str, Month); 12] = [
    ("JAN", Month::January),
    ("FEB", Month::February),
    ("MAR", Month::March),
    ("APR", Month::April),
    ("MAY", Month::May),
    ("JUN", Month::June),
    ("JUL", Month::July),
    ("AUG", Month::August),
    ("SEP", Month::September),
    ("OCT", Month::October),
    ("NOV", Month::November),
    ("DEC", Month::December),
];

impl Instrument {
    pub fn is_contract(&self) -> bool {
        self.class != Class::Equity
    }

    pub fn is_option(&self) -> bool {
        matches!(self.class, Class::Call | Class::Put)
    }

    pub fn share(symbol: &str) -> Self {
        Self { symbol: symbol.to_owned(), class: Class::Equity, underlying: symbol.to_owned(), expiry: None }
    }

    /// What the symbol of a trade that no file told of says, as Zerodha and Groww write it; `traded` is a day on which it was
    /// traded, and so not after its expiry. What cannot be read is a future on itself, or an option where it ends so.
    pub fn contract(symbol: &str, traded: Date) -> Self {
        let text = symbol.to_ascii_uppercase();
        let (class, rest) = class_of(&text);
        let read = spaced(rest).or_else(|| (1..rest.len()).find_map(|at| joined(rest, at, class, traded)));
        let (underlying, expiry) = read.map_or((rest, None), |(name, expiry)| (name, Some(expiry)));
        Self { symbol: symbol.to_owned(), class, underlying: underlying.trim().to_owned(), expiry }
    }
}

fn class_of(text: &str) -> (Class, &str) {
    let ends = [
        (" CALL", Class::Call),
        (" PUT", Class::Put),
        (" FUT", Class::Future),
        ("CE", Class::Call),
        ("PE", Class::Put),
        ("FUT", Class::Future),
    ];
    let found = ends.into_iter().find_map(|(end, class)| Some((class, text.strip_suffix(end)?)));
    found.unwrap_or((Class::Future, text))
}

/// `NIFTY 16 JUN 26 23900`, `EICHERMOT 30 SEP 25`.
fn spaced(rest: &str) -> Option<(&str, Expiry)> {
    let words: Vec<&str> = rest.split(' ').collect();
    let place = words.iter().position(|word| month(word).is_some()).filter(|place| *place >= 2)?;
    let (day, year) = (words.get(place - 1)?, words.get(place + 1)?);
    let expiry = date(year, month(words.get(place)?)?, day)?;
    let name = rest.find(&format!(" {day} "))?;
    Some((rest.get(..name)?, Expiry { day: expiry, exact: true }))
}

/// `NIFTY` `26MAY` `23050`, `NIFTY` `25` `6` `05` `24750`, `BANKNIFTY` `24FEB`: the name ends at `at`.
fn joined(rest: &str, at: usize, class: Class, traded: Date) -> Option<(&str, Expiry)> {
    let (name, tail) = (rest.get(..at)?, rest.get(at..)?);
    let (year, after) = (tail.get(..2)?, tail.get(2..)?);
    let is_strike = |text: &str| match class {
        Class::Future | Class::Equity => text.is_empty(),
        Class::Call | Class::Put => {
            text.starts_with(|first: char| first.is_ascii_digit())
                && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        }
    };
    let expiry = if let Some(month) = after.get(..3).and_then(month)
        && is_strike(after.get(3..)?)
    {
        Expiry::month(date(year, month, "1")?)?
    } else {
        let letter = after.get(..1)?;
        let month = match letter {
            "O" => Month::October,
            "N" => Month::November,
            "D" => Month::December,
            digit => Month::try_from(digit.parse::<u8>().ok()?).ok()?,
        };
        if !is_strike(after.get(3..)?) || class == Class::Future {
            return None;
        }
        Expiry { day: date(year, month, after.get(1..3)?)?, exact: true }
    };
    let near = (traded.year()..=traded.year() + 6).contains(&expiry.day.year());
    (near && expiry.day >= traded).then_some((name, expiry))
}

fn month(word: &str) -> Option<Month> {
    MONTHS.iter().find(|(name, _)| *name == word).map(|(_, month)| *month)
}

/// Of a year of two digits.
fn date(year: &str, month: Month, day: &str) -> Option<Date> {
    let digits = year.len() == 2 && year.bytes().chain(day.bytes()).all(|byte| byte.is_ascii_digit());
    let year = year.parse::<i32>().ok().filter(|_| digits)?;
    Date::from_calendar_date(2000 + year, month, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn symbols_of_contracts_are_read() {
        let traded = date!(2025 - 06 - 02);
        for (symbol, class, underlying, day, exact) in [
            ("NIFTY2560524750PE", Class::Put, "NIFTY", date!(2025 - 06 - 05), true),
            ("NIFTY25D0226000CE", Class::Call, "NIFTY", date!(2025 - 12 - 02), true),
            ("NIFTYNXT502560561000CE", Class::Call, "NIFTYNXT50", date!(2025 - 06 - 05), true),
            ("NIFTY26MAY23050PE", Class::Put, "NIFTY", date!(2026 - 05 - 31), false),
            ("M&M25JUN2950CE", Class::Call, "M&M", date!(2025 - 06 - 30), false),
            ("BAJAJ-AUTO25JUNFUT", Class::Future, "BAJAJ-AUTO", date!(2025 - 06 - 30), false),
            ("IDEA25JUN7.5CE", Class::Call, "IDEA", date!(2025 - 06 - 30), false),
            ("NIFTY 16 JUN 26 23900 Call", Class::Call, "NIFTY", date!(2026 - 06 - 16), true),
            ("EICHERMOT 30 SEP 25 FUT", Class::Future, "EICHERMOT", date!(2025 - 09 - 30), true),
        ] {
            let read = Instrument::contract(symbol, traded);
            let expiry = Some(Expiry { day, exact });
            assert_eq!((read.class, read.underlying.as_str(), read.expiry), (class, underlying, expiry), "{symbol}");
        }
    }

    #[test]
    fn what_cannot_be_read_has_no_expiry() {
        for (symbol, class) in [("SOMETHING", Class::Future), ("RELIANCE", Class::Call), ("टाटाPE", Class::Put)]
        {
            let read = Instrument::contract(symbol, date!(2025 - 06 - 02));
            assert_eq!((read.class, read.expiry), (class, None), "{symbol}");
        }
    }
}
