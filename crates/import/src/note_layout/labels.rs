//! Words that contract notes print as labels, and names of months.

use std::collections::HashSet;

/// Labels in lower case, one per line. A line of several words is the legal name of a broker: single words of it, such as
/// Kotak, are also names of people. Brokers whose own shares are traded are not in it.
pub(crate) const FILE: &str = include_str!("../../data/note-labels.txt");
/// Characters of the abbreviation of a month.
const MONTH_CHARS: usize = 3;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub(super) struct Labels {
    single: HashSet<&'static str>,
    broker_names: Vec<Vec<&'static str>>,
}

impl Labels {
    pub fn new() -> Self {
        let (names, single): (Vec<&str>, Vec<&str>) = FILE.lines().partition(|line| line.contains(' '));
        let broker_names = names.into_iter().map(|name| name.split(' ').collect()).collect();
        Self { single: single.into_iter().collect(), broker_names }
    }

    /// Returns true for a label, in lower case.
    pub fn contains(&self, word: &str) -> bool {
        self.single.contains(word)
    }

    /// Returns the number of words at the start of `texts`, in lower case, that are the legal name of a broker.
    pub fn broker_name_length(&self, texts: &[String]) -> usize {
        let is_start = |name: &&Vec<&str>| texts.get(..name.len()).is_some_and(|start| start == name.as_slice());
        self.broker_names.iter().filter(is_start).map(Vec::len).max().unwrap_or_default()
    }
}

/// Returns true for the name of a month or its abbreviation of three letters, in lower case; also for `sept`.
pub(super) fn is_month(word: &str) -> bool {
    word == "sept" || MONTHS.iter().any(|month| word == *month || month.get(..MONTH_CHARS) == Some(word))
}
