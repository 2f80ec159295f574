//! Columns of an exported trade.

use rpc::trades::v1::{Broker, Exchange, Notes, Segment, Side, Trade};

use crate::cell::Cell;
use crate::error::Error;

/// Names of the columns.
pub const HEADER: [&str; 14] = [
    "Type",
    "Symbol",
    "Quantity",
    "Price (INR)",
    "Value (INR)",
    "Time (India)",
    "Broker",
    "Trade type",
    "Exchange",
    "Stock name",
    "Notes",
    "Psychology",
    "Market outlook",
    "Stop loss (INR)",
];

/// Returns the cells of a trade, in the order of [`HEADER`].
pub fn trade_cells(trade: &Trade) -> Result<[Cell<'_>; 14], Error> {
    let book = trade.book.as_ref().ok_or(Error::MissingBook)?;
    let note = |field: fn(&Notes) -> &String| trade.notes.as_ref().map_or("", |notes| field(notes).as_str());
    Ok([
        Cell::Text(side_label(trade.side())?.into()),
        Cell::Text((&trade.symbol).into()),
        Cell::number(&trade.quantity)?,
        Cell::number(&trade.price)?,
        Cell::number(&trade.value)?,
        Cell::time(trade.executed_at.as_ref(), trade.time_precision())?,
        account_cell(book.broker(), book.broker_account)?,
        Cell::Text(segment_label(book.segment())?.into()),
        Cell::Text(exchange_label(trade.exchange())?.into()),
        Cell::Text(note(|notes| &notes.stock_name).into()),
        Cell::Text(note(|notes| &notes.notes).into()),
        Cell::Text(note(|notes| &notes.psychology).into()),
        Cell::Text(note(|notes| &notes.market_outlook).into()),
        Cell::optional_number(note(|notes| &notes.stop_loss))?,
    ])
}

fn side_label(side: Side) -> Result<&'static str, Error> {
    match side {
        Side::Buy => Ok("BUY"),
        Side::Sell => Ok("SELL"),
        Side::Unspecified => Err(Error::Unspecified("side")),
    }
}

/// Returns the cell of an account with a broker, such as `Zerodha` for the first and `Zerodha 2` for the second.
pub(crate) fn account_cell(broker: Broker, number: u32) -> Result<Cell<'static>, Error> {
    let broker = broker_label(broker)?;
    Ok(Cell::Text(if number <= 1 { broker.into() } else { format!("{broker} {number}").into() }))
}

pub(crate) fn broker_label(broker: Broker) -> Result<&'static str, Error> {
    rpc::broker::Broker::from_wire(broker).map(rpc::broker::Broker::title).ok_or(Error::Unspecified("broker"))
}

fn segment_label(segment: Segment) -> Result<&'static str, Error> {
    match segment {
        Segment::Equity => Ok("Equity"),
        Segment::Fno => Ok("Future & Option"),
        Segment::Unspecified => Err(Error::Unspecified("segment")),
    }
}

fn exchange_label(exchange: Exchange) -> Result<&'static str, Error> {
    match exchange {
        Exchange::Nse => Ok("NSE"),
        Exchange::Bse => Ok("BSE"),
        Exchange::Unspecified => Err(Error::Unspecified("exchange")),
    }
}
