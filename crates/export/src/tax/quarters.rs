//! Sheet with the capital gains by the periods of advance tax, as Schedule CG of the return asks for.

use rpc::analytics::v1::TaxLine;
use rust_decimal::Decimal;

use super::gains::{is_gain, rate_cell};
use super::losses::income_cell;
use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &[
        "Income",
        "Rate (%)",
        "Up to 15 June (INR)",
        "16 June to 15 September (INR)",
        "16 September to 15 December (INR)",
        "16 December to 15 March (INR)",
        "16 March to 31 March (INR)",
        "Year (INR)",
    ],
    totals: &[2, 3, 4, 5, 6, 7],
};

/// Gains of one term at one rate by period.
pub(super) struct Row<'a> {
    /// A line of this term and rate.
    first: &'a TaxLine,
    gains: [Decimal; 5],
}

/// Returns a row for each term and rate, in the order of the lines.
pub(super) fn rows(lines: &[TaxLine]) -> Result<Vec<Row<'_>>, Error> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in lines.iter().filter(|line| is_gain(line)) {
        let key = |line: &TaxLine| (line.head, line.rate_percent.clone(), line.has_exemption);
        let index = rows.iter().position(|row| key(row.first) == key(line)).unwrap_or_else(|| {
            rows.push(Row { first: line, gains: [Decimal::ZERO; 5] });
            rows.len() - 1
        });
        let period = period(&line.sold).ok_or(Error::InvalidTime)?;
        if let Some(gain) = rows.get_mut(index).and_then(|row| row.gains.get_mut(period)) {
            *gain += parse_amount(&line.income)?;
        }
    }
    Ok(rows)
}

/// Returns the index of the period of a day such as `2025-06-03`.
fn period(day: &str) -> Option<usize> {
    let number = |range: std::ops::Range<usize>| day.get(range)?.parse::<u32>().ok();
    Some(match number(5..7)? * 100 + number(8..10)? {
        401..=615 => 0,
        616..=915 => 1,
        916..=1215 => 2,
        316..=331 => 4,
        _ => 3,
    })
}

/// Returns the cells of a row of the sheet.
pub(super) fn cells<'a>(row: &Row<'a>, number: u32) -> Result<Vec<Cell<'a>>, Error> {
    let head = income_cell(row.first.head(), row.first.has_exemption)?;
    let gains = row.gains.into_iter().map(Cell::Decimal);
    let year = Cell::Formula(format!("=SUM(C{number}:G{number})"), row.gains.iter().sum());
    Ok([head, rate_cell(row.first)?].into_iter().chain(gains).chain([year]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_on_both_sides_of_each_period() {
        for (day, expected) in [
            ("2025-04-01", 0),
            ("2025-06-15", 0),
            ("2025-06-16", 1),
            ("2025-09-15", 1),
            ("2025-09-16", 2),
            ("2025-12-15", 2),
            ("2025-12-16", 3),
            ("2026-01-01", 3),
            ("2026-03-15", 3),
            ("2026-03-16", 4),
            ("2026-03-31", 4),
        ] {
            assert_eq!(period(day), Some(expected), "{day}");
        }
    }
}
