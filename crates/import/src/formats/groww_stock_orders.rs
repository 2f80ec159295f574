//! Format of Groww's order history for stocks, with one row per order.

use rpc::trades::v1::{Broker, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use crate::cell_value;
use crate::sheet::Row;

pub(super) struct GrowwStockOrders;

impl Format for GrowwStockOrders {
    fn name(&self) -> &'static str {
        "groww-stock-orders"
    }

    fn broker(&self) -> Broker {
        Broker::Groww
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        let columns = Columns::from_header(header)?;
        Some(Box::new(columns))
    }
}

/// Columns of the file.
struct Columns {
    symbol: usize,
    isin: usize,
    side: usize,
    quantity: usize,
    /// Value of the whole order in rupees. The file has no price.
    value: usize,
    exchange: usize,
    order_id: usize,
    executed_at: usize,
    status: usize,
}

impl Columns {
    /// Finds the columns. The file does not contain the word Groww, but no other broker has all these columns.
    fn from_header(header: &Header<'_>) -> Option<Self> {
        header.column("stockname")?;
        Some(Self {
            symbol: header.column("symbol")?,
            isin: header.column("isin")?,
            side: header.column("type")?,
            quantity: header.column("quantity")?,
            value: header.column("value")?,
            exchange: header.column("exchange")?,
            order_id: header.column("exchangeorderid")?,
            executed_at: header.column("executiondateandtime")?,
            status: header.column("orderstatus")?,
        })
    }

    fn check_status(&self, row: &Row<'_>) -> Result<(), Issue> {
        let Some(status) = cell_value::parse_text(row.cell(self.status)) else {
            return Err(Issue::in_cell(self.status, "order_status_missing"));
        };
        if status.eq_ignore_ascii_case("executed") {
            return Ok(());
        }
        Err(Issue::skipped(self.status, "order_not_executed"))
    }

    fn read_value(&self, row: &Row<'_>, symbol: &str, side: Side) -> Result<Decimal, Issue> {
        let value = trade_fields::read_value(row, self.value)?;
        if value.is_zero() && side == Side::Sell && is_rights_entitlement(symbol) {
            return Err(Issue::skipped(self.value, "rights_entitlement_without_price"));
        }
        if value.is_zero() {
            return Err(Issue::in_cell(self.value, "value_not_positive"));
        }
        Ok(value)
    }
}

impl RowReader for Columns {
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        self.check_status(row)?;
        let symbol = trade_fields::read_symbol(row, self.symbol)?;
        let isin = trade_fields::read_isin(row, Some(self.isin))?;
        let side = trade_fields::read_side(row, self.side)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let value = self.read_value(row, &symbol, side)?;
        let price = trade_fields::unit_price(value, quantity, self.value)?;
        let exchange = trade_fields::read_exchange(row, Some(self.exchange))?;
        let executed_at = trade_fields::read_moment(row, self.executed_at, file)?;
        let order_id = trade_fields::read_order_id(row, Some(self.order_id))?;

        let (value, quantity) = (cell_value::format_decimal(value), cell_value::format_decimal(quantity));
        let day_and_exchange = format!("{}/{}", executed_at.day, trade_fields::exchange_name(exchange));
        let share = if isin.is_empty() { &symbol } else { &isin };
        let side_name = trade_fields::side_name(side);
        let source_key = if order_id.is_empty() {
            let at = executed_at.instant().unix_timestamp();
            file.number_key(format!("{day_and_exchange}//{share}/{side_name}/{quantity}/{value}/{at}"))
        } else {
            format!("{day_and_exchange}/{order_id}/{share}/{side_name}")
        };
        let (executed_at, precision) = trade_fields::to_timestamp(executed_at, TimePrecision::Minute);
        let trade = ImportedTrade {
            side: side.into(),
            symbol,
            isin,
            quantity,
            price: cell_value::format_decimal(price),
            value,
            executed_at,
            time_precision: precision.into(),
            exchange: exchange.into(),
            order_id,
            source_key: trade_fields::check_key(source_key)?,
            ..ImportedTrade::default()
        };
        let has_id = !trade.order_id.is_empty();
        let trade = if has_id { file.check_id_conflict(trade, row, self.order_id)? } else { trade };
        Ok(Some(ParsedRow { segment: Segment::Equity, trade, other_leg: None, warning: None }))
    }
}

/// Returns true for a symbol ending in `-RE` or `-RE1`: a right to buy shares of an issue, which may lapse.
fn is_rights_entitlement(symbol: &str) -> bool {
    let name = symbol.trim_end_matches(|c: char| c.is_ascii_digit());
    name.ends_with("-RE")
}
