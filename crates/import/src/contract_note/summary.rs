//! Summary of the first page, one row per ISIN.

use rust_decimal::Decimal;

use super::amount;
use super::isin;
use crate::pdf::Line;

/// Figures of a row: five for each side, then the net quantity and the net obligation.
const FIGURES: usize = 12;
/// Further lines of a row.
const MAX_WRAPPED_LINES: usize = 3;

/// Row of the summary.
#[derive(Debug)]
pub(super) struct SummaryRow {
    pub isin: String,
    /// Name or symbol.
    pub name: String,
    figures: Vec<Decimal>,
}

impl SummaryRow {
    /// Returns the bought and the sold quantity; none if a cell of the row is empty.
    pub fn quantities(&self) -> Option<[Decimal; 2]> {
        let figures: &[Decimal; FIGURES] = self.figures.as_slice().try_into().ok()?;
        let [bought, _, _, _, _, sold, ..] = figures;
        Some([bought.abs(), sold.abs()])
    }

    /// Returns the net quantity without its sign.
    pub fn net_quantity(&self) -> Option<Decimal> {
        self.figures.iter().rev().nth(1).map(Decimal::abs)
    }
}

/// Reads the summary.
pub(super) fn read(lines: &[Line]) -> Vec<SummaryRow> {
    let mut rows: Vec<SummaryRow> = Vec::new();
    let mut wrapped_lines = MAX_WRAPPED_LINES;
    for line in lines {
        let (first, rest) = match line.items.split_first() {
            Some((first, rest)) if isin::is_isin(&first.text) => (Some(first), rest),
            _ => (None, line.items.as_slice()),
        };
        if let Some(first) = first {
            rows.push(SummaryRow { isin: first.text.clone(), name: String::new(), figures: Vec::new() });
            wrapped_lines = 0;
        } else {
            wrapped_lines += 1;
        }
        let Some(row) = rows.last_mut().filter(|row| wrapped_lines <= MAX_WRAPPED_LINES && row.figures.len() < FIGURES)
        else {
            continue;
        };
        let is_figure = |text: &str| amount::parse(text).is_some();
        let figure_count = rest.iter().rev().take_while(|item| is_figure(&item.text)).count();
        let (name, figures) = rest.split_at(rest.len() - figure_count);
        // A row without empty cells is complete; the line after a shorter one is part of it only if its name wraps.
        if first.is_none() && !row.figures.is_empty() {
            let is_name = figures.is_empty() && name.len() <= 4 && !line.text().to_lowercase().contains("total");
            wrapped_lines = if is_name { wrapped_lines } else { MAX_WRAPPED_LINES };
            continue;
        }
        let items = name.iter().map(|item| item.text.as_str());
        row.name = std::iter::once(row.name.as_str())
            .filter(|name| !name.is_empty())
            .chain(items)
            .collect::<Vec<_>>()
            .join(" ");
        row.figures = figures.iter().filter_map(|item| amount::parse(&item.text)).map(|one| one.value).collect();
    }
    rows.retain(|row| row.figures.len() >= 2);
    rows
}

/// Returns the ISIN of a share that is described without it.
pub(super) fn find_isin<'r>(rows: &'r [SummaryRow], description: &str) -> Option<&'r str> {
    let alphanumeric = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let description = alphanumeric(description);
    let mut matching = rows.iter().filter(|row| {
        let name = alphanumeric(&row.name);
        !name.is_empty() && (description.starts_with(&name) || name.starts_with(&description))
    });
    match (matching.next(), matching.next()) {
        (Some(row), None) => Some(&row.isin),
        _ => None,
    }
}
