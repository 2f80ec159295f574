//! CSV (RFC 4180) with a byte order mark, because Excel otherwise does not read the file as UTF-8.

use std::borrow::Cow;

use csv::{Terminator, WriterBuilder};
use rpc::trades::v1::{TimePrecision, Trade};
use time::PrimitiveDateTime;
use time::macros::format_description;

use crate::cell::Cell;
use crate::columns::{HEADER, trade_cells};
use crate::error::Error;

/// Media type of CSV.
pub const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

/// Returns the header line of exported trades.
pub fn trades_header() -> Vec<u8> {
    header(&HEADER)
}

/// Returns the lines of some trades.
pub fn trade_rows(trades: &[Trade]) -> Result<Vec<u8>, Error> {
    append_rows(Vec::with_capacity(trades.len() * 128), trades.iter().map(trade_cells))
}

/// Returns a table with its header line.
pub(crate) fn table<'a, const N: usize>(
    columns: &[&str; N],
    rows: impl Iterator<Item = Result<[Cell<'a>; N], Error>>,
) -> Result<Vec<u8>, Error> {
    append_rows(header(columns), rows)
}

/// Returns the header line with a byte order mark.
pub(crate) fn header(columns: &[&str]) -> Vec<u8> {
    let quote = |name: &&str| if name.contains(',') { format!("\"{name}\"") } else { (*name).to_owned() };
    let names: Vec<String> = columns.iter().map(quote).collect();
    format!("\u{feff}{}\r\n", names.join(",")).into_bytes()
}

/// Appends a line for each row.
pub(crate) fn append_rows<'a, const N: usize>(
    csv: Vec<u8>,
    rows: impl Iterator<Item = Result<[Cell<'a>; N], Error>>,
) -> Result<Vec<u8>, Error> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(csv);
    for row in rows {
        for cell in row? {
            match cell {
                Cell::Text(text) => writer.write_field(escape_formula(&text).as_ref())?,
                Cell::Number(number) => writer.write_field(number)?,
                Cell::Decimal(amount) | Cell::Formula(_, amount) => {
                    writer.write_field(amount.normalize().to_string())?;
                }
                Cell::Count(number) => writer.write_field(number.to_string())?,
                Cell::Time(at, precision) => writer.write_field(format_time(at, precision)?)?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()).into())
}

/// Prefixes text that a spreadsheet would evaluate as a formula with an apostrophe (CSV injection).
pub fn escape_formula(text: &str) -> Cow<'_, str> {
    let starts_formula = |first: char| "=+-@\t\r\n\0\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(first);
    if text.starts_with(starts_formula) { format!("'{text}").into() } else { text.into() }
}

fn format_time(at: PrimitiveDateTime, precision: TimePrecision) -> Result<String, Error> {
    let text = match precision {
        TimePrecision::Second => at.format(format_description!("[year]-[month]-[day] [hour]:[minute]:[second]")),
        TimePrecision::Minute => at.format(format_description!("[year]-[month]-[day] [hour]:[minute]")),
        TimePrecision::Day => at.format(format_description!("[year]-[month]-[day]")),
        TimePrecision::Unspecified => return Err(Error::Unspecified("precision")),
    };
    text.map_err(|_| Error::InvalidTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_begins_like_a_formula_is_escaped() {
        for first in ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠"] {
            assert_eq!(escape_formula(&format!("{first}1")), format!("'{first}1"));
        }
        for text in ["", "M&M", "a=1", "'=1", "१", "(1)", " x"] {
            assert_eq!(escape_formula(text), text);
        }
    }
}
