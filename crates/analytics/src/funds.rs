//! Exchange-traded funds, from the list in `rates/funds.csv`.
//!
//! Securities transaction tax on a fund depends on what it holds, which no broker's file states.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::instrument::SecurityKind;

#[derive(Deserialize)]
struct Row {
    isin: String,
    symbol: String,
    kind: String,
}

/// Kinds by ISIN and by symbol.
static KINDS: LazyLock<HashMap<String, SecurityKind>> = LazyLock::new(|| {
    let mut kinds = HashMap::new();
    // The tests load the file, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../rates/funds.csv").as_bytes());
    for Row { isin, symbol, kind } in reader.deserialize().flatten() {
        let kind = parse_kind(&kind);
        kinds.insert(isin, kind);
        kinds.insert(symbol, kind);
    }
    kinds
});

fn parse_kind(kind: &str) -> SecurityKind {
    match kind {
        "equity" => SecurityKind::EquityFund,
        "gold" | "silver" | "debt" | "liquid" => SecurityKind::OtherFund,
        // Some funds of foreign shares pay the tax and some do not.
        _ => SecurityKind::UnknownFund,
    }
}

/// Returns the kind of a security. The ISIN of every Indian fund begins with INF, that of a government security with
/// IN00. The eighth and ninth characters of a company's ISIN are the type of the security, 07 and 08 for debentures.
/// Without an ISIN, the symbol decides.
pub fn find_security_kind(symbol: &str, isin: &str) -> SecurityKind {
    match isin {
        "" => KINDS.get(symbol).copied().unwrap_or(SecurityKind::Share),
        isin if isin.starts_with("INF") => KINDS.get(isin).copied().unwrap_or(SecurityKind::UnknownFund),
        isin if isin.starts_with("IN00") => SecurityKind::GovernmentSecurity,
        isin if isin.starts_with("INE") && matches!(isin.get(7..9), Some("07" | "08")) => SecurityKind::Debenture,
        _ => SecurityKind::Share,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_list_has_a_known_kind_and_a_unique_isin() {
        let mut reader = csv::Reader::from_reader(include_str!("../rates/funds.csv").as_bytes());
        let rows: Vec<Row> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        let kinds = ["equity", "gold", "silver", "international", "debt", "liquid"];
        for Row { isin, kind, .. } in &rows {
            assert!(kinds.contains(&kind.as_str()), "{isin} {kind}");
            assert!(isin.starts_with("INF") && isin.len() == 12, "{isin}");
        }
        assert_eq!(KINDS.len(), rows.len() * 2);
    }

    #[test]
    fn finds_the_kind_by_isin_and_otherwise_by_symbol() {
        for (symbol, isin, kind) in [
            ("INFY", "INE009A01021", SecurityKind::Share),
            ("INFY", "", SecurityKind::Share),
            ("NIFTYBEES", "INF204KB14I2", SecurityKind::EquityFund),
            ("NIFTYBEES", "", SecurityKind::EquityFund),
            ("GOLDBEES", "INF204KB17I5", SecurityKind::OtherFund),
            ("LIQUIDBEES", "INF732E01037", SecurityKind::OtherFund),
            ("MON100", "INF247L01AP3", SecurityKind::UnknownFund),
            ("NEWETF", "INF000000000", SecurityKind::UnknownFund),
            ("SGBFEB32IV", "IN0020230184", SecurityKind::GovernmentSecurity),
            ("IRFC-N2", "INE053F07AB5", SecurityKind::Debenture),
            // A company may have the symbol of a fund.
            ("SILVER", "INE009A01021", SecurityKind::Share),
        ] {
            assert_eq!(find_security_kind(symbol, isin), kind, "{symbol} {isin}");
        }
    }
}
