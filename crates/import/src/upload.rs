//! A file on its way in: spooled to a file without a name, hashed as it comes.

use std::io;
use std::path::Path;

use rpc::failure::Violation;
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{Choice, ImportFileRequest, PreviewFileRequest, preview_file_request};
use rpc::trades::v1::{Book, Broker, Segment};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio_stream::{Stream, StreamExt};
use tonic::Status;

use crate::error::Error;

/// What a file may have.
pub(crate) const LARGEST_FILE: u64 = 32 * 1024 * 1024;
/// What the trade log keeps of a name.
const LONGEST_FILE_NAME: usize = 150;

/// A file that has arrived.
pub(crate) struct Upload {
    /// What the trader says that it is.
    pub book: Book,
    /// Import the file as what it is, where that is not `book`.
    pub confirm: bool,
    pub file_name: String,
    /// By which the trade log knows the request again; empty: none.
    pub idempotency_key: String,
    pub file: std::fs::File,
    pub size: u64,
    pub sha256: Vec<u8>,
}

/// A message of a call that takes a file with a choice.
pub(crate) trait FileMessage {
    /// What it brings.
    fn part(self) -> Option<Part>;
}

impl FileMessage for ImportFileRequest {
    fn part(self) -> Option<Part> {
        self.part
    }
}

impl FileMessage for PreviewFileRequest {
    fn part(self) -> Option<Part> {
        Some(match self.part? {
            preview_file_request::Part::Choice(choice) => Part::Choice(choice),
            preview_file_request::Part::Chunk(chunk) => Part::Chunk(chunk),
        })
    }
}

/// Receives a whole file. A caller who goes away leaves nothing behind.
pub(crate) async fn receive<M: FileMessage>(
    spool_dir: &Path,
    mut parts: impl Stream<Item = Result<M, Status>> + Unpin,
) -> Result<Upload, Error> {
    let mut choice = None;
    let mut spool = Spool::open(spool_dir).await?;
    while let Some(message) = parts.next().await {
        match message.map_err(Error::Call)?.part() {
            Some(Part::Choice(chosen)) => choice = Some(chosen),
            Some(Part::Chunk(chunk)) => spool.write(&chunk).await?,
            None => (),
        }
    }
    let choice = check(choice.unwrap_or_default(), spool.size)?;
    let size = spool.size;
    let (file, sha256) = spool.close().await?;
    Ok(Upload {
        book: choice.book.unwrap_or_default(),
        confirm: choice.confirm,
        file_name: choice.file_name,
        idempotency_key: choice.idempotency_key,
        file,
        size,
        sha256,
    })
}

/// Receives a whole file of which nothing is said.
pub(crate) async fn receive_file(
    spool_dir: &Path,
    mut chunks: impl Stream<Item = Result<Vec<u8>, Status>> + Unpin,
) -> Result<(std::fs::File, u64), Error> {
    let mut spool = Spool::open(spool_dir).await?;
    while let Some(message) = chunks.next().await {
        spool.write(&message.map_err(Error::Call)?).await?;
    }
    let size = spool.size;
    let (file, _) = spool.close().await?;
    Ok((file, size))
}

/// A choice that says everything, with a name that can be shown.
fn check(mut choice: Choice, size: u64) -> Result<Choice, Error> {
    let mut violations = Vec::new();
    let mut missing = |field: &'static str, message: &str| {
        violations.push(Violation { field: field.into(), reason: "REQUIRED", message: message.to_owned() });
    };
    let book = choice.book.unwrap_or_default();
    if book.broker() == Broker::Unspecified {
        missing("broker", "Choose a broker.");
    }
    if book.segment() == Segment::Unspecified {
        missing("tradetype", "Choose a trade type.");
    }
    if choice.file_name.is_empty() && size == 0 {
        missing("file", "Choose a file.");
    }
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    choice.file_name = tidy_name(&choice.file_name);
    Ok(choice)
}

/// Without what could turn a line of a list around, and not too long.
fn tidy_name(name: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let name: String = name.chars().filter(|c| !c.is_control() && !turns(*c)).take(LONGEST_FILE_NAME).collect();
    if name.trim().is_empty() { "file".to_owned() } else { name }
}

/// A file that has no name: it is gone when nobody holds it, whatever happens.
struct Spool {
    file: File,
    hash: Sha256,
    size: u64,
}

impl Spool {
    async fn open(dir: &Path) -> Result<Self, Error> {
        let dir = dir.to_owned();
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await?.map_err(failed)?;
        Ok(Self { file: File::from_std(file), hash: Sha256::new(), size: 0 })
    }

    async fn write(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.size += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        if self.size > LARGEST_FILE {
            return Err(Error::TooLarge);
        }
        self.hash.update(chunk);
        self.file.write_all(chunk).await.map_err(failed)
    }

    /// The file and its hash.
    async fn close(mut self) -> Result<(std::fs::File, Vec<u8>), Error> {
        self.file.flush().await.map_err(failed)?;
        Ok((self.file.into_std().await, self.hash.finalize().to_vec()))
    }
}

fn failed(source: io::Error) -> Error {
    Error::Io { doing: "spooling the file failed", source }
}
