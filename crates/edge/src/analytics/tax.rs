//! The tax pack, and the file of it for the accountant.

use std::io::{BufWriter, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use rpc::analytics::v1::{GetTaxPackRequest, GetTaxPackResponse, ListTaxLinesRequest, TaxHead, TaxLine};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

use super::answer::{TaxPack, TaxSums};
use super::{Client, ask, query};
use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::export::columns::Cell;
use crate::export::{attached, columns, csv, sent, workbook};
use crate::problem::Problem;
use crate::record::{Unwritable, number};
use crate::trades::{self, in_time};
use crate::words::Wordless;

const HEADER: [&str; 14] = [
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
];

/// `GET /analytics/tax`
pub(super) async fn pack(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (year, _) = query::tax(&uri, false)?;
    let sums = TaxSums::try_from(sums(&app, &trader, year).await?)?;
    let body = serde_json::to_vec(&TaxPack { year: name(year), sums }).map_err(Unwritable::from)?;
    Ok(trades::json(Body::from(body)))
}

/// `GET /analytics/tax/export`
pub(super) async fn export(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (year, as_workbook) = query::tax(&uri, true)?;
    in_time(&app, async {
        let lines = lines(&app, &trader, year).await?;
        if !as_workbook {
            let named = name(year);
            let body = csv::table(&HEADER, lines.iter().map(|line| cells(line, &named)))?;
            return Ok(attached(Body::from(body), csv::TYPE, "tax", "csv"));
        }
        let sums = sums(&app, &trader, year).await?;
        let permit = Arc::clone(&app.workbooks).acquire_owned().await.map_err(|_| Problem::internal())?;
        let dir = app.settings.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
        let written = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            write(&sums, &lines, year, dir)
        });
        let file = written.await.map_err(workbook::Unfinished::from).flatten()?;
        Ok(attached(sent(file), workbook::TYPE, "tax", "xlsx"))
    })
    .await
}

fn name(year: i32) -> String {
    format!("{year}-{:02}", (year + 1) % 100)
}

async fn sums(app: &Shared, trader: &Trader, year: i32) -> Result<GetTaxPackResponse, Problem> {
    let rpc = |mut core: Client, question| async move { core.get_tax_pack(question).await };
    ask(app, trader, GetTaxPackRequest { year }, rpc).await
}

async fn lines(app: &Shared, trader: &Trader, year: i32) -> Result<Vec<TaxLine>, Problem> {
    let rpc = |mut core: Client, question| async move { core.list_tax_lines(question).await };
    let mut pages = ask(app, trader, ListTaxLinesRequest { year }, rpc).await?;
    let mut lines = Vec::new();
    while let Some(page) = pages.message().await? {
        lines.extend(page.lines);
    }
    Ok(lines)
}

/// The cells of a line, in the order of [`HEADER`].
fn cells<'l>(line: &'l TaxLine, year: &'l str) -> Result<[Cell<'l>; 14], Unwritable> {
    let head = match line.head() {
        TaxHead::Speculative => "Speculative business (intraday)",
        TaxHead::NonSpeculative => "Business (futures and options)",
        TaxHead::ShortTerm => "Short-term capital gains",
        TaxHead::LongTerm => "Long-term capital gains",
        TaxHead::Unspecified => return Err(Wordless("a head of income").into()),
    };
    let rate = if line.rate_percent.is_empty() { Cell::Text("") } else { Cell::Number(number(&line.rate_percent)?) };
    Ok([
        Cell::Text(head),
        Cell::Text(columns::broker(line.broker())?),
        Cell::Text(&line.symbol),
        Cell::Number(number(&line.quantity)?),
        Cell::Text(&line.bought),
        Cell::Text(&line.sold),
        Cell::Number(number(&line.buy_value)?),
        Cell::Number(number(&line.sell_value)?),
        Cell::Number(number(&line.gross)?),
        Cell::Number(number(&line.stt)?),
        Cell::Number(number(&line.other_charges)?),
        Cell::Number(number(&line.income)?),
        rate,
        Cell::Text(year),
    ])
}

/// A sheet with the sums and one with the lines.
fn write(
    sums: &GetTaxPackResponse,
    lines: &[TaxLine],
    year: i32,
    dir: PathBuf,
) -> Result<std::fs::File, workbook::Unfinished> {
    let mut book = Workbook::new();
    book.set_tempdir(&dir)?;
    let bold = Format::new().set_bold();
    let sheet = book.add_worksheet_with_constant_memory()?;
    sheet.set_name("Summary")?.set_column_width(0, 44)?.set_column_width(2, 60)?;
    summary(sheet, sums, year, &bold)?;
    let sheet = book.add_worksheet_with_constant_memory()?;
    sheet.set_name("Closed trades")?.set_freeze_panes(1, 0)?;
    for (column, title) in (0..).zip(HEADER) {
        sheet.write_string_with_format(0, column, title, &bold)?;
    }
    let named = name(year);
    for (row, line) in (1..).zip(lines) {
        for (column, cell) in (0..).zip(cells(line, &named)?) {
            match cell {
                Cell::Text(text) => workbook::write_text(sheet, row, column, text)?,
                Cell::Number(number) => workbook::write_number(sheet, row, column, number)?,
                // There is none: days are text.
                Cell::Time(..) => {}
            }
        }
    }
    let mut file = tempfile::tempfile_in(dir)?;
    book.save_to_writer(BufWriter::new(&mut file))?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn summary(sheet: &mut Worksheet, sums: &GetTaxPackResponse, year: i32, bold: &Format) -> Result<(), XlsxError> {
    let mut row = 0;
    sheet.write_string_with_format(row, 0, format!("Financial year {}, estimated", name(year)), bold)?;
    let mut rows: Vec<(String, &str, &str)> = Vec::new();
    for (title, business) in [
        ("Speculative business (intraday)", &sums.speculative),
        ("Business (futures and options)", &sums.non_speculative),
    ] {
        let business = business.as_ref();
        rows.push((
            format!("{title}: turnover"),
            business.map_or("", |of| &of.turnover),
            "All results without their signs",
        ));
        rows.push((format!("{title}: gross"), business.map_or("", |of| &of.gross), ""));
        rows.push((format!("{title}: charges"), business.map_or("", |of| &of.charges), "All of them, STT included"));
        rows.push((format!("{title}: net"), business.map_or("", |of| &of.net), ""));
    }
    for (title, gains) in [("Short-term capital gains", &sums.short_term), ("Long-term capital gains", &sums.long_term)]
    {
        for of in gains {
            let title = format!("{title} at {} %, sold from {} to {}", of.rate_percent, of.from, of.to);
            rows.push((format!("{title}: sales"), &of.sale_value, &of.law));
            rows.push((format!("{title}: cost"), &of.cost, ""));
            rows.push((format!("{title}: expenses"), &of.expenses, "Charges without STT"));
            rows.push((format!("{title}: gain"), &of.gain, ""));
        }
    }
    if !sums.long_term_exempt.is_empty() {
        rows.push(("Long-term gains free of tax in the year".to_owned(), &sums.long_term_exempt, ""));
    }
    for (title, amount, note) in rows {
        row += 1;
        sheet.write_string(row, 0, title)?;
        workbook::write_number(sheet, row, 1, amount)?;
        workbook::write_text(sheet, row, 2, note)?;
    }
    for hint in &sums.hints {
        row += 1;
        sheet.write_string(row, 0, hint)?;
    }
    Ok(())
}
