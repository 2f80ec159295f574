//! Groups the words of a page into lines.

use super::text_items::TextItem;

/// Largest difference of the baselines of a line, as a fraction of the font size.
const MAX_BASELINE_DIFFERENCE: f32 = 0.35;

/// Words with the same baseline, from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub page: usize,
    pub items: Vec<TextItem>,
}

impl Line {
    /// Returns the words joined by spaces.
    pub fn text(&self) -> String {
        self.items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the lines of a page, from the top.
pub(super) fn group_items(page: usize, mut items: Vec<TextItem>) -> Vec<Line> {
    items.sort_by(|one, other| other.baseline.total_cmp(&one.baseline));
    let mut lines: Vec<Line> = Vec::new();
    for item in items {
        let first = lines.last().and_then(|line| line.items.first());
        let is_same_line = first
            .is_some_and(|first| first.baseline - item.baseline <= first.size.max(item.size) * MAX_BASELINE_DIFFERENCE);
        match lines.last_mut() {
            Some(line) if is_same_line => line.items.push(item),
            _ => lines.push(Line { page, items: vec![item] }),
        }
    }
    for line in &mut lines {
        line.items.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    lines
}
