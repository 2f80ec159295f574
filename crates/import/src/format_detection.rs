//! Detects the format of a file from the first rows of every sheet, and finds the sheets with trades.

use rpc::trades::v1::ColumnMapping;

use crate::error::{Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::formats;
use crate::formats::format::{Format, RowReader};
use crate::formats::header::Header;
use crate::formats::mapped_table::{self, MappedReader};
use crate::formats::unsupported_reports::{GROWW_LEDGER, ReportDetector, ZERODHA_LEDGER};
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
    /// Number of the mapping with which it is read.
    pub mapping: Option<usize>,
}

/// Layouts that are detected in a file.
#[derive(Clone, Copy)]
pub(crate) enum Layouts<'m> {
    /// Formats of brokers; these mappings for a file that has none.
    All(&'m [ColumnMapping]),
    /// This mapping.
    Mapping(&'m ColumnMapping),
    /// Tables of checked contract notes, which no uploaded table can pass for.
    ContractNotes,
}

/// Returns the format of the file, which is that of its first sheet with trades, and all sheets with trades.
///
/// # Errors
/// Rejects a file without such a sheet.
pub(crate) fn detect_format(
    book: &mut Workbook,
    budget: &mut CellBudget,
    layouts: Layouts<'_>,
) -> Result<(&'static dyn Format, Vec<TradeSheet>), Rejection> {
    let mappings = match layouts {
        Layouts::Mapping(mapping) => {
            let sheets = find_mapped_sheets(book, budget, std::slice::from_ref(mapping))?;
            return if sheets.is_empty() {
                Err(RejectionReason::Unknown.into())
            } else {
                Ok((&mapped_table::FORMAT, sheets))
            };
        }
        Layouts::All(mappings) => mappings,
        Layouts::ContractNotes => &[],
    };
    let is_of_notes = matches!(layouts, Layouts::ContractNotes);
    let mut unsupported = ReportDetector::default();
    let mut sheets: Vec<TradeSheet> = Vec::new();
    let mut is_blank = true;
    for name in book.sheets() {
        unsupported.check_sheet_name(&name);
        sheets.extend(find_trades(book, name, is_of_notes, budget, &mut unsupported, &mut is_blank)?);
    }
    if sheets.is_empty() && unsupported.report().is_none() && !mappings.is_empty() {
        sheets = find_mapped_sheets(book, budget, mappings)?;
    }
    let format = sheets.first().map(|first| first.format);
    format.map(|format| (format, sheets)).ok_or_else(|| match unsupported.report() {
        _ if is_blank => RejectionReason::Empty.into(),
        Some(report @ (ZERODHA_LEDGER | GROWW_LEDGER)) => {
            Rejection::from(RejectionReason::Ledger).with("report", report)
        }
        Some(report) => Rejection::from(RejectionReason::Unsupported).with("report", report),
        None if matches!(book, Workbook::Html(rows) if !has_table(rows)) => RejectionReason::WebPage.into(),
        None => RejectionReason::Unknown.into(),
    })
}

/// Returns the sheet with its format and header if it has trades. Sets `is_blank` to false at the first value.
fn find_trades(
    book: &mut Workbook,
    name: String,
    is_of_notes: bool,
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
        for format in formats::ALL.into_iter().filter(|format| format.is_contract_note() == is_of_notes) {
            if let Some(reader) = format.match_header(&header) {
                let header_row = row.number;
                drop(rows);
                return Ok(Some(TradeSheet { name, format, header_row, reader, owner, mapping: None }));
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

/// Returns true if a page has rows that can be a table of trades.
fn has_table(rows: &[Vec<String>]) -> bool {
    rows.iter().any(|row| row.len() > 2)
}

/// Returns the sheets with the header of a mapping.
fn find_mapped_sheets(
    book: &mut Workbook,
    budget: &mut CellBudget,
    mappings: &[ColumnMapping],
) -> Result<Vec<TradeSheet>, Rejection> {
    let mut sheets = Vec::new();
    for name in book.sheets() {
        let mut owner = FileOwner::default();
        let mut rows = book.rows(&name)?;
        while let Some(row) = rows.next(budget)?.filter(|row| row.number <= MAX_HEADER_ROW) {
            let matching = mappings.iter().enumerate().find(|(_, mapping)| mapped_table::is_header(&row, mapping));
            let Some((number, reader)) =
                matching.and_then(|(number, mapping)| Some((number, MappedReader::new(mapping)?)))
            else {
                owner.read_row(&row);
                continue;
            };
            let header_row = row.number;
            sheets.push(TradeSheet {
                name: name.clone(),
                format: &mapped_table::FORMAT,
                header_row,
                reader: Box::new(reader),
                owner,
                mapping: Some(number),
            });
            break;
        }
    }
    Ok(sheets)
}
