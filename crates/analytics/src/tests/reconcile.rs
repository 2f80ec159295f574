//! Reconciliation of reports with ledgers, computed by hand.

mod charges;
mod repairs;
mod tax_report;

use super::*;
use crate::adjustment::Ratio;
use crate::reconcile::{
    ChargeKind, ClosedSums, ComparedSum, MAX_ROWS, ReconciledRow, Reconciliation, Report, ReportChargeLine, ReportRow,
};
use crate::remark::Remark;

/// Returns a report of Zerodha for June 2026. Rows such as `INFY INE009A01021 10 1000 1100` state symbol, ISIN (`-` for
/// none), quantity, buy value and sell value.
fn report(rows: &[&str], charges: &[(ChargeKind, &str)]) -> Report {
    let row = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [quantity, buy_value, sell_value] = [2, 3, 4].map(|index| decimal(fields[index]));
        ReportRow {
            symbol: fields[0].to_owned(),
            name: String::new(),
            isin: fields[1].trim_matches('-').to_owned(),
            sums: ClosedSums { quantity, buy_value, sell_value, gross: sell_value - buy_value },
        }
    };
    let line = |(charge, amount): &(ChargeKind, &str)| ReportChargeLine {
        charge: *charge,
        label: format!("{charge:?}"),
        amount: decimal(amount),
    };
    Report {
        account: account(Broker::Zerodha),
        contracts: false,
        from: date!(2026 - 06 - 01),
        to: date!(2026 - 06 - 30),
        rows: rows.iter().map(row).collect(),
        charges: charges.iter().map(line).collect(),
        realised: None,
        open_positions: 0,
        unread_rows: 0,
    }
}

/// Returns a report of futures and options for May and June 2026.
fn fno_report(rows: &[&str]) -> Report {
    Report { contracts: true, from: date!(2026 - 05 - 01), ..report(rows, &[]) }
}

fn reconcile(lines: &str, adjustments: &[Adjustment], report: &Report, isins: &[[&str; 2]]) -> Reconciliation {
    let isins: Vec<_> = isins.iter().map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    let result = Reconciliation::new(&analysis(lines, adjustments), report, &isins).unwrap();
    check_texts(&result);
    result
}

/// Asserts that every remark has a sentence, and that the remark contains the values of this sentence.
#[track_caller]
fn check_texts(result: &Reconciliation) {
    let row_causes = result.rows.iter().filter_map(|row| Some(("row_cause", row.cause.as_ref()?)));
    let charge_causes = result.charges.iter().filter_map(|charge| Some(("charge_cause", charge.cause.as_ref()?)));
    let not_compared = result.not_compared.iter().map(|remark| ("not_compared", remark));
    for (kind, remark) in row_causes.chain(charge_causes).chain(not_compared) {
        // The edge adds the first unread row.
        let first_unread = [("row", "41".to_owned()), ("issue", "Not a number.".to_owned())];
        let params = remark.params.iter().cloned().chain(first_unread);
        let params = params.map(|(name, value)| (name.to_owned(), value)).collect();
        let text = texts::text("analytics", &format!("{kind}.{}", remark.code), &params);
        assert!(text.as_ref().is_some_and(|text| !text.contains('…')), "{kind} {remark:?}: {text:?}");
    }
}

/// Formats a remark, such as `trades_missing case=some quantity=60`.
fn format_remark(remark: &Remark) -> String {
    let params = remark.params.iter().map(|(name, value)| format!(" {name}={value}"));
    remark.code.to_owned() + &params.collect::<String>()
}

fn format_sums(sums: Option<ClosedSums>) -> String {
    sums.map_or("-".to_owned(), |sums| {
        let [quantity, bought, sold, gross] =
            [sums.quantity, sums.buy_value, sums.sell_value, sums.gross].map(|amount| amount.normalize());
        format!("{quantity} {bought} {sold} {gross}")
    })
}

/// Formats a row, such as `INFY: 10 1000 1100 100 | 10 1000 1100 100 | cause`.
fn format_row(row: &ReconciledRow) -> String {
    let cause = row.cause.as_ref().map_or("agrees", |cause| cause.code);
    format!("{}{}: {} | {} | {cause}", row.symbol, row.name, format_sums(row.log), format_sums(row.report))
}

/// Delivery of 100 shares, bought on 1 June and sold on 2 June.
const INFY: &str = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 b
                    2026-06-02 10:15 zerodha NSE sell INFY 100 1010 s\n";

#[test]
fn compares_the_closed_trades_of_the_period_with_the_report() {
    // A delivery, a short sale, a share closed one day after the period, and a share at another broker.
    let lines = [
        INFY,
        "2026-06-03 09:15 zerodha BSE sell ITC 10 400 c
         2026-06-03 10:15 zerodha BSE buy ITC 10 390 d
         2026-06-03 10:15 zerodha NSE buy SBIN 10 800 e
         2026-07-01 10:15 zerodha NSE sell SBIN 10 810 f
         2026-06-01 09:15 groww NSE buy INFY 7 1000
         2026-06-02 10:15 groww NSE sell INFY 7 1010",
    ]
    .concat();
    let report = report(&["INFY INE009A01021 100 100000 101000", "ITC - 10 3900 4000.01"], &[]);
    let result = reconcile(&lines, &[], &report, &[["INFY", "INE009A01021"]]);
    let rows: Vec<_> = result.rows.iter().map(format_row).collect();
    assert_eq!(
        rows,
        [
            "INFY: 100 100000 101000 1000 | 100 100000 101000 1000 | agrees",
            // A difference of one paisa is rounding.
            "ITC: 10 3900 4000 100 | 10 3900 4000.01 100.01 | agrees",
        ]
    );
    assert!(result.agrees());
    assert_eq!(result.gross, ComparedSum { log: decimal("1100"), report: decimal("1100.01") });
    assert_eq!(result.buy_value, ComparedSum { log: decimal("103900"), report: decimal("103900") });
    assert_eq!((result.not_compared.len(), result.differing_rows), (0, 0));
}

#[test]
fn identifies_a_share_by_its_isin() {
    let mut report = report(&["X INE154A01025 10 3900 4000"], &[]);
    report.rows[0].symbol.clear();
    report.rows[0].name = "ITC LTD".to_owned();
    let lines = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a
                 2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    let result = reconcile(lines, &[], &report, &[["ITC", "INE154A01025"]]);
    assert_eq!(
        result.rows.iter().map(format_row).collect::<Vec<_>>(),
        ["ITCITC LTD: 10 3900 4000 100 | 10 3900 4000 100 | agrees"]
    );
    // Bought under the old symbol and sold under the new one after an entered rename; the report has only the new ISIN.
    let lines = "2026-05-03 09:15 zerodha NSE buy OLD 10 390 a
                 2026-06-04 10:15 zerodha NSE sell NEW 10 400 b";
    let rename = adjustment("OLD", "2026-06-01", AdjustmentKind::Rename("NEW".to_owned()));
    let report = super::reconcile::report(&["NEW INE000A01022 10 3900 4000"], &[]);
    let result = reconcile(lines, &[rename], &report, &[["OLD", "INE000A01014"], ["NEW", "INE000A01022"]]);
    assert_eq!(
        result.rows.iter().map(format_row).collect::<Vec<_>>(),
        ["NEW: 10 3900 4000 100 | 10 3900 4000 100 | agrees"]
    );
}

/// Row of the report that agrees with [`INFY`].
const INFY_ROW: &str = "INFY - 100 100000 101000";

/// Asserts the code and the values of the first row's cause.
#[track_caller]
fn check_cause(lines: &str, adjustments: &[Adjustment], report: &Report, isins: &[[&str; 2]], expected: &str) {
    let result = reconcile(lines, adjustments, report, isins);
    let rows: Vec<_> = result.rows.iter().map(format_row).collect();
    let cause = result.rows[0].cause.as_ref().unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!((format_remark(cause).as_str(), result.differing_rows), (expected, 1), "{rows:?}");
    assert!(!result.agrees());
}

#[test]
fn finds_the_cause_of_a_different_row() {
    let report_of = |row| report(&[row], &[]);
    check_cause(INFY, &[], &report_of("INFY - 100 100000.4 101000"), &[], "rounding");
    check_cause(INFY, &[], &report_of("INFY - 100 100100 101000"), &[], "none");
    check_cause(INFY, &[], &report_of("INFY - 60 60000 60600"), &[], "none");
    let both = report(&["INFY - 100 100000 101000", "TCS - 5 100 200"], &[]);
    check_cause(INFY, &[], &both, &[], "trades_missing case=all symbol=TCS");
    check_cause(INFY, &[], &report_of("INFY - 160 160000 161600"), &[], "trades_missing case=some quantity=60");
    // Only 4 of the 10 sold shares have a purchase.
    let sold = "2026-06-01 09:15 zerodha NSE buy ITC 4 390 a
                2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    check_cause(sold, &[], &report_of("ITC - 10 3800 4000"), &[], "missing_cost_basis quantity=6");
    // 10 shares that cost 10,000 became 50 by a split; 20 by a bonus of 1:1.
    for (quantity, sold) in [("50", "10500"), ("20", "10400")] {
        let lines = format!(
            "2026-05-01 09:15 zerodha NSE buy ITC 10 1000 a
             2026-06-04 10:15 zerodha NSE sell ITC {quantity} {} b",
            decimal(sold) / decimal(quantity)
        );
        let cause = format!("split_or_bonus quantity={quantity} bought=10");
        let report = report(&[&format!("ITC - {quantity} 10000 {sold}")], &[]);
        check_cause(&lines, &[], &report, &[], &cause);
    }
    let isins = [["OLD", "INE000A01014"], ["NEW", "INE000A01014"]];
    let renamed = "2026-05-03 09:15 zerodha NSE buy OLD 10 390 a
                   2026-06-04 10:15 zerodha NSE sell NEW 10 400 b";
    check_cause(
        renamed,
        &[],
        &report_of("NEW INE000A01014 10 3900 4000"),
        &isins,
        "renamed symbols=NEW last_symbol=OLD",
    );
    let last_day = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a
                    2026-06-04 10:15 zerodha NSE sell ITC 4 400 b
                    2026-06-30 10:15 zerodha NSE sell ITC 6 400 c";
    check_cause(last_day, &[], &report_of("ITC - 4 1560 1600"), &[], "period_end day=last quantity=6");
}

#[test]
fn states_manual_entries_as_the_cause() {
    let report_of = |row| report(&[row], &[]);
    let manual = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a hand
                   2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    check_cause(
        manual,
        &[],
        &report_of("ITC - 10 3800 4000"),
        &[],
        "manual_trades count=1 case=different_result difference=-100",
    );
    check_cause(
        manual,
        &[],
        &report_of("ITC - 8 3040 3200"),
        &[],
        "manual_trades count=1 case=different_result difference=-60",
    );
    let (quantity, price) = (decimal("10"), decimal("390"));
    let opening =
        adjustment("ITC", "2026-01-01", AdjustmentKind::Opening { account: account(Broker::Zerodha), quantity, price });
    let sold = "2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    check_cause(sold, &[opening], &report_of("ITC - 10 3800 4000"), &[], "opening_cost");
    let split = [adjustment("ITC", "2026-06-02", AdjustmentKind::Split(Ratio { new: 5, old: 1 }))];
    let lines = "2026-05-01 09:15 zerodha NSE buy ITC 10 1000 a
                 2026-06-04 10:15 zerodha NSE sell ITC 50 210 b";
    let result = reconcile(lines, &split, &report_of("ITC - 50 10000 10500"), &[]);
    assert_eq!(
        result.rows.iter().map(format_row).collect::<Vec<_>>(),
        ["ITC: 50 10000 10500 500 | 50 10000 10500 500 | agrees"]
    );
}

#[test]
fn states_an_expiry_as_the_cause() {
    let purchase = |symbol| format!("2026-05-04 09:15 zerodha NSE buy {symbol} 75 100 a");
    // Entered as worthless; the report has a settlement at 20.
    let option = purchase("NIFTY26MAY23000CE");
    let worthless = [adjustment("NIFTY26MAY23000CE", "2026-05-26", AdjustmentKind::Settlement(Decimal::ZERO))];
    check_cause(
        &option,
        &worthless,
        &fno_report(&["NIFTY26MAY23000CE - 75 7500 1500"]),
        &[],
        "expiry case=closed quantity=75",
    );
    // Contracts without a settlement stay open.
    check_cause(&option, &[], &fno_report(&["NIFTY26MAY23000CE - 75 7500 1500"]), &[], "expiry case=open quantity=75");
    let future = purchase("NIFTY26MAYFUT");
    check_cause(&future, &[], &fno_report(&["NIFTY26MAYFUT - 75 7500 7600"]), &[], "expiry case=open quantity=75");
    // Missing in the report.
    let mut rows = reconcile(&option, &worthless, &fno_report(&[]), &[]).rows;
    assert_eq!(format_row(&rows.remove(0)), "NIFTY26MAY23000CE: 75 7500 0 -7500 | - | expiry");
}

#[test]
fn lists_what_is_not_compared() {
    let lines = [INFY, "2026-06-10 09:15 zerodha NSE sell ITC 10 400 c"].concat();
    let report =
        Report { realised: Some(decimal("1500")), open_positions: 2, unread_rows: 1, ..report(&[INFY_ROW], &[]) };
    let result = reconcile(&lines, &[], &report, &[]);
    let remarks: Vec<_> = result.not_compared.iter().map(format_remark).collect();
    assert_eq!(
        remarks,
        [
            "unread_rows count=1",
            "open_positions count=2",
            "total_differs stated=1500 sum=1000",
            "missing_cost_basis value=4000",
        ]
    );
    let names: Vec<_> = (0..MAX_ROWS).map(|number| format!("S{number} - 1 100 100")).collect();
    let rows: Vec<_> = names.iter().map(String::as_str).collect();
    let result = reconcile(INFY, &[], &super::reconcile::report(&rows, &[]), &[]);
    assert_eq!(
        result.not_compared.iter().map(format_remark).collect::<Vec<_>>(),
        ["rows_not_listed rows=5001 max=5000"]
    );
}

#[test]
fn returns_none_without_trades_of_the_broker_and_segment() {
    let groww = Report { account: account(Broker::Groww), ..report(&[INFY_ROW], &[]) };
    assert!(Reconciliation::new(&analysis(INFY, &[]), &groww, &[]).is_none());
    assert!(Reconciliation::new(&analysis(INFY, &[]), &fno_report(&[INFY_ROW]), &[]).is_none());
}
