//! Words of a layout: which characters are letters, and how readable and masked words are printed.

use crate::cell_value::{parse_month_text, parse_time_of_day};
use crate::contract_note::{is_amount_suffix, is_isin};
use crate::sheet::Cell;

/// Stands for masked text of any length.
pub(super) const MASKED: &str = "Xxxx";
const MONTH: &str = "Mmm";
const ISIN_CHARS: usize = 12;
/// Characters of a word that may stay readable; longer than every label with its punctuation.
const MAX_READABLE_CHARS: usize = 40;
/// Signs of labels, beside those of ASCII.
const SIGNS: [char; 4] = ['₹', '–', '—', '\u{2212}'];
/// Signs within the words of labels. The text of a font without Unicode may have any others.
const LABEL_SIGNS: &str = "-–—:/()[]&*₹@%.,'";
/// Words of signs that stay: a single sign, the currency, and the signs of amounts that a label explains.
const SIGN_TEXTS: [&str; 16] = ["-", "–", "—", ":", "/", "(", ")", "&", "*", "₹", "@", "%", ".", "(₹)", "(-)", "(+)"];
/// Separators that stay before and after masked text, because readers of descriptions need them. They include a space.
const SEPARATORS: &str = "()[]/: ";

/// Returns true for characters that no word ends with: all but punctuation. `&` is part of names.
pub(super) fn is_word_char(c: char) -> bool {
    c == '&' || !(c.is_ascii_punctuation() || SIGNS.contains(&c))
}

pub(super) fn is_alphabetic(c: char) -> bool {
    is_word_char(c) && c != '&' && !c.is_numeric()
}

/// Returns true for a number with its signs, and for an amount with `Rs`, or with decimals and `DR` or `CR`.
pub(super) fn is_figure(word: &str) -> bool {
    let number = strip_currency(strip_suffix(word));
    let core = number.trim_start_matches(['(', '+', '-', '–', '\u{2212}', '₹']);
    let core = core.trim_end_matches([')', '%', '/', '-', '.', ',', ':']);
    let is_number = core.split(['.', ',', '-', '–', '/', ':']).all(is_digits);
    are_signs_single(number) && is_number && !is_long(word)
}

/// Returns true if no sign is repeated next to itself.
fn are_signs_single(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.windows(2).all(|pair| matches!(pair, [one, other] if one != other || one.is_ascii_digit()))
}

/// Returns true for a figure that may be an amount: no date, time or percentage.
pub(super) fn is_amount_figure(word: &str) -> bool {
    is_figure(word) && !is_time(word) && !has_date_shape(word) && !is_percentage(word)
}

/// Returns true for digits with decimals.
pub(super) fn has_decimals(word: &str) -> bool {
    word.split_once('.').is_some_and(|(start, end)| {
        start.ends_with(|c: char| c.is_ascii_digit()) && end.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Removes `DR` or `CR` after an amount with decimals.
fn strip_suffix(word: &str) -> &str {
    let split = word.len().checked_sub(2).and_then(|at| word.split_at_checked(at));
    split.filter(|(amount, suffix)| is_amount_suffix(suffix) && has_decimals(amount)).map_or(word, |(amount, _)| amount)
}

fn strip_currency(word: &str) -> &str {
    match word.split_at_checked(2) {
        Some((currency, amount)) if currency.eq_ignore_ascii_case("rs") => amount.strip_prefix('.').unwrap_or(amount),
        _ => word,
    }
}

/// Returns true for a percentage such as `18%` or `(@9%`.
fn is_percentage(word: &str) -> bool {
    let percentage = word.trim_start_matches(['(', '[', '@']).trim_end_matches([')', ']', ',']);
    let is_number = percentage.strip_suffix('%').is_some_and(|number| number.splitn(2, '.').all(is_digits));
    is_number && are_signs_single(word) && !is_long(word)
}

fn is_time(word: &str) -> bool {
    parse_time_of_day(Cell::Text(trim_punctuation(word))).is_some()
}

/// Returns true for three numbers in the form of a date, valid or not.
fn has_date_shape(word: &str) -> bool {
    let parts: Vec<&str> = trim_punctuation(word).split(['-', '/', '.']).collect();
    parts.len() == 3 && parts.iter().all(|part| is_digits(part))
}

/// Returns true for a valid date of digits; its year may have two.
fn is_date_of_digits(word: &str) -> bool {
    let parts: Vec<&str> = trim_punctuation(word).split(['-', '/', '.']).collect();
    let [first, second, last] = parts.as_slice() else { return false };
    let (day, year) = if first.len() == 4 { (last, first) } else { (first, last) };
    is_day(day)
        && is_year(year)
        && is_digits(second)
        && second.len() <= 2
        && second.parse().is_ok_and(|month| (1..=12).contains(&month))
}

fn is_day(text: &str) -> bool {
    is_digits(text) && text.len() <= 2 && text.parse().is_ok_and(|day| (1..=31).contains(&day))
}

fn is_year(text: &str) -> bool {
    is_digits(text) && (text.len() == 2 || text.len() == 4 && text.starts_with("20"))
}

fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_ascii_punctuation())
}

/// Returns true for a word that may stay if it is part of a label: one of known signs, a date, a percentage, or Latin
/// letters with signs of labels.
pub(super) fn has_readable_form(word: &str) -> bool {
    if word.contains(char::is_numeric) {
        return is_figure(word) || is_percentage(word) || is_date(word);
    }
    if !word.contains(is_alphabetic) {
        return SIGN_TEXTS.contains(&word);
    }
    !is_long(word) && word.chars().all(|c| c.is_ascii_alphabetic() || LABEL_SIGNS.contains(c))
}

/// Returns true for a word that is always masked as a whole.
pub(super) fn is_long(word: &str) -> bool {
    word.chars().count() > MAX_READABLE_CHARS
}

/// Returns true for the name of a month.
pub(super) fn is_month(word: &str) -> bool {
    word.eq_ignore_ascii_case("sept") || parse_month_text(word).is_some()
}

/// Returns true for the name of a month, and for a day such as `28Apr2026` or `5-Jun-26`.
pub(super) fn is_date(word: &str) -> bool {
    let bare = trim_punctuation(word);
    let month = bare.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let Some((day, year)) = bare.split_once(month).filter(|_| is_month(month)) else { return false };
    let separators = ['-', '/', '.'];
    let (day, year) = (day.strip_suffix(separators).unwrap_or(day), year.strip_prefix(separators).unwrap_or(year));
    bare == month || is_day(day) && is_year(year)
}

/// Formats a readable word. Months become `Mmm`. The integer part of a number becomes one digit, because its size is data;
/// signs and the number of decimals stay. In dates and times, numbers of four digits become `9999` and others `99`.
pub(super) fn format_readable(word: &str) -> String {
    // The commas of a number tell its size.
    let mut chars: Vec<char> = Vec::new();
    for (index, c) in word.char_indices() {
        let is_before_digit = || word.get(index + 1..).is_some_and(|rest| rest.starts_with(char::is_numeric));
        if c != ',' || !chars.last().is_some_and(|c| c.is_numeric()) || !is_before_digit() {
            chars.push(c);
        }
    }
    let parts: Vec<String> =
        chars.chunk_by(|c, next| kind(*c) == kind(*next)).map(|part| part.iter().collect()).collect();
    let is_date = is_date_of_digits(word) || is_time(word) || is_date(word);
    let has_decimals = is_figure(word) && strip_currency(word).matches('.').count() == 1;
    let mut text = String::new();
    for part in parts {
        let count = part.chars().count();
        match part.as_str() {
            month if is_month(month) => text.push_str(MONTH),
            other if !other.contains(char::is_numeric) => text.push_str(&other.replace('{', "(").replace('}', ")")),
            _ if is_date => text.push_str(if count == 4 { "9999" } else { "99" }),
            _ if has_decimals && text.ends_with("9.") => text.push_str(&"9".repeat(count)),
            _ => text.push('9'),
        }
    }
    text
}

/// Kind of a character: a digit, a letter or a sign.
fn kind(c: char) -> (bool, bool) {
    (c.is_numeric(), is_alphabetic(c))
}

/// Returns the place of an ISIN in a text, in any case.
pub(super) fn find_isin(text: &str) -> Option<usize> {
    let upper = text.to_ascii_uppercase();
    let isin = upper.split(|c: char| !c.is_ascii_alphanumeric()).find(|part| is_isin(part))?;
    upper.find(isin)
}

/// Masks a text. One separator stays at its ends and around an ISIN.
pub(super) fn mask_text(text: &str) -> String {
    let parts = find_isin(text).and_then(|at| {
        let (before, rest) = text.split_at_checked(at)?;
        Some((before, rest.split_at_checked(ISIN_CHARS)?.1))
    });
    match parts {
        Some((before, after)) => format!("{}{MASKED}{}", mask_part(before), mask_part(after)),
        None if text.contains(char::is_alphanumeric) => mask_part(text),
        None => MASKED.to_owned(),
    }
}

fn mask_part(text: &str) -> String {
    let without_start = text.trim_start_matches(|c| SEPARATORS.contains(c));
    let masked = without_start.trim_end_matches(|c| SEPARATORS.contains(c));
    let start = text.strip_suffix(without_start).unwrap_or_default();
    let first = start.trim().chars().next().map(String::from).unwrap_or_default();
    let space = if start.ends_with(' ') { " " } else { "" };
    if masked.is_empty() {
        return format!("{space}{first}");
    }
    let end = without_start.strip_prefix(masked).unwrap_or_default();
    let last = end.trim().chars().next_back().map(String::from).unwrap_or_default();
    format!("{first}{space}{MASKED}{}{last}", if end.starts_with(' ') { " " } else { "" })
}
