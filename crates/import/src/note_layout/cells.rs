//! Cells of a line: words that are no further apart than in a sentence.

use super::masked_text::{is_figure, is_month};
use crate::pdf::Line;

/// Largest gap within a word, as a fraction of the font size. A document may place the letters of a word one by one.
pub(super) const JOINED_GAP: f32 = 0.2;
/// Largest gap between the words of a cell, as a fraction of the font size.
const MAX_WORD_GAP: f32 = 1.0;
/// Words of a line; a summary of 14 columns has fewer than 40.
const MAX_LINE_TEXTS: usize = 200;
/// Stands for a word whose characters are unknown; no label has this character.
const UNKNOWN: &str = "\u{fffd}";

/// Words with their common edges in points.
#[derive(Debug)]
pub(super) struct Cell {
    pub left: f32,
    pub right: f32,
    /// Font size of the first word in points.
    pub size: f32,
    pub texts: Vec<String>,
    /// Begins at most one word gap after the cell before.
    pub is_close: bool,
}

impl Cell {
    /// Returns the word of a cell of one word.
    pub fn only_word(&self) -> Option<&str> {
        let [word] = self.texts.as_slice() else { return None };
        Some(word)
    }

    pub fn is_figure(&self) -> bool {
        self.only_word().is_some_and(is_figure)
    }

    /// Returns true for a date, or digits within other words.
    pub fn has_data(&self) -> bool {
        self.texts.iter().any(|word| word.contains(char::is_numeric) || is_month(word))
    }
}

/// Cells of a line from left to right.
#[derive(Debug)]
pub(super) struct LineCells {
    pub cells: Vec<Cell>,
    /// The line has more words.
    pub is_cut: bool,
}

impl LineCells {
    /// Reads the cells of a line. A figure and the side of a fill are cells of their own, because columns may be close to
    /// each other. Words with at most `joined_gap` between them are one word.
    pub fn read(line: &Line, joined_gap: Option<f32>) -> Self {
        let mut cells: Vec<Cell> = Vec::new();
        let mut word_count = 0;
        for item in &line.items {
            let text = if item.has_characters { item.text.as_str() } else { UNKNOWN };
            let mut is_close = false;
            if let Some(cell) = cells.last_mut()
                && let Some(last) = cell.texts.last_mut()
            {
                let gap = item.left - cell.right;
                // Drawn twice, as bold text may be.
                let is_repeated = *last == text && -gap > (item.right - item.left) / 2.0;
                let is_joined = joined_gap.is_some_and(|joined| gap <= item.size * joined);
                if is_repeated || is_joined {
                    last.push_str(if is_repeated { "" } else { text });
                    cell.right = cell.right.max(item.right);
                    continue;
                }
                is_close = gap <= item.size * MAX_WORD_GAP;
                if word_count < MAX_LINE_TEXTS && is_close && !is_column(last) && !is_column(text) {
                    cell.texts.push(text.to_owned());
                    cell.right = item.right;
                    word_count += 1;
                    continue;
                }
            }
            if word_count == MAX_LINE_TEXTS {
                return Self { cells, is_cut: true };
            }
            word_count += 1;
            let (left, right, size) = (item.left, item.right, item.size);
            cells.push(Cell { left, right, size, texts: vec![text.to_owned()], is_close });
        }
        Self { cells, is_cut: false }
    }
}

/// Returns true for a figure, and for a letter that may be the side of a fill.
fn is_column(word: &str) -> bool {
    word == "B" || word == "S" || is_figure(word)
}
