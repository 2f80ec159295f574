//! Figures of closed trades: results, win rate, streaks, drawdown, risk.

use std::sync::Arc;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use time::{Date, Duration};

use crate::arithmetic::divide;
use crate::closed_trade::ClosedTrade;
use crate::instrument::Instrument;

/// Number of closed trades below which the figures are marked as too few to be reliable.
const MIN_SAMPLE: usize = 20;

/// Figures of closed trades; results are net of charges unless the name says gross.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub closed_trades: usize,
    pub wins: usize,
    pub losses: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    /// Part of `charges` that contract notes state; the rest is estimated.
    pub stated_charges: Decimal,
    pub net: Decimal,
    /// Part of `net` from partial exits: of positions that are open or were closed after the period, less those before the
    /// period of positions that were closed in it.
    pub partial_net: Decimal,
    /// Sum of all entry and exit values.
    pub turnover: Decimal,
    pub win_rate: Option<Interval>,
    /// Sum of wins divided by the sum of losses.
    pub profit_factor: Option<Decimal>,
    /// Average result of a closed trade.
    pub expectancy: Option<Decimal>,
    pub average_win: Option<Decimal>,
    /// Below 0.
    pub average_loss: Option<Decimal>,
    /// Average win divided by the average loss.
    pub payoff: Option<Decimal>,
    pub best: Option<NamedResult>,
    pub worst: Option<NamedResult>,
    pub longest_win_streak: usize,
    pub longest_loss_streak: usize,
    /// Number of consecutive wins up to the last closed trade; negative for losses.
    pub current_streak: i64,
    pub drawdown: Option<Drawdown>,
    /// Average over the closed trades whose times are known.
    pub holding_seconds: Option<i64>,
    /// Maximum total entry value of closed trades that were open at the same time.
    pub max_entry_value: Decimal,
    pub sample_too_small: bool,
    pub risk: Option<RiskFigures>,
}

/// Results in R (net result divided by the initial risk) of the closed trades whose risk is known.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskFigures {
    pub closed_trades: usize,
    pub average: Decimal,
    pub best: Decimal,
    pub worst: Decimal,
    pub sample_too_small: bool,
}

/// Proportion with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub rate: Decimal,
    pub low: Decimal,
    pub high: Decimal,
}

/// Net result of one closed trade.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedResult {
    pub id: String,
    /// True if `id` is that of a strategy.
    pub is_strategy: bool,
    pub instrument: Arc<Instrument>,
    pub net: Decimal,
}

/// Maximum drawdown: largest fall of the equity from an earlier peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawdown {
    /// Below 0.
    pub amount: Decimal,
    /// Days from the peak to the recovery, or to the last day.
    pub days: i64,
    /// Day of the peak.
    pub from: Date,
    /// Day of the lowest equity.
    pub to: Date,
    /// Day on which the peak was reached again.
    pub recovered: Option<Date>,
}

/// Results of a day and the equity at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    pub date: Date,
    pub closed_trades: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    /// Sum of net results up to this day.
    pub equity: Decimal,
    /// Difference to the highest equity so far, 0 or below. The equity before the first day is 0.
    pub drawdown: Decimal,
}

impl Figures {
    /// Computes the figures of positions: counts, rates and averages of the closed `positions`; sums and drawdown of the
    /// closed trades in `results`, which belong to the days on which they were realised.
    pub fn of_positions(positions: &[&ClosedTrade], results: &[&ClosedTrade]) -> Self {
        let (counted, realised) = (Self::new(positions.iter().copied()), Self::new(results.iter().copied()));
        Self {
            gross: realised.gross,
            charges: realised.charges,
            stated_charges: realised.stated_charges,
            net: realised.net,
            turnover: realised.turnover,
            drawdown: realised.drawdown,
            max_entry_value: realised.max_entry_value,
            partial_net: realised.net - counted.net,
            ..counted
        }
    }

    /// Computes the figures of closed trades, given in the order of their closing.
    pub fn new<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade> + Clone) -> Self {
        let mut figures = Self::default();
        let (mut total_wins, mut total_losses) = (Decimal::ZERO, Decimal::ZERO);
        let (mut holding_seconds, mut with_times) = (0_i64, 0_i64);
        let (mut best, mut worst): (Option<&ClosedTrade>, Option<&ClosedTrade>) = (None, None);
        for closed_trade in closed_trades.clone() {
            figures.closed_trades += 1;
            figures.gross += closed_trade.gross;
            figures.charges += closed_trade.charges;
            figures.stated_charges += closed_trade.stated_charges;
            figures.net += closed_trade.net;
            figures.turnover += closed_trade.entry_value + closed_trade.exit_value;
            if closed_trade.net > Decimal::ZERO {
                figures.wins += 1;
                total_wins += closed_trade.net;
            } else if closed_trade.net < Decimal::ZERO {
                figures.losses += 1;
                total_losses += closed_trade.net;
            }
            figures.extend_streak(closed_trade.net);
            best = Some(best.filter(|best| best.net >= closed_trade.net).unwrap_or(closed_trade));
            worst = Some(worst.filter(|worst| worst.net <= closed_trade.net).unwrap_or(closed_trade));
            if let Some(seconds) = closed_trade.holding_seconds() {
                holding_seconds += seconds;
                with_times += 1;
            }
        }
        let named_result = |closed_trade: &ClosedTrade| NamedResult {
            id: closed_trade.id(),
            is_strategy: closed_trade.is_strategy,
            instrument: closed_trade.instrument.clone(),
            net: closed_trade.net,
        };
        figures.win_rate = wilson_interval(figures.wins, figures.closed_trades);
        figures.profit_factor = divide(total_wins, -total_losses);
        figures.expectancy = divide(figures.net, Decimal::from(figures.closed_trades));
        figures.average_win = divide(total_wins, Decimal::from(figures.wins));
        figures.average_loss = divide(total_losses, Decimal::from(figures.losses));
        figures.payoff = figures.average_win.zip(figures.average_loss).and_then(|(win, loss)| divide(win, -loss));
        (figures.best, figures.worst) = (best.map(named_result), worst.map(named_result));
        figures.drawdown = max_drawdown(&days(closed_trades.clone()));
        figures.holding_seconds = holding_seconds.checked_div(with_times);
        figures.risk = RiskFigures::new(closed_trades.clone());
        figures.max_entry_value = max_entry_value(closed_trades);
        figures.sample_too_small = figures.closed_trades < MIN_SAMPLE;
        figures
    }

    fn extend_streak(&mut self, net: Decimal) {
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
    /// Computes the figures; none if no closed trade has a known risk.
    fn new<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Option<Self> {
        let results: Vec<Decimal> = closed_trades.filter_map(ClosedTrade::r).collect();
        let (best, worst) = (*results.iter().max()?, *results.iter().min()?);
        let average = divide(results.iter().sum(), Decimal::from(results.len()))?;
        Some(Self { closed_trades: results.len(), average, best, worst, sample_too_small: results.len() < MIN_SAMPLE })
    }
}

/// Returns the win rate with its Wilson score interval at 95 %.
///
/// With the rate p of n closed trades and z = 1.96, the bounds are
/// `(p + z²/2n ± z · sqrt(p(1 − p)/n + z²/4n²)) / (1 + z²/n)`.
pub fn wilson_interval(wins: usize, total: usize) -> Option<Interval> {
    const Z: f64 = 1.959_963_984_540_054;
    let (wins, total) = (wins.to_f64()?, total.to_f64().filter(|total| *total > 0.0)?);
    let rate = wins / total;
    let centre = rate + Z * Z / (2.0 * total);
    let margin = Z * (rate * (1.0 - rate) / total + Z * Z / (4.0 * total * total)).sqrt();
    let divisor = 1.0 + Z * Z / total;
    let decimal = |rate: f64| Decimal::from_f64_retain(rate.clamp(0.0, 1.0)).map(|rate| rate.round_dp(4));
    let (low, high) = ((centre - margin) / divisor, (centre + margin) / divisor);
    Some(Interval { rate: decimal(rate)?, low: decimal(low)?, high: decimal(high)? })
}

/// Returns the days on which something was closed, with the equity curve.
pub fn days<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    let (mut equity, mut peak) = (Decimal::ZERO, Decimal::ZERO);
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
        peak = peak.max(day.equity);
        day.drawdown = day.equity - peak;
    }
    days
}

/// Returns the maximum drawdown of the equity curve; none if the equity never fell.
fn max_drawdown(days: &[Day]) -> Option<Drawdown> {
    let (lowest, bottom) = days.iter().enumerate().min_by(|(_, one), (_, other)| one.drawdown.cmp(&other.drawdown))?;
    if bottom.drawdown.is_zero() {
        return None;
    }
    let (before, after) = days.split_at_checked(lowest)?;
    let peak = before.iter().rev().find(|day| day.drawdown.is_zero());
    let from = peak.map_or_else(|| days.first().map(|day| day.date), |day| Some(day.date))?;
    let recovered = after.iter().find(|day| day.drawdown.is_zero()).map(|day| day.date);
    let until = recovered.or_else(|| days.last().map(|day| day.date))?;
    let days = (until - from).whole_days();
    Some(Drawdown { amount: bottom.drawdown, days, from, to: bottom.date, recovered })
}

/// Returns the maximum total entry value that was open at the same time.
fn max_entry_value<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Decimal {
    // At the same second, closings come before openings, because they free capital for them.
    let mut changes: Vec<(i64, bool, Decimal)> = closed_trades
        .flat_map(|closed_trade| {
            let closed_at = closed_trade.closed_at.max(closed_trade.opened_at + Duration::SECOND);
            [
                (closed_trade.opened_at.unix_timestamp(), true, closed_trade.entry_value),
                (closed_at.unix_timestamp(), false, -closed_trade.entry_value),
            ]
        })
        .collect();
    changes.sort_unstable_by_key(|(at, opens, _)| (*at, *opens));
    let (mut used, mut max) = (Decimal::ZERO, Decimal::ZERO);
    for (_, _, amount) in changes {
        used += amount;
        max = max.max(used);
    }
    max
}
