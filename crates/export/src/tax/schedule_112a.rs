//! Schedule 112A: the long-term gains of which a part is exempt, in the columns of the tax portal's CSV file.
//!
//! The columns are those that taxpayers published from the portal's file of 2022 and 2023; the portal may have changed
//! them. The price of 31 January 2018, which shares bought before February 2018 may count with, is not in the log: its
//! column is empty, and the formulas of the sheet take it into account once it is filled.

use rpc::analytics::v1::{TaxHead, TaxLine};
use rust_decimal::Decimal;

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::csv;
use crate::error::Error;

const HEADER: [&str; 14] = [
    "Share/Unit acquired(1a)",
    "ISIN Code(2)",
    "Name of the Share/Unit(3)",
    "No. of Shares/Units(4)",
    "Sale-price per Share/Unit(5)",
    "Full Value of Consideration(Total Sale Value)(6) = 4 * 5",
    "Cost of acquisition without indexation(7)",
    "Cost of acquisition(8)",
    "If the long term capital asset was acquired before 01.02.2018(9)",
    "Fair Market Value per share/unit as on 31st January 2018(10)",
    "Total Fair Market Value of capital asset as per section 55(2)(ac)(11) = 4 * 10",
    "Expenditure wholly and exclusively in connection with transfer(12)",
    "Total deductions(13) = 7 + 12",
    "Balance(14) = 6 - 13",
];

pub(super) const TABLE: Table<'static> = Table {
    header: &HEADER,
    totals: &[5, 6, 7, 11, 12, 13],
    widths: &[(5, 24.0), (6, 24.0), (8, 30.0), (9, 30.0), (10, 30.0), (11, 30.0), (12, 20.0)],
};

/// Last day of purchase for which the price of that day may count.
const LAST_GRANDFATHERED_DAY: &str = "2018-01-31";

/// Returns true for a line of the schedule.
pub(super) fn is_listed(line: &TaxLine) -> bool {
    line.head() == TaxHead::LongTerm && line.has_exemption
}

/// Returns the schedule as the portal reads it: CSV without a byte order mark.
pub fn write_csv(lines: &[TaxLine]) -> Result<Vec<u8>, Error> {
    let header = format!("{}\r\n", HEADER.join(",")).into_bytes();
    let rows = (2..).zip(lines.iter().filter(|line| is_listed(line)));
    csv::append_rows(header, rows.map(|(row, line)| cells(line, row)))
}

/// Returns the cells of a line in this row.
pub(super) fn cells(line: &TaxLine, row: u32) -> Result<[Cell<'_>; 14], Error> {
    let is_old = line.bought.as_str() <= LAST_GRANDFATHERED_DAY;
    let (quantity, sale) = (parse_amount(&line.quantity)?, parse_amount(&line.sell_value)?);
    let (cost, expenses) = (parse_amount(&line.buy_value)?, parse_amount(&line.other_charges)?);
    let price = sale.checked_div(quantity).unwrap_or_default().round_dp(4);
    let zero_or = |formula: String| {
        if is_old { Cell::Formula(formula, Decimal::ZERO) } else { Cell::Decimal(Decimal::ZERO) }
    };
    Ok([
        Cell::Text(if is_old { "BE" } else { "AE" }.into()),
        Cell::Text((&line.isin).into()),
        Cell::Text((&line.symbol).into()),
        Cell::number(&line.quantity)?,
        Cell::Decimal(price),
        Cell::number(&line.sell_value)?,
        if is_old { Cell::Formula(format!("=MAX(H{row},I{row})"), cost) } else { Cell::Decimal(cost) },
        Cell::number(&line.buy_value)?,
        zero_or(format!("=MIN(F{row},K{row})")),
        if is_old { Cell::Text("".into()) } else { Cell::Decimal(Decimal::ZERO) },
        zero_or(format!("=D{row}*J{row}")),
        Cell::number(&line.other_charges)?,
        Cell::Formula(format!("=G{row}+L{row}"), cost + expenses),
        Cell::Formula(format!("=F{row}-M{row}"), sale - cost - expenses),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_portal_has_the_lines_with_exemption() {
        let amount = |text: &str| text.to_owned();
        let sale = TaxLine {
            head: TaxHead::LongTerm.into(),
            symbol: amount("INFY"),
            isin: amount("INE009A01021"),
            bought: amount("2018-02-01"),
            sold: amount("2025-06-03"),
            quantity: amount("3"),
            sell_value: amount("1000"),
            buy_value: amount("700.5"),
            other_charges: amount("12.25"),
            has_exemption: true,
            ..TaxLine::default()
        };
        let old = TaxLine { bought: amount("2018-01-31"), ..sale.clone() };
        let gold = TaxLine { has_exemption: false, ..sale.clone() };
        let short = TaxLine { head: TaxHead::ShortTerm.into(), ..sale.clone() };
        let csv = String::from_utf8(write_csv(&[sale, old, gold, short]).unwrap()).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("Share/Unit acquired(1a),ISIN Code(2),"), "{csv}");
        assert_eq!(lines[1], "AE,INE009A01021,INFY,3,333.3333,1000,700.5,700.5,0,0,0,12.25,712.75,287.25");
        assert_eq!(lines[2], "BE,INE009A01021,INFY,3,333.3333,1000,700.5,700.5,0,,0,12.25,712.75,287.25");
    }
}
