//! Conversion of proto messages to domain types.

use std::collections::HashSet;

use rpc::failure::Violation;
use rpc::trader_journal::v1 as wire;
use rust_decimal::Decimal;
use time::macros::{date, format_description};
use time::{Date, OffsetDateTime};

use crate::amount::{AmountError, parse_amount, price_reason, quantity_reason};
use crate::trader_journal::edit::{Addition, Edit, MAX_ADDED_NOTES, MAX_ADDITIONS, MAX_EDITED_ENTRIES};
use crate::trader_journal::entry::{
    Content, Kind, MAX_AMOUNT_EXCLUSIVE, MAX_CHECKED_RULES, MAX_KEY_BYTES, MAX_LABEL_CHARS, MAX_LABELS, MAX_NOTE_CHARS,
    MAX_QUANTITY_EXCLUSIVE, MAX_SYMBOL_CHARS, Planned, Side, Subject, add_labels,
};
use crate::trader_journal::error::Error;
use crate::trader_journal::playbook::{MAX_RULE_CHARS, MAX_RULES, MAX_TEXT_CHARS, Playbook, Rule, Template};
use crate::trader_journal::search_terms::{Condition, tokenize};
use crate::trader_journal::store::{SearchCursor, SearchFilter};

/// Maximum number of keys that are looked up at once, with and without notes and plans.
const MAX_KEYS: usize = 20;
const MAX_KEYS_WITHOUT_TEXT: usize = 100;
/// Maximum length of the text of a search.
const MAX_SEARCH_CHARS: usize = 200;
/// Maximum number of tags, and of mistakes, in a filter.
const MAX_FILTER_LABELS: usize = 10;
/// First and last day of an entry.
const DAYS: std::ops::RangeInclusive<Date> = date!(1990 - 01 - 01)..=date!(2100 - 12 - 31);

type Violations = Vec<Violation>;

pub(super) const fn parse_kind(kind: wire::EntryKind) -> Option<Kind> {
    match kind {
        wire::EntryKind::Unspecified => None,
        wire::EntryKind::Position => Some(Kind::Position),
        wire::EntryKind::Strategy => Some(Kind::Strategy),
        wire::EntryKind::Day => Some(Kind::Day),
        wire::EntryKind::Week => Some(Kind::Week),
        wire::EntryKind::Month => Some(Kind::Month),
    }
}

pub(super) fn parse_keys(keys: Vec<String>, without_text: bool) -> Result<Vec<String>, Error> {
    let max = if without_text { MAX_KEYS_WITHOUT_TEXT } else { MAX_KEYS };
    if keys.len() > max {
        return Err(Violation::new("keys", "TOO_MANY").with("max", max).into());
    }
    match keys.iter().position(|key| !is_key(key)) {
        Some(index) => Err(Violation::new(format!("keys[{index}]"), "KEY_INVALID").with("max", MAX_KEY_BYTES).into()),
        None => Ok(keys),
    }
}

pub(super) fn is_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_KEY_BYTES && !key.chars().any(char::is_control)
}

/// Parses a subject at `path`; invalid fields get placeholders.
pub(super) fn parse_subject(path: &str, subject: wire::Subject, violations: &mut Violations) -> Subject {
    let kind = parse_kind(subject.kind()).unwrap_or_else(|| {
        violations.push(Violation::new(format!("{path}.kind"), "ENTRY_KIND_MISSING"));
        Kind::Position
    });
    let side = match subject.side() {
        wire::PositionSide::Unspecified => None,
        wire::PositionSide::Long => Some(Side::Long),
        wire::PositionSide::Short => Some(Side::Short),
    };
    let day = parse_day(&subject.day).unwrap_or_else(|| {
        violations.push(Violation::new(format!("{path}.day"), "DATE_INVALID"));
        *DAYS.start()
    });
    if !is_key(&subject.key) || parse_day(&subject.day).is_some_and(|day| !kind.accepts_key(&subject.key, day)) {
        violations.push(Violation::new(format!("{path}.key"), "KEY_INVALID").with("max", MAX_KEY_BYTES));
    }
    let symbol = subject.symbol.trim().to_owned();
    if symbol.chars().count() > MAX_SYMBOL_CHARS || symbol.chars().any(char::is_control) {
        let violation = Violation::new(format!("{path}.symbol"), "SYMBOL_INVALID");
        violations.push(violation.with("max_chars", MAX_SYMBOL_CHARS));
    }
    let quantity = parse_optional(&subject.quantity, 6, MAX_QUANTITY_EXCLUSIVE).unwrap_or_else(|error| {
        violations.push(Violation::new(format!("{path}.quantity"), quantity_reason(error)));
        None
    });
    Subject { kind, key: subject.key, symbol, day, side, quantity }
}

/// Parses the subjects of a bulk edit.
pub(super) fn parse_subjects(subjects: Vec<wire::Subject>, violations: &mut Violations) -> Vec<Subject> {
    if !are_different(subjects.iter(), MAX_EDITED_ENTRIES) {
        violations.push(Violation::new("subjects", "SUBJECTS_INVALID").with("max", MAX_EDITED_ENTRIES));
        return Vec::new();
    }
    let subjects = subjects.into_iter().enumerate();
    subjects.map(|(index, subject)| parse_subject(&format!("subjects[{index}]"), subject, violations)).collect()
}

/// Parses additions to entries, without empty ones.
pub(super) fn parse_additions(additions: Vec<wire::Addition>, violations: &mut Violations) -> Vec<(Subject, Addition)> {
    let subject_of = |addition: &wire::Addition| addition.subject.clone().unwrap_or_default();
    let subjects: Vec<wire::Subject> = additions.iter().map(subject_of).collect();
    if !are_different(subjects.iter(), MAX_ADDITIONS) {
        violations.push(Violation::new("additions", "SUBJECTS_INVALID").with("max", MAX_ADDITIONS));
        return Vec::new();
    }
    let mut parsed = Vec::with_capacity(additions.len());
    for (index, (addition, subject)) in additions.into_iter().zip(subjects).enumerate() {
        let path = format!("additions[{index}]");
        let note_count = addition.texts.len();
        if note_count > MAX_ADDED_NOTES {
            violations.push(Violation::new(format!("{path}.texts"), "TOO_MANY").with("max", MAX_ADDED_NOTES));
            continue;
        }
        let mut notes = Vec::with_capacity(note_count);
        for (number, note) in addition.texts.into_iter().enumerate() {
            notes.push(parse_text(&format!("{path}.texts[{number}]"), note, MAX_NOTE_CHARS, violations));
        }
        let labels = Content {
            tags: parse_labels(&format!("{path}.tags"), &addition.tags, MAX_LABELS, violations),
            setup: parse_optional_label(&format!("{path}.setup"), &addition.setup, violations),
            emotion: parse_optional_label(&format!("{path}.emotion"), &addition.emotion, violations),
            ..Content::default()
        };
        parsed.push((parse_subject(&path, subject, violations), Addition { labels, notes }));
    }
    let is_empty =
        |addition: &Addition| addition.labels == Content::default() && addition.notes.iter().all(String::is_empty);
    parsed.retain(|(_, addition)| !is_empty(addition));
    parsed
}

/// Returns true if there are 1 to `max` subjects, each once.
fn are_different<'a>(subjects: impl ExactSizeIterator<Item = &'a wire::Subject>, max: usize) -> bool {
    let mut seen = HashSet::new();
    (1..=max).contains(&subjects.len()) && subjects.into_iter().all(|subject| seen.insert((subject.kind, &subject.key)))
}

pub(super) fn parse_content(content: wire::Content, violations: &mut Violations) -> Content {
    let rating = match i16::try_from(content.rating) {
        Ok(0) => None,
        Ok(rating @ 1..=5) => Some(rating),
        Ok(_) | Err(_) => {
            violations.push(Violation::new("content.rating", "RATING_INVALID"));
            None
        }
    };
    let mut price = |field: &'static str, text: &str| {
        parse_optional(text, 4, MAX_AMOUNT_EXCLUSIVE).unwrap_or_else(|error| {
            violations.push(Violation::new(field, price_reason(error)));
            None
        })
    };
    let planned = Planned {
        entry: price("content.planned_entry", &content.planned_entry),
        stop: price("content.planned_stop", &content.planned_stop),
        target: price("content.planned_target", &content.planned_target),
        risk: price("content.planned_risk", &content.planned_risk),
    };
    Content {
        setup: parse_optional_label("content.setup", &content.setup, violations),
        tags: parse_labels("content.tags", &content.tags, MAX_LABELS, violations),
        mistakes: parse_labels("content.mistakes", &content.mistakes, MAX_LABELS, violations),
        emotion: parse_optional_label("content.emotion", &content.emotion, violations),
        emotion_after: parse_optional_label("content.emotion_after", &content.emotion_after, violations),
        rating,
        note: parse_text("content.note", content.note, MAX_NOTE_CHARS, violations),
        plan: parse_text("content.plan", content.plan, MAX_NOTE_CHARS, violations),
        planned,
        rules_kept: parse_rules("content.rules_kept", content.rules_kept, violations),
        rules_broken: parse_rules("content.rules_broken", content.rules_broken, violations),
        reviewed: content.reviewed,
    }
}

pub(super) fn parse_version(version: i64, violations: &mut Violations) -> i64 {
    if version < 0 {
        violations.push(Violation::new("version", "VERSION_INVALID"));
    }
    version
}

pub(super) fn parse_edit(edit: wire::Edit, violations: &mut Violations) -> Edit {
    if edit == wire::Edit::default() {
        violations.push(Violation::new("edit", "EDIT_EMPTY"));
    }
    let rating = edit.rating.map(|rating| i16::try_from(rating).unwrap_or(-1));
    if rating.is_some_and(|rating| !(0..=5).contains(&rating)) {
        violations.push(Violation::new("edit.rating", "RATING_INVALID"));
    }
    let mut labels = |path: &'static str, labels: &[String]| parse_labels(path, labels, MAX_LABELS, violations);
    let (add_tags, remove_tags) =
        (labels("edit.add_tags", &edit.add_tags), labels("edit.remove_tags", &edit.remove_tags));
    let (add_mistakes, remove_mistakes) =
        (labels("edit.add_mistakes", &edit.add_mistakes), labels("edit.remove_mistakes", &edit.remove_mistakes));
    Edit {
        add_tags,
        remove_tags,
        add_mistakes,
        remove_mistakes,
        setup: edit.setup.map(|setup| parse_optional_label("edit.setup", &setup, violations)),
        emotion: edit.emotion.map(|emotion| parse_optional_label("edit.emotion", &emotion, violations)),
        rating,
        reviewed: edit.reviewed,
    }
}

pub(super) fn parse_filter(filter: wire::Filter) -> Result<SearchFilter, Error> {
    let mut violations = Vec::new();
    let kind = parse_kind(filter.kind());
    if filter.text.chars().count() > MAX_SEARCH_CHARS {
        violations.push(Violation::new("filter.text", "TEXT_INVALID").with("max", MAX_SEARCH_CHARS));
    }
    // Every condition must be met, so `AND` between words means nothing.
    let texts = filter.text.split_whitespace().filter(|word| *word != "AND");
    let mut conditions: Vec<Condition> = texts.flat_map(tokenize).map(Condition::Word).collect();
    let tags = parse_labels("filter.tags", &filter.tags, MAX_FILTER_LABELS, &mut violations);
    conditions.extend(tags.into_iter().map(Condition::Tag));
    let mistakes = parse_labels("filter.mistakes", &filter.mistakes, MAX_FILTER_LABELS, &mut violations);
    conditions.extend(mistakes.into_iter().map(Condition::Mistake));
    let setup = parse_optional_label("filter.setup", &filter.setup, &mut violations);
    conditions.extend(Some(setup).filter(|setup| !setup.is_empty()).map(Condition::Setup));
    let emotion = parse_optional_label("filter.emotion", &filter.emotion, &mut violations);
    conditions.extend(Some(emotion).filter(|emotion| !emotion.is_empty()).map(Condition::Emotion));
    match i16::try_from(filter.rating) {
        Ok(0) => {}
        Ok(rating @ 1..=5) => conditions.push(Condition::Rating(rating)),
        Ok(_) | Err(_) => violations.push(Violation::new("filter.rating", "RATING_INVALID")),
    }
    let mut day = |field: &'static str, text: &str| {
        let day = parse_day(text);
        if day.is_none() && !text.is_empty() {
            violations.push(Violation::new(field, "DATE_INVALID"));
        }
        day
    };
    let (from, to) = (day("filter.from", &filter.from), day("filter.to", &filter.to));
    let filter = SearchFilter { kind, conditions, from, to, reviewed: filter.reviewed };
    if violations.is_empty() { Ok(filter) } else { Err(Error::Invalid(violations)) }
}

pub(super) fn parse_page_size(size: i32, default: i32, max: i32) -> Result<i64, Error> {
    // 0 is the default (AIP-158).
    match size {
        0 => Ok(default.into()),
        size if (1..=max).contains(&size) => Ok(size.into()),
        _ => Err(Violation::new("page_size", "INVALID").with("max", max).into()),
    }
}

/// Parses the page token of a search: day and id of the last entry.
pub(super) fn parse_cursor(token: &str) -> Result<Option<SearchCursor>, Error> {
    if token.is_empty() {
        return Ok(None);
    }
    let parse = || {
        let (day, entry_id) = token.split_once('_')?;
        Some(SearchCursor { day: parse_day(day)?, entry_id: entry_id.parse().ok()? })
    };
    parse().map(Some).ok_or_else(|| Violation::new("page_token", "INVALID").into())
}

pub(super) fn parse_playbook(playbook: wire::Playbook) -> Result<Playbook, Error> {
    let mut violations = Vec::new();
    let name = parse_name("playbook.name", &playbook.name, &mut violations);
    let description = parse_text("playbook.description", playbook.description, MAX_TEXT_CHARS, &mut violations);
    if playbook.rules.len() > MAX_RULES {
        violations.push(Violation::new("playbook.rules", "TOO_MANY").with("max", MAX_RULES));
    }
    let mut rules: Vec<Rule> = Vec::with_capacity(playbook.rules.len().min(MAX_RULES));
    for (index, rule) in playbook.rules.into_iter().take(MAX_RULES).enumerate() {
        let text = rule.text.trim().to_owned();
        if text.is_empty() || text.chars().count() > MAX_RULE_CHARS || text.chars().any(char::is_control) {
            let violation = Violation::new(format!("playbook.rules[{index}].text"), "TEXT_INVALID");
            violations.push(violation.with("max", MAX_RULE_CHARS));
        }
        if rule.id < 0 || rule.id > 0 && rules.iter().any(|earlier| earlier.id == rule.id) {
            violations.push(Violation::new(format!("playbook.rules[{index}].id"), "RULES_INVALID"));
        }
        rules.push(Rule { id: rule.id, text });
    }
    let version = parse_version(playbook.version, &mut violations);
    let created_at = OffsetDateTime::UNIX_EPOCH;
    let playbook = Playbook { playbook_id: playbook.id, name, description, rules, version, created_at };
    if violations.is_empty() { Ok(playbook) } else { Err(Error::Invalid(violations)) }
}

pub(super) fn parse_template(template: wire::Template) -> Result<Template, Error> {
    let mut violations = Vec::new();
    let template = Template {
        template_id: template.id,
        name: parse_name("template.name", &template.name, &mut violations),
        plan: parse_text("template.plan", template.plan, MAX_TEXT_CHARS, &mut violations),
        note: parse_text("template.note", template.note, MAX_TEXT_CHARS, &mut violations),
        version: parse_version(template.version, &mut violations),
    };
    if violations.is_empty() { Ok(template) } else { Err(Error::Invalid(violations)) }
}

/// Returns the label without a leading `#` and with single spaces; `None` if it is too long, or has control characters or
/// commas, which separate labels in a query.
fn parse_label_text(text: &str) -> Option<String> {
    let label = text.trim().trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join(" ");
    let is_forbidden = |c: char| c.is_control() || c == ',';
    let is_valid = label.chars().count() <= MAX_LABEL_CHARS && !label.chars().any(is_forbidden);
    is_valid.then_some(label)
}

fn parse_optional_label(path: &str, text: &str, violations: &mut Violations) -> String {
    parse_label_text(text).unwrap_or_else(|| {
        violations.push(Violation::new(path.to_owned(), "LABEL_INVALID").with("max", MAX_LABEL_CHARS));
        String::new()
    })
}

fn parse_name(path: &'static str, text: &str, violations: &mut Violations) -> String {
    let name = parse_label_text(text).unwrap_or_default();
    if name.is_empty() {
        violations.push(Violation::new(path.to_owned(), "LABEL_INVALID").with("max", MAX_LABEL_CHARS));
    }
    name
}

/// Parses labels; repeated ones count once.
fn parse_labels(path: &str, texts: &[String], max: usize, violations: &mut Violations) -> Vec<String> {
    if texts.len() > max {
        violations.push(Violation::new(path.to_owned(), "TOO_MANY").with("max", max));
        return Vec::new();
    }
    let mut labels = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match parse_label_text(text).filter(|label| !label.is_empty()) {
            Some(label) => add_labels(&mut labels, &[label]),
            None => {
                let violation = Violation::new(format!("{path}[{index}]"), "LABEL_INVALID");
                violations.push(violation.with("max", MAX_LABEL_CHARS));
            }
        }
    }
    labels
}

/// Parses a text of several lines.
fn parse_text(path: &str, text: String, max_chars: usize, violations: &mut Violations) -> String {
    let is_forbidden = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if text.chars().count() > max_chars || text.chars().any(is_forbidden) {
        violations.push(Violation::new(path.to_owned(), "TEXT_INVALID").with("max", max_chars));
    }
    text
}

fn parse_rules(path: &'static str, mut rules: Vec<i64>, violations: &mut Violations) -> Vec<i64> {
    if rules.len() > MAX_CHECKED_RULES || rules.iter().any(|rule| *rule < 1) {
        violations.push(Violation::new(path, "RULES_INVALID").with("max", MAX_CHECKED_RULES));
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Parses a positive number; an empty text is none.
fn parse_optional(text: &str, max_scale: u32, max_exclusive: Decimal) -> Result<Option<Decimal>, AmountError> {
    if text.is_empty() {
        return Ok(None);
    }
    let amount = parse_amount(text)?;
    if amount <= Decimal::ZERO || amount >= max_exclusive {
        return Err(AmountError::TooLarge);
    }
    if amount.normalize().scale() > max_scale {
        return Err(AmountError::TooPrecise);
    }
    Ok(Some(amount))
}

fn parse_day(text: &str) -> Option<Date> {
    // The format also accepts signs and years of six digits.
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
    Some(day).filter(|day| text.len() == 10 && DAYS.contains(day))
}
