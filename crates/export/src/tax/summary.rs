//! First sheet of the workbook: the sums of the tax pack, its hints, and what they depend on.

use rpc::analytics::v1::{GetTaxAppendixResponse, GetTaxPackResponse};
use rust_decimal::Decimal;
use rust_xlsxwriter::{Format, Worksheet, XlsxError};

use crate::layout::{AmountFormats, ColumnWidths, amount_width, count_lines, set_row_lines, wrapped};
use crate::workbook::write_number;

/// Width of the texts in characters.
const TEXT_WIDTH: u8 = 62;

/// Title, amount and note of a row.
type Row<'a> = (String, &'a str, &'a str);

/// Writes the summary below its title.
pub(super) fn write(
    sheet: &mut Worksheet,
    pack: &GetTaxPackResponse,
    hints: &[String],
    appendix: &GetTaxAppendixResponse,
    first_row: u32,
) -> Result<(), XlsxError> {
    let (amounts, long_text) = (AmountFormats::new(&wrapped(&Format::new())), wrapped(&Format::new()));
    let note_format = wrapped(&Format::new()).set_indent(1);
    let (mut row, mut widths) = (first_row, ColumnWidths::default());
    let mut write_row = |title: &str, amount: &str, note: &str| -> Result<(), XlsxError> {
        let lines = count_lines(title, TEXT_WIDTH.into()).max(count_lines(note, TEXT_WIDTH.into()));
        set_row_lines(sheet, row, lines)?;
        sheet.write_string_with_format(row, 0, title, &long_text)?;
        if let Ok(parsed) = amount.parse::<Decimal>() {
            write_number(sheet, row, 1, amount, Some(amounts.format(parsed)))?;
            widths.add(1, amount_width(parsed));
        }
        if !note.is_empty() {
            sheet.write_string_with_format(row, 2, note, &note_format)?;
        }
        row += 1;
        Ok(())
    };
    for (title, amount, note) in business_rows(pack).into_iter().chain(other_rows(pack)) {
        write_row(&title, amount, note)?;
    }
    for hint in hints {
        write_row(hint, "", "")?;
    }
    let sums = [&appendix.speculative, &appendix.non_speculative, &appendix.capital_gains];
    let stated = sums.into_iter().flatten().filter_map(|sums| sums.stated.parse::<Decimal>().ok()).sum::<Decimal>();
    write_row("Charges that contract notes state; the others are estimated", &stated.to_string(), "")?;
    if !appendix.day.is_empty() {
        write_row(&format!("Positions open on {}: {}", appendix.day, appendix.positions_total), "", "")?;
    }
    write_row(&format!("Open data issues that may change these figures: {}", pack.open_issues), "", "")?;
    let rates_version = &appendix.rates_version;
    if !rates_version.is_empty() {
        write_row(&format!("Version of the rates and rules: {rates_version}"), "", "")?;
    }
    widths.apply(sheet)?;
    sheet.set_column_width(0, TEXT_WIDTH + 3)?.set_column_width(2, TEXT_WIDTH + 3)?;
    Ok(())
}

fn business_rows(pack: &GetTaxPackResponse) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let absolute = "All results without their signs";
    let shares = pack.delivered_shares.as_ref().filter(|income| income.closed_trades > 0);
    for (title, income, turnover_note) in [
        ("Speculative business (intraday)", pack.speculative.as_ref(), absolute),
        ("Business (futures and options)", pack.non_speculative.as_ref(), absolute),
        ("Business (delivered shares)", shares, "Sale value"),
    ] {
        let Some(income) = income else { continue };
        rows.push((format!("{title}: turnover"), &income.turnover, turnover_note));
        rows.push((format!("{title}: gross"), &income.gross, ""));
        rows.push((format!("{title}: charges"), &income.charges, "All of them, STT included"));
        rows.push((format!("{title}: net"), &income.net, ""));
    }
    rows
}

/// Returns the rows of capital gains and dividends.
fn other_rows(pack: &GetTaxPackResponse) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (title, gains) in [("Short-term capital gains", &pack.short_term), ("Long-term capital gains", &pack.long_term)]
    {
        for gain in gains {
            let rate = match gain.rate_percent.as_str() {
                "" => "your slab rate".to_owned(),
                percent => format!("{percent} %"),
            };
            let title = format!("{title}, {}, at {rate}, sold from {} to {}", gain.assets, gain.from, gain.to);
            rows.push((format!("{title}: sales"), &gain.sale_value, &gain.law));
            rows.push((format!("{title}: cost"), &gain.cost, ""));
            rows.push((format!("{title}: expenses"), &gain.expenses, "Charges without STT"));
            rows.push((format!("{title}: gain"), &gain.gain, ""));
        }
    }
    if !pack.long_term_exempt.is_empty() {
        let title = "Maximum of long-term gains that are exempt in the year, after losses";
        rows.push((title.to_owned(), &pack.long_term_exempt, ""));
    }
    if let Some(dividends) = pack.dividends.as_ref().filter(|dividends| dividends.total != "0") {
        rows.push(("Dividends before tax deducted".to_owned(), &dividends.total, "Income from other sources"));
        rows.push(("Tax deducted from dividends".to_owned(), &dividends.tax_deducted, ""));
    }
    rows
}
