//! Zerodha's tradebook, one row for each fill: equity, and futures and options.

use rpc::trades::v1::{Broker, Contract, ImportedTrade, Segment, TimePrecision};
use rust_decimal::Decimal;

use super::cells::{self, LIMIT};
use super::{Fault, FileSoFar, Format, Found, Header, Reader, refused};
use crate::field::{self, Id, Moment};
use crate::sheet::Row;

pub(super) struct ZerodhaTradebook;

impl Format for ZerodhaTradebook {
    fn name(&self) -> &'static str {
        "zerodha-tradebook"
    }

    fn title(&self) -> &'static str {
        "Zerodha tradebook"
    }

    fn found_at(&self) -> &'static str {
        "Zerodha's tradebook (Console, Reports, Tradebook)"
    }

    fn broker(&self) -> Broker {
        Broker::Zerodha
    }

    fn recognise(&self, header: &Header<'_>) -> Option<Box<dyn Reader>> {
        // These six alone occur at other brokers as well.
        let ours = header.column("auction").is_some()
            || header.column("orderexecutiontime").is_some()
            || header.titled("tradebook for");
        let columns = Columns::of(header).filter(|_| ours)?;
        Some(Box::new(columns))
    }
}

/// Where the columns are.
struct Columns {
    symbol: usize,
    isin: Option<usize>,
    trade_date: usize,
    exchange: Option<usize>,
    segment: Option<usize>,
    /// What the title says, for files without the column.
    titled: Kind,
    series: Option<usize>,
    trade_type: usize,
    quantity: usize,
    price: usize,
    trade_id: usize,
    order_id: Option<usize>,
    executed_at: Option<usize>,
    expiry: Option<usize>,
}

#[derive(Clone, Copy)]
enum Kind {
    Equity,
    Fno,
}

impl Columns {
    fn of(header: &Header<'_>) -> Option<Self> {
        Some(Self {
            symbol: header.column("symbol").or_else(|| header.column("tradingsymbol"))?,
            isin: header.column("isin"),
            trade_date: header.column("tradedate")?,
            exchange: header.column("exchange"),
            segment: header.column("segment"),
            titled: if header.titled("tradebook for f&o") { Kind::Fno } else { Kind::Equity },
            series: header.column("series"),
            trade_type: header.column("tradetype")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
            trade_id: header.column("tradeid")?,
            order_id: header.column("orderid"),
            executed_at: header.column("orderexecutiontime"),
            expiry: expiry_column(header),
        })
    }

    fn kind(&self, row: &Row<'_>) -> Result<Kind, Fault> {
        let Some(column) = self.segment else {
            return Ok(self.titled);
        };
        let other = |sentence| {
            let mut fault = Fault::at(column, "segment_unsupported", "This segment is not read.");
            fault.report = Some(sentence);
            fault
        };
        match field::text(row.cell(column)).unwrap_or_default().to_ascii_uppercase().as_str() {
            "EQ" => Ok(Kind::Equity),
            "FO" => Ok(Kind::Fno),
            "MF" => Err(other(refused::ZERODHA_MUTUAL_FUNDS)),
            "CDS" | "COM" => Err(other(refused::ZERODHA_OTHER_SEGMENTS)),
            _ => Err(Fault::at(column, "segment_unknown", "The segment is neither EQ nor FO.")),
        }
    }

    /// The symbol, without a suffix that only repeats the series.
    fn symbol(&self, row: &Row<'_>) -> Result<String, Fault> {
        let mut symbol = cells::symbol(row, self.symbol)?;
        let series = self.series.and_then(|column| field::text(row.cell(column)));
        if let Some(series) = series
            && let Some(name) = symbol.strip_suffix(series.as_ref()).and_then(|name| name.strip_suffix('-'))
            && !name.is_empty()
        {
            symbol.truncate(name.len());
        }
        Ok(symbol)
    }

    fn price(&self, row: &Row<'_>, quantity: Decimal) -> Result<Decimal, Fault> {
        let Some(price) = field::decimal(row.cell(self.price)) else {
            return Err(Fault::at(self.price, "price_not_a_number", "The price is not a number."));
        };
        let price = field::tidy_price(price);
        if price <= Decimal::ZERO {
            return Err(Fault::at(self.price, "price_not_positive", "The price is not above 0."));
        }
        if price.checked_mul(quantity).is_none_or(|value| price >= LIMIT || value >= LIMIT) {
            return Err(Fault::at(self.price, "amount_too_large", "The amount is too large."));
        }
        Ok(price)
    }

    /// What is traded, where the symbol says it. The other is a warning.
    fn contract(&self, row: &Row<'_>, symbol: &str, traded: Moment) -> Result<Contract, Fault> {
        let expiry = self.expiry.and_then(|column| field::moment(row, row.cell(column)));
        let contract = instrument::parse_symbol(symbol, traded.day, expiry.map(|moment| moment.day));
        contract.map(cells::wire_contract).ok_or(Fault::at(
            self.symbol,
            "contract_unknown",
            "The symbol does not say which contract this is. The trade goes in without its expiry and strike.",
        ))
    }

    fn executed_at(&self, row: &Row<'_>, trade_date: Moment, file: &FileSoFar) -> Result<Moment, Fault> {
        let Some(column) = self.executed_at.filter(|column| !row.cell(*column).is_blank()) else {
            return Ok(trade_date);
        };
        let cell = row.cell(column);
        let moment = field::moment(row, cell)
            .or_else(|| field::time_of_day(cell).map(|time| Moment { day: trade_date.day, time: Some(time) }))
            .ok_or(Fault::at(column, "time_invalid", "The time is not one."))?;
        cells::not_ahead(moment, column, file)?;
        Ok(moment)
    }
}

/// The day on which a contract ends. Zerodha's own .xlsx has it right of the last name, without one.
fn expiry_column(header: &Header<'_>) -> Option<usize> {
    header.column("expirydate").or_else(|| {
        let right = header.column("orderexecutiontime")? + 1;
        (!header.is_named(right)).then_some(right)
    })
}

impl Reader for Columns {
    fn read(&mut self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Option<Found>, Fault> {
        let kind = self.kind(row)?;
        let symbol = self.symbol(row)?;
        let isin = cells::isin(row, self.isin)?;
        let trade_date = field::moment(row, row.cell(self.trade_date)).ok_or(Fault::at(
            self.trade_date,
            "date_invalid",
            "The trade date is not a date of 1990 to 2100.",
        ))?;
        cells::not_ahead(trade_date, self.trade_date, file)?;
        let exchange = cells::exchange(row, self.exchange)?;
        let side = cells::side(row, self.trade_type)?;
        let quantity = cells::quantity(row, self.quantity)?;
        let price = self.price(row, quantity)?;
        let order_id = cells::order_id(row, self.order_id)?;
        let executed_at = self.executed_at(row, trade_date, file)?;

        let (segment, code) = match kind {
            Kind::Equity => (Segment::Equity, "EQ"),
            Kind::Fno => (Segment::Fno, "FO"),
        };
        let (quantity, price) = (field::plain(quantity), field::plain(price));
        let place = format!("{}/{}/{code}", trade_date.day, cells::exchange_name(exchange));
        let way = cells::side_name(side);
        let trade_id = field::id(row.cell(self.trade_id));
        let has_id = trade_id != Id::Missing;
        let source_key = match trade_id {
            // The exchange numbers its trades anew each day, and who sold to themselves has both sides of one. Neither
            // the symbol nor the order id is in the key: the one changes between exports, the other gets lost in them.
            Id::Known(id) => format!("{place}/{id}/{way}"),
            Id::Missing => {
                let at = executed_at.instant().unix_timestamp();
                file.numbered(format!("{place}/{symbol}/{way}/{quantity}/{price}/{at}"))
            }
            Id::Odd => return Err(Fault::at(self.trade_id, "trade_id_invalid", "The trade id is not one.")),
        };
        let (contract, warning) = match kind {
            Kind::Equity => (None, None),
            Kind::Fno => match self.contract(row, &symbol, trade_date) {
                Ok(contract) => (Some(contract), None),
                Err(unknown) => (None, Some(unknown)),
            },
        };
        let (executed_at, precision) = cells::wire_time(executed_at, TimePrecision::Second);
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
            source_key: cells::key(source_key)?,
            contract,
            ..ImportedTrade::default()
        };
        let trade = if has_id { file.unlike_others(trade, row, self.trade_id)? } else { trade };
        Ok(Some(Found { segment, trade, other_leg: None, warning }))
    }
}
