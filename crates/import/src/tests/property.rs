//! Whatever stands in the cells, a row is a trade that the trade log takes, or a problem.

use std::collections::BTreeSet;

use proptest::prelude::*;

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
        outcome.assert_sound();
    }

    /// A file may be downloaded for any time, again and again, in any order: the same trade has the same key.
    #[test]
    fn overlapping_files_in_any_order_give_the_keys_of_the_whole(
        lines in prop::collection::vec(fill(), 1..40),
        files in prop::collection::vec((0..40_usize, 0..40_usize), 1..6),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let lines: Vec<_> = lines.iter().enumerate().map(|(id, line)| format!("{line},{id},9,")).collect();
        let keys = keys_of(&lines);
        prop_assert_eq!(keys.len(), lines.len());
        let covered = [(0, lines.len())].into_iter().chain(files);
        let parts = covered.map(|(from, to)| {
            let (from, to) = (from.min(to).min(lines.len()), from.max(to).min(lines.len()));
            let mut part = lines[from..to].to_vec();
            let turn = if part.is_empty() { 0 } else { shuffle.index(part.len()) };
            part.rotate_left(turn);
            part
        });
        let union: BTreeSet<_> = parts.flat_map(|part| keys_of(&part)).collect();
        prop_assert_eq!(union, keys);
    }

    /// Without ids equal trades are told apart by their number among their equals, so a file must hold whole days, as
    /// the brokers' files do.
    #[test]
    fn so_do_files_of_whole_days_where_the_ids_are_lost(
        lines in prop::collection::vec(fill(), 1..40),
        files in prop::collection::vec((1..5_u8, 1..5_u8), 1..6),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let lines: Vec<_> = lines.iter().map(|line| format!("{line},,,")).collect();
        let keys = keys_of(&lines);
        prop_assert_eq!(keys.len(), lines.len());
        let parts = [(1, 5)].into_iter().chain(files).map(|(from, to)| {
            let of_days = |line: &&String| (from.min(to)..=from.max(to)).any(|day| line.contains(&format!("2025-06-0{day}")));
            let mut part: Vec<_> = lines.iter().filter(of_days).cloned().collect();
            let turn = if part.is_empty() { 0 } else { shuffle.index(part.len()) };
            part.rotate_left(turn);
            part
        });
        let union: BTreeSet<_> = parts.flat_map(|part| keys_of(&part)).collect();
        prop_assert_eq!(union, keys);
    }
}

/// A fill without its ids, of few kinds, so that many are equal.
fn fill() -> impl Strategy<Value = String> {
    let symbol = prop::sample::select(vec!["ITC", "M&M"]);
    let side = prop::sample::select(vec!["buy", "sell"]);
    (symbol, 1..5_u8, side, 1..3_u8).prop_map(|(symbol, day, side, quantity)| {
        format!("{symbol},,2025-06-0{day},NSE,EQ,EQ,{side},false,{quantity},100")
    })
}

fn keys_of(lines: &[String]) -> BTreeSet<String> {
    let file = std::iter::once(tradebook_header()).chain(lines.iter().cloned()).collect::<Vec<_>>().join("\n");
    read(file.as_bytes()).keys().into_iter().map(str::to_owned).collect()
}
