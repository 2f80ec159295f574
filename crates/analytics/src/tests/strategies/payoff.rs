//! Payoffs at expiry and statistics, compared with results computed by hand.
//!
//! Charges of a day's contract note at Zerodha on 16 November 2026: ₹20 for each order; STT 0.15 % of premiums received,
//! to the rupee; exchange 0.0355299 % and SEBI 0.0001 % of all premiums; stamp duty 0.003 % of premiums paid, to the rupee;
//! GST 18 % of brokerage, exchange and SEBI. STT on an exercise is 0.15 % of the intrinsic value of a bought option, so it
//! gains 99.85 paise for each rupee.

use super::*;
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
    let payoff = strategy.payoff(ChargeRates::load().unwrap()).unwrap();
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
    // 20 + 0 STT + 4.6189 + 0.013 + 0 stamp + 4.4337 GST = 29.0656. 13000 + 29.0656 = 13029.0656 lost at most.
    // Each point above the strike brings 65 * 0.9985 = 64.9025: 24000 + 200.75.
    check_payoff(&trades(&["buy 24000CE 65 200"]), "longCall", "24200.75: unlimited to -13029.07");
    // STT 0.15 % of 13000 = 19.5, to the rupee 20: 49.0656. 12950.9344 / 65 = 199.25.
    check_payoff(&trades(&["sell 24000CE 65 200"]), "shortCall", "24199.25: 12950.93 to unlimited");
    // 11700 + 28.5191. At zero: 24000 * 64.9025 - 11728.5191.
    check_payoff(&trades(&["buy 24000PE 65 180"]), "longPut", "23819.29: 1545931.48 to -11728.52");
    // 11700 - 46.5191 = 11653.4809. At zero: 11653.4809 - 24000 * 65.
    check_payoff(&trades(&["sell 24000PE 65 180"]), "shortPut", "23820.72: 11653.48 to -1548346.52");
    // 380 * 65 = 24700 + 58.5847; 24758.5847 / 64.9025 = 381.47. At zero 24000 * 64.9025 - 24758.5847 does not count,
    // because the profit is unlimited above.
    let straddle = ["buy 24000CE 65 200", "buy 24000PE 65 180"];
    check_payoff(&trades(&straddle), "longStraddle", "23618.53 24381.47: unlimited to -24758.58");
    // 40 + 37 + 8.7759 + 0.0247 + 8.7841 = 94.5847; 24605.4153 / 65 = 378.54.
    let straddle = ["sell 24000CE 65 200", "sell 24000PE 65 180"];
    check_payoff(&trades(&straddle), "shortStraddle", "23621.46 24378.54: 24605.42 to unlimited");
    // 150 * 65 = 9750 + 51.2993; 9801.2993 / 64.9025 = 151.02 beyond the strikes.
    let strangle = ["buy 24500CE 65 80", "buy 23500PE 65 70"];
    check_payoff(&trades(&strangle), "longStrangle", "23348.98 24651.02: unlimited to -9801.30");
    // 9750 - 66.2993 = 9683.7007; / 65 = 148.98 beyond the strikes.
    let strangle = ["sell 24500CE 65 80", "sell 23500PE 65 70"];
    check_payoff(&trades(&strangle), "shortStrangle", "23351.02 24648.98: 9683.70 to unlimited");
}

#[test]
fn spreads_condors_and_butterflies_pay_by_hand() {
    // 120 * 65 = 7800 + 62.8518 paid; at 24500 the bought call brings 500 * 64.9025 = 32451.25.
    let bull_call = ["buy 24000CE 65 200", "sell 24500CE 65 80"];
    check_payoff(&trades(&bull_call), "bullCallSpread", "24121.15: 24588.40 to -7862.85");
    // 7800 - 74.8518 kept; at 24500 the sold call costs 500 * 65 = 32500.
    let bear_call = ["sell 24000CE 65 200", "buy 24500CE 65 80"];
    check_payoff(&trades(&bear_call), "bearCallSpread", "24118.85: 7725.15 to -24774.85");
    // 110 * 65 = 7150 - 72.0321 kept; at 23500 the sold put costs 32500.
    let bull_put = ["buy 23500PE 65 70", "sell 24000PE 65 180"];
    check_payoff(&trades(&bull_put), "bullPutSpread", "23891.11: 7077.97 to -25422.03");
    // 7150 + 61.0321 paid; at 23500 the bought put brings 32451.25.
    let bear_put = ["sell 23500PE 65 70", "buy 24000PE 65 180"];
    check_payoff(&trades(&bear_put), "bearPutSpread", "23888.89: 25240.22 to -7211.03");
    // 20 * 65 = 1300 + 75.5847 paid. At zero: -1375.5847 - 24000 * 65.
    let synthetic = ["buy 24000CE 65 200", "sell 24000PE 65 180"];
    check_payoff(&trades(&synthetic), "synthetic", "24021.19: unlimited to -1561375.58");
    // 200 * 65 - 80 * 130 = 2600 + 73.0381 paid; at 24500 32451.25 less that; above, 130 - 64.9025 are lost by point.
    let ratio = ["buy 24000CE 65 200", "sell 24500CE 130 80"];
    check_payoff(&trades(&ratio), "ratio", "24041.19 24957.44: 29778.21 to unlimited");
    // 200 * 65 - 80 * 130 + 25 * 65 = 4225 + 97.3214 paid. At 25000: 1000 * 64.9025 - 500 * 130 = -97.5 more is lost, by
    // the STT on the lowest call.
    let butterfly = ["buy 24000CE 65 200", "sell 24500CE 130 80", "buy 25000CE 65 25"];
    check_payoff(&trades(&butterfly), "butterfly", "24066.60 24932.10: 28128.93 to -4419.82");
    // (80 - 25 + 70 - 30) * 65 = 6175 - 115.0023 = 6060 (80 + 15 + 4.7344 + 0.0133 + 15.2546). At the wings 32500 less.
    let condor = ["sell 24500CE 65 80", "buy 25000CE 65 25", "sell 23500PE 65 70", "buy 23000PE 65 30"];
    check_payoff(&trades(&condor), "ironCondor", "23406.77 24593.23: 6060.00 to -26440.00");
    // (200 - 80 + 180 - 70) * 65 = 14950 - 145.884. At the wings 32500 less.
    let fly = ["sell 24000CE 65 200", "buy 24500CE 65 80", "sell 24000PE 65 180", "buy 23500PE 65 70"];
    check_payoff(&trades(&fly), "ironButterfly", "23772.24 24227.76: 14804.12 to -17695.88");
}

#[test]
fn a_covered_call_pays_stt_on_the_delivery() {
    // 175 shares at 3000, charged on 16 November: STT 0.1 % of 525000 = 525, exchange 0.00307 % = 16.1175, SEBI 0.525,
    // IPFT 0.0005 (0.0000001 %), stamp 0.015 % = 78.75, to the rupee 79, GST 18 % of 16.643 = 2.9957: 623.6387.
    // The call at 40 on the note for contracts: 20 + STT 10.5, to the rupee 11, + 2.4871 + 0.007 + GST 4.0489 = 37.543.
    // Below the strike: 175 S - 525000 + 7000 - 661.1817, zero at 2963.78. At 3200 delivered: 41338.8183 less STT of 0.1 %
    // of 560000 = 560 from there on.
    let lines = "2026-11-16 10:00 zerodha NSE buy TCS 175 3000
                 2026-11-16 10:01 zerodha NSE sell TCS26DEC3200CE 175 40";
    check_payoff(lines, "coveredCall", "2963.78: 41338.82 to -518661.18");
    let analysis = analysis(lines, &[]);
    let payoff = strategies(&analysis)[0].payoff(ChargeRates::load().unwrap()).unwrap();
    let at_strike: Vec<String> = (payoff.points.iter())
        .filter(|point| point.price == decimal("3200"))
        .map(|point| format!("{:.2}", point.profit))
        .collect();
    assert_eq!(at_strike, ["41338.82", "40778.82"]);
}

#[test]
fn an_adjusted_strategy_pays_with_what_it_realised_and_legs_of_two_expiries_have_no_payoff() {
    // The call of a strangle is moved down. 16 November, two sales of 80 and 70: charges 66.2993.
    // 17 November: bought at 20 and sold at 60: 40 + STT 0.15 % of 3900 = 5.85, to 6, + exchange 1.8476 + SEBI 0.0052 +
    // stamp 0.003 % of 1300 = 0 + GST 7.5335 = 55.3863.
    // (80 + 70 - 20 + 60) * 65 = 12350 - 121.6856 = 12228.3144; / 65 = 188.13 beyond 23500 and 24300.
    let lines = format!(
        "{}2026-11-17 11:00 zerodha NSE buy NIFTY26DEC24500CE 65 20
         2026-11-17 11:01 zerodha NSE sell NIFTY26DEC24300CE 65 60",
        trades(&["sell 24500CE 65 80", "sell 23500PE 65 70"])
    );
    check_payoff(&lines, "shortStrangle", "23311.87 24488.13: 12228.31 to unlimited");
    let moved = analysis(&lines, &[]);
    let rates = ChargeRates::load().unwrap();
    let first = strategies(&moved)[0].first_payoff(rates).unwrap();
    assert_eq!(first.break_evens, [decimal("23351.02"), decimal("24648.98")]);
    let calendar = "2026-11-16 10:00 zerodha NSE sell NIFTY26NOV24000CE 65 100
                    2026-11-16 10:00 zerodha NSE buy NIFTY26DEC24000CE 65 220";
    let analysis = analysis(calendar, &[]);
    let all = strategies(&analysis);
    assert_eq!((all[0].payoff(rates), all[0].premium()), (None, decimal("-7800")));
    assert!(all[0].has_defined_risk());
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
