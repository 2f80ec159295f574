//! Comparison of tax reports with closed lots, computed by hand.

use super::*;
use crate::adjustment::PricedShares;
use crate::reconcile::{ReconciledLine, ReportHead, ReportLine, TaxReconciliation, TaxReport};

fn head(name: &str) -> ReportHead {
    match name {
        "intraday" => ReportHead::Intraday,
        "short" => ReportHead::ShortTerm,
        "long" => ReportHead::LongTerm,
        "buyback" => ReportHead::Buyback,
        "other" => ReportHead::OtherSecurities,
        "fno" => ReportHead::Fno,
        name => panic!("{name}"),
    }
}

/// Returns a tax report of Zerodha for 2026-27. Lines such as `short INFY - 2026-06-01 2026-06-02 100 100000 101000` state
/// head, symbol, ISIN, both days, quantity, buy value and sell value. The report has a section for each of their heads.
fn tax_report(lines: &[&str]) -> TaxReport {
    let line = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [quantity, buy_value, sell_value] = [5, 6, 7].map(|index| decimal(fields[index]));
        let gross = sell_value - buy_value;
        ReportLine {
            head: head(fields[0]),
            symbol: fields[1].to_owned(),
            name: String::new(),
            isin: fields[2].trim_matches('-').to_owned(),
            entry_day: day(fields[3]),
            exit_day: day(fields[4]),
            rows: 1,
            sums: ClosedSums { quantity, buy_value, sell_value, gross },
            profit: gross,
        }
    };
    let lines: Vec<ReportLine> = lines.iter().map(line).collect();
    TaxReport {
        account: account(Broker::Zerodha),
        from: date!(2026 - 04 - 01),
        to: date!(2027 - 03 - 31),
        sections: lines.iter().map(|line| line.head).collect(),
        lines,
        skipped_sections: Vec::new(),
        unread_rows: 0,
        is_unverified: false,
    }
}

fn compare(log: &str, adjustments: &[Adjustment], report: &TaxReport) -> TaxReconciliation {
    let result = TaxReconciliation::new(&analysis(log, adjustments), report, &[]).unwrap();
    let causes = result.lines.iter().filter_map(|line| Some(("line_cause", line.cause.as_ref()?)));
    for (kind, remark) in causes.chain(result.not_compared.iter().map(|remark| ("not_compared", remark))) {
        // The edge adds the first unread row.
        let first_unread = [("row", "41".to_owned()), ("issue", "Not a number.".to_owned())];
        let params = remark.params.iter().cloned().chain(first_unread);
        let params = params.map(|(name, value)| (name.to_owned(), value)).collect();
        let text = texts::text("analytics", &format!("{kind}.{}", remark.code), &params);
        assert!(text.as_ref().is_some_and(|text| !text.contains('…')), "{kind} {remark:?}: {text:?}");
    }
    result
}

/// Formats a line, such as `INFY 2026-06-01 2026-06-02: short 100 1000 1100 100 | - | only_in_log`.
fn format_line(line: &ReconciledLine) -> String {
    let side = |side: Option<(ReportHead, ClosedSums)>| match side {
        None => "-".to_owned(),
        Some((head, sums)) => format!("{} {}", format!("{head:?}").to_lowercase(), format_sums(Some(sums))),
    };
    let cause = line.cause.as_ref().map_or("agrees".to_owned(), format_remark);
    let days = format!("{} {}", line.entry_day, line.exit_day);
    format!("{} {days}: {} | {} | {cause}", line.symbol, side(line.log), side(line.report))
}

#[track_caller]
fn check_lines(log: &str, adjustments: &[Adjustment], report: &[&str], lines: &[&str]) -> TaxReconciliation {
    let result = compare(log, adjustments, &tax_report(report));
    assert_eq!(result.lines.iter().map(format_line).collect::<Vec<_>>(), lines);
    result
}

#[test]
fn adds_up_split_lots_and_rows_of_the_same_days() {
    // Bought with two fills, sold with two: four lots, one line.
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 60 1000
               2026-06-01 09:20 zerodha NSE buy INFY 40 1002
               2026-06-02 10:15 zerodha NSE sell INFY 50 1010
               2026-06-02 10:20 zerodha NSE sell INFY 50 1011
               2026-06-03 09:15 zerodha NSE sell ITC 10 400
               2026-06-03 10:15 zerodha NSE buy ITC 10 390
               2026-06-02 10:20 groww NSE buy TCS 50 1011
               2026-06-03 10:20 groww NSE sell TCS 50 1011
               2027-04-01 10:15 zerodha NSE buy SBIN 1 1
               2027-04-02 10:15 zerodha NSE sell SBIN 1 1";
    // 60 × 1000 + 40 × 1002, sold for 50 × 1010 + 50 × 1011; two rows of the report differ by one paisa each.
    let mut report = tax_report(&[
        "short INFY INE009A01021 2026-06-01 2026-06-02 100 100080.02 101050",
        "intraday ITC - 2026-06-03 2026-06-03 10 3900 4000",
    ]);
    report.lines[0].rows = 2;
    let result = compare(log, &[], &report);
    assert_eq!(
        result.lines.iter().map(format_line).collect::<Vec<_>>(),
        [
            "INFY 2026-06-01 2026-06-02: shortterm 100 100080 101050 970 | shortterm 100 100080.02 101050 969.98 | agrees",
            "ITC 2026-06-03 2026-06-03: intraday 10 3900 4000 100 | intraday 10 3900 4000 100 | agrees",
        ]
    );
    assert_eq!((result.differing_lines, result.not_compared.len()), (0, 0));
    assert_eq!(result.lines[0].isin, "INE009A01021");
    let heads: Vec<_> = result.heads.iter().map(|head| (head.head, head.gross.log, head.gross.report)).collect();
    assert_eq!(
        heads,
        [
            (ReportHead::Intraday, decimal("100"), decimal("100")),
            (ReportHead::ShortTerm, decimal("970"), decimal("969.98")),
        ]
    );
    // In one row, two paise are more than rounding to paise explains.
    report.lines[0].rows = 1;
    assert_eq!(compare(log, &[], &report).lines[0].cause.as_ref().unwrap().code, "rounding");
}

#[test]
fn names_another_head_if_everything_else_agrees() {
    // Bought on 2 June 2025 and sold on 3 June 2026: longer than twelve months.
    let log = "2025-06-02 09:15 zerodha NSE buy INFY 10 1000
               2026-06-03 10:15 zerodha NSE sell INFY 10 1010";
    let result = check_lines(
        log,
        &[],
        &["short INFY - 2025-06-02 2026-06-03 10 10000 10100"],
        &[
            "INFY 2025-06-02 2026-06-03: longterm 10 10000 10100 100 | shortterm 10 10000 10100 100 | other_head log=long_term report=short_term",
        ],
    );
    let heads: Vec<_> = result.heads.iter().map(|head| (head.head, head.gross.log, head.gross.report)).collect();
    let (zero, profit) = (Decimal::ZERO, decimal("100"));
    assert_eq!(heads, [(ReportHead::ShortTerm, zero, profit), (ReportHead::LongTerm, profit, zero)]);
}

#[test]
fn a_fund_may_be_another_security_or_of_a_term_and_a_share_may_not() {
    let log = "2026-06-01 09:15 zerodha NSE buy GOLDBEES 10 80
               2026-06-02 10:15 zerodha NSE sell GOLDBEES 10 81
               2026-06-01 09:15 zerodha NSE buy INFY 10 80
               2026-06-02 10:15 zerodha NSE sell INFY 10 81";
    for (name, cause) in [("other", "other_head log=short_term report=other_securities"), ("short", "agrees")] {
        let report = ["GOLDBEES", "INFY"].map(|symbol| format!("{name} {symbol} - 2026-06-01 2026-06-02 10 800 810"));
        let result = compare(log, &[], &tax_report(&report.each_ref().map(String::as_str)));
        let line = |symbol: &str| result.lines.iter().find(|line| line.symbol == symbol).unwrap();
        assert_eq!(line("GOLDBEES").cause, None, "{name}");
        assert_eq!(line("INFY").cause.as_ref().map_or("agrees".to_owned(), format_remark), cause);
    }
}

#[test]
fn explains_pairs_of_other_lots_by_the_sum_of_the_day() {
    // First in, first out sells the lot of 1 June. The report sells that of 2 June.
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000
               2026-06-02 09:15 zerodha NSE buy INFY 10 1005
               2026-06-03 10:15 zerodha NSE sell INFY 10 1010";
    let cause = "other_lots case=day day=2026-06-03";
    check_lines(
        log,
        &[],
        &["short INFY - 2026-06-02 2026-06-03 10 10050 10100"],
        &[
            &format!("INFY 2026-06-01 2026-06-03: shortterm 10 10000 10100 100 | - | {cause}"),
            &format!("INFY 2026-06-02 2026-06-03: - | shortterm 10 10050 10100 50 | {cause}"),
        ],
    );
}

#[test]
fn explains_pairs_of_other_lots_by_the_sum_of_the_period() {
    // Both lots were bought on one day; the report sells the dearer one first.
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000
               2026-06-01 09:20 zerodha NSE buy INFY 10 1005
               2026-06-03 10:15 zerodha NSE sell INFY 10 1010
               2026-06-04 10:15 zerodha NSE sell INFY 10 1020";
    let result = compare(
        log,
        &[],
        &tax_report(&[
            "short INFY - 2026-06-01 2026-06-03 10 10050 10100",
            "short INFY - 2026-06-01 2026-06-04 10 10000 10200",
        ]),
    );
    let causes: Vec<_> = result.lines.iter().map(|line| format_remark(line.cause.as_ref().unwrap())).collect();
    assert_eq!(causes, ["other_lots case=period"; 2]);
    assert_eq!((result.heads[0].gross.log, result.heads[0].gross.report), (decimal("250"), decimal("250")));
}

#[test]
fn explains_a_sale_without_a_purchase() {
    let log = "2026-06-03 10:15 zerodha NSE sell INFY 10 1010";
    let result = check_lines(
        log,
        &[],
        &["short INFY - 2025-12-01 2026-06-03 10 10000 10100"],
        &[
            "INFY 2025-12-01 2026-06-03: - | shortterm 10 10000 10100 100 | missing_cost_basis quantity=10 day=2026-06-03",
        ],
    );
    let remarks: Vec<_> = result.not_compared.iter().map(format_remark).collect();
    assert_eq!(remarks, ["missing_cost_basis value=10100"]);
}

#[test]
fn names_lines_that_only_one_side_has_the_largest_first() {
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000
               2026-06-02 10:15 zerodha NSE sell INFY 10 1010
               2026-06-01 09:15 zerodha NSE buy ITC 10 400
               2026-06-02 10:15 zerodha NSE sell ITC 10 401";
    check_lines(
        log,
        &[],
        &[
            "short ITC - 2026-06-01 2026-06-02 10 4000 4010",
            "short ITC - 2026-06-01 2026-06-08 5 2000 2020",
            "short TCS - 2026-06-01 2026-06-02 1 3000 3300",
        ],
        &[
            "TCS 2026-06-01 2026-06-02: - | shortterm 1 3000 3300 300 | trades_missing symbol=TCS",
            "INFY 2026-06-01 2026-06-02: shortterm 10 10000 10100 100 | - | only_in_log",
            "ITC 2026-06-01 2026-06-08: - | shortterm 5 2000 2020 20 | only_in_report symbol=ITC",
            "ITC 2026-06-01 2026-06-02: shortterm 10 4000 4010 10 | shortterm 10 4000 4010 10 | agrees",
        ],
    );
}

#[test]
fn explains_the_raised_cost_of_2018() {
    // Bought for 10 × 100; 10 × 180 on 31 January 2018, which is less than the sale value.
    let log = "2017-05-02 09:15 zerodha NSE buy INFY 10 100
               2026-06-03 10:15 zerodha NSE sell INFY 10 250";
    let report = ["long INFY - 2017-05-02 2026-06-03 10 1800 2500"];
    let fair_value = adjustment("INFY", "2018-01-31", AdjustmentKind::FairValue(decimal("180")));
    for (adjustments, cause) in [(vec![fair_value], "raised_cost"), (vec![], "fair_value_missing")] {
        let line =
            format!("INFY 2017-05-02 2026-06-03: longterm 10 1000 2500 1500 | longterm 10 1800 2500 700 | {cause}");
        check_lines(log, &adjustments, &report, &[&line]);
    }
    check_lines(
        log,
        &[],
        &["long INFY - 2017-05-02 2026-06-03 10 1000 2500"],
        &["INFY 2017-05-02 2026-06-03: longterm 10 1000 2500 1500 | longterm 10 1000 2500 1500 | agrees"],
    );
}

#[test]
fn explains_a_bonus_and_an_opening_holding() {
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000
               2026-06-05 10:15 zerodha NSE sell INFY 20 510";
    let bonus = AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None };
    let report = ["short INFY - 2026-06-01 2026-06-05 20 10000 10200"];
    let result = compare(log, &[adjustment("INFY", "2026-06-03", bonus)], &tax_report(&report));
    let codes = |result: &TaxReconciliation| -> Vec<_> {
        result.lines.iter().map(|line| line.cause.as_ref().unwrap().code).collect()
    };
    assert_eq!(codes(&result), ["corporate_action", "corporate_action"]);
    // Entered on 1 January instead of the day of purchase.
    let log = "2026-06-05 10:15 zerodha NSE sell INFY 20 510";
    let (account, quantity, price) = (account(Broker::Zerodha), decimal("20"), decimal("500"));
    let opening = AdjustmentKind::Opening { account, quantity, price };
    let result = compare(log, &[adjustment("INFY", "2026-01-01", opening)], &tax_report(&report));
    assert_eq!(codes(&result), ["opening_cost", "opening_cost"]);
}

#[test]
fn compares_a_buyback_with_its_section() {
    let log = "2024-05-02 09:15 zerodha NSE buy INFY 10 100";
    let shares = PricedShares { account: account(Broker::Zerodha), quantity: decimal("10"), price: decimal("130") };
    let buyback = adjustment("INFY", "2026-06-03", AdjustmentKind::Buyback(shares));
    check_lines(
        log,
        &[buyback],
        &["buyback INFY - 2024-05-02 2026-06-03 10 1000 1300"],
        &["INFY 2024-05-02 2026-06-03: buyback 10 1000 1300 300 | buyback 10 1000 1300 300 | agrees"],
    );
}

#[test]
fn compares_contracts_by_day_of_entry_and_names_an_open_expiry() {
    // Sold first: the entry is the sale. The second contract expired without a settlement.
    let log = "2026-05-04 09:15 zerodha NSE sell NIFTY26MAY24000CE 75 100
               2026-05-05 10:15 zerodha NSE buy NIFTY26MAY24000CE 75 90
               2026-05-04 09:15 zerodha NSE buy NIFTY26MAY25000CE 75 10";
    check_lines(
        log,
        &[],
        &[
            "fno NIFTY26MAY24000CE - 2026-05-04 2026-05-05 75 6750 7500",
            "fno NIFTY26MAY25000CE - 2026-05-04 2026-05-26 75 750 0",
        ],
        &[
            "NIFTY26MAY25000CE 2026-05-04 2026-05-26: - | fno 75 750 0 -750 | expiry",
            "NIFTY26MAY24000CE 2026-05-04 2026-05-05: fno 75 6750 7500 750 | fno 75 6750 7500 750 | agrees",
        ],
    );
}

#[test]
fn leaves_out_a_segment_without_a_section_and_says_so() {
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000
               2026-06-02 10:15 zerodha NSE sell INFY 10 1010
               2026-05-04 09:15 zerodha NSE sell NIFTY26MAY24000CE 75 100
               2026-05-05 10:15 zerodha NSE buy NIFTY26MAY24000CE 75 90";
    let mut report = tax_report(&["short INFY - 2026-06-01 2026-06-02 10 10000 10100"]);
    report.skipped_sections = vec![("Mutual Funds".to_owned(), 2)];
    report.unread_rows = 1;
    report.is_unverified = true;
    report.lines[0].profit = decimal("90");
    let result = compare(log, &[], &report);
    assert_eq!((result.lines.len(), result.differing_lines), (1, 0));
    assert_eq!(
        result.not_compared.iter().map(format_remark).collect::<Vec<_>>(),
        [
            "unverified_layout",
            "unread_rows count=1",
            "profit_differs count=1 stated=90 sum=100",
            "section_skipped title=Mutual Funds count=2",
            "segment_not_in_report segment=fno count=1",
        ]
    );
}

#[test]
fn a_log_without_trades_of_the_account_cannot_be_compared() {
    let report = tax_report(&["short INFY - 2026-06-01 2026-06-02 10 10000 10100"]);
    let log = "2026-06-01 09:15 groww NSE buy INFY 10 1000";
    assert!(TaxReconciliation::new(&analysis(log, &[]), &report, &[]).is_none());
}

#[test]
fn explains_a_manual_trade() {
    let log = "2026-06-01 09:15 zerodha NSE buy INFY 10 1000 a hand
               2026-06-02 10:15 zerodha NSE sell INFY 10 1010 b";
    check_lines(
        log,
        &[],
        &["short INFY - 2026-06-01 2026-06-02 10 9000 10100"],
        &["INFY 2026-06-01 2026-06-02: shortterm 10 10000 10100 100 | shortterm 10 9000 10100 1100 | manual_trades"],
    );
    // Without a fact that explains it.
    check_lines(
        &log.replace(" a hand", ""),
        &[],
        &["short INFY - 2026-06-01 2026-06-02 10 9000 10100"],
        &["INFY 2026-06-01 2026-06-02: shortterm 10 10000 10100 100 | shortterm 10 9000 10100 1100 | none"],
    );
}
