//! Format of ICICI Direct's portfolio with all transactions in shares (`PortFolioEqtAll`).

use rpc::trades::v1::{Broker, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::{self, Moment};
use crate::sheet::Row;

pub(super) struct IciciDirectPortfolio;

impl Format for IciciDirectPortfolio {
    fn name(&self) -> &'static str {
        "icicidirect-portfolio"
    }

    fn broker(&self) -> Broker {
        Broker::IciciDirect
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        Some(Box::new(Columns {
            code: header.column("stocksymbol")?,
            isin: header.column("isincode")?,
            side: header.column("action")?,
            quantity: header.column("quantity")?,
            price: header.column("transactionprice")?,
            remarks: header.column("remarks")?,
            date: header.column("transactiondate")?,
            exchange: header.column("exchange")?,
        }))
    }
}

struct Columns {
    /// Code of the broker, which is not the symbol at an exchange.
    code: usize,
    isin: usize,
    side: usize,
    quantity: usize,
    price: usize,
    remarks: usize,
    date: usize,
    exchange: usize,
}

impl RowReader for Columns {
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        let remarks = cell_value::parse_text(row.cell(self.remarks)).unwrap_or_default().to_lowercase();
        if remarks.contains("split") || remarks.contains("bonus") {
            return Err(Issue::skipped(self.remarks, "corporate_action_row"));
        }
        let Moment { day, .. } = trade_fields::read_moment(row, self.date, file)?;
        let code = trade_fields::read_symbol(row, self.code)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument: Instrument::own_code(&code, trade_fields::read_isin(row, Some(self.isin))?, day),
            name_column: self.code,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at: Moment { day, time: None },
            precision: TimePrecision::Day,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: String::new(),
        };
        trade.without_id("", file).map(Some)
    }
}
