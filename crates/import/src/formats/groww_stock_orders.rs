//! Groww's order history for stocks, one row for each order.

use rpc::trades::v1::{Broker, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::{Decimal, RoundingStrategy};

use super::{Fault, FileSoFar, Format, Found, Header, LIMIT, Reader};
use crate::field::{self, Moment};
use crate::sheet::{Cell, Row};

pub(super) struct GrowwStockOrders;

impl Format for GrowwStockOrders {
    fn name(&self) -> &'static str {
        "groww-stock-orders"
    }

    fn title(&self) -> &'static str {
        "Groww order history for stocks"
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
        match row.cell(self.status) {
            Cell::Text(text) if text.trim().eq_ignore_ascii_case("executed") => Ok(()),
            _ => Err(Fault::at(self.status, "order_not_executed", "The order was not executed.")),
        }
    }

    fn value(&self, row: &Row<'_>, symbol: &str, side: Side) -> Result<Decimal, Fault> {
        let Some(value) = field::decimal(row.cell(self.value)) else {
            return Err(Fault::at(self.value, "value_not_a_number", "The value is not a number."));
        };
        let value = value.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
        if value.is_zero() && side == Side::Sell && is_entitlement(symbol) {
            return Err(Fault::at(
                self.value,
                "entitlement_without_price",
                "The rights entitlement left without a sale price.",
            ));
        }
        if value <= Decimal::ZERO {
            return Err(Fault::at(self.value, "value_not_positive", "The value is not above 0."));
        }
        if value >= LIMIT {
            return Err(Fault::at(self.value, "amount_too_large", "The amount is too large."));
        }
        Ok(value)
    }

    fn executed_at(&self, row: &Row<'_>, file: &FileSoFar) -> Result<Moment, Fault> {
        let moment = field::moment(row, row.cell(self.executed_at)).ok_or(Fault::at(
            self.executed_at,
            "date_invalid",
            "The date is not a date of 1990 to 2100.",
        ))?;
        super::not_ahead(moment, self.executed_at, file)?;
        Ok(moment)
    }
}

impl Reader for Columns {
    fn read(&self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Found, Fault> {
        self.check_status(row)?;
        let symbol = super::symbol(row, self.symbol)?;
        let isin = super::isin(row, Some(self.isin))?;
        let side = super::side(row, self.side)?;
        let quantity = super::quantity(row, self.quantity)?;
        let value = self.value(row, &symbol, side)?;
        let price = value
            .checked_div(quantity)
            .map(|price| price.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
            .filter(|price| *price > Decimal::ZERO)
            .ok_or(Fault::at(self.value, "price_not_positive", "The price is not above 0."))?;
        let exchange = super::exchange(row, Some(self.exchange))?;
        let executed_at = self.executed_at(row, file)?;
        let order_id = super::order_id(row, Some(self.order_id))?;

        let (value, quantity) = (field::plain(value), field::plain(quantity));
        let place = format!("{}/{}", executed_at.day, super::exchange_name(exchange));
        let what = if isin.is_empty() { &symbol } else { &isin };
        let way = side.as_str_name().trim_start_matches("SIDE_");
        let source_key = if order_id.is_empty() {
            let at = executed_at.instant().unix_timestamp();
            file.numbered(format!("{place}//{what}/{way}/{quantity}/{value}/{at}"))
        } else {
            format!("{place}/{order_id}/{what}/{way}")
        };
        let (executed_at, precision) = super::wire_time(executed_at, TimePrecision::Minute);
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
            source_key: super::key(source_key)?,
        };
        let has_id = !trade.order_id.is_empty();
        let trade = if has_id { file.unlike_others(trade, row, self.order_id)? } else { trade };
        Ok(Found { segment: Segment::Equity, trade })
    }
}

/// `…-RE`, `…-RE1`: the right to buy shares of an issue, which may lapse.
fn is_entitlement(symbol: &str) -> bool {
    let name = symbol.trim_end_matches(|c: char| c.is_ascii_digit());
    name.ends_with("-RE")
}
