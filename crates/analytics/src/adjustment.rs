//! What a trader enters because no trade says it. A value of these types is valid.

use std::cmp::Reverse;
use std::collections::HashMap;

use rust_decimal::Decimal;
use time::Date;

use crate::fill::Broker;

/// An entry, from the start of its day on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Counted within the account.
    pub id: i64,
    /// In capitals.
    pub symbol: String,
    /// The ex-date, the expiry, or the day of purchase.
    pub day: Date,
    pub what: What,
}

/// So many shares for, or on top of, so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    pub new: i32,
    pub old: i32,
}

/// What is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// `new` shares for `old`.
    Split(Ratio),
    /// `new` shares on top of `old`.
    Bonus(Ratio),
    /// Another symbol from that day on.
    Rename(String),
    /// What a unit of a contract was settled at.
    Settlement(Decimal),
    /// Shares that were held before the first trade.
    Opening { broker: Broker, quantity: Decimal, price: Decimal },
}

impl What {
    /// The name in the tables.
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

/// The entries of an account, found by what they are about. Made once for all instruments: of those there may be a
/// hundred times as many.
pub struct Entries<'a> {
    /// The last name of every symbol that was renamed.
    names: HashMap<&'a str, &'a str>,
    /// By the last name of their symbol, the oldest first.
    by_name: HashMap<&'a str, Vec<&'a Adjustment>>,
}

impl<'a> Entries<'a> {
    pub fn of(adjustments: &'a [Adjustment]) -> Self {
        let mut entries = Self { names: last_names(adjustments), by_name: HashMap::new() };
        for adjustment in adjustments {
            let name = entries.names.get(&*adjustment.symbol).copied().unwrap_or(&adjustment.symbol);
            entries.by_name.entry(name).or_default().push(adjustment);
        }
        for of_name in entries.by_name.values_mut() {
            of_name.sort_by_key(|adjustment| (adjustment.day, adjustment.what.name(), adjustment.id));
        }
        entries
    }

    /// The last name of a share.
    pub fn last_name<'s>(&'s self, symbol: &'s str) -> &'s str {
        self.names.get(symbol).copied().unwrap_or(symbol)
    }

    /// What is entered about a share, whatever it was called then; the oldest first.
    pub fn of_share(&self, symbol: &str) -> &[&'a Adjustment] {
        self.by_name.get(self.last_name(symbol)).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a unit of a contract was settled at, each with the day that was entered; the oldest first.
    pub fn settlements(&self, symbol: &str) -> Vec<(Date, Decimal)> {
        // The log keeps a contract as the broker writes it, an entry is in capitals.
        let symbol = symbol.to_uppercase();
        let settlement = |adjustment: &&Adjustment| match adjustment.what {
            What::Settlement(price) if adjustment.symbol == symbol => Some((adjustment.day, price)),
            _ => None,
        };
        self.of_share(&symbol).iter().filter_map(settlement).collect()
    }
}

/// What every symbol that was renamed is called since. Names that go round in a circle end with the latest of them.
fn last_names(adjustments: &[Adjustment]) -> HashMap<&str, &str> {
    let renames = adjustments.iter().filter_map(|adjustment| match &adjustment.what {
        What::Rename(to) => Some((Reverse((adjustment.day, adjustment.id)), &*adjustment.symbol, &**to)),
        What::Split(_) | What::Bonus(_) | What::Settlement(_) | What::Opening { .. } => None,
    });
    let mut renames: Vec<_> = renames.collect();
    renames.sort();
    let mut names = HashMap::new();
    for (_, from, to) in renames.iter().copied() {
        // One that would close a circle is older than the others of it.
        if follow(&mut names, to) != from {
            names.entry(from).or_insert(to);
        }
    }
    for (_, from, _) in renames {
        follow(&mut names, from);
    }
    names
}

/// Where the names lead to. All that are on the way lead straight there from then on.
fn follow<'a>(names: &mut HashMap<&'a str, &'a str>, name: &'a str) -> &'a str {
    let mut last = name;
    while let Some(next) = names.get(last) {
        last = next;
    }
    let mut passed = name;
    while let Some(next) = names.get_mut(passed) {
        passed = std::mem::replace(next, last);
    }
    last
}

impl Broker {
    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zerodha => "zerodha",
            Self::Groww => "groww",
        }
    }

    /// The broker of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Zerodha, Self::Groww].into_iter().find(|broker| broker.name() == name)
    }
}
