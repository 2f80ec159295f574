//! Layout of a contract note with names and numbers masked: each line with the positions of its cells, in which only labels
//! that notes print, and the sides of trades, stay readable. It must not depend on what is masked, such as its length.
//!
//! A trader can send it to us if a note is not read. The page shows it first, and nothing of it is stored or logged.

mod cells;
mod labels;
mod mask;
mod masked_text;
mod phrase;
mod positions;

use std::fmt::Write as _;
use std::fs::File;

use self::cells::{JOINED_GAP, LineCells};
use self::labels::Labels;
use self::positions::Positions;
use crate::contract_note;
use crate::error::{Rejection, RejectionReason};
use crate::pdf::{self, Line};
use crate::protocol::MAX_LAYOUT_BYTES;
use crate::workbook::Workbook;

/// Pages of a layout. Later pages of a note repeat the columns of the earlier ones.
const MAX_PAGES: usize = 40;
/// Bytes that are left for the line that says that the rest is cut.
const CUT_LINE_BYTES: usize = 100;
/// First line. Text in braces is ours: a brace of the document becomes a parenthesis.
const LEGEND: &str = "{TradeBahi layout: Xxxx is masked text, 9 a number, Mmm a month. In braces: pages, and positions in \
                      points: left-right of a label, or the left edge of the column of a value}";

/// Returns the layout of the PDF document or the workbook of contract notes in `file`.
///
/// # Errors
/// Rejects the same documents as an import, except those with unknown or wrong content.
pub(crate) fn read(file: File, password: Option<&str>) -> Result<String, Rejection> {
    if pdf::is_pdf(&file).map_err(|_| RejectionReason::Unreadable)? {
        return Ok(format(&pdf::read(file, password)?.lines, Some(JOINED_GAP)));
    }
    let mut book = Workbook::open(file)?;
    let lines = contract_note::read_workbook_lines(&mut book)?.ok_or(RejectionReason::NotAContractNote)?;
    Ok(format(&lines, None))
}

/// Formats masked lines. Words with at most `joined_gap` between them, as a fraction of the font size, are one word.
pub(crate) fn format(lines: &[Line], joined_gap: Option<f32>) -> String {
    let labels = Labels::new();
    let mut text = format!("{LEGEND}\n");
    let pages: Vec<&[Line]> = lines.chunk_by(|line, other| line.page == other.page).take(MAX_PAGES + 1).collect();
    let cells = pages.iter().copied().flatten().map(|line| LineCells::read(line, joined_gap));
    let masked = mask::mask_lines(&labels, cells);
    let mut rest = masked.as_slice();
    for (index, page) in pages.into_iter().enumerate() {
        if index == MAX_PAGES {
            _ = writeln!(text, "{{cut: the layout has only the first {MAX_PAGES} pages}}");
            return text;
        }
        let (lines, later) = rest.split_at_checked(page.len()).unwrap_or((rest, &[]));
        rest = later;
        let positions = Positions::read(lines);
        if let Some(first) = page.first() {
            _ = writeln!(text, "{{page {}}}", first.page);
        }
        for (index, line) in lines.iter().enumerate() {
            let end = text.len();
            line.write(index, &positions, &mut text);
            if text.len() > MAX_LAYOUT_BYTES - CUT_LINE_BYTES {
                text.truncate(end);
                _ = writeln!(text, "{{cut: the layout has only the first {} kB}}", MAX_LAYOUT_BYTES / 1000);
                return text;
            }
        }
    }
    text
}
