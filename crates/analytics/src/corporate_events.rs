//! Corporate actions of companies, from the dated table in `events/`.
//!
//! The table is not complete. An event of it is proposed to a trader who held the share; nothing is applied unasked.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::LazyLock;

use rust_decimal::Decimal;
use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};

/// Table of the larger events since 2016.
const TABLE: &str = include_str!("../events/corporate-actions.csv");

/// Row of the table. `new` shares of `new_symbol`, or of the same share, are given for `old` shares.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    ex_date: String,
    symbol: String,
    kind: String,
    new_symbol: String,
    new: String,
    old: String,
    /// Part of the cost that a demerger moves to the new shares; empty if unknown.
    cost_percent: String,
    allotted: String,
    isin_before: String,
    isin_after: String,
    certainty: String,
    source: String,
}

/// Corporate action of a company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorporateEvent {
    /// The event as an adjustment without a number.
    pub adjustment: Adjustment,
    pub isin_before: String,
    pub isin_after: String,
    /// True if a text of the source was read; otherwise the trader has to check it.
    pub verified: bool,
    pub source: String,
}

/// Events by symbol, the oldest first.
static EVENTS: LazyLock<HashMap<String, Vec<CorporateEvent>>> = LazyLock::new(|| {
    let mut events: HashMap<String, Vec<CorporateEvent>> = HashMap::new();
    // The tests parse every row, so a row that cannot be parsed fails there.
    for event in csv::Reader::from_reader(TABLE.as_bytes()).deserialize().flatten().filter_map(parse_event) {
        events.entry(event.adjustment.symbol.clone()).or_default().push(event);
    }
    events
});

/// Returns the events of a share under this symbol, the oldest first.
pub fn events_of(symbol: &str) -> &'static [CorporateEvent] {
    EVENTS.get(symbol).map(Vec::as_slice).unwrap_or_default()
}

fn parse_event(row: Row) -> Option<CorporateEvent> {
    let parse_day = |text: &str| Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let allotted = if row.allotted.is_empty() { None } else { Some(parse_day(&row.allotted)?) };
    let ratio = || Some(Ratio { new: row.new.parse().ok()?, old: row.old.parse().ok()? });
    let kind = match row.kind.as_str() {
        "split" => AdjustmentKind::Split(ratio()?),
        "bonus" => AdjustmentKind::Bonus { ratio: ratio()?, allotted },
        "rename" => AdjustmentKind::Rename(row.new_symbol),
        "merger" => AdjustmentKind::Merger { into: row.new_symbol, ratio: ratio()?, cash: Decimal::ZERO },
        "demerger" => AdjustmentKind::Demerger {
            new_symbol: row.new_symbol,
            ratio: ratio()?,
            cost_percent: Decimal::from_str(&row.cost_percent).ok()?,
        },
        _ => return None,
    };
    Some(CorporateEvent {
        adjustment: Adjustment { id: 0, symbol: row.symbol, day: parse_day(&row.ex_date)?, kind },
        isin_before: row.isin_before,
        isin_after: row.isin_after,
        verified: row.certainty == "verified",
        source: row.source,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn rows() -> Vec<Row> {
        csv::Reader::from_reader(TABLE.as_bytes()).deserialize().collect::<Result<_, _>>().unwrap()
    }

    /// Returns whether the last digit of an ISIN is its check digit (ISO 6166): letters count as two digits, and from the
    /// right every second digit is doubled.
    fn has_valid_check_digit(isin: &str) -> bool {
        let digits: Vec<u32> = isin
            .chars()
            .map(|c| c.to_digit(36).unwrap())
            .flat_map(|value| if value > 9 { vec![value / 10, value % 10] } else { vec![value] })
            .collect();
        let weigh = |(index, digit): (usize, &u32)| {
            let digit = if index % 2 == 1 { digit * 2 } else { *digit };
            digit / 10 + digit % 10
        };
        digits.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
    }

    #[test]
    fn accepts_only_isins_with_a_valid_check_digit() {
        assert!(has_valid_check_digit("INE009A01021") && !has_valid_check_digit("INE009A01022"));
    }

    #[test]
    fn every_row_can_be_parsed_and_states_its_source_and_certainty() {
        for row in rows() {
            assert!(["verified", "recalled"].contains(&row.certainty.as_str()), "{row:?}");
            assert!(row.source.len() > 10, "{row:?}");
            let event = parse_event(row.clone()).unwrap_or_else(|| panic!("{row:?}"));
            assert!(event.adjustment.day.year() >= 2016, "{row:?}");
            assert!(event.adjustment.kind.other_symbol() != Some(&row.symbol), "{row:?}");
            if let AdjustmentKind::Bonus { allotted: Some(allotted), .. } = event.adjustment.kind {
                assert!(event.adjustment.day <= allotted, "{row:?}");
            }
        }
    }

    #[test]
    fn rows_are_sorted_and_unique() {
        let keys: Vec<_> = rows().into_iter().map(|row| (row.ex_date, row.symbol, row.kind, row.new_symbol)).collect();
        let sorted: BTreeSet<_> = keys.iter().cloned().collect();
        assert_eq!(keys, sorted.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn isins_are_valid_and_change_only_with_the_face_value() {
        for row in rows() {
            for isin in [&row.isin_before, &row.isin_after].into_iter().filter(|isin| !isin.is_empty()) {
                let is_share = isin.len() == 12 && isin.starts_with("INE") && isin.get(7..9) == Some("01");
                assert!(is_share && has_valid_check_digit(isin), "{row:?}");
            }
            // A split changes the face value, and so the ISIN; a bonus does not.
            let is_known = !row.isin_before.is_empty() && !row.isin_after.is_empty();
            match row.kind.as_str() {
                "split" => assert!(!is_known || row.isin_before != row.isin_after, "{row:?}"),
                "bonus" => assert!(row.isin_before == row.isin_after, "{row:?}"),
                _ => {}
            }
        }
    }
}
