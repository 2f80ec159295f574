//! Applying changes gives the same result as a new analysis.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::property::any_ledger;
use super::*;
use crate::adjustment::{PricedShares, Ratio};
use crate::analysis::TradeChanges;
use crate::figures::{Figures, days};
use crate::filter::{Filter, GroupBy};
use crate::grpc::response;
use crate::overview::{
    DataIssues, Scope, distribution, group_figures, risk_distribution, symbol_curves, weekday_hour_grid,
};
use crate::proposals::Proposal;
use crate::tax::{FinancialYear, TaxAccounts, TaxPack, tax_lines};

/// Returns all responses of an analysis as text. Compares responses rather than domain values, because equal decimals
/// may have different numbers of decimals before they are formatted.
pub fn all_responses(analysis: &Analysis) -> Vec<String> {
    let closed_trades = || analysis.closed_trades();
    let by = [GroupBy::Symbol, GroupBy::Hour, GroupBy::Setup].map(|by| {
        let (groups, total) = group_figures(by, closed_trades());
        let groups = groups.into_iter().map(|(key, figures)| (key, response::to_figures(figures)));
        (groups.collect::<Vec<_>>(), total)
    });
    let year = FinancialYear(2026);
    let listed: Vec<_> =
        closed_trades().map(|closed_trade| response::to_closed_trade(analysis, closed_trade)).collect();
    let days: Vec<_> = days(closed_trades()).into_iter().map(response::to_day).collect();
    let buckets: Vec<_> = distribution(closed_trades())
        .into_iter()
        .chain(risk_distribution(closed_trades()))
        .map(response::to_bucket)
        .collect();
    let cells: Vec<_> = weekday_hour_grid(closed_trades()).into_iter().map(response::to_cell).collect();
    let curves: Vec<_> = symbol_curves(closed_trades()).into_iter().map(response::to_symbol_curve).collect();
    let tax: Vec<_> =
        tax_lines(analysis, year, &TaxAccounts::default(), &[]).into_iter().map(response::to_tax_line).collect();
    vec![
        format!("{listed:?}"),
        format!("{:?} {days:?}", response::to_figures(Figures::new(closed_trades()))),
        format!("{buckets:?} {cells:?} {curves:?} {by:?}"),
        format!(
            "{:?} {:?}",
            response::to_scope(Scope::new(analysis), analysis),
            response::to_data_issues(DataIssues::new(analysis, &Filter::default()))
        ),
        format!("{:?}", response::to_charges(analysis.charges(closed_trades()))),
        format!("{:?}", response::to_open_positions(analysis)),
        proposals(analysis),
        format!("{:?} {tax:?}", response::to_tax_pack(TaxPack::new(analysis, year, &TaxAccounts::default(), &[], &[]))),
    ]
}

/// Returns the proposals as text, with their evidence sorted: its order is that of the ledgers.
fn proposals(analysis: &Analysis) -> String {
    let text = |proposal: Proposal| {
        let mut evidence: Vec<String> = proposal.evidence.iter().map(|evidence| format!("{evidence:?}")).collect();
        evidence.sort();
        format!("{:?} {evidence:?}", proposal.adjustment)
    };
    let mut proposals: Vec<String> = super::proposals(analysis).into_iter().map(text).collect();
    proposals.sort();
    proposals.join("\n")
}

/// Returns adjustments of all kinds, which link and rename the shares of [`any_ledger`].
fn all_adjustments() -> Vec<Adjustment> {
    let (ratio, zerodha) = (Ratio { new: 2, old: 3 }, account(Broker::Zerodha));
    let shares = |quantity, price| PricedShares { account: zerodha, quantity, price };
    let moves = |new_symbol: &str| AdjustmentKind::Demerger {
        new_symbol: new_symbol.to_owned(),
        ratio: Ratio { new: 1, old: 7 },
        cost_percent: decimal("13.51"),
    };
    let merges = AdjustmentKind::Merger { into: "ITC".to_owned(), ratio, cash: decimal("1.25") };
    let contract = AdjustmentKind::ContractAdjustment {
        new_symbol: Some("NIFTY26MAYADJFUT".to_owned()),
        ratio,
        price_cut: decimal("15.25"),
    };
    let more = [
        adjustment("INFY", "2026-04-28", merges),
        adjustment("ITC", "2026-04-29", moves("ITCHOTELS")),
        adjustment("ITC", "2026-04-29", moves("INFY")),
        adjustment("INFOSYS", "2026-04-28", moves("OTHER")),
        adjustment("ITC", "2026-04-27", AdjustmentKind::Rights(shares(decimal("7"), decimal("30")))),
        adjustment("INFY", "2026-04-29", AdjustmentKind::Buyback(shares(decimal("20"), decimal("130.5")))),
        adjustment("ITC", "2026-04-30", AdjustmentKind::CapitalReturn(decimal("3.3"))),
        adjustment("ITC", "2026-05-02", AdjustmentKind::FractionPayment { account: zerodha, amount: decimal("99") }),
        adjustment("NIFTY26MAYFUT", "2026-04-29", contract),
        adjustment("NIFTY", "2026-04-29", AdjustmentKind::Split(Ratio { new: 5, old: 2 })),
        adjustment("INFY", "2026-04-29", AdjustmentKind::NoAction),
    ];
    let all = adjustments().into_iter().chain(more);
    (1..).zip(all).map(|(id, adjustment)| Adjustment { id, ..adjustment }).collect()
}

/// Returns one adjustment of each of the common kinds.
fn adjustments() -> Vec<Adjustment> {
    let opening =
        AdjustmentKind::Opening { account: account(Broker::Zerodha), quantity: decimal("50"), price: decimal("90") };
    vec![
        adjustment("INFY", "2026-04-29", AdjustmentKind::Split(Ratio { new: 3, old: 1 })),
        adjustment("ITC", "2026-04-28", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 2 }, allotted: None }),
        adjustment("ITC", "2026-01-01", opening),
        adjustment("INFY", "2026-04-30", AdjustmentKind::Rename("INFOSYS".to_owned())),
        adjustment("NIFTY26MAYFUT", "2026-05-26", AdjustmentKind::Settlement(decimal("250.5"))),
        adjustment("ITC26MAY300CE", "2026-05-26", AdjustmentKind::Settlement(decimal("12.5"))),
    ]
}

/// A change: trades to remove, by index; trades to add; and whether added trades replace removed ones (an edit).
fn any_step() -> impl Strategy<Value = (Vec<prop::sample::Index>, Vec<Fill>, bool)> {
    let removed = proptest::collection::vec(any::<prop::sample::Index>(), 0..4);
    (removed, any_ledger().prop_map(|fills| fills.into_iter().take(3).collect()), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn adding_and_removing_adjustments_equals_a_new_analysis(
        fills in any_ledger(),
        steps in proptest::collection::vec(proptest::collection::vec(any::<prop::sample::Index>(), 1..4), 1..6),
    ) {
        let (all, rates) = (all_adjustments(), ChargeRates::load().unwrap());
        let fresh = |adjustments: &[Adjustment]| Analysis::new(fills.clone(), adjustments, rates, TODAY);
        let mut analysis = fresh(&[]);
        let untouched = all_responses(&analysis);
        let mut entered = BTreeSet::new();
        for step in steps {
            // Enters adjustments, or removes those that are entered.
            for index in step {
                let index = index.index(all.len());
                if !entered.remove(&index) {
                    entered.insert(index);
                }
            }
            let adjustments: Vec<Adjustment> = entered.iter().map(|index| all[*index].clone()).collect();
            analysis.apply_adjustments(&adjustments);
            prop_assert_eq!(all_responses(&analysis), all_responses(&fresh(&adjustments)));
        }
        analysis.apply_adjustments(&[]);
        prop_assert_eq!(all_responses(&analysis), untouched);
    }

    #[test]
    fn applying_changes_equals_a_new_analysis(
        start in any_ledger(),
        steps in proptest::collection::vec(any_step(), 1..8),
        with_adjustments in any::<bool>(),
    ) {
        let rates = ChargeRates::load().unwrap();
        let adjustments = if with_adjustments { adjustments() } else { Vec::new() };
        let mut log: BTreeMap<i64, Fill> =
            start.into_iter().map(|fill| (fill.trade_id, fill)).collect();
        let fresh = |log: &BTreeMap<i64, Fill>| {
            Analysis::new(log.values().cloned().collect(), &adjustments, rates, TODAY)
        };
        let mut analysis = fresh(&log);
        let mut next = 1_000;
        let mut removed_trades = Vec::new();
        for (removed, added, is_edit) in steps {
            let mut changes = TradeChanges::default();
            for index in removed {
                let Some(id) = (!log.is_empty()).then(|| *log.keys().nth(index.index(log.len())).unwrap()) else {
                    continue;
                };
                removed_trades.extend(log.remove(&id));
                changes.ids.insert(id);
            }
            // An edit reuses the number of a removed trade; an undo restores removed trades.
            let removed_ids: Vec<i64> = changes.ids.iter().copied().collect();
            let restored =
                if is_edit { Vec::new() } else { removed_trades.drain(..removed_trades.len() / 2).collect() };
            for (index, mut fill) in added.into_iter().chain(restored).enumerate() {
                fill.trade_id = match removed_ids.get(index).filter(|_| is_edit) {
                    Some(id) => *id,
                    None if fill.trade_id < 1_000 && !log.contains_key(&fill.trade_id) => fill.trade_id,
                    None => next,
                };
                next += 1;
                changes.ids.insert(fill.trade_id);
                log.insert(fill.trade_id, fill);
            }
            changes.trades = changes.ids.iter().filter_map(|id| log.get(id)).cloned().collect();
            // A request that still uses the previous analysis must not see the changes.
            let previous = is_edit.then(|| (analysis.clone(), all_responses(&analysis)));
            analysis.apply(changes);
            prop_assert_eq!(all_responses(&analysis), all_responses(&fresh(&log)));
            if let Some((previous, responses)) = previous {
                prop_assert_eq!(all_responses(&previous), responses);
            }
        }
    }
}
