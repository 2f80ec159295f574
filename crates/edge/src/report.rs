//! `POST /api/csp-report`: what browsers say about pages of ours that tried what their policy forbids.

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode, Uri};
use serde::Deserialize;

use crate::Shared;
use crate::problem::Problem;

/// Characters of what is logged of each part.
const LONGEST: usize = 100;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/csp-report", post(take))
}

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "csp-report")]
    report: Broken,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[derive(Default)]
struct Broken {
    effective_directive: String,
    violated_directive: String,
    blocked_uri: String,
    disposition: String,
}

async fn take(headers: HeaderMap, body: Bytes) -> Result<StatusCode, Problem> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/csp-report")) {
        return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let Report { report } =
        serde_json::from_slice(&body).map_err(|_| Problem::malformed("The body is not a report."))?;
    let directive =
        if report.effective_directive.is_empty() { report.violated_directive } else { report.effective_directive };
    let blocked = place(&report.blocked_uri);
    tracing::warn!(
        directive = cut(&directive),
        blocked,
        disposition = cut(&report.disposition),
        "a page was held back"
    );
    Ok(StatusCode::NO_CONTENT)
}

/// The host of an address, or a word such as `inline`. Paths and queries may hold what a log must not.
fn place(blocked: &str) -> String {
    let uri = blocked.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.host()?)));
    match host {
        Some((scheme, host)) => cut(&format!("{scheme}://{host}")),
        None => cut(blocked.split([':', '/', '?', '#']).next().unwrap_or_default()),
    }
}

fn cut(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_log_line_holds_no_path_and_no_query() {
        for (blocked, logged) in [
            ("inline", "inline"),
            ("https://evil.example/a?token=secret#b", "https://evil.example"),
            ("https://user:secret@evil.example/a", "https://evil.example"),
            ("data", "data"),
            ("data:text/html,secret", "data"),
            ("/application/secret", ""),
            ("in\r\nline", "inline"),
        ] {
            assert_eq!(place(blocked), logged, "{blocked}");
        }
    }
}
