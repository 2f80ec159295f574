//! The journals of the public pages: an entry, what it comes to, and the key that opens a journal.

use rpc::failure::Violation;
use rust_decimal::{Decimal, RoundingStrategy};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::error::Error;
use crate::trade::{EARLIEST, LIMIT, LONGEST_SYMBOL, QUANTITY_LIMIT, named, plain_text, violation};

/// Entries in one journal.
pub(crate) const MOST_ENTRIES: i64 = 10_000;
/// Apart by less than this, two profits are the same, only rounded in another way.
const PAISA: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

named!(
    /// On which page of the journal.
    Kind {
        /// Bought and sold on one day, as the writer says.
        Intraday = "intraday",
        /// Held for longer.
        Equity = "equity",
    }
);

/// A trade from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// On which page.
    pub kind: Kind,
    /// What was traded, as the writer calls it.
    pub symbol: String,
    /// In units; parts of one where they are traded, as of a coin.
    pub quantity: Decimal,
    /// Rupees for one unit.
    pub buy_price: Decimal,
    /// Rupees for one unit.
    pub sell_price: Decimal,
    /// Where it was meant to be sold.
    pub target_price: Decimal,
    /// Where it would have been given up.
    pub stop_loss: Decimal,
    /// When; a short one is bought after it was sold.
    pub bought_at: OffsetDateTime,
    /// When.
    pub sold_at: OffsetDateTime,
}

/// What the writer says that an entry comes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claim {
    /// The profit.
    pub pnl: Option<Decimal>,
    /// Whether it is one.
    pub win: Option<bool>,
}

impl Entry {
    /// The entry, or every rule that it breaks.
    ///
    /// # Errors
    /// One violation for each field at fault.
    pub fn checked(self, now: OffsetDateTime) -> Result<Self, Vec<Violation>> {
        let mut broken = Vec::new();
        let mut refuse = |field, reason, message: &str| broken.push(violation(field, reason, message));
        if !plain_text(&self.symbol, LONGEST_SYMBOL) {
            refuse("symbol", "SYMBOL_INVALID", "A symbol has 1 to 64 characters.");
        }
        if self.quantity <= Decimal::ZERO || self.quantity >= QUANTITY_LIMIT {
            refuse("quantity", "QUANTITY_OUT_OF_RANGE", "Quantity must be above 0 and below 1,00,00,00,000.");
        } else if self.quantity.normalize().scale() > 6 {
            refuse("quantity", "QUANTITY_TOO_PRECISE", "Quantity has at most 6 decimals.");
        }
        let prices = [
            ("buyPrice", self.buy_price),
            ("sellPrice", self.sell_price),
            ("targetPrice", self.target_price),
            ("stopLoss", self.stop_loss),
        ];
        for (field, price) in prices {
            if price <= Decimal::ZERO || price >= LIMIT {
                refuse(field, "PRICE_OUT_OF_RANGE", "Price must be above 0 and below 1,00,00,00,00,000.");
            } else if price.normalize().scale() > 4 {
                refuse(field, "PRICE_TOO_PRECISE", "Price has at most 4 decimals.");
            }
        }
        for (field, at) in [("buyDateTime", self.bought_at), ("sellDateTime", self.sold_at)] {
            if at < EARLIEST || at > now + Duration::days(1) {
                refuse(field, "TIME_OUT_OF_RANGE", "The date must be after 1989 and not in the future.");
            }
        }
        let dearest = self.buy_price.max(self.sell_price);
        if broken.is_empty() && self.quantity.checked_mul(dearest).is_none_or(|value| value >= LIMIT) {
            let message = "The whole value must be below 1,00,00,00,00,000.";
            broken.push(violation("quantity", "VALUE_OUT_OF_RANGE", message));
        }
        if broken.is_empty() { Ok(self) } else { Err(broken) }
    }

    /// What it comes to, to two decimals.
    pub fn pnl(&self) -> Decimal {
        let mut pnl = self.exact_pnl().round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        pnl.rescale(2);
        pnl
    }

    /// Selling brought more than buying cost.
    pub fn wins(&self) -> bool {
        self.sell_price > self.buy_price
    }

    /// An entry that was checked is worth so little that nothing is lost here.
    fn exact_pnl(&self) -> Decimal {
        (self.sell_price - self.buy_price) * self.quantity
    }

    /// Refuses a claim that is something else.
    ///
    /// # Errors
    /// One violation for each part of it, with both.
    pub fn agrees(&self, claim: Claim) -> Result<(), Vec<Violation>> {
        let mut broken = Vec::new();
        let apart = |claimed: Decimal| claimed.checked_sub(self.exact_pnl()).is_none_or(|by| by.abs() >= PAISA);
        if let Some(claimed) = claim.pnl.filter(|claimed| apart(*claimed)) {
            let message = format!("The profit comes to {}, not {}.", self.pnl(), claimed.normalize());
            broken.push(violation("pnl", "PNL_DIFFERS", &message));
        }
        if claim.win.is_some_and(|win| win != self.wins()) {
            let (is, claimed) = if self.wins() { ("WIN", "LOSS") } else { ("LOSS", "WIN") };
            broken.push(violation("status", "STATUS_DIFFERS", &format!("This trade is a {is}, not a {claimed}.")));
        }
        if broken.is_empty() { Ok(()) } else { Err(broken) }
    }
}

/// What opens a journal, by its hash. Whoever has the key has the journal.
#[derive(Clone, Copy)]
pub(crate) struct Lock {
    pub hash: [u8; 32],
}

impl Lock {
    pub fn of(key: &str) -> Self {
        Self { hash: Sha256::digest(key).into() }
    }

    /// The journal that the key opens goes by this.
    pub fn journal_id(&self) -> Uuid {
        Uuid::from_u128(self.hash.iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte)))
    }
}

/// A new key: 32 random bytes, as base64url.
pub(crate) fn draw_key() -> Result<String, Error> {
    rpc::secret::draw().map_err(Error::Random)
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
    fn an_entry_is_refused_for_each_rule_it_breaks() {
        let broken = |change: &dyn Fn(&mut Entry)| {
            let mut entry = entry();
            change(&mut entry);
            match entry.checked(NOW) {
                Ok(_) => Vec::new(),
                Err(broken) => broken.into_iter().map(|rule| (rule.field.into_owned(), rule.reason)).collect(),
            }
        };
        let one = |field: &str, reason: &'static str| vec![(field.to_owned(), reason)];
        assert_eq!(broken(&|_| ()), []);
        assert_eq!(broken(&|e| e.symbol.clear()), one("symbol", "SYMBOL_INVALID"));
        assert_eq!(broken(&|e| e.quantity = Decimal::ZERO), one("quantity", "QUANTITY_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.quantity = Decimal::new(1, 6)), []);
        assert_eq!(broken(&|e| e.quantity = Decimal::new(1, 7)), one("quantity", "QUANTITY_TOO_PRECISE"));
        assert_eq!(broken(&|e| e.quantity = Decimal::from(999_999_999)), one("quantity", "VALUE_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.buy_price = Decimal::ZERO), one("buyPrice", "PRICE_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.sell_price = Decimal::new(1, 5)), one("sellPrice", "PRICE_TOO_PRECISE"));
        assert_eq!(broken(&|e| e.target_price = LIMIT), one("targetPrice", "PRICE_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.stop_loss = -Decimal::ONE), one("stopLoss", "PRICE_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.bought_at = NOW + Duration::days(2)), one("buyDateTime", "TIME_OUT_OF_RANGE"));
        assert_eq!(broken(&|e| e.sold_at = EARLIEST - Duration::SECOND), one("sellDateTime", "TIME_OUT_OF_RANGE"));
    }

    /// Buys at one price and sells at the other.
    fn comes_to(buy: &str, sell: &str, quantity: &str) -> (String, bool) {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        let [buy_price, sell_price, quantity] = [buy, sell, quantity].map(decimal);
        let entry = Entry { buy_price, sell_price, quantity, ..entry() }.checked(NOW).unwrap();
        (entry.pnl().to_string(), entry.wins())
    }

    #[test]
    fn the_profit_is_exact_and_has_two_decimals() {
        assert_eq!(comes_to("142.50", "145.05", "100"), ("255.00".to_owned(), true));
        assert_eq!(comes_to("145.05", "142.50", "100"), ("-255.00".to_owned(), false));
        assert_eq!(comes_to("100", "100", "5"), ("0.00".to_owned(), false));
        assert_eq!(comes_to("100", "100.005", "1"), ("0.01".to_owned(), true), "a half is rounded away from zero");
        assert_eq!(comes_to("100", "99.995", "1"), ("-0.01".to_owned(), false));
        assert_eq!(comes_to("100", "100.0001", "1"), ("0.00".to_owned(), true), "less than a paisa is still a win");
        assert_eq!(comes_to("0.0001", "99999999999.9999", "0.999999"), ("99999900000.00".to_owned(), true));
    }

    #[test]
    fn a_claim_that_is_rounded_in_another_way_is_the_same() {
        let agrees = |pnl: &str, win| {
            let entry = Entry { sell_price: "142.5050".parse().unwrap(), quantity: Decimal::ONE, ..entry() };
            let broken = entry.agrees(Claim { pnl: Some(pnl.parse().unwrap()), win: Some(win) });
            broken.err().unwrap_or_default().into_iter().map(|rule| rule.message).collect::<Vec<_>>()
        };
        for same in ["0.01", "0", "0.00", "0.005", "0.0049999999999954525"] {
            assert_eq!(agrees(same, true), Vec::<String>::new(), "{same}");
        }
        assert_eq!(agrees("0.02", true), ["The profit comes to 0.01, not 0.02."]);
        assert_eq!(agrees("-0.01", false).len(), 2);
        assert_eq!(agrees("0.01", false), ["This trade is a WIN, not a LOSS."]);
    }

    #[test]
    fn keys_are_long_and_never_the_same() {
        let (one, other) = (draw_key().unwrap(), draw_key().unwrap());
        assert_eq!(one.len(), 43);
        assert_ne!(one, other);
        assert_ne!(Lock::of(&one).journal_id(), Lock::of(&other).journal_id());
    }
}
