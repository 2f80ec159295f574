//! Trades and their validation. A value of these types is valid.

pub use rpc::broker::Broker;
use rpc::broker_account::{broker_account_key, parse_broker_account_key};
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime, UtcOffset};

use crate::contract::{self, Contract};
use crate::validation::{MAX_AMOUNT_EXCLUSIVE, MAX_SYMBOL_CHARS, is_plain_text};

/// Declares an enum whose members have a name in the tables.
macro_rules! named_enum {
    ($(#[$doc:meta])* $enum:ident { $($(#[$member_doc:meta])* $member:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$member_doc])* $member),+ }

        impl $enum {
            /// All members.
            pub const ALL: &[Self] = &[$(Self::$member),+];

            /// Returns the name in the tables.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $name),+ }
            }

            /// Parses the name in the tables.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$member),)+ _ => None }
            }
        }
    };
}
pub(crate) use named_enum;

named_enum!(
    /// Market segment; traders know it as the trade type.
    Segment {
        /// Shares.
        Equity = "equity",
        /// Futures and options.
        Fno = "fno",
    }
);
named_enum!(
    /// Exchange on which the trade was executed.
    Exchange {
        /// National Stock Exchange.
        Nse = "NSE",
        /// Bombay Stock Exchange.
        Bse = "BSE",
    }
);
named_enum!(
    /// Side of a trade.
    Side {
        /// Purchase.
        Buy = "buy",
        /// Sale.
        Sell = "sell",
    }
);
named_enum!(
    /// Precision of the execution time in the source.
    TimePrecision {
        /// Known to the second.
        Second = "second",
        /// Known to the minute.
        Minute = "minute",
        /// Only the day is known; the time is midnight in India.
        Day = "day",
    }
);

/// Account of the trader with a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrokerAccount {
    /// Broker.
    pub broker: Broker,
    /// Number among the trader's accounts with this broker, from 1.
    pub number: u8,
}

impl BrokerAccount {
    /// Returns the key in the tables.
    pub fn key(self) -> String {
        broker_account_key(self.broker.name(), self.number)
    }

    /// Parses the key in the tables.
    pub fn from_key(key: &str) -> Option<Self> {
        let (broker, number) = parse_broker_account_key(key)?;
        Some(Self { broker: Broker::from_name(broker)?, number })
    }
}

/// Book: the trades of one segment in one account with a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Book {
    /// Account with the broker.
    pub broker_account: BrokerAccount,
    /// Segment.
    pub segment: Segment,
}

/// Book as a request selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedBook {
    /// Broker.
    pub broker: Broker,
    /// Number of the account; absent if the file decides.
    pub account_number: Option<u8>,
    /// Segment.
    pub segment: Segment,
}

impl SelectedBook {
    /// Returns the book if the file decides nothing.
    pub fn default_book(self) -> Book {
        let broker_account = BrokerAccount { broker: self.broker, number: self.account_number.unwrap_or(1) };
        Book { broker_account, segment: self.segment }
    }
}

/// Trade that can be added to a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Purchase or sale.
    pub side: Side,
    /// Symbol of the instrument at the exchange.
    pub symbol: String,
    /// ISIN, if the source states it.
    pub isin: Option<String>,
    /// Series at NSE or group at BSE, if the source states it.
    pub series: Option<String>,
    /// Made in the exchange's auction.
    pub auction: bool,
    /// Quantity in units, never in lots.
    pub quantity: Decimal,
    /// Rupees per unit.
    pub price: Decimal,
    /// Rupees for the whole quantity.
    pub value: Decimal,
    /// Time of execution.
    pub executed_at: OffsetDateTime,
    /// Precision of `executed_at`.
    pub time_precision: TimePrecision,
    /// Exchange.
    pub exchange: Exchange,
    /// Order number of the broker.
    pub order_id: Option<String>,
    /// Key that identifies the trade in every export of the broker; absent for a manual entry.
    pub source_key: Option<String>,
    /// Notes of the trader.
    pub notes: Notes,
    /// Common id of the two legs of a manual entry.
    pub pair_id: Option<String>,
    /// Future or option contract, if the source states it or the symbol can be parsed.
    pub contract: Option<Contract>,
}

/// Trade of a file with its row number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTrade {
    /// Trade.
    pub trade: Trade,
    /// Row number as in a spreadsheet, from 1; 0 if unknown.
    pub row: i64,
}

/// Notes of a trader about a trade. Unused texts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Name of the company, such as Reliance Industries.
    pub stock_name: String,
    /// Free text.
    pub notes: String,
    /// State of mind during the trade.
    pub psychology: String,
    /// Expected direction of the market.
    pub market_outlook: String,
    /// Price at which to exit at a loss, in rupees per unit.
    pub stop_loss: Option<Decimal>,
}

/// Exclusive upper bound of a quantity, in units.
pub(crate) const MAX_QUANTITY_EXCLUSIVE: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);
const MAX_ORDER_ID_CHARS: usize = 64;
const MAX_STOCK_NAME_CHARS: usize = 100;
const MAX_NOTE_CHARS: usize = 2_000;
const MAX_PAIR_ID_CHARS: usize = 64;
const MAX_SOURCE_KEY_CHARS: usize = 120;
const INDIA: UtcOffset = time::macros::offset!(+5:30);
/// Earliest accepted time of execution.
pub(crate) const MIN_EXECUTED_AT: OffsetDateTime = time::macros::datetime!(1990-01-01 0:00 +5:30);

impl Trade {
    /// Returns the trade if it is valid.
    ///
    /// # Errors
    /// One violation for each invalid field.
    pub fn validate(self, now: OffsetDateTime) -> Result<Self, Vec<Violation>> {
        let mut violations = self.notes.violations();
        violations.extend(self.contract.iter().flat_map(contract::validate));
        let mut reject = |field, reason| violations.push(Violation::new(field, reason));
        if self.quantity <= Decimal::ZERO || self.quantity >= MAX_QUANTITY_EXCLUSIVE {
            reject("quantity", "QUANTITY_OUT_OF_RANGE");
        } else if !self.quantity.fract().is_zero() {
            reject("quantity", "QUANTITY_NOT_WHOLE");
        }
        if self.price <= Decimal::ZERO || self.price >= MAX_AMOUNT_EXCLUSIVE {
            reject("price", "PRICE_OUT_OF_RANGE");
        } else if self.price.normalize().scale() > 4 {
            reject("price", "PRICE_TOO_PRECISE");
        } else if self.notes.stop_loss.is_some_and(|stop_loss| !is_on_loss_side(stop_loss, self.side, self.price)) {
            reject("notes.stop_loss", "STOP_LOSS_WRONG_SIDE");
        }
        if self.value <= Decimal::ZERO || self.value >= MAX_AMOUNT_EXCLUSIVE {
            reject("value", "VALUE_OUT_OF_RANGE");
        } else if self.value.normalize().scale() > 4 {
            reject("value", "VALUE_TOO_PRECISE");
        }
        if self.executed_at < MIN_EXECUTED_AT || self.executed_at > now + Duration::days(1) {
            reject("executed_at", "TIME_OUT_OF_RANGE");
        }
        if self.isin.as_ref().is_some_and(|isin| isin.len() != 12 || !isin.bytes().all(|c| c.is_ascii_alphanumeric())) {
            reject("isin", "ISIN_INVALID");
        }
        if self.series.as_ref().is_some_and(|series| !is_series(series)) {
            reject("series", "SERIES_INVALID");
        }
        for (field, reason, text, max_chars) in [
            ("symbol", "SYMBOL_INVALID", Some(&self.symbol), MAX_SYMBOL_CHARS),
            ("order_id", "ORDER_ID_INVALID", self.order_id.as_ref(), MAX_ORDER_ID_CHARS),
            ("source_key", "SOURCE_KEY_INVALID", self.source_key.as_ref(), MAX_SOURCE_KEY_CHARS),
            ("pair_id", "PAIR_ID_INVALID", self.pair_id.as_ref(), MAX_PAIR_ID_CHARS),
        ] {
            let is_invisible_symbol = field == "symbol" && self.symbol.contains(is_invisible);
            if text.is_some_and(|text| !is_plain_text(text, max_chars)) || is_invisible_symbol {
                violations.push(Violation::new(field, reason).with("max_chars", max_chars));
            }
        }
        if violations.is_empty() { Ok(self) } else { Err(violations) }
    }

    /// Returns the trade with the contract that its symbol stands for, if `segment` is futures and options and the
    /// source stated no contract.
    pub(crate) fn with_contract_of_symbol(mut self, segment: Segment) -> Self {
        if self.contract.is_none() {
            self.contract = parse_contract_symbol(segment, &self.symbol, self.executed_at);
        }
        self
    }
}

/// Parses the contract of a symbol that was traded at `executed_at`. Equity symbols have none.
pub(crate) fn parse_contract_symbol(segment: Segment, symbol: &str, executed_at: OffsetDateTime) -> Option<Contract> {
    match segment {
        Segment::Equity => None,
        Segment::Fno => instrument::parse_contract(symbol, executed_at.to_offset(INDIA).date()),
    }
}

impl Notes {
    /// Returns one violation for each invalid field.
    fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.stock_name.chars().count() > MAX_STOCK_NAME_CHARS || self.stock_name.chars().any(char::is_control) {
            let violation = Violation::new("notes.stock_name", "STOCK_NAME_INVALID");
            violations.push(violation.with("max_chars", MAX_STOCK_NAME_CHARS));
        }
        let notes = [
            ("notes.notes", "NOTES_INVALID", &self.notes),
            ("notes.psychology", "PSYCHOLOGY_INVALID", &self.psychology),
            ("notes.market_outlook", "MARKET_OUTLOOK_INVALID", &self.market_outlook),
        ];
        for (field, reason, text) in notes {
            let is_forbidden = |c: char| c.is_control() && c != '\n' && c != '\t';
            if text.chars().count() > MAX_NOTE_CHARS || text.chars().any(is_forbidden) {
                violations.push(Violation::new(field, reason).with("max_chars", MAX_NOTE_CHARS));
            }
        }
        violations.extend(self.stop_loss.and_then(|price| stop_loss_violation("notes.stop_loss", price)));
        violations
    }
}

/// Returns the violation of a stop loss in `field` that is invalid for every trade.
pub(crate) fn stop_loss_violation(field: &'static str, price: Decimal) -> Option<Violation> {
    if price <= Decimal::ZERO || price >= MAX_AMOUNT_EXCLUSIVE {
        Some(Violation::new(field, "STOP_LOSS_OUT_OF_RANGE"))
    } else if price.normalize().scale() > 4 {
        Some(Violation::new(field, "STOP_LOSS_TOO_PRECISE"))
    } else {
        None
    }
}

/// Returns true if exiting at `stop_loss` is a loss.
pub(crate) fn is_on_loss_side(stop_loss: Decimal, side: Side, price: Decimal) -> bool {
    match side {
        Side::Buy => stop_loss < price,
        Side::Sell => stop_loss > price,
    }
}

/// Returns true for the name of a series or group: up to 8 letters and digits.
fn is_series(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_alphanumeric())
}

/// Returns true for invisible characters and for those that change the direction of the text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn trade() -> Trade {
        Trade {
            side: Side::Buy,
            symbol: "M&M".to_owned(),
            isin: None,
            series: None,
            auction: false,
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
    fn the_texts_of_the_limits_have_their_values() {
        for (field, reason, limit) in [
            ("quantity", "QUANTITY_OUT_OF_RANGE", MAX_QUANTITY_EXCLUSIVE),
            ("price", "PRICE_OUT_OF_RANGE", MAX_AMOUNT_EXCLUSIVE),
            ("value", "VALUE_OUT_OF_RANGE", MAX_AMOUNT_EXCLUSIVE),
            ("stop_loss", "STOP_LOSS_OUT_OF_RANGE", MAX_AMOUNT_EXCLUSIVE),
        ] {
            let text = texts::field_error("trades", field, reason, &texts::Params::new()).unwrap();
            assert!(text.contains(&texts::format_number(&limit.to_string())), "{text}");
        }
    }

    #[test]
    fn rejects_a_trade_for_each_violated_rule() {
        let now = time::macros::datetime!(2025-06-21 0:00 +5:30);
        let reasons = |change: &dyn Fn(&mut Trade)| {
            let mut trade = trade();
            change(&mut trade);
            match trade.validate(now) {
                Ok(_) => Vec::new(),
                Err(violations) => violations.into_iter().map(|v| (v.field, v.reason)).collect::<Vec<_>>(),
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
        assert_eq!(reasons(&|t| t.quantity = MAX_QUANTITY_EXCLUSIVE), one("quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.quantity = Decimal::new(15, 1)), one("quantity", "QUANTITY_NOT_WHOLE"));
        assert_eq!(reasons(&|t| t.price = Decimal::ZERO), one("price", "PRICE_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.price = Decimal::new(100_001, 5)), one("price", "PRICE_TOO_PRECISE"));
        assert_eq!(reasons(&|t| t.price = Decimal::new(150_000, 5)), []);
        assert_eq!(reasons(&|t| t.value = Decimal::from(100_000_000_000_u64)), one("value", "VALUE_OUT_OF_RANGE"));
        assert_eq!(reasons(&|t| t.value = Decimal::from(99_999_999_999_u64)), []);
        assert_eq!(reasons(&|t| t.executed_at += Duration::days(3)), one("executed_at", "TIME_OUT_OF_RANGE"));
        assert_eq!(
            reasons(&|t| t.executed_at = MIN_EXECUTED_AT - Duration::SECOND),
            one("executed_at", "TIME_OUT_OF_RANGE")
        );
        assert_eq!(reasons(&|t| t.isin = Some("INE154A01025".to_owned())), []);
        for isin in ["", "INE154A0102", "INE154A010255", "INE154A0102\0", "INE154A0102é"] {
            assert_eq!(reasons(&|t| t.isin = Some(isin.to_owned())), one("isin", "ISIN_INVALID"));
        }
        for series in ["", "EQ-BE", "123456789"] {
            assert_eq!(reasons(&|t| t.series = Some(series.to_owned())), one("series", "SERIES_INVALID"));
        }
        assert_eq!(reasons(&|t| t.series = Some("N1".to_owned())), []);
        assert_eq!(reasons(&|t| t.order_id = Some("1".repeat(64))), []);
        for order_id in [String::new(), "1".repeat(65), "1\0".to_owned()] {
            assert_eq!(reasons(&|t| t.order_id = Some(order_id.clone())), one("order_id", "ORDER_ID_INVALID"));
        }
        assert_eq!(reasons(&|t| t.notes.psychology = "Calm.\n\tThen not.".to_owned()), []);
        assert_eq!(reasons(&|t| t.notes.notes = "ß".repeat(2_000)), []);
        assert_eq!(reasons(&|t| t.notes.notes = "a".repeat(2_001)), one("notes.notes", "NOTES_INVALID"));
        assert_eq!(reasons(&|t| t.notes.psychology = "a\0".to_owned()), one("notes.psychology", "PSYCHOLOGY_INVALID"));
        let outlook = one("notes.market_outlook", "MARKET_OUTLOOK_INVALID");
        assert_eq!(reasons(&|t| t.notes.market_outlook = "a\u{1b}".to_owned()), outlook);
        assert_eq!(reasons(&|t| t.notes.stock_name = "a\n".to_owned()), one("notes.stock_name", "STOCK_NAME_INVALID"));
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(Decimal::new(314_204, 2))), []);
        let stop_loss_error = |reason| one("notes.stop_loss", reason);
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(t.price)), stop_loss_error("STOP_LOSS_WRONG_SIDE"));
        assert_eq!(reasons(&|t| t.notes.stop_loss = Some(Decimal::ZERO)), stop_loss_error("STOP_LOSS_OUT_OF_RANGE"));
        assert_eq!(
            reasons(&|t| t.notes.stop_loss = Some(Decimal::new(1, 5))),
            stop_loss_error("STOP_LOSS_TOO_PRECISE")
        );
        let set_sale_with_stop_loss =
            |t: &mut Trade, stop_loss| (t.side, t.notes.stop_loss) = (Side::Sell, Some(stop_loss));
        assert_eq!(reasons(&|t| set_sale_with_stop_loss(t, t.price + Decimal::ONE)), []);
        assert_eq!(reasons(&|t| set_sale_with_stop_loss(t, t.price)), stop_loss_error("STOP_LOSS_WRONG_SIDE"));
        assert_eq!(reasons(&|t| t.pair_id = Some("1".repeat(65))), one("pair_id", "PAIR_ID_INVALID"));
        assert_eq!(
            reasons(&|t| (t.quantity, t.price) = (Decimal::ZERO, Decimal::ZERO)),
            [one("quantity", "QUANTITY_OUT_OF_RANGE"), one("price", "PRICE_OUT_OF_RANGE")].concat()
        );
    }

    #[test]
    fn parses_its_own_names() {
        assert_eq!(Broker::from_name(Broker::Groww.name()), Some(Broker::Groww));
        assert_eq!(Segment::from_name("options"), None);
    }
}
