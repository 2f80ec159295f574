//! What a trader enters because no trade says it. A value of these types is valid.

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
