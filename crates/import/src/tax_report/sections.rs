//! Title, sections and columns of a tax report.

use rpc::imports::v1::TaxReportHead;
use rpc::trades::v1::Broker;
use rust_decimal::Decimal;
use time::Date;

use crate::cell_value;
use crate::formats::header::Header;
use crate::formats::issue::Issue;
use crate::formats::trade_fields;
use crate::report_fields::{clean_text, parse_period, read_name, read_quantity, read_result, read_value};
use crate::sheet::{Cell, Row};

/// Layout of a tax report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    ZerodhaTaxPnl,
    GrowwCapitalGains,
}

impl Layout {
    /// Returns the stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZerodhaTaxPnl => "zerodha-tax-pnl",
            Self::GrowwCapitalGains => "groww-capital-gains",
        }
    }

    pub fn broker(self) -> Broker {
        match self {
            Self::ZerodhaTaxPnl => Broker::Zerodha,
            Self::GrowwCapitalGains => Broker::Groww,
        }
    }

    /// Returns whether several sources describe the layout, one of them with files of several years.
    pub fn is_verified(self) -> bool {
        self == Self::ZerodhaTaxPnl
    }
}

/// Title such as `Tradewise Exits from 2025-04-01 to 2026-03-31`.
pub(super) struct Title {
    pub layout: Layout,
    pub text: String,
    /// First and last day; none if a day is missing or invalid.
    pub period: Option<(Date, Date)>,
}

impl Title {
    /// Parses the title in a cell.
    pub fn from_cell(cell: Cell<'_>) -> Option<Self> {
        let Cell::Text(text) = cell else { return None };
        let text = clean_text(text);
        let lower = text.to_lowercase();
        let layout = if lower.starts_with("tradewise exits from") {
            Layout::ZerodhaTaxPnl
        } else if lower.starts_with("capital gains statement for stocks") {
            Layout::GrowwCapitalGains
        } else {
            return None;
        };
        Some(Self { layout, period: parse_period(&text), text })
    }
}

/// Section of a tax report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Section {
    /// Names and summary above the sections, and the disclaimer below them.
    #[default]
    Outside,
    /// Rows of one head of income.
    Head(TaxReportHead, String),
    /// Rows that are not read, such as mutual funds.
    Skipped(String),
}

impl Section {
    /// Returns the section that a row with one text starts.
    pub fn from_heading(heading: &str) -> Self {
        let title = clean_text(heading);
        let name = title.to_lowercase().replace(['–', '—'], "-").split_whitespace().collect::<Vec<_>>().join(" ");
        let head = match name.as_str() {
            "equity - intraday" | "intraday trades" => TaxReportHead::Intraday,
            "equity - short term" | "short term trades" => TaxReportHead::ShortTerm,
            "equity - long term" | "long term trades" => TaxReportHead::LongTerm,
            "equity - buyback" | "buyback trades" => TaxReportHead::Buyback,
            "f&o" => TaxReportHead::Fno,
            name if name.starts_with("non equity") => TaxReportHead::OtherSecurities,
            name if name.starts_with("disclaimer") => return Self::Outside,
            _ => return Self::Skipped(title),
        };
        Self::Head(head, title)
    }
}

/// Columns of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    symbol: Option<usize>,
    name: Option<usize>,
    isin: Option<usize>,
    entry_day: usize,
    exit_day: usize,
    quantity: usize,
    buy_value: usize,
    sell_value: usize,
    profit: Option<usize>,
}

impl Columns {
    pub fn from_header(header: &Header<'_>) -> Option<Self> {
        let (symbol, name) = (header.column("symbol"), header.column("stockname"));
        symbol.or(name)?;
        let column = |names: [&str; 2]| names.into_iter().find_map(|name| header.column(name));
        Some(Self {
            symbol,
            name,
            isin: header.column("isin"),
            entry_day: column(["entrydate", "buydate"])?,
            exit_day: column(["exitdate", "selldate"])?,
            quantity: header.column("quantity")?,
            buy_value: header.column("buyvalue")?,
            sell_value: header.column("sellvalue")?,
            profit: column(["profit", "realisedp&l"]),
        })
    }

    /// Returns true for a row of totals. Some company names start with `Total`, but have days.
    pub fn is_total(&self, row: &Row<'_>) -> bool {
        let first = row.cells().find_map(cell_value::parse_text).unwrap_or_default().to_lowercase();
        let has_days = [self.entry_day, self.exit_day].iter().any(|column| !row.cell(*column).is_blank());
        first.contains("total") && !has_days
    }

    /// Reads a row. Returns `None` if it states nothing: some files list shares that were removed with zeros.
    pub fn read_row(&self, row: &Row<'_>) -> Result<Option<TaxRow>, Issue> {
        let quantity = read_quantity(row, self.quantity)?;
        let (buy_value, sell_value) = (read_value(row, self.buy_value)?, read_value(row, self.sell_value)?);
        if quantity.is_zero() && buy_value.is_zero() && sell_value.is_zero() {
            return Ok(None);
        }
        if quantity.is_zero() {
            return Err(Issue::in_cell(self.quantity, "quantity_not_positive"));
        }
        let (one, other) = (read_day(row, self.entry_day)?, read_day(row, self.exit_day)?);
        Ok(Some(TaxRow {
            symbol: self.symbol.map(|column| trade_fields::read_symbol(row, column)).transpose()?.unwrap_or_default(),
            name: self.name.map(|column| read_name(row, column)).transpose()?.unwrap_or_default(),
            isin: trade_fields::read_isin(row, self.isin)?.to_uppercase(),
            // Columns named after buying and selling have the days of a short sale in reverse.
            entry_day: one.min(other),
            exit_day: one.max(other),
            quantity,
            buy_value,
            sell_value,
            profit: read_result(row, self.profit)?.unwrap_or(sell_value - buy_value),
        }))
    }
}

fn read_day(row: &Row<'_>, column: usize) -> Result<Date, Issue> {
    let moment = cell_value::parse_moment(row, row.cell(column));
    moment.map(|moment| moment.day).ok_or(Issue::in_cell(column, "date_invalid"))
}

/// Row of a section.
#[derive(Debug)]
pub(super) struct TaxRow {
    pub symbol: String,
    pub name: String,
    pub isin: String,
    pub entry_day: Date,
    pub exit_day: Date,
    pub quantity: Decimal,
    pub buy_value: Decimal,
    pub sell_value: Decimal,
    pub profit: Decimal,
}
