//! Charges of reports compared with estimates computed by hand.

use super::*;

/// Returns the code of each charge that has a remark.
fn codes(result: &Reconciliation) -> Vec<(ChargeKind, &'static str)> {
    result.charges.iter().filter_map(|row| Some((row.charge, row.cause.as_ref()?.code))).collect()
}

/// Charges on the contract notes of [`INFY`]: no brokerage; exchange 3.07 + 3.1007; STT 100 + 101; stamp duty 15; SEBI
/// 0.1 + 0.101; IPFT 0.0001 twice; GST (3.07 + 0.1 + 0.0001) * 18 % = 0.5706 and (3.1007 + 0.101 + 0.0001) * 18 % =
/// 0.5763; depository 13 and 2.34 GST.
const NOTES: [(ChargeKind, &str); 10] = [
    (ChargeKind::Brokerage, "0"),
    (ChargeKind::Exchange, "6.17"),
    (ChargeKind::Clearing, "0"),
    (ChargeKind::Gst, "0.57"),
    (ChargeKind::Gst, "0.57"),
    (ChargeKind::Stt, "201"),
    (ChargeKind::Sebi, "0.2"),
    (ChargeKind::StampDuty, "15"),
    (ChargeKind::Ipft, "0"),
    (ChargeKind::Dp, "15.34"),
];

/// Returns [`NOTES`] with changed amounts; an empty amount removes the charge.
fn notes_with(changed: &[(ChargeKind, &'static str)]) -> Vec<(ChargeKind, &'static str)> {
    let is_changed = |charge| changed.iter().any(|(other, _)| *other == charge);
    let unchanged = NOTES.into_iter().filter(|(charge, _)| !is_changed(*charge));
    unchanged.chain(changed.iter().copied().filter(|(_, amount)| !amount.is_empty())).collect()
}

#[test]
fn compares_the_charges_of_the_period_with_the_report() {
    let result = reconcile(INFY, &[], &report(&[INFY_ROW], &NOTES), &[]);
    let rows: Vec<_> = result.charges.iter().map(|row| (row.charge, row.log.unwrap_or_default(), row.report)).collect();
    let row = |charge, log, report| (charge, decimal(log), Some(decimal(report)));
    assert_eq!(
        rows,
        [
            row(ChargeKind::Brokerage, "0", "0"),
            row(ChargeKind::Exchange, "6.1707", "6.17"),
            row(ChargeKind::Clearing, "0", "0"),
            row(ChargeKind::Stt, "201", "201"),
            row(ChargeKind::Gst, "1.1469", "1.14"),
            row(ChargeKind::Sebi, "0.201", "0.2"),
            row(ChargeKind::StampDuty, "15", "15"),
            row(ChargeKind::Ipft, "0.0002", "0"),
            row(ChargeKind::Dp, "15.34", "15.34"),
        ]
    );
    assert!(result.agrees());
    assert_eq!(codes(&result), []);
    assert_eq!(result.charges[4].lines.len(), 2);
    // 6.1707 + 201 + 1.1469 + 0.201 + 15 + 0.0002 + 15.34 of log; of 1,000 gross.
    assert_eq!(result.charge_sum, ComparedSum { log: decimal("238.8588"), report: decimal("238.85") });
    assert_eq!(result.net.log, decimal("761.1412"));
}

/// Charges with an amount, or with the code of a cause.
type ChargeList = &'static [(ChargeKind, &'static str)];

#[test]
fn finds_the_cause_of_a_different_charge() {
    let cases: [(&str, ChargeList, ChargeList); 8] = [
        // Each of the two notes may be rounded by up to one rupee.
        ("rounding", &[(ChargeKind::Stt, "203")], &[(ChargeKind::Stt, "rounding")]),
        ("more than rounding", &[(ChargeKind::Stt, "203.5")], &[(ChargeKind::Stt, "none")]),
        // 40 more of brokerage, and 7.20 of tax on it.
        (
            "a plan",
            &[(ChargeKind::Brokerage, "40"), (ChargeKind::Gst, "8.34")],
            &[(ChargeKind::Brokerage, "plan"), (ChargeKind::Gst, "gst_on_differences")],
        ),
        // If STT differs too, it is not certain that the brokerage plan is the cause.
        (
            "no plan",
            &[(ChargeKind::Brokerage, "40"), (ChargeKind::Stt, "150")],
            &[(ChargeKind::Brokerage, "none"), (ChargeKind::Stt, "none")],
        ),
        (
            "clearing",
            &[(ChargeKind::Exchange, "4.17"), (ChargeKind::Clearing, "2")],
            &[(ChargeKind::Exchange, "clearing_included"), (ChargeKind::Clearing, "not_estimated")],
        ),
        ("no list of debits", &[(ChargeKind::Dp, "")], &[(ChargeKind::Dp, "not_listed")]),
        ("a yearly fee", &[(ChargeKind::Other, "88.5")], &[(ChargeKind::Other, "not_estimated")]),
        ("no fee of SEBI", &[(ChargeKind::Sebi, "")], &[(ChargeKind::Sebi, "not_listed")]),
    ];
    for (case, changed, expected) in cases {
        let result = reconcile(INFY, &[], &report(&[INFY_ROW], &notes_with(changed)), &[]);
        assert_eq!(codes(&result), expected, "{case}");
        let is_absent_on_one_side = expected.iter().all(|(_, code)| ["not_listed", "not_estimated"].contains(code));
        assert_eq!(result.agrees(), is_absent_on_one_side, "{case}");
    }
}

#[test]
fn counts_an_order_once_if_it_is_partly_intraday() {
    // Of 100 bought at 1,000, 40 are sold at 1,010 that day: brokerage 0.03 % of 40,000 and 40,400 = 24.12 for three
    // orders, 8.04 each. STT on the first note 60,000 * 0.1 % + 40,400 * 0.025 % = 70.1, on the second 60.6: 70 + 61.
    let lines = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 b
                 2026-06-01 10:15 zerodha NSE sell INFY 40 1010 s
                 2026-06-02 10:15 zerodha NSE sell INFY 60 1010 t";
    let report = report(&[INFY_ROW], &[(ChargeKind::Brokerage, "60"), (ChargeKind::Stt, "131")]);
    let cause = |lines: &str| {
        let mut charges = reconcile(lines, &[], &report, &[]).charges;
        format_remark(&charges.remove(0).cause.unwrap())
    };
    assert_eq!(cause(lines), "plan count=3 log=8.04 report=20");
    assert_eq!(cause(&lines.replace(" b\n", "\n").replace(" s\n", "\n")), "orders_unknown count=2");
}

#[test]
fn proposes_the_price_of_an_order_by_which_the_brokerage_agrees() {
    let lines = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000 b
                 2026-06-01 10:15 zerodha NSE sell INFY 40 1010 s
                 2026-06-02 10:15 zerodha NSE sell INFY 60 1010 t";
    let prices = |brokerage: &'static str| {
        let report = report(&[INFY_ROW], &[(ChargeKind::Brokerage, brokerage), (ChargeKind::Stt, "131")]);
        let charge = reconcile(lines, &[], &report, &[]).charges.remove(0);
        let prices = charge.prices.iter().map(|price| format!("{:?} {} {}", price.kind, price.from, price.flat));
        (charge.cause.map_or("", |cause| cause.code), prices.collect::<Vec<_>>().join(", "))
    };
    // Delivery is free in the price list, so only the two orders that are partly or wholly intraday have a price.
    let june = |price: &str| format!("Intraday 2026-06-01 {price}");
    assert_eq!(prices("45"), ("plan", june("22.5")));
    assert_eq!(prices("0"), ("plan", june("0")));
    assert_eq!(prices("40"), ("plan", june("20")));
    // 24.12 is the estimate: no cause, and no price.
    assert_eq!(prices("24.12"), ("", String::new()));
    // 15.56 for an order is no price.
    assert_eq!(prices("31.11"), ("plan", String::new()));
}

#[test]
fn proposes_the_price_of_options_beside_futures() {
    let lines = "2026-06-01 09:15 zerodha NSE buy NIFTY26JUNFUT 65 25000 a
                 2026-06-02 10:15 zerodha NSE sell NIFTY26JUNFUT 65 25100 b
                 2026-06-01 09:20 zerodha NSE buy NIFTY26JUN25000CE 65 100 c
                 2026-06-02 10:20 zerodha NSE sell NIFTY26JUN25000CE 65 110 d
                 2026-06-02 10:25 zerodha NSE buy NIFTY26JUN25000CE 65 100 e
                 2026-06-02 10:30 zerodha NSE sell NIFTY26JUN25000CE 65 110 f";
    let rows = ["NIFTY26JUNFUT - 65 1625000 1631500", "NIFTY26JUN25000CE - 130 13000 14300"];
    let log = |lines| reconcile(lines, &[], &fno_report(&rows), &[]);
    let stt = log(lines).charges.iter().find(|row| row.charge == ChargeKind::Stt).unwrap().log.unwrap();
    // Six orders at 20 are 120 in the log. 2 * 20 for the futures and 4 * 9 for the options are no price of all orders.
    let charges = [("76", ChargeKind::Brokerage), (&*stt.to_string(), ChargeKind::Stt)];
    let charges: Vec<_> = charges
        .iter()
        .map(|(amount, charge)| ReportChargeLine { charge: *charge, label: String::new(), amount: decimal(amount) })
        .collect();
    let result = reconcile(lines, &[], &Report { charges, ..fno_report(&rows) }, &[]);
    let brokerage = &result.charges[0];
    assert_eq!(brokerage.log, Some(decimal("120")));
    let [price] = brokerage.prices.as_slice() else { panic!("{:?}", brokerage.prices) };
    assert_eq!((price.kind, price.from, price.flat), (TradeKind::Options, date!(2026 - 05 - 01), decimal("9")));
}

#[test]
fn proposes_no_price_that_is_ambiguous_or_changes_later_trades() {
    let futures = "2026-06-01 09:15 zerodha NSE buy NIFTY26JUNFUT 65 25000 a
                   2026-06-02 10:15 zerodha NSE sell NIFTY26JUNFUT 65 25100 b";
    let options = "2026-06-01 09:20 zerodha NSE buy NIFTY26JUN25000CE 65 100 c
                   2026-06-02 10:20 zerodha NSE sell NIFTY26JUN25000CE 65 110 d";
    let rows = ["NIFTY26JUNFUT - 65 1625000 1631500", "NIFTY26JUN25000CE - 65 6500 7150"];
    let prices = |lines: &str, rows: &[&str], brokerage: &str| {
        let log = reconcile(lines, &[], &fno_report(rows), &[]);
        let stt = log.charges.iter().find(|row| row.charge == ChargeKind::Stt).unwrap().log.unwrap();
        let line = |charge, amount| ReportChargeLine { charge, label: String::new(), amount };
        let charges = vec![line(ChargeKind::Brokerage, decimal(brokerage)), line(ChargeKind::Stt, stt)];
        let report = Report { charges, to: date!(2026 - 06 - 15), ..fno_report(rows) };
        let charge = reconcile(lines, &[], &report, &[]).charges.remove(0);
        charge.prices.iter().map(|price| format!("{:?} {}", price.kind, price.flat)).collect::<Vec<_>>().join(", ")
    };
    // 80 in the log. 60 is 15 for each order, or 10 for each of the futures, or 10 for each of the options.
    assert_eq!(prices(&[futures, options].join("\n"), &rows, "60"), "");
    assert_eq!(prices(futures, &rows[..1], "30"), "Futures 15");
    // A price holds from its first day on, and the later trade has another plan.
    let later = "2026-06-20 09:15 zerodha NSE buy NIFTY26JULFUT 65 25000 e";
    assert_eq!(prices(&[futures, later].join("\n"), &rows[..1], "30"), "");
    let other_kind = "2026-06-20 09:15 zerodha NSE buy NIFTY26JUL25000CE 65 100 e";
    assert_eq!(prices(&[futures, other_kind].join("\n"), &rows[..1], "30"), "Futures 15");
}

#[test]
fn explains_charges_by_different_trades_or_by_open_positions() {
    let stt = |amount| notes_with(&[(ChargeKind::Stt, amount)]);
    // The report contains a closed trade that the log does not.
    let more = report(&[INFY_ROW, "TCS - 5 100000 100000"], &stt("401"));
    assert_eq!(codes(&reconcile(INFY, &[], &more, &[])), [(ChargeKind::Stt, "rows_differ")]);
    // A purchase that is still open: STT 100, exchange 3.07, stamp duty 15, with GST and fees. The report does not count them.
    let open = [INFY, "2026-06-10 09:15 zerodha NSE buy ITC 100 1000 c"].concat();
    let result = reconcile(&open, &[], &report(&[INFY_ROW], &NOTES), &[]);
    let closed_only = |charge| (charge, "closed_only");
    assert_eq!(
        codes(&result),
        [ChargeKind::Exchange, ChargeKind::Stt, ChargeKind::Gst, ChargeKind::Sebi, ChargeKind::StampDuty]
            .map(closed_only)
    );
    assert_eq!(result.charges[3].log, Some(decimal("301")));
}

#[test]
fn states_unknown_orders_and_rates_as_the_cause() {
    let cause = |lines: &str, charge, amount: &'static str, from| {
        let report = Report { from, ..report(&[INFY_ROW], &[(charge, amount), (ChargeKind::Stt, "25")]) };
        let result = reconcile(lines, &[], &report, &[]);
        result.charges.iter().find(|row| row.charge == charge).unwrap().cause.as_ref().unwrap().code
    };
    let (from_2026, from_2020) = (date!(2026 - 06 - 01), date!(2020 - 01 - 01));
    let intraday = |exchange: &str, day: &str| {
        format!(
            "{day} 09:15 zerodha {exchange} buy INFY 100 1000
             {day} 10:15 zerodha {exchange} sell INFY 100 1010"
        )
    };
    assert_eq!(cause(&intraday("NSE", "2026-06-01"), ChargeKind::Brokerage, "20", from_2026), "orders_unknown");
    assert_eq!(cause(&intraday("BSE", "2026-06-01"), ChargeKind::Exchange, "2", from_2026), "exchange_rates");
    assert_eq!(cause(&intraday("NSE", "2026-06-01"), ChargeKind::Exchange, "2", from_2026), "none");
    assert_eq!(cause(&intraday("NSE", "2020-06-01"), ChargeKind::Exchange, "7", from_2020), "rates_unknown");
    // In 2025 IPFT was ₹10 per crore: 0.201 of 2,01,000. Exchange 0.00297 % is 2.97 + 2.9997.
    let lines = INFY.replace("2026", "2025");
    let report = Report {
        from: date!(2025 - 06 - 01),
        to: date!(2025 - 06 - 30),
        ..report(&[INFY_ROW], &[(ChargeKind::Exchange, "6.17")])
    };
    let codes = codes(&reconcile(&lines, &[], &report, &[]));
    assert!(
        codes.contains(&(ChargeKind::Exchange, "ipft_included"))
            && codes.contains(&(ChargeKind::Ipft, "ipft_included")),
        "{codes:?}"
    );
}

#[test]
fn groww_lists_gst_on_depository_charges_with_other_gst() {
    // In June 2026 Groww charges 20 per depository debit, and 0.1 % per order between 5 and 20.
    let lines = INFY.replace("zerodha", "groww");
    let report = Report { account: account(Broker::Groww), ..report(&[INFY_ROW], &[(ChargeKind::Dp, "20")]) };
    let result = reconcile(&lines, &[], &report, &[]);
    let log = |charge| result.charges.iter().find(|row| row.charge == charge).unwrap().log.unwrap();
    // (20 + 20 + 20) * 18 % and 1.1469 as above.
    assert_eq!(
        (log(ChargeKind::Brokerage), log(ChargeKind::Dp), log(ChargeKind::Gst)),
        (decimal("40"), decimal("20"), decimal("11.9469"))
    );
}
