//! Words that contract notes print as labels.

use std::collections::{HashMap, HashSet};

/// Labels by kind; the first lines of the file describe it.
const FILE: &str = include_str!("../../data/note-labels.txt");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    Label,
    /// Name of a charge or a total.
    Charge,
    /// Is followed by data of the client, or of the broker's staff.
    ClientData,
    /// Stays only beside a label.
    JoiningWord,
}

pub(super) struct Labels {
    kinds: HashMap<&'static str, LabelKind>,
    max_length: usize,
    /// Labels of client data without spaces.
    joined_client_data: HashSet<String>,
}

impl Labels {
    pub fn new() -> Self {
        let mut kind = LabelKind::Label;
        let mut kinds = HashMap::new();
        for line in FILE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line {
                "[labels]" => kind = LabelKind::Label,
                "[charges and totals]" => kind = LabelKind::Charge,
                "[joining words]" => kind = LabelKind::JoiningWord,
                "[client data]" => kind = LabelKind::ClientData,
                _ => _ = kinds.insert(line, kind),
            }
        }
        let max_length = kinds.keys().map(|label| label.split(' ').count()).max().unwrap_or_default();
        let client_data = kinds.iter().filter(|(label, kind)| **kind == LabelKind::ClientData && label.contains(' '));
        let joined_client_data = client_data.map(|(label, _)| label.replace(' ', "")).collect();
        Self { kinds, max_length, joined_client_data }
    }

    /// Returns true if these words, in lower case, are one label of the list.
    pub fn contains(&self, texts: &[String]) -> bool {
        self.kinds.contains_key(texts.join(" ").as_str())
    }

    /// Returns true if the words are a label of client data that is written without spaces, such as `ClientName`.
    pub fn has_joined_client_data(&self, texts: &[String]) -> bool {
        texts.iter().any(|text| {
            let joined: String = text.chars().filter(char::is_ascii_alphabetic).collect();
            self.joined_client_data.contains(&joined.to_ascii_lowercase())
        })
    }

    /// Returns the longest label at the start of `words`, in lower case, with the number of its words.
    pub fn longest_match(&self, texts: &[String]) -> Option<(usize, LabelKind)> {
        (1..=self.max_length.min(texts.len())).rev().find_map(|count| {
            let label = texts.get(..count)?.join(" ");
            self.kinds.get(label.as_str()).map(|kind| (count, *kind))
        })
    }
}
