//! Warnings about trades that are odd compared to the other trades of their file. The trades are imported.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use rpc::trades::v1::{ContractKind, ImportedTrade};
use rust_decimal::Decimal;

use super::issue::Issue;
use super::prehashed_map::PrehashedMap;
use super::row_position::RowPosition;
use crate::cell_value;

/// Trades of an instrument on one day that are needed to compare their prices.
const MIN_TRADES_TO_COMPARE: usize = 3;
/// Decimal places of compared prices in rupees.
const PRICE_DECIMALS: usize = 4;
/// Offset of India time from UTC in seconds.
const INDIA_OFFSET_SECONDS: i64 = 19_800;

/// Prices and names of the trades recorded so far. Names are stored as hashes.
#[derive(Default)]
pub(super) struct TradeWarnings {
    /// Prices of an instrument on one day, by the hash of both.
    prices: PrehashedMap<Vec<(i64, RowPosition)>>,
    /// First symbol of a share, by its ISIN and exchange.
    first_symbols: PrehashedMap<(u64, RowPosition)>,
    /// First ISIN of a share, by its symbol.
    first_isins: PrehashedMap<(u64, RowPosition)>,
    /// First row with a further ISIN of a symbol, or a further symbol of an ISIN.
    changes: HashMap<(u64, u64), Change>,
    hasher: RandomState,
}

/// Change of a share's symbol or ISIN between two rows.
#[derive(Clone, Copy)]
struct Change {
    field: ChangedField,
    position: RowPosition,
    previous: RowPosition,
}

#[derive(Clone, Copy)]
enum ChangedField {
    Isin,
    Symbol,
}

impl TradeWarnings {
    pub fn record(&mut self, trade: &ImportedTrade, position: RowPosition) {
        let symbol = self.hasher.hash_one(&trade.symbol);
        if !trade.isin.is_empty() {
            let isin = self.hasher.hash_one(&trade.isin);
            // The exchanges may use different symbols for a share.
            let listing = combine(isin, trade.exchange.into());
            self.record_share(symbol, isin, listing, position);
        }
        // The price of an option may fall to almost nothing within a day.
        let is_option = trade.contract.as_ref().is_some_and(|contract| contract.kind() != ContractKind::Future);
        if let Some(price) = price_units(&trade.price).filter(|_| !is_option)
            && let Some(at) = trade.executed_at
        {
            let day = (at.seconds + INDIA_OFFSET_SECONDS).div_euclid(86_400);
            self.prices.entry(combine(symbol, day)).or_default().push((price, position));
        }
    }

    fn record_share(&mut self, symbol: u64, isin: u64, listing: u64, position: RowPosition) {
        let (first_symbol, previous) = *self.first_symbols.entry(listing).or_insert((symbol, position));
        if first_symbol != symbol {
            let change = Change { field: ChangedField::Symbol, position, previous };
            self.changes.entry((listing, symbol)).or_insert(change);
        }
        let (first_isin, previous) = *self.first_isins.entry(symbol).or_insert((isin, position));
        if first_isin != isin {
            let change = Change { field: ChangedField::Isin, position, previous };
            self.changes.entry((symbol, isin)).or_insert(change);
        }
    }

    /// Returns all warnings in the order of the file. `with_row` adds the row at a position to the warning about another.
    pub fn list(&self, with_row: impl Fn(Issue, RowPosition, RowPosition) -> Issue) -> Vec<(RowPosition, Issue)> {
        let changed = self.changes.values().map(|change| {
            let code = match change.field {
                ChangedField::Isin => "isin_changed",
                ChangedField::Symbol => "symbol_changed",
            };
            let issue = with_row(Issue::in_row(code), change.previous, change.position);
            (change.position, issue)
        });
        let mut all: Vec<_> = changed.chain(self.prices.values().flat_map(|day| price_outliers(day))).collect();
        all.sort_by(|(a, issue), (b, other)| a.cmp(b).then(issue.code.cmp(other.code)));
        all
    }
}

/// Combines a hash with a number. The hash was made with a random key; multiplication spreads the number over all bits.
fn combine(hash: u64, number: i64) -> u64 {
    hash ^ number.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Returns warnings for prices more than a half above the day's median or more than a third below it.
///
/// A share moves by at most 20 % in a day, so its highest price is at most 1.5 times its lowest; a future moves as its
/// share. A price outside was typed or read wrong, or the share has no price limit that day.
fn price_outliers(day: &[(i64, RowPosition)]) -> Vec<(RowPosition, Issue)> {
    if day.len() < MIN_TRADES_TO_COMPARE {
        return Vec::new();
    }
    let mut prices: Vec<i64> = day.iter().map(|(price, _)| *price).collect();
    prices.sort_unstable();
    let median = prices.get(prices.len() / 2).copied().unwrap_or_default();
    let is_outlier = |price: i64| price > median.saturating_mul(3) / 2 || price.saturating_mul(3) / 2 < median;
    let rupees = |units: i64| cell_value::format_decimal(Decimal::new(units, 4));
    day.iter()
        .filter(|(price, _)| is_outlier(*price))
        .map(|(price, position)| {
            let issue =
                Issue::in_row("price_outlier").with("price", rupees(*price)).with("usual_price", rupees(median));
            (*position, issue)
        })
        .collect()
}

/// Converts a price of plain digits, with at most four decimals, to ten-thousandths of a rupee.
fn price_units(price: &str) -> Option<i64> {
    let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
    let missing = u32::try_from(PRICE_DECIMALS.checked_sub(fraction.len())?).ok()?;
    let fraction_units = if fraction.is_empty() { 0 } else { fraction.parse::<i64>().ok()? };
    whole.parse::<i64>().ok()?.checked_mul(10_000)?.checked_add(fraction_units.checked_mul(10_i64.pow(missing))?)
}
