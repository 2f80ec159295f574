//! Limits and checks shared by the domain types.

use rust_decimal::Decimal;

/// Exclusive upper bound of prices and values, in rupees. Smaller amounts with 4 decimals fit into a JSON number.
pub(crate) const MAX_AMOUNT_EXCLUSIVE: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Maximum length of a symbol, of an underlying, and of a filter on symbols.
pub(crate) const MAX_SYMBOL_CHARS: usize = 64;

/// Returns true for 1 to `max_chars` characters without control characters.
pub(crate) fn is_plain_text(text: &str, max_chars: usize) -> bool {
    !text.is_empty() && text.chars().count() <= max_chars && !text.chars().any(char::is_control)
}
