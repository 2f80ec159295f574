//! Checks of a note's figures against each other. A note is read only if all agree to the paisa.

use std::collections::BTreeMap;

use rpc::trades::v1::{Segment, Side};
use rust_decimal::Decimal;

use super::charges::{ChargeTable, Column, Head};
use super::fills::Fill;
use super::summary::SummaryRow;
use crate::error::{Rejection, RejectionReason};

/// GST on the charges of a broker.
const GST_PERCENT: Decimal = Decimal::from_parts(18, 0, 0, false, 0);
/// Largest difference of a sum of taxes that were rounded one by one.
const MAX_TAX_DIFFERENCE: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// Note to check.
pub(super) struct CheckedNote<'n> {
    /// Number of the note, for messages.
    pub number: &'n str,
    pub fills: &'n [Fill],
    pub summary: &'n [SummaryRow],
    pub charges: &'n ChargeTable,
    /// Cash flow of the rows of carried contracts.
    pub carried: Decimal,
}

impl CheckedNote<'_> {
    /// Applies all checks.
    pub fn check(&self) -> Result<(), Rejection> {
        self.check_lines()?;
        self.check_quantities()?;
        for column in &self.charges.columns {
            self.check_column(*column)?;
        }
        self.check_columns_sum()
    }

    fn compare(&self, check: &'static str, stated: Decimal, calculated: Decimal) -> Result<(), Rejection> {
        if stated.round_dp(2) == calculated.round_dp(2) {
            return Ok(());
        }
        Err(Rejection::from(RejectionReason::NoteCheckFailed)
            .with("note", self.number)
            .with("check", check)
            .with("stated", stated.normalize())
            .with("calculated", calculated.normalize()))
    }

    /// Checks that each value is the quantity times a rate of the line.
    fn check_lines(&self) -> Result<(), Rejection> {
        for fill in self.fills.iter().filter(|fill| !fill.is_carried && fill.net_rate().is_none()) {
            let calculated = fill.rates.last().copied().unwrap_or_default() * fill.quantity;
            self.compare("LINE", fill.value, calculated)?;
        }
        Ok(())
    }

    /// Checks the quantities of each share in the summary against its fills. A layout without a summary has none to check.
    fn check_quantities(&self) -> Result<(), Rejection> {
        if self.summary.is_empty() {
            return Ok(());
        }
        let mut sums: BTreeMap<&str, [Decimal; 2]> = BTreeMap::new();
        for fill in self.fills.iter().filter(|fill| !fill.is_contract()) {
            let [bought, sold] = sums.entry(&fill.isin).or_default();
            *if fill.side == Side::Buy { bought } else { sold } += fill.quantity;
        }
        for row in self.summary {
            let [bought, sold] = sums.remove(row.isin.as_str()).unwrap_or_default();
            if let Some([stated_bought, stated_sold]) = row.quantities() {
                self.compare("QUANTITY", stated_bought, bought)?;
                self.compare("QUANTITY", stated_sold, sold)?;
            }
            self.compare("QUANTITY", row.net_quantity().unwrap_or_default(), (bought - sold).abs())?;
        }
        match sums.into_values().next() {
            Some([bought, sold]) => self.compare("QUANTITY", Decimal::ZERO, bought + sold),
            None => Ok(()),
        }
    }

    fn check_column(&self, column: Column) -> Result<(), Rejection> {
        let of_column = |fill: &&Fill| match column.segment() {
            Some(segment) => (segment == Segment::Fno) == fill.is_contract(),
            None => true,
        };
        let flows: Decimal = self.fills.iter().filter(of_column).map(Fill::cash_flow).sum();
        let carried = if column == Column::Equity { Decimal::ZERO } else { self.carried };
        self.compare("OBLIGATION", self.charges.get(Head::Obligation, column), flows + carried)?;
        if column == Column::Total || self.charges.states(Head::Net, column) {
            let net = self.charges.get(Head::Obligation, column) - self.charges.sum(&Head::CHARGES, column);
            self.compare("NET_AMOUNT", self.charges.get(Head::Net, column), net)?;
        }
        self.check_gst(column)
    }

    /// Checks the rate of GST, and that it is either integrated or central and state tax.
    fn check_gst(&self, column: Column) -> Result<(), Rejection> {
        let get = |head| self.charges.get(head, column);
        let gst = get(Head::Cgst) + get(Head::Sgst) + get(Head::Igst);
        let expected = self.charges.sum(&Head::TAXABLE, column) * GST_PERCENT / Decimal::ONE_HUNDRED;
        if (gst - expected).abs() > MAX_TAX_DIFFERENCE {
            self.compare("GST", gst, expected.round_dp(2))?;
        }
        if !get(Head::Igst).is_zero() {
            self.compare("GST", Decimal::ZERO, get(Head::Cgst) + get(Head::Sgst))?;
        }
        Ok(())
    }

    /// Checks that the columns of each row add up to its total.
    fn check_columns_sum(&self) -> Result<(), Rejection> {
        let states_net = [Column::Equity, Column::Fno].iter().any(|column| self.charges.states(Head::Net, *column));
        let net = Some(Head::Net).filter(|_| states_net);
        for head in Head::CHARGES.into_iter().chain([Head::Obligation]).chain(net) {
            let sum = self.charges.get(head, Column::Equity) + self.charges.get(head, Column::Fno);
            self.compare("TOTAL", self.charges.get(head, Column::Total), sum)?;
        }
        Ok(())
    }
}
