//! Bulk edits of labels, and their undo.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::trader_journal::entry::{Content, MAX_LABELS, add_labels, contains_label};

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
    /// Notes before and after the change, if it added to the note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notes: Option<(String, String)>,
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
        is_within.then(|| EditedEntry { entry_id, before, after: Labels::of(content), notes: None })
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
pub(crate) enum Added {
    Changed(Box<EditedEntry>),
    /// The entry had everything already.
    Nothing,
    /// The note would be too long, or there would be too many labels.
    Full,
}

/// Adds each note that the entry does not contain, and labels; see [`Content::merge`].
pub(crate) fn add_to_entry(entry_id: i64, content: &mut Content, Addition { labels, notes }: Addition) -> Added {
    let notes = notes.into_iter().map(|note| Content { note, ..Content::default() });
    let merged = std::iter::once(labels).chain(notes).try_fold(content.clone(), Content::merge);
    let Some(merged) = merged else { return Added::Full };
    if merged == *content {
        return Added::Nothing;
    }
    let before = std::mem::replace(content, merged);
    let notes = (before.note != content.note).then(|| (before.note.clone(), content.note.clone()));
    let after = Labels::of(content);
    Added::Changed(Box::new(EditedEntry { entry_id, before: Labels::of(&before), after, notes }))
}

impl EditedEntry {
    /// Undoes the edit of the entry. A value that was edited since then remains.
    pub(crate) fn undo(&self, content: &mut Content) {
        let Self { entry_id: _, before, after, notes } = self;
        undo_labels(&mut content.tags, &before.tags, &after.tags);
        undo_labels(&mut content.mistakes, &before.mistakes, &after.mistakes);
        undo_value(&mut content.setup, &before.setup, &after.setup);
        undo_value(&mut content.emotion, &before.emotion, &after.emotion);
        undo_value(&mut content.rating, &before.rating, &after.rating);
        undo_value(&mut content.reviewed, &before.reviewed, &after.reviewed);
        if let Some((before, after)) = notes {
            undo_value(&mut content.note, before, after);
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
    use crate::trader_journal::entry::MAX_NOTE_CHARS;

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
        let Added::Changed(edited) = add_to_entry(1, &mut content, addition.clone()) else { panic!("not changed") };
        assert_eq!((content.note.as_str(), content.setup.as_str()), ("Held.\n\nSold early.", "a"));
        assert_eq!((content.emotion.as_str(), content.tags.len()), ("calm", 2));
        assert_eq!(add_to_entry(1, &mut content, addition), Added::Nothing);
        let mut edited_later = Content { note: "Held on.".into(), ..content.clone() };
        edited.undo(&mut content);
        assert_eq!(content, before);
        edited.undo(&mut edited_later);
        assert_eq!(edited_later.note, "Held on.");
        let long = Addition { notes: vec!["x".repeat(MAX_NOTE_CHARS)], ..Default::default() };
        assert_eq!(add_to_entry(1, &mut content, long), Added::Full);
        assert_eq!(content, before);
    }

    #[test]
    fn rejects_too_many_tags() {
        let tags = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>();
        let mut content = Content { tags: tags(0..MAX_LABELS), ..Default::default() };
        let edit = Edit { add_tags: tags(MAX_LABELS..MAX_LABELS + 1), ..Default::default() };
        assert_eq!(edit.apply(1, &mut content), None);
    }
}
