//! Which closed trades are asked for, and the groups that they fall into.

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::fill::Broker;
use crate::instrument::Class;
use crate::tariff::Kind;

/// What groups are made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    Weekday,
    Hour,
    WeekdayHour,
    Month,
    Symbol,
    Side,
    Segment,
    Holding,
    DaysToExpiry,
    ExpiryDay,
    Instrument,
    Setup,
    Psychology,
}

/// From `from` to below `to`; open where absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub from: Option<Decimal>,
    pub to: Option<Decimal>,
}

impl Bounds {
    fn hold(&self, value: Decimal) -> bool {
        self.from.is_none_or(|from| from <= value) && self.to.is_none_or(|to| value < to)
    }
}

/// What is absent lets all through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Days of closing, inclusive.
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub broker: Option<Broker>,
    /// Futures and options, or shares.
    pub contracts: Option<bool>,
    pub kind: Option<Kind>,
    /// A whole symbol or underlying, in any case.
    pub symbol: Option<String>,
    pub long: Option<bool>,
    pub won: Option<bool>,
    pub net: Option<Bounds>,
    /// In R; what has no known risk does not pass.
    pub r: Option<Bounds>,
    pub group: Option<(GroupBy, String)>,
    /// One closed trade.
    pub id: Option<String>,
}

impl Filter {
    /// The closed trades that pass, in their order.
    pub fn of<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> + Clone {
        analysis.closed_trades().filter(|closed_trade| self.passes(closed_trade))
    }

    fn passes(&self, closed_trade: &ClosedTrade) -> bool {
        let instrument = &closed_trade.instrument;
        let named = |symbol: &String| {
            instrument.underlying.eq_ignore_ascii_case(symbol) || instrument.symbol.eq_ignore_ascii_case(symbol)
        };
        self.from.is_none_or(|from| from <= closed_trade.closed_day)
            && self.to.is_none_or(|to| closed_trade.closed_day <= to)
            && self.broker.is_none_or(|broker| broker == closed_trade.broker)
            && self.contracts.is_none_or(|contracts| contracts == instrument.is_contract())
            && self.kind.is_none_or(|kind| kind == closed_trade.kind)
            && self.symbol.as_ref().is_none_or(named)
            && self.long.is_none_or(|long| long == closed_trade.long)
            && self
                .won
                .is_none_or(|won| if won { closed_trade.net > Decimal::ZERO } else { closed_trade.net < Decimal::ZERO })
            && self.net.is_none_or(|bounds| bounds.hold(closed_trade.net))
            && self.r.is_none_or(|bounds| closed_trade.r().is_some_and(|r| bounds.hold(r)))
            && self.id.as_ref().is_none_or(|id| closed_trade.id() == *id)
            && self.group.as_ref().is_none_or(|(by, key)| by.key(closed_trade).as_ref() == Some(key))
    }
}

/// The words for holding times, in their order.
const HOLDINGS: [&str; 7] = ["minutes", "hour", "day", "week", "month", "year", "longer"];
/// The words for days to expiry, in their order.
const EXPIRIES: [&str; 6] = ["0", "1", "2-3", "4-7", "8-30", "over30"];

impl GroupBy {
    /// The group of a closed trade; none where the thing is not known.
    pub fn key(self, closed_trade: &ClosedTrade) -> Option<String> {
        Some(match self {
            Self::Weekday => closed_trade.opened_day.weekday().number_from_monday().to_string(),
            Self::Hour => format!("{:02}", closed_trade.opened_hour()?),
            Self::WeekdayHour => {
                format!("{}-{:02}", closed_trade.opened_day.weekday().number_from_monday(), closed_trade.opened_hour()?)
            }
            Self::Month => {
                format!("{:04}-{:02}", closed_trade.closed_day.year(), u8::from(closed_trade.closed_day.month()))
            }
            Self::Symbol => closed_trade.instrument.underlying.clone(),
            Self::Side => if closed_trade.long { "long" } else { "short" }.to_owned(),
            Self::Segment => closed_trade.kind.name().to_owned(),
            Self::Holding => holding(closed_trade).to_owned(),
            Self::DaysToExpiry => to_expiry(closed_trade)?.to_owned(),
            Self::ExpiryDay => {
                let expiry = closed_trade.instrument.expiry.filter(|expiry| expiry.exact)?;
                if expiry.day == closed_trade.opened_day { "yes" } else { "no" }.to_owned()
            }
            Self::Instrument => match closed_trade.instrument.class {
                Class::Equity => "equity",
                Class::Future => "future",
                Class::Call => "CE",
                Class::Put => "PE",
            }
            .to_owned(),
            Self::Setup => closed_trade.words.as_ref()?.setup.clone(),
            Self::Psychology => closed_trade.words.as_ref()?.psychology.clone(),
        })
        .filter(|key| !key.is_empty())
    }

    /// Where a key stands among its kind; none where the keys' own order is the natural one.
    pub fn place(self, key: &str) -> Option<usize> {
        let among = |words: &[&str]| words.iter().position(|word| *word == key);
        match self {
            Self::Holding => among(&HOLDINGS),
            Self::DaysToExpiry => among(&EXPIRIES),
            Self::Segment => among(&["intraday", "delivery", "futures", "options"]),
            Self::Instrument => among(&["equity", "future", "CE", "PE"]),
            Self::ExpiryDay => among(&["yes", "no"]),
            Self::Weekday
            | Self::Hour
            | Self::WeekdayHour
            | Self::Month
            | Self::Side
            | Self::Symbol
            | Self::Setup
            | Self::Psychology => None,
        }
    }

    /// Whether the largest results come first, and not the keys in their order.
    pub fn by_size(self) -> bool {
        matches!(self, Self::Symbol | Self::Setup | Self::Psychology)
    }
}

fn holding(closed_trade: &ClosedTrade) -> &'static str {
    let days = (closed_trade.closed_day - closed_trade.opened_day).whole_days();
    match (days, closed_trade.holding_seconds()) {
        (0, Some(..=300)) => "minutes",
        (0, Some(301..=3_600)) => "hour",
        (0, _) => "day",
        (..=7, _) => "week",
        (..=30, _) => "month",
        (..=365, _) => "year",
        (_, _) => "longer",
    }
}

fn to_expiry(closed_trade: &ClosedTrade) -> Option<&'static str> {
    let expiry = closed_trade.instrument.expiry.filter(|expiry| expiry.exact)?;
    Some(match (expiry.day - closed_trade.opened_day).whole_days() {
        ..=0 => "0",
        1 => "1",
        2..=3 => "2-3",
        4..=7 => "4-7",
        8..=30 => "8-30",
        _ => "over30",
    })
}
