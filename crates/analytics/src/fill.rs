//! Trades as the analytics see them: what was bought or sold, when, for how much, and under which order.

use std::cmp::Ordering;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::instrument::Instrument;

/// Days are days in India.
pub const INDIA: UtcOffset = time::macros::offset!(+5:30);

/// Who executed a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Broker {
    Zerodha,
    Groww,
}

/// Where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exchange {
    Nse,
    Bse,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Buy,
    Sell,
}

/// Where a fill comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Held before the first trade, as the trader entered.
    Opening,
    /// Shares that were given on top.
    Bonus,
    /// A trade of the log.
    Trade,
    /// A contract at its expiry, at what the trader entered.
    Settled,
    /// The same, taken as worthless because nobody entered anything.
    Worthless,
}

/// What the trader wrote beside a trade, as far as it makes groups.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// The first #tag of the notes; empty without one.
    pub setup: String,
    pub psychology: String,
}

/// So many of an instrument for so much.
#[derive(Clone, Debug)]
pub struct Fill {
    /// In the log; 0 for what is no trade.
    pub trade_id: i64,
    pub source: Source,
    pub broker: Broker,
    pub exchange: Exchange,
    pub instrument: Arc<Instrument>,
    pub side: Side,
    /// Above 0.
    pub quantity: Decimal,
    /// For all of it.
    pub value: Decimal,
    pub at: OffsetDateTime,
    /// In India.
    pub day: Date,
    /// The time of the day is known.
    pub timed: bool,
    /// No broker's file tells it so: it was entered, or changed, by the trader.
    pub by_hand: bool,
    /// The broker's number of the order.
    pub order: Option<Arc<str>>,
    pub words: Option<Arc<Words>>,
    /// Where the trader meant to get out at a loss, in rupees for one unit.
    pub stop_loss: Option<Decimal>,
}

/// What tells an executed order from all others: day, side, and its number, or that of its only fill.
pub type Order<'a> = (Date, Side, Option<&'a str>, i64);

impl Fill {
    /// The order that it belongs to. Without a number a fill is an order of its own.
    pub fn executed_order(&self) -> Order<'_> {
        let alone = if self.order.is_some() { 0 } else { self.trade_id };
        (self.day, self.side, self.order.as_deref(), alone)
    }

    /// By time, then by what it is: which file came first changes nothing.
    pub fn order(&self, other: &Self) -> Ordering {
        self.at
            .cmp(&other.at)
            .then(self.source.cmp(&other.source))
            .then(self.side.cmp(&other.side))
            .then_with(|| self.instrument.symbol.cmp(&other.instrument.symbol))
            .then(self.value.cmp(&other.value))
            .then(self.quantity.cmp(&other.quantity))
            .then_with(|| (self.broker, self.exchange, &self.order).cmp(&(other.broker, other.exchange, &other.order)))
            .then(self.trade_id.cmp(&other.trade_id))
    }

    /// Whether both belong to one executed order.
    pub fn shares_order(&self, other: &Self) -> bool {
        self.order.is_some() && self.order == other.order && self.day == other.day && self.side == other.side
    }
}

/// The part of `amount` that falls on `from` to `to` of `whole`, to 4 decimals. The parts of a whole add up to it.
pub fn share(amount: Decimal, from: Decimal, to: Decimal, whole: Decimal) -> Decimal {
    let up_to = |end: Decimal| {
        if end >= whole || amount.is_zero() {
            return amount;
        }
        in_integers(amount, end, whole).unwrap_or_else(|| {
            let exact = amount.checked_mul(end).and_then(|product| product.checked_div(whole)).unwrap_or_default();
            exact.round_dp(4)
        })
    };
    if from.is_zero() { up_to(to) } else { up_to(to) - up_to(from) }
}

/// `amount` times `end` by `whole`, which are positive, to 4 decimals: dividing decimals is what takes most of an
/// analysis, and integers are far quicker. None where they do not fit.
fn in_integers(amount: Decimal, end: Decimal, whole: Decimal) -> Option<Decimal> {
    let units = |number: Decimal, scale: u32| {
        number.mantissa().checked_mul(10_i128.checked_pow(scale.checked_sub(number.scale())?)?)
    };
    let scale = end.scale().max(whole.scale());
    let whole = units(whole, scale)?;
    let product = units(amount, 4)?.checked_mul(units(end, scale)?)?;
    let rounded = product.checked_add(whole / 2)?.checked_div(whole)?;
    Decimal::try_from_i128_with_scale(rounded, 4).ok()
}
