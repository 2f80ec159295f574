//! Shares by their names in the files of brokers that state neither symbol nor ISIN.

use std::collections::HashMap;
use std::sync::LazyLock;

use time::Date;

use crate::cell_value;

/// Table of shares. Each row has a source; a name that a share had until a day has that day.
const TABLE: &str = include_str!("../../data/shares.csv");

/// Symbol that belongs to a name or an ISIN.
struct Entry {
    /// Last day on which it does; none if it still does.
    until: Option<Date>,
    /// Symbol at NSE.
    symbol: String,
}

#[derive(Default)]
struct Shares {
    by_isin: HashMap<String, Vec<Entry>>,
    by_name: HashMap<String, Vec<Entry>>,
}

/// The table. It is parsed only for the files that need it, in the parser process.
static SHARES: LazyLock<Shares> = LazyLock::new(|| Shares::parse(TABLE));

impl Shares {
    /// Parses the table, whose rows the tests check.
    fn parse(table: &str) -> Self {
        let mut shares = Self::default();
        for record in csv::Reader::from_reader(table.as_bytes()).records().flatten() {
            let field = |index: usize| record.get(index).unwrap_or_default();
            let (symbol, isin, name, until) = (field(0), field(1), field(2), cell_value::parse_day(field(3)));
            let entry = || Entry { until, symbol: symbol.to_owned() };
            shares.by_isin.entry(isin.to_owned()).or_default().push(entry());
            for name in [normalise(name), normalise(symbol)] {
                shares.by_name.entry(name).or_default().push(entry());
            }
        }
        // Those with a last day come first.
        for entries in shares.by_isin.values_mut().chain(shares.by_name.values_mut()) {
            entries.sort_by_key(|entry| (entry.until.is_none(), entry.until));
        }
        shares
    }
}

fn find(entries: Option<&'static Vec<Entry>>, day: Date) -> Option<&'static str> {
    let entry = entries?.iter().find(|entry| entry.until.is_none_or(|until| day <= until))?;
    Some(&entry.symbol)
}

/// Returns the symbol of the share that had this ISIN on `day`.
pub(super) fn symbol_of_isin(isin: &str, day: Date) -> Option<&'static str> {
    find(SHARES.by_isin.get(isin), day)
}

/// Returns the symbol of the share that had this name or symbol on `day`.
pub(super) fn symbol_of_name(name: &str, day: Date) -> Option<&'static str> {
    find(SHARES.by_name.get(&normalise(name)), day)
}

/// Returns the name in capitals, without punctuation and the tokens that brokers abbreviate or omit.
fn normalise(name: &str) -> String {
    let upper = name.to_uppercase().replace('&', " AND ");
    let tokens = upper.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty());
    let mut tokens: Vec<&str> = tokens.filter(|token| !matches!(*token, "THE" | "AND")).collect();
    while tokens.len() > 1 && matches!(tokens.last(), Some(&("LIMITED" | "LTD"))) {
        tokens.pop();
    }
    tokens.join(" ")
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn every_row_is_complete_and_a_name_has_one_symbol_on_each_day() {
        let mut symbols = HashMap::new();
        let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
        assert_eq!(reader.headers().unwrap(), vec!["symbol", "isin", "name", "until", "source"]);
        for record in reader.records() {
            let record = record.unwrap();
            let [symbol, isin, name, until, source] = [0, 1, 2, 3, 4].map(|index| &record[index]);
            assert!(
                !symbol.is_empty() && isin.len() == 12 && isin.starts_with("INE") && !name.is_empty(),
                "{record:?}"
            );
            assert!(until.is_empty() || cell_value::parse_day(until).is_some(), "{record:?}");
            assert!(!source.is_empty(), "{record:?}");
            let first = symbols.entry((normalise(name), until.to_owned())).or_insert_with(|| symbol.to_owned());
            assert_eq!(first, symbol, "{record:?}");
        }
        assert!(symbols.len() > 1_500);
    }

    #[test]
    fn finds_a_share_by_the_spellings_of_brokers() {
        let day = date!(2026 - 07 - 01);
        for name in ["State Bank of India", "STATE BANK OF INDIA ", "SBIN", "sbin"] {
            assert_eq!(symbol_of_name(name, day), Some("SBIN"), "{name}");
        }
        for name in ["Larsen & Toubro Limited", "LARSEN AND TOUBRO LTD.", "Larsen & Toubro"] {
            assert_eq!(symbol_of_name(name, day), Some("LT"), "{name}");
        }
        assert_eq!(symbol_of_name("Limited", day), None);
        assert_eq!(symbol_of_name("Unheard of Limited", day), None);
        assert_eq!(symbol_of_isin("INE062A01020", day), Some("SBIN"));
    }

    #[test]
    fn a_name_that_moved_to_another_share_depends_on_the_day() {
        let symbols = |day| (symbol_of_name("Tata Motors Ltd", day), symbol_of_isin("INE155A01022", day));
        assert_eq!(symbols(date!(2025 - 10 - 13)), (Some("TATAMOTORS"), Some("TATAMOTORS")));
        assert_eq!(symbols(date!(2025 - 10 - 14)), (Some("TMCV"), Some("TMPV")));
    }
}
