//! Strategies with their results.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Duration, OffsetDateTime};

use super::confirmed::{ConfirmedStrategy, FillRange};
use super::leg::Leg;
use super::lot_part::LotPart;
use super::payoff::{Payoff, has_defined_risk};
use super::shape::Shape;
use super::steps::{Step, StepKind, StepLeg, Timeline};
use super::time_part::TimePart;
use crate::arithmetic::divide;
use crate::broker_terms::BrokerTerms;
use crate::charge_rates::ChargeRates;
use crate::fill::{BrokerAccount, INDIA};
use crate::fill_key::FillKey;
use crate::instrument::{Class, Instrument};

/// State of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyState {
    Open,
    Closed,
    /// Only contracts are open that are past their expiry without an entered settlement.
    AwaitingSettlement,
}

/// Possible strategy of an ambiguous grouping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub shape: Shape,
    pub legs: Vec<CandidateLeg>,
    /// Lots of its legs.
    pub ranges: Vec<FillRange>,
}

/// Leg of a possible strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateLeg {
    pub position: FillKey,
    pub instrument: Arc<Instrument>,
    pub long: bool,
    pub quantity: Decimal,
}

impl Candidate {
    pub fn new<'p>(shape: Shape, parts: impl Iterator<Item = &'p TimePart> + Clone) -> Self {
        let mut legs: Vec<CandidateLeg> = Vec::new();
        for lot in parts.clone().flat_map(|part| &part.lots) {
            match legs.iter_mut().find(|leg| leg.position == lot.position) {
                Some(leg) => leg.quantity += lot.quantity,
                None => legs.push(CandidateLeg {
                    position: lot.position,
                    instrument: lot.instrument.clone(),
                    long: lot.long,
                    quantity: lot.quantity,
                }),
            }
        }
        Self { shape, legs, ranges: FillRange::list(parts.flat_map(|part| &part.lots)) }
    }

    pub fn id(&self) -> FillKey {
        FillRange::identify(&self.ranges)
    }
}

/// Positions, or parts of them, that were taken as one decision. Results of an open strategy are those of its closed part.
#[derive(Clone, Debug)]
pub struct Strategy {
    pub id: FillKey,
    pub account: BrokerAccount,
    pub underlying: String,
    pub shape: Shape,
    pub state: StrategyState,
    pub lots: Vec<LotPart>,
    /// Other possible groupings; empty if it is not ambiguous.
    pub candidates: Vec<Candidate>,
    /// None if it is proposed.
    pub confirmed: Option<Arc<ConfirmedStrategy>>,
    /// Strategies of earlier expiries that were rolled into it, and the one that it was rolled into.
    pub previous: Option<FillKey>,
    pub next: Option<FillKey>,
    pub opened_at: OffsetDateTime,
    pub opened_day: Date,
    /// Time of the last exit.
    pub closed_at: Option<OffsetDateTime>,
    pub closed_day: Option<Date>,
    pub has_times: bool,
    pub gross: Decimal,
    pub charges: Decimal,
    pub(super) timeline: Timeline,
}

impl Strategy {
    /// Returns the strategy of lots; none if there are none.
    pub fn new(mut lots: Vec<LotPart>, shape: Shape, candidates: Vec<Candidate>, window: Duration) -> Option<Self> {
        lots.sort_by(LotPart::compare);
        let (first, first_option) = (lots.first()?, first_option(&lots)?);
        let open = || lots.iter().filter(|lot| lot.exit.is_none());
        let state = if open().next().is_none() {
            StrategyState::Closed
        } else if open().all(|lot| lot.awaits_settlement) {
            StrategyState::AwaitingSettlement
        } else {
            StrategyState::Open
        };
        let exits = || lots.iter().filter_map(|lot| lot.exit.as_ref());
        let closed = || lots.iter().filter(|lot| lot.exit.is_some());
        Some(Self {
            id: strategy_id(&lots)?,
            account: first.account,
            underlying: first_option.instrument.underlying.clone(),
            shape,
            state,
            candidates,
            confirmed: None,
            previous: None,
            next: None,
            opened_at: first_option.opened_at,
            opened_day: first_option.opened_day,
            closed_at: exits().map(|exit| exit.at).max(),
            closed_day: exits().map(|exit| exit.day).max(),
            has_times: lots.iter().all(|lot| lot.has_time) && exits().all(|exit| exit.has_time),
            gross: closed().filter_map(LotPart::gross).sum(),
            charges: closed().map(LotPart::charges).sum(),
            timeline: Timeline::new(&lots, window),
            lots,
        })
    }

    /// Returns the strategy of the lots of a confirmed one; none if there are none.
    pub fn from_confirmed(lots: Vec<LotPart>, confirmed: Arc<ConfirmedStrategy>, window: Duration) -> Option<Self> {
        let strategy = Self::new(lots, confirmed.shape, Vec::new(), window)?;
        Some(Self { id: confirmed.id, confirmed: Some(confirmed), ..strategy })
    }

    /// Returns the identity of the current grouping of its lots.
    pub fn grouping_id(&self) -> FillKey {
        FillRange::identify(&FillRange::list(self.lots.iter()))
    }

    /// Returns whether a candidate is the current grouping, or what it was before legs were added.
    pub fn is_current(&self, candidate: &Candidate) -> bool {
        FillRange::contain_all(&FillRange::list(self.lots.iter()), &candidate.ranges)
    }

    pub fn is_closed(&self) -> bool {
        self.state == StrategyState::Closed
    }

    pub fn net(&self) -> Decimal {
        self.gross - self.charges
    }

    pub fn legs(&self) -> Vec<Leg> {
        Leg::list(&self.lots)
    }

    pub fn steps(&self) -> &[Step] {
        &self.timeline.steps
    }

    /// Returns the premium of the options that its openings and adjustments brought; negative if they cost more.
    pub fn premium(&self) -> Decimal {
        self.steps().iter().filter(|step| step.kind.opens()).map(|step| step.premium).sum()
    }

    /// Returns the credit of a strategy that was opened for one: its premium, or that of the opening if adjustments cost
    /// money; none for a debit.
    pub fn credit(&self) -> Option<Decimal> {
        let opening: Decimal = self.opening().iter().map(|step| step.premium).sum();
        (opening > Decimal::ZERO).then(|| opening.max(self.premium()))
    }

    /// Returns the result of its closed options before charges.
    pub fn option_gross(&self) -> Decimal {
        self.lots.iter().filter(|lot| lot.instrument.is_option()).filter_map(LotPart::gross).sum()
    }

    /// Returns the share of the credit that the result of its options is before charges; none for a debit and while it is
    /// open.
    pub fn credit_kept(&self) -> Option<Decimal> {
        divide(self.option_gross(), self.credit().filter(|_| self.is_closed())?)
    }

    /// Returns whether legs were added, replaced or rolled after the opening.
    pub fn is_adjusted(&self) -> bool {
        let is_adjustment = |kind| matches!(kind, StepKind::Addition | StepKind::Adjustment | StepKind::Roll);
        self.steps().iter().skip(self.opening_range().end).any(|step| is_adjustment(step.kind))
    }

    /// Returns the indices of the steps of the opening: from that of the first option, because shares or a future may be
    /// older, to the last one of the same day that only added legs.
    fn opening_range(&self) -> Range<usize> {
        let steps = self.steps();
        let opens_option = |step: &Step| step.opened.iter().any(|leg| leg.instrument.is_option());
        let start = steps.iter().position(opens_option).unwrap_or_default();
        let day = |step: &Step| step.at.to_offset(INDIA).date();
        let is_opening = |step: &&Step| {
            step.kind == StepKind::Addition && steps.get(start).is_some_and(|first| day(first) == day(step))
        };
        let more = steps.iter().skip(start + 1).take_while(is_opening).count();
        start..(start + 1 + more).min(steps.len())
    }

    fn opening(&self) -> &[Step] {
        self.steps().get(self.opening_range()).unwrap_or_default()
    }

    fn opening_legs(&self) -> impl Iterator<Item = &StepLeg> + Clone {
        self.opening().iter().flat_map(|step| &step.opened)
    }

    /// Returns the days from the opening to the first expiry of the legs that it opened.
    pub fn days_to_expiry_at_entry(&self) -> Option<i64> {
        let expiry = self.opening_legs().filter_map(|leg| leg.instrument.expiry).map(|expiry| expiry.day).min()?;
        Some((expiry - self.opened_day).whole_days())
    }

    /// Returns the days from the last exit to the first expiry of the legs that it closed; none while it is open.
    pub fn days_to_expiry_at_exit(&self) -> Option<i64> {
        let legs = &self.steps().last().filter(|_| self.is_closed())?.closed;
        let expiry = legs.iter().filter_map(|leg| leg.instrument.expiry).map(|expiry| expiry.day).min()?;
        Some((expiry - self.closed_day?).whole_days())
    }

    /// Returns the distance of the strikes at the opening: of the bought and sold options of one class, otherwise of the
    /// call and the put. None if there is only one strike.
    pub fn width(&self) -> Option<Decimal> {
        let strike = |class: Class, long: bool| {
            let leg = self.opening_legs().find(|leg| leg.instrument.class == class && leg.long == long)?;
            leg.instrument.strike
        };
        let wing = |class| Some((strike(class, true)? - strike(class, false)?).abs());
        let any = |class| strike(class, true).or_else(|| strike(class, false));
        let between = || Some((any(Class::Call)? - any(Class::Put)?).abs());
        let wings = [wing(Class::Call), wing(Class::Put)].into_iter().flatten().max();
        wings.or_else(between).filter(|width| !width.is_zero())
    }

    pub fn has_defined_risk(&self) -> bool {
        has_defined_risk(&self.timeline.open_after(self.timeline.last_opening(), &self.lots))
    }

    /// Returns the payoff at expiry of what is open after a step; see [`Payoff::new`].
    pub fn payoff_after(&self, step: usize, rates: &ChargeRates, terms: &BrokerTerms) -> Option<Payoff> {
        // Its result depends on several prices.
        if self.lots.iter().any(|lot| lot.instrument.underlying != self.underlying) {
            return None;
        }
        let closed = self.timeline.closed_after(step, &self.lots);
        let realised = closed.iter().map(|lot| lot.gross().unwrap_or_default() - lot.charges()).sum();
        Payoff::new(&self.timeline.open_after(step, &self.lots), realised, rates, terms)
    }

    /// Returns the payoff at expiry of what is open; of a closed strategy, of what was open after the last opening or
    /// adjustment.
    pub fn payoff(&self, rates: &ChargeRates, terms: &BrokerTerms) -> Option<Payoff> {
        let last = if self.is_closed() { self.timeline.last_opening() } else { self.steps().len().saturating_sub(1) };
        self.payoff_after(last, rates, terms)
    }

    /// Returns the payoff as first opened; none if nothing was changed since.
    pub fn first_payoff(&self, rates: &ChargeRates, terms: &BrokerTerms) -> Option<Payoff> {
        let opening = self.opening_range().end.saturating_sub(1);
        (self.timeline.last_opening() > opening).then(|| self.payoff_after(opening, rates, terms)).flatten()
    }

    /// Returns the keys of the positions of its legs.
    pub fn positions(&self) -> HashSet<FillKey> {
        self.lots.iter().map(|lot| lot.position).collect()
    }

    /// Returns the weekday of the opening, 1 is Monday.
    pub fn opening_weekday(&self) -> u8 {
        self.opened_at.to_offset(INDIA).weekday().number_from_monday()
    }
}

/// Returns the first option in the order of lots, or the first lot if there is none.
pub fn first_option(lots: &[LotPart]) -> Option<&LotPart> {
    lots.iter().find(|lot| lot.instrument.is_option()).or_else(|| lots.first())
}

/// Returns the id of a strategy of lots in the order of their openings. It depends on the first option, so it stays the
/// same if legs are added.
pub fn strategy_id(lots: &[LotPart]) -> Option<FillKey> {
    first_option(lots).map(derive_id)
}

/// Returns the id of a strategy whose first option is a lot.
pub fn derive_id(first: &LotPart) -> FillKey {
    first.fill.derive("strategy", &first.from.normalize().to_string(), first.opened_day)
}
