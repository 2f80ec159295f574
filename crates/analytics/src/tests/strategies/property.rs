//! Properties of the strategies of random ledgers.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as _;

use super::*;
use crate::analysis::TradeChanges;
use crate::strategies::Strategy as TradedStrategy;

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

/// Generates trades of a few days in few instruments, many of them within minutes and of equal quantities.
fn any_option_ledger() -> impl proptest::strategy::Strategy<Value = Vec<Fill>> {
    let trade = (0..3_u8, 0..40_u16, any::<bool>(), 0..SYMBOLS.len(), 1..4_u32, 1..9_000_u32);
    proptest::collection::vec(trade, 0..40).prop_map(|trades| {
        let line = |(trade_id, (day, minute, buys, symbol, lots, paise)): (i64, (u8, u16, bool, usize, u32, u32))| {
            let (side, day, quantity) = (if buys { "buy" } else { "sell" }, 16 + day, lots * 65);
            let (hour, minute, rupees, paise) = (10 + minute / 20, minute % 20, paise / 100, paise % 100);
            let symbol = SYMBOLS[symbol];
            let line = format!(
                "2026-11-{day:02} {hour:02}:{minute:02} zerodha NSE {side} {symbol} {quantity} {rupees}.{paise:02}"
            );
            fill(trade_id, &line)
        };
        (1..).zip(trades).map(line).collect()
    })
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
    fn a_lot_is_in_at_most_one_strategy_and_an_option_in_exactly_one(fills in any_option_ledger()) {
        let analysis = analyse(fills);
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
    fn totals_of_strategies_positions_and_closed_trades_agree(fills in any_option_ledger()) {
        let analysis = analyse(fills);
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
    fn grouping_after_each_trade_equals_grouping_from_scratch(fills in any_option_ledger(), first in 0..30_usize) {
        let first = first.min(fills.len());
        let mut analysis = analyse(fills[..first].to_vec());
        for fill in &fills[first..] {
            analysis.strategies();
            analysis.apply(TradeChanges { ids: BTreeSet::from([fill.trade_id]), trades: vec![fill.clone()] });
        }
        prop_assert_eq!(summary(&analysis), summary(&analyse(fills)));
    }
}
