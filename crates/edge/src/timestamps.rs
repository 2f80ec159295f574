//! Times: from requests to the core, and from the core to JSON.

use prost_types::Timestamp;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::error_texts::invalid_text;
use crate::json::JsonError;

/// Maximum length of a time in a request.
const MAX_TIME_BYTES: usize = 40;

/// Returns the text of an error about a time that [`parse_timestamp`] does not accept.
pub(crate) fn invalid_time(_: &str) -> String {
    invalid_text("edge", "timestamp")
}

/// Parses an RFC 3339 time. A time without an offset is in India; seconds are optional then.
pub(crate) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    if text.len() > MAX_TIME_BYTES {
        return None;
    }
    let spellings = [text.to_owned(), format!("{text}+05:30"), format!("{text}:00+05:30")];
    let at = spellings.iter().find_map(|text| OffsetDateTime::parse(text, &Rfc3339).ok())?;
    Some(Timestamp { seconds: at.unix_timestamp(), nanos: i32::try_from(at.nanosecond()).ok()? })
}

/// Converts a time of the core.
pub(crate) fn to_date_time(at: &Timestamp) -> Result<OffsetDateTime, JsonError> {
    rpc::json::to_date_time(at).ok_or(JsonError::InvalidTime)
}

/// Formats a time as RFC 3339 in UTC.
pub(crate) fn format_timestamp(at: &Timestamp) -> Result<String, JsonError> {
    to_date_time(at)?.format(&Rfc3339).map_err(|_| JsonError::InvalidTime)
}

/// Formats a time that the core always sends.
pub(crate) fn format_required_timestamp(at: Option<&Timestamp>) -> Result<String, JsonError> {
    format_timestamp(at.ok_or(JsonError::InvalidTime)?)
}

/// Formats a time that may be absent.
pub(crate) fn format_optional_timestamp(at: Option<&Timestamp>) -> Result<Option<String>, JsonError> {
    at.map(format_timestamp).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc() {
        let text = |seconds, nanos| format_timestamp(&Timestamp { seconds, nanos }).unwrap();
        assert_eq!(text(1_774_981_800, 0), "2026-03-31T18:30:00Z");
        assert_eq!(text(1_774_981_800, 500_000_000), "2026-03-31T18:30:00.5Z");
        assert!(format_timestamp(&Timestamp { seconds: i64::MAX, nanos: 0 }).is_err());
        assert!(format_timestamp(&Timestamp { seconds: 0, nanos: -1 }).is_err());
    }

    #[test]
    fn a_time_without_an_offset_is_in_india() {
        let seconds = |text| parse_timestamp(text).map(|at| at.seconds);
        // Midnight in India.
        for same in [
            "2026-04-01T00:00:00+05:30",
            "2026-03-31T18:30:00Z",
            "2026-04-01T00:00:00",
            "2026-04-01T00:00",
            "2026-04-01T00:00:00.000",
        ] {
            assert_eq!(seconds(same), Some(1_774_981_800), "{same}");
        }
        for wrong in [
            "",
            "2026-04-01",
            "2026-04-01T09",
            "2026-02-30T09:15",
            "2026-04-01T24:00",
            "9:15",
            "2026-04-01T09:15+05:30",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        assert_eq!(parse_timestamp(&format!("2026-04-01T00:00:00.{}", "0".repeat(40))), None);
    }
}
