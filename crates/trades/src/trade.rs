//! A trade, and what it takes to be one. A value of these types is valid.

use std::borrow::Cow;

use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime, UtcOffset};

use crate::contract::{self, Contract};

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
pub(crate) use named;

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
    /// What the trader wrote beside it.
    pub notes: Notes,
    /// Ties the two legs of one entry.
    pub pair_id: Option<String>,
    /// Of futures and options, where the source or the symbol tells it.
    pub contract: Option<Contract>,
}

/// A trade of a file, and where it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTrade {
    /// The trade.
    pub trade: Trade,
    /// As a spreadsheet counts, from 1; 0 where that is not known.
    pub row: i64,
}

/// What a trader writes beside a trade; empty where nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Such as Reliance Industries.
    pub stock_name: String,
    /// What came to mind.
    pub notes: String,
    /// How it felt.
    pub psychology: String,
    /// Where the market was seen to go.
    pub market_outlook: String,
    /// Where to get out at a loss, in rupees for one unit.
    pub stop_loss: Option<Decimal>,
}

/// Above every quantity, price and value: what a JSON number still carries with 4 decimals.
pub(crate) const LIMIT: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
pub(crate) const STOP_SIDE: &str =
    "The stop loss must be below the price of what is bought, and above the price of what is sold.";
pub(crate) const VALUE_RANGE: &str = "The whole value must be above 0 and below 1,00,00,00,00,000.";
/// Of a symbol, or a part of one.
pub(crate) const LONGEST_SYMBOL: usize = 64;
/// Above every quantity.
pub(crate) const QUANTITY_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);
const LONGEST_ORDER_ID: usize = 64;
const LONGEST_STOCK_NAME: usize = 100;
const LONGEST_NOTE: usize = 2_000;
const LONGEST_PAIR_ID: usize = 64;
const LONGEST_KEY: usize = 120;
const INDIA: UtcOffset = time::macros::offset!(+5:30);
pub(crate) const EARLIEST: OffsetDateTime = time::macros::datetime!(1990-01-01 0:00 +5:30);

impl Trade {
    /// The trade, or every rule that it breaks.
    ///
    /// # Errors
    /// One violation for each field at fault.
    pub fn checked(self, now: OffsetDateTime) -> Result<Self, Vec<Violation>> {
        let mut broken = self.notes.broken();
        broken.extend(self.contract.iter().flat_map(contract::broken));
        let mut refuse = |field, reason, message: &str| broken.push(violation(field, reason, message));
        if !plain_text(&self.symbol, LONGEST_SYMBOL) || self.symbol.contains(unseen) {
            refuse("symbol", "SYMBOL_INVALID", "A symbol has 1 to 64 characters.");
        }
        if self.quantity <= Decimal::ZERO || self.quantity >= QUANTITY_LIMIT {
            refuse("quantity", "QUANTITY_OUT_OF_RANGE", "Quantity must be above 0 and below 1,00,00,00,000.");
        } else if !self.quantity.fract().is_zero() {
            refuse("quantity", "QUANTITY_NOT_WHOLE", "Quantity must be a whole number.");
        }
        if self.price <= Decimal::ZERO || self.price >= LIMIT {
            refuse("price", "PRICE_OUT_OF_RANGE", "Price must be above 0 and below 1,00,00,00,00,000.");
        } else if self.price.normalize().scale() > 4 {
            refuse("price", "PRICE_TOO_PRECISE", "Price has at most 4 decimals.");
        } else if self.notes.stop_loss.is_some_and(|stop_loss| !limits_a_loss(stop_loss, self.side, self.price)) {
            refuse("stopLoss", "STOP_LOSS_WRONG_SIDE", STOP_SIDE);
        }
        if self.value <= Decimal::ZERO || self.value >= LIMIT {
            refuse("value", "VALUE_OUT_OF_RANGE", VALUE_RANGE);
        } else if self.value.normalize().scale() > 4 {
            refuse("value", "VALUE_TOO_PRECISE", "Value has at most 4 decimals.");
        }
        if self.executed_at < EARLIEST || self.executed_at > now + Duration::days(1) {
            refuse("timestamp", "TIME_OUT_OF_RANGE", "The date must be after 1989 and not in the future.");
        }
        if self.isin.as_ref().is_some_and(|isin| isin.len() != 12 || !isin.bytes().all(|c| c.is_ascii_alphanumeric())) {
            refuse("isin", "ISIN_INVALID", "An ISIN has 12 letters and digits.");
        }
        if self.order_id.as_ref().is_some_and(|id| !plain_text(id, LONGEST_ORDER_ID)) {
            refuse("order_id", "ORDER_ID_INVALID", "An order id has 1 to 64 characters.");
        }
        if self.source_key.as_ref().is_some_and(|key| !plain_text(key, LONGEST_KEY)) {
            refuse("source_key", "SOURCE_KEY_INVALID", "A source key has 1 to 120 characters.");
        }
        if self.pair_id.as_ref().is_some_and(|id| !plain_text(id, LONGEST_PAIR_ID)) {
            refuse("pairId", "PAIR_ID_INVALID", "A pair id has 1 to 64 characters.");
        }
        if broken.is_empty() { Ok(self) } else { Err(broken) }
    }

    /// The trade as `segment` has it: of futures and options with what its symbol stands for, where nothing told it.
    pub(crate) fn of(mut self, segment: Segment) -> Self {
        if self.contract.is_none() {
            self.contract = contract_of(segment, &self.symbol, self.executed_at);
        }
        self
    }
}

/// What a symbol that was traded then stands for.
pub(crate) fn contract_of(segment: Segment, symbol: &str, executed_at: OffsetDateTime) -> Option<Contract> {
    match segment {
        Segment::Equity => None,
        Segment::Fno => instrument::parse_contract(symbol, executed_at.to_offset(INDIA).date()),
    }
}

impl Notes {
    /// Every rule that they break, one violation for each field at fault.
    fn broken(&self) -> Vec<Violation> {
        let mut broken = Vec::new();
        if self.stock_name.chars().count() > LONGEST_STOCK_NAME || self.stock_name.chars().any(char::is_control) {
            broken.push(violation("stockName", "STOCK_NAME_INVALID", "A stock name has at most 100 characters."));
        }
        let notes = [
            ("notes", "NOTES_INVALID", &self.notes),
            ("psychology", "PSYCHOLOGY_INVALID", &self.psychology),
            ("marketOutlook", "MARKET_OUTLOOK_INVALID", &self.market_outlook),
        ];
        for (field, reason, text) in notes {
            let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
            if text.chars().count() > LONGEST_NOTE || text.chars().any(steers) {
                broken.push(violation(field, reason, "This takes plain text of at most 2,000 characters."));
            }
        }
        broken.extend(self.stop_loss.and_then(no_stop_loss));
        broken
    }
}

/// Why no trade can have that stop loss.
pub(crate) fn no_stop_loss(price: Decimal) -> Option<Violation> {
    if price <= Decimal::ZERO || price >= LIMIT {
        let range = "Stop loss must be above 0 and below 1,00,00,00,00,000.";
        Some(violation("stopLoss", "STOP_LOSS_OUT_OF_RANGE", range))
    } else if price.normalize().scale() > 4 {
        Some(violation("stopLoss", "STOP_LOSS_TOO_PRECISE", "Stop loss has at most 4 decimals."))
    } else {
        None
    }
}

/// Whether who gets out there has lost.
pub(crate) fn limits_a_loss(stop_loss: Decimal, side: Side, price: Decimal) -> bool {
    match side {
        Side::Buy => stop_loss < price,
        Side::Sell => stop_loss > price,
    }
}

pub(crate) fn violation(field: impl Into<Cow<'static, str>>, reason: &'static str, message: &str) -> Violation {
    Violation { field: field.into(), reason, message: message.to_owned() }
}

/// Something to read, not too long, and no character that steers.
pub(crate) fn plain_text(text: &str, longest: usize) -> bool {
    !text.is_empty() && text.chars().count() <= longest && !text.chars().any(char::is_control)
}

/// Not to be seen, or turns around what stands beside it.
fn unseen(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
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
            notes: Notes::default(),
            pair_id: None,
            contract: None,
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
                Err(broken) => broken.into_iter().map(|v| (v.field, v.reason)).collect::<Vec<_>>(),
            }
        };
        let one = |field: &'static str, reason: &'static str| vec![(Cow::Borrowed(field), reason)];
        assert_eq!(reasons(&|_| ()), []);
        assert_eq!(reasons(&|t| t.symbol.clear()), one("symbol", "SYMBOL_INVALID"));
        for symbol in ["A\u{7}B", "A\u{202e}B", "A\u{200b}", "A\u{2028}B", "\u{feff}A"] {
            assert_eq!(reasons(&|t| t.symbol = symbol.to_owned()), one("symbol", "SYMBOL_INVALID"), "{symbol:?}");
        }
        assert_eq!(reasons(&|t| t.symbol = "टाटा 📈".to_owned()), []);
        assert_eq!(reasons(&|t| t.quantity = Decimal::ZERO), one("quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.quantity = Decimal::NEGATIVE_ONE), one("quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.quantity = QUANTITY_LIMIT), one("quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.quantity = Decimal::new(15, 1)), one("quantity", "QUANTITY_NOT_WHOLE"));
        assert_eq!(reasons(&|t| t.price = Decimal::ZERO), one("price", "PRICE_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.price = Decimal::new(100_001, 5)), one("price", "PRICE_TOO_PRECISE"));
        assert_eq!(reasons(&|t| t.price = Decimal::new(150_000, 5)), []);
        assert_eq!(reasons(&|t| t.value = Decimal::from(100_000_000_000_u64)), one("value", "VALUE_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.value = Decimal::from(99_999_999_999_u64)), []);
        assert_eq!(reasons(&|t| t.executed_at += Duration::days(3)), one("timestamp", "TIME_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.executed_at = EARLIEST - Duration::SECOND), one("timestamp", "TIME_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.isin = Some("INE154A01025".to_owned())), []);
        for isin in ["", "INE154A0102", "INE154A010255", "INE154A0102\0", "INE154A0102é"] {
            assert_eq!(reasons(&|t| t.isin = Some(isin.to_owned())), one("isin", "ISIN_INVALID"));
        }
        assert_eq!(reasons(&|t| t.order_id = Some("1".repeat(64))), []);
        for order_id in [String::new(), "1".repeat(65), "1\0".to_owned()] {
            assert_eq!(reasons(&|t| t.order_id = Some(order_id.clone())), one("order_id", "ORDER_ID_INVALID"));
        }
        assert_eq!(reasons(&|t| t.notes.psychology = "Calm.\n\tThen not.".to_owned()), []);
        assert_eq!(reasons(&|t| t.notes.notes = "ß".repeat(2_000)), []);
        assert_eq!(reasons(&|t| t.notes.notes = "a".repeat(2_001)), one("notes", "NOTES_INVALID"));
        assert_eq!(reasons(&|t| t.notes.psychology = "a\0".to_owned()), one("psychology", "PSYCHOLOGY_INVALID"));
        let outlook = one("marketOutlook", "MARKET_OUTLOOK_INVALID");
        assert_eq!(reasons(&|t| t.notes.market_outlook = "a\u{1b}".to_owned()), outlook);
        assert_eq!(reasons(&|t| t.notes.stock_name = "a\n".to_owned()), one("stockName", "STOCK_NAME_INVALID"));
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(Decimal::new(314_204, 2))), []);
        let stop = |reason| one("stopLoss", reason);
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(t.price)), stop("STOP_LOSS_WRONG_SIDE"));
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(Decimal::ZERO)), stop("STOP_LOSS_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(Decimal::new(1, 5))), stop("STOP_LOSS_TOO_PRECISE"));
        let sold_with_stop_at = |t: &mut Trade, stop| (t.side, t.notes.stop_loss) = (Side::Sell, Some(stop));
        assert_eq!(reasons(&|t| sold_with_stop_at(t, t.price + Decimal::ONE)), []);
        assert_eq!(reasons(&|t| sold_with_stop_at(t, t.price)), stop("STOP_LOSS_WRONG_SIDE"));
        assert_eq!(reasons(&|t| t.pair_id = Some("1".repeat(65))), one("pairId", "PAIR_ID_INVALID"));
        assert_eq!(
            reasons(&|t| (t.quantity, t.price) = (Decimal::ZERO, Decimal::ZERO)),
            [one("quantity", "QUANTITY_OUT_OF_RANGE"), one("price", "PRICE_OUT_OF_RANGE")].concat()
        );
    }

    #[test]
    fn names_are_read_back() {
        assert_eq!(Broker::from_name(Broker::Groww.name()), Some(Broker::Groww));
        assert_eq!(Segment::from_name("options"), None);
    }
}
