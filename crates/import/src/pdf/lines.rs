//! Groups the words of a page into lines.

use super::words::Word;

/// Largest difference of the baselines of a line, as a fraction of the font size.
const MAX_BASELINE_DIFFERENCE: f32 = 0.35;

/// Words with the same baseline, from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub page: usize,
    pub words: Vec<Word>,
}

impl Line {
    /// Returns the words joined by spaces.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the lines of a page, from the top.
pub(super) fn group_words(page: usize, mut words: Vec<Word>) -> Vec<Line> {
    words.sort_by(|one, other| other.baseline.total_cmp(&one.baseline));
    let mut lines: Vec<Line> = Vec::new();
    for word in words {
        let first = lines.last().and_then(|line| line.words.first());
        let is_same_line = first
            .is_some_and(|first| first.baseline - word.baseline <= first.size.max(word.size) * MAX_BASELINE_DIFFERENCE);
        match lines.last_mut() {
            Some(line) if is_same_line => line.words.push(word),
            _ => lines.push(Line { page, words: vec![word] }),
        }
    }
    for line in &mut lines {
        line.words.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    lines
}
