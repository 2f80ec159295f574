//! Lines of the income tax return into which the figures of a tax pack go, by year and form, from
//! `rates/return-lines.csv`. Years and forms without rows have no lines: numbers of lines move from year to year.

use std::sync::LazyLock;

use rust_decimal::Decimal;
use serde::Deserialize;

use super::TaxPack;
use super::lines::TaxLine;
use super::return_figures::Figure;
use super::return_form::ReturnForm;
use super::return_sums::{ReturnIncome, ReturnSums};
use crate::financial_year::FinancialYear;

/// Line of a form in one year.
#[derive(Debug, PartialEq)]
pub struct FormLine {
    year: FinancialYear,
    form: String,
    pub schedule: String,
    pub line: String,
    /// Text of the line, shortened.
    pub title: String,
    /// Field of the return as a JSON file.
    pub field: String,
    figure: Figure,
    /// False if its source does not state the number of the line.
    pub is_verified: bool,
}

#[derive(Deserialize)]
struct Row {
    year: String,
    form: String,
    schedule: String,
    line: String,
    title: String,
    field: String,
    figure: String,
    certainty: String,
}

static FORM_LINES: LazyLock<Vec<FormLine>> = LazyLock::new(|| {
    // A test counts the rows, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../../rates/return-lines.csv").as_bytes());
    reader.deserialize().flatten().filter_map(parse_row).collect()
});

fn parse_row(row: Row) -> Option<FormLine> {
    let is_verified = match row.certainty.as_str() {
        "verified" => true,
        "recalled" => false,
        _ => return None,
    };
    Some(FormLine {
        year: FinancialYear::from_name(&row.year)?,
        form: row.form,
        schedule: row.schedule,
        line: row.line,
        title: row.title,
        field: row.field,
        figure: Figure::from_code(&row.figure)?,
        is_verified,
    })
}

/// Line of a return with its amount in whole rupees, which is not 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnLine {
    pub form_line: &'static FormLine,
    pub amount: Decimal,
}

/// Return of one person for a year, as far as the trades fill it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxReturn {
    pub form: ReturnForm,
    /// In the order of the form; none if the lines of the form are unknown for the year.
    pub lines: Option<Vec<ReturnLine>>,
}

impl TaxReturn {
    pub fn new(pack: &TaxPack, lines: &[TaxLine], year: FinancialYear) -> Self {
        let form = pack.return_form();
        let mut of_form = FORM_LINES.iter().filter(|line| line.year == year && line.form == form.name()).peekable();
        // No figure of the forms is about delivered shares as business.
        if of_form.peek().is_none() || pack.delivered_shares.closed_trades > 0 {
            return Self { form, lines: None };
        }
        let income = ReturnIncome {
            speculative: &pack.speculative,
            non_speculative: &pack.non_speculative,
            losses: &pack.losses,
            dividends: &pack.dividends,
            other_sources: pack.other_sources,
        };
        let sums = ReturnSums::new(income, lines, year);
        let with_amount = |form_line: &'static FormLine| {
            let amount = form_line.figure.amount(&sums);
            (!amount.is_zero()).then_some(ReturnLine { form_line, amount })
        };
        Self { form, lines: Some(of_form.filter_map(with_amount).collect()) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_is_parsed_and_states_its_source() {
        let mut reader = csv::Reader::from_reader(include_str!("../../rates/return-lines.csv").as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), FORM_LINES.len());
        let mut keys = HashSet::new();
        for row in &rows {
            assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
            assert!(Figure::from_code(row.get(6).unwrap()).is_some(), "{row:?}");
            assert!(["ITR-2", "ITR-3"].contains(&row.get(1).unwrap()), "{row:?}");
            let key = row.iter().take(6).collect::<Vec<_>>();
            assert!(keys.insert(key), "a row twice: {row:?}");
        }
    }

    #[test]
    fn there_are_lines_for_the_forms_that_were_read_only() {
        let forms: HashSet<_> = FORM_LINES.iter().map(|line| (line.year.0, line.form.as_str())).collect();
        assert_eq!(forms, HashSet::from([(2024, "ITR-2"), (2025, "ITR-2"), (2025, "ITR-3")]));
    }
}
