//! Sheet with the business income of each month.

use rpc::analytics::v1::{TaxHead, TaxLine};
use rust_decimal::Decimal;

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &[
        "Month",
        "Intraday: turnover (INR)",
        "Intraday: gross (INR)",
        "Intraday: charges (INR)",
        "Intraday: net (INR)",
        "F&O: turnover (INR)",
        "F&O: gross (INR)",
        "F&O: charges (INR)",
        "F&O: net (INR)",
    ],
    totals: &[1, 2, 3, 4, 5, 6, 7, 8],
};

/// Sums of one month: turnover, gross and charges of intraday trades, then those of futures and options.
pub(super) struct Month {
    /// Such as `2025-04`.
    name: String,
    amounts: [Decimal; 6],
}

/// Returns the months with business income, the oldest first.
pub(super) fn months(lines: &[TaxLine]) -> Result<Vec<Month>, Error> {
    let mut months: Vec<Month> = Vec::new();
    for line in lines {
        let first = match line.head() {
            TaxHead::Speculative => 0,
            TaxHead::NonSpeculative => 3,
            TaxHead::ShortTerm | TaxHead::LongTerm | TaxHead::OtherSources | TaxHead::Unspecified => continue,
        };
        // A short position is closed by buying.
        let closed = (&line.bought).max(&line.sold);
        let name = closed.get(..7).ok_or(Error::InvalidTime)?;
        let index = months.iter().position(|month| month.name == name).unwrap_or_else(|| {
            months.push(Month { name: name.to_owned(), amounts: [Decimal::ZERO; 6] });
            months.len() - 1
        });
        let gross = parse_amount(&line.gross)?;
        let charges = parse_amount(&line.stt)? + parse_amount(&line.other_charges)?;
        let sums = months.get_mut(index).map(|month| month.amounts.iter_mut().skip(first));
        for (sum, amount) in sums.into_iter().flatten().zip([gross.abs(), gross, charges]) {
            *sum += amount;
        }
    }
    months.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(months)
}

/// Returns the cells of a month in this row.
pub(super) fn cells(month: &Month, row: u32) -> Result<[Cell<'_>; 9], Error> {
    let [turnover, gross, charges, fno_turnover, fno_gross, fno_charges] = month.amounts;
    Ok([
        Cell::Text((&month.name).into()),
        Cell::Decimal(turnover),
        Cell::Decimal(gross),
        Cell::Decimal(charges),
        Cell::Formula(format!("=C{row}-D{row}"), gross - charges),
        Cell::Decimal(fno_turnover),
        Cell::Decimal(fno_gross),
        Cell::Decimal(fno_charges),
        Cell::Formula(format!("=G{row}-H{row}"), fno_gross - fno_charges),
    ])
}
