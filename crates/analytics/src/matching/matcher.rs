//! FIFO queue of open lots, shared by shares and contracts.

use std::collections::VecDeque;

use rust_decimal::Decimal;

use super::lots::{Closing, CorporateActions, Lot, LotMatch, LotRange, MatchResult, OpenPosition};
use crate::arithmetic::prorate;
use crate::fill::{Fill, TradeKind};

/// Lot that is not closed yet, or not completely.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLot {
    pub lot: usize,
    /// Closed and remaining quantity, in units of the fill.
    pub closed: Decimal,
    pub remaining: Decimal,
    /// Remaining quantity in current units, after splits.
    pub quantity: Decimal,
    pub corporate_actions: CorporateActions,
}

/// Open lots, the oldest first.
pub(super) type OpenLots = VecDeque<OpenLot>;

/// State of matching one instrument.
pub(super) struct Matcher {
    pub result: MatchResult,
    /// Fill that closed the latest lot match.
    pub last_exit: Option<usize>,
}

impl Matcher {
    pub fn new(fills: Vec<Fill>) -> Self {
        let lots = Vec::with_capacity(fills.len());
        Self { result: MatchResult { fills, lots, ..MatchResult::default() }, last_exit: None }
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
            let closing = quantity.min(open_lot.quantity);
            let in_fill_units = if closing == open_lot.quantity {
                open_lot.remaining
            } else {
                prorate(open_lot.remaining, Decimal::ZERO, closing, open_lot.quantity)
            };
            let entry = LotRange { lot: open_lot.lot, from: open_lot.closed, to: open_lot.closed + in_fill_units };
            let corporate_actions = open_lot.corporate_actions;
            open_lot.closed += in_fill_units;
            open_lot.remaining -= in_fill_units;
            open_lot.quantity -= closing;
            if open_lot.quantity.is_zero() {
                open_lots.pop_front();
            }
            quantity -= closing;
            let exit = LotRange { lot: exit, from: closed, to: closed + closing };
            closed += closing;
            self.add_match(LotMatch { entry, exit, corporate_actions }, kind, long);
        }
        quantity
    }

    /// Returns the position that the open lots form; `fill` is the first of its fills.
    pub fn open_position(&self, fill: usize, open_lots: &OpenLots, long: bool, expired: bool) -> OpenPosition {
        let value = |open_lot: &OpenLot| {
            let lot = self.result.lots.get(open_lot.lot);
            lot.map_or(Decimal::ZERO, |lot| {
                prorate(lot.value, open_lot.closed, open_lot.closed + open_lot.remaining, lot.quantity)
            })
        };
        OpenPosition {
            fill,
            long,
            quantity: open_lots.iter().map(|open_lot| open_lot.quantity).sum(),
            value: open_lots.iter().map(value).sum(),
            expired,
        }
    }
}
