//! JSON objects whose numbers keep the text that was sent, so that money is never converted to a float.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use axum::extract::{FromRequest, Request};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json_body::read_json_object;
use crate::problem::{FieldError, Problem};

/// Maximum length of a number in decimal notation. Other services accept far shorter ones.
const MAX_NUMBER_CHARS: usize = 64;

/// Fields of a JSON object. Each method takes a field and records its errors for [`JsonFields::finish`], under the name
/// that the client used.
pub struct JsonFields {
    /// Prefix of the names in errors, such as `trade.`.
    prefix: String,
    fields: BTreeMap<String, Box<RawValue>>,
    errors: Vec<FieldError>,
}

impl JsonFields {
    /// Creates the fields of `object`; errors name them with `prefix`.
    pub fn new(prefix: impl Into<String>, JsonObject(fields): JsonObject) -> Self {
        Self { prefix: prefix.into(), fields, errors: Vec::new() }
    }

    /// Returns true if no field is left.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Records an error for each of `names` that is missing.
    pub fn require(&mut self, names: &[&'static str]) {
        for name in names.iter().filter(|name| !self.fields.contains_key(**name)).collect::<Vec<_>>() {
            self.add_error(name, "required", "This field is required.");
        }
    }

    /// Takes a text; `None` if it is missing or not a text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.fields.remove(name)?;
        let text = serde_json::from_str(value.get()).ok();
        if text.is_none() {
            self.add_error(name, "not_text", "This field takes text.");
        }
        text
    }

    /// Takes a text that `parse` understands; `message` returns the text of the error otherwise, given the field.
    pub fn parsed<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        message: impl FnOnce(&str) -> String,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = parse(&text);
        if value.is_none() {
            self.add_error(name, "invalid", message(name));
        }
        value
    }

    /// Takes a number; returns it in decimal notation, exactly.
    pub fn number(&mut self, name: &str) -> Option<String> {
        let value = self.fields.remove(name)?;
        let text = value.get();
        if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            self.add_error(name, "not_a_number", "This field takes a number.");
            return None;
        }
        let number = to_decimal_notation(text);
        if number.is_none() {
            self.add_error(name, "out_of_range", "This number is too large or too small.");
        }
        number
    }

    /// Takes a number like [`JsonFields::number`]; returns an empty text for null.
    pub fn number_or_null(&mut self, name: &str) -> Option<String> {
        if self.fields.get(name).is_some_and(|value| value.get() == "null") {
            self.fields.remove(name);
            return Some(String::new());
        }
        self.number(name)
    }

    /// Takes a whole number that is not negative.
    pub fn whole_number(&mut self, name: &str) -> Option<i64> {
        let number = self.number(name)?.parse().ok().filter(|number| *number >= 0);
        if number.is_none() {
            self.add_error(name, "invalid", "Say a whole number from 0.");
        }
        number
    }

    /// Takes a list of texts.
    pub fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.values(name, "This field takes a list of texts.")
    }

    /// Takes a list of whole numbers.
    pub fn whole_numbers(&mut self, name: &str) -> Option<Vec<i64>> {
        self.values(name, "This field takes a list of whole numbers.")
    }

    fn values<T: for<'de> Deserialize<'de>>(&mut self, name: &str, message: &'static str) -> Option<Vec<T>> {
        let value = self.fields.remove(name)?;
        let list = serde_json::from_str(value.get()).ok();
        if list.is_none() {
            self.add_error(name, "not_a_list", message);
        }
        list
    }

    /// Takes a nested object.
    pub fn object(&mut self, name: &str) -> Option<Self> {
        let value = self.fields.remove(name)?;
        match serde_json::from_str(value.get()) {
            Ok(object) => Some(Self::new(format!("{}{name}.", self.prefix), object)),
            Err(_) => {
                self.add_error(name, "not_an_object", "This field takes an object that names each of its fields once.");
                None
            }
        }
    }

    /// Takes a list of nested objects, and parses each of them. Errors of an object are recorded with its position, as in
    /// `brokerage.0.kind`.
    pub fn list<T>(&mut self, name: &str, parse: impl Fn(&mut Self) -> T) -> Option<Vec<T>> {
        let value = self.fields.remove(name)?;
        let Ok(objects) = serde_json::from_str::<Vec<JsonObject>>(value.get()) else {
            self.add_error(
                name,
                "not_a_list",
                "This field takes a list of objects that name each of their fields once.",
            );
            return None;
        };
        let parse_object = |(index, object)| {
            let mut fields = Self::new(format!("{}{name}.{index}.", self.prefix), object);
            let parsed = parse(&mut fields);
            self.errors.extend(fields.into_errors());
            parsed
        };
        Some(objects.into_iter().enumerate().map(parse_object).collect())
    }

    /// Takes true or false; `message` is the text of the error otherwise.
    pub fn flag(&mut self, name: &str, message: impl FnOnce() -> String) -> Option<bool> {
        let value = self.fields.remove(name)?;
        let flag = serde_json::from_str(value.get()).ok();
        if flag.is_none() {
            self.add_error(name, "invalid", message());
        }
        flag
    }

    /// Takes a nested object that may be absent, and parses it. Errors are recorded under the name of the object.
    pub fn nested<T>(&mut self, name: &str, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut fields = self.object(name)?;
        let parsed = parse(&mut fields);
        self.errors.extend(fields.into_errors());
        Some(parsed)
    }

    /// Records an error of a field.
    pub fn add_error(&mut self, name: &str, code: &'static str, message: impl Into<Cow<'static, str>>) {
        let field = format!("{}{name}", self.prefix).into();
        self.errors.push(FieldError { field, code: code.into(), message: message.into() });
    }

    /// Returns all recorded errors, and one for each field that was not taken.
    pub fn into_errors(mut self) -> Vec<FieldError> {
        let unknown = self.fields.into_keys().map(|name| {
            let error = FieldError::unknown(&name);
            FieldError { field: format!("{}{}", self.prefix, error.field).into(), ..error }
        });
        self.errors.extend(unknown);
        self.errors
    }

    /// Rejects the request if a field was missing, invalid or not taken.
    pub fn finish(self) -> Result<(), Problem> {
        Problem::reject_any(self.into_errors())
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonFields {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::new("", read_json_object(request).await?))
    }
}

/// JSON object without repeated names: two parsers might disagree on which of two values counts.
pub struct JsonObject(BTreeMap<String, Box<RawValue>>);

impl From<Vec<(String, Box<RawValue>)>> for JsonObject {
    fn from(fields: Vec<(String, Box<RawValue>)>) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl JsonObject {
    /// Returns the approximate size in memory and on the wire.
    pub fn size_bytes(&self) -> usize {
        self.0.values().map(|value| value.get().len()).sum()
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = JsonObject;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonObject, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, Box<RawValue>>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a repeated field"));
            }
        }
        Ok(JsonObject(fields))
    }
}

/// Converts a JSON number to decimal notation without exponent and redundant zeros; `None` if that is too long.
///
/// A negative zero stays negative, so that the receiving service can reject it.
fn to_decimal_notation(number: &str) -> Option<String> {
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
    // Position of the decimal point, counted from the end of the digits.
    let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let text = match usize::try_from(scale) {
        Ok(0) => digits.to_owned(),
        Ok(scale) if scale > MAX_NUMBER_CHARS => return None,
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at_checked(padded.len() - scale)?;
            match fraction.trim_end_matches('0') {
                "" => whole.to_owned(),
                fraction => format!("{whole}.{fraction}"),
            }
        }
        Err(_) => {
            let zeros = usize::try_from(-scale).ok().filter(|zeros| *zeros <= MAX_NUMBER_CHARS)?;
            format!("{digits}{}", "0".repeat(zeros))
        }
    };
    (text.len() <= MAX_NUMBER_CHARS).then(|| format!("{sign}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_texts_and_numbers_are_read_or_rejected() {
        let text = r#"{"tags":["a"],"ids":[1,2],"bad":["a",1],"fractions":[1.5]}"#;
        let mut fields = JsonFields::new("", serde_json::from_str(text).unwrap());
        assert_eq!(fields.texts("tags"), Some(vec!["a".to_owned()]));
        assert_eq!(fields.whole_numbers("ids"), Some(vec![1, 2]));
        assert_eq!((fields.texts("bad"), fields.whole_numbers("fractions")), (None, None));
        let errors: Vec<_> = fields.into_errors().into_iter().map(|error| (error.field, error.code)).collect();
        let expected = [("bad", "not_a_list"), ("fractions", "not_a_list")];
        assert_eq!(errors, expected.map(|(field, code)| (field.into(), code.into())));
    }

    #[test]
    fn errors_of_nested_objects_have_their_path() {
        let object = serde_json::from_str(r#"{"a": {"on": 1, "list": [{"n": 1}, {"n": "x", "m": 2}], "other": []}}"#);
        let mut fields = JsonFields::new("", object.unwrap());
        let numbers = fields.nested("a", |a| {
            assert_eq!(a.flag("on", || "Say true or false.".to_owned()), None);
            assert_eq!(a.list("other", |_| ()), Some(Vec::new()));
            a.list("list", |item| item.number("n"))
        });
        assert_eq!(numbers, Some(Some(vec![Some("1".to_owned()), None])));
        let mut errors: Vec<_> = fields.into_errors().into_iter().map(|error| (error.field, error.code)).collect();
        errors.sort();
        let expected = [("a.list.1.m", "unknown"), ("a.list.1.n", "not_a_number"), ("a.on", "invalid")];
        assert_eq!(errors, expected.map(|(field, code)| (field.into(), code.into())));
    }

    #[test]
    fn numbers_are_converted_exactly() {
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
        for (sent, expected) in cases {
            assert_eq!(to_decimal_notation(sent).as_deref(), Some(expected), "{sent}");
        }
        for too_long in ["1e308", "-1e308", "1e-308", "1e99999999999999999999", "1e-9223372036854775808"] {
            assert_eq!(to_decimal_notation(too_long), None, "{too_long}");
        }
        assert_eq!(to_decimal_notation(&"9".repeat(65)), None);
    }
}
