//! Parsers of the bodies of `/journal/…`. The core validates lengths, dates and numbers.

use http_server::json_fields::JsonFields;
use rpc::json::JsonName as _;
use rpc::trader_journal::v1::{Addition, Content, Edit, EntryKind, Playbook, PositionSide, Rule, Subject, Template};

use crate::error_texts::{field_text, invalid_text};

/// Takes the fields of a subject.
pub(super) fn take_subject(fields: &mut JsonFields) -> Subject {
    fields.require(&["kind", "key", "day"]);
    Subject {
        kind: take_kind(fields),
        key: fields.text("key").unwrap_or_default(),
        symbol: fields.text("symbol").unwrap_or_default(),
        day: fields.text("day").unwrap_or_default(),
        side: fields
            .parsed("side", PositionSide::from_json_name, |field| invalid_text("journal", field))
            .unwrap_or_default()
            .into(),
        quantity: fields.number_or_null("quantity").unwrap_or_default(),
    }
}

/// Takes the kind of an entry.
pub(super) fn take_kind(fields: &mut JsonFields) -> i32 {
    let message = |field: &str| field_text("journal", field, "ENTRY_KIND_MISSING", &[]);
    fields.parsed("kind", EntryKind::from_json_name, message).unwrap_or_default().into()
}

/// Takes the subjects of a bulk edit.
pub(super) fn take_subjects(fields: &mut JsonFields) -> Vec<Subject> {
    fields.list("subjects", take_subject).unwrap_or_default()
}

/// Takes notes and labels that are added to entries.
pub(super) fn take_additions(fields: &mut JsonFields) -> Vec<Addition> {
    let take_addition = |fields: &mut JsonFields| Addition {
        texts: fields.texts("texts").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        setup: fields.text("setup").unwrap_or_default(),
        emotion: fields.text("emotion").unwrap_or_default(),
        subject: Some(take_subject(fields)),
    };
    fields.list("additions", take_addition).unwrap_or_default()
}

/// Takes true or false.
pub(super) fn take_flag(fields: &mut JsonFields, name: &str) -> Option<bool> {
    fields.flag(name, || invalid_text("edge", "flag"))
}

/// Takes the fields of an entry's content. Missing ones are empty.
pub(super) fn take_content(fields: &mut JsonFields) -> Content {
    Content {
        setup: fields.text("setup").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        mistakes: fields.texts("mistakes").unwrap_or_default(),
        emotion: fields.text("emotion").unwrap_or_default(),
        emotion_after: fields.text("emotionAfter").unwrap_or_default(),
        rating: take_rating(fields).unwrap_or_default(),
        note: fields.text("note").unwrap_or_default(),
        plan: fields.text("plan").unwrap_or_default(),
        planned_entry: fields.number_or_null("plannedEntry").unwrap_or_default(),
        planned_stop: fields.number_or_null("plannedStop").unwrap_or_default(),
        planned_target: fields.number_or_null("plannedTarget").unwrap_or_default(),
        planned_risk: fields.number_or_null("plannedRisk").unwrap_or_default(),
        rules_kept: fields.whole_numbers("rulesKept").unwrap_or_default(),
        rules_broken: fields.whole_numbers("rulesBroken").unwrap_or_default(),
        reviewed: take_flag(fields, "reviewed").unwrap_or_default(),
    }
}

/// Takes a rating; 0 removes it.
fn take_rating(fields: &mut JsonFields) -> Option<i32> {
    fields.whole_number("rating").map(|rating| i32::try_from(rating).unwrap_or(i32::MAX))
}

/// Takes a version; 0 if it is missing.
pub(super) fn take_version(fields: &mut JsonFields) -> i64 {
    fields.whole_number("version").unwrap_or_default()
}

/// Takes the fields of a bulk edit.
pub(super) fn take_edit(fields: &mut JsonFields) -> Edit {
    Edit {
        add_tags: fields.texts("addTags").unwrap_or_default(),
        remove_tags: fields.texts("removeTags").unwrap_or_default(),
        add_mistakes: fields.texts("addMistakes").unwrap_or_default(),
        remove_mistakes: fields.texts("removeMistakes").unwrap_or_default(),
        setup: fields.text("setup"),
        emotion: fields.text("emotion"),
        rating: take_rating(fields),
        reviewed: take_flag(fields, "reviewed"),
    }
}

/// Takes the fields of a playbook with this id; 0 for a new one.
pub(super) fn take_playbook(fields: &mut JsonFields, id: i64) -> Playbook {
    fields.require(&["name", "rules"]);
    let take_rule = |rule: &mut JsonFields| {
        rule.require(&["text"]);
        Rule { id: rule.whole_number("id").unwrap_or_default(), text: rule.text("text").unwrap_or_default() }
    };
    let rules = fields.list("rules", take_rule).unwrap_or_default();
    Playbook {
        id,
        name: fields.text("name").unwrap_or_default(),
        description: fields.text("description").unwrap_or_default(),
        rules,
        version: take_version(fields),
        created_at: None,
    }
}

/// Takes the fields of a template with this id; 0 for a new one.
pub(super) fn take_template(fields: &mut JsonFields, id: i64) -> Template {
    fields.require(&["name"]);
    Template {
        id,
        name: fields.text("name").unwrap_or_default(),
        plan: fields.text("plan").unwrap_or_default(),
        note: fields.text("note").unwrap_or_default(),
        version: take_version(fields),
    }
}
