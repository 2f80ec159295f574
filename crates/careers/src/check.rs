//! Whether a file is the resume that its name says. Looked at in a child with hard limits, never in the server.
//!
//! [`main`] is the child: the resume on stdin, one word on stdout. A program calls it before anything else when its first
//! argument is [`ARGUMENT`]. [`check`] is the parent, which believes only the words that it knows.

mod doc;
mod docx;
mod pdf;

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use crate::error::Error;

/// The first argument that makes the program a child. The second is the name of the format.
pub const ARGUMENT: &str = "check-resume";

/// The longest word that a child says, and more.
const LONGEST_WORD: u64 = 64;
/// A resume that is not bound to be a page of a browser does not begin like one.
const FIRST_BYTES: usize = 1024;
/// Whoever reads a zip archive looks for its end so far from the file's.
const ZIP_END_WITHIN: usize = 22 + 65_535;

/// A format that we take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Pdf,
    Doc,
    Docx,
}

impl Format {
    const ALL: [Self; 3] = [Self::Pdf, Self::Doc, Self::Docx];

    /// Its name, and the ending of its files.
    fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Doc => "doc",
            Self::Docx => "docx",
        }
    }

    /// What the ending of a file name says.
    pub(crate) fn of(file_name: &str) -> Option<Self> {
        let (_, ending) = file_name.rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| ending.eq_ignore_ascii_case(format.name()))
    }
}

/// What is wrong with a resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is damaged, or nothing that we would open.
    Unreadable,
    /// It is something else than its name says, or that and something else.
    Mislabelled,
    /// It has a password.
    Encrypted,
    /// It carries a program, or loads a part of itself from elsewhere.
    Macros,
}

impl Fault {
    const ALL: [Self; 4] = [Self::Unreadable, Self::Mislabelled, Self::Encrypted, Self::Macros];

    fn word(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Mislabelled => "mislabelled",
            Self::Encrypted => "encrypted",
            Self::Macros => "macros",
        }
    }
}

const FINE: &str = "fine";

/// Has a child look at `file`, for at most `longest`.
pub(crate) async fn check(program: &Path, longest: Duration, format: Format, mut file: File) -> Result<(), Error> {
    let failed = Error::io("starting the child failed");
    file.rewind().map_err(Error::io("rewinding a resume failed"))?;
    let mut child = sandbox::command(program, &[ARGUMENT, format.name()], file).spawn().map_err(failed)?;
    let mut word = String::new();
    let said = tokio::time::timeout(longest, async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(LONGEST_WORD).read_to_string(&mut word).await?;
        }
        Ok::<_, io::Error>(child.wait().await?.success())
    });
    let well = matches!(said.await, Ok(Ok(true)));
    if well && word == FINE {
        return Ok(());
    }
    let fault = Fault::ALL.into_iter().find(|fault| well && fault.word() == word);
    if fault.is_none() {
        tracing::warn!(format = format.name(), "the child did not read the resume");
    }
    Err(Error::Resume(fault.unwrap_or(Fault::Unreadable)))
}

/// Looks at the resume on stdin and says what is wrong with it. Anything but success means that it was not looked at.
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
    let (mut input, mut output) = sandbox::standard_files()?;
    let mut resume = Vec::new();
    input.read_to_end(&mut resume)?;
    output.write_all(judge(format, &resume).err().map_or(FINE, Fault::word).as_bytes())
}

fn judge(format: Format, resume: &[u8]) -> Result<(), Fault> {
    match format {
        Format::Pdf => pdf::judge(resume)?,
        Format::Doc => doc::judge(resume)?,
        Format::Docx => docx::judge(resume)?,
    }
    if is_something_else(format, resume) { Err(Fault::Mislabelled) } else { Ok(()) }
}

/// Whether a program for another format would open the file as well. Each of them looks for its own mark elsewhere than
/// at the very beginning.
fn is_something_else(format: Format, resume: &[u8]) -> bool {
    let start = resume.get(..FIRST_BYTES).unwrap_or(resume);
    let end = resume.get(resume.len().saturating_sub(ZIP_END_WITHIN)..).unwrap_or(resume);
    let page = start.to_ascii_lowercase();
    let at = |offset: usize, mark: &[u8]| resume.get(offset..).is_some_and(|rest| rest.starts_with(mark));
    [b"<html".as_slice(), b"<!doctype html", b"<script", b"<svg"].iter().any(|mark| holds(&page, mark))
        || (format != Format::Pdf && holds(start, b"%PDF-"))
        || (format != Format::Docx && holds(end, b"PK\x05\x06"))
        || holds(resume, b"Rar!\x1a\x07")
        || holds(resume, b"7z\xbc\xaf\x27\x1c")
        // tar, and the image of a disc.
        || at(257, b"ustar")
        || at(32_769, b"CD001")
}

fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}
