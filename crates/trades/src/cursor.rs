//! Cursor of a page of the log: the sort key and number of its last trade. Opaque to callers.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::validation::{MAX_AMOUNT_EXCLUSIVE, MAX_SYMBOL_CHARS};

/// Position of the last trade of a page in the sort order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Position in the order by time.
    Time {
        /// Time of execution.
        executed_at: OffsetDateTime,
        /// Number of the trade.
        trade_id: i64,
    },
    /// Position in the order by a text or number column; the unused one is empty or zero.
    Key {
        /// Text of the sort column.
        text: String,
        /// Number of the sort column.
        number: Decimal,
        /// Number of the trade.
        trade_id: i64,
    },
}

impl Cursor {
    /// Returns the text for the caller.
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(match self {
            Self::Time { executed_at, trade_id } => {
                format!("{}\n{trade_id}", executed_at.unix_timestamp_nanos() / 1_000)
            }
            Self::Key { text, number, trade_id } => format!("{text}\n{number}\n{trade_id}"),
        })
    }

    /// Parses the result of [`Cursor::encode`]. Rejects forged values that Postgres cannot store, such as a NUL or a
    /// year before its calendar.
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let plain = String::from_utf8(bytes).ok()?;
        let parts: Vec<&str> = plain.split('\n').collect();
        match parts.as_slice() {
            [micros, trade_id] => {
                let nanos = micros.parse::<i64>().ok().map(i128::from)?.checked_mul(1_000)?;
                let executed_at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok().filter(is_in_time_range)?;
                Some(Self::Time { executed_at, trade_id: trade_id.parse().ok()? })
            }
            [text, number, trade_id] => {
                let number =
                    number.parse().ok().filter(|number| (Decimal::ZERO..MAX_AMOUNT_EXCLUSIVE).contains(number))?;
                let is_valid = text.chars().count() <= MAX_SYMBOL_CHARS && !text.chars().any(char::is_control);
                let trade_id = trade_id.parse().ok()?;
                is_valid.then(|| Self::Key { text: (*text).to_owned(), number, trade_id })
            }
            _ => None,
        }
    }
}

/// Returns true for times that a trade or a filter may have: 1900 to 2200, well within the range of Postgres.
pub(crate) fn is_in_time_range(at: &OffsetDateTime) -> bool {
    (1900..=2200).contains(&at.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_its_own_cursors_and_rejects_others() {
        let time = Cursor::Time { executed_at: time::macros::datetime!(2025-06-20 9:15:01.25 UTC), trade_id: 7 };
        let key = Cursor::Key { text: "M&M".to_owned(), number: Decimal::new(15, 1), trade_id: 8 };
        assert_eq!(Cursor::decode(&time.encode()), Some(time));
        assert_eq!(Cursor::decode(&key.encode()), Some(key));
        let symbol = Cursor::Key { text: "ß".repeat(64), number: Decimal::ZERO, trade_id: 9 };
        assert_eq!(Cursor::decode(&symbol.encode()), Some(symbol));
        for invalid in ["", "x", "!!!", "MQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQox", "MQox\n"] {
            assert_eq!(Cursor::decode(invalid), None, "{invalid:?}");
        }
        // A NUL, and two times before the calendar of Postgres.
        for forged in ["AAowCjE", "LTMwMDAwMDAwMDAwMDAwMDAwMAox", "LTIxMDg2NjgwMzIwMDAwMDAwMQox"] {
            assert_eq!(Cursor::decode(forged), None, "{forged:?}");
        }
        let (long, early) = ("A".repeat(65), "-2208988800000001\n1");
        for forged in
            [&format!("{long}\n0\n1"), "A\u{7f}\n0\n1", "\n-1\n1", "\n100000000000\n1", early, "7289654400000000\n1"]
        {
            assert_eq!(Cursor::decode(&URL_SAFE_NO_PAD.encode(forged)), None, "{forged:?}");
        }
    }
}
