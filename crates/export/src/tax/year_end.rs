//! Sheet with the positions that were open at the end of the year.

use rpc::analytics::v1::{Direction, Instrument, OpenPosition};
use rust_decimal::Decimal;

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::columns::account_cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &[
        "Account",
        "Symbol",
        "Kind",
        "Side",
        "Quantity",
        "Entry value (INR)",
        "Average price (INR)",
        "First opened on",
        "Expiry",
        "Note",
    ],
    // Cost of long and proceeds of short positions do not add up.
    totals: &[],
    widths: &[(1, 26.0), (5, 18.0), (6, 18.0), (9, 60.0)],
};

/// Decimals of an average price.
const PRICE_DECIMALS: u32 = 4;

/// Returns the cells of a position in this row.
pub(super) fn cells(position: &OpenPosition, row: u32) -> Result<[Cell<'_>; 10], Error> {
    let book = position.book.as_ref().ok_or(Error::Unspecified("book"))?;
    let kind = match position.instrument() {
        Instrument::Equity => "Share",
        Instrument::Future => "Future",
        Instrument::Call => "Call option",
        Instrument::Put => "Put option",
        Instrument::Unspecified => "",
    };
    let side = match position.direction() {
        Direction::Long => "Long",
        Direction::Short => "Short",
        Direction::Unspecified => "",
    };
    let note = if position.awaiting_settlement {
        "Expired without a settlement price: in no total"
    } else if position.fraction {
        "Fraction of a share that a corporate action left"
    } else if position.direction() == Direction::Short {
        "Entry value is what was received"
    } else {
        ""
    };
    let (value, quantity) = (parse_amount(&position.value)?, parse_amount(&position.quantity)?);
    let average = value.checked_div(quantity).unwrap_or(Decimal::ZERO).round_dp(PRICE_DECIMALS);
    Ok([
        account_cell(book.broker(), book.broker_account)?,
        Cell::Text((&position.symbol).into()),
        Cell::Text(kind.into()),
        Cell::Text(side.into()),
        Cell::number(&position.quantity)?,
        Cell::number(&position.value)?,
        Cell::Formula(format!("=ROUND(F{row}/E{row},{PRICE_DECIMALS})"), average),
        Cell::day(&position.opened_on)?,
        Cell::Text((&position.expiry).into()),
        Cell::Text(note.into()),
    ])
}
