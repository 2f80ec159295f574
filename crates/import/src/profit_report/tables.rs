//! Tables of a profit and loss report, each recognised by its header.

use rpc::imports::v1::{ChargeKind, ProfitRow};
use rust_decimal::Decimal;

use crate::cell_value;
use crate::formats::header::Header;
use crate::formats::issue::Issue;
use crate::formats::trade_fields;
use crate::report_fields::{clean_text, parse_amount, read_name, read_quantity, read_result, read_value};
use crate::sheet::{Cell, Row};

/// Section of a sheet.
#[derive(Clone, Copy, Default)]
pub(super) enum Section {
    /// Summary and charges, above the tables.
    #[default]
    Top,
    /// Closed positions.
    Closed(ClosedColumns),
    /// Open positions.
    Open,
    /// Zerodha's debits and credits that do not belong to trades.
    Debits(DebitColumns),
    /// Ignored: the disclaimer, and Groww's sheet by share.
    Ignored,
}

impl Section {
    /// Returns the section that the row starts if it is a header.
    pub fn from_header(header: &Header<'_>) -> Option<Self> {
        if let Some(columns) = DebitColumns::from_header(header) {
            return Some(Self::Debits(columns));
        }
        if header.has_all(&["stockname", "isin", "quantity"]) {
            let is_open = header.has_all(&["closingdate"]) || header.has_all(&["closingprice"]);
            return Some(match ClosedColumns::from_groww_header(header) {
                _ if is_open => Self::Open,
                Some(columns) => Self::Closed(columns),
                None => Self::Ignored,
            });
        }
        ClosedColumns::from_zerodha_header(header).map(Self::Closed)
    }
}

/// Columns of a table of closed positions.
#[derive(Clone, Copy)]
pub(super) struct ClosedColumns {
    symbol: Option<usize>,
    name: Option<usize>,
    isin: Option<usize>,
    quantity: usize,
    buy_value: usize,
    sell_value: usize,
    realised: Option<usize>,
}

impl ClosedColumns {
    fn from_zerodha_header(header: &Header<'_>) -> Option<Self> {
        let symbol = header.column("symbol").or_else(|| header.column("tradingsymbol"))?;
        Some(Self { symbol: Some(symbol), ..Self::from_header(header)? }).filter(|columns| columns.realised.is_some())
    }

    /// Matches only the sheet of trades; the sheet by share has no date columns.
    fn from_groww_header(header: &Header<'_>) -> Option<Self> {
        let name = header.column("stockname")?;
        let has_dates = header.has_all(&["buydate", "selldate"]);
        Some(Self { name: Some(name), ..Self::from_header(header)? }).filter(|_| has_dates)
    }

    fn from_header(header: &Header<'_>) -> Option<Self> {
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

    /// Returns true if the row has an ISIN, so it is a share and not a total. Some company names start with `Total`.
    pub fn has_isin(&self, row: &Row<'_>) -> bool {
        self.isin.is_some_and(|column| !row.cell(column).is_blank())
    }

    /// Reads a row. Returns `None` if nothing was closed: the row is for an open position.
    pub fn read_row(&self, row: &Row<'_>) -> Result<Option<ClosedPosition>, Issue> {
        let symbol = self.symbol.map(|column| trade_fields::read_symbol(row, column)).transpose()?.unwrap_or_default();
        let name = self.name.map(|column| read_name(row, column)).transpose()?.unwrap_or_default();
        let isin = trade_fields::read_isin(row, self.isin)?.to_uppercase();
        let quantity = read_quantity(row, self.quantity)?;
        let (buy_value, sell_value) = (read_value(row, self.buy_value)?, read_value(row, self.sell_value)?);
        if quantity.is_zero() && buy_value.is_zero() && sell_value.is_zero() {
            return Ok(None);
        }
        if quantity.is_zero() {
            return Err(Issue::in_cell(self.quantity, "quantity_not_positive"));
        }
        let realised = read_result(row, self.realised)?.unwrap_or(sell_value - buy_value);
        Ok(Some(ClosedPosition { symbol, name, isin, quantity, buy_value, sell_value, realised }))
    }
}

/// Closed quantity and result of one share or contract.
#[derive(Debug, Default)]
pub(super) struct ClosedPosition {
    pub symbol: String,
    pub name: String,
    pub isin: String,
    quantity: Decimal,
    buy_value: Decimal,
    sell_value: Decimal,
    realised: Decimal,
}

impl ClosedPosition {
    /// Adds another row of the same share or contract. A sum of 500,000 values below [`AMOUNT_LIMIT`] cannot overflow.
    pub fn add(&mut self, other: &Self) {
        self.quantity += other.quantity;
        self.buy_value += other.buy_value;
        self.sell_value += other.sell_value;
        self.realised += other.realised;
    }
}

impl From<ClosedPosition> for ProfitRow {
    fn from(closed: ClosedPosition) -> Self {
        Self {
            symbol: closed.symbol,
            name: closed.name,
            isin: closed.isin,
            quantity: cell_value::format_decimal(closed.quantity),
            buy_value: cell_value::format_decimal(closed.buy_value),
            sell_value: cell_value::format_decimal(closed.sell_value),
            realised: cell_value::format_decimal(closed.realised),
        }
    }
}

/// Columns of a table of debits and credits.
#[derive(Clone, Copy)]
pub(super) struct DebitColumns {
    particulars: usize,
    debit: usize,
    credit: usize,
}

impl DebitColumns {
    fn from_header(header: &Header<'_>) -> Option<Self> {
        header.column("postingdate")?;
        Some(Self {
            particulars: header.column("particulars")?,
            debit: header.column("debit")?,
            credit: header.column("credit")?,
        })
    }

    /// Reads the kind, label and amount of a row. The amount of a credit is negative.
    pub fn read_row(&self, row: &Row<'_>) -> Option<(ChargeKind, String, Decimal)> {
        let label = cell_value::parse_text(row.cell(self.particulars))?;
        let amount = |column| parse_amount(row.cell(column)).unwrap_or_default();
        let net_debit = amount(self.debit) - amount(self.credit);
        // A label such as `DP Charges for Sale of ITC on 03/06/2025`.
        let lower = label.to_lowercase();
        Some(match lower.strip_prefix("dp charges") {
            Some(_) => (ChargeKind::Dp, "DP Charges".to_owned(), net_debit),
            None => (ChargeKind::Other, label.chars().filter(|c| !c.is_control()).collect(), net_debit),
        })
    }
}

/// Reads a row with a label followed by an amount.
pub(super) fn read_label_and_amount(row: &Row<'_>) -> Option<(String, Decimal)> {
    let mut cells = row.cells().filter(|cell| !cell.is_blank());
    let (Some(Cell::Text(label)), Some(second)) = (cells.next(), cells.next()) else { return None };
    Some((clean_text(label), parse_amount(second)?))
}
