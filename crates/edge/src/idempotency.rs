//! Idempotency keys of requests (`Idempotency-Key`).

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use http_server::problem::{FieldError, Problem};

use crate::error_texts::field_text;

/// Maximum length of an `Idempotency-Key`.
const MAX_KEY_CHARS: usize = 64;

/// Returns the key by which the core recognises a repeated request; empty if the request has none.
///
/// # Errors
/// 422 unless it is one key of 1 to 64 printable ASCII characters.
pub(crate) fn read_idempotency_key(headers: &HeaderMap) -> Result<String, Problem> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(String::new()) };
    let is_valid = |key: &&str| (1..=MAX_KEY_CHARS).contains(&key.len()) && !key.contains(char::is_control);
    match key.to_str().ok().filter(is_valid) {
        Some(key) if keys.next().is_none() => Ok(key.to_owned()),
        Some(_) | None => {
            let message = field_text("edge", "Idempotency-Key", "INVALID", &[("max_chars", MAX_KEY_CHARS as u64)]);
            Err(Problem::from_field_errors(vec![FieldError::new("Idempotency-Key", "invalid", message)]))
        }
    }
}

/// Marks a response whose request had been processed before with the same key.
pub(crate) fn mark_replayed(headers: &mut HeaderMap) {
    headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_a_single_short_printable_key() {
        let check = |keys: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for key in keys {
                headers.append("idempotency-key", HeaderValue::from_bytes(key).unwrap());
            }
            read_idempotency_key(&headers).ok()
        };
        assert_eq!(check(&[]).as_deref(), Some(""));
        assert_eq!(check(&[b"a b-1"]).as_deref(), Some("a b-1"));
        assert_eq!(check(&[&[b'k'; 64]]).map(|key| key.len()), Some(64));
        for wrong in [&[&[b'k'; 65][..]][..], &[b""], &[b"a\tb"], &["\u{e9}".as_bytes()], &[b"a", b"a"]] {
            assert_eq!(check(wrong), None, "{wrong:?}");
        }
    }
}
