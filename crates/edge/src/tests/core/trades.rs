//! Fake trades service.

use std::pin::Pin;

use futures_util::{Stream, StreamExt, stream};
use prost_types::Timestamp;
use rpc::trades::v1::replace_trades_request::Part as ReplacePart;
use rpc::trades::v1::stream_trades_response::Part as ListPart;
use rpc::trades::v1::trades_service_server::TradesService;
use rpc::trades::v1::*;
use tonic::{Request, Response, Status, Streaming};

use super::{Core, VERSION, book, trade};

/// Requests that the trades service received, and settings of its responses.
#[derive(Default)]
pub struct Writes {
    pub added: Vec<AddTradeRequest>,
    pub edited: Vec<UpdateTradeRequest>,
    pub deleted: Vec<DeleteTradeRequest>,
    pub undone: Vec<UndoChangeRequest>,
    pub listed: Vec<ListChangesRequest>,
    pub symbols: Vec<ListSymbolsRequest>,
    pub replaced: Vec<Replace>,
    /// Answers every write as a replay.
    pub replayed: bool,
    /// Changes the version of the trades between two pages.
    pub changed_between_pages: bool,
    pub committed: Vec<CommitPreviewRequest>,
    /// Answers a commit with a book that changed since the preview.
    pub preview_changed: bool,
    /// Changes the version of the trades after the last page.
    pub changed_after_last_page: bool,
}

/// Replacement of a book as received.
#[derive(Clone, Default)]
pub struct Replace {
    pub head: ReplaceHead,
    pub batches: Vec<usize>,
    pub first: Option<NewTrade>,
    /// Number of trades that the end message stated, if it was received.
    pub end: Option<i64>,
}

fn head(total: i64) -> Option<TradesHead> {
    Some(TradesHead { version: VERSION, unchanged: false, total, last_book: Some(book()), ..TradesHead::default() })
}

fn column_mapping() -> SavedColumnMapping {
    let mapping = ColumnMapping {
        header: vec!["Scrip".to_owned(), "B/S".to_owned()],
        broker: Broker::Zerodha.into(),
        segment: Segment::Equity.into(),
        ..ColumnMapping::default()
    };
    SavedColumnMapping {
        header_digest: vec![7; 32],
        name: "orders.csv".to_owned(),
        mapping: Some(mapping),
        saved_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 0 }),
    }
}

fn ledger_sum() -> LedgerSum {
    LedgerSum {
        broker: Broker::Zerodha.into(),
        kind: LedgerKind::Amc.into(),
        amount: "88.5".to_owned(),
        entries: 1,
        treatment: LedgerTreatment::Cost.into(),
        ..LedgerSum::default()
    }
}

fn contract_note() -> ContractNote {
    let amount = |text: &str| text.to_owned();
    ContractNote {
        book: Some(super::book()),
        number: "CN-1".to_owned(),
        date: "2026-03-31".to_owned(),
        turnover: amount("29200.5"),
        brokerage: amount("8.76"),
        stt: amount("4"),
        exchange: amount("0.87"),
        sebi: amount("0.03"),
        ipft: amount("0"),
        stamp_duty: amount("-1"),
        gst: amount("1.74"),
        from_tradebook: false,
    }
}

fn broker_account() -> BrokerAccount {
    BrokerAccount {
        broker: Broker::Zerodha.into(),
        broker_account: 2,
        label: "Mother".to_owned(),
        holder: "Asha Rao".to_owned(),
        masked_client_code: "AB••34".to_owned(),
        trades: 3,
        settings: None,
    }
}

/// Returns a preview with a new trade, a duplicate and a conflict.
pub fn preview() -> Preview {
    let issue = |row, code: &str| Issue {
        row,
        column: "K".to_owned(),
        value: "abc".to_owned(),
        code: code.to_owned(),
        message: "Look.".to_owned(),
        sheet: "F&O".to_owned(),
        ..Issue::default()
    };
    let contract = Contract {
        underlying: "NIFTY".to_owned(),
        expiry: "2025-06-05".to_owned(),
        kind: ContractKind::Put.into(),
        strike: "24750".to_owned(),
    };
    let sample = |row, outcome: PreviewOutcome, contract| PreviewedTrade {
        trade: Some(ImportedTrade { row, contract, ..super::sample() }),
        outcome: outcome.into(),
    };
    let broker_trade = |price: &str| BrokerTrade {
        side: Side::Sell.into(),
        quantity: "10".to_owned(),
        price: price.to_owned(),
        value: "821".to_owned(),
    };
    Preview {
        id: "p1".to_owned(),
        expires_at: AT,
        book: Some(book()),
        file_name: "tradebook.csv".to_owned(),
        file_sha256: vec![0xab; 32],
        format: "zerodha-tradebook".to_owned(),
        issues: Some(FileIssues {
            rows: 6,
            skipped_rows: 1,
            errors: vec![issue(9, "price_not_a_number")],
            error_count: 1,
            warnings: vec![issue(7, "price_outlier")],
            warning_count: 1,
            unusual_count: 1,
            other_segment_rows: 0,
            contract_notes: 0,
            days_with_charges: 0,
            format_title: "Zerodha tradebook".to_owned(),
            signature: Some(DocumentSignature {
                state: SignatureState::Changed.into(),
                count: 1,
                organisation: "Example Broking Limited".to_owned(),
                ..DocumentSignature::default()
            }),
        }),
        added: 1,
        duplicates: 2,
        conflicts: vec![Conflict {
            trade: Some(trade(5)),
            previous: Some(broker_trade("82.1000")),
            corrected: Some(broker_trade("83")),
            row: 4,
        }],
        conflict_count: 1,
        warnings: vec![issue(0, "sale_without_purchase")],
        warning_count: 1,
        first_executed_at: AT,
        last_executed_at: AT,
        sample: vec![
            sample(2, PreviewOutcome::Added, Some(contract)),
            sample(0, PreviewOutcome::Duplicate, None),
            sample(4, PreviewOutcome::Conflict, None),
        ],
        state: "1-1-abc".to_owned(),
        masked_client_code: "AB••34".to_owned(),
        holder: "Asha Rao".to_owned(),
        account_match: AccountMatch::Known.into(),
    }
}

const AT: Option<Timestamp> = Some(Timestamp { seconds: 1_774_981_800, nanos: 0 });

#[tonic::async_trait]
impl TradesService for Core {
    type StreamTradesStream = Pin<Box<dyn Stream<Item = Result<StreamTradesResponse, Status>> + Send>>;

    async fn stream_trades(
        &self,
        request: Request<StreamTradesRequest>,
    ) -> Result<Response<Self::StreamTradesStream>, Status> {
        self.record_call("stream_trades", &request)?;
        let pages = self.0.pages.lock().unwrap().clone();
        let total = pages.iter().flatten().map(Vec::len).sum::<usize>();
        let unchanged = request.into_inner().known_version == Some(VERSION);
        let last_book = (total > 0).then(book);
        let head = TradesHead { version: VERSION, unchanged, total: total as i64, last_book, ..TradesHead::default() };
        let head = StreamTradesResponse { part: Some(ListPart::Head(head)) };
        let core = self.clone();
        let pages = stream::iter(pages).then(move |page| {
            let core = core.clone();
            async move {
                if *core.0.blocked.lock().unwrap() {
                    core.0.unblock.notified().await;
                }
                page.map(|trades| StreamTradesResponse { part: Some(ListPart::Page(TradesPage { trades })) })
            }
        });
        let pages = if unchanged { stream::empty().boxed() } else { pages.boxed() };
        Ok(Response::new(stream::once(async { Ok(head) }).chain(pages).boxed()))
    }

    async fn list_trades(&self, request: Request<ListTradesRequest>) -> Result<Response<ListTradesResponse>, Status> {
        self.record_call("list_trades", &request)?;
        let request = request.into_inner();
        let unchanged = request.known_version == Some(VERSION);
        let last = request.page_token == "after-2";
        let writes = self.0.writes.lock().unwrap();
        let changed_between_pages = (last && writes.changed_between_pages)
            || (request.known_version.is_some() && writes.changed_after_last_page);
        drop(writes);
        self.0.queries.lock().unwrap().push(request);
        let version = VERSION + i64::from(changed_between_pages);
        let head = TradesHead { version, unchanged, total: 3, last_book: Some(book()), ..TradesHead::default() };
        let trades = match (unchanged, last) {
            (true, _) => Vec::new(),
            (false, true) => vec![trade(1)],
            (false, false) => vec![trade(3), trade(2)],
        };
        let next_page_token = if last { String::new() } else { "after-2".to_owned() };
        Ok(Response::new(ListTradesResponse { head: Some(head), trades, next_page_token }))
    }

    async fn list_changed_trades(
        &self,
        _: Request<rpc::trades::v1::ListChangedTradesRequest>,
    ) -> Result<Response<rpc::trades::v1::ListChangedTradesResponse>, Status> {
        Err(Status::unimplemented("not called by the edge"))
    }

    async fn import_trades(
        &self,
        _: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        Err(Status::unimplemented("not called by the edge"))
    }

    async fn preview_trades(
        &self,
        _: Request<Streaming<PreviewTradesRequest>>,
    ) -> Result<Response<PreviewTradesResponse>, Status> {
        Err(Status::unimplemented("not called by the edge"))
    }

    async fn get_preview(&self, request: Request<GetPreviewRequest>) -> Result<Response<GetPreviewResponse>, Status> {
        self.record_call("get_preview", &request)?;
        let GetPreviewRequest { preview_id, batch_preview_ids } = request.into_inner();
        *self.0.preview_batch.lock().unwrap() = batch_preview_ids;
        let preview = Preview { id: preview_id, ..preview() };
        Ok(Response::new(GetPreviewResponse { preview: Some(preview) }))
    }

    async fn commit_preview(
        &self,
        request: Request<CommitPreviewRequest>,
    ) -> Result<Response<CommitPreviewResponse>, Status> {
        self.record_call("commit_preview", &request)?;
        let mut writes = self.0.writes.lock().unwrap();
        writes.committed.push(request.into_inner());
        let outcome = if writes.preview_changed {
            commit_preview_response::Outcome::Changed(preview())
        } else {
            let Preview { book, file_name, format, issues, warnings, warning_count, .. } = preview();
            let result = ImportTradesResponse {
                book,
                change_id: 11,
                replayed: writes.replayed,
                import_id: 4,
                added: 2,
                duplicates: 2,
                conflicts: 1,
                corrected: 1,
                head: head(3),
                first_executed_at: AT,
                last_executed_at: AT,
                warnings,
                warning_count,
            };
            let committed = CommittedPreview { result: Some(result), book, file_name, format, issues };
            commit_preview_response::Outcome::Committed(committed)
        };
        Ok(Response::new(CommitPreviewResponse { outcome: Some(outcome) }))
    }

    async fn get_trade(&self, request: Request<GetTradeRequest>) -> Result<Response<GetTradeResponse>, Status> {
        self.record_call("get_trade", &request)?;
        let [stock_name, notes, stop_loss] = ["Mahindra", "Old.", "80.5"].map(str::to_owned);
        let notes = Notes { stock_name, notes, stop_loss, ..Notes::default() };
        let id = request.into_inner().id;
        let trade = Trade { notes: Some(notes), imported: true, edited: true, pair_id: "p".to_owned(), ..trade(id) };
        Ok(Response::new(GetTradeResponse { trade: Some(trade) }))
    }

    async fn list_broker_accounts(
        &self,
        request: Request<ListBrokerAccountsRequest>,
    ) -> Result<Response<ListBrokerAccountsResponse>, Status> {
        self.record_call("list_broker_accounts", &request)?;
        Ok(Response::new(ListBrokerAccountsResponse { accounts: vec![broker_account()] }))
    }

    async fn save_broker_account(
        &self,
        request: Request<SaveBrokerAccountRequest>,
    ) -> Result<Response<SaveBrokerAccountResponse>, Status> {
        self.record_call("save_broker_account", &request)?;
        Ok(Response::new(SaveBrokerAccountResponse { account: Some(broker_account()) }))
    }

    async fn delete_broker_account(
        &self,
        request: Request<DeleteBrokerAccountRequest>,
    ) -> Result<Response<DeleteBrokerAccountResponse>, Status> {
        self.record_call("delete_broker_account", &request)?;
        Ok(Response::new(DeleteBrokerAccountResponse {}))
    }

    type StreamLedgerEntriesStream = Pin<Box<dyn Stream<Item = Result<StreamLedgerEntriesResponse, Status>> + Send>>;

    async fn import_ledger(
        &self,
        request: Request<ImportLedgerRequest>,
    ) -> Result<Response<ImportLedgerResponse>, Status> {
        self.record_call("import_ledger", &request)?;
        Ok(Response::new(ImportLedgerResponse::default()))
    }

    async fn list_ledgers(
        &self,
        request: Request<ListLedgersRequest>,
    ) -> Result<Response<ListLedgersResponse>, Status> {
        self.record_call("list_ledgers", &request)?;
        Ok(Response::new(ListLedgersResponse::default()))
    }

    async fn delete_ledger(
        &self,
        request: Request<DeleteLedgerRequest>,
    ) -> Result<Response<DeleteLedgerResponse>, Status> {
        self.record_call("delete_ledger", &request)?;
        Ok(Response::new(DeleteLedgerResponse { removed: 3 }))
    }

    async fn list_ledger_sums(
        &self,
        request: Request<ListLedgerSumsRequest>,
    ) -> Result<Response<ListLedgerSumsResponse>, Status> {
        self.record_call("list_ledger_sums", &request)?;
        Ok(Response::new(ListLedgerSumsResponse { sums: vec![ledger_sum()] }))
    }

    async fn list_capital_flows(
        &self,
        request: Request<ListCapitalFlowsRequest>,
    ) -> Result<Response<ListCapitalFlowsResponse>, Status> {
        self.record_call("list_capital_flows", &request)?;
        Ok(Response::new(ListCapitalFlowsResponse::default()))
    }

    async fn stream_ledger_entries(
        &self,
        request: Request<StreamLedgerEntriesRequest>,
    ) -> Result<Response<Self::StreamLedgerEntriesStream>, Status> {
        self.record_call("stream_ledger_entries", &request)?;
        let entry = LedgerEntry {
            broker: Broker::Zerodha.into(),
            day: "2026-03-31".to_owned(),
            kind: LedgerKind::Amc.into(),
            amount: "88.5".to_owned(),
            particulars: "AMC for Demat Account".to_owned(),
            ..LedgerEntry::default()
        };
        Ok(Response::new(stream::iter([Ok(StreamLedgerEntriesResponse { entries: vec![entry] })]).boxed()))
    }

    async fn list_contract_notes(
        &self,
        request: Request<ListContractNotesRequest>,
    ) -> Result<Response<ListContractNotesResponse>, Status> {
        self.record_call("list_contract_notes", &request)?;
        Ok(Response::new(ListContractNotesResponse { notes: vec![contract_note()] }))
    }

    async fn list_column_mappings(
        &self,
        request: Request<ListColumnMappingsRequest>,
    ) -> Result<Response<ListColumnMappingsResponse>, Status> {
        self.record_call("list_column_mappings", &request)?;
        Ok(Response::new(ListColumnMappingsResponse { mappings: vec![column_mapping()] }))
    }

    async fn save_column_mapping(
        &self,
        request: Request<SaveColumnMappingRequest>,
    ) -> Result<Response<SaveColumnMappingResponse>, Status> {
        self.record_call("save_column_mapping", &request)?;
        Ok(Response::new(SaveColumnMappingResponse { mapping: Some(column_mapping()) }))
    }

    async fn delete_column_mapping(
        &self,
        request: Request<DeleteColumnMappingRequest>,
    ) -> Result<Response<DeleteColumnMappingResponse>, Status> {
        self.record_call("delete_column_mapping", &request)?;
        Ok(Response::new(DeleteColumnMappingResponse {}))
    }

    async fn list_books(&self, request: Request<ListBooksRequest>) -> Result<Response<ListBooksResponse>, Status> {
        self.record_call("list_books", &request)?;
        let books = vec![BookSummary { book: Some(book()), trades: 0 }];
        Ok(Response::new(ListBooksResponse { books }))
    }

    async fn list_symbols(
        &self,
        request: Request<ListSymbolsRequest>,
    ) -> Result<Response<ListSymbolsResponse>, Status> {
        self.record_call("list_symbols", &request)?;
        self.0.writes.lock().unwrap().symbols.push(request.into_inner());
        Ok(Response::new(ListSymbolsResponse { symbols: vec!["INFY".to_owned()] }))
    }

    async fn list_isins(&self, _: Request<ListIsinsRequest>) -> Result<Response<ListIsinsResponse>, Status> {
        Err(Status::unimplemented("called by the analytics only"))
    }

    async fn add_trade(&self, request: Request<AddTradeRequest>) -> Result<Response<AddTradeResponse>, Status> {
        self.record_call("add_trade", &request)?;
        if *self.0.blocked.lock().unwrap() {
            self.0.started.notify_one();
            self.0.unblock.notified().await;
        }
        let mut writes = self.0.writes.lock().unwrap();
        writes.added.push(request.into_inner());
        self.0.done.notify_one();
        let (added, replayed) = ((!writes.replayed).then(|| trade(9)), writes.replayed);
        Ok(Response::new(AddTradeResponse { trade: added, head: head(3), change_id: 12, replayed }))
    }

    async fn replace_trades(
        &self,
        request: Request<Streaming<ReplaceTradesRequest>>,
    ) -> Result<Response<ReplaceTradesResponse>, Status> {
        self.record_call("replace_trades", &request)?;
        let mut parts = request.into_inner();
        let mut replace = Replace::default();
        while let Some(message) = parts.message().await? {
            match message.part.unwrap() {
                ReplacePart::Head(head) => replace.head = head,
                ReplacePart::Batch(batch) => {
                    if let Some(status) = self.0.early_error.lock().unwrap().clone() {
                        return Err(status);
                    }
                    replace.batches.push(batch.trades.len());
                    replace.first = replace.first.or_else(|| batch.trades.into_iter().next());
                }
                ReplacePart::End(end) => replace.end = Some(end.trades),
            }
        }
        let mut writes = self.0.writes.lock().unwrap();
        let (added, replayed) = (replace.end.unwrap_or_default(), writes.replayed);
        writes.replaced.push(replace);
        let response = ReplaceTradesResponse { change_id: 13, added, removed: 5, head: head(added), replayed };
        Ok(Response::new(response))
    }

    async fn update_trade(
        &self,
        request: Request<UpdateTradeRequest>,
    ) -> Result<Response<UpdateTradeResponse>, Status> {
        self.record_call("update_trade", &request)?;
        let request = request.into_inner();
        let sent = request.trade.clone().unwrap();
        let (id, change_id) = (sent.id, if sent.price.is_empty() { 0 } else { 14 });
        self.0.writes.lock().unwrap().edited.push(request);
        Ok(Response::new(UpdateTradeResponse { trade: Some(trade(id)), head: head(3), change_id }))
    }

    async fn delete_trade(
        &self,
        request: Request<DeleteTradeRequest>,
    ) -> Result<Response<DeleteTradeResponse>, Status> {
        self.record_call("delete_trade", &request)?;
        let request = request.into_inner();
        self.0.writes.lock().unwrap().deleted.push(request);
        let deleted = if request.pair { 2 } else { 1 };
        Ok(Response::new(DeleteTradeResponse { head: head(2), change_id: 15, deleted }))
    }

    async fn list_changes(
        &self,
        request: Request<ListChangesRequest>,
    ) -> Result<Response<ListChangesResponse>, Status> {
        self.record_call("list_changes", &request)?;
        let request = request.into_inner();
        let next_page_token = if request.page_token.is_empty() { "older".to_owned() } else { String::new() };
        self.0.writes.lock().unwrap().listed.push(request);
        let entry = Change {
            id: 2,
            book: Some(book()),
            kind: ChangeKind::Entry.into(),
            made_at: AT,
            added: 1,
            symbol: "INFY".to_owned(),
            undo_until: AT,
            ..Change::default()
        };
        let summary = ImportSummary {
            import_id: 4,
            file_name: "tradebook.csv".to_owned(),
            file_sha256: vec![0xab; 32],
            format: "zerodha-tradebook".to_owned(),
            duplicates: 1,
            first_executed_at: AT,
            last_executed_at: None,
            rows: Some(5),
            errors: Some(1),
            warnings: 2,
            conflicts: 3,
            corrected: 4,
            duration_ms: Some(1_250),
        };
        let import = Change {
            id: 1,
            kind: ChangeKind::Import.into(),
            symbol: String::new(),
            import: Some(summary),
            undone_at: AT,
            undo_until: None,
            newer_changes: 1,
            ..entry.clone()
        };
        Ok(Response::new(ListChangesResponse { changes: vec![entry, import], next_page_token }))
    }

    async fn undo_change(&self, request: Request<UndoChangeRequest>) -> Result<Response<UndoChangeResponse>, Status> {
        self.record_call("undo_change", &request)?;
        self.0.writes.lock().unwrap().undone.push(request.into_inner());
        Ok(Response::new(UndoChangeResponse { head: head(4), removed: 1, restored: 3, undone: 2 }))
    }
}
