//! Classes of instruments: their charges and netting, compared with sums computed by hand.

use super::*;
use crate::charges::Charges;

fn charges(lines: &str) -> Charges {
    let analysis = analysis(lines, &[]);
    analysis.charges(analysis.closed_trades()).0
}

#[test]
fn charges_the_exchange_rate_of_a_bse_group() {
    // 10,000 shares of group X bought at 12 and sold at 13 the next day: 1,20,000 and 1,30,000. Exchange 0.1 %: 120 and
    // 130. STT 120 and 130. Stamp 1,20,000 * 0.015 % = 18. SEBI 0.25. DP 13. GST (120 + 0.12) * 18 % = 21.6216 and
    // (130 + 0.13 + 13) * 18 % = 25.7634. In all 578.635.
    let lines = "2026-06-01 09:15 zerodha BSE buy ABC 10000 12 series=X
                 2026-06-02 09:15 zerodha BSE sell ABC 10000 13 series=X";
    let in_x = charges(lines);
    assert_eq!((in_x.exchange, in_x.stt, in_x.total()), (decimal("250"), decimal("250"), decimal("578.635")));
    // At 0.00375 % the exchange charges 4.5 and 4.875.
    assert_eq!(charges(&lines.replace("=X", "=B")).exchange, decimal("9.375"));
    // The rule states the group.
    let analysis = analysis(lines, &[]);
    let (_, rules) = analysis.charges(analysis.closed_trades());
    let exchange: Vec<&str> =
        rules.iter().map(|rule| rule.rule.as_str()).filter(|rule| rule.contains("group")).collect();
    assert_eq!(exchange, ["0.1 % of the value, delivery, group X, XT, Z, ZP, BSE"]);
}

#[test]
fn trade_to_trade_shares_are_not_netted_within_a_day() {
    // 100 bought at 500 and sold at 510 on one day in series BE: both are deliveries. STT 0.1 %: 50 and 51. No brokerage.
    // Stamp 50,000 * 0.015 % = 7.5, rounded to 8. DP 13.
    let lines = "2026-06-01 09:15 zerodha NSE buy ITC 100 500 series=BE
                 2026-06-01 10:15 zerodha NSE sell ITC 100 510 series=BE";
    check(lines, &[], &["delivery long ITC 100: 50000 -> 51000 = 1000"]);
    let trade_to_trade = charges(lines);
    assert_eq!((trade_to_trade.stt, trade_to_trade.stamp_duty), (decimal("101"), decimal("8")));
    assert_eq!((trade_to_trade.dp, trade_to_trade.brokerage), (decimal("13"), decimal("0")));
    // The same in series EQ is intraday: STT 51,000 * 0.025 % = 12.75, rounded to 13.
    let netted = lines.replace("=BE", "=EQ");
    check(&netted, &[], &["intraday long ITC 100: 50000 -> 51000 = 1000"]);
    assert_eq!((charges(&netted).stt, charges(&netted).dp), (decimal("13"), decimal("0")));
    // BSE has other groups.
    let bse = lines.replace("NSE", "BSE").replace("=BE", "=XT");
    check(&bse, &[], &["delivery long ITC 100: 50000 -> 51000 = 1000"]);
}

#[test]
fn a_trade_to_trade_sale_closes_the_oldest_shares() {
    // The 100 of May are sold, and those bought on the day of the sale stay.
    let lines = "2026-05-04 09:15 zerodha NSE buy ITC 100 400 series=EQ
                 2026-06-01 09:15 zerodha NSE buy ITC 100 500 series=BE
                 2026-06-01 10:15 zerodha NSE sell ITC 100 510 series=BE";
    let analysis = check(lines, &[], &["delivery long ITC 100: 40000 -> 51000 = 11000"]);
    let open: Vec<_> = analysis.ledgers().flat_map(InstrumentLedger::positions).collect();
    assert_eq!((open.len(), open[0].0.value), (1, decimal("50000")));
    // Without an earlier purchase and with more sold than bought, the rest has no cost.
    let short = "2026-06-01 09:15 zerodha NSE buy ITC 60 500 series=BE
                 2026-06-01 10:15 zerodha NSE sell ITC 100 510 series=BE";
    let analysis = check(short, &[], &["delivery long ITC 60: 30000 -> 30600 = 600"]);
    assert_eq!(missing_cost_basis(&analysis), [(2, decimal("20400"))]);
}

#[test]
fn charges_reits_like_shares_and_rights_entitlements_like_sold_options() {
    // 100 bought at 400 and sold at 410: STT 40 and 41.
    let reit = "2026-06-01 09:15 zerodha NSE buy EMBASSY 100 400 series=RR
                2026-06-02 09:15 zerodha NSE sell EMBASSY 100 410 series=RR";
    assert_eq!(charges(reit).stt, decimal("81"));
    assert!(!first_closed_trade(&analysis(reit, &[])).flags.rates_missing);
    // 1,000 bought at 20 and sold at 25: STT 25,000 * 0.15 % = 37.5, rounded to 38; nothing on the purchase.
    let rights = "2026-06-01 09:15 zerodha NSE buy ABC-RE 1000 20 series=BE
                  2026-06-02 09:15 zerodha NSE sell ABC-RE 1000 25 series=BE";
    assert_eq!(charges(rights).stt, decimal("38"));
}

#[test]
fn gold_bonds_have_no_stt_and_no_stamp_duty() {
    let lines = "2026-06-01 09:15 zerodha NSE buy SGBFEB32IV 10 9000 series=GB
                 2026-06-02 09:15 zerodha NSE sell SGBFEB32IV 10 9100 series=GB";
    let gold = charges(lines);
    assert_eq!((gold.stt, gold.stamp_duty), (decimal("0"), decimal("0")));
    // Their exchange charges are not in the rates.
    assert!(first_closed_trade(&analysis(lines, &[])).flags.rates_missing);
}

#[test]
fn charges_trades_of_2018_to_2023_at_their_rates() {
    // Future of 10,00,000 sold: STT 0.01 % = 100, from April 2023 0.0125 % = 125. Premium of 1,00,000 sold: STT 0.05 % =
    // 50, from April 2023 0.0625 % = 62.5, rounded to 63.
    for (month, year, on, future, option) in
        [("MAR", "23", "2023-03-15", "100", "50"), ("APR", "23", "2023-04-12", "125", "63")]
    {
        let both = |symbol: String, price: u32| {
            let lines = format!(
                "{on} 09:15 zerodha NSE buy {symbol} 100 {price} a\n{on} 10:15 zerodha NSE sell {symbol} 100 {price} b"
            );
            assert!(!first_closed_trade(&analysis(&lines, &[])).flags.rates_missing, "{symbol}");
            charges(&lines).stt
        };
        assert_eq!(both(format!("NIFTY{year}{month}FUT"), 10_000), decimal(future), "{on}");
        assert_eq!(both(format!("NIFTY{year}{month}17000CE"), 1_000), decimal(option), "{on}");
    }
}

#[test]
fn an_entry_that_groww_matches_with_three_exits_pays_one_brokerage() {
    // Rows of matched pairs repeat the entry of 225 at 100: three times 75. One order for it and three for the exits.
    let pair = |exit: u32| {
        format!(
            "2026-06-01 - groww NSE buy NIFTY26JUN23000CE 75 100
             2026-06-02 - groww NSE sell NIFTY26JUN23000CE 75 {exit}\n"
        )
    };
    let lines: String = [110, 111, 112].map(pair).concat();
    assert_eq!(charges(&lines).brokerage, decimal("80"));
    // Trades that the trader entered are orders of their own, as are those of another price, contract or broker.
    let by_hand = lines.replace(" 75 100", " 75 100 - hand");
    assert_eq!(charges(&by_hand.replace(" - hand", "")).brokerage, decimal("80"));
    let other = lines.replacen(" 75 100", " 75 100.5", 1);
    assert_eq!(charges(&other).brokerage, decimal("100"));
    assert_eq!(charges(&lines.replace("groww", "zerodha")).brokerage, decimal("120"));
}
