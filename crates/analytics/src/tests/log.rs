//! A trade log of accounts that have no trades, whatever it says, and some of which it keeps waiting.

use std::collections::HashMap;

use rpc::guard;
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::trades_service_server::TradesService;
use rpc::trades::v1::*;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

#[derive(Clone, Default)]
pub struct Log {
    /// How many trades it says that accounts have.
    pub totals: HashMap<u8, i64>,
    /// Accounts from that number on get no further than that until the gate is open.
    pub held_from: u8,
    pub gate: watch::Sender<bool>,
    /// How often all trades of an account were asked for.
    pub lists: watch::Sender<usize>,
}

impl Log {
    /// The account as a service names it, by a number here.
    fn account<T>(request: &Request<T>) -> u8 {
        request.metadata().get(guard::ACCOUNT).unwrap().to_str().unwrap().parse().unwrap()
    }

    fn head(&self, account: u8) -> TradesHead {
        TradesHead { version: 1, total: self.totals.get(&account).copied().unwrap_or(0), ..TradesHead::default() }
    }
}

fn never_asked<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("no analysis asks for it"))
}

#[tonic::async_trait]
impl TradesService for Log {
    type ListTradesStream = ReceiverStream<Result<ListTradesResponse, Status>>;

    async fn list_trades(
        &self,
        request: Request<ListTradesRequest>,
    ) -> Result<Response<Self::ListTradesStream>, Status> {
        let account = Self::account(&request);
        self.lists.send_modify(|lists| *lists += 1);
        let head = ListTradesResponse { part: Some(Part::Head(self.head(account))) };
        let (parts, read) = mpsc::channel(1);
        let (held, mut gate) = (account >= self.held_from, self.gate.subscribe());
        tokio::spawn(async move {
            parts.send(Ok(head)).await.unwrap();
            if held {
                gate.wait_for(|open| *open).await.unwrap();
            }
        });
        Ok(Response::new(ReceiverStream::new(read)))
    }

    async fn list_changed_trades(
        &self,
        request: Request<ListChangedTradesRequest>,
    ) -> Result<Response<ListChangedTradesResponse>, Status> {
        let head = Some(self.head(Self::account(&request)));
        Ok(Response::new(ListChangedTradesResponse { head, ..ListChangedTradesResponse::default() }))
    }

    async fn query_trades(&self, _: Request<QueryTradesRequest>) -> Result<Response<QueryTradesResponse>, Status> {
        never_asked()
    }

    async fn get_trade(&self, _: Request<GetTradeRequest>) -> Result<Response<GetTradeResponse>, Status> {
        never_asked()
    }

    async fn list_books(&self, _: Request<ListBooksRequest>) -> Result<Response<ListBooksResponse>, Status> {
        never_asked()
    }

    async fn list_symbols(&self, _: Request<ListSymbolsRequest>) -> Result<Response<ListSymbolsResponse>, Status> {
        never_asked()
    }

    async fn list_isins(&self, _: Request<ListIsinsRequest>) -> Result<Response<ListIsinsResponse>, Status> {
        never_asked()
    }

    async fn add_trade(&self, _: Request<AddTradeRequest>) -> Result<Response<AddTradeResponse>, Status> {
        never_asked()
    }

    async fn edit_trade(&self, _: Request<EditTradeRequest>) -> Result<Response<EditTradeResponse>, Status> {
        never_asked()
    }

    async fn delete_trade(&self, _: Request<DeleteTradeRequest>) -> Result<Response<DeleteTradeResponse>, Status> {
        never_asked()
    }

    async fn list_changes(&self, _: Request<ListChangesRequest>) -> Result<Response<ListChangesResponse>, Status> {
        never_asked()
    }

    async fn undo_change(&self, _: Request<UndoChangeRequest>) -> Result<Response<UndoChangeResponse>, Status> {
        never_asked()
    }

    async fn get_preview(&self, _: Request<GetPreviewRequest>) -> Result<Response<GetPreviewResponse>, Status> {
        never_asked()
    }

    async fn commit_preview(
        &self,
        _: Request<CommitPreviewRequest>,
    ) -> Result<Response<CommitPreviewResponse>, Status> {
        never_asked()
    }

    async fn replace_trades(
        &self,
        _: Request<Streaming<ReplaceTradesRequest>>,
    ) -> Result<Response<ReplaceTradesResponse>, Status> {
        never_asked()
    }

    async fn import_trades(
        &self,
        _: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        never_asked()
    }

    async fn preview_trades(
        &self,
        _: Request<Streaming<PreviewTradesRequest>>,
    ) -> Result<Response<PreviewTradesResponse>, Status> {
        never_asked()
    }
}
