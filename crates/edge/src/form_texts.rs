//! Text fields of a multipart form beside its file. Fields come in any order and at most once each.

use std::collections::BTreeMap;

use http_server::multipart::Part;
use http_server::problem::{FieldError, Problem};

use crate::error_texts::field_text;

/// Text fields that have been read, and the errors of the form.
#[derive(Default)]
pub(crate) struct FormTexts {
    texts: BTreeMap<&'static str, String>,
    pub errors: Vec<FieldError>,
}

impl FormTexts {
    /// Reads a field whose name must be in `names`. A field above `max_bytes` is an error.
    pub async fn read(&mut self, part: Part<'_>, names: &[&'static str], max_bytes: usize) -> Result<(), Problem> {
        let Some(name) = names.iter().copied().find(|name| *name == part.name()) else {
            self.errors.push(FieldError::unknown(part.name()));
            return Ok(());
        };
        match part.text(max_bytes).await? {
            Some(text) => {
                if self.texts.insert(name, text).is_some() {
                    self.errors.push(FieldError::repeated(name));
                }
            }
            None => self.errors.push(FieldError::new(name, "too_long", field_text("edge", name, "TOO_LONG", &[]))),
        }
        Ok(())
    }

    /// Returns a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Takes a field; empty if it was not sent.
    pub fn take(&mut self, name: &str) -> String {
        self.texts.remove(name).unwrap_or_default()
    }
}
