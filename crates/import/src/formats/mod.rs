//! The formats that we read, one file each: how to recognise it, its columns, what tells its trades apart.
//!
//! A new one is a file here and a line in [`ALL`]; `cells` reads what all brokers have.

pub(crate) mod cells;
mod doubts;
mod groww_fno_pnl;
mod groww_stock_orders;
pub(crate) mod refused;
mod so_far;
mod zerodha_tradebook;

use std::borrow::Cow;

use rpc::trades::v1::{Broker, ImportedTrade, Segment};
pub(crate) use so_far::{FileSoFar, Place};

use crate::sheet::{Cell, Row};

/// Every format that we read.
pub(crate) static ALL: [&dyn Format; 3] =
    [&zerodha_tradebook::ZerodhaTradebook, &groww_stock_orders::GrowwStockOrders, &groww_fno_pnl::GrowwFnoPnl];

/// One kind of report of one broker.
pub(crate) trait Format: Sync {
    /// The stable name for programs.
    fn name(&self) -> &'static str;

    /// What a trader calls it.
    fn title(&self) -> &'static str;

    /// Where the broker's site has it.
    fn found_at(&self) -> &'static str;

    /// Whose report it is.
    fn broker(&self) -> Broker;

    /// A reader of the rows below, if `header` is this format's header.
    fn recognise(&self, header: &Header<'_>) -> Option<Box<dyn Reader>>;
}

/// Reads the rows below one header.
pub(crate) trait Reader {
    /// What `row` holds. None where it is a heading, a total or a footnote, which nobody takes for a trade.
    fn read(&mut self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Option<Found>, Fault>;
}

/// The format of that name.
pub(crate) fn named(name: &str) -> Option<&'static dyn Format> {
    ALL.into_iter().find(|format| format.name() == name)
}

/// What a row of a file is.
pub(crate) struct Found {
    /// The segment whose book it belongs to.
    pub segment: Segment,
    pub trade: ImportedTrade,
    /// The other one, where a row is a purchase and its sale.
    pub other_leg: Option<Box<ImportedTrade>>,
    /// What to look at all the same.
    pub warning: Option<Fault>,
}

/// Why a row is left out, or what is odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The cell at fault, if it is one.
    pub column: Option<usize>,
    /// A stable name for programs.
    pub code: &'static str,
    /// One sentence for the trader.
    pub message: Cow<'static, str>,
    /// The row says that the file is another report than its header says.
    pub report: Option<&'static str>,
    /// The row is no trade, and need not be: nothing is wrong with it.
    pub no_trade: bool,
    /// It is so in nearly every such file, and raises no question.
    pub ordinary: bool,
}

impl Fault {
    pub fn at(column: usize, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { column: Some(column), ..Self::row(code, message) }
    }

    pub fn row(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { column: None, code, message: message.into(), report: None, no_trade: false, ordinary: false }
    }

    /// No broker's cell goes over several lines: what stands in them would be lost without a word.
    pub fn of_swallowed(row: &Row<'_>) -> Option<Self> {
        let lines = match row.swallowed {
            0 => return None,
            1 => "line".to_owned(),
            lines => format!("{lines} lines"),
        };
        let sentence = format!(
            "A quotation mark in this row is not closed in it, so the {lines} below were read as part of it, and none of \
             this goes in. Remove the mark, and upload the file again."
        );
        Some(Self::row("quote_not_closed", sentence))
    }

    /// A row that is no trade, as its cell says.
    pub fn no_trade(column: usize, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { no_trade: true, ..Self::ordinary(column, code, message) }
    }

    /// What is so in nearly every such file.
    pub fn ordinary(column: usize, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { ordinary: true, ..Self::at(column, code, message) }
    }
}

/// A row that may be a header: its names without case, spaces, dots and underscores, and what stood above it.
pub(crate) struct Header<'p> {
    names: Vec<(String, usize)>,
    /// Texts above, in lower case.
    titles: &'p [String],
}

impl<'p> Header<'p> {
    pub fn of(row: &Row<'_>, titles: &'p [String]) -> Self {
        let named = |(column, cell): (usize, Cell<'_>)| match cell {
            Cell::Text(text) => Some((normalised(text), column)).filter(|(name, _)| !name.is_empty()),
            Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Truth(_) | Cell::Error => None,
        };
        Self { names: row.cells().enumerate().filter_map(named).collect(), titles }
    }

    /// The column of that name. The first, where there are several.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, column)| *column)
    }

    /// Whether the column has a name.
    pub fn is_named(&self, column: usize) -> bool {
        self.names.iter().any(|(_, known)| *known == column)
    }

    /// Whether every one of these columns is there.
    pub fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// Whether a text above begins so.
    pub fn titled(&self, beginning: &str) -> bool {
        self.titles.iter().any(|title| title.starts_with(beginning))
    }
}

/// Names are compared without case, spaces, dots and underscores.
fn normalised(name: &str) -> String {
    if name.len() > 100 {
        return String::new();
    }
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '.' | '\u{feff}'));
    kept.flat_map(char::to_lowercase).collect()
}
