//! Rates and limits of the income tax and of advance tax by year, from files in `rates/`.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use rust_decimal::Decimal;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use time::{Date, Month};

use super::income::GainsSection;
use crate::financial_year::FinancialYear;

/// Set of slab rates that a taxpayer chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    Old,
    /// Offered since 2020-21.
    New,
}

impl FromStr for Regime {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "old" => Ok(Self::Old),
            "new" => Ok(Self::New),
            _ => Err("unknown regime"),
        }
    }
}

/// Age of the taxpayer at the end of the year, on which the basic exemption of the old regime depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeClass {
    Below60,
    From60To79,
    From80,
}

impl FromStr for AgeClass {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "below-60" => Ok(Self::Below60),
            "60-to-79" => Ok(Self::From60To79),
            "from-80" => Ok(Self::From80),
            _ => Err("unknown age class"),
        }
    }
}

/// Rate of the income above an amount, in percent.
#[derive(Debug)]
pub struct Band {
    pub above: Decimal,
    pub percent: Decimal,
}

impl FromStr for Band {
    type Err = &'static str;

    /// Parses text such as `250000:5`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (above, percent) = text.split_once(':').ok_or("no colon")?;
        let number = |text: &str| text.parse().map_err(|_| "invalid number");
        Ok(Self { above: number(above)?, percent: number(percent)? })
    }
}

/// Rates of the income that has no rate of its own.
#[derive(Debug, Deserialize)]
pub struct SlabRule {
    #[serde(deserialize_with = "year")]
    from: FinancialYear,
    #[serde(deserialize_with = "parsed")]
    regime: Regime,
    #[serde(deserialize_with = "list")]
    ages: Vec<AgeClass>,
    /// The lowest first.
    #[serde(deserialize_with = "list")]
    pub bands: Vec<Band>,
    pub law: String,
}

impl SlabRule {
    /// Returns the income on which no tax is due.
    pub fn basic_exemption(&self) -> Decimal {
        self.bands.first().map_or(Decimal::ZERO, |band| band.above)
    }
}

/// Income whose surcharge is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CappedIncome {
    Gains(GainsSection),
    Dividends,
}

impl FromStr for CappedIncome {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "111A" => Ok(Self::Gains(GainsSection::ShortTermEquity)),
            "112" => Ok(Self::Gains(GainsSection::LongTermOther)),
            "112A" => Ok(Self::Gains(GainsSection::LongTermEquity)),
            "dividends" => Ok(Self::Dividends),
            _ => Err("unknown income"),
        }
    }
}

/// Rates of the surcharge on the tax, by income.
#[derive(Debug, Deserialize)]
pub struct SurchargeRule {
    #[serde(deserialize_with = "year")]
    from: FinancialYear,
    #[serde(deserialize_with = "list")]
    regime: Vec<Regime>,
    /// The lowest first. Those above the cap look only at the income whose surcharge is not limited.
    #[serde(deserialize_with = "list")]
    pub bands: Vec<Band>,
    /// Maximum rate on some income.
    #[serde(deserialize_with = "parsed")]
    pub cap_percent: Decimal,
    #[serde(deserialize_with = "list")]
    capped: Vec<CappedIncome>,
    pub law: String,
}

impl SurchargeRule {
    pub fn caps_gains(&self, section: GainsSection) -> bool {
        self.capped.contains(&CappedIncome::Gains(section))
    }

    pub fn caps_dividends(&self) -> bool {
        self.capped.contains(&CappedIncome::Dividends)
    }
}

/// Rebate of the tax on low incomes.
#[derive(Debug, Deserialize)]
pub struct RebateRule {
    #[serde(deserialize_with = "year")]
    from: FinancialYear,
    #[serde(deserialize_with = "parsed")]
    regime: Regime,
    /// Maximum total income.
    #[serde(deserialize_with = "parsed")]
    pub limit: Decimal,
    /// Maximum rebate.
    #[serde(deserialize_with = "parsed")]
    pub maximum: Decimal,
    /// The tax of an income above the limit is at most the part above it.
    #[serde(deserialize_with = "yes_or_no")]
    pub marginal_relief: bool,
    /// The tax at special rates is reduced, too, except that of section 112A.
    #[serde(deserialize_with = "yes_or_no")]
    pub special_rates: bool,
    pub law: String,
}

/// Health and education cess on tax and surcharge.
#[derive(Debug, Deserialize)]
pub struct CessRule {
    #[serde(deserialize_with = "year")]
    from: FinancialYear,
    #[serde(deserialize_with = "parsed")]
    pub percent: Decimal,
    pub law: String,
}

/// Due date of a part of the advance tax.
#[derive(Debug)]
pub struct InstalmentRule {
    month: Month,
    day: u8,
    /// Part of the year's tax due until then.
    pub percent: Decimal,
    /// Part that must be paid so that no interest is due.
    pub tolerated_percent: Decimal,
    /// Months of interest.
    pub months: u8,
}

impl FromStr for InstalmentRule {
    type Err = &'static str;

    /// Parses text such as `06-15:15:12:3`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut fields = text.split([':', '-']);
        let mut number = || fields.next().and_then(|field| field.parse::<u8>().ok()).ok_or("invalid number");
        let month = Month::try_from(number()?).map_err(|_| "invalid month")?;
        let (day, percent, tolerated_percent) = (number()?, number()?.into(), number()?.into());
        Ok(Self { month, day, percent, tolerated_percent, months: number()? })
    }
}

impl InstalmentRule {
    pub fn due_day(&self, year: FinancialYear) -> Date {
        let calendar_year = if self.month < Month::April { year.0 + 1 } else { year.0 };
        Date::from_calendar_date(calendar_year, self.month, self.day).unwrap_or(year.last_day())
    }
}

/// Due dates of advance tax, and interest for paying it late.
#[derive(Debug, Deserialize)]
pub struct AdvanceTaxRule {
    #[serde(deserialize_with = "year")]
    from: FinancialYear,
    /// Tax after deduction at source from which on advance tax is due.
    #[serde(deserialize_with = "parsed")]
    pub minimum: Decimal,
    #[serde(deserialize_with = "list")]
    pub instalments: Vec<InstalmentRule>,
    /// Part of the tax that must be paid in the year so that no interest is due for the time after it.
    #[serde(deserialize_with = "parsed")]
    pub default_percent: Decimal,
    /// Interest of a month.
    #[serde(deserialize_with = "parsed")]
    pub monthly_percent: Decimal,
    /// Dividends, like gains, need not be foreseen.
    #[serde(deserialize_with = "yes_or_no")]
    pub dividends_excused: bool,
    pub law: String,
}

/// Rules that apply to a taxpayer in a year.
#[derive(Clone, Copy, Debug)]
pub struct TaxRules {
    pub slab: &'static SlabRule,
    pub surcharge: &'static SurchargeRule,
    pub rebate: &'static RebateRule,
    pub cess: &'static CessRule,
    pub advance_tax: &'static AdvanceTaxRule,
}

static SLABS: LazyLock<Vec<SlabRule>> = LazyLock::new(|| load(include_str!("../../../rates/income-tax-slabs.csv")));
static SURCHARGES: LazyLock<Vec<SurchargeRule>> = LazyLock::new(|| load(include_str!("../../../rates/surcharge.csv")));
static REBATES: LazyLock<Vec<RebateRule>> = LazyLock::new(|| load(include_str!("../../../rates/rebate.csv")));
static CESSES: LazyLock<Vec<CessRule>> = LazyLock::new(|| load(include_str!("../../../rates/cess.csv")));
static ADVANCE_TAXES: LazyLock<Vec<AdvanceTaxRule>> =
    LazyLock::new(|| load(include_str!("../../../rates/advance-tax.csv")));

impl TaxRules {
    /// Returns the rules of a year; none if the regime did not exist or the files do not reach back to it.
    pub fn find(year: FinancialYear, regime: Regime, age: AgeClass) -> Option<Self> {
        let slab = |rule: &&SlabRule| rule.from <= year && rule.regime == regime && rule.ages.contains(&age);
        let surcharge = |rule: &&SurchargeRule| rule.from <= year && rule.regime.contains(&regime);
        let rebate = |rule: &&RebateRule| rule.from <= year && rule.regime == regime;
        Some(Self {
            slab: SLABS.iter().filter(slab).max_by_key(|rule| rule.from)?,
            surcharge: SURCHARGES.iter().filter(surcharge).max_by_key(|rule| rule.from)?,
            rebate: REBATES.iter().filter(rebate).max_by_key(|rule| rule.from)?,
            cess: CESSES.iter().filter(|rule| rule.from <= year).max_by_key(|rule| rule.from)?,
            advance_tax: ADVANCE_TAXES.iter().filter(|rule| rule.from <= year).max_by_key(|rule| rule.from)?,
        })
    }
}

/// Reads the rows of a file. A test counts them, so a row that cannot be parsed fails there.
fn load<Rule: DeserializeOwned>(file: &'static str) -> Vec<Rule> {
    csv::Reader::from_reader(file.as_bytes()).deserialize().flatten().collect()
}

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// Parses values with a space between them.
fn list<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.split_whitespace().map(|value| value.parse().map_err(D::Error::custom)).collect()
}

fn year<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FinancialYear, D::Error> {
    let name = String::deserialize(deserializer)?;
    FinancialYear::from_name(&name).ok_or_else(|| D::Error::custom("unknown year"))
}

fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(D::Error::custom("neither yes nor no")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_parsed_and_states_its_law_and_source() {
        let files = [
            (include_str!("../../../rates/income-tax-slabs.csv"), SLABS.len(), 11),
            (include_str!("../../../rates/surcharge.csv"), SURCHARGES.len(), 7),
            (include_str!("../../../rates/rebate.csv"), REBATES.len(), 7),
            (include_str!("../../../rates/cess.csv"), CESSES.len(), 2),
            (include_str!("../../../rates/advance-tax.csv"), ADVANCE_TAXES.len(), 3),
        ];
        for (file, rules, expected) in files {
            let mut reader = csv::Reader::from_reader(file.as_bytes());
            let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert_eq!((rows.len(), rules), (expected, expected), "{file}");
            for row in &rows {
                let (law, source) = (row.get(row.len() - 2).unwrap(), row.get(row.len() - 1).unwrap());
                assert!(law.contains("Act") && source.len() > 10, "{row:?}");
            }
        }
    }

    #[test]
    fn bands_rise() {
        let bands = SLABS.iter().map(|rule| &rule.bands).chain(SURCHARGES.iter().map(|rule| &rule.bands));
        for bands in bands {
            assert!(bands.len() > 1 && bands.is_sorted_by(|one, next| one.above < next.above), "{bands:?}");
            assert!(bands.is_sorted_by(|one, next| one.percent < next.percent), "{bands:?}");
        }
    }

    #[test]
    fn laws_by_year() {
        let rules = |year, regime| TaxRules::find(FinancialYear(year), regime, AgeClass::Below60);
        assert!(rules(2017, Regime::Old).is_none());
        assert!(rules(2019, Regime::New).is_none());
        for (year, slab, rebate, advance_tax) in [
            (2020, "1961, section 115BAC(1)", "1961, section 87A", "1961, sections 208, 211, 234B and 234C"),
            (2024, "1961, section 115BAC(1A)(ii)", "1961, section 87A", "1961, sections 208, 211, 234B and 234C"),
            (2025, "1961, section 115BAC(1A)(iii)", "1961, section 87A", "1961, sections 208, 211, 234B and 234C"),
            (2026, "2025, section 202(1)", "2025, section 156(2) and (3)", "2025, sections 404, 408, 424 and 425"),
        ] {
            let rules = rules(year, Regime::New).unwrap();
            let laws = [&rules.slab.law, &rules.rebate.law, &rules.advance_tax.law];
            assert_eq!(
                laws.map(String::as_str),
                [slab, rebate, advance_tax].map(|law| format!("Income-tax Act {law}"))
            );
        }
        let old = rules(2026, Regime::Old).unwrap();
        assert_eq!(
            (old.slab.law.as_str(), old.rebate.law.as_str()),
            ("Finance Act 2026", "Income-tax Act 2025, section 156(1)")
        );
    }
}
