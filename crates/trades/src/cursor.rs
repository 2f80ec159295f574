//! Where a page of the log ends: the sort key and number of its last trade. Opaque to callers.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::trade::{LIMIT, LONGEST_SYMBOL};

/// The last trade of a page, as the order of the log sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// In an order by time.
    Time {
        /// When it was executed.
        executed_at: OffsetDateTime,
        /// Its number.
        trade_id: i64,
    },
    /// In an order by a word or a figure; the other one is empty or zero.
    Key {
        /// The word.
        text: String,
        /// The figure.
        number: Decimal,
        /// Its number.
        trade_id: i64,
    },
}

impl Cursor {
    /// The text that a caller hands back.
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(match self {
            Self::Time { executed_at, trade_id } => {
                format!("{}\n{trade_id}", executed_at.unix_timestamp_nanos() / 1_000)
            }
            Self::Key { text, number, trade_id } => format!("{text}\n{number}\n{trade_id}"),
        })
    }

    /// Reads [`Cursor::encode`] back; nothing else makes one. A forged one that Postgres could not take, such as a NUL
    /// or a year before its calendar, is none.
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let plain = String::from_utf8(bytes).ok()?;
        let parts: Vec<&str> = plain.split('\n').collect();
        match parts.as_slice() {
            [micros, trade_id] => {
                let nanos = micros.parse::<i64>().ok().map(i128::from)?.checked_mul(1_000)?;
                let executed_at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok().filter(in_range)?;
                Some(Self::Time { executed_at, trade_id: trade_id.parse().ok()? })
            }
            [text, number, trade_id] => {
                let number = number.parse().ok().filter(|number| (Decimal::ZERO..LIMIT).contains(number))?;
                let sound = text.chars().count() <= LONGEST_SYMBOL && !text.chars().any(char::is_control);
                let trade_id = trade_id.parse().ok()?;
                sound.then(|| Self::Key { text: (*text).to_owned(), number, trade_id })
            }
            _ => None,
        }
    }
}

/// Whether a trade, or a limit of a filter, may lie there. Postgres's own years are more.
pub(crate) fn in_range(at: &OffsetDateTime) -> bool {
    (1900..=2200).contains(&at.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_nothing_else_is_taken() {
        let time = Cursor::Time { executed_at: time::macros::datetime!(2025-06-20 9:15:01.25 UTC), trade_id: 7 };
        let key = Cursor::Key { text: "M&M".to_owned(), number: Decimal::new(15, 1), trade_id: 8 };
        assert_eq!(Cursor::decode(&time.encode()), Some(time));
        assert_eq!(Cursor::decode(&key.encode()), Some(key));
        let symbol = Cursor::Key { text: "ß".repeat(64), number: Decimal::ZERO, trade_id: 9 };
        assert_eq!(Cursor::decode(&symbol.encode()), Some(symbol));
        for junk in ["", "x", "!!!", "MQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQox", "MQox\n"] {
            assert_eq!(Cursor::decode(junk), None, "{junk:?}");
        }
        // A NUL, and two moments before Postgres's calendar.
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
