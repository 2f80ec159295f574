//! PDF files: a version at the start, the end-of-file marker at the end, no password, and no active content.

use super::pdf_objects;
use super::rejection::Rejection;

/// Bytes at the end of the file within which the end-of-file marker must be.
const EOF_MARKER_WITHIN_BYTES: usize = 1024;

pub(super) fn check(resume: &[u8]) -> Result<(), Rejection> {
    let version = resume.strip_prefix(b"%PDF-").ok_or(Rejection::Mislabelled)?;
    let [b'1' | b'2', b'.', b'0'..=b'9', ..] = version else {
        return Err(Rejection::Unreadable);
    };
    let tail = resume.get(resume.len().saturating_sub(EOF_MARKER_WITHIN_BYTES)..).unwrap_or(resume);
    let marker = tail.windows(5).rposition(|window| window == b"%%EOF").ok_or(Rejection::Unreadable)?;
    // A complete file ends with the marker and at most an end of line. Anything else is another file's content.
    let rest = tail.get(marker + 5..).unwrap_or_default();
    if !rest.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
        return Err(Rejection::Mislabelled);
    }
    if is_encrypted(resume) { Err(Rejection::Encrypted) } else { pdf_objects::check(resume) }
}

/// Returns true if a trailer names an encryption dictionary: `/Encrypt 12 0 R` or `/Encrypt << … >>`. Trailers are never
/// compressed, so a search finds them.
fn is_encrypted(resume: &[u8]) -> bool {
    const NAME: &[u8] = b"/Encrypt";
    resume.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).any(|(position, _)| {
        let value = resume.get(position + NAME.len()..).unwrap_or_default().trim_ascii_start();
        value.starts_with(b"<<") || is_reference(value)
    })
}

/// Returns true if `bytes` start with a reference to an object, such as `12 0 R`.
fn is_reference(bytes: &[u8]) -> bool {
    let number_length = |bytes: &[u8]| {
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = bytes.get(digits..).unwrap_or_default();
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (digits > 0 && spaces > 0).then_some(digits + spaces)
    };
    let mut rest = bytes;
    for _ in 0..2 {
        let Some(length) = number_length(rest) else { return false };
        rest = rest.get(length..).unwrap_or_default();
    }
    rest.starts_with(b"R")
}
