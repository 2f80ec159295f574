//! Rules of column mappings, which the trade log stores and the import applies.

use std::collections::HashSet;

use prost::Message as _;
use sha2::{Digest as _, Sha256};

use crate::failure::Violation;
use crate::trades::v1::{Broker, ColumnField, ColumnMapping, Exchange, Segment};

/// Maximum number of saved mappings of an account. All of them are given to the parser process in one argument, which
/// Linux limits to 128 KiB.
pub const MAX_MAPPINGS: usize = 20;
/// Maximum size of an encoded mapping.
pub const MAX_MAPPING_BYTES: usize = 3 * 1024;
const MAX_COLUMNS: usize = 64;
const MAX_NAME_CHARS: usize = 100;
const MAX_LABELS: usize = 10;
const MAX_LABEL_CHARS: usize = 30;
/// Units in a lot; the largest lots of the exchanges have some 70,000.
const MAX_LOT_SIZE: u32 = 1_000_000;

/// Converts a column name to lower case and removes spaces, dots, underscores and byte order marks.
pub fn normalise_column_name(name: &str) -> String {
    let significant = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '.' | '\u{feff}'));
    significant.flat_map(char::to_lowercase).collect()
}

/// Returns the SHA-256 of the normalised names of a header.
pub fn header_digest(header: &[String]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for name in header {
        digest.update(normalise_column_name(name));
        digest.update([0]);
    }
    digest.finalize().into()
}

/// Returns the units in a lot that a mapping states for all rows.
pub fn parse_lot_size(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().filter(|size| (1..=MAX_LOT_SIZE).contains(size))
}

/// Returns one violation for each invalid field of a mapping. `prefix` is its path in the request.
pub fn validate(mapping: &ColumnMapping, prefix: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut reject = |field: &str, reason: &'static str| {
        violations.push(Violation::new(format!("{prefix}.{field}"), reason));
    };
    let is_name = |name: &String| name.chars().count() <= MAX_NAME_CHARS && !name.contains(char::is_control);
    if !(2..=MAX_COLUMNS).contains(&mapping.header.len()) || !mapping.header.iter().all(is_name) {
        reject("header", "HEADER_INVALID");
    }
    if mapping.broker() == Broker::Unspecified {
        reject("broker", "INVALID");
    }
    if crate::broker_account::parse_account_number(mapping.broker_account).is_none() {
        reject("broker_account", "ACCOUNT_INVALID");
    }
    if mapping.segment() == Segment::Unspecified {
        reject("segment", "INVALID");
    }
    let (mut columns, mut fields) = (HashSet::new(), HashSet::new());
    let is_valid = mapping.columns.iter().all(|mapped| {
        let in_header = usize::try_from(mapped.column).is_ok_and(|column| column < mapping.header.len());
        let field = mapped.field();
        in_header && field != ColumnField::Unspecified && columns.insert(mapped.column) && fields.insert(field)
    });
    if !is_valid {
        reject("columns", "COLUMNS_INVALID");
    }
    let has = |field| fields.contains(&field);
    let has_instrument = has(ColumnField::Symbol) || (has(ColumnField::Underlying) && has(ColumnField::Expiry));
    let has_both_prices = has(ColumnField::BuyPrice) && has(ColumnField::SellPrice);
    let has_price = has_both_prices || (has(ColumnField::Price) && has(ColumnField::Side));
    if !(has_instrument && has_price && has(ColumnField::Quantity) && has(ColumnField::Date)) {
        reject("columns", "COLUMNS_MISSING");
    }
    if !has(ColumnField::Exchange) && mapping.exchange() == Exchange::Unspecified {
        reject("exchange", "EXCHANGE_MISSING");
    }
    let has_lot_size = has(ColumnField::LotSize) || parse_lot_size(&mapping.lot_size).is_some();
    let is_lot_size_valid = mapping.lot_size.is_empty() || parse_lot_size(&mapping.lot_size).is_some();
    if !is_lot_size_valid || (mapping.quantity_in_lots && !has_lot_size) {
        reject("lot_size", "LOT_SIZE_INVALID");
    }
    let mut labels = HashSet::new();
    let are_labels = [&mapping.buy_labels, &mapping.sell_labels].into_iter().all(|list| {
        let is_label = |label: &String| {
            let label = label.trim().to_lowercase();
            (1..=MAX_LABEL_CHARS).contains(&label.chars().count()) && labels.insert(label)
        };
        list.len() <= MAX_LABELS && list.iter().all(is_label)
    });
    if !are_labels {
        reject("buy_labels", "LABELS_INVALID");
    }
    if mapping.encoded_len() > MAX_MAPPING_BYTES {
        reject("header", "MAPPING_TOO_LARGE");
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trades::v1::MappedColumn;

    fn mapping() -> ColumnMapping {
        let fields =
            [ColumnField::Symbol, ColumnField::Side, ColumnField::Quantity, ColumnField::Price, ColumnField::Date];
        let columns = (0..).zip(fields).map(|(column, field)| MappedColumn { column, field: field.into() });
        ColumnMapping {
            header: ["Scrip", "B/S", "Traded Qty", "Rate", "Date"].map(str::to_owned).to_vec(),
            broker: Broker::Zerodha.into(),
            segment: Segment::Equity.into(),
            columns: columns.collect(),
            exchange: Exchange::Nse.into(),
            ..Default::default()
        }
    }

    fn violations(change: impl FnOnce(&mut ColumnMapping)) -> Vec<String> {
        let mut mapping = mapping();
        change(&mut mapping);
        let all = validate(&mapping, "mapping");
        all.into_iter().map(|violation| format!("{} {}", violation.field, violation.reason)).collect()
    }

    #[test]
    fn the_digest_ignores_case_spaces_dots_and_underscores() {
        let digest = |names: &[&str]| header_digest(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(digest(&["Order ID", "Qty."]), digest(&["\u{feff}order_id", " QTY"]));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }

    #[test]
    fn rejects_a_mapping_for_each_violated_rule() {
        assert_eq!(violations(|_| ()), [""; 0]);
        for (change, expected) in [
            ((|m| m.header.truncate(1)) as fn(&mut ColumnMapping), "mapping.header HEADER_INVALID"),
            (|m| m.header[0] = "x".repeat(101), "mapping.header HEADER_INVALID"),
            (|m| m.broker = 0, "mapping.broker INVALID"),
            (|m| m.broker_account = 21, "mapping.broker_account ACCOUNT_INVALID"),
            (|m| m.segment = 0, "mapping.segment INVALID"),
            (|m| m.columns[0].column = 5, "mapping.columns COLUMNS_INVALID"),
            (|m| m.columns[0].column = 1, "mapping.columns COLUMNS_INVALID"),
            (|m| m.columns[0].field = 99, "mapping.columns COLUMNS_INVALID"),
            (|m| m.columns.truncate(4), "mapping.columns COLUMNS_MISSING"),
            (|m| m.columns[1].field = ColumnField::BuyPrice.into(), "mapping.columns COLUMNS_MISSING"),
            (|m| m.exchange = 0, "mapping.exchange EXCHANGE_MISSING"),
            (|m| m.quantity_in_lots = true, "mapping.lot_size LOT_SIZE_INVALID"),
            (|m| m.lot_size = "0".to_owned(), "mapping.lot_size LOT_SIZE_INVALID"),
            (|m| m.buy_labels = vec!["x".to_owned(), " X".to_owned()], "mapping.buy_labels LABELS_INVALID"),
            (|m| m.sell_labels = vec![String::new()], "mapping.buy_labels LABELS_INVALID"),
        ] {
            assert!(violations(change).iter().any(|violation| violation == expected), "{expected}");
        }
        let wide = violations(|m| m.header = vec!["x".repeat(100); 64]);
        assert_eq!(wide, ["mapping.header MAPPING_TOO_LARGE"]);
    }

    #[test]
    fn two_price_columns_replace_price_and_side() {
        let two_prices = |m: &mut ColumnMapping| {
            m.columns[1].field = ColumnField::BuyPrice.into();
            m.columns[3].field = ColumnField::SellPrice.into();
        };
        assert_eq!(violations(two_prices), [""; 0]);
    }
}
