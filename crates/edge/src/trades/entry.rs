//! Trades as a trader writes them down: JSON to the core's words. What a trade may be, the core decides.

use prost_types::Timestamp;
use rpc::trades::v1::{Book, EditTradeRequest, Exchange, NewTrade, Notes};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::trades::fields::Fields;
use crate::words;

/// No time is written longer.
const LONGEST_TIME: usize = 40;

const BROKER: &str = "Say zerodha or groww.";
const SEGMENT: &str = "Say equity or fno.";
const SIDE: &str = "Say buy or sell.";
const EXCHANGE: &str = "Say NSE or BSE.";
pub(crate) const TIME: &str = "Say a time such as 2026-03-31T09:15:00, in India, or with an offset.";

/// The book that a request names. What is missing or wrong is remembered in `fields`.
pub(crate) fn book(fields: &mut Fields) -> Book {
    fields.require(&["broker", "tradetype"]);
    let broker = fields.word("broker", words::broker, BROKER).unwrap_or_default();
    let segment = fields.word("tradetype", words::segment, SEGMENT).unwrap_or_default();
    Book { broker: broker.into(), segment: segment.into() }
}

/// A new trade, of `book` where that is known already. What is missing or wrong is remembered in `fields`.
pub(crate) fn new_trade(fields: &mut Fields, book: Option<&Book>) -> NewTrade {
    fields.require(&["symbol", "price", "quantity", "timestamp", "type"]);
    let (broker, segment) = book.map(|book| (book.broker(), book.segment())).unzip();
    if differs(fields.word("broker", words::broker, BROKER), broker) {
        fields.wrong("broker", "differs", "The trade names another broker than the request.");
    }
    if differs(fields.word("tradetype", words::segment, SEGMENT), segment) {
        fields.wrong("tradetype", "differs", "The trade names another trade type than the request.");
    }
    // The same fields as of a correction; what is missing was remembered above.
    let sent = correction(fields, 0);
    let (side, exchange) = (sent.side(), sent.exchange.map_or(Exchange::Nse, |_| sent.exchange()));
    let notes = Notes {
        stock_name: sent.stock_name.unwrap_or_default(),
        notes: sent.notes.unwrap_or_default(),
        psychology: sent.psychology.unwrap_or_default(),
        market_outlook: sent.market_outlook.unwrap_or_default(),
        stop_loss: sent.stop_loss.unwrap_or_default(),
    };
    NewTrade {
        side: side.into(),
        symbol: sent.symbol.unwrap_or_default(),
        quantity: sent.quantity.unwrap_or_default(),
        price: sent.price.unwrap_or_default(),
        executed_at: sent.executed_at,
        exchange: exchange.into(),
        notes: (notes != Notes::default()).then_some(notes),
        pair_id: fields.text("pairId").unwrap_or_default(),
    }
}

/// Both are said, and they are not the same.
fn differs<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.is_some() && other.is_some() && one != other
}

/// The correction of a trade. What is wrong is remembered in `fields`.
pub(crate) fn correction(fields: &mut Fields, id: i64) -> EditTradeRequest {
    EditTradeRequest {
        id,
        symbol: fields.text("symbol"),
        price: fields.number("price"),
        quantity: fields.number("quantity"),
        executed_at: fields.word("timestamp", moment, TIME),
        exchange: fields.word("exchange", words::exchange, EXCHANGE).map(Into::into),
        side: fields.word("type", words::side, SIDE).map(Into::into),
        stock_name: fields.text("stockName"),
        notes: fields.text("notes"),
        psychology: fields.text("psychology"),
        market_outlook: fields.text("marketOutlook"),
        stop_loss: fields.number_or_null("stopLoss"),
    }
}

/// A time with its offset, or without one in India.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    if text.len() > LONGEST_TIME {
        return None;
    }
    let spellings = [text.to_owned(), format!("{text}+05:30"), format!("{text}:00+05:30")];
    let at = spellings.iter().find_map(|text| OffsetDateTime::parse(text, &Rfc3339).ok())?;
    Some(Timestamp { seconds: at.unix_timestamp(), nanos: i32::try_from(at.nanosecond()).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_without_an_offset_is_in_india() {
        let seconds = |text| moment(text).map(|at| at.seconds);
        // Midnight in India.
        for same in [
            "2026-04-01T00:00:00+05:30",
            "2026-03-31T18:30:00Z",
            "2026-04-01T00:00:00",
            "2026-04-01T00:00",
            "2026-04-01T00:00:00.000",
        ] {
            assert_eq!(seconds(same), Some(1_774_981_800), "{same}");
        }
        for wrong in [
            "",
            "2026-04-01",
            "2026-04-01T09",
            "2026-02-30T09:15",
            "2026-04-01T24:00",
            "9:15",
            "2026-04-01T09:15+05:30",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        assert_eq!(moment(&format!("2026-04-01T00:00:00.{}", "0".repeat(40))), None);
    }
}
