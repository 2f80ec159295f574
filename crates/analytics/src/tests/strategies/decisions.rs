//! Decisions of the trader: confirm, choose, join, split and release.

use std::collections::BTreeMap;

use rpc::failure::Failure as _;
use time::OffsetDateTime;

use super::*;
use crate::analysis::TradeChanges;
use crate::error::Error;
use crate::strategies::{ConfirmedStrategies, ConfirmedStrategy, Decision, StrategyChange};

/// Applies a change as the database does.
fn store(analysis: &mut Analysis, change: StrategyChange) {
    let before = analysis.confirmed_strategies();
    let mut strategies: BTreeMap<FillKey, Arc<ConfirmedStrategy>> =
        before.strategies.iter().map(|strategy| (strategy.id, strategy.clone())).collect();
    for id in &change.removed {
        strategies.remove(id).unwrap();
    }
    for added in change.added {
        let confirmed = ConfirmedStrategy {
            id: added.id,
            name: added.name,
            shape: added.shape,
            ranges: added.ranges,
            confirmed_at: OffsetDateTime::UNIX_EPOCH,
        };
        assert!(strategies.insert(added.id, Arc::new(confirmed)).is_none(), "two strategies with the same id");
    }
    let strategies = strategies.into_values().collect();
    let settings = before.settings;
    let version = before.version + 1;
    analysis.set_confirmed_strategies(Arc::new(ConfirmedStrategies { version, settings, strategies }));
}

pub fn decide(analysis: &mut Analysis, id: FillKey, decision: &Decision) -> Result<Vec<FillKey>, Error> {
    let change = analysis.decide(id, None, decision)?;
    let ids = change.added.iter().map(|strategy| strategy.id).collect();
    store(analysis, change);
    Ok(ids)
}

fn describe(analysis: &Analysis) -> Vec<String> {
    strategies(analysis).into_iter().map(describe_strategy).collect()
}

fn ids(analysis: &Analysis) -> Vec<FillKey> {
    strategies(analysis).into_iter().map(|strategy| strategy.id).collect()
}

fn position(strategy: &Strategy, leg: usize) -> FillKey {
    strategy.legs()[leg].position
}

#[track_caller]
fn assert_field(result: Result<Vec<FillKey>, Error>, field: &str, reason: &str) {
    let violations = result.unwrap_err().violations();
    let errors: Vec<(&str, &str)> = violations.iter().map(|one| (&*one.field, one.reason)).collect();
    assert_eq!(errors, [(field, reason)]);
}

const STRANGLE: &str = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24500CE 130 100
                        2026-11-16 10:01 zerodha NSE sell NIFTY26DEC23500PE 130 90";

#[test]
fn a_confirmed_strategy_is_not_regrouped() {
    // Without the confirmation, the bought call and put would make an iron condor of the strangle.
    let hedge = [
        "2026-11-17 11:00 zerodha NSE buy NIFTY26DEC25000CE 130 40",
        "2026-11-17 11:02 zerodha NSE buy NIFTY26DEC23000PE 130 30",
    ];
    let mut confirmed = analysis(STRANGLE, &[]);
    let id = ids(&confirmed)[0];
    let name = Some("Budget week".to_owned());
    assert_eq!(decide(&mut confirmed, id, &Decision::Confirm { name: name.clone() }).unwrap(), [id]);
    let mut proposed = analysis(STRANGLE, &[]);
    for (trade_id, line) in (3..).zip(hedge) {
        for analysis in [&mut confirmed, &mut proposed] {
            analysis.apply(TradeChanges { ids: [trade_id].into(), trades: vec![fill(trade_id, line)] });
        }
    }
    assert_eq!(strategies(&proposed)[0].shape.name(), "ironCondor");
    assert_eq!(
        describe(&confirmed),
        [
            "shortStrangle open -130x24500 -130x23500: opening 24700",
            "longStrangle open +130x25000 +130x23000: opening -9100",
        ]
    );
    let strategy = strategies(&confirmed)[0];
    assert_eq!((strategy.id, strategy.confirmed.as_ref().unwrap().name.clone()), (id, name));
    // Its exits belong to it, as to any other.
    let exit = fill(9, "2026-11-18 11:00 zerodha NSE buy NIFTY26DEC24500CE 130 20");
    confirmed.apply(TradeChanges { ids: [9].into(), trades: vec![exit] });
    assert_eq!(describe(&confirmed)[0], "shortStrangle open -130x24500 -130x23500: opening 24700, reduction -2600");
    // Released, it is grouped again.
    decide(&mut confirmed, id, &Decision::Release).unwrap();
    assert!(strategies(&confirmed).iter().all(|strategy| strategy.confirmed.is_none()));
    assert_eq!(strategies(&confirmed)[0].legs().len(), 4);
    assert_eq!(decide(&mut confirmed, id, &Decision::Release).unwrap_err().reason(), "STRATEGY_NOT_CONFIRMED");
    let missing = FillKey::from_trade_id(99);
    assert_eq!(decide(&mut confirmed, missing, &Decision::Release).unwrap_err().reason(), "STRATEGY_NOT_FOUND");
}

#[test]
fn chooses_a_candidate() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100
                 2026-11-16 10:01 zerodha NSE sell NIFTY26DEC24200CE 65 100
                 2026-11-16 10:02 zerodha NSE sell NIFTY26DEC24500CE 65 100";
    let mut analysis = analysis(lines, &[]);
    let spread = strategies(&analysis)[0];
    assert_eq!(spread.candidates.len(), 2);
    let current: Vec<bool> = spread.candidates.iter().map(|candidate| spread.is_current(candidate)).collect();
    assert_eq!(current, [true, false]);
    let (id, candidate) = (spread.id, spread.candidates[1].id());
    let wrong = Decision::Choose { candidate: FillKey::from_trade_id(99) };
    assert_field(decide(&mut analysis, id, &wrong), "candidate_id", "NOT_FOUND");
    let chosen = decide(&mut analysis, id, &Decision::Choose { candidate }).unwrap();
    assert_eq!(
        describe(&analysis),
        ["bullCallSpread open +65x24000 -65x24500: opening 0", "shortCall open -65x24200: opening 6500"]
    );
    assert_eq!(chosen, [id], "the bought call is in both");
    assert!(strategies(&analysis).iter().all(|strategy| strategy.candidates.is_empty()));
}

#[test]
fn a_candidate_without_the_first_leg_has_another_id() {
    // The put may hedge either of two equal futures; the first leg by time is the option of neither.
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24200CE 65 100
                 2026-11-16 10:01 zerodha NSE buy NIFTY26DEC24000CE 65 100
                 2026-11-16 10:02 zerodha NSE sell NIFTY26DEC24500CE 65 100";
    let mut analysis = analysis(lines, &[]);
    let spread = strategies(&analysis)[0];
    let first = position(spread, 0);
    let other = spread.candidates.iter().find(|one| one.legs.iter().all(|leg| leg.position != first)).unwrap();
    let decision = Decision::Choose { candidate: other.id() };
    let id = spread.id;
    let chosen = decide(&mut analysis, id, &decision).unwrap();
    assert_ne!(chosen, [id]);
    let all = ids(&analysis);
    assert!(all.contains(&id) && all.contains(&chosen[0]) && all.len() == 2, "the first leg keeps the id");
}

#[test]
fn joins_strategies_and_free_positions_of_any_underlying_and_account() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24500CE 65 100
                 2026-11-16 13:00 groww NSE sell NIFTY26DEC23500PE 65 90
                 2026-11-16 14:00 zerodha NSE sell BANKNIFTY26DEC52000CE 30 200
                 2026-11-16 15:00 zerodha NSE buy NIFTYBEES 100 250";
    let mut analysis = analysis(lines, &[]);
    let [call, put, bank] = ids(&analysis)[..] else { unreachable!() };
    let shares = analysis.ledgers().flat_map(|ledger| &ledger.positions);
    let shares =
        shares.filter(|one| !one.result.instrument.is_contract()).map(|one| one.key().unwrap()).next().unwrap();
    let join = |strategies: &[FillKey], positions: &[FillKey]| Decision::Join {
        strategies: strategies.to_vec(),
        positions: positions.to_vec(),
    };
    assert_field(decide(&mut analysis, call, &join(&[call], &[])), "strategy_ids", "NOT_FOUND");
    assert_field(decide(&mut analysis, call, &join(&[FillKey::from_trade_id(99)], &[])), "strategy_ids", "NOT_FOUND");
    assert_field(
        decide(&mut analysis, call, &join(&[put], &[FillKey::from_trade_id(99)])),
        "position_ids",
        "NOT_FOUND",
    );
    assert_eq!(decide(&mut analysis, call, &join(&[put], &[])).unwrap(), [call]);
    assert_eq!(describe(&analysis)[0], "shortStrangle open -65x24500 -65x23500: opening 6500, addition 5850");
    assert!(strategies(&analysis)[0].payoff(ChargeRates::load().unwrap(), &analysis.terms).is_some());
    decide(&mut analysis, call, &Decision::Confirm { name: Some("Two brokers".to_owned()) }).unwrap();
    // A confirmed strategy is joined too; the name stays.
    decide(&mut analysis, bank, &join(&[call], &[shares])).unwrap();
    let [all] = strategies(&analysis)[..] else { panic!("one strategy") };
    assert_eq!((all.id, all.shape.name(), all.legs().len()), (bank, "custom", 4));
    assert_eq!(all.confirmed.as_ref().unwrap().name.as_deref(), Some("Two brokers"));
    assert!(all.payoff(ChargeRates::load().unwrap(), &analysis.terms).is_none(), "two underlyings");
    decide(&mut analysis, bank, &Decision::Release).unwrap();
    assert_eq!(ids(&analysis), [call, put, bank]);
}

#[test]
fn splits_by_lots() {
    let lines = [STRANGLE, "2026-11-17 10:00 zerodha NSE buy NIFTY26DEC24500CE 65 60"].join("\n");
    let mut analysis = analysis(&lines, &[]);
    let strangle = strategies(&analysis)[0];
    let (id, [call, put]) = (strangle.id, [0, 1].map(|leg| position(strangle, leg)));
    let split = |legs: &[(FillKey, i64)]| Decision::Split {
        legs: legs.iter().map(|(position, quantity)| (*position, Decimal::from(*quantity))).collect(),
    };
    assert_field(decide(&mut analysis, id, &split(&[(call, 131)])), "legs", "TOO_MUCH");
    let half = Decision::Split { legs: vec![(call, Decimal::new(325, 1))] };
    assert_field(decide(&mut analysis, id, &half), "legs", "NOT_WHOLE");
    assert_field(decide(&mut analysis, id, &split(&[(FillKey::from_trade_id(99), 1)])), "legs", "TOO_MUCH");
    assert_field(decide(&mut analysis, id, &split(&[(call, 130), (put, 130)])), "legs", "NOTHING_LEFT");
    let net: Decimal = strategies(&analysis).iter().map(|strategy| strategy.net()).sum();
    // The oldest lots of the call are those that were closed.
    let [kept, moved] = decide(&mut analysis, id, &split(&[(call, 65), (put, 65)])).unwrap()[..] else { panic!() };
    let find = |analysis: &Analysis, id| describe_strategy(analysis.strategies().find(id).unwrap());
    assert_eq!(find(&analysis, moved), "shortStrangle open -65x24500 -65x23500: opening 12350, reduction -3900");
    assert_eq!(find(&analysis, kept), "shortStrangle open -65x24500 -65x23500: opening 12350");
    assert_eq!(strategies(&analysis).iter().map(|strategy| strategy.net()).sum::<Decimal>(), net);
    assert_eq!(kept, id, "and with it the journal");
    // A leg alone.
    let [rest, leg] = decide(&mut analysis, kept, &split(&[(put, 65)])).unwrap()[..] else { panic!() };
    assert_eq!(
        [find(&analysis, rest), find(&analysis, leg)],
        ["shortCall open -65x24500: opening 6500", "shortPut open -65x23500: opening 5850"]
    );
    assert_eq!((rest, ids(&analysis).len()), (kept, 3));
    // Joined again, it is as before.
    let others = ids(&analysis).into_iter().filter(|other| *other != id).collect();
    decide(&mut analysis, id, &Decision::Join { strategies: others, positions: Vec::new() }).unwrap();
    assert_eq!(describe(&analysis), ["shortStrangle open -130x24500 -130x23500: opening 24700, reduction -3900"]);
}

#[test]
fn a_roll_links_confirmed_strategies_to_proposed_ones() {
    let first = "2026-11-16 10:00 zerodha NSE sell NIFTY26NOV24500CE 65 100
                 2026-11-16 10:01 zerodha NSE sell NIFTY26NOV23500PE 65 90";
    let mut analysis = analysis(first, &[]);
    let id = ids(&analysis)[0];
    decide(&mut analysis, id, &Decision::Confirm { name: None }).unwrap();
    let roll = ledger(
        "2026-11-20 10:00 zerodha NSE buy NIFTY26NOV24500CE 65 20
         2026-11-20 10:01 zerodha NSE buy NIFTY26NOV23500PE 65 20
         2026-11-20 10:02 zerodha NSE sell NIFTY26DEC24500CE 65 150
         2026-11-20 10:03 zerodha NSE sell NIFTY26DEC23500PE 65 140",
    );
    let trades: Vec<Fill> = (3..)
        .zip(roll)
        .map(|(trade_id, fill)| Fill { trade_id, key: FillKey::from_trade_id(trade_id), ..fill })
        .collect();
    analysis.apply(TradeChanges { ids: (3..7).collect(), trades });
    let all = strategies(&analysis);
    assert_eq!((all.len(), all[1].previous, all[0].next), (2, Some(id), Some(all[1].id)));
    // The later one confirmed instead.
    let later = all[1].id;
    decide(&mut analysis, later, &Decision::Confirm { name: None }).unwrap();
    decide(&mut analysis, id, &Decision::Release).unwrap();
    let all = strategies(&analysis);
    assert_eq!((all.len(), all[1].previous, all[0].next), (2, Some(id), Some(later)));
}

#[test]
fn a_confirmed_strategy_survives_the_removal_and_return_of_its_trades() {
    let mut analysis = analysis(STRANGLE, &[]);
    let id = ids(&analysis)[0];
    decide(&mut analysis, id, &Decision::Confirm { name: None }).unwrap();
    let trades = ledger(STRANGLE);
    let remove = |ids: &[i64]| TradeChanges { ids: ids.iter().copied().collect(), trades: Vec::new() };
    analysis.apply(remove(&[1]));
    assert_eq!(describe(&analysis), ["shortStrangle open -130x23500: opening 11700"]);
    assert_eq!(ids(&analysis), [id]);
    analysis.apply(remove(&[2]));
    assert_eq!(ids(&analysis), []);
    // Corrected to a larger quantity: a whole fill stays whole.
    let corrected = Fill { quantity: decimal("195"), value: decimal("19500"), ..trades[0].clone() };
    analysis.apply(TradeChanges { ids: [1, 2].into(), trades: vec![corrected, trades[1].clone()] });
    assert_eq!(describe(&analysis), ["shortStrangle open -195x24500 -130x23500: opening 31200"]);
    assert_eq!(ids(&analysis), [id]);
}

#[test]
fn lots_of_a_purchase_that_was_partly_sold_within_the_day_are_told_apart() {
    let lines = "2026-11-16 10:00 zerodha NSE buy TCS 300 3000
                 2026-11-16 14:00 zerodha NSE sell TCS 100 3020
                 2026-11-17 10:00 zerodha NSE sell TCS26DEC3200CE 200 50";
    // The 100 that were sold on the day covered nothing for long.
    let covered = ["coveredCall open +200xTCS -200x3200: opening -600000, addition 10000"];
    let mut analysis = check_strategies(lines, &[], &covered);
    let id = ids(&analysis)[0];
    decide(&mut analysis, id, &Decision::Confirm { name: None }).unwrap();
    assert_eq!(describe(&analysis), covered, "without the 100 of the day");
    let shares = position(strategies(&analysis)[0], 0);
    let [kept, moved] =
        decide(&mut analysis, id, &Decision::Split { legs: vec![(shares, decimal("100"))] }).unwrap()[..]
    else {
        panic!()
    };
    let find = |analysis: &Analysis, id| describe_strategy(analysis.strategies().find(id).unwrap());
    assert_eq!(find(&analysis, kept), "custom open +100xTCS -200x3200: opening -300000, addition 10000");
    assert_eq!(find(&analysis, moved), "custom open +100xTCS: opening -300000");
    // Another sale of the day leaves 100 shares, those of the end of the purchase.
    let late = fill(9, "2026-11-16 15:00 zerodha NSE sell TCS 100 3030");
    analysis.apply(TradeChanges { ids: [9].into(), trades: vec![late] });
    let shares: Decimal = [kept, moved]
        .iter()
        .flat_map(|id| analysis.strategies().find(*id).unwrap().legs())
        .filter(|leg| !leg.instrument.is_option())
        .map(|leg| leg.open_quantity)
        .sum();
    assert_eq!(shares, decimal("100"));
}

#[test]
fn what_stays_after_a_split_keeps_the_id_and_no_other_strategy_gets_it() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100
                 2026-11-16 13:00 zerodha NSE buy NIFTY26DEC24100CE 65 100
                 2026-11-16 14:00 zerodha NSE buy NIFTY26DEC24200CE 65 100";
    let mut analysis = analysis(lines, &[]);
    let [first, second, third] = ids(&analysis)[..] else { panic!() };
    let [first_leg, second_leg] = [0, 1].map(|index| position(strategies(&analysis)[index], 0));
    let join = Decision::Join { strategies: vec![first, third], positions: Vec::new() };
    assert_eq!(decide(&mut analysis, second, &join).unwrap(), [second]);
    let legs = vec![(first_leg, decimal("65")), (second_leg, decimal("65"))];
    let [kept, moved] = decide(&mut analysis, second, &Decision::Split { legs }).unwrap()[..] else { panic!() };
    assert_eq!((kept, [first, second, third].contains(&moved)), (second, false));
    let split = Decision::Split { legs: vec![(second_leg, decimal("65"))] };
    let [kept, again] = decide(&mut analysis, moved, &split).unwrap()[..] else { panic!() };
    assert_eq!(kept, moved);
    // Released, the call of 13:00 is a strategy of its own again, whose id the call of 14:00 has.
    decide(&mut analysis, again, &Decision::Release).unwrap();
    let all = ids(&analysis);
    assert_eq!((all.len(), all.contains(&second), all.contains(&moved)), (3, true, true));
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    decide(&mut analysis, second, &Decision::Release).unwrap();
    decide(&mut analysis, moved, &Decision::Release).unwrap();
    assert_eq!(ids(&analysis), [first, second, third]);
}

#[test]
fn delivered_shares_follow_the_parts_of_their_contract() {
    let lines = "2026-06-15 09:15 zerodha NSE sell TCS26JUN1400PE 800 20";
    let mut analysis = analysis(lines, &[]);
    let id = ids(&analysis)[0];
    let put = position(strategies(&analysis)[0], 0);
    decide(&mut analysis, id, &Decision::Split { legs: vec![(put, decimal("300"))] }).unwrap();
    let settled = Adjustment {
        id: 1,
        symbol: "TCS26JUN1400PE".to_owned(),
        day: date!(2026 - 06 - 30),
        kind: AdjustmentKind::Settlement(decimal("50")),
    };
    analysis.apply_adjustments(&[settled]);
    let mut shares: Vec<Decimal> = strategies(&analysis)
        .iter()
        .flat_map(|strategy| strategy.legs())
        .filter(|leg| !leg.instrument.is_option())
        .map(|leg| leg.quantity)
        .collect();
    shares.sort();
    assert_eq!(shares, [decimal("300"), decimal("500")]);
}

#[test]
fn a_range_whose_trade_is_gone_stays_when_its_strategy_is_joined_or_split() {
    let mut analysis = analysis(STRANGLE, &[]);
    let id = ids(&analysis)[0];
    decide(&mut analysis, id, &Decision::Confirm { name: None }).unwrap();
    let trades = ledger(STRANGLE);
    analysis.apply(TradeChanges { ids: [2].into(), trades: Vec::new() });
    let call = position(strategies(&analysis)[0], 0);
    decide(&mut analysis, id, &Decision::Split { legs: vec![(call, decimal("65"))] }).unwrap();
    analysis.apply(TradeChanges { ids: [2].into(), trades: vec![trades[1].clone()] });
    assert!(strategies(&analysis).iter().all(|strategy| strategy.confirmed.is_some()));
    assert_eq!(ids(&analysis).len(), 2);
}

#[test]
fn a_strategy_of_deleted_trades_is_gone() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26NOV24000CE 65 100
                 2026-11-20 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100";
    let mut analysis = analysis(lines, &[]);
    assert_eq!(ids(&analysis).len(), 2);
    analysis.apply(TradeChanges { ids: [1].into(), trades: Vec::new() });
    assert_eq!(describe(&analysis), ["longCall open +65x24000: opening -6500"]);
}

#[test]
fn a_covered_call_takes_the_shares_that_stay() {
    // The call is sold before 100 of the shares are.
    let lines = "2026-11-16 09:30 zerodha NSE buy TCS 300 3000
                 2026-11-16 10:00 zerodha NSE sell TCS26DEC3200CE 200 50
                 2026-11-16 14:30 zerodha NSE sell TCS 100 3020";
    let covered = ["coveredCall open +200xTCS -200x3200: opening -600000, addition 10000"];
    let analysis = check_strategies(lines, &[], &covered);
    let call = strategies(&analysis)[0];
    assert!(call.legs().iter().all(|leg| leg.open_quantity == decimal("200")));
    assert!(call.payoff(analysis.rates, &analysis.terms).unwrap().max_loss.is_some());
}

#[test]
fn a_strategy_gets_its_id_back_when_one_of_another_underlying_gives_it_up() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100
                 2026-11-16 14:00 zerodha NSE buy BANKNIFTY26DEC52000CE 30 100";
    let mut analysis = analysis(lines, &[]);
    let [nifty, bank] = ids(&analysis)[..] else { panic!() };
    let leg = position(strategies(&analysis)[0], 0);
    decide(&mut analysis, nifty, &Decision::Join { strategies: vec![bank], positions: Vec::new() }).unwrap();
    let split = Decision::Split { legs: vec![(leg, decimal("65"))] };
    let [_, moved] = decide(&mut analysis, nifty, &split).unwrap()[..] else { panic!() };
    decide(&mut analysis, moved, &Decision::Release).unwrap();
    assert!(!ids(&analysis).contains(&moved) && ids(&analysis).len() == 2);
    decide(&mut analysis, nifty, &Decision::Release).unwrap();
    assert_eq!(ids(&analysis), [nifty, bank]);
}

#[test]
fn a_future_of_a_pair_is_not_free_to_join() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DECFUT 65 24000
                 2026-11-16 10:01 zerodha NSE sell BANKNIFTY26DECFUT 30 52000
                 2026-11-16 14:00 zerodha NSE buy NIFTY26DEC24000CE 65 100";
    let mut analysis = analysis(lines, &[]);
    let [pair, call] = strategies(&analysis)[..] else { panic!() };
    assert_eq!(pair.shape.name(), "pair");
    let (call, future) = (call.id, position(pair, 0));
    let join = Decision::Join { strategies: Vec::new(), positions: vec![future] };
    assert_field(decide(&mut analysis, call, &join), "position_ids", "NOT_FOUND");
}
