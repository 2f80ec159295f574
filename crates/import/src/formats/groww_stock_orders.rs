//! Groww's order history for stocks, one row for each order.

use rpc::trades::v1::{Broker, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use super::{Fault, FileSoFar, Format, Found, Header, Reader, cells};
use crate::field;
use crate::sheet::Row;

pub(super) struct GrowwStockOrders;

impl Format for GrowwStockOrders {
    fn name(&self) -> &'static str {
        "groww-stock-orders"
    }

    fn title(&self) -> &'static str {
        "Groww order history for stocks"
    }

    fn found_at(&self) -> &'static str {
        "Groww's order history for stocks (Profile, Reports, Stocks – order history)"
    }

    fn broker(&self) -> Broker {
        Broker::Groww
    }

    fn recognise(&self, header: &Header<'_>) -> Option<Box<dyn Reader>> {
        let columns = Columns::of(header)?;
        Some(Box::new(columns))
    }
}

/// Where the columns are.
struct Columns {
    symbol: usize,
    isin: usize,
    side: usize,
    quantity: usize,
    /// Rupees for the whole order. The file has no price.
    value: usize,
    exchange: usize,
    order_id: usize,
    executed_at: usize,
    status: usize,
}

impl Columns {
    /// The word Groww is not in the file; this set of columns is nobody else's.
    fn of(header: &Header<'_>) -> Option<Self> {
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

    fn check_status(&self, row: &Row<'_>) -> Result<(), Fault> {
        let Some(status) = field::text(row.cell(self.status)) else {
            return Err(Fault::at(
                self.status,
                "order_status_missing",
                "The row does not say what became of the order.",
            ));
        };
        if status.eq_ignore_ascii_case("executed") {
            return Ok(());
        }
        let sentence = "The order was not executed, so it is no trade and is left out.";
        Err(Fault::no_trade(self.status, "order_not_executed", sentence))
    }

    fn value(&self, row: &Row<'_>, symbol: &str, side: Side) -> Result<Decimal, Fault> {
        let value = cells::value(row, self.value)?;
        if value.is_zero() && side == Side::Sell && is_entitlement(symbol) {
            return Err(Fault::no_trade(
                self.value,
                "entitlement_without_price",
                "The rights entitlement left without a sale price: it lapsed or was used, so it is no sale and is \
                 left out.",
            ));
        }
        if value.is_zero() {
            return Err(Fault::at(self.value, "value_not_positive", "The value is not above 0."));
        }
        Ok(value)
    }
}

impl Reader for Columns {
    fn read(&mut self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Option<Found>, Fault> {
        self.check_status(row)?;
        let symbol = cells::symbol(row, self.symbol)?;
        let isin = cells::isin(row, Some(self.isin))?;
        let side = cells::side(row, self.side)?;
        let quantity = cells::quantity(row, self.quantity)?;
        let value = self.value(row, &symbol, side)?;
        let price = cells::price_of(value, quantity, self.value)?;
        let exchange = cells::exchange(row, Some(self.exchange))?;
        let executed_at = cells::moment(row, self.executed_at, file)?;
        let order_id = cells::order_id(row, Some(self.order_id))?;

        let (value, quantity) = (field::plain(value), field::plain(quantity));
        let place = format!("{}/{}", executed_at.day, cells::exchange_name(exchange));
        let what = if isin.is_empty() { &symbol } else { &isin };
        let way = cells::side_name(side);
        let source_key = if order_id.is_empty() {
            let at = executed_at.instant().unix_timestamp();
            file.numbered(format!("{place}//{what}/{way}/{quantity}/{value}/{at}"))
        } else {
            format!("{place}/{order_id}/{what}/{way}")
        };
        let (executed_at, precision) = cells::wire_time(executed_at, TimePrecision::Minute);
        let trade = ImportedTrade {
            side: side.into(),
            symbol,
            isin,
            quantity,
            price: field::plain(price),
            value,
            executed_at,
            time_precision: precision.into(),
            exchange: exchange.into(),
            order_id,
            source_key: cells::key(source_key)?,
            ..ImportedTrade::default()
        };
        let has_id = !trade.order_id.is_empty();
        let trade = if has_id { file.unlike_others(trade, row, self.order_id)? } else { trade };
        Ok(Some(Found { segment: Segment::Equity, trade, other_leg: None, warning: None }))
    }
}

/// `…-RE`, `…-RE1`: the right to buy shares of an issue, which may lapse.
fn is_entitlement(symbol: &str) -> bool {
    let name = symbol.trim_end_matches(|c: char| c.is_ascii_digit());
    name.ends_with("-RE")
}
