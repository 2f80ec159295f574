//! Fake trade log that records the imports and previews it receives.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rpc::authorization;
use rpc::trades::v1::import_trades_request::Part;
use rpc::trades::v1::preview_trades_request::Part as PreviewPart;
use rpc::trades::v1::trades_service_server::{TradesService, TradesServiceServer};
use rpc::trades::v1::{
    FileIssues, ImportHead, ImportTradesRequest, ImportTradesResponse, ListTradesRequest, ListTradesResponse, Preview,
    PreviewTradesRequest, PreviewTradesResponse, StreamTradesRequest, StreamTradesResponse,
};
use tonic::{Request, Response, Status, Streaming};

/// Import or preview, possibly incomplete.
#[derive(Clone, Debug, Default)]
pub struct RecordedImport {
    pub head: ImportHead,
    pub authorization: String,
    /// Account that an internal service acts for.
    pub account: String,
    pub batches: usize,
    pub trades: i64,
    /// Number of trades in the end message, if it was received.
    pub end: Option<i64>,
    pub issues: FileIssues,
}

#[derive(Clone, Default)]
pub struct FakeTradeLog {
    pub imports: Arc<Mutex<Vec<RecordedImport>>>,
    /// Received ledgers, also those of previews.
    pub ledgers: Arc<Mutex<Vec<rpc::trades::v1::ImportLedgerRequest>>>,
    /// Rejects the first batch.
    pub rejects: bool,
    /// Delay before each batch.
    pub delay: Duration,
    /// Saved column mappings.
    pub mappings: Vec<rpc::trades::v1::ColumnMapping>,
}

impl FakeTradeLog {
    pub fn server(&self) -> TradesServiceServer<Self> {
        TradesServiceServer::new(self.clone())
    }

    pub fn recorded(&self) -> Vec<RecordedImport> {
        self.imports.lock().unwrap().clone()
    }

    /// Returns the only import, which must be complete.
    #[track_caller]
    pub fn stored(&self) -> RecordedImport {
        let imports = self.recorded();
        assert_eq!(imports.len(), 1);
        assert_eq!(imports[0].end, Some(imports[0].trades));
        imports[0].clone()
    }

    /// Returns true if no import is complete.
    pub fn has_stored_nothing(&self) -> bool {
        self.recorded().iter().all(|import| import.end.is_none())
    }

    async fn record<M>(
        &self,
        request: Request<Streaming<M>>,
        part: impl Fn(M) -> Option<Part>,
    ) -> Result<RecordedImport, Status> {
        let metadata = |name: &str| request.metadata().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        let (authorization, account) = (metadata("authorization"), metadata(authorization::ACCOUNT_METADATA_KEY));
        let index = {
            let mut imports = self.imports.lock().unwrap();
            imports.push(RecordedImport { authorization, account, ..RecordedImport::default() });
            imports.len() - 1
        };
        let mut messages = request.into_inner();
        while let Some(message) = messages.message().await? {
            let part = part(message);
            if matches!(part, Some(Part::Batch(_))) {
                tokio::time::sleep(self.delay).await;
                if self.rejects {
                    return Err(Status::resource_exhausted("another write is running"));
                }
            }
            let mut imports = self.imports.lock().unwrap();
            let import = &mut imports[index];
            match part {
                Some(Part::Head(head)) => import.head = head,
                Some(Part::Batch(batch)) => {
                    assert!((1..=2_000).contains(&batch.trades.len()));
                    import.batches += 1;
                    import.trades += i64::try_from(batch.trades.len()).unwrap();
                }
                Some(Part::End(end)) => {
                    import.end = Some(end.trades);
                    import.issues = end.issues.unwrap_or_default();
                }
                None => (),
            }
        }
        let import = self.imports.lock().unwrap()[index].clone();
        if import.end.is_some() { Ok(import) } else { Err(Status::invalid_argument("the stream ended early")) }
    }
}

#[tonic::async_trait]
impl TradesService for FakeTradeLog {
    type StreamTradesStream = tokio_stream::Empty<Result<StreamTradesResponse, Status>>;

    async fn stream_trades(
        &self,
        _: Request<StreamTradesRequest>,
    ) -> Result<Response<Self::StreamTradesStream>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_trades(&self, _: Request<ListTradesRequest>) -> Result<Response<ListTradesResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        let import = self.record(request, |message| message.part).await?;
        Ok(Response::new(ImportTradesResponse {
            import_id: 7,
            added: import.trades,
            ..ImportTradesResponse::default()
        }))
    }

    async fn list_changed_trades(
        &self,
        _: Request<rpc::trades::v1::ListChangedTradesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListChangedTradesResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn get_trade(
        &self,
        _: Request<rpc::trades::v1::GetTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::GetTradeResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_broker_accounts(
        &self,
        _: Request<rpc::trades::v1::ListBrokerAccountsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListBrokerAccountsResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn save_broker_account(
        &self,
        _: Request<rpc::trades::v1::SaveBrokerAccountRequest>,
    ) -> Result<Response<rpc::trades::v1::SaveBrokerAccountResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    type StreamLedgerEntriesStream = tokio_stream::Empty<Result<rpc::trades::v1::StreamLedgerEntriesResponse, Status>>;

    async fn import_ledger(
        &self,
        request: Request<rpc::trades::v1::ImportLedgerRequest>,
    ) -> Result<Response<rpc::trades::v1::ImportLedgerResponse>, Status> {
        let ledger = request.into_inner();
        let added = i64::try_from(ledger.entries.len()).unwrap();
        let response = rpc::trades::v1::ImportLedgerResponse { broker: ledger.broker, added, ..Default::default() };
        self.ledgers.lock().unwrap().push(ledger);
        Ok(Response::new(response))
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
        _: Request<rpc::trades::v1::ListContractNotesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListContractNotesResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_column_mappings(
        &self,
        _: Request<rpc::trades::v1::ListColumnMappingsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListColumnMappingsResponse>, Status> {
        let mappings = self.mappings.iter().cloned();
        let saved = mappings
            .map(|mapping| rpc::trades::v1::SavedColumnMapping { mapping: Some(mapping), ..Default::default() });
        Ok(Response::new(rpc::trades::v1::ListColumnMappingsResponse { mappings: saved.collect() }))
    }

    async fn save_column_mapping(
        &self,
        _: Request<rpc::trades::v1::SaveColumnMappingRequest>,
    ) -> Result<Response<rpc::trades::v1::SaveColumnMappingResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn delete_column_mapping(
        &self,
        _: Request<rpc::trades::v1::DeleteColumnMappingRequest>,
    ) -> Result<Response<rpc::trades::v1::DeleteColumnMappingResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn delete_broker_account(
        &self,
        _: Request<rpc::trades::v1::DeleteBrokerAccountRequest>,
    ) -> Result<Response<rpc::trades::v1::DeleteBrokerAccountResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_books(
        &self,
        _: Request<rpc::trades::v1::ListBooksRequest>,
    ) -> Result<Response<rpc::trades::v1::ListBooksResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_symbols(
        &self,
        _: Request<rpc::trades::v1::ListSymbolsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListSymbolsResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_isins(
        &self,
        _: Request<rpc::trades::v1::ListIsinsRequest>,
    ) -> Result<Response<rpc::trades::v1::ListIsinsResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn add_trade(
        &self,
        _: Request<rpc::trades::v1::AddTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::AddTradeResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn replace_trades(
        &self,
        _: Request<Streaming<rpc::trades::v1::ReplaceTradesRequest>>,
    ) -> Result<Response<rpc::trades::v1::ReplaceTradesResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn update_trade(
        &self,
        _: Request<rpc::trades::v1::UpdateTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::UpdateTradeResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn delete_trade(
        &self,
        _: Request<rpc::trades::v1::DeleteTradeRequest>,
    ) -> Result<Response<rpc::trades::v1::DeleteTradeResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn list_changes(
        &self,
        _: Request<rpc::trades::v1::ListChangesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListChangesResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn undo_change(
        &self,
        _: Request<rpc::trades::v1::UndoChangeRequest>,
    ) -> Result<Response<rpc::trades::v1::UndoChangeResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
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
        let import = self.record(request, |message| message.part.map(part)).await?;
        let preview = Preview { id: "recorded".to_owned(), added: import.trades, ..Preview::default() };
        Ok(Response::new(PreviewTradesResponse { preview: Some(preview) }))
    }

    async fn get_preview(
        &self,
        _: Request<rpc::trades::v1::GetPreviewRequest>,
    ) -> Result<Response<rpc::trades::v1::GetPreviewResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }

    async fn commit_preview(
        &self,
        _: Request<rpc::trades::v1::CommitPreviewRequest>,
    ) -> Result<Response<rpc::trades::v1::CommitPreviewResponse>, Status> {
        Err(Status::unimplemented("not implemented by the fake"))
    }
}
