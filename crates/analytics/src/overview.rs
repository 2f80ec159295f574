//! Contents of the overview: distribution of results, results by weekday and hour, by symbol and by group.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::figures::Figures;
use crate::filter::{Bounds, Filter, GroupBy};
use crate::tax::FinancialYear;

/// Buckets of the distribution on either side of 0.
const BUCKETS_PER_SIDE: i64 = 10;
/// Symbols in a response that have an equity curve.
const MAX_SYMBOL_CURVES: usize = 10;
/// Symbols or groups in a response.
const MAX_GROUPS: usize = 500;

/// Number of results within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    pub bounds: Bounds,
    pub closed_trades: usize,
}

/// Results of closed trades that were opened in one hour of one weekday.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    pub closed_trades: usize,
    pub wins: usize,
    pub net: Decimal,
}

/// Equity curve of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolCurve {
    pub symbol: String,
    pub closed_trades: usize,
    pub net: Decimal,
    /// Sum of net results up to each day of closing.
    pub days: Vec<(Date, Decimal)>,
}

/// Values by which closed trades can be filtered.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// First day of closing.
    pub from: Option<Date>,
    /// Last day of closing.
    pub to: Option<Date>,
    /// Newest first.
    pub years: Vec<FinancialYear>,
    pub symbols: Vec<String>,
}

/// Number of data issues that the trader can fix, and of open positions, that a filter matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataIssues {
    /// Sales without a purchase.
    pub missing_cost_basis: usize,
    /// Expired contracts without an entered settlement.
    pub expired: usize,
    pub open_positions: usize,
    /// Closed trades with missing charge rates.
    pub rates_missing: usize,
    /// Issues of all three kinds that the filter does not match.
    pub outside_filter: usize,
    /// Open issues of all kinds, regardless of the filter.
    pub open: usize,
}

/// Returns the distribution of results in R, in buckets of 0.5 from -3 to 5.
pub fn risk_distribution<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Bucket> {
    let results: Vec<Decimal> = closed_trades.filter_map(ClosedTrade::r).collect();
    count_by_bounds(&results, (-6..=10).map(|halves| Decimal::new(halves * 5, 1)))
}

/// Returns the distribution of net results in equal buckets, whose width is 1, 2 or 5 times a power of ten and large enough
/// to cover 90 % of the results.
pub fn distribution<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Bucket> {
    let results: Vec<Decimal> = closed_trades.map(|closed_trade| closed_trade.net).collect();
    let mut sizes: Vec<Decimal> = results.iter().map(Decimal::abs).collect();
    sizes.sort_unstable();
    let Some(percentile_90) = sizes.get(sizes.len() * 9 / 10) else { return Vec::new() };
    let width = bucket_width(*percentile_90 / Decimal::from(BUCKETS_PER_SIDE));
    count_by_bounds(&results, (-BUCKETS_PER_SIDE..=BUCKETS_PER_SIDE).map(|index| width * Decimal::from(index)))
}

/// Counts the results between ascending bounds, from the first to the last bucket that is not empty.
fn count_by_bounds(results: &[Decimal], bounds: impl Iterator<Item = Decimal>) -> Vec<Bucket> {
    let bounds: Vec<Decimal> = bounds.collect();
    let mut counts = vec![0; bounds.len() + 1];
    for result in results {
        if let Some(count) = counts.get_mut(bounds.partition_point(|bound| bound <= result)) {
            *count += 1;
        }
    }
    let bucket = |(index, closed_trades): (usize, usize)| Bucket {
        bounds: Bounds {
            from: index.checked_sub(1).and_then(|before| bounds.get(before)).copied(),
            to: bounds.get(index).copied(),
        },
        closed_trades,
    };
    let buckets: Vec<Bucket> = counts.into_iter().enumerate().map(bucket).collect();
    let is_filled = |bucket: &Bucket| bucket.closed_trades > 0;
    let (first, last) = (buckets.iter().position(is_filled), buckets.iter().rposition(is_filled));
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    buckets.into_iter().take(last + 1).skip(first).collect()
}

/// Rounds up to the next of 1, 2, 5, 10, 20 and so on.
fn bucket_width(min: Decimal) -> Decimal {
    let mut power = Decimal::ONE;
    loop {
        for factor in [1, 2, 5] {
            let width = power * Decimal::from(factor);
            if width >= min {
                return width;
            }
        }
        power *= Decimal::TEN;
    }
}

/// Returns the results of intraday, futures and options trades by weekday (1 is Monday) and hour of the opening.
pub fn weekday_hour_grid<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> BTreeMap<(u8, u8), Cell> {
    let mut grid: BTreeMap<(u8, u8), Cell> = BTreeMap::new();
    for closed_trade in closed_trades {
        let Some(slot) = closed_trade.opening_weekday().zip(closed_trade.opening_hour()) else { continue };
        let cell = grid.entry(slot).or_default();
        cell.closed_trades += 1;
        cell.wins += usize::from(closed_trade.net > Decimal::ZERO);
        cell.net += closed_trade.net;
    }
    grid
}

/// Returns the curves of the symbols with the largest profits or losses.
pub fn symbol_curves<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<SymbolCurve> {
    let mut curves: HashMap<&str, SymbolCurve> = HashMap::new();
    for closed_trade in closed_trades {
        let symbol = closed_trade.instrument.underlying.as_str();
        let curve = curves.entry(symbol).or_insert_with(|| SymbolCurve {
            symbol: symbol.to_owned(),
            closed_trades: 0,
            net: Decimal::ZERO,
            days: Vec::new(),
        });
        curve.closed_trades += 1;
        curve.net += closed_trade.net;
        match curve.days.last_mut() {
            Some((day, net)) if *day == closed_trade.closed_day => *net = curve.net,
            _ => curve.days.push((closed_trade.closed_day, curve.net)),
        }
    }
    let mut curves: Vec<SymbolCurve> = curves.into_values().collect();
    curves.sort_by(|one, other| (other.net.abs(), &one.symbol).cmp(&(one.net.abs(), &other.symbol)));
    curves.truncate(MAX_SYMBOL_CURVES);
    curves
}

/// Returns the figures of each group, at most [`MAX_GROUPS`], and the number of groups.
pub fn group_figures<'t>(
    by: GroupBy,
    closed_trades: impl Iterator<Item = &'t ClosedTrade>,
) -> (Vec<(String, Figures)>, usize) {
    let mut groups: HashMap<String, Vec<&ClosedTrade>> = HashMap::new();
    for closed_trade in closed_trades {
        if let Some(key) = by.key(closed_trade) {
            groups.entry(key).or_default().push(closed_trade);
        }
    }
    let total = groups.len();
    let mut groups: Vec<(String, Decimal, Vec<&ClosedTrade>)> = groups
        .into_iter()
        .map(|(key, closed_trades)| {
            (key, closed_trades.iter().map(|closed_trade| closed_trade.net).sum::<Decimal>().abs(), closed_trades)
        })
        .collect();
    groups.sort_by(|(one, one_net, _), (other, other_net, _)| {
        let by_size = if by.sorts_by_size() { other_net.cmp(one_net) } else { std::cmp::Ordering::Equal };
        by_size.then_with(|| (by.rank(one), one).cmp(&(by.rank(other), other)))
    });
    groups.truncate(MAX_GROUPS);
    (
        groups.into_iter().map(|(key, _, closed_trades)| (key, Figures::new(closed_trades.iter().copied()))).collect(),
        total,
    )
}

impl Scope {
    pub fn new(analysis: &Analysis) -> Self {
        let days = || analysis.closed_trades().map(|closed_trade| closed_trade.closed_day);
        let mut years: Vec<FinancialYear> = days().map(FinancialYear::from_day).collect();
        years.dedup();
        years.reverse();
        // Most closed trades of a ledger share their `Instrument`, so only the first of each run is looked at.
        let instruments = analysis.ledgers().flat_map(|ledger| {
            let same = |one: &ClosedTrade, other: &ClosedTrade| Arc::ptr_eq(&one.instrument, &other.instrument);
            ledger
                .closed_trades
                .chunk_by(same)
                .filter_map(|run| run.first())
                .map(|closed_trade| &closed_trade.instrument)
        });
        let symbols: BTreeSet<&String> = instruments.map(|instrument| &instrument.underlying).collect();
        Self {
            from: days().next(),
            to: days().next_back(),
            years,
            symbols: symbols.into_iter().take(MAX_GROUPS).cloned().collect(),
        }
    }
}

impl DataIssues {
    /// Counts the issues that the filter matches. Sales without a purchase and open positions have no result, so only the
    /// conditions on day, broker, instrument and side apply to them.
    pub fn new(analysis: &Analysis, filter: &Filter) -> Self {
        let mut issues = Self { open: analysis.issues().issues.len(), ..Self::default() };
        let mut add = |matches: bool, count: fn(&mut Self) -> &mut usize| {
            *if matches { count(&mut issues) } else { &mut issues.outside_filter } += 1;
        };
        for ledger in analysis.ledgers() {
            for sale in ledger.missing_cost_basis() {
                let matches = ledger.range_detail(sale).is_some_and(|sale| filter.matches_sale(sale.fill));
                add(matches, |issues| &mut issues.missing_cost_basis);
            }
            for (position, fill) in ledger.positions() {
                let matches = filter.matches_position(position, fill);
                if position.expired {
                    add(matches, |issues| &mut issues.expired);
                } else if matches {
                    add(true, |issues| &mut issues.open_positions);
                }
            }
        }
        for closed_trade in analysis.closed_trades().filter(|closed_trade| closed_trade.flags.rates_missing) {
            add(filter.matches(closed_trade), |issues| &mut issues.rates_missing);
        }
        issues
    }
}
