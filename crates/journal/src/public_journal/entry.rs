//! Journal entries: validation and profit.

use rpc::failure::Violation;
use rust_decimal::{Decimal, RoundingStrategy};
use time::{Duration, OffsetDateTime};

/// Maximum number of entries of a journal.
pub(crate) const MAX_ENTRIES: i64 = 10_000;
/// Exclusive upper bound of prices and values, in rupees. Smaller amounts with 4 decimals fit into a JSON number.
const MAX_AMOUNT_EXCLUSIVE: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Exclusive upper bound of a quantity, in units.
const MAX_QUANTITY_EXCLUSIVE: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);
const MAX_SYMBOL_CHARS: usize = 64;
const MIN_DATE: OffsetDateTime = time::macros::datetime!(1990-01-01 0:00 +5:30);
/// Smallest reported difference between the stated and the calculated profit: a paisa. Smaller ones are due to
/// rounding.
const PNL_TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Page of the journal that an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bought and sold on one day, as stated by the writer.
    Intraday,
    /// Held for longer than a day.
    Equity,
}

impl Kind {
    /// Returns the name in the tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Intraday => "intraday",
            Self::Equity => "equity",
        }
    }

    /// Parses the name in the tables.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Intraday, Self::Equity].into_iter().find(|kind| kind.name() == name)
    }
}

/// Journal entry: one purchase and its sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Page of the journal.
    pub kind: Kind,
    /// Symbol as the writer spells it, in capitals.
    pub symbol: String,
    /// Quantity in units; may be fractional, for example of a coin.
    pub quantity: Decimal,
    /// Rupees per unit.
    pub buy_price: Decimal,
    /// Rupees per unit.
    pub sell_price: Decimal,
    /// Intended sale price, in rupees per unit.
    pub target_price: Decimal,
    /// Price at which the writer meant to exit at a loss, in rupees per unit.
    pub stop_loss: Decimal,
    /// Time of the purchase; after `sold_at` for a short sale.
    pub bought_at: OffsetDateTime,
    /// Time of the sale.
    pub sold_at: OffsetDateTime,
}

/// Result of an entry as stated by the writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatedResult {
    /// Profit in rupees; negative for a loss.
    pub pnl: Option<Decimal>,
    /// True for a profit.
    pub win: Option<bool>,
}

impl Entry {
    /// Returns the entry if it is valid.
    ///
    /// # Errors
    /// One violation for each invalid field.
    pub fn validate(self, now: OffsetDateTime) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        if !is_plain_text(&self.symbol, MAX_SYMBOL_CHARS) {
            violations.push(Violation::new("entry.symbol", "SYMBOL_INVALID").with("max_chars", MAX_SYMBOL_CHARS));
        }
        let mut reject = |field, reason| violations.push(Violation::new(field, reason));
        if self.quantity <= Decimal::ZERO || self.quantity >= MAX_QUANTITY_EXCLUSIVE {
            reject("entry.quantity", "QUANTITY_OUT_OF_RANGE");
        } else if self.quantity.normalize().scale() > 6 {
            reject("entry.quantity", "QUANTITY_TOO_PRECISE");
        }
        let prices = [
            ("entry.buy_price", self.buy_price),
            ("entry.sell_price", self.sell_price),
            ("entry.target_price", self.target_price),
            ("entry.stop_loss", self.stop_loss),
        ];
        for (field, price) in prices {
            if price <= Decimal::ZERO || price >= MAX_AMOUNT_EXCLUSIVE {
                reject(field, "PRICE_OUT_OF_RANGE");
            } else if price.normalize().scale() > 4 {
                reject(field, "PRICE_TOO_PRECISE");
            }
        }
        for (field, at) in [("entry.bought_at", self.bought_at), ("entry.sold_at", self.sold_at)] {
            if at < MIN_DATE || at > now + Duration::days(1) {
                reject(field, "TIME_OUT_OF_RANGE");
            }
        }
        let higher_price = self.buy_price.max(self.sell_price);
        let value = self.quantity.checked_mul(higher_price);
        if violations.is_empty() && value.is_none_or(|value| value >= MAX_AMOUNT_EXCLUSIVE) {
            violations.push(Violation::new("entry.quantity", "VALUE_OUT_OF_RANGE"));
        }
        if violations.is_empty() { Ok(self) } else { Err(violations) }
    }

    /// Returns the profit in rupees, rounded to two decimals.
    pub fn pnl(&self) -> Decimal {
        let mut pnl = self.exact_pnl().round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        pnl.rescale(2);
        pnl
    }

    /// Returns true if the sell price is above the buy price.
    pub fn is_win(&self) -> bool {
        self.sell_price > self.buy_price
    }

    /// Returns the exact profit. The limits of a valid entry keep the product within the precision of a decimal.
    fn exact_pnl(&self) -> Decimal {
        (self.sell_price - self.buy_price) * self.quantity
    }

    /// Compares the result stated by the writer with the calculated one.
    ///
    /// # Errors
    /// One violation for each value that differs, with both values.
    pub fn check_stated_result(&self, stated: StatedResult) -> Result<(), Vec<Violation>> {
        let mut violations = Vec::new();
        let differs = |pnl: Decimal| pnl.checked_sub(self.exact_pnl()).is_none_or(|by| by.abs() >= PNL_TOLERANCE);
        if let Some(pnl) = stated.pnl.filter(|pnl| differs(*pnl)) {
            let violation = Violation::new("pnl", "PNL_DIFFERS");
            violations.push(violation.with("calculated", self.pnl()).with("stated", pnl.normalize()));
        }
        if stated.win.is_some_and(|win| win != self.is_win()) {
            let (calculated, stated) = if self.is_win() { ("WIN", "LOSS") } else { ("LOSS", "WIN") };
            let violation = Violation::new("win", "STATUS_DIFFERS");
            violations.push(violation.with("calculated", calculated).with("stated", stated));
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

/// Returns true for 1 to `max_chars` characters without control characters.
pub(crate) fn is_plain_text(text: &str, max_chars: usize) -> bool {
    !text.is_empty() && text.chars().count() <= max_chars && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: OffsetDateTime = time::macros::datetime!(2026-11-20 12:00 +5:30);

    fn entry() -> Entry {
        Entry {
            kind: Kind::Intraday,
            symbol: "TATASTEEL".to_owned(),
            quantity: Decimal::from(100),
            buy_price: Decimal::new(14_250, 2),
            sell_price: Decimal::new(14_505, 2),
            target_price: Decimal::from(146),
            stop_loss: Decimal::from(141),
            bought_at: time::macros::datetime!(2026-11-20 09:20 +5:30),
            sold_at: time::macros::datetime!(2026-11-20 11:45 +5:30),
        }
    }

    #[test]
    fn the_texts_of_the_limits_have_their_values() {
        for (field, reason, limit) in [
            ("quantity", "QUANTITY_OUT_OF_RANGE", MAX_QUANTITY_EXCLUSIVE),
            ("stop_loss", "PRICE_OUT_OF_RANGE", MAX_AMOUNT_EXCLUSIVE),
            ("quantity", "VALUE_OUT_OF_RANGE", MAX_AMOUNT_EXCLUSIVE),
        ] {
            let text = texts::field_error("journal", field, reason, &texts::Params::new()).unwrap();
            assert!(text.contains(&texts::format_number(&limit.to_string())), "{text}");
        }
    }

    #[test]
    fn rejects_an_entry_for_each_violated_rule() {
        let violations = |change: &dyn Fn(&mut Entry)| {
            let mut entry = entry();
            change(&mut entry);
            match entry.validate(NOW) {
                Ok(_) => Vec::new(),
                Err(violations) => violations.into_iter().map(|rule| (rule.field.into_owned(), rule.reason)).collect(),
            }
        };
        let one = |field: &str, reason: &'static str| vec![(field.to_owned(), reason)];
        assert_eq!(violations(&|_| ()), []);
        assert_eq!(violations(&|e| e.symbol.clear()), one("entry.symbol", "SYMBOL_INVALID"));
        assert_eq!(violations(&|e| e.quantity = Decimal::ZERO), one("entry.quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(violations(&|e| e.quantity = Decimal::new(1, 6)), []);
        assert_eq!(violations(&|e| e.quantity = Decimal::new(1, 7)), one("entry.quantity", "QUANTITY_TOO_PRECISE"));
        assert_eq!(
            violations(&|e| e.quantity = Decimal::from(999_999_999)),
            one("entry.quantity", "VALUE_OUT_OF_RANGE")
        );
        assert_eq!(violations(&|e| e.buy_price = Decimal::ZERO), one("entry.buy_price", "PRICE_OUT_OF_RANGE"));
        assert_eq!(violations(&|e| e.sell_price = Decimal::new(1, 5)), one("entry.sell_price", "PRICE_TOO_PRECISE"));
        assert_eq!(
            violations(&|e| e.target_price = MAX_AMOUNT_EXCLUSIVE),
            one("entry.target_price", "PRICE_OUT_OF_RANGE")
        );
        assert_eq!(violations(&|e| e.stop_loss = -Decimal::ONE), one("entry.stop_loss", "PRICE_OUT_OF_RANGE"));
        assert_eq!(violations(&|e| e.bought_at = NOW + Duration::days(2)), one("entry.bought_at", "TIME_OUT_OF_RANGE"));
        assert_eq!(violations(&|e| e.sold_at = MIN_DATE - Duration::SECOND), one("entry.sold_at", "TIME_OUT_OF_RANGE"));
    }

    /// Returns the profit of an entry with these prices, and true for a win.
    fn result(buy_price: &str, sell_price: &str, quantity: &str) -> (String, bool) {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        let [buy_price, sell_price, quantity] = [buy_price, sell_price, quantity].map(decimal);
        let entry = Entry { buy_price, sell_price, quantity, ..entry() }.validate(NOW).unwrap();
        (entry.pnl().to_string(), entry.is_win())
    }

    #[test]
    fn calculates_an_exact_profit_with_two_decimals() {
        assert_eq!(result("142.50", "145.05", "100"), ("255.00".to_owned(), true));
        assert_eq!(result("145.05", "142.50", "100"), ("-255.00".to_owned(), false));
        assert_eq!(result("100", "100", "5"), ("0.00".to_owned(), false));
        assert_eq!(result("100", "100.005", "1"), ("0.01".to_owned(), true), "a half is rounded away from zero");
        assert_eq!(result("100", "99.995", "1"), ("-0.01".to_owned(), false));
        assert_eq!(result("100", "100.0001", "1"), ("0.00".to_owned(), true), "less than a paisa is still a win");
        assert_eq!(result("0.0001", "99999999999.9999", "0.999999"), ("99999900000.00".to_owned(), true));
    }

    #[test]
    fn accepts_a_stated_profit_that_differs_by_less_than_a_paisa() {
        let params = |pnl: &str, win| {
            let entry = Entry { sell_price: "142.5050".parse().unwrap(), quantity: Decimal::ONE, ..entry() };
            let checked = entry.check_stated_result(StatedResult { pnl: Some(pnl.parse().unwrap()), win: Some(win) });
            checked.err().unwrap_or_default().into_iter().map(|rule| (rule.reason, rule.params)).collect::<Vec<_>>()
        };
        for same in ["0.01", "0", "0.00", "0.005", "0.0049999999999954525"] {
            assert_eq!(params(same, true), [], "{same}");
        }
        let one = |reason, calculated: &str, stated: &str| {
            vec![(reason, vec![("calculated", calculated.to_owned()), ("stated", stated.to_owned())])]
        };
        assert_eq!(params("0.02", true), one("PNL_DIFFERS", "0.01", "0.02"));
        assert_eq!(params("-0.01", false).len(), 2);
        assert_eq!(params("0.01", false), one("STATUS_DIFFERS", "WIN", "LOSS"));
    }
}
