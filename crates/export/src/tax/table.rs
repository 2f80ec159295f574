//! Tables on the sheets of a tax pack, whose totals are formulas.

use rust_decimal::Decimal;
use rust_xlsxwriter::{Format, Formula, Worksheet, XlsxError, utility};

use crate::cell::Cell;
use crate::error::Error;
use crate::layout::{AmountFormats, ColumnWidths, amount_columns, amount_width, cell_text, header_format};
use crate::workbook::{CellFormats, write_cells, write_header, write_text};

/// Columns of a table.
pub(super) struct Table<'a> {
    /// Names of the columns; those with `(INR` have amounts.
    pub header: &'a [&'a str],
    /// Indices of the columns with a total, which have amounts.
    pub totals: &'a [u16],
}

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
        let formats = CellFormats::with_amounts([amount_columns(self.header), self.totals.to_vec()].concat());
        let mut widths = ColumnWidths::default();
        widths.add_header(self.header);
        let mut sums = vec![Decimal::ZERO; self.header.len()];
        for (item, row) in items.iter().zip(2..) {
            for ((column, cell), sum) in (0..).zip(row_cells(item, row)?).zip(&mut sums) {
                *sum += cell.amount();
                widths.add_cell(usize::from(column), &cell, formats.is_amount(column));
            }
        }
        for (column, sum) in (0..).zip(&sums).filter(|(column, _)| self.totals.contains(column)) {
            widths.add(usize::from(column), amount_width(*sum));
        }
        widths.apply(sheet)?;
        widths.set_height(sheet, 0, self.header.iter().copied())?;
        write_header(sheet, 0, self.header, &header_format())?;
        let mut row = 0;
        for item in items {
            row += 1;
            let cells: Vec<Cell<'_>> = row_cells(item, row + 1)?.into_iter().collect();
            widths.set_height(sheet, row, cells.iter().map(cell_text))?;
            write_cells(sheet, row, cells, &formats)?;
        }
        if row == 0 {
            return Ok(write_text(sheet, 1, 0, "None in this year")?);
        }
        if !self.totals.is_empty() {
            self.write_totals(sheet, bold, row + 1, &sums)?;
        }
        Ok(())
    }

    /// Writes the sums of the rows above `row`.
    fn write_totals(&self, sheet: &mut Worksheet, bold: &Format, row: u32, sums: &[Decimal]) -> Result<(), XlsxError> {
        sheet.write_string_with_format(row, 0, "Total", bold)?;
        let formats = AmountFormats::new(bold);
        for column in self.totals {
            let name = utility::column_number_to_name(*column);
            let sum = sums.get(usize::from(*column)).copied().unwrap_or_default();
            let formula = Formula::new(format!("=SUM({name}2:{name}{row})")).set_result(sum.normalize().to_string());
            sheet.write_formula_with_format(row, *column, formula, formats.format(sum))?;
        }
        Ok(())
    }
}
