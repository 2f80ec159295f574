//! Journal entries: parsing from requests, listing and export.

use bytes::Bytes;
use futures_util::{Stream, stream};
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::journal::v1::{Kind, ListEntriesRequest, ListEntriesResponse, NewEntry};
use rpc::json::JsonName as _;

use crate::api::journal::json::EntryJson;
use crate::call::{self, Context};
use crate::caller::Trader;
use crate::error_texts::invalid_text;
use crate::json::JsonError;
use crate::state::Shared;
use crate::stream_error::StreamError;
use crate::timestamps::{invalid_time, parse_timestamp};

/// Number of entries per core call of an export.
const EXPORT_PAGE_SIZE: i32 = 500;

/// Returns a page of entries.
pub(crate) async fn list_entries(
    app: &Shared,
    context: &Context,
    request: ListEntriesRequest,
) -> Result<ListEntriesResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        let mut journals = app.clients.journals.clone();
        let request = context.request(request.clone(), deadline);
        async move { journals.list_entries(request).await }
    })
    .await
}

/// Position of an export in the entries: first all intraday entries, then all equity entries, newest first.
struct Position {
    kind: Kind,
    /// Token of the next page; empty at the start of a kind.
    page_token: String,
    /// True if an entry has been sent.
    has_entries: bool,
}

/// Streams the elements of the JSON array of all entries in the journal of the account.
pub(crate) fn stream_entries(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, StreamError>> + use<> {
    let (app, context) = (app.clone(), trader.context.clone());
    let first = Position { kind: Kind::Intraday, page_token: String::new(), has_entries: false };
    stream::try_unfold(Some(first), move |position| {
        let (app, context) = (app.clone(), context.clone());
        async move {
            let Some(Position { kind, page_token, mut has_entries }) = position else { return Ok(None) };
            let request =
                ListEntriesRequest { key: String::new(), kind: kind.into(), page_size: EXPORT_PAGE_SIZE, page_token };
            let page = list_entries(&app, &context, request).await.map_err(StreamError::Page)?;
            let mut out = Vec::new();
            for entry in page.entries {
                if has_entries {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, &EntryJson::try_from(entry)?).map_err(JsonError::from)?;
                has_entries = true;
            }
            let page_token = page.next_page_token;
            let next = match kind {
                _ if !page_token.is_empty() => Some(Position { kind, page_token, has_entries }),
                Kind::Intraday => Some(Position { kind: Kind::Equity, page_token, has_entries }),
                Kind::Equity | Kind::Unspecified => None,
            };
            Ok(Some((out.into(), next)))
        }
    })
}

/// Takes an entry from `fields`, with the profit and the result (true for a win) that the page calculated.
///
/// Errors are recorded in `fields`.
pub(crate) fn take_entry(fields: &mut JsonFields) -> (NewEntry, Option<String>, Option<bool>) {
    fields.require(&[
        "type",
        "symbol",
        "buyPrice",
        "quantity",
        "sellPrice",
        "targetPrice",
        "stopLoss",
        "buyDateTime",
        "sellDateTime",
    ]);
    let invalid_value = |field: &str| invalid_text("journal", field);
    let entry = NewEntry {
        kind: fields.parsed("type", Kind::from_json_name, invalid_value).unwrap_or_default().into(),
        symbol: fields.text("symbol").unwrap_or_default(),
        quantity: fields.number("quantity").unwrap_or_default(),
        buy_price: fields.number("buyPrice").unwrap_or_default(),
        sell_price: fields.number("sellPrice").unwrap_or_default(),
        target_price: fields.number("targetPrice").unwrap_or_default(),
        stop_loss: fields.number("stopLoss").unwrap_or_default(),
        bought_at: fields.parsed("buyDateTime", parse_timestamp, invalid_time),
        sold_at: fields.parsed("sellDateTime", parse_timestamp, invalid_time),
    };
    let pnl = fields.number("pnl");
    let win = fields.parsed("status", parse_win, invalid_value);
    (entry, pnl, win)
}

fn parse_win(name: &str) -> Option<bool> {
    match name {
        "WIN" => Some(true),
        "LOSS" => Some(false),
        _ => None,
    }
}
