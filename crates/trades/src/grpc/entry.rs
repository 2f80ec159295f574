//! Trades that a trader writes down, from the wire, with every rule that they break.

use prost_types::Timestamp;
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::read::{LARGEST_BATCH, read_book, read_exchange, read_side, read_time};
use crate::error::Error;
use crate::service::ReplacePart;
use crate::store::Edit;
use crate::trade::{Book, Exchange, Notes, Side, TimePrecision, Trade, violation};

/// What a decimal holds.
const MOST_DIGITS: usize = 28;

/// The trade of one entry; its fields are named below `trade`.
pub(super) fn read_entry(book: Option<wire::Book>, trade: Option<wire::NewTrade>) -> Result<(Book, Trade), Error> {
    let book = read_book(book)?;
    let trade = read_new(trade.unwrap_or_default(), OffsetDateTime::now_utc());
    Ok((book, trade.map_err(|broken| Error::Invalid(below("trade", broken)))?))
}

/// What comes after the head. `received` counts the trades, so that each is named by its place.
pub(super) fn read_replace_part(
    message: wire::ReplaceTradesRequest,
    received: &mut usize,
) -> Result<ReplacePart, Error> {
    match message.part {
        Some(wire::replace_trades_request::Part::Batch(batch)) if batch.trades.len() <= LARGEST_BATCH => {
            let now = OffsetDateTime::now_utc();
            let mut trades = Vec::with_capacity(batch.trades.len());
            let mut broken = Vec::new();
            for trade in batch.trades {
                match read_new(trade, now) {
                    Ok(trade) => trades.push(trade),
                    Err(rules) => broken.extend(below(&format!("trades.{received}"), rules)),
                }
                *received += 1;
            }
            Ok(if broken.is_empty() { ReplacePart::Batch(trades) } else { ReplacePart::Broken(broken) })
        }
        Some(wire::replace_trades_request::Part::Batch(_)) => {
            Err(Error::field("batch", "A batch has at most 2,000 trades."))
        }
        Some(wire::replace_trades_request::Part::End(end)) => Ok(ReplacePart::End(end.trades)),
        Some(wire::replace_trades_request::Part::Head(_)) | None => {
            Err(Error::field("part", "After the head come batches and the end."))
        }
    }
}

/// What is to be different about a trade; the fields are named as they are in the log.
pub(super) fn read_edit(request: wire::EditTradeRequest) -> Result<Edit, Error> {
    let now = OffsetDateTime::now_utc();
    let (side, exchange) = (request.side.map(|_| request.side()), request.exchange.map(|_| request.exchange()));
    // What is not sent is stood in for by something sound.
    let or = |sent: &Option<String>, sound: &str| sent.as_deref().unwrap_or(sound).to_owned();
    let whole = wire::NewTrade {
        side: side.unwrap_or(wire::Side::Buy).into(),
        symbol: or(&request.symbol, "-"),
        quantity: or(&request.quantity, "1"),
        price: or(&request.price, "1"),
        executed_at: request.executed_at.or(Some(Timestamp { seconds: now.unix_timestamp(), nanos: 0 })),
        exchange: exchange.unwrap_or(wire::Exchange::Nse).into(),
        notes: Some(wire::Notes {
            stock_name: or(&request.stock_name, ""),
            notes: or(&request.notes, ""),
            psychology: or(&request.psychology, ""),
            market_outlook: or(&request.market_outlook, ""),
            // On which side of the price it must be is known where the trade is.
            stop_loss: String::new(),
        }),
        pair_id: String::new(),
    };
    let (trade, stop_loss) = (read_new(whole, now), request.stop_loss.as_deref().map(read_stop_loss).transpose());
    let (trade, stop_loss) = match (trade, stop_loss) {
        (Ok(trade), Ok(stop_loss)) => (trade, stop_loss),
        (trade, stop_loss) => {
            let broken = [trade.err(), stop_loss.err().map(|broken| vec![broken])];
            return Err(Error::Invalid(broken.into_iter().flatten().flatten().collect()));
        }
    };
    Ok(Edit {
        side: side.map(|_| trade.side),
        symbol: request.symbol.map(|_| trade.symbol),
        quantity: request.quantity.map(|_| trade.quantity),
        price: request.price.map(|_| trade.price),
        executed_at: request.executed_at.map(|_| (trade.executed_at, trade.time_precision)),
        exchange: exchange.map(|_| trade.exchange),
        stock_name: request.stock_name.map(|_| trade.notes.stock_name),
        notes: request.notes.map(|_| trade.notes.notes),
        psychology: request.psychology.map(|_| trade.notes.psychology),
        market_outlook: request.market_outlook.map(|_| trade.notes.market_outlook),
        stop_loss,
    })
}

fn below(path: &str, broken: Vec<Violation>) -> Vec<Violation> {
    broken.into_iter().map(|rule| Violation { field: format!("{path}.{}", rule.field).into(), ..rule }).collect()
}

/// The trade, or every rule that it breaks, also where some fields cannot be read at all.
fn read_new(new: wire::NewTrade, now: OffsetDateTime) -> Result<Trade, Vec<Violation>> {
    let (side, exchange) = (read_side(new.side()), read_exchange(new.exchange()));
    let mut unread = Vec::new();
    let quantity = read_amount(&new.quantity).map_err(|why| unread.push(why.of_quantity())).ok();
    let price = read_amount(&new.price).map_err(|why| unread.push(why.of_price())).ok();
    let mut notes = new.notes.unwrap_or_default();
    let stop_loss =
        read_stop_loss(&std::mem::take(&mut notes.stop_loss)).map_err(|why| unread.push(why)).ok().flatten();
    // Beside a price that stands in for another it can be on no wrong side.
    let stop_loss = stop_loss.filter(|_| price.is_some() && side.is_some());
    if side.is_none() {
        unread.push(violation("type", "TYPE_MISSING", "A trade is a buy or a sell."));
    }
    if exchange.is_none() {
        unread.push(violation("exchange", "EXCHANGE_MISSING", "A trade is made on NSE or BSE."));
    }
    let executed_at = new.executed_at.and_then(|at| read_time(at, "timestamp").ok());
    if executed_at.is_none() {
        unread.push(violation("timestamp", "TIME_MISSING", "A trade has a time."));
    }
    // What was read is checked even so; what was not is stood in for by something sound.
    let (quantity, price) = (quantity.unwrap_or(Decimal::ONE), price.unwrap_or(Decimal::ONE));
    let executed_at = executed_at.unwrap_or(now);
    let checked = Trade {
        side: side.unwrap_or(Side::Buy),
        symbol: new.symbol.trim().to_uppercase(),
        isin: None,
        quantity,
        price,
        value: quantity.checked_mul(price).unwrap_or(Decimal::MAX).round_dp(4),
        executed_at: to_the_microsecond(executed_at),
        time_precision: if executed_at.second() == 0 { TimePrecision::Minute } else { TimePrecision::Second },
        exchange: exchange.unwrap_or(Exchange::Nse),
        order_id: None,
        source_key: None,
        notes: Notes { stop_loss, ..read_notes(notes) },
        pair_id: Some(new.pair_id).filter(|pair_id| !pair_id.is_empty()),
        contract: None,
    }
    .checked(now);
    let mut broken = match checked {
        Ok(trade) if unread.is_empty() => return Ok(trade),
        Ok(_) => Vec::new(),
        Err(broken) => broken,
    };
    // The value is worked out, so it is only at fault where quantity and price are not.
    if broken.len() + unread.len() > 1 {
        broken.retain(|rule| rule.field != "value");
    }
    unread.extend(broken.into_iter().map(|rule| match &*rule.field {
        "value" => Violation { field: "price".into(), ..rule },
        _ => rule,
    }));
    Err(unread)
}

/// What Postgres keeps of a time.
pub(super) fn to_the_microsecond(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1_000).unwrap_or(at)
}

fn read_notes(notes: wire::Notes) -> Notes {
    let text = |text: String| if text.trim().is_empty() { String::new() } else { text.replace("\r\n", "\n") };
    Notes {
        stock_name: notes.stock_name.trim().to_owned(),
        notes: text(notes.notes),
        psychology: text(notes.psychology),
        market_outlook: text(notes.market_outlook),
        stop_loss: None,
    }
}

/// A stop loss; none where it is empty.
fn read_stop_loss(text: &str) -> Result<Option<Decimal>, Violation> {
    let refused = |reason, message| violation("stopLoss", reason, message);
    match read_amount(text) {
        _ if text.is_empty() => Ok(None),
        Ok(price) => Ok(Some(price)),
        Err(Unread::NotANumber) => Err(refused("STOP_LOSS_NOT_A_NUMBER", "Stop loss must be a number.")),
        Err(Unread::TooLarge) => {
            Err(refused("STOP_LOSS_OUT_OF_RANGE", "Stop loss must be above 0 and below 1,00,00,00,00,000."))
        }
        Err(Unread::TooPrecise) => Err(refused("STOP_LOSS_TOO_PRECISE", "Stop loss has at most 4 decimals.")),
    }
}

/// Why an amount was not read.
pub(super) enum Unread {
    /// It is no plain decimal.
    NotANumber,
    /// More digits before the point than we know.
    TooLarge,
    /// More digits behind it.
    TooPrecise,
}

impl Unread {
    pub(super) fn of_quantity(self) -> Violation {
        match self {
            Self::NotANumber => violation("quantity", "QUANTITY_NOT_A_NUMBER", "Quantity must be a number."),
            Self::TooLarge => {
                violation("quantity", "QUANTITY_OUT_OF_RANGE", "Quantity must be above 0 and below 1,00,00,00,000.")
            }
            Self::TooPrecise => violation("quantity", "QUANTITY_NOT_WHOLE", "Quantity must be a whole number."),
        }
    }

    pub(super) fn of_price(self) -> Violation {
        match self {
            Self::NotANumber => violation("price", "PRICE_NOT_A_NUMBER", "Price must be a number."),
            Self::TooLarge => {
                violation("price", "PRICE_OUT_OF_RANGE", "Price must be above 0 and below 1,00,00,00,00,000.")
            }
            Self::TooPrecise => violation("price", "PRICE_TOO_PRECISE", "Price has at most 4 decimals."),
        }
    }
}

/// Digits, an optional point with digits behind it, an optional leading minus.
pub(super) fn read_amount(text: &str) -> Result<Decimal, Unread> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if !plain(whole) || !plain(fraction) {
        return Err(Unread::NotANumber);
    }
    if whole.trim_start_matches('0').len() > MOST_DIGITS / 2 {
        return Err(Unread::TooLarge);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > MOST_DIGITS / 2 {
        return Err(Unread::TooPrecise);
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = whole.trim_start_matches('0');
    Decimal::from_str_exact(&format!("{sign}0{whole}.{fraction}0")).map_err(|_| Unread::NotANumber)
}
