//! Format of Zerodha's tradebook for equity, and for futures and options, with one row per fill.

use rpc::trades::v1::{Broker, Contract, ImportedTrade, Segment, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::unsupported_reports;
use crate::cell_value::{self, Id, Moment};
use crate::sheet::Row;

/// Characters of a series; the trade log rejects a whole file with a longer one.
const MAX_SERIES_CHARS: usize = 8;

pub(super) struct ZerodhaTradebook;

impl Format for ZerodhaTradebook {
    fn name(&self) -> &'static str {
        "zerodha-tradebook"
    }

    fn broker(&self) -> Broker {
        Broker::Zerodha
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // Other brokers also have the required columns, so one of these is needed as well.
        let is_zerodha = header.column("auction").is_some()
            || header.column("orderexecutiontime").is_some()
            || header.has_title("tradebook for");
        let columns = Columns::from_header(header).filter(|_| is_zerodha)?;
        Some(Box::new(columns))
    }
}

/// Columns of the file.
struct Columns {
    symbol: usize,
    isin: Option<usize>,
    trade_date: usize,
    exchange: Option<usize>,
    segment: Option<usize>,
    /// Segment in the title, for files without the column.
    title_segment: Segment,
    series: Option<usize>,
    auction: Option<usize>,
    trade_type: usize,
    quantity: usize,
    price: usize,
    trade_id: usize,
    order_id: Option<usize>,
    executed_at: Option<usize>,
    expiry: Option<usize>,
}

impl Columns {
    fn from_header(header: &Header<'_>) -> Option<Self> {
        Some(Self {
            symbol: header.column("symbol").or_else(|| header.column("tradingsymbol"))?,
            isin: header.column("isin"),
            trade_date: header.column("tradedate")?,
            exchange: header.column("exchange"),
            segment: header.column("segment"),
            title_segment: if header.has_title("tradebook for f&o") { Segment::Fno } else { Segment::Equity },
            series: header.column("series"),
            auction: header.column("auction"),
            trade_type: header.column("tradetype")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
            trade_id: header.column("tradeid")?,
            order_id: header.column("orderid"),
            executed_at: header.column("orderexecutiontime"),
            expiry: expiry_column(header),
        })
    }

    fn read_segment(&self, row: &Row<'_>) -> Result<Segment, Issue> {
        let Some(column) = self.segment else {
            return Ok(self.title_segment);
        };
        let unsupported = |file_message| {
            let mut issue = Issue::in_cell(column, "segment_unsupported");
            issue.unsupported_report = Some(file_message);
            issue
        };
        match cell_value::parse_text(row.cell(column)).unwrap_or_default().to_ascii_uppercase().as_str() {
            "EQ" => Ok(Segment::Equity),
            "FO" => Ok(Segment::Fno),
            "MF" => Err(unsupported(unsupported_reports::ZERODHA_MUTUAL_FUNDS)),
            "CDS" | "COM" => Err(unsupported(unsupported_reports::ZERODHA_OTHER_SEGMENTS)),
            _ => Err(Issue::in_cell(column, "segment_unknown")),
        }
    }

    /// Reads the symbol, without a suffix that repeats the series, such as `-BE`.
    fn read_symbol(&self, row: &Row<'_>) -> Result<String, Issue> {
        let mut symbol = trade_fields::read_symbol(row, self.symbol)?;
        let series = self.series.and_then(|column| cell_value::parse_text(row.cell(column)));
        if let Some(series) = series
            && let Some(name) = symbol.strip_suffix(series.as_ref()).and_then(|name| name.strip_suffix('-'))
            && !name.is_empty()
        {
            symbol.truncate(name.len());
        }
        Ok(symbol)
    }

    /// Reads the series or group, in capitals; empty if there is none. No trade is rejected for it.
    fn read_series(&self, row: &Row<'_>) -> String {
        let series = self.series.and_then(|column| cell_value::parse_text(row.cell(column))).unwrap_or_default();
        let is_valid = series.len() <= MAX_SERIES_CHARS && series.bytes().all(|c| c.is_ascii_alphanumeric());
        if is_valid { series.to_ascii_uppercase() } else { String::new() }
    }

    fn is_auction(&self, row: &Row<'_>) -> bool {
        let auction = self.auction.and_then(|column| cell_value::parse_text(row.cell(column)));
        auction.is_some_and(|auction| auction.eq_ignore_ascii_case("true"))
    }

    /// Parses the contract from the symbol. The error is a warning: the trade is imported without a contract.
    fn read_contract(&self, row: &Row<'_>, symbol: &str, traded: Moment) -> Result<Contract, Issue> {
        let expiry = self.expiry.and_then(|column| cell_value::parse_moment(row, row.cell(column)));
        let contract = instrument::parse_symbol(symbol, traded.day, expiry.map(|moment| moment.day));
        contract.map(trade_fields::to_proto_contract).ok_or(Issue::in_cell(self.symbol, "contract_unknown"))
    }

    fn read_time(&self, row: &Row<'_>, trade_date: Moment, file: &FileState) -> Result<Moment, Issue> {
        let Some(column) = self.executed_at.filter(|column| !row.cell(*column).is_blank()) else {
            return Ok(trade_date);
        };
        let cell = row.cell(column);
        let moment = cell_value::parse_moment(row, cell)
            .or_else(|| {
                cell_value::parse_time_of_day(cell).map(|time| Moment { day: trade_date.day, time: Some(time) })
            })
            .ok_or(Issue::in_cell(column, "time_invalid"))?;
        trade_fields::check_not_in_future(moment, column, file)?;
        Ok(moment)
    }
}

/// Returns the column of expiry dates. In Zerodha's own .xlsx it has no name, and follows the last named column.
fn expiry_column(header: &Header<'_>) -> Option<usize> {
    header.column("expirydate").or_else(|| {
        let next = header.column("orderexecutiontime")? + 1;
        (!header.has_name(next)).then_some(next)
    })
}

impl RowReader for Columns {
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        let segment = self.read_segment(row)?;
        let symbol = self.read_symbol(row)?;
        let isin = trade_fields::read_isin(row, self.isin)?;
        let trade_date = cell_value::parse_moment(row, row.cell(self.trade_date))
            .ok_or(Issue::in_cell(self.trade_date, "date_invalid"))?;
        trade_fields::check_not_in_future(trade_date, self.trade_date, file)?;
        let exchange = trade_fields::read_exchange(row, self.exchange)?;
        let side = trade_fields::read_side(row, self.trade_type)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let price = trade_fields::read_price(row, self.price, quantity)?;
        let order_id = trade_fields::read_order_id(row, self.order_id)?;
        let executed_at = self.read_time(row, trade_date, file)?;

        let segment_code = if segment == Segment::Fno { "FO" } else { "EQ" };
        let (quantity, price) = (cell_value::format_decimal(quantity), cell_value::format_decimal(price));
        let prefix = format!("{}/{}/{segment_code}", trade_date.day, trade_fields::exchange_name(exchange));
        let side_name = trade_fields::side_name(side);
        let trade_id = cell_value::parse_id(row.cell(self.trade_id));
        let has_id = trade_id != Id::Missing;
        let source_key = match trade_id {
            // Trade ids restart each day, and both sides of a trade with oneself have the same id. The symbol is not in
            // the key because it changes between exports, nor is the order id because some exports lose it.
            Id::Valid(id) => format!("{prefix}/{id}/{side_name}"),
            Id::Missing => {
                let at = executed_at.instant().unix_timestamp();
                file.number_key(format!("{prefix}/{symbol}/{side_name}/{quantity}/{price}/{at}"))
            }
            Id::Invalid => return Err(Issue::in_cell(self.trade_id, "trade_id_invalid")),
        };
        let contract = (segment == Segment::Fno).then(|| self.read_contract(row, &symbol, trade_date));
        let (contract, warning) = match contract {
            None => (None, None),
            Some(Ok(contract)) => (Some(contract), None),
            Some(Err(issue)) => (None, Some(issue)),
        };
        let (executed_at, precision) = trade_fields::to_timestamp(executed_at, TimePrecision::Second);
        let trade = ImportedTrade {
            side: side.into(),
            symbol,
            isin,
            quantity,
            price,
            executed_at,
            time_precision: precision.into(),
            exchange: exchange.into(),
            order_id,
            source_key: trade_fields::check_key(source_key)?,
            contract,
            series: self.read_series(row),
            auction: self.is_auction(row),
            ..ImportedTrade::default()
        };
        let trade = if has_id { file.check_id_conflict(trade, row, self.trade_id)? } else { trade };
        Ok(Some(ParsedRow { segment, trade, other_leg: None, warning }))
    }
}
