//! Identity of fills that does not depend on their numbers in the trade log.

use std::fmt;

use sha2::{Digest as _, Sha256};
use time::Date;

use crate::fill::BrokerAccount;

/// Bytes of a key. At a million fills, two equal keys are less likely than 1 in 10¹².
const KEY_BYTES: usize = 10;

/// Identity of a fill. It stays the same when its file is imported again and when it is undone, restored or corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FillKey([u8; KEY_BYTES]);

impl FillKey {
    /// Returns the key of a fill of a broker's file. The symbol is not part of it, because it changes between exports.
    pub fn from_source_key(account: BrokerAccount, contracts: bool, source_key: &str) -> Self {
        let segment = if contracts { "fno" } else { "equity" };
        Self::digest(&["file", account.broker.name(), &account.number.to_string(), segment, source_key])
    }

    /// Returns the key of a fill that the trader entered.
    pub fn from_trade_id(trade_id: i64) -> Self {
        Self::digest(&["entered", &trade_id.to_string()])
    }

    /// Returns the key of a fill that the trader entered as an adjustment, or that one adds.
    pub fn from_adjustment(account: BrokerAccount, symbol: &str, day: Date, kind: &str) -> Self {
        Self::digest(&[kind, account.broker.name(), &account.number.to_string(), symbol, &day.to_string()])
    }

    /// Returns the key of a fill that a corporate action made from this one.
    pub fn derive(self, kind: &str, symbol: &str, day: Date) -> Self {
        Self::digest(&[kind, &self.to_string(), symbol, &day.to_string()])
    }

    /// Parses the text of a key; none if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; KEY_BYTES];
        let is_lower_case = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        hex::decode_to_slice(text, &mut bytes).ok().filter(|()| is_lower_case)?;
        Some(Self(bytes))
    }

    /// Returns a key of several texts.
    pub fn of_texts(texts: &[String]) -> Self {
        Self::digest(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn digest(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
            hash.update([0]);
        }
        let mut bytes = [0; KEY_BYTES];
        bytes.iter_mut().zip(hash.finalize()).for_each(|(byte, digit)| *byte = digit);
        Self(bytes)
    }
}

impl fmt::Display for FillKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::fill::Broker;

    #[test]
    fn keys_differ_by_account_segment_source_and_kind() {
        let [first, second] = [1, 2].map(|number| BrokerAccount { broker: Broker::Zerodha, number });
        let keys = [
            FillKey::from_source_key(first, false, "7"),
            FillKey::from_source_key(first, false, "8"),
            FillKey::from_source_key(first, true, "7"),
            FillKey::from_source_key(second, false, "7"),
            FillKey::from_trade_id(7),
            FillKey::from_adjustment(first, "INFY", date!(2026 - 01 - 01), "opening"),
            FillKey::from_adjustment(first, "INFY", date!(2026 - 01 - 01), "rights"),
            FillKey::from_trade_id(7).derive("bonus", "INFY", date!(2026 - 01 - 01)),
            FillKey::from_trade_id(8).derive("bonus", "INFY", date!(2026 - 01 - 01)),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
            assert_eq!(FillKey::parse(&key.to_string()), Some(*key));
        }
        // Journal entries refer to it, so it must never change.
        assert_eq!(FillKey::from_trade_id(7).to_string().len(), 20);
    }

    #[test]
    fn rejects_texts_that_are_not_keys() {
        for text in
            ["", "00", "0123456789abcdef012", "0123456789abcdef0123ff", "0123456789ABCDEF0123", "0123456789abcdefghij"]
        {
            assert_eq!(FillKey::parse(text), None, "{text}");
        }
    }
}
