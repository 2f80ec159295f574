//! Estimate of the tax of a year: the pack's income and the figures that the trader entered, as input of [`Liability`].

use rust_decimal::Decimal;
use time::Date;

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
use super::return_due::return_due;
use crate::financial_year::FinancialYear;

/// First year in which the new regime is the default (Finance Act 2023). Before, it had to be chosen by a form, which few
/// did.
const FIRST_YEAR_OF_NEW_REGIME: FinancialYear = FinancialYear(2023);

/// Estimate of the tax of a year, and what it assumes.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxEstimate {
    pub liability: Liability,
    pub regime: Regime,
    /// Day on which the rest is assumed to be paid: today, or the day on which the return is due, if that is past.
    pub rest_paid_on: Date,
    /// Tax paid after the year, as the trader entered it.
    pub paid_later: Decimal,
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
        let rest_paid_on = return_due(pack.year, pack.return_form()).map_or(today, |due| today.min(due));
        let deducted = sum(TaxEntryKind::TaxDeducted) + pack.dividends.tax_deducted;
        let income = income_of_pack(pack, lines, sum(TaxEntryKind::Salary), sum(TaxEntryKind::OtherIncome));
        let payments = Payments { deducted, advance: &advance, rest_paid_on };
        let liability = Liability::new(pack.year, regime, age, &income, &payments)?;
        let paid_later = sum(TaxEntryKind::TaxPaidLater);
        Some(Self { liability, regime, rest_paid_on, paid_later })
    }

    /// Returns the amount that is left to pay, with interest; negative for a refund.
    pub fn payable(&self) -> Decimal {
        self.liability.payable() - self.paid_later
    }
}

/// Returns the income after the set-off of losses. They reduce `other` income before dividends, because the surcharge on
/// dividends is limited.
fn income_of_pack(pack: &TaxPack, lines: &[TaxLine], salary: Decimal, other: Decimal) -> Income {
    let set_off = pack.losses.other_sources_set_off();
    let of_other = set_off.min(other);
    let mut income = Income { other: salary + other - of_other, ..Income::default() };
    let taxed_dividends = pack.dividends.taxed(pack.year);
    if !taxed_dividends.is_zero() {
        let remaining = taxed_dividends - (set_off - of_other);
        income.dividends = ByPeriod(reduce_earliest(pack.dividends.by_period, remaining));
    }
    let mut exempt_left = pack.long_term_exempt_used();
    // The highest rate first, so that the exemption saves most tax.
    let is_counted = |result: &&HeadResult| result.head != TaxHead::OtherSources && !result.remaining().is_zero();
    for result in pack.losses.results.iter().filter(is_counted) {
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
