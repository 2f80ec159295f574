//! Wire to domain and back.

use rpc::caller::Caller;
use rpc::failure;
use rpc::imports::v1::import_service_server::ImportService;
use rpc::imports::v1::{ImportFileRequest, ImportFileResponse};
use tonic::{Request, Response, Status, Streaming};
use tracing::Instrument;

use crate::error::Error;
use crate::service::{self, Imported, Service, Trader};
use crate::upload;

/// The service on the wire.
pub struct Imports {
    service: Service,
}

impl Imports {
    pub(crate) fn new(service: Service) -> Self {
        Self { service }
    }

    async fn import(&self, request: Request<Streaming<ImportFileRequest>>) -> Result<Imported, Error> {
        let trader = Trader {
            account_id: Caller::of(&request).map_err(Error::Call)?.account_id,
            authorization: request.metadata().get("authorization").cloned(),
        };
        let upload = match upload::receive(&self.service.settings.spool_dir, request.into_inner()).await {
            Ok(upload) => upload,
            Err(error) => {
                service::log_unreceived(&trader, &error);
                return Err(error);
            }
        };
        // The import goes on to its commit or its end when the caller hangs up.
        let import = self.service.clone().import(trader, upload);
        tokio::spawn(import.in_current_span()).await?
    }
}

#[tonic::async_trait]
impl ImportService for Imports {
    async fn import_file(
        &self,
        request: Request<Streaming<ImportFileRequest>>,
    ) -> Result<Response<ImportFileResponse>, Status> {
        match self.import(request).await {
            Ok(imported) => Ok(Response::new(wire(imported))),
            Err(Error::Call(status)) => Err(service::passed_on(&status)),
            Err(error) => Err(failure::status(&error)),
        }
    }
}

fn wire(imported: Imported) -> ImportFileResponse {
    ImportFileResponse {
        result: Some(imported.result),
        book: Some(imported.kind.book),
        format: imported.kind.format.name().to_owned(),
        rows: imported.tally.rows,
        problems: imported.tally.problems,
        problem_count: imported.tally.problem_count,
    }
}
