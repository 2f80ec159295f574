//! Entity tags of client records.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use rpc::auth::v1::GetAccountResponse;
use sha2::{Digest, Sha256};

use crate::json::to_hex;

/// Entity tag of a client record: version of the trade log, and hash of the query and the account data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Etag {
    pub version: i64,
    /// First 16 hexadecimal digits of a SHA-256 hash.
    pub hash: String,
}

impl Etag {
    pub fn new(version: i64, query: &str, account: &GetAccountResponse) -> Self {
        let mut digest = Sha256::new();
        for text in [query, &account.account_id, &account.client_id, &account.name, &account.email, &account.phone] {
            digest.update(text.len().to_be_bytes());
            digest.update(text);
        }
        let mut hash = to_hex(digest.finalize());
        hash.truncate(16);
        Self { version, hash }
    }

    /// Returns the first valid tag of the `If-None-Match` headers.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let tags = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        tags.flat_map(|value| value.split(',')).find_map(|tag| {
            let tag = tag.trim().trim_start_matches("W/").strip_prefix('"')?.strip_suffix('"')?;
            let (version, hash) = tag.split_once('-')?;
            Some(Self { version: version.parse().ok()?, hash: hash.to_owned() })
        })
    }

    /// Adds the tag and the caching headers. The tag is weak, because it is the same for all encodings of the record.
    pub fn add_to(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        if let Ok(etag) = HeaderValue::from_str(&format!("W/\"{}-{}\"", self.version, self.hash)) {
            headers.insert(ETAG, etag);
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.append(VARY, HeaderValue::from_static("authorization, accept-encoding"));
        response
    }

    /// Returns a 304 response with the tag.
    pub fn not_modified(&self) -> Response {
        self.add_to(StatusCode::NOT_MODIFIED.into_response())
    }
}
