//! Whatever stands in the cells, a row is a trade that the trade log takes, or a problem.

use proptest::prelude::*;
use rpc::trades::v1::{Exchange, Side, TimePrecision};
use rust_decimal::Decimal;

use super::{read, tradebook_header};

/// Cells that look right, almost right, and not at all.
fn cell() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "",
        " ",
        "-",
        "NaN",
        "1e400",
        "0.00001",
        "99999999999",
        "1,00,000",
        "₹ 5",
        "-1",
        "2025-02-30",
        "2025-06-05",
        "05-06-2025 12:00 PM",
        "2099-01-01",
        "24:00",
        "buy",
        "SELL",
        "EQ",
        "FO",
        "MF",
        "NSE",
        "BFO",
        "1.1E+15",
        "ITC",
        "\u{202e}ITC",
        "A-EQ",
        "INE154A01025",
        "1100000012345678",
        "99999999999999999999999999999999999999999",
    ]);
    prop_oneof![4 => odd.prop_map(str::to_owned), 1 => "[^\"\r\n]{0,60}"]
}

/// A row in which most cells are right.
fn row() -> impl Strategy<Value = Vec<String>> {
    const RIGHT: [&str; 13] = [
        "ITC",
        "INE154A01025",
        "2025-06-05",
        "NSE",
        "EQ",
        "EQ",
        "buy",
        "false",
        "10",
        "430.05",
        "1",
        "2",
        "2025-06-05T09:15:00",
    ];
    let cells: Vec<_> = RIGHT.iter().map(|right| prop_oneof![6 => Just((*right).to_owned()), 1 => cell()]).collect();
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_row_is_a_trade_or_a_problem(rows in prop::collection::vec(row(), 1..12)) {
        let mut file = tradebook_header();
        for row in &rows {
            file.push('\n');
            file.push_str(&row.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(","));
        }
        let outcome = read(file.as_bytes());
        if outcome.refused.is_some() {
            return Ok(());
        }
        let end = outcome.end.unwrap();
        prop_assert_eq!(end.rows, end.trades + end.problem_count);
        prop_assert_eq!(usize::try_from(end.trades).unwrap(), outcome.trades.len());
        for trade in &outcome.trades {
            let (quantity, price): (Decimal, Decimal) = (trade.quantity.parse().unwrap(), trade.price.parse().unwrap());
            let limit = Decimal::from(100_000_000_000_u64);
            prop_assert!(quantity > Decimal::ZERO && quantity < limit && quantity.fract().is_zero());
            prop_assert!(price > Decimal::ZERO && price < limit && price.normalize().scale() <= 4);
            let value = (quantity * price).round_dp(4);
            prop_assert!(value > Decimal::ZERO && value < limit);
            prop_assert!(!trade.symbol.is_empty() && trade.symbol.chars().count() <= 64);
            prop_assert!(!trade.source_key.is_empty() && trade.source_key.chars().count() <= 120);
            prop_assert!(!trade.symbol.chars().chain(trade.source_key.chars()).any(char::is_control));
            prop_assert!(trade.side() != Side::Unspecified && trade.exchange() != Exchange::Unspecified);
            prop_assert!(trade.executed_at.is_some() && trade.time_precision() != TimePrecision::Unspecified);
        }
    }
}
