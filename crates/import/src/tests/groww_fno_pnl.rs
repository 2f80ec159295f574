//! Groww's profit and loss report for futures and options in all known layouts.

use rpc::trades::v1::{ContractKind, Exchange, ImportedTrade, Segment, Side, TimePrecision};

use super::fixtures::groww_fno::{COLUMNS, FUTURES, OPTIONS, cells, contracts, trades};
use super::fixtures::{Sheet, TestCell, patched, text, xlsx};
use super::{Outcome, decimal, read};

/// Checks the trades of the five pairs: nine, because one option expired worthless.
#[track_caller]
fn check(outcome: &Outcome, layout: &str) {
    assert_eq!(outcome.rejection, None, "{layout}");
    assert_eq!(outcome.format, Some(("groww-fno-pnl".to_owned(), Segment::Fno)), "{layout}");
    assert_eq!(outcome.errors(), [], "{layout}");
    assert_eq!(outcome.counts(), (5, 9, 0, 1, 0), "{layout}");
    let codes: Vec<_> = outcome.warnings().iter().map(|(_, _, code)| (*code).to_owned()).collect();
    assert_eq!(codes, ["expired_without_value"], "{layout}");
    // 1890035 + 2 × 7578.75 + 3150 + 305, and 1907500 + 2 × 9030 + 4217.5.
    assert_eq!(outcome.sum(Side::Buy), (5, decimal("555"), decimal("1908647.5")), "{layout}");
    assert_eq!(outcome.sum(Side::Sell), (4, decimal("535"), decimal("1929777.5")), "{layout}");
    assert!(outcome.trades.iter().all(|trade| trade.time_precision() == TimePrecision::Day), "{layout}");
    let keys = [
        "EICHERMOT 30 SEP 25 FUT/350/2025-09-15/1890035/2025-09-17/1907500/1/BUY",
        "EICHERMOT 30 SEP 25 FUT/350/2025-09-15/1890035/2025-09-17/1907500/1/SELL",
        "NIFTY 16 OCT 25 23900 CALL/75/2025-10-14/7578.75/2025-10-15/9030/1/BUY",
        "NIFTY 16 OCT 25 23900 CALL/75/2025-10-14/7578.75/2025-10-15/9030/1/SELL",
        "NIFTY 16 OCT 25 23900 CALL/75/2025-10-14/7578.75/2025-10-15/9030/2/BUY",
        "NIFTY 16 OCT 25 23900 CALL/75/2025-10-14/7578.75/2025-10-15/9030/2/SELL",
        "BANKNIFTY 25 NOV 25 58700 PUT/35/2025-11-12/3150/2025-11-10/4217.5/1/BUY",
        "BANKNIFTY 25 NOV 25 58700 PUT/35/2025-11-12/3150/2025-11-10/4217.5/1/SELL",
        "SENSEX 13 NOV 25 84000 CALL/20/2025-11-12/305/2025-11-13/0/1/BUY",
    ];
    assert_eq!(outcome.keys(), keys, "{layout}");
    let sold_first = &outcome.trades[7];
    assert_eq!((sold_first.price.as_str(), sold_first.value.as_str()), ("120.5", "4217.5"), "{layout}");
    // Midnight of 10 November in India.
    assert_eq!(sold_first.executed_at.unwrap().seconds, 1_762_713_000, "{layout}");
    let contract = sold_first.contract.as_ref().unwrap();
    assert_eq!((contract.underlying.as_str(), contract.expiry.as_str()), ("BANKNIFTY", "2025-11-25"), "{layout}");
    assert_eq!((contract.kind(), contract.strike.as_str()), (ContractKind::Put, "58700"), "{layout}");
    let exchanges: Vec<_> = outcome.trades.iter().map(ImportedTrade::exchange).collect();
    assert_eq!((exchanges[0], exchanges[8]), (Exchange::Nse, Exchange::Bse), "{layout}");
}

fn changed(change: impl Fn(&mut Sheet)) -> Vec<u8> {
    let mut sheet = trades();
    change(&mut sheet);
    xlsx(&[sheet])
}

#[test]
fn lists_warnings_about_odd_trades_before_expected_ones() {
    let file = changed(|sheet| {
        let mut odd = OPTIONS[0];
        odd[0] = "NIFTY of some day";
        let expired = std::iter::repeat_n(cells(&OPTIONS[3]), 1_200);
        sheet.table.splice(11..11, expired.chain([cells(&odd)]));
    });
    let outcome = read(&file);
    assert_eq!(outcome.counts(), (1_206, 1_211, 0, 1_202, 0));
    let summary = outcome.summary.as_ref().unwrap();
    assert_eq!((summary.odd_count, summary.warnings.len()), (1, 1_000));
    assert!(summary.warnings.iter().any(|warning| warning.code == "contract_unknown"));
}

#[test]
fn a_row_that_starts_with_total_is_a_trade_if_it_has_a_date() {
    let scrip = "TOTAL 30 SEP 25 Fut";
    let outcome = read(&changed(|sheet| sheet.table[3][0] = text(scrip)));
    assert_eq!((outcome.counts().1, outcome.trades[0].symbol.as_str()), (9, "TOTAL 30 SEP 25 Fut"));
    for (column, column_name) in [(2, "C"), (5, "F")] {
        let outcome = read(&changed(|sheet| {
            sheet.table[3][0] = text(scrip);
            sheet.table[3][column] = TestCell::Blank;
        }));
        assert_eq!(outcome.errors(), [(28, column_name, "date_invalid")], "{column_name}");
    }
}

/// Applies `change` to all rows of trades.
fn change_trades(sheet: &mut Sheet, change: impl Fn(&mut Vec<TestCell>, &[&str; 9])) {
    let sources: Vec<_> = FUTURES.iter().chain(&OPTIONS).collect();
    let rows = [3, 8, 9, 10, 11];
    for (row, source) in rows.into_iter().zip(sources) {
        change(&mut sheet.table[row], source);
    }
}

#[test]
fn every_layout_gives_the_same_trades() {
    let days = [
        ("15 Sep 2025", 45_915.0),
        ("17 Sep 2025", 45_917.0),
        ("14 Oct 2025", 45_944.0),
        ("15 Oct 2025", 45_945.0),
        ("12 Nov 2025", 45_973.0),
        ("10 Nov 2025", 45_971.0),
        ("13 Nov 2025", 45_974.0),
    ];
    let serial = |day: &str| days.iter().find(|(name, _)| *name == day).unwrap().1;
    let declared = |size: &'static str| {
        patched(&changed(|_| ()), "xl/worksheets/sheet1.xml", move |xml| {
            let at = xml.find("<dimension ref=\"").unwrap() + 16;
            let end = at + xml[at..].find('"').unwrap();
            format!("{}{size}{}", &xml[..at], &xml[end..])
        })
    };
    let layouts = [
        ("the broker's own", xlsx(&[trades(), contracts()])),
        ("contracts first", xlsx(&[contracts(), trades()])),
        ("another column and row", changed(|sheet| sheet.table_start = (40, 2))),
        ("no charges, no title", changed(|sheet| sheet.extra_cells.clear())),
        ("a second section without a header", changed(|sheet| drop(sheet.table.remove(7)))),
        ("hidden rows", changed(|sheet| sheet.hidden_rows = (27..33).collect())),
        ("declared too small", declared("A1")),
        ("declared too large", declared("A1:XFD1048576")),
        ("blank rows between", changed(|sheet| sheet.table.insert(9, vec![text(" "), TestCell::Blank, text("")]))),
        (
            "thousands of blank rows",
            changed(|sheet| sheet.extra_cells.extend((60..4_060).map(|row| (row, 1, text(""))))),
        ),
        (
            "days as serials",
            changed(|sheet| {
                change_trades(sheet, |row, source| {
                    row[2] = TestCell::Date(serial(source[2]));
                    row[5] = TestCell::Number(serial(source[5]));
                });
            }),
        ),
        (
            "all text, with commas",
            changed(|sheet| {
                change_trades(sheet, |row, source| *row = source.iter().map(|value| text(value)).collect());
                sheet.table[3][4] = text("₹ 18,90,035.00");
            }),
        ),
        (
            "snake case",
            changed(|sheet| {
                for row in [2, 7] {
                    sheet.table[row] = COLUMNS.map(|name| text(&name.to_lowercase().replace(' ', "_"))).to_vec();
                }
            }),
        ),
        (
            "a second section with columns in another order",
            changed(|sheet| {
                for row in 7..12 {
                    sheet.table[row].reverse();
                }
            }),
        ),
        (
            "prices rounded to paise",
            changed(|sheet| {
                change_trades(sheet, |row, _| {
                    if let TestCell::Number(price) = &mut row[3] {
                        *price += 0.004;
                    }
                });
            }),
        ),
    ];
    for (layout, file) in layouts {
        check(&read(&file), layout);
    }
    check(&read(include_bytes!("fixtures/xls/groww-fno.xls")), ".xls");
}

#[test]
fn skips_open_positions_with_a_warning() {
    let file = changed(|sheet| {
        let names = ["Scrip Name", "Quantity", "Buy Date", "Buy Price", "Buy Value", "Closing Price", "Unrealised P&L"];
        let row = ["NIFTY 30 DEC 25 26000 Call", "75", "28 Nov 2025", "200", "15000", "210", "750"];
        let at = sheet.table.len() - 2;
        let open = [
            vec![text("Unrealised trades")],
            names.iter().map(|name| text(name)).collect(),
            row.iter().map(|value| text(value)).collect(),
        ];
        sheet.table.splice(at..at, open);
    });
    let outcome = read(&file);
    assert_eq!(outcome.counts(), (6, 9, 0, 2, 1));
    assert_eq!(outcome.warnings()[1].2, "position_open");
}

#[test]
fn a_title_above_the_header_decides_if_positions_are_open() {
    let titled = |titles: &[&'static str]| {
        let outcome = read(&changed(|sheet| {
            sheet.table.drain(..2);
            sheet.extra_cells.extend((15..).zip(titles).map(|(row, title)| (row, 0, text(title))));
        }));
        let open = outcome.warnings().iter().filter(|(_, _, code)| *code == "position_open").count();
        (outcome.trades.len(), open)
    };
    assert_eq!(titled(&["Unrealised trades"]), (0, 5));
    assert_eq!(titled(&["Realised trades"]), (9, 0));
    assert_eq!(titled(&["Realised trades", "Unrealised trades"]), (9, 0));
    assert_eq!(titled(&[]), (9, 0));
}

#[test]
fn every_invalid_row_is_an_error_with_its_cell() {
    let with = |column: usize, cell: TestCell| {
        read(&changed(|sheet| {
            let mut row = cells(&OPTIONS[0]);
            row[column] = cell.clone();
            sheet.table.insert(9, row);
        }))
    };
    let cases = [
        (0, text(""), "A", "symbol_missing"),
        (1, text("many"), "B", "quantity_not_a_number"),
        (1, TestCell::Number(0.5), "B", "quantity_not_whole"),
        (2, text("31 Nov 2025"), "C", "date_invalid"),
        (5, text("01 Jan 2099"), "F", "date_in_future"),
        (3, TestCell::Number(99.0), "E", "value_implausible"),
        (4, text("n/a"), "E", "value_not_a_number"),
        (7, TestCell::Number(-1.0), "H", "value_not_positive"),
    ];
    for (column, cell, column_name, code) in cases {
        let outcome = with(column, cell);
        assert_eq!(outcome.errors(), [(34, column_name, code)], "{code}");
        assert_eq!(outcome.trades.len(), 9, "{code}");
    }
    // A name without a contract is imported without one.
    let outcome = with(0, text("SOMETHING ELSE"));
    assert_eq!(outcome.warnings()[0], (34, "A", "contract_unknown"));
    assert_eq!((outcome.trades.len(), &outcome.trades[4].contract), (11, &None));
}
