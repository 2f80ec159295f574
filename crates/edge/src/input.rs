//! Reading what a client sends: every field is named, checked and used up, and all that is wrong is told at once.

use axum::RequestExt;
use axum::extract::{FromRequest, Request};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
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
        let value = serde_json::from_slice(&body).map_err(|_| Problem::malformed("The body is not JSON."))?;
        match value {
            Value::Object(fields) => Ok(Self { fields, errors: Vec::new() }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let detail = "The body must be a JSON object.";
                Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail))
            }
        }
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

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn unsupported() -> Problem {
    Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}
