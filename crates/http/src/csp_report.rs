//! `POST /api/csp-report`: logs the policy violations that browsers report.

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use http::{HeaderMap, StatusCode, Uri};
use serde::Deserialize;

use crate::json_body::has_content_type;
use crate::problem::Problem;

/// Maximum length of each logged part of a report.
const MAX_LOGGED_CHARS: usize = 100;

/// Returns the route.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/api/csp-report", post(log_violation))
}

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "csp-report")]
    violation: Violation,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Violation {
    effective_directive: String,
    violated_directive: String,
    blocked_uri: String,
    disposition: String,
}

async fn log_violation(headers: HeaderMap, body: Bytes) -> Result<StatusCode, Problem> {
    if !has_content_type(&headers, "application/csp-report") {
        return Err(Problem::unsupported_media_type());
    }
    let Report { violation } =
        serde_json::from_slice(&body).map_err(|_| Problem::malformed("The body is not a report."))?;
    let directive = if violation.effective_directive.is_empty() {
        violation.violated_directive
    } else {
        violation.effective_directive
    };
    let blocked = blocked_host(&violation.blocked_uri);
    tracing::warn!(
        directive = truncate(&directive),
        blocked,
        disposition = truncate(&violation.disposition),
        "a page was held back"
    );
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the origin of an address, or a keyword such as `inline`. Paths and queries may contain secrets.
fn blocked_host(blocked: &str) -> String {
    let uri = blocked.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.host()?)));
    match host {
        Some((scheme, host)) => truncate(&format!("{scheme}://{host}")),
        None => truncate(blocked.split([':', '/', '?', '#']).next().unwrap_or_default()),
    }
}

fn truncate(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_LOGGED_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::blocked_host;

    #[test]
    fn logs_neither_path_nor_query() {
        for (blocked, logged) in [
            ("inline", "inline"),
            ("https://evil.example/a?token=secret#b", "https://evil.example"),
            ("https://user:secret@evil.example/a", "https://evil.example"),
            ("data", "data"),
            ("data:text/html,secret", "data"),
            ("/application/secret", ""),
            ("in\r\nline", "inline"),
        ] {
            assert_eq!(blocked_host(blocked), logged, "{blocked}");
        }
    }
}
