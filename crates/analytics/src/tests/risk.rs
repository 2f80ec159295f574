//! Results in R compared with values computed by hand. There are no rates, so no charges, for June 2016.

use super::*;
use crate::adjustment::Ratio;
use crate::figures::Figures;
use crate::filter::Filter;
use crate::overview::risk_distribution;

/// Returns initial risk and R, rounded to 2 decimals, in the order of closing.
fn risks(lines: &str, adjustments: &[Adjustment]) -> Vec<Option<(Decimal, Decimal)>> {
    let risk_and_r =
        |closed_trade: &ClosedTrade| Some((closed_trade.risk?.normalize(), closed_trade.r()?.round_dp(2).normalize()));
    analysis(lines, adjustments).closed_trades().map(risk_and_r).collect()
}

fn risk(risk: &str, r: &str) -> Option<(Decimal, Decimal)> {
    Some((decimal(risk), decimal(r)))
}

#[test]
fn r_is_the_net_result_divided_by_the_initial_risk() {
    // 10 bought at 100 with a stop at 95 risk 50 and win 100: 2 R. 10 sold at 100 with a stop at 104 risk 40 and lose 60:
    // -1.5 R. A trade without a stop has no R.
    let lines = "2016-06-06 09:20 zerodha NSE buy A 10 100 stop=95
                 2016-06-06 09:30 zerodha NSE sell A 10 110
                 2016-06-06 10:20 zerodha NSE sell B 10 100 stop=104
                 2016-06-06 10:30 zerodha NSE buy B 10 106
                 2016-06-06 11:20 zerodha NSE buy C 10 100
                 2016-06-06 11:30 zerodha NSE sell C 10 90";
    assert_eq!(risks(lines, &[]), [risk("50", "2"), risk("40", "-1.5"), None]);

    let analysis = analysis(lines, &[]);
    let figures = Figures::new(analysis.closed_trades()).risk.unwrap();
    // (2 - 1.5) / 2.
    assert_eq!((figures.closed_trades, figures.average.round_dp(2).normalize()), (2, decimal("0.25")));
    assert_eq!((figures.best.round_dp(2), figures.worst.round_dp(2)), (decimal("2.00"), decimal("-1.50")));
    assert!(figures.sample_too_small);
    // 99.9976 / 50 rounds to 2, and -60.0025 / 40 to -1.5001.
    let not_empty: Vec<_> =
        risk_distribution(analysis.closed_trades()).into_iter().filter(|bucket| bucket.closed_trades > 0).collect();
    for bucket in &not_empty {
        let filter = Filter { r: Some(bucket.bounds), ..Filter::default() };
        assert_eq!(filter.apply(&analysis).count(), bucket.closed_trades);
    }
    let bounds: Vec<_> = not_empty
        .iter()
        .map(|bucket| (bucket.bounds.from.unwrap(), bucket.bounds.to.unwrap(), bucket.closed_trades))
        .collect();
    let half = |from: &str, to: &str| (decimal(from), decimal(to), 1);
    assert_eq!(bounds, [half("-1.5", "-1.0"), half("2.0", "2.5")]);
}

#[test]
fn charges_reduce_the_result_and_not_the_risk() {
    // 100 at 1,000 with a stop at 990 risk 1,000; 100 at 1,010 win 1,000, less the charges of June 2026.
    let lines = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 stop=990
                 2026-06-01 10:15 zerodha NSE sell INFY 100 1010";
    let analysis = analysis(lines, &[]);
    let closed_trade = first_closed_trade(&analysis);
    assert_eq!(closed_trade.risk, Some(decimal("1000")));
    // Charges as in `charges.rs`: 40 + 25 + 3 + 6.1707 + 0.2012 + 8.3469 = 82.7188. (1000 - 82.7188) / 1000.
    assert_eq!(closed_trade.r(), Some(decimal("0.9173")));
}

#[test]
fn the_risk_is_the_sum_over_all_opening_trades() {
    // 10 at 100 with a stop at 90, and 5 of the 10 at 110 with a stop at 108: 100 + 10. 15 sold at 130 bring 1950 for
    // 1550: 400 / 110.
    let two = "2016-06-06 09:20 zerodha NSE buy A 10 100 stop=90
               2016-06-07 09:20 zerodha NSE buy A 10 110 stop=108
               2016-06-08 09:20 zerodha NSE sell A 15 130";
    assert_eq!(risks(two, &[]), [risk("110", "3.64")]);
    // If one trade has no stop, the risk is unknown.
    assert_eq!(risks(&two.replace(" stop=108", ""), &[]), [None]);
    // Two fills of one order share the stop of one of them. 10 * 5 + 20 * 6 = 170; 30 * 110 - 3020 = 280.
    let order = "2016-06-06 09:20 zerodha NSE buy A 10 100 o1 stop=95
                 2016-06-06 09:21 zerodha NSE buy A 20 101 o1
                 2016-06-08 09:20 zerodha NSE sell A 30 110";
    assert_eq!(risks(order, &[]), [risk("170", "1.65")]);
    // Fills of another order do not share it.
    assert_eq!(risks(&order.replace("101 o1", "101 o2"), &[]), [None]);
}

#[test]
fn a_split_keeps_the_risk_and_a_stop_on_the_wrong_side_is_ignored() {
    // 10 at 100 with a stop at 90 risk 100, also after the split into 20 at 50. Sold at 60 they bring 1200: 200 / 100.
    let lines = "2016-06-06 09:20 zerodha NSE buy A 10 100 stop=90
                 2016-06-08 09:20 zerodha NSE sell A 20 60";
    let split = adjustment("A", "2016-06-07", AdjustmentKind::Split(Ratio { new: 2, old: 1 }));
    assert_eq!(risks(lines, &[split]), [risk("100", "2")]);
    // A corrected price from the broker may be at or below the stop that the trader entered.
    let wrong = "2016-06-06 09:20 zerodha NSE buy A 10 100 stop=100
                 2016-06-08 09:20 zerodha NSE sell A 10 120";
    assert_eq!(risks(wrong, &[]), [None]);
    // The stop of a closing trade is ignored.
    let closing = "2016-06-06 09:20 zerodha NSE buy A 10 100
                   2016-06-08 09:20 zerodha NSE sell A 10 120 stop=125";
    assert_eq!(risks(closing, &[]), [None]);
}
