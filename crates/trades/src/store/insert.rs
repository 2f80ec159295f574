//! Insertion of many trades in one statement, with one array per column.

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::columns::{null_if_empty, to_count};
use super::write::AccountWrite;
use crate::error::Error;
use crate::trade::{Book, Exchange, FileTrade, Side, TimePrecision, Trade};

impl AccountWrite {
    /// Inserts trades into `book` with the next numbers.
    pub async fn insert(&mut self, book: Book, trades: &[&Trade]) -> Result<(), Error> {
        let columns = TradeColumns::from_trades(trades, self.next_trade_id);
        let account_id = self.account_id;
        // `unnest` fills shorter arrays with nulls: files contain no notes, and equity trades have no contract.
        sqlx::query!(
            "
            insert into trades.trade (
                account_id, broker_account, segment, trade_id, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook, pair_id,
                underlying, expiry, contract_kind, strike, series, auction, stop_loss
            )
            select $1, $2, $3, *
            from unnest(
                $4::bigint[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::numeric[], $10::numeric[],
                $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
                $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::numeric[],
                $25::text[], $26::boolean[], $27::numeric[]
            )
            ",
            account_id,
            &book.broker_account.key(),
            book.segment.name(),
            &columns.trade_id,
            &columns.side as &[&str],
            &columns.symbol as &[&str],
            &columns.isin as &[Option<&str>],
            &columns.quantity,
            &columns.price,
            &columns.value,
            &columns.executed_at,
            &columns.time_precision as &[&str],
            &columns.exchange as &[&str],
            &columns.order_id as &[Option<&str>],
            &columns.source_key as &[Option<&str>],
            &columns.stock_name as &[Option<&str>],
            &columns.notes as &[Option<&str>],
            &columns.psychology as &[Option<&str>],
            &columns.market_outlook as &[Option<&str>],
            &columns.pair_id as &[Option<&str>],
            &columns.contracts.underlying as &[Option<&str>],
            &columns.contracts.expiry as &[Option<&str>],
            &columns.contracts.kind as &[Option<&str>],
            &columns.contracts.strike as &[Option<Decimal>],
            &columns.series as &[Option<&str>],
            &columns.auction,
            &columns.stop_loss as &[Option<Decimal>],
        )
        .execute(self.connection())
        .await?;
        self.next_trade_id += to_count(trades.len());
        Ok(())
    }
}

/// Columns of trades of a file.
pub(super) struct FileColumns<'a> {
    /// `trade_id` is the place in the file.
    pub trades: TradeColumns<'a>,
    pub file_row: Vec<i64>,
}

impl<'a> FileColumns<'a> {
    pub fn from_trades(trades: &'a [FileTrade], first_place: i64) -> Self {
        let file_row = trades.iter().map(|trade| trade.row).collect();
        let trades: Vec<&Trade> = trades.iter().map(|trade| &trade.trade).collect();
        Self { trades: TradeColumns::from_trades(&trades, first_place), file_row }
    }
}

/// Columns of trades. Arrays of columns that no trade uses stay empty.
#[derive(Default)]
pub(super) struct TradeColumns<'a> {
    pub trade_id: Vec<i64>,
    pub side: Vec<&'static str>,
    pub symbol: Vec<&'a str>,
    pub isin: Vec<Option<&'a str>>,
    pub series: Vec<Option<&'a str>>,
    pub auction: Vec<bool>,
    pub quantity: Vec<Decimal>,
    pub price: Vec<Decimal>,
    pub value: Vec<Decimal>,
    pub executed_at: Vec<OffsetDateTime>,
    pub time_precision: Vec<&'static str>,
    pub exchange: Vec<&'static str>,
    pub order_id: Vec<Option<&'a str>>,
    pub source_key: Vec<Option<&'a str>>,
    pub stock_name: Vec<Option<&'a str>>,
    pub notes: Vec<Option<&'a str>>,
    pub psychology: Vec<Option<&'a str>>,
    pub market_outlook: Vec<Option<&'a str>>,
    pub pair_id: Vec<Option<&'a str>>,
    pub stop_loss: Vec<Option<Decimal>>,
    pub contracts: ContractColumns<'a>,
}

/// Columns of contracts. All arrays are empty if no trade has a contract.
#[derive(Default)]
pub(super) struct ContractColumns<'a> {
    pub underlying: Vec<Option<&'a str>>,
    pub expiry: Vec<Option<&'a str>>,
    pub kind: Vec<Option<&'static str>>,
    pub strike: Vec<Option<Decimal>>,
}

impl<'a> ContractColumns<'a> {
    pub fn from_trades(trades: &[&'a Trade]) -> Self {
        let mut columns = Self::default();
        if trades.iter().all(|trade| trade.contract.is_none()) {
            return columns;
        }
        for contract in trades.iter().map(|trade| trade.contract.as_ref()) {
            columns.underlying.push(contract.map(|contract| &*contract.underlying));
            columns.expiry.push(contract.map(|contract| &*contract.expiry));
            columns.kind.push(contract.map(|contract| contract.kind.name()));
            columns.strike.push(contract.and_then(|contract| contract.strike));
        }
        columns
    }
}

impl<'a> TradeColumns<'a> {
    fn from_trades(trades: &[&'a Trade], first_id: i64) -> Self {
        let mut columns = Self { contracts: ContractColumns::from_trades(trades), ..Self::default() };
        let are_imported = trades.iter().all(|trade| trade.source_key.is_some());
        for (trade_id, trade) in (first_id..).zip(trades) {
            columns.trade_id.push(trade_id);
            columns.side.push(Side::name(trade.side));
            columns.symbol.push(&trade.symbol);
            columns.isin.push(trade.isin.as_deref());
            columns.series.push(trade.series.as_deref());
            columns.auction.push(trade.auction);
            columns.quantity.push(trade.quantity);
            columns.price.push(trade.price);
            columns.value.push(trade.value);
            columns.executed_at.push(trade.executed_at);
            columns.time_precision.push(TimePrecision::name(trade.time_precision));
            columns.exchange.push(Exchange::name(trade.exchange));
            columns.order_id.push(trade.order_id.as_deref());
            columns.source_key.push(trade.source_key.as_deref());
            if !are_imported {
                columns.stock_name.push(null_if_empty(&trade.notes.stock_name));
                columns.notes.push(null_if_empty(&trade.notes.notes));
                columns.psychology.push(null_if_empty(&trade.notes.psychology));
                columns.market_outlook.push(null_if_empty(&trade.notes.market_outlook));
                columns.pair_id.push(trade.pair_id.as_deref());
                columns.stop_loss.push(trade.notes.stop_loss);
            }
        }
        columns
    }
}
