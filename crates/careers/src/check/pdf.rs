//! A PDF: what it says of itself at both ends, and no password.

use super::Fault;

/// The end mark stands so near to the end.
const END_WITHIN: usize = 1024;

pub(super) fn judge(resume: &[u8]) -> Result<(), Fault> {
    let version = resume.strip_prefix(b"%PDF-").ok_or(Fault::Mislabelled)?;
    let [b'1' | b'2', b'.', b'0'..=b'9', ..] = version else {
        return Err(Fault::Unreadable);
    };
    let last = resume.get(resume.len().saturating_sub(END_WITHIN)..).unwrap_or(resume);
    let end = last.windows(5).rposition(|window| window == b"%%EOF").ok_or(Fault::Unreadable)?;
    // Behind the end mark of a whole file is at most an end of line; what else stands there is another file.
    let behind = last.get(end + 5..).unwrap_or_default();
    if !behind.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
        return Err(Fault::Mislabelled);
    }
    if is_encrypted(resume) { Err(Fault::Encrypted) } else { Ok(()) }
}

/// Whether a trailer names an encryption dictionary: `/Encrypt 12 0 R` or `/Encrypt << … >>`. A trailer is never
/// compressed itself.
fn is_encrypted(resume: &[u8]) -> bool {
    const NAME: &[u8] = b"/Encrypt";
    resume.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).any(|(at, _)| {
        let rest = resume.get(at + NAME.len()..).unwrap_or_default().trim_ascii_start();
        rest.starts_with(b"<<") || is_reference(rest)
    })
}

/// Whether this begins with the reference to an object, such as `12 0 R`.
fn is_reference(bytes: &[u8]) -> bool {
    let number = |bytes: &[u8]| {
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = bytes.get(digits..).unwrap_or_default();
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (digits > 0 && spaces > 0).then_some(digits + spaces)
    };
    let mut rest = bytes;
    for _ in 0..2 {
        let Some(length) = number(rest) else { return false };
        rest = rest.get(length..).unwrap_or_default();
    }
    rest.starts_with(b"R")
}
