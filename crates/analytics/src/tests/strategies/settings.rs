//! Settings of the trader for grouping: the window, and all accounts of one person.

use super::decisions::decide;
use super::*;
use crate::broker_terms::BrokerTerms;
use crate::strategies::{ConfirmedStrategies, Decision, GroupingSettings};

pub fn change_settings(analysis: &mut Analysis, settings: GroupingSettings) {
    let confirmed = ConfirmedStrategies { settings, ..ConfirmedStrategies::clone(&analysis.confirmed_strategies()) };
    analysis.set_confirmed_strategies(Arc::new(confirmed));
}

/// Returns the terms of accounts with these holders.
fn holders(accounts: &[(u32, &str)]) -> Arc<BrokerTerms> {
    let account = |(number, holder): &(u32, &str)| wire::BrokerAccount {
        broker: wire::Broker::Zerodha.into(),
        broker_account: *number,
        holder: (*holder).to_owned(),
        ..wire::BrokerAccount::default()
    };
    Arc::new(BrokerTerms::from_wire(accounts.iter().map(account).collect(), Vec::new()).unwrap())
}

/// Analyses trades of zerodha and zerodha-2, grouped across the accounts of a holder.
#[track_caller]
fn check_across(lines: &str, second_holder: &str, expected: &[&str]) -> Analysis {
    let terms = holders(&[(0, "Asha Rao"), (2, second_holder)]);
    let mut analysis = Analysis::with_terms(ledger(lines), &[], ChargeRates::load().unwrap(), terms, TODAY);
    change_settings(&mut analysis, GroupingSettings::new(5, true));
    let actual: Vec<String> = strategies(&analysis).into_iter().map(describe_strategy).collect();
    assert_eq!(actual, expected);
    analysis
}

#[test]
fn legs_belong_together_if_they_were_opened_within_the_window() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 10:07 zerodha NSE sell NIFTY26DEC24000PE 65 100";
    let mut analysis = analysis(lines, &[]);
    for (minutes, count) in [(5, 2), (6, 2), (7, 1), (60, 1), (1, 2)] {
        change_settings(&mut analysis, GroupingSettings::new(minutes, false));
        assert_eq!(strategies(&analysis).len(), count, "{minutes}");
    }
}

#[test]
fn a_confirmed_strategy_stays_when_the_window_changes() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 10:04 zerodha NSE sell NIFTY26DEC24000PE 65 100
                 2026-11-17 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 90
                 2026-11-17 10:04 zerodha NSE sell NIFTY26DEC24000PE 65 90";
    let mut analysis = analysis(lines, &[]);
    let first = strategies(&analysis)[0].id;
    decide(&mut analysis, first, &Decision::Confirm { name: None }).unwrap();
    change_settings(&mut analysis, GroupingSettings::new(1, false));
    let shapes: Vec<&str> = strategies(&analysis).iter().map(|strategy| strategy.shape.name()).collect();
    assert_eq!(shapes, ["shortStraddle", "shortCall", "shortPut"]);
    assert_eq!(strategies(&analysis)[0].id, first);
}

#[test]
fn groups_the_accounts_of_one_holder_and_not_those_of_two() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24500CE 65 100
                 2026-11-16 10:01 zerodha NSE sell NIFTY26DEC23500PE 65 100
                 2026-11-16 10:02 zerodha-2 NSE buy NIFTY26DEC25000CE 65 40
                 2026-11-16 10:03 zerodha-2 NSE buy NIFTY26DEC23000PE 65 40";
    let condor = ["ironCondor open -65x24500 -65x23500 +65x25000 +65x23000: opening 7800"];
    let strangles = [
        "shortStrangle open -65x24500 -65x23500: opening 13000",
        "longStrangle open +65x25000 +65x23000: opening -5200",
    ];
    for (second_holder, expected) in [
        ("asha  RAO", &condor[..]),
        ("Lata Rao", &strangles[..]),
        // An account without a known holder is of another person.
        ("", &strangles[..]),
    ] {
        let analysis = check_across(lines, second_holder, expected);
        // Without the setting each account stays alone.
        let mut apart = analysis.clone();
        change_settings(&mut apart, GroupingSettings::new(5, false));
        assert_eq!(strategies(&apart).into_iter().map(describe_strategy).collect::<Vec<_>>(), strangles);
    }
}

#[test]
fn accounts_whose_holders_are_not_known_are_of_one_person() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 10:01 groww NSE sell NIFTY26DEC24000PE 65 100";
    let mut analysis = analysis(lines, &[]);
    assert_eq!(strategies(&analysis).len(), 2);
    change_settings(&mut analysis, GroupingSettings::new(5, true));
    assert_eq!(
        strategies(&analysis).into_iter().map(describe_strategy).collect::<Vec<_>>(),
        ["shortStraddle open -65x24000 -65x24000: opening 13000"]
    );
}

#[test]
fn accounts_that_hold_the_same_strategy_each_keep_their_own() {
    let trades = |account: &str| {
        format!(
            "2026-11-16 10:00 {account} NSE sell NIFTY26DEC24500CE 65 100
             2026-11-16 10:01 {account} NSE sell NIFTY26DEC23500PE 65 100
             2026-11-16 10:02 {account} NSE buy NIFTY26DEC25000CE 65 40
             2026-11-16 10:03 {account} NSE buy NIFTY26DEC23000PE 65 40
            "
        )
    };
    let condor = "ironCondor open -65x24500 -65x23500 +65x25000 +65x23000: opening 7800";
    let analysis = check_across(&(trades("zerodha") + &trades("zerodha-2")), "Asha Rao", &[condor, condor]);
    for strategy in strategies(&analysis) {
        assert!(strategy.candidates.is_empty());
        assert!(strategy.lots.iter().all(|lot| lot.account == strategy.account));
    }
}

#[test]
fn a_hedge_joins_the_strategy_of_its_own_account() {
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24500CE 65 100
                 2026-11-16 11:00 zerodha-2 NSE sell NIFTY26DEC24500CE 65 100
                 2026-11-16 12:00 zerodha NSE buy NIFTY26DEC25000CE 65 40
                 2026-11-16 12:01 zerodha-2 NSE buy NIFTY26DEC25000CE 65 40";
    let spread = "bearCallSpread open -65x24500 +65x25000: opening 6500, addition -2600";
    let analysis = check_across(lines, "Asha Rao", &[spread, spread]);
    for strategy in strategies(&analysis) {
        assert!(strategy.candidates.is_empty());
        assert!(strategy.lots.iter().all(|lot| lot.account == strategy.account));
    }
}

#[test]
fn a_strangle_after_ten_scalps_is_found_in_a_long_window() {
    let mut lines = String::new();
    for minute in 0..10 {
        let (hour, minute) = (10 + minute * 4 / 60, minute * 4 % 60);
        lines += &format!("2026-11-16 {hour}:{minute:02} zerodha NSE buy NIFTY26DEC24000CE 65 100\n");
        lines += &format!("2026-11-16 {hour}:{:02} zerodha NSE sell NIFTY26DEC24000CE 65 101\n", minute + 2);
    }
    lines += "2026-11-16 10:45 zerodha NSE sell NIFTY26DEC24500CE 65 100
              2026-11-16 10:46 zerodha NSE sell NIFTY26DEC23500PE 65 100";
    let mut analysis = analysis(&lines, &[]);
    for minutes in [5, 60] {
        change_settings(&mut analysis, GroupingSettings::new(minutes, false));
        let shapes: Vec<&str> = strategies(&analysis).iter().map(|strategy| strategy.shape.name()).collect();
        assert_eq!(shapes, [&["longCall"; 10][..], &["shortStrangle"]].concat(), "{minutes}");
    }
}
