//! Groww's order history for stocks.

use rpc::trades::v1::{Segment, Side, TimePrecision};

use super::fixtures::{Put, Sheet, orders, text, xlsx};
use super::{Outcome, decimal, read};

#[track_caller]
fn check(outcome: &Outcome, shape: &str) {
    assert_eq!(outcome.found, Some(("groww-stock-orders".to_owned(), Segment::Equity)), "{shape}");
    assert_eq!(outcome.sum(Side::Buy), (2, decimal("103"), decimal("27000.6")), "{shape}");
    assert_eq!(outcome.sum(Side::Sell), (1, decimal("3"), decimal("1000")), "{shape}");
    assert_eq!(outcome.located(), [(10, "J", "order_not_executed"), (11, "F", "entitlement_without_price")], "{shape}");
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
}

#[test]
fn orders_become_trades_with_the_total_kept() {
    let shapes: [(&str, Sheet); 3] = [
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
    ];
    for (shape, sheet) in shapes {
        check(&read(&xlsx(&[sheet])), shape);
    }
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
