//! Workbooks of contract notes, one sheet per day. All people, numbers and trades are invented.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::fixtures::{Sheet, TestCell, text, xlsx};
use super::pdf_fixtures::contract_notes::{Amounts, Fill, MISPRINT, Misprint, Note};

/// Time of a carried position, which is midnight, in days.
const MIDNIGHT: f64 = 0.0;

/// Layout of a workbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkbookLayout {
    /// With a column for the exchange; charges are positive.
    Since2022,
    /// With a column for the ISIN and a row for each exchange; charges are negative, and times are times of Excel.
    Before2022,
}

/// Returns a file with these notes.
pub fn workbook(layout: WorkbookLayout, notes: &[Note]) -> Vec<u8> {
    let sheet = |note: &Note| Sheet {
        name: note.day.clone().leak(),
        extra_cells: Vec::new(),
        table_start: (0, 0),
        table: rows(layout, note),
        hidden_rows: Vec::new(),
    };
    xlsx(&notes.iter().map(sheet).collect::<Vec<_>>())
}

fn number(amount: Decimal) -> TestCell {
    TestCell::Number(amount.to_f64().unwrap())
}

/// Returns a row with these cells, given by their columns.
fn row(cells: &[(usize, TestCell)]) -> Vec<TestCell> {
    let width = cells.iter().map(|(column, _)| column + 1).max().unwrap_or_default();
    let mut row = vec![TestCell::Blank; width];
    for (column, cell) in cells {
        row[*column] = cell.clone();
    }
    row
}

fn rows(layout: WorkbookLayout, note: &Note) -> Vec<Vec<TestCell>> {
    let label = |label: &str, value: &str| row(&[(0, text(label)), (3, text(value))]);
    let mut rows = vec![row(&[(0, text("ZERODHA BROKING LIMITED"))]), Vec::new()];
    if !note.number.is_empty() {
        rows.push(label("CONTRACT NOTE NO.", &note.number));
    }
    rows.push(row(&[
        (0, text("Trade Date")),
        (3, text(&note.day.replace('-', "/"))),
        (8, text("Settlement No.")),
        (9, text("2026105")),
    ]));
    rows.push(label("UCC of Client", &note.client_code));
    let header = ["Order No.", "Order Time.", "Trade No.", "Trade Time.", "Security / Contract Description"];
    rows.push(header.into_iter().map(text).collect());
    let mut previous = String::new();
    for (index, fill) in note.fills.iter().enumerate() {
        let segment = match (layout, fill.is_contract()) {
            (WorkbookLayout::Since2022, false) => "Equity".to_owned(),
            (WorkbookLayout::Since2022, true) => "F&O".to_owned(),
            (WorkbookLayout::Before2022, false) => format!("{}-EQ - Z", fill.exchange),
            (WorkbookLayout::Before2022, true) => format!("{}-F&O", fill.exchange),
        };
        if segment != previous {
            rows.push(vec![text(&segment)]);
            previous = segment;
        }
        let is_misprinted = index == 0 && note.misprint == Some(Misprint::Line);
        rows.push(fill_row(layout, fill, if is_misprinted { MISPRINT } else { Decimal::ZERO }));
    }
    if !note.carried.is_zero() {
        rows.push(carried_row(layout, note));
    }
    rows.push(vec![text("NET TOTAL")]);
    rows.push(Vec::new());
    rows.extend(charge_rows(layout, note));
    rows
}

fn fill_row(layout: WorkbookLayout, fill: &Fill, added: Decimal) -> Vec<TestCell> {
    let seconds = fill.time.split(':').fold(0, |sum, part| sum * 60 + part.parse::<u32>().unwrap());
    let time = match layout {
        WorkbookLayout::Since2022 => text(fill.time),
        WorkbookLayout::Before2022 => TestCell::Date(f64::from(seconds) / 86_400.0),
    };
    let description =
        if fill.is_contract() { fill.symbol.to_owned() } else { format!("{} - EQ / {}", fill.symbol, fill.isin) };
    let side = if fill.is_buy { "B" } else { "S" };
    let value = if fill.is_buy { -fill.value() - added } else { fill.value() + added };
    let closing_rate = if fill.is_contract() { number(Decimal::new(9905, 2)) } else { TestCell::Blank };
    let quantity = number(fill.quantity.into());
    let head = [text(&fill.order), time.clone(), text(&fill.trade), time];
    let rates = [number(fill.price), TestCell::Blank, number(fill.price), closing_rate, number(value)];
    match layout {
        WorkbookLayout::Since2022 => {
            let middle = [text(&description), text(side), quantity, text(fill.exchange)];
            head.into_iter().chain(middle).chain(rates).collect()
        }
        WorkbookLayout::Before2022 => {
            let description = description.split(" / ").next().unwrap().to_owned();
            let middle = [text(&description), text(side), quantity];
            head.into_iter().chain(middle).chain(rates).chain([text(fill.isin)]).collect()
        }
    }
}

fn carried_row(layout: WorkbookLayout, note: &Note) -> Vec<TestCell> {
    let time = match layout {
        WorkbookLayout::Since2022 => text("00:00:00"),
        WorkbookLayout::Before2022 => TestCell::Date(MIDNIGHT),
    };
    let side = if note.carried < Decimal::ZERO { "B" } else { "S" };
    let rates = [Decimal::new(4250, 2), Decimal::new(4252, 2), note.carried].map(number);
    let head = [text("0"), time.clone(), text("0"), time, text("NIFTY26JUNFUT"), text(side)];
    head.into_iter().chain([number(30.into())]).chain(rates).collect()
}

fn charge_rows(layout: WorkbookLayout, note: &Note) -> Vec<Vec<TestCell>> {
    let columns: &[&str] = match layout {
        WorkbookLayout::Since2022 => &["Equity", "Equity (T+2)", "Futures and Options", "NET TOTAL"],
        WorkbookLayout::Before2022 => &["NSE-EQ - Z", "BSE-EQ - Z", "NSE-F&O", "NET TOTAL"],
    };
    let header = columns.iter().enumerate().map(|(index, name)| (4 + index, text(name)));
    let mut rows = vec![row(&header.collect::<Vec<_>>())];
    let [shares, contracts, total] = note.printed_amounts();
    let has_contracts = note.fills.iter().any(Fill::is_contract);
    let mut line = |label: &str, amount: &dyn Fn(&Amounts) -> Decimal| {
        let mut cells = vec![(0, text(label)), (4, number(amount(&shares))), (7, number(amount(&total)))];
        if has_contracts {
            cells.push((6, number(amount(&contracts))));
        }
        rows.push(row(&cells));
    };
    let sign = match layout {
        WorkbookLayout::Since2022 => Decimal::ONE,
        WorkbookLayout::Before2022 => Decimal::NEGATIVE_ONE,
    };
    line("PAY IN / PAY OUT OBLIGATION", &|a| a.obligation);
    line("Taxable value of Supply (Brokerage)", &|a| a.brokerage * sign);
    line("Exchange transaction charges", &|a| a.exchange * sign);
    line("Clearing charges", &|_| Decimal::ZERO);
    line("CGST (@9% of Brok, Trans & Clearing Charges)", &|a| a.gst / Decimal::TWO * sign);
    line("SGST (@9% of Brok, Trans & Clearing Charges)", &|a| a.gst / Decimal::TWO * sign);
    line("IGST (@18% of Brok, Trans & Clearing Charges)", &|_| Decimal::ZERO);
    line("Securities transaction tax", &|a| a.stt * sign);
    line("SEBI turnover fees", &|a| a.sebi * sign);
    line("Stamp duty", &|a| a.stamp * sign);
    line("Net amount receivable/(payable by client)", &|a| a.net);
    rows
}
