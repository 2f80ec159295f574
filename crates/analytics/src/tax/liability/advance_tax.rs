//! Advance tax by due date, and interest for paying it late (sections 234B and 234C; from April 2026 on sections 424
//! and 425).

use rust_decimal::Decimal;
use time::Date;

use super::income::{Arisen, Income, TaxableIncome};
use super::income_tax::IncomeTax;
use super::rules::{AdvanceTaxRule, InstalmentRule, TaxRules};
use crate::financial_year::FinancialYear;
use crate::tax::periods::TAX_PERIODS;

/// Payment of advance tax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Payment {
    pub day: Date,
    pub amount: Decimal,
}

/// Part of the advance tax that is due until a day.
#[derive(Clone, Debug, PartialEq)]
pub struct Instalment {
    pub due_day: Date,
    pub percent: Decimal,
    /// Tax after deduction at source of which the percentage is due. Gains and dividends that arose after the due day
    /// do not count if the tax on them was paid later in the year. A payment does not state its income, so later payments
    /// count for these gains and dividends first.
    pub tax: Decimal,
    /// Amount due until the day, with the earlier instalments.
    pub due: Decimal,
    /// Amount paid until the day.
    pub paid: Decimal,
    pub shortfall: Decimal,
    pub months: u8,
    /// Interest of section 234C or 425.
    pub interest: Decimal,
}

/// Interest of section 234B or 424, because too little was paid in the year.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultInterest {
    pub shortfall: Decimal,
    /// Months from 1 April on, each counted from its first day.
    pub months: i32,
    pub interest: Decimal,
}

/// Advance tax of a year, and interest on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdvanceTax {
    /// Amount paid in the year.
    pub paid: Decimal,
    /// Empty if no advance tax is due.
    pub instalments: Vec<Instalment>,
    /// None if enough was paid in the year.
    pub default_interest: Option<DefaultInterest>,
}

/// Payments of a taxpayer for a year.
#[derive(Clone, Debug)]
pub struct Payments<'a> {
    /// Tax deducted at source.
    pub deducted: Decimal,
    /// Payments after the end of the year do not count.
    pub advance: &'a [Payment],
    /// Day on which the rest is paid. Within the year, it counts as advance tax.
    pub rest_paid_on: Date,
}

impl AdvanceTax {
    /// Returns the advance tax on the income of the year; `total` is the tax of the year.
    pub fn new(
        rules: &TaxRules,
        year: FinancialYear,
        income: &Income,
        total: Decimal,
        is_liable: bool,
        payments: &Payments<'_>,
    ) -> Self {
        let is_of_year = |payment: &&Payment| FinancialYear::from_day(payment.day) == year;
        let mut advance: Vec<Payment> = payments.advance.iter().filter(is_of_year).copied().collect();
        let paid = advance.iter().map(|payment| payment.amount).sum();
        let (rule, assessed) = (rules.advance_tax, total - payments.deducted);
        if !is_liable || assessed < rule.minimum {
            return Self { paid, ..Self::default() };
        }
        if payments.rest_paid_on <= year.last_day() {
            let rest = Payment { day: payments.rest_paid_on, amount: (assessed - paid).max(Decimal::ZERO) };
            advance.push(rest);
        }
        let instalments = (1..=TAX_PERIODS).zip(&rule.instalments).map(|(periods, instalment)| {
            let dividend_periods = if rule.dividends_excused { periods } else { TAX_PERIODS };
            let arisen = Arisen { gains_periods: periods, dividend_periods };
            let foreseen = IncomeTax::new(rules, &TaxableIncome::new(income, arisen)).total() - payments.deducted;
            let foreseen = foreseen.max(Decimal::ZERO).min(assessed);
            Instalment::new(rule, instalment, instalment.due_day(year), &advance, assessed, foreseen)
        });
        let instalments = instalments.collect();
        let in_year = advance.iter().map(|payment| payment.amount).sum();
        let default_interest = default_interest(rule, year, assessed, in_year, payments.rest_paid_on);
        Self { paid, instalments, default_interest }
    }

    /// Returns the interest of both sections.
    pub fn interest(&self) -> Decimal {
        let deferment: Decimal = self.instalments.iter().map(|instalment| instalment.interest).sum();
        deferment + self.default_interest.as_ref().map_or(Decimal::ZERO, |default| default.interest)
    }
}

impl Instalment {
    /// Returns the instalment; `foreseen` is the part of the assessed tax without gains and dividends that arose later.
    fn new(
        rule: &AdvanceTaxRule,
        instalment: &InstalmentRule,
        due_day: Date,
        advance: &[Payment],
        assessed: Decimal,
        foreseen: Decimal,
    ) -> Self {
        let part = |tax: Decimal, percent: Decimal| (tax * percent / Decimal::ONE_HUNDRED).round_dp(2);
        let paid_where = |is_counted: &dyn Fn(Date) -> bool| -> Decimal {
            advance.iter().filter(|payment| is_counted(payment.day)).map(|payment| payment.amount).sum()
        };
        let (paid, paid_later) = (paid_where(&|day| day <= due_day), paid_where(&|day| day > due_day));
        let ahead = (paid - part(foreseen, instalment.percent)).max(Decimal::ZERO);
        let tax = if ahead + paid_later >= assessed - foreseen { foreseen } else { assessed };
        let due = part(tax, instalment.percent);
        let shortfall = (due - paid).max(Decimal::ZERO);
        let is_tolerated = paid >= part(tax, instalment.tolerated_percent);
        let interest = if is_tolerated { Decimal::ZERO } else { interest(rule, shortfall, instalment.months.into()) };
        Self { due_day, percent: instalment.percent, tax, due, paid, shortfall, months: instalment.months, interest }
    }
}

fn default_interest(
    rule: &AdvanceTaxRule,
    year: FinancialYear,
    assessed: Decimal,
    paid: Decimal,
    rest_paid_on: Date,
) -> Option<DefaultInterest> {
    if paid * Decimal::ONE_HUNDRED >= assessed * rule.default_percent {
        return None;
    }
    let months = (rest_paid_on.year() - year.0 - 1) * 12 + i32::from(u8::from(rest_paid_on.month())) - 3;
    let shortfall = assessed - paid;
    Some(DefaultInterest { shortfall, months, interest: interest(rule, shortfall, months) })
}

/// Returns the interest of some months on an amount rounded down to hundreds (rule 119A of the Income-tax Rules 1962;
/// the rules of 2026 are assumed to say the same).
fn interest(rule: &AdvanceTaxRule, amount: Decimal, months: i32) -> Decimal {
    let hundreds = (amount / Decimal::ONE_HUNDRED).trunc();
    hundreds * rule.monthly_percent * Decimal::from(months)
}
