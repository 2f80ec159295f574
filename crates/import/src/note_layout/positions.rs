//! Positions of cells, from which the width of masked text cannot be calculated.

use std::collections::HashMap;

use super::cells::Cell;

/// Step in points to which positions are rounded.
const STEP: f32 = 5.0;

/// Edge or centre of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Anchor {
    Left,
    Centre,
    Right,
}

impl Anchor {
    fn position(self, cell: &Cell) -> f32 {
        match self {
            Self::Left => cell.left,
            Self::Centre => cell.left.midpoint(cell.right),
            Self::Right => cell.right,
        }
    }
}

/// Anchors of the cells of a page with the number of their cells. Cells of a column share an edge or their centre: printing
/// that one does not tell how wide a cell is.
pub(super) struct Positions {
    counts: HashMap<(bool, Anchor, String), usize>,
}

impl Positions {
    pub fn read<'c>(cells: impl Iterator<Item = &'c Cell>) -> Self {
        let mut counts = HashMap::new();
        for cell in cells {
            for anchor in [Anchor::Left, Anchor::Centre, Anchor::Right] {
                *counts.entry(Self::key(cell, anchor)).or_default() += 1;
            }
        }
        Self { counts }
    }

    /// Formats the position of a cell with masked text or a figure: its left edge, its right edge after a minus sign, or its
    /// centre after a tilde.
    pub fn format_masked(&self, cell: &Cell) -> String {
        let usual = if cell.is_figure() { Anchor::Right } else { Anchor::Left };
        let count = |anchor: &Anchor| self.counts.get(&Self::key(cell, *anchor)).copied().unwrap_or_default();
        let most_shared = [Anchor::Left, Anchor::Centre, Anchor::Right].into_iter().max_by_key(count);
        // A few cells of other columns may be at the same point by chance.
        let anchor = most_shared.filter(|anchor| count(anchor) > 2 * count(&usual)).unwrap_or(usual);
        let position = round(anchor.position(cell));
        match anchor {
            Anchor::Left => position,
            Anchor::Centre => format!("~{position}"),
            Anchor::Right => format!("-{position}"),
        }
    }

    /// Counts cells at the same point.
    fn key(cell: &Cell, anchor: Anchor) -> (bool, Anchor, String) {
        (cell.is_figure(), anchor, format!("{:.0}", anchor.position(cell)))
    }
}

/// Formats both edges of a cell.
pub(super) fn format_edges(cell: &Cell) -> String {
    format!("{}-{}", round(cell.left), round(cell.right))
}

fn round(position: f32) -> String {
    format!("{:.0}", (position.max(0.0) / STEP).round() * STEP)
}
