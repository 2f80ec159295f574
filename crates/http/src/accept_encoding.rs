//! Negotiation of `Accept-Encoding` for content that exists in several encodings.

use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

/// Content encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
    /// No encoding.
    Identity,
}

/// Returns the client's preferred encoding of those that exist; Brotli if it has no preference, because it is smaller.
///
/// `accepted` are the lines of `Accept-Encoding`.
pub fn negotiate_encoding(accepted: &[&str], has_brotli: bool, has_gzip: bool) -> Encoding {
    let weight = |name: &str| weight(accepted, name);
    let brotli = if has_brotli { weight("br") } else { 0 };
    let gzip = if has_gzip { weight("gzip").max(weight("x-gzip")) } else { 0 };
    if brotli > 0 && brotli >= gzip {
        Encoding::Brotli
    } else if gzip > 0 {
        Encoding::Gzip
    } else {
        Encoding::Identity
    }
}

/// Returns true if the client names Zstandard, and prefers none of the other encodings that the server sends.
pub fn prefers_zstd(headers: &HeaderMap) -> bool {
    let accepted: Vec<_> = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).collect();
    let zstd = named_weight(&accepted, "zstd").unwrap_or_default();
    let others = ["gzip", "x-gzip", "identity"].map(|name| named_weight(&accepted, name).unwrap_or_default());
    zstd > 0 && others.iter().all(|&other| zstd >= other)
}

/// Returns the quality value of `name` in thousandths; 0 if it is not acceptable.
fn weight(accepted: &[&str], name: &str) -> u16 {
    named_weight(accepted, name).or_else(|| named_weight(accepted, "*")).unwrap_or_default()
}

/// Returns the quality value of the entry `name` in thousandths.
fn named_weight(accepted: &[&str], name: &str) -> Option<u16> {
    accepted.iter().flat_map(|line| line.split(',')).find_map(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        if !parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case(name)) {
            return None;
        }
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        Some(quality.map_or(1000, parse_thousandths))
    })
}

/// Parses `0`, `1` or a fraction of at most three digits; returns 0 for anything else.
fn parse_thousandths(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    match whole {
        "1" => 1000,
        "0" => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zstandard_must_be_named_and_preferred() {
        for (line, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("zstd", true),
            ("ZSTD;q=0.5", true),
            ("gzip;q=0.5, zstd;q=0.8", true),
            ("gzip, zstd;q=0.5", false),
            ("x-gzip, zstd;q=0.2", false),
            ("identity, zstd;q=0.5", false),
            ("zstd;q=0", false),
            ("*", false),
            ("gzip", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, line.parse().unwrap())]);
            assert_eq!(prefers_zstd(&headers), expected, "{line}");
        }
        assert!(!prefers_zstd(&HeaderMap::new()));
    }

    #[test]
    fn the_preferred_encoding_is_chosen() {
        let check = |line: &str, expected| assert_eq!(negotiate_encoding(&[line], true, true), expected, "{line}");
        check("gzip, deflate, br, zstd", Encoding::Brotli);
        check("gzip", Encoding::Gzip);
        check("br;q=0.5, gzip;q=0.8", Encoding::Gzip);
        check("br;q=0.8, gzip;q=0.75", Encoding::Brotli);
        check("br;q=0, gzip;q=0", Encoding::Identity);
        check("*", Encoding::Brotli);
        check("*;q=0.1, br;q=0", Encoding::Gzip);
        check("identity", Encoding::Identity);
        check("", Encoding::Identity);
        check("br;q=2, gzip;q=0.12345", Encoding::Identity);
        assert_eq!(negotiate_encoding(&["br"], false, true), Encoding::Identity);
    }
}
