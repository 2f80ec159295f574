//! JSON of messages, as the options in `proto/tradebahi/json` describe it.
//!
//! The build script derives `Serialize` for the messages and refers to these functions.

use prost_types::Timestamp;
use serde::ser::{Error as _, SerializeMap as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::analytics::v1::ComponentSum;

/// Names of an enum's values in JSON, forms and queries.
pub trait JsonName: Sized + TryFrom<i32> {
    /// Returns the name, or `None` for the unspecified value.
    fn json_name(self) -> Option<&'static str>;

    /// Parses the name.
    fn from_json_name(name: &str) -> Option<Self>;
}

include!(concat!(env!("OUT_DIR"), "/json_names.rs"));

/// Converts a time; `None` if it is out of range.
pub fn to_date_time(at: &Timestamp) -> Option<OffsetDateTime> {
    let nanos = u32::try_from(at.nanos).ok()?;
    OffsetDateTime::from_unix_timestamp(at.seconds).ok()?.replace_nanosecond(nanos).ok()
}

/// Returns true if `text` is written as JSON writes decimals.
pub fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(whole, rest)| (whole, Some(rest)));
    digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && fraction.is_none_or(digits)
}

/// Converts a decimal to a JSON number without rounding.
fn to_number<E: serde::ser::Error>(text: &str) -> Result<Box<RawValue>, E> {
    if !is_decimal(text) {
        return Err(E::custom(format!("invalid decimal from core: {text:?}")));
    }
    RawValue::from_string(text.to_owned()).map_err(E::custom)
}

pub(crate) fn decimal<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    to_number::<S::Error>(text)?.serialize(serializer)
}

pub(crate) fn nullable_decimal<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if text.is_empty() { serializer.serialize_none() } else { decimal(text, serializer) }
}

pub(crate) fn decimals<S: Serializer>(texts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    let numbers: Result<Vec<_>, S::Error> = texts.iter().map(|text| to_number::<S::Error>(text)).collect();
    serializer.collect_seq(numbers?)
}

pub(crate) fn nullable_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if text.is_empty() { serializer.serialize_none() } else { serializer.serialize_str(text) }
}

pub(crate) fn id<S: Serializer>(id: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    if *id == 0 { serializer.serialize_none() } else { serializer.collect_str(id) }
}

/// Writes a time that the core always sends.
pub(crate) fn timestamp<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = at.as_ref().and_then(to_date_time).and_then(|at| at.format(&Rfc3339).ok());
    serializer.serialize_str(&text.ok_or_else(|| S::Error::custom("missing or invalid time from core"))?)
}

pub(crate) fn nullable_timestamp<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    if at.is_none() { serializer.serialize_none() } else { timestamp(at, serializer) }
}

/// Returns the name of an enum value, given its number.
fn to_name<K: JsonName, E: serde::ser::Error>(number: i32) -> Result<&'static str, E> {
    let name = K::try_from(number).ok().and_then(K::json_name);
    name.ok_or_else(|| E::custom(format!("unknown value {number} of {}", std::any::type_name::<K>())))
}

pub(crate) fn enum_value<K: JsonName, S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(to_name::<K, S::Error>(*number)?)
}

pub(crate) fn enum_values<K: JsonName, S: Serializer>(numbers: &[i32], serializer: S) -> Result<S::Ok, S::Error> {
    let names: Result<Vec<_>, S::Error> = numbers.iter().map(|number| to_name::<K, S::Error>(*number)).collect();
    serializer.collect_seq(names?)
}

/// Writes sums as an object with the component's name as key.
pub(crate) fn component_sums<S: Serializer>(sums: &[ComponentSum], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(sums.len()))?;
    for sum in sums {
        let name = to_name::<crate::analytics::v1::Component, S::Error>(sum.component)?;
        map.serialize_entry(name, &to_number::<S::Error>(&sum.amount)?)?;
    }
    map.end()
}

pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::analytics::v1::{Adjustment, ClosedTrade, Component, Flag, GetChargesResponse, Instrument, Leg};
    use crate::trades::v1::{Book, Broker, Exchange, Segment};

    #[test]
    fn accepts_exactly_the_decimals_that_json_allows() {
        for good in ["0", "1", "10", "82.1", "82.0999", "-5.25", "99999999999.9999", "0.0001", "5.0000"] {
            assert!(is_decimal(good), "{good}");
            assert!(serde_json::from_str::<serde_json::Number>(good).is_ok());
        }
        for bad in ["", "-", ".5", "5.", "01", "1e5", "+1", "NaN", "1,000", " 1", "0x1", "1.2.3", "१"] {
            assert!(!is_decimal(bad), "{bad}");
        }
    }

    #[test]
    fn names_are_in_camel_case_without_the_name_of_the_enum_unless_an_option_says_otherwise() {
        assert_eq!(Component::StampDuty.json_name(), Some("stampDuty"));
        assert_eq!(Component::from_json_name("stampDuty"), Some(Component::StampDuty));
        assert_eq!((Instrument::Call.json_name(), Exchange::Nse.json_name()), (Some("CE"), Some("NSE")));
        assert_eq!((Broker::Unspecified.json_name(), Broker::from_json_name("unspecified")), (None, None));
    }

    #[test]
    fn decimals_are_exact_and_an_unknown_enum_value_is_an_error() {
        let leg = Leg { trade_id: 0, date: "2026-03-31".into(), quantity: "10".into(), value: "0.1000".into() };
        let text = r#"{"tradeId":null,"date":"2026-03-31","quantity":10,"value":0.1000}"#;
        assert_eq!(serde_json::to_string(&leg).unwrap(), text);
        assert!(serde_json::to_string(&Leg { value: "1e5".into(), ..leg }).is_err());
        assert!(serde_json::to_string(&Adjustment { id: 1, kind: 99, ..Default::default() }).is_err());
    }

    #[test]
    fn empty_fields_are_null_or_left_out_and_a_flat_message_has_its_fields_beside_its_parent() {
        let decimal = || "1".to_owned();
        let trade = ClosedTrade {
            instrument: 1,
            kind: 1,
            direction: 1,
            book: Some(Book { broker: Broker::Groww.into(), segment: Segment::Fno.into(), ..Book::default() }),
            opened_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 500_000_000 }),
            closed_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 0 }),
            time_precision: 1,
            quantity: decimal(),
            entry_value: decimal(),
            exit_value: decimal(),
            entry_price: decimal(),
            exit_price: decimal(),
            gross: decimal(),
            charges: decimal(),
            net: "-0.05".to_owned(),
            flags: vec![Flag::Settled.into()],
            ..Default::default()
        };
        let value = serde_json::to_value(trade).unwrap();
        assert_eq!((&value["broker"], &value["tradetype"]), (&json!("groww"), &json!("fno")));
        assert_eq!(
            (&value["openedAt"], &value["closedAt"]),
            (&json!("2026-03-31T18:30:00.5Z"), &json!("2026-03-31T18:30:00Z"))
        );
        assert_eq!((&value["flags"], &value["holdingSeconds"]), (&json!(["settled"]), &json!(null)));
        assert!(value.get("setup").is_none() && value.get("r").is_none() && value.get("initialRisk").is_none());
    }

    #[test]
    fn sums_by_component_are_an_object() {
        let components = vec![ComponentSum { component: Component::Stt.into(), amount: "2.50".into() }];
        let charges = GetChargesResponse { total: "2.50".into(), components, lines: Vec::new() };
        let text = r#"{"total":2.50,"components":{"stt":2.50},"lines":[]}"#;
        assert_eq!(serde_json::to_string(&charges).unwrap(), text);
    }
}
