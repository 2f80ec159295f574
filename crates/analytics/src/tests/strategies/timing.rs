//! Time to group the strategies of a large account.

use std::collections::BTreeSet;
use std::time::Instant;

use super::settings::change_settings;
use super::*;
use crate::analysis::TradeChanges;
use crate::strategies::GroupingSettings;

const DAYS: i64 = 250;

/// Returns an iron condor for each of 250 days in each of five underlyings, half of them with one leg moved, and all closed
/// on the same day.
fn year_of_condors() -> Vec<Fill> {
    let mut lines = Vec::new();
    let mut day = date!(2025 - 11 - 03);
    for number in 0..DAYS {
        while matches!(day.weekday(), time::Weekday::Saturday | time::Weekday::Sunday) {
            day = day.next_day().unwrap();
        }
        for (index, underlying) in ["NIFTY", "BANKNIFTY", "FINNIFTY", "MIDCPNIFTY", "NIFTYNXT50"].iter().enumerate() {
            let strike = 20_000 + number * 50;
            let legs = [
                (strike + 200, "CE", "sell"),
                (strike + 400, "CE", "buy"),
                (strike - 200, "PE", "sell"),
                (strike - 400, "PE", "buy"),
            ];
            for (minute, (strike, class, side)) in legs.iter().enumerate() {
                let exit = if *side == "sell" { "buy" } else { "sell" };
                let symbol = format!("{underlying}26DEC{strike}{class}");
                lines.push(format!("{day} 10:{index}{minute} zerodha NSE {side} {symbol} 65 100.05"));
                lines.push(format!("{day} 14:{index}{minute} zerodha NSE {exit} {symbol} 65 80.10"));
            }
        }
        day = day.next_day().unwrap();
    }
    ledger(&lines.join("\n"))
}

/// Returns scalps of two contracts, one after the other within three hours, on 250 days.
fn year_of_scalps() -> Vec<Fill> {
    let mut lines = Vec::new();
    let mut day = date!(2025 - 11 - 03);
    for _ in 0..DAYS {
        for number in 0..20 {
            let class = if number % 3 == 0 { "PE" } else { "CE" };
            let (hour, minute) = (10 + number * 8 / 60, number * 8 % 60);
            lines.push(format!("{day} {hour}:{minute:02} zerodha NSE buy NIFTY26DEC24000{class} 65 100.05"));
            lines.push(format!("{day} {hour}:{:02} zerodha NSE sell NIFTY26DEC24000{class} 65 101.10", minute + 3));
        }
        day = day.next_day().unwrap();
    }
    ledger(&lines.join("\n"))
}

/// Prints the times. Run with `cargo test --release -p analytics --lib times_grouping -- --ignored --nocapture`.
#[test]
#[ignore = "prints times, which only a release build shows"]
fn times_grouping_of_10_000_trades() {
    let fills = year_of_condors();
    assert_eq!(fills.len(), 10_000);
    let mut analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
    let start = Instant::now();
    let count = analysis.strategies().strategies().len();
    println!("{count} strategies of 10,000 trades: {:?}", start.elapsed());
    assert_eq!(count, 1_250);
    for (name, fills) in [("condors", year_of_condors()), ("scalps", year_of_scalps())] {
        assert_eq!(fills.len(), 10_000);
        let mut analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        for minutes in [5, 60] {
            change_settings(&mut analysis, GroupingSettings::new(minutes, true));
            let start = Instant::now();
            let count = analysis.strategies().strategies().len();
            println!("{name}, {minutes} minutes, all accounts: {count} strategies: {:?}", start.elapsed());
        }
    }
    for number in 0..3 {
        let trade = fill(20_000 + number, "2026-11-20 11:00 zerodha NSE sell NIFTY26DEC26000CE 65 50");
        let changes = TradeChanges { ids: BTreeSet::from([trade.trade_id]), trades: vec![trade] };
        let start = Instant::now();
        analysis.apply(changes);
        let applied = start.elapsed();
        analysis.strategies();
        println!("one more trade: {applied:?} for results and charges, {:?} in all", start.elapsed());
    }
    let ids: Vec<FillKey> = analysis.strategies().strategies().iter().map(|strategy| strategy.id).collect();
    let confirm = crate::strategies::Decision::Confirm { name: None };
    let start = Instant::now();
    decisions::decide(&mut analysis, ids[0], &confirm).unwrap();
    analysis.strategies();
    println!("one decision: {:?}", start.elapsed());
    for id in &ids[1..] {
        decisions::decide(&mut analysis, *id, &confirm).unwrap();
    }
    analysis.strategies();
    let trade = fill(30_000, "2026-11-20 12:00 zerodha NSE sell NIFTY26DEC26100CE 65 50");
    let start = Instant::now();
    analysis.apply(TradeChanges { ids: BTreeSet::from([trade.trade_id]), trades: vec![trade] });
    analysis.strategies();
    println!("one more trade beside {} confirmed strategies: {:?}", ids.len(), start.elapsed());
    let start = Instant::now();
    analysis.strategy_units();
    println!("units of the figures: {:?}", start.elapsed());
}
