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
        "Open on",
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
};

/// Decimals of an average price.
const PRICE_DECIMALS: u32 = 4;

/// Returns the cells of a position, open at the end of `day`, in this row.
pub(super) fn cells<'a>(position: &'a OpenPosition, day: &str, row: u32) -> Result<[Cell<'a>; 11], Error> {
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
        Cell::day(day)?,
        account_cell(book.broker(), book.broker_account)?,
        Cell::Text((&position.symbol).into()),
        Cell::Text(kind.into()),
        Cell::Text(side.into()),
        Cell::number(&position.quantity)?,
        Cell::number(&position.value)?,
        Cell::Formula(format!("=ROUND(G{row}/F{row},{PRICE_DECIMALS})"), average),
        Cell::day(&position.opened_on)?,
        // Only the month of some expiries is known.
        Cell::day(&position.expiry).unwrap_or_else(|_| Cell::Text((&position.expiry).into())),
        Cell::Text(note.into()),
    ])
}
