//! The child's side: first the limits, then the file on stdin, then what it holds to stdout.
//!
//! A program calls [`main`] before anything else when its first argument is [`ARGUMENT`]: before a runtime, a thread or
//! a logger starts, because the limits hold only for what comes after them.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use crate::protocol;
pub use crate::protocol::ARGUMENT;
use crate::protocol::REPORT;
use crate::reading;

const WRITTEN_AT_ONCE: usize = 256 * 1024;

/// Reads the file on stdin and writes what it holds to stdout. Anything but success means that what was written does
/// not count.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads stderr, and the reason may hold a part of the file.
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    sandbox::confine()?;
    let (input, output) = sandbox::standard_files()?;
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, output);
    let read = if std::env::args_os().nth(2).is_some_and(|wanted| wanted == REPORT) {
        reading::read_report
    } else {
        reading::read
    };
    read(input, &mut |event| protocol::write(&mut out, event))?;
    out.flush()
}
