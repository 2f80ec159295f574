//! Cost inflation index, by which the law raises the cost of some securities that were sold until 22 July 2024, from
//! `rates/cost-inflation.csv` (Income-tax Act 1961, section 48).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_decimal::Decimal;
use serde::Deserialize;
use time::Date;
use time::macros::date;

use crate::financial_year::FinancialYear;

/// First day of sale for which the index with the base 2001-02 applies. Sales before it had another series, which is not in
/// the file.
const FIRST_DAY_OF_SALE: Date = date!(2017 - 04 - 01);

#[derive(Deserialize)]
struct Row {
    year: String,
    index: u32,
}

static INDICES: LazyLock<BTreeMap<FinancialYear, Decimal>> = LazyLock::new(|| {
    // A test counts the rows, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../../rates/cost-inflation.csv").as_bytes());
    let rows = reader.deserialize::<Row>().flatten();
    rows.filter_map(|row| Some((FinancialYear::from_name(&row.year)?, row.index.into()))).collect()
});

/// Returns a cost raised by the inflation between the years of purchase and sale; none if an index is unknown.
pub fn indexed_cost(cost: Decimal, bought: Date, sold: Date) -> Option<Decimal> {
    if sold < FIRST_DAY_OF_SALE {
        return None;
    }
    let index = |day| INDICES.get(&FinancialYear::from_day(day)).copied();
    Some(cost.checked_mul(index(sold)?)?.checked_div(index(bought)?)?.round_dp(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_parsed_and_the_index_never_falls() {
        let file = include_str!("../../rates/cost-inflation.csv");
        assert_eq!((file.lines().count() - 1, INDICES.len()), (24, 24));
        assert!(INDICES.values().collect::<Vec<_>>().is_sorted());
    }

    #[test]
    fn costs_are_raised_from_april_2017_on() {
        let cost = |bought, sold| indexed_cost(Decimal::from(31_700), bought, sold).map(|cost| cost.normalize());
        // 31,700 * 363 / 317.
        assert_eq!(cost(date!(2021 - 06 - 01), date!(2024 - 07 - 22)), Some(Decimal::from(36_300)));
        assert_eq!(cost(date!(2021 - 03 - 31), date!(2021 - 04 - 01)), Decimal::from_str_exact("33385.0498").ok());
        assert_eq!(cost(date!(2012 - 04 - 02), date!(2017 - 03 - 31)), None);
        assert_eq!(cost(date!(2001 - 03 - 30), date!(2018 - 04 - 02)), None);
    }
}
