//! The columns of an exported trade.

use rpc::trades::v1::{Broker, Notes, Segment, Side, TimePrecision, Trade};
use time::PrimitiveDateTime;
use time::macros::offset;

use crate::record::{self, Unwritable};
use crate::words::{self, Wordless};

pub(crate) const HEADER: [&str; 14] = [
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

/// A cell, by what a spreadsheet should take it for.
pub(crate) enum Cell<'t> {
    /// Whatever a trader or a broker wrote, and our own words.
    Text(&'t str),
    /// A plain decimal.
    Number(&'t str),
    /// As exactly as it is known.
    Time(PrimitiveDateTime, TimePrecision),
}

/// The cells of a trade, in the order of [`HEADER`].
pub(crate) fn cells(trade: &Trade) -> Result<[Cell<'_>; 14], Unwritable> {
    let book = trade.book.as_ref().ok_or(Unwritable::NoBook)?;
    let at = record::moment(trade.executed_at.as_ref().ok_or(Unwritable::Time)?)?.to_offset(offset!(+5:30));
    let at = PrimitiveDateTime::new(at.date(), at.time());
    let note = |of: fn(&Notes) -> &String| trade.notes.as_ref().map_or("", |notes| of(notes).as_str());
    Ok([
        Cell::Text(side(trade.side())?),
        Cell::Text(&trade.symbol),
        Cell::Number(record::number(&trade.quantity)?),
        Cell::Number(record::number(&trade.price)?),
        Cell::Number(record::number(&trade.value)?),
        Cell::Time(at, trade.time_precision()),
        Cell::Text(broker(book.broker())?),
        Cell::Text(segment(book.segment())?),
        Cell::Text(words::of_exchange(trade.exchange())?),
        Cell::Text(note(|notes| &notes.stock_name)),
        Cell::Text(note(|notes| &notes.notes)),
        Cell::Text(note(|notes| &notes.psychology)),
        Cell::Text(note(|notes| &notes.market_outlook)),
        match note(|notes| &notes.stop_loss) {
            "" => Cell::Text(""),
            stop_loss => Cell::Number(record::number(stop_loss)?),
        },
    ])
}

fn side(side: Side) -> Result<&'static str, Wordless> {
    match side {
        Side::Buy => Ok("BUY"),
        Side::Sell => Ok("SELL"),
        Side::Unspecified => Err(Wordless("a side")),
    }
}

pub(crate) fn broker(broker: Broker) -> Result<&'static str, Wordless> {
    match broker {
        Broker::Zerodha => Ok("Zerodha"),
        Broker::Groww => Ok("Groww"),
        Broker::Unspecified => Err(Wordless("a broker")),
    }
}

fn segment(segment: Segment) -> Result<&'static str, Wordless> {
    match segment {
        Segment::Equity => Ok("Equity"),
        Segment::Fno => Ok("Future & Option"),
        Segment::Unspecified => Err(Wordless("a segment")),
    }
}
