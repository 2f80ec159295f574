//! Words of a layout: which characters are letters, and how readable and masked words are printed.

use crate::cell_value::{parse_day, parse_month_text, parse_time_of_day};
use crate::contract_note::{is_amount, is_isin};
use crate::sheet::Cell;

/// Stands for masked text of any length.
pub(super) const MASKED: &str = "Xxxx";
const MONTH: &str = "Mmm";
/// Characters of a word that may stay readable; longer than every label with its punctuation.
const MAX_READABLE_CHARS: usize = 40;
/// Signs that are neither letters nor digits and stay, beside those of ASCII.
const SIGNS: [char; 4] = ['₹', '–', '—', '\u{2212}'];
/// Separators that stay before and after masked text, because readers of descriptions need them. They include a space.
const SEPARATORS: &str = "()[]/: ";

/// Returns true for characters that no word ends with: all but punctuation. `&` is part of names.
pub(super) fn is_word_char(c: char) -> bool {
    c == '&' || !(c.is_ascii_punctuation() || SIGNS.contains(&c))
}

pub(super) fn is_alphabetic(c: char) -> bool {
    is_word_char(c) && c != '&' && !c.is_numeric()
}

/// Returns true for a word of digits and signs, and for an amount with a suffix such as `DR`.
pub(super) fn is_figure(word: &str) -> bool {
    word.contains(char::is_numeric) && (!word.contains(is_alphabetic) || is_amount(word)) && !is_long(word)
}

/// Returns true for a word that is always masked as a whole.
pub(super) fn is_long(word: &str) -> bool {
    word.chars().count() > MAX_READABLE_CHARS
}

/// Returns true for the name of a month.
pub(super) fn is_month(word: &str) -> bool {
    word.eq_ignore_ascii_case("sept") || parse_month_text(word).is_some()
}

/// Returns true for the name of a month, and for a day such as `28Apr2026`.
pub(super) fn is_date(word: &str) -> bool {
    let month = word.trim_matches(|c: char| c.is_ascii_digit());
    let around = word.split_once(month).map(|(day, year)| (day.len(), year.len()));
    is_month(month) && matches!(around, Some((0, 0) | (1 | 2, 2 | 4)))
}

/// Formats a readable word. Months become `Mmm`. The integer part of a number becomes one digit, because its size is data;
/// signs and the number of decimals stay. In dates and times, numbers of four digits become `9999` and others `99`.
pub(super) fn format_readable(word: &str) -> String {
    let bare = word.trim_matches(|c: char| c.is_ascii_punctuation());
    let is_amount = is_amount(word);
    // The commas of an amount tell its size.
    let chars: Vec<char> = word.chars().filter(|c| !(is_amount && *c == ',')).collect();
    let parts: Vec<String> =
        chars.chunk_by(|c, next| kind(*c) == kind(*next)).map(|part| part.iter().collect()).collect();
    let is_date = parse_day(bare).is_some()
        || parse_time_of_day(Cell::Text(bare)).is_some()
        || parts.iter().any(|part| is_month(part));
    let mut text = String::new();
    for part in parts {
        let count = part.chars().count();
        match part.as_str() {
            month if is_month(month) => text.push_str(MONTH),
            other if !other.contains(char::is_numeric) => text.push_str(&other.replace('{', "(").replace('}', ")")),
            _ if is_amount && text.ends_with('.') => text.push_str(&"9".repeat(count)),
            _ if is_date => text.push_str(if count == 4 { "9999" } else { "99" }),
            _ => text.push('9'),
        }
    }
    text
}

/// Kind of a character: a digit, a letter or a sign.
fn kind(c: char) -> (bool, bool) {
    (c.is_numeric(), is_alphabetic(c))
}

/// Masks a text. Separators stay at its ends and around an ISIN.
pub(super) fn mask_text(text: &str) -> String {
    let isin = text.split(|c: char| !c.is_ascii_alphanumeric()).find(|part| is_isin(part));
    match isin.and_then(|isin| text.split_once(isin)) {
        Some((before, after)) => format!("{}{MASKED}{}", mask_part(before), mask_part(after)),
        None => mask_part(text),
    }
}

fn mask_part(text: &str) -> String {
    let without_start = text.trim_start_matches(|c| SEPARATORS.contains(c));
    let masked = without_start.trim_end_matches(|c| SEPARATORS.contains(c));
    if masked.is_empty() {
        return text.to_owned();
    }
    let start = text.strip_suffix(without_start).unwrap_or_default();
    let end = without_start.strip_prefix(masked).unwrap_or_default();
    format!("{start}{MASKED}{end}")
}
