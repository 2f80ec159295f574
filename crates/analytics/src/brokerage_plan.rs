//! Brokerage plans: a price of an order by which a stated brokerage follows from the orders.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use time::Date;

use crate::charge_rates::{AgreedBrokerage, BrokerPrice};
use crate::fill::{Fill, OrderKey, TradeKind};

/// Prices of an order are multiples of half a rupee. Any sum divided by few orders would be some amount of paise.
const PRICE_STEP: Decimal = Decimal::from_parts(5, 0, 0, false, 1);
/// Highest price of an order, in rupees.
const MAX_PRICE: Decimal = Decimal::from_parts(1_000, 0, 0, false, 0);

/// Price of each order of a kind from a day on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPrice {
    pub kind: TradeKind,
    pub from: Date,
    /// Rupees.
    pub flat: Decimal,
}

impl OrderPrice {
    pub fn to_broker_price(self) -> BrokerPrice {
        let brokerage = AgreedBrokerage { flat: Some(self.flat), ..AgreedBrokerage::default() };
        BrokerPrice::agreed(self.from, self.kind, brokerage)
    }
}

/// Price for the orders of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub kinds: Vec<TradeKind>,
    /// Rupees.
    pub flat: Decimal,
}

impl Plan {
    /// Returns the price of each kind from a day on.
    pub fn prices(&self, from: Date) -> Vec<OrderPrice> {
        self.kinds.iter().map(|kind| OrderPrice { kind: *kind, from, flat: self.flat }).collect()
    }
}

/// Orders by kind, with their estimated brokerage.
#[derive(Default)]
pub struct Orders<'a> {
    kinds: BTreeMap<TradeKind, (BTreeSet<OrderKey<'a>>, Decimal)>,
}

impl<'a> Orders<'a> {
    pub fn add(&mut self, fill: &'a Fill, kind: TradeKind, brokerage: Decimal) {
        let (orders, sum) = self.kinds.entry(kind).or_default();
        orders.insert(fill.order_key());
        *sum += brokerage;
    }

    /// Returns the estimated brokerage.
    pub fn brokerage(&self) -> Decimal {
        self.kinds.values().map(|(_, sum)| sum).sum()
    }

    /// Returns the plans by which `brokerage` may follow: one price for all orders, and one for the orders of each kind.
    /// Orders that are estimated as free remain free, unless all are.
    pub fn plans(&self, brokerage: Decimal) -> Vec<Plan> {
        let is_free = |kind: &TradeKind| self.kinds.get(kind).is_some_and(|(_, sum)| sum.is_zero());
        let all: Vec<TradeKind> = self.kinds.keys().copied().collect();
        let charged: Vec<TradeKind> = all.iter().copied().filter(|kind| !is_free(kind)).collect();
        let charged = if charged.is_empty() { all } else { charged };
        let mut choices: Vec<Vec<TradeKind>> = charged.iter().map(|kind| vec![*kind]).collect();
        if charged.len() > 1 {
            choices.push(charged);
        }
        let plan = |kinds: Vec<TradeKind>| {
            let (orders, others) = self.split(&kinds);
            let flat = order_price(brokerage - others, orders)?;
            Some(Plan { kinds, flat })
        };
        choices.into_iter().filter_map(plan).collect()
    }

    /// Returns the brokerage of a plan. Orders of other kinds cost what is estimated.
    pub fn brokerage_of(&self, plan: &Plan) -> Decimal {
        let (orders, others) = self.split(&plan.kinds);
        others + plan.flat * Decimal::from(orders)
    }

    /// Returns the number of orders of some kinds, and the estimated brokerage of the others. An order of shares that is
    /// partly intraday and partly delivery is charged once.
    fn split(&self, kinds: &[TradeKind]) -> (usize, Decimal) {
        let mut others = Decimal::ZERO;
        let mut orders: BTreeSet<&OrderKey> = BTreeSet::new();
        for (kind, (orders_of_kind, sum)) in &self.kinds {
            if kinds.contains(kind) {
                orders.extend(orders_of_kind.iter());
            } else {
                others += sum;
            }
        }
        (orders.len(), others)
    }
}

/// Returns the price of one order; none if it is not a usual one.
fn order_price(brokerage: Decimal, orders: usize) -> Option<Decimal> {
    let price = brokerage.checked_div(orders.into())?;
    let is_usual = price >= Decimal::ZERO && price <= MAX_PRICE && (price % PRICE_STEP).is_zero();
    is_usual.then(|| price.normalize())
}
