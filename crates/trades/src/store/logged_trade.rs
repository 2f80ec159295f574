//! Trade as stored in the log.

use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::contract::Contract;
use crate::trade::{Book, Exchange, Notes, Side, TimePrecision};

/// Trade as stored in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedTrade {
    pub trade_id: i64,
    pub book: Book,
    pub side: Side,
    pub symbol: String,
    pub isin: Option<String>,
    pub series: Option<String>,
    pub auction: bool,
    pub quantity: Decimal,
    pub price: Decimal,
    pub value: Decimal,
    pub executed_at: OffsetDateTime,
    pub time_precision: TimePrecision,
    pub exchange: Exchange,
    pub order_id: Option<String>,
    /// Notes of the trader. Boxed, because most trades have none.
    pub notes: Option<Box<Notes>>,
    pub pair_id: Option<String>,
    /// The trade comes from a broker's file.
    pub imported: bool,
    /// Identity in the broker's file; absent if it was not read.
    pub source_key: Option<String>,
    /// The trader edited the imported trade.
    pub edited: bool,
    /// Future or option contract, if known. Boxed, because most trades have none.
    pub contract: Option<Box<Contract>>,
}

impl LoggedTrade {
    pub fn stop_loss(&self) -> Option<Decimal> {
        self.notes.as_ref()?.stop_loss
    }

    /// Returns the approximate size of the encoded proto message, in bytes.
    pub fn approximate_bytes(&self) -> usize {
        let notes = self.notes.as_ref().map_or(0, |notes| {
            notes.stock_name.len() + notes.notes.len() + notes.psychology.len() + notes.market_outlook.len()
        });
        let contract = self.contract.as_ref().map_or(0, |contract| 30 + contract.underlying.len());
        let texts = [&self.order_id, &self.source_key].into_iter().flatten().map(String::len).sum::<usize>();
        120 + self.symbol.len() + texts + notes + contract
    }
}
