//! FIFO queue of open lots, shared by shares and contracts.

use std::collections::VecDeque;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::lots::{Closing, CorporateActions, Lot, LotMatch, LotRange, MatchResult, OpenPosition};
use crate::arithmetic::prorate;
use crate::fill::{Fill, TradeKind};
use crate::instrument::Instrument;

/// Lot that is not closed yet, or not completely.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLot {
    pub lot: usize,
    /// Closed and remaining quantity, in units of the fill.
    pub closed: Decimal,
    pub remaining: Decimal,
    /// Remaining quantity in current units, after splits.
    pub quantity: Decimal,
    /// Cost of the remaining quantity if a corporate action changed it; none if it is that of the fill.
    pub cost: Option<Decimal>,
    pub corporate_actions: CorporateActions,
}

impl OpenLot {
    /// Returns the `quantity` units of a lot that follow its first `closed` units.
    pub fn new(lot: usize, closed: Decimal, quantity: Decimal) -> Self {
        Self { lot, closed, remaining: quantity, quantity, cost: None, corporate_actions: CorporateActions::default() }
    }

    /// Removes the first `quantity`, in current units, and returns it as a lot of its own.
    pub fn split_off(&mut self, quantity: Decimal) -> Self {
        let is_whole = quantity >= self.quantity;
        let part = |amount: Decimal| {
            if is_whole { amount } else { prorate(amount, Decimal::ZERO, quantity, self.quantity) }
        };
        let (remaining, cost) = (part(self.remaining), self.cost.map(part));
        let first = Self { remaining, quantity: quantity.min(self.quantity), cost, ..*self };
        self.closed += remaining;
        self.remaining -= remaining;
        self.quantity -= first.quantity;
        self.cost = self.cost.zip(cost).map(|(whole, part)| whole - part);
        first
    }

    /// Returns it as a range of its lot.
    pub fn range(&self) -> LotRange {
        LotRange { lot: self.lot, from: self.closed, to: self.closed + self.remaining, cost: self.cost }
    }
}

/// Open lots, the oldest first.
pub(super) type OpenLots = VecDeque<OpenLot>;

/// State of matching one instrument.
pub(super) struct Matcher {
    pub result: MatchResult,
    /// Fill that closed the latest lot match.
    pub last_exit: Option<usize>,
    /// Contract of the last fill, with a later change of its strike by the exchange; none for shares.
    pub latest_contract: Option<Arc<Instrument>>,
}

impl Matcher {
    pub fn new(fills: Vec<Fill>) -> Self {
        let lots = Vec::with_capacity(fills.len());
        Self { result: MatchResult { fills, lots, ..MatchResult::default() }, last_exit: None, latest_contract: None }
    }

    /// Returns the fill of a lot, with its index.
    pub fn fill(&self, lot: usize) -> Option<(usize, &Fill)> {
        let fill = self.result.lots.get(lot)?.fill;
        Some((fill, self.result.fills.get(fill)?))
    }

    /// Adds a lot and returns its index.
    pub fn add_lot(&mut self, fill: usize, kind: TradeKind, quantity: Decimal, value: Decimal) -> usize {
        self.result.lots.push(Lot { fill, kind, quantity, value });
        self.result.lots.len() - 1
    }

    /// Adds a whole fill as one lot; returns its index and quantity.
    pub fn add_whole_fill(&mut self, fill: usize, kind: TradeKind) -> Option<(usize, Decimal)> {
        let (quantity, value) = self.result.fills.get(fill).map(|fill| (fill.quantity, fill.value))?;
        Some((self.add_lot(fill, kind, quantity, value), quantity))
    }

    /// Adds a match to the closing of its order, or starts a new closing.
    pub fn add_match(&mut self, lot_match: LotMatch, kind: TradeKind, long: bool) {
        let Some((exit, exit_fill)) = self.fill(lot_match.exit.lot) else { return };
        let same_order = self.last_exit.is_some_and(|last| {
            last == exit || self.result.fills.get(last).is_some_and(|last| last.shares_order_with(exit_fill))
        });
        self.last_exit = Some(exit);
        let end = self.result.lot_matches.len();
        self.result.lot_matches.push(lot_match);
        match self.result.closings.last_mut() {
            Some(closing) if same_order && closing.kind == kind && closing.long == long => {
                closing.lot_matches.end = end + 1;
            }
            _ => self.result.closings.push(Closing { lot_matches: end..end + 1, kind, long }),
        }
    }

    /// Closes up to `quantity` of the open lots, the oldest first, with the lot `exit`; returns the quantity for which
    /// there was no open lot.
    pub fn close_lots(
        &mut self,
        open_lots: &mut OpenLots,
        exit: usize,
        mut quantity: Decimal,
        kind: TradeKind,
        long: bool,
    ) -> Decimal {
        let mut closed = Decimal::ZERO;
        while quantity > Decimal::ZERO
            && let Some(open_lot) = open_lots.front_mut()
        {
            let entry = open_lot.split_off(quantity);
            if open_lot.quantity.is_zero() {
                open_lots.pop_front();
            }
            quantity -= entry.quantity;
            let exit = LotRange { lot: exit, from: closed, to: closed + entry.quantity, cost: None };
            closed += entry.quantity;
            let corporate_actions = entry.corporate_actions;
            self.add_match(LotMatch { entry: entry.range(), exit, corporate_actions }, kind, long);
        }
        quantity
    }

    /// Returns the cost of an open lot.
    pub fn cost(&self, open_lot: &OpenLot) -> Decimal {
        let of_fill = || {
            let lot = self.result.lots.get(open_lot.lot);
            lot.map_or(Decimal::ZERO, |lot| {
                prorate(lot.value, open_lot.closed, open_lot.closed + open_lot.remaining, lot.quantity)
            })
        };
        open_lot.cost.unwrap_or_else(of_fill)
    }

    /// Returns the position that the open lots form; none if there are none.
    pub fn open_position(&self, open_lots: &OpenLots, instrument: Option<Arc<Instrument>>) -> Option<OpenPosition> {
        let (fill, first) = self.fill(open_lots.front()?.lot)?;
        Some(OpenPosition {
            fill,
            instrument: instrument.unwrap_or_else(|| first.instrument.clone()),
            long: true,
            quantity: open_lots.iter().map(|open_lot| open_lot.quantity).sum(),
            value: open_lots.iter().map(|open_lot| self.cost(open_lot)).sum(),
            corporate_actions: open_lots.iter().fold(CorporateActions::default(), |mut actions, open_lot| {
                actions |= open_lot.corporate_actions;
                actions
            }),
            expired: false,
            fraction: false,
            lots: open_lots.iter().map(OpenLot::range).collect(),
        })
    }
}
