//! Layout of the sheets of a workbook: amounts with Indian digit grouping, column widths, and pages for printing.

use rust_decimal::{Decimal, RoundingStrategy};
use rust_xlsxwriter::{Format, FormatAlign, Worksheet, XlsxError};

use crate::cell::Cell;

/// Number of A4 in the file format.
const A4: u8 = 9;
/// Width in characters above which a text is wrapped.
const MAX_COLUMN_WIDTH: usize = 42;
/// A narrower column looks cramped next to the others.
const MIN_COLUMN_WIDTH: usize = 8;
/// Space at both sides of a value, in characters. Digits of a bold total are wider than others.
const PADDING: usize = 3;
/// Height of a line in points.
const LINE_HEIGHT: u32 = 15;

/// Formats of amounts in rupees: two decimals and Indian digit grouping.
///
/// Each cell gets the format of its size. One format with conditions for all sizes would be shorter, but LibreOffice drops the
/// sign of a negative number in its last section, and writes two signs if the section has one.
pub(crate) struct AmountFormats {
    thousands: Format,
    lakhs: Format,
    crores: Format,
}

const LAKH: i64 = 100_000;
const CRORE: i64 = 10_000_000;

impl AmountFormats {
    /// Creates formats that otherwise look like `base`.
    pub fn new(base: &Format) -> Self {
        let format = |text: &str| base.clone().set_num_format(text);
        Self { thousands: format("#,##0.00"), lakhs: format(r"##\,##\,##0.00"), crores: format(r"##\,##\,##\,##0.00") }
    }

    /// Returns the format of an amount.
    pub fn format(&self, amount: Decimal) -> &Format {
        let rupees = round_to_paise(amount).abs();
        if rupees >= Decimal::from(CRORE) {
            &self.crores
        } else if rupees >= Decimal::from(LAKH) {
            &self.lakhs
        } else {
            &self.thousands
        }
    }
}

/// Rounds as spreadsheets do.
fn round_to_paise(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

/// Widths of the columns of a sheet, as its cells need them.
#[derive(Default)]
pub(crate) struct ColumnWidths(Vec<usize>);

impl ColumnWidths {
    /// Adds a header, which may be wrapped between words.
    pub fn add_header(&mut self, names: &[&str]) {
        for (column, name) in names.iter().enumerate() {
            let longest_word = name.split(' ').map(|word| word.chars().count()).max().unwrap_or_default();
            self.add(column, longest_word);
        }
    }

    /// Adds the cell of a column; `is_amount` means that it is shown with two decimals.
    pub fn add_cell(&mut self, column: usize, cell: &Cell<'_>, is_amount: bool) {
        self.add(column, if is_amount { amount_width(cell.amount()) } else { cell_width(cell) });
    }

    /// Adds a value with this number of characters.
    pub fn add(&mut self, column: usize, width: usize) {
        if self.0.len() <= column {
            self.0.resize(column + 1, 0);
        }
        if let Some(widest) = self.0.get_mut(column) {
            *widest = (*widest).max(width.min(MAX_COLUMN_WIDTH));
        }
    }

    /// Sets the widths of the columns.
    pub fn apply(&self, sheet: &mut Worksheet) -> Result<(), XlsxError> {
        for (column, index) in (0..).zip(0..self.0.len()) {
            sheet.set_column_width(column, u32::try_from(self.width(index) + PADDING).unwrap_or_default())?;
        }
        Ok(())
    }

    fn width(&self, column: usize) -> usize {
        self.0.get(column).copied().unwrap_or_default().max(MIN_COLUMN_WIDTH)
    }

    /// Makes a row high enough for its texts. To be called before the row is written.
    pub fn set_height<'t>(
        &self,
        sheet: &mut Worksheet,
        row: u32,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<(), XlsxError> {
        let lines = texts.into_iter().enumerate().map(|(column, text)| count_lines(text, self.width(column))).max();
        set_row_lines(sheet, row, lines.unwrap_or_default())
    }
}

/// Returns the columns whose names say that they have amounts.
pub(crate) fn amount_columns(header: &[&str]) -> Vec<u16> {
    (0..).zip(header).filter(|(_, name)| name.contains("(INR")).map(|(column, _)| column).collect()
}

/// Makes a row high enough for this number of lines; not all programs do it themselves.
pub(crate) fn set_row_lines(sheet: &mut Worksheet, row: u32, lines: u32) -> Result<(), XlsxError> {
    if lines > 1 {
        sheet.set_row_height(row, lines * LINE_HEIGHT)?;
    }
    Ok(())
}

/// Returns the number of lines of a text that is wrapped between words.
pub(crate) fn count_lines(text: &str, width: usize) -> u32 {
    let (mut lines, mut used) = (1, 0);
    for word in text.split(' ').map(|word| word.chars().count()) {
        if used > 0 && used + 1 + word > width {
            lines += 1;
            used = word;
        } else {
            used += word + usize::from(used > 0);
        }
    }
    lines
}

/// Returns the text of a cell; empty for other cells.
pub(crate) fn cell_text<'c>(cell: &'c Cell<'_>) -> &'c str {
    if let Cell::Text(text) = cell { text } else { "" }
}

/// Returns the number of characters of an amount with two decimals and separators.
pub(crate) fn amount_width(amount: Decimal) -> usize {
    let digits = round_to_paise(amount).trunc().abs().to_string().len();
    digits + digits / 2 + ".00".len() + usize::from(amount.is_sign_negative())
}

fn cell_width(cell: &Cell<'_>) -> usize {
    match cell {
        Cell::Text(text) => text.chars().count(),
        Cell::Number(text) => text.len(),
        Cell::Decimal(amount) | Cell::Formula(_, amount) => amount.normalize().to_string().len(),
        Cell::Count(number) => number.to_string().len(),
        Cell::Time(..) => "2026-03-31".len(),
    }
}

/// Returns true for a text that is too long for a line of its column.
pub(crate) fn is_long(text: &str) -> bool {
    text.chars().count() > MAX_COLUMN_WIDTH
}

/// Returns the format of the names of columns.
pub(crate) fn header_format() -> Format {
    wrapped(&Format::new().set_bold())
}

/// Returns a format that wraps long texts.
pub(crate) fn wrapped(base: &Format) -> Format {
    base.clone().set_text_wrap().set_align(FormatAlign::Top)
}

/// Keeps the first row in view and on each printed page; a page is as wide as the sheet, with its name and page number below.
pub(crate) fn set_up_page(sheet: &mut Worksheet) -> Result<&mut Worksheet, XlsxError> {
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer("&L&A&RPage &P of &N");
    sheet.set_freeze_panes(1, 0)?.set_repeat_rows(0, 0)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use rust_xlsxwriter::Workbook;
    use zip::ZipArchive;

    use super::*;

    #[test]
    fn widths_have_room_for_separators_and_signs() {
        // 1,23,45,678.90 and -99,999.99.
        assert_eq!(amount_width("12345678.9".parse().unwrap()), 15);
        assert_eq!(amount_width("-99999.99".parse().unwrap()), 11);
        let mut widths = ColumnWidths::default();
        widths.add_header(&["Full Value of Consideration", "Rate"]);
        widths.add_cell(1, &Cell::Text("x".repeat(100).into()), false);
        assert_eq!(widths.0, ["Consideration".len(), MAX_COLUMN_WIDTH]);
    }

    #[test]
    fn amounts_are_grouped_by_their_rounded_size() {
        let formats = AmountFormats::new(&Format::new());
        let crores = [&formats.thousands, &formats.lakhs, &formats.crores];
        let size = |amount: &str| crores.iter().position(|one| *one == formats.format(amount.parse().unwrap()));
        let cases = [
            ("0", 0),
            ("99999.99", 0),
            ("-99999.995", 1),
            ("-100000", 1),
            ("9999999.99", 1),
            ("-10000000", 2),
            ("123456789", 2),
        ];
        for (amount, expected) in cases {
            assert_eq!(size(amount), Some(expected), "{amount}");
        }
    }

    #[test]
    fn counts_the_lines_of_a_wrapped_text() {
        for (text, lines) in
            [("", 1), ("one two", 1), ("one two three", 2), ("incomprehensible", 1), ("a bb ccc dddd", 2)]
        {
            assert_eq!(count_lines(text, 8), lines, "{text}");
        }
    }

    #[test]
    fn a_sheet_prints_one_page_wide_with_its_header_and_exact_amounts() {
        let mut workbook = Workbook::new();
        let sheet = set_up_page(workbook.add_worksheet().set_name("Losses").unwrap()).unwrap();
        let formats = AmountFormats::new(&Format::new());
        for (row, (amount, number)) in (1..).zip([("-12345678.9055", -12_345_678.905_5), ("123456.5", 123_456.5)]) {
            let format = formats.format(amount.parse().unwrap());
            sheet.write_number_with_format(row, 0, number, format).unwrap();
        }
        let mut zip = ZipArchive::new(Cursor::new(workbook.save_to_buffer().unwrap())).unwrap();
        let mut part = |name: &str| std::io::read_to_string(zip.by_name(name).unwrap()).unwrap();
        let sheet = part("xl/worksheets/sheet1.xml");
        for expected in [
            "<pane ySplit=\"1\" topLeftCell=\"A2\"",
            "state=\"frozen\"",
            "paperSize=\"9\"",
            "orientation=\"landscape\"",
            "fitToHeight=\"0\"",
            "<oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter>",
            "<v>-12345678.9055</v>",
        ] {
            assert!(sheet.contains(expected), "{expected}: {sheet}");
        }
        assert!(part("xl/workbook.xml").contains("Losses!$1:$1"));
        let styles = part("xl/styles.xml");
        for format in [r"##\,##\,##\,##0.00", r"##\,##\,##0.00"] {
            assert!(styles.contains(&format!("formatCode=\"{format}\"")), "{format}: {styles}");
        }
    }
}
