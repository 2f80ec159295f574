//! Proposals of corporate actions: events of the table that affect a holding, and events that only the trades show.
//!
//! Proposals are made with the ledger, so an unchanged ledger costs nothing. Closed trades that were open at the time of
//! a proposed event are doubtful until the trader enters the event, or states that there was none.

use std::collections::HashMap;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Duration};

use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::adjustment_index::AdjustmentIndex;
use crate::corporate_events::{CorporateEvent, events_of};
use crate::fill::{BrokerAccount, Fill, Side, Source};
use crate::matching::{HoldingProbe, LotRange, MatchResult};

/// Days between an event and an entry that answers it: the trader may enter the record date or the day of credit.
const MAX_ANSWER_DISTANCE: Duration = Duration::days(10);
/// Longest gap between two trades in which a price jump alone suggests an event. Over longer times prices do move so far.
const MAX_JUMP_GAP: Duration = Duration::days(45);
/// Deviation of a price jump from the ratio, in percent.
const MAX_DEVIATION_PERCENT: i64 = 25;
/// Factors of quantity that a split or bonus usually has, as new and old shares.
const USUAL_RATIOS: [(i32, i32); 12] =
    [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (10, 1), (20, 1), (3, 2), (4, 3), (5, 4), (1, 5), (1, 10)];

/// Grade of how sure a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// From the table, whose source was read.
    Verified,
    /// From the table, not checked against its source.
    Recalled,
    /// Only from the trades.
    Suspected,
}

/// Evidence for a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Shares held at the start of the day.
    Held { account: BrokerAccount, quantity: Decimal },
    /// Units of a contract on the share that were open at the start of the day.
    OpenContract { account: BrokerAccount, quantity: Decimal },
    /// ISINs of the share in the broker's file, before and after.
    IsinChanged { before: String, after: String },
    /// Shares sold after the event without a purchase.
    SoldMoreThanHeld { account: BrokerAccount, quantity: Decimal },
    /// Prices of the last trade before and the first trade after the event.
    PriceChanged { before: Decimal, after: Decimal },
}

impl Evidence {
    /// Returns whether it shows the event itself, not only that the event matters.
    fn confirms(&self) -> bool {
        !matches!(self, Self::Held { .. } | Self::OpenContract { .. })
    }
}

/// Proposed corporate action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The event as an adjustment without a number. The day of a suspected event is that of the first trade after it.
    pub adjustment: Adjustment,
    pub certainty: Certainty,
    /// Source of a row of the table; empty for a suspected event.
    pub source: String,
    pub evidence: Vec<Evidence>,
}

impl Proposal {
    /// Returns whether the event may be entered without checking it: the source was read, or the trades confirm it.
    pub fn is_likely(&self) -> bool {
        let confirming = self.evidence.iter().filter(|evidence| evidence.confirms()).count();
        match self.certainty {
            Certainty::Verified => true,
            Certainty::Recalled => confirming >= 1,
            Certainty::Suspected => confirming >= 2,
        }
    }

    /// Returns whether both propose the same event.
    pub fn is_same_event(&self, other: &Self) -> bool {
        self.adjustment == other.adjustment
    }
}

/// Joins the proposals of ledgers that are about the same event, with the evidence of all and the indices of the ledgers.
pub fn join_proposals<'p>(by_ledger: impl Iterator<Item = &'p Vec<Proposal>>) -> Vec<(Proposal, Vec<usize>)> {
    let mut events: Vec<(Proposal, Vec<usize>)> = Vec::new();
    for (index, proposals) in by_ledger.enumerate() {
        for proposal in proposals {
            match events.iter_mut().find(|(event, _)| event.is_same_event(proposal)) {
                Some((event, indices)) => {
                    event.evidence.extend(proposal.evidence.iter().cloned());
                    indices.push(index);
                }
                None => events.push((proposal.clone(), vec![index])),
            }
        }
    }
    events
}

/// Returns the events of the table that may affect a ledger and are not answered, and the holdings to record for them.
pub fn relevant_events<'i>(
    fills: &[Fill],
    index: &'i AdjustmentIndex,
) -> (Vec<&'static CorporateEvent>, Vec<HoldingProbe<'i>>) {
    let mut symbols: Vec<&str> = Vec::new();
    for fill in
        fills.chunk_by(|one, other| Arc::ptr_eq(&one.instrument, &other.instrument)).filter_map(|fills| fills.first())
    {
        // Only splits and bonuses of the underlying affect a contract.
        let symbol = fill.instrument.underlying.as_str();
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    let mut events: Vec<&'static CorporateEvent> =
        symbols.into_iter().flat_map(events_of).filter(|event| !has_entry(&event.adjustment, index)).collect();
    events.sort_by_key(|event| event.adjustment.day);
    let probes =
        events.iter().map(|event| (event.adjustment.day, index.latest_symbol(&event.adjustment.symbol))).collect();
    (events, probes)
}

/// Returns whether the trader entered the event, or stated that there was none.
fn has_entry(event: &Adjustment, index: &AdjustmentIndex) -> bool {
    index.for_share(&event.symbol).iter().any(|entered| {
        let is_near = (entered.day - event.day).abs() <= MAX_ANSWER_DISTANCE;
        match (&entered.kind, &event.kind) {
            (AdjustmentKind::NoAction, _) => is_near,
            // A rename applies to all trades, whatever its day. It was the only way to enter a merger.
            (
                AdjustmentKind::Rename(to),
                AdjustmentKind::Rename(other) | AdjustmentKind::Merger { into: other, .. },
            ) => index.latest_symbol(to) == index.latest_symbol(other),
            (entered, event) => is_near && entered.name() == event.name() && names_same_share(entered, event, index),
        }
    })
}

fn names_same_share(one: &AdjustmentKind, other: &AdjustmentKind, index: &AdjustmentIndex) -> bool {
    let latest = |kind: &AdjustmentKind| kind.other_symbol().map(|symbol| index.latest_symbol(symbol).to_owned());
    latest(one) == latest(other)
}

/// Returns the proposals for a ledger. `events` are those of [`relevant_events`], whose holdings `matched` records.
pub fn propose(
    matched: &MatchResult,
    fills: &[Fill],
    events: &[&'static CorporateEvent],
    index: &AdjustmentIndex,
) -> Vec<Proposal> {
    let Some(first) = fills.first() else { return Vec::new() };
    if first.instrument.is_contract() {
        let shares_held = |event: &CorporateEvent| contract_quantity(fills, event);
        return events.iter().filter_map(|event| propose_event(event, shares_held(event), matched, fills)).collect();
    }
    let events = events.iter().zip(&matched.probed_holdings);
    let mut proposals: Vec<Proposal> =
        events.filter_map(|(event, shares_held)| propose_event(event, *shares_held, matched, fills)).collect();
    proposals.extend(suspected_events(matched, fills, index, &proposals));
    proposals
}

/// Returns the units of a contract that were open at the start of an event's day, if the event changes contracts.
fn contract_quantity(fills: &[Fill], event: &CorporateEvent) -> Decimal {
    let day = event.adjustment.day;
    let expired = fills.iter().filter_map(|fill| fill.instrument.expiry).any(|expiry| expiry.day < day);
    if expired || !matches!(event.adjustment.kind, AdjustmentKind::Split(_) | AdjustmentKind::Bonus { .. }) {
        return Decimal::ZERO;
    }
    let signed = |fill: &Fill| if fill.side == Side::Buy { fill.quantity } else { -fill.quantity };
    fills.iter().take_while(|fill| fill.day < day).map(signed).sum::<Decimal>().abs()
}

/// Returns the proposal of an event of the table; none if nothing was held.
fn propose_event(
    event: &CorporateEvent,
    shares_held: Decimal,
    matched: &MatchResult,
    fills: &[Fill],
) -> Option<Proposal> {
    let account = fills.first()?.account;
    if shares_held.is_zero() {
        return None;
    }
    let is_contract = fills.first().is_some_and(|fill| fill.instrument.is_contract());
    let mut evidence = vec![if is_contract {
        Evidence::OpenContract { account, quantity: shares_held }
    } else {
        Evidence::Held { account, quantity: shares_held }
    }];
    let day = event.adjustment.day;
    let is_share = |fill: &&Fill| fill.source == Source::Trade && fill.instrument.underlying == event.adjustment.symbol;
    let before = fills.iter().rev().filter(is_share).find(|fill| fill.day < day);
    let after = fills.iter().filter(is_share).find(|fill| fill.day >= day);
    if let (Some(before), Some(after)) = (before, after) {
        evidence.extend(isin_change(before, after));
        let (before, after) = (price(before)?, price(after)?);
        if is_jump(before, after, Ratio { new: 3, old: 2 }) {
            evidence.push(Evidence::PriceChanged { before, after });
        }
    }
    let missing = missing_since(matched, day);
    if !missing.is_zero() {
        evidence.push(Evidence::SoldMoreThanHeld { account, quantity: missing });
    }
    Some(Proposal {
        adjustment: event.adjustment.clone(),
        certainty: if event.verified { Certainty::Verified } else { Certainty::Recalled },
        source: event.source.clone(),
        evidence,
    })
}

fn price(fill: &Fill) -> Option<Decimal> {
    fill.value.checked_div(fill.quantity).map(|price| price.round_dp(4))
}

fn isin_change(before: &Fill, after: &Fill) -> Option<Evidence> {
    let (before, after) = (&before.instrument.isin, &after.instrument.isin);
    let differs = before != after && !before.is_empty() && !after.is_empty();
    differs.then(|| Evidence::IsinChanged { before: before.clone(), after: after.clone() })
}

/// Returns whether a price fell or rose by more than a ratio.
fn is_jump(before: Decimal, after: Decimal, Ratio { new, old }: Ratio) -> bool {
    let (new, old) = (Decimal::from(new), Decimal::from(old));
    before * old > after * new || after * old > before * new
}

/// Returns the shares sold since a day without a purchase.
fn missing_since(matched: &MatchResult, day: Date) -> Decimal {
    let sold_on = |lot: usize| matched.lots.get(lot).and_then(|lot| matched.fills.get(lot.fill)).map(|fill| fill.day);
    let missing = matched.missing_cost_basis.iter().filter(|range| sold_on(range.lot).is_some_and(|sold| sold >= day));
    missing.map(LotRange::quantity).sum()
}

/// Two consecutive days with trades of a share that was held between them.
struct Gap<'f> {
    before: &'f Fill,
    after: &'f Fill,
    /// Shares held between both, as the trades show them.
    shares_held: Decimal,
}

/// Sums of the fills that were not looked at yet.
struct Rest {
    bought: Decimal,
    sold: Decimal,
    /// Sold without a purchase.
    missing: Decimal,
    /// Quantities sold without a purchase by the index of their fill.
    missing_by_fill: HashMap<usize, Decimal>,
    /// Index of the next fill.
    next: usize,
}

impl Rest {
    fn new(matched: &MatchResult, fills: &[Fill]) -> Self {
        let sum = |side| fills.iter().filter(|fill| fill.side == side).map(|fill| fill.quantity).sum();
        let mut missing_by_fill: HashMap<usize, Decimal> = HashMap::new();
        for range in &matched.missing_cost_basis {
            if let Some(lot) = matched.lots.get(range.lot) {
                *missing_by_fill.entry(lot.fill).or_default() += range.quantity();
            }
        }
        let missing = missing_by_fill.values().sum();
        Self { bought: sum(Side::Buy), sold: sum(Side::Sell), missing, missing_by_fill, next: 0 }
    }

    /// Subtracts the next fill.
    fn skip(&mut self, fill: &Fill) {
        let sum = if fill.side == Side::Buy { &mut self.bought } else { &mut self.sold };
        *sum -= fill.quantity;
        self.missing -= self.missing_by_fill.get(&self.next).copied().unwrap_or_default();
        self.next += 1;
    }
}

/// Returns events that only the trades show. `known` are those of the table.
fn suspected_events(
    matched: &MatchResult,
    fills: &[Fill],
    index: &AdjustmentIndex,
    listed_event: &[Proposal],
) -> Vec<Proposal> {
    let Some(first) = fills.first() else { return Vec::new() };
    // Lots of linked shares move between them, which the running quantity below does not follow.
    if index.linked_shares(&first.instrument.symbol).is_some() {
        return Vec::new();
    }
    let entered = index.for_share(&first.instrument.symbol);
    let is_explained = |gap: &Gap| {
        let is_within = |day: Date, distance| gap.before.day - distance < day && day <= gap.after.day + distance;
        entered.iter().any(|adjustment| is_within(adjustment.day, MAX_ANSWER_DISTANCE) && changes_shares(adjustment))
            || listed_event.iter().any(|proposal| is_within(proposal.adjustment.day, Duration::ZERO))
            || events_of(&first.instrument.symbol).iter().any(|event| is_within(event.adjustment.day, Duration::ZERO))
    };
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut rest = Rest::new(matched, fills);
    let mut shares_held = Decimal::ZERO;
    let mut before: Option<&Fill> = None;
    let mut entered_actions = entered.iter().peekable();
    for fill in fills {
        while let Some(adjustment) = entered_actions.next_if(|adjustment| adjustment.day <= fill.day) {
            shares_held *= quantity_factor(&adjustment.kind);
        }
        if let Some(before) = before.filter(|before| before.day < fill.day && fill.source == Source::Trade)
            && shares_held > Decimal::ZERO
        {
            let gap = Gap { before, after: fill, shares_held };
            if let Some((ratio, evidence)) = suspected_ratio(&gap, &rest)
                && !is_explained(&gap)
            {
                proposals.push(suspected_event(&gap, ratio, evidence));
                shares_held *= Decimal::from(ratio.new) / Decimal::from(ratio.old);
            }
        }
        rest.skip(fill);
        let change = if fill.side == Side::Buy { fill.quantity } else { -fill.quantity };
        shares_held = (shares_held + change).max(Decimal::ZERO);
        if fill.source == Source::Trade {
            before = Some(fill);
        }
    }
    proposals
}

/// Returns whether an entry explains a jump of the price or the quantity.
fn changes_shares(adjustment: &Adjustment) -> bool {
    !matches!(
        adjustment.kind,
        AdjustmentKind::Opening { .. } | AdjustmentKind::Rights(_) | AdjustmentKind::FractionPayment { .. }
    )
}

/// Returns the factor by which an entered adjustment multiplies a holding.
fn quantity_factor(kind: &AdjustmentKind) -> Decimal {
    match kind {
        AdjustmentKind::Split(Ratio { new, old }) => Decimal::from(*new) / Decimal::from(*old),
        AdjustmentKind::Bonus { ratio: Ratio { new, old }, .. } => {
            Decimal::ONE + Decimal::from(*new) / Decimal::from(*old)
        }
        _ => Decimal::ONE,
    }
}

/// Returns the ratio that the evidence of a gap suggests; none if it suggests no event.
fn suspected_ratio(gap: &Gap, rest: &Rest) -> Option<(Ratio, Vec<Evidence>)> {
    let isin_changed = isin_change(gap.before, gap.after);
    // Comparing products avoids a division for each pair of trades.
    let (before, after) = (gap.before.value * gap.after.quantity, gap.after.value * gap.before.quantity);
    let has_jump = is_jump(before, after, Ratio { new: 6, old: 5 });
    if isin_changed.is_none() && !has_jump && rest.missing.is_zero() {
        return None;
    }
    let ratios = || USUAL_RATIOS.iter().map(|(new, old)| Ratio { new: *new, old: *old });
    let is_close = |ratio: &Ratio| {
        let (new, old) = (Decimal::from(ratio.new), Decimal::from(ratio.old));
        let deviation = (before * old - after * new).abs() * Decimal::ONE_HUNDRED;
        deviation <= after * new * Decimal::from(MAX_DEVIATION_PERCENT)
    };
    let deviation = |ratio: &Ratio| (before * Decimal::from(ratio.old) / Decimal::from(ratio.new) - after).abs();
    let closest = ratios().filter(is_close).min_by_key(deviation);
    let is_short = gap.after.day - gap.before.day <= MAX_JUMP_GAP;
    // Without a change of the price, the shares rather come from an older purchase.
    let is_plausible = |ratio: &Ratio| {
        let (new, old) = (Decimal::from(ratio.new), Decimal::from(ratio.old));
        is_close(ratio) || !is_short && !is_jump(before * old, after * new, Ratio { new: 2, old: 1 })
    };
    let sold_ratio = sold_more_ratio(gap, rest).filter(is_plausible);
    let large_jump = closest.filter(|ratio| is_short && (ratio.new >= 2 * ratio.old || ratio.old >= 5 * ratio.new));
    // The ratio of the quantities is exact, that of the prices is not.
    let ratio = sold_ratio.or(large_jump).or(closest.filter(|_| isin_changed.is_some()))?;
    let mut evidence = vec![Evidence::Held { account: gap.before.account, quantity: gap.shares_held }];
    evidence.extend(isin_changed);
    if sold_ratio.is_some() {
        evidence.push(Evidence::SoldMoreThanHeld { account: gap.before.account, quantity: rest.missing });
    }
    if is_close(&ratio) {
        evidence.push(Evidence::PriceChanged { before: price(gap.before)?, after: price(gap.after)? });
    }
    Some((ratio, evidence))
}

/// Returns the usual ratio by which the shares held in a gap would have to be multiplied so that the later sales are
/// exactly covered; none if there is none. Only the gap between the last purchase and the sale counts.
fn sold_more_ratio(gap: &Gap, rest: &Rest) -> Option<Ratio> {
    let is_last_purchase = gap.before.side == Side::Buy && gap.after.side == Side::Sell;
    if rest.missing.is_zero() || !is_last_purchase {
        return None;
    }
    let needed = rest.sold - rest.bought;
    let is_exact = |(new, old): &&(i32, i32)| needed * Decimal::from(*old) == gap.shares_held * Decimal::from(*new);
    USUAL_RATIOS.iter().find(is_exact).map(|(new, old)| Ratio { new: *new, old: *old })
}

/// Returns the proposal of a suspected event. A split changes the ISIN, a bonus does not; without ISINs, large ratios are
/// taken for splits.
fn suspected_event(gap: &Gap, ratio: Ratio, evidence: Vec<Evidence>) -> Proposal {
    let isins = [&gap.before.instrument.isin, &gap.after.instrument.isin];
    let is_bonus = if isins.iter().any(|isin| isin.is_empty()) {
        ratio.new < 5 * ratio.old && ratio.new > ratio.old
    } else {
        isins[0] == isins[1] && ratio.new > ratio.old
    };
    let kind = if is_bonus {
        AdjustmentKind::Bonus { ratio: Ratio { new: ratio.new - ratio.old, old: ratio.old }, allotted: None }
    } else {
        AdjustmentKind::Split(ratio)
    };
    Proposal {
        adjustment: Adjustment { id: 0, symbol: gap.after.instrument.symbol.clone(), day: gap.after.day, kind },
        certainty: Certainty::Suspected,
        source: String::new(),
        evidence,
    }
}
