//! Properties of the strategies of random ledgers.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as _;

use super::decisions::decide;
use super::settings::change_settings;
use super::*;
use crate::analysis::TradeChanges;
use crate::figures::Figures;
use crate::filter::{Filter, Unit};
use crate::strategies::{Decision, GroupingSettings, Strategy as TradedStrategy};

const SYMBOLS: [&str; 9] = [
    "NIFTY26NOV24000CE",
    "NIFTY26NOV24000PE",
    "NIFTY26NOV24500CE",
    "NIFTY26NOV23500PE",
    "NIFTY26DEC24000CE",
    "NIFTY26DECFUT",
    "TCS",
    "TCS26DEC3200CE",
    "TCS26DEC2900PE",
];

/// Day, minute, whether it is bought, symbol, lots, account and price in paise.
type RandomTrade = (u8, u16, bool, usize, u32, (usize, u32));

/// Generates trades of a few days in few instruments, many of them within minutes and of equal quantities.
fn any_option_ledger() -> impl proptest::strategy::Strategy<Value = Vec<Fill>> {
    // Half of the trades are in the first account.
    let trade = (0..3_u8, 0..40_u16, any::<bool>(), 0..SYMBOLS.len(), 1..4_u32, (0..4_usize, 1..9_000_u32));
    proptest::collection::vec(trade, 0..40).prop_map(|trades| {
        let line = |(trade_id, trade): (i64, RandomTrade)| {
            let (day, minute, buys, symbol, lots, (account, paise)) = trade;
            let account = ["zerodha", "zerodha", "zerodha-2", "groww"][account];
            let (side, day, quantity) = (if buys { "buy" } else { "sell" }, 16 + day, lots * 65);
            let (hour, minute, rupees, paise) = (10 + minute / 20, minute % 20, paise / 100, paise % 100);
            let symbol = SYMBOLS[symbol];
            let line = format!(
                "2026-11-{day:02} {hour:02}:{minute:02} {account} NSE {side} {symbol} {quantity} {rupees}.{paise:02}"
            );
            fill(trade_id, &line)
        };
        (1..).zip(trades).map(line).collect()
    })
}

/// Kind of a decision, and numbers that select the strategies, legs and quantities.
type RandomDecision = (u8, usize, usize, u32);

fn any_decisions() -> impl proptest::strategy::Strategy<Value = Vec<RandomDecision>> {
    proptest::collection::vec((0..5_u8, 0..20_usize, 0..20_usize, 1..4_u32), 0..8)
}

/// Makes decisions; those that are not possible have no effect.
fn decide_randomly(analysis: &mut Analysis, decisions: &[RandomDecision]) {
    for (kind, first, second, lots) in decisions {
        let all = strategies(analysis);
        let Some(one) = all.get(first % all.len().max(1)) else { return };
        let decision = match kind {
            0 => Decision::Confirm { name: None },
            1 => match one.candidates.get(second % one.candidates.len().max(1)) {
                Some(chosen) => Decision::Choose { candidate: chosen.id() },
                None => continue,
            },
            2 => Decision::Join { strategies: vec![all[second % all.len()].id], positions: Vec::new() },
            3 => {
                let mut legs: Vec<(FillKey, Decimal)> =
                    one.legs().iter().map(|leg| (leg.position, leg.quantity.min(Decimal::from(lots * 65)))).collect();
                let count = legs.len();
                legs.rotate_left(second % count);
                legs.truncate(1 + second % 2);
                Decision::Split { legs }
            }
            _ => Decision::Release,
        };
        let id = one.id;
        let _: Result<_, crate::error::Error> = decide(analysis, id, &decision);
    }
}

fn any_settings() -> impl proptest::strategy::Strategy<Value = GroupingSettings> {
    (1..=30_u32, any::<bool>()).prop_map(|(minutes, across)| GroupingSettings::new(minutes, across))
}

fn analyse_with(fills: Vec<Fill>, settings: GroupingSettings) -> Analysis {
    let mut analysis = analyse(fills);
    change_settings(&mut analysis, settings);
    analysis
}

fn analyse(fills: Vec<Fill>) -> Analysis {
    Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY)
}

/// Returns the lots of each position as one set of parts: ledger, lot, start and end.
fn grouped_lots(analysis: &Analysis) -> Vec<(usize, usize, Decimal, Decimal, FillKey)> {
    let lots = strategies(analysis).into_iter().flat_map(|strategy| &strategy.lots);
    lots.map(|lot| (lot.ledger, lot.lot, lot.from, lot.from + lot.quantity, lot.position)).collect()
}

/// Returns all that grouping decides, in the order of openings.
fn summary(analysis: &Analysis) -> Vec<(String, FillKey, Decimal, Option<FillKey>, usize)> {
    let row = |strategy: &TradedStrategy| {
        let candidates = strategy.candidates.len();
        (describe_strategy(strategy), strategy.id, strategy.net(), strategy.previous, candidates)
    };
    strategies(analysis).into_iter().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_lot_is_in_at_most_one_strategy_and_an_option_in_exactly_one(
        fills in any_option_ledger(),
        decisions in any_decisions(),
        settings in any_settings(),
    ) {
        let mut analysis = analyse_with(fills, settings);
        decide_randomly(&mut analysis, &decisions);
        let mut lots = grouped_lots(&analysis);
        lots.sort();
        for pair in lots.windows(2) {
            let [(ledger, lot, _, end, _), (next_ledger, next_lot, start, ..)] = pair else { unreachable!() };
            prop_assert!((ledger, lot) != (next_ledger, next_lot) || end <= start, "{pair:?}");
        }
        let mut by_position: BTreeMap<FillKey, Decimal> = BTreeMap::new();
        for (.., from, to, position) in lots {
            *by_position.entry(position).or_default() += to - from;
        }
        for ledger in analysis.ledgers() {
            for position in &ledger.positions {
                let open = ledger.open_part(position).map(|open| open.quantity).unwrap_or_default();
                let (whole, grouped) =
                    (position.result.quantity + open, by_position.get(&position.key().unwrap()).copied());
                prop_assert!(grouped.unwrap_or_default() <= whole);
                if position.result.instrument.is_option() {
                    prop_assert_eq!(grouped, Some(whole));
                }
            }
        }
        let ids: BTreeSet<FillKey> = strategies(&analysis).iter().map(|strategy| strategy.id).collect();
        prop_assert_eq!(ids.len(), strategies(&analysis).len());
    }

    #[test]
    fn totals_of_strategies_positions_and_closed_trades_agree(
        fills in any_option_ledger(),
        decisions in any_decisions(),
        settings in any_settings(),
    ) {
        let mut analysis = analyse_with(fills, settings);
        decide_randomly(&mut analysis, &decisions);
        let mut by_strategy: BTreeMap<FillKey, (Decimal, Decimal)> = BTreeMap::new();
        for strategy in strategies(&analysis) {
            let legs = strategy.legs();
            prop_assert_eq!(legs.iter().map(|leg| leg.gross).sum::<Decimal>(), strategy.gross);
            prop_assert_eq!(legs.iter().map(|leg| leg.charges).sum::<Decimal>(), strategy.charges);
            if strategy.is_closed() {
                prop_assert_eq!(strategy.steps().iter().map(|step| step.cash).sum::<Decimal>(), strategy.gross);
            }
            for leg in legs {
                let (gross, charges) = by_strategy.entry(leg.position).or_default();
                *gross += leg.gross;
                *charges += leg.charges;
            }
        }
        for ledger in analysis.ledgers() {
            for position in ledger.positions.iter().filter(|position| position.result.instrument.is_option()) {
                let result = &position.result;
                let sums = by_strategy.get(&position.key().unwrap()).copied();
                prop_assert_eq!(sums, Some((result.gross, result.charges)));
                let closed_trades = &ledger.closed_trades[position.closed_trades.clone()];
                prop_assert_eq!(closed_trades.iter().map(|trade| trade.net).sum::<Decimal>(), result.net);
            }
        }
    }

    #[test]
    fn figures_of_strategies_positions_and_closed_trades_have_the_same_sums(
        fills in any_option_ledger(),
        decisions in any_decisions(),
        settings in any_settings(),
    ) {
        let mut analysis = analyse_with(fills, settings);
        decide_randomly(&mut analysis, &decisions);
        let [positions, closed_trades, strategies] = [Unit::Positions, Unit::ClosedTrades, Unit::Strategies].map(|unit| {
            let filter = Filter { unit, ..Filter::default() };
            let figures = Figures::of_positions(&filter.units(&analysis), &filter.results(&analysis));
            (figures.gross, figures.charges, figures.stated_charges, figures.net)
        });
        prop_assert_eq!(positions, closed_trades);
        prop_assert_eq!(strategies, closed_trades);
        let filter = Filter { unit: Unit::Strategies, ..Filter::default() };
        let units = filter.units(&analysis);
        let closed = analysis.strategies().strategies().iter().filter(|strategy| strategy.is_closed());
        let net: Decimal = closed.clone().map(|strategy| strategy.net()).sum();
        let counted = units.iter().filter(|unit| unit.is_strategy);
        prop_assert_eq!(counted.clone().count(), closed.count());
        prop_assert_eq!(counted.map(|unit| unit.net).sum::<Decimal>(), net);
        prop_assert!(units.is_sorted_by_key(|unit| unit.closed_at));
        // Charges by rule are rounded for each range.
        let (by_rule, _) = analysis.charges_of_ranges(filter.ranges_of_strategies(&analysis));
        prop_assert!((by_rule.total() - strategies.1).abs() < Decimal::new(1, 2), "{} {}", by_rule.total(), strategies.1);
        prop_assert!(filter.results(&analysis).is_sorted_by_key(|part| part.closed_at));
    }

    #[test]
    fn grouping_after_each_trade_equals_grouping_from_scratch(
        fills in any_option_ledger(),
        first in 0..30_usize,
        settings in any_settings(),
    ) {
        let first = first.min(fills.len());
        let mut analysis = analyse_with(fills[..first].to_vec(), settings);
        for fill in &fills[first..] {
            analysis.strategies();
            analysis.apply(TradeChanges { ids: BTreeSet::from([fill.trade_id]), trades: vec![fill.clone()] });
        }
        prop_assert_eq!(summary(&analysis), summary(&analyse_with(fills, settings)));
    }

    #[test]
    fn grouping_after_deletions_equals_grouping_from_scratch(
        fills in any_option_ledger(),
        deleted in proptest::collection::btree_set(1..40_i64, 1..20),
        settings in any_settings(),
    ) {
        let mut analysis = analyse_with(fills.clone(), settings);
        for id in &deleted {
            analysis.strategies();
            analysis.strategy_units();
            analysis.apply(TradeChanges { ids: BTreeSet::from([*id]), trades: Vec::new() });
        }
        let rest = fills.into_iter().filter(|fill| !deleted.contains(&fill.trade_id)).collect();
        prop_assert_eq!(summary(&analysis), summary(&analyse_with(rest, settings)));
    }

    #[test]
    fn confirmed_strategies_stay_while_trades_are_added(
        fills in any_option_ledger(),
        decisions in any_decisions(),
        first in 0..30_usize,
        settings in any_settings(),
    ) {
        let first = first.min(fills.len());
        let mut analysis = analyse_with(fills[..first].to_vec(), settings);
        decide_randomly(&mut analysis, &decisions);
        for fill in &fills[first..] {
            analysis.strategies();
            analysis.apply(TradeChanges { ids: BTreeSet::from([fill.trade_id]), trades: vec![fill.clone()] });
        }
        let confirmed = analysis.confirmed_strategies();
        for strategy in strategies(&analysis) {
            let stored = confirmed.strategies.iter().find(|one| one.id == strategy.id);
            prop_assert_eq!(stored, strategy.confirmed.as_ref());
            if let Some(stored) = stored {
                let is_stored = |lot: &&crate::strategies::LotPart| {
                    stored.ranges.iter().any(|range| {
                        let ends_before = range.to.is_some_and(|to| to < lot.from + lot.quantity);
                        range.fill == lot.fill && range.from <= lot.from && !ends_before
                    })
                };
                prop_assert!(strategy.lots.iter().all(|lot| is_stored(&lot)), "a trade was added to {strategy:?}");
            }
        }
        // The same as from scratch, with the same confirmed strategies.
        let mut from_scratch = analyse(fills);
        from_scratch.set_confirmed_strategies(confirmed);
        prop_assert_eq!(summary(&analysis), summary(&from_scratch));
    }
}
