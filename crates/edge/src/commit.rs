//! What a form says of a preview that is to be imported.

use std::collections::HashMap;

use rpc::trades::v1::{Choice, CommitPreviewRequest, Resolution};

use crate::problem::FieldError;
use crate::words;

/// What the form says so far.
#[derive(Default)]
pub(crate) struct Commit {
    preview_id: Option<String>,
    state: Option<String>,
    choices: Option<Vec<Choice>>,
    others: Option<Resolution>,
}

impl Commit {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        let Self { preview_id, state, choices, others } = self;
        preview_id.is_none() && state.is_none() && choices.is_none() && others.is_none()
    }

    /// Whether the preview was named.
    pub fn has_id(&self) -> bool {
        self.preview_id.is_some()
    }

    /// One field of the form.
    pub fn take(&mut self, field: &str, text: String, errors: &mut Vec<FieldError>) {
        let repeated = |field| FieldError::new(field, "repeated", "This field was sent more than once.");
        match field {
            "previewId" => errors.extend(self.preview_id.replace(text).map(|_| repeated("previewId"))),
            "state" => errors.extend(self.state.replace(text).map(|_| repeated("state"))),
            "others" => match words::resolution(&text) {
                Some(resolution) => errors.extend(self.others.replace(resolution).map(|_| repeated("others"))),
                None => errors.push(FieldError::new("others", "invalid", "Say keep or take.")),
            },
            _ => match choices(&text) {
                Some(choices) => errors.extend(self.choices.replace(choices).map(|_| repeated("choices"))),
                None => {
                    let message = "Say a JSON object from the ids of conflicts to keep or take.";
                    errors.push(FieldError::new("choices", "invalid", message));
                }
            },
        }
    }

    /// The request to the core.
    pub fn request(self) -> CommitPreviewRequest {
        CommitPreviewRequest {
            preview_id: self.preview_id.unwrap_or_default(),
            state: self.state.unwrap_or_default(),
            choices: self.choices.unwrap_or_default(),
            others: self.others.unwrap_or_default().into(),
        }
    }
}

fn choices(text: &str) -> Option<Vec<Choice>> {
    let named: HashMap<String, String> = serde_json::from_str(text).ok()?;
    let choice = |(id, word): (String, String)| {
        let trade_id = id.parse().ok().filter(|number: &i64| *number > 0 && number.to_string() == id)?;
        Some(Choice { trade_id, resolution: words::resolution(&word)?.into() })
    };
    named.into_iter().map(choice).collect()
}
