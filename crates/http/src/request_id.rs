//! Request ids.

use std::sync::Arc;

use http::HeaderMap;
use http::header::HeaderName;
use uuid::Uuid;

/// Name of the request id header, in requests and responses.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Id of a request in logs, in calls to other services and in the response.
#[derive(Clone, Debug)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Returns the client's id if it is safe to log (8 to 64 characters of `A-Za-z0-9-_.`), otherwise a new one.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let is_safe = |text: &&str| {
            (8..=64).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(is_safe);
        Self(given.map_or_else(|| Uuid::new_v4().to_string().into(), Arc::from))
    }

    /// Returns the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id as URI reference, for the member `instance` of a problem.
    pub fn to_instance(&self) -> String {
        match Uuid::try_parse(&self.0) {
            Ok(id) => id.urn().to_string(),
            Err(_) => format!("/requests/{}", self.0),
        }
    }
}
