//! Sheet with the capital gains: a line for each sale and day of purchase.

use rpc::analytics::v1::{TaxHead, TaxLine};

use super::losses::head_title;
use super::table::Table;
use crate::cell::Cell;
use crate::columns::account_cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &[
        "Income",
        "Kind",
        "Symbol",
        "ISIN",
        "Account",
        "Quantity",
        "Bought on",
        "Sold on",
        "Sale value (INR)",
        "Cost (INR)",
        "Expenses without STT (INR)",
        "Gain (INR)",
        "Rate (%)",
        "Section",
        "Open data issue",
    ],
    totals: &[8, 9, 10, 11],
};

/// Returns true for a line with capital gains that are taxed.
pub(super) fn is_gain(line: &TaxLine) -> bool {
    matches!(line.head(), TaxHead::ShortTerm | TaxHead::LongTerm) && !line.law.is_empty()
}

/// Returns the cells of a line in this row.
pub(super) fn cells<'a>(line: &'a TaxLine, row: u32) -> Result<[Cell<'a>; 15], Error> {
    Ok([
        Cell::Text(head_title(line.head())?.into()),
        Cell::Text((&line.assets).into()),
        Cell::Text((&line.symbol).into()),
        Cell::Text((&line.isin).into()),
        account_cell(line.broker(), line.broker_account)?,
        Cell::number(&line.quantity)?,
        Cell::day(&line.bought)?,
        Cell::day(&line.sold)?,
        Cell::number(&line.sell_value)?,
        Cell::number(&line.buy_value)?,
        Cell::number(&line.other_charges)?,
        Cell::formula(format!("=I{row}-J{row}-K{row}"), &line.income)?,
        rate_cell(line)?,
        Cell::Text((&line.law).into()),
        Cell::Text(if line.open_issue { "may change" } else { "" }.into()),
    ])
}

/// Returns the tax rate of a line; a word for the rate of the trader's other income, and for gains that are not taxed.
pub(super) fn rate_cell(line: &TaxLine) -> Result<Cell<'_>, Error> {
    let is_business = matches!(line.head(), TaxHead::Speculative | TaxHead::NonSpeculative);
    match (line.rate_percent.as_str(), line.law.as_str()) {
        ("", "") if !is_business => Ok(Cell::Text("not taxed".into())),
        ("", "") => Ok(Cell::Text("".into())),
        ("", _) => Ok(Cell::Text("slab".into())),
        (percent, _) => Cell::number(percent),
    }
}
