//! Detects the format of a file from the first rows of every sheet, and finds the sheets with trades.

use crate::error::{Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::formats;
use crate::formats::format::{Format, RowReader};
use crate::formats::header::Header;
use crate::formats::unsupported_reports::ReportDetector;
use crate::sheet::{Cell, CellBudget};
use crate::workbook::Workbook;

/// Last row number that may be a header.
const MAX_HEADER_ROW: u64 = 100;
/// Texts above a header that are compared with known titles, which are among the first texts.
const MAX_TITLES: usize = 200;
const MAX_TITLE_CHARS: usize = 100;

/// Sheet with trades.
pub(crate) struct TradeSheet {
    pub name: String,
    pub format: &'static dyn Format,
    /// Row number of the header; the trades are below it.
    pub header_row: u64,
    pub reader: Box<dyn RowReader>,
    /// Owner stated above the header.
    pub owner: FileOwner,
}

/// Returns the format of the file, which is that of its first sheet with trades, and all sheets with trades.
///
/// # Errors
/// Rejects a file without such a sheet.
pub(crate) fn detect_format(
    book: &mut Workbook,
    budget: &mut CellBudget,
) -> Result<(&'static dyn Format, Vec<TradeSheet>), Rejection> {
    let mut unsupported = ReportDetector::default();
    let mut sheets: Vec<TradeSheet> = Vec::new();
    let mut is_blank = true;
    for name in book.sheets() {
        unsupported.check_sheet_name(&name);
        sheets.extend(find_trades(book, name, budget, &mut unsupported, &mut is_blank)?);
    }
    let format = sheets.first().map(|first| first.format);
    format.map(|format| (format, sheets)).ok_or_else(|| match unsupported.report() {
        _ if is_blank => RejectionReason::Empty.into(),
        Some(report) => Rejection::from(RejectionReason::Unsupported).with("report", report),
        None if matches!(book, Workbook::Html(_)) => RejectionReason::WebPage.into(),
        None => RejectionReason::Unknown.into(),
    })
}

/// Returns the sheet with its format and header if it has trades. Sets `is_blank` to false at the first value.
fn find_trades(
    book: &mut Workbook,
    name: String,
    budget: &mut CellBudget,
    unsupported: &mut ReportDetector,
    is_blank: &mut bool,
) -> Result<Option<TradeSheet>, Rejection> {
    let mut titles: Vec<String> = Vec::new();
    let mut owner = FileOwner::default();
    let mut rows = book.rows(&name)?;
    while let Some(row) = rows.next(budget)? {
        *is_blank &= row.is_blank();
        if row.number > MAX_HEADER_ROW {
            break;
        }
        let header = Header::from_row(&row, &titles);
        for format in formats::ALL {
            if let Some(reader) = format.match_header(&header) {
                let header_row = row.number;
                drop(rows);
                return Ok(Some(TradeSheet { name, format, header_row, reader, owner }));
            }
        }
        owner.read_row(&row);
        for cell in row.cells() {
            if let Cell::Text(text) = cell
                && titles.len() < MAX_TITLES
                && !text.trim().is_empty()
            {
                titles.push(text.trim().chars().take(MAX_TITLE_CHARS).collect::<String>().to_lowercase());
            }
        }
        unsupported.check_row(&Header::from_row(&row, &titles));
    }
    Ok(None)
}
