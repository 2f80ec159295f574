//! Search of the log by words and tags, as a regular expression of Postgres.
//!
//! The expression contains both cases of each letter and lists the characters of words, because a database with the locale
//! C knows only those of English.

use rpc::failure::Violation;

use crate::validation::is_plain_text;

/// Maximum length of a search.
const MAX_SEARCH_CHARS: usize = 100;

/// Ranges of the letters and digits of all scripts in a bracket expression; see [`is_word_char`].
const WORD_CHARS: &str = r"0-9A-Za-z\u00c0-\u1fff\u2c00-\uffff";

/// Search for trades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Pattern of the symbol and the texts in lines, the symbol first.
    pub pattern: String,
    /// Pattern of the symbol alone; absent if no symbol matches.
    pub symbol_pattern: Option<String>,
}

impl Search {
    /// Parses a query, whose words must all be found; none if it is empty. The word AND after another is ignored, as in
    /// searches of the journal.
    pub fn parse(query: &str) -> Result<Option<Self>, Violation> {
        if query.trim().is_empty() {
            return Ok(None);
        }
        if !is_plain_text(query, MAX_SEARCH_CHARS) {
            return Err(Violation::new("filter.search", "INVALID").with("max_chars", MAX_SEARCH_CHARS));
        }
        let terms = query.split_whitespace().enumerate().filter(|(index, term)| *index == 0 || *term != "AND");
        let (mut pattern, mut symbol_pattern) = ("^".to_owned(), Some("^".to_owned()));
        for (_, term) in terms {
            if let Some(tag) = tag_pattern(term) {
                pattern += &format!("(?=.*{tag})");
                symbol_pattern = None;
            } else {
                pattern += &format!("(?={})", word_pattern(term));
                symbol_pattern = symbol_pattern.map(|symbol| format!("{symbol}(?=.*{})", literal(term)));
            }
        }
        Ok(Some(Self { pattern, symbol_pattern }))
    }
}

/// Returns the pattern of a `#tag`; none for other words.
fn tag_pattern(word: &str) -> Option<String> {
    let is_tag_char = |c: char| is_word_char(c) || c == '_' || c == '-';
    let tag = word.strip_prefix('#')?.trim_start_matches('#').trim_end_matches(|c| !is_tag_char(c));
    (!tag.is_empty()).then(|| format!("#{}(?![{WORD_CHARS}_-])", literal(tag)))
}

/// Returns the pattern of a part of the symbol, or of the beginning of a word in a text. A word with punctuation finds
/// its parts with any punctuation between them; one of punctuation alone is found anywhere.
fn word_pattern(word: &str) -> String {
    let parts: Vec<_> = word.split(|c| !is_word_char(c)).filter(|part| !part.is_empty()).map(literal).collect();
    if parts.is_empty() {
        return format!(".*{}", literal(word));
    }
    let symbol = format!(r"[^\n]*{}", literal(word));
    let between = format!("[^{WORD_CHARS}]");
    format!("{symbol}|.*{between}{}", parts.join(&format!("{between}+")))
}

/// Returns the pattern of a text in any case.
fn literal(text: &str) -> String {
    let pattern_of = |c: char| match (single(c.to_lowercase()), single(c.to_uppercase())) {
        (Some(lower), Some(upper)) if lower != upper => format!("[{lower}{upper}]"),
        _ if c.is_ascii_punctuation() => format!(r"\{c}"),
        _ => c.to_string(),
    };
    text.chars().map(pattern_of).collect()
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.next().filter(|_| chars.next().is_none())
}

/// Returns true for the characters in [`WORD_CHARS`]. They include marks, which belong to the letters of Indian scripts.
fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '\u{c0}'..='\u{1fff}' | '\u{2c00}'..='\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Search {
        Search::parse(query).unwrap().unwrap()
    }

    #[test]
    fn matches_a_word_in_the_symbol_or_at_the_beginning_of_a_word() {
        let search = parse("M&m 5");
        let no = format!("[^{WORD_CHARS}]");
        assert_eq!(search.pattern, format!(r"^(?=[^\n]*[mM]\&[mM]|.*{no}[mM]{no}+[mM])(?=[^\n]*5|.*{no}5)"));
        assert_eq!(search.symbol_pattern.unwrap(), r"^(?=.*[mM]\&[mM])(?=.*5)");
    }

    #[test]
    fn matches_a_tag_only_in_texts() {
        let search = parse("##Up-2, x");
        let no = format!("[^{WORD_CHARS}]");
        assert_eq!(search.pattern, format!(r"^(?=.*#[uU][pP]\-2(?![{WORD_CHARS}_-]))(?=[^\n]*[xX]|.*{no}[xX])"));
        assert_eq!(search.symbol_pattern, None);
    }

    #[test]
    fn punctuation_is_literal_and_found_anywhere() {
        for (query, pattern) in [("%", r"\%"), ("_", r"\_"), (r"\", r"\\"), ("(?", r"\(\?"), ("#", r"\#"), ("–", "–")]
        {
            assert_eq!(parse(query).pattern, format!(r"^(?=.*{pattern})"));
        }
    }

    #[test]
    fn ignores_and_after_a_word() {
        assert_eq!(parse("gap AND fade AND"), parse("gap fade"));
        assert_eq!(parse("AND"), parse("and"));
    }

    #[test]
    fn matches_both_cases() {
        assert_eq!(literal("éÉßघ"), "[éÉ][éÉ]ßघ");
    }

    #[test]
    fn rejects_long_searches_and_control_characters() {
        assert_eq!(Search::parse("  ").unwrap(), None);
        assert!(Search::parse(&"é".repeat(100)).is_ok());
        for invalid in ["a\0", "a\nb", &"a".repeat(101)] {
            assert_eq!(Search::parse(invalid).unwrap_err().field, "filter.search", "{invalid:?}");
        }
    }
}
