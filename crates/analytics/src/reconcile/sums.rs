//! Sums that are compared between the trade log and a report.

use rust_decimal::Decimal;

use crate::closed_trade::ClosedTrade;

/// Tolerance of comparisons: reports have whole paise, our amounts have 4 decimals.
pub(super) const PAISA: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Sums of closed trades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClosedSums {
    pub quantity: Decimal,
    pub buy_value: Decimal,
    pub sell_value: Decimal,
    pub gross: Decimal,
}

impl ClosedSums {
    pub(super) fn from_closed_trade(closed_trade: &ClosedTrade) -> Self {
        let (buy_value, sell_value) = if closed_trade.long {
            (closed_trade.entry_value, closed_trade.exit_value)
        } else {
            (closed_trade.exit_value, closed_trade.entry_value)
        };
        Self { quantity: closed_trade.quantity, buy_value, sell_value, gross: closed_trade.gross }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.quantity += other.quantity;
        self.buy_value += other.buy_value;
        self.sell_value += other.sell_value;
        self.gross += other.gross;
    }

    pub(super) fn subtract(&self, other: &Self) -> Self {
        Self {
            quantity: self.quantity - other.quantity,
            buy_value: self.buy_value - other.buy_value,
            sell_value: self.sell_value - other.sell_value,
            gross: self.gross - other.gross,
        }
    }

    /// Returns the largest absolute value of the three amounts.
    pub(super) fn max_amount(&self) -> Decimal {
        self.buy_value.abs().max(self.sell_value.abs()).max(self.gross.abs())
    }
}

/// Sum of the trade log and of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparedSum {
    pub log: Decimal,
    pub report: Decimal,
}

impl ComparedSum {
    pub(super) fn subtract(self, other: Self) -> Self {
        Self { log: self.log - other.log, report: self.report - other.report }
    }
}
