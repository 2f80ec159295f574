//! Fake trade log: accounts have no trades, whatever total it states, and some lists do not end until a gate opens.

use std::collections::HashMap;

use rpc::authorization;
use rpc::trades::v1::stream_trades_response::Part;
use rpc::trades::v1::trades_service_server::TradesService;
use rpc::trades::v1::*;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

#[derive(Clone, Default)]
pub struct FakeTradeLog {
    /// Stated number of trades by account.
    pub totals: HashMap<u8, i64>,
    /// Accounts from this number on wait after the head of the list until the gate is open.
    pub blocked_from: u8,
    pub gate: watch::Sender<bool>,
    /// Number of calls that list all trades.
    pub lists: watch::Sender<usize>,
    /// Version of the broker accounts' settings, and the accounts.
    pub broker_accounts: watch::Sender<(i64, Vec<BrokerAccount>)>,
}

impl FakeTradeLog {
    /// Returns the account number in the request's metadata.
    fn account<T>(request: &Request<T>) -> u8 {
        request.metadata().get(authorization::ACCOUNT_METADATA_KEY).unwrap().to_str().unwrap().parse().unwrap()
    }

    fn head(&self, account: u8) -> TradesHead {
        TradesHead {
            version: 1,
            total: self.totals.get(&account).copied().unwrap_or(0),
            broker_accounts_version: self.broker_accounts.borrow().0,
            ..TradesHead::default()
        }
    }
}

fn unexpected_call<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("unexpected call"))
}

#[tonic::async_trait]
impl TradesService for FakeTradeLog {
    type StreamTradesStream = ReceiverStream<Result<StreamTradesResponse, Status>>;

    async fn stream_trades(
        &self,
        request: Request<StreamTradesRequest>,
    ) -> Result<Response<Self::StreamTradesStream>, Status> {
        let account = Self::account(&request);
        self.lists.send_modify(|lists| *lists += 1);
        let head = StreamTradesResponse { part: Some(Part::Head(self.head(account))) };
        let (parts, read) = mpsc::channel(1);
        let (is_blocked, mut gate) = (account >= self.blocked_from, self.gate.subscribe());
        tokio::spawn(async move {
            parts.send(Ok(head)).await.unwrap();
            if is_blocked {
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

    async fn list_trades(&self, _: Request<ListTradesRequest>) -> Result<Response<ListTradesResponse>, Status> {
        unexpected_call()
    }

    async fn get_trade(&self, _: Request<GetTradeRequest>) -> Result<Response<GetTradeResponse>, Status> {
        unexpected_call()
    }

    async fn list_books(&self, _: Request<ListBooksRequest>) -> Result<Response<ListBooksResponse>, Status> {
        unexpected_call()
    }

    async fn list_broker_accounts(
        &self,
        _: Request<ListBrokerAccountsRequest>,
    ) -> Result<Response<ListBrokerAccountsResponse>, Status> {
        Ok(Response::new(ListBrokerAccountsResponse { accounts: self.broker_accounts.borrow().1.clone() }))
    }

    async fn save_broker_account(
        &self,
        _: Request<SaveBrokerAccountRequest>,
    ) -> Result<Response<SaveBrokerAccountResponse>, Status> {
        unexpected_call()
    }

    type StreamLedgerEntriesStream = tokio_stream::Empty<Result<rpc::trades::v1::StreamLedgerEntriesResponse, Status>>;

    async fn import_ledger(
        &self,
        _: Request<rpc::trades::v1::ImportLedgerRequest>,
    ) -> Result<Response<rpc::trades::v1::ImportLedgerResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_ledgers(
        &self,
        _: Request<rpc::trades::v1::ListLedgersRequest>,
    ) -> Result<Response<rpc::trades::v1::ListLedgersResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn delete_ledger(
        &self,
        _: Request<rpc::trades::v1::DeleteLedgerRequest>,
    ) -> Result<Response<rpc::trades::v1::DeleteLedgerResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_ledger_sums(
        &self,
        _: Request<rpc::trades::v1::ListLedgerSumsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListLedgerSumsResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_capital_flows(
        &self,
        _: Request<rpc::trades::v1::ListCapitalFlowsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListCapitalFlowsResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn stream_ledger_entries(
        &self,
        _: Request<rpc::trades::v1::StreamLedgerEntriesRequest>,
    ) -> Result<Response<Self::StreamLedgerEntriesStream>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_contract_notes(
        &self,
        _: Request<ListContractNotesRequest>,
    ) -> Result<Response<ListContractNotesResponse>, Status> {
        Ok(Response::new(ListContractNotesResponse::default()))
    }

    async fn list_column_mappings(
        &self,
        _: Request<ListColumnMappingsRequest>,
    ) -> Result<Response<ListColumnMappingsResponse>, Status> {
        unexpected_call()
    }

    async fn save_column_mapping(
        &self,
        _: Request<SaveColumnMappingRequest>,
    ) -> Result<Response<SaveColumnMappingResponse>, Status> {
        unexpected_call()
    }

    async fn delete_column_mapping(
        &self,
        _: Request<DeleteColumnMappingRequest>,
    ) -> Result<Response<DeleteColumnMappingResponse>, Status> {
        unexpected_call()
    }

    async fn delete_broker_account(
        &self,
        _: Request<DeleteBrokerAccountRequest>,
    ) -> Result<Response<DeleteBrokerAccountResponse>, Status> {
        unexpected_call()
    }

    async fn list_symbols(&self, _: Request<ListSymbolsRequest>) -> Result<Response<ListSymbolsResponse>, Status> {
        unexpected_call()
    }

    async fn list_isins(&self, _: Request<ListIsinsRequest>) -> Result<Response<ListIsinsResponse>, Status> {
        unexpected_call()
    }

    async fn add_trade(&self, _: Request<AddTradeRequest>) -> Result<Response<AddTradeResponse>, Status> {
        unexpected_call()
    }

    async fn update_trade(&self, _: Request<UpdateTradeRequest>) -> Result<Response<UpdateTradeResponse>, Status> {
        unexpected_call()
    }

    async fn delete_trade(&self, _: Request<DeleteTradeRequest>) -> Result<Response<DeleteTradeResponse>, Status> {
        unexpected_call()
    }

    async fn list_changes(&self, _: Request<ListChangesRequest>) -> Result<Response<ListChangesResponse>, Status> {
        unexpected_call()
    }

    async fn undo_change(&self, _: Request<UndoChangeRequest>) -> Result<Response<UndoChangeResponse>, Status> {
        unexpected_call()
    }

    async fn get_preview(&self, _: Request<GetPreviewRequest>) -> Result<Response<GetPreviewResponse>, Status> {
        unexpected_call()
    }

    async fn commit_preview(
        &self,
        _: Request<CommitPreviewRequest>,
    ) -> Result<Response<CommitPreviewResponse>, Status> {
        unexpected_call()
    }

    async fn replace_trades(
        &self,
        _: Request<Streaming<ReplaceTradesRequest>>,
    ) -> Result<Response<ReplaceTradesResponse>, Status> {
        unexpected_call()
    }

    async fn import_trades(
        &self,
        _: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        unexpected_call()
    }

    async fn preview_trades(
        &self,
        _: Request<Streaming<PreviewTradesRequest>>,
    ) -> Result<Response<PreviewTradesResponse>, Status> {
        unexpected_call()
    }
}
