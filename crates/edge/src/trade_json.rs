//! JSON of a trade.
//!
//! Written by hand: decimals are copied as text and never converted to a float, and long lists are written fast.

use rpc::trades::v1::Trade;
use serde_json::value::RawValue;
use time::format_description::well_known::Rfc3339;

use crate::json::{JsonError, check_decimal, enum_name};
use crate::timestamps::to_date_time;

/// Approximate size of a trade in JSON.
const TRADE_BYTES: usize = 224;

/// Returns the JSON of one trade.
pub(crate) fn trade_to_json(trade: &Trade) -> Result<Box<RawValue>, JsonError> {
    let mut json = Vec::with_capacity(TRADE_BYTES);
    push_trade(&mut json, trade)?;
    Ok(serde_json::from_slice(&json)?)
}

/// Returns the elements of a JSON array of trades, separated by commas; with a leading comma unless they are the first.
pub(crate) fn trades_to_json(trades: &[Trade], mut is_first: bool) -> Result<Vec<u8>, JsonError> {
    let mut json = Vec::with_capacity(trades.len() * TRADE_BYTES);
    for trade in trades {
        if !std::mem::take(&mut is_first) {
            json.push(b',');
        }
        push_trade(&mut json, trade)?;
    }
    Ok(json)
}

fn push_trade(out: &mut Vec<u8>, trade: &Trade) -> Result<(), JsonError> {
    let book = trade.book.as_ref().ok_or(JsonError::MissingBook)?;
    push(out, &["{\"_id\":\"", &trade.id.to_string(), "\",\"type\":\"", enum_name(trade.side())?]);
    push(out, &["\",\"symbol\":"]);
    serde_json::to_writer(&mut *out, &trade.symbol)?;
    push(out, &[",\"quantity\":", check_decimal(&trade.quantity)?, ",\"price\":", check_decimal(&trade.price)?]);
    push(out, &[",\"value\":", check_decimal(&trade.value)?, ",\"timestamp\":\""]);
    let at = trade.executed_at.as_ref().ok_or(JsonError::InvalidTime)?;
    to_date_time(at)?.format_into(out, &Rfc3339).map_err(|_| JsonError::InvalidTime)?;
    push(out, &["\",\"timePrecision\":\"", enum_name(trade.time_precision())?]);
    push(out, &["\",\"broker\":\"", enum_name(book.broker())?]);
    push(out, &["\",\"tradetype\":\"", enum_name(book.segment())?]);
    push(out, &["\",\"exchange\":\"", enum_name(trade.exchange())?, "\""]);
    if book.broker_account != 0 {
        push(out, &[",\"brokerAccount\":", &book.broker_account.to_string()]);
    }
    let notes = trade.notes.as_ref();
    let texts = [
        (",\"stockName\":", notes.map(|notes| &notes.stock_name)),
        (",\"notes\":", notes.map(|notes| &notes.notes)),
        (",\"psychology\":", notes.map(|notes| &notes.psychology)),
        (",\"marketOutlook\":", notes.map(|notes| &notes.market_outlook)),
        (",\"pairId\":", Some(&trade.pair_id)),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            push(out, &[name]);
            serde_json::to_writer(&mut *out, text)?;
        }
    }
    if let Some(stop_loss) = notes.map(|notes| &notes.stop_loss).filter(|stop_loss| !stop_loss.is_empty()) {
        push(out, &[",\"stopLoss\":", check_decimal(stop_loss)?]);
    }
    if trade.imported {
        push(out, &[",\"imported\":true"]);
    }
    if trade.edited {
        push(out, &[",\"edited\":true"]);
    }
    if let Some(contract) = &trade.contract {
        push(out, &[",\"contract\":"]);
        serde_json::to_writer(&mut *out, contract)?;
    }
    push(out, &["}"]);
    Ok(())
}

fn push(out: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        out.extend_from_slice(text.as_bytes());
    }
}
