//! Groww's order history for stocks.

use rpc::trades::v1::{Exchange, ImportedTrade, Segment, Side, TimePrecision};

use super::fixtures::{ORDER_ROWS, ORDERS, Put, Sheet, orders, patched, text, xlsx};
use super::{Outcome, decimal, read};

#[track_caller]
fn check(outcome: &Outcome, shape: &str) {
    assert_eq!(outcome.found, Some(("groww-stock-orders".to_owned(), Segment::Equity)), "{shape}");
    assert_eq!(outcome.sum(Side::Buy), (2, decimal("103"), decimal("27000.6")), "{shape}");
    assert_eq!(outcome.sum(Side::Sell), (1, decimal("3"), decimal("1000")), "{shape}");
    assert_eq!(outcome.located(), [], "{shape}");
    assert_eq!(outcome.warned(), [(10, "J", "order_not_executed"), (11, "F", "entitlement_without_price")], "{shape}");
    assert_eq!(outcome.counts(), (5, 3, 0, 2, 2), "{shape}");
    assert_eq!(
        outcome.keys(),
        [
            "2025-06-05/NSE/1200000000000001/INE154A01025/BUY",
            "2025-06-05/BSE/1200000000000002/INE040H01021/BUY",
            "2025-06-06/NSE/1200000000000003/INE467B01029/SELL",
        ],
        "{shape}"
    );
    let prices: Vec<_> = outcome.trades.iter().map(|trade| (trade.price.as_str(), trade.value.as_str())).collect();
    assert_eq!(prices, [("269.365", "26936.5"), ("21.3667", "64.1"), ("333.3333", "1000")], "{shape}");
    let times: Vec<_> = outcome.trades.iter().map(|trade| trade.executed_at.unwrap().seconds % 86_400).collect();
    // 09:15, 12:05 and 00:10 in India.
    assert_eq!(times, [13_500, 23_700, 67_200], "{shape}");
    assert!(outcome.trades.iter().all(|trade| trade.time_precision() == TimePrecision::Minute), "{shape}");
    let exchanges: Vec<_> = outcome.trades.iter().map(ImportedTrade::exchange).collect();
    assert_eq!(exchanges, [Exchange::Nse, Exchange::Bse, Exchange::Nse], "{shape}");
}

#[test]
fn orders_become_trades_with_the_total_kept() {
    let shapes: [(&str, Sheet); 8] = [
        ("client code as text", orders(text("1234567890"))),
        ("client code as a number", orders(Put::Number(1_234_567_890.0))),
        ("times as serials", {
            let mut sheet = orders(text("1"));
            let serials = [45_813.385_416_67, 45_813.503_472_22, 45_814.006_944_44];
            for (row, serial) in sheet.table.iter_mut().skip(1).zip(serials) {
                row[8] = Put::Date(serial);
            }
            sheet
        }),
        ("snake case, all text, money with commas", {
            let mut sheet = orders(text("1"));
            for (row, source) in sheet.table.iter_mut().skip(1).zip(ORDER_ROWS) {
                *row = source.iter().map(|value| text(value)).collect();
            }
            sheet.table[0] = ORDERS.map(|name| text(&name.to_lowercase().replace(' ', "_"))).to_vec();
            sheet.table[1][5] = text("₹26,936.50");
            sheet
        }),
        ("hidden rows", Sheet { hidden_rows: vec![7, 8], ..orders(text("1")) }),
        ("thousands of blank rows", {
            let mut sheet = orders(text("1"));
            sheet.loose.extend((40..4_040).map(|row| (row, 3, text(""))));
            sheet
        }),
        ("numeric ids", {
            let mut sheet = orders(text("1"));
            for row in sheet.table.iter_mut().skip(1) {
                let Put::Text(id) = &row[7] else { panic!("ids are text") };
                row[7] = Put::Number(id.parse().unwrap());
            }
            sheet
        }),
        ("times of the second half without a space", {
            let mut sheet = orders(text("1"));
            sheet.table[2][8] = text("05-06-2025 12:05PM");
            sheet
        }),
    ];
    for (shape, sheet) in shapes {
        let outcome = read(&xlsx(&[sheet]));
        check(&outcome, shape);
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
    let (other, usual) = (read(&xlsx(&[sheet])), read(&xlsx(&[orders(text("1"))])));
    assert_eq!(other.trades, usual.trades);
    assert_eq!(other.warned(), [(10, "A", "order_not_executed"), (11, "E", "entitlement_without_price")]);
}

#[test]
fn an_order_without_a_status_is_listed() {
    let mut sheet = orders(text("1"));
    sheet.table[1][9] = text("");
    assert_eq!(read(&xlsx(&[sheet])).located(), [(7, "J", "order_status_missing")]);
}

#[test]
fn a_trade_without_a_total_is_listed() {
    let mut sheet = orders(text("1"));
    sheet.table[1][5] = Put::Number(0.0);
    sheet.table[2][5] = text("n/a");
    sheet.table[3][5] = Put::Number(-4.0);
    let outcome = read(&xlsx(&[sheet]));
    assert_eq!(
        outcome.located()[..3],
        [(7, "F", "value_not_positive"), (8, "F", "value_not_a_number"), (9, "F", "value_not_positive")]
    );
    assert_eq!((outcome.found.is_none(), outcome.trades.len()), (true, 0));
}

#[test]
fn an_entitlement_is_skipped_only_where_it_left_for_nothing() {
    let row = |symbol: &str, side: &str, value: f64| {
        let mut sheet = orders(text("1"));
        (sheet.table[3][1], sheet.table[3][3]) = (text(symbol), text(side));
        sheet.table[3][5] = Put::Number(value);
        let outcome = read(&xlsx(&[sheet]));
        let told =
            |told: Vec<(i64, &str, &str)>| told.into_iter().find(|(row, _, _)| *row == 9).map(|it| it.2.to_owned());
        told(outcome.located()).or(told(outcome.warned()))
    };
    for symbol in ["TCS-RE", "TCS-RE1"] {
        assert_eq!(row(symbol, "SELL", 0.0).as_deref(), Some("entitlement_without_price"), "{symbol}");
        assert_eq!(row(symbol, "SELL", 12.5), None, "{symbol}");
        assert_eq!(row(symbol, "BUY", 0.0).as_deref(), Some("value_not_positive"), "{symbol}");
    }
    assert_eq!(row("TCS", "SELL", 0.0).as_deref(), Some("value_not_positive"));
}

#[test]
fn one_order_id_with_other_contents_is_listed_with_the_row_that_has_it() {
    let again = |column: usize, put: Put| {
        let mut sheet = orders(text("1"));
        sheet.table.truncate(2);
        sheet.table.push(sheet.table[1].clone());
        sheet.table[2][column] = put;
        read(&xlsx(&[sheet]))
    };
    for (column, put) in [(4, Put::Number(99.0)), (5, Put::Number(26_936.6)), (8, text("05-06-2025 09:16 AM"))] {
        let outcome = again(column, put);
        assert_eq!((outcome.located(), outcome.trades.len()), (vec![(8, "H", "trade_id_conflict")], 1), "{column}");
        assert_eq!(outcome.problems()[0].message, "Row 7 has the same id and is another trade.");
    }
    // The other side is another order; the same row, or the same under a new name, is the same one.
    for (column, put) in [(3, text("SELL")), (3, text("BUY")), (1, text("ITCNEW"))] {
        let outcome = again(column, put);
        assert_eq!((outcome.located(), outcome.trades.len()), (vec![], 2), "{column}");
    }
}

#[test]
fn an_order_without_a_number_has_a_key_of_its_contents() {
    let mut sheet = orders(text("1"));
    sheet.table[1][7] = Put::Number(1.2e18);
    let outcome = read(&xlsx(&[sheet]));
    assert_eq!(outcome.keys()[0], "2025-06-05/NSE//INE154A01025/BUY/100/26936.5/1749095100/1");
}
