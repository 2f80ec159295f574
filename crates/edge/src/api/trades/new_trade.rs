//! Parsers of new and edited trades in JSON. The core validates the values.

use http_server::json_fields::JsonFields;
use prost_types::FieldMask;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Book, Broker, Exchange, NewTrade, Notes, Segment, Side, Trade, UpdateTradeRequest};

use crate::broker_account::parse_broker_account;
use crate::error_texts::{field_text, invalid_text};
use crate::timestamps::{invalid_time, parse_timestamp};

/// Parses the book of a request; errors are added to `fields`.
pub(crate) fn parse_book(fields: &mut JsonFields) -> Book {
    fields.require(&["broker", "tradetype"]);
    let broker = fields.parsed("broker", Broker::from_json_name, invalid_value).unwrap_or_default();
    let segment = fields.parsed("tradetype", Segment::from_json_name, invalid_value).unwrap_or_default();
    Book { broker: broker.into(), segment: segment.into(), broker_account: parse_broker_account(fields).unwrap_or(0) }
}

/// Parses a new trade; errors are added to `fields`, also if the trade names a book other than `book`.
pub(crate) fn parse_new_trade(fields: &mut JsonFields, book: Option<&Book>) -> NewTrade {
    fields.require(&["symbol", "price", "quantity", "timestamp", "type"]);
    let (broker, segment) = book.map(|book| (book.broker(), book.segment())).unzip();
    if differs(fields.parsed("broker", Broker::from_json_name, invalid_value), broker) {
        fields.add_error("broker", "differs", field_text("edge", "broker", "DIFFERS", &[]));
    }
    if differs(fields.parsed("tradetype", Segment::from_json_name, invalid_value), segment) {
        fields.add_error("tradetype", "differs", field_text("edge", "tradetype", "DIFFERS", &[]));
    }
    let account = book.map(|book| book.broker_account.max(1));
    if differs(parse_broker_account(fields), account) {
        fields.add_error("brokerAccount", "differs", field_text("edge", "brokerAccount", "DIFFERS", &[]));
    }
    // A new trade has the fields of an edit. Errors for missing ones were added above.
    let sent = parse_trade_edit(fields, 0).trade.unwrap_or_default();
    NewTrade {
        side: sent.side,
        exchange: if sent.exchange == 0 { Exchange::Nse.into() } else { sent.exchange },
        symbol: sent.symbol,
        quantity: sent.quantity,
        price: sent.price,
        executed_at: sent.executed_at,
        notes: sent.notes.filter(|notes| *notes != Notes::default()),
        pair_id: fields.text("pairId").unwrap_or_default(),
    }
}

fn invalid_value(field: &str) -> String {
    invalid_text("edge", field)
}

/// Returns true if both values are present and they differ.
fn differs<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
    left.is_some() && right.is_some() && left != right
}

/// Parses the edit of trade `id`, whose mask lists the fields that were sent; errors are added to `fields`.
pub(crate) fn parse_trade_edit(fields: &mut JsonFields, id: i64) -> UpdateTradeRequest {
    let mut mask = FieldMask::default();
    let executed_at = fields.parsed("timestamp", parse_timestamp, invalid_time);
    let exchange = fields.parsed("exchange", Exchange::from_json_name, invalid_value);
    let side = fields.parsed("type", Side::from_json_name, invalid_value);
    let trade = Trade {
        id,
        symbol: value_of(fields.text("symbol"), "symbol", &mut mask),
        price: value_of(fields.number("price"), "price", &mut mask),
        quantity: value_of(fields.number("quantity"), "quantity", &mut mask),
        executed_at: value_of(executed_at.map(Some), "executed_at", &mut mask),
        exchange: value_of(exchange.map(Into::into), "exchange", &mut mask),
        side: value_of(side.map(Into::into), "side", &mut mask),
        notes: Some(Notes {
            stock_name: value_of(fields.text("stockName"), "notes.stock_name", &mut mask),
            notes: value_of(fields.text("notes"), "notes.notes", &mut mask),
            psychology: value_of(fields.text("psychology"), "notes.psychology", &mut mask),
            market_outlook: value_of(fields.text("marketOutlook"), "notes.market_outlook", &mut mask),
            stop_loss: value_of(fields.number_or_null("stopLoss"), "notes.stop_loss", &mut mask),
        }),
        ..Trade::default()
    };
    UpdateTradeRequest { trade: Some(trade), update_mask: Some(mask) }
}

/// Returns the value of a field, and adds `path` to the mask if the field was sent.
fn value_of<T: Default>(sent: Option<T>, path: &str, mask: &mut FieldMask) -> T {
    mask.paths.extend(sent.as_ref().map(|_| path.to_owned()));
    sent.unwrap_or_default()
}
