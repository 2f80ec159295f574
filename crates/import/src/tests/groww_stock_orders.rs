//! Groww's order history for stocks in all known layouts.

use rpc::trades::v1::{Exchange, ImportedTrade, Segment, Side, TimePrecision};

use super::fixtures::{ORDER_COLUMNS, ORDER_ROWS, Sheet, TestCell, orders, patched, text, xlsx};
use super::{Outcome, decimal, issue_text, read};

/// Checks the three trades, which all layouts have.
#[track_caller]
fn check(outcome: &Outcome, layout: &str) {
    assert_eq!(outcome.format, Some(("groww-stock-orders".to_owned(), Segment::Equity)), "{layout}");
    assert_eq!(outcome.sum(Side::Buy), (2, decimal("103"), decimal("27000.6")), "{layout}");
    assert_eq!(outcome.sum(Side::Sell), (1, decimal("3"), decimal("1000")), "{layout}");
    assert_eq!(outcome.errors(), [], "{layout}");
    assert_eq!(
        outcome.warnings(),
        [(10, "J", "order_not_executed"), (11, "F", "rights_entitlement_without_price")],
        "{layout}"
    );
    assert_eq!(outcome.counts(), (5, 3, 0, 2, 2), "{layout}");
    assert_eq!(
        outcome.keys(),
        [
            "2025-06-05/NSE/1200000000000001/INE154A01025/BUY",
            "2025-06-05/BSE/1200000000000002/INE040H01021/BUY",
            "2025-06-06/NSE/1200000000000003/INE467B01029/SELL",
        ],
        "{layout}"
    );
    let prices: Vec<_> = outcome.trades.iter().map(|trade| (trade.price.as_str(), trade.value.as_str())).collect();
    assert_eq!(prices, [("269.365", "26936.5"), ("21.3667", "64.1"), ("333.3333", "1000")], "{layout}");
    let times: Vec<_> = outcome.trades.iter().map(|trade| trade.executed_at.unwrap().seconds % 86_400).collect();
    // 09:15, 12:05 and 00:10 in India.
    assert_eq!(times, [13_500, 23_700, 67_200], "{layout}");
    assert!(outcome.trades.iter().all(|trade| trade.time_precision() == TimePrecision::Minute), "{layout}");
    let exchanges: Vec<_> = outcome.trades.iter().map(ImportedTrade::exchange).collect();
    assert_eq!(exchanges, [Exchange::Nse, Exchange::Bse, Exchange::Nse], "{layout}");
}

#[test]
fn every_layout_gives_the_same_trades_with_the_exact_value() {
    let layouts: [(&str, Sheet); 8] = [
        ("client code as text", orders(text("1234567890"))),
        ("client code as a number", orders(TestCell::Number(1_234_567_890.0))),
        ("times as serials", {
            let mut sheet = orders(text("1"));
            let serials = [45_813.385_416_67, 45_813.503_472_22, 45_814.006_944_44];
            for (row, serial) in sheet.table.iter_mut().skip(1).zip(serials) {
                row[8] = TestCell::Date(serial);
            }
            sheet
        }),
        ("snake case, all text, money with commas", {
            let mut sheet = orders(text("1"));
            for (row, source) in sheet.table.iter_mut().skip(1).zip(ORDER_ROWS) {
                *row = source.iter().map(|value| text(value)).collect();
            }
            sheet.table[0] = ORDER_COLUMNS.map(|name| text(&name.to_lowercase().replace(' ', "_"))).to_vec();
            sheet.table[1][5] = text("₹26,936.50");
            sheet
        }),
        ("hidden rows", Sheet { hidden_rows: vec![7, 8], ..orders(text("1")) }),
        ("thousands of blank rows", {
            let mut sheet = orders(text("1"));
            sheet.extra_cells.extend((40..4_040).map(|row| (row, 3, text(""))));
            sheet
        }),
        ("numeric ids", {
            let mut sheet = orders(text("1"));
            for row in sheet.table.iter_mut().skip(1) {
                let TestCell::Text(id) = &row[7] else { panic!("ids are text") };
                row[7] = TestCell::Number(id.parse().unwrap());
            }
            sheet
        }),
        ("a PM time without a space", {
            let mut sheet = orders(text("1"));
            sheet.table[2][8] = text("05-06-2025 12:05PM");
            sheet
        }),
    ];
    for (layout, sheet) in layouts {
        let outcome = read(&xlsx(&[sheet]));
        check(&outcome, layout);
    }
    let declared = |size: &str| {
        patched(&xlsx(&[orders(text("1"))]), "xl/worksheets/sheet1.xml", |xml| {
            xml.replacen("<dimension ref=\"A1:J11\"/>", &format!("<dimension ref=\"{size}\"/>"), 1)
        })
    };
    for size in ["A1", "A1:XFD1048576"] {
        check(&read(&declared(size)), size);
    }
    check(&read(include_bytes!("fixtures/xls/orders.xls")), ".xls");
}

#[test]
fn columns_in_another_order_give_the_same_trades() {
    let mut sheet = orders(text("1"));
    for row in &mut sheet.table {
        row.reverse();
    }
    let (reordered, original) = (read(&xlsx(&[sheet])), read(&xlsx(&[orders(text("1"))])));
    assert_eq!(reordered.trades, original.trades);
    assert_eq!(reordered.warnings(), [(10, "A", "order_not_executed"), (11, "E", "rights_entitlement_without_price")]);
}

#[test]
fn an_order_without_a_status_is_an_error() {
    let mut sheet = orders(text("1"));
    sheet.table[1][9] = text("");
    assert_eq!(read(&xlsx(&[sheet])).errors(), [(7, "J", "order_status_missing")]);
}

#[test]
fn an_order_without_a_value_is_an_error() {
    let mut sheet = orders(text("1"));
    sheet.table[1][5] = TestCell::Number(0.0);
    sheet.table[2][5] = text("n/a");
    sheet.table[3][5] = TestCell::Number(-4.0);
    let outcome = read(&xlsx(&[sheet]));
    assert_eq!(
        outcome.errors()[..3],
        [(7, "F", "value_not_positive"), (8, "F", "value_not_a_number"), (9, "F", "value_not_positive")]
    );
    assert_eq!((outcome.format.is_none(), outcome.trades.len()), (true, 0));
}

#[test]
fn skips_a_rights_entitlement_sold_without_a_price() {
    let issue = |symbol: &str, side: &str, value: f64| {
        let mut sheet = orders(text("1"));
        (sheet.table[3][1], sheet.table[3][3]) = (text(symbol), text(side));
        sheet.table[3][5] = TestCell::Number(value);
        let outcome = read(&xlsx(&[sheet]));
        let code = |issues: Vec<(i64, &str, &str)>| {
            issues.into_iter().find(|(row, _, _)| *row == 9).map(|(_, _, code)| code.to_owned())
        };
        code(outcome.errors()).or(code(outcome.warnings()))
    };
    for symbol in ["TCS-RE", "TCS-RE1"] {
        assert_eq!(issue(symbol, "SELL", 0.0).as_deref(), Some("rights_entitlement_without_price"), "{symbol}");
        assert_eq!(issue(symbol, "SELL", 12.5), None, "{symbol}");
        assert_eq!(issue(symbol, "BUY", 0.0).as_deref(), Some("value_not_positive"), "{symbol}");
    }
    assert_eq!(issue("TCS", "SELL", 0.0).as_deref(), Some("value_not_positive"));
}

#[test]
fn an_order_id_with_different_contents_is_an_error_that_names_the_first_row() {
    let again = |column: usize, cell: TestCell| {
        let mut sheet = orders(text("1"));
        sheet.table.truncate(2);
        sheet.table.push(sheet.table[1].clone());
        sheet.table[2][column] = cell;
        read(&xlsx(&[sheet]))
    };
    for (column, cell) in
        [(4, TestCell::Number(99.0)), (5, TestCell::Number(26_936.6)), (8, text("05-06-2025 09:16 AM"))]
    {
        let outcome = again(column, cell);
        assert_eq!((outcome.errors(), outcome.trades.len()), (vec![(8, "H", "trade_id_conflict")], 1), "{column}");
        assert_eq!(issue_text(&outcome.error_issues()[0]), "Row 7 has the same id but is a different trade.");
    }
    // The other side is another order. An unchanged or renamed row is the same order.
    for (column, cell) in [(3, text("SELL")), (3, text("BUY")), (1, text("ITCNEW"))] {
        let outcome = again(column, cell);
        assert_eq!((outcome.errors(), outcome.trades.len()), (vec![], 2), "{column}");
    }
}

#[test]
fn the_key_of_an_order_without_an_id_is_its_contents() {
    let mut sheet = orders(text("1"));
    sheet.table[1][7] = TestCell::Number(1.2e18);
    let outcome = read(&xlsx(&[sheet]));
    assert_eq!(outcome.keys()[0], "2025-06-05/NSE//INE154A01025/BUY/100/26936.5/1749095100/1");
}
