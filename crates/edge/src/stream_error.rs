//! Errors of streamed responses.

use http::StatusCode;
use http_server::problem::Problem;

use crate::error_texts::problem;
use crate::json::JsonError;
use crate::status::problem_from_status;

/// Error that ends a streamed response early. The connection is aborted, so that the client notices.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    #[error("the core aborted the stream")]
    Core(#[from] tonic::Status),
    #[error("the core sent nothing in time")]
    Timeout(#[from] tokio::time::error::Elapsed),
    #[error("the core sent an unexpected message")]
    UnexpectedMessage,
    #[error("the core rejected a page: {0:?}")]
    Page(Problem),
    #[error("the trades changed")]
    Changed,
    #[error(transparent)]
    Export(#[from] export::Error),
    #[error("the archive cannot be written")]
    Archive(#[from] zip::result::ZipError),
    #[error("the archive cannot be written")]
    ArchiveFile(#[from] std::io::Error),
    #[error("a record cannot be compressed")]
    Compression(#[source] std::io::Error),
    #[error(transparent)]
    Json(#[from] JsonError),
}

impl From<StreamError> for Problem {
    /// Converts an error that occurred before the first byte of the response.
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Core(status) => problem_from_status(status),
            StreamError::Page(problem) => problem,
            StreamError::Timeout(_) => Self::timeout(),
            StreamError::Changed => problem(StatusCode::SERVICE_UNAVAILABLE, "trades", "changed_during_read"),
            StreamError::Json(error) => error.into(),
            StreamError::Export(error) => {
                tracing::error!(error = %rpc::failure::error_chain(&error), "a record cannot be written");
                Self::internal()
            }
            StreamError::Compression(_)
            | StreamError::UnexpectedMessage
            | StreamError::Archive(_)
            | StreamError::ArchiveFile(_) => Self::internal(),
        }
    }
}
