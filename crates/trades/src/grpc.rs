//! Wire to domain and back.

mod entry;
mod preview;
mod read;
mod render;

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use prost::Message as _;
use rpc::caller::Caller;
use rpc::failure;
use rpc::trades::v1 as wire;
use rpc::trades::v1::trades_service_server::TradesService;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

use crate::error::Error;
use crate::service::Service;
use crate::store::{BookSummary, Preview};
use entry::{read_edit, read_entry, read_replace_part};
use preview::{read_choices, read_preview_id, read_preview_part, wire_committed, wire_preview};
use read::{read_book, read_changes, read_import_head, read_import_part, read_key, read_query, read_symbols};
use render::{wire_book, wire_change, wire_head, wire_imported, wire_trade};

/// Pages of a list that are read ahead of the receiver.
const READ_AHEAD: usize = 2;

/// Timeout of a write of a whole book: its place in the queue (25 s), its stream (50 s) and its last statement (30 s).
const BOOK_WRITE_TIMEOUT: Duration = Duration::from_secs(105);

/// The service on the wire.
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
    type ListTradesStream = Pin<Box<dyn Stream<Item = Result<wire::ListTradesResponse, Status>> + Send>>;

    async fn list_trades(
        &self,
        request: Request<wire::ListTradesRequest>,
    ) -> Result<Response<Self::ListTradesStream>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let known = request.into_inner().known_version;
        let head = self.service.head(account_id).await.map_err(refused)?;
        let unchanged = known == Some(head.version);
        let first =
            wire::ListTradesResponse { part: Some(wire::list_trades_response::Part::Head(wire_head(head, unchanged))) };
        let (pages, read) = mpsc::channel(READ_AHEAD);
        if !unchanged {
            let service = self.service.clone();
            tokio::spawn(async move { service.list(account_id, head, pages).await });
        }
        let rest = ReceiverStream::new(read).map(|page| {
            let page = wire::TradesPage { trades: page.map_err(refused)?.into_iter().map(wire_trade).collect() };
            Ok(wire::ListTradesResponse { part: Some(wire::list_trades_response::Part::Page(page)) })
        });
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(first)).chain(rest))))
    }

    async fn query_trades(
        &self,
        request: Request<wire::QueryTradesRequest>,
    ) -> Result<Response<wire::QueryTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let query = read_query(request.into_inner()).map_err(refused)?;
        let known = query.known_version;
        let page = self.service.query(account_id, query).await.map_err(refused)?;
        Ok(Response::new(wire::QueryTradesResponse {
            head: Some(wire_head(page.head, known == Some(page.head.version))),
            trades: page.trades.into_iter().map(wire_trade).collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()).unwrap_or_default(),
        }))
    }

    async fn list_changed_trades(
        &self,
        request: Request<wire::ListChangedTradesRequest>,
    ) -> Result<Response<wire::ListChangedTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let since = request.into_inner().since;
        let changed = self.service.changed(account_id, since).await.map_err(refused)?;
        let everything = changed.touched.is_none();
        let (trades, gone) = changed.touched.unwrap_or_default();
        Ok(Response::new(wire::ListChangedTradesResponse {
            head: Some(wire_head(changed.head, changed.head.version == since)),
            everything,
            trades: trades.into_iter().map(wire_trade).collect(),
            gone,
        }))
    }

    async fn get_trade(
        &self,
        request: Request<wire::GetTradeRequest>,
    ) -> Result<Response<wire::GetTradeResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let trade = self.service.trade(account_id, request.into_inner().id).await.map_err(refused)?;
        Ok(Response::new(wire::GetTradeResponse { trade: Some(wire_trade(trade)) }))
    }

    async fn list_books(
        &self,
        request: Request<wire::ListBooksRequest>,
    ) -> Result<Response<wire::ListBooksResponse>, Status> {
        let books = self.service.books(Caller::of(&request)?.account_id).await.map_err(refused)?;
        let summary = |book: BookSummary| wire::BookSummary { book: Some(wire_book(book.book)), trades: book.trades };
        Ok(Response::new(wire::ListBooksResponse { books: books.into_iter().map(summary).collect() }))
    }

    async fn list_symbols(
        &self,
        request: Request<wire::ListSymbolsRequest>,
    ) -> Result<Response<wire::ListSymbolsResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let (text, limit) = read_symbols(request.into_inner()).map_err(refused)?;
        let symbols = self.service.symbols(account_id, &text, limit).await.map_err(refused)?;
        Ok(Response::new(wire::ListSymbolsResponse { symbols }))
    }

    async fn list_isins(
        &self,
        request: Request<wire::ListIsinsRequest>,
    ) -> Result<Response<wire::ListIsinsResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let book = read_book(request.into_inner().book).map_err(refused)?;
        let isins = self.service.isins(account_id, book).await.map_err(refused)?;
        let isins = isins.into_iter().map(|(symbol, isin)| wire::SymbolIsin { symbol, isin }).collect();
        Ok(Response::new(wire::ListIsinsResponse { isins }))
    }

    async fn list_changes(
        &self,
        request: Request<wire::ListChangesRequest>,
    ) -> Result<Response<wire::ListChangesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let (book, before, limit) = read_changes(request.into_inner()).map_err(refused)?;
        let (changes, next) = self.service.changes(account_id, book, before, limit).await.map_err(refused)?;
        Ok(Response::new(wire::ListChangesResponse {
            changes: changes.into_iter().map(wire_change).collect(),
            next_cursor: next.map(|change_id| change_id.to_string()).unwrap_or_default(),
        }))
    }

    async fn add_trade(
        &self,
        request: Request<wire::AddTradeRequest>,
    ) -> Result<Response<wire::AddTradeResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let request = request.into_inner();
        let (book, trade) = read_entry(request.book, request.trade).map_err(refused)?;
        let key = read_key(request.idempotency_key).map_err(refused)?;
        let service = self.service.clone();
        let added = to_its_end(async move { service.add(account_id, book, trade, key).await }).await?;
        Ok(Response::new(wire::AddTradeResponse {
            trade: added.trade.map(wire_trade),
            head: Some(wire_head(added.head, false)),
            change_id: added.change_id,
            replayed: added.replayed,
        }))
    }

    async fn replace_trades(
        &self,
        request: Request<Streaming<wire::ReplaceTradesRequest>>,
    ) -> Result<Response<wire::ReplaceTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let mut stream = request.into_inner();
        let Some(wire::replace_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(refused(Error::field("head", "A replacement begins with its head.")));
        };
        let book = read_book(head.book).map_err(refused)?;
        let key = read_key(head.idempotency_key).map_err(refused)?;
        let service = self.service.clone();
        let replaced = book_to_its_end(async move {
            let mut received = 0;
            let parts = stream.map(move |message| match message {
                Ok(message) => read_replace_part(message, &mut received),
                Err(_) => Err(Error::BrokenOff { received: 0 }),
            });
            service.replace(account_id, book, key, parts).await
        })
        .await?;
        Ok(Response::new(wire::ReplaceTradesResponse {
            change_id: replaced.change_id,
            added: replaced.added,
            removed: replaced.removed,
            head: Some(wire_head(replaced.head, false)),
            replayed: replaced.replayed,
        }))
    }

    async fn edit_trade(
        &self,
        request: Request<wire::EditTradeRequest>,
    ) -> Result<Response<wire::EditTradeResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let request = request.into_inner();
        let trade_id = request.id;
        let edit = read_edit(request).map_err(refused)?;
        let service = self.service.clone();
        let edited = to_its_end(async move { service.edit(account_id, trade_id, edit).await }).await?;
        Ok(Response::new(wire::EditTradeResponse {
            trade: Some(wire_trade(edited.trade)),
            head: Some(wire_head(edited.head, false)),
            change_id: edited.change_id.unwrap_or_default(),
        }))
    }

    async fn delete_trade(
        &self,
        request: Request<wire::DeleteTradeRequest>,
    ) -> Result<Response<wire::DeleteTradeResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let wire::DeleteTradeRequest { id, pair } = request.into_inner();
        let service = self.service.clone();
        let deleted = to_its_end(async move { service.delete(account_id, id, pair).await }).await?;
        Ok(Response::new(wire::DeleteTradeResponse {
            head: Some(wire_head(deleted.head, false)),
            change_id: deleted.change_id,
            deleted: deleted.deleted,
        }))
    }

    async fn undo_change(
        &self,
        request: Request<wire::UndoChangeRequest>,
    ) -> Result<Response<wire::UndoChangeResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let wire::UndoChangeRequest { change_id, expected_newer } = request.into_inner();
        let service = self.service.clone();
        let undone = book_to_its_end(async move { service.undo(account_id, change_id, expected_newer).await }).await?;
        Ok(Response::new(wire::UndoChangeResponse {
            head: Some(wire_head(undone.head, false)),
            removed: undone.removed,
            restored: undone.restored,
            undone: undone.undone,
        }))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<wire::ImportTradesRequest>>,
    ) -> Result<Response<wire::ImportTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let mut stream = request.into_inner();
        let Some(wire::import_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(refused(Error::field("head", "An import begins with its head.")));
        };
        let (book, record, key) = read_import_head(head).map_err(refused)?;
        let service = self.service.clone();
        let imported = book_to_its_end(async move {
            let parts = stream.map(|message| match message {
                Ok(message) => read_import_part(message),
                Err(_) => Err(Error::BrokenOff { received: 0 }),
            });
            service.import(account_id, book, record, key, parts).await
        })
        .await?;
        Ok(Response::new(wire_imported(&imported)))
    }

    async fn preview_trades(
        &self,
        request: Request<Streaming<wire::PreviewTradesRequest>>,
    ) -> Result<Response<wire::PreviewTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let mut stream = request.into_inner();
        let Some(wire::preview_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(refused(Error::field("head", "A preview begins with its head.")));
        };
        let (book, record, _) = read_import_head(head).map_err(refused)?;
        let service = self.service.clone();
        let preview = book_to_its_end(async move {
            let parts = stream.map(|message| match message {
                Ok(message) => read_preview_part(message),
                Err(_) => Err(Error::BrokenOff { received: 0 }),
            });
            let preview = service.preview(account_id, book, record, parts).await?;
            show(&service, account_id, preview).await
        })
        .await?;
        Ok(Response::new(wire::PreviewTradesResponse { preview: Some(preview) }))
    }

    async fn get_preview(
        &self,
        request: Request<wire::GetPreviewRequest>,
    ) -> Result<Response<wire::GetPreviewResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let preview_id = read_preview_id(&request.into_inner().preview_id).map_err(refused)?;
        let service = self.service.clone();
        // Comparing a large file may outlast the caller; who asks again is answered with what came of it.
        let preview = to_its_end(async move {
            let shown = service.shown(account_id, preview_id).await?;
            match shown.and_then(|shown| wire::Preview::decode(shown.as_slice()).ok()) {
                Some(preview) => Ok(preview),
                None => show(&service, account_id, service.previewed(account_id, preview_id).await?).await,
            }
        })
        .await?;
        Ok(Response::new(wire::GetPreviewResponse { preview: Some(preview) }))
    }

    async fn commit_preview(
        &self,
        request: Request<wire::CommitPreviewRequest>,
    ) -> Result<Response<wire::CommitPreviewResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let request = request.into_inner();
        let preview_id = read_preview_id(&request.preview_id).map_err(refused)?;
        let choices = read_choices(request).map_err(refused)?;
        let service = self.service.clone();
        let committed = book_to_its_end(async move { service.commit(account_id, preview_id, choices).await }).await?;
        Ok(Response::new(wire_committed(committed).map_err(refused)?))
    }
}

/// A preview on the wire, kept for who asks for it again.
async fn show(service: &Service, account_id: Uuid, preview: Preview) -> Result<wire::Preview, Error> {
    let (preview_id, version) = (preview.file.preview_id, preview.compared.version);
    let preview = wire_preview(preview)?;
    service.keep_shown(account_id, preview_id, version, &preview.encode_to_vec()).await?;
    Ok(preview)
}

/// A write goes on to its commit or its refusal when the caller hangs up.
async fn to_its_end<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(db::WRITE_TIMEOUT, write).await.map_err(refused)
}

/// The same for one of a whole book.
async fn book_to_its_end<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(BOOK_WRITE_TIMEOUT, write).await.map_err(refused)
}

fn refused(error: Error) -> Status {
    failure::status(&error)
}
