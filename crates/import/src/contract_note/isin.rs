//! ISINs in the text of a note.

/// Returns true for an ISIN of India.
pub(crate) fn is_isin(text: &str) -> bool {
    text.len() == 12 && text.starts_with("IN") && text.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// Returns the ISIN in a description such as `SYMBOL-EQ/INE…` or `NAME [INE…]`.
pub(super) fn find(description: &str) -> Option<String> {
    description.split(['/', '[', ']', ' ']).find(|part| is_isin(part)).map(str::to_owned)
}
