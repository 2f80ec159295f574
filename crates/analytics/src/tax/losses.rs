//! Set-off of losses within a year and carry-forward to later years.
//!
//! - The results at one tax rate are added up first, as in the return. Losses of the year are set off next: within their
//!   head, then business losses other than speculative ones against capital gains and income from other sources. Losses of
//!   earlier years follow, the oldest first.
//! - The law does not say which income a capital or business loss reduces first. That with the highest rate does, short-term
//!   before long-term gains. The slab rate counts as the highest or is placed among the others; see [`SlabPlace`].
//! - Long-term losses are set off before short-term ones and speculative losses before other business losses of earlier
//!   years, because fewer gains can absorb them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::accounts::TaxAccounts;
use super::gains_rules::TaxRate;
use super::head::TaxHead;
use super::lines::TaxLine;
use super::loss_rules::{last_year_of_loss, loss_rule};
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;

/// Loss of a year before the log that was not set off until the log begins, as the trader entered it.
#[derive(Clone, Debug, PartialEq)]
pub struct BroughtForwardLoss {
    /// Account of the person who had the loss; any of their accounts.
    pub account: BrokerAccount,
    pub kind: TaxHead,
    /// Year of the loss.
    pub year: FinancialYear,
    pub amount: Decimal,
}

/// Results of a year under one head and at one tax rate, and the losses that reduce them.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadResult {
    pub head: TaxHead,
    /// Tax rate of capital gains and income from other sources; none for business income.
    pub rate: Option<TaxRate>,
    /// Negative for a loss.
    pub result: Decimal,
    /// Losses that were set off against it; 0 if it is a loss.
    pub set_off: Decimal,
}

impl HeadResult {
    /// Returns the income that remains after the set-off; 0 for a loss.
    pub fn remaining(&self) -> Decimal {
        self.result.max(Decimal::ZERO) - self.set_off
    }
}

/// Results of a year before any set-off.
pub type YearResults = Vec<HeadResult>;

/// Adds the income of a line. Gains without a rate do not count: they are not taxed.
pub fn add_line(results: &mut YearResults, line: &TaxLine) {
    let rate = line.rate();
    if !line.head.is_business() && rate.is_none() {
        return;
    }
    match results.iter_mut().find(|one| one.head == line.head && one.rate == rate) {
        Some(one) => one.result += line.income,
        None => results.push(HeadResult { head: line.head, rate, result: line.income, set_off: Decimal::ZERO }),
    }
}

/// Adds the income from other sources of a year.
pub fn add_other_sources(results: &mut YearResults, income: Decimal) {
    let (head, rate) = (TaxHead::OtherSources, Some(TaxRate::Slab));
    results.push(HeadResult { head, rate, result: income, set_off: Decimal::ZERO });
}

/// Part of a loss that reduces an income.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOff {
    pub loss_kind: TaxHead,
    pub loss_year: FinancialYear,
    pub against: TaxHead,
    pub rate: Option<TaxRate>,
    pub amount: Decimal,
    pub law: &'static str,
}

/// Loss of one kind and year of origin in the schedule of a year. `opening + added = used + lapsed + carried_forward`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledLoss {
    pub kind: TaxHead,
    pub year: FinancialYear,
    /// True if the trader entered it, false if the log has it.
    pub entered: bool,
    pub opening: Decimal,
    pub added: Decimal,
    pub used: Decimal,
    pub lapsed: Decimal,
    pub carried_forward: Decimal,
    /// Last year in which it may be set off; none if it cannot be carried forward.
    pub last_year: Option<FinancialYear>,
}

/// Set-off of losses in a year, and the losses that remain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Losses {
    /// By head, the highest rate first. Income from other sources is left out if no loss reduces it.
    pub results: Vec<HeadResult>,
    /// In the order of the law.
    pub set_offs: Vec<SetOff>,
    /// By kind, the oldest first.
    pub schedule: Vec<ScheduledLoss>,
    /// Entered losses of years with closed trades, which are not used.
    pub ignored: usize,
}

/// Place of the slab rate among the tax rates, when a loss can reduce incomes at several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SlabPlace {
    /// Before all others.
    #[default]
    First,
    /// Behind the incomes that are taxed at this percentage.
    Behind(Decimal),
}

impl SlabPlace {
    /// Returns the key by which incomes are sorted; the highest is reduced first.
    fn rank(self, rate: Option<TaxRate>) -> (Decimal, u8) {
        match (rate, self) {
            (None, _) => (Decimal::ZERO, 0),
            (Some(TaxRate::Slab), Self::First) => (Decimal::MAX, 0),
            (Some(TaxRate::Slab), Self::Behind(percent)) => (percent, 0),
            (Some(TaxRate::Percent { percent, is_whole }), _) => (percent, 1 + u8::from(is_whole)),
        }
    }
}

/// Losses of one kind, and the heads whose income they are set off against.
type Step = (TaxHead, &'static [TaxHead]);

/// Steps for losses of the year. Speculative losses have nothing left to be set off against within the year.
const STEPS_OF_YEAR: [Step; 4] = [
    (TaxHead::LongTerm, &[TaxHead::LongTerm]),
    (TaxHead::ShortTerm, &[TaxHead::ShortTerm, TaxHead::LongTerm]),
    (TaxHead::NonSpeculative, &[TaxHead::Speculative]),
    (TaxHead::NonSpeculative, &[TaxHead::ShortTerm, TaxHead::LongTerm, TaxHead::OtherSources]),
];

/// Steps for losses of earlier years.
const STEPS_OF_EARLIER_YEARS: [Step; 5] = [
    (TaxHead::Speculative, &[TaxHead::Speculative]),
    (TaxHead::NonSpeculative, &[TaxHead::NonSpeculative]),
    (TaxHead::NonSpeculative, &[TaxHead::Speculative]),
    (TaxHead::LongTerm, &[TaxHead::LongTerm]),
    (TaxHead::ShortTerm, &[TaxHead::ShortTerm, TaxHead::LongTerm]),
];

impl Losses {
    /// Returns the losses of `year`, from the results of the log by year, up to `year`, and the losses that the trader
    /// entered for the years before. `slab_place` applies to that year; in earlier ones the slab rate is first.
    pub fn new(
        year: FinancialYear,
        mut results: BTreeMap<FinancialYear, YearResults>,
        entered: &[BroughtForwardLoss],
        accounts: &TaxAccounts,
        slab_place: SlabPlace,
    ) -> Self {
        let first_logged = results.keys().next().copied();
        let (entered, ignored): (Vec<_>, Vec<_>) = entered
            .iter()
            .filter(|loss| loss.year < year && accounts.contain(loss.account))
            .partition(|loss| !results.contains_key(&loss.year));
        let next_years = entered.iter().map(|loss| loss.year.next());
        let first = next_years.chain(first_logged).min().unwrap_or(year);
        let mut losses = Self::default();
        for one in (first.0..=year.0).map(FinancialYear) {
            let brought_forward = entered.iter().filter(|loss| loss.year.next() == one).copied();
            let slab_place = if one == year { slab_place } else { SlabPlace::First };
            losses = losses.next_year(one, results.remove(&one).unwrap_or_default(), brought_forward, slab_place);
        }
        Self { ignored: ignored.len(), ..losses }
    }

    /// Returns the next year: carries losses forward, adds those of the year, and sets them off.
    fn next_year<'a>(
        self,
        year: FinancialYear,
        mut results: YearResults,
        entered: impl Iterator<Item = &'a BroughtForwardLoss>,
        slab_place: SlabPlace,
    ) -> Self {
        results.sort_by_key(|one| (one.head, Reverse(one.rate)));
        let mut schedule: Vec<ScheduledLoss> = Vec::new();
        for loss in self.schedule.into_iter().filter(|loss| !loss.carried_forward.is_zero()) {
            let opening = loss.carried_forward;
            schedule.push(ScheduledLoss { opening, entered: loss.entered, ..ScheduledLoss::new(loss.kind, loss.year) });
        }
        for loss in entered {
            match schedule.iter_mut().find(|one| (one.kind, one.year) == (loss.kind, loss.year)) {
                Some(one) => one.opening += loss.amount,
                None => {
                    let new = ScheduledLoss::new(loss.kind, loss.year);
                    schedule.push(ScheduledLoss { opening: loss.amount, entered: true, ..new });
                }
            }
        }
        for kind in TaxHead::WITH_LOSSES {
            let of_kind = results.iter().filter(|one| one.head == kind);
            let added = -of_kind.map(|one| one.result.min(Decimal::ZERO)).sum::<Decimal>();
            if !added.is_zero() {
                schedule.push(ScheduledLoss { added, ..ScheduledLoss::new(kind, year) });
            }
        }
        schedule.sort_by_key(|loss| (loss.kind, loss.year));
        let mut losses = Self { results, set_offs: Vec::new(), schedule, ignored: 0 };
        STEPS_OF_YEAR.iter().for_each(|step| losses.set_off(*step, year, true, slab_place));
        STEPS_OF_EARLIER_YEARS.iter().for_each(|step| losses.set_off(*step, year, false, slab_place));
        losses.schedule.iter_mut().for_each(|loss| loss.close(year));
        losses.results.retain(|one| one.head != TaxHead::OtherSources || !one.set_off.is_zero());
        losses
    }

    /// Sets the losses of one kind off, the oldest first, against the incomes with the highest rates.
    fn set_off(&mut self, (kind, heads): Step, year: FinancialYear, of_year: bool, slab_place: SlabPlace) {
        let mut incomes: Vec<&mut HeadResult> =
            self.results.iter_mut().filter(|one| heads.contains(&one.head)).collect();
        incomes.sort_by_key(|one| (Reverse(slab_place.rank(one.rate)), one.head));
        let losses = self.schedule.iter_mut().filter(|loss| loss.kind == kind);
        for loss in losses.filter(|loss| (loss.year == year) == of_year) {
            for income in &mut incomes {
                let amount = loss.unused().min(income.remaining());
                if amount.is_zero() {
                    continue;
                }
                loss.used += amount;
                income.set_off += amount;
                let law = loss_rule(kind, year)
                    .map_or("", |rule| if of_year { &rule.set_off_law } else { &rule.carry_forward_law });
                self.set_offs.push(SetOff {
                    loss_kind: kind,
                    loss_year: loss.year,
                    against: income.head,
                    rate: income.rate,
                    amount,
                    law,
                });
            }
        }
    }

    /// Returns the places of the slab rate besides the first one that can make a difference: behind each fixed rate, if
    /// there is income at the slab rate and a loss reduced gains or income from other sources.
    pub fn other_slab_places(&self) -> Vec<SlabPlace> {
        let incomes = || self.results.iter().filter(|one| one.rate.is_some() && one.result > Decimal::ZERO);
        let has_slab = incomes().any(|one| one.rate == Some(TaxRate::Slab));
        if !has_slab || incomes().all(|one| one.set_off.is_zero()) {
            return Vec::new();
        }
        let mut percents: Vec<Decimal> = incomes().filter_map(|one| one.rate?.percent()).collect();
        percents.sort_unstable();
        percents.dedup();
        percents.into_iter().map(SlabPlace::Behind).collect()
    }

    /// Returns whether both carry the same losses forward.
    pub fn carries_forward_as(&self, other: &Self) -> bool {
        let carried = |losses: &Self| losses.schedule.iter().map(|loss| loss.carried_forward).collect::<Vec<_>>();
        carried(self) == carried(other)
    }

    /// Returns the set-off against income from other sources.
    pub fn other_sources_set_off(&self) -> Decimal {
        self.results.iter().filter(|one| one.head == TaxHead::OtherSources).map(|one| one.set_off).sum()
    }

    /// Returns the long-term gains after set-off.
    pub fn long_term_gains(&self) -> Decimal {
        self.results.iter().filter(|one| one.head == TaxHead::LongTerm).map(HeadResult::remaining).sum()
    }

    /// Returns the long-term gains after set-off of which a part is exempt: those of shares, but not those of gold.
    pub fn exemptible_gains(&self) -> Decimal {
        self.with_exemption().map(HeadResult::remaining).sum()
    }

    /// Returns the set-off against gains that would have been exempt, if `exempt` rupees of a year are.
    pub fn exempt_gains_set_off(&self, exempt: Decimal) -> Decimal {
        let before: Decimal = self.with_exemption().map(|one| one.result.max(Decimal::ZERO)).sum();
        before.min(exempt) - self.exemptible_gains().min(exempt)
    }

    fn with_exemption(&self) -> impl Iterator<Item = &HeadResult> {
        self.results.iter().filter(|one| one.rate.is_some_and(TaxRate::has_exemption))
    }

    /// Returns codes of hints for the trader.
    pub fn hints(&self, year: FinancialYear) -> impl Iterator<Item = &'static str> {
        let is_carried = |loss: &ScheduledLoss| loss.year == year && !loss.carried_forward.is_zero();
        let is_assumed = |loss: &ScheduledLoss| !loss.entered && !loss.opening.is_zero();
        let has_other_rate = |one: &SetOff| {
            let is_other =
                |other: &&HeadResult| other.result > Decimal::ZERO && other.rate.is_some() && other.rate != one.rate;
            let is_allowed = |other: &HeadResult| match one.loss_kind {
                TaxHead::LongTerm => other.head == TaxHead::LongTerm,
                TaxHead::ShortTerm => other.head.is_gain(),
                _ => true,
            };
            one.rate.is_some() && self.results.iter().filter(is_other).any(is_allowed)
        };
        let hints = [
            (self.schedule.iter().any(is_carried), "losses_carried_forward"),
            (self.schedule.iter().any(is_assumed), "losses_of_log_assumed"),
            (self.set_offs.iter().any(has_other_rate), "losses_highest_rate"),
            (self.ignored > 0, "losses_in_log"),
        ];
        hints.into_iter().filter_map(|(applies, hint)| applies.then_some(hint))
    }
}

impl ScheduledLoss {
    /// Returns a loss without amounts.
    fn new(kind: TaxHead, year: FinancialYear) -> Self {
        Self {
            kind,
            year,
            entered: false,
            opening: Decimal::ZERO,
            added: Decimal::ZERO,
            used: Decimal::ZERO,
            lapsed: Decimal::ZERO,
            carried_forward: Decimal::ZERO,
            last_year: last_year_of_loss(kind, year),
        }
    }

    fn unused(&self) -> Decimal {
        self.opening + self.added - self.used
    }

    /// Carries what is left forward, or lets it lapse at the end of the last year.
    fn close(&mut self, year: FinancialYear) {
        if self.last_year.is_some_and(|last| year < last) {
            self.carried_forward = self.unused();
        } else {
            self.lapsed = self.unused();
        }
    }
}
