//! A trade log that keeps nothing and remembers what it was sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rpc::guard;
use rpc::trades::v1::import_trades_request::Part;
use rpc::trades::v1::preview_trades_request::Part as PreviewPart;
use rpc::trades::v1::trades_service_server::{TradesService, TradesServiceServer};
use rpc::trades::v1::{
    FileIssues, ImportHead, ImportTradesRequest, ImportTradesResponse, ListTradesRequest, ListTradesResponse, Preview,
    PreviewTradesRequest, PreviewTradesResponse, QueryTradesRequest, QueryTradesResponse,
};
use tonic::{Request, Response, Status, Streaming};

/// One import or preview, as far as it came.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub head: ImportHead,
    pub authorization: String,
    /// The account that a service named.
    pub account: String,
    pub batches: usize,
    pub trades: i64,
    /// The number that the end gave, if it came.
    pub end: Option<i64>,
    pub findings: FileIssues,
}

#[derive(Clone, Default)]
pub struct Log {
    pub seen: Arc<Mutex<Vec<Seen>>>,
    /// Refuses at the first batch.
    pub refuses: bool,
    /// Waits so long before each batch.
    pub slow: Duration,
}

impl Log {
    pub fn server(&self) -> TradesServiceServer<Self> {
        TradesServiceServer::new(self.clone())
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The only import, which must have come to its end.
    #[track_caller]
    pub fn stored(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].end, Some(seen[0].trades));
        seen[0].clone()
    }

    /// Whether nothing was stored: no import came to its end.
    pub fn kept_nothing(&self) -> bool {
        self.seen().iter().all(|seen| seen.end.is_none())
    }

    async fn take<M>(&self, request: Request<Streaming<M>>, part: impl Fn(M) -> Option<Part>) -> Result<Seen, Status> {
        let said = |name: &str| request.metadata().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        let (authorization, account) = (said("authorization"), said(guard::ACCOUNT));
        let number = {
            let mut seen = self.seen.lock().unwrap();
            seen.push(Seen { authorization, account, ..Seen::default() });
            seen.len() - 1
        };
        let mut messages = request.into_inner();
        while let Some(message) = messages.message().await? {
            let part = part(message);
            if matches!(part, Some(Part::Batch(_))) {
                tokio::time::sleep(self.slow).await;
                if self.refuses {
                    return Err(Status::resource_exhausted("another write is running"));
                }
            }
            let mut seen = self.seen.lock().unwrap();
            let seen = &mut seen[number];
            match part {
                Some(Part::Head(head)) => seen.head = head,
                Some(Part::Batch(batch)) => {
                    assert!((1..=2_000).contains(&batch.trades.len()));
                    seen.batches += 1;
                    seen.trades += i64::try_from(batch.trades.len()).unwrap();
                }
                Some(Part::End(end)) => {
                    seen.end = Some(end.trades);
                    seen.findings = end.findings.unwrap_or_default();
                }
                None => (),
            }
        }
        let seen = self.seen.lock().unwrap()[number].clone();
        if seen.end.is_some() { Ok(seen) } else { Err(Status::invalid_argument("the stream broke off")) }
    }
}

#[tonic::async_trait]
impl TradesService for Log {
    type ListTradesStream = tokio_stream::Empty<Result<ListTradesResponse, Status>>;

    async fn list_trades(&self, _: Request<ListTradesRequest>) -> Result<Response<Self::ListTradesStream>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn query_trades(&self, _: Request<QueryTradesRequest>) -> Result<Response<QueryTradesResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        let seen = self.take(request, |message| message.part).await?;
        Ok(Response::new(ImportTradesResponse { import_id: 7, added: seen.trades, ..ImportTradesResponse::default() }))
    }

    async fn list_changed_trades(
        &self,
        _: Request<rpc::trades::v1::ListChangedTradesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListChangedTradesResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn get_trade(
        &self,
        _: Request<rpc::trades::v1::GetTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::GetTradeResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn list_books(
        &self,
        _: Request<rpc::trades::v1::ListBooksRequest>,
    ) -> Result<Response<rpc::trades::v1::ListBooksResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn list_symbols(
        &self,
        _: Request<rpc::trades::v1::ListSymbolsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListSymbolsResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn list_isins(
        &self,
        _: Request<rpc::trades::v1::ListIsinsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListIsinsResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn add_trade(
        &self,
        _: Request<rpc::trades::v1::AddTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::AddTradeResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn replace_trades(
        &self,
        _: Request<Streaming<rpc::trades::v1::ReplaceTradesRequest>>,
    ) -> Result<Response<rpc::trades::v1::ReplaceTradesResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn edit_trade(
        &self,
        _: Request<rpc::trades::v1::EditTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::EditTradeResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn delete_trade(
        &self,
        _: Request<rpc::trades::v1::DeleteTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::DeleteTradeResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn list_changes(
        &self,
        _: Request<rpc::trades::v1::ListChangesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListChangesResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn undo_change(
        &self,
        _: Request<rpc::trades::v1::UndoChangeRequest>,
    ) -> Result<Response<rpc::trades::v1::UndoChangeResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn preview_trades(
        &self,
        request: Request<Streaming<PreviewTradesRequest>>,
    ) -> Result<Response<PreviewTradesResponse>, Status> {
        let part = |part| match part {
            PreviewPart::Head(head) => Part::Head(head),
            PreviewPart::Batch(batch) => Part::Batch(batch),
            PreviewPart::End(end) => Part::End(end),
        };
        let seen = self.take(request, |message| message.part.map(part)).await?;
        let preview = Preview { id: "seen".to_owned(), added: seen.trades, ..Preview::default() };
        Ok(Response::new(PreviewTradesResponse { preview: Some(preview) }))
    }

    async fn get_preview(
        &self,
        _: Request<rpc::trades::v1::GetPreviewRequest>,
    ) -> Result<Response<rpc::trades::v1::GetPreviewResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn commit_preview(
        &self,
        _: Request<rpc::trades::v1::CommitPreviewRequest>,
    ) -> Result<Response<rpc::trades::v1::CommitPreviewResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}
