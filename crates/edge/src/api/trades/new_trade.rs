//! Parsers of new and edited trades in JSON. The core validates the values.

use http_server::json_fields::JsonFields;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Book, Broker, EditTradeRequest, Exchange, NewTrade, Notes, Segment, Side};

use crate::timestamps::{INVALID_TIME, parse_timestamp};

const INVALID_BROKER: &str = "Say zerodha or groww.";
const INVALID_SEGMENT: &str = "Say equity or fno.";
const INVALID_SIDE: &str = "Say buy or sell.";
const INVALID_EXCHANGE: &str = "Say NSE or BSE.";

/// Parses the book of a request; errors are added to `fields`.
pub(crate) fn parse_book(fields: &mut JsonFields) -> Book {
    fields.require(&["broker", "tradetype"]);
    let broker = fields.parsed("broker", Broker::from_json_name, INVALID_BROKER).unwrap_or_default();
    let segment = fields.parsed("tradetype", Segment::from_json_name, INVALID_SEGMENT).unwrap_or_default();
    Book { broker: broker.into(), segment: segment.into() }
}

/// Parses a new trade; errors are added to `fields`, also if the trade names a book other than `book`.
pub(crate) fn parse_new_trade(fields: &mut JsonFields, book: Option<&Book>) -> NewTrade {
    fields.require(&["symbol", "price", "quantity", "timestamp", "type"]);
    let (broker, segment) = book.map(|book| (book.broker(), book.segment())).unzip();
    if differs(fields.parsed("broker", Broker::from_json_name, INVALID_BROKER), broker) {
        fields.add_error("broker", "differs", "The trade names another broker than the request.");
    }
    if differs(fields.parsed("tradetype", Segment::from_json_name, INVALID_SEGMENT), segment) {
        fields.add_error("tradetype", "differs", "The trade names another trade type than the request.");
    }
    // A new trade has the fields of an edit. Errors for missing ones were added above.
    let edit = parse_trade_edit(fields, 0);
    let (side, exchange) = (edit.side(), edit.exchange.map_or(Exchange::Nse, |_| edit.exchange()));
    let notes = Notes {
        stock_name: edit.stock_name.unwrap_or_default(),
        notes: edit.notes.unwrap_or_default(),
        psychology: edit.psychology.unwrap_or_default(),
        market_outlook: edit.market_outlook.unwrap_or_default(),
        stop_loss: edit.stop_loss.unwrap_or_default(),
    };
    NewTrade {
        side: side.into(),
        symbol: edit.symbol.unwrap_or_default(),
        quantity: edit.quantity.unwrap_or_default(),
        price: edit.price.unwrap_or_default(),
        executed_at: edit.executed_at,
        exchange: exchange.into(),
        notes: (notes != Notes::default()).then_some(notes),
        pair_id: fields.text("pairId").unwrap_or_default(),
    }
}

/// Returns true if both values are present and they differ.
fn differs<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
    left.is_some() && right.is_some() && left != right
}

/// Parses the edit of trade `id`; errors are added to `fields`.
pub(crate) fn parse_trade_edit(fields: &mut JsonFields, id: i64) -> EditTradeRequest {
    EditTradeRequest {
        id,
        symbol: fields.text("symbol"),
        price: fields.number("price"),
        quantity: fields.number("quantity"),
        executed_at: fields.parsed("timestamp", parse_timestamp, INVALID_TIME),
        exchange: fields.parsed("exchange", Exchange::from_json_name, INVALID_EXCHANGE).map(Into::into),
        side: fields.parsed("type", Side::from_json_name, INVALID_SIDE).map(Into::into),
        stock_name: fields.text("stockName"),
        notes: fields.text("notes"),
        psychology: fields.text("psychology"),
        market_outlook: fields.text("marketOutlook"),
        stop_loss: fields.number_or_null("stopLoss"),
    }
}
