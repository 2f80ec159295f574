//! Values of a row that is one trade, and their conversion to a trade of the trade log.

use instrument::Contract;
use rpc::trades::v1::{Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;
use time::Date;

use super::file_state::FileState;
use super::format::ParsedRow;
use super::issue::Issue;
use super::shares;
use super::trade_fields;
use crate::cell_value::{self, Id, Moment};
use crate::sheet::Row;

/// Share or contract of a row.
#[derive(Debug)]
pub(super) struct Instrument {
    segment: Segment,
    /// Name in the file, for source keys: the symbol may be found only by a later version of the table of shares.
    stated_name: String,
    symbol: String,
    isin: String,
    contract: Option<Contract>,
    /// Code of the warning if the name says less than is needed.
    warning: Option<&'static str>,
}

impl Instrument {
    /// Returns the share with this ISIN, or with this company name or symbol if the file has no ISIN.
    pub fn share(stated_name: &str, isin: String, day: Date) -> Self {
        let known_symbol =
            if isin.is_empty() { shares::symbol_of_name(stated_name, day) } else { shares::symbol_of_isin(&isin, day) };
        Self::from_symbol(stated_name, isin, known_symbol)
    }

    /// Returns the share with this ISIN. Without it, the broker's own code must not be taken for a symbol.
    pub fn own_code(stated_code: &str, isin: String, day: Date) -> Self {
        let known_symbol = shares::symbol_of_isin(&isin, day);
        Self::from_symbol(stated_code, isin, known_symbol)
    }

    /// Returns the share with this ISIN, in a file with no name that stays the same.
    pub fn isin(isin: String, day: Date) -> Self {
        let known_symbol = shares::symbol_of_isin(&isin, day);
        let warning = if known_symbol.is_none() { Some("share_name_unknown") } else { None };
        Self { warning, ..Self::from_symbol(&isin.clone(), isin, known_symbol) }
    }

    /// Returns the share with this symbol of an exchange.
    pub fn symbol(symbol: String) -> Self {
        Self {
            segment: Segment::Equity,
            stated_name: symbol.clone(),
            symbol,
            isin: String::new(),
            contract: None,
            warning: None,
        }
    }

    /// Returns the share with this symbol of an exchange and this ISIN.
    pub fn symbol_with_isin(symbol: String, isin: String) -> Self {
        Self { isin, ..Self::symbol(symbol) }
    }

    /// Returns the contract with this symbol of an exchange.
    pub fn exchange_contract(symbol: &str, contract: Option<Contract>) -> Self {
        Self { symbol: symbol.to_owned(), ..Self::contract(symbol, contract) }
    }

    fn from_symbol(stated_name: &str, isin: String, known_symbol: Option<&str>) -> Self {
        let is_unknown = isin.is_empty() && known_symbol.is_none();
        Self {
            isin,
            stated_name: stated_name.to_owned(),
            warning: is_unknown.then_some("share_name_unknown"),
            ..Self::symbol(known_symbol.unwrap_or(stated_name).to_owned())
        }
    }

    /// Returns the contract, with the symbol that all brokers' descriptions of it lead to; without expiry and strike if
    /// the name cannot be parsed.
    pub fn contract(stated_name: &str, contract: Option<Contract>) -> Self {
        let symbol = contract.as_ref().and_then(instrument::describe).unwrap_or_else(|| stated_name.to_owned());
        let warning = if contract.is_none() { Some("contract_unknown") } else { None };
        Self { segment: Segment::Fno, contract, warning, ..Self::symbol(symbol) }
    }
}

/// Row that is one trade.
#[derive(Debug)]
pub(super) struct TradeRow {
    pub instrument: Instrument,
    /// Column of the name.
    pub name_column: usize,
    pub side: Side,
    pub quantity: Decimal,
    pub price: Decimal,
    pub executed_at: Moment,
    /// Precision of a time of day.
    pub precision: TimePrecision,
    pub exchange: Exchange,
    /// Empty if the file has none.
    pub order_id: String,
}

impl TradeRow {
    /// Returns the trade with the broker's id in `id_column`; without an id, as [`Self::without_id`] does.
    ///
    /// The same id on another day, exchange, segment or side is another trade.
    pub fn with_id_in(self, id_column: usize, row: &Row<'_>, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let id = match cell_value::parse_id(row.cell(id_column)) {
            Id::Valid(id) => id,
            Id::Missing => {
                let order_id = self.order_id.clone();
                return self.without_id(&order_id, file);
            }
            Id::Invalid => return Err(Issue::in_cell(id_column, "trade_id_invalid")),
        };
        let exchange = trade_fields::exchange_name(self.exchange);
        let (day, side) = (self.executed_at.day, trade_fields::side_name(self.side));
        let source_key = format!("{day}/{exchange}/{}/{id}/{side}", self.segment_code());
        let mut parsed = self.into_parsed(source_key, None, file)?;
        parsed.trade = file.check_id_conflict(parsed.trade, row, id_column)?;
        Ok(parsed)
    }

    /// Returns the trade of a row without an id. `group` is an id that several trades share, or empty.
    pub fn without_id(self, group: &str, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let contents = format!(
            "{}/{group}/{}/{}/{}",
            self.identity(),
            cell_value::format_decimal(self.quantity),
            cell_value::format_decimal(self.price),
            self.executed_at.instant().unix_timestamp(),
        );
        let source_key = file.content_key(self.executed_at.day, &contents);
        self.into_parsed(source_key, None, file)
    }

    /// Returns the total of the trades of a day with this bill. A later file may have another total of the same day.
    pub fn total(self, value: Decimal, bill: &str, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let contents = format!("total/{bill}/{}", self.identity());
        let source_key = file.content_key(self.executed_at.day, &contents);
        self.into_parsed(source_key, Some(value), file)
    }

    /// Returns the trades of an order of Groww, with the key that its order history leads to.
    pub fn order_of_groww(self, value: Decimal, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let (exchange, side) = (trade_fields::exchange_name(self.exchange), trade_fields::side_name(self.side));
        let source_key =
            format!("{}/{exchange}/{}/{}/{side}", self.executed_at.day, self.order_id, self.instrument.isin);
        self.into_parsed(source_key, Some(value), file)
    }

    /// Returns exchange, segment, name and side.
    fn identity(&self) -> String {
        let name = self.instrument.stated_name.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
        let exchange = trade_fields::exchange_name(self.exchange);
        format!("{exchange}/{}/{name}/{}", self.segment_code(), trade_fields::side_name(self.side))
    }

    fn segment_code(&self) -> &'static str {
        if self.instrument.segment == Segment::Fno { "FO" } else { "EQ" }
    }

    fn into_parsed(self, source_key: String, value: Option<Decimal>, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let Instrument { segment, stated_name, symbol, isin, contract, warning } = self.instrument;
        let warning = warning.filter(|_| file.is_first_use(&stated_name));
        let (executed_at, precision) = trade_fields::to_timestamp(self.executed_at, self.precision);
        let trade = ImportedTrade {
            side: self.side.into(),
            symbol,
            isin,
            quantity: cell_value::format_decimal(self.quantity),
            price: cell_value::format_decimal(self.price),
            value: value.map(cell_value::format_decimal).unwrap_or_default(),
            executed_at,
            time_precision: precision.into(),
            exchange: self.exchange.into(),
            order_id: self.order_id,
            source_key: trade_fields::check_key(source_key)?,
            contract: contract.map(trade_fields::to_proto_contract),
            ..ImportedTrade::default()
        };
        let warning = warning.map(|code| Issue::in_cell(self.name_column, code));
        Ok(ParsedRow { segment, trade, other_leg: None, warning })
    }
}
