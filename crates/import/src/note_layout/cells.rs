//! Cells of a line: words that are no further apart than in a sentence.

use super::mask::needs_mask;
use crate::pdf::Line;

/// Largest gap within a word, as a fraction of the font size. A document may place the letters of a word one by one.
pub(super) const JOINED_GAP: f32 = 0.2;
/// Largest gap between the words of a cell, as a fraction of the font size.
const MAX_WORD_GAP: f32 = 1.0;

/// Words with their common edges in points.
#[derive(Debug)]
pub(super) struct Cell {
    pub left: f32,
    pub right: f32,
    pub texts: Vec<String>,
}

/// Returns the cells of a line from left to right. A figure and the side of a fill are cells of their own, because columns
/// may be close to each other. Words with at most `joined_gap` between them are one word.
pub(super) fn of_line(line: &Line, joined_gap: Option<f32>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for item in &line.items {
        if let Some(cell) = cells.last_mut()
            && let Some(last) = cell.texts.last_mut()
        {
            let gap = item.left - cell.right;
            // Drawn twice, as bold text may be.
            let is_repeated = *last == item.text && -gap > (item.right - item.left) / 2.0;
            let is_joined = joined_gap.is_some_and(|joined| gap <= item.size * joined);
            if is_repeated || is_joined {
                last.push_str(if is_repeated { "" } else { &item.text });
                cell.right = cell.right.max(item.right);
                continue;
            }
            if gap <= item.size * MAX_WORD_GAP && !is_column(last) && !is_column(&item.text) {
                cell.texts.push(item.text.clone());
                cell.right = item.right;
                continue;
            }
        }
        cells.push(Cell { left: item.left, right: item.right, texts: vec![item.text.clone()] });
    }
    cells
}

/// Returns true for a figure, and for a letter that may be the side of a fill.
fn is_column(word: &str) -> bool {
    word == "B" || word == "S" || word.contains(char::is_numeric) && !word.contains(needs_mask)
}
