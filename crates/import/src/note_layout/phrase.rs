//! Phrases of a cell: words that must all be labels for any of them to stay readable.

use super::labels::{LabelKind, Labels};
use super::masked_text::{has_readable_form, is_alphabetic, is_date, is_word_char};
use crate::contract_note::parse_side;

/// Other forms of words in the names of companies.
const ABBREVIATIONS: [(&str, &str); 2] = [("ltd", "limited"), ("pvt", "private")];

/// Phrase, compared with the list of labels.
pub(super) struct Phrase {
    /// Number of words at its start that stay readable: all or none, or those up to a label of client data.
    pub readable: usize,
    pub has_charge: bool,
    /// Data of the client, or unknown data, follows.
    pub has_client_data: bool,
}

impl Phrase {
    pub fn read(labels: &Labels, texts: &[String]) -> Self {
        let (runs, indices): (Vec<String>, Vec<usize>) = texts
            .iter()
            .enumerate()
            .flat_map(|(index, word)| runs(labels, word).into_iter().map(move |run| (run, index)))
            .unzip();
        let mut phrase = Self { readable: texts.len(), has_charge: false, has_client_data: false };
        let mut are_all_labels = true;
        let mut has_label = runs.is_empty();
        let mut at = 0;
        while let Some(rest) = runs.get(at..).filter(|rest| !rest.is_empty()) {
            let Some((count, kind)) = labels.longest_match(rest) else {
                let is_date = rest.first().is_some_and(|run| is_date(run));
                are_all_labels &= is_date;
                has_label |= is_date;
                at += 1;
                continue;
            };
            at += count;
            has_label |= kind != LabelKind::JoiningWord;
            phrase.has_charge |= kind == LabelKind::Charge;
            if kind == LabelKind::ClientData && !phrase.has_client_data {
                phrase.has_client_data = true;
                phrase.readable = indices.get(at).copied().unwrap_or(texts.len());
            }
        }
        phrase.has_client_data |= labels.has_joined_client_data(texts);
        // A masked label with a colon is followed by unknown data.
        let is_readable = are_all_labels && has_label;
        phrase.has_client_data |=
            !is_readable && texts.last().is_some_and(|word| word.ends_with([':', '\u{ff1a}']) || word.ends_with(":-"));
        if !is_readable {
            phrase.readable = 0;
            phrase.has_charge = false;
        }
        phrase
    }
}

/// Splits a cell into phrases, which end with a colon. A code is a phrase of its own.
pub(super) fn split<'t>(labels: &Labels, texts: &'t [String]) -> impl Iterator<Item = &'t [String]> {
    texts.chunk_by(|word, next| !word.ends_with(':') && !is_code(labels, word) && !is_code(labels, next))
}

/// Returns true for a word with digits that is no label or date.
fn is_code(labels: &Labels, word: &str) -> bool {
    word.contains(char::is_numeric) && Phrase::read(labels, &[word.to_owned()]).readable == 0
}

/// Returns the runs of letters of a word in lower case; none for a date or a percentage, and the whole word if it can be no
/// label.
fn runs(labels: &Labels, word: &str) -> Vec<String> {
    let lower = word.to_ascii_lowercase();
    if !has_readable_form(word) {
        return vec![lower];
    }
    if word.contains(char::is_numeric) {
        return Vec::new();
    }
    let runs: Vec<String> = lower
        .split(|c| !is_word_char(c))
        .filter(|run| run.contains(is_alphabetic))
        .map(|run| ABBREVIATIONS.into_iter().find(|(short, _)| *short == run).map_or(run, |(_, long)| long).to_owned())
        .collect();
    if has_address_sign(&lower) || has_inner_dot(&lower) && !labels.contains(&runs) {
        return vec![lower];
    }
    // `B/S`, and the letters in `Buy(B)/Sell(S)`.
    let names_sides = lower == "b/s" || runs.iter().any(|run| run.len() > 1 && parse_side(run).is_some());
    runs.into_iter().filter(|run| !(names_sides && run.len() == 1 && parse_side(run).is_some())).collect()
}

/// Returns true for a dot between letters, as in a web address.
fn has_inner_dot(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    chars.windows(3).any(|window| matches!(window, [a, '.', b] if is_alphabetic(*a) && is_alphabetic(*b)))
}

/// Returns true for a sign of an email address, a payment address, or a web address.
fn has_address_sign(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    chars.windows(2).any(|pair| match pair {
        [before, '@' | '_'] if is_word_char(*before) => true,
        ['@' | '_', after] if is_alphabetic(*after) => true,
        ['/', '/'] => true,
        _ => false,
    })
}
