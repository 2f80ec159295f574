//! Charges compared with sums computed by hand.

use super::*;
use crate::charges::Charges;

fn charges(lines: &str) -> Charges {
    let analysis = analysis(lines, &[]);
    analysis.charges(analysis.closed_trades()).0
}

#[test]
fn charges_options_of_one_day() {
    // Ten orders of 40,000 bought and ten of 38,000 sold on one day of May 2026: 4,00,000 and 3,80,000.
    // Brokerage 20 * 20 = 400. Exchange 7,80,000 * 0.0355299 % = 277.1332. SEBI 7,80,000 * 0.0001 % = 0.78.
    // IPFT 7,80,000 * 0.0000001 % = 0.0008. STT 3,80,000 * 0.15 % = 570. Stamp 4,00,000 * 0.003 % = 12.
    // GST (400 + 277.1332 + 0.78 + 0.0008) * 18 % = 122.0245.
    let mut lines = String::new();
    for order in 0..10 {
        lines += &format!("2026-05-04 09:1{order} zerodha NSE buy NIFTY26MAY23000CE 400 100 b{order}\n");
        lines += &format!("2026-05-04 10:1{order} zerodha NSE sell NIFTY26MAY23000CE 400 95 s{order}\n");
    }
    let expected = Charges {
        brokerage: decimal("400"),
        stt: decimal("570"),
        exchange: decimal("277.1332"),
        sebi: decimal("0.78"),
        ipft: decimal("0.0008"),
        stamp_duty: decimal("12"),
        gst: decimal("122.0245"),
        dp: decimal("0"),
        stated: Decimal::ZERO,
    };
    assert_eq!(charges(&lines), expected);
}

#[test]
fn charges_intraday_and_delivery_at_their_own_rates() {
    // Intraday in June 2026, 1,00,000 bought and 1,01,000 sold, one order each. Brokerage 0.03 % is 30 and 30.3, so 20
    // and 20 = 40. STT 1,01,000 * 0.025 % = 25.25, rounded to 25. Stamp 1,00,000 * 0.003 % = 3.
    // Exchange 2,01,000 * 0.00307 % = 6.1707. SEBI 0.201. IPFT 0.0002. GST (40 + 6.1707 + 0.201 + 0.0002) * 18 % = 8.3469.
    let intraday = charges(
        "2026-06-01 09:15 zerodha NSE buy INFY 100 1000
         2026-06-01 10:15 zerodha NSE sell INFY 100 1010",
    );
    let total =
        decimal("40") + decimal("25") + decimal("3") + decimal("6.1707") + decimal("0.2012") + decimal("8.3469");
    assert_eq!((intraday.stt, intraday.gst, intraday.total()), (decimal("25"), decimal("8.3469"), total));

    // Delivery over two days. No brokerage. STT 0.1 % of both: 100 and 101. Stamp 0.015 % of 1,00,000 = 15.
    // Exchange 3.07 + 3.1007. Depository 13. GST on day one (3.07 + 0.1 + 0.0001) * 18 % = 0.5706, on day two
    // (3.1007 + 0.101 + 0.0001 + 13) * 18 % = 2.9163.
    let delivery = charges(
        "2026-06-01 09:15 zerodha NSE buy INFY 100 1000
         2026-06-02 10:15 zerodha NSE sell INFY 100 1010",
    );
    assert_eq!((delivery.brokerage, delivery.stt, delivery.stamp_duty), (decimal("0"), decimal("201"), decimal("15")));
    assert_eq!((delivery.dp, delivery.exchange), (decimal("13"), decimal("6.1707")));
    assert_eq!(delivery.gst, decimal("0.5706") + decimal("2.9163"));
}

#[test]
fn charges_an_equity_fund_with_stt_on_its_sale_only() {
    // 1,000 bought at 280 and sold at 285 the next day: 2,80,000 and 2,85,000. STT 2,85,000 * 0.001 % = 2.85, rounded
    // to 3. Stamp 2,80,000 * 0.015 % = 42. Exchange 5,65,000 * 0.00307 % = 17.3455. SEBI 0.565, IPFT 0.0006. DP 13.
    // GST (8.596 + 0.28 + 0.0003) * 18 % = 1.5977 and (8.7495 + 0.285 + 0.0003 + 13) * 18 % = 3.9663.
    let fund = charges(
        "2026-06-01 09:15 zerodha NSE buy NIFTYBEES 1000 280
         2026-06-02 10:15 zerodha NSE sell NIFTYBEES 1000 285",
    );
    let total = decimal("3") + decimal("42") + decimal("17.3455") + decimal("0.5656") + decimal("13");
    assert_eq!((fund.stt, fund.total()), (decimal("3"), total + decimal("1.5977") + decimal("3.9663")));
}

#[test]
fn charges_a_liquid_fund_without_stt() {
    // 500 bought and sold at 1,000 on two days: 5,00,000 each. Stamp 75. Exchange 30.7, SEBI 1, IPFT 0.001, DP 13, GST
    // (15.35 + 0.5 + 0.0005) * 18 % = 2.8531 and 2.8531 + 2.34 = 5.1931.
    let fund = charges(
        "2026-06-01 09:15 zerodha NSE buy LIQUIDBEES 500 1000
         2026-06-02 10:15 zerodha NSE sell LIQUIDBEES 500 1000",
    );
    let total = decimal("75") + decimal("30.7") + decimal("1") + decimal("0.001") + decimal("13");
    assert_eq!((fund.stt, fund.total()), (decimal("0"), total + decimal("2.8531") + decimal("5.1931")));
}

#[test]
fn marks_the_charges_of_a_fund_of_foreign_shares_as_incomplete() {
    let lines = "2026-06-01 09:15 zerodha NSE buy MON100 10 200
                 2026-06-02 10:15 zerodha NSE sell MON100 10 210";
    assert!(first_closed_trade(&analysis(lines, &[])).flags.rates_missing);
}

#[test]
fn charges_a_manual_future_whose_name_ends_in_ce_as_a_future() {
    // 250 bought at 1,400 and sold at 1,410 in June 2026: 3,50,000 and 3,52,500. Brokerage 0.03 % is 105, so 20 and 20.
    // STT 3,52,500 * 0.05 % = 176.25, rounded to 176. Stamp 3,50,000 * 0.002 % = 7. Exchange 7,02,500 * 0.00183 % =
    // 12.8558. SEBI 0.7025, IPFT 0.0007. GST (40 + 12.8558 + 0.7025 + 0.0007) * 18 % = 9.6406.
    let lines = "2026-06-01 09:15 zerodha NSE buy RELIANCE 250 1400
                 2026-06-01 10:15 zerodha NSE sell RELIANCE 250 1410";
    let analysis = check(lines, &[], &["futures long RELIANCE 250: 350000 -> 352500 = 2500"]);
    let (charges, _) = analysis.charges(analysis.closed_trades());
    let expected = Charges {
        brokerage: decimal("40"),
        stt: decimal("176"),
        exchange: decimal("12.8558"),
        sebi: decimal("0.7025"),
        ipft: decimal("0.0007"),
        stamp_duty: decimal("7"),
        gst: decimal("9.6406"),
        dp: decimal("0"),
        stated: Decimal::ZERO,
    };
    assert_eq!(charges, expected);
}

#[test]
fn charges_brokerage_per_order_instead_of_per_fill() {
    // One order with three fills and one with a single fill: 2 * 20, not 4 * 20.
    let options = charges(
        "2026-06-01 09:15 zerodha NSE buy NIFTY26JUN23000CE 25 100 b
         2026-06-01 09:16 zerodha NSE buy NIFTY26JUN23000CE 25 100 b
         2026-06-01 09:17 zerodha NSE buy NIFTY26JUN23000CE 25 101 b
         2026-06-01 10:15 zerodha NSE sell NIFTY26JUN23000CE 75 110 s",
    );
    assert_eq!(options.brokerage, decimal("40"));
}

#[test]
fn rounds_stt_over_all_trades_of_a_contract_note() {
    // Two intraday sales of 1,010: STT of 0.2525 each would round to 0; the sum of 0.505 rounds to 1.
    let lines = "2026-06-01 09:15 zerodha NSE buy A 10 100
                 2026-06-01 09:16 zerodha NSE buy B 10 100
                 2026-06-01 10:15 zerodha NSE sell A 10 101
                 2026-06-01 10:16 zerodha NSE sell B 10 101";
    let analysis = analysis(lines, &[]);
    let stt: Vec<Decimal> = analysis.closed_trades().map(|closed_trade| closed_trade.stt).collect();
    assert_eq!(stt, [decimal("0.5"), decimal("0.5")]);
}

#[test]
fn prorates_charges_of_a_holding_that_is_sold_in_parts() {
    // The charges of the three sales add up to those of the whole holding.
    let lines = "2026-06-01 09:15 zerodha NSE buy A 3 100000
                 2026-06-02 10:15 zerodha NSE sell A 1 100000
                 2026-06-03 10:15 zerodha NSE sell A 1 100000
                 2026-06-04 10:15 zerodha NSE sell A 1 100000";
    let total = charges(lines);
    // Bought for 3,00,000: STT 300, stamp 45, exchange 9.21. Sold three times: STT 100 and exchange 3.07 each.
    assert_eq!((total.stt, total.stamp_duty, total.exchange), (decimal("600"), decimal("45"), decimal("18.42")));
}

#[test]
fn charges_groww_brokerage_at_the_prices_of_the_day() {
    // A buy and a sell of 1,000 on one day, one order each.
    for (on, each) in [("2024-09-30", "0.5"), ("2024-10-01", "2"), ("2025-06-20", "2"), ("2025-06-21", "5")] {
        let lines = format!("{on} 09:15 groww NSE buy ITC 10 100\n{on} 10:15 groww NSE sell ITC 10 100");
        assert_eq!(charges(&lines).brokerage, decimal(each) * Decimal::TWO, "{on}");
    }
    // 0.1 % of 1,00,000 is 100, at most 20; of 100 it is 0.1, at least 5, never above 2.5 % = 2.5.
    let large = "2026-06-01 09:15 groww NSE buy A 100 1000\n2026-06-01 10:15 groww NSE sell A 100 1000";
    let small = "2026-06-01 09:15 groww NSE buy A 1 100\n2026-06-01 10:15 groww NSE sell A 1 100";
    assert_eq!((charges(large).brokerage, charges(small).brokerage), (decimal("40"), decimal("5")));
}

#[test]
fn charges_an_order_once_if_intraday_and_delivery_cost_the_same() {
    // 100 bought at 500 with Groww in June 2026: 0.1 % of 50,000 is 50, so 20 for the order, of which 8 belong to 40 of the 100.
    // 40 sold that day at 510: 0.1 % of 20,400 is 20.4, so 20. Together 28.
    let day_one = "2026-06-01 09:15 groww NSE buy INFY 100 500 b
                   2026-06-01 10:15 groww NSE sell INFY 40 510 s\n";
    assert_eq!(charges(day_one).brokerage, decimal("28"));
    // The other 12 belong to the remaining 60, sold at 505: 0.1 % of 30,300 is 30.3, so 20. Three orders at 20 each.
    let day_two = "2026-06-02 10:15 groww NSE sell INFY 60 505 t";
    assert_eq!(charges(&[day_one, day_two].concat()).brokerage, decimal("60"));
    // A purchase without an order number is one order too, although it is partly intraday and partly delivery.
    let unnumbered = day_one.replace(" b\n", "\n").replace(" s\n", "\n");
    assert_eq!(charges(&unnumbered).brokerage, decimal("28"));
    // 10 bought at 100: 0.1 % of 1,000 is 1, minimum 5, of which 2 belong to 4 of the 10. 4 sold at 110 cost 5 too.
    let small = "2026-06-01 09:15 groww NSE buy INFY 10 100 b
                 2026-06-01 10:15 groww NSE sell INFY 4 110 s";
    assert_eq!(charges(small).brokerage, decimal("7"));

    // Zerodha charges no brokerage for delivery: 0.03 % of 40 at 500 = 6, and of 40 at 510 = 6.12.
    let zerodha = [day_one, day_two].concat().replace("groww", "zerodha");
    assert_eq!(charges(&zerodha).brokerage, decimal("12.12"));
}

#[test]
fn charges_dp_in_each_account_with_a_broker() {
    let sell_in = |second: &str| {
        let lines = format!(
            "2026-05-04 09:15 zerodha NSE buy ITC 10 400
             2026-05-04 09:15 {second} NSE buy ITC 10 400
             2026-05-11 09:15 zerodha NSE sell ITC 10 410
             2026-05-11 09:15 {second} NSE sell ITC 10 410"
        );
        charges(&lines).dp
    };
    assert_eq!(sell_in("zerodha-2"), sell_in("zerodha") * Decimal::TWO);
}

#[test]
fn charges_dp_once_per_scrip_and_day() {
    let lines = "2026-06-01 09:15 groww NSE buy A 10 100
                 2026-06-01 09:15 groww NSE buy B 10 100
                 2026-06-02 09:15 groww NSE sell A 4 100
                 2026-06-02 10:15 groww NSE sell A 6 100
                 2026-06-02 10:15 groww NSE sell B 10 100";
    assert_eq!(charges(lines).dp, decimal("40"));
}

#[test]
fn marks_closed_trades_older_than_the_rates() {
    // Before July 2020, stamp duty depended on the trader's state.
    let lines = "2020-06-30 09:15 zerodha NSE buy A 10 100\n2020-06-30 10:15 zerodha NSE sell A 10 110";
    assert!(first_closed_trade(&analysis(lines, &[])).flags.rates_missing);
    let lines = lines.replace("2020-06-30", "2020-07-01");
    assert!(!first_closed_trade(&analysis(&lines, &[])).flags.rates_missing);
}

#[test]
fn charges_bse_shares_and_groww_dp_before_october_2024() {
    // 100 bought at 500 and sold at 510 the next day on BSE with Groww: 50,000 and 51,000. Exchange 50,000 * 0.00375 % =
    // 1.875 and 51,000 * 0.00375 % = 1.9125. Depository 13.50 on 30 September 2024, 18.50 on 1 October.
    for (buy, sell, dp) in [("2024-09-27", "2024-09-30", "13.5"), ("2024-09-30", "2024-10-01", "18.5")] {
        let lines = format!("{buy} 09:15 groww BSE buy ITC 100 500\n{sell} 10:15 groww BSE sell ITC 100 510");
        let charges = charges(&lines);
        assert_eq!((charges.exchange, charges.dp), (decimal("3.7875"), decimal(dp)), "{sell}");
        assert!(!first_closed_trade(&analysis(&lines, &[])).flags.rates_missing, "{sell}");
    }
}

#[test]
fn charges_stt_of_shares_on_the_average_price_of_the_day() {
    let stt = |lines: &str| {
        analysis(lines, &[])
            .ledgers()
            .flat_map(|ledger| ledger.lot_details().map(|lot| lot.charges.stt).collect::<Vec<_>>())
            .sum::<Decimal>()
    };
    let lines = "2026-06-01 09:15 zerodha NSE buy ITC 60000 250.0049
                 2026-06-01 09:16 zerodha NSE buy ITC 60000 250.0047";
    // Single fills: 3,00,00,576 * 0.1 % = 30,000.576, rounded to 30,001. Average 250.0048, so 250.00: 30,000.
    assert_eq!(stt(lines), decimal("30000"));
    // A half paisa rounds up: 60,000 at 250.005 = 250.01, so 1,50,00,600 * 0.1 % = 15,000.6, rounded to 15,001.
    assert_eq!(stt("2026-06-01 09:15 zerodha NSE buy ITC 60000 250.005"), decimal("15001"));
}

#[test]
fn charges_stt_of_the_delivered_part_on_the_average_of_all_purchases() {
    // 10,000 bought at 500 and 10,000 at 510, average 505; 10,000 sold the same day at 520. Intraday sale: 52,00,000 *
    // 0.025 % = 1,300. Delivered purchase: 10,000 * 505 = 50,50,000 * 0.1 % = 5,050, although FIFO leaves those at 510.
    let lines = "2026-06-01 09:15 zerodha NSE buy ITC 10000 500
                 2026-06-01 09:16 zerodha NSE buy ITC 10000 510
                 2026-06-01 10:15 zerodha NSE sell ITC 10000 520";
    let analysis = analysis(lines, &[]);
    let lots = analysis.ledgers().flat_map(|ledger| ledger.lot_details().collect::<Vec<_>>());
    let stt: Vec<_> = lots.map(|lot| (lot.fill.side, lot.lot.kind, lot.charges.stt.normalize())).collect();
    let expected = [
        (Side::Buy, TradeKind::Intraday, decimal("0")),
        (Side::Buy, TradeKind::Delivery, decimal("5050")),
        (Side::Sell, TradeKind::Intraday, decimal("1300")),
    ];
    assert_eq!(stt, expected);
    // Each exchange has its own average.
    let two = "2026-06-01 09:15 zerodha NSE buy ITC 60000 250.0049
               2026-06-01 09:16 zerodha BSE buy ITC 60000 250.0051";
    // 1,50,00,000 and 60,000 * 250.01 = 1,50,00,600: 15,000 + 15,000.6.
    let stt: Decimal = self::analysis(two, &[])
        .ledgers()
        .flat_map(|ledger| ledger.lot_details().map(|lot| lot.charges.stt).collect::<Vec<_>>())
        .sum();
    assert_eq!(stt, decimal("30001"));
}

#[test]
fn marks_the_charges_of_an_exercise_at_groww_as_incomplete() {
    let settlement = adjustment("NIFTY2660923000CE", "2026-06-09", AdjustmentKind::Settlement(decimal("180")));
    let missing = |broker: &str, adjustments: &[Adjustment]| {
        let lines = format!("2026-06-04 09:15 {broker} NSE buy NIFTY2660923000CE 325 100");
        first_closed_trade(&analysis(&lines, adjustments)).flags.rates_missing
    };
    assert!(missing("groww", std::slice::from_ref(&settlement)));
    assert!(!missing("zerodha", &[settlement]));
}

#[test]
fn charges_an_exercised_and_an_assigned_index_option() {
    // NIFTY call of strike 23,000, quantity 325, bought at 100 and settled at 180 in June 2026 with Zerodha.
    // Brokerage 20 for the order and 20 for the exercise. STT 325 * 180 * 0.15 % = 87.75, rounded to 88.
    // Purchase: 32,500; exchange 32,500 * 0.0355299 % = 11.5472, SEBI 0.0325. Exercise: SEBI on the notional value
    // 325 * 23,000 = 74,75,000 is 7.475. GST (20 + 11.5472 + 0.0325) * 18 % = 5.6843 and (20 + 7.475) * 18 % = 4.9455.
    let settlement = adjustment("NIFTY2660923000CE", "2026-06-09", AdjustmentKind::Settlement(decimal("180")));
    let of = |side: &str| {
        let lines = format!("2026-06-04 09:15 zerodha NSE {side} NIFTY2660923000CE 325 100");
        let analysis = analysis(&lines, std::slice::from_ref(&settlement));
        let gross = first_closed_trade(&analysis).gross;
        (gross, analysis.charges(analysis.closed_trades()))
    };
    let (gross, (long, rules)) = of("buy");
    assert_eq!(gross, decimal("26000"));
    assert_eq!((long.brokerage, long.stt, long.sebi), (decimal("40"), decimal("88"), decimal("7.5075")));
    assert_eq!(long.gst, decimal("10.6298"));
    assert_eq!(long.total(), rules.iter().map(|rule| rule.amount).sum());
    assert!(rules.iter().any(|rule| rule.rule == "₹20 for each exercised or assigned contract"));
    // The writer pays the brokerage and the fee, and STT only on the sale: 32,500 * 0.15 % = 48.75, rounded to 49.
    let (gross, (short, _)) = of("sell");
    assert_eq!(gross, decimal("-26000"));
    assert_eq!((short.brokerage, short.stt, short.sebi), (decimal("40"), decimal("49"), decimal("7.5075")));
}

#[test]
fn charges_nothing_for_an_option_that_expired_worthless() {
    let settlement = adjustment("NIFTY2660923000CE", "2026-06-09", AdjustmentKind::Settlement(Decimal::ZERO));
    let analysis = analysis("2026-06-04 09:15 zerodha NSE buy NIFTY2660923000CE 325 100", &[settlement]);
    let (charges, _) = analysis.charges(analysis.closed_trades());
    assert_eq!((charges.brokerage, charges.stt, charges.sebi), (decimal("20"), decimal("0"), decimal("0.0325")));
}

#[test]
fn charges_only_the_depository_for_groww_sales_below_100_rupees() {
    // One share at 99.95 and at 100, sold the next day: 3.50 of the depository, and 20 from 21 June 2025.
    for (sell, price, dp) in [
        ("2026-06-02", "99.95", "3.5"),
        ("2026-06-02", "100", "20"),
        ("2024-10-01", "99", "3.5"),
        ("2024-09-30", "99", "13.5"),
    ] {
        let lines = format!("2024-09-27 09:15 groww NSE buy A 1 90\n{sell} 10:15 groww NSE sell A 1 {price}");
        assert_eq!(charges(&lines).dp, decimal(dp), "{sell} {price}");
    }
}

#[test]
fn charges_stamp_duty_of_debentures_and_government_securities_and_marks_them() {
    // 10,000 bought at 1,000: 1,00,00,000 * 0.0001 % = 10, of government securities 0, of shares 0.015 % = 1,500.
    for (isin, stamp, missing) in
        [("INE053F07AB5", "10", true), ("IN0020230184", "0", true), ("INE002A01018", "1500", false)]
    {
        let mut fills = ledger(
            "2026-06-01 09:15 zerodha NSE buy B 10000 1000
             2026-06-02 09:15 zerodha NSE sell B 10000 1000",
        );
        fills.iter_mut().for_each(|fill| fill.instrument = Arc::new(Instrument::equity("B", isin)));
        let analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        let (charges, _) = analysis.charges(analysis.closed_trades());
        assert_eq!(charges.stamp_duty, decimal(stamp), "{isin}");
        assert_eq!(charges.stt.is_zero(), missing, "{isin}");
        assert_eq!(first_closed_trade(&analysis).flags.rates_missing, missing, "{isin}");
    }
}
