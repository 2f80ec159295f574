//! Tax pack: the closed trades of a financial year and their sums, as CSV or as a workbook with a sheet for each topic.

mod charges;
mod costs;
mod dividends;
mod gains;
mod losses;
mod months;
mod quarters;
mod return_lines;
pub mod schedule_112a;
mod summary;
mod table;
mod tie_out;
mod title;
mod year_end;

use std::fs::File;
use std::path::Path;

use rpc::analytics::v1::{GetTaxAppendixResponse, GetTaxPackResponse, TaxLine};
use rpc::trades::v1::LedgerSum;
use rust_decimal::Decimal;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

use crate::cell::Cell;
use crate::columns::account_cell;
use crate::csv;
use crate::error::Error;
use crate::layout::set_up_page;
use crate::workbook::{new_workbook, save};
use losses::{head_title, write_losses};
use table::Table;
pub use tie_out::TieOutRow;
pub use title::TaxTitle;

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

/// First year that the law calls a tax year (Income-tax Act 2025, section 3).
const FIRST_TAX_YEAR: i32 = 2026;

/// Returns the word for a year in the law of that year.
fn year_title(year: i32) -> &'static str {
    if year >= FIRST_TAX_YEAR { "Tax year" } else { "Financial year" }
}

/// Returns the closed trades of the financial year as CSV.
pub fn write_csv(lines: &[TaxLine], year: i32) -> Result<Vec<u8>, Error> {
    let year = format_financial_year(year);
    csv::table(&HEADER, lines.iter().map(|line| line_cells(line, &year)))
}

/// Content of a workbook.
pub struct TaxWorkbook {
    /// Income by head.
    pub pack: GetTaxPackResponse,
    /// Sentences of the pack's hints.
    pub hints: Vec<String>,
    /// Lines of the tax pack in the order of closing.
    pub lines: Vec<TaxLine>,
    /// Comparison with AIS and brokers' reports.
    pub tie_outs: Vec<TieOutRow>,
    /// Open positions, charges and dividends.
    pub appendix: GetTaxAppendixResponse,
    /// Costs of ledgers in the year.
    pub ledger: Vec<LedgerSum>,
    /// Year in which the financial year begins.
    pub year: i32,
    /// Person, accounts and day of creation.
    pub title: TaxTitle,
}

/// Writes a workbook to an unnamed temporary file in `dir`: summary, losses, lines of the return, business income by
/// month, capital gains, gains by quarter, Schedule 112A, dividends, comparison with AIS, open positions, charges, costs
/// outside trades and all closed trades. Blocks.
pub fn write_workbook(content: &TaxWorkbook, dir: &Path) -> Result<File, Error> {
    let TaxWorkbook { pack, hints, lines, tie_outs, appendix, ledger, year, title } = content;
    let year = *year;
    let mut workbook = new_workbook(dir)?;
    let bold = Format::new().set_bold();
    let sheet = add_sheet(&mut workbook, "Summary")?;
    let first_row = title.write(sheet, year, &bold)? + 1;
    summary::write(sheet, pack, hints, appendix, first_row)?;
    write_losses(add_sheet(&mut workbook, "Losses")?, pack, &bold)?;
    return_lines::write(add_sheet(&mut workbook, "Return lines")?, pack, &bold)?;
    let months = months::months(lines)?;
    months::TABLE.write(add_sheet(&mut workbook, "Business by month")?, &bold, &months, months::cells)?;
    let gain_lines: Vec<&TaxLine> = lines.iter().filter(|line| gains::is_gain(line)).collect();
    let sheet = add_sheet(&mut workbook, "Capital gains")?;
    gains::TABLE.write(sheet, &bold, &gain_lines, |line, row| gains::cells(line, row))?;
    let rows = quarters::rows(lines)?;
    quarters::TABLE.write(add_sheet(&mut workbook, "Gains by quarter")?, &bold, &rows, quarters::cells)?;
    let listed: Vec<&TaxLine> = lines.iter().filter(|line| schedule_112a::is_listed(line)).collect();
    let sheet = add_sheet(&mut workbook, "Schedule 112A")?;
    schedule_112a::TABLE.write(sheet, &bold, &listed, |line, row| schedule_112a::cells(line, row))?;
    let sheet = add_sheet(&mut workbook, "Dividends")?;
    dividends::TABLE.write(sheet, &bold, &appendix.dividends, |line, _| dividends::cells(line))?;
    let sheet = add_sheet(&mut workbook, "AIS and broker reports")?;
    tie_out::TABLE.write(sheet, &bold, tie_outs, tie_out::cells)?;
    let sheet = add_sheet(&mut workbook, "Open positions")?;
    year_end::TABLE
        .write(sheet, &bold, &appendix.positions, |position, row| year_end::cells(position, &appendix.day, row))?;
    let rows = charges::rows(appendix)?;
    charges::TABLE.write(add_sheet(&mut workbook, "Charges")?, &bold, &rows, charges::cells)?;
    let costs = costs::rows(ledger);
    let sheet = add_sheet(&mut workbook, "Costs outside trades")?;
    costs::TABLE.write(sheet, &bold, &costs, |sum, _| costs::cells(sum))?;
    let year = format_financial_year(year);
    let table = Table { header: &HEADER, totals: &[] };
    table.write(add_sheet(&mut workbook, "Closed trades")?, &bold, lines, |line, _| line_cells(line, &year))?;
    save(workbook, dir)
}

fn add_sheet<'w>(workbook: &'w mut Workbook, name: &str) -> Result<&'w mut Worksheet, XlsxError> {
    set_up_page(workbook.add_worksheet_with_constant_memory()?.set_name(name)?)
}

fn parse_amount(text: &str) -> Result<Decimal, Error> {
    text.parse().map_err(|_| Error::InvalidDecimal(text.to_owned()))
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
        Cell::number(&line.paid)?,
        Cell::number(&line.sell_value)?,
        Cell::number(&line.gross)?,
        Cell::number(&line.stt)?,
        Cell::number(&line.other_charges)?,
        Cell::number(&line.income)?,
        gains::rate_cell(line)?,
        Cell::Text(year.into()),
        Cell::Text(if line.open_issue { "may change" } else { "" }.into()),
    ])
}

/// Writes the totals from this row on.
#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{DataType, Reader, Xlsx};
    use rpc::analytics::v1::{
        ChargeSums, Component, ComponentSum, Direction, DividendLine, OpenPosition, TaxEntryKind, TaxHead, TieOut,
    };
    use rpc::trades::v1::{Book, Broker, LedgerKind, LedgerTreatment};
    use time::macros::date;

    use super::*;

    #[test]
    fn t12_days_of_tax_lines_are_dates() {
        let amount = || "1".to_owned();
        let line = TaxLine {
            head: TaxHead::LongTerm.into(),
            broker: Broker::Zerodha.into(),
            broker_account: 0,
            symbol: "INFY".to_owned(),
            bought: "2024-01-31".to_owned(),
            sold: "2025-06-03".to_owned(),
            quantity: amount(),
            buy_value: amount(),
            paid: amount(),
            sell_value: amount(),
            stt: amount(),
            other_charges: amount(),
            income: amount(),
            gross: amount(),
            ..TaxLine::default()
        };
        let cells = line_cells(&line, "2025-26").unwrap();
        let days: Vec<_> = cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Time(at, _) => Some(at.date().to_string()),
                Cell::Text(_) | Cell::Number(_) | Cell::Decimal(_) | Cell::Formula(..) | Cell::Count(_) => None,
            })
            .collect();
        assert_eq!(days, ["2024-01-31", "2025-06-03"]);
        let csv = String::from_utf8(write_csv(std::slice::from_ref(&line), 2025).unwrap()).unwrap();
        assert!(csv.contains("INFY,1,2024-01-31,2025-06-03,1"), "{csv}");
        assert!(csv.contains(",\"STT (INR, estimated)\",\"Other charges (INR, estimated)\",What counts"), "{csv}");
        write_workbook(&workbook(vec![line], Vec::new()), &std::env::temp_dir()).unwrap();
    }

    fn workbook(lines: Vec<TaxLine>, positions: Vec<OpenPosition>) -> TaxWorkbook {
        let sums = |amount: &str| ChargeSums {
            components: vec![ComponentSum { component: Component::Stt.into(), amount: amount.to_owned() }],
            stated: "1.25".to_owned(),
        };
        let appendix = GetTaxAppendixResponse {
            day: "2026-03-31".to_owned(),
            positions,
            speculative: Some(sums("2")),
            non_speculative: Some(sums("3.5")),
            capital_gains: Some(sums("5")),
            dividends: vec![DividendLine {
                day: "2025-08-14".to_owned(),
                name: "Infosys".to_owned(),
                broker: Broker::Zerodha.into(),
                amount: "100".to_owned(),
                tax_deducted: "10".to_owned(),
                ..DividendLine::default()
            }],
            ..GetTaxAppendixResponse::default()
        };
        let tie_out = TieOut {
            kind: TaxEntryKind::AisDividends.into(),
            stated: "90".to_owned(),
            ours: "100".to_owned(),
            difference: "-10".to_owned(),
            ..TieOut::default()
        };
        let tie_outs = vec![TieOutRow { tie_out, causes: "A reason".to_owned() }];
        let title =
            TaxTitle { login_name: "Ravi Kumar".to_owned(), accounts: Vec::new(), created_on: date!(2026 - 04 - 02) };
        TaxWorkbook {
            pack: GetTaxPackResponse::default(),
            hints: Vec::new(),
            lines,
            tie_outs,
            appendix,
            ledger: [(LedgerKind::Dp, "15.34"), (LedgerKind::Penalty, "10"), (LedgerKind::Amc, "88.5")]
                .map(cost)
                .into(),
            year: 2025,
            title,
        }
    }

    fn cost((kind, amount): (LedgerKind, &str)) -> LedgerSum {
        let is_dp = kind == LedgerKind::Dp;
        let treatment = if is_dp { LedgerTreatment::InTrades } else { LedgerTreatment::Cost };
        LedgerSum {
            broker: Broker::Zerodha.into(),
            kind: kind.into(),
            amount: amount.to_owned(),
            entries: 1,
            treatment: treatment.into(),
            ..LedgerSum::default()
        }
    }

    fn gain(head: TaxHead, bought: &str, amounts: [&str; 4], rate: &str, law: &str) -> TaxLine {
        let [sold_for, bought_for, expenses, income] = amounts.map(str::to_owned);
        TaxLine {
            head: head.into(),
            broker: Broker::Zerodha.into(),
            symbol: "INFY".to_owned(),
            isin: "INE009A01021".to_owned(),
            bought: bought.to_owned(),
            sold: "2025-06-16".to_owned(),
            quantity: "10".to_owned(),
            gross: "0".to_owned(),
            stt: "1".to_owned(),
            sell_value: sold_for,
            paid: bought_for.clone(),
            buy_value: bought_for,
            other_charges: expenses,
            income,
            rate_percent: rate.to_owned(),
            law: law.to_owned(),
            has_exemption: head == TaxHead::LongTerm,
            ..TaxLine::default()
        }
    }

    #[test]
    fn the_workbook_has_a_sheet_for_each_topic_with_formulas_and_their_results() {
        let fno = TaxLine {
            head: TaxHead::NonSpeculative.into(),
            gross: "-300".to_owned(),
            stt: "2".to_owned(),
            other_charges: "48".to_owned(),
            income: "-350".to_owned(),
            // A short position, closed by buying.
            bought: "2025-07-02".to_owned(),
            sold: "2025-06-30".to_owned(),
            rate_percent: String::new(),
            law: String::new(),
            ..gain(TaxHead::ShortTerm, "2025-07-02", ["0", "300", "48", "-350"], "", "")
        };
        let lines = [
            gain(TaxHead::ShortTerm, "2025-05-02", ["1200", "1000", "10", "190"], "", "section 50AA"),
            gain(TaxHead::LongTerm, "2024-05-02", ["1500", "1000", "12.5", "487.5"], "12.5", "section 112A"),
            fno,
        ];
        let position = OpenPosition {
            symbol: "INFY".to_owned(),
            book: Some(Book { broker: Broker::Zerodha.into(), ..Book::default() }),
            direction: Direction::Long.into(),
            quantity: "30".to_owned(),
            value: "1000".to_owned(),
            opened_on: "2026-03-30".to_owned(),
            ..OpenPosition::default()
        };
        let content = workbook(lines.into(), vec![position]);
        let mut file = write_workbook(&content, &std::env::temp_dir()).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(bytes)).unwrap();
        assert_eq!(
            workbook.sheet_names(),
            [
                "Summary",
                "Losses",
                "Return lines",
                "Business by month",
                "Capital gains",
                "Gains by quarter",
                "Schedule 112A",
                "Dividends",
                "AIS and broker reports",
                "Open positions",
                "Charges",
                "Costs outside trades",
                "Closed trades"
            ]
        );
        for (sheet, cell, formula, result) in [
            ("Capital gains", (1, 11), "I2-J2-K2", 190.0),
            ("Capital gains", (2, 11), "I3-J3-K3", 487.5),
            ("Capital gains", (3, 11), "SUM(L2:L3)", 677.5),
            ("Capital gains", (3, 8), "SUM(I2:I3)", 2_700.0),
            ("Business by month", (1, 8), "G2-H2", -350.0),
            ("Business by month", (2, 5), "SUM(F2:F2)", 300.0),
            ("Dividends", (2, 3), "SUM(D2:D2)", 100.0),
            ("AIS and broker reports", (1, 4), "C2-D2", -10.0),
            ("Gains by quarter", (1, 7), "SUM(C2:G2)", 190.0),
            ("Gains by quarter", (3, 3), "SUM(D2:D3)", 677.5),
            ("Schedule 112A", (1, 12), "G2+L2", 1_012.5),
            ("Schedule 112A", (1, 13), "F2-M2", 487.5),
            ("Open positions", (1, 7), "ROUND(G2/F2,4)", 33.3333),
            ("Charges", (1, 4), "SUM(B2:D2)", 10.5),
            ("Charges", (2, 2), "SUM(C2:C2)", 3.5),
        ] {
            let formulas = workbook.worksheet_formula(sheet).unwrap();
            assert_eq!(formulas.get_value(cell).map(String::as_str), Some(formula), "{sheet} {cell:?}");
            let values = workbook.worksheet_range(sheet).unwrap();
            assert_eq!(values.get_value(cell).and_then(DataType::as_f64), Some(result), "{sheet} {cell:?}");
        }
        let gains = workbook.worksheet_range("Capital gains").unwrap();
        let text = |cell| gains.get_value(cell).map(ToString::to_string).unwrap_or_default();
        assert_eq!([text((1, 3)), text((1, 12)), text((2, 12))], ["INE009A01021", "slab", "12.5"]);
        assert!(gains.get_value((1, 7)).unwrap().is_datetime());
        let costs = workbook.worksheet_range("Costs outside trades").unwrap();
        let cost = |row, column| costs.get_value((row, column)).map(ToString::to_string).unwrap_or_default();
        assert_eq!(
            [1, 2, 3].map(|row| [cost(row, 0), cost(row, 2)]),
            [["Penalties", "10"], ["Demat account maintenance (AMC)", "88.5"], ["DP charges", "15.34"]]
                .map(|row| row.map(str::to_owned))
        );
        assert!(cost(3, 4).contains("do not count it again"));
        let summary = workbook.worksheet_range("Summary").unwrap();
        assert_eq!(summary.get_value((1, 1)).unwrap().to_string(), "Ravi Kumar");
        assert!(summary.get_value((3, 1)).unwrap().is_datetime());
        let months = workbook.worksheet_range("Business by month").unwrap();
        assert_eq!(months.get_value((1, 0)).unwrap().to_string(), "2025-07");
    }
}
