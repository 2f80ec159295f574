//! Tax pack: the closed trades of a financial year and their sums, as CSV or as a workbook.

use std::fs::File;
use std::path::Path;

use rpc::analytics::v1::{GetTaxPackResponse, TaxLine};
use rust_xlsxwriter::{Format, Worksheet, XlsxError};

use crate::cell::Cell;
use crate::columns::account_cell;
use crate::csv;
use crate::error::Error;
use crate::tax_losses::{head_title, write_losses};
use crate::workbook::{CellFormats, new_workbook, save, write_cells, write_header, write_number, write_text};

const HEADER: [&str; 15] = [
    "Income",
    "Broker",
    "Symbol",
    "Quantity",
    "Bought on",
    "Sold on",
    "Bought for (INR)",
    "Sold for (INR)",
    "Gross (INR)",
    "STT (INR, estimated)",
    "Other charges (INR, estimated)",
    "What counts (INR)",
    "Rate (%)",
    "Financial year",
    "Open data issue",
];

/// Returns the name of the financial year that begins in `year`, such as `2025-26`.
pub fn format_financial_year(year: i32) -> String {
    format!("{year}-{:02}", (year + 1) % 100)
}

/// Returns the closed trades of the financial year as CSV.
pub fn write_csv(lines: &[TaxLine], year: i32) -> Result<Vec<u8>, Error> {
    let year = format_financial_year(year);
    csv::table(&HEADER, lines.iter().map(|line| line_cells(line, &year)))
}

/// Writes a workbook with sheets of sums, losses and closed trades to an unnamed temporary file in `dir`. `hints` are
/// the sentences of the pack's hints. Blocks.
pub fn write_workbook(
    pack: &GetTaxPackResponse,
    hints: &[String],
    lines: &[TaxLine],
    year: i32,
    dir: &Path,
) -> Result<File, Error> {
    let mut workbook = new_workbook(dir)?;
    let bold = Format::new().set_bold();
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Summary")?.set_column_width(0, 44)?.set_column_width(2, 60)?;
    write_summary(sheet, pack, hints, year, &bold)?;
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Losses")?;
    write_losses(sheet, pack, &bold)?;
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Closed trades")?.set_freeze_panes(1, 0)?;
    // A narrower column would show a date as ####.
    sheet.set_column_width(4, 12)?.set_column_width(5, 12)?;
    let formats = CellFormats::default();
    write_header(sheet, &HEADER, &bold)?;
    let year = format_financial_year(year);
    for (row, line) in (1..).zip(lines) {
        write_cells(sheet, row, line_cells(line, &year)?, &formats)?;
    }
    save(workbook, dir)
}

/// Returns the cells of a line, in the order of [`HEADER`].
fn line_cells<'a>(line: &'a TaxLine, year: &'a str) -> Result<[Cell<'a>; 15], Error> {
    Ok([
        Cell::Text(head_title(line.head())?.into()),
        account_cell(line.broker(), line.broker_account)?,
        Cell::Text((&line.symbol).into()),
        Cell::number(&line.quantity)?,
        Cell::day(&line.bought)?,
        Cell::day(&line.sold)?,
        Cell::number(&line.buy_value)?,
        Cell::number(&line.sell_value)?,
        Cell::number(&line.gross)?,
        Cell::number(&line.stt)?,
        Cell::number(&line.other_charges)?,
        Cell::number(&line.income)?,
        Cell::optional_number(&line.rate_percent)?,
        Cell::Text(year.into()),
        Cell::Text(if line.open_issue { "may change" } else { "" }.into()),
    ])
}

fn write_summary(
    sheet: &mut Worksheet,
    pack: &GetTaxPackResponse,
    hints: &[String],
    year: i32,
    bold: &Format,
) -> Result<(), XlsxError> {
    let mut row = 0;
    sheet.write_string_with_format(
        row,
        0,
        format!("Financial year {}, estimated", format_financial_year(year)),
        bold,
    )?;
    let mut rows: Vec<(String, &str, &str)> = Vec::new();
    for (title, business) in [
        ("Speculative business (intraday)", &pack.speculative),
        ("Business (futures and options)", &pack.non_speculative),
    ] {
        let business = business.as_ref();
        rows.push((
            format!("{title}: turnover"),
            business.map_or("", |income| &income.turnover),
            "All results without their signs",
        ));
        rows.push((format!("{title}: gross"), business.map_or("", |income| &income.gross), ""));
        rows.push((
            format!("{title}: charges"),
            business.map_or("", |income| &income.charges),
            "All of them, STT included",
        ));
        rows.push((format!("{title}: net"), business.map_or("", |income| &income.net), ""));
    }
    for (title, gains) in [("Short-term capital gains", &pack.short_term), ("Long-term capital gains", &pack.long_term)]
    {
        for gain in gains {
            let title = format!("{title} at {} %, sold from {} to {}", gain.rate_percent, gain.from, gain.to);
            rows.push((format!("{title}: sales"), &gain.sale_value, &gain.law));
            rows.push((format!("{title}: cost"), &gain.cost, ""));
            rows.push((format!("{title}: expenses"), &gain.expenses, "Charges without STT"));
            rows.push((format!("{title}: gain"), &gain.gain, ""));
        }
    }
    if !pack.long_term_exempt.is_empty() {
        rows.push(("Long-term gains free of tax in the year".to_owned(), &pack.long_term_exempt, ""));
    }
    for (title, amount, note) in rows {
        row += 1;
        sheet.write_string(row, 0, title)?;
        write_number(sheet, row, 1, amount)?;
        write_text(sheet, row, 2, note)?;
    }
    for hint in hints {
        row += 1;
        sheet.write_string(row, 0, hint)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rpc::analytics::v1::TaxHead;

    use super::*;
    use crate::cell::Cell;

    #[test]
    fn t12_days_of_tax_lines_are_dates() {
        let amount = || "1".to_owned();
        let line = TaxLine {
            head: TaxHead::LongTerm.into(),
            broker: rpc::trades::v1::Broker::Zerodha.into(),
            broker_account: 0,
            symbol: "INFY".to_owned(),
            bought: "2024-01-31".to_owned(),
            sold: "2025-06-03".to_owned(),
            quantity: amount(),
            buy_value: amount(),
            sell_value: amount(),
            stt: amount(),
            other_charges: amount(),
            income: amount(),
            gross: amount(),
            rate_percent: String::new(),
            open_issue: false,
        };
        let cells = line_cells(&line, "2025-26").unwrap();
        let days: Vec<_> = cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Time(at, _) => Some(at.date().to_string()),
                Cell::Text(_) | Cell::Number(_) | Cell::Count(_) => None,
            })
            .collect();
        assert_eq!(days, ["2024-01-31", "2025-06-03"]);
        let csv = String::from_utf8(write_csv(std::slice::from_ref(&line), 2025).unwrap()).unwrap();
        assert!(csv.contains("INFY,1,2024-01-31,2025-06-03,1"), "{csv}");
        let pack = GetTaxPackResponse::default();
        write_workbook(&pack, &[], &[line], 2025, &std::env::temp_dir()).unwrap();
    }
}
