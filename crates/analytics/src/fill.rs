//! Fills: executed trades as the analysis uses them.

use std::cmp::Ordering;
use std::sync::Arc;

pub use rpc::broker::Broker;
use rpc::broker_account::{broker_account_key, parse_broker_account_key};
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::exchange::Exchange;
use crate::fill_key::FillKey;
use crate::instrument::Instrument;

/// Offset of India time, in which days are counted.
pub const INDIA: UtcOffset = time::macros::offset!(+5:30);

/// Account of the trader with a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BrokerAccount {
    pub broker: Broker,
    /// Number among the trader's accounts with this broker, from 1.
    pub number: u8,
}

impl BrokerAccount {
    /// Returns the key in the tables.
    pub fn key(self) -> String {
        broker_account_key(self.broker.name(), self.number)
    }

    /// Parses the key in the tables.
    pub fn from_key(key: &str) -> Option<Self> {
        let (broker, number) = parse_broker_account_key(key)?;
        Some(Self { broker: Broker::from_name(broker)?, number })
    }
}

/// Side of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Buy,
    Sell,
}

/// Kind of a trade, on which charges and taxes depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TradeKind {
    /// Shares bought and sold on one day.
    Intraday,
    Delivery,
    Futures,
    Options,
}

impl TradeKind {
    /// Returns the name in the rate files and in keys of groups.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intraday => "intraday",
            Self::Delivery => "delivery",
            Self::Futures => "futures",
            Self::Options => "options",
        }
    }
}

/// Source of a fill. Fills of the same time are sorted in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Opening holding that the trader entered.
    Opening,
    /// Bonus shares.
    Bonus,
    /// Shares that a demerger added.
    Demerger,
    /// Rights issue that the trader entered.
    Rights,
    /// Trade of the trade log.
    Trade,
    /// Buyback that the trader entered, with the number of the adjustment.
    Buyback { adjustment: i64 },
    /// Payment for a fraction of a share that the trader entered, with the number of the adjustment.
    FractionPayment { adjustment: i64 },
    /// Settlement of a contract at its expiry, at the price that the trader entered.
    Settled,
    /// Shares received or delivered for a stock derivative at its expiry.
    Delivered,
}

impl Source {
    /// Returns whether it is a trade, or an adjustment that acts like one.
    pub fn is_entered(self) -> bool {
        matches!(self, Self::Trade | Self::Opening | Self::Rights | Self::Buyback { .. })
    }
}

/// Labels from the trader's notes on a trade, by which closed trades can be grouped.
#[derive(Debug, PartialEq, Eq)]
pub struct Labels {
    /// First `#tag` of the notes in lower case; empty if there is none.
    pub setup: String,
    pub psychology: String,
}

/// Executed trade, or an entry of the trader that acts like one.
#[derive(Clone, Debug)]
pub struct Fill {
    /// Number in the trade log; 0 if this is not a trade of the log.
    pub trade_id: i64,
    pub key: FillKey,
    pub source: Source,
    pub account: BrokerAccount,
    pub exchange: Exchange,
    pub instrument: Arc<Instrument>,
    pub side: Side,
    /// Above 0.
    pub quantity: Decimal,
    /// Rupees for the whole quantity.
    pub value: Decimal,
    pub executed_at: OffsetDateTime,
    /// Day of execution in India.
    pub day: Date,
    /// True if the time of day is known.
    pub has_time: bool,
    /// True for shares that are delivered even if as many are bought and sold on the day: trade to trade, or in the
    /// exchange's auction.
    pub delivery_only: bool,
    /// True if the trader entered or edited it, so that it may differ from the broker's file.
    pub manual: bool,
    /// Order number of the broker.
    pub order_id: Option<Arc<str>>,
    pub labels: Option<Arc<Labels>>,
    /// Stop loss that the trader planned, in rupees per unit.
    pub stop_loss: Option<Decimal>,
}

/// Identity of an executed order: day, side, and the order number. Without an order number, the trade number, or for a
/// matched pair the contract and its price.
pub type OrderKey<'a> = (Date, Side, Option<&'a str>, i64, Option<(&'a str, Decimal)>);

impl Fill {
    /// Returns the key of its order. A fill without an order number is an order of its own, except in Groww's report of
    /// matched pairs, which repeats an entry for each of its exits: there, the same price is the same order.
    pub fn order_key(&self) -> OrderKey<'_> {
        if self.order_id.is_none() && self.is_of_matched_pair() {
            let price = self.value.checked_div(self.quantity).unwrap_or_default().round_dp(2);
            return (self.day, self.side, None, 0, Some((&self.instrument.symbol, price)));
        }
        let trade_id = if self.order_id.is_some() { 0 } else { self.trade_id };
        (self.day, self.side, self.order_id.as_deref(), trade_id, None)
    }

    /// Returns whether it comes from Groww's report for futures and options, which states days without times.
    fn is_of_matched_pair(&self) -> bool {
        self.account.broker == Broker::Groww && self.instrument.is_contract() && !self.has_time && !self.manual
    }

    /// Orders fills by time, then by their contents, so that the order of imports does not matter.
    pub fn compare(&self, other: &Self) -> Ordering {
        // The time decides nearly always, so nothing else is compared before.
        self.executed_at.cmp(&other.executed_at).then_with(|| self.compare_contents(other))
    }

    fn compare_contents(&self, other: &Self) -> Ordering {
        self.source
            .cmp(&other.source)
            .then_with(|| self.side.cmp(&other.side))
            .then_with(|| self.instrument.symbol.cmp(&other.instrument.symbol))
            .then_with(|| self.value.cmp(&other.value))
            .then_with(|| self.quantity.cmp(&other.quantity))
            .then_with(|| (self.account, self.exchange).cmp(&(other.account, other.exchange)))
            .then_with(|| self.order_id.cmp(&other.order_id))
            .then_with(|| self.key.cmp(&other.key))
            .then_with(|| self.trade_id.cmp(&other.trade_id))
    }

    /// Returns whether both have the same order number, day and side.
    pub fn shares_order_with(&self, other: &Self) -> bool {
        self.order_id.is_some() && self.order_id == other.order_id && self.day == other.day && self.side == other.side
    }
}
