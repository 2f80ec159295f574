//! Entry point of the parser process: applies the sandbox, then reads a file from stdin and writes events to stdout.
//!
//! A program calls [`main`] first if its first argument is [`ARGUMENT`], before a runtime, a thread or a logger starts,
//! because the limits apply only to what is started after them.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use rpc::trades::v1::Segment;
use sandbox::Limits;

use crate::file_parser;
use crate::protocol;
pub use crate::protocol::ARGUMENT;
use crate::protocol::{
    FNO_ARGUMENT, LAYOUT_ARGUMENT, LEDGER_ARGUMENT, OPTIONS_VARIABLE, PDF_ARGUMENT, PROFIT_REPORT_ARGUMENT,
    ParserOptions, TABLE_ARGUMENT,
};

const WRITE_BUFFER_BYTES: usize = 256 * 1024;

/// Reads the file on stdin and writes its events to stdout. With any exit code but success the output is invalid.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Stderr is discarded, because an error may contain parts of the file.
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    let mode = std::env::args().nth(2);
    let limits = if std::env::args().nth(3).as_deref() == Some(PDF_ARGUMENT) { Limits::PDF } else { Limits::DEFAULT };
    let options = std::env::var(OPTIONS_VARIABLE).unwrap_or_default();
    sandbox::confine_to(limits)?;
    let (input, output) = sandbox::stdio_files()?;
    let mut out = BufWriter::with_capacity(WRITE_BUFFER_BYTES, output);
    let options = ParserOptions::from_text(&options).ok_or(io::ErrorKind::InvalidInput)?;
    let mut send = |event| protocol::write_event(&mut out, event);
    match mode.as_deref() {
        Some(PROFIT_REPORT_ARGUMENT) => file_parser::parse_profit_report(input, &mut send)?,
        Some(LEDGER_ARGUMENT) => file_parser::parse_ledger(input, &mut send)?,
        Some(LAYOUT_ARGUMENT) => file_parser::parse_layout(input, &options, &mut send)?,
        Some(TABLE_ARGUMENT) => file_parser::parse_table(input, &options, &mut send)?,
        Some(FNO_ARGUMENT) => file_parser::parse_trades(input, Segment::Fno, &options, &mut send)?,
        _ => file_parser::parse_trades(input, Segment::Equity, &options, &mut send)?,
    }
    out.flush()
}
