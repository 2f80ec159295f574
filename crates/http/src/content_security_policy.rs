//! Content security policies of API responses and of pages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Policy of every response that is not a page: forbids loading and running anything, and framing.
pub const API_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// Policy that browsers only report violations of: scripts must not pass text to the browser as code.
pub const REPORT_ONLY_POLICY: &str = "require-trusted-types-for 'script'; report-uri /api/csp-report";

/// Returns the policy of the page `html`: own files, and the inline scripts of the page by their hash.
///
/// `secure` adds `upgrade-insecure-requests`; a first run without HTTPS cannot upgrade.
pub fn page_policy(html: &str, secure: bool) -> String {
    let mut scripts = String::new();
    for script in inline_scripts(html) {
        scripts.push_str(&format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(script))));
    }
    let upgrade = if secure { "; upgrade-insecure-requests" } else { "" };
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; frame-src 'none'; worker-src 'none'; object-src 'none'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'{upgrade}; \
         report-uri /api/csp-report"
    )
}

/// Returns the text of each inline script, without duplicates.
fn inline_scripts(html: &str) -> Vec<&str> {
    // ASCII lower-casing keeps byte offsets; tags are ASCII.
    let lower = html.to_ascii_lowercase();
    let mut scripts: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(tag) = find_end(&lower, at, "<script") {
        let Some(text) = find_tag_end(&lower, tag) else { break };
        let Some(close) = find_end(&lower, text, "</script").map(|end| end - "</script".len()) else { break };
        let attributes = lower.get(tag..text).unwrap_or_default();
        let has_source = attributes.split(|c: char| c.is_whitespace() || c == '/').any(|word| word.starts_with("src="));
        let script = html.get(text..close).unwrap_or_default();
        if !has_source && !scripts.contains(&script) {
            scripts.push(script);
        }
        at = close;
    }
    scripts
}

/// Returns the end of the next occurrence of `text`.
fn find_end(html: &str, from: usize, text: &str) -> Option<usize> {
    html.get(from..)?.find(text).map(|index| from + index + text.len())
}

/// Returns the end of the tag whose attributes begin at `from`. A `>` in quotes does not end it.
fn find_tag_end(html: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (index, byte) in html.get(from..)?.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(from + index + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}
