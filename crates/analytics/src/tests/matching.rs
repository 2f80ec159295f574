//! Which sale belongs to which purchase.

use super::*;
use crate::adjustment::Ratio;

/// What is open: symbol, quantity, value, whether it expired.
fn open(analysis: &Analysis) -> Vec<(String, Decimal, Decimal, bool)> {
    let position = |(position, fill): (&crate::matching::Position, &Fill)| {
        let symbol = fill.instrument.symbol.clone();
        (symbol, position.quantity.normalize(), position.value.normalize(), position.expired)
    };
    analysis.groups().flat_map(Group::positions).map(position).collect()
}

#[test]
fn the_oldest_shares_are_sold_first_and_partly() {
    // 100 at 10 and 20 of the 50 at 12 cost 1000 + 240 = 1240; 120 at 15 bring 1800; 30 at 12 = 360 stay.
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy TATASTEEL 100 10
         2026-05-05 09:15 zerodha NSE buy TATASTEEL 50 12
         2026-05-06 09:15 zerodha NSE sell TATASTEEL 120 15",
        &[],
        &["delivery long TATASTEEL 120: 1240 -> 1800 = 560"],
    );
    assert_eq!(open(&analysis), [("TATASTEEL".to_owned(), decimal("30"), decimal("360"), false)]);
    let (closed_trade, group) = (first(&analysis), analysis.groups().next().unwrap());
    let legs: Vec<_> = group.pieces(&closed_trade.pieces).iter().map(|piece| piece.exit.quantity()).collect();
    assert_eq!(legs, [decimal("100"), decimal("20")]);
}

#[test]
fn fills_of_one_closing_order_are_one_closed_trade_and_orders_are_two() {
    // 60 at 11 and 40 at 12 of one order bring 660 + 480 = 1140 for what cost 1000; the other order 50 * 13 = 650 for 500.
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
fn shares_bought_and_sold_on_one_day_are_paired_before_the_holding() {
    // The 50 that were bought that day at 20 are those that were sold at 22: 1100 - 1000. The holding at 10 stays.
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy INFY 100 10
         2026-05-05 09:15 zerodha NSE sell INFY 50 22
         2026-05-05 15:00 zerodha NSE buy INFY 50 20",
        &[],
        &["intraday short INFY 50: 1100 -> 1000 = 100"],
    );
    assert_eq!(open(&analysis), [("INFY".to_owned(), decimal("100"), decimal("1000"), false)]);
}

#[test]
fn what_a_day_leaves_over_is_delivered() {
    // Of 80 sold at 15, 30 are those bought that day at 14: 450 - 420 = 30. 50 come from the holding: 750 - 500 = 250.
    check(
        "2026-05-04 09:15 zerodha NSE buy INFY 100 10
         2026-05-05 09:15 zerodha NSE buy INFY 30 14
         2026-05-05 10:15 zerodha NSE sell INFY 80 15",
        &[],
        &["delivery long INFY 50: 500 -> 750 = 250", "intraday long INFY 30: 420 -> 450 = 30"],
    );
}

#[test]
fn a_short_sale_within_the_day_is_a_closed_trade() {
    check(
        "2026-05-05 09:20 zerodha NSE sell SBIN 10 800
         2026-05-05 09:50 zerodha NSE buy SBIN 10 795",
        &[],
        &["intraday short SBIN 10: 8000 -> 7950 = 50"],
    );
}

#[test]
fn overshoot_turns_a_position_in_contracts() {
    // 50 long from 100 to 110 = 500. The other 30 of the sale are short at 110, bought back at 105 = 150.
    check(
        "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 50 100
         2026-05-05 09:15 zerodha NSE sell NIFTY26MAYFUT 80 110
         2026-05-06 09:15 zerodha NSE buy NIFTY26MAYFUT 30 105",
        &[],
        &["futures long NIFTY26MAYFUT 50: 5000 -> 5500 = 500", "futures short NIFTY26MAYFUT 30: 3300 -> 3150 = 150"],
    );
}

#[test]
fn brokers_do_not_share_a_position() {
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy ITC 10 400
         2026-05-05 09:15 groww NSE sell ITC 10 410",
        &[],
        &[],
    );
    assert_eq!(missing_cost_basis(&analysis).len(), 1);
}

#[test]
fn a_sale_without_a_purchase_is_listed_and_not_guessed() {
    // 10 of the 25 were bought at 100; 15 at 120 = 1800 are of unknown cost.
    let lines = "2026-05-04 09:15 zerodha NSE buy WIPRO 10 100
                 2026-05-05 09:15 zerodha NSE sell WIPRO 25 120";
    let analysis = check(lines, &[], &["delivery long WIPRO 10: 1000 -> 1200 = 200"]);
    assert_eq!(missing_cost_basis(&analysis), [(2, decimal("1800"))]);

    // Once the cost is entered, the older shares go first: 15 at 80 = 1200, then 10 at 100.
    let opening = What::Opening { broker: Broker::Zerodha, quantity: decimal("15"), price: decimal("80") };
    let analysis =
        check(lines, &[entered("WIPRO", "2025-01-01", opening)], &["delivery long WIPRO 25: 2200 -> 3000 = 800"]);
    assert!(missing_cost_basis(&analysis).is_empty() && first(&analysis).notes.opening);
}

#[test]
fn options_end_worthless_until_a_settlement_is_entered() {
    // 5 May 2026. Long 75 at 10 = 750 lost; with a settlement of 12 they bring 900.
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10
                 2026-05-04 09:15 zerodha NSE sell NIFTY2650523000PE 75 8";
    let worthless = check(
        lines,
        &[],
        &["options long NIFTY2650523000CE 75: 750 -> 0 = -750", "options short NIFTY2650523000PE 75: 600 -> 0 = 600"],
    );
    assert!(worthless.closed_trades().all(|closed_trade| closed_trade.notes.worthless));
    assert_eq!(first(&worthless).id(), "1x");
    assert_eq!(worthless.groups().flat_map(Group::positions).filter(|(position, _)| position.worthless).count(), 2);

    let settled = entered("NIFTY2650523000CE", "2026-05-05", What::Settlement(decimal("12")));
    let settled = check(
        lines,
        &[settled],
        &["options long NIFTY2650523000CE 75: 750 -> 900 = 150", "options short NIFTY2650523000PE 75: 600 -> 0 = 600"],
    );
    assert!(first(&settled).notes.settled && !first(&settled).notes.worthless);
    // STT of the holder: 0.15 % of 900 is 1.35, on the note 1.
    let (charges, lines) = settled.charges(settled.closed_trades().take(1));
    assert_eq!(charges.stt, decimal("1"));
    let rule = lines.iter().find(|line| line.component == crate::charges::Component::Stt).unwrap();
    assert_eq!(rule.rule, "0.15 % of the intrinsic value, exercise bought");
}

#[test]
fn a_future_that_nobody_settled_and_an_option_to_come_stay_open() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 75 23000
                 2026-11-19 09:15 zerodha NSE buy NIFTY26N2426000CE 75 10";
    let analysis = check(lines, &[], &[]);
    assert_eq!(
        open(&analysis),
        [
            ("NIFTY26MAYFUT".to_owned(), decimal("75"), decimal("1725000"), true),
            ("NIFTY26N2426000CE".to_owned(), decimal("75"), decimal("750"), false),
        ]
    );
    // The symbol tells the month alone, so that the contract ended on the day that was entered.
    let settled = entered("NIFTY26MAYFUT", "2026-05-26", What::Settlement(decimal("23100")));
    let settled = check(lines, &[settled], &["futures long NIFTY26MAYFUT 75: 1725000 -> 1732500 = 7500"]);
    assert_eq!((first(&settled).closed_day, first(&settled).timed), (date!(2026 - 05 - 26), true));
}

#[test]
fn an_expiry_that_is_known_is_the_day_whatever_was_entered() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10";
    let settled = entered("NIFTY2650523000CE", "2026-05-29", What::Settlement(decimal("12")));
    let settled = check(lines, &[settled], &["options long NIFTY2650523000CE 75: 750 -> 900 = 150"]);
    assert_eq!(first(&settled).closed_day, date!(2026 - 05 - 05));
}

#[test]
fn a_contract_of_which_nothing_is_known_ends_on_the_day_of_its_settlement() {
    // 250 bought at 1,400 and settled at 1,420: 3,55,000 - 3,50,000. What was sold on the day itself, 50 at 1,410, was
    // sold before. What is bought under the name in June is another contract, settled in June, or open.
    let lines = "2026-05-04 09:15 zerodha NSE buy RELIANCE 300 1400
                 2026-05-26 10:15 zerodha NSE sell RELIANCE 50 1410
                 2026-06-03 09:15 zerodha NSE buy RELIANCE 250 1390";
    let settled = |on: &str, price: &str| entered("RELIANCE", on, What::Settlement(decimal(price)));
    let closed_trades = [
        "futures long RELIANCE 50: 70000 -> 70500 = 500",
        "futures long RELIANCE 250: 350000 -> 355000 = 5000",
        "futures long RELIANCE 250: 347500 -> 340000 = -7500",
    ];
    let may = check(lines, &[settled("2026-05-26", "1420")], &closed_trades[..2]);
    assert_eq!(open(&may), [("RELIANCE".to_owned(), decimal("250"), decimal("347500"), false)]);
    let both = check(lines, &[settled("2026-06-30", "1360"), settled("2026-05-26", "1420")], &closed_trades);
    let days: Vec<Date> = both.closed_trades().map(|closed_trade| closed_trade.closed_day).collect();
    assert_eq!(days, [date!(2026 - 05 - 26), date!(2026 - 05 - 26), date!(2026 - 06 - 30)]);
    assert!(open(&both).is_empty());
    // One that is entered for a day before the first trade closes nothing.
    let early = settled("2026-05-01", "1420");
    let early = check(lines, &[early], &closed_trades[..1]);
    assert_eq!(open(&early), [("RELIANCE".to_owned(), decimal("500"), decimal("697500"), false)]);
}

#[test]
fn the_wire_does_not_make_a_day_of_the_month_of_an_expiry() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 75 23000
                 2026-11-19 09:15 zerodha NSE buy NIFTY26N2426000CE 75 10
                 2026-11-19 09:15 zerodha NSE buy RELIANCE 250 1400";
    let said = crate::grpc::render::missing_cost_basis(&analysis(lines, &[]));
    let mut expiries: Vec<(String, String)> =
        said.expired.into_iter().chain(said.open).map(|position| (position.symbol, position.expiry)).collect();
    expiries.sort();
    let expected = [("NIFTY26MAYFUT", "2026-05"), ("NIFTY26N2426000CE", "2026-11-24"), ("RELIANCE", "")];
    assert_eq!(expiries, expected.map(|(symbol, expiry)| (symbol.to_owned(), expiry.to_owned())));
}

#[test]
fn a_split_makes_more_shares_of_the_same_cost() {
    // 10 at 1000 become 50. 30 of them are 6 of the old: 6000; sold at 210 = 6300. 20 are left, for 4000.
    let split = entered("NESTLE", "2026-06-01", What::Split(Ratio { new: 5, old: 1 }));
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy NESTLE 10 1000
         2026-06-02 09:15 zerodha NSE sell NESTLE 30 210",
        &[split],
        &["delivery long NESTLE 30: 6000 -> 6300 = 300"],
    );
    assert_eq!(open(&analysis), [("NESTLE".to_owned(), decimal("20"), decimal("4000"), false)]);
    assert!(first(&analysis).notes.marks.split);
}

#[test]
fn a_split_that_does_not_divide_leaves_no_crumb() {
    // 10 at 99 become 30 of 3 each by thirds: 7, 7 and 16 of them cost 990 in all, to the paisa.
    let split = entered("X", "2026-06-01", What::Split(Ratio { new: 3, old: 1 }));
    let analysis = analysis(
        "2026-05-04 09:15 zerodha NSE buy X 10 99
         2026-06-02 09:15 zerodha NSE sell X 7 40
         2026-06-03 09:15 zerodha NSE sell X 7 40
         2026-06-04 09:15 zerodha NSE sell X 16 40",
        &[split],
    );
    let cost: Decimal = analysis.closed_trades().map(|closed_trade| closed_trade.entry_value).sum();
    assert_eq!((cost, open(&analysis).len(), missing_cost_basis(&analysis).len()), (decimal("990"), 0, 0));
}

#[test]
fn lots_that_are_consolidated_make_whole_shares_together() {
    // One for three of 3 lots of 1, bought at 100, 110 and 120: one share that cost 330. It is sold at 400 as a whole.
    let consolidated = entered("X", "2026-06-01", What::Split(Ratio { new: 1, old: 3 }));
    let bought = "2026-05-04 09:15 zerodha NSE buy X 1 100
                  2026-05-05 09:15 zerodha NSE buy X 1 110
                  2026-05-06 09:15 zerodha NSE buy X 1 120\n";
    let sold = [bought, "2026-06-03 09:15 zerodha NSE sell X 1 400"].concat();
    let sold = check(&sold, std::slice::from_ref(&consolidated), &["delivery long X 1: 330 -> 400 = 70"]);
    assert_eq!((open(&sold).len(), missing_cost_basis(&sold).len()), (0, 0));
    // One for one on top gives a share, and not the whole of 0.999999.
    let bonus = entered("X", "2026-06-02", What::Bonus(Ratio { new: 1, old: 1 }));
    let held = analysis(bought, &[consolidated, bonus]);
    assert_eq!(open(&held), [("X".to_owned(), decimal("2"), decimal("330"), false)]);
}

#[test]
fn entries_that_make_more_shares_than_there_can_be_are_not_followed() {
    // 10,000 for one, eight times, would make 2 * 10^32 shares of 2; three times make 2 * 10^12. As a bonus 10,000 on
    // top of one: 2 * 10,001^3 = 2000600060002.
    let lines = "2026-05-04 09:15 zerodha NSE buy X 1 100
                 2026-05-05 09:15 zerodha NSE buy X 1 110";
    let ratio = Ratio { new: 10_000, old: 1 };
    for (what, held) in [(What::Split(ratio), "2000000000000"), (What::Bonus(ratio), "2000600060002")] {
        let entries: Vec<Adjustment> =
            (1..=8).map(|day| entered("X", &format!("2026-06-0{day}"), what.clone())).collect();
        assert_eq!(open(&analysis(lines, &entries)), [("X".to_owned(), decimal(held), decimal("210"), false)]);
    }
}

#[test]
fn bonus_shares_cost_nothing_and_come_last() {
    // One for one: 10 at 100 = 1000, then 10 for nothing. 15 at 60 = 900 are the 10 and 5 of those.
    let bonus = entered("WIPRO", "2026-06-01", What::Bonus(Ratio { new: 1, old: 1 }));
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy WIPRO 10 100
         2026-06-02 09:15 zerodha NSE sell WIPRO 15 60",
        &[bonus],
        &["delivery long WIPRO 15: 1000 -> 900 = -100"],
    );
    assert!(first(&analysis).notes.bonus);
    assert_eq!(open(&analysis)[0].1, decimal("5"));
}

#[test]
fn a_renamed_share_is_the_same_share() {
    let renamed = entered("ZOMATO", "2026-06-01", What::Rename("ETERNAL".to_owned()));
    let split = entered("ETERNAL", "2026-06-02", What::Split(Ratio { new: 2, old: 1 }));
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy ZOMATO 10 200
         2026-06-03 09:15 zerodha NSE sell ETERNAL 20 110",
        &[renamed, split],
        &["delivery long ETERNAL 20: 2000 -> 2200 = 200"],
    );
    assert!(first(&analysis).notes.marks.renamed);
}

#[test]
fn names_that_go_in_a_circle_are_one_share_under_the_latest_of_them() {
    let renames = [
        entered("A", "2026-06-01", What::Rename("B".to_owned())),
        entered("B", "2026-06-03", What::Rename("A".to_owned())),
    ];
    // Of 10 at 200, 4 are sold under the new name, 4 * 210 = 840, and 6 under the old one again, 6 * 220 = 1320.
    let lines = "2026-05-04 09:15 zerodha NSE buy A 10 200
                 2026-06-02 09:15 zerodha NSE sell B 4 210
                 2026-06-04 09:15 zerodha NSE sell A 6 220";
    let closed_trades = ["delivery long B 4: 800 -> 840 = 40", "delivery long A 6: 1200 -> 1320 = 120"];
    for renames in [&renames, &[renames[1].clone(), renames[0].clone()]] {
        let analysis = check(lines, renames, &closed_trades);
        assert_eq!(analysis.groups().count(), 1);
    }
}

#[test]
fn a_thousand_names_of_one_share_among_thousands_of_others_are_followed_once() {
    // Followed for each symbol anew, this would take minutes.
    let first = day("2020-01-01");
    let named = |n: i64| format!("S{n}");
    let renames: Vec<Adjustment> = (0..1_000)
        .map(|n| Adjustment {
            id: n,
            symbol: named(n),
            day: first + time::Duration::days(n),
            what: What::Rename(named(n + 1)),
        })
        .collect();
    let mut fills = ledger(
        "2019-05-04 09:15 zerodha NSE buy S0 10 200
         2026-05-04 09:15 zerodha NSE sell S1000 10 210",
    );
    fills.extend((3..20_000).map(|id| fill(id, &format!("2026-05-04 09:15 zerodha NSE buy X{id} 1 1"))));
    let analysis = Analysis::of(fills, &renames, Tariff::of_files().unwrap(), TODAY);
    assert_eq!(analysis.closed_trades().map(said).collect::<Vec<_>>(), ["delivery long S1000 10: 2000 -> 2100 = 100"]);
}
