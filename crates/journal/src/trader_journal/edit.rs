//! Changes of many entries and their undo: edits of labels, and notes that are added.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::trader_journal::entry::{
    Content, MAX_LABELS, MAX_NOTE_CHARS, PARAGRAPH_BREAK, add_labels, contains_label, contains_paragraphs,
};

/// Maximum number of entries in one bulk edit.
pub(crate) const MAX_EDITED_ENTRIES: usize = 500;
/// Maximum number of entries to which one change adds notes.
pub(crate) const MAX_ADDITIONS: usize = 100;
/// Maximum number of notes that are added to one entry.
pub(crate) const MAX_ADDED_NOTES: usize = 100;

/// Changes of labels. `None` leaves a value as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// Tags to add.
    pub add_tags: Vec<String>,
    /// Tags to remove.
    pub remove_tags: Vec<String>,
    /// Mistakes to add.
    pub add_mistakes: Vec<String>,
    /// Mistakes to remove.
    pub remove_mistakes: Vec<String>,
    /// New setup; empty for none.
    pub setup: Option<String>,
    /// New emotion; empty for none.
    pub emotion: Option<String>,
    /// New rating; 0 for none.
    pub rating: Option<i16>,
    /// New state of the review.
    pub reviewed: Option<bool>,
}

/// Values of an entry that a bulk edit can change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Labels {
    tags: Vec<String>,
    mistakes: Vec<String>,
    setup: String,
    emotion: String,
    rating: Option<i16>,
    reviewed: bool,
}

/// Values of an entry before and after a bulk edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EditedEntry {
    pub entry_id: i64,
    before: Labels,
    after: Labels,
    /// Text that was added at the end of the note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    added_text: String,
}

impl Labels {
    fn of(content: &Content) -> Self {
        Self {
            tags: content.tags.clone(),
            mistakes: content.mistakes.clone(),
            setup: content.setup.clone(),
            emotion: content.emotion.clone(),
            rating: content.rating,
            reviewed: content.reviewed,
        }
    }
}

impl Edit {
    /// Applies the edit. Returns `None` if the entry would have too many tags or mistakes.
    pub(crate) fn apply(&self, entry_id: i64, content: &mut Content) -> Option<EditedEntry> {
        let before = Labels::of(content);
        content.tags.retain(|tag| !contains_label(&self.remove_tags, tag));
        add_labels(&mut content.tags, &self.add_tags);
        content.mistakes.retain(|mistake| !contains_label(&self.remove_mistakes, mistake));
        add_labels(&mut content.mistakes, &self.add_mistakes);
        if let Some(setup) = &self.setup {
            content.setup.clone_from(setup);
        }
        if let Some(emotion) = &self.emotion {
            content.emotion.clone_from(emotion);
        }
        if let Some(rating) = self.rating {
            content.rating = Some(rating).filter(|rating| *rating > 0);
        }
        content.reviewed = self.reviewed.unwrap_or(content.reviewed);
        let is_within = content.tags.len() <= MAX_LABELS && content.mistakes.len() <= MAX_LABELS;
        is_within.then(|| EditedEntry { entry_id, before, after: Labels::of(content), added_text: String::new() })
    }
}

/// Notes and labels that are added to an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addition {
    /// Content with labels only.
    pub labels: Content,
    /// Notes in Markdown.
    pub notes: Vec<String>,
}

/// Result of adding to an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Added {
    /// None if the entry had everything already, or has no room.
    pub edit: Option<EditedEntry>,
    /// True if a text or a tag found no room.
    pub is_full: bool,
}

/// Adds each text that is not in the note, and labels, as far as there is room. A setup and an emotion remain.
pub(crate) fn add_to_entry(content: &mut Content, Addition { labels, notes }: &Addition) -> Added {
    let (before, old_note) = (Labels::of(content), content.note.len());
    let mut is_full = false;
    for (value, added) in [(&mut content.setup, &labels.setup), (&mut content.emotion, &labels.emotion)] {
        if value.is_empty() {
            value.clone_from(added);
        }
    }
    for tag in labels.tags.iter().filter(|tag| !contains_label(&before.tags, tag)) {
        if content.tags.len() < MAX_LABELS {
            content.tags.push(tag.clone());
        } else {
            is_full = true;
        }
    }
    let mut room = MAX_NOTE_CHARS.saturating_sub(content.note.chars().count());
    for text in notes.iter().filter(|text| !text.is_empty()) {
        if contains_paragraphs(&content.note, text) {
            continue;
        }
        let text_break = if content.note.is_empty() { "" } else { PARAGRAPH_BREAK };
        match room.checked_sub(text_break.len() + text.chars().count()) {
            Some(left) => {
                room = left;
                content.note.push_str(text_break);
                content.note.push_str(text);
            }
            None => is_full = true,
        }
    }
    let (after, added_text) = (Labels::of(content), content.note.get(old_note..).unwrap_or_default().to_owned());
    let has_changed = after != before || !added_text.is_empty();
    Added { edit: has_changed.then_some(EditedEntry { entry_id: 0, before, after, added_text }), is_full }
}

impl EditedEntry {
    /// Undoes the edit of the entry. A value that was edited since then remains.
    pub(crate) fn undo(&self, content: &mut Content) {
        let Self { entry_id: _, before, after, added_text } = self;
        undo_labels(&mut content.tags, &before.tags, &after.tags);
        undo_labels(&mut content.mistakes, &before.mistakes, &after.mistakes);
        undo_value(&mut content.setup, &before.setup, &after.setup);
        undo_value(&mut content.emotion, &before.emotion, &after.emotion);
        undo_value(&mut content.rating, &before.rating, &after.rating);
        undo_value(&mut content.reviewed, &before.reviewed, &after.reviewed);
        // A text to which the trader wrote something since then remains.
        if let Some(note) = content.note.strip_suffix(added_text.as_str()) {
            content.note = note.to_owned();
        }
    }
}

/// Removes the labels that the edit added, and adds those that it removed as far as there is room.
fn undo_labels(labels: &mut Vec<String>, before: &[String], after: &[String]) {
    labels.retain(|label| contains_label(before, label) || !contains_label(after, label));
    let removed: Vec<String> = before.iter().filter(|label| !contains_label(after, label)).cloned().collect();
    add_labels(labels, &removed);
    labels.truncate(MAX_LABELS);
}

fn undo_value<T: Clone + PartialEq>(value: &mut T, before: &T, after: &T) {
    if value == after {
        value.clone_from(before);
    }
}

/// Returns the time of the review of an edited entry: the earlier one if it was reviewed before.
pub(crate) fn reviewed_at(
    content: &Content,
    earlier: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Option<OffsetDateTime> {
    content.reviewed.then(|| earlier.unwrap_or(now))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels() -> impl Strategy<Value = Vec<String>> {
        proptest::sample::subsequence(vec!["gap-up", "fomo", "news", "late"], 0..=3)
            .prop_map(|labels| labels.into_iter().map(str::to_owned).collect())
    }

    prop_compose! {
        fn content()(tags in labels(), mistakes in labels(), setup in "[ab]?", rating in prop::option::of(1..=5_i16),
                     reviewed: bool) -> Content {
            Content { tags, mistakes, setup, rating, reviewed, ..Default::default() }
        }
    }

    prop_compose! {
        fn edit()(add_tags in labels(), remove_tags in labels(), add_mistakes in labels(), remove_mistakes in labels(),
                  setup in prop::option::of("[ab]?"), rating in prop::option::of(0..=5_i16),
                  reviewed in prop::option::of(any::<bool>())) -> Edit {
            Edit { add_tags, remove_tags, add_mistakes, remove_mistakes, setup, rating, reviewed, emotion: None }
        }
    }

    fn sorted(mut content: Content) -> Content {
        content.tags.sort();
        content.mistakes.sort();
        content
    }

    proptest! {
        #[test]
        fn undo_restores_the_content(before in content(), edit in edit()) {
            let mut content = before.clone();
            let edited = edit.apply(1, &mut content).unwrap();
            edited.undo(&mut content);
            prop_assert_eq!(sorted(content), sorted(before));
        }

        #[test]
        fn undo_keeps_later_edits(before in content(), edit in edit()) {
            let mut content = before.clone();
            let edited = edit.apply(1, &mut content).unwrap();
            content.tags.push("later".to_owned());
            content.note = "Later.".to_owned();
            content.setup = "later".to_owned();
            edited.undo(&mut content);
            prop_assert!(content.tags.contains(&"later".to_owned()));
            prop_assert_eq!((content.note.as_str(), content.setup.as_str()), ("Later.", "later"));
        }
    }

    #[test]
    fn adding_to_an_entry_keeps_its_values_and_is_undone() {
        let before =
            Content { note: "Held.".into(), setup: "a".into(), tags: vec!["news".into()], ..Default::default() };
        let labels = Content {
            setup: "b".into(),
            emotion: "calm".into(),
            tags: vec!["News".into(), "late".into()],
            ..Default::default()
        };
        let addition = Addition { labels, notes: vec!["Held.".into(), "Sold early.".into()] };
        let mut content = before.clone();
        let Added { edit: Some(edited), is_full: false } = add_to_entry(&mut content, &addition) else {
            panic!("none")
        };
        assert_eq!((content.note.as_str(), content.setup.as_str()), ("Held.\n\nSold early.", "a"));
        assert_eq!((content.emotion.as_str(), content.tags.len()), ("calm", 2));
        assert_eq!(add_to_entry(&mut content, &addition), Added { edit: None, is_full: false });
        let mut edited_later = Content { note: "Held on.".into(), ..content.clone() };
        let mut edited_before = Content { note: "Held long.\n\nSold early.".into(), ..content.clone() };
        edited.undo(&mut content);
        assert_eq!(content, before);
        edited.undo(&mut edited_later);
        edited.undo(&mut edited_before);
        assert_eq!((edited_later.note.as_str(), edited_before.note.as_str()), ("Held on.", "Held long."));
    }

    #[test]
    fn what_finds_no_room_in_an_entry_is_left_out() {
        let tags = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>();
        let note = "x".repeat(MAX_NOTE_CHARS - 10);
        let mut content = Content { note: note.clone(), tags: tags(0..MAX_LABELS - 1), ..Default::default() };
        let labels = Content { tags: tags(MAX_LABELS..MAX_LABELS + 2), ..Default::default() };
        let addition = Addition { labels, notes: vec!["123456789".into(), "12345678".into()] };
        let added = add_to_entry(&mut content, &addition);
        assert!(added.is_full && added.edit.is_some());
        assert_eq!(content.note, format!("{note}\n\n12345678"));
        assert_eq!(content.tags.len(), MAX_LABELS);
        assert_eq!(add_to_entry(&mut content, &addition), Added { edit: None, is_full: true });
    }

    #[test]
    fn rejects_too_many_tags() {
        let tags = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>();
        let mut content = Content { tags: tags(0..MAX_LABELS), ..Default::default() };
        let edit = Edit { add_tags: tags(MAX_LABELS..MAX_LABELS + 1), ..Default::default() };
        assert_eq!(edit.apply(1, &mut content), None);
    }
}
