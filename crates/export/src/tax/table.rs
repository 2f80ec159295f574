//! Tables on the sheets of a tax pack, whose totals are formulas.

use rust_decimal::Decimal;
use rust_xlsxwriter::{Format, Formula, Worksheet, utility};

use crate::cell::Cell;
use crate::error::Error;
use crate::workbook::{CellFormats, write_cells, write_text};

/// Columns of a table.
pub(super) struct Table<'a> {
    pub header: &'a [&'a str],
    /// Indices of the columns with a total.
    pub totals: &'a [u16],
    /// Columns that are wider than the others, with their widths in characters.
    pub widths: &'a [(u16, f64)],
}

/// Width of a column in characters. A narrower one would show a date as ####.
const COLUMN_WIDTH: f64 = 14.0;

impl Table<'_> {
    /// Writes the header, the rows and a line of totals. `row_cells` gets the number of the row on the sheet, from 1, for
    /// formulas.
    pub fn write<'c, T, R: IntoIterator<Item = Cell<'c>>>(
        &self,
        sheet: &mut Worksheet,
        bold: &Format,
        items: &'c [T],
        row_cells: impl Fn(&'c T, u32) -> Result<R, Error>,
    ) -> Result<(), Error> {
        for (column, name) in (0..).zip(self.header) {
            let width = self.widths.iter().find(|(wide, _)| *wide == column).map_or(COLUMN_WIDTH, |(_, width)| *width);
            sheet.set_column_width(column, width)?;
            sheet.write_string_with_format(0, column, *name, bold)?;
        }
        let formats = CellFormats::default();
        let mut sums = vec![Decimal::ZERO; self.header.len()];
        let mut row = 0;
        for item in items {
            row += 1;
            let cells: Vec<Cell<'_>> = row_cells(item, row + 1)?.into_iter().collect();
            for (sum, cell) in sums.iter_mut().zip(&cells) {
                *sum += cell.amount();
            }
            write_cells(sheet, row, cells, &formats)?;
        }
        if row == 0 {
            return Ok(write_text(sheet, 1, 0, "None in this year")?);
        }
        if self.totals.is_empty() {
            return Ok(());
        }
        let total_row = row + 1;
        sheet.write_string_with_format(total_row, 0, "Total", bold)?;
        for column in self.totals {
            let name = utility::column_number_to_name(*column);
            let sum = sums.get(usize::from(*column)).copied().unwrap_or_default();
            let formula =
                Formula::new(format!("=SUM({name}2:{name}{})", row + 1)).set_result(sum.normalize().to_string());
            sheet.write_formula_with_format(total_row, *column, formula, bold)?;
        }
        Ok(())
    }
}
