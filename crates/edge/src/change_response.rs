//! Responses to changes of the trades: the client record after the change, or only the outcome of the change.

use axum::body::Body;
use axum::response::Response;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use http_server::problem::Problem;
use rpc::auth::v1::GetAccountResponse;
use rpc::trades::v1::TradesHead;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::caller::Trader;
use crate::client_record::{record_head, stream_record, stream_trades};
use crate::idempotency::{mark_replayed, read_idempotency_key};
use crate::json::json_response;
use crate::state::Shared;

/// Outcome of a change; its members are added to the client record.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Outcome {
    Import {
        import: Box<RawValue>,
    },
    Replacement {
        replacement: Replacement,
    },
    #[serde(rename_all = "camelCase")]
    Entry {
        trade: Option<Box<RawValue>>,
        change_id: String,
    },
}

/// Outcome of replacing the trades of a book.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub change_id: String,
    pub added: i64,
    pub removed: i64,
}

/// Headers of a request that changes trades.
pub(crate) struct ChangeHeaders {
    /// The client prefers the outcome without the client record (`Prefer: return=minimal`).
    pub prefers_minimal: bool,
    /// Empty if there is none.
    pub idempotency_key: String,
}

impl ChangeHeaders {
    pub fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        Ok(Self { prefers_minimal: prefers_minimal(headers), idempotency_key: read_idempotency_key(headers)? })
    }
}

/// Stored change, to be sent to the client.
pub(crate) struct ChangeResponse<'a> {
    pub account: &'a GetAccountResponse,
    pub head: TradesHead,
    /// An earlier request with the same key made the change.
    pub replayed: bool,
    pub outcome: Outcome,
}

impl ChangeResponse<'_> {
    /// Creates the response. An error from here on may only shorten it, because the change is stored already.
    pub async fn respond(&self, app: &Shared, trader: &Trader, request: &ChangeHeaders) -> Result<Response, Problem> {
        let mut response = self.respond_with_record(app, trader, request.prefers_minimal).await?;
        let headers = response.headers_mut();
        if request.prefers_minimal {
            headers.insert(HeaderName::from_static("preference-applied"), HeaderValue::from_static("return=minimal"));
        }
        if self.replayed {
            mark_replayed(headers);
        }
        Ok(response)
    }

    async fn respond_with_record(&self, app: &Shared, trader: &Trader, minimal: bool) -> Result<Response, Problem> {
        if !minimal && let Ok((head, pages)) = stream_trades(app, trader, None).await {
            // The record contains a new trade already.
            let outcome = Some(&self.outcome).filter(|outcome| !matches!(outcome, Outcome::Entry { .. }));
            let record = record_head(self.account, &head, None, outcome)?;
            return Ok(json_response(stream_record(record, pages, app.settings.core_timeouts.call)));
        }
        Ok(json_response(Body::from(record_head(self.account, &self.head, None, Some(&self.outcome))?)))
    }
}

/// Returns true if the request has the preference `return=minimal` (RFC 7240). Ignores other preferences.
fn prefers_minimal(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        name.trim().eq_ignore_ascii_case("return") && value.trim().trim_matches('"').eq_ignore_ascii_case("minimal")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_minimal_preference_among_others() {
        let check = |line: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", HeaderValue::from_static(line));
            prefers_minimal(&headers)
        };
        assert!(check("return=minimal"));
        assert!(check("respond-async, Return=\"minimal\"; x=y"));
        assert!(!check("return=representation"));
        assert!(!check("minimal"));
    }
}
