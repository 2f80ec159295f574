//! Adjustments: facts that no trade states and the trader enters, such as corporate actions, opening holdings and
//! settlements. A value of these types is valid.

use std::cmp::Reverse;
use std::collections::HashMap;

use rust_decimal::Decimal;
use time::Date;

use crate::fill::BrokerAccount;

/// Adjustment entered by the trader, effective from the start of its day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Number within the account.
    pub id: i64,
    /// Symbol in capitals.
    pub symbol: String,
    /// Ex-date of a corporate action, expiry of a settled contract, or purchase day of an opening holding.
    pub day: Date,
    pub kind: AdjustmentKind,
}

/// Ratio of a split or a bonus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    pub new: i32,
    pub old: i32,
}

/// Kind of an adjustment, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdjustmentKind {
    /// `new` shares replace `old` shares.
    Split(Ratio),
    /// `new` shares are added to every `old` shares.
    Bonus(Ratio),
    /// The share or contract has this symbol from that day on.
    Rename(String),
    /// Settlement price of one unit of a contract.
    Settlement(Decimal),
    /// Shares held before the first trade.
    Opening { account: BrokerAccount, quantity: Decimal, price: Decimal },
}

impl AdjustmentKind {
    /// Returns the name in the tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Split(_) => "split",
            Self::Bonus(_) => "bonus",
            Self::Rename(_) => "rename",
            Self::Settlement(_) => "settlement",
            Self::Opening { .. } => "opening",
        }
    }
}

/// Index of an account's adjustments by symbol. Built once for all instruments, because an account may have a hundred
/// times as many instruments as adjustments.
pub struct AdjustmentIndex<'a> {
    /// Latest symbol of every renamed symbol.
    latest_symbols: HashMap<&'a str, &'a str>,
    /// Adjustments by the latest symbol of their share, the oldest first.
    by_symbol: HashMap<&'a str, Vec<&'a Adjustment>>,
}

impl<'a> AdjustmentIndex<'a> {
    pub fn new(adjustments: &'a [Adjustment]) -> Self {
        let mut index = Self { latest_symbols: latest_symbols(adjustments), by_symbol: HashMap::new() };
        for adjustment in adjustments {
            let symbol = index.latest_symbols.get(&*adjustment.symbol).copied().unwrap_or(&adjustment.symbol);
            index.by_symbol.entry(symbol).or_default().push(adjustment);
        }
        for adjustments in index.by_symbol.values_mut() {
            adjustments.sort_by_key(|adjustment| (adjustment.day, adjustment.kind.name(), adjustment.id));
        }
        index
    }

    /// Returns the latest symbol of a share.
    pub fn latest_symbol<'s>(&'s self, symbol: &'s str) -> &'s str {
        self.latest_symbols.get(symbol).copied().unwrap_or(symbol)
    }

    /// Returns the adjustments of a share under any of its symbols, the oldest first.
    pub fn for_share(&self, symbol: &str) -> &[&'a Adjustment] {
        self.by_symbol.get(self.latest_symbol(symbol)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the splits and bonuses of a contract's underlying with their ex-dates, the oldest first. For both, the
    /// exchange multiplies the quantity of open contracts by the ratio and divides their prices by it.
    pub fn contract_splits(&self, underlying: &str) -> Vec<(Date, Ratio)> {
        let split = |adjustment: &&Adjustment| match adjustment.kind {
            AdjustmentKind::Split(ratio) => Some((adjustment.day, ratio)),
            AdjustmentKind::Bonus(Ratio { new, old }) => {
                Some((adjustment.day, Ratio { new: new.saturating_add(old), old }))
            }
            AdjustmentKind::Rename(_) | AdjustmentKind::Settlement(_) | AdjustmentKind::Opening { .. } => None,
        };
        self.for_share(underlying).iter().filter_map(split).collect()
    }

    /// Returns the settlement prices of a contract under any of its symbols with their days, the oldest first.
    pub fn settlements(&self, symbol: &str) -> Vec<(Date, Decimal)> {
        // The trade log stores the symbol of a contract as the broker writes it; adjustments are in capitals.
        let symbol = symbol.to_uppercase();
        let settlement = |adjustment: &&Adjustment| match adjustment.kind {
            AdjustmentKind::Settlement(price) => Some((adjustment.day, price)),
            _ => None,
        };
        self.for_share(&symbol).iter().filter_map(settlement).collect()
    }
}

/// Maps every renamed symbol to the latest symbol of its share. If renames form a circle, the newest rename wins.
fn latest_symbols(adjustments: &[Adjustment]) -> HashMap<&str, &str> {
    let renames = adjustments.iter().filter_map(|adjustment| match &adjustment.kind {
        AdjustmentKind::Rename(to) => Some((Reverse((adjustment.day, adjustment.id)), &*adjustment.symbol, &**to)),
        AdjustmentKind::Split(_)
        | AdjustmentKind::Bonus(_)
        | AdjustmentKind::Settlement(_)
        | AdjustmentKind::Opening { .. } => None,
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
