//! Parsing of manually entered trades. Reports every violation of a trade at once.

use prost_types::{FieldMask, Timestamp};
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::requests::{MAX_BATCH_TRADES, parse_book, parse_exchange, parse_side, parse_time};
use crate::error::{Error, prefix_fields};
use crate::service::ReplacePart;
use crate::store::Edit;
use crate::trade::{Book, Exchange, Notes, Side, TimePrecision, Trade};

/// Maximum number of digits before the decimal point, and after it: half of the 28 digits of a decimal.
const MAX_DIGITS: usize = 14;

/// Parses the trade of an AddTrade request. Violations name fields below `trade`.
pub(super) fn parse_manual_trade(
    book: Option<wire::Book>,
    trade: Option<wire::NewTrade>,
) -> Result<(Book, Trade), Error> {
    let book = parse_book(book)?;
    let trade = parse_new_trade(trade.unwrap_or_default(), OffsetDateTime::now_utc());
    Ok((book, trade.map_err(|violations| Error::Invalid(prefix_fields("trade", violations)))?))
}

/// Parses a part of the stream after the head. `received` counts the trades, whose indexes appear in the paths of
/// fields.
pub(super) fn parse_replace_part(
    message: wire::ReplaceTradesRequest,
    received: &mut usize,
) -> Result<ReplacePart, Error> {
    match message.part {
        Some(wire::replace_trades_request::Part::Batch(batch)) if batch.trades.len() <= MAX_BATCH_TRADES => {
            let now = OffsetDateTime::now_utc();
            let mut trades = Vec::with_capacity(batch.trades.len());
            let mut violations = Vec::new();
            for trade in batch.trades {
                match parse_new_trade(trade, now) {
                    Ok(trade) => trades.push(trade),
                    Err(more) => violations.extend(prefix_fields(&format!("trades[{received}]"), more)),
                }
                *received += 1;
            }
            Ok(if violations.is_empty() { ReplacePart::Batch(trades) } else { ReplacePart::Invalid(violations) })
        }
        Some(wire::replace_trades_request::Part::Batch(_)) => {
            Err(Violation::new("batch.trades", "TOO_MANY").with("max", MAX_BATCH_TRADES).into())
        }
        Some(wire::replace_trades_request::Part::End(end)) => Ok(ReplacePart::End { trade_count: end.trades }),
        Some(wire::replace_trades_request::Part::Head(_)) | None => Err(Violation::new("part", "INVALID").into()),
    }
}

/// Fields of a trade that can be updated.
const UPDATABLE_PATHS: [&str; 11] = [
    "side",
    "symbol",
    "quantity",
    "price",
    "executed_at",
    "exchange",
    "notes.stock_name",
    "notes.notes",
    "notes.psychology",
    "notes.market_outlook",
    "notes.stop_loss",
];

/// Paths of an update mask; none for the fields that are not empty.
struct UpdateMask(Vec<String>);

impl UpdateMask {
    fn parse(mask: Option<FieldMask>) -> Result<Self, Violation> {
        let paths = mask.unwrap_or_default().paths;
        let is_valid = |path: &String| ["*", "notes"].iter().chain(&UPDATABLE_PATHS).any(|valid| valid == path);
        if paths.iter().all(is_valid) { Ok(Self(paths)) } else { Err(Violation::new("update_mask", "UNKNOWN_FIELD")) }
    }

    /// Returns `value` if the field at `path` is to be updated.
    fn select<T: Default + PartialEq>(&self, path: &str, value: T) -> Option<T> {
        let covers = |listed: &String| {
            listed == "*"
                || path.strip_prefix(listed.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_selected = if self.0.is_empty() { value != T::default() } else { self.0.iter().any(covers) };
        is_selected.then_some(value)
    }
}

/// Parses the number of a trade and its new values.
pub(super) fn parse_edit(request: wire::UpdateTradeRequest) -> Result<(i64, Edit), Error> {
    let mask = UpdateMask::parse(request.update_mask)?;
    let now = OffsetDateTime::now_utc();
    let sent = request.trade.unwrap_or_default();
    let (side, exchange) = (mask.select("side", sent.side), mask.select("exchange", sent.exchange));
    let symbol = mask.select("symbol", sent.symbol);
    let (quantity, price) = (mask.select("quantity", sent.quantity), mask.select("price", sent.price));
    let executed_at = mask.select("executed_at", sent.executed_at);
    let notes = sent.notes.unwrap_or_default();
    let stock_name = mask.select("notes.stock_name", notes.stock_name);
    let text = mask.select("notes.notes", notes.notes);
    let psychology = mask.select("notes.psychology", notes.psychology);
    let market_outlook = mask.select("notes.market_outlook", notes.market_outlook);
    // Parsed separately: the side of the price can only be checked with the stored trade.
    let stop_loss = mask.select("notes.stop_loss", notes.stop_loss);
    let stop_loss = stop_loss.map(|text| parse_stop_loss("notes.stop_loss", &text)).transpose();
    // Other fields get a valid placeholder, so that those of the update can be validated.
    let merged = wire::NewTrade {
        side: side.unwrap_or(wire::Side::Buy.into()),
        symbol: symbol.clone().unwrap_or("-".to_owned()),
        quantity: quantity.clone().unwrap_or("1".to_owned()),
        price: price.clone().unwrap_or("1".to_owned()),
        executed_at: executed_at.unwrap_or(Some(Timestamp { seconds: now.unix_timestamp(), nanos: 0 })),
        exchange: exchange.unwrap_or(wire::Exchange::Nse.into()),
        notes: Some(wire::Notes {
            stock_name: stock_name.clone().unwrap_or_default(),
            notes: text.clone().unwrap_or_default(),
            psychology: psychology.clone().unwrap_or_default(),
            market_outlook: market_outlook.clone().unwrap_or_default(),
            stop_loss: String::new(),
        }),
        pair_id: String::new(),
    };
    let (trade, stop_loss) = match (parse_new_trade(merged, now), stop_loss) {
        (Ok(trade), Ok(stop_loss)) => (trade, stop_loss),
        (trade, stop_loss) => {
            let violations = trade.err().unwrap_or_default().into_iter().chain(stop_loss.err());
            return Err(Error::Invalid(prefix_fields("trade", violations.collect())));
        }
    };
    let edit = Edit {
        side: side.map(|_| trade.side),
        symbol: symbol.map(|_| trade.symbol),
        quantity: quantity.map(|_| trade.quantity),
        price: price.map(|_| trade.price),
        executed_at: executed_at.map(|_| (trade.executed_at, trade.time_precision)),
        exchange: exchange.map(|_| trade.exchange),
        stock_name: stock_name.map(|_| trade.notes.stock_name),
        notes: text.map(|_| trade.notes.notes),
        psychology: psychology.map(|_| trade.notes.psychology),
        market_outlook: market_outlook.map(|_| trade.notes.market_outlook),
        stop_loss,
    };
    Ok((sent.id, edit))
}

/// Parses a trade; reports every invalid field, including those that cannot be parsed.
fn parse_new_trade(new: wire::NewTrade, now: OffsetDateTime) -> Result<Trade, Vec<Violation>> {
    let (side, exchange) = (parse_side(new.side()), parse_exchange(new.exchange()));
    let mut unreadable = Vec::new();
    let quantity = parse_amount(&new.quantity).map_err(|error| unreadable.push(error.into_quantity_violation())).ok();
    let price = parse_amount(&new.price).map_err(|error| unreadable.push(error.into_price_violation())).ok();
    let notes = new.notes.unwrap_or_default();
    let stop_loss =
        parse_stop_loss("notes.stop_loss", &notes.stop_loss).map_err(|error| unreadable.push(error)).ok().flatten();
    // Without a price and a side, the side of the stop loss cannot be checked.
    let stop_loss = stop_loss.filter(|_| price.is_some() && side.is_some());
    if side.is_none() {
        unreadable.push(Violation::new("side", "TYPE_MISSING"));
    }
    if exchange.is_none() {
        unreadable.push(Violation::new("exchange", "EXCHANGE_MISSING"));
    }
    let executed_at = new.executed_at.and_then(parse_time);
    if executed_at.is_none() {
        unreadable.push(Violation::new("executed_at", "TIME_MISSING"));
    }
    // A field that cannot be parsed gets a valid placeholder, so that the other fields are still validated.
    let (quantity, price) = (quantity.unwrap_or(Decimal::ONE), price.unwrap_or(Decimal::ONE));
    let executed_at = executed_at.unwrap_or(now);
    let validated = Trade {
        side: side.unwrap_or(Side::Buy),
        symbol: new.symbol.trim().to_uppercase(),
        isin: None,
        series: None,
        auction: false,
        quantity,
        price,
        value: quantity.checked_mul(price).unwrap_or(Decimal::MAX).round_dp(4),
        executed_at: truncate_to_micros(executed_at),
        time_precision: if executed_at.second() == 0 { TimePrecision::Minute } else { TimePrecision::Second },
        exchange: exchange.unwrap_or(Exchange::Nse),
        order_id: None,
        source_key: None,
        notes: Notes { stop_loss, ..parse_notes(notes) },
        pair_id: Some(new.pair_id).filter(|pair_id| !pair_id.is_empty()),
        contract: None,
    }
    .validate(now);
    let mut violations = match validated {
        Ok(trade) if unreadable.is_empty() => return Ok(trade),
        Ok(_) => Vec::new(),
        Err(violations) => violations,
    };
    // The value is calculated, so it is reported only if nothing else is invalid.
    if violations.len() + unreadable.len() > 1 {
        violations.retain(|rule| rule.field != "value");
    }
    unreadable.extend(violations.into_iter().map(|rule| match &*rule.field {
        "value" => Violation { field: "price".into(), ..rule },
        _ => rule,
    }));
    Err(unreadable)
}

/// Truncates to the precision of Postgres.
pub(super) fn truncate_to_micros(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1_000).unwrap_or(at)
}

fn parse_notes(notes: wire::Notes) -> Notes {
    let text = |text: String| if text.trim().is_empty() { String::new() } else { text.replace("\r\n", "\n") };
    Notes {
        stock_name: notes.stock_name.trim().to_owned(),
        notes: text(notes.notes),
        psychology: text(notes.psychology),
        market_outlook: text(notes.market_outlook),
        stop_loss: None,
    }
}

/// Parses a stop loss in `field`; empty text means none.
fn parse_stop_loss(field: &'static str, text: &str) -> Result<Option<Decimal>, Violation> {
    if text.is_empty() {
        return Ok(None);
    }
    let to_reason = |error| match error {
        AmountError::NotANumber => "STOP_LOSS_NOT_A_NUMBER",
        AmountError::TooLarge => "STOP_LOSS_OUT_OF_RANGE",
        AmountError::TooPrecise => "STOP_LOSS_TOO_PRECISE",
    };
    parse_amount(text).map(Some).map_err(|error| Violation::new(field, to_reason(error)))
}

/// Error of [`parse_amount`].
pub(super) enum AmountError {
    /// Not a plain decimal.
    NotANumber,
    /// Too many digits before the decimal point.
    TooLarge,
    /// Too many digits after the decimal point.
    TooPrecise,
}

impl AmountError {
    fn into_quantity_violation(self) -> Violation {
        let reason = match self {
            Self::NotANumber => "QUANTITY_NOT_A_NUMBER",
            Self::TooLarge => "QUANTITY_OUT_OF_RANGE",
            Self::TooPrecise => "QUANTITY_NOT_WHOLE",
        };
        Violation::new("quantity", reason)
    }

    fn into_price_violation(self) -> Violation {
        let reason = match self {
            Self::NotANumber => "PRICE_NOT_A_NUMBER",
            Self::TooLarge => "PRICE_OUT_OF_RANGE",
            Self::TooPrecise => "PRICE_TOO_PRECISE",
        };
        Violation::new("price", reason)
    }
}

/// Parses digits with an optional fraction and an optional leading minus; no exponent, no plus sign.
pub(super) fn parse_amount(text: &str) -> Result<Decimal, AmountError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(AmountError::NotANumber);
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    if whole.len() > MAX_DIGITS {
        return Err(AmountError::TooLarge);
    }
    if fraction.len() > MAX_DIGITS {
        return Err(AmountError::TooPrecise);
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    Decimal::from_str_exact(&format!("{sign}0{whole}.{fraction}0")).map_err(|_| AmountError::NotANumber)
}
