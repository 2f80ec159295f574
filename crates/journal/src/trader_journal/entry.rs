//! Journal entries: subject, content and their limits.

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime, Weekday};

use crate::trader_journal::screenshot::Screenshot;

/// Maximum number of entries of an account.
pub(crate) const MAX_ENTRIES: i64 = 200_000;
/// Maximum length of a note or a plan.
pub(crate) const MAX_NOTE_CHARS: usize = 20_000;
/// Maximum length of a setup, tag, mistake or emotion.
pub(crate) const MAX_LABEL_CHARS: usize = 40;
/// Maximum number of tags, and of mistakes, of an entry.
pub(crate) const MAX_LABELS: usize = 20;
/// Maximum number of rules of each kind in an entry.
pub(crate) const MAX_CHECKED_RULES: usize = 50;
/// Maximum length of a key.
pub(crate) const MAX_KEY_BYTES: usize = 200;
/// Text between two paragraphs of a note.
pub(crate) const PARAGRAPH_BREAK: &str = "\n\n";
pub(crate) const MAX_SYMBOL_CHARS: usize = 100;
/// Exclusive upper bound of prices and risk, in rupees. Smaller amounts with 4 decimals fit into a JSON number.
pub(crate) const MAX_AMOUNT_EXCLUSIVE: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
pub(crate) const MAX_QUANTITY_EXCLUSIVE: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// Kind of what an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From flat to flat in one instrument.
    Position,
    /// Positions taken as one decision.
    Strategy,
    /// A trading day.
    Day,
    /// A week, by its Monday.
    Week,
    /// A month, by its first day.
    Month,
}

impl Kind {
    /// Returns the name in the tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Strategy => "strategy",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Parses the name in the tables.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let kinds = [Self::Position, Self::Strategy, Self::Day, Self::Week, Self::Month];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns true if `key` can be a key of this kind with the date `day`: a period is identified by its first day.
    pub(crate) fn accepts_key(self, key: &str, day: Date) -> bool {
        let is_first = match self {
            Self::Position | Self::Strategy => return true,
            Self::Day => true,
            Self::Week => day.weekday() == Weekday::Monday,
            Self::Month => day.day() == 1,
        };
        is_first && key == day.to_string()
    }
}

/// Direction of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Bought first.
    Long,
    /// Sold first.
    Short,
}

impl Side {
    /// Returns the name in the tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::Short => "short",
        }
    }

    /// Parses the name in the tables.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Long, Self::Short].into_iter().find(|side| side.name() == name)
    }
}

/// Identity of what an entry is about, with facts that describe it when nothing has its key any longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Kind of the key.
    pub kind: Kind,
    /// Key of the position or strategy; the first date of a day, week or month.
    pub key: String,
    /// Symbol or name; empty for a day, week or month.
    pub symbol: String,
    /// Day on which the position was opened.
    pub day: Date,
    /// Direction of a position, if known.
    pub side: Option<Side>,
    /// Largest quantity of a position, if known.
    pub quantity: Option<Decimal>,
}

/// Content of an entry, as the trader records it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Name of the setup; empty if there is none, like other labels.
    pub setup: String,
    /// Tags, each once in any case.
    pub tags: Vec<String>,
    /// Mistakes, each once in any case.
    pub mistakes: Vec<String>,
    /// Emotion; that before trading for a day.
    pub emotion: String,
    /// Emotion after trading, for a day.
    pub emotion_after: String,
    /// From 1 to 5.
    pub rating: Option<i16>,
    /// Markdown; the review of a day.
    pub note: String,
    /// Markdown.
    pub plan: String,
    /// Planned prices and risk in rupees.
    pub planned: Planned,
    /// Ids of playbook rules.
    pub rules_kept: Vec<i64>,
    /// Ids of playbook rules.
    pub rules_broken: Vec<i64>,
    /// The trader has finished the review.
    pub reviewed: bool,
}

/// Planned prices and risk in rupees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Price of the entry.
    pub entry: Option<Decimal>,
    /// Stop loss.
    pub stop: Option<Decimal>,
    /// Target.
    pub target: Option<Decimal>,
    /// Loss at the stop loss.
    pub risk: Option<Decimal>,
}

/// Stored entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number within the account.
    pub entry_id: i64,
    /// Identity of what the entry is about.
    pub subject: Subject,
    /// Content, as the trader records it.
    pub content: Content,
    /// Number of the edit, from 1.
    pub version: i64,
    /// Time of the last edit.
    pub updated_at: OffsetDateTime,
    /// Time of the review, if the entry is reviewed.
    pub reviewed_at: Option<OffsetDateTime>,
    /// Screenshots, oldest first.
    pub screenshots: Vec<Screenshot>,
}

impl Content {
    /// Returns the content of an entry to which that of `other` is added: notes are joined and labels united. Other values
    /// of `self` take precedence.
    ///
    /// Returns `None` if the result exceeds a limit.
    pub(crate) fn merge(mut self, other: Self) -> Option<Self> {
        let first = |own: String, other: String| if own.is_empty() { other } else { own };
        add_labels(&mut self.tags, &other.tags);
        add_labels(&mut self.mistakes, &other.mistakes);
        let merged = Self {
            setup: first(self.setup, other.setup),
            emotion: first(self.emotion, other.emotion),
            emotion_after: first(self.emotion_after, other.emotion_after),
            rating: self.rating.or(other.rating),
            note: join_texts(self.note, &other.note),
            plan: join_texts(self.plan, &other.plan),
            planned: Planned {
                entry: self.planned.entry.or(other.planned.entry),
                stop: self.planned.stop.or(other.planned.stop),
                target: self.planned.target.or(other.planned.target),
                risk: self.planned.risk.or(other.planned.risk),
            },
            rules_kept: unite_rules(self.rules_kept, &other.rules_kept),
            rules_broken: unite_rules(self.rules_broken, &other.rules_broken),
            reviewed: self.reviewed || other.reviewed,
            tags: self.tags,
            mistakes: self.mistakes,
        };
        let is_within = merged.tags.len() <= MAX_LABELS
            && merged.mistakes.len() <= MAX_LABELS
            && merged.note.chars().count() <= MAX_NOTE_CHARS
            && merged.plan.chars().count() <= MAX_NOTE_CHARS
            && merged.rules_kept.len() <= MAX_CHECKED_RULES
            && merged.rules_broken.len() <= MAX_CHECKED_RULES;
        is_within.then_some(merged)
    }
}

/// Adds each label that is not in the list in any case.
pub(crate) fn add_labels(labels: &mut Vec<String>, added: &[String]) {
    for label in added {
        if !contains_label(labels, label) {
            labels.push(label.clone());
        }
    }
}

/// Returns true if the list has the label in any case.
pub(crate) fn contains_label(labels: &[String], label: &str) -> bool {
    let lower = label.to_lowercase();
    labels.iter().any(|existing| existing.to_lowercase() == lower)
}

/// Returns true if `text` is one or more whole paragraphs of `note`.
pub(crate) fn contains_paragraphs(note: &str, text: &str) -> bool {
    note.match_indices(text).any(|(start, _)| {
        let (before, after) =
            (note.get(..start).unwrap_or_default(), note.get(start + text.len()..).unwrap_or_default());
        (before.is_empty() || before.ends_with(PARAGRAPH_BREAK))
            && (after.is_empty() || after.starts_with(PARAGRAPH_BREAK))
    })
}

fn join_texts(own: String, other: &str) -> String {
    match (own.as_str(), other) {
        (_, "") => own,
        ("", _) => other.to_owned(),
        (one, other) if contains_paragraphs(one, other) => own,
        (one, other) => format!("{one}{PARAGRAPH_BREAK}{other}"),
    }
}

fn unite_rules(mut own: Vec<i64>, other: &[i64]) -> Vec<i64> {
    own.extend_from_slice(other);
    own.sort_unstable();
    own.dedup();
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_both_notes_and_all_labels() {
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let own = Content { note: "Held.".into(), tags: tags(&["gap-up"]), rating: Some(4), ..Default::default() };
        let other = Content {
            note: "Sold early.".into(),
            tags: tags(&["Gap-Up", "fomo"]),
            rating: Some(1),
            setup: "Range break".into(),
            rules_kept: vec![2, 1],
            ..Default::default()
        };
        let merged = own.clone().merge(other.clone()).unwrap();
        assert_eq!(merged.note, "Held.\n\nSold early.");
        assert_eq!(merged.tags, ["gap-up", "fomo"]);
        assert_eq!((merged.rating, merged.setup.as_str(), merged.rules_kept), (Some(4), "Range break", vec![1, 2]));
        let long = Content { note: "x".repeat(MAX_NOTE_CHARS), ..other };
        assert_eq!(own.merge(long), None);
        for (note, text, expected) in [
            ("Not good", "good", false),
            ("Goodbye", "Good", false),
            ("good", "good", true),
            ("a\n\ngood\n\nb", "good", true),
            ("a\n\ngood", "a\n\ngood", true),
            ("good\nb", "good", false),
        ] {
            assert_eq!(contains_paragraphs(note, text), expected, "{note:?} {text:?}");
        }
    }
}
