//! Income tax of a year, and interest for paying advance tax late. An estimate for a resident individual.
//!
//! Out of scope: presumptive taxation, whose advance tax is due in one instalment; agricultural income, whose amount
//! raises the rate of other income; relief for tax paid abroad; the alternative minimum tax; interest for a late return
//! (section 234A); the lower interest rate of some months of 2020.
//!
//! The rates of a year are those of the newest row in `rates/`, so a new Finance Act needs new rows.

pub mod advance_tax;
pub mod income;
pub mod income_tax;
pub mod rules;

#[cfg(test)]
mod tests;

use rust_decimal::Decimal;

use self::advance_tax::{AdvanceTax, Payments};
use self::income::{Arisen, Income, TaxableIncome, round_to_ten};
use self::income_tax::IncomeTax;
use self::rules::{AgeClass, Regime, TaxRules};
use crate::financial_year::FinancialYear;

/// Laws by which a tax was calculated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laws {
    pub slabs: &'static str,
    pub rebate: &'static str,
    pub surcharge: &'static str,
    pub cess: &'static str,
    pub advance_tax: &'static str,
}

/// Tax of a year and what remains to be paid.
#[derive(Clone, Debug, PartialEq)]
pub struct Liability {
    pub income_tax: IncomeTax,
    /// Tax deducted at source.
    pub deducted: Decimal,
    pub advance_tax: AdvanceTax,
    pub laws: Laws,
}

impl Liability {
    /// Returns the tax of a year; none before 2018-19, and for the new regime before 2020-21.
    pub fn new(
        year: FinancialYear,
        regime: Regime,
        age: AgeClass,
        income: &Income,
        payments: &Payments<'_>,
    ) -> Option<Self> {
        let rules = TaxRules::find(year, regime, age)?;
        let income_tax = IncomeTax::new(&rules, &TaxableIncome::new(income, Arisen::YEAR));
        // Section 207(2), from April 2026 on section 403(3).
        let is_liable = age == AgeClass::Below60 || income.business > Decimal::ZERO;
        let advance_tax = AdvanceTax::new(&rules, year, income, income_tax.total(), is_liable, payments);
        let laws = Laws {
            slabs: &rules.slab.law,
            rebate: &rules.rebate.law,
            surcharge: &rules.surcharge.law,
            cess: &rules.cess.law,
            advance_tax: &rules.advance_tax.law,
        };
        Some(Self { income_tax, deducted: payments.deducted, advance_tax, laws })
    }

    /// Returns the amount to pay on the day of the rest, with interest; negative for a refund. Rounded to ten rupees
    /// (section 288B, from April 2026 on section 516).
    pub fn payable(&self) -> Decimal {
        let paid = self.deducted + self.advance_tax.paid;
        round_to_ten(self.income_tax.total() + self.advance_tax.interest() - paid)
    }
}
