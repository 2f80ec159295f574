//! Days on which a broker posts the settlement of trades in the ledger.
//!
//! The exchanges settle shares one trading day after the trade since 27 January 2023, two days before that, and contracts
//! after one day. Some ledgers have the day of the trade instead. So the ledger decides: the lags are those with which the
//! trades explain its settlements best.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use time::macros::date;
use time::{Date, Duration};

use super::account_trades::{AccountTrades, TradeCash};
use super::ledger_history::{Coverage, LedgerHistory};
use crate::expiry_calendar::{next_trading_day, previous_trading_day};

/// Rupees by which ledger and trades may differ for no reason.
pub const MIN_TOLERANCE: Decimal = Decimal::ONE_HUNDRED;
/// Maximum number of trading days between a trade of contracts and its settlement.
pub const MAX_CONTRACT_LAG: u8 = 1;
/// First day on which all shares were settled after one trading day.
const FIRST_T1_DAY: Date = date!(2023 - 01 - 27);
/// Settlement days within which the ledger must post what the trades pay: brokers post settlements late after bank
/// holidays, but a trade that is missing is never settled.
const MAX_DAYS_TO_AGREE: usize = 5;
/// Days around a boundary in which each settlement must be explained; more than two trading days over a long weekend.
const BOUNDARY_DAYS: Duration = Duration::days(6);
/// Sets of lags, the most likely one first. None is the rule of the exchanges.
const LAGS: [Lags; 8] = [
    Lags { shares: None, contracts: 1 },
    Lags { shares: None, contracts: 0 },
    Lags { shares: Some(0), contracts: 0 },
    Lags { shares: Some(0), contracts: 1 },
    Lags { shares: Some(1), contracts: 1 },
    Lags { shares: Some(1), contracts: 0 },
    Lags { shares: Some(2), contracts: 1 },
    Lags { shares: Some(2), contracts: 0 },
];

/// Trading days between trades and their settlements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lags {
    /// None for the rule of the exchanges.
    shares: Option<u8>,
    contracts: u8,
}

impl Lags {
    fn shares_settle_on(self, day: Date) -> Date {
        let rule = || if day >= FIRST_T1_DAY { 1 } else { 2 };
        add_trading_days(day, self.shares.unwrap_or_else(rule))
    }
}

/// Returns the trading day that is `count` trading days later.
pub fn add_trading_days(day: Date, count: u8) -> Date {
    (0..count).fold(day, |day, _| next_trading_day(day))
}

/// Cash of trades by the days of trade and settlement.
#[derive(Debug)]
struct Schedule {
    /// Day of the trade, day of the settlement, and cash.
    entries: Vec<(Date, Date, TradeCash)>,
    by_settlement: BTreeMap<Date, TradeCash>,
    /// Trading days between a trade of contracts and its settlement.
    contract_lag: u8,
}

impl Schedule {
    fn new(trades: &AccountTrades, lags: Lags) -> Self {
        let of_day = |(day, sums): (&Date, &super::account_trades::TradeDay)| {
            let contracts = (*day, add_trading_days(*day, lags.contracts), sums.contracts);
            [(*day, lags.shares_settle_on(*day), sums.shares), contracts]
        };
        let entries: Vec<_> = trades.days.iter().flat_map(of_day).filter(|(.., cash)| !cash.net.is_zero()).collect();
        let mut by_settlement: BTreeMap<Date, TradeCash> = BTreeMap::new();
        for (_, settled, cash) in &entries {
            by_settlement.entry(*settled).or_default().add(cash);
        }
        Self { entries, by_settlement, contract_lag: lags.contracts }
    }

    /// Returns the cash of the trades until a day whose settlement is later.
    fn unsettled_after(&self, day: Date) -> Decimal {
        self.entries
            .iter()
            .filter(|(traded, settled, _)| *traded <= day && *settled > day)
            .map(|(.., cash)| cash.net)
            .sum()
    }
}

/// Settlements of trades as an account's ledger posts them.
#[derive(Debug)]
pub struct Settlements<'a> {
    trades: &'a AccountTrades,
    /// Periods with daily settlements of futures, whose prices the trades do not tell.
    futures: Vec<(Date, Date)>,
    ledger: &'a LedgerHistory,
    coverage: Coverage,
    schedule: Schedule,
    /// Other lags that explain the ledger as well.
    alternatives: Vec<Schedule>,
}

/// Settlements that trades do not explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnexplainedSettlements {
    pub first_day: Date,
    pub last_day: Date,
    /// Settlements of the ledger less those of the trades.
    pub difference: Decimal,
}

/// Settlements of one day, or of the days on which futures are marked to market.
#[derive(Clone, Copy, Debug)]
struct DayComparison {
    day: Date,
    /// The same for one day.
    last_day: Date,
    /// Settlements of the ledger less those of the trades.
    difference: Decimal,
    tolerance: Decimal,
    is_marked_to_market: bool,
}

impl<'a> Settlements<'a> {
    /// Finds the lags of a ledger.
    pub fn new(trades: &'a AccountTrades, ledger: &'a LedgerHistory, coverage: Coverage) -> Self {
        let empty = Schedule { entries: Vec::new(), by_settlement: BTreeMap::new(), contract_lag: 0 };
        let mut settlements = Self {
            trades,
            futures: trades.futures_periods(),
            ledger,
            coverage,
            schedule: empty,
            alternatives: Vec::new(),
        };
        let (first, last) = (coverage.first_day, coverage.last_day);
        let measured = LAGS.into_iter().map(|lags| {
            let schedule = Schedule::new(trades, lags);
            (settlements.distance(&schedule, first, last).0, schedule)
        });
        let mut measured: Vec<(Decimal, Schedule)> = measured.collect();
        // Stable, so the most likely lags are first among equal ones.
        measured.sort_by_key(|(distance, _)| *distance);
        let limit = measured.first().map_or(MIN_TOLERANCE, |(distance, _)| *distance + MIN_TOLERANCE);
        let mut schedules = measured.into_iter().take_while(|(distance, _)| *distance <= limit).map(|(_, one)| one);
        if let Some(best) = schedules.next() {
            settlements.schedule = best;
        }
        settlements.alternatives = schedules.collect();
        settlements
    }

    /// Compares the settlements of each day of a period.
    fn compare(&self, schedule: &Schedule, from: Date, to: Date) -> Vec<DayComparison> {
        if to < from {
            return Vec::new();
        }
        let posted = self.ledger.days.range(from..=to).filter(|(_, day)| !day.settlement().is_zero());
        let expected = schedule.by_settlement.range(from..=to);
        let days: BTreeSet<Date> = posted.map(|(day, _)| *day).chain(expected.map(|(day, _)| *day)).collect();
        let compare = |day: Date| {
            let posted = self.ledger.days.get(&day).map(super::ledger_history::LedgerDay::settlement);
            let expected = schedule.by_settlement.get(&day).copied().unwrap_or_default();
            let difference = posted.unwrap_or_default() - expected.net;
            let (tolerance, is_marked_to_market) = (expected.tolerance, self.is_marked_to_market_on(day));
            DayComparison { day, last_day: day, difference, tolerance, is_marked_to_market }
        };
        days.into_iter().map(compare).collect()
    }

    /// Returns the sum of the differences of the days without their signs, and the tolerance. Days on which futures are
    /// marked to market are left out.
    fn distance(&self, schedule: &Schedule, from: Date, to: Date) -> (Decimal, Decimal) {
        let days = self.compare(schedule, from, to).into_iter().filter(|day| !day.is_marked_to_market);
        days.fold((Decimal::ZERO, Decimal::ZERO), |(distance, tolerance), day| {
            (distance + day.difference.abs(), tolerance + day.tolerance)
        })
    }

    /// Returns the cash of trades until a day that the ledger posts on later days; none if the ledger does not tell.
    pub fn unsettled_after(&self, day: Date) -> Option<Decimal> {
        let unsettled = self.schedule.unsettled_after(day);
        if self.alternatives.iter().any(|other| other.unsettled_after(day) != unsettled) {
            return None;
        }
        let from = day.saturating_sub(BOUNDARY_DAYS).max(self.coverage.first_day);
        let to = day.saturating_add(BOUNDARY_DAYS).min(self.coverage.last_day);
        let (distance, tolerance) = self.distance(&self.schedule, from, to);
        (distance <= MIN_TOLERANCE + tolerance).then_some(unsettled)
    }

    /// Returns whether the ledger has all days around a day in which settlements are explained.
    pub fn covers_days_around(&self, day: Date) -> bool {
        self.coverage.first_day <= day.saturating_sub(BOUNDARY_DAYS)
            && day.saturating_add(BOUNDARY_DAYS) <= self.coverage.last_day
    }

    /// Returns whether daily settlements of futures may be posted on a day.
    fn is_marked_to_market_on(&self, day: Date) -> bool {
        self.futures_period_of(day).is_some()
    }

    /// Returns the period in which daily settlements of futures may be posted and that contains a day.
    fn futures_period_of(&self, day: Date) -> Option<(Date, Date)> {
        let next = self.futures.partition_point(|(first, _)| *first <= day);
        let period = self.futures.get(next.checked_sub(1)?)?;
        (period.1 >= day).then_some(*period)
    }

    /// Returns whether a future that is held overnight is open at the end of a day, or closed and not settled.
    pub fn has_futures_after(&self, day: Date) -> bool {
        day.next_day().is_none_or(|next| self.is_marked_to_market_on(day) && self.is_marked_to_market_on(next))
    }

    /// Returns the first and last days of the times at whose beginnings futures are open or not settled. Which of their
    /// results belong to the days before is not known for certain: only the sum of the settlements follows from the trades.
    pub fn unsettled_futures(&self) -> impl Iterator<Item = (Date, Date)> {
        self.futures.iter().filter_map(|(first, last)| Some((first.next_day()?, *last)))
    }

    /// Returns the longest period within one that begins and ends without open futures.
    pub fn find_period_without_futures(&self, from: Date, to: Date) -> Option<(Date, Date)> {
        let mut first = from;
        while first <= to && first.previous_day().is_some_and(|before| self.has_futures_after(before)) {
            first = first.next_day()?;
        }
        let mut last = to;
        while last > first && self.has_futures_after(last) {
            last = last.previous_day()?;
        }
        (first < last).then_some((first, last))
    }

    /// Returns whether nothing is open except shares, and nothing unsettled, so that no margin is blocked.
    pub fn needs_no_margin_after(&self, day: Date) -> bool {
        let is_settled =
            |schedule: &Schedule| schedule.entries.iter().all(|(traded, settled, _)| *traded > day || *settled <= day);
        day.next_day().is_some_and(|next| !self.trades.has_contracts_before(next))
            && std::iter::once(&self.schedule).chain(&self.alternatives).all(is_settled)
    }

    /// Returns the settlements of a period less those that follow from the trades, by the day on which they count.
    ///
    /// A settlement that is posted late or early makes two differences. Their sum counts on the day on which ledger and
    /// trades agree again, so that a flow in between does not meet a value that lacks it. The daily settlements of futures
    /// count on the trading days for which they are marked to market.
    ///
    /// # Errors
    /// The differences, if they are too large for the rounding and the estimates of charges, in the whole period or in a few
    /// days of it: the estimates of a long period would hide a missing trade.
    pub fn differences(&self, from: Date, to: Date) -> Result<BTreeMap<Date, Decimal>, UnexplainedSettlements> {
        let days = self.compare(&self.schedule, from, to);
        let groups = self.join_marked_to_market(&days);
        let runs = find_runs(&groups)?;
        check_sum(&days).map_or(Ok(()), Err)?;
        let mut differences: BTreeMap<Date, Decimal> = BTreeMap::new();
        let mut add = |day: Date, amount: Decimal| *differences.entry(day).or_default() += amount;
        for run in runs {
            let Some(agreed) = run.last() else { continue };
            add(self.marked_on(agreed.last_day).max(from), run.iter().map(|group| group.difference).sum());
        }
        // The sum of a period of futures is a part of its run.
        for group in groups.iter().filter(|group| group.is_marked_to_market) {
            add(self.marked_on(group.last_day).max(from), -group.difference);
        }
        for day in days.iter().filter(|day| day.is_marked_to_market) {
            add(self.marked_on(day.day).max(from), day.difference);
        }
        differences.retain(|_, amount| !amount.is_zero());
        Ok(differences)
    }

    /// Joins the days of each period in which futures are marked to market: only their sum follows from the trades. The
    /// tolerance is that of the last days, because the estimates of a long period would hide a missing trade.
    fn join_marked_to_market(&self, days: &[DayComparison]) -> Vec<DayComparison> {
        let mut groups: Vec<DayComparison> = Vec::new();
        let mut last_period = None;
        for (index, day) in days.iter().enumerate() {
            let period = self.futures_period_of(day.day);
            match groups.last_mut() {
                Some(group) if period.is_some() && period == last_period => {
                    group.last_day = day.last_day;
                    group.difference += day.difference;
                    let from = group.day.max(day.day.saturating_sub(BOUNDARY_DAYS));
                    group.tolerance = tolerance_from(from, days.get(..=index).unwrap_or_default());
                }
                _ => groups.push(*day),
            }
            last_period = period;
        }
        groups
    }

    /// Returns the day on which a settlement counts: the day itself, or for futures the trading day of its prices, but none
    /// before the first future was bought.
    fn marked_on(&self, settled: Date) -> Date {
        let period = self.futures_period_of(settled);
        period.map_or(settled, |(first, _)| self.traded_on(settled).max(first))
    }

    /// Returns the trading day of the contracts that are settled on a day.
    fn traded_on(&self, settled: Date) -> Date {
        (0..self.schedule.contract_lag).fold(settled, |day, _| previous_trading_day(day))
    }
}

/// Splits days into runs, each of which ends on the first day on which ledger and trades agree.
///
/// # Errors
/// The first run whose difference stays too large for [`MAX_DAYS_TO_AGREE`] days, or until the end.
fn find_runs(days: &[DayComparison]) -> Result<Vec<&[DayComparison]>, UnexplainedSettlements> {
    let mut runs = Vec::new();
    let mut start = 0;
    for last in 0..days.len() {
        let (run, until) = (days.get(start..=last).unwrap_or_default(), days.get(..=last).unwrap_or_default());
        let Some(first) = run.first() else { continue };
        // Charges may be settled a few days after the trade.
        let tolerance = tolerance_from(first.day.saturating_sub(BOUNDARY_DAYS), until) + MIN_TOLERANCE;
        match check(run, tolerance) {
            None => {
                runs.push(run);
                start = last + 1;
            }
            Some(unexplained) if run.len() >= MAX_DAYS_TO_AGREE || last + 1 == days.len() => return Err(unexplained),
            Some(_) => (),
        }
    }
    Ok(runs)
}

/// Returns the tolerance of the days from a day on.
fn tolerance_from(from: Date, days: &[DayComparison]) -> Decimal {
    days.iter().rev().take_while(|day| day.last_day >= from).map(|day| day.tolerance).sum()
}

/// Returns the difference of all days if it is too large.
fn check_sum(days: &[DayComparison]) -> Option<UnexplainedSettlements> {
    check(days, days.iter().map(|day| day.tolerance).sum::<Decimal>() + MIN_TOLERANCE)
}

fn check(days: &[DayComparison], tolerance: Decimal) -> Option<UnexplainedSettlements> {
    let (first_day, last_day) = (days.first()?.day, days.last()?.last_day);
    let difference: Decimal = days.iter().map(|day| day.difference).sum();
    (difference.abs() > tolerance).then_some(UnexplainedSettlements { first_day, last_day, difference })
}
