//! Sheet of a tax pack with the set-off of losses and the losses that remain.

use rpc::analytics::v1::{GetTaxPackResponse, LossSetOff, ScheduledLoss, TaxHead, TaxLosses};
use rust_xlsxwriter::{Format, Worksheet};

use crate::cell::Cell;
use crate::error::Error;
use crate::layout::{ColumnWidths, amount_columns, cell_text, header_format};
use crate::workbook::{CellFormats, write_cells, write_header};

const RESULT_HEADER: [&str; 5] = ["Income", "Rate (%)", "Result (INR)", "Losses set off (INR)", "Remaining (INR)"];
const SET_OFF_HEADER: [&str; 6] = ["Loss", "Year of the loss", "Set off against", "Rate (%)", "Amount (INR)", "Law"];
const SCHEDULE_HEADER: [&str; 9] = [
    "Loss",
    "Year of the loss",
    "Brought forward (INR)",
    "Loss of the year (INR)",
    "Set off (INR)",
    "Lapsed (INR)",
    "Carried forward (INR)",
    "Last year of use",
    "Source",
];

/// Returns the name of a head of income.
pub(super) fn head_title(head: TaxHead) -> Result<&'static str, Error> {
    Ok(match head {
        TaxHead::Speculative => "Speculative business (intraday)",
        TaxHead::NonSpeculative => "Business (non-speculative)",
        TaxHead::ShortTerm => "Short-term capital gains",
        TaxHead::LongTerm => "Long-term capital gains",
        TaxHead::OtherSources => "Dividends and other income",
        TaxHead::Unspecified => return Err(Error::Unspecified("head of income")),
    })
}

/// Writes three tables below a title: results, set-off, schedule.
pub(super) fn write_losses(sheet: &mut Worksheet, pack: &GetTaxPackResponse, bold: &Format) -> Result<(), Error> {
    let Some(losses) = &pack.losses else { return Ok(()) };
    sheet.write_string_with_format(0, 0, "Set-off of losses, and losses carried forward", bold)?;
    let set_offs = losses.set_offs.iter().map(set_off_cells).collect::<Result<Vec<_>, _>>()?;
    let schedule = losses.schedule.iter().map(schedule_cells).collect::<Result<Vec<_>, _>>()?;
    let tables: [(&[&str], _); 3] =
        [(&RESULT_HEADER, result_rows(losses)?), (&SET_OFF_HEADER, set_offs), (&SCHEDULE_HEADER, schedule)];
    let mut widths = ColumnWidths::default();
    for (header, rows) in &tables {
        widths.add_header(header);
        let formats = CellFormats::with_amounts(amount_columns(header));
        for cells in rows {
            for (column, cell) in (0..).zip(cells) {
                widths.add_cell(usize::from(column), cell, formats.is_amount(column));
            }
        }
    }
    widths.apply(sheet)?;
    let mut row = 1;
    for (header, rows) in tables {
        row += 1;
        widths.set_height(sheet, row, header.iter().copied())?;
        write_header(sheet, row, header, &header_format())?;
        let formats = CellFormats::with_amounts(amount_columns(header));
        for cells in rows {
            row += 1;
            widths.set_height(sheet, row, cells.iter().map(cell_text))?;
            write_cells(sheet, row, cells, &formats)?;
        }
        row += 1;
    }
    Ok(())
}

/// Returns the results and the taxable part of the long-term gains; none for accounts of several people.
fn result_rows(losses: &TaxLosses) -> Result<Vec<Vec<Cell<'_>>>, Error> {
    let mut rows: Vec<Vec<Cell<'_>>> = Vec::new();
    if losses.results.is_empty() {
        return Ok(rows);
    }
    for one in &losses.results {
        rows.push(vec![
            income_cell(one.head(), one.has_exemption)?,
            rate_cell(one.head(), &one.rate_percent)?,
            Cell::number(&one.result)?,
            Cell::number(&one.set_off)?,
            Cell::number(&one.remaining)?,
        ]);
    }
    for (title, amount) in [
        ("Losses set off against long-term gains that would have been exempt", &losses.exempt_gains_set_off),
        ("Long-term gains exempt from tax", &losses.long_term_exempt_used),
        ("Long-term gains taxable", &losses.long_term_taxable),
    ] {
        rows.push(vec![text(title), text(""), text(""), text(""), Cell::number(amount)?]);
    }
    Ok(rows)
}

fn set_off_cells(one: &LossSetOff) -> Result<Vec<Cell<'_>>, Error> {
    Ok(vec![
        text(head_title(one.loss_kind())?),
        text(&one.loss_year),
        income_cell(one.against(), one.has_exemption)?,
        rate_cell(one.against(), &one.rate_percent)?,
        Cell::number(&one.amount)?,
        text(&one.law),
    ])
}

fn schedule_cells(loss: &ScheduledLoss) -> Result<Vec<Cell<'_>>, Error> {
    Ok(vec![
        text(head_title(loss.kind())?),
        text(&loss.year),
        Cell::number(&loss.opening)?,
        Cell::number(&loss.added)?,
        Cell::number(&loss.used)?,
        Cell::number(&loss.lapsed)?,
        Cell::number(&loss.carried_forward)?,
        text(&loss.last_year),
        text(if loss.entered { "entered" } else { "trade log" }),
    ])
}

/// Returns the name of an income. Long-term gains at one rate can be with and without exemption.
pub(super) fn income_cell<'a>(head: TaxHead, has_exemption: bool) -> Result<Cell<'a>, Error> {
    let title = head_title(head)?;
    let is_whole = head == TaxHead::LongTerm && !has_exemption;
    Ok(Cell::Text(if is_whole { format!("{title}, no part exempt").into() } else { title.into() }))
}

/// Returns the tax rate of an income: none for business income, a word for the rate of the trader's other income.
fn rate_cell(head: TaxHead, percent: &str) -> Result<Cell<'_>, Error> {
    let is_business = matches!(head, TaxHead::Speculative | TaxHead::NonSpeculative);
    if !is_business && percent.is_empty() { Ok(text("slab")) } else { Cell::optional_number(percent) }
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(text.into())
}

#[cfg(test)]
mod tests {
    use rpc::analytics::v1::HeadResult;

    use super::*;

    #[test]
    fn the_sheet_has_results_set_offs_and_the_schedule() {
        let amount = |text: &str| text.to_owned();
        let (short, long) = (TaxHead::ShortTerm.into(), TaxHead::LongTerm.into());
        let result = HeadResult {
            head: long,
            rate_percent: amount("12.5"),
            has_exemption: true,
            result: amount("300.25"),
            set_off: amount("100"),
            remaining: amount("200.25"),
        };
        let set_off = LossSetOff {
            loss_kind: short,
            loss_year: amount("2023-24"),
            against: long,
            rate_percent: amount("12.5"),
            has_exemption: true,
            amount: amount("100"),
            law: amount("Income-tax Act 1961, section 74(1)(a)"),
        };
        let loss = ScheduledLoss {
            kind: short,
            year: amount("2023-24"),
            entered: true,
            opening: amount("150"),
            added: amount("0"),
            used: amount("100"),
            lapsed: amount("0"),
            carried_forward: amount("50"),
            last_year: amount("2031-32"),
        };
        let losses = TaxLosses {
            results: vec![result],
            set_offs: vec![set_off.clone()],
            schedule: vec![loss.clone()],
            long_term_exempt_used: amount("200.25"),
            long_term_taxable: amount("0"),
            exempt_gains_set_off: amount("100"),
        };
        assert_eq!(result_rows(&losses).unwrap().len(), 4);
        assert!(result_rows(&TaxLosses::default()).unwrap().is_empty());
        assert_eq!(set_off_cells(&set_off).unwrap().len(), SET_OFF_HEADER.len());
        assert_eq!(schedule_cells(&loss).unwrap().len(), SCHEDULE_HEADER.len());
        let pack = GetTaxPackResponse { losses: Some(losses), ..GetTaxPackResponse::default() };
        let mut workbook = rust_xlsxwriter::Workbook::new();
        write_losses(workbook.add_worksheet_with_constant_memory().unwrap(), &pack, &Format::new()).unwrap();
        assert!(workbook.save_to_buffer().unwrap().starts_with(b"PK"));
    }
}
