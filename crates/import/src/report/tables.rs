//! The tables of a report, each known by its header.

use rpc::imports::v1::{ChargeKind, ProfitRow};
use rust_decimal::{Decimal, RoundingStrategy};

use super::LONGEST_TEXT;
use crate::field;
use crate::formats::cells::{self, LIMIT};
use crate::formats::{Fault, Header};
use crate::sheet::{Cell, Row};

/// Where in a sheet a row stands.
#[derive(Clone, Copy, Default)]
pub(super) enum Part {
    /// Above every table: summary and charges.
    #[default]
    Top,
    /// What was closed.
    Closed(Columns),
    /// What is still open.
    Open,
    /// Zerodha's debits and credits beside the trades.
    Debits(Debits),
    /// What says nothing more: Groww's sheet by share, the disclaimer.
    Rest,
}

impl Part {
    /// The part that a header begins, if the row is one.
    pub fn begun_by(header: &Header<'_>) -> Option<Self> {
        if let Some(debits) = Debits::of(header) {
            return Some(Self::Debits(debits));
        }
        if header.has_all(&["stockname", "isin", "quantity"]) {
            let open = header.has_all(&["closingdate"]) || header.has_all(&["closingprice"]);
            return Some(match Columns::of_groww(header) {
                _ if open => Self::Open,
                Some(columns) => Self::Closed(columns),
                None => Self::Rest,
            });
        }
        Columns::of_zerodha(header).map(Self::Closed)
    }
}

/// Where the columns of what was closed are.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    symbol: Option<usize>,
    name: Option<usize>,
    isin: Option<usize>,
    quantity: usize,
    buy_value: usize,
    sell_value: usize,
    realised: Option<usize>,
}

impl Columns {
    fn of_zerodha(header: &Header<'_>) -> Option<Self> {
        let symbol = header.column("symbol").or_else(|| header.column("tradingsymbol"))?;
        Some(Self { symbol: Some(symbol), ..Self::of(header)? }).filter(|columns| columns.realised.is_some())
    }

    /// The sheet of trades alone: what adds it up by share has no days.
    fn of_groww(header: &Header<'_>) -> Option<Self> {
        let name = header.column("stockname")?;
        let days = header.has_all(&["buydate", "selldate"]);
        Some(Self { name: Some(name), ..Self::of(header)? }).filter(|_| days)
    }

    fn of(header: &Header<'_>) -> Option<Self> {
        Some(Self {
            symbol: None,
            name: None,
            isin: header.column("isin"),
            quantity: header.column("quantity")?,
            buy_value: header.column("buyvalue")?,
            sell_value: header.column("sellvalue")?,
            realised: header.column("realizedp&l").or_else(|| header.column("realisedp&l")),
        })
    }

    /// Whether the row is of a share: a sum has no ISIN, and there are companies whose names begin like one.
    pub fn has_isin(&self, row: &Row<'_>) -> bool {
        self.isin.is_some_and(|column| !row.cell(column).is_blank())
    }

    /// What a row says was closed; none where nothing was, and it is there for what is open.
    pub fn read(&self, row: &Row<'_>) -> Result<Option<Closed>, Fault> {
        let symbol = self.symbol.map(|column| cells::symbol(row, column)).transpose()?.unwrap_or_default();
        let name = self.name.map(|column| name(row, column)).transpose()?.unwrap_or_default();
        let isin = cells::isin(row, self.isin)?.to_uppercase();
        let quantity = quantity(row, self.quantity)?;
        let (buy_value, sell_value) = (value(row, self.buy_value)?, value(row, self.sell_value)?);
        if quantity.is_zero() && buy_value.is_zero() && sell_value.is_zero() {
            return Ok(None);
        }
        if quantity.is_zero() {
            return Err(Fault::at(self.quantity, "quantity_not_positive", "The quantity is not above 0."));
        }
        let told = self.realised.filter(|column| !row.cell(*column).is_blank());
        let realised = told.map(|column| result(row, column)).transpose()?.unwrap_or(sell_value - buy_value);
        Ok(Some(Closed { symbol, name, isin, quantity, buy_value, sell_value, realised }))
    }
}

/// What was closed of one share or contract.
#[derive(Debug, Default)]
pub(super) struct Closed {
    pub symbol: String,
    pub name: String,
    pub isin: String,
    quantity: Decimal,
    buy_value: Decimal,
    sell_value: Decimal,
    realised: Decimal,
}

impl Closed {
    /// Half a million rows below [`LIMIT`] fit many times.
    pub fn add(&mut self, other: &Self) {
        self.quantity += other.quantity;
        self.buy_value += other.buy_value;
        self.sell_value += other.sell_value;
        self.realised += other.realised;
    }
}

impl From<Closed> for ProfitRow {
    fn from(closed: Closed) -> Self {
        Self {
            symbol: closed.symbol,
            name: closed.name,
            isin: closed.isin,
            quantity: field::plain(closed.quantity),
            buy_value: field::plain(closed.buy_value),
            sell_value: field::plain(closed.sell_value),
            realised: field::plain(closed.realised),
        }
    }
}

fn name(row: &Row<'_>, column: usize) -> Result<String, Fault> {
    let name = field::text(row.cell(column)).unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect();
    if name.is_empty() { Err(Fault::at(column, "name_missing", "There is no name.")) } else { Ok(name) }
}

/// 0 where nothing was closed; open positions have a column of their own.
fn quantity(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    let cell = row.cell(column);
    let number = if cell.is_blank() { Some(Decimal::ZERO) } else { field::decimal(cell) };
    let number = number.map(|number| number.round_dp(6)).filter(|number| *number >= Decimal::ZERO && *number < LIMIT);
    number.ok_or(Fault::at(column, "quantity_not_a_number", "The quantity is not a number."))
}

/// A cell without anything in it is 0 here: a row may be of an open position alone.
fn value(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    if row.cell(column).is_blank() { Ok(Decimal::ZERO) } else { cells::value(row, column) }
}

fn result(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    amount(row.cell(column)).ok_or(Fault::at(column, "result_not_a_number", "The result is not a number."))
}

/// Money that may be below 0.
fn amount(cell: Cell<'_>) -> Option<Decimal> {
    let number = field::decimal(cell).filter(|number| number.abs() < LIMIT)?;
    Some(number.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
}

/// Where the columns of debits and credits are.
#[derive(Clone, Copy)]
pub(super) struct Debits {
    particulars: usize,
    debit: usize,
    credit: usize,
}

impl Debits {
    fn of(header: &Header<'_>) -> Option<Self> {
        header.column("postingdate")?;
        Some(Self {
            particulars: header.column("particulars")?,
            debit: header.column("debit")?,
            credit: header.column("credit")?,
        })
    }

    /// What a row is for, its name, and what was taken.
    pub fn read(&self, row: &Row<'_>) -> Option<(ChargeKind, String, Decimal)> {
        let label = field::text(row.cell(self.particulars))?;
        let side = |column| amount(row.cell(column)).unwrap_or_default();
        let taken = side(self.debit) - side(self.credit);
        // Such as DP Charges for Sale of ITC on 03/06/2025.
        let lower = label.to_lowercase();
        Some(match lower.strip_prefix("dp charges") {
            Some(_) => (ChargeKind::Dp, "DP Charges".to_owned(), taken),
            None => (ChargeKind::Other, label.chars().filter(|c| !c.is_control()).collect(), taken),
        })
    }
}

/// The text of a row that has no other cell.
pub(super) fn lone_text<'r>(row: &Row<'r>) -> Option<&'r str> {
    let mut cells = row.cells().filter(|cell| !cell.is_blank());
    match (cells.next(), cells.next()) {
        (Some(Cell::Text(text)), None) => Some(text.trim()),
        _ => None,
    }
}

/// A name and, right of it, a number.
pub(super) fn label_and_amount(row: &Row<'_>) -> Option<(String, Decimal)> {
    let mut cells = row.cells().filter(|cell| !cell.is_blank());
    let (Some(Cell::Text(label)), Some(second)) = (cells.next(), cells.next()) else { return None };
    let label: String = label.trim().chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect();
    Some((label, amount(second)?))
}

pub(super) fn has_number(row: &Row<'_>) -> bool {
    row.cells().any(|cell| field::decimal(cell).is_some())
}
