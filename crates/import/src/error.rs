//! Why a file was refused, or could not be imported.

use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use rpc::trades::v1::{Book, Broker, Segment};
use tonic::Status;

/// Why a file as such is not taken. The numbers are the child's way to say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Reason {
    /// Damaged, hostile, or nothing that we open.
    Unreadable = 0,
    /// No bytes, or no cells.
    Empty = 1,
    /// A spreadsheet, but no report that we know.
    Unknown = 2,
    /// A report that we know and do not read.
    Unsupported = 3,
    /// More rows or cells than we read.
    TooManyRows = 4,
    /// The right report, without a trade in it.
    NoTrades = 5,
    /// A list of trades, where a profit and loss report is wanted.
    OfTrades = 6,
    /// A profit and loss report that does not say of which days.
    PeriodUnknown = 7,
}

impl Reason {
    /// The stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "FILE_UNREADABLE",
            Self::Empty => "FILE_EMPTY",
            Self::Unknown => "FILE_UNKNOWN",
            Self::Unsupported => "REPORT_UNSUPPORTED",
            Self::TooManyRows => "TOO_MANY_ROWS",
            Self::NoTrades => "NO_TRADES",
            Self::OfTrades => "FILE_OF_TRADES",
            Self::PeriodUnknown => "PERIOD_UNKNOWN",
        }
    }
}

/// A file that is not taken, with the sentence that tells its owner what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// One or two sentences for the trader.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    /// The file is damaged, or was made to do damage. Which, its owner knows.
    pub(crate) fn unreadable() -> Self {
        Self::new(
            Reason::Unreadable,
            "The file cannot be read: it is damaged, or not a spreadsheet. Download the report again and upload it \
             as it comes from the broker.",
        )
    }
}

/// Why a call was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request breaks rules, each named with its field.
    #[error("the request is invalid: {0:?}")]
    Invalid(Vec<Violation>),
    /// More bytes than we take.
    #[error("the file is too large")]
    TooLarge,
    /// Too many files wait to be read.
    #[error("too many files are being read")]
    Busy,
    /// The file as such is not taken.
    #[error("the file was refused: {}", .0.reason.name())]
    Refused(Refusal),
    /// The file is of another book than chosen.
    #[error("the file is of another book than chosen")]
    Mismatch {
        /// What the file is.
        found: Book,
    },
    /// The caller broke off, or the trade log refused or failed: its own answer is passed on.
    #[error("a call failed")]
    Call(#[source] Status),
    /// The file could not be kept while it was received, or the child could not be started.
    #[error("{doing}")]
    Io {
        /// What failed.
        doing: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The task that imports ended without a result.
    #[error("the import was lost")]
    Lost(#[from] tokio::task::JoinError),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The broker's name for programs.
pub(crate) fn broker_name(broker: Broker) -> &'static str {
    match broker {
        Broker::Unspecified => "",
        Broker::Zerodha => "zerodha",
        Broker::Groww => "groww",
    }
}

/// The segment's name for programs.
pub(crate) fn segment_name(segment: Segment) -> &'static str {
    match segment {
        Segment::Unspecified => "",
        Segment::Equity => "equity",
        Segment::Fno => "fno",
    }
}

/// The question that a mismatch asks.
fn question(found: Book) -> String {
    let broker = match found.broker() {
        Broker::Unspecified => "broker",
        Broker::Zerodha => "Zerodha",
        Broker::Groww => "Groww",
    };
    match found.segment() {
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
            Self::Invalid(_) | Self::Refused(_) => Kind::Invalid,
            Self::TooLarge => Kind::TooLarge,
            Self::Busy => Kind::Busy,
            Self::Mismatch { .. } => Kind::Conflict,
            Self::Io { source, .. } if failure::is_full(source) => Kind::Full,
            Self::Call(_) | Self::Io { .. } | Self::Lost(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::TooLarge => "FILE_TOO_LARGE",
            Self::Busy => "BUSY",
            Self::Refused(refusal) => refusal.reason.name(),
            Self::Mismatch { .. } => "FILE_MISMATCH",
            Self::Io { source, .. } if failure::is_full(source) => failure::STORE_FULL,
            Self::Call(_) | Self::Io { .. } | Self::Lost(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => one.message.clone(),
                _ => "Some fields are wrong.".to_owned(),
            },
            Self::TooLarge => {
                "The file is larger than 32 MB. Download the report for a shorter time and upload the parts one after \
                 the other."
                    .to_owned()
            }
            Self::Busy => "Many files are being read right now. Try again in a moment.".to_owned(),
            Self::Refused(refusal) => refusal.message.clone(),
            Self::Mismatch { found } => question(*found),
            Self::Call(_) | Self::Io { .. } | Self::Lost(_) => String::new(),
        }
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::TooLarge
            | Self::Busy
            | Self::Refused(_)
            | Self::Mismatch { .. }
            | Self::Call(_)
            | Self::Io { .. }
            | Self::Lost(_) => Vec::new(),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Mismatch { found } => vec![
                ("broker", broker_name(found.broker()).to_owned()),
                ("segment", segment_name(found.segment()).to_owned()),
            ],
            Self::Invalid(_)
            | Self::TooLarge
            | Self::Busy
            | Self::Refused(_)
            | Self::Call(_)
            | Self::Io { .. }
            | Self::Lost(_) => Vec::new(),
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

    const REASONS: [(Reason, &str); 8] = [
        (Reason::Unreadable, "FILE_UNREADABLE"),
        (Reason::Empty, "FILE_EMPTY"),
        (Reason::Unknown, "FILE_UNKNOWN"),
        (Reason::Unsupported, "REPORT_UNSUPPORTED"),
        (Reason::TooManyRows, "TOO_MANY_ROWS"),
        (Reason::NoTrades, "NO_TRADES"),
        (Reason::OfTrades, "FILE_OF_TRADES"),
        (Reason::PeriodUnknown, "PERIOD_UNKNOWN"),
    ];

    #[test]
    fn a_refused_file_is_refused_by_its_reason_and_in_its_own_words() {
        for (reason, name) in REASONS {
            let error = Error::from(Refusal::new(reason, "Choose another."));
            assert_eq!((error.kind(), error.reason()), (Kind::Invalid, name));
            assert_eq!(
                (error.message().as_str(), error.facts(), error.retry_after()),
                ("Choose another.", vec![], None)
            );
        }
    }

    #[test]
    fn a_file_of_another_book_is_asked_about_by_the_name_that_the_pages_use() {
        for (broker, segment, names, question) in [
            (Broker::Zerodha, Segment::Equity, ["zerodha", "equity"], "This is a Zerodha stocks file."),
            (Broker::Groww, Segment::Equity, ["groww", "equity"], "Import it as Groww, Equity?"),
            (Broker::Groww, Segment::Fno, ["groww", "fno"], "This is a Groww futures and options file."),
            (Broker::Zerodha, Segment::Fno, ["zerodha", "fno"], "Import it as Zerodha, Future & Option?"),
        ] {
            let error = Error::Mismatch { found: Book { broker: broker.into(), segment: segment.into() } };
            assert_eq!((error.kind(), error.reason()), (Kind::Conflict, "FILE_MISMATCH"));
            let [broker, segment] = names.map(str::to_owned);
            assert_eq!(error.facts(), [("broker", broker), ("segment", segment)]);
            assert!(error.message().contains(question), "{}", error.message());
        }
    }

    #[test]
    fn what_is_wrong_is_told_alone_or_field_by_field() {
        let wrong = |field: &'static str| Violation {
            field: field.into(),
            reason: "REQUIRED",
            message: format!("Choose a {field}."),
        };
        let one = Error::Invalid(vec![wrong("broker")]);
        assert_eq!((one.message().as_str(), one.violations()), ("Choose a broker.", vec![wrong("broker")]));
        let two = Error::Invalid(vec![wrong("broker"), wrong("file")]);
        assert_eq!((two.message().as_str(), two.violations().len()), ("Some fields are wrong.", 2));
        assert_eq!((two.kind(), two.reason()), (Kind::Invalid, "INVALID"));
    }

    #[test]
    fn only_what_passes_is_to_be_tried_again_soon() {
        let io = |kind: ErrorKind| Error::Io { doing: "spooling", source: io::Error::from(kind) };
        for (error, kind, reason, again) in [
            (Error::Busy, Kind::Busy, "BUSY", Some(Duration::from_secs(2))),
            (Error::TooLarge, Kind::TooLarge, "FILE_TOO_LARGE", None),
            (io(ErrorKind::StorageFull), Kind::Full, failure::STORE_FULL, None),
            (io(ErrorKind::NotFound), Kind::Internal, "INTERNAL", None),
            (Error::Call(Status::internal("broken")), Kind::Internal, "INTERNAL", None),
        ] {
            assert_eq!((error.kind(), error.reason(), error.retry_after()), (kind, reason, again), "{error}");
            assert_eq!(error.violations(), []);
        }
    }
}
