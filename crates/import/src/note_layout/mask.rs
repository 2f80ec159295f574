//! Masks the cells of a line.
//!
//! A label stays only where it can be nothing else: most words of its cell are labels, it is no part of a code, an email
//! address or a web address, and it does not describe the traded share.

use super::cells::Cell;
use super::labels::{Labels, is_month};
use crate::contract_note::{is_amount, is_isin};

/// Figures after the side of a fill: quantity, rate and value.
const MIN_FILL_FIGURES: usize = 3;
/// Signs that are neither letters nor digits and stay, beside those of ASCII.
const SIGNS: [char; 4] = ['₹', '–', '—', '\u{2212}'];
const EXCHANGES: [&str; 5] = ["nse", "bse", "mcx", "ncdex", "msei"];

/// Run of characters of a word between punctuation.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Word of the cell.
    word: usize,
    treatment: Treatment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// Letters become `x`.
    Mask,
    /// Letters become `m`.
    Month,
    /// The label stays.
    Label,
    /// The last two letters stay, which are `DR` or `CR` after the digits of an amount.
    Suffix,
}

/// Returns a line with the positions of its cells. A cell with masked letters has only its left edge: its width could tell
/// letters of different widths apart.
pub(super) fn mask_line(labels: &Labels, cells: &[Cell]) -> String {
    let description_end = find_side(cells);
    let starts_with_isin = cells.first().and_then(|cell| cell.texts.first()).is_some_and(|word| is_isin(word));
    let mut previous_is_amount = false;
    let mut masked = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let mut runs = classify(labels, cell, previous_is_amount);
        let is_side = description_end == Some(index);
        if is_side {
            runs.iter_mut().for_each(|run| run.treatment = Treatment::Label);
        } else if starts_with_isin
            || description_end.is_some_and(|side| index < side && !is_exchange_of(cells, index, side))
        {
            runs.iter_mut()
                .filter(|run| run.treatment == Treatment::Label)
                .for_each(|run| run.treatment = Treatment::Mask);
        }
        previous_is_amount = cell.texts.last().is_some_and(|word| is_amount(word));
        masked.push(format_cell(cell, &runs));
    }
    masked.join(" ")
}

/// Returns the cell with the side of a fill: right of the description, and left of figures.
fn find_side(cells: &[Cell]) -> Option<usize> {
    let is_side = |cell: &Cell| only_word(cell).is_some_and(|word| ["b", "s", "buy", "sell"].contains(&word.as_str()));
    let is_before_figures = |index: usize| {
        let rest = cells.iter().skip(index + 1).filter(|cell| !is_exchange(cell));
        let figures: Vec<_> = rest.flat_map(|cell| &cell.texts).take_while(|word| is_amount(word)).collect();
        figures.len() >= MIN_FILL_FIGURES && figures.iter().any(|figure| figure.contains('.'))
    };
    let sides = cells.iter().enumerate().skip(1).filter(|(index, cell)| is_side(cell) && is_before_figures(*index));
    sides.map(|(index, _)| index).next_back()
}

/// Returns the word of a cell of one word in lower case.
fn only_word(cell: &Cell) -> Option<String> {
    let [word] = cell.texts.as_slice() else { return None };
    Some(word.to_ascii_lowercase())
}

fn is_exchange(cell: &Cell) -> bool {
    only_word(cell).is_some_and(|word| EXCHANGES.contains(&word.as_str()))
}

/// Returns true if a cell is the exchange of a fill. That of another cell is a share, such as BSE.
fn is_exchange_of(cells: &[Cell], index: usize, side: usize) -> bool {
    index + 1 == side && cells.get(index).is_some_and(is_exchange) && !cells.iter().skip(side + 1).any(is_exchange)
}

/// Returns the runs of a cell. A cell has phrases, which end with a colon; in each, most words must be labels.
fn classify(labels: &Labels, cell: &Cell, after_amount: bool) -> Vec<Run> {
    let lower: Vec<String> = cell.texts.iter().map(|word| word.to_ascii_lowercase()).collect();
    let mut runs = Vec::new();
    let mut phrase = Vec::new();
    let mut broker_name_end = 0;
    for (index, word) in lower.iter().enumerate() {
        let name_length = labels.broker_name_length(lower.get(index..).unwrap_or_default());
        broker_name_end = broker_name_end.max(if name_length > 0 { index + name_length } else { 0 });
        let previous = index.checked_sub(1).and_then(|previous| lower.get(previous));
        let follows_amount = previous.map_or(after_amount, |word| is_amount(word));
        if index < broker_name_end {
            runs.push(Run { word: index, treatment: Treatment::Label });
            continue;
        }
        let treatments = classify_word(labels, word, follows_amount);
        phrase.extend(treatments.into_iter().map(|treatment| Run { word: index, treatment }));
        if word.ends_with(':') {
            runs.extend(mask_minority(std::mem::take(&mut phrase), &lower));
        }
    }
    runs.extend(mask_minority(phrase, &lower));
    runs
}

/// Masks the labels of a phrase unless most of its words are labels. Codes, amounts and months do not count.
fn mask_minority(mut phrase: Vec<Run>, texts: &[String]) -> Vec<Run> {
    let has_digit = |run: &Run| texts.get(run.word).is_some_and(|word| word.contains(char::is_numeric));
    let counted = || phrase.iter().filter(|run| !has_digit(run));
    let labels = counted().filter(|run| run.treatment == Treatment::Label).count();
    let others = counted().filter(|run| run.treatment == Treatment::Mask).count();
    if labels <= others && others > 0 {
        phrase
            .iter_mut()
            .filter(|run| run.treatment == Treatment::Label)
            .for_each(|run| run.treatment = Treatment::Mask);
    }
    phrase
}

/// Returns the treatment of each run with letters of a word, which is in lower case.
fn classify_word(labels: &Labels, word: &str, follows_amount: bool) -> Vec<Treatment> {
    let runs = || word.split(|c| !is_run_char(c)).filter(|run| !run.is_empty());
    let is_masked = is_address(word) || runs().any(|run| is_code(run) && !is_date(run) && !has_suffix(run, word));
    let names_sides = word == "b/s" || runs().any(|run| run == "buy" || run == "sell");
    let treatment = |run: &str| match run {
        _ if is_date(run) || is_month(run) => Treatment::Month,
        _ if is_masked => Treatment::Mask,
        _ if has_suffix(run, word) => Treatment::Suffix,
        "dr" | "cr" if !follows_amount => Treatment::Mask,
        _ if run.chars().count() == 1 && !names_sides => Treatment::Mask,
        _ if labels.contains(run) => Treatment::Label,
        _ => Treatment::Mask,
    };
    // A run without letters needs no treatment, and does not count as a word.
    runs().filter(|run| run.contains(needs_mask)).map(treatment).collect()
}

/// Returns true for characters that no word ends with: all but punctuation. `&` is part of names.
fn is_run_char(c: char) -> bool {
    c == '&' || !(c.is_ascii_punctuation() || SIGNS.contains(&c))
}

pub(super) fn needs_mask(c: char) -> bool {
    is_run_char(c) && c != '&' && !c.is_numeric()
}

/// Returns true for letters next to digits.
fn is_code(run: &str) -> bool {
    run.contains(needs_mask) && run.contains(char::is_numeric)
}

/// Returns true for a day such as `28apr2026`.
fn is_date(run: &str) -> bool {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let day = digits(run);
    let rest = run.get(day..).unwrap_or_default();
    let month: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    let year = rest.get(month.len()..).unwrap_or_default();
    (1..=2).contains(&day) && is_month(&month) && [2, 4].contains(&year.len()) && digits(year) == year.len()
}

/// Returns true if the run is the end of an amount with `dr` or `cr`.
fn has_suffix(run: &str, word: &str) -> bool {
    (run.ends_with("dr") || run.ends_with("cr")) && run.starts_with(|c: char| c.is_ascii_digit()) && is_amount(word)
}

/// Returns true for an email address, a payment address, or a web address.
fn is_address(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let has_dot = chars.windows(3).any(|window| matches!(window, [a, '.', b] if needs_mask(*a) && needs_mask(*b)));
    let has_sign = chars.windows(2).any(|pair| match pair {
        [before, '@' | '_'] if is_run_char(*before) => true,
        ['@' | '_', after] if needs_mask(*after) => true,
        ['/', '/'] => true,
        _ => false,
    });
    has_dot || has_sign
}

/// Formats a cell with its position.
fn format_cell(cell: &Cell, runs: &[Run]) -> String {
    let mut is_masked = false;
    let mut texts = Vec::new();
    for (index, word) in cell.texts.iter().enumerate() {
        let runs: Vec<&Run> = runs.iter().filter(|run| run.word == index).collect();
        is_masked |= runs.iter().any(|run| run.treatment != Treatment::Label && run.treatment != Treatment::Suffix);
        texts.push(mask_word(word, &runs));
    }
    let text = texts.join(" ");
    if is_masked {
        format!("{{{:.0}}}{text}", cell.left)
    } else {
        format!("{{{:.0}-{:.0}}}{text}", cell.left, cell.right)
    }
}

/// Masks a word, whose runs with letters are `runs` in their order.
fn mask_word(word: &str, runs: &[&Run]) -> String {
    let mut masked = String::with_capacity(word.len());
    let mut treatments = runs.iter().map(|run| run.treatment);
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|other| is_run_char(other) != is_run_char(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        if part.contains(needs_mask) {
            let treatment = treatments.next().unwrap_or(Treatment::Mask);
            masked.extend(part.chars().map(|c| mask_char(c, treatment)));
        } else {
            masked.extend(part.chars().map(|c| mask_char(c, Treatment::Mask)));
        }
    }
    masked
}

fn mask_char(c: char, treatment: Treatment) -> char {
    match (c, treatment) {
        (c, _) if c.is_numeric() => '9',
        ('{', _) => '(',
        ('}', _) => ')',
        (c, _) if !needs_mask(c) => c,
        (c, Treatment::Label | Treatment::Suffix) => c,
        (c, Treatment::Month) => {
            if c.is_uppercase() {
                'M'
            } else {
                'm'
            }
        }
        (c, Treatment::Mask) => {
            if c.is_uppercase() {
                'X'
            } else {
                'x'
            }
        }
    }
}
