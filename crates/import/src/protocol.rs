//! What the child tells its parent: events, each a protobuf message behind its length in four bytes, big end first.
//!
//! `Found`, then batches, then `End`; or `Refused` at any point, after which nothing counts. `Found` comes with the
//! first trade, so a file without trades is an `End` alone. Where a report is wanted, it is `Report` or `Refused` alone.

use std::io::{self, Write};

use prost::Message;
use rpc::imports::v1::{Problem, ProfitReport};
use rpc::trades::v1::{ImportBatch, Segment};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::error::Reason;

/// The first argument that makes the program a child.
pub const ARGUMENT: &str = "parse-file";

/// The second one where a profit and loss report is wanted, and not trades.
pub(crate) const REPORT: &str = "report";

/// Trades in one batch, which is what the trade log takes at once.
pub(crate) const LARGEST_BATCH: usize = 2_000;

/// A batch of the longest trades stays well below it.
const LARGEST_EVENT: u32 = 4 * 1024 * 1024;

/// One message of the child.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Event {
    #[prost(oneof = "What", tags = "1, 2, 3, 4, 5")]
    pub what: Option<What>,
}

/// What the message says.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum What {
    #[prost(message, tag = "1")]
    Found(Found),
    #[prost(message, tag = "2")]
    Refused(Refused),
    #[prost(message, tag = "3")]
    Batch(ImportBatch),
    #[prost(message, tag = "4")]
    End(End),
    #[prost(message, tag = "5")]
    Report(ProfitReport),
}

/// What the file is.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Found {
    /// The name of one of our formats.
    #[prost(string, tag = "1")]
    pub format: String,
    #[prost(enumeration = "Segment", tag = "2")]
    pub segment: i32,
}

/// Why the file is not taken.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Refused {
    #[prost(enumeration = "Reason", tag = "1")]
    pub reason: i32,
    /// One sentence for the trader.
    #[prost(string, tag = "2")]
    pub message: String,
}

/// The file was read to its end.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct End {
    /// Rows below the header that were not blank.
    #[prost(int64, tag = "1")]
    pub rows: i64,
    #[prost(int64, tag = "2")]
    pub trades: i64,
    #[prost(message, repeated, tag = "3")]
    pub problems: Vec<Problem>,
    #[prost(int64, tag = "4")]
    pub problem_count: i64,
    #[prost(message, repeated, tag = "5")]
    pub warnings: Vec<Problem>,
    #[prost(int64, tag = "6")]
    pub warning_count: i64,
    /// Rows that are no trades and need not be, each with a warning.
    #[prost(int64, tag = "7")]
    pub skipped: i64,
    /// Warnings of trades that look odd; the others are of what is so in nearly every file.
    #[prost(int64, tag = "8")]
    pub odd_count: i64,
}

/// Writes one event.
pub(crate) fn write(out: &mut impl Write, what: What) -> io::Result<()> {
    let event = Event { what: Some(what) };
    let length = u32::try_from(event.encoded_len()).map_err(io::Error::other)?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(&event.encode_to_vec())
}

/// Reads one event. `None` where the child ended cleanly; an error where it did not, or where this is no event.
pub(crate) async fn read(from: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<Option<What>> {
    let mut length = [0; 4];
    let (first, rest) = length.split_at_mut(1);
    if from.read(first).await? == 0 {
        return Ok(None);
    }
    from.read_exact(rest).await?;
    let length = u32::from_be_bytes(length);
    if length > LARGEST_EVENT {
        return Err(io::Error::other("the event is too large"));
    }
    buffer.clear();
    from.take(length.into()).read_to_end(buffer).await?;
    if buffer.len() != usize::try_from(length).map_err(io::Error::other)? {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let what = Event::decode(buffer.as_slice()).map_err(io::Error::other)?.what;
    what.map(Some).ok_or_else(|| io::Error::other("the event is empty"))
}
