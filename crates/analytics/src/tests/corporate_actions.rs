//! Corporate actions, computed by hand.

use super::matching::open_positions;
use super::*;
use crate::adjustment::{PricedShares, Ratio};
use crate::matching::OpenPosition;
use crate::tax::{FinancialYear, TaxAccounts, TaxHead, TaxPack, tax_lines};

fn ratio(new: i32, old: i32) -> Ratio {
    Ratio { new, old }
}

fn split(symbol: &str, on: &str, new: i32, old: i32) -> Adjustment {
    adjustment(symbol, on, AdjustmentKind::Split(ratio(new, old)))
}

fn bonus(symbol: &str, on: &str, new: i32, old: i32, allotted: Option<&str>) -> Adjustment {
    let kind = AdjustmentKind::Bonus { ratio: ratio(new, old), allotted: allotted.map(day) };
    adjustment(symbol, on, kind)
}

fn merger(symbol: &str, on: &str, into: &str, new: i32, old: i32, cash: &str) -> Adjustment {
    let kind = AdjustmentKind::Merger { into: into.to_owned(), ratio: ratio(new, old), cash: decimal(cash) };
    adjustment(symbol, on, kind)
}

fn demerger(symbol: &str, on: &str, new_symbol: &str, new: i32, old: i32, cost_percent: &str) -> Adjustment {
    let (ratio, cost_percent) = (ratio(new, old), decimal(cost_percent));
    adjustment(symbol, on, AdjustmentKind::Demerger { new_symbol: new_symbol.to_owned(), ratio, cost_percent })
}

fn priced(quantity: &str, price: &str) -> PricedShares {
    PricedShares { account: account(Broker::Zerodha), quantity: decimal(quantity), price: decimal(price) }
}

fn position(symbol: &str, quantity: &str, value: &str) -> (String, Decimal, Decimal, bool) {
    (symbol.to_owned(), decimal(quantity), decimal(value), false)
}

/// Returns the head and the day of purchase of each tax line of a year.
fn heads(analysis: &Analysis, year: i32) -> Vec<(TaxHead, Date)> {
    let lines = tax_lines(analysis, FinancialYear(year), &TaxAccounts::default(), &[]);
    lines.into_iter().map(|line| (line.head, line.bought)).collect()
}

#[test]
fn a_split_and_a_bonus_remove_a_false_loss() {
    // 10 at 20,000 cost 2,00,000 and become 100; 20 more at 2,500 cost 50,000; the bonus of 1:1 makes 240, which bring
    // 240 * 1,200 = 2,88,000: a profit of 38,000. Without both, 30 shares of 2,50,000 would bring 36,000.
    let lines = "2023-06-01 09:15 zerodha NSE buy NESTLEIND 10 20000
                 2024-03-01 09:15 zerodha NSE buy NESTLEIND 20 2500
                 2025-09-15 09:15 zerodha NSE sell NESTLEIND 240 1200";
    let actions = [split("NESTLEIND", "2024-01-05", 10, 1), bonus("NESTLEIND", "2025-08-08", 1, 1, None)];
    let analysis = check(lines, &actions, &["delivery long NESTLEIND 240: 250000 -> 288000 = 38000"]);
    assert!(missing_cost_basis(&analysis).is_empty() && open_positions(&analysis).is_empty());
    let without = check(lines, &[], &["delivery long NESTLEIND 30: 250000 -> 36000 = -214000"]);
    assert_eq!(missing_cost_basis(&without), [(3, decimal("252000"))]);
}

#[test]
fn bonus_shares_count_as_held_from_their_allotment() {
    // Bought in January 2024; bonus with ex-date 28 October and allotment 30 October 2024. On 29 October 2025, the bonus
    // shares have been held for less than twelve months.
    let lines = "2024-01-10 09:15 zerodha NSE buy WIPRO 10 2700
                 2025-10-29 09:15 zerodha NSE sell WIPRO 20 1450";
    let allotted = bonus("WIPRO", "2024-10-28", 1, 1, Some("2024-10-30"));
    let analysis = analysis(lines, &[allotted]);
    let (long, short) = ((TaxHead::LongTerm, day("2024-01-10")), (TaxHead::ShortTerm, day("2024-10-30")));
    assert_eq!(heads(&analysis, 2025), [long, short]);
}

#[test]
fn shares_bought_between_ex_date_and_allotment_are_sold_before_the_bonus_shares() {
    // 10 at 100 are sold first, then 5 bought at 60 on the day after the ex-date, then bonus shares.
    check(
        "2026-05-04 09:15 zerodha NSE buy X 10 100
         2026-06-02 09:15 zerodha NSE buy X 5 60
         2026-06-10 09:15 zerodha NSE sell X 15 70
         2026-06-11 09:15 zerodha NSE sell X 10 70",
        &[bonus("X", "2026-06-01", 1, 1, Some("2026-06-03"))],
        &["delivery long X 15: 1300 -> 1050 = -250", "delivery long X 10: 0 -> 700 = 700"],
    );
}

#[test]
fn a_merger_applies_from_its_day_and_keeps_days_and_cost() {
    // 42 for 25: 25 HDFC at 2,500 = 62,500 become 42 HDFCBANK. Before that day, a sale of HDFCBANK takes only HDFCBANK,
    // 10 at 1,650 less 10 at 1,600. Afterwards the older purchase, that of HDFC, is sold first: 42 * 1,700 = 71,400.
    let lines = "2022-03-01 09:15 zerodha NSE buy HDFC 25 2500
                 2023-05-02 09:15 zerodha NSE buy HDFCBANK 20 1600
                 2023-07-05 09:15 zerodha NSE sell HDFCBANK 10 1650
                 2023-08-01 09:15 zerodha NSE sell HDFCBANK 42 1700
                 2023-08-02 09:15 zerodha NSE sell HDFCBANK 10 1690";
    let analysis = check(
        lines,
        &[merger("HDFC", "2023-07-13", "HDFCBANK", 42, 25, "0")],
        &[
            "delivery long HDFCBANK 10: 16000 -> 16500 = 500",
            "delivery long HDFCBANK 42: 62500 -> 71400 = 8900",
            "delivery long HDFCBANK 10: 16000 -> 16900 = 900",
        ],
    );
    let merged: Vec<bool> = analysis.closed_trades().map(|trade| trade.flags.corporate_actions.merged).collect();
    assert_eq!(merged, [false, true, false]);
    let (long, short) = (TaxHead::LongTerm, TaxHead::ShortTerm);
    let bought = [(short, day("2023-05-02")), (long, day("2022-03-01")), (short, day("2023-05-02"))];
    assert_eq!(heads(&analysis, 2023), bought);
}

#[test]
fn a_fraction_of_a_merger_stays_open_until_its_payment_is_entered() {
    // 10 HDFC at 2,500 = 25,000 become 16.8 HDFCBANK. 16 of them cost 25,000 * 16 / 16.8 = 23,809.5238 and bring
    // 16 * 1,700 = 27,200. The fraction of 0.8 cost 1,190.4762, and 1,320 are paid for it: 129.5238.
    let lines = "2022-03-01 09:15 zerodha NSE buy HDFC 10 2500
                 2023-08-01 09:15 zerodha NSE sell HDFCBANK 16 1700";
    let merger = merger("HDFC", "2023-07-13", "HDFCBANK", 42, 25, "0");
    let sold = "delivery long HDFCBANK 16: 23809.5238 -> 27200 = 3390.4762";
    let open = check(lines, std::slice::from_ref(&merger), &[sold]);
    assert_eq!(open_positions(&open), [position("HDFCBANK", "0.8", "1190.4762")]);
    let is_fraction = |(position, _): (&OpenPosition, &Fill)| position.fraction;
    assert!(open.ledgers().flat_map(InstrumentLedger::positions).all(is_fraction));

    let payment = |broker| {
        let kind = AdjustmentKind::FractionPayment { account: account(broker), amount: decimal("1320") };
        Adjustment { id: 7, ..adjustment("HDFCBANK", "2023-10-13", kind) }
    };
    let paid = "delivery long HDFCBANK 0.8: 1190.4762 -> 1320 = 129.5238";
    let closed = check(lines, &[merger.clone(), payment(Broker::Zerodha)], &[sold, paid]);
    assert!(open_positions(&closed).is_empty());
    let last = closed.closed_trades().next_back().unwrap();
    assert_eq!((last.flags.fraction_paid, last.id()), (true, "7c".to_owned()));
    // A payment at another broker does not close it.
    assert_eq!(open_positions(&check(lines, &[merger, payment(Broker::Groww)], &[sold])).len(), 1);
}

#[test]
fn a_fraction_of_a_bonus_is_neither_sold_nor_multiplied() {
    // 1:3 of 10 shares: 3 whole shares and a third. A later bonus of 1:1 adds 13. 26 shares are sold; the third is left.
    let actions = [bonus("X", "2026-06-01", 1, 3, None), bonus("X", "2026-06-08", 1, 1, None)];
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy X 10 100
         2026-06-10 09:15 zerodha NSE sell X 27 50",
        &actions,
        &["delivery long X 26: 1000 -> 1300 = 300"],
    );
    assert_eq!(open_positions(&analysis), [position("X", "0.333333", "0")]);
    assert_eq!(missing_cost_basis(&analysis), [(2, decimal("50"))]);
}

#[test]
fn a_merger_with_cash_reduces_the_cost_by_the_cash() {
    // 10 at 100 = 1,000; 20 for each share = 200 in cash; 1 for 2: 5 shares that cost 800.
    check(
        "2026-05-04 09:15 zerodha NSE buy OLD 10 100
         2026-06-10 09:15 zerodha NSE sell NEW 5 200",
        &[merger("OLD", "2026-06-01", "NEW", 1, 2, "20")],
        &["delivery long NEW 5: 800 -> 1000 = 200"],
    );
}

#[test]
fn a_demerger_splits_the_cost_and_keeps_the_day_of_purchase() {
    // 1,000 ITC at 400 = 4,00,000. 86.49 % = 3,45,960 stay with ITC, 13.51 % = 54,040 move to 100 ITCHOTELS.
    let lines = "2023-02-01 09:15 zerodha NSE buy ITC 1000 400
                 2025-02-10 09:15 zerodha NSE sell ITC 400 430
                 2025-02-10 09:16 zerodha NSE sell ITCHOTELS 100 180
                 2025-02-11 09:15 zerodha NSE sell ITC 600 425";
    let analysis = check(
        lines,
        &[demerger("ITC", "2025-01-06", "ITCHOTELS", 1, 10, "13.51")],
        &[
            // 400 of 1,000 cost 1,38,384 and bring 1,72,000; 600 cost 2,07,576 and bring 2,55,000.
            "delivery long ITC 400: 138384 -> 172000 = 33616",
            "delivery long ITCHOTELS 100: 54040 -> 18000 = -36040",
            "delivery long ITC 600: 207576 -> 255000 = 47424",
        ],
    );
    assert!(analysis.closed_trades().all(|trade| trade.flags.corporate_actions.demerged));
    assert_eq!(heads(&analysis, 2024), [(TaxHead::LongTerm, day("2023-02-01")); 3]);
    assert_eq!(analysis.ledgers().count(), 1);
}

#[test]
fn demergers_of_one_day_refer_to_the_cost_before_that_day() {
    // 10 at 100 = 1,000: 30 % to A and 20 % to B leave 500.
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy X 10 100",
        &[demerger("X", "2026-06-01", "A", 1, 1, "30"), demerger("X", "2026-06-01", "B", 1, 1, "20")],
        &[],
    );
    let positions = [position("A", "10", "300"), position("B", "10", "200"), position("X", "10", "500")];
    assert_eq!(open_positions(&analysis), positions);
}

#[test]
fn a_symbol_change_after_a_demerger_applies_to_the_remaining_share() {
    // 68.85 % of 60,000 = 41,310 stay with the renamed share, 31.15 % = 18,690 move.
    let renamed = adjustment("TATAMOTORS", "2025-10-24", AdjustmentKind::Rename("TMPV".to_owned()));
    check(
        "2024-02-01 09:15 zerodha NSE buy TATAMOTORS 100 600
         2025-11-20 09:15 zerodha NSE sell TMPV 100 360
         2025-11-20 09:16 zerodha NSE sell TMCV 100 310",
        &[demerger("TATAMOTORS", "2025-10-14", "TMCV", 1, 1, "31.15"), renamed],
        &["delivery long TMPV 100: 41310 -> 36000 = -5310", "delivery long TMCV 100: 18690 -> 31000 = 12310"],
    );
}

#[test]
fn rights_are_bought_at_the_issue_price_and_a_buyback_sells_at_its_price() {
    // 10 at 100 and 5 at 60 = 1,300. 4 are bought back at 150 = 600, cost 400. 11 at 90 = 990, cost 600 + 300 = 900.
    let rights = adjustment("X", "2026-05-10", AdjustmentKind::Rights(priced("5", "60")));
    let buyback = Adjustment { id: 3, ..adjustment("X", "2026-06-01", AdjustmentKind::Buyback(priced("4", "150"))) };
    let analysis = check(
        "2026-05-04 09:15 zerodha NSE buy X 10 100
         2026-06-10 09:15 zerodha NSE sell X 11 90",
        &[rights, buyback],
        &["delivery long X 4: 400 -> 600 = 200", "delivery long X 11: 900 -> 990 = 90"],
    );
    let [bought_back, sold] = analysis.closed_trades().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((bought_back.flags.bought_back, bought_back.id()), (true, "3b".to_owned()));
    assert_eq!((sold.flags.rights, sold.flags.bought_back, sold.id()), (true, false, "2d".to_owned()));
}

#[test]
fn a_capital_return_reduces_the_cost() {
    // 10 at 100 = 1,000 less 10 * 30 = 700; sold at 90 = 900.
    let returned = adjustment("X", "2026-06-01", AdjustmentKind::CapitalReturn(decimal("30")));
    let lines = "2026-05-04 09:15 zerodha NSE buy X 10 100
                 2026-06-10 09:15 zerodha NSE sell X 10 90";
    let analysis = check(lines, &[returned], &["delivery long X 10: 700 -> 900 = 200"]);
    assert!(first_closed_trade(&analysis).flags.corporate_actions.capital_returned);
}

#[test]
fn a_bonus_of_the_underlying_applies_to_open_futures_and_options() {
    // 250 futures at 2,700 = 6,75,000 become 500, sold at 1,340 = 6,70,000. 250 calls at 40 = 10,000 with strike 2,900
    // become 500 with strike 1,450, sold at 25 = 12,500. The call with strike 1,450 before the bonus is another one: 250
    // at 1,250 become 500 with strike 725, which stay open.
    let lines = "2024-10-25 09:15 zerodha NSE buy RELIANCE24NOVFUT 250 2700
                 2024-10-25 09:16 zerodha NSE buy RELIANCE24NOV2900CE 250 40
                 2024-10-25 09:17 zerodha NSE buy RELIANCE24NOV1450CE 250 1250
                 2024-11-05 09:15 zerodha NSE sell RELIANCE24NOVFUT 500 1340
                 2024-11-05 09:16 zerodha NSE sell RELIANCE24NOV1450CE 500 25";
    let analysis = check(
        lines,
        &[bonus("RELIANCE", "2024-10-28", 1, 1, None)],
        &[
            "futures long RELIANCE24NOVFUT 500: 675000 -> 670000 = -5000",
            "options long RELIANCE24NOV1450CE 500: 10000 -> 12500 = 2500",
        ],
    );
    let open: Vec<_> = open_positions(&analysis).into_iter().map(|(symbol, quantity, ..)| (symbol, quantity)).collect();
    assert_eq!(open, [("RELIANCE24NOV1450CE".to_owned(), decimal("500"))]);
}

#[test]
fn a_contract_with_a_changed_strike_is_one_contract() {
    // After a special dividend of 15.25 the strike of 350 became 334.75: 2,100 at 10 = 21,000, sold at 14 = 29,400.
    // Short 2,100 futures at 350 are then entered at 334.75 = 7,02,975, closed at 330 = 6,93,000.
    let changed = |symbol: &str, new_symbol: Option<&str>, price_cut: &str| {
        let (new_symbol, price_cut) = (new_symbol.map(str::to_owned), decimal(price_cut));
        let kind = AdjustmentKind::ContractAdjustment { new_symbol, ratio: ratio(1, 1), price_cut };
        adjustment(symbol, "2023-11-20", kind)
    };
    let actions = [
        changed("COALINDIA23NOV350CE", Some("COALINDIA23NOV334.75CE"), "0"),
        changed("COALINDIA23NOVFUT", None, "15.25"),
    ];
    let analysis = check(
        "2023-11-10 09:15 zerodha NSE buy COALINDIA23NOV350CE 2100 10
         2023-11-10 09:16 zerodha NSE sell COALINDIA23NOVFUT 2100 350
         2023-11-22 09:15 zerodha NSE sell COALINDIA23NOV334.75CE 2100 14
         2023-11-22 09:16 zerodha NSE buy COALINDIA23NOVFUT 2100 330",
        &actions,
        &[
            "options long COALINDIA23NOV334.75CE 2100: 21000 -> 29400 = 8400",
            "futures short COALINDIA23NOVFUT 2100: 702975 -> 693000 = 9975",
        ],
    );
    assert!(analysis.closed_trades().all(|trade| trade.flags.corporate_actions.contract_adjusted));
    assert!(open_positions(&analysis).is_empty());
}

#[test]
fn an_option_with_a_changed_strike_is_delivered_at_the_new_one() {
    // No trade has the new symbol. The shares cost 2,100 × 334.75 = 7,02,975 and are sold for 2,100 × 345 = 7,24,500.
    let kind = AdjustmentKind::ContractAdjustment {
        new_symbol: Some("COALINDIA23NOV334.75CE".to_owned()),
        ratio: ratio(1, 1),
        price_cut: decimal("0"),
    };
    let settled = AdjustmentKind::Settlement(decimal("10"));
    let actions = [
        adjustment("COALINDIA23NOV350CE", "2023-11-20", kind),
        adjustment("COALINDIA23NOV350CE", "2023-11-30", settled),
    ];
    check(
        "2023-11-10 09:15 zerodha NSE buy COALINDIA23NOV350CE 2100 10
         2023-12-05 09:15 zerodha NSE sell COALINDIA 2100 345",
        &actions,
        &[
            "options long COALINDIA23NOV334.75CE 2100: 21000 -> 0 = -21000",
            "delivery long COALINDIA 2100: 702975 -> 724500 = 21525",
        ],
    );
    // Before its settlement it is listed with the new symbol.
    let analysis = analysis("2023-11-10 09:15 zerodha NSE buy COALINDIA23NOV350CE 2100 10", &actions[..1]);
    assert_eq!(open_positions(&analysis)[0].0, "COALINDIA23NOV334.75CE");
}

#[test]
fn a_buyback_is_taxed_by_its_date() {
    // 10 at 100 = 1,000 are bought back at 150 = 1,500: exempt, then a loss of the cost beside a dividend, then a gain.
    for (on, year, expected, hint) in [
        ("2024-09-30", 2024, vec![], Some("buyback_exempt")),
        ("2024-10-01", 2024, vec![("0", "1000", "-1000")], Some("buyback_dividend")),
        ("2026-03-31", 2025, vec![("0", "1000", "-1000")], Some("buyback_dividend")),
        ("2026-04-01", 2026, vec![("1500", "1000", "500")], None),
    ] {
        let opening = AdjustmentKind::Opening {
            account: account(Broker::Zerodha),
            quantity: decimal("10"),
            price: decimal("100"),
        };
        let adjustments =
            [adjustment("X", "2023-01-02", opening), adjustment("X", on, AdjustmentKind::Buyback(priced("10", "150")))];
        let analysis = analysis("", &adjustments);
        let accounts = TaxAccounts::default();
        let lines = tax_lines(&analysis, FinancialYear(year), &accounts, &[]);
        let lines: Vec<_> = lines.iter().map(|line| (line.sell_value, line.buy_value, line.income)).collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(sold, bought, income)| (decimal(sold), decimal(bought), decimal(income)))
            .collect();
        assert_eq!(lines, expected, "{on}");
        let hints = TaxPack::new(&analysis, FinancialYear(year), &accounts, &[], &[]).hints;
        assert_eq!(hints.iter().find(|hint| hint.starts_with("buyback")).copied(), hint, "{on}");
    }
}
