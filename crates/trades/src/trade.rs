//! A trade, and what it takes to be one. A value of these types is valid.

use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime};

/// Declares an enum whose members have one name each, in the tables and on every wire.
macro_rules! named {
    ($(#[$doc:meta])* $enum:ident { $($(#[$member_doc:meta])* $member:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$member_doc])* $member),+ }

        impl $enum {
            /// The name in the tables.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $name),+ }
            }

            /// The member of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$member),)+ _ => None }
            }
        }
    };
}

named!(
    /// Who executed the trade.
    Broker {
        /// Zerodha.
        Zerodha = "zerodha",
        /// Groww.
        Groww = "groww",
    }
);
named!(
    /// What kind of thing was traded. Traders know it as the trade type.
    Segment {
        /// Shares.
        Equity = "equity",
        /// Futures and options.
        Fno = "fno",
    }
);
named!(
    /// Where it was traded.
    Exchange {
        /// National Stock Exchange.
        Nse = "NSE",
        /// Bombay Stock Exchange.
        Bse = "BSE",
    }
);
named!(
    /// Which way.
    Side {
        /// Bought.
        Buy = "buy",
        /// Sold.
        Sell = "sell",
    }
);
named!(
    /// How exactly the source tells the time.
    TimePrecision {
        /// To the second.
        Second = "second",
        /// To the minute.
        Minute = "minute",
        /// Only the day; the time is midnight in India.
        Day = "day",
    }
);

/// The trades of one account with one broker in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Book {
    /// With whom.
    pub broker: Broker,
    /// In what.
    pub segment: Segment,
}

/// A trade that may go into a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Which way.
    pub side: Side,
    /// The exchange's name of what was traded.
    pub symbol: String,
    /// The number of the security, where the source tells it.
    pub isin: Option<String>,
    /// In units, never in lots.
    pub quantity: Decimal,
    /// Rupees for one unit.
    pub price: Decimal,
    /// Rupees for all of it.
    pub value: Decimal,
    /// When.
    pub executed_at: OffsetDateTime,
    /// How exactly that is known.
    pub time_precision: TimePrecision,
    /// Where.
    pub exchange: Exchange,
    /// The broker's number of the order.
    pub order_id: Option<String>,
    /// What the broker tells its trades apart by.
    pub source_key: Option<String>,
}

/// Above every quantity, price and value: what a JSON number still carries with 4 decimals.
pub(crate) const LIMIT: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Of a symbol, or a part of one.
pub(crate) const LONGEST_SYMBOL: usize = 64;
const LONGEST_ORDER_ID: usize = 64;
const LONGEST_KEY: usize = 120;
const EARLIEST: OffsetDateTime = time::macros::datetime!(1990-01-01 0:00 +5:30);

impl Trade {
    /// The trade, or every rule that it breaks.
    ///
    /// # Errors
    /// One violation for each field at fault.
    pub fn checked(self, now: OffsetDateTime) -> Result<Self, Vec<Violation>> {
        let mut broken = Vec::new();
        let mut refuse = |field, reason, message: &str| {
            broken.push(Violation { field, reason, message: message.to_owned() });
        };
        if !plain_text(&self.symbol, LONGEST_SYMBOL) {
            refuse("symbol", "INVALID", "A symbol has 1 to 64 characters.");
        }
        if self.quantity <= Decimal::ZERO || self.quantity >= LIMIT {
            refuse("quantity", "OUT_OF_RANGE", "Quantity must be above 0.");
        } else if !self.quantity.fract().is_zero() {
            refuse("quantity", "NOT_WHOLE", "Quantity must be a whole number.");
        }
        check_money(self.price, "price", "Price", &mut refuse);
        check_money(self.value, "value", "Value", &mut refuse);
        if self.executed_at < EARLIEST || self.executed_at > now + Duration::days(1) {
            refuse("timestamp", "OUT_OF_RANGE", "The date must be after 1989 and not in the future.");
        }
        if self.isin.as_ref().is_some_and(|isin| isin.len() != 12 || !isin.bytes().all(|c| c.is_ascii_alphanumeric())) {
            refuse("isin", "INVALID", "An ISIN has 12 letters and digits.");
        }
        if self.order_id.as_ref().is_some_and(|id| !plain_text(id, LONGEST_ORDER_ID)) {
            refuse("order_id", "INVALID", "An order id has 1 to 64 characters.");
        }
        if self.source_key.as_ref().is_some_and(|key| !plain_text(key, LONGEST_KEY)) {
            refuse("source_key", "INVALID", "A source key has 1 to 120 characters.");
        }
        if broken.is_empty() { Ok(self) } else { Err(broken) }
    }
}

fn check_money(
    amount: Decimal,
    field: &'static str,
    name: &str,
    refuse: &mut impl FnMut(&'static str, &'static str, &str),
) {
    if amount <= Decimal::ZERO || amount >= LIMIT {
        refuse(field, "OUT_OF_RANGE", &format!("{name} must be above 0 and below 1,00,00,00,00,000."));
    } else if amount.normalize().scale() > 4 {
        refuse(field, "TOO_PRECISE", &format!("{name} has at most 4 decimals."));
    }
}

/// Something to read, not too long, and no character that steers.
pub(crate) fn plain_text(text: &str, longest: usize) -> bool {
    !text.is_empty() && text.chars().count() <= longest && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade() -> Trade {
        Trade {
            side: Side::Buy,
            symbol: "M&M".to_owned(),
            isin: None,
            quantity: Decimal::from(60),
            price: Decimal::new(314_205, 2),
            value: Decimal::new(18_852_300, 2),
            executed_at: time::macros::datetime!(2025-06-20 11:32:00 +5:30),
            time_precision: TimePrecision::Second,
            exchange: Exchange::Nse,
            order_id: None,
            source_key: None,
        }
    }

    #[test]
    fn a_trade_is_refused_for_each_rule_it_breaks() {
        let now = time::macros::datetime!(2025-06-21 0:00 +5:30);
        let reasons = |change: &dyn Fn(&mut Trade)| {
            let mut trade = trade();
            change(&mut trade);
            match trade.checked(now) {
                Ok(_) => Vec::new(),
                Err(broken) => broken.iter().map(|v| (v.field, v.reason)).collect::<Vec<_>>(),
            }
        };
        assert_eq!(reasons(&|_| ()), []);
        assert_eq!(reasons(&|t| t.symbol.clear()), [("symbol", "INVALID")]);
        assert_eq!(reasons(&|t| t.symbol = "A\u{7}B".to_owned()), [("symbol", "INVALID")]);
        assert_eq!(reasons(&|t| t.quantity = Decimal::ZERO), [("quantity", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.quantity = Decimal::NEGATIVE_ONE), [("quantity", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.quantity = Decimal::new(15, 1)), [("quantity", "NOT_WHOLE")]);
        assert_eq!(reasons(&|t| t.price = Decimal::ZERO), [("price", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.price = Decimal::new(100_001, 5)), [("price", "TOO_PRECISE")]);
        assert_eq!(reasons(&|t| t.price = Decimal::new(150_000, 5)), []);
        assert_eq!(reasons(&|t| t.value = Decimal::from(100_000_000_000_u64)), [("value", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.value = Decimal::from(99_999_999_999_u64)), []);
        assert_eq!(reasons(&|t| t.executed_at += Duration::days(3)), [("timestamp", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.executed_at = EARLIEST - Duration::SECOND), [("timestamp", "OUT_OF_RANGE")]);
        assert_eq!(reasons(&|t| t.isin = Some("INE154A01025".to_owned())), []);
        for isin in ["", "INE154A0102", "INE154A010255", "INE154A0102\0", "INE154A0102é"] {
            assert_eq!(reasons(&|t| t.isin = Some(isin.to_owned())), [("isin", "INVALID")]);
        }
        assert_eq!(reasons(&|t| t.order_id = Some("1".repeat(64))), []);
        for order_id in [String::new(), "1".repeat(65), "1\0".to_owned()] {
            assert_eq!(reasons(&|t| t.order_id = Some(order_id.clone())), [("order_id", "INVALID")]);
        }
        assert_eq!(
            reasons(&|t| (t.quantity, t.price) = (Decimal::ZERO, Decimal::ZERO)),
            [("quantity", "OUT_OF_RANGE"), ("price", "OUT_OF_RANGE")]
        );
    }

    #[test]
    fn names_are_read_back() {
        assert_eq!(Broker::from_name(Broker::Groww.name()), Some(Broker::Groww));
        assert_eq!(Segment::from_name("options"), None);
    }
}
