//! Streaming parser of the body of `/trades/replace`: `{email, broker, tradetype, trades: […]}`, with the fields in any
//! order. It holds one trade in memory at a time.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use http_server::json_body::{not_an_object, not_json};
use http_server::json_fields::{JsonFields, JsonObject};
use http_server::problem::{FieldError, MAX_FIELD_ERRORS, Problem};
use rpc::trades::v1::{Book, NewTrade};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::api::trades::new_trade::{parse_book, parse_new_trade};
use crate::error_texts::{error_text, field_text};
use crate::limits::MAX_TRADE_BYTES;

/// Maximum number of trades in a body.
const MAX_TRADES: i64 = 100_000;

/// Fields of a body other than the trades, and the number of trades.
pub(crate) struct ReplaceBody {
    pub email: Option<String>,
    pub book: Book,
    pub trades: i64,
}

/// Error while reading a body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("the body is invalid: {0:?}")]
    Rejected(Box<Problem>),
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    #[error("the call to the core has ended")]
    CallEnded,
}

impl From<Problem> for ReadError {
    fn from(problem: Problem) -> Self {
        Self::Rejected(Box::new(problem))
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Rejected(problem) => *problem,
            ReadError::Io(_) | ReadError::CallEnded => {
                tracing::error!(error = %rpc::failure::error_chain(&error), "a list of trades cannot be read");
                Self::internal()
            }
        }
    }
}

/// Checks the whole body.
///
/// # Errors
/// All errors of the body, up to [`MAX_FIELD_ERRORS`], except those that only the core can detect.
pub(crate) fn check(input: impl Read) -> Result<ReplaceBody, ReadError> {
    BodyReader::new(None, |_, _| Ok(())).run(input)
}

/// Passes each trade to `on_trade`, with the size of its JSON in bytes.
///
/// # Errors
/// As [`check`], and if a trade names a book other than `book` or `on_trade` fails.
pub(crate) fn read(
    input: impl Read,
    book: &Book,
    on_trade: impl FnMut(NewTrade, usize) -> Result<(), ReadError>,
) -> Result<ReplaceBody, ReadError> {
    BodyReader::new(Some(*book), on_trade).run(input)
}

/// State of reading a body.
struct BodyReader<F> {
    /// Book that each trade must match; `None` in the first pass, because it may come after the trades in the body.
    book: Option<Book>,
    on_trade: F,
    other_fields: Vec<(String, Box<RawValue>)>,
    has_trades: bool,
    trades: i64,
    errors: Vec<FieldError>,
    /// Path of the field being read, for the message of a parser error.
    path: String,
    /// Error of `on_trade`, which ends the reading.
    trade_error: Option<ReadError>,
    /// Number of bytes until the field or trade being read is too long.
    remaining: Rc<Cell<usize>>,
}

impl<F: FnMut(NewTrade, usize) -> Result<(), ReadError>> BodyReader<F> {
    fn new(book: Option<Book>, on_trade: F) -> Self {
        let remaining = Rc::new(Cell::new(MAX_TRADE_BYTES));
        let (other_fields, errors, path) = (Vec::new(), Vec::new(), String::new());
        Self { book, on_trade, other_fields, has_trades: false, trades: 0, errors, path, trade_error: None, remaining }
    }

    fn run(mut self, input: impl Read) -> Result<ReplaceBody, ReadError> {
        let reader = LimitedReader { input, remaining: Rc::clone(&self.remaining) };
        let mut json = serde_json::Deserializer::from_reader(reader);
        match BodyVisitor(&mut self).deserialize(&mut json).and_then(|()| json.end()) {
            Ok(()) => self.finish(),
            Err(error) => Err(self.into_read_error(error)),
        }
    }

    fn finish(self) -> Result<ReplaceBody, ReadError> {
        let mut fields = JsonFields::new("", JsonObject::from(self.other_fields));
        let email = fields.text("email");
        let book = parse_book(&mut fields);
        if !self.has_trades {
            fields.require(&["trades"]);
        } else if !(1..=MAX_TRADES).contains(&self.trades) {
            fields.add_error("trades", "invalid", trade_count_text());
        }
        let mut errors = fields.into_errors();
        errors.extend(self.errors);
        Problem::reject_any(errors)?;
        Ok(ReplaceBody { email, book, trades: self.trades })
    }

    /// Converts an error of the parser, which is also how reading ends early.
    fn into_read_error(mut self, error: serde_json::Error) -> ReadError {
        if let Some(error) = self.trade_error {
            return error;
        }
        if error.is_syntax() || error.is_eof() {
            return not_json().into();
        }
        if error.is_io() && self.remaining.get() > 0 {
            return ReadError::Io(error.into());
        }
        if self.trades > MAX_TRADES {
            self.errors.push(FieldError::new("trades", "invalid", trade_count_text()));
        } else if self.errors.len() < MAX_FIELD_ERRORS {
            if self.path.is_empty() {
                let problem = not_an_object();
                let detail = || error_text("edge", "INVALID.FIELD_TOO_LONG", &[]);
                let is_too_long = self.remaining.get() == 0;
                return if is_too_long { problem.with_detail("invalid", detail()) } else { problem }.into();
            }
            let (code, reason) = match self.remaining.get() {
                0 => ("too_long", "TOO_LONG"),
                _ if self.path == "trades" => ("not_a_list", "NOT_A_LIST"),
                _ => ("not_an_object", "NOT_AN_OBJECT"),
            };
            let message = field_text("edge", "trades", reason, &[]).into();
            self.errors.push(FieldError { field: self.path.into(), code: code.into(), message });
        }
        Problem::from_field_errors(self.errors).into()
    }

    /// Resets the size limit for the next trade or field.
    fn reset_limit(&self) {
        self.remaining.set(MAX_TRADE_BYTES);
    }

    /// Converts one trade, and passes it to `on_trade` unless the body has an error.
    fn read_trade(&mut self, object: JsonObject) {
        let bytes = object.size_bytes();
        let mut fields = JsonFields::new(format!("{}.", self.path), object);
        let trade = parse_new_trade(&mut fields, self.book.as_ref());
        self.errors.extend(fields.into_errors());
        self.trades += 1;
        if self.errors.is_empty()
            && let Err(error) = (self.on_trade)(trade, bytes)
        {
            self.trade_error = Some(error);
        }
    }

    /// Returns an error, which ends the parsing, after a trade error, too many errors or too many trades.
    fn check_stop<E: serde::de::Error>(&self) -> Result<(), E> {
        let is_stopped =
            self.trade_error.is_some() || self.errors.len() >= MAX_FIELD_ERRORS || self.trades > MAX_TRADES;
        if is_stopped { Err(E::custom("stopped")) } else { Ok(()) }
    }
}

/// Visitor of the top-level object.
struct BodyVisitor<'r, F>(&'r mut BodyReader<F>);

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), ReadError>> DeserializeSeed<'de> for BodyVisitor<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), ReadError>> Visitor<'de> for BodyVisitor<'_, F> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let reader = self.0;
        let mut seen = BTreeSet::new();
        while let Some(name) = entries.next_key::<String>()? {
            reader.reset_limit();
            match name.as_str() {
                "trades" => {
                    reader.path = name.clone();
                    entries.next_value_seed(TradesVisitor(reader))?;
                    reader.has_trades = true;
                    reader.path.clear();
                }
                "email" | "broker" | "brokerAccount" | "tradetype" => {
                    reader.other_fields.push((name.clone(), entries.next_value()?));
                }
                _ => {
                    entries.next_value::<IgnoredAny>()?;
                    reader.errors.push(FieldError::unknown(&name));
                }
            }
            reader.reset_limit();
            reader.check_stop()?;
            if !seen.insert(name) {
                return Err(A::Error::custom("a repeated field"));
            }
        }
        Ok(())
    }
}

/// Visitor of the `trades` field.
struct TradesVisitor<'r, F>(&'r mut BodyReader<F>);

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), ReadError>> DeserializeSeed<'de> for TradesVisitor<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), ReadError>> Visitor<'de> for TradesVisitor<'_, F> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let reader = self.0;
        loop {
            reader.path = format!("trades.{}", reader.trades);
            let Some(object) = list.next_element::<JsonObject>()? else { return Ok(()) };
            reader.reset_limit();
            reader.read_trade(object);
            reader.check_stop()?;
        }
    }
}

/// Reader that fails if a field or trade is too long, to limit memory use.
struct LimitedReader<R> {
    input: R,
    remaining: Rc<Cell<usize>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.read(buffer)?;
        self.remaining.set(self.remaining.get().saturating_sub(bytes));
        if self.remaining.get() == 0 { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }
}

fn trade_count_text() -> String {
    field_text("edge", "trades", "INVALID", &[("max", MAX_TRADES.unsigned_abs())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_more_than_100_000_trades() {
        let trade = r#"{"symbol":"A","price":1,"quantity":1,"timestamp":"2026-04-01T00:00","type":"buy"}"#;
        let check_list = |trade_count: u64| {
            let trades = Repeated { text: format!("{trade},").into_bytes(), position: 0 };
            let length = u64::try_from(trade.len() + 1).unwrap() * (trade_count - 1);
            let head = io::Cursor::new(r#"{"broker":"zerodha","tradetype":"equity","trades":["#);
            check(head.chain(trades.take(length)).chain(io::Cursor::new(format!("{trade}]}}"))))
        };
        assert_eq!(check_list(100_000).unwrap().trades, 100_000);
        let Err(ReadError::Rejected(problem)) = check_list(100_001) else { panic!("accepted") };
        assert!(format!("{problem:?}").contains("1,00,000"), "{problem:?}");
    }

    /// Repeats a text endlessly.
    struct Repeated {
        text: Vec<u8>,
        position: usize,
    }

    impl Read for Repeated {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *buffer {
                *byte = self.text[self.position];
                self.position = (self.position + 1) % self.text.len();
            }
            Ok(buffer.len())
        }
    }
}
