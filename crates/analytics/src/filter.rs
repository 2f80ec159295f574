//! Filters of closed trades, and the keys by which closed trades are grouped.

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::charges::ContractNote;
use crate::closed_trade::ClosedTrade;
use crate::fill::{Broker, BrokerAccount, Fill, INDIA, TradeKind};
use crate::instrument::{Class, Instrument};
use crate::matching::{LotRange, OpenPosition};
use crate::position::Position;
use crate::strategies::{Member, StrategyUnit};

/// Property by which closed trades are grouped.
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

/// Range from `from`, inclusive, to `to`, exclusive; unlimited where absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub from: Option<Decimal>,
    pub to: Option<Decimal>,
}

impl Bounds {
    fn contains(&self, value: Decimal) -> bool {
        self.from.is_none_or(|from| from <= value) && self.to.is_none_or(|to| value < to)
    }
}

/// Unit to which conditions apply, and which figures count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    Positions,
    #[default]
    ClosedTrades,
    /// Strategies, and positions or parts of them that belong to none.
    Strategies,
}

/// Filter of closed trades or positions; an absent condition matches all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub unit: Unit,
    /// First day of closing.
    pub from: Option<Date>,
    /// Last day of closing.
    pub to: Option<Date>,
    pub broker: Option<Broker>,
    /// Number of an account with its broker.
    pub account_number: Option<u8>,
    /// True for futures and options, false for shares.
    pub contracts: Option<bool>,
    pub kind: Option<TradeKind>,
    /// Complete symbol or underlying; case does not matter.
    pub symbol: Option<String>,
    pub long: Option<bool>,
    /// True for a net profit, false for a net loss.
    pub won: Option<bool>,
    pub net: Option<Bounds>,
    /// Range of the result in R; closed trades without a known risk do not match.
    pub r: Option<Bounds>,
    pub group: Option<(GroupBy, String)>,
    /// Id of a single closed trade.
    pub id: Option<String>,
}

impl Filter {
    /// Returns whether a contract note is of the account and the segment.
    pub fn matches_book_of_note(&self, note: &ContractNote) -> bool {
        self.broker.is_none_or(|broker| broker == note.account.broker)
            && self.account_number.is_none_or(|number| number == note.account.number)
            && self.contracts.is_none_or(|contracts| contracts == note.contracts)
    }

    /// Returns whether a contract note is of the period.
    pub fn matches_day_of_note(&self, note: &ContractNote) -> bool {
        self.from.is_none_or(|from| from <= note.day) && self.to.is_none_or(|to| note.day <= to)
    }

    /// Returns the matching closed trades in the order of their closing.
    pub fn apply<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> + Clone {
        analysis.closed_trades().filter(|closed_trade| self.matches(closed_trade))
    }

    /// Returns the matching units in the order of their closing: closed positions, closed trades or closed strategies.
    pub fn units<'a>(&'a self, analysis: &'a Analysis) -> Vec<&'a ClosedTrade> {
        match self.unit {
            Unit::ClosedTrades => self.apply(analysis).collect(),
            Unit::Positions => analysis.closed_positions().filter(|position| self.matches(position)).collect(),
            Unit::Strategies => {
                let closed = analysis.strategy_units().units().iter().filter(|unit| unit.is_closed);
                let matching =
                    closed.filter(|unit| self.matches_day(unit.result.closed_day) && self.matches_unit(unit));
                matching.map(|unit| &unit.result).collect()
            }
        }
    }

    /// Returns the closed trades whose results count, in the order of their closing: those that match, or the parts of
    /// matching positions that were closed in the period.
    ///
    /// A result belongs to the day on which it was realised, also if the position was closed later or is open.
    pub fn results<'a>(&'a self, analysis: &'a Analysis) -> Vec<&'a ClosedTrade> {
        match self.unit {
            Unit::ClosedTrades => self.apply(analysis).collect(),
            Unit::Positions => {
                let counts = |closed_trade: &&ClosedTrade| {
                    self.matches_day(closed_trade.closed_day)
                        && analysis.position(closed_trade).is_some_and(|position| self.matches_at_any_time(position))
                };
                analysis.closed_trades().filter(counts).collect()
            }
            Unit::Strategies => self.parts_of_strategies(analysis).map(|(_, part, _)| part).collect(),
        }
    }

    /// Returns the closed parts whose results count if the unit is strategies: all of the strategies that match.
    fn parts_of_strategies<'a>(
        &'a self,
        analysis: &'a Analysis,
    ) -> impl Iterator<Item = (&'a StrategyUnit, &'a ClosedTrade, &'a [(usize, LotRange)])> {
        analysis.strategy_units().parts().filter(|(unit, part, _)| {
            self.matches_day(part.closed_day) && (unit.is_closed || !self.needs_result()) && self.matches_unit(unit)
        })
    }

    /// Returns the lot ranges of the parts whose results count if the unit is strategies.
    pub fn ranges_of_strategies<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = (usize, LotRange)> + 'a {
        self.parts_of_strategies(analysis).flat_map(|(_, _, ranges)| ranges.iter().copied())
    }

    /// Returns whether the sums of a strategy match, with the account and symbol of one of its positions.
    fn matches_unit(&self, unit: &StrategyUnit) -> bool {
        let ClosedTrade { kind, long, .. } = unit.result;
        let is_contract = kind == TradeKind::Futures || kind == TradeKind::Options;
        let matches_member = |member: &Member| self.matches_instrument(member.account, &member.instrument);
        self.contracts.is_none_or(|contracts| contracts == is_contract)
            && self.kind.is_none_or(|only| only == kind)
            && self.long.is_none_or(|only| only == long)
            && unit.members.iter().any(matches_member)
            && self.matches_sums(&unit.result)
    }

    /// Returns whether the answer to an open issue may change a unit: a closed trade, or a part of a position.
    pub fn is_doubtful(&self, analysis: &Analysis, unit: &ClosedTrade) -> bool {
        match self.unit {
            Unit::ClosedTrades => analysis.is_doubtful(unit),
            Unit::Positions => analysis.position(unit).is_some_and(|position| analysis.is_doubtful_position(position)),
            Unit::Strategies => {
                let members = analysis.strategy_units().unit(unit).map(|unit| unit.members.as_slice());
                members
                    .unwrap_or_default()
                    .iter()
                    .any(|member| analysis.is_doubtful_member(member.ledger, member.position))
            }
        }
    }

    /// Returns whether a position matches all conditions but the days. An open position has no result yet, so it does not
    /// match conditions on results.
    pub fn matches_at_any_time(&self, position: &Position) -> bool {
        (position.is_closed() || !self.needs_result()) && self.matches_result(&position.result)
    }

    /// Returns whether a condition depends on the result.
    fn needs_result(&self) -> bool {
        self.won.is_some()
            || self.net.is_some()
            || self.r.is_some()
            || matches!(&self.group, Some((GroupBy::Holding | GroupBy::Month, _)))
    }

    /// Returns whether a sale without a purchase matches; it counts as the end of a delivery trade.
    pub fn matches_sale(&self, sale: &Fill) -> bool {
        self.matches_trade(sale.account, &sale.instrument, TradeKind::Delivery, true)
            && self.matches_day(sale.executed_at.to_offset(INDIA).date())
    }

    /// Returns whether an open position matches. Its day is that of the expiry; without an expiry it has not ended and
    /// matches every period.
    pub fn matches_position(&self, position: &OpenPosition, first: &Fill) -> bool {
        let instrument = &first.instrument;
        let kind = match instrument.class {
            Class::Equity => TradeKind::Delivery,
            Class::Future => TradeKind::Futures,
            Class::Call | Class::Put => TradeKind::Options,
        };
        self.matches_trade(first.account, instrument, kind, position.long)
            && (!position.expired || instrument.expiry.is_none_or(|expiry| self.matches_day(expiry.day)))
    }

    /// Returns whether a day is in the period.
    pub fn matches_day(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    fn matches_trade(&self, account: BrokerAccount, instrument: &Instrument, kind: TradeKind, long: bool) -> bool {
        self.matches_instrument(account, instrument)
            && self.contracts.is_none_or(|contracts| contracts == instrument.is_contract())
            && self.kind.is_none_or(|only| only == kind)
            && self.long.is_none_or(|only| only == long)
    }

    fn matches_instrument(&self, account: BrokerAccount, instrument: &Instrument) -> bool {
        let has_symbol = |symbol: &String| {
            instrument.underlying.eq_ignore_ascii_case(symbol) || instrument.symbol.eq_ignore_ascii_case(symbol)
        };
        self.broker.is_none_or(|only| only == account.broker)
            && self.account_number.is_none_or(|only| only == account.number)
            && self.symbol.as_ref().is_none_or(has_symbol)
    }

    /// Returns whether a closed trade matches all conditions.
    pub fn matches(&self, closed_trade: &ClosedTrade) -> bool {
        self.matches_day(closed_trade.closed_day) && self.matches_result(closed_trade)
    }

    fn matches_result(&self, closed_trade: &ClosedTrade) -> bool {
        let ClosedTrade { account, kind, long, .. } = *closed_trade;
        self.matches_trade(account, &closed_trade.instrument, kind, long) && self.matches_sums(closed_trade)
    }

    /// Returns whether a result matches the conditions on sums, groups and the id.
    fn matches_sums(&self, sums: &ClosedTrade) -> bool {
        self.won.is_none_or(|won| if won { sums.net > Decimal::ZERO } else { sums.net < Decimal::ZERO })
            && self.net.is_none_or(|bounds| bounds.contains(sums.net))
            && self.r.is_none_or(|bounds| sums.r().is_some_and(|r| bounds.contains(r)))
            && self.id.as_ref().is_none_or(|id| sums.id() == *id)
            && self.group.as_ref().is_none_or(|(by, key)| by.key(sums).as_ref() == Some(key))
    }
}

/// Keys of holding times, in ascending order.
const HOLDING_KEYS: [&str; 7] = ["minutes", "hour", "day", "week", "month", "year", "longer"];
/// Keys of days to expiry, in ascending order.
const DAYS_TO_EXPIRY_KEYS: [&str; 6] = ["0", "1", "2-3", "4-7", "8-30", "over30"];

impl GroupBy {
    /// Returns the key of a closed trade; none if the property is unknown.
    pub fn key(self, closed_trade: &ClosedTrade) -> Option<String> {
        Some(match self {
            Self::Weekday => closed_trade.opening_weekday()?.to_string(),
            Self::Hour => format!("{:02}", closed_trade.opening_hour()?),
            Self::WeekdayHour => {
                format!("{}-{:02}", closed_trade.opening_weekday()?, closed_trade.opening_hour()?)
            }
            Self::Month => {
                format!("{:04}-{:02}", closed_trade.closed_day.year(), u8::from(closed_trade.closed_day.month()))
            }
            Self::Symbol => closed_trade.instrument.underlying.clone(),
            Self::Side => if closed_trade.long { "long" } else { "short" }.to_owned(),
            Self::Segment => closed_trade.kind.name().to_owned(),
            Self::Holding => holding_key(closed_trade).to_owned(),
            Self::DaysToExpiry => days_to_expiry_key(closed_trade)?.to_owned(),
            Self::ExpiryDay => {
                let expiry = closed_trade.instrument.expiry.filter(|expiry| expiry.exact)?;
                if expiry.day == closed_trade.opened_day { "yes" } else { "no" }.to_owned()
            }
            Self::Instrument if closed_trade.is_strategy => "strategy".to_owned(),
            Self::Instrument => match closed_trade.instrument.class {
                Class::Equity => "equity",
                Class::Future => "future",
                Class::Call => "CE",
                Class::Put => "PE",
            }
            .to_owned(),
            Self::Setup => closed_trade.labels.as_ref()?.setup.clone(),
            Self::Psychology => closed_trade.labels.as_ref()?.psychology.clone(),
        })
        .filter(|key| !key.is_empty())
    }

    /// Returns the rank of a key; none if keys are sorted by their text.
    pub fn rank(self, key: &str) -> Option<usize> {
        let index_in = |keys: &[&str]| keys.iter().position(|other| *other == key);
        match self {
            Self::Holding => index_in(&HOLDING_KEYS),
            Self::DaysToExpiry => index_in(&DAYS_TO_EXPIRY_KEYS),
            Self::Segment => index_in(&["intraday", "delivery", "futures", "options"]),
            Self::Instrument => index_in(&["equity", "future", "CE", "PE", "strategy"]),
            Self::ExpiryDay => index_in(&["yes", "no"]),
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

    /// Returns whether groups are sorted by the size of their result instead of by key.
    pub fn sorts_by_size(self) -> bool {
        matches!(self, Self::Symbol | Self::Setup | Self::Psychology)
    }
}

fn holding_key(closed_trade: &ClosedTrade) -> &'static str {
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

fn days_to_expiry_key(closed_trade: &ClosedTrade) -> Option<&'static str> {
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
