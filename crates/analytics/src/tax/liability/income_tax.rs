//! Income tax of a year: slab rates, special rates, rebate, surcharge and cess.

use rust_decimal::Decimal;

use super::income::{GainsSection, SpecialAmount, TaxableIncome};
use super::rules::{RebateRule, SurchargeRule, TaxRules};

/// Tax on gains of one section at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialTax {
    pub section: GainsSection,
    pub percent: Decimal,
    pub amount: Decimal,
    /// Part of the basic exemption that other income leaves unused. The law lets a resident choose the gains that it
    /// reduces; those with the highest rate save most.
    pub unused_exemption: Decimal,
    pub tax: Decimal,
}

/// Income tax of a year, each amount exact to the paisa.
#[derive(Clone, Debug, PartialEq)]
pub struct IncomeTax {
    /// Rounded to ten rupees.
    pub total_income: Decimal,
    /// Income at slab rates, with the difference that the rounding of the total makes.
    pub slab_income: Decimal,
    pub slab_tax: Decimal,
    /// The highest rate first.
    pub special: Vec<SpecialTax>,
    pub rebate: Decimal,
    /// Surcharge after marginal relief.
    pub surcharge: Decimal,
    pub cess: Decimal,
}

impl IncomeTax {
    pub fn new(rules: &TaxRules, income: &TaxableIncome) -> Self {
        let (slab_tax, special) = (slab_tax(rules, income.slab_income()), special_taxes(rules, income));
        let rebate = rebate(rules.rebate, income.total(), slab_tax, &special);
        let tax = slab_tax + special_sum(&special) - rebate;
        // No income has both a rebate and a surcharge.
        let surcharge = (tax_and_surcharge(rules, income) - slab_tax - special_sum(&special)).round_dp(2);
        let cess = percentage(tax + surcharge, rules.cess.percent);
        let (total_income, slab_income) = (income.total(), income.slab_income());
        Self { total_income, slab_income, slab_tax, special, rebate, surcharge, cess }
    }

    pub fn total(&self) -> Decimal {
        self.slab_tax + special_sum(&self.special) - self.rebate + self.surcharge + self.cess
    }
}

/// Returns a percentage, rounded to the paisa.
fn percentage(amount: Decimal, percent: Decimal) -> Decimal {
    (amount * percent / Decimal::ONE_HUNDRED).round_dp(2)
}

fn special_sum(special: &[SpecialTax]) -> Decimal {
    special.iter().map(|tax| tax.tax).sum()
}

fn slab_tax(rules: &TaxRules, income: Decimal) -> Decimal {
    let bands = &rules.slab.bands;
    let ends = bands.iter().skip(1).map(|band| band.above).chain([Decimal::MAX]);
    let parts = bands.iter().zip(ends).map(|(band, end)| {
        let part = (income.min(end) - band.above).max(Decimal::ZERO);
        part * band.percent / Decimal::ONE_HUNDRED
    });
    parts.sum::<Decimal>().round_dp(2)
}

fn special_taxes(rules: &TaxRules, income: &TaxableIncome) -> Vec<SpecialTax> {
    let mut unused = (rules.slab.basic_exemption() - income.slab_income()).max(Decimal::ZERO);
    let tax = |gains: &SpecialAmount| {
        let unused_exemption = unused.min(gains.amount);
        unused -= unused_exemption;
        SpecialTax {
            section: gains.section,
            percent: gains.percent,
            amount: gains.amount,
            unused_exemption,
            tax: percentage(gains.amount - unused_exemption, gains.percent),
        }
    };
    income.special.iter().map(tax).collect()
}

/// Returns the rebate of a resident.
///
/// Read literally, the marginal relief of 2023-24 and 2024-25 leaves one rupee of tax on an income of one rupee above
/// the limit, even if gains at special rates are taxed below it. So the relief is at most the rebate at the limit.
fn rebate(rule: &RebateRule, total_income: Decimal, slab_tax: Decimal, special: &[SpecialTax]) -> Decimal {
    let is_reduced = |tax: &&SpecialTax| rule.special_rates && tax.section != GainsSection::LongTermEquity;
    let reduced: Decimal = special.iter().filter(is_reduced).map(|tax| tax.tax).sum();
    let maximum = rule.maximum.min(slab_tax + reduced);
    let excess = (total_income - rule.limit).max(Decimal::ZERO);
    if excess.is_zero() {
        maximum
    } else if rule.marginal_relief {
        (slab_tax + special_sum(special) - excess).max(Decimal::ZERO).min(maximum)
    } else {
        Decimal::ZERO
    }
}

/// Returns the tax before the rebate, with the surcharge after marginal relief: both together exceed those of an income
/// at the limit by no more than the income exceeds it. The law does not say which income is above the limit; income at
/// slab rates comes first.
fn tax_and_surcharge(rules: &TaxRules, income: &TaxableIncome) -> Decimal {
    let rule = rules.surcharge;
    let (slab_tax, special) = (slab_tax(rules, income.slab_income()), special_taxes(rules, income));
    let tax = slab_tax + special_sum(&special);
    let uncapped_income = uncapped_income(rule, income);
    let exceeded = rule.bands.iter().rev().find_map(|band| {
        let counted = if band.percent > rule.cap_percent { uncapped_income } else { income.total() };
        (counted > band.above).then(|| (band, counted - band.above))
    });
    let Some((band, excess)) = exceeded else { return tax };
    let capped_gains = special.iter().filter(|tax| rule.caps_gains(tax.section)).map(|tax| tax.tax).sum::<Decimal>();
    // Dividends are taxed at the average slab rate.
    let capped_dividends = if rule.caps_dividends() && !income.dividends.is_zero() {
        (slab_tax * income.dividends / income.slab_income()).round_dp(2)
    } else {
        Decimal::ZERO
    };
    let capped = capped_gains + capped_dividends;
    let surcharge = percentage(tax - capped, band.percent) + percentage(capped, band.percent.min(rule.cap_percent));
    let at_limit = income.clone().reduce(excess, |section| rule.caps_gains(section), rule.caps_dividends());
    (tax + surcharge).min(tax_and_surcharge(rules, &at_limit) + excess)
}

/// Returns the income whose surcharge is not limited.
fn uncapped_income(rule: &SurchargeRule, income: &TaxableIncome) -> Decimal {
    let dividends = if rule.caps_dividends() { Decimal::ZERO } else { income.dividends };
    let exempt = if rule.caps_gains(GainsSection::LongTermEquity) { Decimal::ZERO } else { income.exempt_gains };
    let special = income.special.iter().filter(|gains| !rule.caps_gains(gains.section));
    income.slab + dividends + exempt + special.map(|gains| gains.amount).sum::<Decimal>()
}
