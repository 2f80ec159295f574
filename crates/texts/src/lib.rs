//! Texts for people, selected by the codes that the core returns.
//!
//! The core returns reason codes, field paths and values only. The edge and the terminal commands look up the sentence
//! here. Each language is one file; `en.json` is the first.
//!
//! A text may contain the values of parameters: `{max_chars}`, and other texts: `{broker:code}` is the text with the key
//! `broker.` and the value of the parameter `code`. A text that depends on a number has two forms, selected by the parameter
//! `count`: `{"one": "1 trade was added.", "other": "{count} trades were added."}`. Two kinds format a decimal:
//! `{number:max}` is 10,00,000 and `{rupees:gross}` is ₹1,23,456.50. The kind `{date:day}` is 5 Mar 2026.

mod format;

pub use format::number as format_number;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[expect(clippy::expect_used, reason = "the file is part of the program, and the tests parse it")]
static ENGLISH: LazyLock<Language> =
    LazyLock::new(|| serde_json::from_str(include_str!("../en.json")).expect("en.json is valid"));

/// Values of a text's parameters, by name.
pub type Params = HashMap<String, String>;

/// Sections of a language by service. `common` holds the texts that several services use.
#[derive(Deserialize)]
#[serde(transparent)]
struct Language(HashMap<String, Section>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    /// Texts of errors by reason code.
    errors: HashMap<String, Text>,
    /// Texts of field errors by `path.REASON`, or by the reason code alone.
    fields: HashMap<String, Text>,
    /// Texts in responses, by `kind.CODE`.
    other: HashMap<String, Text>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Fixed(String),
    Counted { one: String, other: String },
}

impl Language {
    /// Finds the text of the first of `keys` that the section of `service` or the common section has.
    fn find(&self, service: &str, part: fn(&Section) -> &HashMap<String, Text>, keys: &[&str]) -> Option<&Text> {
        let in_sections = |key| [service, "common"].iter().find_map(|name| part(self.0.get(*name)?).get(key));
        keys.iter().copied().find_map(in_sections)
    }
}

impl Text {
    /// Returns the text with the values of its placeholders. `other_text` returns the text of a key.
    fn render(&self, params: &Params, other_text: &dyn Fn(&str) -> Option<String>) -> String {
        let template = match self {
            Self::Fixed(text) => text,
            Self::Counted { one, .. } if params.get("count").is_some_and(|count| count == "1") => one,
            Self::Counted { other, .. } => other,
        };
        let mut text = String::with_capacity(template.len());
        let mut rest = template.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            text.push_str(before);
            let value = match name.split_once(':') {
                Some(("number", name)) => params.get(name).map(|value| format::number(value)),
                Some(("rupees", name)) => params.get(name).map(|value| format::rupees(value)),
                Some(("date", name)) => params.get(name).map(|value| format::date(value)),
                Some((kind, name)) => params.get(name).and_then(|code| other_text(&format!("{kind}.{code}"))),
                None => params.get(name).cloned(),
            };
            // A missing value is a fault of the service; the rest of the sentence still helps.
            text.push_str(value.as_deref().unwrap_or("…"));
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

/// Returns the text of an error of `service`. A reason may have several texts, selected by the parameter `cause`; their keys
/// are `REASON.CAUSE`.
pub fn error(service: &str, reason: &str, params: &Params) -> Option<String> {
    let with_cause = params.get("cause").map(|cause| format!("{reason}.{cause}")).unwrap_or_default();
    let text = ENGLISH.find(service, |section| &section.errors, &[&with_cause, reason])?;
    Some(text.render(params, &|key| self::text(service, key, params)))
}

/// Returns the text of an invalid field; `path` is its path in the request message, with `[]` for any index of a list.
/// A reason without a text for fields has its text for errors.
///
/// Values of the field's text are parameters named `path:name`; they are found as `{name}`.
pub fn field_error(service: &str, path: &str, reason: &str, params: &Params) -> Option<String> {
    let general = without_indexes(path);
    let name = general.rsplit('.').next().unwrap_or_default();
    let keys = [format!("{general}.{reason}"), format!("{name}.{reason}"), reason.to_owned()];
    let text =
        ENGLISH.find(service, |section| &section.fields, &keys.each_ref().map(String::as_str)).or_else(|| {
            // The error `INVALID` is about the request as a whole.
            let reasons: &[&str] = if reason == "INVALID" { &[] } else { &[reason] };
            ENGLISH.find(service, |section| &section.errors, reasons)
        })?;
    let own =
        |(key, value): (&String, &String)| Some((key.strip_prefix(path)?.strip_prefix(':')?.to_owned(), value.clone()));
    let params = params.iter().filter_map(own).collect();
    Some(text.render(&params, &|key| self::text(service, key, &params)))
}

/// Returns a text of a response of `service`, such as the explanation of a code. `key` is `kind.CODE`.
pub fn text(service: &str, key: &str, params: &Params) -> Option<String> {
    let text = ENGLISH.find(service, |section| &section.other, &[key])?;
    Some(text.render(params, &|key| self::text(service, key, params)))
}

/// Replaces the indexes of lists: `trades[3].price` becomes `trades[].price`.
fn without_indexes(path: &str) -> String {
    let mut general = String::with_capacity(path.len());
    let mut in_index = false;
    for c in path.chars() {
        match c {
            '[' => in_index = true,
            ']' => in_index = false,
            _ if in_index => continue,
            _ => {}
        }
        general.push(c);
    }
    general
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(values: &[(&str, &str)]) -> Params {
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_text_has_complete_placeholders_and_no_double_spaces() {
        for (service, section) in &ENGLISH.0 {
            for (key, text) in section.errors.iter().chain(&section.fields).chain(&section.other) {
                let forms = match text {
                    Text::Fixed(text) => vec![text],
                    Text::Counted { one, other } => vec![one, other],
                };
                for form in forms {
                    assert_eq!(form.matches('{').count(), form.matches('}').count(), "{service} {key}");
                    assert!(!form.is_empty() && !form.contains("  ") && form.trim() == form, "{service} {key}");
                }
            }
        }
    }

    #[test]
    fn a_common_text_of_a_field_precedes_the_general_text_of_a_service() {
        for (field, text) in [
            ("broker", "Say a broker, such as zerodha or 5paisa."),
            ("tradetype", "Say equity or fno."),
            ("cursor", "Say the nextCursor of the page before."),
            ("from", "Say a day such as 2026-03-31."),
            ("unknown", "This value is invalid."),
        ] {
            assert_eq!(field_error("edge", field, "INVALID", &Params::new()).as_deref(), Some(text), "{field}");
        }
    }

    #[test]
    fn a_text_contains_its_values_and_the_form_for_the_count() {
        let text = Text::Counted { one: "1 trade of {day}.".to_owned(), other: "{count} trades of {day}.".to_owned() };
        assert_eq!(text.render(&params(&[("count", "1"), ("day", "Monday")]), &|_| None), "1 trade of Monday.");
        assert_eq!(text.render(&params(&[("count", "2"), ("day", "Monday")]), &|_| None), "2 trades of Monday.");
        assert_eq!(text.render(&params(&[("count", "2")]), &|_| None), "2 trades of ….");
    }

    #[test]
    fn a_text_contains_the_texts_of_its_codes() {
        let text = Text::Fixed("Row {row}: {issue:code}".to_owned());
        let issue = |key: &str| (key == "issue.LATE").then(|| "Too late.".to_owned());
        assert_eq!(text.render(&params(&[("row", "2"), ("code", "LATE")]), &issue), "Row 2: Too late.");
        assert_eq!(text.render(&params(&[("row", "2"), ("code", "MOON")]), &issue), "Row 2: …");
    }

    #[test]
    fn a_text_contains_formatted_numbers() {
        let text = Text::Fixed("{number:max}, {rupees:net}".to_owned());
        assert_eq!(text.render(&params(&[("max", "1000"), ("net", "-5")]), &|_| None), "1,000, −₹5.00");
    }

    #[test]
    fn a_text_of_all_services_is_found_for_each_and_an_unknown_code_has_none() {
        assert_eq!(error("auth", "INTERNAL", &Params::new()).unwrap(), "Something went wrong on our side.");
        assert_eq!(error("auth", "MOON", &Params::new()), None);
        assert_eq!(field_error("auth", "email", "MOON", &Params::new()), None);
        assert_eq!(text("auth", "moon.MOON", &Params::new()), None);
    }

    #[test]
    fn a_field_error_without_a_text_for_fields_has_the_text_for_errors() {
        let text = error("auth", "EMAIL_TAKEN", &Params::new());
        assert!(text.is_some());
        assert_eq!(field_error("auth", "email", "EMAIL_TAKEN", &Params::new()), text);
        assert_eq!(field_error("auth", "moon", "INVALID", &Params::new()), None);
    }

    #[test]
    fn the_indexes_of_lists_do_not_matter() {
        assert_eq!(without_indexes("trades[12].price"), "trades[].price");
        assert_eq!(without_indexes("price"), "price");
    }
}
