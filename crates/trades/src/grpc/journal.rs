//! The journals of the public pages, from the wire and back.

use prost_types::Timestamp;
use rpc::caller::Caller;
use rpc::failure::Violation;
use rpc::journals::v1 as wire;
use rpc::journals::v1::journal_service_server::JournalService;
use rust_decimal::Decimal;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::entry::{Unread, read_amount, to_the_microsecond};
use super::read::{read_key, read_time};
use super::render::wire_time;
use super::{refused, to_its_end};
use crate::error::Error;
use crate::journal::{Claim, Entry, Kind};
use crate::store::{Store, Visitor, Written};
use crate::trade::violation;

/// The service on the wire. There is nothing to decide between it and the tables.
pub struct Journals {
    store: Store,
}

impl Journals {
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[tonic::async_trait]
impl JournalService for Journals {
    async fn list_entries(
        &self,
        request: Request<wire::ListEntriesRequest>,
    ) -> Result<Response<wire::ListEntriesResponse>, Status> {
        let account_id = trader(&request);
        let request = request.into_inner();
        let kind = read_kind(request.kind()).ok_or_else(|| refused(Error::field("type", KIND)))?;
        if !(1..=500).contains(&request.limit) {
            return Err(refused(Error::field("limit", "A page has 1 to 500 entries.")));
        }
        let before = if request.before == 0 { i64::MAX } else { request.before };
        let visitor = visitor(request.key, account_id);
        let page = self.store.entries(&visitor, kind, before, request.limit.into()).await.map_err(refused)?;
        Ok(Response::new(wire::ListEntriesResponse {
            entries: page.entries.into_iter().map(wire_entry).collect(),
            total: page.total,
            pnl: page.pnl.to_string(),
            wins: page.wins,
            more: page.more,
            opened: page.opened,
        }))
    }

    async fn add_entry(
        &self,
        request: Request<wire::AddEntryRequest>,
    ) -> Result<Response<wire::AddEntryResponse>, Status> {
        let account_id = trader(&request);
        let request = request.into_inner();
        let entry = read_new(request.entry.unwrap_or_default(), OffsetDateTime::now_utc());
        let entry = entry.and_then(|entry| {
            entry.agrees(Claim { pnl: read_claim(request.pnl)?, win: request.win })?;
            Ok(entry)
        });
        let entry = entry.map_err(|broken| refused(Error::Invalid(broken)))?;
        let idempotency_key = read_key(request.idempotency_key).map_err(refused)?;
        let visitor = visitor(request.key, account_id);
        let store = self.store.clone();
        let added =
            to_its_end(async move { store.write_entry(&visitor, entry, idempotency_key.as_ref(), request.make).await })
                .await?;
        Ok(Response::new(wire::AddEntryResponse {
            entry: Some(wire_entry(added.written)),
            key: added.key.unwrap_or_default(),
            replayed: added.replayed,
        }))
    }

    async fn take_over(
        &self,
        request: Request<wire::TakeOverRequest>,
    ) -> Result<Response<wire::TakeOverResponse>, Status> {
        let account_id = Caller::of(&request)?.session()?.account_id;
        let key = request.into_inner().key;
        let store = self.store.clone();
        let entries = to_its_end(async move { store.take_over(account_id, &key).await }).await?;
        tracing::info!(%account_id, entries, "journal_taken_over");
        Ok(Response::new(wire::TakeOverResponse { entries }))
    }
}

/// The account whose session calls. Whoever else may come in is nobody here.
fn trader<T>(request: &Request<T>) -> Option<Uuid> {
    Some(Caller::of(request).ok()?.session().ok()?.account_id)
}

fn visitor(key: String, account_id: Option<Uuid>) -> Visitor {
    Visitor { key: Some(key).filter(|key| !key.is_empty()), account_id }
}

const KIND: &str = "A trade is intraday or equity.";

/// The entry, or every rule that it breaks, also where some fields cannot be read at all.
fn read_new(new: wire::NewEntry, now: OffsetDateTime) -> Result<Entry, Vec<Violation>> {
    let mut unread = Vec::new();
    let kind = read_kind(new.kind());
    if kind.is_none() {
        unread.push(violation("type", "KIND_MISSING", KIND));
    }
    let mut amount = |field: &'static str, text: &str, why: fn(Unread) -> Violation| {
        // What was read is checked even so; what was not is stood in for by something sound.
        read_amount(text).unwrap_or_else(|unreadable| {
            unread.push(Violation { field: field.into(), ..why(unreadable) });
            Decimal::ONE
        })
    };
    let quantity = amount("quantity", &new.quantity, of_quantity);
    let buy_price = amount("buyPrice", &new.buy_price, Unread::of_price);
    let sell_price = amount("sellPrice", &new.sell_price, Unread::of_price);
    let target_price = amount("targetPrice", &new.target_price, Unread::of_price);
    let stop_loss = amount("stopLoss", &new.stop_loss, Unread::of_price);
    let mut moment = |field, at: Option<Timestamp>| {
        at.and_then(|at| read_time(at, field).ok()).unwrap_or_else(|| {
            unread.push(violation(field, "TIME_MISSING", "A trade has a time."));
            now
        })
    };
    let (bought_at, sold_at) = (moment("buyDateTime", new.bought_at), moment("sellDateTime", new.sold_at));
    let checked = Entry {
        kind: kind.unwrap_or(Kind::Intraday),
        symbol: new.symbol.trim().to_uppercase(),
        quantity,
        buy_price,
        sell_price,
        target_price,
        stop_loss,
        bought_at: to_the_microsecond(bought_at),
        sold_at: to_the_microsecond(sold_at),
    }
    .checked(now);
    match checked {
        Ok(entry) if unread.is_empty() => Ok(entry),
        Ok(_) => Err(unread),
        Err(broken) => {
            unread.extend(broken);
            Err(unread)
        }
    }
}

/// A journal takes parts of a unit too.
fn of_quantity(why: Unread) -> Violation {
    match why {
        Unread::TooPrecise => violation("quantity", "QUANTITY_TOO_PRECISE", "Quantity has at most 6 decimals."),
        Unread::NotANumber | Unread::TooLarge => why.of_quantity(),
    }
}

fn read_claim(pnl: Option<String>) -> Result<Option<Decimal>, Vec<Violation>> {
    let not_a_number = |_| vec![violation("pnl", "PNL_NOT_A_NUMBER", "The profit must be a number.")];
    pnl.map(|pnl| pnl.parse().map_err(not_a_number)).transpose()
}

const fn read_kind(kind: wire::Kind) -> Option<Kind> {
    match kind {
        wire::Kind::Unspecified => None,
        wire::Kind::Intraday => Some(Kind::Intraday),
        wire::Kind::Equity => Some(Kind::Equity),
    }
}

fn wire_entry(Written { entry_id, entry }: Written) -> wire::Entry {
    let (pnl, win) = (entry.pnl().to_string(), entry.wins());
    let kind = match entry.kind {
        Kind::Intraday => wire::Kind::Intraday,
        Kind::Equity => wire::Kind::Equity,
    };
    let plain = |amount: Decimal| amount.normalize().to_string();
    let entry = wire::NewEntry {
        kind: kind.into(),
        symbol: entry.symbol,
        quantity: plain(entry.quantity),
        buy_price: plain(entry.buy_price),
        sell_price: plain(entry.sell_price),
        target_price: plain(entry.target_price),
        stop_loss: plain(entry.stop_loss),
        bought_at: Some(wire_time(entry.bought_at)),
        sold_at: Some(wire_time(entry.sold_at)),
    };
    wire::Entry { id: entry_id, entry: Some(entry), pnl, win }
}
