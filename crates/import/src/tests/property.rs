//! Property tests: any row is a valid trade or an error, and source keys do not depend on how files are split.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{read, tradebook_header};

/// Valid, nearly valid and invalid cells.
fn cell() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
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
    prop_oneof![4 => special.prop_map(str::to_owned), 1 => "[^\"\r\n]{0,60}"]
}

/// Row with mostly valid cells.
fn row() -> impl Strategy<Value = Vec<String>> {
    const VALID: [&str; 13] = [
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
    let cells: Vec<_> = VALID.iter().map(|valid| prop_oneof![6 => Just((*valid).to_owned()), 1 => cell()]).collect();
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_row_is_a_trade_or_an_error(rows in prop::collection::vec(row(), 1..12)) {
        let mut file = tradebook_header();
        for row in &rows {
            file.push('\n');
            file.push_str(&row.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(","));
        }
        let outcome = read(file.as_bytes());
        outcome.assert_valid();
    }

    /// A trader may download files for overlapping periods; the same trade always has the same key.
    #[test]
    fn overlapping_files_in_any_order_have_the_same_keys_as_one_file(
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
            let offset = if part.is_empty() { 0 } else { shuffle.index(part.len()) };
            part.rotate_left(offset);
            part
        });
        let union: BTreeSet<_> = parts.flat_map(|part| keys_of(&part)).collect();
        prop_assert_eq!(union, keys);
    }

    /// Without ids equal trades are numbered, so this holds for files of whole days only, as the brokers' files are.
    #[test]
    fn overlapping_files_of_whole_days_without_ids_have_the_same_keys_as_one_file(
        lines in prop::collection::vec(fill(), 1..40),
        files in prop::collection::vec((1..5_u8, 1..5_u8), 1..6),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let lines: Vec<_> = lines.iter().map(|line| format!("{line},,,")).collect();
        let keys = keys_of(&lines);
        prop_assert_eq!(keys.len(), lines.len());
        let parts = [(1, 5)].into_iter().chain(files).map(|(from, to)| {
            let is_in_days = |line: &&String| (from.min(to)..=from.max(to)).any(|day| line.contains(&format!("2025-06-0{day}")));
            let mut part: Vec<_> = lines.iter().filter(is_in_days).cloned().collect();
            let offset = if part.is_empty() { 0 } else { shuffle.index(part.len()) };
            part.rotate_left(offset);
            part
        });
        let union: BTreeSet<_> = parts.flat_map(|part| keys_of(&part)).collect();
        prop_assert_eq!(union, keys);
    }
}

/// Fill without ids. There are few different ones, so that many are equal.
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
