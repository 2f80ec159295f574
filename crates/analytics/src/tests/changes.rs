//! What is worked in comes out as from nothing, whatever changed.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::property::any_ledger;
use super::*;
use crate::adjustment::Ratio;
use crate::analysis::Changes;
use crate::figures::{Figures, days};
use crate::filter::GroupBy;
use crate::grpc::render;
use crate::overview::{Attention, Scope, curves, distribution, grid, groups, risk_distribution};
use crate::tax::{FinancialYear, TaxPack, lines};

/// All that is ever said of an analysis, as it is said: a sum of 0 has any number of decimals until then.
fn all(analysis: &Analysis) -> Vec<String> {
    let closed_trades = || analysis.closed_trades();
    let by = [GroupBy::Symbol, GroupBy::Hour, GroupBy::Setup].map(|by| {
        let (groups, total) = groups(by, closed_trades());
        let groups = groups.into_iter().map(|(key, figures)| (key, render::figures(figures)));
        (groups.collect::<Vec<_>>(), total)
    });
    let (year, tariff) = (FinancialYear(2026), Tariff::of_files().unwrap());
    let pages: Vec<_> = closed_trades().map(|closed_trade| render::closed_trade(analysis, closed_trade)).collect();
    let days: Vec<_> = days(closed_trades()).into_iter().map(render::day).collect();
    let spread: Vec<_> = distribution(closed_trades())
        .into_iter()
        .chain(risk_distribution(closed_trades()))
        .map(render::bucket)
        .collect();
    let cells: Vec<_> = grid(closed_trades()).into_iter().map(render::cell).collect();
    let curves: Vec<_> = curves(closed_trades()).into_iter().map(render::curve).collect();
    let taxed: Vec<_> = lines(analysis, tariff, year).into_iter().map(render::tax_line).collect();
    vec![
        format!("{pages:?}"),
        format!("{:?} {days:?}", render::figures(Figures::of(closed_trades()))),
        format!("{spread:?} {cells:?} {curves:?} {by:?}"),
        format!("{:?} {:?}", render::scope(Scope::of(analysis), analysis), render::attention(Attention::of(analysis))),
        format!("{:?}", render::charges(analysis.charges(closed_trades()))),
        format!("{:?}", render::missing_cost_basis(analysis)),
        format!("{:?} {taxed:?}", render::tax_pack(TaxPack::of(analysis, tariff, year))),
    ]
}

/// Entries that turn up in every part: a name that changes, shares on top, shares from before, a settlement.
fn entries() -> Vec<Adjustment> {
    let opening = What::Opening { broker: Broker::Zerodha, quantity: decimal("50"), price: decimal("90") };
    vec![
        entered("INFY", "2026-04-29", What::Split(Ratio { new: 3, old: 1 })),
        entered("ITC", "2026-04-28", What::Bonus(Ratio { new: 1, old: 2 })),
        entered("ITC", "2026-01-01", opening),
        entered("INFY", "2026-04-30", What::Rename("INFOSYS".to_owned())),
        entered("NIFTY26MAYFUT", "2026-05-26", What::Settlement(decimal("250.5"))),
    ]
}

/// A step: the trades that are taken out, by their place, and those that come in, or come in the place of those.
fn any_step() -> impl Strategy<Value = (Vec<prop::sample::Index>, Vec<Fill>, bool)> {
    let out = proptest::collection::vec(any::<prop::sample::Index>(), 0..4);
    (out, any_ledger().prop_map(|fills| fills.into_iter().take(3).collect()), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn changes_come_to_the_same_as_everything_anew(
        start in any_ledger(),
        steps in proptest::collection::vec(any_step(), 1..8),
        acted in any::<bool>(),
    ) {
        let (tariff, entries) = (Tariff::of_files().unwrap(), if acted { entries() } else { Vec::new() });
        let mut log: BTreeMap<i64, Fill> =
            start.into_iter().map(|fill| (fill.trade_id, fill)).collect();
        let fresh = |log: &BTreeMap<i64, Fill>| {
            Analysis::of(log.values().cloned().collect(), &entries, tariff, TODAY)
        };
        let mut analysis = fresh(&log);
        let mut next = 1_000;
        let mut before = Vec::new();
        for (out, into, edits) in steps {
            let mut changes = Changes::default();
            for index in out {
                let Some(id) = (!log.is_empty()).then(|| *log.keys().nth(index.index(log.len())).unwrap()) else {
                    continue;
                };
                before.extend(log.remove(&id));
                changes.ids.insert(id);
            }
            // An edit gives a number to other trades, an undo brings trades back.
            let taken: Vec<i64> = changes.ids.iter().copied().collect();
            let back = if edits { Vec::new() } else { before.drain(..before.len() / 2).collect() };
            for (place, mut fill) in into.into_iter().chain(back).enumerate() {
                fill.trade_id = match taken.get(place).filter(|_| edits) {
                    Some(id) => *id,
                    None if fill.trade_id < 1_000 && !log.contains_key(&fill.trade_id) => fill.trade_id,
                    None => next,
                };
                next += 1;
                changes.ids.insert(fill.trade_id);
                log.insert(fill.trade_id, fill);
            }
            changes.trades = changes.ids.iter().filter_map(|id| log.get(id)).cloned().collect();
            // Somebody may read what was known meanwhile: for them nothing changes.
            let reader = edits.then(|| (analysis.clone(), all(&analysis)));
            analysis.change(changes);
            prop_assert_eq!(all(&analysis), all(&fresh(&log)));
            if let Some((reader, read)) = reader {
                prop_assert_eq!(all(&reader), read);
            }
        }
    }
}
