//! R against results that were worked by hand. In June 2022 our tables know no charges that matter; here they are next to
//! nothing, and R is rounded.

use super::*;
use crate::adjustment::Ratio;
use crate::figures::Figures;
use crate::filter::Filter;
use crate::overview::risk_distribution;

/// Initial risk, and R to 2 decimals, in the order of closing.
fn risks(lines: &str, adjustments: &[Adjustment]) -> Vec<Option<(Decimal, Decimal)>> {
    let risk =
        |closed_trade: &ClosedTrade| Some((closed_trade.risk?.normalize(), closed_trade.r()?.round_dp(2).normalize()));
    analysis(lines, adjustments).closed_trades().map(risk).collect()
}

fn known(risk: &str, r: &str) -> Option<(Decimal, Decimal)> {
    Some((decimal(risk), decimal(r)))
}

#[test]
fn a_result_is_measured_by_what_was_at_risk() {
    // 10 at 100 with the stop at 95 risk 50. They win 100: 2 R. 10 sold at 100 with the stop at 104 risk 40. They lose 60:
    // -1.5 R. One without a stop has no R.
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100 stop=95
                 2022-06-06 09:30 zerodha NSE sell A 10 110
                 2022-06-06 10:20 zerodha NSE sell B 10 100 stop=104
                 2022-06-06 10:30 zerodha NSE buy B 10 106
                 2022-06-06 11:20 zerodha NSE buy C 10 100
                 2022-06-06 11:30 zerodha NSE sell C 10 90";
    assert_eq!(risks(lines, &[]), [known("50", "2"), known("40", "-1.5"), None]);

    let analysis = analysis(lines, &[]);
    let figures = Figures::of(analysis.closed_trades()).risk.unwrap();
    // (2 - 1.5) / 2.
    assert_eq!((figures.closed_trades, figures.average.round_dp(2).normalize()), (2, decimal("0.25")));
    assert_eq!((figures.best.round_dp(2), figures.worst.round_dp(2)), (decimal("2.00"), decimal("-1.50")));
    assert!(figures.too_few);
    // 99.9976 of 50 round to 2, and -60.0025 of 40 to -1.5001.
    let filled: Vec<_> =
        risk_distribution(analysis.closed_trades()).into_iter().filter(|of| of.closed_trades > 0).collect();
    for bucket in &filled {
        let filter = Filter { r: Some(bucket.bounds), ..Filter::default() };
        assert_eq!(filter.of(&analysis).count(), bucket.closed_trades);
    }
    let bounds: Vec<_> =
        filled.iter().map(|of| (of.bounds.from.unwrap(), of.bounds.to.unwrap(), of.closed_trades)).collect();
    let half = |from: &str, to: &str| (decimal(from), decimal(to), 1);
    assert_eq!(bounds, [half("-2.0", "-1.5"), half("2.0", "2.5")]);
}

#[test]
fn charges_count_against_the_result_and_not_in_the_risk() {
    // 100 at 1,000 with the stop at 990 risk 1,000; 100 at 1,010 win 1,000, less the charges of June 2026.
    let lines = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 stop=990
                 2026-06-01 10:15 zerodha NSE sell INFY 100 1010";
    let analysis = analysis(lines, &[]);
    let closed_trade = first(&analysis);
    assert_eq!(closed_trade.risk, Some(decimal("1000")));
    // The charges of `charges.rs`: 40 + 25 + 3 + 6.1707 + 0.2012 + 8.3469 = 82.7188. (1000 - 82.7188) / 1000.
    assert_eq!(closed_trade.r(), Some(decimal("0.9173")));
}

#[test]
fn each_opening_trade_adds_its_own_risk() {
    // 10 at 100 stopped at 90, 5 of the 10 at 110 stopped at 108: 100 + 10. 15 at 130 bring 1950 for 1550: 400 / 110.
    let two = "2022-06-06 09:20 zerodha NSE buy A 10 100 stop=90
               2022-06-07 09:20 zerodha NSE buy A 10 110 stop=108
               2022-06-08 09:20 zerodha NSE sell A 15 130";
    assert_eq!(risks(two, &[]), [known("110", "3.64")]);
    // Where one has none, nobody knows what was at risk.
    assert_eq!(risks(&two.replace(" stop=108", ""), &[]), [None]);
    // Two fills of one order: the stop of one is that of both. 10 * 5 + 20 * 6 = 170; 30 * 110 - 3020 = 280.
    let order = "2022-06-06 09:20 zerodha NSE buy A 10 100 o1 stop=95
                 2022-06-06 09:21 zerodha NSE buy A 20 101 o1
                 2022-06-08 09:20 zerodha NSE sell A 30 110";
    assert_eq!(risks(order, &[]), [known("170", "1.65")]);
    // Of another order it is not.
    assert_eq!(risks(&order.replace("101 o1", "101 o2"), &[]), [None]);
}

#[test]
fn a_split_leaves_the_risk_and_a_stop_on_the_wrong_side_is_none() {
    // 10 at 100 stopped at 90 risk 100, also once they are 20 at 50; sold at 60 they bring 1200: 200 / 100.
    let lines = "2022-06-06 09:20 zerodha NSE buy A 10 100 stop=90
                 2022-06-08 09:20 zerodha NSE sell A 20 60";
    let split = entered("A", "2022-06-07", What::Split(Ratio { new: 2, old: 1 }));
    assert_eq!(risks(lines, &[split]), [known("100", "2")]);
    // A broker may correct a price to below the stop that the trader noted.
    let wrong = "2022-06-06 09:20 zerodha NSE buy A 10 100 stop=100
                 2022-06-08 09:20 zerodha NSE sell A 10 120";
    assert_eq!(risks(wrong, &[]), [None]);
    // The stop of what closes says nothing.
    let closing = "2022-06-06 09:20 zerodha NSE buy A 10 100
                   2022-06-08 09:20 zerodha NSE sell A 10 120 stop=125";
    assert_eq!(risks(closing, &[]), [None]);
}
