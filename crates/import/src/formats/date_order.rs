//! Dates whose order of day and month a column mapping states.

use std::borrow::Cow;

use crate::cell_value::{self, Moment};
use crate::sheet::{Cell, Row};

/// Parses a date with an optional time. `month_first` decides about a text such as `3/11/2026`.
pub(super) fn parse_moment(row: &Row<'_>, cell: Cell<'_>, month_first: bool) -> Option<Moment> {
    let Cell::Text(text) = cell else {
        return cell_value::parse_moment(row, cell);
    };
    let text = order_date(text.trim(), month_first).map_or(Cow::Borrowed(text), Cow::Owned);
    cell_value::parse_moment(row, Cell::Text(&text))
}

/// Converts a text that begins with a date of three numbers, the year last, to day, month and a year of four digits.
fn order_date(text: &str, month_first: bool) -> Option<String> {
    let separator = text.find(['/', '-', '.'])?;
    let (first, rest) = (text.get(..separator)?, text.get(separator + 1..)?);
    let separator = rest.find(['/', '-', '.'])?;
    let (second, rest) = (rest.get(..separator)?, rest.get(separator + 1..)?);
    let year_len = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (year, time) = rest.split_at_checked(year_len)?;
    let is_number = |text: &str| matches!(text.len(), 1 | 2) && text.bytes().all(|c| c.is_ascii_digit());
    if !is_number(first) || !is_number(second) || !matches!(year_len, 2 | 4) {
        return None;
    }
    let century = if year_len == 2 { "20" } else { "" };
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    Some(format!("{day}/{month}/{century}{year}{time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_three_numbers_has_the_stated_order() {
        for (text, day_first, month_first) in [
            ("3/11/2026", "3/11/2026", "11/3/2026"),
            ("03-11-26 14:31:08", "03/11/2026 14:31:08", "11/03/2026 14:31:08"),
            ("19.11.2026", "19/11/2026", "11/19/2026"),
            ("8/27/26 0:00", "8/27/2026 0:00", "27/8/2026 0:00"),
        ] {
            assert_eq!(order_date(text, false).as_deref(), Some(day_first));
            assert_eq!(order_date(text, true).as_deref(), Some(month_first));
        }
        for text in ["2026-11-19", "19 Nov 2026", "19-Nov-2026", "1/2", "1/2/3", "", "//", "1//2026", "é/1/2026"] {
            assert_eq!(order_date(text, true), None, "{text}");
        }
    }
}
