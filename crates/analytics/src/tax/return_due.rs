//! Days until which returns without an audit are due, from `rates/return-due.csv`.

use std::sync::LazyLock;

use serde::Deserialize;
use time::{Date, Month};

use super::return_form::ReturnForm;
use crate::financial_year::FinancialYear;

/// Due day of the returns of a form, from a year on.
struct DueDay {
    from: FinancialYear,
    form: String,
    month: Month,
    day: u8,
}

#[derive(Deserialize)]
struct Row {
    from: String,
    form: String,
    month: u8,
    day: u8,
}

/// Due days, the newest first.
static DUE_DAYS: LazyLock<Vec<DueDay>> = LazyLock::new(|| {
    // A test counts the rows, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../../rates/return-due.csv").as_bytes());
    let mut due_days: Vec<_> = reader.deserialize().flatten().filter_map(parse_row).collect();
    due_days.sort_by_key(|due| std::cmp::Reverse(due.from));
    due_days
});

fn parse_row(Row { from, form, month, day }: Row) -> Option<DueDay> {
    Some(DueDay { from: FinancialYear::from_name(&from)?, form, month: month.try_into().ok()?, day })
}

/// Returns the day until which the return of a year is due; none for years before the first row.
pub fn return_due(year: FinancialYear, form: ReturnForm) -> Option<Date> {
    let due = DUE_DAYS.iter().find(|due| due.form == form.name() && due.from <= year)?;
    Date::from_calendar_date(year.0 + 1, due.month, due.day).ok()
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn every_row_is_parsed_and_states_its_source() {
        let mut reader = csv::Reader::from_reader(include_str!("../../rates/return-due.csv").as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!((rows.len(), DUE_DAYS.len()), (5, 5));
        assert!(rows.iter().all(|row| row.iter().all(|cell| !cell.is_empty())));
    }

    #[test]
    fn due_days_by_form_on_both_sides_of_each_change() {
        for (year, form, due) in [
            (2017, ReturnForm::Itr3, None),
            (2018, ReturnForm::Itr3, Some(date!(2019 - 07 - 31))),
            (2024, ReturnForm::Itr3, Some(date!(2025 - 07 - 31))),
            (2025, ReturnForm::Itr3, Some(date!(2026 - 08 - 31))),
            (2025, ReturnForm::Itr2, Some(date!(2026 - 07 - 31))),
            (2026, ReturnForm::Itr3, Some(date!(2027 - 08 - 31))),
            (2026, ReturnForm::Itr2, Some(date!(2027 - 07 - 31))),
        ] {
            assert_eq!(return_due(FinancialYear(year), form), due, "{year} {form:?}");
        }
    }
}
