//! Form fields that commit a preview.

use std::collections::HashMap;

use http_server::problem::FieldError;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Choice, CommitPreviewRequest, Resolution};

use crate::error_texts::invalid_field;

/// Fields that have been read.
#[derive(Default)]
pub(crate) struct CommitForm {
    preview_id: Option<String>,
    state: Option<String>,
    choices: Option<Vec<Choice>>,
    others: Option<Resolution>,
}

impl CommitForm {
    /// Returns true if no field was sent.
    pub fn is_empty(&self) -> bool {
        let Self { preview_id, state, choices, others } = self;
        preview_id.is_none() && state.is_none() && choices.is_none() && others.is_none()
    }

    /// Returns true if the id of the preview was sent.
    pub fn has_id(&self) -> bool {
        self.preview_id.is_some()
    }

    /// Reads one field, and adds its errors to `errors`.
    pub fn read_field(&mut self, field: &str, text: String, errors: &mut Vec<FieldError>) {
        match field {
            "previewId" => errors.extend(self.preview_id.replace(text).map(|_| FieldError::repeated("previewId"))),
            "state" => errors.extend(self.state.replace(text).map(|_| FieldError::repeated("state"))),
            "others" => match Resolution::from_json_name(&text) {
                Some(resolution) => {
                    errors.extend(self.others.replace(resolution).map(|_| FieldError::repeated("others")));
                }
                None => errors.push(invalid_field("edge", "others")),
            },
            _ => match parse_choices(&text) {
                Some(choices) => errors.extend(self.choices.replace(choices).map(|_| FieldError::repeated("choices"))),
                None => errors.push(invalid_field("edge", "choices")),
            },
        }
    }

    /// Converts the fields to the request; `broker_account` is the selected account, or 0.
    pub fn into_request(self, broker_account: u32) -> CommitPreviewRequest {
        CommitPreviewRequest {
            preview_id: self.preview_id.unwrap_or_default(),
            state: self.state.unwrap_or_default(),
            choices: self.choices.unwrap_or_default(),
            default_resolution: self.others.unwrap_or_default().into(),
            broker_account,
        }
    }
}

/// Parses a JSON object from trade ids to the names of resolutions.
fn parse_choices(text: &str) -> Option<Vec<Choice>> {
    let choices: HashMap<String, String> = serde_json::from_str(text).ok()?;
    let parse_choice = |(id, name): (String, String)| {
        let trade_id = id.parse().ok().filter(|trade_id: &i64| *trade_id > 0 && trade_id.to_string() == id)?;
        Some(Choice { trade_id, resolution: Resolution::from_json_name(&name)?.into() })
    };
    choices.into_iter().map(parse_choice).collect()
}
