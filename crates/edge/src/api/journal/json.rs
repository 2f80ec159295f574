//! JSON of journal entries.

use rpc::journal::v1::{Entry, ListEntriesResponse};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::json::{JsonError, enum_name, raw_decimal};
use crate::timestamps::format_required_timestamp;

/// Page of entries.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntriesPageJson {
    data: Vec<EntryJson>,
    total: i64,
    pnl: Box<RawValue>,
    wins: i64,
    anonymous: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl TryFrom<ListEntriesResponse> for EntriesPageJson {
    type Error = JsonError;

    fn try_from(response: ListEntriesResponse) -> Result<Self, JsonError> {
        Ok(Self {
            data: response.entries.into_iter().map(EntryJson::try_from).collect::<Result<_, _>>()?,
            total: response.total,
            pnl: raw_decimal(response.pnl)?,
            wins: response.wins,
            anonymous: response.opened_by_key,
            next_cursor: Some(response.next_page_token).filter(|cursor| !cursor.is_empty()),
        })
    }
}

/// Journal entry.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryJson {
    id: String,
    r#type: &'static str,
    symbol: String,
    buy_price: Box<RawValue>,
    quantity: Box<RawValue>,
    sell_price: Box<RawValue>,
    target_price: Box<RawValue>,
    stop_loss: Box<RawValue>,
    buy_date_time: String,
    sell_date_time: String,
    pnl: Box<RawValue>,
    status: &'static str,
}

impl TryFrom<Entry> for EntryJson {
    type Error = JsonError;

    fn try_from(Entry { id, entry, pnl, win }: Entry) -> Result<Self, JsonError> {
        let entry = entry.unwrap_or_default();
        Ok(Self {
            id: id.to_string(),
            r#type: enum_name(entry.kind())?,
            symbol: entry.symbol,
            buy_price: raw_decimal(entry.buy_price)?,
            quantity: raw_decimal(entry.quantity)?,
            sell_price: raw_decimal(entry.sell_price)?,
            target_price: raw_decimal(entry.target_price)?,
            stop_loss: raw_decimal(entry.stop_loss)?,
            buy_date_time: format_required_timestamp(entry.bought_at.as_ref())?,
            sell_date_time: format_required_timestamp(entry.sold_at.as_ref())?,
            pnl: raw_decimal(pnl)?,
            status: if win { "WIN" } else { "LOSS" },
        })
    }
}
