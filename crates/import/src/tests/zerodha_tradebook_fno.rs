//! Zerodha's tradebook for futures and options in all known layouts.

use rpc::trades::v1::{ContractKind, Segment, Side};

use super::fixtures::{self, FNO, Sheet, TestCell, text, xlsx};
use super::{Outcome, decimal, read};

#[test]
fn every_layout_gives_the_same_trades_of_the_fno_book() {
    let changed = |change: fn(&mut Sheet)| {
        let mut sheet = fixtures::fno_tradebook();
        change(&mut sheet);
        xlsx(&[sheet])
    };
    let csv = || {
        let header = format!("{},expiry_date", super::tradebook_header());
        std::iter::once(header).chain(FNO.iter().map(|row| row.join(","))).collect::<Vec<_>>().join("\n")
    };
    let layouts = [
        ("expiry without a name", changed(|_| ())),
        ("14 columns", changed(|sheet| sheet.table[0].push(text("Expiry Date")))),
        ("header in A1", changed(|sheet| (sheet.table_start, sheet.extra_cells) = ((0, 0), Vec::new()))),
        ("hidden rows", changed(|sheet| sheet.hidden_rows = vec![15, 16])),
        (
            "thousands of blank rows",
            changed(|sheet| sheet.extra_cells.extend((40..4_040).map(|row| (row, 3, text(""))))),
        ),
        (
            "expiry as a serial, ids as numbers",
            changed(|sheet| {
                for (row, expiry) in sheet.table.iter_mut().skip(1).zip([45_813.0, 45_813.0, 45_351.0]) {
                    row[13] = TestCell::Date(expiry);
                    for column in [10, 11] {
                        let TestCell::Text(id) = &row[column] else { panic!("ids are text") };
                        row[column] = TestCell::Number(id.parse().unwrap());
                    }
                }
            }),
        ),
        (
            "all text",
            changed(|sheet| {
                for (row, source) in sheet.table.iter_mut().skip(1).zip(FNO) {
                    *row = source.iter().map(|value| text(value)).collect();
                }
            }),
        ),
        ("CSV", csv().into_bytes()),
        ("the exchange's own segments", csv().replace(",NSE,", ",NFO,").into_bytes()),
    ];
    for (layout, file) in layouts {
        let outcome = read(&file);
        assert_eq!(outcome.format, Some(("zerodha-tradebook".to_owned(), Segment::Fno)), "{layout}");
        assert_eq!(outcome.errors(), [], "{layout}");
        assert_eq!(outcome.sum(Side::Buy), (1, decimal("75"), decimal("7578.75")), "{layout}");
        assert_eq!(outcome.sum(Side::Sell), (2, decimal("90"), decimal("703849.5")), "{layout}");
        assert_eq!(
            outcome.keys(),
            ["2025-06-03/NSE/FO/501/BUY", "2025-06-03/NSE/FO/502/SELL", "2025-06-04/NSE/FO/503/SELL"],
            "{layout}"
        );
        check_contracts(&outcome, layout);
    }
    let old = read(include_bytes!("fixtures/xls/fno.xls"));
    assert_eq!((old.errors(), old.warnings(), old.trades.len()), (vec![], vec![], 3));
    check_contracts(&old, ".xls");
}

#[track_caller]
fn check_contracts(outcome: &Outcome, layout: &str) {
    let contracts = outcome.trades.iter().map(|trade| trade.contract.clone().unwrap());
    let fields: Vec<_> = contracts.map(|c| (c.underlying.clone(), c.expiry.clone(), c.kind(), c.strike)).collect();
    let option = ("NIFTY".to_owned(), "2025-06-05".to_owned(), ContractKind::Put, "24750".to_owned());
    let future = ("BANKNIFTY".to_owned(), "2024-02-29".to_owned(), ContractKind::Future, String::new());
    assert_eq!(fields, [option.clone(), option, future], "{layout}");
}

#[test]
fn the_expiry_day_of_a_monthly_contract_comes_from_its_column() {
    let header = super::tradebook_header();
    let line = "NIFTY25JUN24750CE,,2025-06-03,NSE,FO,,buy,false,75,101.05,501,12,2025-06-03T09:20:00";
    let expiry = |file: String| {
        let outcome = read(file.as_bytes());
        assert_eq!(outcome.warnings(), []);
        outcome.trades[0].contract.clone().unwrap().expiry
    };
    assert_eq!(expiry(format!("{header}\n{line}")), "2025-06");
    assert_eq!(expiry(format!("{header},expiry_date\n{line},2025-06-26")), "2025-06-26");
    assert_eq!(expiry(format!("{header}\n{line},26-06-2025")), "2025-06-26");
    // Another column at that position, and a column without a date.
    assert_eq!(expiry(format!("{header},remark\n{line},2025-06-26")), "2025-06");
    assert_eq!(expiry(format!("{header},expiry_date\n{line},soon")), "2025-06");
}
