//! Sums of a tax pack and its lines from which the figures of an income tax return are taken.

use std::collections::BTreeMap;

use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use super::business::BusinessIncome;
use super::dividends::Dividends;
use super::gains_rules::TaxRate;
use super::head::TaxHead;
use super::lines::TaxLine;
use super::losses::{HeadResult, Losses, ScheduledLoss, SetOff};
use super::periods::{TAX_PERIODS, reduce_earliest, tax_period};
use super::return_figures::{IncomeClass, IncomeFigure, LossFigure, Section};
use crate::financial_year::FinancialYear;

/// Sales that are added up.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SalesKey {
    pub head: TaxHead,
    pub rate: TaxRate,
    pub section: Section,
    pub sold: Date,
}

/// Sums of sales.
#[derive(Default)]
pub(super) struct Sales {
    pub value: Decimal,
    pub cost: Decimal,
    pub expenses: Decimal,
    pub gain: Decimal,
    pub dividend: Decimal,
}

/// Income of a tax pack that goes into a return.
pub struct ReturnIncome<'a> {
    /// Intraday trades in shares.
    pub speculative: &'a BusinessIncome,
    /// Futures and options.
    pub non_speculative: &'a BusinessIncome,
    pub losses: &'a Losses,
    pub dividends: &'a Dividends,
    pub other_sources: Decimal,
}

/// Sums from which the figures of a return are taken.
pub struct ReturnSums<'a> {
    speculative: &'a BusinessIncome,
    non_speculative: &'a BusinessIncome,
    pub(super) losses: &'a Losses,
    pub(super) dividends: &'a Dividends,
    /// Those of the pack, with the income from other sources even if no loss reduced it.
    results: Vec<HeadResult>,
    pub(super) year: FinancialYear,
    sales: BTreeMap<SalesKey, Sales>,
}

impl<'a> ReturnSums<'a> {
    /// Returns the sums of the lines of a year and of its income.
    pub fn new(income: ReturnIncome<'a>, lines: &[TaxLine], year: FinancialYear) -> Self {
        let mut sales: BTreeMap<SalesKey, Sales> = BTreeMap::new();
        for line in lines {
            let Some(rate) = line.rate() else { continue };
            let key = SalesKey { head: line.head, rate, section: Section::new(line, rate), sold: line.sold };
            let sum = sales.entry(key).or_default();
            sum.value += line.sell_value;
            sum.cost += line.buy_value;
            sum.expenses += line.other_charges;
            sum.gain += line.income;
            sum.dividend += line.dividend;
        }
        let ReturnIncome { speculative, non_speculative, losses, dividends, other_sources } = income;
        let other_sources = HeadResult {
            head: TaxHead::OtherSources,
            rate: Some(TaxRate::Slab),
            result: other_sources,
            set_off: losses.other_sources_set_off(),
        };
        let others = losses.results.iter().filter(|one| one.head != TaxHead::OtherSources).cloned();
        let results = others.chain([other_sources]).collect();
        Self { speculative, non_speculative, losses, dividends, results, year, sales }
    }

    pub(super) fn of(&self, matches: impl Fn(&SalesKey) -> bool) -> impl Iterator<Item = &Sales> {
        self.sales.iter().filter(move |(key, _)| matches(key)).map(|(_, sales)| sales)
    }

    pub(super) fn gain(&self, matches: impl Fn(&SalesKey) -> bool) -> Decimal {
        self.of(matches).map(|sales| sales.gain).sum()
    }

    /// Returns the dividends that are payments for shares that the company bought back.
    pub(super) fn buybacks(&self, matches: impl Fn(&SalesKey) -> bool) -> Decimal {
        self.of(matches).map(|sales| sales.dividend).sum()
    }

    pub(super) fn buybacks_of_period(&self, period: usize) -> Decimal {
        of_period(period, |until| self.buybacks(|key| tax_period(key.sold) <= until))
    }

    pub(super) fn entered_dividends_of_period(&self, period: usize) -> Decimal {
        of_period(period, |until| {
            let dividends: Decimal = self.dividends.by_period.iter().take(until + 1).sum();
            dividends - self.buybacks(|key| tax_period(key.sold) <= until)
        })
    }

    pub(super) fn business(&self, head: TaxHead) -> &BusinessIncome {
        if head == TaxHead::Speculative { self.speculative } else { self.non_speculative }
    }

    pub(super) fn set_off(&self, matches: impl Fn(&SetOff) -> bool) -> Decimal {
        self.losses.set_offs.iter().filter(|one| matches(one)).map(|one| one.amount).sum()
    }

    pub(super) fn income(&self, class: IncomeClass, figure: IncomeFigure) -> Decimal {
        let results = || self.results.iter().filter(|one| class.contains(one.head, one.rate));
        let result = || results().map(|one| one.result).sum::<Decimal>();
        let set_off = |of_year: bool, same_head: bool| {
            self.set_off(|one| {
                let is_same_head = (one.loss_kind.is_gain(), one.loss_kind.is_business())
                    == (class.head.is_gain(), class.head.is_business());
                class.contains(one.against, one.rate)
                    && (one.loss_year == self.year) == of_year
                    && (!of_year || is_same_head == same_head)
            })
        };
        match figure {
            IncomeFigure::Profit => result().max(Decimal::ZERO),
            IncomeFigure::Loss => -result().min(Decimal::ZERO),
            IncomeFigure::SameHeadSetOff => set_off(true, true),
            IncomeFigure::AfterSameHead => {
                results().map(|one| one.result.max(Decimal::ZERO)).sum::<Decimal>() - set_off(true, true)
            }
            IncomeFigure::LossAfterSameHead => {
                let used = self.set_off(|one| {
                    (one.loss_kind, one.loss_year) == (class.head, self.year) && one.against.is_business()
                });
                self.income(class, IncomeFigure::Loss) - used
            }
            IncomeFigure::OtherHeadSetOff => set_off(true, false),
            IncomeFigure::AfterYear => self.income(class, IncomeFigure::AfterSameHead) - set_off(true, false),
            IncomeFigure::EarlierSetOff => set_off(false, false),
            IncomeFigure::Remaining => results().map(HeadResult::remaining).sum(),
        }
    }

    /// Returns the remaining income by period, in whole rupees that add up to the whole.
    pub(super) fn income_by_period(&self, class: IncomeClass) -> [Decimal; TAX_PERIODS] {
        let mut gains = [Decimal::ZERO; TAX_PERIODS];
        for (key, sales) in self.sales.iter().filter(|(key, _)| class.contains(key.head, Some(key.rate))) {
            if let Some(gain) = gains.get_mut(tax_period(key.sold)) {
                *gain += sales.gain;
            }
        }
        let mut sum = Decimal::ZERO;
        reduce_earliest(gains, self.income(class, IncomeFigure::Remaining)).map(|gain| {
            let before = round(sum);
            sum += gain;
            round(sum) - before
        })
    }

    pub(super) fn losses(&self, head: TaxHead, figure: LossFigure) -> Decimal {
        let losses = self.losses.schedule.iter().filter(|loss| loss.kind == head);
        let amount = |loss: &ScheduledLoss| match figure {
            LossFigure::BroughtForward => loss.opening,
            LossFigure::Used if loss.year < self.year => loss.used,
            LossFigure::OfYear if loss.year == self.year => loss.added - loss.used,
            LossFigure::Used | LossFigure::OfYear => Decimal::ZERO,
            LossFigure::CarriedForward => loss.carried_forward,
        };
        losses.map(amount).sum()
    }
}

/// Returns the whole rupees of a period, which add up to those of the year. `sum_until` returns the sum of the periods up to
/// one.
fn of_period(period: usize, sum_until: impl Fn(usize) -> Decimal) -> Decimal {
    let before = period.checked_sub(1).map_or(Decimal::ZERO, |before| round(sum_until(before)));
    round(sum_until(period)) - before
}

/// Rounds to whole rupees, half a rupee away from 0.
pub(super) fn round(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero)
}
