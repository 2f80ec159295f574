//! JSON bodies with text fields. All errors of the fields are reported at once.

use std::fmt;

use axum::RequestExt;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::problem::{FieldError, Problem};

/// Fields of the JSON object in a request's body. Each method takes a field and records its errors for
/// [`JsonBody::finish`].
pub struct JsonBody {
    fields: Map<String, Value>,
    errors: Vec<FieldError>,
}

impl JsonBody {
    /// Takes a required text; returns an empty one if it is missing or not a text.
    pub fn text(&mut self, name: &'static str) -> String {
        let error = match self.fields.remove(name) {
            Some(Value::String(text)) => return text,
            Some(Value::Null) | None => FieldError::required(name),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                FieldError::new(name, "not_text", "This field takes text.")
            }
        };
        self.errors.push(error);
        String::new()
    }

    /// Takes a required text that has 1 to `max_chars` characters.
    pub fn non_empty_text(&mut self, name: &'static str, max_chars: usize) -> String {
        if self.fields.get(name).is_some_and(|value| value == "") {
            self.fields.remove(name);
        }
        let text = self.text(name);
        self.check_length(name, &text, max_chars);
        text
    }

    /// Takes an optional text of at most `max_chars` characters.
    pub fn optional_text(&mut self, name: &'static str, max_chars: usize) -> Option<String> {
        if !self.fields.contains_key(name) {
            return None;
        }
        let text = self.text(name);
        self.check_length(name, &text, max_chars);
        Some(text)
    }

    fn check_length(&mut self, name: &'static str, text: &str, max_chars: usize) {
        if text.chars().count() > max_chars {
            self.errors.push(FieldError::new(name, "too_long", "This field is too long."));
        }
    }

    /// Takes an optional boolean; defaults to false.
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

    /// Rejects the request if a field was missing, invalid or not taken.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.errors.extend(self.fields.into_iter().map(|(name, _)| FieldError::unknown(&name)));
        Problem::reject_any(self.errors)
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        let UniqueFields(fields) = read_json_object(request).await?;
        Ok(Self { fields, errors: Vec::new() })
    }
}

/// Reads and parses the body of `request`, which must be a JSON object.
pub(crate) async fn read_json_object<T: for<'de> Deserialize<'de>>(request: Request) -> Result<T, Problem> {
    if !is_json(request.headers()) {
        return Err(Problem::unsupported_media_type());
    }
    let body = request.into_limited_body().collect().await;
    let body = body.map_err(|error| Problem::from_body_error(&error))?.to_bytes();
    serde_json::from_slice(&body).map_err(|error| if error.is_data() { not_an_object() } else { not_json() })
}

/// Rejects a body that is not JSON.
pub fn not_json() -> Problem {
    Problem::malformed("The body is not JSON.")
}

/// Rejects a JSON body that is not an object with unique names.
pub fn not_an_object() -> Problem {
    let detail = "The body must be a JSON object that names each field once.";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail)
}

/// JSON object without repeated names: two parsers might disagree on which of two values counts.
struct UniqueFields(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = UniqueFields;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<UniqueFields, A::Error> {
        let mut fields = Map::new();
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a repeated field"));
            }
        }
        Ok(UniqueFields(fields))
    }
}

/// Rejects requests with a body of a form. For operations that change something and have no body: pages of other sites
/// can send forms without a CORS preflight, but no JSON.
pub struct NoBody;

impl<S: Send + Sync> FromRequestParts<S> for NoBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        if parts.headers.contains_key(CONTENT_TYPE) && !is_json(&parts.headers) {
            return Err(Problem::unsupported_media_type());
        }
        Ok(Self)
    }
}

/// Returns true if the content type is JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    has_content_type(headers, "application/json")
}

/// Returns true if the content type, without parameters, is `expected`.
pub(crate) fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}
