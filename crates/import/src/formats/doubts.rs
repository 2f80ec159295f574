//! What is odd about a trade beside the others of its file. The trade goes in; its owner is told.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use rpc::trades::v1::{ContractKind, ImportedTrade};
use rust_decimal::Decimal;

use super::Fault;
use super::so_far::{ByHash, Place};
use crate::field;

/// So many trades of one day say what the price was.
const FEWEST: usize = 3;
/// Digits behind the point of the rupees in which prices are compared.
const DIGITS: usize = 4;

/// The trades seen so far, as far as they can put another one in doubt. Names are kept as hashes.
#[derive(Default)]
pub(super) struct Doubts {
    /// The prices of one share or future on one day.
    days: ByHash<Vec<(i64, Place)>>,
    /// By its ISIN and exchange, what a share was called first, and where.
    symbols: ByHash<(u64, Place)>,
    /// By its symbol, which ISIN a share had first, and where.
    isins: ByHash<(u64, Place)>,
    /// The first row of every symbol with a further ISIN, and of every ISIN with a further symbol.
    changes: HashMap<(u64, u64), Change>,
    hasher: RandomState,
}

/// A share that is not what it was.
#[derive(Clone, Copy)]
struct Change {
    what: What,
    here: Place,
    before: Place,
}

#[derive(Clone, Copy)]
enum What {
    Isin,
    Symbol,
}

impl Doubts {
    pub fn see(&mut self, trade: &ImportedTrade, place: Place) {
        let symbol = self.hasher.hash_one(&trade.symbol);
        if !trade.isin.is_empty() {
            let isin = self.hasher.hash_one(&trade.isin);
            // The exchanges need not call a share the same.
            let listing = with(isin, trade.exchange.into());
            self.see_share(symbol, isin, listing, place);
        }
        // What an option costs may well fall to nothing within a day.
        let option = trade.contract.as_ref().is_some_and(|contract| contract.kind() != ContractKind::Future);
        if let Some(price) = parts(&trade.price).filter(|_| !option)
            && let Some(at) = trade.executed_at
        {
            // Days of India, which are ahead of those of UTC.
            let day = (at.seconds + 19_800).div_euclid(86_400);
            self.days.entry(with(symbol, day)).or_default().push((price, place));
        }
    }

    fn see_share(&mut self, symbol: u64, isin: u64, listing: u64, place: Place) {
        let (known_symbol, before) = *self.symbols.entry(listing).or_insert((symbol, place));
        if known_symbol != symbol {
            self.changes.entry((listing, symbol)).or_insert(Change { what: What::Symbol, here: place, before });
        }
        let (known_isin, before) = *self.isins.entry(symbol).or_insert((isin, place));
        if known_isin != isin {
            self.changes.entry((symbol, isin)).or_insert(Change { what: What::Isin, here: place, before });
        }
    }

    /// All doubts, in the order of the file.
    pub fn list(&self, name: impl Fn(Place, Place) -> String) -> Vec<(Place, Fault)> {
        let changed = self.changes.values().map(|change| {
            let before = name(change.before, change.here);
            let fault = match change.what {
                What::Isin => Fault::row(
                    "isin_changed",
                    format!(
                        "The share has another ISIN than in {before}. A split or a consolidation gives it a new one: \
                         check how many you held."
                    ),
                ),
                What::Symbol => Fault::row(
                    "symbol_changed",
                    format!("The share has another symbol than in {before}, under the same ISIN: it was renamed."),
                ),
            };
            (change.here, fault)
        });
        let mut all: Vec<_> = changed.chain(self.days.values().flat_map(|day| far(day))).collect();
        all.sort_by(|(a, fault), (b, other)| a.cmp(b).then(fault.code.cmp(other.code)));
        all
    }
}

/// A hash and a number as one hash. The number is spread over all bits; the hash has a key that nobody knows.
fn with(hash: u64, number: i64) -> u64 {
    hash ^ number.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The prices of a day that are more than half above its middle one, or more than a third below. A share moves by 20 %
/// in a day at most, so from its lowest to its highest price by half; and a future as its share. What lies beyond was
/// typed or read wrong, or the share has no limit that day.
fn far(day: &[(i64, Place)]) -> Vec<(Place, Fault)> {
    if day.len() < FEWEST {
        return Vec::new();
    }
    let mut prices: Vec<i64> = day.iter().map(|(price, _)| *price).collect();
    prices.sort_unstable();
    let middle = prices.get(prices.len() / 2).copied().unwrap_or_default();
    let is_far = |price: i64| price > middle.saturating_mul(3) / 2 || price.saturating_mul(3) / 2 < middle;
    let told = |parts: i64| field::plain(Decimal::new(parts, 4));
    day.iter()
        .filter(|(price, _)| is_far(*price))
        .map(|(price, place)| {
            let sentence = format!(
                "The price of ₹{} is far from the day's other prices, which lie about ₹{}. Check it.",
                told(*price),
                told(middle)
            );
            (*place, Fault::row("price_far", sentence))
        })
        .collect()
}

/// A price, which is plain digits with at most four behind the point, in ten-thousandths of a rupee.
fn parts(price: &str) -> Option<i64> {
    let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
    let missing = u32::try_from(DIGITS.checked_sub(fraction.len())?).ok()?;
    let behind = if fraction.is_empty() { 0 } else { fraction.parse::<i64>().ok()? };
    whole.parse::<i64>().ok()?.checked_mul(10_000)?.checked_add(behind.checked_mul(10_i64.pow(missing))?)
}
