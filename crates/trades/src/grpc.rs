//! The gRPC service: conversion between proto messages and domain types.

mod broker_accounts;
mod column_mappings;
mod ledgers;
mod manual_trade;
mod preview;
mod requests;
mod responses;

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use rpc::broker_account::to_wire_account_number;
use rpc::caller::Caller;
use rpc::failure::{self, Violation};
use rpc::trades::v1 as wire;
use rpc::trades::v1::trades_service_server::TradesService;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::contract_note::BookNote;
use crate::error::Error;
use crate::service::Service;
use crate::store::{BookSummary, TradeDelta};
use crate::trade_limit::LogOwner;
use broker_accounts::{parse_account_to_save, parse_broker_account, to_wire_broker_account};
use column_mappings::{parse_header_digest, parse_mapping_to_save, to_wire_saved_mapping};
use ledgers::{
    parse_ledger_import, parse_sum_query, sum_by_kind, to_wire_entry, to_wire_flows, to_wire_ledger, to_wire_sum,
};
use manual_trade::{parse_edit, parse_manual_trade, parse_replace_part};
use preview::{parse_choices, parse_preview_batch, parse_preview_id, parse_preview_part, to_wire_commit};
use requests::{
    parse_book, parse_change_query, parse_idempotency_key, parse_import_head, parse_import_part, parse_query,
    parse_symbol_query,
};
use responses::{to_wire_book, to_wire_change, to_wire_head, to_wire_import, to_wire_trade};

/// Number of list pages fetched ahead of the receiver.
const READ_AHEAD_PAGES: usize = 2;

/// Entries of ledgers in one message of the stream.
const LEDGER_ENTRIES_PER_MESSAGE: usize = 1_000;

/// Timeout of a write of a whole book: its time in the queue (25 s), its stream (50 s) and its last statement (30 s).
const BOOK_WRITE_TIMEOUT: Duration = Duration::from_secs(105);

/// The gRPC service of the trade log.
pub struct Trades {
    service: Service,
}

impl Trades {
    pub fn new(service: Service) -> Self {
        Self { service }
    }
}

#[tonic::async_trait]
impl TradesService for Trades {
    type StreamTradesStream = Pin<Box<dyn Stream<Item = Result<wire::StreamTradesResponse, Status>> + Send>>;

    type StreamLedgerEntriesStream =
        Pin<Box<dyn Stream<Item = Result<wire::StreamLedgerEntriesResponse, Status>> + Send>>;

    async fn stream_trades(
        &self,
        request: Request<wire::StreamTradesRequest>,
    ) -> Result<Response<Self::StreamTradesStream>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let wire::StreamTradesRequest { known_version, with_source_keys } = request.into_inner();
        let head = self.service.get_log_head(account_id).await.map_err(to_status)?;
        let unchanged = known_version == Some(head.version);
        let first = wire::StreamTradesResponse {
            part: Some(wire::stream_trades_response::Part::Head(to_wire_head(head, unchanged))),
        };
        let (pages, received_pages) = mpsc::channel(READ_AHEAD_PAGES);
        if !unchanged {
            let service = self.service.clone();
            tokio::spawn(async move { service.send_trades(account_id, head, with_source_keys, pages).await });
        }
        let rest = ReceiverStream::new(received_pages).map(|page| {
            let page = wire::TradesPage { trades: page.map_err(to_status)?.into_iter().map(to_wire_trade).collect() };
            Ok(wire::StreamTradesResponse { part: Some(wire::stream_trades_response::Part::Page(page)) })
        });
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(first)).chain(rest))))
    }

    async fn list_trades(
        &self,
        request: Request<wire::ListTradesRequest>,
    ) -> Result<Response<wire::ListTradesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let query = parse_query(request.into_inner()).map_err(to_status)?;
        let known_version = query.known_version;
        let page = self.service.list_trades(account_id, query).await.map_err(to_status)?;
        Ok(Response::new(wire::ListTradesResponse {
            head: Some(to_wire_head(page.head, known_version == Some(page.head.version))),
            trades: page.trades.into_iter().map(to_wire_trade).collect(),
            next_page_token: page.next.map(|cursor| cursor.encode()).unwrap_or_default(),
        }))
    }

    async fn list_changed_trades(
        &self,
        request: Request<wire::ListChangedTradesRequest>,
    ) -> Result<Response<wire::ListChangedTradesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let since = request.into_inner().since;
        let changed = self.service.list_changed_trades(account_id, since).await.map_err(to_status)?;
        let head = changed.head;
        let full_reload_required = changed.delta.is_none();
        let TradeDelta { changed: trades, deleted_ids } = changed.delta.unwrap_or_default();
        Ok(Response::new(wire::ListChangedTradesResponse {
            head: Some(to_wire_head(head, head.version == since)),
            full_reload_required,
            trades: trades.into_iter().map(to_wire_trade).collect(),
            deleted_ids,
        }))
    }

    async fn get_trade(
        &self,
        request: Request<wire::GetTradeRequest>,
    ) -> Result<Response<wire::GetTradeResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let trade = self.service.get_trade(account_id, request.into_inner().id).await.map_err(to_status)?;
        Ok(Response::new(wire::GetTradeResponse { trade: Some(to_wire_trade(trade)) }))
    }

    async fn list_books(
        &self,
        request: Request<wire::ListBooksRequest>,
    ) -> Result<Response<wire::ListBooksResponse>, Status> {
        let books = self.service.list_books(Caller::from_request(&request)?.account_id).await.map_err(to_status)?;
        let summary =
            |book: BookSummary| wire::BookSummary { book: Some(to_wire_book(book.book)), trades: book.trade_count };
        Ok(Response::new(wire::ListBooksResponse { books: books.into_iter().map(summary).collect() }))
    }

    async fn list_broker_accounts(
        &self,
        request: Request<wire::ListBrokerAccountsRequest>,
    ) -> Result<Response<wire::ListBrokerAccountsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let records = self.service.list_broker_accounts(account_id).await.map_err(to_status)?;
        let accounts = records.into_iter().map(to_wire_broker_account).collect();
        Ok(Response::new(wire::ListBrokerAccountsResponse { accounts }))
    }

    async fn save_broker_account(
        &self,
        request: Request<wire::SaveBrokerAccountRequest>,
    ) -> Result<Response<wire::SaveBrokerAccountResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let account = parse_account_to_save(request.into_inner()).map_err(to_status)?;
        let saved = self.service.save_broker_account(account_id, account).await.map_err(to_status)?;
        let account = Some(to_wire_broker_account(saved));
        Ok(Response::new(wire::SaveBrokerAccountResponse { account }))
    }

    async fn delete_broker_account(
        &self,
        request: Request<wire::DeleteBrokerAccountRequest>,
    ) -> Result<Response<wire::DeleteBrokerAccountResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let request = request.into_inner();
        let account = parse_broker_account(request.broker(), request.broker_account).map_err(to_status)?;
        self.service.delete_broker_account(account_id, account).await.map_err(to_status)?;
        Ok(Response::new(wire::DeleteBrokerAccountResponse {}))
    }

    async fn list_column_mappings(
        &self,
        request: Request<wire::ListColumnMappingsRequest>,
    ) -> Result<Response<wire::ListColumnMappingsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let mappings = self.service.list_column_mappings(account_id).await.map_err(to_status)?;
        let mappings = mappings.into_iter().map(to_wire_saved_mapping).collect();
        Ok(Response::new(wire::ListColumnMappingsResponse { mappings }))
    }

    async fn save_column_mapping(
        &self,
        request: Request<wire::SaveColumnMappingRequest>,
    ) -> Result<Response<wire::SaveColumnMappingResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let (name, mapping) = parse_mapping_to_save(request.into_inner()).map_err(to_status)?;
        let service = self.service.clone();
        let saved = run_write(async move { service.save_column_mapping(account_id, name, mapping).await }).await?;
        Ok(Response::new(wire::SaveColumnMappingResponse { mapping: Some(to_wire_saved_mapping(saved)) }))
    }

    async fn delete_column_mapping(
        &self,
        request: Request<wire::DeleteColumnMappingRequest>,
    ) -> Result<Response<wire::DeleteColumnMappingResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let digest = parse_header_digest(request.into_inner().header_digest).map_err(to_status)?;
        let service = self.service.clone();
        run_write(async move { service.delete_column_mapping(account_id, &digest).await }).await?;
        Ok(Response::new(wire::DeleteColumnMappingResponse {}))
    }

    async fn list_contract_notes(
        &self,
        request: Request<wire::ListContractNotesRequest>,
    ) -> Result<Response<wire::ListContractNotesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let notes = self.service.list_contract_notes(account_id).await.map_err(to_status)?;
        let notes = notes.into_iter().map(|BookNote { book, note }| note.to_wire(to_wire_book(book))).collect();
        Ok(Response::new(wire::ListContractNotesResponse { notes }))
    }

    async fn import_ledger(
        &self,
        request: Request<wire::ImportLedgerRequest>,
    ) -> Result<Response<wire::ImportLedgerResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let request = request.into_inner();
        let is_preview = request.preview;
        let import = parse_ledger_import(request).map_err(to_status)?;
        let entries = import.entries.clone();
        let service = self.service.clone();
        let outcome = if is_preview {
            service.preview_ledger(account_id, &import).await.map_err(to_status)?
        } else {
            run_write(async move { service.import_ledger(account_id, import).await }).await?
        };
        Ok(Response::new(wire::ImportLedgerResponse {
            broker: outcome.account.broker.to_wire().into(),
            broker_account: to_wire_account_number(outcome.account.number),
            added: outcome.added,
            duplicates: outcome.duplicates,
            sums: sum_by_kind(outcome.account, &entries),
            id: outcome.ledger_id.map(|id| id.to_string()).unwrap_or_default(),
        }))
    }

    async fn list_ledgers(
        &self,
        request: Request<wire::ListLedgersRequest>,
    ) -> Result<Response<wire::ListLedgersResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let ledgers = self.service.list_ledgers(account_id).await.map_err(to_status)?;
        Ok(Response::new(wire::ListLedgersResponse { ledgers: ledgers.into_iter().map(to_wire_ledger).collect() }))
    }

    async fn delete_ledger(
        &self,
        request: Request<wire::DeleteLedgerRequest>,
    ) -> Result<Response<wire::DeleteLedgerResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let id = request.into_inner().id.parse().map_err(|_| to_status(Error::LedgerNotFound))?;
        let service = self.service.clone();
        let removed = run_write(async move { service.delete_ledger(account_id, id).await }).await?;
        Ok(Response::new(wire::DeleteLedgerResponse { removed }))
    }

    async fn list_ledger_sums(
        &self,
        request: Request<wire::ListLedgerSumsRequest>,
    ) -> Result<Response<wire::ListLedgerSumsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let query = parse_sum_query(request.into_inner()).map_err(to_status)?;
        let sums = self.service.list_ledger_sums(account_id, &query).await.map_err(to_status)?;
        Ok(Response::new(wire::ListLedgerSumsResponse { sums: sums.into_iter().map(to_wire_sum).collect() }))
    }

    async fn list_capital_flows(
        &self,
        request: Request<wire::ListCapitalFlowsRequest>,
    ) -> Result<Response<wire::ListCapitalFlowsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let flows = self.service.list_capital_flows(account_id).await.map_err(to_status)?;
        Ok(Response::new(to_wire_flows(flows)))
    }

    async fn stream_ledger_entries(
        &self,
        request: Request<wire::StreamLedgerEntriesRequest>,
    ) -> Result<Response<Self::StreamLedgerEntriesStream>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let entries = self.service.list_ledger_entries(account_id).await.map_err(to_status)?;
        let mut entries = entries.into_iter().map(to_wire_entry).peekable();
        let pages = std::iter::from_fn(move || {
            entries.peek()?;
            let entries = entries.by_ref().take(LEDGER_ENTRIES_PER_MESSAGE).collect();
            Some(Ok(wire::StreamLedgerEntriesResponse { entries }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn list_symbols(
        &self,
        request: Request<wire::ListSymbolsRequest>,
    ) -> Result<Response<wire::ListSymbolsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let (text, limit) = parse_symbol_query(request.into_inner()).map_err(to_status)?;
        let symbols = self.service.list_symbols(account_id, &text, limit).await.map_err(to_status)?;
        Ok(Response::new(wire::ListSymbolsResponse { symbols }))
    }

    async fn list_isins(
        &self,
        request: Request<wire::ListIsinsRequest>,
    ) -> Result<Response<wire::ListIsinsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let book = parse_book(request.into_inner().book).map_err(to_status)?;
        let isins = self.service.list_isins(account_id, book).await.map_err(to_status)?;
        let isins = isins.into_iter().map(|(symbol, isin)| wire::SymbolIsin { symbol, isin }).collect();
        Ok(Response::new(wire::ListIsinsResponse { isins }))
    }

    async fn list_changes(
        &self,
        request: Request<wire::ListChangesRequest>,
    ) -> Result<Response<wire::ListChangesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let (book, before, limit) = parse_change_query(request.into_inner()).map_err(to_status)?;
        let (changes, next) = self.service.list_changes(account_id, book, before, limit).await.map_err(to_status)?;
        Ok(Response::new(wire::ListChangesResponse {
            changes: changes.into_iter().map(to_wire_change).collect(),
            next_page_token: next.map(|change_id| change_id.to_string()).unwrap_or_default(),
        }))
    }

    async fn add_trade(
        &self,
        request: Request<wire::AddTradeRequest>,
    ) -> Result<Response<wire::AddTradeResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let request = request.into_inner();
        let (book, trade) = parse_manual_trade(request.book, request.trade).map_err(to_status)?;
        let key = parse_idempotency_key(request.idempotency_key).map_err(to_status)?;
        let service = self.service.clone();
        let added = run_write(async move { service.add_trade(owner, book, trade, key).await }).await?;
        Ok(Response::new(wire::AddTradeResponse {
            trade: added.trade.map(to_wire_trade),
            head: Some(to_wire_head(added.head, false)),
            change_id: added.change_id,
            replayed: added.replayed,
        }))
    }

    async fn replace_trades(
        &self,
        request: Request<Streaming<wire::ReplaceTradesRequest>>,
    ) -> Result<Response<wire::ReplaceTradesResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let mut stream = request.into_inner();
        let Some(wire::replace_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(to_status(head_missing()));
        };
        let book = parse_book(head.book).map_err(|error| to_status(error.within("head")))?;
        let key = parse_idempotency_key(head.idempotency_key).map_err(|error| to_status(error.within("head")))?;
        let service = self.service.clone();
        let replaced = run_book_write(async move {
            let mut received = 0;
            let parts = stream.map(move |message| match message {
                Ok(message) => parse_replace_part(message, &mut received),
                Err(_) => Err(Error::IncompleteStream { received: 0 }),
            });
            service.replace_trades(owner, book, key, parts).await
        })
        .await?;
        Ok(Response::new(wire::ReplaceTradesResponse {
            change_id: replaced.change_id,
            added: replaced.added,
            removed: replaced.removed,
            head: Some(to_wire_head(replaced.head, false)),
            replayed: replaced.replayed,
        }))
    }

    async fn update_trade(
        &self,
        request: Request<wire::UpdateTradeRequest>,
    ) -> Result<Response<wire::UpdateTradeResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let (trade_id, edit) = parse_edit(request.into_inner()).map_err(to_status)?;
        let service = self.service.clone();
        let write = async move { service.edit_trade(account_id, trade_id, edit).await };
        let edited = run_write(async { write.await.map_err(|error| error.within("trade")) }).await?;
        Ok(Response::new(wire::UpdateTradeResponse {
            trade: Some(to_wire_trade(edited.trade)),
            head: Some(to_wire_head(edited.head, false)),
            change_id: edited.change_id.unwrap_or_default(),
        }))
    }

    async fn delete_trade(
        &self,
        request: Request<wire::DeleteTradeRequest>,
    ) -> Result<Response<wire::DeleteTradeResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let wire::DeleteTradeRequest { id, pair } = request.into_inner();
        let service = self.service.clone();
        let deleted = run_write(async move { service.delete_trade(account_id, id, pair).await }).await?;
        Ok(Response::new(wire::DeleteTradeResponse {
            head: Some(to_wire_head(deleted.head, false)),
            change_id: deleted.change_id,
            deleted: deleted.deleted,
        }))
    }

    async fn undo_change(
        &self,
        request: Request<wire::UndoChangeRequest>,
    ) -> Result<Response<wire::UndoChangeResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let wire::UndoChangeRequest { change_id, expected_newer_changes } = request.into_inner();
        let service = self.service.clone();
        let undone =
            run_book_write(async move { service.undo_change(owner, change_id, expected_newer_changes).await }).await?;
        Ok(Response::new(wire::UndoChangeResponse {
            head: Some(to_wire_head(undone.head, false)),
            removed: undone.removed,
            restored: undone.restored,
            undone: undone.undone,
        }))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<wire::ImportTradesRequest>>,
    ) -> Result<Response<wire::ImportTradesResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let mut stream = request.into_inner();
        let Some(wire::import_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(to_status(head_missing()));
        };
        let (book, record, key) = parse_import_head(head).map_err(|error| to_status(error.within("head")))?;
        let service = self.service.clone();
        let imported = run_book_write(async move {
            let parts = stream.map(|message| match message {
                Ok(message) => parse_import_part(message),
                Err(_) => Err(Error::IncompleteStream { received: 0 }),
            });
            service.import_trades(owner, book, record, key, parts).await
        })
        .await?;
        Ok(Response::new(to_wire_import(&imported)))
    }

    async fn preview_trades(
        &self,
        request: Request<Streaming<wire::PreviewTradesRequest>>,
    ) -> Result<Response<wire::PreviewTradesResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let mut stream = request.into_inner();
        let Some(wire::preview_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(to_status(head_missing()));
        };
        let (book, record, _) = parse_import_head(head).map_err(|error| to_status(error.within("head")))?;
        let service = self.service.clone();
        let preview = run_book_write(async move {
            let parts = stream.map(|message| match message {
                Ok(message) => parse_preview_part(message),
                Err(_) => Err(Error::IncompleteStream { received: 0 }),
            });
            service.preview_trades(owner, book, record, parts).await
        })
        .await?;
        Ok(Response::new(wire::PreviewTradesResponse { preview: Some(preview) }))
    }

    async fn get_preview(
        &self,
        request: Request<wire::GetPreviewRequest>,
    ) -> Result<Response<wire::GetPreviewResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let request = request.into_inner();
        let preview_id = parse_preview_id(&request.preview_id).map_err(to_status)?;
        let batch = parse_preview_batch(&request.batch_preview_ids).map_err(to_status)?;
        // Not completed for a caller that is gone: comparing a large file takes a processor for seconds.
        let preview = self.service.get_preview(account_id, preview_id, &batch).await.map_err(to_status)?;
        Ok(Response::new(wire::GetPreviewResponse { preview: Some(preview) }))
    }

    async fn commit_preview(
        &self,
        request: Request<wire::CommitPreviewRequest>,
    ) -> Result<Response<wire::CommitPreviewResponse>, Status> {
        let owner = LogOwner::from_request(&request)?;
        let request = request.into_inner();
        let preview_id = parse_preview_id(&request.preview_id).map_err(to_status)?;
        let choices = parse_choices(request).map_err(to_status)?;
        let service = self.service.clone();
        let committed = run_book_write(async move { service.commit_preview(owner, preview_id, choices).await }).await?;
        Ok(Response::new(to_wire_commit(committed).map_err(to_status)?))
    }
}

/// Runs `write` until it commits or fails, even if the caller disconnects.
async fn run_write<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(db::WRITE_TIMEOUT, write).await.map_err(to_status)
}

/// Runs a write of a whole book until it commits or fails, even if the caller disconnects.
async fn run_book_write<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(BOOK_WRITE_TIMEOUT, write).await.map_err(to_status)
}

/// Returns the error of a stream whose first message is not its head.
fn head_missing() -> Error {
    Violation::new("head", "INVALID").into()
}

fn to_status(error: Error) -> Status {
    failure::to_status(&error)
}
