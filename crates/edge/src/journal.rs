//! The journals of the public pages: anybody writes whole trades down, in the journal that a cookie of this browser
//! opens, or in the account's own.
//!
//! A cookie that opens nothing counts as none. What it costs to be nobody is counted in `rate`: an address makes so
//! many journals in an hour, a journal is asked so often in a minute.

use axum::extract::{FromRef, FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::{Stream, stream};
use http::header::{AUTHORIZATION, HeaderName, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use rpc::journals::v1::{
    AddEntryRequest, AddEntryResponse, Entry, Kind, ListEntriesRequest, ListEntriesResponse, NewEntry, TakeOverRequest,
};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::address::Address;
use crate::auth::Trader;
use crate::auth::cookies::Cookie;
use crate::call::{self, Context};
use crate::input::NoBody;
use crate::problem::Problem;
use crate::record::{Broken, Unwritable, raw_number, time_of};
use crate::trades::entry::{TIME, moment};
use crate::trades::fields::Fields;
use crate::trades::{answer, in_time};
use crate::{Shared, query, words};

/// A journal is kept for so many seconds after the last save, and so is what opens it.
const KEPT: i64 = 90 * 86_400;
/// Entries that are asked for at once, for an export.
const PAGE: i32 = 500;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/trades", post(add))
        .route("/trades/intraday", get(intraday))
        .route("/trades/equity", get(equity))
        .route("/journal/take-over", post(take_over))
}

/// Who asks for a journal.
struct Visitor {
    /// What the browser holds; empty: nothing.
    key: String,
    signed_in: bool,
    context: Context,
    address: Address,
}

impl<S: Sync> FromRequestParts<S> for Visitor
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let app = Shared::from_ref(state);
        let key = app.cookies.find(Cookie::Journal, &parts.headers).unwrap_or_default();
        let address = Address::in_request(parts);
        // Nobody needs to be signed in, but a token that comes along must be good.
        let (account_id, context) = if parts.headers.contains_key(AUTHORIZATION) {
            let trader = <Trader as FromRequestParts<Shared>>::from_request_parts(parts, &app).await?;
            (Some(trader.caller.account_id), trader.context)
        } else {
            let Ok(context) = Context::from_request_parts(parts, &app).await;
            (None, context)
        };
        app.rates.journal(address, &key, account_id)?;
        Ok(Self { key, signed_in: account_id.is_some(), context, address })
    }
}

/// `GET /trades/intraday`
async fn intraday(State(app): State<Shared>, visitor: Visitor, uri: Uri) -> Result<Response, Problem> {
    list(&app, &visitor, &uri, Kind::Intraday).await
}

/// `GET /trades/equity`
async fn equity(State(app): State<Shared>, visitor: Visitor, uri: Uri) -> Result<Response, Problem> {
    list(&app, &visitor, &uri, Kind::Equity).await
}

async fn list(app: &Shared, visitor: &Visitor, uri: &Uri, kind: Kind) -> Result<Response, Problem> {
    let (limit, before) = query::entries(uri)?;
    let asked = ListEntriesRequest { key: visitor.key.clone(), kind: kind.into(), limit, before };
    Ok(Json(Page::of(ask(app, &visitor.context, asked).await?)?).into_response())
}

async fn ask(app: &Shared, context: &Context, asked: ListEntriesRequest) -> Result<ListEntriesResponse, Problem> {
    let deadline = app.settings.times.core;
    call::read(deadline, &app.retries, || {
        let mut journals = app.clients.journals.clone();
        let request = context.request(asked.clone(), deadline);
        async move { journals.list_entries(request).await }
    })
    .await
}

/// Where a list of all entries goes on.
#[derive(Clone, Copy)]
struct Place {
    kind: Kind,
    before: i64,
    /// Entries stand before it.
    begun: bool,
}

/// The elements of the list of all entries in the trader's own journal.
pub(crate) fn own_entries(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, Broken>> + use<> {
    let (app, context) = (app.clone(), trader.context.clone());
    let first = Place { kind: Kind::Intraday, before: 0, begun: false };
    stream::try_unfold(Some(first), move |place| {
        let (app, context) = (app.clone(), context.clone());
        async move {
            let Some(Place { kind, before, mut begun }) = place else { return Ok(None) };
            let asked = ListEntriesRequest { key: String::new(), kind: kind.into(), limit: PAGE, before };
            let page = ask(&app, &context, asked).await.map_err(Broken::Page)?;
            let last = page.entries.last().filter(|_| page.more).map(|last| last.id);
            let mut out = Vec::new();
            for entry in page.entries {
                if begun {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, &Record::of(entry)?).map_err(Unwritable::from)?;
                begun = true;
            }
            let next = match (last, kind) {
                (Some(before), _) => Some(Place { kind, before, begun }),
                (None, Kind::Intraday) => Some(Place { kind: Kind::Equity, before: 0, begun }),
                (None, Kind::Equity | Kind::Unspecified) => None,
            };
            Ok(Some((out.into(), next)))
        }
    })
}

/// `POST /trades`
async fn add(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    mut fields: Fields,
) -> Result<Response, Problem> {
    let idempotency_key = answer::key(&headers)?;
    let (entry, pnl, win) = read(&mut fields);
    fields.finish()?;
    let asked =
        AddEntryRequest { key: visitor.key.clone(), entry: Some(entry), idempotency_key, pnl, win, make: false };
    let answer = in_time(&app, write(&app, &visitor, asked)).await?;
    let entry = answer.entry.ok_or_else(|| {
        tracing::error!("the core wrote an entry down and did not say which");
        Problem::internal()
    })?;
    let body = json!({ "data": Record::of(entry)? });
    let mut response = (StatusCode::CREATED, Json(body)).into_response();
    let headers = response.headers_mut();
    if !answer.key.is_empty() {
        headers.insert(SET_COOKIE, app.cookies.set(Cookie::Journal, &answer.key, KEPT)?);
    }
    if answer.replayed {
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Writes into the journal that is there; where there is none, into a new one, of which an address has only so many.
async fn write(app: &Shared, visitor: &Visitor, asked: AddEntryRequest) -> Result<AddEntryResponse, Problem> {
    let deadline = app.settings.times.core;
    let send = |asked: AddEntryRequest| {
        let mut journals = app.clients.journals.clone();
        let request = visitor.context.request(asked, deadline);
        call::write(deadline, async move { journals.add_entry(request).await })
    };
    if visitor.signed_in || !visitor.key.is_empty() {
        match send(asked.clone()).await {
            Err(problem) if problem.code() == "no_journal" => {}
            answer => return answer,
        }
    }
    app.rates.new_journal(visitor.address)?;
    send(AddEntryRequest { make: true, ..asked }).await
}

/// `POST /journal/take-over`
async fn take_over(
    State(app): State<Shared>,
    trader: Trader,
    headers: HeaderMap,
    _: NoBody,
) -> Result<Response, Problem> {
    let key = app.cookies.find(Cookie::Journal, &headers).unwrap_or_default();
    let deadline = app.settings.times.core;
    let mut journals = app.clients.journals.clone();
    let request = trader.context.request(TakeOverRequest { key }, deadline);
    let answer = call::write(deadline, async move { journals.take_over(request).await }).await?;
    let gone = [(SET_COOKIE, app.cookies.removed(Cookie::Journal)?)];
    Ok((gone, Json(json!({ "entries": answer.entries }))).into_response())
}

/// The entry that a visitor sent, with the profit and the status that the page worked out. What is missing or wrong is
/// remembered in `fields`.
fn read(fields: &mut Fields) -> (NewEntry, Option<String>, Option<bool>) {
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
    let entry = NewEntry {
        kind: fields.word("type", words::kind, "Say intraday or equity.").unwrap_or_default().into(),
        symbol: fields.text("symbol").unwrap_or_default(),
        quantity: fields.number("quantity").unwrap_or_default(),
        buy_price: fields.number("buyPrice").unwrap_or_default(),
        sell_price: fields.number("sellPrice").unwrap_or_default(),
        target_price: fields.number("targetPrice").unwrap_or_default(),
        stop_loss: fields.number("stopLoss").unwrap_or_default(),
        bought_at: fields.word("buyDateTime", moment, TIME),
        sold_at: fields.word("sellDateTime", moment, TIME),
    };
    let pnl = fields.number("pnl");
    let win = fields.word("status", words::win, "Say WIN or LOSS.");
    (entry, pnl, win)
}

/// A page of entries on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    data: Vec<Record>,
    total: i64,
    pnl: Box<RawValue>,
    wins: i64,
    anonymous: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Page {
    fn of(answer: ListEntriesResponse) -> Result<Self, Unwritable> {
        let last = answer.entries.last().filter(|_| answer.more).map(|last| last.id.to_string());
        Ok(Self {
            data: answer.entries.into_iter().map(Record::of).collect::<Result<_, _>>()?,
            total: answer.total,
            pnl: raw_number(answer.pnl)?,
            wins: answer.wins,
            anonymous: answer.opened,
            next_cursor: last,
        })
    }
}

/// An entry on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record {
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

impl Record {
    fn of(Entry { id, entry, pnl, win }: Entry) -> Result<Self, Unwritable> {
        let entry = entry.unwrap_or_default();
        Ok(Self {
            id: id.to_string(),
            r#type: words::of_kind(entry.kind())?,
            symbol: entry.symbol,
            buy_price: raw_number(entry.buy_price)?,
            quantity: raw_number(entry.quantity)?,
            sell_price: raw_number(entry.sell_price)?,
            target_price: raw_number(entry.target_price)?,
            stop_loss: raw_number(entry.stop_loss)?,
            buy_date_time: time_of(entry.bought_at.as_ref())?,
            sell_date_time: time_of(entry.sold_at.as_ref())?,
            pnl: raw_number(pnl)?,
            status: words::of_win(win),
        })
    }
}
