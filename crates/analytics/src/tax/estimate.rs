//! Estimate of the tax of a year: the pack's income and the figures that the trader entered, as input of [`Liability`].

use rust_decimal::Decimal;
use time::{Date, Month};

use super::TaxPack;
use super::entries::{TaxEntry, TaxEntryKind};
use super::gains_rules::TaxRate;
use super::head::TaxHead;
use super::liability::Liability;
use super::liability::advance_tax::{Payment, Payments};
use super::liability::income::{ByPeriod, GainsSection, Income, SpecialGains};
use super::liability::rules::{AgeClass, Regime};
use super::lines::TaxLine;
use super::losses::HeadResult;
use super::periods::{TAX_PERIODS, reduce_earliest, tax_period};
use crate::financial_year::FinancialYear;

/// First year in which dividends of companies are taxed (Finance Act 2020).
const FIRST_YEAR_OF_TAXED_DIVIDENDS: FinancialYear = FinancialYear(2020);

/// First year in which the new regime is the default (Finance Act 2023). Before, it had to be chosen by a form, which few
/// did.
const FIRST_YEAR_OF_NEW_REGIME: FinancialYear = FinancialYear(2023);

/// Estimate of the tax of a year, and what it assumes.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxEstimate {
    pub liability: Liability,
    pub regime: Regime,
    /// Day on which the rest is assumed to be paid: today, or 31 July after the year, when most returns are due.
    pub rest_paid_on: Date,
}

impl TaxEstimate {
    /// Returns the estimate for the person of a pack; none for years without rates. `lines` are those of the pack,
    /// `entries` the figures of its year and accounts.
    pub fn new(pack: &TaxPack, lines: &[TaxLine], entries: &[&TaxEntry], today: Date) -> Option<Self> {
        let of_kind = |kind: TaxEntryKind| entries.iter().filter(move |entry| entry.kind == kind);
        let sum = |kind| of_kind(kind).map(|entry| entry.amount).sum::<Decimal>();
        let has = |kind| of_kind(kind).next().is_some();
        let is_old = has(TaxEntryKind::OldRegime) || pack.year < FIRST_YEAR_OF_NEW_REGIME;
        let regime = if is_old { Regime::Old } else { Regime::New };
        let age = match (has(TaxEntryKind::Age60), has(TaxEntryKind::Age80)) {
            (_, true) => AgeClass::From80,
            (true, false) => AgeClass::From60To79,
            (false, false) => AgeClass::Below60,
        };
        let advance: Vec<Payment> = of_kind(TaxEntryKind::AdvanceTax)
            .filter_map(|entry| Some(Payment { day: entry.day?, amount: entry.amount }))
            .collect();
        let return_due = Date::from_calendar_date(pack.year.0 + 1, Month::July, 31).unwrap_or(today);
        let rest_paid_on = today.min(return_due);
        let deducted = sum(TaxEntryKind::TaxDeducted) + pack.dividends.tax_deducted;
        let income = Income { other: sum(TaxEntryKind::OtherIncome), ..income_of_pack(pack, lines) };
        let payments = Payments { deducted, advance: &advance, rest_paid_on };
        let liability = Liability::new(pack.year, regime, age, &income, &payments)?;
        Some(Self { liability, regime, rest_paid_on })
    }
}

/// Returns the income after the set-off of losses.
fn income_of_pack(pack: &TaxPack, lines: &[TaxLine]) -> Income {
    let mut income = Income::default();
    if pack.year >= FIRST_YEAR_OF_TAXED_DIVIDENDS {
        income.dividends = ByPeriod(pack.dividends.by_period);
    }
    let mut exempt_left = pack.long_term_exempt_used();
    // The highest rate first, so that the exemption saves most tax.
    for result in pack.losses.results.iter().filter(|result| !result.remaining().is_zero()) {
        let remaining = result.remaining();
        let after_losses = reduce_earliest(gains_by_period(result, lines), remaining);
        match result.rate {
            None => income.business += remaining,
            Some(TaxRate::Slab) => income.slab_gains = add(income.slab_gains, ByPeriod(after_losses)),
            Some(rate @ TaxRate::Percent { percent, .. }) => {
                let exempt = if rate.has_exemption() { exempt_left.min(remaining) } else { Decimal::ZERO };
                exempt_left -= exempt;
                let amounts = reduce_earliest(after_losses, remaining - exempt);
                let mut exempt_gains = after_losses;
                exempt_gains.iter_mut().zip(amounts).for_each(|(gain, taxed)| *gain -= taxed);
                income.exempt_gains = add(income.exempt_gains, ByPeriod(exempt_gains));
                let section = match (result.head, rate.has_exemption()) {
                    (TaxHead::ShortTerm, _) => GainsSection::ShortTermEquity,
                    (_, true) => GainsSection::LongTermEquity,
                    (_, false) => GainsSection::LongTermOther,
                };
                income.special_gains.push(SpecialGains { section, percent, amounts: ByPeriod(amounts) });
            }
        }
    }
    income
}

/// Returns the gains of the lines of a result by period.
fn gains_by_period(result: &HeadResult, lines: &[TaxLine]) -> [Decimal; TAX_PERIODS] {
    let mut gains = [Decimal::ZERO; TAX_PERIODS];
    let is_of_result = |line: &&TaxLine| line.head == result.head && line.rate() == result.rate;
    for line in lines.iter().filter(is_of_result) {
        if let Some(gain) = gains.get_mut(tax_period(line.sold)) {
            *gain += line.income;
        }
    }
    gains
}

fn add(mut one: ByPeriod, other: ByPeriod) -> ByPeriod {
    one.0.iter_mut().zip(other.0).for_each(|(sum, amount)| *sum += amount);
    one
}
