//! Financial years of India.

use time::{Date, Month};

/// Financial year, from April to March, by the year in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FinancialYear(pub i32);

impl FinancialYear {
    pub fn from_day(day: Date) -> Self {
        Self(if day.month() < Month::April { day.year() - 1 } else { day.year() })
    }

    pub fn first_day(self) -> Date {
        Date::from_calendar_date(self.0, Month::April, 1).unwrap_or(Date::MIN)
    }

    pub fn last_day(self) -> Date {
        Date::from_calendar_date(self.0 + 1, Month::March, 31).unwrap_or(Date::MAX)
    }

    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Parses a name such as `2025-26`.
    pub fn from_name(name: &str) -> Option<Self> {
        let year = Self(name.get(..4)?.parse().ok()?);
        (year.name() == name).then_some(year)
    }

    /// Returns its name, such as `2025-26`.
    pub fn name(self) -> String {
        format!("{}-{:02}", self.0, (self.0 + 1).rem_euclid(100))
    }
}
