//! Output of the parser process: events, each a protobuf message after its length in four big-endian bytes.
//!
//! For trades: `Format`, then batches, then `Summary`. `Format` is sent with the first trade, so a file without trades
//! sends `Summary` only. For a profit and loss report: one `ProfitReport` or `TaxReport`; for a ledger: one `Ledger`;
//! for the layout of a contract note: one `Layout`.
//! `Rejected` may come at any point and ends the file.

use std::collections::HashMap;
use std::io::{self, Write};

use prost::Message;
use rpc::imports::v1::{FileIssue, LedgerFile, MapColumnsResponse, ProfitReport, RedactLayoutResponse, TaxReport};
use rpc::trades::v1::{ColumnMapping, ContractNote, DocumentSignature, ImportBatch, Segment};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::error::RejectionReason;

/// First argument of the parser process.
pub const ARGUMENT: &str = "parse-file";

/// Second argument if the file is to be read as a profit and loss report.
pub(crate) const PROFIT_REPORT_ARGUMENT: &str = "report";
/// Second argument if the file is to be read as a ledger.
pub(crate) const LEDGER_ARGUMENT: &str = "ledger";
/// Second argument if of a file with trades of both segments the futures and options are to be read.
pub(crate) const FNO_ARGUMENT: &str = "fno";

/// Second argument if the table of the file is to be sent, and the trades that the mapping makes of it.
pub(crate) const TABLE_ARGUMENT: &str = "table";
/// Second argument if the layout of a contract note is to be sent, with names and numbers masked.
pub(crate) const LAYOUT_ARGUMENT: &str = "layout";
/// Second argument for the trades of shares, which are also those of a file with one segment.
pub(crate) const EQUITY_ARGUMENT: &str = "equity";
/// Third argument if the file begins like a PDF document; the process then has less memory.
pub(crate) const PDF_ARGUMENT: &str = "pdf";

/// Environment variable of the parser process with its [`ParserOptions`]. Unlike arguments, only the same user can read
/// it; the options have the password of the file.
pub(crate) const OPTIONS_VARIABLE: &str = "TRADEBAHI_PARSER_OPTIONS";

/// Rows of a file, and trades, because a row may be two trades.
pub(crate) const MAX_ROWS: i64 = 500_000;
/// Trades in a batch; the trade log accepts no more.
pub(crate) const MAX_BATCH_TRADES: usize = 2_000;
/// Listed errors of a file, and listed warnings. Further ones are only counted.
pub(crate) const MAX_LISTED_ISSUES: usize = 1_000;

/// Segments of contract notes in a file, and days whose charges a tradebook states. The trade log accepts no more.
pub(crate) const MAX_CONTRACT_NOTES: usize = 4_000;

/// Characters of the name of a signer or an issuer in a certificate.
pub(crate) const MAX_SIGNER_NAME_CHARS: usize = 100;

/// Shares and contracts of a profit and loss report.
pub(crate) const MAX_REPORT_ROWS: usize = 5_000;
/// Lines of charges of a profit and loss report.
pub(crate) const MAX_REPORT_CHARGES: usize = 200;
/// Listed errors of a profit and loss report.
pub(crate) const MAX_REPORT_ISSUES: usize = 100;
/// Characters of a title, name or label in a profit and loss report.
pub(crate) const MAX_REPORT_TEXT_CHARS: usize = 100;

/// Lines of a tax report.
pub(crate) const MAX_TAX_LINES: usize = 10_000;
/// Bytes of a tax report; a call of the analytics service accepts 4 MiB.
pub(crate) const MAX_TAX_REPORT_BYTES: usize = 3 * 1024 * 1024;
/// Listed sections of a tax report that are not read.
pub(crate) const MAX_SKIPPED_SECTIONS: usize = 20;

/// Entries of a ledger; the trade log accepts no more at once.
pub(crate) const MAX_LEDGER_ENTRIES: usize = 10_000;
/// Characters of the particulars of an entry of a ledger.
pub(crate) const MAX_LEDGER_TEXT_CHARS: usize = 120;

/// Rows of a table that are shown, and characters of a cell.
pub(crate) const MAX_TABLE_ROWS: usize = 20;
pub(crate) const MAX_TABLE_TEXT_CHARS: usize = 100;

/// Bytes of the layout of a contract note, which is sent by email.
pub(crate) const MAX_LAYOUT_BYTES: usize = 200_000;

/// Size of an event. A batch with the longest possible trades is much smaller.
const MAX_EVENT_BYTES: u32 = 4 * 1024 * 1024;

/// Protobuf message that wraps one event.
#[derive(Clone, PartialEq, Message)]
struct Envelope {
    #[prost(oneof = "Event", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9")]
    event: Option<Event>,
}

/// Event sent by the parser process.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Event {
    #[prost(message, tag = "1")]
    Format(FileFormat),
    #[prost(message, tag = "2")]
    Rejected(RejectedFile),
    #[prost(message, tag = "3")]
    Batch(ImportBatch),
    #[prost(message, tag = "4")]
    Summary(FileSummary),
    #[prost(message, tag = "5")]
    ProfitReport(ProfitReport),
    /// Table of the file, before its trades.
    #[prost(message, tag = "6")]
    Table(MapColumnsResponse),
    #[prost(message, tag = "7")]
    Ledger(LedgerFile),
    #[prost(message, tag = "8")]
    TaxReport(TaxReport),
    #[prost(message, tag = "9")]
    Layout(RedactLayoutResponse),
}

/// Detected format of the file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct FileFormat {
    /// Name of a format in `formats`.
    #[prost(string, tag = "1")]
    pub format: String,
    #[prost(enumeration = "Segment", tag = "2")]
    pub segment: i32,
    /// Client code at the broker, in capitals; empty if the file states none.
    #[prost(string, tag = "3")]
    pub client_code: String,
    /// Name of the person whose account it is; empty if the file states none.
    #[prost(string, tag = "4")]
    pub holder: String,
    /// Number of the mapping with which the table is read, among those of the options, from 0.
    #[prost(uint32, optional, tag = "5")]
    pub mapping: Option<u32>,
}

/// Options of the parser process.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ParserOptions {
    /// Mappings of tables that have no known format; if the table is to be sent, the one to apply.
    #[prost(message, repeated, tag = "1")]
    pub mappings: Vec<ColumnMapping>,
    /// Row number of the header of the table; 0 to find it.
    #[prost(uint32, tag = "2")]
    pub header_row: u32,
    /// Password of the file; empty if it needs none.
    #[prost(string, tag = "3")]
    pub password: String,
}

impl ParserOptions {
    /// Returns the message in hexadecimal digits.
    pub fn to_text(&self) -> String {
        hex::encode(self.encode_to_vec())
    }

    /// Parses hexadecimal digits.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::decode(hex::decode(text).ok()?.as_slice()).ok()
    }

    /// Returns the password of the file, if there is one.
    pub fn password(&self) -> Option<&str> {
        Some(self.password.as_str()).filter(|password| !password.is_empty())
    }
}

/// Rejection of the whole file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RejectedFile {
    #[prost(enumeration = "RejectionReason", tag = "1")]
    pub reason: i32,
    /// Values of the text for people, by name.
    #[prost(map = "string, string", tag = "2")]
    pub params: HashMap<String, String>,
}

/// Counts and issues of a file that was read to its end.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct FileSummary {
    /// Rows below the header that are not blank.
    #[prost(int64, tag = "1")]
    pub rows: i64,
    #[prost(int64, tag = "2")]
    pub trades: i64,
    /// Rows with errors, in the order of the file; at most [`MAX_LISTED_ISSUES`].
    #[prost(message, repeated, tag = "3")]
    pub errors: Vec<FileIssue>,
    #[prost(int64, tag = "4")]
    pub error_count: i64,
    /// Odd trades, and skipped rows, in the order of the file; at most [`MAX_LISTED_ISSUES`].
    #[prost(message, repeated, tag = "5")]
    pub warnings: Vec<FileIssue>,
    #[prost(int64, tag = "6")]
    pub warning_count: i64,
    /// Rows that are not trades and are not expected to be, each with a warning.
    #[prost(int64, tag = "7")]
    pub skipped: i64,
    /// Warnings about odd trades. The other warnings occur in nearly every file.
    #[prost(int64, tag = "8")]
    pub odd_count: i64,
    /// Rows of the other segment, which belong to another book.
    #[prost(int64, tag = "9")]
    pub other_segment_rows: i64,
    /// The dates could have another order of day and month.
    #[prost(bool, tag = "10")]
    pub is_date_order_open: bool,
    /// Number of errors and warnings by their code; also of those that are not listed.
    #[prost(map = "string, int64", tag = "11")]
    pub issue_counts: HashMap<String, i64>,
    /// Segments of contract notes, and days whose charges a tradebook states; at most [`MAX_CONTRACT_NOTES`].
    #[prost(message, repeated, tag = "12")]
    pub contract_notes: Vec<ContractNote>,
    /// Comparison of a PDF document with its signatures; absent for other files.
    #[prost(message, optional, boxed, tag = "13")]
    pub signature: Option<Box<DocumentSignature>>,
}

/// Writes one event.
pub(crate) fn write_event(out: &mut impl Write, event: Event) -> io::Result<()> {
    let envelope = Envelope { event: Some(event) };
    let length = u32::try_from(envelope.encoded_len()).map_err(io::Error::other)?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(&envelope.encode_to_vec())
}

/// Reads one event. Returns `None` at a clean end of the stream.
///
/// # Errors
/// Fails if the stream ends within an event, or the bytes are not an event.
pub(crate) async fn read_event(from: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<Option<Event>> {
    let mut length = [0; 4];
    let (first, rest) = length.split_at_mut(1);
    if from.read(first).await? == 0 {
        return Ok(None);
    }
    from.read_exact(rest).await?;
    let length = u32::from_be_bytes(length);
    if length > MAX_EVENT_BYTES {
        return Err(io::Error::other("the event is too large"));
    }
    buffer.clear();
    from.take(length.into()).read_to_end(buffer).await?;
    if buffer.len() != usize::try_from(length).map_err(io::Error::other)? {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let event = Envelope::decode(buffer.as_slice()).map_err(io::Error::other)?.event;
    event.map(Some).ok_or_else(|| io::Error::other("the event is empty"))
}
