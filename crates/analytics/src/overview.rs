//! How results spread: over sizes, over the week, over symbols.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::figures::Figures;
use crate::filter::{Bounds, GroupBy};
use crate::group::Group;
use crate::tax::FinancialYear;

/// Steps on either side of 0.
const STEPS: i64 = 10;
/// Symbols with a curve of their own.
const CURVES: usize = 10;
/// Symbols and groups in an answer.
const MOST: usize = 500;

/// Results within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    pub bounds: Bounds,
    pub closed_trades: usize,
}

/// Results that were opened in one hour of one weekday.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    pub closed_trades: usize,
    pub wins: usize,
    pub net: Decimal,
}

/// How a symbol came to its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub symbol: String,
    pub closed_trades: usize,
    pub net: Decimal,
    pub days: Vec<(Date, Decimal)>,
}

/// What there is to filter by.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub from: Option<Date>,
    pub to: Option<Date>,
    /// Newest first.
    pub years: Vec<FinancialYear>,
    pub symbols: Vec<String>,
}

/// What the trader may want to complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attention {
    pub missing_cost_basis: usize,
    pub expired: usize,
    pub open_positions: usize,
    pub uncharged: usize,
}

/// Net results in R, in steps of a half from -3 to 5.
pub fn risk_distribution<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Bucket> {
    let results: Vec<Decimal> = closed_trades.filter_map(ClosedTrade::r).collect();
    spread(&results, (-6..=10).map(|halves| Decimal::new(halves * 5, 1)))
}

/// Net results in equal steps of 1, 2 or 5 of some power of ten, so wide that nine tenths of the results lie within.
pub fn distribution<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Bucket> {
    let results: Vec<Decimal> = closed_trades.map(|closed_trade| closed_trade.net).collect();
    let mut sizes: Vec<Decimal> = results.iter().map(Decimal::abs).collect();
    sizes.sort_unstable();
    let Some(usual) = sizes.get(sizes.len() * 9 / 10) else { return Vec::new() };
    let step = step(*usual / Decimal::from(STEPS));
    spread(&results, (-STEPS..=STEPS).map(|place| step * Decimal::from(place)))
}

/// Results between bounds that rise, from the first step that holds some to the last.
fn spread(results: &[Decimal], bounds: impl Iterator<Item = Decimal>) -> Vec<Bucket> {
    let bounds: Vec<Decimal> = bounds.collect();
    let mut counts = vec![0; bounds.len() + 1];
    for result in results {
        if let Some(count) = counts.get_mut(bounds.partition_point(|bound| bound <= result)) {
            *count += 1;
        }
    }
    let bucket = |(place, closed_trades): (usize, usize)| Bucket {
        bounds: Bounds {
            from: place.checked_sub(1).and_then(|before| bounds.get(before)).copied(),
            to: bounds.get(place).copied(),
        },
        closed_trades,
    };
    let buckets: Vec<Bucket> = counts.into_iter().enumerate().map(bucket).collect();
    let filled = |bucket: &Bucket| bucket.closed_trades > 0;
    let (first, last) = (buckets.iter().position(filled), buckets.iter().rposition(filled));
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    buckets.into_iter().take(last + 1).skip(first).collect()
}

/// The next of 1, 2, 5, 10, 20 and so on that is not smaller; at least 1.
fn step(width: Decimal) -> Decimal {
    let mut power = Decimal::ONE;
    loop {
        for step in [1, 2, 5] {
            let step = power * Decimal::from(step);
            if step >= width {
                return step;
            }
        }
        power *= Decimal::TEN;
    }
}

/// By weekday, from 1, and hour of the opening.
pub fn grid<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> BTreeMap<(u8, u8), Cell> {
    let mut grid: BTreeMap<(u8, u8), Cell> = BTreeMap::new();
    for closed_trade in closed_trades {
        let Some(hour) = closed_trade.opened_hour() else { continue };
        let cell = grid.entry((closed_trade.opened_day.weekday().number_from_monday(), hour)).or_default();
        cell.closed_trades += 1;
        cell.wins += usize::from(closed_trade.net > Decimal::ZERO);
        cell.net += closed_trade.net;
    }
    grid
}

/// The symbols with the largest results, in either direction.
pub fn curves<'t>(closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> Vec<Curve> {
    let mut curves: HashMap<&str, Curve> = HashMap::new();
    for closed_trade in closed_trades {
        let symbol = closed_trade.instrument.underlying.as_str();
        let curve = curves.entry(symbol).or_insert_with(|| Curve {
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
    let mut curves: Vec<Curve> = curves.into_values().collect();
    curves.sort_by(|one, other| (other.net.abs(), &one.symbol).cmp(&(one.net.abs(), &other.symbol)));
    curves.truncate(CURVES);
    curves
}

/// The figures of each group, and how many groups there are.
pub fn groups<'t>(
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
        let by_size = if by.by_size() { other_net.cmp(one_net) } else { std::cmp::Ordering::Equal };
        by_size.then_with(|| (by.place(one), one).cmp(&(by.place(other), other)))
    });
    groups.truncate(MOST);
    (
        groups.into_iter().map(|(key, _, closed_trades)| (key, Figures::of(closed_trades.iter().copied()))).collect(),
        total,
    )
}

impl Scope {
    pub fn of(analysis: &Analysis) -> Self {
        let days = || analysis.closed_trades().map(|closed_trade| closed_trade.closed_day);
        let mut years: Vec<FinancialYear> = days().map(FinancialYear::of).collect();
        years.dedup();
        years.reverse();
        // Of each group most closed_trades share what their instrument is.
        let instruments = analysis.groups().flat_map(|group| {
            let same = |one: &ClosedTrade, other: &ClosedTrade| Arc::ptr_eq(&one.instrument, &other.instrument);
            group
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
            symbols: symbols.into_iter().take(MOST).cloned().collect(),
        }
    }
}

impl Attention {
    pub fn of(analysis: &Analysis) -> Self {
        let positions = || analysis.groups().flat_map(Group::positions);
        let expired = positions().filter(|(position, _)| position.expired).count();
        Self {
            missing_cost_basis: analysis.groups().map(|group| group.missing_cost_basis().len()).sum(),
            expired,
            open_positions: positions().count() - expired,
            uncharged: analysis.closed_trades().filter(|closed_trade| closed_trade.notes.uncharged).count(),
        }
    }
}
