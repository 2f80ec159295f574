//! Grouping into shapes, and steps.

use super::*;

/// Returns lines of trades of 65 at 100 within four minutes, such as `sell 26MAY24000CE`.
fn trades(legs: &[&str]) -> String {
    let line = |(minute, leg): (usize, &&str)| {
        let (side, contract) = leg.split_once(' ').unwrap();
        let (contract, quantity) = contract.split_once('*').unwrap_or((contract, "65"));
        format!("2026-11-16 10:0{minute} zerodha NSE {side} NIFTY{contract} {quantity} 100\n")
    };
    legs.iter().enumerate().map(line).collect()
}

#[test]
fn recognises_every_shape_of_options_opened_together() {
    for (legs, shape) in [
        (vec!["buy 26DEC24000CE"], "longCall"),
        (vec!["sell 26DEC24000CE"], "shortCall"),
        (vec!["buy 26DEC24000PE"], "longPut"),
        (vec!["sell 26DEC24000PE"], "shortPut"),
        (vec!["buy 26DEC24000CE", "buy 26DEC24000PE"], "longStraddle"),
        (vec!["sell 26DEC24000PE", "sell 26DEC24000CE"], "shortStraddle"),
        (vec!["buy 26DEC24500CE", "buy 26DEC23500PE"], "longStrangle"),
        (vec!["sell 26DEC24500CE", "sell 26DEC23500PE"], "shortStrangle"),
        (vec!["buy 26DEC24000CE", "sell 26DEC24500CE"], "bullCallSpread"),
        (vec!["sell 26DEC24000CE", "buy 26DEC24500CE"], "bearCallSpread"),
        (vec!["buy 26DEC24000PE", "sell 26DEC24500PE"], "bullPutSpread"),
        (vec!["sell 26DEC24000PE", "buy 26DEC24500PE"], "bearPutSpread"),
        (vec!["sell 26DEC24000CE", "buy 26DEC24000PE"], "synthetic"),
        (vec!["buy 26DEC24000CE", "sell 26DEC24500CE*130"], "ratio"),
        (vec!["sell 26NOV24000CE", "buy 26DEC24000CE"], "calendar"),
        (vec!["sell 26NOV24500CE", "buy 26DEC24000CE"], "diagonal"),
        (vec!["buy 26DEC24000CE", "sell 26DEC24500CE*130", "buy 26DEC25000CE"], "butterfly"),
        (vec!["sell 26DEC24500CE", "buy 26DEC25000CE", "sell 26DEC23500PE", "buy 26DEC23000PE"], "ironCondor"),
        (vec!["buy 26DEC23500PE", "buy 26DEC24500CE", "sell 26DEC24000PE", "sell 26DEC24000CE"], "ironButterfly"),
        (vec!["buy 26DECFUT", "sell 26DEC24500CE"], "futureAndOption"),
        (vec!["sell 26DECFUT", "buy 26DEC24500CE"], "futureAndOption"),
        (vec!["buy 26DECFUT", "sell 26DEC24500CE", "buy 26DEC23500PE"], "collar"),
        (vec!["sell 26NOVFUT", "buy 26DECFUT"], "calendar"),
    ] {
        let analysis = analysis(&trades(&legs), &[]);
        let all = strategies(&analysis);
        assert_eq!(all.len(), 1, "{shape}");
        assert_eq!((all[0].shape.name(), all[0].legs().len()), (shape, legs.len()), "{shape}");
        assert!(all[0].candidates.is_empty(), "{shape}");
    }
}

#[test]
fn legs_that_form_no_shape_stay_single_and_a_future_stays_a_position() {
    // A bought future and a bought call both gain when the index rises; the call hedges nothing.
    check_strategies(&trades(&["buy 26DECFUT", "buy 26DEC24000CE"]), &[], &["longCall open +65x24000: opening -6500"]);
    // Two of one side and class.
    let two = trades(&["buy 26DEC24000CE", "buy 26DEC24500CE"]);
    check_strategies(&two, &[], &["longCall open +65x24000: opening -6500", "longCall open +65x24500: opening -6500"]);
    // Seven minutes apart.
    let apart = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 10:07 zerodha NSE sell NIFTY26DEC24000PE 65 100";
    check_strategies(apart, &[], &["shortCall open -65x24000: opening 6500", "shortPut open -65x24000: opening 6500"]);
    // In two accounts.
    let accounts = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                    2026-11-16 10:01 groww NSE sell NIFTY26DEC24000PE 65 100";
    assert_eq!(strategies(&analysis(accounts, &[])).len(), 2);
    // The call was closed before the put was opened.
    let one_after_the_other = "2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 100
                               2026-11-16 10:01 zerodha NSE sell NIFTY26DEC24000CE 65 101
                               2026-11-16 10:02 zerodha NSE buy NIFTY26DEC24000PE 65 100";
    check_strategies(
        one_after_the_other,
        &[],
        &["longCall closed +65x24000: opening -6500, closing 6565", "longPut open +65x24000: opening -6500"],
    );
}

#[test]
fn a_part_of_a_position_forms_a_strategy_and_the_rest_another() {
    // 130 calls, 65 puts: a straddle of 65, and 65 calls.
    let analysis = check_strategies(
        &trades(&["sell 26DEC24000CE*130", "sell 26DEC24000PE"]),
        &[],
        &["shortStraddle open -65x24000 -65x24000: opening 13000", "shortCall open -65x24000: opening 6500"],
    );
    let ids: Vec<FillKey> = strategies(&analysis).iter().map(|strategy| strategy.id).collect();
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn two_equally_good_groupings_are_candidates() {
    // The bought call may belong to either of the sold ones.
    let lines = trades(&["buy 26DEC24000CE", "sell 26DEC24200CE", "sell 26DEC24500CE"]);
    let analysis = check_strategies(
        &lines,
        &[],
        &["bullCallSpread open +65x24000 -65x24200: opening 0", "shortCall open -65x24500: opening 6500"],
    );
    let spread = strategies(&analysis)[0];
    let positions: Vec<usize> = spread.candidates.iter().map(|candidate| candidate.legs.len()).collect();
    assert_eq!(positions, [2, 2]);
    assert_ne!(spread.candidates[0].legs, spread.candidates[1].legs);
}

#[test]
fn a_hedge_joins_the_strategy_that_it_hedges() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24500CE 65 100
                 2026-11-16 10:01 zerodha NSE sell NIFTY26DEC23500PE 65 90
                 2026-11-17 11:00 zerodha NSE buy NIFTY26DEC25000CE 65 40
                 2026-11-17 11:02 zerodha NSE buy NIFTY26DEC23000PE 65 30";
    // (100 + 90) * 65 = 12350; (40 + 30) * 65 = 4550.
    let analysis = check_strategies(
        lines,
        &[],
        &["ironCondor open -65x24500 -65x23500 +65x25000 +65x23000: opening 12350, addition -4550"],
    );
    let condor = strategies(&analysis)[0];
    assert!(condor.is_adjusted() && condor.has_defined_risk());
}

#[test]
fn a_replaced_leg_is_an_adjustment_and_a_later_expiry_is_a_roll() {
    let condor = "2026-11-12 10:30 zerodha NSE sell NIFTY26NOV26200CE 65 68.40
                  2026-11-12 10:31 zerodha NSE buy NIFTY26NOV26400CE 65 31.20
                  2026-11-12 10:32 zerodha NSE sell NIFTY26NOV25500PE 65 71.60
                  2026-11-12 10:33 zerodha NSE buy NIFTY26NOV25300PE 65 44.10
                  2026-11-18 10:05 zerodha NSE buy NIFTY26NOV26200CE 65 14.20
                  2026-11-18 10:05 zerodha NSE sell NIFTY26NOV26400CE 65 5.10
                  2026-11-18 10:07 zerodha NSE sell NIFTY26NOV26050CE 65 43.60
                  2026-11-18 10:07 zerodha NSE buy NIFTY26NOV26250CE 65 15.70";
    // Opened: (68.40 - 31.20 + 71.60 - 44.10) * 65 = 64.70 * 65 = 4205.50.
    // Moved: (-14.20 + 5.10 + 43.60 - 15.70) * 65 = 18.80 * 65 = 1222.
    let open = "ironCondor open -65x26200 +65x26400 -65x25500 +65x25300 -65x26050 +65x26250: \
                opening 4205.5, adjustment 1222";
    check_strategies(condor, &[], &[open]);
    // Closed and opened again for December within five minutes: (19.85 - 5.35 + 8.90 - 4.25) * 65 = 1244.75.
    let rolled = format!(
        "{condor}
         2026-11-19 14:58 zerodha NSE buy NIFTY26NOV26050CE 65 19.85
         2026-11-19 14:58 zerodha NSE sell NIFTY26NOV26250CE 65 5.35
         2026-11-19 14:58 zerodha NSE buy NIFTY26NOV25500PE 65 8.90
         2026-11-19 14:58 zerodha NSE sell NIFTY26NOV25300PE 65 4.25
         2026-11-19 15:00 zerodha NSE sell NIFTY26DEC26200CE 65 90
         2026-11-19 15:00 zerodha NSE buy NIFTY26DEC26400CE 65 50
         2026-11-19 15:01 zerodha NSE sell NIFTY26DEC25500PE 65 95
         2026-11-19 15:01 zerodha NSE buy NIFTY26DEC25300PE 65 60"
    );
    let analysis = check_strategies(
        &rolled,
        &[],
        &[
            "ironCondor closed -65x26200 +65x26400 -65x25500 +65x25300 -65x26050 +65x26250: \
             opening 4205.5, adjustment 1222, closing -1244.75",
            "ironCondor open -65x26200 +65x26400 +65x25300 -65x25500: opening 4875",
        ],
    );
    let all = strategies(&analysis);
    assert_eq!((all[0].next, all[1].previous), (Some(all[1].id), Some(all[0].id)));
    let chain: Vec<FillKey> = analysis.strategies().chain(all[1]).iter().map(|strategy| strategy.id).collect();
    assert_eq!(chain, [all[0].id, all[1].id]);
    // Gross 4205.50 + 1222 - 1244.75 = 4182.75 of a credit of 5427.50: 0.7707.
    assert_eq!((all[0].gross, all[0].premium()), (decimal("4182.75"), decimal("5427.5")));
    assert_eq!(all[0].credit_kept(), Some(decimal("0.7707")));
    // The monthly contract expires on Monday, 23 November, because the last Tuesday is a holiday.
    let days = (all[0].days_to_expiry_at_entry(), all[0].days_to_expiry_at_exit());
    assert_eq!((days, all[0].width()), ((Some(11), Some(4)), Some(decimal("200"))));
}

#[test]
fn a_call_sold_against_a_part_of_the_shares_is_covered_and_rolled_with_them() {
    let lines = "2026-09-01 10:00 zerodha NSE buy TCS 500 3000
                 2026-10-05 10:00 zerodha NSE sell TCS26OCT3200CE 175 40
                 2026-10-26 10:00 zerodha NSE buy TCS26OCT3200CE 175 2
                 2026-10-26 10:02 zerodha NSE sell TCS26NOV3200CE 175 45";
    // 175 of the 500 shares; 325 stay a position. Rolled: (45 - 2) * 175 = 7525.
    let analysis = check_strategies(
        lines,
        &[],
        &["coveredCall open +175xTCS -175x3200 -175x3200: opening -525000, addition 7000, roll 7525"],
    );
    // Falling shares are not hedged.
    assert!(!strategies(&analysis)[0].has_defined_risk());
    let put = "2026-09-01 10:00 zerodha NSE buy TCS 175 3000
               2026-10-05 10:00 zerodha NSE buy TCS26NOV2900PE 175 40
               2026-10-06 10:00 zerodha NSE sell TCS26NOV3200CE 175 30";
    let collar = "collar open +175xTCS +175x2900 -175x3200: opening -525000, addition -7000, addition 5250";
    let analysis = check_strategies(put, &[], &[collar]);
    assert!(strategies(&analysis)[0].has_defined_risk());
}

#[test]
fn shares_bought_later_protect_a_sold_call() {
    let lines = "2026-10-05 10:00 zerodha NSE sell TCS26NOV3200CE 175 40
                 2026-10-06 10:00 zerodha NSE buy TCS 200 3100";
    check_strategies(lines, &[], &["coveredCall open -175x3200 +175xTCS: opening 7000, addition -542500"]);
}

#[test]
fn delivered_shares_stay_linked_and_an_expired_leg_keeps_the_strategy_open() {
    let written = "2026-06-15 09:15 zerodha NSE sell TCS26JUN1400PE 500 20";
    check_strategies(written, &[], &["shortPut awaiting -500x1400: opening 10000"]);
    let settled = [adjustment("TCS26JUN1400PE", "2026-06-30", AdjustmentKind::Settlement(decimal("50")))];
    // Assigned: 500 shares at the strike of 1,400 for 7,00,000.
    check_strategies(written, &settled, &["shortPut open -500x1400 +500xTCS: opening 10000, settlement -700000"]);
    // Sold at 1,450, with a call on them before: the shares are those of the put.
    let wheel = format!(
        "{written}
         2026-07-02 09:15 zerodha NSE sell TCS26JUL1450CE 500 15
         2026-07-20 09:15 zerodha NSE buy TCS26JUL1450CE 500 5"
    );
    check_strategies(
        &wheel,
        &settled,
        &["coveredCall open -500x1400 +500xTCS -500x1450: \
           opening 10000, settlement -700000, addition 7500, reduction -2500"],
    );
}

#[test]
fn futures_of_two_shares_for_about_the_same_value_are_a_pair() {
    let lines = "2026-11-16 10:00 zerodha NSE buy HDFCBANK26DECFUT 550 1000
                 2026-11-16 10:02 zerodha NSE sell ICICIBANK26DECFUT 700 800";
    check_strategies(lines, &[], &["pair open +550xHDFCBANK26DECFUT -700xICICIBANK26DECFUT: opening 10000"]);
    // Twice the value.
    check_strategies(&lines.replace(" 700 ", " 1400 "), &[], &[]);
}

#[test]
fn times_of_day_that_are_unknown_group_by_the_day() {
    let lines = "2026-11-16 - groww NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 - groww NSE sell NIFTY26DEC24000PE 65 100
                 2026-11-17 - groww NSE buy NIFTY26DEC24000CE 65 80
                 2026-11-17 - groww NSE buy NIFTY26DEC24000PE 65 90";
    check_strategies(lines, &[], &["shortStraddle closed -65x24000 -65x24000: opening 13000, closing -11050"]);
}

#[test]
fn a_condor_is_complete_when_its_second_wing_is_bought_later() {
    let condor = |minutes: [&str; 4]| {
        let [call, put, call_wing, put_wing] = minutes;
        format!(
            "2026-11-16 10:{call} zerodha NSE sell NIFTY26DEC24500CE 65 100
             2026-11-16 10:{put} zerodha NSE sell NIFTY26DEC23500PE 65 90
             2026-11-16 10:{call_wing} zerodha NSE buy NIFTY26DEC25000CE 65 50
             2026-11-16 10:{put_wing} zerodha NSE buy NIFTY26DEC23000PE 65 45"
        )
    };
    for minutes in
        [["00", "02", "04", "08"], ["00", "01", "01", "21"], ["00", "04", "08", "12"], ["00", "02", "20", "40"]]
    {
        let analysis = analysis(&condor(minutes), &[]);
        let all = strategies(&analysis);
        assert_eq!((all.len(), all[0].shape.name(), all[0].legs().len()), (1, "ironCondor", 4), "{minutes:?}");
        assert!(all[0].candidates.is_empty(), "{minutes:?}");
    }
    // A wing that was sold before the second one is bought belongs to nothing.
    let sold = condor(["00", "02", "04", "30"]) + "\n2026-11-16 10:20 zerodha NSE sell NIFTY26DEC25000CE 65 40";
    let names: Vec<_> = strategies(&analysis(&sold, &[])).iter().map(|strategy| strategy.shape.name()).collect();
    assert!(!names.contains(&"ironCondor"), "{names:?}");
}

#[test]
fn a_leg_is_replaced_within_the_window_of_the_opening() {
    let trades = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC26000CE 65 100
                  2026-11-16 10:00 zerodha NSE sell NIFTY26DEC26000PE 65 95
                  2026-11-16 10:03 zerodha NSE buy NIFTY26DEC26000PE 65 94
                  2026-11-16 10:03 zerodha NSE sell NIFTY26DEC25900PE 65 60
                  2026-11-16 15:00 zerodha NSE buy NIFTY26DEC26000CE 65 80
                  2026-11-16 15:00 zerodha NSE buy NIFTY26DEC25900PE 65 50";
    check_strategies(
        trades,
        &[],
        &["shortStrangle closed -65x26000 -65x26000 -65x25900: opening 12675, adjustment -2210, closing -8450"],
    );
}
