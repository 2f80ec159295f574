//! Rules about capital gains by kind of security, day of sale and day of purchase, from `rates/capital-gains.csv`.

use std::sync::LazyLock;

use rust_decimal::Decimal;
use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use crate::financial_year::FinancialYear;
use crate::instrument::SecurityKind;

/// Tax rate of capital gains, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaxRate {
    /// Fixed rate; `is_whole` is false if a part of a year's gains is exempt.
    Percent { percent: Decimal, is_whole: bool },
    /// Rate of the trader's other income.
    Slab,
}

impl TaxRate {
    /// Returns the percentage of a fixed rate.
    pub fn percent(self) -> Option<Decimal> {
        match self {
            Self::Percent { percent, .. } => Some(percent),
            Self::Slab => None,
        }
    }

    /// Returns true if a part of the year's gains is exempt.
    pub fn has_exemption(self) -> bool {
        matches!(self, Self::Percent { is_whole: false, .. })
    }
}

/// Rate and section of gains of one term.
#[derive(Debug, PartialEq)]
pub struct GainsRate {
    pub rate: TaxRate,
    /// Gains of a financial year, in rupees, on which no tax is due.
    pub exempt: Option<Decimal>,
    pub law: String,
    /// The cost is raised by the cost inflation index.
    pub is_indexed: bool,
}

/// Rule about gains of some kinds of securities, for sales from a day on.
#[derive(Debug, PartialEq)]
pub struct GainsRule {
    /// First day of sale.
    pub from: Date,
    /// First day of purchase; none for all.
    bought_from: Option<Date>,
    kinds: Vec<SecurityKind>,
    /// Name of the kinds for the trader.
    pub assets: String,
    /// Months after which gains are long term; none if they never are.
    long_after_months: Option<u8>,
    /// None before the gains had a rate of their own, or were taxed.
    short: Option<GainsRate>,
    /// None if the gains are not taxed.
    long: Option<GainsRate>,
}

#[derive(Deserialize)]
struct Row {
    from: String,
    bought_from: String,
    kinds: String,
    assets: String,
    long_after_months: Option<u8>,
    short_percent: String,
    long_percent: String,
    exempt: String,
    indexed: String,
    short_law: String,
    long_law: String,
}

/// Rules, the newest first; among those of one day, those for certain days of purchase first.
static RULES: LazyLock<Vec<GainsRule>> = LazyLock::new(|| {
    // A test counts the rows, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../../rates/capital-gains.csv").as_bytes());
    let mut rules: Vec<_> = reader.deserialize().flatten().filter_map(parse_row).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse((rule.from, rule.bought_from)));
    rules
});

fn parse_row(row: Row) -> Option<GainsRule> {
    let is_indexed = row.indexed == "yes";
    let exempt = if row.exempt.is_empty() { None } else { Some(row.exempt.parse().ok()?) };
    Some(GainsRule {
        from: parse_day(&row.from)?,
        bought_from: if row.bought_from.is_empty() { None } else { Some(parse_day(&row.bought_from)?) },
        kinds: row.kinds.split(' ').map(SecurityKind::from_name).collect::<Option<_>>()?,
        assets: row.assets,
        long_after_months: row.long_after_months,
        short: parse_rate(&row.short_percent, None, row.short_law, false)?,
        long: parse_rate(&row.long_percent, exempt, row.long_law, is_indexed)?,
    })
}

/// Parses a rate; an empty one is none. Returns `None` if it is invalid.
fn parse_rate(text: &str, exempt: Option<Decimal>, law: String, is_indexed: bool) -> Option<Option<GainsRate>> {
    let rate = match text {
        "" => return Some(None),
        "slab" => TaxRate::Slab,
        percent => TaxRate::Percent { percent: percent.parse().ok()?, is_whole: exempt.is_none() },
    };
    Some(Some(GainsRate { rate, exempt, law, is_indexed }))
}

fn parse_day(text: &str) -> Option<Date> {
    Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

/// Returns the rule about a sale; none before the first row.
pub fn gains_rule(kind: SecurityKind, bought: Date, sold: Date) -> Option<&'static GainsRule> {
    let applies = |rule: &&GainsRule| {
        rule.from <= sold && rule.bought_from.is_none_or(|from| from <= bought) && rule.kinds.contains(&kind)
    };
    RULES.iter().find(applies)
}

/// Returns the gains of shares on which no tax is due in a year, in rupees; none if there are none.
pub fn yearly_exemption(year: FinancialYear) -> Option<Decimal> {
    let rule = gains_rule(SecurityKind::Share, year.first_day(), year.last_day())?;
    rule.long.as_ref()?.exempt
}

impl GainsRule {
    /// Returns whether gains are long term: shares bought on 15 January are from 16 January of the next year.
    pub fn is_long_term(&self, bought: Date, sold: Date) -> bool {
        self.long_after_months.is_some_and(|months| {
            let year = bought.year() + i32::from(months / 12);
            // The year after 29 February ends on 28 February.
            let last = bought.replace_year(year).or_else(|_| Date::from_calendar_date(year, bought.month(), 28));
            last.is_ok_and(|last| sold > last)
        })
    }

    /// Returns true if it is about units of funds and trusts, which some lines of a return except.
    pub fn is_of_units(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_unit())
    }

    /// Returns the rate of a term; none if its gains have none.
    pub fn rate(&self, long: bool) -> Option<&GainsRate> {
        if long { self.long.as_ref() } else { self.short.as_ref() }
    }

    /// Returns the last day of sale of a year for which a term has the same rate and section.
    pub fn last_day(&self, long: bool, year: FinancialYear) -> Date {
        let Some(kind) = self.kinds.first() else { return year.last_day() };
        let bought = self.bought_from.unwrap_or(Date::MIN);
        let later = RULES.iter().map(|rule| rule.from).filter(|from| *from > self.from);
        let changes = later
            .filter(|from| gains_rule(*kind, bought, *from).is_some_and(|rule| rule.rate(long) != self.rate(long)));
        let until = changes.min().and_then(Date::previous_day);
        until.map_or(year.last_day(), |until| until.min(year.last_day()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use time::macros::date;

    use super::*;

    #[test]
    fn every_row_is_parsed_and_states_its_source() {
        let file = include_str!("../../rates/capital-gains.csv");
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!((rows.len(), RULES.len()), (31, 31));
        assert!(rows.iter().all(|row| !row.get(11).unwrap().is_empty()));
        for rule in RULES.iter() {
            assert!(rule.long_after_months.is_none_or(|months| months % 12 == 0), "{rule:?}");
            assert_eq!(rule.bought_from.is_some(), rule.long_after_months.is_none(), "{rule:?}");
        }
        let kinds: HashSet<&str> = RULES.iter().flat_map(|rule| &rule.kinds).map(|kind| kind.describe()).collect();
        assert_eq!(kinds.len(), 14);
    }

    /// Returns "short slab", "long 12.5" or "long -".
    fn describe(kind: SecurityKind, bought: Date, sold: Date) -> String {
        let Some(rule) = gains_rule(kind, bought, sold) else { return "none".to_owned() };
        let long = rule.is_long_term(bought, sold);
        let rate = rule.rate(long).map_or_else(
            || "-".to_owned(),
            |rate| rate.rate.percent().map_or_else(|| "slab".to_owned(), |percent| percent.to_string()),
        );
        format!("{} {rate}", if long { "long" } else { "short" })
    }

    #[test]
    fn rates_on_both_sides_of_each_date() {
        use SecurityKind::{Debenture, DebtFund, EquityFund, GoldBond, GoldFund, Reit, RightsEntitlement, Share};
        for (kind, bought, sold, expected) in [
            (Share, date!(2008 - 03 - 01), date!(2008 - 03 - 31), "none"),
            (Share, date!(2008 - 03 - 01), date!(2008 - 04 - 01), "short 15"),
            (Share, date!(2016 - 01 - 01), date!(2018 - 03 - 31), "long -"),
            (Share, date!(2016 - 01 - 01), date!(2018 - 04 - 01), "long 10"),
            (EquityFund, date!(2024 - 02 - 01), date!(2024 - 07 - 22), "short 15"),
            (EquityFund, date!(2024 - 02 - 01), date!(2024 - 07 - 23), "short 20"),
            (Share, date!(2023 - 02 - 01), date!(2024 - 07 - 22), "long 10"),
            (Share, date!(2023 - 02 - 01), date!(2024 - 07 - 23), "long 12.5"),
            (Share, date!(2024 - 01 - 15), date!(2025 - 01 - 15), "short 20"),
            (Share, date!(2024 - 01 - 15), date!(2025 - 01 - 16), "long 12.5"),
            (Share, date!(2024 - 02 - 29), date!(2025 - 02 - 28), "short 20"),
            (Share, date!(2024 - 02 - 29), date!(2025 - 03 - 01), "long 12.5"),
            // 36 months until 22 July 2024.
            (Reit, date!(2022 - 01 - 03), date!(2024 - 07 - 22), "short 15"),
            (Reit, date!(2022 - 01 - 03), date!(2024 - 07 - 23), "long 12.5"),
            (Reit, date!(2021 - 01 - 04), date!(2024 - 07 - 22), "long 10"),
            (Reit, date!(2014 - 10 - 01), date!(2014 - 10 - 02), "short 15"),
            (Reit, date!(2014 - 10 - 01), date!(2017 - 12 - 04), "long -"),
            (GoldFund, date!(2013 - 01 - 01), date!(2014 - 07 - 10), "long 10"),
            (GoldFund, date!(2013 - 01 - 01), date!(2014 - 07 - 11), "short slab"),
            // Bought before April 2023: 36 months, then 12.
            (GoldFund, date!(2022 - 01 - 03), date!(2024 - 07 - 22), "short slab"),
            (GoldFund, date!(2021 - 01 - 04), date!(2024 - 07 - 22), "long 20"),
            (GoldFund, date!(2022 - 01 - 03), date!(2024 - 07 - 23), "long 12.5"),
            // Bought from April 2023 on: never long term, until March 2025.
            (GoldFund, date!(2023 - 03 - 31), date!(2025 - 03 - 31), "long 12.5"),
            (GoldFund, date!(2023 - 04 - 01), date!(2025 - 03 - 31), "short slab"),
            (GoldFund, date!(2023 - 04 - 01), date!(2025 - 04 - 01), "long 12.5"),
            (GoldFund, date!(2025 - 02 - 03), date!(2026 - 02 - 03), "short slab"),
            (GoldFund, date!(2025 - 02 - 03), date!(2026 - 04 - 01), "long 12.5"),
            (DebtFund, date!(2023 - 04 - 01), date!(2026 - 10 - 01), "short slab"),
            (DebtFund, date!(2023 - 03 - 31), date!(2026 - 10 - 01), "long 12.5"),
            (DebtFund, date!(2021 - 03 - 31), date!(2024 - 07 - 22), "long 20"),
            (Debenture, date!(2023 - 01 - 02), date!(2024 - 07 - 22), "long 10"),
            (Debenture, date!(2023 - 01 - 02), date!(2024 - 07 - 23), "long 12.5"),
            (GoldBond, date!(2022 - 01 - 03), date!(2024 - 07 - 22), "short slab"),
            (GoldBond, date!(2022 - 01 - 03), date!(2024 - 07 - 23), "long 12.5"),
            (RightsEntitlement, date!(2025 - 01 - 06), date!(2025 - 01 - 10), "short slab"),
        ] {
            assert_eq!(describe(kind, bought, sold), expected, "{kind:?} {bought} {sold}");
        }
    }

    #[test]
    fn sections_and_exemptions_by_year() {
        let law = |kind, bought, sold| {
            let rule = gains_rule(kind, bought, sold).unwrap();
            rule.rate(rule.is_long_term(bought, sold)).unwrap().law.as_str()
        };
        let (old, new) = (date!(2024 - 01 - 01), date!(2026 - 04 - 01));
        assert_eq!(
            law(SecurityKind::Share, old, date!(2026 - 03 - 31)),
            "Income-tax Act 1961, section 112A; Finance (No. 2) Act 2024"
        );
        assert_eq!(law(SecurityKind::Share, old, new), "Income-tax Act 2025, section 198");
        assert_eq!(law(SecurityKind::Share, date!(2026 - 01 - 01), new), "Income-tax Act 2025, section 196");
        assert_eq!(law(SecurityKind::LiquidFund, old, new), "Income-tax Act 2025, section 76");
        assert_eq!(law(SecurityKind::InternationalFund, old, new), "Income-tax Act 2025, section 197");
        let exempt = |year| yearly_exemption(FinancialYear(year)).map(|amount| amount.to_string());
        assert_eq!(exempt(2017), None);
        assert_eq!(exempt(2018).as_deref(), Some("100000"));
        assert_eq!(exempt(2023).as_deref(), Some("100000"));
        assert_eq!(exempt(2024).as_deref(), Some("125000"));
    }

    #[test]
    fn last_days_of_rates_within_a_year() {
        let last_day = |kind, bought: Date, sold: Date| {
            let rule = gains_rule(kind, bought, sold).unwrap();
            rule.last_day(rule.is_long_term(bought, sold), FinancialYear(2024)).to_string()
        };
        let (before, after) = (date!(2024 - 06 - 03), date!(2024 - 08 - 01));
        assert_eq!(last_day(SecurityKind::Share, date!(2024 - 05 - 02), before), "2024-07-22");
        assert_eq!(last_day(SecurityKind::Share, date!(2024 - 05 - 02), after), "2025-03-31");
        // Section 50AA did not change.
        assert_eq!(last_day(SecurityKind::LiquidFund, date!(2023 - 05 - 02), before), "2025-03-31");
        assert_eq!(last_day(SecurityKind::GoldFund, date!(2023 - 05 - 02), before), "2025-03-31");
        assert_eq!(last_day(SecurityKind::GoldFund, date!(2021 - 01 - 04), before), "2024-07-22");
    }

    #[test]
    fn the_fixed_rates_order_below_the_slab_rate() {
        let percent = |text: &str, is_whole| TaxRate::Percent { percent: text.parse().unwrap(), is_whole };
        let mut rates = [TaxRate::Slab, percent("12.5", true), percent("20", true), percent("12.5", false)];
        rates.sort();
        assert_eq!(rates, [percent("12.5", false), percent("12.5", true), percent("20", true), TaxRate::Slab]);
    }
}
