//! Ledgers in all known layouts.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use rpc::imports::v1::LedgerFile;
use rpc::trades::v1::{Broker, LedgerKind};
use rust_decimal::Decimal;

use super::fixtures::ledgers::{groww_sheet, zerodha_csv, zerodha_csv_newest_first, zerodha_csv_rows, zerodha_sheet};
use super::fixtures::profit_reports::{zerodha_debits, zerodha_equity};
use super::fixtures::{tradebook_csv, xlsx};
use crate::error::{Rejection, RejectionReason};
use crate::protocol::MAX_LEDGER_ENTRIES;

pub fn read_ledger(content: &[u8]) -> Result<LedgerFile, Rejection> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    crate::ledger::parse(file)
}

fn keys(ledger: &LedgerFile) -> HashSet<Vec<u8>> {
    ledger.entries.iter().map(|entry| entry.source_key.clone()).collect()
}

fn sums(ledger: &LedgerFile) -> Vec<(LedgerKind, String)> {
    let mut sums: BTreeMap<i32, Decimal> = BTreeMap::new();
    for entry in &ledger.entries {
        *sums.entry(entry.kind).or_default() += entry.amount.parse::<Decimal>().unwrap();
    }
    let name = |(kind, sum): (i32, Decimal)| (LedgerKind::try_from(kind).unwrap(), sum.normalize().to_string());
    sums.into_iter().map(name).collect()
}

/// Returns the values of a rejection, by name.
fn values<const N: usize>(rejection: &Rejection, names: [&str; N]) -> [String; N] {
    names.map(|name| rejection.params.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone()).unwrap())
}

#[test]
fn reads_zerodhas_ledger_in_each_form_with_the_same_entries() {
    let csv = read_ledger(zerodha_csv().as_bytes()).unwrap();
    assert_eq!((csv.format.as_str(), csv.broker(), csv.entries.len()), ("zerodha-ledger", Broker::Zerodha, 12));
    assert_eq!([&*csv.opening_balance, &csv.closing_balance], ["10000", "7451.2844"]);
    let sum = |kind, amount: &str| (kind, amount.to_owned());
    assert_eq!(
        sums(&csv),
        [
            sum(LedgerKind::Dp, "15.34"),
            sum(LedgerKind::Amc, "88.5"),
            sum(LedgerKind::Interest, "12.3456"),
            sum(LedgerKind::Pledge, "70.8"),
            sum(LedgerKind::CallAndTrade, "59"),
            sum(LedgerKind::Subscription, "500"),
            sum(LedgerKind::Fee, "-10.62"),
            sum(LedgerKind::Deposit, "-5000"),
            sum(LedgerKind::Withdrawal, "2000"),
            sum(LedgerKind::Settlement, "4812.35"),
            sum(LedgerKind::Other, "1"),
        ]
    );
    assert_eq!(keys(&csv).len(), 12);
    let workbook = read_ledger(&xlsx(&[zerodha_sheet()])).unwrap();
    assert_eq!((workbook.client_code.as_str(), csv.client_code.as_str()), ("AB1234", ""));
    for other in [workbook, read_ledger(zerodha_csv_newest_first().as_bytes()).unwrap()] {
        assert_eq!(keys(&other), keys(&csv));
        assert_eq!(other.closing_balance, csv.closing_balance);
        assert!(other.entries.is_sorted_by_key(|entry| &entry.day));
    }
}

#[test]
fn overlapping_files_have_the_same_keys() {
    let all = keys(&read_ledger(zerodha_csv().as_bytes()).unwrap());
    let first = keys(&read_ledger(zerodha_csv_rows(0, 7).as_bytes()).unwrap());
    let second = keys(&read_ledger(zerodha_csv_rows(3, 12).as_bytes()).unwrap());
    assert_eq!((first.len(), second.len(), first.intersection(&second).count()), (7, 9, 4));
    assert_eq!(first.union(&second).cloned().collect::<HashSet<_>>(), all);
}

#[test]
fn reads_growws_statement_whose_days_have_no_order() {
    let ledger = read_ledger(&xlsx(&[groww_sheet()])).unwrap();
    assert_eq!((ledger.format.as_str(), ledger.broker(), ledger.entries.len()), ("groww-ledger", Broker::Groww, 6));
    assert_eq!([&*ledger.client_code, &ledger.holder], ["9912345678", "A Trader"]);
    assert_eq!([&*ledger.opening_balance, &ledger.closing_balance], ["0", "1350.85"]);
    let sum = |kind, amount: &str| (kind, amount.to_owned());
    assert_eq!(
        sums(&ledger),
        [
            sum(LedgerKind::Interest, "4.15"),
            sum(LedgerKind::Pledge, "20"),
            sum(LedgerKind::CallAndTrade, "50"),
            sum(LedgerKind::Deposit, "-2550"),
            sum(LedgerKind::Settlement, "1125"),
        ]
    );
}

#[test]
fn the_balance_of_a_workbook_is_that_of_all_segments() {
    let mut commodity = zerodha_sheet();
    commodity.name = "Commodity";
    let both = read_ledger(&xlsx(&[zerodha_sheet(), commodity])).unwrap();
    assert_eq!(both.entries.len(), 24);
    assert_eq!([&*both.opening_balance, &both.closing_balance], ["20000", "14902.5688"]);
}

#[test]
fn keeps_no_texts_of_deposits_and_withdrawals() {
    let ledger = read_ledger(zerodha_csv().as_bytes()).unwrap();
    let text = |kind| ledger.entries.iter().find(|entry| entry.kind() == kind).unwrap().particulars.as_str();
    assert_eq!([text(LedgerKind::Deposit), text(LedgerKind::Withdrawal), text(LedgerKind::Settlement)], ["", "", ""]);
    assert_eq!(text(LedgerKind::Dp), "DP Charges for Sale of INFY on 02/04/2026");
}

#[test]
fn reads_the_other_debits_of_a_profit_report_as_entries_of_the_ledger() {
    let report = read_ledger(&xlsx(&[zerodha_equity(), zerodha_debits()])).unwrap();
    assert_eq!((report.format.as_str(), report.broker()), ("zerodha-other-debits", Broker::Zerodha));
    assert_eq!([&*report.opening_balance, &report.closing_balance], ["", ""]);
    let sum = |kind, amount: &str| (kind, amount.to_owned());
    assert_eq!(
        sums(&report),
        [sum(LedgerKind::Dp, "31.86"), sum(LedgerKind::Amc, "88.5"), sum(LedgerKind::Other, "-10")]
    );
    // The ledger of the period states a voucher and a balance, too.
    let ledger = "particulars,posting_date,cost_center,voucher_type,debit,credit,net_balance
Opening Balance,,,,,,1000
DP Charges for Sale of INFY on 05/06/2025,2025-06-06,NSE-EQ - Z,Journal Entry,15.93,0,984.07
DP Charges for Sale of ITC on 09/06/2025,2025-06-10,NSE-EQ - Z,Journal Entry,15.93,0,968.14
AMC for Demat Account,2025-06-12,NSE-EQ - Z,Journal Entry,88.500000,0,879.64
Reversal of Brokerage,2025-06-13,NSE-EQ - Z,Journal Entry,0,10,889.64
Closing Balance,,,,,,889.64";
    assert_eq!(keys(&read_ledger(ledger.as_bytes()).unwrap()), keys(&report));
    let without_a_list = read_ledger(&xlsx(&[zerodha_equity()])).unwrap_err();
    assert_eq!(without_a_list.reason, RejectionReason::NotALedger);
}

#[test]
fn rejects_a_balance_that_does_not_add_up_with_its_row_and_the_difference() {
    let changed = zerodha_csv().replace("88.500000,0.000000,10013.01", "89.500000,0.000000,10013.01");
    let rejection = read_ledger(changed.as_bytes()).unwrap_err();
    assert_eq!(rejection.reason, RejectionReason::LedgerBalance);
    let expected = ["8", "10013.01", "10012.01", "1.00"];
    assert_eq!(values(&rejection, ["row", "stated", "calculated", "difference"]), expected);
    let without_a_row: Vec<_> = zerodha_csv().lines().filter(|line| !line.contains("AMC")).map(str::to_owned).collect();
    let other_closing = zerodha_csv().replace("Closing Balance,,,,,,7451.2844", "Closing Balance,,,,,,7451.28");
    let other_opening = zerodha_csv().replace("Opening Balance,,,,,,10000", "Opening Balance,,,,,,10000.01");
    assert!(read_ledger(other_closing.as_bytes()).is_ok(), "a balance may be rounded to paise");
    for file in [without_a_row.join("\n"), other_opening] {
        assert_eq!(read_ledger(file.as_bytes()).unwrap_err().reason, RejectionReason::LedgerBalance);
    }
}

#[test]
fn rejects_rows_that_cannot_be_read() {
    for (from, to, column) in [
        ("35.400000", "x", "debit"),
        ("35.400000", "-35.400000", "debit"),
        ("10.620000", "1e3", "credit"),
        ("5000.000000", "100000000000", "credit"),
        ("2026-04-06", "06-2026", "date"),
        ("2026-04-06", "", "date"),
        (",10136.91", ",", "balance"),
        ("Being pledge", "\"Being pledge", "particulars"),
    ] {
        let file = zerodha_csv().replacen(from, to, 1);
        let rejection = read_ledger(file.as_bytes()).unwrap_err();
        assert_eq!(
            (rejection.reason, values(&rejection, ["column"])),
            (RejectionReason::LedgerRow, [column.to_owned()])
        );
    }
}

#[test]
fn rejects_files_that_are_no_ledger_or_too_large() {
    let header = zerodha_csv().lines().next().unwrap().to_owned();
    let row = |n: usize| format!("Fee,2026-04-01,NSE-EQ - Z,Journal Entry,1,0,{}", 100_000 - n);
    let lines = |count| [header.clone()].into_iter().chain((1..=count).map(row)).collect::<Vec<_>>().join("\n");
    assert_eq!(read_ledger(lines(MAX_LEDGER_ENTRIES).as_bytes()).unwrap().entries.len(), MAX_LEDGER_ENTRIES);
    for (file, reason) in [
        (lines(MAX_LEDGER_ENTRIES + 1), RejectionReason::LedgerTooLarge),
        (header.clone(), RejectionReason::LedgerEmpty),
        (format!("{header}\nOpening Balance,,,,,,5\nClosing Balance,,,,,,5\n"), RejectionReason::LedgerEmpty),
        (tradebook_csv(), RejectionReason::NotALedger),
        ("a,b\n".to_owned(), RejectionReason::NotALedger),
        (String::new(), RejectionReason::Empty),
    ] {
        assert_eq!(read_ledger(file.as_bytes()).unwrap_err().reason, reason);
    }
}

#[test]
fn a_ledger_among_trades_is_named() {
    for (file, name) in [
        (zerodha_csv().into_bytes(), "Zerodha's ledger"),
        (xlsx(&[zerodha_sheet()]), "Zerodha's ledger"),
        (xlsx(&[groww_sheet()]), "Groww's balance statement"),
    ] {
        let (reason, message) = super::read(&file).rejection.unwrap();
        assert_eq!(reason, RejectionReason::Ledger);
        assert!(message.contains(name) && message.contains("costs outside trades"), "{message}");
    }
}
