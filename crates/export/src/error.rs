//! Errors of writing a file.

use std::any::Any;
use std::io;

use rust_xlsxwriter::XlsxError;

/// Error of writing a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A decimal is not written as JSON writes numbers.
    #[error("invalid decimal: {0:?}")]
    InvalidDecimal(String),
    /// A time is missing or out of range.
    #[error("missing or invalid time")]
    InvalidTime,
    /// A trade has no book.
    #[error("a trade has no book")]
    MissingBook,
    /// An enum value is unspecified; contains the name of the enum.
    #[error("unspecified {0}")]
    Unspecified(&'static str),
    /// CSV could not be written.
    #[error("cannot write CSV")]
    Csv(#[from] csv::Error),
    /// A workbook could not be written.
    #[error("cannot write a workbook")]
    Workbook(#[source] XlsxError),
    /// A temporary file could not be written.
    #[error("cannot store a workbook")]
    Io(#[from] io::Error),
    /// The source of the rows ended early, because nobody needs the file any more.
    #[error("the source of the rows ended early")]
    Aborted,
}

impl Error {
    /// Converts a panic of the XLSX library, which panics if there is no space for its temporary file.
    pub fn from_panic(panic: Box<dyn Any + Send>) -> Self {
        let message = panic.downcast::<String>().map_or_else(|_| String::new(), |message| *message);
        let is_full = ["StorageFull", "QuotaExceeded"].iter().any(|kind| message.contains(kind));
        Self::Io(io::Error::new(if is_full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other }, message))
    }

    /// Returns true if there are more rows than a sheet can hold.
    pub fn is_row_limit(&self) -> bool {
        matches!(self, Self::Workbook(XlsxError::RowColumnLimitError))
    }
}

impl From<XlsxError> for Error {
    fn from(error: XlsxError) -> Self {
        // `XlsxError::source` does not return these.
        match error {
            XlsxError::IoError(error) => Self::Io(error),
            XlsxError::ZipError(error) => Self::Io(error.into()),
            error => Self::Workbook(error),
        }
    }
}
