//! Sheet with the lines of the income tax return into which the figures of a tax pack go.

use rpc::analytics::v1::{GetTaxPackResponse, ReturnLine};
use rust_xlsxwriter::{Format, Worksheet};

use super::table::Table;
use crate::cell::Cell;
use crate::error::Error;
use crate::workbook::write_text;

const TABLE: Table<'static> = Table {
    header: &["Form", "Schedule", "Line", "Amount (INR)", "Title", "Field of the JSON file", "Number of the line"],
    totals: &[],
};

/// Writes the lines, or why there are none.
pub(super) fn write(sheet: &mut Worksheet, pack: &GetTaxPackResponse, bold: &Format) -> Result<(), Error> {
    let form = pack.return_form.as_str();
    let missing = if form.is_empty() {
        "A return is that of one person. Download the tax pack of one person.".to_owned()
    } else if !pack.has_return_lines {
        format!("The lines of {form} are not available for this year, or for delivered shares that count as business.")
    } else {
        return TABLE.write(sheet, bold, &pack.return_lines, |line, _| cells(line, form));
    };
    Ok(write_text(sheet, 0, 0, &missing)?)
}

fn cells<'a>(line: &'a ReturnLine, form: &'a str) -> Result<[Cell<'a>; 7], Error> {
    let text = |text: &'a str| Cell::Text(text.into());
    Ok([
        text(form),
        text(&line.schedule),
        text(&line.line),
        Cell::number(&line.amount)?,
        text(&line.title),
        text(&line.field),
        text(if line.verified { "" } else { "check in the form" }),
    ])
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{Data, Range, Reader, Xlsx};

    use super::*;

    fn sheet(pack: &GetTaxPackResponse) -> Range<Data> {
        let mut workbook = rust_xlsxwriter::Workbook::new();
        write(workbook.add_worksheet(), pack, &Format::new()).unwrap();
        let mut workbook: Xlsx<_> =
            calamine::open_workbook_from_rs(Cursor::new(workbook.save_to_buffer().unwrap())).unwrap();
        workbook.worksheet_range_at(0).unwrap().unwrap()
    }

    #[test]
    fn the_sheet_has_the_lines_with_amounts_and_marks_those_to_check() {
        let line = |line: &str, amount: &str, verified| ReturnLine {
            schedule: "Schedule CG".to_owned(),
            line: line.to_owned(),
            title: "Capital gain".to_owned(),
            field: "ScheduleCGFor23.SumOfCGIncm".to_owned(),
            amount: amount.to_owned(),
            verified,
        };
        let pack = GetTaxPackResponse {
            return_form: "ITR-2".to_owned(),
            has_return_lines: true,
            return_lines: vec![line("A2e", "1200", true), line("A(A)", "-300", false)],
            ..GetTaxPackResponse::default()
        };
        let sheet = sheet(&pack);
        let row = |row| -> Vec<String> {
            (0..7).map(|column| sheet.get_value((row, column)).map(ToString::to_string).unwrap_or_default()).collect()
        };
        assert_eq!(row(1), ["ITR-2", "Schedule CG", "A2e", "1200", "Capital gain", "ScheduleCGFor23.SumOfCGIncm", ""]);
        assert_eq!([&row(2)[3], &row(2)[6]], ["-300", "check in the form"]);
    }

    #[test]
    fn the_sheet_says_why_there_are_no_lines() {
        let text = |form: &str| {
            let pack = GetTaxPackResponse { return_form: form.to_owned(), ..GetTaxPackResponse::default() };
            sheet(&pack).get_value((0, 0)).unwrap().to_string()
        };
        assert_eq!(
            text("ITR-3"),
            "The lines of ITR-3 are not available for this year, or for delivered shares that count as business."
        );
        assert!(text("").starts_with("A return is that of one person."));
    }
}
