//! Terms of an account with a broker that charges and tax depend on.

use rust_decimal::Decimal;
use time::Date;

use crate::trade::named_enum;

/// Plan of an account about which nothing is known.
pub(crate) const STANDARD_PLAN: &str = "standard";
/// First day of a price that holds from the beginning: no trade is earlier.
pub(crate) const FIRST_DAY: Date = time::macros::date!(1990 - 01 - 01);

named_enum!(
    /// Kind of order with a brokerage of its own.
    BrokerageKind {
        /// Shares kept over night.
        Delivery = "delivery",
        /// Shares bought and sold on one day.
        Intraday = "intraday",
        /// Futures.
        Futures = "futures",
        /// Options.
        Options = "options",
    }
);

/// Brokerage for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokeragePrice {
    pub kind: BrokerageKind,
    /// First day on which it applies.
    pub first_day: Date,
    pub terms: BrokerageTerms,
}

/// Terms of a brokerage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokerageTerms {
    /// Rupees for an order.
    Flat(Decimal),
    /// Percentage of the value of an order, within limits in rupees.
    Percent { percent: Decimal, min: Option<Decimal>, max: Option<Decimal> },
}

/// Terms of an account with a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerAccountSettings {
    /// Price list of the broker.
    pub plan: String,
    /// The first holder of the demat account is a woman.
    pub woman_first_holder: bool,
    pub opened_on: Option<Date>,
    pub closed_on: Option<Date>,
    /// Brokerage agreed with the broker, by kind and first day.
    pub brokerage: Vec<BrokeragePrice>,
}

impl Default for BrokerAccountSettings {
    fn default() -> Self {
        Self {
            plan: STANDARD_PLAN.to_owned(),
            woman_first_holder: false,
            opened_on: None,
            closed_on: None,
            brokerage: Vec::new(),
        }
    }
}
