//! Which sheets of a file hold trades, and in which format: looks at the first rows of every sheet.

use crate::error::{Reason, Refusal};
use crate::formats::refused::Recognised;
use crate::formats::{self, Format, Header, Reader};
use crate::sheet::{Budget, Cell};
use crate::workbook::{self, Workbook};

/// A header stands in one of so many rows.
const LAST_HEADER_ROW: u64 = 100;
/// Texts above a header that are looked at; a title is among the first.
const MOST_TITLES: usize = 200;
const LONGEST_TITLE: usize = 100;

/// A sheet that holds trades.
pub(crate) struct TradeSheet {
    pub name: String,
    pub format: &'static dyn Format,
    /// The row of the header; trades are below.
    pub header_row: u64,
    pub reader: Box<dyn Reader>,
}

/// The sheets that hold trades, at least one, and the file's format, which is that of the first of them.
pub(crate) fn find(
    book: &mut Workbook,
    budget: &mut Budget,
) -> Result<(&'static dyn Format, Vec<TradeSheet>), Refusal> {
    let mut recognised = Recognised::default();
    let mut sheets: Vec<TradeSheet> = Vec::new();
    let mut blank = true;
    for name in book.sheets() {
        recognised.see_sheet(&name);
        sheets.extend(look(book, name, budget, &mut recognised, &mut blank)?);
    }
    let format = sheets.first().map(|first| first.format);
    format.map(|format| (format, sheets)).ok_or_else(|| match recognised.sentence() {
        _ if blank => workbook::empty(),
        Some(sentence) => Refusal::new(Reason::Unsupported, sentence),
        None => unknown(),
    })
}

fn look(
    book: &mut Workbook,
    name: String,
    budget: &mut Budget,
    recognised: &mut Recognised,
    blank: &mut bool,
) -> Result<Option<TradeSheet>, Refusal> {
    let mut titles: Vec<String> = Vec::new();
    let mut rows = book.rows(&name)?;
    while let Some(row) = rows.next(budget)? {
        *blank &= row.is_blank();
        if row.number > LAST_HEADER_ROW {
            break;
        }
        let header = Header::of(&row, &titles);
        for format in formats::ALL {
            if let Some(reader) = format.recognise(&header) {
                let header_row = row.number;
                drop(rows);
                return Ok(Some(TradeSheet { name, format, header_row, reader }));
            }
        }
        for cell in row.cells() {
            if let Cell::Text(text) = cell
                && titles.len() < MOST_TITLES
                && !text.trim().is_empty()
            {
                titles.push(text.trim().chars().take(LONGEST_TITLE).collect::<String>().to_lowercase());
            }
        }
        recognised.see_row(&Header::of(&row, &titles));
    }
    Ok(None)
}

fn unknown() -> Refusal {
    let mut reports = String::new();
    for (number, format) in formats::ALL.iter().enumerate() {
        let joint = if number == 0 {
            ""
        } else if number + 1 == formats::ALL.len() {
            " or "
        } else {
            ", "
        };
        reports += joint;
        reports += format.found_at();
    }
    Refusal::new(Reason::Unknown, format!("This file is none that we know. Upload {reports}, as it comes."))
}
