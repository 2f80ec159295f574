//! Layout of a contract note without its data: each line with the positions of its cells, in which everything that could
//! identify a person or a trade is masked.
//!
//! A trader can send it to us if a note is not read. The page shows it first, and nothing of it is stored or logged.

mod cells;
mod labels;
mod mask;

use std::fmt::Write as _;
use std::fs::File;

use self::cells::JOINED_GAP;
use self::labels::Labels;
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
const LEGEND: &str =
    "{TradeBahi layout: 9 is a digit, x a letter, Mmm a month. In braces: pages, and positions in points}";

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
    for (index, page) in lines.chunk_by(|line, other| line.page == other.page).enumerate() {
        if index == MAX_PAGES {
            _ = writeln!(text, "{{cut: the layout has only the first {MAX_PAGES} pages}}");
            return text;
        }
        let mut page_text = format!("{{page {}}}\n", index + 1);
        for line in page {
            page_text.push_str(&mask::mask_line(&labels, &cells::of_line(line, joined_gap)));
            page_text.push('\n');
            if text.len() + page_text.len() > MAX_LAYOUT_BYTES - CUT_LINE_BYTES {
                // Without the line that is too long.
                let end = page_text.trim_end().rfind('\n').map_or(0, |at| at + 1);
                text.push_str(page_text.get(..end).unwrap_or_default());
                _ = writeln!(text, "{{cut: the layout has only the first {} kB}}", MAX_LAYOUT_BYTES / 1000);
                return text;
            }
        }
        text.push_str(&page_text);
    }
    text
}
