//! Legs of strategies: the parts of one position.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::lot_part::LotPart;
use crate::fill_key::FillKey;
use crate::instrument::Instrument;

/// Leg of a strategy, with the result of its closed part.
#[derive(Clone, Debug)]
pub struct Leg {
    pub position: FillKey,
    pub instrument: Arc<Instrument>,
    pub long: bool,
    pub quantity: Decimal,
    pub open_quantity: Decimal,
    pub opened_at: OffsetDateTime,
    /// Time of the last exit; none if it is open.
    pub closed_at: Option<OffsetDateTime>,
    pub awaits_settlement: bool,
    /// Value of all entries.
    pub entry_value: Decimal,
    pub exit_value: Decimal,
    pub gross: Decimal,
    pub charges: Decimal,
}

impl Leg {
    /// Adds up lots by position, in the order of their openings.
    pub fn list(lots: &[LotPart]) -> Vec<Self> {
        let mut legs: Vec<Self> = Vec::new();
        for lot in lots {
            let index = legs.iter().position(|leg| leg.position == lot.position).unwrap_or_else(|| {
                legs.push(Self::empty(lot));
                legs.len() - 1
            });
            if let Some(leg) = legs.get_mut(index) {
                leg.add(lot);
            }
        }
        legs
    }

    fn empty(lot: &LotPart) -> Self {
        Self {
            position: lot.position,
            instrument: lot.instrument.clone(),
            long: lot.long,
            quantity: Decimal::ZERO,
            open_quantity: Decimal::ZERO,
            opened_at: lot.opened_at,
            closed_at: None,
            awaits_settlement: false,
            entry_value: Decimal::ZERO,
            exit_value: Decimal::ZERO,
            gross: Decimal::ZERO,
            charges: Decimal::ZERO,
        }
    }

    fn add(&mut self, lot: &LotPart) {
        self.quantity += lot.quantity;
        self.entry_value += lot.entry_value;
        self.opened_at = self.opened_at.min(lot.opened_at);
        self.awaits_settlement |= lot.awaits_settlement;
        match &lot.exit {
            Some(exit) => {
                self.exit_value += exit.value;
                self.gross += lot.gross().unwrap_or_default();
                self.charges += lot.charges();
                let is_closed = self.open_quantity.is_zero();
                self.closed_at = is_closed.then(|| self.closed_at.map_or(exit.at, |other| other.max(exit.at)));
            }
            None => {
                self.open_quantity += lot.quantity;
                self.closed_at = None;
            }
        }
    }

    pub fn net(&self) -> Decimal {
        self.gross - self.charges
    }
}
