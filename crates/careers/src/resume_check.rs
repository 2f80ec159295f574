//! Check of a resume's format, run in a sandboxed parser process and never in the server itself.
//!
//! [`main`] is the parser process: it reads the resume from stdin and writes one word to stdout. A program calls it
//! before anything else if its first argument is [`ARGUMENT`]. `check` starts the process and accepts only known words
//! from it.

mod doc;
mod docx;
mod pdf;
mod pdf_objects;
mod pdf_tokens;
pub mod rejection;

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use self::rejection::Rejection;
use crate::error::Error;

/// First argument that makes the program a parser process. The second argument is the name of the format.
pub const ARGUMENT: &str = "check-resume";

/// Output of the parser process for an accepted resume.
const VALID: &str = "valid";
/// Maximum output of the parser process in bytes; more than the longest known word.
const MAX_OUTPUT_BYTES: u64 = 64;
/// Bytes at the start that are searched for HTML tags and for the PDF signature.
const START_BYTES: usize = 1024;
/// Bytes at the end that are searched for the end record of a zip archive: the record and the longest comment.
const ZIP_END_RECORD_BYTES: usize = 22 + 65_535;

/// Accepted format of a resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Pdf,
    Doc,
    Docx,
}

impl Format {
    const ALL: [Self; 3] = [Self::Pdf, Self::Doc, Self::Docx];

    /// Returns the name, which is also the file extension.
    fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Doc => "doc",
            Self::Docx => "docx",
        }
    }

    /// Returns the format that the extension of a file name stands for.
    pub(crate) fn from_file_name(file_name: &str) -> Option<Self> {
        let (_, extension) = file_name.rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.name()))
    }
}

/// Checks `file` in a parser process, which is killed after `limit`.
///
/// # Errors
/// [`Error::ResumeRejected`], also if the parser process fails or times out.
pub(crate) async fn check(program: &Path, limit: Duration, format: Format, mut file: File) -> Result<(), Error> {
    let failed = Error::io("failed to start the parser process");
    file.rewind().map_err(Error::io("failed to rewind a resume"))?;
    let mut parser = sandbox::command(program, &[ARGUMENT, format.name()], file).spawn().map_err(failed)?;
    let mut output = String::new();
    let run = tokio::time::timeout(limit, async {
        if let Some(stdout) = parser.stdout.take() {
            stdout.take(MAX_OUTPUT_BYTES).read_to_string(&mut output).await?;
        }
        Ok::<_, io::Error>(parser.wait().await?.success())
    });
    let succeeded = matches!(run.await, Ok(Ok(true)));
    if succeeded && output == VALID {
        return Ok(());
    }
    let rejection = Rejection::from_name(&output).filter(|_| succeeded);
    if rejection.is_none() {
        tracing::warn!(format = format.name(), "the parser process failed to check a resume");
    }
    Err(Error::ResumeRejected(rejection.unwrap_or(Rejection::Unreadable)))
}

/// Runs the parser process: checks the resume on stdin and writes the result to stdout. Any exit code except success
/// means that the resume was not checked.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    sandbox::confine()?;
    let name = std::env::args().nth(2);
    let format = Format::ALL.into_iter().find(|format| name.as_deref() == Some(format.name()));
    let format = format.ok_or(io::ErrorKind::InvalidInput)?;
    let (mut input, mut output) = sandbox::stdio_files()?;
    let mut resume = Vec::new();
    input.read_to_end(&mut resume)?;
    output.write_all(check_format(format, &resume).err().map_or(VALID, Rejection::name).as_bytes())
}

fn check_format(format: Format, resume: &[u8]) -> Result<(), Rejection> {
    match format {
        Format::Pdf => pdf::check(resume)?,
        Format::Doc => doc::check(resume)?,
        Format::Docx => docx::check(resume)?,
    }
    if is_polyglot(format, resume) { Err(Rejection::Mislabelled) } else { Ok(()) }
}

/// Returns true if a program for another format would also open the file. Many readers accept their signature behind
/// the first byte.
fn is_polyglot(format: Format, resume: &[u8]) -> bool {
    let start = resume.get(..START_BYTES).unwrap_or(resume);
    let end = resume.get(resume.len().saturating_sub(ZIP_END_RECORD_BYTES)..).unwrap_or(resume);
    let lower_start = start.to_ascii_lowercase();
    let has_at = |offset: usize, signature: &[u8]| resume.get(offset..).is_some_and(|rest| rest.starts_with(signature));
    [b"<html".as_slice(), b"<!doctype html", b"<script", b"<svg"].iter().any(|tag| contains(&lower_start, tag))
        || (format != Format::Pdf && contains(start, b"%PDF-"))
        || (format != Format::Docx && contains(end, b"PK\x05\x06"))
        || contains(resume, b"Rar!\x1a\x07")
        || contains(resume, b"7z\xbc\xaf\x27\x1c")
        // Signatures of tar and of ISO 9660 disc images.
        || has_at(257, b"ustar")
        || has_at(32_769, b"CD001")
}

fn contains(bytes: &[u8], signature: &[u8]) -> bool {
    bytes.windows(signature.len()).any(|window| window == signature)
}
