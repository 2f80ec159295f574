//! The brokers' profit and loss reports: what a broker says that the trades of a period came to. There are no trades in
//! them, so nothing goes into the log; they are set against it.
//!
//! All are read by one reader: a title with the period, lines of charges, and tables that are known by their headers.
//! Zerodha has a row for each share or contract, Groww one for each purchase with its sale; those are added up.

mod call;
mod labels;
mod tables;
mod title;

use std::collections::HashMap;
use std::fs::File;

pub use call::read_report;
use rpc::imports::v1::{ChargeKind, ChargeLine, Problem, ProfitReport, ProfitRow};
use rust_decimal::Decimal;

use self::tables::{Closed, Part};
use self::title::{Kind, Title};
use crate::error::{Reason, Refusal};
use crate::field;
use crate::formats::{Fault, Format, Header};
use crate::probe;
use crate::reading::{located, shown_name};
use crate::sheet::{Budget, Row};
use crate::workbook::Workbook;

/// Shares and contracts. Also what the parent believes, as with the others.
pub(crate) const MOST_ROWS: usize = 5_000;
pub(crate) const MOST_CHARGES: usize = 200;
/// Names of charges; one line more for each kind of them still fits.
const MOST_NAMES: usize = MOST_CHARGES - 10;
pub(crate) const MOST_PROBLEMS: usize = 100;
/// Characters of a title, a name or a label.
pub(crate) const LONGEST_TEXT: usize = 100;
/// Rows of purchases with their sales.
const MOST_PAIRS: usize = 500_000;

/// What is read here, and where the brokers have it.
const WANTED: &str = "Zerodha's P&L statement for equity or F&O (Console, Reports, P&L) or Groww's P&L report for \
                      stocks (Profile, Reports, Stocks – P&L), as it comes";

/// What `file` says. A file that is no such report is refused with what it is.
pub(crate) fn read(file: File) -> Result<ProfitReport, Refusal> {
    let mut budget = Budget::new();
    let mut book = Workbook::open(file)?;
    let no_trades = match probe::find(&mut book, &mut budget) {
        Ok((format, _)) => return Err(of_trades(format)),
        Err(refusal) if matches!(refusal.reason, Reason::Unsupported | Reason::Unknown) => refusal,
        Err(refusal) => return Err(refusal),
    };
    let mut draft = Draft::default();
    for name in book.sheets() {
        draft.begin_sheet(&name);
        let mut rows = book.rows(&name)?;
        while let Some(row) = rows.next(&mut budget)? {
            if !row.is_blank() {
                draft.read(&row)?;
            }
        }
    }
    draft.finish(&no_trades)
}

/// The report up to the row that is being read.
#[derive(Default)]
struct Draft {
    title: Option<Title>,
    sheets: usize,
    sheet: String,
    part: Part,
    /// Within the lines of charges, whatever they are called.
    in_charges: bool,
    /// The sheets whose charges and whose table count: others repeat them.
    charges_in: Option<usize>,
    table_in: Option<usize>,
    /// Another sheet has a part of the report that does not suffice.
    has_rest: bool,
    charges: Vec<ChargeLine>,
    /// What each of them comes to.
    amounts: Vec<Decimal>,
    /// What was taken and given beside the charges, as one sum, and whether it is listed one by one.
    other: Option<Decimal>,
    other_is_listed: bool,
    pairs: usize,
    rows: Vec<Closed>,
    places: HashMap<(String, String), usize>,
    realised: Option<Decimal>,
    open_positions: i64,
    problems: Vec<Problem>,
    problem_count: i64,
}

impl Draft {
    fn begin_sheet(&mut self, name: &str) {
        self.sheets += 1;
        self.sheet = shown_name(name);
        self.part = Part::Top;
        self.in_charges = false;
    }

    fn read(&mut self, row: &Row<'_>) -> Result<(), Refusal> {
        if let Some(title) = row.cells().find_map(Title::of) {
            return self.see_title(title);
        }
        if let Some(part) = Part::begun_by(&Header::of(row, &[])) {
            self.begin(part);
            return Ok(());
        }
        if let Some(heading) = tables::lone_text(row) {
            self.see_heading(heading);
            return Ok(());
        }
        let first = row.cells().find_map(field::text).unwrap_or_default().to_lowercase();
        let may_be_share = matches!(self.part, Part::Closed(columns) if columns.has_isin(row));
        if first.starts_with("total") && !may_be_share && !labels::is_charge(&first) {
            return Ok(());
        }
        match self.part {
            Part::Top => self.see_line(row),
            Part::Rest => (),
            Part::Open => self.open_positions += i64::from(tables::has_number(row)),
            Part::Debits(columns) => {
                if let Some((kind, label, amount)) = columns.read(row) {
                    self.other_is_listed = true;
                    self.charge(kind, &label, amount);
                }
            }
            Part::Closed(columns) => match Fault::of_swallowed(row).map_or_else(|| columns.read(row), Err) {
                Ok(Some(closed)) => self.add(closed)?,
                Ok(None) => self.open_positions += 1,
                Err(fault) => {
                    self.problem_count += 1;
                    if self.problems.len() < MOST_PROBLEMS {
                        self.problems.push(located(fault, row, &self.sheet));
                    }
                }
            },
        }
        Ok(())
    }

    fn see_title(&mut self, title: Title) -> Result<(), Refusal> {
        match &self.title {
            Some(first) if first.kind != title.kind => Err(Refusal::new(
                Reason::Unsupported,
                "The file holds the reports of two segments. Download one segment at a time.",
            )),
            Some(_) => Ok(()),
            None => {
                self.title = Some(title);
                Ok(())
            }
        }
    }

    fn begin(&mut self, part: Part) {
        self.in_charges = false;
        self.part = match part {
            Part::Closed(_) if self.table_in.is_some_and(|sheet| sheet != self.sheets) => Part::Rest,
            part => part,
        };
        match self.part {
            Part::Closed(_) => self.table_in = Some(self.sheets),
            Part::Rest => self.has_rest = true,
            Part::Top | Part::Open | Part::Debits(_) => (),
        }
    }

    fn see_heading(&mut self, heading: &str) {
        let heading = heading.to_lowercase();
        self.in_charges = heading == "charges";
        if heading.starts_with("disclaimer") {
            self.part = Part::Rest;
        }
    }

    /// A line with a name and a number: of the summary, or of the charges.
    fn see_line(&mut self, row: &Row<'_>) {
        let Some((label, amount)) = tables::label_and_amount(row) else {
            self.in_charges |= Header::of(row, &[]).has_all(&["accounthead", "amount"]);
            return;
        };
        let name = label.to_lowercase();
        match name.as_str() {
            "realised p&l" | "realized p&l" => {
                self.realised.get_or_insert(amount);
            }
            "other credit & debit" => {
                self.other.get_or_insert(-amount);
            }
            "charges" | "unrealised p&l" | "unrealized p&l" => (),
            _ => {
                let kind = labels::kind(&name).or_else(|| self.in_charges.then_some(ChargeKind::Other));
                if let Some(kind) = kind
                    && *self.charges_in.get_or_insert(self.sheets) == self.sheets
                {
                    self.charge(kind, &label, amount);
                }
            }
        }
    }

    /// Adds a charge to the line of its name; where there are too many names, to another line of its kind.
    fn charge(&mut self, kind: ChargeKind, label: &str, amount: Decimal) {
        let label: String = label.chars().take(LONGEST_TEXT).collect();
        let full = self.charges.len() >= MOST_NAMES;
        let known = self.charges.iter().position(|line| line.kind() == kind && (full || line.label == label));
        let place = known.unwrap_or_else(|| {
            self.charges.push(ChargeLine { kind: kind.into(), label, amount: String::new() });
            self.amounts.push(Decimal::ZERO);
            self.charges.len() - 1
        });
        if let Some(sum) = self.amounts.get_mut(place) {
            *sum = sum.saturating_add(amount);
        }
    }

    fn add(&mut self, closed: Closed) -> Result<(), Refusal> {
        self.pairs += 1;
        let key = if closed.isin.is_empty() {
            (closed.symbol.clone() + &closed.name, String::new())
        } else {
            (closed.symbol.clone(), closed.isin.clone())
        };
        match self.places.get(&key).and_then(|place| self.rows.get_mut(*place)) {
            Some(sum) => sum.add(&closed),
            None => {
                self.places.insert(key, self.rows.len());
                self.rows.push(closed);
            }
        }
        if self.pairs > MOST_PAIRS || self.rows.len() > MOST_ROWS {
            let sentence = "The report has more than 5,000 shares or contracts, or 5,00,000 rows. Download it for a \
                            shorter time.";
            return Err(Refusal::new(Reason::TooManyRows, sentence));
        }
        Ok(())
    }

    fn finish(mut self, no_trades: &Refusal) -> Result<ProfitReport, Refusal> {
        let Some(title) = self.title.take() else {
            return Err(if self.table_in.is_some() { period_unknown() } else { none_of_ours(no_trades) });
        };
        let kind = title.kind.known()?;
        let (from, to) = title.period.ok_or_else(period_unknown)?;
        if self.rows.is_empty() {
            return Err(self.nothing_closed(kind));
        }
        if let Some(other) = self.other.filter(|other| !self.other_is_listed && !other.is_zero()) {
            self.charge(ChargeKind::Other, "Other Credit & Debit", other);
        }
        let amounts = self.charges.iter_mut().zip(&self.amounts);
        amounts.for_each(|(line, amount)| line.amount = field::plain(*amount));
        Ok(ProfitReport {
            format: kind.name().to_owned(),
            format_title: kind.title().to_owned(),
            title: title.text,
            book: Some(kind.book()),
            from: from.to_string(),
            to: to.to_string(),
            rows: self.rows.into_iter().map(ProfitRow::from).collect(),
            charges: self.charges,
            realised: self.realised.map(field::plain).unwrap_or_default(),
            open_positions: self.open_positions,
            problems: self.problems,
            problem_count: self.problem_count,
        })
    }

    fn nothing_closed(&self, kind: Kind) -> Refusal {
        match self.problems.first() {
            Some(first) => Refusal::new(
                Reason::NoTrades,
                format!("No row of the report could be read. Row {}: {}", first.row, first.message),
            ),
            None if self.table_in.is_none() && self.has_rest => Refusal::new(
                Reason::Unsupported,
                "This is a part of Groww's P&L report for stocks. Upload it as it comes, with the sheet Trade Level.",
            ),
            None => Refusal::new(
                Reason::NoTrades,
                format!("Nothing was closed in this {}. Download it for a longer time.", kind.title()),
            ),
        }
    }
}

/// The file is one that goes into the log.
fn of_trades(format: &dyn Format) -> Refusal {
    if format.name() == "groww-fno-pnl" {
        return title::groww_fno();
    }
    let sentence = format!(
        "This is a list of trades ({}), which goes into the log by the upload on the dashboard. To compare the log \
         with your broker, upload {WANTED}.",
        format.title()
    );
    Refusal::new(Reason::OfTrades, sentence)
}

fn period_unknown() -> Refusal {
    let sentence = "The report does not say its period, so that nothing can be set against it. Download it again and \
                    upload it as it comes, with the line P&L Statement for … from … to ….";
    Refusal::new(Reason::PeriodUnknown, sentence)
}

/// `no_trades` says what it is, if it is known, and what to upload as trades.
fn none_of_ours(no_trades: &Refusal) -> Refusal {
    let known = no_trades.message.split_once(". ").filter(|_| no_trades.reason == Reason::Unsupported);
    let what = known.map_or("This file is none that we know", |(what, _)| what);
    Refusal::new(no_trades.reason, format!("{what}. To compare the log with your broker, upload {WANTED}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_purchases_than_there_can_be_are_refused_even_of_one_share() {
        let mut draft = Draft { pairs: MOST_PAIRS - 1, ..Draft::default() };
        draft.add(Closed::default()).unwrap();
        assert_eq!(draft.add(Closed::default()).unwrap_err().reason, Reason::TooManyRows);
    }
}
