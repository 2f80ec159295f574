//! Masks the cells of a line.
//!
//! A word stays readable only in a phrase that consists of labels, up to the first label of client data of its line, and not
//! below that label. In a line of trades only the side stays; single cells above and below its names are masked.

use super::cells::{Cell, LineCells};
use super::labels::Labels;
use super::masked_text::{
    MASKED, find_isin, format_readable, has_decimals, is_alphabetic, is_amount_figure, is_month, mask_text,
};
use super::phrase::{self, Phrase};
use super::positions::{self, Positions};
use crate::contract_note::{is_amount_suffix, parse_side};

/// Amounts of a line of trades, or of an address.
const MIN_DATA_AMOUNTS: usize = 2;
/// Further lines of a row.
const MAX_WRAPPED_LINES: usize = 3;
/// Figures after the side of a fill: quantity, rate and value.
const MIN_FILL_FIGURES: usize = 3;
/// Gap after masked text from which a position does not tell its width, in font sizes.
const MIN_DATA_GAP: f32 = 3.0;
/// Labels of a header.
const MIN_HEADER_LABELS: usize = 3;
/// A whole number of any size.
const DIGIT: &str = "9";
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

/// Line with the treatment of each word of each cell.
pub(super) struct MaskedLine {
    pub line: LineCells,
    treatments: Vec<Vec<Treatment>>,
    /// The line is part of a row of trades.
    pub is_data: bool,
    /// Has an ISIN, or the side of a fill.
    has_trade: bool,
}

impl MaskedLine {
    /// Returns the cells that are labels as a whole.
    pub fn labels(&self) -> impl Iterator<Item = &Cell> {
        let cells = self.line.cells.iter().zip(&self.treatments);
        cells.filter(|(cell, treatments)| is_label(cell, treatments)).map(|(cell, _)| cell)
    }

    /// Adds the line with this index to `text`. A cell that begins close to the end of masked text or of a figure has no
    /// position, because it would tell the width of the text.
    pub fn write(&self, index: usize, positions: &Positions<'_>, text: &mut String) {
        let mut is_after_data = false;
        let mut previous: Option<(&Cell, String)> = None;
        for (cell, treatments) in self.line.cells.iter().zip(&self.treatments) {
            let is_label = is_label(cell, treatments);
            let (is_near, is_after_figure) = match &previous {
                Some((last, _)) => (cell.left - last.right < cell.size * MIN_DATA_GAP, last.is_figure()),
                None => (false, false),
            };
            let has_position = !cell.is_close && !(is_near && (is_after_data || is_label && is_after_figure));
            // The position of a later cell would tell the width of masked text as well.
            is_after_data = treatments.contains(&Treatment::Masked) || is_near && is_after_data;
            let formatted = format_cell(cell, treatments);
            // Digits and words that are apart, such as those in the boxes of a code, are not counted.
            let is_same_digit = formatted == DIGIT && previous.as_ref().is_some_and(|(_, last)| last == DIGIT);
            let rest = formatted.strip_prefix(MASKED).filter(|_| is_near && text.ends_with(MASKED));
            if let Some(rest) = if is_same_digit { Some("") } else { rest } {
                text.push_str(rest);
            } else {
                let position = match has_position {
                    true if is_label => Some(positions::format_edges(cell)),
                    true => positions.format_masked(index, cell),
                    false => None,
                };
                let position = position.map(|position| format!("{{{position}}}")).unwrap_or_default();
                text.extend([if text.ends_with('\n') { "" } else { " " }, &position, &formatted]);
            }
            previous = Some((cell, formatted));
        }
        text.push_str(if self.line.is_cut { " {cut}\n" } else { "\n" });
    }
}

fn is_label(cell: &Cell, treatments: &[Treatment]) -> bool {
    !treatments.contains(&Treatment::Masked) && !cell.has_data()
}

/// Masks the lines of a document.
pub(super) fn mask_lines(labels: &Labels, lines: impl Iterator<Item = LineCells>) -> Vec<MaskedLine> {
    let mut mask = LineMask { labels, wrapped_lines: 0, client_columns: Vec::new() };
    let mut lines: Vec<MaskedLine> = lines.map(|line| mask.mask(line)).collect();
    for index in 0..lines.len() {
        let Some(data) = lines.get(index).filter(|line| line.has_trade) else { continue };
        let cells = data.line.cells.iter().zip(&data.treatments);
        let masked = cells.filter(|(_, treatments)| treatments.contains(&Treatment::Masked));
        let columns: Vec<(f32, f32)> = masked.map(|(cell, _)| (cell.left, cell.right)).collect();
        for neighbour in [index.checked_sub(1), Some(index + 1)].into_iter().flatten() {
            if let Some(line) = lines.get_mut(neighbour).filter(|line| !line.is_data) {
                mask_name(line, &columns);
            }
        }
    }
    lines
}

/// Masks the parts of names in a line above or below a row of trades. A line with several labels is a header.
fn mask_name(line: &mut MaskedLine, columns: &[(f32, f32)]) {
    if line.labels().count() >= MIN_HEADER_LABELS {
        return;
    }
    for (cell, treatments) in line.line.cells.iter().zip(&mut line.treatments) {
        if !cell.is_figure() && is_in_columns(cell, columns) {
            treatments.fill(Treatment::Masked);
        }
    }
}

fn is_in_columns(cell: &Cell, columns: &[(f32, f32)]) -> bool {
    columns.iter().any(|(left, right)| cell.left < *right && *left < cell.right)
}

/// Masks lines one after the other.
struct LineMask<'l> {
    labels: &'l Labels,
    /// Further lines that may belong to a row whose name wraps before its figures.
    wrapped_lines: usize,
    /// Edges of the columns below the labels of client data of the line before.
    client_columns: Vec<(f32, f32)>,
}

impl LineMask<'_> {
    fn mask(&mut self, line: LineCells) -> MaskedLine {
        let cells = line.cells.as_slice();
        let columns = std::mem::take(&mut self.client_columns);
        // A charge or a total begins its line: after a figure it may be a share.
        let (mut has_charge, mut has_figure, mut is_after_client_data) = (false, false, false);
        let mut treatments = Vec::with_capacity(cells.len());
        for (index, cell) in cells.iter().enumerate() {
            let mut of_cell = Vec::with_capacity(cell.texts.len());
            if cell.is_figure() {
                of_cell.push(Treatment::Readable);
                has_figure = true;
            } else {
                let is_client_data = is_in_columns(cell, &columns);
                for part in phrase::split(self.labels, &cell.texts) {
                    let before = of_cell.last().or_else(|| treatments.last().and_then(|cell: &Vec<_>| cell.last()));
                    // The colon of a masked label.
                    is_after_client_data |=
                        before == Some(&Treatment::Masked) && part.first().is_some_and(|word| word.starts_with(':'));
                    let phrase = Phrase::read(self.labels, part);
                    let readable = if is_after_client_data || is_client_data { 0 } else { phrase.readable };
                    of_cell.extend((0..part.len()).map(|word| Treatment::from_readable(word < readable)));
                    has_charge |= phrase.has_charge && !has_figure && !is_after_client_data && !is_client_data;
                    is_after_client_data |= phrase.has_client_data;
                    if phrase.has_client_data {
                        let end = cells.get(index + 1).map_or(f32::INFINITY, |next| next.left);
                        self.client_columns.push((cell.left, end));
                    }
                }
            }
            treatments.push(of_cell);
        }
        let has_isin = cells.iter().flat_map(|cell| &cell.texts).any(|word| find_isin(word).is_some());
        let side = find_side(cells);
        let has_trade = has_isin || side.is_some();
        if has_trade || self.wrapped_lines > 0 {
            // The names of shares may be such labels.
            self.client_columns.clear();
        }
        let is_data = self.is_data_line(cells, has_charge, has_isin);
        for (index, (cell, of_cell)) in cells.iter().zip(&mut treatments).enumerate() {
            if side == Some(index) || is_suffix(cells, index) {
                of_cell.fill(Treatment::Readable);
            } else if is_data && !cell.is_figure() && cell.texts.iter().any(|word| word.contains(is_alphabetic)) {
                of_cell.fill(Treatment::Masked);
            }
        }
        MaskedLine { treatments, is_data, has_trade, line }
    }

    /// Returns true for a line of trades, which has an ISIN, or amounts that are no charges or totals.
    fn is_data_line(&mut self, cells: &[Cell], has_charge: bool, has_isin: bool) -> bool {
        let texts: Vec<&String> = cells.iter().flat_map(|cell| &cell.texts).collect();
        let is_month_at = |at: usize| texts.get(at).is_some_and(|word| is_month(word.trim_end_matches([',', '.'])));
        // Of a date such as `15 Jun 2026`.
        let is_date_part = |at: usize| is_month_at(at + 1) || at.checked_sub(1).is_some_and(is_month_at);
        let amounts =
            texts.iter().enumerate().filter(|(at, word)| is_amount_figure(word) && !is_date_part(*at)).count();
        let has_amounts = amounts >= MIN_DATA_AMOUNTS;
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
        let figures: Vec<_> = rest.flat_map(|cell| &cell.texts).take_while(|word| is_amount_figure(word)).collect();
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
    let is_money = |word: &str| is_amount_figure(word) && has_decimals(word);
    let is_money_at = |at: usize| cells.get(at).and_then(Cell::only_word).is_some_and(is_money);
    cells.get(index).and_then(Cell::only_word).is_some_and(is_amount_suffix)
        && index.checked_sub(1).is_some_and(is_money_at)
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
