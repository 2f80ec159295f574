//! Payoffs at expiry and statistics, compared with results computed by hand.
//!
//! Charges of a day's contract note at Zerodha on 16 November 2026: ₹20 for each order; STT 0.15 % of premiums received,
//! to the rupee; exchange 0.0355299 % and SEBI 0.0001 % of all premiums; stamp duty 0.003 % of premiums paid, to the rupee;
//! GST 18 % of brokerage, exchange and SEBI. STT on an exercise is 0.15 % of the intrinsic value of a bought option, so it
//! gains 99.85 paise for each rupee. An index option in the money costs E: ₹20 for its exercise or assignment, SEBI
//! 0.0001 % of strike times quantity, and GST: for 65, 25.3641 at 23000, 25.4025 at 23500, 25.4408 at 24000, 25.4638 at
//! 24300, 25.4792 at 24500 and 25.5175 at 25000.

use super::*;
use crate::broker_terms::BrokerTerms;
use crate::strategies::{StrategyFigures, StrategyGrouping, group_strategies};

/// Returns lines of trades within minutes, such as `sell 24000CE 65 200`, for the expiry of December.
fn trades(legs: &[&str]) -> String {
    let line = |(minute, leg): (usize, &&str)| {
        let (side, contract) = leg.split_once(' ').unwrap();
        format!("2026-11-16 10:0{minute} zerodha NSE {side} NIFTY26DEC{contract}\n")
    };
    legs.iter().enumerate().map(line).collect()
}

/// Formats the net payoff, such as `23801.12 24198.88: 12927.33 to unlimited`: break-evens, largest profit and loss.
fn describe_payoff(strategy: &Strategy) -> String {
    let payoff = strategy.payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()).unwrap();
    let limit = |amount: Option<Decimal>| amount.map_or("unlimited".to_owned(), |amount| format!("{amount:.2}"));
    let break_evens: Vec<String> = payoff.break_evens.iter().map(|price| format!("{price:.2}")).collect();
    format!("{}: {} to {}", break_evens.join(" "), limit(payoff.max_profit), limit(payoff.max_loss))
}

#[track_caller]
fn check_payoff(lines: &str, shape: &str, expected: &str) {
    let analysis = analysis(lines, &[]);
    let all = strategies(&analysis);
    assert_eq!((all.len(), all[0].shape.name()), (1, shape));
    assert_eq!(describe_payoff(all[0]), expected, "{shape}");
}

#[test]
fn single_options_straddles_and_strangles_pay_by_hand() {
    // 20 + 0 STT + 4.6189 + 0.013 + 0 stamp + 4.4337 GST = 29.0656. 13029.0656 + E lost at most, just above the strike.
    // Each point above it brings 65 * 0.9985 = 64.9025: 24000 + 13054.5064 / 64.9025 = 24000 + 201.14.
    check_payoff(&trades(&["buy 24000CE 65 200"]), "longCall", "24201.14: unlimited to -13054.51");
    // STT 0.15 % of 13000 = 19.5, to the rupee 20: 49.0656. (12950.9344 - E) / 65 = 198.85.
    check_payoff(&trades(&["sell 24000CE 65 200"]), "shortCall", "24198.85: 12950.93 to unlimited");
    // 11700 + 28.5191 + E. At zero: 24000 * 64.9025 - 11753.9599.
    check_payoff(&trades(&["buy 24000PE 65 180"]), "longPut", "23818.90: 1545906.04 to -11753.96");
    // 11700 - 46.5191 = 11653.4809. At zero: 11653.4809 - E - 24000 * 65.
    check_payoff(&trades(&["sell 24000PE 65 180"]), "shortPut", "23821.11: 11653.48 to -1548371.96");
    // 380 * 65 = 24700 + 58.5847 + E; 24784.0255 / 64.9025 = 381.87. At zero 24000 * 64.9025 - 24784.0255 does not count,
    // because the profit is unlimited above.
    let straddle = ["buy 24000CE 65 200", "buy 24000PE 65 180"];
    check_payoff(&trades(&straddle), "longStraddle", "23618.13 24381.87: unlimited to -24784.03");
    // 40 + 37 + 8.7759 + 0.0247 + 8.7841 = 94.5847; (24605.4153 - E) / 65 = 378.15.
    let straddle = ["sell 24000CE 65 200", "sell 24000PE 65 180"];
    check_payoff(&trades(&straddle), "shortStraddle", "23621.85 24378.15: 24579.97 to unlimited");
    // 150 * 65 = 9750 + 51.2993; 9801.2993 + E of the call or the put, / 64.9025 = 151.41 beyond the strikes.
    let strangle = ["buy 24500CE 65 80", "buy 23500PE 65 70"];
    check_payoff(&trades(&strangle), "longStrangle", "23348.59 24651.41: unlimited to -9826.78");
    // 9750 - 66.2993 = 9683.7007; less E, / 65 = 148.59 beyond the strikes.
    let strangle = ["sell 24500CE 65 80", "sell 23500PE 65 70"];
    check_payoff(&trades(&strangle), "shortStrangle", "23351.41 24648.59: 9683.70 to unlimited");
}

#[test]
fn spreads_condors_and_butterflies_pay_by_hand() {
    // 120 * 65 = 7800 + 62.8518 paid, + E above 24000; at 24500 the bought call brings 500 * 64.9025 = 32451.25.
    let bull_call = ["buy 24000CE 65 200", "sell 24500CE 65 80"];
    check_payoff(&trades(&bull_call), "bullCallSpread", "24121.54: 24562.96 to -7888.29");
    // 7800 - 74.8518 kept; above 24500 the sold call costs 500 * 65 = 32500, and both cost E.
    let bear_call = ["sell 24000CE 65 200", "buy 24500CE 65 80"];
    check_payoff(&trades(&bear_call), "bearCallSpread", "24118.46: 7725.15 to -24825.77");
    // 110 * 65 = 7150 - 72.0321 kept; below 23500 the sold put costs 32500, and both cost E.
    let bull_put = ["buy 23500PE 65 70", "sell 24000PE 65 180"];
    check_payoff(&trades(&bull_put), "bullPutSpread", "23891.50: 7077.97 to -25472.88");
    // 7150 + 61.0321 paid, + E below 24000; at 23500 the bought put brings 32451.25.
    let bear_put = ["sell 23500PE 65 70", "buy 24000PE 65 180"];
    check_payoff(&trades(&bear_put), "bearPutSpread", "23888.50: 25214.78 to -7236.47");
    // 20 * 65 = 1300 + 75.5847 paid, + E. At zero: -1401.0255 - 24000 * 65.
    let synthetic = ["buy 24000CE 65 200", "sell 24000PE 65 180"];
    check_payoff(&trades(&synthetic), "synthetic", "24021.59: unlimited to -1561401.03");
    // 200 * 65 - 80 * 130 = 2600 + 73.0381 + E paid; at 24500 32451.25 less that; above, 130 - 64.9025 are lost by point,
    // and E of 130 is (20 + 3.185) * 1.18 = 27.3583.
    let ratio = ["buy 24000CE 65 200", "sell 24500CE 130 80"];
    check_payoff(&trades(&ratio), "ratio", "24041.58 24956.63: 29752.77 to unlimited");
    // 200 * 65 - 80 * 130 + 25 * 65 = 4225 + 97.3214 paid. Above 25000: 1000 * 64.9025 - 500 * 130 = -97.5 more is lost,
    // by the STT on the lowest call, and three times E.
    let butterfly = ["buy 24000CE 65 200", "sell 24500CE 130 80", "buy 25000CE 65 25"];
    check_payoff(&trades(&butterfly), "butterfly", "24066.99 24931.29: 28103.49 to -4498.14");
    // (80 - 25 + 70 - 30) * 65 = 6175 - 115.0023 = 6060 (80 + 15 + 4.7344 + 0.0133 + 15.2546). Beyond the wings 32500 and
    // twice E less.
    let condor = ["sell 24500CE 65 80", "buy 25000CE 65 25", "sell 23500PE 65 70", "buy 23000PE 65 30"];
    check_payoff(&trades(&condor), "ironCondor", "23407.16 24592.84: 6060.00 to -26491.00");
    // (200 - 80 + 180 - 70) * 65 = 14950 - 145.884; E on each side. Beyond the wings 32500 and another E less.
    let fly = ["sell 24000CE 65 200", "buy 24500CE 65 80", "sell 24000PE 65 180", "buy 23500PE 65 70"];
    check_payoff(&trades(&fly), "ironButterfly", "23772.64 24227.36: 14778.68 to -17746.80");
}

/// Charges of 175 shares at 3000 on 16 November: STT 0.1 % of 525000 = 525, exchange 0.00307 % = 16.1175, SEBI 0.525,
/// IPFT 0.0005 (0.0000001 %), stamp 0.015 % = 78.75, to the rupee 79, GST 18 % of 16.643 = 2.9957: 623.6387.
const SHARES: &str = "2026-11-16 10:00 zerodha NSE buy TCS 175 3000";

/// Returns the profits at a price; two if the payoff jumps there.
fn profits_at(analysis: &Analysis, price: &str) -> Vec<String> {
    let payoff = strategies(analysis)[0].payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()).unwrap();
    let points = payoff.points.iter().filter(|point| point.price == decimal(price));
    points.map(|point| format!("{:.2}", point.profit)).collect()
}

#[test]
fn options_on_shares_pay_the_charges_of_the_delivery() {
    // The call at 40 on the note for contracts: 20 + STT 10.5, to the rupee 11, + 2.4871 + 0.007 + GST 4.0489 = 37.543.
    // Below the strike: 175 S - 525000 + 7000 - 661.1817, zero at 2963.78. At 3200 delivered: 41338.8183 less brokerage of
    // 0.25 % of 560000 = 1400, SEBI 0.56, GST 252.1008 and STT of 0.1 % = 560, from there on.
    let lines = format!("{SHARES}\n2026-11-16 10:01 zerodha NSE sell TCS26DEC3200CE 175 40");
    check_payoff(&lines, "coveredCall", "2963.78: 41338.82 to -518661.18");
    assert_eq!(profits_at(&analysis(&lines, &[]), "3200"), ["41338.82", "39126.16"]);
    // The put at 30: 20 + 1.8653 + 0.0053 + GST 3.9367 = 25.8073. Below 2900: (2900 - 3000) * 175 - 5250 - 649.446, less
    // brokerage 1268.75, SEBI 0.5075, GST 228.4664 and STT 507.5.
    let lines = format!("{SHARES}\n2026-11-16 10:01 zerodha NSE buy TCS26DEC2900PE 175 30");
    check_payoff(&lines, "protectivePut", "3033.71: unlimited to -25404.67");
    assert_eq!(profits_at(&analysis(&lines, &[]), "2900"), ["-25404.67", "-23399.45"]);
    // Both: 40 + STT 11 + 4.3524 + 0.0123 + GST 7.9856 = 63.3503. 525000 - 7000 + 5250 + 686.989 = 523936.989, / 175 =
    // 2993.93. At 3200: 560000 less that.
    let lines = format!(
        "{SHARES}\n2026-11-16 10:01 zerodha NSE buy TCS26DEC2900PE 175 30
         2026-11-16 10:01 zerodha NSE sell TCS26DEC3200CE 175 40"
    );
    check_payoff(&lines, "collar", "2993.93: 36063.01 to -18442.21");
}

#[test]
fn a_payoff_without_the_brokerage_of_an_exercise_says_so() {
    let missing = |broker: &str| {
        let lines = trades(&["buy 24000CE 65 200"]).replace("zerodha", broker);
        let analysis = analysis(&lines, &[]);
        strategies(&analysis)[0]
            .payoff(ChargeRates::load().unwrap(), &BrokerTerms::default())
            .unwrap()
            .brokerage_missing
    };
    assert_eq!(["zerodha", "groww"].map(missing), [false, true]);
}

#[test]
fn deliveries_in_both_directions_are_netted() {
    // Above 3200 the shares of the lower call are delivered for the higher one: brokerage of 0.1 %.
    // Paid: (60 - 25) * 175 = 6125, and 40 + STT 0.15 % of 4375 = 6.56, to 7, + exchange 5.2851 + SEBI 0.0149 + stamp
    // 0.003 % of 10500 = 0.32, to 0, + GST 8.154 = 60.454.
    // Above 3000 the delivery of 525000 costs 0.25 % = 1312.5, SEBI 0.525, GST 236.3445, STT 525, stamp 78.75: 2153.1195.
    // At 3200: 35000 - 6185.454 - 2153.1195 = 26661.4265. Above: 525 + 0.525 + GST 94.5945 + STT 525 + stamp 78.75 =
    // 1223.8695 for the shares received and 560 + 0.56 + 100.9008 + 560 = 1221.4608 for those given: 26369.2157.
    let lines = "2026-11-16 10:00 zerodha NSE buy TCS26DEC3000CE 175 60
                 2026-11-16 10:00 zerodha NSE sell TCS26DEC3200CE 175 25";
    check_payoff(lines, "bullCallSpread", "3047.65: 26661.43 to -8338.57");
    assert_eq!(profits_at(&analysis(lines, &[]), "3200"), ["26661.43", "26369.22"]);
}

#[test]
fn a_future_with_a_put_pays_by_hand() {
    // 65 at 24000 and the put at 100: 40 + exchange 0.00183 % of 1560000 + 0.0355299 % of 6500 = 30.8574 + SEBI 1.5665 +
    // stamp 0.002 % of 1560000 + 0.003 % of 6500 = 31.395, to 31, + GST 13.0363 = 116.4602. (6500 + 116.4602) / 65 =
    // 101.79 above 24000. At 23800: 200 * 65 + 6616.4602 lost, and E of (20 + 1.547) * 1.18 = 25.4255 below.
    let lines = "2026-11-16 10:00 zerodha NSE buy NIFTY26DECFUT 65 24000
                 2026-11-16 10:00 zerodha NSE buy NIFTY26DEC23800PE 65 100";
    check_payoff(lines, "futureAndOption", "24101.79: unlimited to -19641.89");
}

#[test]
fn strategies_of_two_expiries_or_underlyings_have_a_result_but_no_payoff() {
    // Diagonal. 16 November: 40 + STT 0.15 % of 3900 = 5.85, to 6, + 7.1593 + 0.0202 + stamp 0.49, to 0, + GST 8.4923 =
    // 61.6718. 18 November: 40 + STT 0.15 % of 16900 = 25.35, to 25, + 6.6974 + 0.0189 + 0 + GST 8.4089 = 80.1252.
    // (60 - 30 + 260 - 250) * 65 = 2600.
    let diagonal = "2026-11-16 10:00 zerodha NSE sell NIFTY26NOV24200CE 65 60
                    2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 250
                    2026-11-18 10:00 zerodha NSE buy NIFTY26NOV24200CE 65 30
                    2026-11-18 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 260";
    // Calendar. 16 November: 40 + STT 0.15 % of 6500 = 9.75, to 10, + 7.3902 + 0.0208 + stamp 0.43, to 0, + GST 8.534 =
    // 65.945. 18 November: 40 + STT 0.15 % of 14950 = 22.425, to 22, + 6.6974 + 0.0189 + 0 + GST 8.4089 = 77.1252.
    // (100 - 60 + 230 - 220) * 65 = 3250.
    let calendar = "2026-11-16 10:00 zerodha NSE sell NIFTY26NOV24000CE 65 100
                    2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 220
                    2026-11-18 10:00 zerodha NSE buy NIFTY26NOV24000CE 65 60
                    2026-11-18 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 230";
    for (lines, shape, result) in
        [(diagonal, "diagonal", ["2600", "141.797"]), (calendar, "calendar", ["3250", "143.0702"])]
    {
        let analysis = analysis(lines, &[]);
        let all = strategies(&analysis);
        assert_eq!((all.len(), all[0].shape.name()), (1, shape));
        assert_eq!([all[0].gross, all[0].charges], result.map(decimal), "{shape}");
        assert_eq!(all[0].payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()), None);
        assert!(all[0].has_defined_risk());
    }
}

/// Returns the payoff at a price, between the points that the chart has.
fn payoff_at(strategy: &Strategy, price: Decimal) -> Decimal {
    let payoff = strategy.payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()).unwrap();
    let ends = payoff.points.windows(2).find(|ends| ends[0].price <= price && price < ends[1].price).unwrap();
    let share = (price - ends[0].price) / (ends[1].price - ends[0].price);
    ends[0].profit + share * (ends[1].profit - ends[0].profit)
}

#[test]
fn a_settlement_brings_what_the_payoff_showed() {
    // Two fills of the same call, exercised together; an iron condor beyond its wing; a covered call that is assigned; and
    // a spread on a share with deliveries in both directions.
    let two_fills = "2026-06-15 10:00 zerodha NSE buy NIFTY26JUN24000CE 65 200
                     2026-06-15 10:01 zerodha NSE buy NIFTY26JUN24000CE 130 201";
    let condor = "2026-06-15 10:00 zerodha NSE sell NIFTY26JUN24500CE 65 80
                  2026-06-15 10:00 zerodha NSE buy NIFTY26JUN25000CE 65 25
                  2026-06-15 10:00 zerodha NSE sell NIFTY26JUN23500PE 65 70
                  2026-06-15 10:00 zerodha NSE buy NIFTY26JUN23000PE 65 30";
    let covered_call = "2026-06-15 10:00 zerodha NSE buy TCS 175 3000
                        2026-06-15 10:01 zerodha NSE sell TCS26JUN3200CE 175 40";
    let spread = "2026-06-15 10:00 zerodha NSE buy TCS26JUN3000CE 175 60
                  2026-06-15 10:00 zerodha NSE sell TCS26JUN3200CE 175 25";
    let cases = [
        (two_fills, "24210", "NIFTY26JUN24000CE 210"),
        (condor, "25100", "NIFTY26JUN24500CE 600 NIFTY26JUN25000CE 100 NIFTY26JUN23500PE 0 NIFTY26JUN23000PE 0"),
        (covered_call, "3220", "TCS26JUN3200CE 20"),
        (spread, "3230", "TCS26JUN3000CE 230 TCS26JUN3200CE 30"),
    ];
    for (lines, price, settlements) in cases {
        let settlements: Vec<&str> = settlements.split(' ').collect();
        let settle = |settlement: &[&str]| {
            adjustment(settlement[0], "2026-06-30", AdjustmentKind::Settlement(decimal(settlement[1])))
        };
        let adjustments: Vec<Adjustment> = settlements.chunks(2).map(settle).collect();
        let analysis = analysis(lines, &adjustments);
        let all = strategies(&analysis);
        assert_eq!((all.len(), all[0].is_closed()), (1, true), "{lines}");
        let (net, payoff) = (all[0].net(), payoff_at(all[0], decimal(price)));
        // STT and stamp duty of the settlement are rounded to the rupee.
        assert!((net - payoff).abs() <= Decimal::ONE, "{lines}: {net} instead of {payoff}");
    }
}

#[test]
fn an_adjusted_strategy_pays_with_what_it_realised() {
    // The call of a strangle is moved down. 16 November, two sales of 80 and 70: charges 66.2993.
    // 17 November: bought at 20 and sold at 60: 40 + STT 0.15 % of 3900 = 5.85, to 6, + exchange 1.8476 + SEBI 0.0052 +
    // stamp 0.003 % of 1300 = 0 + GST 7.5335 = 55.3863.
    // (80 + 70 - 20 + 60) * 65 = 12350 - 121.6856 = 12228.3144; less E, / 65 = 187.74 beyond 23500 and 24300.
    let lines = format!(
        "{}2026-11-17 11:00 zerodha NSE buy NIFTY26DEC24500CE 65 20
         2026-11-17 11:01 zerodha NSE sell NIFTY26DEC24300CE 65 60",
        trades(&["sell 24500CE 65 80", "sell 23500PE 65 70"])
    );
    check_payoff(&lines, "shortStrangle", "23312.26 24487.74: 12228.31 to unlimited");
    let moved = analysis(&lines, &[]);
    let first = strategies(&moved)[0].first_payoff(ChargeRates::load().unwrap(), &BrokerTerms::default()).unwrap();
    assert_eq!(first.break_evens, [decimal("23351.41"), decimal("24648.59")]);
}

#[test]
fn statistics_count_closed_strategies_by_group() {
    // A straddle wins (190 - 150) * 65 = 2600 of a credit of 12350 before charges; another loses (180 - 240) * 65 = 3900 of
    // 11700; a bought call is open.
    let lines = "2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 100
                 2026-11-16 10:00 zerodha NSE sell NIFTY26DEC24000PE 65 90
                 2026-11-16 12:00 zerodha NSE buy NIFTY26DEC24000CE 65 80
                 2026-11-16 12:00 zerodha NSE buy NIFTY26DEC24000PE 65 70
                 2026-11-17 10:00 zerodha NSE sell NIFTY26DEC24000CE 65 90
                 2026-11-17 10:00 zerodha NSE sell NIFTY26DEC24000PE 65 90
                 2026-11-17 12:00 zerodha NSE buy NIFTY26DEC24000CE 65 200
                 2026-11-17 12:00 zerodha NSE buy NIFTY26DEC24000PE 65 40
                 2026-11-18 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 90";
    let analysis = analysis(lines, &[]);
    let all = strategies(&analysis);
    let figures = StrategyFigures::new(all.iter().copied());
    assert_eq!((figures.strategies, figures.wins, figures.gross), (2, 1, decimal("-1300")));
    // Wilson for 1 of 2 at 95 %: 0.0945 to 0.9055.
    let interval = figures.win_rate.unwrap();
    assert_eq!([interval.rate, interval.low, interval.high], ["0.5", "0.0945", "0.9055"].map(decimal));
    assert_eq!(figures.net, decimal("-1300") - figures.charges);
    assert_eq!(figures.expectancy, Some((figures.net / Decimal::TWO).round_dp(4)));
    // (12350 + 11700) / 2 = 12025; -1300 / 24050 = -0.0541.
    assert_eq!((figures.average_credit, figures.credit_kept), (Some(decimal("12025")), Some(decimal("-0.0541"))));
    assert_eq!(figures.worst_loss, Some(all[1].net()));
    assert_eq!(figures.worst_loss_to_credit, Some((-all[1].net() / decimal("12025")).round_dp(4)));
    let keys = |by| -> Vec<(String, usize)> {
        let groups = group_strategies(by, all.iter().copied());
        groups.into_iter().map(|(key, figures)| (key, figures.strategies)).collect()
    };
    let key = |key: &str, strategies| (key.to_owned(), strategies);
    assert_eq!(keys(StrategyGrouping::Shape), [key("shortStraddle", 2)]);
    assert_eq!(keys(StrategyGrouping::Underlying), [key("NIFTY", 2)]);
    // Monday and Tuesday; the contract expires on 29 December.
    assert_eq!(keys(StrategyGrouping::Weekday), [key("1", 1), key("2", 1)]);
    assert_eq!(keys(StrategyGrouping::DaysToExpiryAtEntry), [key("42", 1), key("43", 1)]);
    assert_eq!(keys(StrategyGrouping::DaysToExpiryAtExit), [key("42", 1), key("43", 1)]);
    assert_eq!(keys(StrategyGrouping::Width), []);
    assert_eq!(keys(StrategyGrouping::Adjusted), [key("no", 2)]);
    assert_eq!(keys(StrategyGrouping::Risk), [key("undefined", 2)]);
}
