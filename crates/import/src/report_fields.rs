//! Fields that profit and loss reports and tax reports have in common.

use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use crate::cell_value;
use crate::formats::issue::Issue;
use crate::formats::trade_fields::{self, AMOUNT_LIMIT};
use crate::protocol::MAX_REPORT_TEXT_CHARS;
use crate::sheet::{Cell, Row};

/// Returns a text without control characters, cut to the length that reports may have.
pub(crate) fn clean_text(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(MAX_REPORT_TEXT_CHARS).collect()
}

/// Parses the period of a title that ends in `… from 2025-04-01 to 2026-03-31`. `None` if a day is missing or invalid.
pub(crate) fn parse_period(title: &str) -> Option<(Date, Date)> {
    let lower = title.to_lowercase();
    let (_, period) = lower.split_once(" from ")?;
    let (from, to) = period.split_once(" to ")?;
    Some((cell_value::parse_day(from)?, cell_value::parse_day(to)?)).filter(|(from, to)| from <= to)
}

pub(crate) fn read_name(row: &Row<'_>, column: usize) -> Result<String, Issue> {
    let name = clean_text(&cell_value::parse_text(row.cell(column)).unwrap_or_default());
    if name.is_empty() { Err(Issue::in_cell(column, "name_missing")) } else { Ok(name) }
}

/// Reads the closed quantity; 0 if nothing was closed. Open positions have another column.
pub(crate) fn read_quantity(row: &Row<'_>, column: usize) -> Result<Decimal, Issue> {
    let cell = row.cell(column);
    let number = if cell.is_blank() { Some(Decimal::ZERO) } else { cell_value::parse_decimal(cell) };
    let number =
        number.map(|number| number.round_dp(6)).filter(|number| *number >= Decimal::ZERO && *number < AMOUNT_LIMIT);
    number.ok_or(Issue::in_cell(column, "quantity_not_a_number"))
}

/// Reads a value; 0 if the cell is blank, as in a row of an open position.
pub(crate) fn read_value(row: &Row<'_>, column: usize) -> Result<Decimal, Issue> {
    if row.cell(column).is_blank() { Ok(Decimal::ZERO) } else { trade_fields::read_value(row, column) }
}

/// Reads a profit or loss. `None` if the table has no such column or the cell is blank.
pub(crate) fn read_result(row: &Row<'_>, column: Option<usize>) -> Result<Option<Decimal>, Issue> {
    let Some(column) = column.filter(|column| !row.cell(*column).is_blank()) else { return Ok(None) };
    let result = parse_amount(row.cell(column));
    result.map(Some).ok_or(Issue::in_cell(column, "result_not_a_number"))
}

/// Parses an amount in rupees, which may be negative.
pub(crate) fn parse_amount(cell: Cell<'_>) -> Option<Decimal> {
    let number = cell_value::parse_decimal(cell).filter(|number| number.abs() < AMOUNT_LIMIT)?;
    Some(number.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
}

pub(crate) fn has_number(row: &Row<'_>) -> bool {
    row.cells().any(|cell| cell_value::parse_decimal(cell).is_some())
}
