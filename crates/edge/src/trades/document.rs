//! The body of `trades/replace`, read trade by trade: `{email, broker, tradetype, trades: […]}`, in any order.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use rpc::trades::v1::{Book, NewTrade};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::input::unknown;
use crate::problem::{FieldError, MOST_ERRORS, Problem};
use crate::trades::entry;
use crate::trades::fields::{Fields, Object, not_an_object, refuse};

/// Trades in a list.
const MOST_TRADES: i64 = 100_000;
/// Bytes of one trade, or of any other field: the longest texts that a trade may hold, however they are written.
const LONGEST: usize = 64 * 1024;
const TOO_MANY: &str = "Send 1 to 1,00,000 trades.";

/// What stands around the trades, and how many there are.
pub(crate) struct Document {
    pub email: Option<String>,
    pub book: Book,
    pub trades: i64,
}

/// Why a list was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    #[error("the list is refused: {0:?}")]
    Refused(Box<Problem>),
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    #[error("nobody takes the trades")]
    Unheard,
}

impl From<Problem> for Unread {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Refused(problem) => *problem,
            Unread::Io(_) | Unread::Unheard => {
                tracing::error!(error = %rpc::failure::chain(&unread), "a list of trades cannot be read");
                Self::internal()
            }
        }
    }
}

/// Finds everything that is wrong with a list, but for what the core alone can judge.
pub(crate) fn check(from: impl Read) -> Result<Document, Unread> {
    Reading::new(None, |_, _| Ok(())).run(from)
}

/// Hands the trades of `book` on, one by one, each with the bytes that it took.
pub(crate) fn read(
    from: impl Read,
    book: &Book,
    take: impl FnMut(NewTrade, usize) -> Result<(), Unread>,
) -> Result<Document, Unread> {
    Reading::new(Some(*book), take).run(from)
}

/// A list as far as it was read.
struct Reading<F> {
    /// What the trades must agree with, once it is known.
    book: Option<Book>,
    take: F,
    around: Vec<(String, Box<RawValue>)>,
    listed: bool,
    trades: i64,
    errors: Vec<FieldError>,
    /// What is being read, for the fault that ends it.
    place: String,
    stop: Option<Unread>,
    left: Rc<Cell<usize>>,
}

impl<F: FnMut(NewTrade, usize) -> Result<(), Unread>> Reading<F> {
    fn new(book: Option<Book>, take: F) -> Self {
        let left = Rc::new(Cell::new(LONGEST));
        let (around, errors, place) = (Vec::new(), Vec::new(), String::new());
        Self { book, take, around, listed: false, trades: 0, errors, place, stop: None, left }
    }

    fn run(mut self, from: impl Read) -> Result<Document, Unread> {
        let metered = Metered { from, left: Rc::clone(&self.left) };
        let mut json = serde_json::Deserializer::from_reader(metered);
        match Top(&mut self).deserialize(&mut json).and_then(|()| json.end()) {
            Ok(()) => self.finish(),
            Err(error) => Err(self.broken(error)),
        }
    }

    fn finish(self) -> Result<Document, Unread> {
        let mut fields = Fields::new("", Object::from(self.around));
        let email = fields.text("email");
        let book = entry::book(&mut fields);
        if !self.listed {
            fields.wrong("trades", "required", "This field is required.");
        } else if !(1..=MOST_TRADES).contains(&self.trades) {
            fields.wrong("trades", "invalid", TOO_MANY);
        }
        let mut errors = fields.errors();
        errors.extend(self.errors);
        refuse(errors)?;
        Ok(Document { email, book, trades: self.trades })
    }

    /// Why the document was not read to its end.
    fn broken(mut self, error: serde_json::Error) -> Unread {
        if let Some(stop) = self.stop {
            return stop;
        }
        if error.is_syntax() || error.is_eof() {
            return Problem::malformed("The body is not JSON.").into();
        }
        if error.is_io() && self.left.get() > 0 {
            return Unread::Io(error.into());
        }
        if self.trades > MOST_TRADES {
            self.errors.push(FieldError::new("trades", "invalid", TOO_MANY));
        } else if self.errors.len() < MOST_ERRORS {
            if self.place.is_empty() {
                let problem = not_an_object();
                let too_long = self.left.get() == 0;
                return if too_long { problem.saying("invalid", "A field is too long.") } else { problem }.into();
            }
            let (code, message) = match self.left.get() {
                0 => ("too_long", "This is too long."),
                _ if self.place == "trades" => ("not_a_list", "This field takes a list."),
                _ => ("not_an_object", "A trade is an object that names each of its fields once."),
            };
            self.errors.push(FieldError { field: self.place.into(), code: code.into(), message: message.into() });
        }
        Problem::fields(self.errors).into()
    }

    /// Room for one more trade, or one more field.
    fn refill(&self) {
        self.left.set(LONGEST);
    }

    /// Takes one trade. Nothing is handed on once something is wrong.
    fn add(&mut self, object: Object) {
        let bytes = object.size();
        let mut fields = Fields::new(format!("{}.", self.place), object);
        let trade = entry::new_trade(&mut fields, self.book.as_ref());
        self.errors.extend(fields.errors());
        self.trades += 1;
        if self.errors.is_empty()
            && let Err(stop) = (self.take)(trade, bytes)
        {
            self.stop = Some(stop);
        }
    }

    /// Whether to read on.
    fn goes_on<E: serde::de::Error>(&self) -> Result<(), E> {
        let over = self.stop.is_some() || self.errors.len() >= MOST_ERRORS || self.trades > MOST_TRADES;
        if over { Err(E::custom("enough")) } else { Ok(()) }
    }
}

/// The document.
struct Top<'r, F>(&'r mut Reading<F>);

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), Unread>> DeserializeSeed<'de> for Top<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), Unread>> Visitor<'de> for Top<'_, F> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let reading = self.0;
        let mut seen = BTreeSet::new();
        while let Some(name) = entries.next_key::<String>()? {
            reading.refill();
            match name.as_str() {
                "trades" => {
                    reading.place = name.clone();
                    entries.next_value_seed(List(reading))?;
                    reading.listed = true;
                    reading.place.clear();
                }
                "email" | "broker" | "tradetype" => reading.around.push((name.clone(), entries.next_value()?)),
                _ => {
                    entries.next_value::<IgnoredAny>()?;
                    reading.errors.push(unknown(name.clone()));
                }
            }
            reading.refill();
            reading.goes_on()?;
            if !seen.insert(name) {
                return Err(A::Error::custom("a field twice"));
            }
        }
        Ok(())
    }
}

/// Its trades.
struct List<'r, F>(&'r mut Reading<F>);

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), Unread>> DeserializeSeed<'de> for List<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(NewTrade, usize) -> Result<(), Unread>> Visitor<'de> for List<'_, F> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let reading = self.0;
        loop {
            reading.place = format!("trades.{}", reading.trades);
            let Some(object) = list.next_element::<Object>()? else { return Ok(()) };
            reading.refill();
            reading.add(object);
            reading.goes_on()?;
        }
    }
}

/// Fails where one thing is longer than anything may be: nothing long is ever held.
struct Metered<R> {
    from: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.left.set(self.left.get().saturating_sub(read));
        if self.left.get() == 0 { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(read) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_at_most_100_000_trades() {
        let trade = r#"{"symbol":"A","price":1,"quantity":1,"timestamp":"2026-04-01T00:00","type":"buy"}"#;
        let list = |more: u64| {
            let trades = Repeated { text: format!("{trade},").into_bytes(), at: 0 };
            let length = u64::try_from(trade.len() + 1).unwrap() * (99_999 + more);
            let head = io::Cursor::new(r#"{"broker":"zerodha","tradetype":"equity","trades":["#);
            check(head.chain(trades.take(length)).chain(io::Cursor::new(format!("{trade}]}}"))))
        };
        assert_eq!(list(0).unwrap().trades, 100_000);
        let Err(Unread::Refused(problem)) = list(1) else { panic!("taken") };
        assert!(format!("{problem:?}").contains("1,00,000"), "{problem:?}");
    }

    /// The same again and again.
    struct Repeated {
        text: Vec<u8>,
        at: usize,
    }

    impl Read for Repeated {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *buffer {
                *byte = self.text[self.at];
                self.at = (self.at + 1) % self.text.len();
            }
            Ok(buffer.len())
        }
    }
}
