//! Rates of charges and capital gains taxes, by date.
//!
//! `rates/` has one CSV file per levy and broker. Each row states the first day on which it applies and its source. A
//! new rate is a new row; older trades keep their rates.

mod files;

use std::sync::{Arc, LazyLock};

use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

pub use self::files::RatesError;
use self::files::parse_files;
use crate::exchange::Exchange;
use crate::fill::{Broker, Side, TradeKind};
use crate::instrument::SecurityKind;

/// Event that causes a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeEvent {
    Trade(TradeKind),
    /// Exercise or assignment of an index option that expired in the money.
    Exercise,
    /// Delivery of shares for a stock derivative at its expiry.
    PhysicalSettlement,
    /// The same for shares that another contract receives or delivers on the same day.
    NettedSettlement,
    /// Debit of shares from the demat account, charged by the depository participant (DP) per scrip and day.
    DpDebit,
    /// The same if the first holder of the account is a woman.
    DpDebitOfWoman,
}

impl ChargeEvent {
    const ALL: [Self; 9] = [
        Self::Trade(TradeKind::Intraday),
        Self::Trade(TradeKind::Delivery),
        Self::Trade(TradeKind::Futures),
        Self::Trade(TradeKind::Options),
        Self::Exercise,
        Self::PhysicalSettlement,
        Self::NettedSettlement,
        Self::DpDebit,
        Self::DpDebitOfWoman,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Trade(kind) => kind.name(),
            Self::Exercise => "exercise",
            Self::PhysicalSettlement => "settlement",
            Self::NettedSettlement => "settlement-netted",
            Self::DpDebit => "dp",
            Self::DpDebitOfWoman => "dp-woman",
        }
    }

    /// Returns its position in [`ChargeEvent::ALL`].
    fn index(self) -> usize {
        match self {
            Self::Trade(TradeKind::Intraday) => 0,
            Self::Trade(TradeKind::Delivery) => 1,
            Self::Trade(TradeKind::Futures) => 2,
            Self::Trade(TradeKind::Options) => 3,
            Self::Exercise => 4,
            Self::PhysicalSettlement => 5,
            Self::NettedSettlement => 6,
            Self::DpDebit => 7,
            Self::DpDebitOfWoman => 8,
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// Rate of a levy in percent of the value.
#[derive(Debug)]
pub struct LevyRate {
    /// First day on which it applies.
    pub from: Date,
    exchange: Option<Exchange>,
    event: Option<ChargeEvent>,
    side: Option<Side>,
    underlying: Option<String>,
    security: Option<SecurityKind>,
    /// Groups of BSE; empty for all.
    series: Vec<String>,
    /// For contracts that expire within these days only.
    max_days_to_expiry: Option<i64>,
    pub percent: Decimal,
    /// `percent` as a fraction: 0.001 for 0.1 %.
    fraction: Decimal,
    pub source: String,
}

/// Facts about a trade on which the rate of a levy depends.
#[derive(Clone, Copy, Debug)]
pub struct LevyQuery<'a> {
    pub day: Date,
    pub exchange: Exchange,
    pub event: ChargeEvent,
    pub side: Side,
    pub underlying: &'a str,
    pub security: SecurityKind,
    /// Series at NSE or group at BSE; empty if unknown.
    pub series: &'a str,
    /// Day of expiry of a contract, if known.
    pub expiry: Option<Date>,
}

impl LevyRate {
    fn applies_to(&self, query: &LevyQuery) -> bool {
        self.from <= query.day
            && self.covers(query.event)
            && self.exchange.is_none_or(|expected| expected == query.exchange)
            && self.side.is_none_or(|expected| expected == query.side)
            && self.underlying.as_deref().is_none_or(|expected| expected == query.underlying)
            && self.security.is_none_or(|expected| expected == query.security)
            && (self.series.is_empty() || self.series.iter().any(|series| series == query.series))
            && self
                .max_days_to_expiry
                .is_none_or(|max| query.expiry.is_some_and(|expiry| (expiry - query.day).whole_days() <= max))
    }

    /// Returns the unrounded levy on a value.
    pub fn amount_on(&self, value: Decimal) -> Decimal {
        value * self.fraction
    }

    /// Returns whether the rate applies to an event at all. Rates for all events do not apply to a settlement.
    fn covers(&self, event: ChargeEvent) -> bool {
        match self.event {
            Some(expected) => expected == event,
            None => matches!(event, ChargeEvent::Trade(_)),
        }
    }

    /// Describes the rate, such as `0.1 % of the premium, options sold, NSE`.
    pub fn describe(&self) -> String {
        let base = match self.event {
            Some(ChargeEvent::Trade(TradeKind::Options)) => "the premium",
            Some(ChargeEvent::Exercise) => "the intrinsic value",
            Some(ChargeEvent::PhysicalSettlement | ChargeEvent::NettedSettlement) => "the contract value",
            Some(ChargeEvent::Trade(_) | ChargeEvent::DpDebit | ChargeEvent::DpDebitOfWoman) | None => "the value",
        };
        let mut text = format!("{} % of {base}", self.percent);
        if let Some(event) = self.event {
            text = format!("{text}, {}", event.name());
        }
        match self.side {
            Some(Side::Buy) => text.push_str(" bought"),
            Some(Side::Sell) => text.push_str(" sold"),
            None => {}
        }
        if let Some(underlying) = &self.underlying {
            text = format!("{text} on {underlying}");
        }
        if let Some(security) = self.security.filter(|security| *security != SecurityKind::Share) {
            text = format!("{text}, {}", security.describe());
        }
        if !self.series.is_empty() {
            text = format!("{text}, group {}", self.series.join(", "));
        }
        if self.max_days_to_expiry.is_some() {
            text.push_str(", nearest expiry");
        }
        match self.exchange {
            Some(Exchange::Nse) => text.push_str(", NSE"),
            Some(Exchange::Bse) => text.push_str(", BSE"),
            None => {}
        }
        text
    }
}

fn percent_of(value: Decimal, percent: Decimal) -> Decimal {
    value * percent * Decimal::new(1, 2)
}

/// Price of a broker for an order, or of the depository participant for a scrip and day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerPrice {
    /// First day on which it applies.
    pub from: Date,
    event: ChargeEvent,
    flat: Option<Decimal>,
    /// Flat amount for a value below ₹100, if it differs.
    flat_below_100: Option<Decimal>,
    percent: Decimal,
    max: Option<Decimal>,
    min: Decimal,
    max_percent: Option<Decimal>,
    pub source: String,
}

/// Brokerage for an order that the trader agreed with the broker.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgreedBrokerage {
    /// Rupees for an order; none if it is a percentage.
    pub flat: Option<Decimal>,
    pub percent: Decimal,
    pub min: Decimal,
    pub max: Option<Decimal>,
}

impl BrokerPrice {
    /// Returns brokerage that the trader agreed with the broker, from a day on.
    pub fn agreed(from: Date, kind: TradeKind, brokerage: AgreedBrokerage) -> Self {
        let AgreedBrokerage { flat, percent, min, max } = brokerage;
        let source = "Agreed with the broker, as entered in the account".to_owned();
        let event = ChargeEvent::Trade(kind);
        Self { from, event, flat, flat_below_100: None, percent, max, min, max_percent: None, source }
    }

    pub fn is_of_same_event(&self, other: &Self) -> bool {
        self.event == other.event
    }

    /// Returns whether it is the price of an event on `day`.
    pub fn applies_to(&self, day: Date, event: ChargeEvent) -> bool {
        self.from <= day && self.event == event
    }

    /// Returns the terms apart from the event: flat amount, percentage, its maximum and minimum in rupees, and its
    /// maximum in percent.
    pub fn terms(&self) -> (Option<Decimal>, Decimal, Option<Decimal>, Decimal, Option<Decimal>) {
        (self.flat, self.percent, self.max, self.min, self.max_percent)
    }

    /// Returns the price of an order of this value, rounded to 4 decimals.
    pub fn amount_for(&self, value: Decimal) -> Decimal {
        let percent = |rate: Decimal| percent_of(value, rate);
        let flat = self.flat_below_100.filter(|_| value < Decimal::ONE_HUNDRED).or(self.flat);
        let amount = flat.unwrap_or_else(|| {
            let amount = percent(self.percent);
            self.max.map_or(amount, |max| amount.min(max)).max(self.min)
        });
        let amount = self.max_percent.map_or(amount, |max| amount.min(percent(max)));
        amount.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero)
    }

    /// Describes the price, such as `0.03 % of an order, at most ₹20, intraday`.
    pub fn describe(&self) -> String {
        let event = self.event.name();
        match self.flat {
            Some(flat) if matches!(self.event, ChargeEvent::DpDebit | ChargeEvent::DpDebitOfWoman) => {
                let text = format!("₹{flat} for each scrip and day of sale");
                self.flat_below_100.map_or(text.clone(), |small| format!("{text}, ₹{small} below ₹100"))
            }
            Some(flat) if self.event == ChargeEvent::Exercise => {
                format!("₹{flat} for each exercised or assigned contract")
            }
            Some(flat) => format!("₹{flat} for an order, {event}"),
            None if !matches!(self.event, ChargeEvent::Trade(_)) => {
                format!("{} % of the contract value, {event}", self.percent)
            }
            None => {
                let mut text = format!("{} % of an order", self.percent);
                if let Some(max) = self.max {
                    text = format!("{text}, at most ₹{max}");
                }
                if !self.min.is_zero() {
                    text = format!("{text}, at least ₹{}", self.min);
                }
                if let Some(max) = self.max_percent {
                    text = format!("{text} and never above {max} %");
                }
                format!("{text}, {event}")
            }
        }
    }
}

/// All rates of charges.
#[derive(Debug)]
pub struct ChargeRates {
    pub stt: Levy,
    pub exchange: Levy,
    pub sebi: Levy,
    pub ipft: Levy,
    pub stamp_duty: Levy,
    pub gst: Levy,
    /// Price lists; the other brokers have none.
    broker_prices: [(Broker, Vec<BrokerPrice>); 2],
}

/// Rates of one levy, the newest first; among those of one day, rates for one expiry, underlying, group, kind of
/// security or event come before general ones.
#[derive(Debug)]
pub struct Levy {
    /// Rates that apply to each event, by [`ChargeEvent::index`]. A large account looks up a million rates.
    by_event: Vec<Vec<Arc<LevyRate>>>,
}

impl Levy {
    fn new(rates: Vec<LevyRate>) -> Self {
        let rates: Vec<Arc<LevyRate>> = rates.into_iter().map(Arc::new).collect();
        let of_event = |event| rates.iter().filter(|rate| rate.covers(event)).cloned().collect();
        Self { by_event: ChargeEvent::ALL.into_iter().map(of_event).collect() }
    }

    fn of_event(&self, event: ChargeEvent) -> impl Iterator<Item = &LevyRate> {
        self.by_event.get(event.index()).into_iter().flatten().map(Arc::as_ref)
    }

    /// Returns the rate that applies.
    pub fn find(&self, query: &LevyQuery) -> Option<&LevyRate> {
        self.of_event(query.event).find(|rate| rate.applies_to(query))
    }

    /// Returns whether there is a rate for the event on `day`, for either side.
    pub fn has_rate(&self, day: Date, event: ChargeEvent) -> bool {
        self.of_event(event).any(|rate| rate.from <= day)
    }
}

impl ChargeRates {
    /// Returns the price of a broker that applies on `day`; none if its price list is not known.
    pub fn broker_price(&self, broker: Broker, day: Date, event: ChargeEvent) -> Option<&BrokerPrice> {
        let (_, prices) = self.broker_prices.iter().find(|(priced, _)| *priced == broker)?;
        prices.iter().find(|price| price.applies_to(day, event))
    }

    /// Returns the rates in `rates/`, which are compiled into the program. The tests load them, so a file that cannot
    /// be parsed fails there.
    pub fn load() -> Result<&'static Self, &'static RatesError> {
        static RATES: LazyLock<Result<ChargeRates, RatesError>> = LazyLock::new(parse_files);
        RATES.as_ref()
    }

    /// Returns rates by which nothing is charged.
    #[cfg(test)]
    pub fn empty() -> Self {
        let [stt, exchange, sebi, ipft, stamp_duty, gst] = [(); 6].map(|()| Levy::new(Vec::new()));
        let broker_prices = [(Broker::Zerodha, Vec::new()), (Broker::Groww, Vec::new())];
        Self { stt, exchange, sebi, ipft, stamp_duty, gst, broker_prices }
    }
}
