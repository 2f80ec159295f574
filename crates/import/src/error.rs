//! Rejections of files, and failures of calls.

use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use rpc::trades::v1::{Book, Broker, Segment};
use tonic::Status;

/// Reason for rejecting a whole file. The parser process sends its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum RejectionReason {
    /// Damaged, malicious, or not a spreadsheet.
    Unreadable = 0,
    /// No bytes, or no cells with a value.
    Empty = 1,
    /// A spreadsheet, but not a known report.
    Unknown = 2,
    /// A known report that is not supported.
    Unsupported = 3,
    /// Too many rows or cells.
    TooManyRows = 4,
    /// A supported report without trades.
    NoTrades = 5,
    /// A list of trades, where a profit and loss report is expected.
    TradesFile = 6,
    /// A profit and loss report that does not state its period.
    UnknownPeriod = 7,
}

impl RejectionReason {
    /// Returns the stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "FILE_UNREADABLE",
            Self::Empty => "FILE_EMPTY",
            Self::Unknown => "FILE_UNKNOWN",
            Self::Unsupported => "REPORT_UNSUPPORTED",
            Self::TooManyRows => "TOO_MANY_ROWS",
            Self::NoTrades => "NO_TRADES",
            Self::TradesFile => "FILE_OF_TRADES",
            Self::UnknownPeriod => "PERIOD_UNKNOWN",
        }
    }
}

/// Rejection of a whole file, with a message that tells the trader what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Stable reason.
    pub reason: RejectionReason,
    /// Message for the trader, of one or two sentences.
    pub message: String,
}

impl Rejection {
    pub(crate) fn new(reason: RejectionReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    /// Rejects a file that is damaged or malicious. The message does not distinguish the two.
    pub(crate) fn unreadable() -> Self {
        Self::new(
            RejectionReason::Unreadable,
            "The file cannot be read: it is damaged or not a spreadsheet. Download the report from your broker again \
             and upload it unchanged.",
        )
    }
}

/// Failure of a call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request has invalid fields.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The file exceeds the size limit.
    #[error("the file is too large")]
    TooLarge,
    /// The queue of files is full, or the file waited too long in it.
    #[error("too many files are being read")]
    Busy,
    /// The file was rejected.
    #[error("the file was rejected: {}", .0.reason.name())]
    Rejected(Rejection),
    /// The file belongs to another book than the selected one.
    #[error("the file belongs to another book than the selected one")]
    Mismatch {
        /// Book of the file.
        detected: Book,
    },
    /// The caller disconnected, or the trade log rejected the call or failed; the status is forwarded.
    #[error("a call failed")]
    Call(#[source] Status),
    /// The file could not be spooled, or the parser process could not be started.
    #[error("{context}")]
    Io {
        /// Failed operation.
        context: &'static str,
        /// Cause.
        source: std::io::Error,
    },
    /// The import task panicked or was cancelled.
    #[error("the import task failed")]
    TaskFailed(#[from] tokio::task::JoinError),
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// Returns the broker's name for programs.
pub(crate) fn broker_name(broker: Broker) -> &'static str {
    match broker {
        Broker::Unspecified => "",
        Broker::Zerodha => "zerodha",
        Broker::Groww => "groww",
    }
}

/// Returns the segment's name for programs.
pub(crate) fn segment_name(segment: Segment) -> &'static str {
    match segment {
        Segment::Unspecified => "",
        Segment::Equity => "equity",
        Segment::Fno => "fno",
    }
}

/// Returns the question for the trader: whether to import the file into its own book.
fn mismatch_question(detected: Book) -> String {
    let broker = match detected.broker() {
        Broker::Unspecified => "broker",
        Broker::Zerodha => "Zerodha",
        Broker::Groww => "Groww",
    };
    match detected.segment() {
        Segment::Unspecified | Segment::Equity => {
            format!("This is a {broker} stocks file. Import it as {broker}, Equity?")
        }
        Segment::Fno => {
            format!("This is a {broker} futures and options file. Import it as {broker}, Future & Option?")
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::Rejected(_) => Kind::Invalid,
            Self::TooLarge => Kind::TooLarge,
            Self::Busy => Kind::Busy,
            Self::Mismatch { .. } => Kind::FailedPrecondition,
            Self::Io { source, .. } if failure::is_storage_full(source) => Kind::StorageFull,
            Self::Call(_) | Self::Io { .. } | Self::TaskFailed(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::TooLarge => "FILE_TOO_LARGE",
            Self::Busy => "BUSY",
            Self::Rejected(rejection) => rejection.reason.name(),
            Self::Mismatch { .. } => "FILE_MISMATCH",
            Self::Io { source, .. } if failure::is_storage_full(source) => failure::STORAGE_FULL_REASON,
            Self::Call(_) | Self::Io { .. } | Self::TaskFailed(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => one.message.clone(),
                _ => "Some fields are wrong.".to_owned(),
            },
            Self::TooLarge => {
                "The file is larger than 32 MB. Download the report for shorter periods and upload the files one by one."
                    .to_owned()
            }
            Self::Busy => "Many files are being read right now. Try again in a moment.".to_owned(),
            Self::Rejected(rejection) => rejection.message.clone(),
            Self::Mismatch { detected } => mismatch_question(*detected),
            Self::Call(_) | Self::Io { .. } | Self::TaskFailed(_) => String::new(),
        }
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::TooLarge
            | Self::Busy
            | Self::Rejected(_)
            | Self::Mismatch { .. }
            | Self::Call(_)
            | Self::Io { .. }
            | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Mismatch { detected } => vec![
                ("broker", broker_name(detected.broker()).to_owned()),
                ("segment", segment_name(detected.segment()).to_owned()),
            ],
            Self::Invalid(_)
            | Self::TooLarge
            | Self::Busy
            | Self::Rejected(_)
            | Self::Call(_)
            | Self::Io { .. }
            | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::Busy).then_some(Duration::from_secs(2))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use super::*;

    const REASONS: [(RejectionReason, &str); 8] = [
        (RejectionReason::Unreadable, "FILE_UNREADABLE"),
        (RejectionReason::Empty, "FILE_EMPTY"),
        (RejectionReason::Unknown, "FILE_UNKNOWN"),
        (RejectionReason::Unsupported, "REPORT_UNSUPPORTED"),
        (RejectionReason::TooManyRows, "TOO_MANY_ROWS"),
        (RejectionReason::NoTrades, "NO_TRADES"),
        (RejectionReason::TradesFile, "FILE_OF_TRADES"),
        (RejectionReason::UnknownPeriod, "PERIOD_UNKNOWN"),
    ];

    #[test]
    fn a_rejected_file_is_reported_with_its_reason_and_message() {
        for (reason, name) in REASONS {
            let error = Error::from(Rejection::new(reason, "Choose another."));
            assert_eq!((error.kind(), error.reason()), (Kind::Invalid, name));
            assert_eq!(
                (error.message().as_str(), error.metadata(), error.retry_after()),
                ("Choose another.", vec![], None)
            );
        }
    }

    #[test]
    fn a_mismatch_asks_with_the_names_that_the_pages_use() {
        for (broker, segment, names, question) in [
            (Broker::Zerodha, Segment::Equity, ["zerodha", "equity"], "This is a Zerodha stocks file."),
            (Broker::Groww, Segment::Equity, ["groww", "equity"], "Import it as Groww, Equity?"),
            (Broker::Groww, Segment::Fno, ["groww", "fno"], "This is a Groww futures and options file."),
            (Broker::Zerodha, Segment::Fno, ["zerodha", "fno"], "Import it as Zerodha, Future & Option?"),
        ] {
            let error = Error::Mismatch { detected: Book { broker: broker.into(), segment: segment.into() } };
            assert_eq!((error.kind(), error.reason()), (Kind::FailedPrecondition, "FILE_MISMATCH"));
            let [broker, segment] = names.map(str::to_owned);
            assert_eq!(error.metadata(), [("broker", broker), ("segment", segment)]);
            assert!(error.message().contains(question), "{}", error.message());
        }
    }

    #[test]
    fn one_violation_is_the_message_and_several_are_listed_by_field() {
        let violation = |field: &'static str| Violation {
            field: field.into(),
            reason: "REQUIRED",
            params: Vec::new(),
            message: format!("Choose a {field}."),
        };
        let one = Error::Invalid(vec![violation("broker")]);
        assert_eq!((one.message().as_str(), one.violations()), ("Choose a broker.", vec![violation("broker")]));
        let two = Error::Invalid(vec![violation("broker"), violation("file")]);
        assert_eq!((two.message().as_str(), two.violations().len()), ("Some fields are wrong.", 2));
        assert_eq!((two.kind(), two.reason()), (Kind::Invalid, "INVALID"));
    }

    #[test]
    fn only_a_busy_service_asks_for_a_retry() {
        let io = |kind: ErrorKind| Error::Io { context: "spooling", source: io::Error::from(kind) };
        for (error, kind, reason, retry_after) in [
            (Error::Busy, Kind::Busy, "BUSY", Some(Duration::from_secs(2))),
            (Error::TooLarge, Kind::TooLarge, "FILE_TOO_LARGE", None),
            (io(ErrorKind::StorageFull), Kind::StorageFull, failure::STORAGE_FULL_REASON, None),
            (io(ErrorKind::NotFound), Kind::Internal, "INTERNAL", None),
            (Error::Call(Status::internal("broken")), Kind::Internal, "INTERNAL", None),
        ] {
            assert_eq!((error.kind(), error.reason(), error.retry_after()), (kind, reason, retry_after), "{error}");
            assert_eq!(error.violations(), []);
        }
    }
}
