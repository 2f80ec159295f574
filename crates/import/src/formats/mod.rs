//! The formats that we read, one file each: how to recognise it, its columns, what tells its trades apart.
//!
//! A new one is a file here and a line in [`ALL`].

mod groww_stock_orders;
pub(crate) mod refused;
mod zerodha_tradebook;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU64;

use prost_types::Timestamp;
use rpc::trades::v1::{Broker, Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime};

use crate::field::{self, Id, Moment};
use crate::sheet::{Cell, Row};

/// Every format that we read.
pub(crate) static ALL: [&dyn Format; 2] = [&zerodha_tradebook::ZerodhaTradebook, &groww_stock_orders::GrowwStockOrders];

/// What the trade log takes; a trade beyond would refuse the whole file.
const LONGEST_SYMBOL: usize = 64;
const LONGEST_KEY: usize = 120;
const LIMIT: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Above every quantity.
const QUANTITY_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// One kind of report of one broker.
pub(crate) trait Format: Sync {
    /// The stable name for programs.
    fn name(&self) -> &'static str;

    /// What a trader calls it.
    fn title(&self) -> &'static str;

    /// Whose report it is.
    fn broker(&self) -> Broker;

    /// A reader of the rows below, if `header` is this format's header.
    fn recognise(&self, header: &Header<'_>) -> Option<Box<dyn Reader>>;
}

/// Reads the rows below one header.
pub(crate) trait Reader {
    /// The trade in `row`.
    fn read(&self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Found, Fault>;
}

/// The format of that name.
pub(crate) fn named(name: &str) -> Option<&'static dyn Format> {
    ALL.into_iter().find(|format| format.name() == name)
}

/// A trade of a file, and the segment whose book it belongs to.
pub(crate) struct Found {
    pub segment: Segment,
    pub trade: ImportedTrade,
}

/// Why a row is left out.
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
}

impl Fault {
    pub fn at(column: usize, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { column: Some(column), code, message: message.into(), report: None }
    }

    pub fn row(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { column: None, code, message: message.into(), report: None }
    }
}

/// A row that may be a header: its names without case, spaces, dots and underscores, and what stood above it.
pub(crate) struct Header<'p> {
    names: Vec<(String, usize)>,
    /// Texts above, in lower case.
    pub titles: &'p [String],
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

/// What reading a row needs to know of the rest of its file.
pub(crate) struct FileSoFar {
    /// No trade is later than this. A clock may be a little wrong, ours or theirs.
    latest: OffsetDateTime,
    repeats: HashMap<String, u32>,
    /// The sheets with trades so far; the last is the one that is being read.
    sheets: Vec<String>,
    /// By the hash of its key, what a trade was, so that half a million cost little.
    trades: HashMap<u64, Contents>,
    hasher: RandomState,
}

/// What a trade is beside its key, as hashes, and where it stands.
struct Contents {
    symbol: u64,
    /// None where the row has none, as with the order id.
    isin: Option<NonZeroU64>,
    order_id: Option<NonZeroU64>,
    rest: u64,
    row: u64,
    sheet: usize,
}

impl Contents {
    /// Whether both can be the same trade. A share may change its symbol or its ISIN, and an order id may get lost.
    fn agrees(&self, other: &Self) -> bool {
        let isins_agree = self.isin.is_some() && self.isin == other.isin;
        let orders_agree = self.order_id.is_none() || other.order_id.is_none() || self.order_id == other.order_id;
        (self.symbol == other.symbol || isins_agree) && orders_agree && self.rest == other.rest
    }
}

impl FileSoFar {
    pub fn new(now: OffsetDateTime) -> Self {
        Self {
            latest: now + Duration::DAY,
            repeats: HashMap::new(),
            sheets: Vec::new(),
            trades: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// What is read from here on stands in another sheet.
    pub fn begin_sheet(&mut self, name: &str) {
        self.sheets.push(name.to_owned());
    }

    /// The trade, unless another one with its key stood in the file. The same one again is a plain duplicate, which
    /// the trade log counts.
    fn unlike_others(&mut self, trade: ImportedTrade, row: &Row<'_>, id_column: usize) -> Result<ImportedTrade, Fault> {
        let known = |text: &str| (!text.is_empty()).then(|| NonZeroU64::MIN | self.hasher.hash_one(text));
        let at = trade.executed_at.map(|at| at.seconds);
        let contents = Contents {
            symbol: self.hasher.hash_one(&trade.symbol),
            isin: known(&trade.isin),
            order_id: known(&trade.order_id),
            rest: self.hasher.hash_one((&trade.quantity, &trade.price, &trade.value, at, trade.time_precision)),
            row: row.number,
            sheet: self.sheets.len(),
        };
        match self.trades.entry(self.hasher.hash_one(&trade.source_key)) {
            Entry::Vacant(place) => {
                place.insert(contents);
            }
            Entry::Occupied(mut first) if first.get().agrees(&contents) => {
                let first = first.get_mut();
                first.order_id = first.order_id.or(contents.order_id);
            }
            Entry::Occupied(first) => {
                let (number, sheet) = (first.get().row, first.get().sheet);
                let elsewhere = match self.sheets.get(sheet.saturating_sub(1)) {
                    Some(name) if sheet != contents.sheet => format!(" of the sheet {name}"),
                    Some(_) | None => String::new(),
                };
                let sentence = format!("Row {number}{elsewhere} has the same id and is another trade.");
                return Err(Fault::at(id_column, "trade_id_conflict", sentence));
            }
        }
        Ok(trade)
    }

    /// A key of a row without an id: its contents, and the how many-eth row with these contents it is.
    pub fn numbered(&mut self, contents: String) -> String {
        let number = self.repeats.entry(contents.clone()).or_default();
        *number = number.saturating_add(1);
        format!("{contents}/{number}")
    }
}

fn side(row: &Row<'_>, column: usize) -> Result<Side, Fault> {
    match row.cell(column) {
        Cell::Text(text) if text.trim().eq_ignore_ascii_case("buy") => Ok(Side::Buy),
        Cell::Text(text) if text.trim().eq_ignore_ascii_case("sell") => Ok(Side::Sell),
        _ => Err(Fault::at(column, "side_unknown", "The side is neither buy nor sell.")),
    }
}

fn exchange(row: &Row<'_>, column: Option<usize>) -> Result<Exchange, Fault> {
    let Some(column) = column else {
        return Err(Fault::row("exchange_unknown", "The file does not say which exchange."));
    };
    match field::text(row.cell(column)).unwrap_or_default().to_ascii_uppercase().as_str() {
        "NSE" | "NFO" => Ok(Exchange::Nse),
        "BSE" | "BFO" => Ok(Exchange::Bse),
        _ => Err(Fault::at(column, "exchange_unknown", "The exchange is neither NSE nor BSE.")),
    }
}

fn exchange_name(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Nse | Exchange::Unspecified => "NSE",
        Exchange::Bse => "BSE",
    }
}

fn symbol(row: &Row<'_>, column: usize) -> Result<String, Fault> {
    let Some(symbol) = field::text(row.cell(column)) else {
        return Err(Fault::at(column, "symbol_missing", "There is no symbol."));
    };
    let unseen = |c| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    if symbol.chars().count() > LONGEST_SYMBOL || symbol.contains(|c: char| c.is_control() || unseen(c)) {
        return Err(Fault::at(column, "symbol_invalid", "The symbol is longer than 64 characters, or not one."));
    }
    Ok(symbol.into_owned())
}

/// Blank where the file has none.
fn isin(row: &Row<'_>, column: Option<usize>) -> Result<String, Fault> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match field::id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Known(isin) if isin.len() == 12 && isin.bytes().all(|c| c.is_ascii_alphanumeric()) => Ok(isin.into_owned()),
        Id::Known(_) | Id::Odd => Err(Fault::at(column, "isin_invalid", "The ISIN has not 12 letters and digits.")),
    }
}

/// Blank where the file has none, or has lost it.
fn order_id(row: &Row<'_>, column: Option<usize>) -> Result<String, Fault> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match field::id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Known(id) => Ok(id.into_owned()),
        Id::Odd => Err(Fault::at(column, "order_id_invalid", "The order id is not one.")),
    }
}

fn quantity(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    let cell = row.cell(column);
    let Some(quantity) = field::decimal(cell) else {
        return Err(Fault::at(column, "quantity_not_a_number", "The quantity is not a number."));
    };
    let quantity = quantity.round_dp(6);
    if quantity <= Decimal::ZERO {
        return Err(Fault::at(column, "quantity_not_positive", "The quantity is not above 0."));
    }
    if !quantity.fract().is_zero() {
        return Err(Fault::at(column, "quantity_not_whole", "The quantity is not a whole number."));
    }
    if quantity >= QUANTITY_LIMIT {
        return Err(Fault::at(column, "quantity_too_large", "The quantity is too large."));
    }
    Ok(quantity)
}

/// A trade is not from the future.
fn not_ahead(moment: Moment, column: usize, file: &FileSoFar) -> Result<(), Fault> {
    if moment.instant() > file.latest {
        return Err(Fault::at(column, "date_in_future", "The date is in the future."));
    }
    Ok(())
}

fn wire_time(moment: Moment, exact: TimePrecision) -> (Option<Timestamp>, TimePrecision) {
    let at = Timestamp { seconds: moment.instant().unix_timestamp(), nanos: 0 };
    (Some(at), if moment.time.is_some() { exact } else { TimePrecision::Day })
}

/// A key that the trade log takes.
fn key(text: String) -> Result<String, Fault> {
    if text.len() > LONGEST_KEY {
        return Err(Fault::row("too_long", "The names and numbers in this row are longer than any broker's."));
    }
    Ok(text)
}
