//! Repairs of differences, applied and compared again.

use std::collections::HashSet;

use super::*;
use crate::data_issues::{IssueAnswer, answers_to_adjustments};

/// Formats a repair, such as `settlement:all:X settled price=80`, with the last possible day if a day is required.
fn format_repair(row: &ReconciledRow) -> String {
    let Some(repair) = &row.repair else { return format!("{} -", row.symbol) };
    let IssueAnswer { issue_id, answer, values } = &repair.answer;
    let value = |name: &str, value: Option<String>| value.map(|value| format!(" {name}={value}")).unwrap_or_default();
    format!(
        "{issue_id} {answer}{}{}{}",
        value("price", values.price.map(|price| price.to_string())),
        value("quantity", values.quantity.map(|quantity| quantity.to_string())),
        value("until", repair.latest_day.map(|day| day.to_string())),
    )
}

/// Asserts the repairs of the differing rows, applies them with `date` where a day is required, and returns the comparison
/// after them.
#[track_caller]
fn repair(lines: &str, report: &Report, isins: &[[&str; 2]], date: &str, expected: &[&str]) -> Reconciliation {
    let analysis = analysis(lines, &[]);
    let isins: Vec<_> = isins.iter().map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    let before = Reconciliation::new(&analysis, report, &isins).unwrap();
    let differing = before.rows.iter().filter(|row| row.cause.is_some());
    assert_eq!(differing.clone().map(format_repair).collect::<Vec<_>>(), expected);
    let repairs = differing.filter_map(|row| row.repair.clone());
    let answers = repairs.map(|repair| {
        let mut answer = repair.answer;
        answer.values.day = repair.latest_day.map(|_| day(date));
        answer
    });
    let answers: Vec<IssueAnswer> = answers.collect();
    let issues = &analysis.issues().issues;
    let added = answers_to_adjustments(issues, &answers, &HashSet::new()).unwrap();
    let adjustments: Vec<Adjustment> = added.into_iter().map(|new| new.adjustment).collect();
    Reconciliation::new(&analysis.with_adjustments(&adjustments), report, &isins).unwrap()
}

#[test]
fn settles_expired_contracts_at_the_value_of_the_report() {
    // A call of which 75 were sold before and 75 settled at 80; a put sold at 50 and worthless; a future that settled
    // at 23,100.
    let lines = "2026-05-04 09:15 zerodha NFO buy NIFTY26MAY23000CE 150 100 a
                 2026-05-05 09:15 zerodha NFO sell NIFTY26MAY23000CE 75 120 b
                 2026-05-04 09:15 zerodha NFO sell NIFTY26MAY22000PE 75 50 c
                 2026-05-04 09:15 zerodha NFO buy NIFTY26MAYFUT 75 23000 d";
    let report = fno_report(&[
        "NIFTY26MAY23000CE - 150 15000 15000",
        "NIFTY26MAY22000PE - 75 0 3750",
        "NIFTY26MAYFUT - 75 1725000 1732500",
    ]);
    let expected = [
        "settlement:all:NIFTY26MAYFUT settled price=23100",
        "settlement:all:NIFTY26MAY22000PE settled price=0",
        "settlement:all:NIFTY26MAY23000CE settled price=80",
    ];
    let after = repair(lines, &report, &[], "", &expected);
    // 75 * 100, 75 * 50, and 75 * 20 - 75 * 20.
    assert_eq!(after.gross, ComparedSum { log: decimal("11250"), report: decimal("11250") });
    assert!(after.agrees());
}

#[test]
fn enters_an_opening_holding_at_the_cost_of_the_report() {
    // 4 of 10 ITC were bought at 390: the others cost (3,800 - 1,560) / 6. The cost of 1,000 WIPRO is no multiple of
    // the fourth decimal of a price. Another 5 HDFC are sold after the period.
    let lines = "2026-06-01 09:15 zerodha NSE buy ITC 4 390 a
                 2026-06-04 10:15 zerodha NSE sell ITC 10 400 b
                 2026-06-05 10:15 zerodha NSE sell WIPRO 1000 250 c
                 2026-06-10 10:15 zerodha NSE sell HDFC 5 1500 d
                 2026-07-03 10:15 zerodha NSE sell HDFC 5 1500 e";
    let rows = ["ITC - 10 3800 4000", "WIPRO - 1000 200000.33 250000", "HDFC - 5 5000 7500"];
    let expected = [
        "missingCost:zerodha:WIPRO bought price=200.0003 quantity=1000 until=2026-06-05",
        "missingCost:zerodha:HDFC bought price=1000 quantity=5 until=2026-06-10",
        "missingCost:zerodha:ITC bought price=373.3333 quantity=6 until=2026-06-04",
    ];
    let after = repair(lines, &report(&rows, &[]), &[], "2024-03-01", &expected);
    assert!(after.agrees());
    assert_eq!(
        after.rows.iter().map(format_row).collect::<Vec<_>>(),
        [
            "HDFC: 5 5000 7500 2500 | 5 5000 7500 2500 | agrees",
            "ITC: 10 3799.9998 4000 200.0002 | 10 3800 4000 200 | agrees",
            "WIPRO: 1000 200000.3 250000 49999.7 | 1000 200000.33 250000 49999.67 | agrees",
        ]
    );
}

#[test]
fn repairs_only_what_the_report_explains() {
    // 5 sold before the period would use the opening holding; of ITC the report closed less than was sold; SBIN was
    // bought for less than nothing by this report.
    let lines = "2026-05-20 10:15 zerodha NSE sell HDFC 5 1500 a
                 2026-06-10 10:15 zerodha NSE sell HDFC 5 1500 b
                 2026-06-10 10:15 zerodha NSE sell ITC 10 400 c
                 2026-06-01 10:15 zerodha NSE buy SBIN 5 800 d
                 2026-06-10 10:15 zerodha NSE sell SBIN 10 800 e";
    let rows = ["HDFC - 5 5000 7500", "ITC - 8 3000 3200", "SBIN - 10 3000 8000"];
    repair(lines, &report(&rows, &[]), &[], "2024-03-01", &["SBIN -", "HDFC -", "ITC -"]);
    // The report settled fewer contracts than are open.
    let lines = "2026-05-04 09:15 zerodha NFO buy NIFTY26MAY23000CE 150 100 a";
    repair(lines, &fno_report(&["NIFTY26MAY23000CE - 75 7500 6000"]), &[], "", &["NIFTY26MAY23000CE -"]);
    // The entries differ, so that the settlement would not make the row agree.
    repair(lines, &fno_report(&["NIFTY26MAY23000CE - 150 14000 6000"]), &[], "", &["NIFTY26MAY23000CE -"]);
}

#[test]
fn repairs_reports_of_groww() {
    let groww = |report| Report { account: account(Broker::Groww), ..report };
    let lines = "2026-05-04 09:15 groww NFO sell NIFTY26MAY23000CE 75 100 a";
    let report_of_contracts = groww(fno_report(&["NIFTY26MAY23000CE - 75 9000 7500"]));
    let expected = ["settlement:all:NIFTY26MAY23000CE settled price=120"];
    assert!(repair(lines, &report_of_contracts, &[], "", &expected).agrees());
    // Only the ISIN and the company's name.
    let mut shares = groww(report(&["X INE154A01025 10 3900 4000"], &[]));
    shares.rows[0].symbol.clear();
    shares.rows[0].name = "ITC LTD".to_owned();
    let lines = "2026-06-04 10:15 groww NSE sell ITC 10 400 b";
    let expected = ["missingCost:groww:ITC bought price=390 quantity=10 until=2026-06-04"];
    assert!(repair(lines, &shares, &[["ITC", "INE154A01025"]], "2026-06-04", &expected).agrees());
}
