//! What a change of the trades is answered with: the client record after it, or what changed alone.

use axum::body::Body;
use axum::response::Response;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use rpc::auth::v1::GetAccountResponse;
use rpc::trades::v1::TradesHead;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Shared;
use crate::auth::Trader;
use crate::imports::Import;
use crate::problem::{FieldError, Problem};
use crate::record;
use crate::trades::{json, list};

/// Characters of an `Idempotency-Key`.
const LONGEST_KEY: usize = 64;

/// What stands beside the client in the answer to a change.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Outcome {
    Import {
        import: Box<Import>,
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

/// What a replace did.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub change_id: String,
    pub added: i64,
    pub removed: i64,
}

/// How a change is asked for.
pub(crate) struct Asked {
    /// Only what changed is wanted.
    pub minimal: bool,
    /// Empty: none.
    pub key: String,
}

impl Asked {
    pub fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        Ok(Self { minimal: prefers_minimal(headers), key: key(headers)? })
    }
}

/// A change that is stored, on its way to the client.
pub(crate) struct Changed<'a> {
    pub account: &'a GetAccountResponse,
    pub head: TradesHead,
    /// An earlier request with this key did it.
    pub replayed: bool,
    pub outcome: Outcome,
}

impl Changed<'_> {
    /// Whatever fails from here on may only shorten the answer: the change is stored by now.
    pub async fn answer(&self, app: &Shared, trader: &Trader, asked: &Asked) -> Result<Response, Problem> {
        let mut response = self.body(app, trader, asked.minimal).await?;
        let headers = response.headers_mut();
        if asked.minimal {
            headers.insert(HeaderName::from_static("preference-applied"), HeaderValue::from_static("return=minimal"));
        }
        if self.replayed {
            headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
        }
        Ok(response)
    }

    async fn body(&self, app: &Shared, trader: &Trader, minimal: bool) -> Result<Response, Problem> {
        if !minimal && let Ok((head, pages)) = list(app, trader, None).await {
            // The whole record holds the new trade already.
            let beside = Some(&self.outcome).filter(|outcome| !matches!(outcome, Outcome::Entry { .. }));
            let top = record::minimal(self.account, &head, None, beside)?;
            return Ok(json(record::streamed(top, pages, app.settings.times.core)));
        }
        Ok(json(Body::from(record::minimal(self.account, &self.head, None, Some(&self.outcome))?)))
    }
}

/// RFC 7240: preferences are separated by commas, and what is not known is left alone.
fn prefers_minimal(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        name.trim().eq_ignore_ascii_case("return") && value.trim().trim_matches('"').eq_ignore_ascii_case("minimal")
    })
}

/// The key by which the core knows a request again.
pub(crate) fn key(headers: &HeaderMap) -> Result<String, Problem> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(String::new()) };
    let sane = |key: &&str| (1..=LONGEST_KEY).contains(&key.len()) && !key.contains(char::is_control);
    match key.to_str().ok().filter(sane) {
        Some(key) if keys.next().is_none() => Ok(key.to_owned()),
        Some(_) | None => {
            let message = "Say one key of 1 to 64 printable ASCII characters.";
            Err(Problem::fields(vec![FieldError::new("Idempotency-Key", "invalid", message)]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_found_among_others() {
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

    #[test]
    fn a_key_is_short_printable_and_one() {
        let check = |keys: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for key in keys {
                headers.append("idempotency-key", HeaderValue::from_bytes(key).unwrap());
            }
            key(&headers).ok()
        };
        assert_eq!(check(&[]).as_deref(), Some(""));
        assert_eq!(check(&[b"a b-1"]).as_deref(), Some("a b-1"));
        assert_eq!(check(&[&[b'k'; 64]]).map(|key| key.len()), Some(64));
        for wrong in [&[&[b'k'; 65][..]][..], &[b""], &[b"a\tb"], &["\u{e9}".as_bytes()], &[b"a", b"a"]] {
            assert_eq!(check(wrong), None, "{wrong:?}");
        }
    }
}
