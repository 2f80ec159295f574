//! Reading what a client sends: every field is named, checked and used up, and all that is wrong is told at once.

use std::fmt;

use axum::RequestExt;
use axum::extract::{FromRequest, Request};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::problem::{FieldError, Problem};

/// The fields of a JSON object.
pub(crate) struct Input {
    fields: Map<String, Value>,
    errors: Vec<FieldError>,
}

impl Input {
    /// The text of a field that must be there. What is missing is remembered for [`Input::finish`].
    pub fn text(&mut self, name: &'static str) -> String {
        let error = match self.fields.remove(name) {
            Some(Value::String(text)) => return text,
            Some(Value::Null) | None => FieldError::new(name, "required", "This field is required."),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                FieldError::new(name, "not_text", "This field takes text.")
            }
        };
        self.errors.push(error);
        String::new()
    }

    /// The same for a text that is not empty and has at most so many characters.
    pub fn short(&mut self, name: &'static str, longest: usize) -> String {
        if self.fields.get(name).is_some_and(|value| value == "") {
            self.fields.remove(name);
        }
        let text = self.text(name);
        if text.chars().count() > longest {
            self.errors.push(FieldError::new(name, "too_long", "This field is too long."));
        }
        text
    }

    /// A text of at most so many characters that need not be there.
    pub fn optional(&mut self, name: &'static str, longest: usize) -> Option<String> {
        if !self.fields.contains_key(name) {
            return None;
        }
        let text = self.text(name);
        if text.chars().count() > longest {
            self.errors.push(FieldError::new(name, "too_long", "This field is too long."));
        }
        Some(text)
    }

    /// A yes that need not be said.
    pub fn flag(&mut self, name: &'static str) -> bool {
        match self.fields.remove(name) {
            Some(Value::Bool(flag)) => flag,
            None => false,
            Some(Value::Null | Value::String(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.errors.push(FieldError::new(name, "not_a_flag", "This field takes true or false."));
                false
            }
        }
    }

    /// Refuses when a field was missing or wrong, or one is left over.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.errors.extend(self.fields.into_iter().map(|(name, _)| unknown(name)));
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::fields(self.errors)) }
    }
}

/// The field is none of ours.
pub(crate) fn unknown(name: String) -> FieldError {
    // As long as it takes to recognise it.
    let name: String = name.chars().take(64).collect();
    FieldError { field: name.into(), code: "unknown".into(), message: "There is no such field.".into() }
}

impl<S: Send + Sync> FromRequest<S> for Input {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        if !is_json(request.headers()) {
            return Err(unsupported());
        }
        let body = request.into_limited_body().collect().await.map_err(|error| Problem::of_body(&error))?.to_bytes();
        match serde_json::from_slice(&body) {
            Ok(Fields(fields)) => Ok(Self { fields, errors: Vec::new() }),
            Err(error) if error.is_data() => {
                let detail = "The body must be a JSON object that names each field once.";
                Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail))
            }
            Err(_) => Err(Problem::malformed("The body is not JSON.")),
        }
    }
}

/// A JSON object in which no name stands twice: of two, whoever reads it next might take the other one.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Once)
    }
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Fields;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Fields, A::Error> {
        let mut fields = Map::new();
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a field twice"));
            }
        }
        Ok(Fields(fields))
    }
}

/// A request that changes something and needs no body. A page of another site can send a form without asking first;
/// it cannot send JSON.
pub(crate) struct NoBody;

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for NoBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut http::request::Parts, _: &S) -> Result<Self, Self::Rejection> {
        if parts.headers.contains_key(CONTENT_TYPE) && !is_json(&parts.headers) {
            return Err(unsupported());
        }
        Ok(Self)
    }
}

/// Whether the body says that it is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// The body is something else.
pub(crate) fn unsupported() -> Problem {
    Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}
