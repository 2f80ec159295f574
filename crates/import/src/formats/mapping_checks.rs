//! Checks that show whether a column mapping is right: trading hours, tick size and the order of the days.

use rpc::trades::v1::Segment;
use rust_decimal::Decimal;
use time::macros::time;
use time::{Date, Time, Weekday};

use super::issue::Issue;
use super::row_position::RowPosition;
use crate::cell_value::Moment;

/// First second after the pre-open session begins, in which orders are collected.
const OPENING: Time = time!(9:00);
/// End of the closing session for shares, and of trading in contracts.
const CLOSING_OF_SHARES: Time = time!(16:00);
const CLOSING_OF_CONTRACTS: Time = time!(15:31);
/// Smallest price step of options, and of shares and futures, in rupees.
const OPTION_TICK: Decimal = Decimal::from_parts(5, 0, 0, false, 2);
const TICK: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Rows that may be out of order, as a share of all rows; with more the file has another order.
const MAX_UNORDERED_SHARE: usize = 10;
/// Rows out of order that are listed.
const MAX_UNORDERED_ROWS: usize = 1_000;

/// Days read so far.
pub(super) struct MappingChecks {
    segment: Segment,
    previous: Option<Date>,
    days: usize,
    /// Rows with an earlier day than the row before them, and with a later one.
    earlier: Steps,
    later: Steps,
    /// A date has a meaning only with the order of day and month in the mapping.
    is_date_order_proven: bool,
    /// A date has another meaning with the other order.
    is_date_ambiguous: bool,
}

/// Rows that change the day in one direction.
#[derive(Default)]
struct Steps {
    count: usize,
    rows: Vec<RowPosition>,
}

impl Steps {
    fn add(&mut self, position: RowPosition) {
        self.count += 1;
        if self.rows.len() < MAX_UNORDERED_ROWS {
            self.rows.push(position);
        }
    }
}

impl MappingChecks {
    pub fn new(segment: Segment) -> Self {
        Self {
            segment,
            previous: None,
            days: 0,
            earlier: Steps::default(),
            later: Steps::default(),
            is_date_order_proven: false,
            is_date_ambiguous: false,
        }
    }

    /// Records the day of a row, and the day with the other order of day and month.
    pub fn record_day(&mut self, day: Date, other_order: Option<Date>, position: RowPosition) {
        match other_order {
            None => self.is_date_order_proven = true,
            Some(other) => self.is_date_ambiguous |= other != day,
        }
        match self.previous.replace(day) {
            Some(previous) if day < previous => self.earlier.add(position),
            Some(previous) if day > previous => self.later.add(position),
            Some(_) | None => (),
        }
        self.days += 1;
    }

    /// Returns true if the dates of the file could have another order.
    pub fn is_date_order_open(&self) -> bool {
        self.is_date_ambiguous && !self.is_date_order_proven
    }

    /// Returns a warning for a trade outside the hours or days of the exchanges. Special sessions are outside, too.
    pub fn check_time(&self, at: Moment, date_column: usize, time_column: usize) -> Option<Issue> {
        if matches!(at.day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            return Some(Issue::in_cell(date_column, "not_a_trading_day"));
        }
        let closing = if self.segment == Segment::Fno { CLOSING_OF_CONTRACTS } else { CLOSING_OF_SHARES };
        let is_outside = at.time.is_some_and(|time| !(OPENING..closing).contains(&time));
        is_outside.then(|| Issue::in_cell(time_column, "outside_market_hours"))
    }

    /// Returns a warning for a price between two ticks, such as an average.
    pub fn check_price(price: Decimal, is_contract: bool, column: usize) -> Option<Issue> {
        let tick = if is_contract { OPTION_TICK } else { TICK };
        let is_on_tick = price.checked_rem(tick).is_some_and(|rest| rest.is_zero());
        (!is_on_tick).then(|| Issue::in_cell(column, "price_off_tick"))
    }

    /// Returns warnings about rows whose days are not in the order of the file.
    pub fn finish(&mut self, date_column: usize) -> Vec<(RowPosition, Issue)> {
        let fewer = if self.earlier.count <= self.later.count { &self.earlier } else { &self.later };
        let Some(first) = fewer.rows.first() else { return Vec::new() };
        if fewer.count.saturating_mul(MAX_UNORDERED_SHARE) > self.days {
            return vec![(*first, Issue::in_row("dates_unordered"))];
        }
        fewer.rows.iter().map(|position| (*position, Issue::in_cell(date_column, "date_out_of_order"))).collect()
    }
}
