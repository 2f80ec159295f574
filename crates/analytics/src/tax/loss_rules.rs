//! Rules about losses by kind and year, from `rates/losses.csv`.

use std::sync::LazyLock;

use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use super::head::TaxHead;
use crate::financial_year::FinancialYear;

/// Rules about the losses of one kind, from a financial year on.
#[derive(Debug)]
pub struct LossRule {
    from: FinancialYear,
    kind: TaxHead,
    /// Years after the year of the loss in which it may be set off.
    years: i32,
    /// Section on losses of the same year.
    pub set_off_law: String,
    /// Section on losses of earlier years.
    pub carry_forward_law: String,
}

#[derive(Deserialize)]
struct Row {
    from: String,
    kind: String,
    years: i32,
    set_off_law: String,
    carry_forward_law: String,
}

/// Rules, the newest first.
static RULES: LazyLock<Vec<LossRule>> = LazyLock::new(|| {
    // A test counts the rows, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../../rates/losses.csv").as_bytes());
    let mut rules: Vec<_> = reader.deserialize().flatten().filter_map(parse_row).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.from));
    rules
});

fn parse_row(row: Row) -> Option<LossRule> {
    let from = Date::parse(&row.from, format_description!("[year]-[month]-[day]")).ok()?;
    let kind = TaxHead::from_name(&row.kind)?;
    let Row { years, set_off_law, carry_forward_law, .. } = row;
    Some(LossRule { from: FinancialYear::from_day(from), kind, years, set_off_law, carry_forward_law })
}

/// Returns the rule that applies in a year; none for years before the first row.
pub fn loss_rule(kind: TaxHead, year: FinancialYear) -> Option<&'static LossRule> {
    RULES.iter().find(|rule| rule.kind == kind && rule.from <= year)
}

/// Returns the last year in which a loss of `year` may be set off; none if it cannot be carried forward.
pub fn last_year_of_loss(kind: TaxHead, year: FinancialYear) -> Option<FinancialYear> {
    loss_rule(kind, year).map(|rule| FinancialYear(year.0 + rule.years))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_parsed_and_states_its_source() {
        let file = include_str!("../../rates/losses.csv");
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!((rows.len(), RULES.len()), (9, 9));
        for row in &rows {
            let (from, source) = (row.get(0).unwrap(), row.get(5).unwrap());
            assert!(from.ends_with("-04-01") && source.contains(';') && source.contains("ection"), "{row:?}");
        }
    }

    #[test]
    fn last_years_by_kind_and_year() {
        use TaxHead::{LongTerm, NonSpeculative, ShortTerm, Speculative};
        for (kind, year, last) in [
            // The Finance Act 2005 halved eight years, from assessment year 2006-07 on.
            (Speculative, 2004, Some(2012)),
            (Speculative, 2005, Some(2009)),
            (Speculative, 2025, Some(2029)),
            (Speculative, 2026, Some(2030)),
            (NonSpeculative, 2000, Some(2008)),
            (NonSpeculative, 2026, Some(2034)),
            (ShortTerm, 2001, None),
            (ShortTerm, 2002, Some(2010)),
            (LongTerm, 2001, None),
            (LongTerm, 2025, Some(2033)),
            (Speculative, 1999, None),
        ] {
            let last = last.map(FinancialYear);
            assert_eq!(last_year_of_loss(kind, FinancialYear(year)), last, "{kind:?} {year}");
        }
    }

    #[test]
    fn laws_by_year_of_set_off() {
        let law = |year| loss_rule(TaxHead::NonSpeculative, FinancialYear(year)).unwrap();
        assert_eq!(law(2025).set_off_law, "Income-tax Act 1961, sections 70(1) and 71(2)");
        assert_eq!(law(2025).carry_forward_law, "Income-tax Act 1961, section 72(1)");
        assert_eq!(law(2026).set_off_law, "Income-tax Act 2025, sections 108 and 109(1)");
        assert_eq!(law(2026).carry_forward_law, "Income-tax Act 2025, section 112(1)");
    }
}
