//! Terms of the search index.
//!
//! Every term begins with a prefix of the account, so that a search reads only the index entries of its account. A letter
//! after the prefix tells words from labels: `1a2b3c4dw` precedes a word, `1a2b3c4dt` a tag.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use uuid::Uuid;

use crate::trader_journal::entry::{Content, Kind, Subject};

/// Maximum length of an indexed word. Longer ones are found by their beginning.
const MAX_WORD_CHARS: usize = 40;
/// Minimum length of a word that also finds longer ones. Shorter ones would match most entries.
const MIN_PREFIX_CHARS: usize = 2;

/// Search condition that an entry must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The entry contains a word or one that begins with it.
    Word(String),
    /// The entry has a tag.
    Tag(String),
    /// The entry has a mistake.
    Mistake(String),
    /// The entry has a setup.
    Setup(String),
    /// The entry has an emotion.
    Emotion(String),
    /// The entry has a rating.
    Rating(i16),
    /// The entry is of a kind.
    Kind(Kind),
}

/// Returns the terms of an entry.
pub(crate) fn list_terms(account_id: Uuid, subject: &Subject, content: &Content) -> Vec<String> {
    let labels = [&content.setup, &content.emotion, &content.emotion_after];
    let texts = [&content.note, &content.plan, &subject.symbol].into_iter().chain(labels);
    let tokens = texts.chain(&content.tags).chain(&content.mistakes).flat_map(|text| tokenize(text));
    let setup = Some(&content.setup).filter(|setup| !setup.is_empty());
    let emotions = [&content.emotion, &content.emotion_after].into_iter().filter(|emotion| !emotion.is_empty());
    let conditions = tokens
        .map(Condition::Word)
        .chain(content.tags.iter().cloned().map(Condition::Tag))
        .chain(content.mistakes.iter().cloned().map(Condition::Mistake))
        .chain(setup.cloned().map(Condition::Setup))
        .chain(emotions.cloned().map(Condition::Emotion))
        .chain(content.rating.map(Condition::Rating))
        .chain([Condition::Kind(subject.kind)]);
    let prefix = account_prefix(account_id);
    let terms: BTreeSet<String> = conditions.map(|condition| format!("{prefix}{}", term(&condition))).collect();
    terms.into_iter().collect()
}

/// Returns the text of a `tsquery` that requires all conditions; empty if there is none.
pub(crate) fn to_query(account_id: Uuid, conditions: &[Condition]) -> String {
    let mut query = String::new();
    for condition in conditions {
        let term = format!("{}{}", account_prefix(account_id), term(condition));
        let quoted = term.replace('\\', "\\\\").replace('\'', "''");
        let is_prefix = matches!(condition, Condition::Word(word) if word.chars().count() >= MIN_PREFIX_CHARS);
        let separator = if query.is_empty() { "" } else { " & " };
        let _ = write!(query, "{separator}'{quoted}'{}", if is_prefix { ":*" } else { "" });
    }
    query
}

/// Splits a text into words of letters and digits, in lower case.
pub(crate) fn tokenize(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(|word| word.to_lowercase().chars().take(MAX_WORD_CHARS).collect()).collect()
}

/// Returns the first half of the first part of the account's id: few accounts share it, and it keeps the index small.
fn account_prefix(account_id: Uuid) -> String {
    account_id.simple().to_string().chars().take(8).collect()
}

fn term(condition: &Condition) -> String {
    match condition {
        Condition::Word(word) => format!("w{word}"),
        Condition::Tag(tag) => format!("t{}", tag.to_lowercase()),
        Condition::Mistake(mistake) => format!("m{}", mistake.to_lowercase()),
        Condition::Setup(setup) => format!("s{}", setup.to_lowercase()),
        Condition::Emotion(emotion) => format!("e{}", emotion.to_lowercase()),
        Condition::Rating(rating) => format!("r{rating}"),
        Condition::Kind(kind) => format!("k{}", kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_labels_and_matches_text_by_its_beginning() {
        let account_id = Uuid::from_u128(0x1a2b_3c4d << 96);
        let conditions =
            [Condition::Tag("It's \\ Me".into()), Condition::Word("gap".into()), Condition::Word("x".into())];
        assert_eq!(to_query(account_id, &conditions), "'1a2b3c4dtit''s \\\\ me' & '1a2b3c4dwgap':* & '1a2b3c4dwx'");
        assert_eq!(to_query(account_id, &[]), "");
    }

    #[test]
    fn splits_text_in_any_script() {
        assert_eq!(tokenize("Gap-up, ₹2,500: FOMO!"), ["gap", "up", "2", "500", "fomo"]);
        assert_eq!(tokenize("घाटा हुआ"), ["घाटा", "हुआ"]);
        assert_eq!(tokenize(&"x".repeat(100)), ["x".repeat(MAX_WORD_CHARS)]);
        assert!(tokenize(" -- ").is_empty());
    }
}
