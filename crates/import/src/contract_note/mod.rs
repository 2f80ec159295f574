//! Contract notes: the fills and the charges of a day as the broker states them.
//!
//! A file may have several notes. Each is checked against its own figures, and the file is read only if all
//! checks of all notes agree to the paisa.

mod amount;
mod carried;
mod charges;
mod checks;
mod fills;
mod isin;
mod layout;
pub(crate) mod rows;
mod summary;
mod workbook;

pub(crate) use self::amount::is_suffix as is_amount_suffix;
pub(crate) use self::fills::parse_side;
pub(crate) use self::isin::is_isin;
pub(crate) use self::workbook::read_lines as read_workbook_lines;

use std::fs::File;

use rpc::trades::v1::{Book, ContractNote, DocumentSignature, Segment};
use rust_decimal::Decimal;
use time::Date;

use self::charges::{ChargeTable, Column, Head};
use self::checks::CheckedNote;
use self::fills::Fill;
use self::layout::{Layout, ZERODHA_WORKBOOK};
use crate::cell_value::{self, format_decimal};
use crate::error::{Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::pdf::{self, Line};
use crate::workbook::Workbook;

/// Notes of a document; a year has 250.
const MAX_NOTES: usize = 400;
/// Characters of the number of a note.
const MAX_NUMBER_CHARS: usize = 40;
/// Lines below a label that may have its value.
const MAX_VALUE_LINES: usize = 3;

/// Contract notes of a document.
pub(crate) struct ContractNotes {
    /// Fills as a table with a header.
    pub rows: Vec<Vec<String>>,
    /// Each segment of each note.
    pub notes: Vec<ContractNote>,
    /// Comparison of a PDF document with its signatures.
    pub signature: Option<DocumentSignature>,
}

/// Reads the contract notes in the PDF document `file`.
pub(crate) fn read(file: File, password: Option<&str>) -> Result<ContractNotes, Rejection> {
    let text = pdf::read(file, password)?;
    let layout = layout::detect(&text).ok_or(RejectionReason::Pdf)?;
    let notes = read_notes(&split_notes(&text.lines, layout), layout)?;
    Ok(ContractNotes { signature: Some(text.signature), ..notes })
}

/// Reads the contract notes in a workbook; none if it is another report.
pub(crate) fn read_workbook(book: &mut Workbook) -> Result<Option<ContractNotes>, Rejection> {
    let Some(lines) = workbook::read_lines(book)? else { return Ok(None) };
    if find_number(&lines).is_empty() {
        return Ok(None);
    }
    let sheets: Vec<&[Line]> = lines.chunk_by(|line, other| line.page == other.page).collect();
    read_notes(&sheets, &ZERODHA_WORKBOOK).map(Some)
}

fn read_notes(lines_by_note: &[&[Line]], layout: &Layout) -> Result<ContractNotes, Rejection> {
    let mut owner = FileOwner::default();
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    if lines_by_note.len() > MAX_NOTES {
        return Err(RejectionReason::PdfTooLarge.into());
    }
    for lines in lines_by_note {
        let note = read_note(lines, layout)?;
        if !layout.has_keys_of_reports {
            return Err(missing(&note.number, "KEYS"));
        }
        let of_note = find_owner(lines);
        if owner.client_code.is_empty() {
            owner = of_note;
        } else if !of_note.client_code.is_empty() && of_note.client_code != owner.client_code {
            return Err(missing(&note.number, "OWNER"));
        }
        rows.extend(rows::of_fills(layout, note.day, &note.fills));
        notes.extend(note.to_wire());
    }
    let rows = rows::headers(layout, &owner).into_iter().chain(rows).collect();
    Ok(ContractNotes { rows, notes, signature: None })
}

/// Note whose checks agree.
struct Note {
    number: String,
    day: Date,
    fills: Vec<Fill>,
    charges: ChargeTable,
}

/// Returns the lines of each note. Lines above the first one belong to it.
fn split_notes<'l>(lines: &'l [Line], layout: &Layout) -> Vec<&'l [Line]> {
    let is_first = |line: &Line| line.text().to_lowercase().starts_with(layout.first_line);
    let mut starts = vec![0];
    let mut number = String::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_first(line)) {
        // The pages of one note may repeat its first line.
        let rest = lines.get(index..).unwrap_or_default();
        let page = rest.get(..rest.iter().take_while(|other| other.page == line.page).count()).unwrap_or_default();
        let page_number = find_number(page);
        if page_number.is_empty() || page_number == number {
            continue;
        }
        if !number.is_empty() {
            starts.push(index);
        }
        number = page_number;
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([lines.len()]).collect();
    starts.iter().zip(ends).filter_map(|(start, end)| lines.get(*start..end)).collect()
}

/// Returns the rejection of a note that cannot be checked or imported because of this part.
fn missing(number: &str, part: &'static str) -> Rejection {
    Rejection::from(RejectionReason::NotePartMissing).with("note", number).with("part", part)
}

fn read_note(lines: &[Line], layout: &Layout) -> Result<Note, Rejection> {
    let number = find_number(lines);
    let missing = |part| missing(&number, part);
    if number.is_empty() {
        return Err(missing("NUMBER"));
    }
    let day = find_day(lines).ok_or_else(|| missing("DAY"))?;
    let summary = summary::read(lines);
    let mut fills = fills::read(lines);
    for fill in fills.iter_mut().filter(|fill| fill.isin.is_empty() && !fill.is_carried && !fill.is_contract()) {
        let isin = summary::find_isin(&summary, &fill.description).ok_or_else(|| missing("ISIN"))?;
        isin.clone_into(&mut fill.isin);
    }
    let has_contracts = fills.iter().any(Fill::is_contract);
    if has_contracts && !layout.has_known_contracts {
        return Err(missing("CONTRACTS"));
    }
    if fills.iter().any(|fill| fill.exchange.is_none() && !fill.is_carried) {
        return Err(missing("EXCHANGE"));
    }
    let charges = charges::read(lines, layout.is_payable_positive);
    if charges.columns.is_empty() || !charges.has(Head::Net) || !charges.has(Head::Obligation) {
        return Err(missing("CHARGES"));
    }
    let has_shares = fills.iter().any(|fill| !fill.is_contract());
    if has_shares && summary.is_empty() && layout.has_summary {
        return Err(missing("SUMMARY"));
    }
    let carried = carried::sum(lines, layout.is_payable_positive);
    let note = CheckedNote { number: &number, fills: &fills, summary: &summary, charges: &charges, carried };
    note.check()?;
    fills.retain(|fill| !fill.is_carried);
    Ok(Note { number, day, fills, charges })
}

impl Note {
    /// Returns each segment with trades or charges.
    fn to_wire(&self) -> Vec<ContractNote> {
        let segments = [(Column::Equity, Segment::Equity), (Column::Fno, Segment::Fno)];
        let to_wire = |(column, segment): (Column, Segment)| {
            let fills = self.fills.iter().filter(|fill| fill.is_contract() == (segment == Segment::Fno));
            let turnover: Decimal = fills.map(|fill| fill.value).sum();
            let has_amount = Head::CHARGES.iter().any(|head| !self.charges.get(*head, column).is_zero());
            let sum = |heads: &[Head]| format_decimal(self.charges.sum(heads, column));
            (has_amount || !turnover.is_zero()).then(|| ContractNote {
                book: Some(Book { segment: segment.into(), ..Book::default() }),
                number: self.number.chars().take(MAX_NUMBER_CHARS).collect(),
                date: self.day.to_string(),
                turnover: format_decimal(turnover),
                brokerage: sum(&[Head::Brokerage]),
                stt: sum(&[Head::Stt]),
                exchange: sum(&[Head::Exchange, Head::Clearing]),
                sebi: sum(&[Head::Sebi]),
                ipft: sum(&[Head::Ipft]),
                stamp_duty: sum(&[Head::StampDuty]),
                gst: sum(&[Head::Cgst, Head::Sgst, Head::Igst]),
                from_tradebook: false,
            })
        };
        segments.into_iter().filter_map(to_wire).collect()
    }
}

/// Returns the word after a label on its line, or below it, that `read` accepts.
fn find_value<T>(lines: &[Line], labels: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<T> {
    for (index, line) in lines.iter().enumerate() {
        let text = line.text();
        let lower = text.to_lowercase();
        let Some(end) = labels.iter().find_map(|label| lower.find(label).map(|at| at + label.len())) else { continue };
        let rest = lower.get(end..).and_then(|_| text.get(end..)).unwrap_or_default().to_owned();
        let below = lines.iter().skip(index + 1).take(MAX_VALUE_LINES).map(Line::text);
        for candidate in std::iter::once(rest).chain(below) {
            let items = || candidate.split([' ', ':']).filter(|item| !item.is_empty());
            if let Some(value) = items().find_map(&read) {
                return Some(value);
            }
        }
    }
    None
}

fn find_day(lines: &[Line]) -> Option<Date> {
    find_value(lines, &["trade date", "contract date"], cell_value::parse_day)
}

/// Returns the number of the note, for messages.
fn find_number(lines: &[Line]) -> String {
    let read = |item: &str| item.contains(|c: char| c.is_ascii_digit()).then(|| item.to_owned());
    find_value(lines, &["contract note no"], read).unwrap_or_default()
}

fn find_owner(lines: &[Line]) -> FileOwner {
    let read = |item: &str| Some(FileOwner::new(item, "")).filter(|owner| !owner.client_code.is_empty());
    find_value(lines, &["unique client code", "client code", "ucc", "client id"], read).unwrap_or_default()
}
