//! What closed trades come to: the figures of a trader.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use time::{Date, Duration};

use crate::closed_trade::ClosedTrade;

/// Below so many a rate says little.
const FEW: usize = 20;

/// Net of charges unless it says gross.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub closed_trades: usize,
    pub wins: usize,
    pub losses: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    pub turnover: Decimal,
    pub win_rate: Option<Interval>,
    pub profit_factor: Option<Decimal>,
    pub expectancy: Option<Decimal>,
    pub average_win: Option<Decimal>,
    pub average_loss: Option<Decimal>,
    pub payoff: Option<Decimal>,
    pub best: Option<NamedResult>,
    pub worst: Option<NamedResult>,
    pub longest_win_streak: usize,
    pub longest_loss_streak: usize,
    /// Below 0 where it is of losses.
    pub current_streak: i64,
    pub drawdown: Option<Drawdown>,
    pub holding_seconds: Option<i64>,
    pub capital_used: Decimal,
    pub too_few: bool,
    pub risk: Option<RiskFigures>,
}

/// Of the closed trades whose risk is known: net results by what was at risk, in R.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskFigures {
    pub closed_trades: usize,
    pub average: Decimal,
    pub best: Decimal,
    pub worst: Decimal,
    pub too_few: bool,
}

/// A share and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub rate: Decimal,
    pub low: Decimal,
    pub high: Decimal,
}

/// One closed trade's.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedResult {
    pub id: String,
    pub symbol: String,
    pub net: Decimal,
}

/// The deepest fall from a highest point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawdown {
    pub amount: Decimal,
    pub days: i64,
    pub from: Date,
    pub to: Date,
    pub recovered: Option<Date>,
}

/// The results of a day, and the sum up to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    pub date: Date,
    pub closed_trades: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    pub equity: Decimal,
    /// How far that is below its highest point, which is 0 before the first day.
    pub drawdown: Decimal,
}

impl Figures {
    /// Of closed trades in the order of their closing.
    pub fn of<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade> + Clone) -> Self {
        let mut figures = Self::default();
        let (mut won, mut lost) = (Decimal::ZERO, Decimal::ZERO);
        let (mut held, mut timed) = (0_i64, 0_i64);
        let (mut best, mut worst): (Option<&ClosedTrade>, Option<&ClosedTrade>) = (None, None);
        for closed_trade in closed_trades.clone() {
            figures.closed_trades += 1;
            figures.gross += closed_trade.gross;
            figures.charges += closed_trade.charges;
            figures.net += closed_trade.net;
            figures.turnover += closed_trade.entry_value + closed_trade.exit_value;
            if closed_trade.net > Decimal::ZERO {
                figures.wins += 1;
                won += closed_trade.net;
            } else if closed_trade.net < Decimal::ZERO {
                figures.losses += 1;
                lost += closed_trade.net;
            }
            figures.streak(closed_trade.net);
            best = Some(best.filter(|best| best.net >= closed_trade.net).unwrap_or(closed_trade));
            worst = Some(worst.filter(|worst| worst.net <= closed_trade.net).unwrap_or(closed_trade));
            if let Some(seconds) = closed_trade.holding_seconds() {
                held += seconds;
                timed += 1;
            }
        }
        let named = |closed_trade: &ClosedTrade| NamedResult {
            id: closed_trade.id(),
            symbol: closed_trade.instrument.symbol.clone(),
            net: closed_trade.net,
        };
        figures.win_rate = wilson(figures.wins, figures.closed_trades);
        figures.profit_factor = divided(won, -lost);
        figures.expectancy = divided(figures.net, Decimal::from(figures.closed_trades));
        figures.average_win = divided(won, Decimal::from(figures.wins));
        figures.average_loss = divided(lost, Decimal::from(figures.losses));
        figures.payoff = figures.average_win.zip(figures.average_loss).and_then(|(win, loss)| divided(win, -loss));
        (figures.best, figures.worst) = (best.map(named), worst.map(named));
        figures.drawdown = drawdown(&days(closed_trades.clone()));
        figures.holding_seconds = held.checked_div(timed);
        figures.risk = RiskFigures::of(closed_trades.clone());
        figures.capital_used = capital_used(closed_trades);
        figures.too_few = figures.closed_trades < FEW;
        figures
    }

    fn streak(&mut self, net: Decimal) {
        self.current_streak = match net.cmp(&Decimal::ZERO) {
            std::cmp::Ordering::Greater => self.current_streak.max(0) + 1,
            std::cmp::Ordering::Less => self.current_streak.min(0) - 1,
            std::cmp::Ordering::Equal => 0,
        };
        let length = usize::try_from(self.current_streak.unsigned_abs()).unwrap_or(usize::MAX);
        if self.current_streak > 0 {
            self.longest_win_streak = self.longest_win_streak.max(length);
        } else {
            self.longest_loss_streak = self.longest_loss_streak.max(length);
        }
    }
}

impl RiskFigures {
    /// None where no risk is known.
    fn of<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Option<Self> {
        let results: Vec<Decimal> = closed_trades.filter_map(ClosedTrade::r).collect();
        let (best, worst) = (*results.iter().max()?, *results.iter().min()?);
        let average = divided(results.iter().sum(), Decimal::from(results.len()))?;
        Some(Self { closed_trades: results.len(), average, best, worst, too_few: results.len() < FEW })
    }
}

/// To 4 decimals; none where there is nothing to divide by.
pub fn divided(amount: Decimal, by: Decimal) -> Option<Decimal> {
    amount.checked_div(by).map(|quotient| quotient.round_dp(4))
}

/// The score interval of Wilson at 95 %.
fn wilson(wins: usize, all: usize) -> Option<Interval> {
    const Z: f64 = 1.959_963_984_540_054;
    let (wins, all) = (wins.to_f64()?, all.to_f64().filter(|all| *all > 0.0)?);
    let rate = wins / all;
    let centre = rate + Z * Z / (2.0 * all);
    let reach = Z * (rate * (1.0 - rate) / all + Z * Z / (4.0 * all * all)).sqrt();
    let over = 1.0 + Z * Z / all;
    let text = |share: f64| Decimal::from_f64_retain(share.clamp(0.0, 1.0)).map(|share| share.round_dp(4));
    Some(Interval { rate: text(rate)?, low: text((centre - reach) / over)?, high: text((centre + reach) / over)? })
}

/// The days on which something was closed.
pub fn days<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    let (mut equity, mut highest) = (Decimal::ZERO, Decimal::ZERO);
    for closed_trade in closed_trades {
        equity += closed_trade.net;
        match days.last_mut() {
            Some(day) if day.date == closed_trade.closed_day => {
                day.closed_trades += 1;
                day.gross += closed_trade.gross;
                day.charges += closed_trade.charges;
                day.net += closed_trade.net;
                day.equity = equity;
            }
            _ => days.push(Day {
                date: closed_trade.closed_day,
                closed_trades: 1,
                gross: closed_trade.gross,
                charges: closed_trade.charges,
                net: closed_trade.net,
                equity,
                drawdown: Decimal::ZERO,
            }),
        }
    }
    for day in &mut days {
        highest = highest.max(day.equity);
        day.drawdown = day.equity - highest;
    }
    days
}

/// The deepest fall of the curve. Before its first day it stands at 0.
fn drawdown(days: &[Day]) -> Option<Drawdown> {
    let (lowest, bottom) = days.iter().enumerate().min_by(|(_, one), (_, other)| one.drawdown.cmp(&other.drawdown))?;
    if bottom.drawdown.is_zero() {
        return None;
    }
    let (before, after) = days.split_at_checked(lowest)?;
    let top = before.iter().rev().find(|day| day.drawdown.is_zero());
    let from = top.map_or_else(|| days.first().map(|day| day.date), |day| Some(day.date))?;
    let recovered = after.iter().find(|day| day.drawdown.is_zero()).map(|day| day.date);
    let until = recovered.or_else(|| days.last().map(|day| day.date))?;
    let days = (until - from).whole_days();
    Some(Drawdown { amount: bottom.drawdown, days, from, to: bottom.date, recovered })
}

/// The most that was held at one time, at what it had cost to open.
fn capital_used<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Decimal {
    // What is closed at a moment makes room for what is opened then.
    let mut moves: Vec<(i64, bool, Decimal)> = closed_trades
        .flat_map(|closed_trade| {
            let closed = closed_trade.closed.max(closed_trade.opened + Duration::SECOND);
            [
                (closed_trade.opened.unix_timestamp(), true, closed_trade.entry_value),
                (closed.unix_timestamp(), false, -closed_trade.entry_value),
            ]
        })
        .collect();
    moves.sort_unstable_by_key(|(at, opens, _)| (*at, *opens));
    let (mut held, mut most) = (Decimal::ZERO, Decimal::ZERO);
    for (_, _, amount) in moves {
        held += amount;
        most = most.max(held);
    }
    most
}
