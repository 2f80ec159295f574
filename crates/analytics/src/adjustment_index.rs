//! Index of adjustments by symbol: renamed symbols, and the shares that mergers and demergers link.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rust_decimal::Decimal;
use time::Date;

use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::instrument::Instrument;

/// Index of an account's adjustments by symbol. Built once for all instruments, because an account may have a hundred
/// times as many instruments as adjustments.
pub struct AdjustmentIndex<'a> {
    /// Latest symbol of every renamed symbol.
    latest_symbols: HashMap<&'a str, &'a str>,
    /// Adjustments by the latest symbol of their share, the oldest first.
    by_symbol: HashMap<&'a str, Vec<&'a Adjustment>>,
    /// Groups of shares that mergers and demergers link.
    groups: Vec<LinkedShares<'a>>,
    /// Index of the group of each linked share, by its latest symbol.
    group_indices: HashMap<&'a str, usize>,
}

/// Shares that mergers and demergers link. They are matched together, because lots of one become lots of another.
pub struct LinkedShares<'a> {
    /// Latest symbols, sorted.
    pub symbols: Vec<&'a str>,
    /// Adjustments of all these shares, the oldest first.
    pub adjustments: Vec<&'a Adjustment>,
}

impl<'a> AdjustmentIndex<'a> {
    pub fn new(adjustments: &'a [Adjustment]) -> Self {
        let latest_symbols = latest_symbols(adjustments);
        let mut by_symbol: HashMap<&'a str, Vec<&'a Adjustment>> = HashMap::new();
        for adjustment in adjustments {
            let symbol = latest_symbols.get(&*adjustment.symbol).copied().unwrap_or(&adjustment.symbol);
            by_symbol.entry(symbol).or_default().push(adjustment);
        }
        by_symbol.values_mut().for_each(|adjustments| adjustments.sort_by_key(|adjustment| adjustment.order()));
        let mut index = Self { latest_symbols, by_symbol, groups: Vec::new(), group_indices: HashMap::new() };
        index.link_shares(adjustments);
        index
    }

    /// Groups the shares that mergers and demergers link.
    fn link_shares(&mut self, adjustments: &'a [Adjustment]) {
        let latest = |symbol: &'a str| self.latest_symbols.get(symbol).copied().unwrap_or(symbol);
        // The first symbol of a group by each of its other symbols.
        let mut first_symbols = HashMap::new();
        for adjustment in adjustments {
            let (AdjustmentKind::Merger { into: other, .. } | AdjustmentKind::Demerger { new_symbol: other, .. }) =
                &adjustment.kind
            else {
                continue;
            };
            let one = resolve(&mut first_symbols, latest(&adjustment.symbol));
            let other = resolve(&mut first_symbols, latest(other));
            if one != other {
                first_symbols.insert(one.max(other), one.min(other));
            }
        }
        let symbols: Vec<&'a str> = first_symbols.keys().copied().collect();
        let mut groups: BTreeMap<&'a str, BTreeSet<&'a str>> = BTreeMap::new();
        for symbol in symbols {
            let first = resolve(&mut first_symbols, symbol);
            groups.entry(first).or_default().extend([first, symbol]);
        }
        for group in groups.into_values() {
            let mut adjustments: Vec<&'a Adjustment> =
                group.iter().filter_map(|symbol| self.by_symbol.get(symbol)).flatten().copied().collect();
            adjustments.sort_by_key(|adjustment| adjustment.order());
            self.group_indices.extend(group.iter().map(|symbol| (*symbol, self.groups.len())));
            self.groups.push(LinkedShares { symbols: group.into_iter().collect(), adjustments });
        }
    }

    /// Returns the shares that are matched together with a share; none if there is no other.
    pub fn linked_shares(&self, symbol: &str) -> Option<&LinkedShares<'a>> {
        self.groups.get(*self.group_indices.get(self.latest_symbol(symbol))?)
    }

    /// Returns the symbol of the ledger that contains a share: its latest symbol, or the first of its group.
    pub fn ledger_symbol<'s>(&'s self, symbol: &'s str) -> &'s str {
        let first = self.linked_shares(symbol).and_then(|group| group.symbols.first().copied());
        first.unwrap_or_else(|| self.latest_symbol(symbol))
    }

    /// Returns the latest symbol of a share.
    pub fn latest_symbol<'s>(&'s self, symbol: &'s str) -> &'s str {
        self.latest_symbols.get(symbol).copied().unwrap_or(symbol)
    }

    /// Returns the adjustments of a share under any of its symbols, the oldest first.
    pub fn for_share(&self, symbol: &str) -> &[&'a Adjustment] {
        self.by_symbol.get(self.latest_symbol(symbol)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the key of a contract's ledger: its latest symbol in capitals, or for an option whose underlying had splits
    /// or bonuses the terms that it has after all of them. The exchange divides the strike by the same ratio.
    pub fn contract_key(&self, instrument: &Instrument, traded: Date) -> String {
        let symbol = instrument.symbol.to_uppercase();
        let Instrument { class, underlying, expiry: Some(expiry), strike: Some(strike), .. } = instrument else {
            return self.latest_symbol(&symbol).to_owned();
        };
        let splits = self.splits_until(underlying, expiry.day);
        if splits.is_empty() {
            return self.latest_symbol(&symbol).to_owned();
        }
        let later = splits.iter().filter(|(day, _)| *day > traded);
        let strike = later.fold(*strike, |strike, (_, ratio)| divide_strike(strike, *ratio));
        format!("{underlying} {} {class:?} {}", expiry.day, strike.normalize())
    }

    /// Returns whether the terms of an underlying's options may change with the day.
    pub fn has_splits(&self, underlying: &str) -> bool {
        !self.by_symbol.is_empty() && !self.splits_until(underlying, Date::MAX).is_empty()
    }

    /// Returns the splits and bonuses of a share up to `last_day` with their ex-dates, the oldest first.
    fn splits_until(&self, symbol: &str, last_day: Date) -> Vec<(Date, Ratio)> {
        let split = |adjustment: &&Adjustment| {
            let ratio = match adjustment.kind {
                AdjustmentKind::Split(ratio) => ratio,
                AdjustmentKind::Bonus { ratio: Ratio { new, old }, .. } => Ratio { new: new.saturating_add(old), old },
                _ => return None,
            };
            (adjustment.day <= last_day).then_some((adjustment.day, ratio))
        };
        self.for_share(symbol).iter().filter_map(split).collect()
    }

    /// Returns the changes of a contract by the exchange, the oldest first. For a split or bonus of the underlying, the
    /// exchange multiplies the quantity of open contracts by the ratio and divides their prices by it.
    pub fn contract_actions(&self, symbols: &[&str], underlying: &str) -> Vec<ContractAction<'a>> {
        let splits = self.splits_until(underlying, Date::MAX).into_iter();
        let split =
            |(day, ratio)| ContractAction { day, new_symbol: None, ratio, price_cut: Decimal::ZERO, is_split: true };
        let splits = splits.map(split);
        let adjusted = self.for_contract(symbols).into_iter().filter_map(|adjustment| match adjustment.kind {
            AdjustmentKind::ContractAdjustment { ref new_symbol, ratio, price_cut } => {
                let new_symbol = new_symbol.as_deref();
                Some(ContractAction { day: adjustment.day, new_symbol, ratio, price_cut, is_split: false })
            }
            _ => None,
        });
        let mut actions: Vec<ContractAction<'a>> = splits.chain(adjusted).collect();
        actions.sort_by_key(|action| action.day);
        actions
    }

    /// Returns the settlement prices of a contract with their days, the oldest first. `symbols` are those of its trades in
    /// capitals.
    pub fn settlements(&self, symbols: &[&str]) -> Vec<(Date, Decimal)> {
        let settlement = |adjustment: &Adjustment| match adjustment.kind {
            AdjustmentKind::Settlement(price) => Some((adjustment.day, price)),
            _ => None,
        };
        self.for_contract(symbols).into_iter().filter_map(settlement).collect()
    }

    /// Returns the adjustments of a contract under any of its symbols, the oldest first.
    fn for_contract(&self, symbols: &[&str]) -> Vec<&'a Adjustment> {
        let latest: BTreeSet<&str> = symbols.iter().map(|symbol| self.latest_symbol(symbol)).collect();
        let mut adjustments: Vec<&Adjustment> =
            latest.into_iter().flat_map(|symbol| self.for_share(symbol)).copied().collect();
        adjustments.sort_by_key(|adjustment| adjustment.order());
        adjustments
    }
}

/// Change of a contract by the exchange.
pub struct ContractAction<'a> {
    pub day: Date,
    /// Symbol with the changed strike; none if the symbol stays, and for a split.
    pub new_symbol: Option<&'a str>,
    /// `new` units replace `old` units, at an unchanged value.
    pub ratio: Ratio,
    /// Rupees by which the entry price of one unit is reduced, after `ratio`.
    pub price_cut: Decimal,
    /// True for a split or bonus of the underlying.
    pub is_split: bool,
}

/// Divides a strike by the ratio of a split and rounds it to 5 paise, as the exchange does.
fn divide_strike(strike: Decimal, ratio: Ratio) -> Decimal {
    let steps = |strike: Decimal| {
        let exact = strike.checked_mul(Decimal::from(ratio.old))?.checked_div(Decimal::from(ratio.new))?;
        Some((exact.checked_mul(Decimal::from(20))?).round() / Decimal::from(20))
    };
    steps(strike).unwrap_or(strike)
}

/// Symbols whose adjustments differ between two lists.
pub struct ChangedSymbols<'a> {
    /// Symbols of the ledgers before the change.
    pub ledgers: HashSet<&'a str>,
    /// Latest symbols of the shares before and after the change, with their index.
    shares: [(&'a AdjustmentIndex<'a>, HashSet<&'a str>); 2],
}

impl<'a> ChangedSymbols<'a> {
    /// Compares two lists of adjustments, with their indexes.
    pub fn new(before: &'a [Adjustment], after: &'a [Adjustment], indexes: [&'a AdjustmentIndex<'a>; 2]) -> Self {
        let (old, new): (HashSet<&Adjustment>, HashSet<&Adjustment>) =
            (before.iter().collect(), after.iter().collect());
        let changed = old.symmetric_difference(&new);
        let symbols: BTreeSet<&str> = changed
            .flat_map(|adjustment| [Some(&*adjustment.symbol), adjustment.kind.other_symbol()])
            .flatten()
            .collect();
        let [old_index, _] = indexes;
        Self {
            ledgers: symbols.iter().map(|symbol| old_index.ledger_symbol(symbol)).collect(),
            shares: indexes.map(|index| (index, symbols.iter().map(|symbol| index.latest_symbol(symbol)).collect())),
        }
    }

    /// Returns whether the adjustments of a share differ, or those of a share in its ledger.
    pub fn has_share(&self, symbol: &str) -> bool {
        let (before, _) = &self.shares[0];
        self.ledgers.contains(before.ledger_symbol(symbol))
            || self.shares.iter().any(|(index, shares)| shares.contains(index.latest_symbol(symbol)))
    }
}

/// Maps every renamed symbol to the latest symbol of its share. If renames form a circle, the newest rename wins.
fn latest_symbols(adjustments: &[Adjustment]) -> HashMap<&str, &str> {
    let renames = adjustments.iter().filter_map(|adjustment| match &adjustment.kind {
        AdjustmentKind::Rename(to) | AdjustmentKind::ContractAdjustment { new_symbol: Some(to), .. } => {
            Some((Reverse((adjustment.day, adjustment.id)), &*adjustment.symbol, &**to))
        }
        _ => None,
    });
    let mut renames: Vec<_> = renames.collect();
    renames.sort();
    let mut symbols = HashMap::new();
    for (_, from, to) in renames.iter().copied() {
        // A rename that would close a circle is older than the others of the circle, and is ignored.
        if resolve(&mut symbols, to) != from {
            symbols.entry(from).or_insert(to);
        }
    }
    for (_, from, _) in renames {
        resolve(&mut symbols, from);
    }
    symbols
}

/// Follows the renames of `symbol` to the latest symbol, and lets every symbol on the way point directly to it.
fn resolve<'a>(symbols: &mut HashMap<&'a str, &'a str>, symbol: &'a str) -> &'a str {
    let mut latest = symbol;
    while let Some(next) = symbols.get(latest) {
        latest = next;
    }
    let mut current = symbol;
    while let Some(next) = symbols.get_mut(current) {
        current = std::mem::replace(next, latest);
    }
    latest
}
