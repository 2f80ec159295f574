//! Rows of the derivatives summary for contracts that are carried from or to another day: `BF` and `CF`. They are no
//! trades, but their money is in the obligation.

use rust_decimal::Decimal;

use super::amount;
use crate::pdf::Line;

/// Figures of a row: quantity, rates, and the net total.
const MIN_FIGURES: usize = 2;

/// Returns the cash flow of all such rows.
pub(super) fn sum(lines: &[Line], is_payable_positive: bool) -> Decimal {
    let total: Decimal = lines.iter().filter_map(read_row).sum();
    if is_payable_positive { -total } else { total }
}

/// Returns the net total of a row, which is the last figure.
fn read_row(line: &Line) -> Option<Decimal> {
    let mut items = line.items.iter().skip_while(|item| item.text != "BF" && item.text != "CF").skip(1).peekable();
    items.peek()?;
    let mut figures: Vec<Decimal> = Vec::new();
    for item in items {
        if amount::is_suffix(&item.text) {
            if item.text.eq_ignore_ascii_case("dr")
                && let Some(last) = figures.last_mut()
            {
                *last = -last.abs();
            }
        } else if let Some(figure) = amount::parse(&item.text) {
            figures.push(figure.value);
        }
    }
    figures.last().copied().filter(|_| figures.len() >= MIN_FIGURES)
}
