//! Rejections of files, and failures of calls.

use std::time::Duration;

use queue::Busy;
use rpc::failure::{self, Failure, Kind, Violation};
use rpc::imports::v1::FileIssue;
use rpc::trades::v1::{Book, Broker, Segment};
use tonic::Status;

use crate::upload::MAX_FILE_BYTES;

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
    /// A known report that is not supported. Value: `report`.
    Unsupported = 3,
    /// More than 500,000 rows or trades.
    TooManyRows = 4,
    /// A supported report without rows.
    NoTrades = 5,
    /// A list of trades, where a profit and loss report is expected. Value: `format`.
    TradesFile = 6,
    /// A profit and loss report that does not state its period.
    UnknownPeriod = 7,
    /// A PDF document.
    Pdf = 8,
    /// HTML or XML, such as a web page that is named .xls.
    WebPage = 9,
    /// A binary or OpenDocument workbook.
    OtherWorkbook = 10,
    /// A workbook with macros.
    Macros = 11,
    /// An archive or compound file that is not a workbook.
    NotASpreadsheet = 12,
    /// A workbook with a password.
    Password = 13,
    /// An .xls file above its own size limit.
    XlsTooLarge = 14,
    /// Not read within the time limit.
    TimedOut = 15,
    /// Not a known report, where a profit and loss report is expected.
    UnknownNotPnl = 16,
    /// Another report, where a profit and loss report is expected. Value: `report`.
    UnsupportedNotPnl = 17,
    /// A profit and loss report of mutual funds, currency or commodities.
    OtherSegment = 18,
    /// Profit and loss reports of two segments.
    TwoSegments = 19,
    /// Groww's profit and loss report for stocks without its sheet of trades.
    GrowwStocksPnlPart = 20,
    /// Too many cells.
    TooManyCells = 21,
    /// An .xls file whose range has too many cells.
    XlsRangeTooLarge = 22,
    /// A profit and loss report with too many rows, shares or contracts.
    PnlReportTooLarge = 23,
    /// No row can be imported. Values: `rows`, and those of the first issue.
    OnlyIssues = 24,
    /// No row of a profit and loss report can be read. Values: those of the first issue.
    PnlOnlyIssues = 25,
    /// A profit and loss report without closed positions. Value: `format`.
    NothingClosed = 26,
    /// Groww's profit and loss report for futures and options, which is imported as trades.
    GrowwFnoPnl = 27,
    /// A PDF document that needs a password.
    PdfPassword = 28,
    /// A PDF document with another password than the given one.
    PdfWrongPassword = 29,
    /// A PDF document without text, such as a scan.
    PdfWithoutText = 30,
    /// A PDF document that cannot be read.
    PdfDamaged = 31,
    /// A PDF document with scripts or embedded files.
    PdfActiveContent = 32,
    /// A PDF document above one of the limits.
    PdfTooLarge = 33,
    /// A contract note whose figures do not add up. Values: `note`, `check`, `stated` and `calculated`.
    NoteCheckFailed = 34,
    /// A contract note without a part that its checks need. Values: `note` and `part`.
    NotePartMissing = 35,
    /// A ledger, where trades are expected. Value: `report`.
    Ledger = 36,
    /// Not a ledger, where one is expected.
    NotALedger = 37,
    /// A ledger with a balance that does not follow from its entries. Values: `row`, `stated`, `calculated`, `difference`.
    LedgerBalance = 38,
    /// A ledger with a row that cannot be read. Values: `row` and `column`.
    LedgerRow = 39,
    /// A ledger without entries.
    LedgerEmpty = 40,
    /// A ledger with too many entries.
    LedgerTooLarge = 41,
    /// A tax report with too many rows or lines.
    TaxReportTooLarge = 42,
    /// A document that is not as it was signed, in an import without a preview.
    DocumentChanged = 43,
    /// Neither a PDF document nor a workbook of contract notes, where a contract note is expected.
    NotAContractNote = 44,
}

impl RejectionReason {
    /// Returns the stable name for programs, and the cause if the name has several.
    fn codes(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Unreadable => ("FILE_UNREADABLE", None),
            Self::Empty => ("FILE_EMPTY", None),
            Self::Unknown => ("FILE_NOT_SUPPORTED", None),
            Self::Unsupported => ("REPORT_UNSUPPORTED", None),
            Self::TooManyRows => ("TOO_MANY_ROWS", None),
            Self::NoTrades => ("NO_TRADES", None),
            Self::TradesFile => ("TRADES_FILE", None),
            Self::UnknownPeriod => ("PERIOD_MISSING", None),
            Self::Pdf => ("FILE_UNREADABLE", Some("PDF")),
            Self::WebPage => ("FILE_UNREADABLE", Some("WEB_PAGE")),
            Self::OtherWorkbook => ("FILE_UNREADABLE", Some("OTHER_WORKBOOK")),
            Self::Macros => ("FILE_UNREADABLE", Some("MACROS")),
            Self::NotASpreadsheet => ("FILE_UNREADABLE", Some("NOT_A_SPREADSHEET")),
            Self::Password => ("FILE_UNREADABLE", Some("PASSWORD")),
            Self::XlsTooLarge => ("FILE_UNREADABLE", Some("XLS_TOO_LARGE")),
            Self::TimedOut => ("FILE_UNREADABLE", Some("TIMED_OUT")),
            Self::UnknownNotPnl => ("FILE_NOT_SUPPORTED", Some("NOT_A_PNL_REPORT")),
            Self::UnsupportedNotPnl => ("REPORT_UNSUPPORTED", Some("NOT_A_PNL_REPORT")),
            Self::OtherSegment => ("REPORT_UNSUPPORTED", Some("OTHER_SEGMENT")),
            Self::TwoSegments => ("REPORT_UNSUPPORTED", Some("TWO_SEGMENTS")),
            Self::GrowwStocksPnlPart => ("REPORT_UNSUPPORTED", Some("GROWW_STOCKS_PNL_PART")),
            Self::TooManyCells => ("TOO_MANY_ROWS", Some("CELLS")),
            Self::XlsRangeTooLarge => ("TOO_MANY_ROWS", Some("XLS_RANGE")),
            Self::PnlReportTooLarge => ("TOO_MANY_ROWS", Some("PNL_REPORT")),
            Self::OnlyIssues => ("NO_TRADES", Some("ONLY_ISSUES")),
            Self::PnlOnlyIssues => ("NO_TRADES", Some("PNL_ONLY_ISSUES")),
            Self::NothingClosed => ("NO_TRADES", Some("NOTHING_CLOSED")),
            Self::GrowwFnoPnl => ("TRADES_FILE", Some("GROWW_FNO_PNL")),
            Self::PdfPassword => ("FILE_PASSWORD_NEEDED", None),
            Self::PdfWrongPassword => ("FILE_PASSWORD_NEEDED", Some("WRONG")),
            Self::PdfWithoutText => ("FILE_UNREADABLE", Some("PDF_WITHOUT_TEXT")),
            Self::PdfDamaged => ("FILE_UNREADABLE", Some("PDF_DAMAGED")),
            Self::PdfActiveContent => ("FILE_UNREADABLE", Some("PDF_ACTIVE_CONTENT")),
            Self::PdfTooLarge => ("FILE_UNREADABLE", Some("PDF_TOO_LARGE")),
            Self::NoteCheckFailed => ("FILE_UNREADABLE", Some("NOTE_CHECK_FAILED")),
            Self::NotePartMissing => ("FILE_UNREADABLE", Some("NOTE_PART_MISSING")),
            Self::Ledger => ("LEDGER_FILE", None),
            Self::NotALedger => ("FILE_NOT_SUPPORTED", Some("NOT_A_LEDGER")),
            Self::LedgerBalance => ("LEDGER_BALANCE", None),
            Self::LedgerRow => ("LEDGER_ROW", None),
            Self::LedgerEmpty => ("LEDGER_EMPTY", None),
            Self::LedgerTooLarge => ("TOO_MANY_ROWS", Some("LEDGER")),
            Self::TaxReportTooLarge => ("TOO_MANY_ROWS", Some("TAX_REPORT")),
            Self::DocumentChanged => ("DOCUMENT_CHANGED", None),
            Self::NotAContractNote => ("FILE_NOT_SUPPORTED", Some("NOT_A_CONTRACT_NOTE")),
        }
    }

    /// Returns the stable name for programs.
    pub fn name(self) -> &'static str {
        self.codes().0
    }
}

/// Rejection of a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Stable reason.
    pub reason: RejectionReason,
    /// Values of the text for people, by name.
    pub(crate) params: Vec<(&'static str, String)>,
}

impl Rejection {
    /// Names of all values. The parser process may send no others.
    pub(crate) const PARAMS: [&str; 19] = [
        "report",
        "format",
        "rows",
        "row",
        "sheet",
        "code",
        "count",
        "price",
        "usual_price",
        "other_row",
        "other_row_in",
        "other_sheet",
        "note",
        "check",
        "part",
        "stated",
        "calculated",
        "difference",
        "column",
    ];

    /// Adds a value of the text for people.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// Adds the values of an issue.
    pub(crate) fn with_issue(mut self, issue: &FileIssue) -> Self {
        self.params.extend(Self::PARAMS.into_iter().filter_map(|name| Some((name, issue.params.get(name)?.clone()))));
        self.with("row", issue.row).with("sheet", &issue.sheet).with("code", &issue.code)
    }
}

impl From<RejectionReason> for Rejection {
    fn from(reason: RejectionReason) -> Self {
        Self { reason, params: Vec::new() }
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
    rpc::broker::Broker::from_wire(broker).map_or("", rpc::broker::Broker::name)
}

/// Returns the segment's name for programs.
pub(crate) fn segment_name(segment: Segment) -> &'static str {
    match segment {
        Segment::Unspecified => "",
        Segment::Equity => "equity",
        Segment::Fno => "fno",
    }
}

impl From<Busy> for Error {
    fn from(_: Busy) -> Self {
        Self::Busy
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

    fn service(&self) -> &'static str {
        "import"
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
            Self::Rejected(rejection) => {
                let cause = rejection.reason.codes().1.map(|cause| ("cause", cause.to_owned()));
                rejection.params.iter().cloned().chain(cause).collect()
            }
            Self::TooLarge => vec![("max_megabytes", (MAX_FILE_BYTES >> 20).to_string())],
            Self::Invalid(_) | Self::Busy | Self::Call(_) | Self::Io { .. } | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::Busy).then_some(Duration::from_secs(2))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io::{self, ErrorKind};

    use super::*;

    fn text(error: &Error) -> String {
        let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        texts::error(error.service(), error.reason(), &params).unwrap()
    }

    #[test]
    fn each_reason_for_a_rejection_has_its_own_text() {
        let reasons = (0..).map_while(|number| RejectionReason::try_from(number).ok());
        let texts: Vec<_> = reasons.map(|reason| text(&Rejection::from(reason).into())).collect();
        assert_eq!(texts.len(), 45);
        let distinct: HashSet<_> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{texts:#?}");
    }

    #[test]
    fn a_mismatch_has_the_names_of_the_detected_book() {
        for (broker, segment, names, question) in [
            (Broker::Zerodha, Segment::Equity, ["zerodha", "equity"], "This is a Zerodha stocks file."),
            (Broker::Groww, Segment::Equity, ["groww", "equity"], "Import it as Groww, Equity?"),
            (Broker::Groww, Segment::Fno, ["groww", "fno"], "This is a Groww futures and options file."),
            (Broker::Zerodha, Segment::Fno, ["zerodha", "fno"], "Import it as Zerodha, Future & Option?"),
        ] {
            let error = Error::Mismatch {
                detected: Book { broker: broker.into(), segment: segment.into(), ..Book::default() },
            };
            assert_eq!((error.kind(), error.reason()), (Kind::FailedPrecondition, "FILE_MISMATCH"));
            let [broker, segment] = names.map(str::to_owned);
            assert_eq!(error.metadata(), [("broker", broker), ("segment", segment)]);
            assert!(text(&error).contains(question), "{}", text(&error));
        }
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
            assert!(kind == Kind::StorageFull || !text(&error).is_empty());
        }
    }
}
