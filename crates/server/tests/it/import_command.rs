//! The command `tradebahi import FILE`.

use std::path::Path;
use std::process::{Command, Output};

use crate::broker_files::{Fill, zerodha_profit_csv, zerodha_xlsx};

fn run_import(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.current_dir(folder).env_clear().arg("import").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn prints_a_summary_of_a_file_and_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fills: Vec<_> = (0..70).map(Fill::nth).collect();
    std::fs::write(folder.path().join("tradebook.dat"), zerodha_xlsx(&fills)).unwrap();
    let output = run_import(folder.path(), &["tradebook.dat"]);
    let out = text(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let lines = [
        "Report     Zerodha tradebook\n",
        "Book       Zerodha, Equity\n",
        "Period     1 Jan 2000 to 1 Jan 2000\n",
        "Rows       70\n",
        "Trades     70\n",
        "Skipped    0\n",
    ];
    for line in lines {
        assert!(out.contains(line), "{line} in\n{out}");
    }
    assert!(out.contains("  TIME                 SIDE  SYMBOL      QUANTITY  PRICE\n"), "{out}");
    assert!(out.contains("  1 Jan 2000 09:15:00  buy   INFY        1         100\n"), "{out}");
    assert!(out.contains("  … and 50 more\n"), "{out}");
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["tradebook.dat"]);
}

#[test]
fn prints_skipped_rows_with_the_cell_and_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = "symbol,trade_date,exchange,segment,trade_type,auction,quantity,price,trade_id\n\
                ITC,2025-06-05,NSE,EQ,buy,false,10,430.05,1\n\
                ITC,2025-06-05,NSE,EQ,buy,false,ten\u{1b}[31m,430.05,2\n";
    std::fs::write(folder.path().join("tradebook.csv"), file).unwrap();
    let output = run_import(folder.path(), &["tradebook.csv"]);
    let out = text(&output.stdout);
    assert!(out.contains("Skipped    1\n"), "{out}");
    assert!(out.contains("3    G       ten[31m  The quantity is not a number.\n"), "{out}");
    let json: serde_json::Value =
        serde_json::from_slice(&run_import(folder.path(), &["tradebook.csv", "--json"]).stdout).unwrap();
    assert_eq!((&json["format"], &json["rows"], &json["trades"]), (&"zerodha-tradebook".into(), &2.into(), &1.into()));
    assert_eq!((&json["rejected"][0]["row"], &json["rejected"][0]["column"]), (&3.into(), &"G".into()));
    assert_eq!(json["sample"][0]["price"].to_string(), "430.05");
}

#[test]
fn rejects_a_file_with_the_message_of_an_upload() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "Dear customer,\nthank you.\n").unwrap();
    for (file, message) in [
        ("notes.txt", "tradebahi: notes.txt: This file is not supported yet. Upload Zerodha's tradebook ("),
        ("missing.xlsx", "tradebahi: cannot open missing.xlsx"),
        (".", "tradebahi: . is not a file"),
    ] {
        let output = run_import(folder.path(), &[file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(output.stdout.is_empty() && text(&output.stderr).starts_with(message), "{}", text(&output.stderr));
    }
}

#[test]
fn prints_a_profit_and_loss_report_although_an_upload_rejects_it() {
    let folder = tempfile::tempdir().unwrap();
    let rows = ["INFY,INE009A01021,10,15000.5,15100,99.5", "TCS,INE467B01029,five,1,2,1"];
    std::fs::write(folder.path().join("pnl.csv"), zerodha_profit_csv(&["Stamp Duty - Z,2"], &rows)).unwrap();
    let output = run_import(folder.path(), &["pnl.csv"]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for line in [
        "Report     Zerodha P&L statement for equity\n",
        "Book       Zerodha, Equity\n",
        "Period     2026-06-01 to 2026-06-30\n",
        "  INFY    INE009A01021  10        15000.5    15100       99.5\n",
        "  Stamp Duty - Z  2\n",
        "  C       five   The quantity is not a number.\n",
    ] {
        assert!(out.contains(line), "{line} in\n{out}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&run_import(folder.path(), &["pnl.csv", "--json"]).stdout).unwrap();
    assert_eq!((&json["format"], &json["from"]), (&"zerodha-equity-pnl".into(), &"2026-06-01".into()));
    assert_eq!(json["rows"][0]["buyValue"].to_string(), "15000.5");
    assert_eq!((&json["charges"][0]["charge"], &json["rejectedTotal"]), (&"stampDuty".into(), &1.into()));
}
