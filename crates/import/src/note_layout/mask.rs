//! Masks the cells of a line.
//!
//! A word stays readable only in a phrase that consists of labels, up to the first label of client data of its line. In a
//! line of trades only the side stays.

use super::cells::{Cell, LineCells};
use super::labels::Labels;
use super::masked_text::{MASKED, format_readable, is_alphabetic, is_month, mask_text};
use super::phrase::{self, Phrase};
use super::positions::{self, Positions};
use crate::contract_note::{is_amount, is_amount_suffix, is_isin, parse_side};

/// Amounts of a line of trades, or of an address.
const MIN_DATA_AMOUNTS: usize = 2;
/// Further lines of a row.
const MAX_WRAPPED_LINES: usize = 3;
/// Figures after the side of a fill: quantity, rate and value.
const MIN_FILL_FIGURES: usize = 3;
/// Exchanges that may be printed between the side and the figures; contract notes of only two of them are read.
const EXCHANGES: [&str; 5] = ["nse", "bse", "mcx", "ncdex", "msei"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Readable,
    Masked,
}

impl Treatment {
    fn from_readable(is_readable: bool) -> Self {
        if is_readable { Self::Readable } else { Self::Masked }
    }
}

/// Masks lines one after the other.
pub(super) struct LineMask<'l> {
    labels: &'l Labels,
    /// Further lines that may belong to a row whose name wraps before its figures.
    wrapped_lines: usize,
}

impl<'l> LineMask<'l> {
    pub fn new(labels: &'l Labels) -> Self {
        Self { labels, wrapped_lines: 0 }
    }

    /// Adds a line to `text`. A cell that begins close to the end of another one has no position, because it would tell the
    /// width of masked text; except figures of close columns.
    pub fn write_line(&mut self, line: &LineCells, positions: &Positions, text: &mut String) {
        let mut has_position = false;
        let mut is_after_figure = false;
        for (cell, treatments) in line.cells.iter().zip(self.classify(&line.cells)) {
            has_position = !cell.is_close || has_position && is_after_figure && cell.is_figure();
            is_after_figure = cell.is_figure();
            let formatted = format_cell(cell, &treatments);
            // The number of masked words does not show.
            if let Some(rest) = formatted.strip_prefix(MASKED).filter(|_| cell.is_close && text.ends_with(MASKED)) {
                text.push_str(rest);
                continue;
            }
            let has_data = treatments.contains(&Treatment::Masked)
                || cell.texts.iter().any(|word| word.contains(char::is_numeric) || is_month(word));
            let position = match has_position {
                true if has_data => format!("{{{}}}", positions.format_masked(cell)),
                true => format!("{{{}}}", positions::format_edges(cell)),
                false => String::new(),
            };
            text.extend([if text.ends_with('\n') { "" } else { " " }, &position, &formatted]);
        }
        text.push_str(if line.is_cut { " {cut}\n" } else { "\n" });
    }

    /// Returns the treatment of each word of each cell.
    fn classify(&mut self, cells: &[Cell]) -> Vec<Vec<Treatment>> {
        // A charge or a total begins its line: after a figure it may be a share.
        let (mut has_charge, mut has_figure, mut is_after_client_data) = (false, false, false);
        let mut treatments = Vec::with_capacity(cells.len());
        for cell in cells {
            let mut of_cell = Vec::with_capacity(cell.texts.len());
            if cell.is_figure() {
                of_cell.push(Treatment::Readable);
                has_figure = true;
            } else {
                for part in phrase::split(self.labels, &cell.texts) {
                    let phrase = Phrase::read(self.labels, part);
                    let readable = if is_after_client_data { 0 } else { phrase.readable };
                    of_cell.extend((0..part.len()).map(|word| Treatment::from_readable(word < readable)));
                    has_charge |= phrase.has_charge && !has_figure && !is_after_client_data;
                    is_after_client_data |= phrase.has_client_data;
                }
            }
            treatments.push(of_cell);
        }
        let has_data = self.is_data_line(cells, has_charge);
        let side = find_side(cells);
        for (index, (cell, of_cell)) in cells.iter().zip(&mut treatments).enumerate() {
            if side == Some(index) || is_suffix(cells, index) {
                of_cell.fill(Treatment::Readable);
            } else if has_data && !cell.is_figure() && cell.texts.iter().any(|word| word.contains(is_alphabetic)) {
                of_cell.fill(Treatment::Masked);
            }
        }
        treatments
    }

    /// Returns true for a line of trades, which has an ISIN, or amounts that are no charges or totals.
    fn is_data_line(&mut self, cells: &[Cell], has_charge: bool) -> bool {
        let texts: Vec<&String> = cells.iter().flat_map(|cell| &cell.texts).collect();
        let is_isin_in = |word: &&String| word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_isin);
        let is_month_at = |at: usize| texts.get(at).is_some_and(|word| is_month(word.trim_end_matches([',', '.'])));
        // Of a date such as `15 Jun 2026`.
        let is_date_part = |at: usize| is_month_at(at + 1) || at.checked_sub(1).is_some_and(is_month_at);
        let amounts = texts.iter().enumerate().filter(|(at, word)| is_amount(word) && !is_date_part(*at)).count();
        let (has_isin, has_amounts) = (texts.iter().any(is_isin_in), amounts >= MIN_DATA_AMOUNTS);
        let is_wrapped = self.wrapped_lines > 0;
        self.wrapped_lines = match (has_isin, has_amounts) {
            (_, true) => 0,
            (true, false) => MAX_WRAPPED_LINES,
            (false, false) => self.wrapped_lines.saturating_sub(1),
        };
        has_isin || is_wrapped || has_amounts && !has_charge
    }
}

/// Returns the cell with the side of a fill: right of the description, and left of figures. A letter close to a word may be
/// part of a name.
fn find_side(cells: &[Cell]) -> Option<usize> {
    let is_side = |cell: &Cell| !cell.is_close && cell.only_word().is_some_and(|word| parse_side(word).is_some());
    let is_before_figures = |index: usize| {
        let rest = cells.iter().skip(index + 1).filter(|cell| !is_exchange(cell));
        let figures: Vec<_> = rest.flat_map(|cell| &cell.texts).take_while(|word| is_amount(word)).collect();
        figures.len() >= MIN_FILL_FIGURES && figures.iter().any(|figure| figure.contains('.'))
    };
    let sides = cells.iter().enumerate().skip(1).filter(|(index, cell)| is_side(cell) && is_before_figures(*index));
    sides.map(|(index, _)| index).next_back()
}

fn is_exchange(cell: &Cell) -> bool {
    cell.only_word().is_some_and(|word| EXCHANGES.contains(&word.to_ascii_lowercase().as_str()))
}

/// Returns true for a suffix that is printed apart from its amount.
fn is_suffix(cells: &[Cell], index: usize) -> bool {
    let is_amount_at = |at: usize| cells.get(at).and_then(Cell::only_word).is_some_and(is_amount);
    cells.get(index).and_then(Cell::only_word).is_some_and(is_amount_suffix)
        && index.checked_sub(1).is_some_and(is_amount_at)
}

/// Formats the words of a cell. Masked words that follow each other become one.
fn format_cell(cell: &Cell, treatments: &[Treatment]) -> String {
    let treated: Vec<(&str, Treatment)> =
        cell.texts.iter().map(String::as_str).zip(treatments.iter().copied()).collect();
    let mut texts = Vec::new();
    for part in treated.chunk_by(|(_, treatment), (_, next)| treatment == next) {
        let is_masked = part.iter().all(|(_, treatment)| *treatment == Treatment::Masked);
        let part: Vec<&str> = part.iter().map(|(word, _)| *word).collect();
        if is_masked {
            texts.push(mask_text(&part.join(" ")));
        } else {
            texts.extend(part.into_iter().map(format_readable));
        }
    }
    texts.join(" ")
}
