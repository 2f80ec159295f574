//! Results of strategies whose legs changed, computed by hand.

use super::*;
use crate::broker_terms::BrokerTerms;

/// Returns the only strategy of trades.
fn only(analysis: &Analysis) -> &Strategy {
    let all = strategies(analysis);
    assert_eq!(all.len(), 1);
    all[0]
}

#[test]
fn options_traded_one_after_the_other_within_a_day_are_strategies_of_their_own() {
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100
                 2026-11-16 10:10 zerodha NSE sell NIFTY26DEC24000CE 65 110
                 2026-11-16 10:12 zerodha NSE buy NIFTY26DEC24100CE 65 80
                 2026-11-16 10:20 zerodha NSE sell NIFTY26DEC24100CE 65 70";
    check_strategies(
        lines,
        &[],
        &[
            "longCall closed +65x24000: opening -6500, closing 7150",
            "longCall closed +65x24100: opening -5200, closing 4550",
        ],
    );
    // One that was kept overnight is moved to another strike.
    let overnight = lines.replacen("2026-11-16 10:00", "2026-11-13 10:00", 1);
    check_strategies(
        &overnight,
        &[],
        &["longCall closed +65x24000 +65x24100: opening -6500, adjustment 1950, closing 4550"],
    );
}

#[test]
fn an_adjustment_that_costs_more_than_the_credit_leaves_the_credit_of_the_opening() {
    let analysis = analysis(
        "2026-11-13 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
         2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 250
         2026-11-16 10:02 zerodha NSE sell NIFTY26DEC24300CE 65 120
         2026-11-17 10:00 zerodha NSE buy NIFTY26DEC24300CE 65 200",
        &[],
    );
    let strategy = only(&analysis);
    // (100 - 250 + 120) * 65 and (100 - 250 + 120 - 200) * 65.
    assert_eq!((strategy.premium(), strategy.gross), (decimal("-1950"), decimal("-14950")));
    assert_eq!((strategy.credit(), strategy.credit_kept()), (Some(decimal("6500")), Some(decimal("-2.3"))));
}

#[test]
fn the_payoff_of_an_open_strategy_is_that_of_its_open_legs() {
    let analysis = analysis(
        "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 200
         2026-11-16 10:01 zerodha NSE sell NIFTY26DEC24000PE 65 180
         2026-11-16 11:00 zerodha NSE buy NIFTY26DEC24000CE 65 260",
        &[],
    );
    let strategy = only(&analysis);
    let payoff = strategy.payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()).unwrap();
    // (180 + 200 - 260) * 65 = 7,800 before charges; without the call it falls only below the strike.
    assert_eq!((payoff.break_evens.len(), payoff.max_loss.is_some()), (1, true));
    let profit = payoff.max_profit.unwrap();
    assert!(profit < decimal("7800") && profit > decimal("7600"), "{profit}");
}

#[test]
fn a_covered_call_begins_with_its_call() {
    let analysis = analysis(
        "2026-05-04 10:00 zerodha NSE buy TCS 175 3000
         2026-06-01 10:00 zerodha NSE sell TCS26JUN3200CE 175 40
         2026-06-15 10:00 zerodha NSE buy TCS26JUN3200CE 175 10
         2026-06-15 10:01 zerodha NSE sell TCS 175 3100",
        &[],
    );
    let strategy = only(&analysis);
    assert_eq!((strategy.shape.name(), strategy.opened_day), ("coveredCall", date!(2026 - 06 - 01)));
    assert!(!strategy.is_adjusted());
    // The shares made 17,500; of the 7,000 for the call 5,250 were kept.
    assert_eq!((strategy.gross, strategy.option_gross()), (decimal("22750"), decimal("5250")));
    assert_eq!((strategy.credit(), strategy.credit_kept()), (Some(decimal("7000")), Some(decimal("0.75"))));
}

#[test]
fn legs_added_on_the_day_of_the_opening_belong_to_it_in_any_order() {
    // Credit: (70 - 30 + 80 - 40) * 65 = 5200; wings 200 apart.
    let legs = [
        ("sell", "26NOV24200CE", 70),
        ("buy", "26NOV24400CE", 30),
        ("sell", "26NOV23800PE", 80),
        ("buy", "26NOV23600PE", 40),
    ];
    let orders = [
        [(0, "10:00"), (1, "10:01"), (2, "10:02"), (3, "10:03")],
        [(1, "10:00"), (3, "10:01"), (0, "10:40"), (2, "10:41")],
        [(0, "10:00"), (2, "10:01"), (1, "10:40"), (3, "10:41")],
    ];
    for order in orders {
        let lines: Vec<String> = order
            .iter()
            .map(|(leg, time)| {
                let (side, contract, price) = legs[*leg];
                format!("2026-11-16 {time} zerodha NSE {side} NIFTY{contract} 65 {price}")
            })
            .collect();
        let analysis = analysis(&lines.join("\n"), &[]);
        let [condor] = strategies(&analysis)[..] else { panic!("{order:?}") };
        assert_eq!(condor.shape.name(), "ironCondor", "{order:?}");
        let facts = (condor.credit(), condor.width(), condor.is_adjusted());
        assert_eq!(facts, (Some(decimal("5200")), Some(decimal("200")), false), "{order:?}");
        assert!(condor.first_payoff(analysis.rates, &analysis.terms).is_none(), "{order:?}");
    }
}
