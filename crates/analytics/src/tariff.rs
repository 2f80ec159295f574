//! What trading costs, dated: one file for each levy and broker in `rates/`, each row with the day from which it holds
//! and where it stands. A new rate is a new row.

use std::str::FromStr;
use std::sync::LazyLock;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use crate::fill::{Broker, Exchange, Side};

/// What a closed trade, or a part of a fill, is to the law and to the price lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Shares bought and sold on one day.
    Intraday,
    Delivery,
    Futures,
    Options,
}

/// What a rate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Trade(Kind),
    /// An option that ends with a value, for who holds it.
    Exercise,
    /// Shares that leave the account, for each scrip and day.
    Dp,
}

impl On {
    fn name(self) -> &'static str {
        match self {
            Self::Trade(kind) => kind.name(),
            Self::Exercise => "exercise",
            Self::Dp => "dp",
        }
    }
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intraday => "intraday",
            Self::Delivery => "delivery",
            Self::Futures => "futures",
            Self::Options => "options",
        }
    }
}

/// A levy by value.
#[derive(Debug)]
pub struct Rate {
    pub from: Date,
    exchange: Option<Exchange>,
    on: Option<On>,
    side: Option<Side>,
    underlying: Option<String>,
    pub percent: Decimal,
    pub source: String,
}

impl Rate {
    pub fn of(&self, value: Decimal) -> Decimal {
        percent_of(value, self.percent)
    }

    /// Whether it says that it is for this, and not for everything.
    pub fn is_for(&self, on: On) -> bool {
        self.on == Some(on)
    }

    /// In words, such as `0.1 % of the premium, options sold, NSE`.
    pub fn rule(&self) -> String {
        let base = match self.on {
            Some(On::Trade(Kind::Options)) => "the premium",
            Some(On::Exercise) => "the intrinsic value",
            Some(On::Trade(_) | On::Dp) | None => "the value",
        };
        let mut rule = format!("{} % of {base}", self.percent);
        if let Some(on) = self.on {
            rule = format!("{rule}, {}", on.name());
        }
        match self.side {
            Some(Side::Buy) => rule.push_str(" bought"),
            Some(Side::Sell) => rule.push_str(" sold"),
            None => {}
        }
        if let Some(underlying) = &self.underlying {
            rule = format!("{rule} on {underlying}");
        }
        match self.exchange {
            Some(Exchange::Nse) => rule.push_str(", NSE"),
            Some(Exchange::Bse) => rule.push_str(", BSE"),
            None => {}
        }
        rule
    }
}

fn percent_of(value: Decimal, percent: Decimal) -> Decimal {
    value * percent * Decimal::new(1, 2)
}

/// A price of a broker, for an order or, of the depository, for a scrip and day.
#[derive(Debug)]
pub struct Price {
    pub from: Date,
    on: On,
    flat: Option<Decimal>,
    percent: Decimal,
    most: Decimal,
    least: Decimal,
    most_percent: Option<Decimal>,
    pub source: String,
}

impl Price {
    /// What is asked, whatever it is asked for: flat, or so many percent, at most and at least so much.
    pub fn terms(&self) -> (Option<Decimal>, Decimal, Decimal, Decimal, Option<Decimal>) {
        (self.flat, self.percent, self.most, self.least, self.most_percent)
    }

    pub fn of(&self, value: Decimal) -> Decimal {
        let percent = |rate: Decimal| percent_of(value, rate);
        let amount = self.flat.unwrap_or_else(|| percent(self.percent).min(self.most).max(self.least));
        let amount = self.most_percent.map_or(amount, |most| amount.min(percent(most)));
        amount.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero)
    }

    /// In words, such as `0.03 % of an order, at most ₹20, intraday`.
    pub fn rule(&self) -> String {
        let on = self.on.name();
        match self.flat {
            Some(flat) if self.on == On::Dp => format!("₹{flat} for each scrip and day of sale"),
            Some(flat) => format!("₹{flat} for an order, {on}"),
            None => {
                let mut rule = format!("{} % of an order, at most ₹{}", self.percent, self.most);
                if !self.least.is_zero() {
                    rule = format!("{rule}, at least ₹{}", self.least);
                }
                if let Some(most) = self.most_percent {
                    rule = format!("{rule} and never above {most} %");
                }
                format!("{rule}, {on}")
            }
        }
    }
}

/// How gains of shares are taxed, from a day of sale on.
#[derive(Debug)]
pub struct GainsRate {
    pub from: Date,
    pub long: bool,
    pub percent: Decimal,
    /// Of the long-term gains of a financial year, where no tax is due.
    pub exempt: Option<Decimal>,
    pub law: String,
}

/// All of it.
#[derive(Debug)]
pub struct Tariff {
    pub stt: Levy,
    pub exchange: Levy,
    pub sebi: Levy,
    pub ipft: Levy,
    pub stamp_duty: Levy,
    pub gst: Levy,
    zerodha: Vec<Price>,
    groww: Vec<Price>,
    gains: Vec<GainsRate>,
}

/// The rates of one levy, the newest first, and of one day those that are for something narrower first.
#[derive(Debug)]
pub struct Levy(Vec<Rate>);

impl Levy {
    pub fn find(&self, day: Date, exchange: Exchange, on: On, side: Side, underlying: &str) -> Option<&Rate> {
        self.0.iter().find(|rate| {
            rate.from <= day
                && rate.on.is_none_or(|rated| rated == on)
                && rate.exchange.is_none_or(|rated| rated == exchange)
                && rate.side.is_none_or(|rated| rated == side)
                && rate.underlying.as_deref().is_none_or(|rated| rated == underlying)
        })
    }

    /// Whether there is any rate for this on that day, on either side.
    pub fn knows(&self, day: Date, on: On) -> bool {
        self.0.iter().any(|rate| rate.from <= day && rate.on.is_none_or(|rated| rated == on))
    }
}

impl Tariff {
    /// A broker's price.
    pub fn price(&self, broker: Broker, day: Date, on: On) -> Option<&Price> {
        let prices = match broker {
            Broker::Zerodha => &self.zerodha,
            Broker::Groww => &self.groww,
        };
        prices.iter().find(|price| price.from <= day && price.on == on)
    }

    /// The rate for a sale on that day.
    pub fn gains(&self, day: Date, long: bool) -> Option<&GainsRate> {
        self.gains.iter().find(|rate| rate.from <= day && rate.long == long)
    }

    /// The rates of the files. A test reads them too, so that a file that cannot be read never leaves the house.
    pub fn of_files() -> Result<&'static Self, &'static Unreadable> {
        static TARIFF: LazyLock<Result<Tariff, Unreadable>> = LazyLock::new(read);
        TARIFF.as_ref()
    }
}

/// A row of a file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("not a table of rates")]
    Csv(#[from] csv::Error),
    #[error("no such {0}")]
    Word(String),
    #[error("no day")]
    Day(#[from] time::error::Parse),
    #[error("no number")]
    Number(#[from] rust_decimal::Error),
}

fn read() -> Result<Tariff, Unreadable> {
    Ok(Tariff {
        stt: levy(include_str!("../rates/stt.csv"))?,
        exchange: levy(include_str!("../rates/exchange.csv"))?,
        sebi: levy(include_str!("../rates/sebi.csv"))?,
        ipft: levy(include_str!("../rates/ipft.csv"))?,
        stamp_duty: levy(include_str!("../rates/stamp-duty.csv"))?,
        gst: levy(include_str!("../rates/gst.csv"))?,
        zerodha: prices(include_str!("../rates/broker-zerodha.csv"))?,
        groww: prices(include_str!("../rates/broker-groww.csv"))?,
        gains: gains(include_str!("../rates/capital-gains.csv"))?,
    })
}

fn levy(file: &str) -> Result<Levy, Unreadable> {
    #[derive(Deserialize)]
    struct Row {
        from: String,
        exchange: String,
        on: String,
        side: String,
        underlying: String,
        percent: String,
        source: String,
    }
    let mut rates = Vec::new();
    for row in csv::Reader::from_reader(file.as_bytes()).deserialize() {
        let row: Row = row?;
        rates.push(Rate {
            from: day(&row.from)?,
            exchange: word(&row.exchange, |name| match name {
                "NSE" => Some(Exchange::Nse),
                "BSE" => Some(Exchange::Bse),
                _ => None,
            })?,
            on: word(&row.on, on)?,
            side: word(&row.side, |name| match name {
                "buy" => Some(Side::Buy),
                "sell" => Some(Side::Sell),
                _ => None,
            })?,
            underlying: Some(row.underlying).filter(|name| !name.is_empty()),
            percent: number(&row.percent)?,
            source: row.source,
        });
    }
    rates.sort_by_key(|rate| std::cmp::Reverse((rate.from, rate.underlying.is_some())));
    Ok(Levy(rates))
}

fn prices(file: &str) -> Result<Vec<Price>, Unreadable> {
    #[derive(Deserialize)]
    struct Row {
        from: String,
        on: String,
        flat: String,
        percent: String,
        most: String,
        least: String,
        most_percent: String,
        source: String,
    }
    let optional = |text: &str| (!text.is_empty()).then(|| number(text)).transpose();
    let mut prices = Vec::new();
    for row in csv::Reader::from_reader(file.as_bytes()).deserialize() {
        let row: Row = row?;
        prices.push(Price {
            from: day(&row.from)?,
            on: word(&row.on, on)?.ok_or_else(|| Unreadable::Word(row.on.clone()))?,
            flat: optional(&row.flat)?,
            percent: optional(&row.percent)?.unwrap_or_default(),
            most: optional(&row.most)?.unwrap_or_default(),
            least: optional(&row.least)?.unwrap_or_default(),
            most_percent: optional(&row.most_percent)?,
            source: row.source,
        });
    }
    prices.sort_by_key(|price| std::cmp::Reverse(price.from));
    Ok(prices)
}

fn gains(file: &str) -> Result<Vec<GainsRate>, Unreadable> {
    #[derive(Deserialize)]
    struct Row {
        from: String,
        term: String,
        percent: String,
        exempt: String,
        law: String,
    }
    let mut rates = Vec::new();
    for row in csv::Reader::from_reader(file.as_bytes()).deserialize() {
        let row: Row = row?;
        let long = match row.term.as_str() {
            "long" => true,
            "short" => false,
            _ => return Err(Unreadable::Word(row.term)),
        };
        let exempt = (!row.exempt.is_empty()).then(|| number(&row.exempt)).transpose()?;
        rates.push(GainsRate { from: day(&row.from)?, long, percent: number(&row.percent)?, exempt, law: row.law });
    }
    rates.sort_by_key(|rate| std::cmp::Reverse(rate.from));
    Ok(rates)
}

fn on(name: &str) -> Option<On> {
    let trades = [Kind::Intraday, Kind::Delivery, Kind::Futures, Kind::Options].map(On::Trade);
    trades.into_iter().chain([On::Exercise, On::Dp]).find(|on| on.name() == name)
}

/// What an empty cell leaves open.
fn word<T>(name: &str, find: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Unreadable> {
    if name.is_empty() {
        return Ok(None);
    }
    find(name).map(Some).ok_or_else(|| Unreadable::Word(name.to_owned()))
}

fn day(text: &str) -> Result<Date, Unreadable> {
    Ok(Date::parse(text, format_description!("[year]-[month]-[day]"))?)
}

fn number(text: &str) -> Result<Decimal, Unreadable> {
    Ok(Decimal::from_str(text)?)
}
