//! Receives an uploaded file: spools it to an unnamed file and hashes it, with the upload limit.

use std::io;
use std::path::Path;

use rpc::failure::Violation;
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{ImportFileRequest, ImportOptions, PreviewFileRequest, preview_file_request};
use rpc::trades::v1::{Book, Broker, Segment};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio_stream::{Stream, StreamExt};
use tonic::Status;

use crate::error::Error;

/// Size of a file in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;
/// Characters of a file name; the trade log stores no more.
const MAX_FILE_NAME_CHARS: usize = 150;

/// Bytes of a password; PDF 2.0 allows 127.
const MAX_PASSWORD_BYTES: usize = 127;

/// Received file with the trader's choices.
pub(crate) struct Upload {
    /// Book that the trader selected.
    pub book: Book,
    /// Import the file into its own book if that differs from `book`.
    pub confirm: bool,
    pub file_name: String,
    /// Password of the file; empty if it needs none. Never stored or logged.
    pub password: String,
    /// Idempotency key for the trade log; empty if there is none.
    pub idempotency_key: String,
    pub file: std::fs::File,
    pub size: u64,
    pub sha256: Vec<u8>,
}

/// Message of an rpc that receives a file and the trader's choices.
pub(crate) trait FileMessage {
    /// Returns the options or the chunk of the message.
    fn into_part(self) -> Option<Part>;
}

impl FileMessage for ImportFileRequest {
    fn into_part(self) -> Option<Part> {
        self.part
    }
}

impl FileMessage for PreviewFileRequest {
    fn into_part(self) -> Option<Part> {
        Some(match self.part? {
            preview_file_request::Part::Options(options) => Part::Options(options),
            preview_file_request::Part::Chunk(chunk) => Part::Chunk(chunk),
        })
    }
}

/// Receives a file and the trader's choices. Nothing is kept if the caller disconnects.
pub(crate) async fn receive<M: FileMessage>(
    spool_dir: &Path,
    mut messages: impl Stream<Item = Result<M, Status>> + Unpin,
) -> Result<Upload, Error> {
    let mut options = None;
    let mut spool = Spool::open(spool_dir).await?;
    while let Some(message) = messages.next().await {
        match message.map_err(Error::Call)?.into_part() {
            Some(Part::Options(received)) => options = Some(received),
            Some(Part::Chunk(chunk)) => spool.write(&chunk).await?,
            None => (),
        }
    }
    let options = validate(options.unwrap_or_default(), spool.size)?;
    let size = spool.size;
    let (file, sha256) = spool.close().await?;
    Ok(Upload {
        book: options.book.unwrap_or_default(),
        confirm: options.confirm,
        file_name: options.file_name,
        password: options.password,
        idempotency_key: options.idempotency_key,
        file,
        size,
        sha256,
    })
}

/// Receives a file without choices.
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

/// Returns the options with a file name that is safe to display, or the required fields that are missing.
fn validate(mut options: ImportOptions, size: u64) -> Result<ImportOptions, Error> {
    let mut violations = Vec::new();
    let mut missing = |field: &'static str| violations.push(Violation::new(field, "REQUIRED"));
    let book = options.book.unwrap_or_default();
    if book.broker() == Broker::Unspecified {
        missing("options.book.broker");
    }
    if book.segment() == Segment::Unspecified {
        missing("options.book.segment");
    }
    if options.file_name.is_empty() && size == 0 {
        missing("options.file_name");
    }
    violations.extend(check_password(&options.password));
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    options.file_name = sanitize_file_name(&options.file_name);
    Ok(options)
}

/// Returns the violation of a password that is too long.
pub(crate) fn check_password(password: &str) -> Option<Violation> {
    (password.len() > MAX_PASSWORD_BYTES).then(|| Violation::new("options.password", "TOO_LONG"))
}

/// Returns a file name that is safe to display, cut to its maximum length.
pub fn sanitize_file_name(name: &str) -> String {
    let name: String = remove_deceptive_chars(name).chars().take(MAX_FILE_NAME_CHARS).collect();
    if name.trim().is_empty() { "file".to_owned() } else { name }
}

/// Removes control characters and marks that change the text direction.
pub fn remove_deceptive_chars(text: &str) -> String {
    let is_direction_mark =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|c| !c.is_control() && !is_direction_mark(*c)).collect()
}

/// Unnamed temporary file; the system removes it when it is closed, also after a crash.
struct Spool {
    file: File,
    hash: Sha256,
    size: u64,
}

impl Spool {
    async fn open(dir: &Path) -> Result<Self, Error> {
        let dir = dir.to_owned();
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await?.map_err(spool_error)?;
        Ok(Self { file: File::from_std(file), hash: Sha256::new(), size: 0 })
    }

    async fn write(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.size += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        if self.size > MAX_FILE_BYTES {
            return Err(Error::TooLarge);
        }
        self.hash.update(chunk);
        self.file.write_all(chunk).await.map_err(spool_error)
    }

    /// Returns the file and its SHA-256 hash.
    async fn close(mut self) -> Result<(std::fs::File, Vec<u8>), Error> {
        self.file.flush().await.map_err(spool_error)?;
        Ok((self.file.into_std().await, self.hash.finalize().to_vec()))
    }
}

fn spool_error(source: io::Error) -> Error {
    Error::Io { context: "failed to spool the file", source }
}
