//! Payoff of a strategy at expiry, net of charges.
//!
//! Between two strikes the payoff is a line. At a strike it may jump, because an option in the money pays the charges of
//! its exercise, assignment or delivery. Charges of the delivery of a stock future are not included.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use rust_decimal::Decimal;
use time::Date;

use super::expiry_charges::Expiry;
use super::lot_part::LotPart;
use crate::broker_terms::BrokerTerms;
use crate::charge_rates::ChargeRates;
use crate::instrument::Class;

/// Share of the lowest strike by which the drawn prices exceed the strikes at least.
const MIN_MARGIN: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// Profit or loss by the price of the underlying at expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payoff {
    pub expiry: Date,
    /// In ascending order of prices; a jump has two points of the same price.
    pub points: Vec<PayoffPoint>,
    /// Prices at which the result changes its sign, ascending.
    pub break_evens: Vec<Decimal>,
    /// None if unlimited.
    pub max_profit: Option<Decimal>,
    /// Largest loss as a negative number, or the smallest profit. None if unlimited.
    pub max_loss: Option<Decimal>,
    /// The brokerage of an exercise, assignment or delivery is not known, and not included.
    pub brokerage_missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoffPoint {
    pub price: Decimal,
    pub profit: Decimal,
}

/// Line `base + slope * price` between two prices.
struct Line {
    from: Decimal,
    /// None if it has no end.
    to: Option<Decimal>,
    base: Decimal,
    slope: Decimal,
}

impl Payoff {
    /// Computes the payoff of open lots; `realised` is the net result of what was closed before. None if no option is
    /// open, or if contracts expire on several days: then it depends on prices that no trade states.
    pub fn new(lots: &[&LotPart], realised: Decimal, rates: &ChargeRates, terms: &BrokerTerms) -> Option<Self> {
        let mut expiries: Vec<Date> =
            lots.iter().filter_map(|lot| lot.instrument.expiry).map(|expiry| expiry.day).collect();
        expiries.sort_unstable();
        expiries.dedup();
        let [expiry] = expiries.as_slice() else { return None };
        let mut strikes: Vec<Decimal> = lots.iter().filter_map(|lot| lot.instrument.strike).collect();
        strikes.sort_unstable();
        strikes.dedup();
        if strikes.is_empty() || lots.iter().any(|lot| lot.instrument.is_contract() && lot.instrument.expiry.is_none())
        {
            return None;
        }
        let at_expiry = Expiry { day: *expiry, rates, terms };
        let whole = merge_lots(lots);
        let starts = [Decimal::ZERO].into_iter().chain(strikes.iter().copied());
        let ends = strikes.iter().copied().map(Some).chain([None]);
        let lines: Vec<Line> =
            starts.zip(ends).map(|(from, to)| Line::new(from, to, &whole, realised, &at_expiry)).collect();
        let upside = net_upside(lots);
        // Beyond the outer strikes of hedged legs only STT changes, which is not counted.
        let is_open_below = !net_downside(lots).is_zero();
        let counted = usize::from(!is_open_below)..lines.len() - usize::from(upside.is_zero());
        let break_evens = find_break_evens(&lines, &counted);
        let at_zero = is_open_below.then_some(Decimal::ZERO);
        let corners = || strikes.iter().copied().chain(at_zero);
        let extremes = || corners().flat_map(|price| lines.iter().filter_map(move |line| line.at_end(price)));
        Some(Self {
            expiry: *expiry,
            points: to_points(&lines, &strikes, &break_evens),
            max_profit: if upside > Decimal::ZERO { None } else { extremes().max() },
            max_loss: if upside < Decimal::ZERO { None } else { extremes().min() },
            break_evens,
            brokerage_missing: !whole.iter().all(|lot| at_expiry.has_price(lot)),
        })
    }
}

/// Adds up the lots of each instrument and side: a strategy may have thousands, and a broker's price is for all of them.
fn merge_lots(lots: &[&LotPart]) -> Vec<LotPart> {
    let mut merged: BTreeMap<(usize, bool), LotPart> = BTreeMap::new();
    for lot in lots {
        match merged.entry((lot.ledger, lot.long)) {
            Entry::Vacant(entry) => drop(entry.insert((*lot).clone())),
            Entry::Occupied(mut entry) => {
                let whole = entry.get_mut();
                whole.quantity += lot.quantity;
                whole.entry_value += lot.entry_value;
                whole.entry_charges = whole.entry_charges + lot.entry_charges;
            }
        }
    }
    merged.into_values().collect()
}

/// Returns the quantity by which calls, shares and futures gain with a rising price, less that by which they lose.
fn net_upside(lots: &[&LotPart]) -> Decimal {
    let gains = |lot: &&&LotPart| lot.instrument.class != Class::Put;
    lots.iter().filter(gains).map(|lot| lot.sign() * lot.quantity).sum()
}

/// Returns the quantity by which puts, shares and futures gain with a falling price, less that by which they lose.
fn net_downside(lots: &[&LotPart]) -> Decimal {
    let gain = |lot: &&LotPart| match lot.instrument.class {
        Class::Call => Decimal::ZERO,
        Class::Put => lot.sign() * lot.quantity,
        Class::Equity | Class::Future => -lot.sign() * lot.quantity,
    };
    lots.iter().map(gain).sum()
}

/// Returns whether the loss is limited by other legs: calls, shares and futures bought for those sold, and puts bought
/// for those sold and for shares and futures bought.
pub fn has_defined_risk(lots: &[&LotPart]) -> bool {
    net_upside(lots) >= Decimal::ZERO && net_downside(lots) >= Decimal::ZERO
}

impl Line {
    fn new(from: Decimal, to: Option<Decimal>, lots: &[LotPart], realised: Decimal, expiry: &Expiry<'_>) -> Self {
        let strike = |lot: &LotPart| lot.instrument.strike.unwrap_or_default();
        let is_settled = |lot: &&LotPart| match lot.instrument.class {
            Class::Equity | Class::Future => true,
            Class::Call => from >= strike(lot),
            Class::Put => to.is_some_and(|to| to <= strike(lot)),
        };
        let settled: Vec<&LotPart> = lots.iter().filter(is_settled).collect();
        let cost: Decimal = lots.iter().map(|lot| lot.sign() * lot.entry_value + lot.entry_charges.total).sum();
        let mut line = Self { from, to, base: realised - cost, slope: Decimal::ZERO };
        for lot in &settled {
            let (slope, base) = match lot.instrument.class {
                Class::Equity | Class::Future => (Decimal::ONE, Decimal::ZERO),
                Class::Call => (Decimal::ONE, -strike(lot)),
                Class::Put => (Decimal::NEGATIVE_ONE, strike(lot)),
            };
            let charges = expiry.charges(lot, &settled);
            let factor = (lot.sign() - charges.of_intrinsic) * lot.quantity;
            line.slope += factor * slope;
            line.base += factor * base - charges.fixed;
        }
        line
    }

    fn at(&self, price: Decimal) -> Decimal {
        (self.base + self.slope * price).round_dp(2)
    }

    /// Returns the result at one of its ends; none at other prices.
    fn at_end(&self, price: Decimal) -> Option<Decimal> {
        (price == self.from || Some(price) == self.to).then(|| self.at(price))
    }
}

/// Returns the prices at which the result changes its sign: on the lines with these indices, and at jumps.
fn find_break_evens(lines: &[Line], counted: &Range<usize>) -> Vec<Decimal> {
    let mut prices = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let next = line.to.zip(lines.get(index + 1));
        let root = (-line.base).checked_div(line.slope);
        let root = root.filter(|_| counted.contains(&index));
        prices.extend(root.filter(|root| *root > line.from && line.to.is_none_or(|to| *root <= to)));
        if let Some((price, next)) = next {
            let (before, after) = (line.at(price), next.at(price));
            let jumps_over_zero =
                (before < Decimal::ZERO && after > Decimal::ZERO) || (before > Decimal::ZERO && after < Decimal::ZERO);
            prices.extend(jumps_over_zero.then_some(price));
        }
    }
    let mut prices: Vec<Decimal> = prices.into_iter().map(|price| price.round_dp(2)).collect();
    prices.sort_unstable();
    prices.dedup();
    prices
}

/// Returns the corners of the payoff, from below the lowest to above the highest strike and break-even.
fn to_points(lines: &[Line], strikes: &[Decimal], break_evens: &[Decimal]) -> Vec<PayoffPoint> {
    let marks = || strikes.iter().chain(break_evens).copied();
    let (Some(low), Some(high)) = (marks().min(), marks().max()) else { return Vec::new() };
    let margin = ((high - low) / Decimal::TWO).max(low * MIN_MARGIN).round();
    let (low, high) = ((low - margin).max(Decimal::ZERO), high + margin);
    let mut points: Vec<PayoffPoint> = Vec::new();
    for line in lines {
        let ends = [line.from.max(low), line.to.unwrap_or(high).min(high)];
        let point = |price: Decimal| PayoffPoint { price, profit: line.at(price) };
        points.extend(ends.map(point));
    }
    points.dedup();
    points
}
