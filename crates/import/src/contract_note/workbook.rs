//! Contract notes in a workbook with one sheet per day, such as `05-06-2026`. Its cells become the lines of a page, so
//! that the same code reads them as those of a PDF document.

use std::borrow::Cow;

use time::Time;

use crate::cell_value;
use crate::error::{Rejection, RejectionReason};
use crate::pdf::{Line, TextItem};
use crate::sheet::{Cell, CellBudget, Row};
use crate::workbook::Workbook;

/// Columns with numbers of orders and trades; the columns to their right have figures.
const ID_COLUMNS: u16 = 4;
/// Decimals of an amount of money.
const MONEY_DECIMALS: u32 = 2;
/// Width in points of a column, and of the text in it.
const COLUMN_WIDTH: f32 = 100.0;
const TEXT_WIDTH: f32 = 90.0;
/// Items of a workbook; a year of an active trader has 20,000 fills of 15 items.
const MAX_ITEMS: usize = 500_000;

/// Reads the lines of all sheets, with the number of the sheet as that of the page; none if the sheets are not named by
/// days.
pub(crate) fn read_lines(book: &mut Workbook) -> Result<Option<Vec<Line>>, Rejection> {
    let sheets = book.sheets();
    if !matches!(book, Workbook::Xlsx(_)) || !sheets.iter().all(|name| is_day(name)) {
        return Ok(None);
    }
    let (mut lines, mut budget, mut item_count) = (Vec::new(), CellBudget::new(), 0);
    for (page, sheet) in (1..).zip(&sheets) {
        let mut rows = book.rows(sheet)?;
        while let Some(row) = rows.next(&mut budget)? {
            let items = read_items(&row);
            item_count += items.len();
            if item_count > MAX_ITEMS {
                return Err(RejectionReason::TooManyCells.into());
            }
            if !items.is_empty() {
                lines.push(Line { page, items });
            }
        }
    }
    Ok(Some(lines))
}

fn is_day(sheet: &str) -> bool {
    sheet.len() == 10 && cell_value::parse_day(sheet).is_some()
}

/// Returns the words of a row from left to right. A cell may have several.
fn read_items(row: &Row<'_>) -> Vec<TextItem> {
    let mut items = Vec::new();
    for (column, cell) in (0_u16..).zip(row.cells()) {
        let text = cell_text(row, cell, column < ID_COLUMNS);
        let count = u16::try_from(text.split_whitespace().count()).unwrap_or(u16::MAX);
        let mut left = f32::from(column) * COLUMN_WIDTH;
        for part in text.split_whitespace() {
            let right = left + TEXT_WIDTH / f32::from(count);
            items.push(TextItem { text: part.to_owned(), left, right, baseline: 0.0, size: 1.0, has_characters: true });
            left = right;
        }
    }
    items
}

/// Returns the text of a cell. A figure has at least two decimals, as in a document.
fn cell_text<'c>(row: &Row<'_>, cell: Cell<'c>, is_id: bool) -> Cow<'c, str> {
    match (cell, cell_value::parse_decimal(cell)) {
        (Cell::Serial(days), _) if days < 1.0 => {
            let time = cell_value::parse_time_of_day(cell).unwrap_or(Time::MIDNIGHT);
            Cow::Owned(format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second()))
        }
        (Cell::Serial(_), _) => {
            let moment = cell_value::parse_moment(row, cell);
            moment.map(|moment| Cow::Owned(moment.day.to_string())).unwrap_or_default()
        }
        (Cell::Number(_), Some(mut number)) if !is_id => {
            number.rescale(number.scale().max(MONEY_DECIMALS));
            Cow::Owned(number.to_string())
        }
        _ => cell_value::parse_text(cell).unwrap_or_default(),
    }
}
