//! Positions from flat to flat, compared with positions found by hand, and properties of random ledgers.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::property::any_ledger;
use super::*;
use crate::adjustment::Ratio;
use crate::analysis::TradeChanges;
use crate::figures::Figures;
use crate::filter::{Filter, Unit};
use crate::position::Position;

fn positions(analysis: &Analysis) -> impl Iterator<Item = (&InstrumentLedger, &Position)> {
    analysis.ledgers().flat_map(|ledger| ledger.positions.iter().map(move |position| (ledger, position)))
}

/// Formats a position, such as `long INFY 10+5: 1000 -> 1100 = 100`; the quantity after the plus sign is open.
fn describe_position((ledger, position): (&InstrumentLedger, &Position)) -> String {
    let result = &position.result;
    let open = ledger.open_part(position).map_or(String::new(), |open| format!("+{}", open.quantity.normalize()));
    format!(
        "{} {} {}{open}: {} -> {} = {}",
        if result.long { "long" } else { "short" },
        result.instrument.symbol,
        result.quantity.normalize(),
        result.entry_value.normalize(),
        result.exit_value.normalize(),
        result.gross.normalize()
    )
}

#[track_caller]
fn check_positions(lines: &str, adjustments: &[Adjustment], expected: &[&str]) -> Analysis {
    let analysis = analysis(lines, adjustments);
    let mut actual: Vec<_> = positions(&analysis).collect();
    actual.sort_by_key(|(_, position)| (position.result.opened_at, position.result.trade_id));
    let actual: Vec<String> = actual.into_iter().map(describe_position).collect();
    assert_eq!(actual, expected);
    analysis
}

#[test]
fn a_position_contains_additions_and_partial_exits() {
    let lines = "2022-06-06 09:20 zerodha NSE buy A 100 100
                 2022-06-07 09:20 zerodha NSE buy A 50 110
                 2022-06-08 09:20 zerodha NSE sell A 30 120
                 2022-06-09 09:20 zerodha NSE sell A 120 90
                 2022-06-10 09:20 zerodha NSE buy A 5 90";
    // 100 * 100 + 50 * 110 = 15500; 30 * 120 + 120 * 90 = 14400.
    let analysis = check_positions(lines, &[], &["long A 150: 15500 -> 14400 = -1100", "long A 0+5: 0 -> 0 = 0"]);
    let (ledger, position) = positions(&analysis).next().unwrap();
    assert_eq!((position.closed_trades.len(), position.result.kind), (2, TradeKind::Delivery));
    // 30 of the first lot at 100: 600 less nothing; then 70 at 100 and 50 at 110 for 90: -700 and -1000.
    let trades = ledger.position_trades(position);
    let rows: Vec<_> = trades
        .iter()
        .map(|trade| {
            let closed = trade.closed.as_ref();
            let gross = closed.map(|closed| closed.gross.normalize());
            (trade.fill.trade_id, trade.lot, closed.map(|closed| closed.numbers.clone()).unwrap_or_default(), gross)
        })
        .collect();
    let gross = |text: &str| Some(decimal(text));
    assert_eq!(
        rows,
        [
            (1, Some(1), vec![], None),
            (2, Some(2), vec![], None),
            (3, None, vec![1], gross("600")),
            (4, None, vec![1, 2], gross("-1700")),
        ]
    );
}

#[test]
fn a_fill_that_exceeds_the_open_contracts_closes_one_position_and_opens_the_next() {
    let lines = "2022-06-06 09:20 zerodha NSE buy NIFTY22JUNFUT 50 100
                 2022-06-06 09:30 zerodha NSE sell NIFTY22JUNFUT 80 110
                 2022-06-06 09:40 zerodha NSE buy NIFTY22JUNFUT 30 105";
    let analysis = check_positions(
        lines,
        &[],
        &["long NIFTY22JUNFUT 50: 5000 -> 5500 = 500", "short NIFTY22JUNFUT 30: 3300 -> 3150 = 150"],
    );
    // The sale is the exit of the first and the entry of the second.
    let results = analysis.trade_results(&HashSet::from([1, 2, 3]));
    let results: HashMap<_, _> = results.into_iter().map(|result| (result.trade_id, result)).collect();
    let closed = |id: i64| results[&id].closed.as_ref().map(|closed| (closed.quantity, closed.gross));
    assert_eq!(
        [closed(1), closed(2), closed(3)],
        [None, Some((decimal("50"), decimal("500"))), Some((decimal("30"), decimal("150")))]
    );
    assert_eq!(results[&1].position, results[&2].position);
    assert_ne!(results[&2].position, results[&3].position);
}

#[test]
fn an_order_that_closes_two_positions_is_divided() {
    let lines = "2022-06-06 09:20 zerodha NSE buy NIFTY22JUNFUT 50 100
                 2022-06-06 09:30 zerodha NSE sell NIFTY22JUNFUT 50 110 o1
                 2022-06-06 09:40 zerodha NSE buy NIFTY22JUNFUT 50 105
                 2022-06-06 09:50 zerodha NSE sell NIFTY22JUNFUT 50 111 o1";
    let analysis = check_positions(
        lines,
        &[],
        &["long NIFTY22JUNFUT 50: 5000 -> 5500 = 500", "long NIFTY22JUNFUT 50: 5250 -> 5550 = 300"],
    );
    assert_eq!(analysis.closed_trades().count(), 2);
}

#[test]
fn day_trades_of_a_share_are_positions_and_same_day_matching_joins_trades() {
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-06 09:30 zerodha NSE sell A 10 101
                 2022-06-06 10:20 zerodha NSE sell A 20 102
                 2022-06-06 10:30 zerodha NSE buy A 20 100";
    let analysis = check_positions(lines, &[], &["long A 10: 1000 -> 1010 = 10", "short A 20: 2040 -> 2000 = 40"]);
    assert!(positions(&analysis).all(|(_, position)| position.result.kind == TradeKind::Intraday));
    // Of 100 sold and 50 bought on one day only 50 are delivered: the purchase belongs to the sale of the holding.
    let joined = "2022-06-06 09:20 zerodha NSE buy A 100 10
                  2022-06-07 09:30 zerodha NSE sell A 100 30
                  2022-06-07 10:20 zerodha NSE buy A 50 20";
    // Sold 50 for 1500 that were bought for 1000 on the day, and 50 for 1500 that cost 500; 50 that cost 500 are left.
    check_positions(joined, &[], &["long A 100+50: 1500 -> 3000 = 1500"]);
}

#[test]
fn corporate_actions_and_settlements_stay_in_the_position() {
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-10 09:20 zerodha NSE sell A 30 40
                 2022-06-13 09:20 zerodha NSE buy A 1 40";
    let actions = [
        adjustment("A", "2022-06-07", AdjustmentKind::Split(Ratio { new: 2, old: 1 })),
        adjustment("A", "2022-06-08", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 2 }, allotted: None }),
    ];
    check_positions(lines, &actions, &["long A 30: 1000 -> 1200 = 200", "long A 0+1: 0 -> 0 = 0"]);
    let lines = "2022-06-06 09:20 zerodha NSE sell NIFTY2260916000CE 50 100
                 2022-06-07 09:20 zerodha NSE buy NIFTY2260916000CE 20 80";
    let settlement = adjustment("NIFTY2260916000CE", "2022-06-09", AdjustmentKind::Settlement(decimal("10")));
    check_positions(lines, &[settlement], &["short NIFTY2260916000CE 50: 5000 -> 1900 = 3100"]);
    let analysis = check_positions(lines, &[], &["short NIFTY2260916000CE 20+30: 2000 -> 1600 = 400"]);
    assert!(analysis.ledgers().flat_map(InstrumentLedger::open_positions).all(|open| open.expired));
}

#[test]
fn shares_that_a_merger_or_demerger_links_are_positions_of_their_own() {
    // The demerger moves 40 % of the cost of 1000 to the new share.
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-10 09:20 zerodha NSE sell A 10 70
                 2022-06-11 09:20 zerodha NSE sell N 6 50
                 2022-06-12 09:20 zerodha NSE sell N 4 50";
    let (new_symbol, ratio) = ("N".to_owned(), Ratio { new: 1, old: 1 });
    let kind = AdjustmentKind::Demerger { new_symbol, ratio, cost_percent: decimal("40") };
    let demerger = adjustment("A", "2022-06-08", kind);
    check_positions(lines, &[demerger], &["long N 10: 400 -> 500 = 100", "long A 10: 600 -> 700 = 100"]);
    // Shares of A become twice as many of B, which the trader also holds.
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-07 09:20 zerodha NSE buy B 5 60
                 2022-06-10 09:20 zerodha NSE sell B 25 70
                 2022-06-13 09:20 zerodha NSE buy B 1 70";
    let merger = adjustment(
        "A",
        "2022-06-08",
        AdjustmentKind::Merger { into: "B".to_owned(), ratio: Ratio { new: 2, old: 1 }, cash: Decimal::ZERO },
    );
    check_positions(lines, &[merger], &["long B 25: 1300 -> 1750 = 450", "long B 0+1: 0 -> 0 = 0"]);
}

#[test]
fn r_of_a_position_is_its_net_result_divided_by_the_risk_of_all_entries() {
    // 10 with a risk of 10 each and 10 with a risk of 5 each: 150. 20 sold for 2600 less 2100.
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100 stop=90
                 2022-06-07 09:20 zerodha NSE buy A 10 110 stop=105
                 2022-06-08 09:20 zerodha NSE sell A 5 130
                 2022-06-09 09:20 zerodha NSE sell A 15 130";
    let analysis = analysis(lines, &[]);
    let filter = Filter { unit: Unit::Positions, ..Filter::default() };
    let figures = Figures::of_positions(&filter.units(&analysis), &filter.results(&analysis));
    let (ledger, position) = positions(&analysis).next().unwrap();
    assert_eq!(position.result.risk, Some(decimal("150")));
    let risk = figures.risk.unwrap();
    assert_eq!((risk.closed_trades, risk.average), (1, (position.result.net / decimal("150")).round_dp(4)));
    assert_eq!(ledger.average_stop_loss(position), Some(decimal("97.5")));
}

#[test]
fn results_belong_to_the_day_on_which_they_were_realised() {
    let lines = "2022-06-06 09:20 zerodha NSE buy A 100 100
                 2022-06-07 09:20 zerodha NSE sell A 40 110
                 2022-06-09 09:20 zerodha NSE sell A 60 90
                 2022-06-06 09:20 zerodha NSE buy B 10 100
                 2022-06-07 09:20 zerodha NSE sell B 4 105";
    let analysis = analysis(lines, &[]);
    let figures = |from: &str, to: &str| {
        let filter = Filter { unit: Unit::Positions, from: Some(day(from)), to: Some(day(to)), ..Filter::default() };
        let figures = Figures::of_positions(&filter.units(&analysis), &filter.results(&analysis));
        (figures.closed_trades, figures.gross.normalize(), figures.losses)
    };
    // A: 400, then -600. B: 20, and 6 are open.
    assert_eq!(figures("2022-06-01", "2022-06-30"), (1, decimal("-180"), 1));
    assert_eq!(figures("2022-06-07", "2022-06-07"), (0, decimal("420"), 0));
    assert_eq!(figures("2022-06-09", "2022-06-09"), (1, decimal("-600"), 1));
    // Open positions have no result, so they are neither won nor lost.
    let lost = Filter { unit: Unit::Positions, won: Some(false), ..Filter::default() };
    assert_eq!(lost.results(&analysis).iter().map(|part| part.gross).sum::<Decimal>(), decimal("-200"));
}

#[test]
fn a_position_keeps_its_key_when_its_trades_get_other_numbers_prices_and_later_trades() {
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-06 09:20 zerodha NSE buy A 10 100
                 2022-06-07 09:20 zerodha NSE sell A 20 110";
    let fills = ledger(lines);
    let key = |fills: Vec<Fill>| {
        let analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        let mut keys: Vec<_> = positions(&analysis).map(|(_, position)| position.key()).collect();
        assert_eq!(keys.len(), 1);
        keys.remove(0).unwrap()
    };
    let original = key(fills.clone());
    // Imported again in another order.
    let mut renumbered: Vec<Fill> = fills.iter().rev().cloned().collect();
    (7..).zip(&mut renumbered).for_each(|(number, fill)| fill.trade_id = number);
    assert_eq!(key(renumbered), original);
    // A corrected price of either of the fills that opened it at the same time.
    for index in [0, 1] {
        let mut corrected = fills.clone();
        corrected[index].value += decimal("50");
        assert_eq!(key(corrected), original);
    }
    assert_eq!(key(fills[..2].to_vec()), original);
    // An older trade starts the position earlier; the position is still found.
    let mut older = fill(9, "2022-06-01 09:20 zerodha NSE buy A 5 90");
    older.key = FillKey::from_trade_id(9);
    let analysis = Analysis::new([fills, vec![older]].concat(), &[], ChargeRates::load().unwrap(), TODAY);
    let (_, containing) = analysis.find_position(original).unwrap();
    assert_eq!(containing.key(), Some(FillKey::from_trade_id(9)));
    let unknown = FillKey::from_trade_id(99);
    let keys: Vec<_> =
        analysis.find_positions(&[original, unknown]).into_iter().map(|position| position?.key()).collect();
    assert_eq!(keys, [containing.key(), None]);
    // Two keys of the same position count once.
    let keys = [original, unknown, containing.key().unwrap()];
    let figures = analysis.figures_of_positions(&keys, &[vec![0, 1, 2], vec![1, 9]]);
    let expected = usize::from(containing.is_closed());
    assert_eq!(figures.iter().map(|figures| figures.closed_trades).collect::<Vec<_>>(), [expected, 0]);
}

/// Sums of a set of closed trades.
fn sums<'t>(parts: impl Iterator<Item = &'t ClosedTrade>) -> (Decimal, Decimal, Decimal) {
    parts.fold(<(Decimal, Decimal, Decimal)>::default(), |(gross, charges, net), part| {
        (gross + part.gross, charges + part.charges, net + part.net)
    })
}

fn all_adjustments() -> Vec<Adjustment> {
    vec![
        adjustment("INFY", "2026-04-29", AdjustmentKind::Split(Ratio { new: 3, old: 1 })),
        adjustment("ITC", "2026-04-30", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 2 }, allotted: None }),
        adjustment("NIFTY26MAYFUT", "2026-05-26", AdjustmentKind::Settlement(decimal("250.5"))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn positions_and_closed_trades_have_the_same_sums(fills in any_ledger(), with_adjustments in any::<bool>()) {
        let adjustments = if with_adjustments { all_adjustments() } else { Vec::new() };
        let analysis = Analysis::new(fills, &adjustments, ChargeRates::load().unwrap(), TODAY);
        let by_position = sums(positions(&analysis).map(|(_, position)| &position.result));
        prop_assert_eq!(by_position, sums(analysis.closed_trades()));
        let all = Filter { unit: Unit::Positions, ..Filter::default() };
        let (units, results) = (all.units(&analysis), all.results(&analysis));
        let figures = Figures::of_positions(&units, &results);
        prop_assert_eq!((figures.gross, figures.charges, figures.net), by_position);
        let open = sums(positions(&analysis).filter(|(_, position)| !position.is_closed()).map(|(_, position)| &position.result));
        prop_assert_eq!(figures.partial_net, open.2);
        prop_assert_eq!(analysis.charges(results.into_iter()).0.total(), by_position.1);
    }

    #[test]
    fn a_position_is_flat_at_its_end_and_its_trades_add_up(fills in any_ledger(), with_adjustments in any::<bool>()) {
        let adjustments = if with_adjustments { all_adjustments() } else { Vec::new() };
        let analysis = Analysis::new(fills, &adjustments, ChargeRates::load().unwrap(), TODAY);
        for (ledger, position) in positions(&analysis) {
            let trades = ledger.position_trades(position);
            let flow: Decimal = trades
                .iter()
                .map(|trade| if trade.fill.side == Side::Buy { -trade.value } else { trade.value })
                .sum();
            let open = ledger.open_part(position);
            let open_value = open.map_or(Decimal::ZERO, |open| if open.long { open.value } else { -open.value });
            prop_assert_eq!(position.result.gross, flow + open_value);
            let closed = trades.iter().filter_map(|trade| trade.closed.as_ref());
            prop_assert_eq!(closed.map(|closed| closed.gross - closed.charges).sum::<Decimal>(), position.result.net);
            if position.is_closed() && !with_adjustments {
                let signed = |trade: &crate::position::PositionTrade| match trade.fill.side {
                    Side::Buy => trade.quantity,
                    Side::Sell => -trade.quantity,
                };
                prop_assert_eq!(trades.iter().map(signed).sum::<Decimal>(), Decimal::ZERO);
            }
        }
    }

    #[test]
    fn keys_of_positions_are_unique_and_results_of_trades_add_up(fills in any_ledger()) {
        let trade_ids: HashSet<i64> = fills.iter().map(|fill| fill.trade_id).collect();
        let analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        let keys: Vec<FillKey> = positions(&analysis).filter_map(|(_, position)| position.key()).collect();
        prop_assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
        for key in &keys {
            prop_assert_eq!(analysis.find_position(*key).and_then(|(_, position)| position.key()), Some(*key));
        }
        let net: Decimal = analysis
            .trade_results(&trade_ids)
            .iter()
            .filter_map(|result| result.closed.as_ref())
            .map(crate::position::ClosedLots::net)
            .sum();
        prop_assert_eq!(net, sums(analysis.closed_trades()).2);
    }

    #[test]
    fn a_removed_and_restored_trade_leaves_all_keys_as_they_were(
        fills in any_ledger(),
        removed in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!fills.is_empty());
        let mut analysis = Analysis::new(fills.clone(), &[], ChargeRates::load().unwrap(), TODAY);
        let keys = |analysis: &Analysis| {
            let mut keys: Vec<_> = positions(analysis).filter_map(|(_, position)| position.key()).collect();
            keys.sort();
            keys
        };
        let before = keys(&analysis);
        let fill = removed.get(&fills).clone();
        analysis.apply(TradeChanges { ids: [fill.trade_id].into(), trades: Vec::new() });
        // Every position without the trade keeps its key.
        let after: HashSet<FillKey> = keys(&analysis).into_iter().collect();
        let other_ledgers = positions(&analysis).filter(|(_, position)| {
            position.result.instrument.symbol != fill.instrument.symbol || position.result.account != fill.account
        });
        for (_, position) in other_ledgers {
            prop_assert!(position.key().is_some_and(|key| after.contains(&key) && before.contains(&key)));
        }
        // Imported again, it has another number.
        let restored = Fill { trade_id: 10_000, ..fill };
        analysis.apply(TradeChanges { ids: [10_000].into(), trades: vec![restored] });
        prop_assert_eq!(keys(&analysis), before);
    }
}
