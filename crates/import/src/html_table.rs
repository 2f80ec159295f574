//! Reads the tables of an HTML page, which some brokers name .xls.
//!
//! The rows of all tables are read as one sheet. Only rows, cells and their texts matter; everything else is ignored.

use crate::error::{Rejection, RejectionReason};

/// Size of a page in bytes; it is read into memory.
pub(crate) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// Cells that one cell may span.
const MAX_COLUMN_SPAN: usize = 64;
/// Elements whose content is not text.
const RAW_ELEMENTS: [&str; 3] = ["script", "style", "title"];

/// Returns the rows of the tables.
///
/// # Errors
/// Rejects a page that is not UTF-8 or has no table.
pub(crate) fn read_tables(page: &[u8]) -> Result<Vec<Vec<String>>, Rejection> {
    let page = std::str::from_utf8(page).map_err(|_| RejectionReason::Unreadable)?;
    let mut tables = Tables::default();
    let mut rest = page;
    while let Some((text, after)) = rest.split_once('<') {
        tables.add_text(text);
        rest = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->").map_or("", |(_, rest)| rest)
        } else {
            let (tag, rest) = split_tag(after);
            tables.read_tag(tag);
            skip_raw_content(tag, rest)
        };
    }
    tables.add_text(rest);
    if tables.rows.is_empty() { Err(RejectionReason::WebPage.into()) } else { Ok(tables.finish()) }
}

/// Splits the text after `<` at the end of the tag, which may contain `>` in quotes.
fn split_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (index, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return (text.get(..index).unwrap_or_default(), text.get(index + 1..).unwrap_or_default()),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => (),
        }
    }
    (text, "")
}

/// Skips the content of an element that is not text.
fn skip_raw_content<'t>(tag: &str, rest: &'t str) -> &'t str {
    let Some(element) = RAW_ELEMENTS.into_iter().find(|element| tag_name(tag).eq_ignore_ascii_case(element)) else {
        return rest;
    };
    let is_end = |index: &usize| {
        let after = rest.get(index + 2..).unwrap_or_default();
        after.get(..element.len()).is_some_and(|name| name.eq_ignore_ascii_case(element))
    };
    rest.match_indices("</")
        .map(|(index, _)| index)
        .find(is_end)
        .and_then(|index| rest.get(index..))
        .unwrap_or_default()
}

/// Returns the name of a tag, with the slash of an end tag.
fn tag_name(tag: &str) -> &str {
    tag.split(|c: char| c.is_whitespace()).next().unwrap_or_default()
}

#[derive(Default)]
struct Tables {
    rows: Vec<Vec<String>>,
    /// Text of the open cell.
    cell: Option<String>,
    /// Further columns that the open cell spans.
    span: usize,
}

impl Tables {
    fn read_tag(&mut self, tag: &str) {
        match tag_name(tag).to_ascii_lowercase().as_str() {
            "tr" => {
                self.close_cell();
                self.rows.push(Vec::new());
            }
            "td" | "th" if !self.rows.is_empty() => {
                self.close_cell();
                self.cell = Some(String::new());
                self.span = column_span(tag).saturating_sub(1);
            }
            "/td" | "/th" | "/tr" | "table" | "/table" => self.close_cell(),
            "br" | "br/" | "/p" | "/div" => self.add_text(" "),
            _ => (),
        }
    }

    fn add_text(&mut self, text: &str) {
        if let Some(cell) = &mut self.cell {
            cell.push_str(text);
        }
    }

    fn close_cell(&mut self) {
        if let (Some(cell), Some(row)) = (self.cell.take(), self.rows.last_mut()) {
            row.push(decode_entities(&cell));
            row.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut self.span)));
        }
    }

    fn finish(mut self) -> Vec<Vec<String>> {
        self.close_cell();
        self.rows
    }
}

/// Returns the value of the attribute `colspan`.
fn column_span(tag: &str) -> usize {
    let lower = tag.to_ascii_lowercase();
    let value = lower.split_once("colspan").map(|(_, rest)| rest.trim_start_matches([' ', '=', '"', '\'']));
    let digits = |value: &str| value.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    value.and_then(digits).unwrap_or(1).min(MAX_COLUMN_SPAN)
}

/// Replaces entities by their characters, and runs of whitespace by a space.
fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let entity = after.split_once(';').filter(|(name, _)| name.len() <= 8);
        match entity.and_then(|(name, rest)| Some((entity_char(name)?, rest))) {
            Some((character, after)) => {
                decoded.push(character);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn entity_char(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_and_cells_however_they_are_written() {
        let page = "<!DOCTYPE html><HTML><head><title>a<td>b</title><style>td { x }</style></head><body>\
            <!-- <tr><td>no --><table border=\"1>2\"><tr><th>Name<th>A &amp; B</tr>\
            <TR><td colspan='2'>wide</td><td>\u{20b9}&nbsp;1,00,000.50 </TD></tr>\
            <script>if (a < b) { \"<tr>\" }</script>\
            <tr><td>L&T&#39;s<br>x</td><td></td><td>&#x20B9;5 &unknown; &#0;</td></table><p>end";
        let rows = read_tables(page.as_bytes()).unwrap();
        assert_eq!(
            rows,
            [
                vec!["Name", "A & B"],
                vec!["wide", "", "\u{20b9} 1,00,000.50"],
                vec!["L&T's x", "", "\u{20b9}5 &unknown; &#0;"],
            ]
        );
    }

    #[test]
    fn rejects_a_page_without_a_table() {
        for page in ["<html><td>x", "<", "<!--", "<script>", "<p>é"] {
            assert_eq!(read_tables(page.as_bytes()).unwrap_err().reason, RejectionReason::WebPage, "{page}");
        }
        assert_eq!(read_tables(b"<tr><td>\xff").unwrap_err().reason, RejectionReason::Unreadable);
    }
}
