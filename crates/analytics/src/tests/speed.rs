//! Time of an analysis of 100,000 trades. Run with `cargo test -p analytics --release -- --ignored --nocapture speed`.

use std::time::Instant;

use super::*;
use crate::analysis::TradeChanges;

/// Returns trades of two years in 200 shares and 600 contracts, in orders of two fills.
fn trades(count: i64) -> Vec<Fill> {
    let mut fills = Vec::new();
    for trade_id in 1..=count {
        let (order, minute) = (trade_id / 2, trade_id % 375);
        let on = date!(2024 - 11 - 04) + time::Duration::days(order % 600);
        let side = if order % 2 == 0 { "buy" } else { "sell" };
        let symbol = if order % 4 < 2 {
            format!("SHARE{}", order / 4 % 200)
        } else {
            format!("NIFTY26DEC{}CE", 15_000 + order / 4 % 600 * 50)
        };
        let (hour, minute) = (9 + minute / 60, minute % 60);
        let line = format!(
            "{on} {hour:02}:{minute:02} zerodha NSE {side} {symbol} {} {}.{:02} o{order}",
            1 + order % 100,
            100 + order % 900,
            order % 100
        );
        fills.push(fill(trade_id, &line));
    }
    // Fills of one instrument share it, as those of the trade log.
    let mut instruments: std::collections::HashMap<String, Arc<Instrument>> = std::collections::HashMap::new();
    for fill in &mut fills {
        let shared = instruments.entry(fill.instrument.symbol.clone()).or_insert_with(|| fill.instrument.clone());
        fill.instrument = shared.clone();
    }
    fills
}

#[test]
#[ignore = "measures time"]
fn speed_of_100_000_trades() {
    let fills = trades(100_000);
    let rates = ChargeRates::load().unwrap();
    for _ in 0..3 {
        let copy = fills.clone();
        let start = Instant::now();
        let mut analysis = Analysis::new(copy, &[], rates, TODAY);
        let all = start.elapsed();
        let start = Instant::now();
        let added = fill(200_000, "2026-06-01 09:15 zerodha NSE buy SHARE1 10 100");
        analysis.apply(TradeChanges { ids: [200_000].into(), trades: vec![added] });
        println!("{} closed trades: {all:?}; one more trade: {:?}", analysis.closed_trades().count(), start.elapsed());
    }
}
