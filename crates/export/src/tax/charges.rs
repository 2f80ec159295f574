//! Sheet with the charges of the year by component and kind of income.

use rpc::analytics::v1::{ChargeSums, Component, GetTaxAppendixResponse};
use rust_decimal::Decimal;

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &["Charge", "Intraday (INR)", "F&O (INR)", "Capital gains (INR)", "All (INR)", "Note"],
    totals: &[1, 2, 3, 4],
};

/// Charges of one component: of intraday trades, of futures and options, and of delivered shares.
pub(super) struct Row {
    component: Component,
    amounts: [Decimal; 3],
}

/// Returns a row for each component that has an amount.
pub(super) fn rows(appendix: &GetTaxAppendixResponse) -> Result<Vec<Row>, Error> {
    let mut rows: Vec<Row> = Vec::new();
    let groups = [&appendix.speculative, &appendix.non_speculative, &appendix.capital_gains];
    for (group, sums) in groups.into_iter().enumerate() {
        for sum in sums.iter().flat_map(|sums: &ChargeSums| &sums.components) {
            let index = rows.iter().position(|row| row.component == sum.component()).unwrap_or_else(|| {
                rows.push(Row { component: sum.component(), amounts: [Decimal::ZERO; 3] });
                rows.len() - 1
            });
            if let Some(amount) = rows.get_mut(index).and_then(|row| row.amounts.get_mut(group)) {
                *amount += parse_amount(&sum.amount)?;
            }
        }
    }
    rows.retain(|row| row.amounts.iter().any(|amount| !amount.is_zero()));
    Ok(rows)
}

/// Returns the cells of a component in this row.
pub(super) fn cells(charges: &Row, row: u32) -> Result<[Cell<'_>; 6], Error> {
    let (name, note) = match charges.component {
        Component::Brokerage => ("Brokerage", ""),
        Component::Stt => ("STT", "An expense of business income, not of capital gains"),
        Component::Exchange => ("Exchange transaction charges", ""),
        Component::Sebi => ("SEBI charges", ""),
        Component::Ipft => ("IPFT charges", ""),
        Component::StampDuty => ("Stamp duty", ""),
        Component::Gst => ("GST", ""),
        Component::Dp => ("DP charges", ""),
        Component::Unspecified => return Err(Error::Unspecified("component")),
    };
    let [intraday, fno, gains] = charges.amounts;
    Ok([
        Cell::Text(name.into()),
        Cell::Decimal(intraday),
        Cell::Decimal(fno),
        Cell::Decimal(gains),
        Cell::Formula(format!("=SUM(B{row}:D{row})"), intraday + fno + gains),
        Cell::Text(note.into()),
    ])
}
