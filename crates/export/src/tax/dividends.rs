//! Sheet with the dividends of the year.

use rpc::analytics::v1::DividendLine;

use super::table::Table;
use crate::cell::Cell;
use crate::columns::account_cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> =
    Table { header: &["Day", "Paid by", "Account", "Dividend (INR)", "Tax deducted (INR)", "Note"], totals: &[3, 4] };

/// Returns the cells of a dividend.
pub(super) fn cells(line: &DividendLine) -> Result<[Cell<'_>; 6], Error> {
    Ok([
        Cell::day(&line.day)?,
        Cell::Text((&line.name).into()),
        account_cell(line.broker(), line.broker_account)?,
        Cell::number(&line.amount)?,
        Cell::number(&line.tax_deducted)?,
        Cell::Text(if line.is_buyback { "Shares bought back by the company, a dividend by law" } else { "" }.into()),
    ])
}
