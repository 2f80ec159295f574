//! The gRPC service: conversion between proto messages and domain types.

mod convert;

use rpc::caller::Caller;
use rpc::failure::{self, Violation};
use rpc::journal::v1 as wire;
use rpc::journal::v1::journal_service_server::JournalService;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::public_journal::entry::StatedResult;
use crate::public_journal::error::Error;
use crate::public_journal::store::{Store, Visitor};
use convert::{parse_entry, parse_idempotency_key, parse_kind, parse_stated_pnl, to_wire_entry};

/// Maximum number of entries on a page.
const MAX_PAGE_SIZE: i32 = 500;
const DEFAULT_PAGE_SIZE: i32 = 100;

/// The journal service. It has no service layer, because the store makes every decision under its locks.
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
        let account_id = session_account(&request);
        let request = request.into_inner();
        let kind =
            parse_kind(request.kind()).ok_or_else(|| to_status(Violation::new("kind", "KIND_MISSING").into()))?;
        // 0 is the default (AIP-158).
        let page_size = if request.page_size == 0 { DEFAULT_PAGE_SIZE } else { request.page_size };
        if !(1..=MAX_PAGE_SIZE).contains(&page_size) {
            return Err(to_status(Violation::new("page_size", "INVALID").with("max", MAX_PAGE_SIZE).into()));
        }
        let before = parse_page_token(&request.page_token)
            .ok_or_else(|| to_status(Violation::new("page_token", "INVALID").into()))?;
        let visitor = Visitor::new(request.key, account_id);
        let page = self.store.list_entries(&visitor, kind, before, page_size.into()).await.map_err(to_status)?;
        let last = page.entries.last().filter(|_| page.has_more);
        Ok(Response::new(wire::ListEntriesResponse {
            next_page_token: last.map(|last| last.entry_id.to_string()).unwrap_or_default(),
            entries: page.entries.into_iter().map(to_wire_entry).collect(),
            total: page.total,
            pnl: page.pnl.to_string(),
            wins: page.wins,
            opened_by_key: page.opened_by_key,
        }))
    }

    async fn add_entry(
        &self,
        request: Request<wire::AddEntryRequest>,
    ) -> Result<Response<wire::AddEntryResponse>, Status> {
        let account_id = session_account(&request);
        let request = request.into_inner();
        let entry = parse_entry(request.entry.unwrap_or_default(), OffsetDateTime::now_utc());
        let entry = entry.and_then(|entry| {
            entry.check_stated_result(StatedResult { pnl: parse_stated_pnl(request.pnl)?, win: request.win })?;
            Ok(entry)
        });
        let entry = entry.map_err(|violations| to_status(Error::Invalid(violations)))?;
        let idempotency_key = parse_idempotency_key(request.idempotency_key).map_err(to_status)?;
        let visitor = Visitor::new(request.key, account_id);
        let store = self.store.clone();
        let added = run_write(async move {
            store.add_entry(&visitor, entry, idempotency_key.as_ref(), request.create_if_missing).await
        })
        .await?;
        Ok(Response::new(wire::AddEntryResponse {
            entry: Some(to_wire_entry(added.entry)),
            key: added.key.unwrap_or_default(),
            replayed: added.replayed,
        }))
    }

    async fn claim_journal(
        &self,
        request: Request<wire::ClaimJournalRequest>,
    ) -> Result<Response<wire::ClaimJournalResponse>, Status> {
        let account_id = Caller::from_request(&request)?.require_session()?.account_id;
        let key = request.into_inner().key;
        let store = self.store.clone();
        let entries = run_write(async move { store.claim_journal(account_id, &key).await }).await?;
        tracing::info!(%account_id, entries, "journal_claimed");
        Ok(Response::new(wire::ClaimJournalResponse { entries }))
    }
}

/// Parses a page token, the id of the last entry of the previous page, into the upper limit of the next ids.
fn parse_page_token(token: &str) -> Option<i64> {
    if token.is_empty() { Some(i64::MAX) } else { token.parse().ok().filter(|id| *id > 0) }
}

/// Returns the account of the caller's session. Callers with any other token count as anonymous.
fn session_account<T>(request: &Request<T>) -> Option<Uuid> {
    Some(Caller::from_request(request).ok()?.require_session().ok()?.account_id)
}

/// Runs `write` until it commits or fails, even if the caller disconnects.
async fn run_write<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(db::WRITE_TIMEOUT, write).await.map_err(to_status)
}

fn to_status(error: Error) -> Status {
    failure::to_status(&error)
}
