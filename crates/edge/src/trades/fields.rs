//! A JSON object whose numbers stay the text that was sent: money is never a float on its way to the core.

use std::collections::BTreeMap;
use std::fmt;

use axum::RequestExt;
use axum::extract::{FromRequest, Request};
use http::StatusCode;
use http_body_util::BodyExt;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::input::{is_json, unknown, unsupported};
use crate::problem::{FieldError, Problem};

/// The digits of the longest number that is passed on. The core takes far shorter ones.
const LONGEST_NUMBER: usize = 64;

/// The fields of an object, taken one by one. What is wrong is gathered under the names that the client used.
pub(crate) struct Fields {
    /// Stands before each name, such as `trade.`.
    prefix: String,
    fields: BTreeMap<String, Box<RawValue>>,
    errors: Vec<FieldError>,
}

impl Fields {
    pub fn new(prefix: impl Into<String>, Object(fields): Object) -> Self {
        Self { prefix: prefix.into(), fields, errors: Vec::new() }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Remembers which of `names` are missing.
    pub fn require(&mut self, names: &[&'static str]) {
        for name in names.iter().filter(|name| !self.fields.contains_key(**name)).collect::<Vec<_>>() {
            self.wrong(name, "required", "This field is required.");
        }
    }

    /// A text. `None` when it is not there, or is no text; the latter is remembered.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.fields.remove(name)?;
        let text = serde_json::from_str(value.get()).ok();
        if text.is_none() {
            self.wrong(name, "not_text", "This field takes text.");
        }
        text
    }

    /// A text that stands for something.
    pub fn word<T>(&mut self, name: &str, of: impl FnOnce(&str) -> Option<T>, message: &'static str) -> Option<T> {
        let text = self.text(name)?;
        let meaning = of(&text);
        if meaning.is_none() {
            self.wrong(name, "invalid", message);
        }
        meaning
    }

    /// A number, as plain decimal text of the same value.
    pub fn number(&mut self, name: &str) -> Option<String> {
        let value = self.fields.remove(name)?;
        let text = value.get();
        if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            self.wrong(name, "not_a_number", "This field takes a number.");
            return None;
        }
        let plain = plain(text);
        if plain.is_none() {
            self.wrong(name, "out_of_range", "This number is too large or too small.");
        }
        plain
    }

    /// A number as above, or empty for null.
    pub fn number_or_null(&mut self, name: &str) -> Option<String> {
        if self.fields.get(name).is_some_and(|value| value.get() == "null") {
            self.fields.remove(name);
            return Some(String::new());
        }
        self.number(name)
    }

    /// A whole number that is not negative.
    pub fn count(&mut self, name: &str) -> Option<i64> {
        let count = self.number(name)?.parse().ok().filter(|count| *count >= 0);
        if count.is_none() {
            self.wrong(name, "invalid", "Say a whole number from 0.");
        }
        count
    }

    /// An object within this one.
    pub fn object(&mut self, name: &str) -> Option<Self> {
        let value = self.fields.remove(name)?;
        match serde_json::from_str(value.get()) {
            Ok(object) => Some(Self::new(format!("{}{name}.", self.prefix), object)),
            Err(_) => {
                self.wrong(name, "not_an_object", "This field takes an object that names each of its fields once.");
                None
            }
        }
    }

    /// Remembers what is wrong with a field.
    pub fn wrong(&mut self, name: &str, code: &'static str, message: &'static str) {
        let field = format!("{}{name}", self.prefix).into();
        self.errors.push(FieldError { field, code: code.into(), message: message.into() });
    }

    /// Everything that is wrong, the fields that nobody took included.
    pub fn errors(mut self) -> Vec<FieldError> {
        let unknown = self.fields.into_keys().map(|name| {
            let error = unknown(name);
            FieldError { field: format!("{}{}", self.prefix, error.field).into(), ..error }
        });
        self.errors.extend(unknown);
        self.errors
    }

    /// Refuses when anything is wrong.
    pub fn finish(self) -> Result<(), Problem> {
        refuse(self.errors())
    }
}

/// Refuses when anything is wrong.
pub(crate) fn refuse(errors: Vec<FieldError>) -> Result<(), Problem> {
    if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors)) }
}

/// The body is JSON and no object that we take.
pub(crate) fn not_an_object() -> Problem {
    let detail = "The body must be a JSON object that names each field once.";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail)
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        if !is_json(request.headers()) {
            return Err(unsupported());
        }
        let body = request.into_limited_body().collect().await.map_err(|error| Problem::of_body(&error))?.to_bytes();
        match serde_json::from_slice(&body) {
            Ok(object) => Ok(Self::new("", object)),
            Err(error) if error.is_data() => Err(not_an_object()),
            Err(_) => Err(Problem::malformed("The body is not JSON.")),
        }
    }
}

/// A JSON object in which no name stands twice: of two, whoever reads it next might take the other one.
pub(crate) struct Object(BTreeMap<String, Box<RawValue>>);

impl From<Vec<(String, Box<RawValue>)>> for Object {
    fn from(fields: Vec<(String, Box<RawValue>)>) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl Object {
    /// About what it takes in memory and on the wire.
    pub fn size(&self) -> usize {
        self.0.values().map(|value| value.get().len()).sum()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Once)
    }
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Object;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, Box<RawValue>>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a field twice"));
            }
        }
        Ok(Object(fields))
    }
}

/// A JSON number without an exponent and without zeros that say nothing; `None` where that would be too long. A
/// negative zero stays one, so that the core sees it.
fn plain(number: &str) -> Option<String> {
    let (sign, unsigned) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(format!("{sign}0"));
    }
    let exponent: i64 = exponent.parse().ok()?;
    // Where the point stands, counted from the end of the digits.
    let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let text = match usize::try_from(scale) {
        Ok(0) => digits.to_owned(),
        Ok(scale) if scale > LONGEST_NUMBER => return None,
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at_checked(padded.len() - scale)?;
            match fraction.trim_end_matches('0') {
                "" => whole.to_owned(),
                fraction => format!("{whole}.{fraction}"),
            }
        }
        Err(_) => {
            let zeros = usize::try_from(-scale).ok().filter(|zeros| *zeros <= LONGEST_NUMBER)?;
            format!("{digits}{}", "0".repeat(zeros))
        }
    };
    (text.len() <= LONGEST_NUMBER).then(|| format!("{sign}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_passed_on_exactly() {
        let cases = [
            ("0", "0"),
            ("-0", "-0"),
            ("-0.000", "-0"),
            ("0e5", "0"),
            ("10", "10"),
            ("10.0", "10"),
            ("82.1000", "82.1"),
            ("0.0001", "0.0001"),
            ("0.1e-3", "0.0001"),
            ("1e2", "100"),
            ("1.5E+1", "15"),
            ("1.50e1", "15"),
            ("1200e-2", "12"),
            ("-2.5e0", "-2.5"),
            ("99999999999.9999", "99999999999.9999"),
            ("0.10000000000000000001", "0.10000000000000000001"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ];
        for (sent, passed) in cases {
            assert_eq!(plain(sent).as_deref(), Some(passed), "{sent}");
        }
        for endless in ["1e308", "-1e308", "1e-308", "1e99999999999999999999", "1e-9223372036854775808"] {
            assert_eq!(plain(endless), None, "{endless}");
        }
        assert_eq!(plain(&"9".repeat(65)), None);
    }
}
