//! Positions of cells, from which the width of masked text cannot be calculated.

use std::collections::{HashMap, HashSet};

use super::cells::Cell;
use super::mask::MaskedLine;

/// Step in points to which positions are rounded.
const STEP: f32 = 5.0;
/// Distance of a value from the end of the head of its column, in font sizes.
const MAX_HEAD_GAP: f32 = 6.0;
/// Labels of different widths that share the left edge of a column.
const MIN_SHARED_LABELS: usize = 3;
/// Lines of labels above a cell that are searched for the head of its column. Bounds the time for a document of labels.
const MAX_HEAD_LINES: usize = 100;

/// Columns of a page as its labels show them. The position of a value is that of its column, because an edge of the value
/// itself would tell its width if the other edge is known.
pub(super) struct Positions<'m> {
    /// Lines of labels with their index.
    head_lines: Vec<(usize, Vec<&'m Cell>)>,
    /// Rounded widths of the labels at a left edge.
    widths: HashMap<String, HashSet<String>>,
}

impl<'m> Positions<'m> {
    pub fn read(lines: &'m [MaskedLine]) -> Self {
        let mut head_lines = Vec::new();
        let mut widths: HashMap<String, HashSet<String>> = HashMap::new();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_data) {
            let labels: Vec<&Cell> = line.labels().collect();
            for label in &labels {
                widths.entry(key(label.left)).or_default().insert(key(label.right - label.left));
            }
            if labels.len() == line.line.cells.len() {
                head_lines.push((index, labels));
            }
        }
        Self { head_lines, widths }
    }

    /// Returns the left edge of the column of a cell with masked text or a figure in the line with this index.
    pub fn format_masked(&self, line: usize, cell: &Cell) -> Option<String> {
        let end = self.head_lines.partition_point(|(index, _)| *index < line);
        let above = self.head_lines.get(..end).unwrap_or_default().iter().rev().take(MAX_HEAD_LINES);
        let head = above.into_iter().find_map(|(_, labels)| find_head(labels, cell));
        let is_shared = || self.widths.get(&key(cell.left)).is_some_and(|widths| widths.len() >= MIN_SHARED_LABELS);
        let left = head.map(|head| head.left);
        left.or_else(|| (!cell.is_figure() && is_shared()).then_some(cell.left)).map(round)
    }
}

/// Returns the label above a cell. Figures are usually aligned at their right edge and texts at their left edge, so that the
/// label does not depend on their width.
fn find_head<'c>(labels: &[&'c Cell], cell: &Cell) -> Option<&'c Cell> {
    let position = if cell.is_figure() { cell.right } else { cell.left + cell.size };
    let head = labels.iter().rev().find(|label| label.left <= position)?;
    (position <= head.right + MAX_HEAD_GAP * head.size).then_some(*head)
}

fn key(position: f32) -> String {
    format!("{position:.0}")
}

/// Formats both edges of a cell.
pub(super) fn format_edges(cell: &Cell) -> String {
    format!("{}-{}", round(cell.left), round(cell.right))
}

fn round(position: f32) -> String {
    format!("{:.0}", (position.max(0.0) / STEP).round() * STEP)
}
