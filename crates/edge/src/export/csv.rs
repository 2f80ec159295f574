//! CSV by RFC 4180, with a byte order mark, without which Excel takes UTF-8 for something else.

use std::borrow::Cow;

use bytes::Bytes;
use csv::{Terminator, Writer, WriterBuilder};
use rpc::trades::v1::{TimePrecision, Trade};
use time::PrimitiveDateTime;
use time::macros::format_description;

use crate::export::columns::{Cell, HEADER, cells};
use crate::record::{Broken, Unwritable};
use crate::words::Wordless;

pub(crate) const TYPE: &str = "text/csv; charset=utf-8";

/// What stands before the first trade.
pub(crate) fn head() -> Bytes {
    Bytes::from(names(&HEADER))
}

/// No name of a column needs quotes.
fn names(columns: &[&str]) -> String {
    format!("\u{feff}{}\r\n", columns.join(","))
}

/// The lines of some trades.
pub(crate) fn rows(trades: &[Trade]) -> Result<Bytes, Broken> {
    lines(Vec::with_capacity(trades.len() * 128), trades.iter().map(cells))
}

/// A whole table.
pub(crate) fn table<'c, const N: usize>(
    columns: &[&str; N],
    rows: impl Iterator<Item = Result<[Cell<'c>; N], Unwritable>>,
) -> Result<Bytes, Broken> {
    lines(names(columns).into_bytes(), rows)
}

fn lines<'c, const N: usize>(
    before: Vec<u8>,
    rows: impl Iterator<Item = Result<[Cell<'c>; N], Unwritable>>,
) -> Result<Bytes, Broken> {
    let mut lines = writer(before);
    for row in rows {
        for cell in row? {
            match cell {
                Cell::Text(text) => lines.write_field(harmless(text).as_ref())?,
                Cell::Number(number) => lines.write_field(number)?,
                Cell::Time(at, precision) => lines.write_field(time_text(at, precision)?)?,
            }
        }
        lines.write_record(None::<&[u8]>)?;
    }
    let lines = lines.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(lines.into())
}

fn writer(before: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).from_writer(before)
}

/// Text that a spreadsheet would run, with an apostrophe before it.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let runs = |first: char| "=+-@\t\r\n\0\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(first);
    if text.starts_with(runs) { format!("'{text}").into() } else { text.into() }
}

fn time_text(at: PrimitiveDateTime, precision: TimePrecision) -> Result<String, Unwritable> {
    let text = match precision {
        TimePrecision::Second => at.format(format_description!("[year]-[month]-[day] [hour]:[minute]:[second]")),
        TimePrecision::Minute => at.format(format_description!("[year]-[month]-[day] [hour]:[minute]")),
        TimePrecision::Day => at.format(format_description!("[year]-[month]-[day]")),
        TimePrecision::Unspecified => return Err(Wordless("a precision").into()),
    };
    text.map_err(|_| Unwritable::Time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_run_as_a_formula() {
        for first in ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠"] {
            assert_eq!(harmless(&format!("{first}1")), format!("'{first}1"));
        }
        for text in ["", "M&M", "a=1", "'=1", "१", "(1)", " x"] {
            assert_eq!(harmless(text), text);
        }
    }
}
