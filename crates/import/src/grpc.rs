//! Conversion between proto messages and domain types.

use std::fs::File;

use rpc::authorization;
use rpc::caller::Caller;
use rpc::failure;
use rpc::imports::v1::import_service_server::ImportService;
use rpc::imports::v1::{
    ImportFileRequest, ImportFileResponse, ImportLedgerRequest, ImportLedgerResponse, InspectFileRequest,
    InspectFileResponse, MapColumnsRequest, MapColumnsResponse, PreviewFileRequest, PreviewFileResponse,
    ReadProfitReportRequest, ReadProfitReportResponse, RedactLayoutRequest, RedactLayoutResponse,
    import_ledger_request, map_columns_request, redact_layout_request,
};
use rpc::trades::v1::Preview;
use tokio_stream::StreamExt;
use tonic::{Request, Response, Status, Streaming};
use tracing::Instrument;

use crate::error::Error;
use crate::profit_report::Report;
use crate::service::{self, Imported, Service, Trader};
use crate::upload::{self, FileMessage, Upload};

/// gRPC service of imports.
pub struct Imports {
    service: Service,
}

impl Imports {
    pub(crate) fn new(service: Service) -> Self {
        Self { service }
    }

    async fn import(&self, request: Request<Streaming<ImportFileRequest>>) -> Result<Imported, Error> {
        let (trader, upload) = self.receive(request).await?;
        // The import runs to completion when the caller disconnects.
        let import = self.service.clone().import(trader, upload);
        tokio::spawn(import.in_current_span()).await?
    }

    async fn preview(&self, request: Request<Streaming<PreviewFileRequest>>) -> Result<Preview, Error> {
        let (trader, upload) = self.receive(request).await?;
        let preview = self.service.clone().preview(trader, upload);
        tokio::spawn(preview.in_current_span()).await?
    }

    async fn receive<M: FileMessage>(&self, request: Request<Streaming<M>>) -> Result<(Trader, Upload), Error> {
        let trader = caller_of(&request)?;
        match upload::receive(&self.service.settings.spool_dir, request.into_inner()).await {
            Ok(upload) => Ok((trader, upload)),
            Err(error) => {
                service::log_failed_upload(&trader, &error);
                Err(error)
            }
        }
    }

    /// Returns a received file with its size in bytes and its options; `to_part` converts a message.
    async fn receive_file<M, O: Default>(
        &self,
        messages: Streaming<M>,
        to_part: impl Fn(M) -> Option<Part<O>>,
    ) -> Result<(File, u64, O), Error> {
        let mut options = O::default();
        let chunks = messages.map(|message| {
            Ok(match to_part(message?) {
                Some(Part::Options(received)) => {
                    options = received;
                    Vec::new()
                }
                Some(Part::Chunk(chunk)) => chunk,
                None => Vec::new(),
            })
        });
        let (file, size) = upload::receive_file(&self.service.settings.spool_dir, chunks).await?;
        Ok((file, size, options))
    }

    /// Imports a ledger, to completion even when the caller disconnects.
    async fn ledger(&self, request: Request<Streaming<ImportLedgerRequest>>) -> Result<ImportLedgerResponse, Error> {
        let trader = caller_of(&request)?;
        let (file, size, options) = self
            .receive_file(request.into_inner(), |message| match message.part? {
                import_ledger_request::Part::Options(options) => Some(Part::Options(options)),
                import_ledger_request::Part::Chunk(chunk) => Some(Part::Chunk(chunk)),
            })
            .await?;
        let import = self.service.clone().import_ledger(trader, file, size, options);
        tokio::spawn(import.in_current_span()).await?
    }

    /// Inspects a file. Stops when the caller disconnects, because nothing is stored.
    async fn inspect(&self, request: Request<Streaming<InspectFileRequest>>) -> Result<InspectFileResponse, Error> {
        let chunks = request.into_inner().map(|message| message.map(|message| message.chunk));
        let (file, size) = upload::receive_file(&self.service.settings.spool_dir, chunks).await?;
        self.service.clone().inspect(file, size).await
    }

    /// Maps the columns of a file. Stops when the caller disconnects, because nothing is stored.
    async fn map(&self, request: Request<Streaming<MapColumnsRequest>>) -> Result<MapColumnsResponse, Error> {
        let account_id = Caller::from_request(&request).map_err(Error::Call)?.account_id;
        let (file, size, options) = self
            .receive_file(request.into_inner(), |message| match message.part? {
                map_columns_request::Part::Options(options) => Some(Part::Options(options)),
                map_columns_request::Part::Chunk(chunk) => Some(Part::Chunk(chunk)),
            })
            .await?;
        self.service.clone().map_columns(account_id, file, size, options).await
    }

    /// Returns the layout of a contract note. Stops when the caller disconnects, because nothing is stored.
    async fn redact(&self, request: Request<Streaming<RedactLayoutRequest>>) -> Result<RedactLayoutResponse, Error> {
        let account_id = Caller::from_request(&request).map_err(Error::Call)?.account_id;
        let (file, size, options) = self
            .receive_file(request.into_inner(), |message| match message.part? {
                redact_layout_request::Part::Options(options) => Some(Part::Options(options)),
                redact_layout_request::Part::Chunk(chunk) => Some(Part::Chunk(chunk)),
            })
            .await?;
        self.service.clone().redact_layout(account_id, file, size, options).await
    }

    /// Reads a profit and loss report or tax report. Stops when the caller disconnects, because nothing is stored.
    async fn report(&self, request: Request<Streaming<ReadProfitReportRequest>>) -> Result<Report, Error> {
        let account_id = Caller::from_request(&request).map_err(Error::Call)?.account_id;
        let chunks = request.into_inner().map(|message| message.map(|message| message.chunk));
        let (file, size) = upload::receive_file(&self.service.settings.spool_dir, chunks).await?;
        self.service.clone().read_profit_report(account_id, file, size).await
    }
}

/// Part of a file that is sent with options.
enum Part<O> {
    Options(O),
    Chunk(Vec<u8>),
}

#[tonic::async_trait]
impl ImportService for Imports {
    async fn import_file(
        &self,
        request: Request<Streaming<ImportFileRequest>>,
    ) -> Result<Response<ImportFileResponse>, Status> {
        self.import(request).await.map(|imported| Response::new(to_response(imported))).map_err(to_status)
    }

    async fn preview_file(
        &self,
        request: Request<Streaming<PreviewFileRequest>>,
    ) -> Result<Response<PreviewFileResponse>, Status> {
        let preview = self.preview(request).await.map_err(to_status)?;
        Ok(Response::new(PreviewFileResponse { preview: Some(preview) }))
    }

    async fn inspect_file(
        &self,
        request: Request<Streaming<InspectFileRequest>>,
    ) -> Result<Response<InspectFileResponse>, Status> {
        self.inspect(request).await.map(Response::new).map_err(to_status)
    }

    async fn map_columns(
        &self,
        request: Request<Streaming<MapColumnsRequest>>,
    ) -> Result<Response<MapColumnsResponse>, Status> {
        self.map(request).await.map(Response::new).map_err(to_status)
    }

    async fn redact_layout(
        &self,
        request: Request<Streaming<RedactLayoutRequest>>,
    ) -> Result<Response<RedactLayoutResponse>, Status> {
        self.redact(request).await.map(Response::new).map_err(to_status)
    }

    async fn import_ledger(
        &self,
        request: Request<Streaming<ImportLedgerRequest>>,
    ) -> Result<Response<ImportLedgerResponse>, Status> {
        self.ledger(request).await.map(Response::new).map_err(to_status)
    }

    async fn read_profit_report(
        &self,
        request: Request<Streaming<ReadProfitReportRequest>>,
    ) -> Result<Response<ReadProfitReportResponse>, Status> {
        let report = self.report(request).await.map_err(to_status)?;
        Ok(Response::new(match report {
            Report::ProfitReport(report) => ReadProfitReportResponse { report: Some(report), tax_report: None },
            Report::TaxReport(report) => ReadProfitReportResponse { report: None, tax_report: Some(report) },
        }))
    }
}

/// Returns the caller of a request, with the credentials for calls of the trade log.
fn caller_of<M>(request: &Request<M>) -> Result<Trader, Error> {
    Ok(Trader {
        account_id: Caller::from_request(request).map_err(Error::Call)?.account_id,
        authorization: request.metadata().get("authorization").cloned(),
        account: request.metadata().get(authorization::ACCOUNT_METADATA_KEY).cloned(),
    })
}

fn to_status(error: Error) -> Status {
    match error {
        Error::Call(status) => service::forward_status(&status),
        error => failure::to_status(&error),
    }
}

fn to_response(imported: Imported) -> ImportFileResponse {
    ImportFileResponse {
        book: imported.result.book.or(Some(imported.kind.book)),
        result: Some(imported.result),
        format: imported.kind.format.name().to_owned(),
        rows: imported.summary.rows,
        errors: imported.summary.errors,
        error_count: imported.summary.error_count,
        warnings: imported.summary.warnings,
        warning_count: imported.summary.warning_count,
        skipped: imported.summary.skipped,
    }
}
