//! Reports against ledgers, worked by hand.

use super::*;
use crate::adjustment::Ratio;
use crate::reconcile::{Charge, Compared, Line, Reconciliation, Report, Row, Sums, Told};

/// Zerodha's of June 2026. Rows such as `INFY INE009A01021 10 1000 1100`: quantity, bought for, sold for; `-` for no ISIN.
fn report(rows: &[&str], charges: &[(Charge, &str)]) -> Report {
    let row = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [quantity, buy_value, sell_value] = [2, 3, 4].map(|place| decimal(words[place]));
        Told {
            symbol: words[0].to_owned(),
            name: String::new(),
            isin: words[1].trim_matches('-').to_owned(),
            sums: Sums { quantity, buy_value, sell_value, gross: sell_value - buy_value },
        }
    };
    let line = |(charge, amount): &(Charge, &str)| Line {
        charge: *charge,
        label: format!("{charge:?}"),
        amount: decimal(amount),
    };
    Report {
        broker: Broker::Zerodha,
        contracts: false,
        from: date!(2026 - 06 - 01),
        to: date!(2026 - 06 - 30),
        rows: rows.iter().map(row).collect(),
        charges: charges.iter().map(line).collect(),
        realised: None,
        open_positions: 0,
        unread_rows: 0,
        first_unread: String::new(),
    }
}

fn fno(rows: &[&str]) -> Report {
    Report { contracts: true, from: date!(2026 - 05 - 01), ..report(rows, &[]) }
}

fn reconciled(lines: &str, adjustments: &[Adjustment], report: &Report, isins: &[[&str; 2]]) -> Reconciliation {
    let isins: Vec<_> = isins.iter().map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    Reconciliation::of(&analysis(lines, adjustments), report, &isins).unwrap()
}

fn side(sums: Option<Sums>) -> String {
    sums.map_or("-".to_owned(), |sums| {
        let [quantity, bought, sold, gross] =
            [sums.quantity, sums.buy_value, sums.sell_value, sums.gross].map(|amount| amount.normalize());
        format!("{quantity} {bought} {sold} {gross}")
    })
}

/// `INFY: 10 1000 1100 100 | 10 1000 1100 100 | cause`.
fn said(row: &Row) -> String {
    let cause = row.cause.as_ref().map_or("agrees", |cause| cause.code);
    format!("{}{}: {} | {} | {cause}", row.symbol, row.name, side(row.ours), side(row.theirs))
}

const INFY: &str = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 b
                    2026-06-02 10:15 zerodha NSE sell INFY 100 1010 s\n";

#[test]
fn what_was_closed_in_the_period_is_set_against_the_report() {
    // A delivery, a share sold before it was bought, one closed a day too late, and the same with another broker.
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
    let found = reconciled(&lines, &[], &report, &[["INFY", "INE009A01021"]]);
    let rows: Vec<_> = found.rows.iter().map(said).collect();
    assert_eq!(
        rows,
        [
            "INFY: 100 100000 101000 1000 | 100 100000 101000 1000 | agrees",
            // A paisa is what rounding comes to.
            "ITC: 10 3900 4000 100 | 10 3900 4000.01 100.01 | agrees",
        ]
    );
    assert!(found.agrees());
    assert_eq!(found.gross, Compared { ours: decimal("1100"), theirs: decimal("1100.01") });
    assert_eq!(found.buy_value, Compared { ours: decimal("103900"), theirs: decimal("103900") });
    assert_eq!((found.not_compared.len(), found.differing), (0, 0));
}

#[test]
fn a_share_is_known_by_its_isin_whatever_it_is_called() {
    let mut report = report(&["X INE154A01025 10 3900 4000"], &[]);
    report.rows[0].symbol.clear();
    report.rows[0].name = "ITC LTD".to_owned();
    let lines = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a
                 2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    let found = reconciled(lines, &[], &report, &[["ITC", "INE154A01025"]]);
    assert_eq!(
        found.rows.iter().map(said).collect::<Vec<_>>(),
        ["ITCITC LTD: 10 3900 4000 100 | 10 3900 4000 100 | agrees"]
    );
    // Bought under the old name and sold under the new one, as the trader entered, and told by the new ISIN alone.
    let lines = "2026-05-03 09:15 zerodha NSE buy OLD 10 390 a
                 2026-06-04 10:15 zerodha NSE sell NEW 10 400 b";
    let rename = entered("OLD", "2026-06-01", What::Rename("NEW".to_owned()));
    let report = super::reconcile::report(&["NEW INE000A01022 10 3900 4000"], &[]);
    let found = reconciled(lines, &[rename], &report, &[["OLD", "INE000A01014"], ["NEW", "INE000A01022"]]);
    assert_eq!(found.rows.iter().map(said).collect::<Vec<_>>(), ["NEW: 10 3900 4000 100 | 10 3900 4000 100 | agrees"]);
}

#[track_caller]
fn caused(lines: &str, adjustments: &[Adjustment], report: &Report, isins: &[[&str; 2]], code: &str, part: &str) {
    let found = reconciled(lines, adjustments, report, isins);
    let rows: Vec<_> = found.rows.iter().map(said).collect();
    let cause = found.rows[0].cause.as_ref().unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!((cause.code, found.differing), (code, 1), "{rows:?}");
    assert!(cause.sentence.contains(part), "{}", cause.sentence);
    assert!(!found.agrees());
}

#[test]
fn a_difference_of_trades_has_its_cause() {
    let of = |row| report(&[row], &[]);
    caused(INFY, &[], &of("INFY - 100 100000.4 101000"), &[], "rounding", "₹1");
    caused(INFY, &[], &of("INFY - 100 100100 101000"), &[], "none", "No cause");
    caused(INFY, &[], &of("INFY - 60 60000 60600"), &[], "none", "No cause");
    let both = report(&["INFY - 100 100000 101000", "TCS - 5 100 200"], &[]);
    caused(INFY, &[], &both, &[], "trades_missing", "no trade in TCS");
    caused(INFY, &[], &of("INFY - 160 160000 161600"), &[], "trades_missing", "60 fewer");
    // 4 of the 10 that were sold are known to be bought.
    let sold = "2026-06-01 09:15 zerodha NSE buy ITC 4 390 a
                2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    caused(sold, &[], &of("ITC - 10 3800 4000"), &[], "purchase_missing", "6 were sold");
    // 10 for 10,000 became 50; with a bonus of one for one, 20.
    for (quantity, sold) in [("50", "10500"), ("20", "10400")] {
        let lines = format!(
            "2026-05-01 09:15 zerodha NSE buy ITC 10 1000 a
             2026-06-04 10:15 zerodha NSE sell ITC {quantity} {} b",
            decimal(sold) / decimal(quantity)
        );
        let part = format!("closes {quantity} for what 10 had cost");
        let report = report(&[&format!("ITC - {quantity} 10000 {sold}")], &[]);
        caused(&lines, &[], &report, &[], "split_or_bonus", &part);
    }
    let isins = [["OLD", "INE000A01014"], ["NEW", "INE000A01014"]];
    let renamed = "2026-05-03 09:15 zerodha NSE buy OLD 10 390 a
                   2026-06-04 10:15 zerodha NSE sell NEW 10 400 b";
    caused(renamed, &[], &of("NEW INE000A01014 10 3900 4000"), &isins, "renamed", "NEW and OLD");
    let last_day = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a
                    2026-06-04 10:15 zerodha NSE sell ITC 4 400 b
                    2026-06-30 10:15 zerodha NSE sell ITC 6 400 c";
    caused(last_day, &[], &of("ITC - 4 1560 1600"), &[], "period_end", "last day");
}

#[test]
fn what_the_trader_entered_is_said_to_be_so() {
    let of = |row| report(&[row], &[]);
    let by_hand = "2026-06-03 09:15 zerodha NSE buy ITC 10 390 a hand
                   2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    caused(by_hand, &[], &of("ITC - 10 3800 4000"), &[], "entered_by_hand", "One of its trades");
    caused(by_hand, &[], &of("ITC - 8 3040 3200"), &[], "entered_by_hand", "−₹60.00");
    let (quantity, price) = (decimal("10"), decimal("390"));
    let held = entered("ITC", "2026-01-01", What::Opening { broker: Broker::Zerodha, quantity, price });
    let sold = "2026-06-04 10:15 zerodha NSE sell ITC 10 400 b";
    caused(sold, &[held], &of("ITC - 10 3800 4000"), &[], "opening_cost", "cost that you entered");
    let split = [entered("ITC", "2026-06-02", What::Split(Ratio { new: 5, old: 1 }))];
    let lines = "2026-05-01 09:15 zerodha NSE buy ITC 10 1000 a
                 2026-06-04 10:15 zerodha NSE sell ITC 50 210 b";
    let found = reconciled(lines, &split, &of("ITC - 50 10000 10500"), &[]);
    assert_eq!(
        found.rows.iter().map(said).collect::<Vec<_>>(),
        ["ITC: 50 10000 10500 500 | 50 10000 10500 500 | agrees"]
    );
}

#[test]
fn the_end_of_a_contract_may_be_the_cause() {
    let bought = |symbol| format!("2026-05-04 09:15 zerodha NSE buy {symbol} 75 100 a");
    // Open at the end of May, and so taken as worthless; the report has it settled at 20.
    let option = bought("NIFTY26MAY23000CE");
    caused(&option, &[], &fno(&["NIFTY26MAY23000CE - 75 7500 1500"]), &[], "expiry", "as worthless");
    // Of a future nothing is taken: it is open.
    let future = bought("NIFTY26MAYFUT");
    caused(&future, &[], &fno(&["NIFTY26MAYFUT - 75 7500 7600"]), &[], "expiry", "Enter the settlement");
    // Not in the report at all.
    let mut rows = reconciled(&option, &[], &fno(&[]), &[]).rows;
    assert_eq!(said(&rows.remove(0)), "NIFTY26MAY23000CE: 75 7500 0 -7500 | - | expiry");
}

/// The code of each charge that differs or of which there is something to say.
fn codes(found: &Reconciliation) -> Vec<(Charge, &'static str)> {
    let said = found.charges.iter().filter_map(|row| Some((row.charge, row.cause.as_ref()?.code)));
    said.collect()
}

/// What the notes of those two days come to: brokerage none; exchange 3.07 + 3.1007; STT 100 + 101; stamp duty 15; SEBI
/// 0.1 + 0.101; IPFT 0.0001 twice; GST (3.07 + 0.1 + 0.0001) * 18 % = 0.5706 and (3.1007 + 0.101 + 0.0001) * 18 % =
/// 0.5763. The depository takes 13, and 2.34 of tax.
const NOTES: [(Charge, &str); 10] = [
    (Charge::Brokerage, "0"),
    (Charge::Exchange, "6.17"),
    (Charge::Clearing, "0"),
    (Charge::Gst, "0.57"),
    (Charge::Gst, "0.57"),
    (Charge::Stt, "201"),
    (Charge::Sebi, "0.2"),
    (Charge::StampDuty, "15"),
    (Charge::Ipft, "0"),
    (Charge::Dp, "15.34"),
];

/// [`NOTES`] with another amount of one charge, or without it.
fn notes(changed: &[(Charge, &'static str)]) -> Vec<(Charge, &'static str)> {
    let changed_too = |charge| changed.iter().any(|(of, _)| *of == charge);
    let kept = NOTES.into_iter().filter(|(charge, _)| !changed_too(*charge));
    kept.chain(changed.iter().copied().filter(|(_, amount)| !amount.is_empty())).collect()
}

const TRADED: &str = "INFY - 100 100000 101000";

#[test]
fn charges_of_the_period_are_set_against_the_lines_of_the_report() {
    let found = reconciled(INFY, &[], &report(&[TRADED], &NOTES), &[]);
    let rows: Vec<_> = found.charges.iter().map(|row| (row.charge, row.ours.unwrap_or_default(), row.theirs)).collect();
    let row = |charge, ours, theirs| (charge, decimal(ours), Some(decimal(theirs)));
    assert_eq!(
        rows,
        [
            row(Charge::Brokerage, "0", "0"),
            row(Charge::Exchange, "6.1707", "6.17"),
            row(Charge::Clearing, "0", "0"),
            row(Charge::Stt, "201", "201"),
            row(Charge::Gst, "1.1469", "1.14"),
            row(Charge::Sebi, "0.201", "0.2"),
            row(Charge::StampDuty, "15", "15"),
            row(Charge::Ipft, "0.0002", "0"),
            row(Charge::Dp, "15.34", "15.34"),
        ]
    );
    assert!(found.agrees());
    assert_eq!(codes(&found), []);
    assert_eq!(found.charges[4].lines.len(), 2);
    // 6.1707 + 201 + 1.1469 + 0.201 + 15 + 0.0002 + 15.34 of ours; of 1,000 gross.
    assert_eq!(found.charge_sum, Compared { ours: decimal("238.8588"), theirs: decimal("238.85") });
    assert_eq!(found.net.ours, decimal("761.1412"));
}

/// Charges with an amount, or with the code of a cause.
type Said = &'static [(Charge, &'static str)];

#[test]
fn a_charge_that_differs_has_its_cause() {
    let cases: [(&str, Said, Said); 8] = [
        // Two notes may be off by a rupee each, and no more.
        ("rounding", &[(Charge::Stt, "203")], &[(Charge::Stt, "rounding")]),
        ("more than that", &[(Charge::Stt, "203.5")], &[(Charge::Stt, "none")]),
        // 40 more of brokerage, and 7.20 of tax on it.
        (
            "a plan",
            &[(Charge::Brokerage, "40"), (Charge::Gst, "8.34")],
            &[(Charge::Brokerage, "plan"), (Charge::Gst, "follows")],
        ),
        // Where STT is not the same either, nobody knows whether the plan is.
        (
            "no plan",
            &[(Charge::Brokerage, "40"), (Charge::Stt, "150")],
            &[(Charge::Brokerage, "none"), (Charge::Stt, "none")],
        ),
        (
            "clearing",
            &[(Charge::Exchange, "4.17"), (Charge::Clearing, "2")],
            &[(Charge::Exchange, "clearing_inside"), (Charge::Clearing, "not_estimated")],
        ),
        ("no list of debits", &[(Charge::Dp, "")], &[(Charge::Dp, "listed_apart")]),
        ("a yearly fee", &[(Charge::Other, "88.5")], &[(Charge::Other, "not_estimated")]),
        ("no fee of SEBI", &[(Charge::Sebi, "")], &[(Charge::Sebi, "listed_apart")]),
    ];
    for (what, changed, expected) in cases {
        let found = reconciled(INFY, &[], &report(&[TRADED], &notes(changed)), &[]);
        assert_eq!(codes(&found), expected, "{what}");
        let nothing_to_compare = expected.iter().all(|(_, code)| ["listed_apart", "not_estimated"].contains(code));
        assert_eq!(found.agrees(), nothing_to_compare, "{what}");
    }
}

#[test]
fn an_order_counts_once_though_a_part_of_it_was_sold_the_same_day() {
    // Of 100 bought at 1,000, 40 are sold at 1,010 that day: brokerage 0.03 % of 40,000 and 40,400 = 24.12 for three
    // orders, 8.04 each. STT on the first note 60,000 * 0.1 % + 40,400 * 0.025 % = 70.1, on the second 60.6: 70 + 61.
    let lines = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 b
                 2026-06-01 10:15 zerodha NSE sell INFY 40 1010 s
                 2026-06-02 10:15 zerodha NSE sell INFY 60 1010 t";
    let report = report(&[TRADED], &[(Charge::Brokerage, "60"), (Charge::Stt, "131")]);
    let of = |lines: &str| {
        let mut found = reconciled(lines, &[], &report, &[]).charges;
        found.remove(0).cause.unwrap().sentence
    };
    let said = of(lines);
    assert!(said.contains("3 orders, on average ₹8.04 by ours and ₹20.00 by theirs"), "{said}");
    let said = of(&lines.replace(" b\n", "\n").replace(" s\n", "\n"));
    assert!(said.starts_with("2 trades of the period have no order number"), "{said}");
}

#[test]
fn charges_differ_with_the_trades_and_as_the_report_counts() {
    let stt = |amount| notes(&[(Charge::Stt, amount)]);
    // The report closes more than the log.
    let more = report(&[TRADED, "TCS - 5 100000 100000"], &stt("401"));
    assert_eq!(codes(&reconciled(INFY, &[], &more, &[])), [(Charge::Stt, "rows_differ")]);
    // A purchase that is still open: STT 100, exchange 3.07, stamp duty 15, with GST and fees. The report leaves it out.
    let open = [INFY, "2026-06-10 09:15 zerodha NSE buy ITC 100 1000 c"].concat();
    let found = reconciled(&open, &[], &report(&[TRADED], &NOTES), &[]);
    let closed_only = |charge| (charge, "closed_only");
    assert_eq!(
        codes(&found),
        [Charge::Exchange, Charge::Stt, Charge::Gst, Charge::Sebi, Charge::StampDuty].map(closed_only)
    );
    assert_eq!(found.charges[3].ours, Some(decimal("301")));
}

#[test]
fn what_is_not_known_of_trades_may_be_the_cause() {
    let of = |lines: &str, charge, amount: &'static str, from| {
        let report = Report { from, ..report(&[TRADED], &[(charge, amount), (Charge::Stt, "25")]) };
        let found = reconciled(lines, &[], &report, &[]);
        found.charges.iter().find(|row| row.charge == charge).unwrap().cause.as_ref().unwrap().code
    };
    let (year, long_ago) = (date!(2026 - 06 - 01), date!(2022 - 01 - 01));
    let intraday = |exchange: &str, day: &str| {
        format!(
            "{day} 09:15 zerodha {exchange} buy INFY 100 1000
             {day} 10:15 zerodha {exchange} sell INFY 100 1010"
        )
    };
    assert_eq!(of(&intraday("NSE", "2026-06-01"), Charge::Brokerage, "20", year), "orders_unknown");
    assert_eq!(of(&intraday("BSE", "2026-06-01"), Charge::Exchange, "2", year), "exchange_rates");
    assert_eq!(of(&intraday("NSE", "2026-06-01"), Charge::Exchange, "2", year), "none");
    assert_eq!(of(&intraday("NSE", "2022-06-01"), Charge::Exchange, "7", long_ago), "rates_unknown");
    // In 2025 IPFT was ₹10 per crore: 0.201 of 2,01,000. Exchange 0.00297 % is 2.97 + 2.9997.
    let lines = INFY.replace("2026", "2025");
    let report = Report {
        from: date!(2025 - 06 - 01),
        to: date!(2025 - 06 - 30),
        ..report(&[TRADED], &[(Charge::Exchange, "6.17")])
    };
    let codes = codes(&reconciled(&lines, &[], &report, &[]));
    assert!(
        codes.contains(&(Charge::Exchange, "ipft_inside")) && codes.contains(&(Charge::Ipft, "ipft_inside")),
        "{codes:?}"
    );
}

#[test]
fn groww_lists_the_tax_on_depository_charges_with_the_other_tax() {
    // Groww takes 20 of the depository's sale in June 2026, and for each order 0.1 % within 5 and 20.
    let lines = INFY.replace("zerodha", "groww");
    let report = Report { broker: Broker::Groww, ..report(&[TRADED], &[(Charge::Dp, "20")]) };
    let found = reconciled(&lines, &[], &report, &[]);
    let ours = |charge| found.charges.iter().find(|row| row.charge == charge).unwrap().ours.unwrap();
    // (20 + 20 + 20) * 18 % and 1.1469 as above.
    assert_eq!(
        (ours(Charge::Brokerage), ours(Charge::Dp), ours(Charge::Gst)),
        (decimal("40"), decimal("20"), decimal("11.9469"))
    );
}

#[test]
fn what_is_in_neither_sum_is_said() {
    let lines = [INFY, "2026-06-10 09:15 zerodha NSE sell ITC 10 400 c"].concat();
    let report = Report {
        realised: Some(decimal("1500")),
        open_positions: 2,
        unread_rows: 1,
        first_unread: "Row 41: The quantity is not a number.".to_owned(),
        ..report(&[TRADED], &[])
    };
    let found = reconciled(&lines, &[], &report, &[]);
    let said: Vec<_> = found.not_compared.iter().map(|remark| (remark.code, remark.sentence.as_str())).collect();
    assert_eq!(
        said[0],
        ("unread_rows", "1 row of the report could not be read. Row 41: The quantity is not a number.")
    );
    assert_eq!(said[1].0, "open_positions");
    assert_eq!(said[2], ("own_total", "The report says ₹1,500.00 realised, its rows come to ₹1,000.00."));
    assert_eq!(said[3].0, "missing_cost_basis");
    assert!(said[3].1.contains("₹4,000.00"), "{}", said[3].1);
}

#[test]
fn without_a_trade_of_the_broker_and_segment_there_is_nothing_to_compare() {
    let groww = Report { broker: Broker::Groww, ..report(&[TRADED], &[]) };
    assert!(Reconciliation::of(&analysis(INFY, &[]), &groww, &[]).is_none());
    assert!(Reconciliation::of(&analysis(INFY, &[]), &fno(&[TRADED]), &[]).is_none());
}
