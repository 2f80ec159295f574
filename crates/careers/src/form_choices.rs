//! Choices of the application form, with the labels that the site and the emails show. The site reads the same file.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Default, Deserialize)]
struct FormChoices {
    degrees: Vec<Choice>,
    roles: Vec<Choice>,
}

/// Choice of a form field.
#[derive(Deserialize)]
pub(crate) struct Choice {
    /// Value in requests and in the database.
    pub(crate) value: String,
    pub(crate) label: String,
}

/// Empty if the file is invalid; a test reads it.
static FORM_CHOICES: LazyLock<FormChoices> =
    LazyLock::new(|| serde_json::from_str(include_str!("../form-choices.json")).unwrap_or_default());

pub(crate) fn degrees() -> &'static [Choice] {
    &FORM_CHOICES.degrees
}

pub(crate) fn roles() -> &'static [Choice] {
    &FORM_CHOICES.roles
}

/// Returns the label of a value; values of earlier versions are their own labels.
pub(crate) fn label<'a>(choices: &'a [Choice], value: &'a str) -> &'a str {
    choices.iter().find(|choice| choice.value == value).map_or(value, |choice| &choice.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [3A-02] [3A-03] [C6]
    #[test]
    fn c6_every_choice_has_a_label() {
        let values =
            |choices: &'static [Choice]| choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>();
        assert_eq!(values(degrees()), ["btech", "be", "bsc", "mtech", "mca", "other"]);
        let roles_of_the_spec =
            ["frontend", "backend", "graphic", "marketing", "android", "fullstack", "contentwritter", "AIML"];
        assert_eq!(values(roles()), roles_of_the_spec);
        assert_eq!((label(degrees(), "btech"), label(roles(), "frontend")), ("B.Tech", "Frontend Internship"));
    }
}
