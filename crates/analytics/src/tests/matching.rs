//! Matching of lots, corporate actions and expiry.

use super::*;
use crate::adjustment::Ratio;
use crate::filter::Filter;
use crate::matching::OpenPosition;

/// Returns the open positions: symbol, quantity, value, and whether the position expired.
pub fn open_positions(analysis: &Analysis) -> Vec<(String, Decimal, Decimal, bool)> {
    let position = |(position, _): (&OpenPosition, &Fill)| {
        let symbol = position.instrument.symbol.clone();
        (symbol, position.quantity.normalize(), position.value.normalize(), position.expired)
    };
    analysis.ledgers().flat_map(InstrumentLedger::positions).map(position).collect()
}

#[test]
fn sells_the_oldest_shares_first() {
    // 100 at 10 and 20 of the 50 at 12 cost 1000 + 240 = 1240; 120 at 15 bring 1800; 30 at 12 = 360 remain.
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy TATASTEEL 100 10
         2026-05-05 09:15 zerodha NSE buy TATASTEEL 50 12
         2026-05-06 09:15 zerodha NSE sell TATASTEEL 120 15",
        &[],
        &["delivery long TATASTEEL 120: 1240 -> 1800 = 560"],
    );
    assert_eq!(open_positions(&analysis), [("TATASTEEL".to_owned(), decimal("30"), decimal("360"), false)]);
    let (closed_trade, ledger) = (first_closed_trade(&analysis), analysis.ledgers().next().unwrap());
    let lot_matches = ledger.lot_matches(&closed_trade.lot_matches).iter();
    let quantities: Vec<_> = lot_matches.map(|lot_match| lot_match.exit.quantity()).collect();
    assert_eq!(quantities, [decimal("100"), decimal("20")]);
}

#[test]
fn each_closing_order_is_one_closed_trade() {
    // 60 at 11 and 40 at 12 of one order bring 660 + 480 = 1140 at a cost of 1000; the other order 50 * 13 = 650 at 500.
    check(
        "2026-05-04 09:15 zerodha NSE buy ITC 150 10
         2026-05-06 10:00 zerodha NSE sell ITC 60 11 o1
         2026-05-06 10:01 zerodha NSE sell ITC 40 12 o1
         2026-05-06 10:02 zerodha NSE sell ITC 50 13 o2",
        &[],
        &["delivery long ITC 100: 1000 -> 1140 = 140", "delivery long ITC 50: 500 -> 650 = 150"],
    );
}

#[test]
fn matches_trades_of_one_day_before_the_holding() {
    // The 50 bought that day at 20 match the 50 sold at 22: 1100 - 1000. The holding at 10 remains.
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy INFY 100 10
         2026-05-05 09:15 zerodha NSE sell INFY 50 22
         2026-05-05 15:00 zerodha NSE buy INFY 50 20",
        &[],
        &["intraday short INFY 50: 1100 -> 1000 = 100"],
    );
    assert_eq!(open_positions(&analysis), [("INFY".to_owned(), decimal("100"), decimal("1000"), false)]);
}

#[test]
fn delivers_the_rest_of_a_day_from_the_holding() {
    // Of 80 sold at 15, 30 match those bought that day at 14: 450 - 420 = 30. 50 come from the holding: 750 - 500 = 250.
    check(
        "2026-05-04 09:15 zerodha NSE buy INFY 100 10
         2026-05-05 09:15 zerodha NSE buy INFY 30 14
         2026-05-05 10:15 zerodha NSE sell INFY 80 15",
        &[],
        &["delivery long INFY 50: 500 -> 750 = 250", "intraday long INFY 30: 420 -> 450 = 30"],
    );
}

#[test]
fn an_intraday_short_sale_is_a_closed_trade() {
    check(
        "2026-05-05 09:20 zerodha NSE sell SBIN 10 800
         2026-05-05 09:50 zerodha NSE buy SBIN 10 795",
        &[],
        &["intraday short SBIN 10: 8000 -> 7950 = 50"],
    );
}

#[test]
fn a_larger_closing_trade_reverses_a_contract_position() {
    // 50 long from 100 to 110 = 500. The other 30 of the sale open a short position at 110, bought back at 105 = 150.
    check(
        "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 50 100
         2026-05-05 09:15 zerodha NSE sell NIFTY26MAYFUT 80 110
         2026-05-06 09:15 zerodha NSE buy NIFTY26MAYFUT 30 105",
        &[],
        &["futures long NIFTY26MAYFUT 50: 5000 -> 5500 = 500", "futures short NIFTY26MAYFUT 30: 3300 -> 3150 = 150"],
    );
}

#[test]
fn positions_at_different_brokers_are_separate() {
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy ITC 10 400
         2026-05-05 09:15 groww NSE sell ITC 10 410",
        &[],
        &[],
    );
    assert_eq!(missing_cost_basis(&analysis).len(), 1);
}

#[test]
fn positions_in_two_accounts_with_one_broker_are_separate() {
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy ITC 10 400 order-1
         2026-05-04 09:15 zerodha-2 NSE buy ITC 10 300 order-1
         2026-05-05 09:15 zerodha NSE sell ITC 10 410 order-2
         2026-05-05 09:15 zerodha-2 NSE sell ITC 10 310 order-2",
        &[],
        &["delivery long ITC 10: 4000 -> 4100 = 100", "delivery long ITC 10: 3000 -> 3100 = 100"],
    );
    let entries: Vec<_> = analysis.closed_trades().map(|trade| (trade.account.number, trade.entry_value)).collect();
    assert_eq!(entries, [(1, decimal("4000")), (2, decimal("3000"))]);

    let only = |account_number| {
        let filter = Filter { broker: Some(Broker::Zerodha), account_number, ..Filter::default() };
        filter.apply(&analysis).map(|trade| trade.account.number).collect::<Vec<_>>()
    };
    assert_eq!((only(None), only(Some(1)), only(Some(2)), only(Some(3))), (vec![1, 2], vec![1], vec![2], vec![]));
}

#[test]
fn lists_a_sale_without_a_purchase() {
    // 10 of the 25 were bought at 100; 15 at 120 = 1800 have no cost basis.
    let lines = "2026-05-04 09:15 zerodha NSE buy WIPRO 10 100
                 2026-05-05 09:15 zerodha NSE sell WIPRO 25 120";
    let analysis = check(lines, &[], &["delivery long WIPRO 10: 1000 -> 1200 = 200"]);
    assert_eq!(missing_cost_basis(&analysis), [(2, decimal("1800"))]);

    // With an opening holding, the older shares are sold first: 15 at 80 = 1200, then 10 at 100.
    let opening =
        AdjustmentKind::Opening { account: account(Broker::Zerodha), quantity: decimal("15"), price: decimal("80") };
    let analysis =
        check(lines, &[adjustment("WIPRO", "2025-01-01", opening)], &["delivery long WIPRO 25: 2200 -> 3000 = 800"]);
    assert!(missing_cost_basis(&analysis).is_empty() && first_closed_trade(&analysis).flags.opening);
}

#[test]
fn an_expired_option_awaits_its_settlement() {
    // They expired on 5 May 2026. Long 75 at 10 = 750; with a settlement at 12 they bring 900.
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10
                 2026-05-04 09:15 zerodha NSE sell NIFTY2650523000PE 75 8";
    let waiting = check(lines, &[], &[]);
    let [call, put] = ["NIFTY2650523000CE", "NIFTY2650523000PE"];
    assert_eq!(
        open_positions(&waiting),
        [(call.to_owned(), decimal("75"), decimal("750"), true), (put.to_owned(), decimal("75"), decimal("600"), true)]
    );
    let settlement = |symbol, price| adjustment(symbol, "2026-05-05", AdjustmentKind::Settlement(decimal(price)));
    let settled = check(
        lines,
        &[settlement(call, "12"), settlement(put, "0")],
        &["options long NIFTY2650523000CE 75: 750 -> 900 = 150", "options short NIFTY2650523000PE 75: 600 -> 0 = 600"],
    );
    assert!(open_positions(&settled).is_empty());
    assert!(settled.closed_trades().all(|closed_trade| closed_trade.flags.settled));
    assert_eq!(first_closed_trade(&settled).id(), "1x");
    // STT of the holder: 0.15 % of 900 is 1.35, rounded to 1.
    let (charges, lines) = settled.charges(settled.closed_trades().take(1));
    assert_eq!(charges.stt, decimal("1"));
    let rule = lines.iter().find(|line| line.component == crate::charges::Component::Stt).unwrap();
    assert_eq!(rule.rule, "0.15 % of the intrinsic value, exercise bought");
}

#[test]
fn a_future_without_a_settlement_and_an_unexpired_option_stay_open() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 75 23000
                 2026-11-19 09:15 zerodha NSE buy NIFTY26N2426000CE 75 10";
    let analysis = check(lines, &[], &[]);
    assert_eq!(
        open_positions(&analysis),
        [
            ("NIFTY26MAYFUT".to_owned(), decimal("75"), decimal("1725000"), true),
            ("NIFTY26N2426000CE".to_owned(), decimal("75"), decimal("750"), false),
        ]
    );
    // The symbol states only the month, so the contract expired on the day of the settlement.
    let settled = adjustment("NIFTY26MAYFUT", "2026-05-26", AdjustmentKind::Settlement(decimal("23100")));
    let settled = check(lines, &[settled], &["futures long NIFTY26MAYFUT 75: 1725000 -> 1732500 = 7500"]);
    assert_eq!(
        (first_closed_trade(&settled).closed_day, first_closed_trade(&settled).has_times),
        (date!(2026 - 05 - 26), true)
    );
}

#[test]
fn a_known_expiry_overrides_the_day_of_the_settlement() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10";
    let settled = adjustment("NIFTY2650523000CE", "2026-05-29", AdjustmentKind::Settlement(decimal("12")));
    let settled = check(lines, &[settled], &["options long NIFTY2650523000CE 75: 750 -> 900 = 150"]);
    assert_eq!(first_closed_trade(&settled).closed_day, date!(2026 - 05 - 05));
}

#[test]
fn a_contract_with_an_unparsed_symbol_expires_on_the_day_of_its_settlement() {
    // 250 bought at 1,400 and settled at 1,420: 3,55,000 - 3,50,000. The 50 sold at 1,410 on that day were sold before the
    // settlement. The purchase in June is another contract, settled in June or open.
    let lines = "2026-05-04 09:15 zerodha NSE buy RELIANCE 300 1400
                 2026-05-26 10:15 zerodha NSE sell RELIANCE 50 1410
                 2026-06-03 09:15 zerodha NSE buy RELIANCE 250 1390";
    let settled = |on: &str, price: &str| adjustment("RELIANCE", on, AdjustmentKind::Settlement(decimal(price)));
    let closed_trades = [
        "futures long RELIANCE 50: 70000 -> 70500 = 500",
        "futures long RELIANCE 250: 350000 -> 355000 = 5000",
        "futures long RELIANCE 250: 347500 -> 340000 = -7500",
    ];
    let may = check(lines, &[settled("2026-05-26", "1420")], &closed_trades[..2]);
    assert_eq!(open_positions(&may), [("RELIANCE".to_owned(), decimal("250"), decimal("347500"), false)]);
    let both = check(lines, &[settled("2026-06-30", "1360"), settled("2026-05-26", "1420")], &closed_trades);
    let days: Vec<Date> = both.closed_trades().map(|closed_trade| closed_trade.closed_day).collect();
    assert_eq!(days, [date!(2026 - 05 - 26), date!(2026 - 05 - 26), date!(2026 - 06 - 30)]);
    assert!(open_positions(&both).is_empty());
    // A settlement before the first trade closes nothing.
    let early = settled("2026-05-01", "1420");
    let early = check(lines, &[early], &closed_trades[..1]);
    assert_eq!(open_positions(&early), [("RELIANCE".to_owned(), decimal("500"), decimal("697500"), false)]);
}

#[test]
fn responses_contain_only_the_month_of_an_inexact_expiry() {
    // The weekday of FINNIFTY's expiry is not known for 2022, that of NIFTY's for 2026 is.
    let lines = "2022-05-04 09:15 zerodha NSE buy FINNIFTY22MAYFUT 75 17000
                 2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 75 23000
                 2026-11-19 09:15 zerodha NSE buy NIFTY26N2426000CE 75 10
                 2026-11-19 09:15 zerodha NSE buy RELIANCE 250 1400";
    let response = crate::grpc::response::to_open_positions(&analysis(lines, &[]));
    let mut expiries: Vec<(String, String)> =
        response.expired.into_iter().chain(response.open).map(|position| (position.symbol, position.expiry)).collect();
    expiries.sort();
    let expected = [
        ("FINNIFTY22MAYFUT", "2022-05"),
        ("NIFTY26MAYFUT", "2026-05-26"),
        ("NIFTY26N2426000CE", "2026-11-24"),
        ("RELIANCE", ""),
    ];
    assert_eq!(expiries, expected.map(|(symbol, expiry)| (symbol.to_owned(), expiry.to_owned())));
}

#[test]
fn a_split_keeps_the_cost_of_the_holding() {
    // 10 at 1000 become 50. 30 of them are 6 of the old shares: 6000; sold at 210 = 6300. 20 remain at 4000.
    let split = adjustment("NESTLE", "2026-06-01", AdjustmentKind::Split(Ratio { new: 5, old: 1 }));
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy NESTLE 10 1000
         2026-06-02 09:15 zerodha NSE sell NESTLE 30 210",
        &[split],
        &["delivery long NESTLE 30: 6000 -> 6300 = 300"],
    );
    assert_eq!(open_positions(&analysis), [("NESTLE".to_owned(), decimal("20"), decimal("4000"), false)]);
    assert!(first_closed_trade(&analysis).flags.corporate_actions.split);
}

#[test]
fn a_split_with_fractions_keeps_the_exact_total_cost() {
    // 10 at 99 become 30. The sales of 7, 7 and 16 shares cost exactly 990 in total.
    let split = adjustment("X", "2026-06-01", AdjustmentKind::Split(Ratio { new: 3, old: 1 }));
    let analysis = analysis(
        "2026-05-04 09:15 zerodha NSE buy X 10 99
         2026-06-02 09:15 zerodha NSE sell X 7 40
         2026-06-03 09:15 zerodha NSE sell X 7 40
         2026-06-04 09:15 zerodha NSE sell X 16 40",
        &[split],
    );
    let cost: Decimal = analysis.closed_trades().map(|closed_trade| closed_trade.entry_value).sum();
    assert_eq!((cost, open_positions(&analysis).len(), missing_cost_basis(&analysis).len()), (decimal("990"), 0, 0));
}

#[test]
fn consolidated_lots_add_up_to_whole_shares() {
    // 1 for 3 with three lots of 1, bought at 100, 110 and 120: one share that cost 330, sold at 400.
    let consolidated = adjustment("X", "2026-06-01", AdjustmentKind::Split(Ratio { new: 1, old: 3 }));
    let bought = "2026-05-04 09:15 zerodha NSE buy X 1 100
                  2026-05-05 09:15 zerodha NSE buy X 1 110
                  2026-05-06 09:15 zerodha NSE buy X 1 120\n";
    let sold = [bought, "2026-06-03 09:15 zerodha NSE sell X 1 400"].concat();
    let sold = check(&sold, std::slice::from_ref(&consolidated), &["delivery long X 1: 330 -> 400 = 70"]);
    assert_eq!((open_positions(&sold).len(), missing_cost_basis(&sold).len()), (0, 0));
    // A bonus of 1:1 gives one share; with lots rounded one by one it would be based on 0.999999 shares.
    let bonus =
        adjustment("X", "2026-06-02", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None });
    let with_bonus = analysis(bought, &[consolidated, bonus]);
    assert_eq!(open_positions(&with_bonus), [("X".to_owned(), decimal("2"), decimal("330"), false)]);
}

#[test]
fn ignores_splits_and_bonuses_that_exceed_the_maximum_holding() {
    // Eight splits of 10,000:1 would turn 2 shares into 2 * 10^32; three splits make 2 * 10^12. Three bonuses of 10,000:1
    // make 2 * 10,001^3 = 2000600060002.
    let lines = "2026-05-04 09:15 zerodha NSE buy X 1 100
                 2026-05-05 09:15 zerodha NSE buy X 1 110";
    let ratio = Ratio { new: 10_000, old: 1 };
    for (kind, quantity) in [
        (AdjustmentKind::Split(ratio), "2000000000000"),
        (AdjustmentKind::Bonus { ratio, allotted: None }, "2000600060002"),
    ] {
        let adjustments: Vec<Adjustment> =
            (1..=8).map(|day| adjustment("X", &format!("2026-06-0{day}"), kind.clone())).collect();
        assert_eq!(
            open_positions(&analysis(lines, &adjustments)),
            [("X".to_owned(), decimal(quantity), decimal("210"), false)]
        );
    }
}

#[test]
fn bonus_shares_cost_nothing_and_are_sold_last() {
    // 1:1: 10 at 100 = 1000, then 10 at no cost. 15 at 60 = 900 are the first 10 and 5 bonus shares.
    let bonus =
        adjustment("WIPRO", "2026-06-01", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None });
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy WIPRO 10 100
         2026-06-02 09:15 zerodha NSE sell WIPRO 15 60",
        &[bonus],
        &["delivery long WIPRO 15: 1000 -> 900 = -100"],
    );
    assert!(first_closed_trade(&analysis).flags.bonus);
    assert_eq!(open_positions(&analysis)[0].1, decimal("5"));
}

#[test]
fn a_sale_after_a_rename_closes_the_renamed_share() {
    let renamed = adjustment("ZOMATO", "2026-06-01", AdjustmentKind::Rename("ETERNAL".to_owned()));
    let split = adjustment("ETERNAL", "2026-06-02", AdjustmentKind::Split(Ratio { new: 2, old: 1 }));
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy ZOMATO 10 200
         2026-06-03 09:15 zerodha NSE sell ETERNAL 20 110",
        &[renamed, split],
        &["delivery long ETERNAL 20: 2000 -> 2200 = 200"],
    );
    assert!(first_closed_trade(&analysis).flags.corporate_actions.renamed);
}

#[test]
fn renames_in_a_circle_are_one_share_under_the_latest_symbol() {
    let renames = [
        adjustment("A", "2026-06-01", AdjustmentKind::Rename("B".to_owned())),
        adjustment("B", "2026-06-03", AdjustmentKind::Rename("A".to_owned())),
    ];
    // Of 10 at 200, 4 are sold under the new symbol, 4 * 210 = 840, and 6 under the old one again, 6 * 220 = 1320.
    let lines = "2026-05-04 09:15 zerodha NSE buy A 10 200
                 2026-06-02 09:15 zerodha NSE sell B 4 210
                 2026-06-04 09:15 zerodha NSE sell A 6 220";
    let closed_trades = ["delivery long B 4: 800 -> 840 = 40", "delivery long A 6: 1200 -> 1320 = 120"];
    for renames in [&renames, &[renames[1].clone(), renames[0].clone()]] {
        let analysis = check(lines, renames, &closed_trades);
        assert_eq!(analysis.ledgers().count(), 1);
    }
}

#[test]
fn resolves_many_renames_once_for_all_symbols() {
    // Resolving them for each symbol would take minutes.
    let first_day = day("2020-01-01");
    let symbol = |n: i64| format!("S{n}");
    let renames: Vec<Adjustment> = (0..1_000)
        .map(|n| Adjustment {
            id: n,
            symbol: symbol(n),
            day: first_day + time::Duration::days(n),
            kind: AdjustmentKind::Rename(symbol(n + 1)),
        })
        .collect();
    let mut fills = ledger(
        "2019-05-04 09:15 zerodha NSE buy S0 10 200
         2026-05-04 09:15 zerodha NSE sell S1000 10 210",
    );
    fills.extend((3..20_000).map(|id| fill(id, &format!("2026-05-04 09:15 zerodha NSE buy X{id} 1 1"))));
    let analysis = Analysis::new(fills, &renames, ChargeRates::load().unwrap(), TODAY);
    assert_eq!(
        analysis.closed_trades().map(describe).collect::<Vec<_>>(),
        ["delivery long S1000 10: 2000 -> 2100 = 100"]
    );
}

#[test]
fn a_bonus_of_the_underlying_applies_to_open_futures() {
    // 250 at 2,700 become 500 at 1,350 on 28 October 2024: 500 sold at 1,340 bring 6,70,000 for 6,75,000.
    let bonus =
        adjustment("RELIANCE", "2024-10-28", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None });
    let lines = "2024-10-21 09:15 zerodha NSE buy RELIANCE24OCTFUT 250 2700
                 2024-10-28 09:15 zerodha NSE sell RELIANCE24OCTFUT 500 1340";
    let analysis = check(lines, &[bonus], &["futures long RELIANCE24OCTFUT 500: 675000 -> 670000 = -5000"]);
    assert_eq!(open_positions(&analysis), []);
    assert!(first_closed_trade(&analysis).flags.corporate_actions.split);
}

#[test]
fn a_bonus_does_not_apply_to_futures_that_were_closed_before_it() {
    let bonus =
        adjustment("RELIANCE", "2024-10-28", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None });
    let lines = "2024-10-21 09:15 zerodha NSE sell RELIANCE24OCTFUT 250 2700
                 2024-10-25 09:15 zerodha NSE buy RELIANCE24OCTFUT 250 2650";
    check(lines, &[bonus], &["futures short RELIANCE24OCTFUT 250: 675000 -> 662500 = 12500"]);
}

#[test]
fn joins_an_option_whose_strike_changed() {
    // The strike of 350 became 334.75 after a special dividend. 2,100 bought at 5 and sold at 12.
    let rename =
        adjustment("COALINDIA23NOV350CE", "2023-11-21", AdjustmentKind::Rename("COALINDIA23NOV334.75CE".to_owned()));
    let lines = "2023-11-15 09:15 zerodha NSE buy COALINDIA23NOV350CE 2100 5
                 2023-11-22 09:15 zerodha NSE sell COALINDIA23NOV334.75CE 2100 12";
    let analysis = check(lines, &[rename], &["options long COALINDIA23NOV334.75CE 2100: 10500 -> 25200 = 14700"]);
    assert_eq!(open_positions(&analysis), []);
}
