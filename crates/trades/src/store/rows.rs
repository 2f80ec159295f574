//! Rows on their way into the log and out of it, many at once.

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::write::Write;
use super::{count, stored};
use crate::contract::{Contract, ContractKind};
use crate::error::Error;
use crate::trade::{Book, Exchange, FileTrade, Side, TimePrecision, Trade};

impl Write {
    /// Puts trades into `book` under the next numbers.
    pub async fn insert(&mut self, book: Book, trades: &[&Trade]) -> Result<(), Error> {
        let columns = Columns::of(trades, self.next_trade_id);
        let account_id = self.account_id;
        // Arrays that are shorter than the others are filled up with nulls: files bring no notes, and shares are no contracts.
        sqlx::query!(
            "
            insert into trades.trade (
                account_id, broker, segment, trade_id, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook, pair_id,
                underlying, expiry, contract_kind, strike, stop_loss
            )
            select $1, $2, $3, *
            from unnest(
                $4::bigint[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::numeric[], $10::numeric[],
                $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
                $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::numeric[],
                $25::numeric[]
            )
            ",
            account_id,
            book.broker.name(),
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
            &columns.stop_loss as &[Option<Decimal>],
        )
        .execute(self.on())
        .await?;
        self.next_trade_id += count(trades.len());
        Ok(())
    }
}

/// Trades of a file with their rows, turned on their side.
pub(super) struct FileColumns<'a> {
    /// Numbered by their place in the file.
    pub trades: Columns<'a>,
    pub file_row: Vec<i64>,
}

impl<'a> FileColumns<'a> {
    pub fn of(trades: &'a [FileTrade], first_place: i64) -> Self {
        let file_row = trades.iter().map(|trade| trade.row).collect();
        let trades: Vec<&Trade> = trades.iter().map(|trade| &trade.trade).collect();
        Self { trades: Columns::of(&trades, first_place), file_row }
    }
}

/// Trades turned on their side, one array for each column. Those that no trade fills stay empty.
#[derive(Default)]
pub(super) struct Columns<'a> {
    pub trade_id: Vec<i64>,
    pub side: Vec<&'static str>,
    pub symbol: Vec<&'a str>,
    pub isin: Vec<Option<&'a str>>,
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

/// What contracts stand for, one array for each column; all empty where no trade is of one.
#[derive(Default)]
pub(super) struct ContractColumns<'a> {
    pub underlying: Vec<Option<&'a str>>,
    pub expiry: Vec<Option<&'a str>>,
    pub kind: Vec<Option<&'static str>>,
    pub strike: Vec<Option<Decimal>>,
}

impl<'a> ContractColumns<'a> {
    pub fn of(trades: &[&'a Trade]) -> Self {
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

impl<'a> Columns<'a> {
    fn of(trades: &[&'a Trade], first_id: i64) -> Self {
        let mut columns = Self { contracts: ContractColumns::of(trades), ..Self::default() };
        let from_files = trades.iter().all(|trade| trade.source_key.is_some());
        for (trade_id, trade) in (first_id..).zip(trades) {
            columns.trade_id.push(trade_id);
            columns.side.push(Side::name(trade.side));
            columns.symbol.push(&trade.symbol);
            columns.isin.push(trade.isin.as_deref());
            columns.quantity.push(trade.quantity);
            columns.price.push(trade.price);
            columns.value.push(trade.value);
            columns.executed_at.push(trade.executed_at);
            columns.time_precision.push(TimePrecision::name(trade.time_precision));
            columns.exchange.push(Exchange::name(trade.exchange));
            columns.order_id.push(trade.order_id.as_deref());
            columns.source_key.push(trade.source_key.as_deref());
            if !from_files {
                columns.stock_name.push(some(&trade.notes.stock_name));
                columns.notes.push(some(&trade.notes.notes));
                columns.psychology.push(some(&trade.notes.psychology));
                columns.market_outlook.push(some(&trade.notes.market_outlook));
                columns.pair_id.push(trade.pair_id.as_deref());
                columns.stop_loss.push(trade.notes.stop_loss);
            }
        }
        columns
    }
}

/// A contract as its four columns say it.
pub(super) fn contract_of(
    underlying: Option<String>,
    expiry: Option<String>,
    kind: Option<String>,
    strike: Option<Decimal>,
) -> Result<Option<Contract>, Error> {
    let (Some(underlying), Some(expiry), Some(kind)) = (underlying, expiry, kind) else { return Ok(None) };
    Ok(Some(Contract { underlying, expiry, kind: stored(&kind, ContractKind::from_name)?, strike }))
}

/// What is empty is null in the tables.
pub(super) fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Copies trades into `trades.kept_trade`, as they are before a change. Which ones follows as text; the parameters that
/// it needs follow the second.
macro_rules! keep {
    ($write:expr, $change_id:expr, $which:tt, $($arg:expr),+) => {
        sqlx::query!(
            "
            insert into trades.kept_trade (
                account_id, change_id, trade_id, broker, segment, side, symbol, isin, quantity, price, value,
                executed_at, time_precision, exchange, order_id, source_key, stock_name, notes, psychology,
                market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss
            )
            select account_id, $2, trade_id, broker, segment, side, symbol, isin, quantity, price, value,
                   executed_at, time_precision, exchange, order_id, source_key, stock_name, notes, psychology,
                   market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss
            from trades.trade
            where account_id = $1 and " + $which,
            $write.account_id,
            $change_id,
            $($arg),+
        )
    };
}

impl Write {
    /// Keeps the trades of those numbers for the change that comes next.
    pub async fn keep(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
        keep!(self, self.next_change_id, "trade_id = any($3)", trade_ids).execute(self.on()).await?;
        Ok(())
    }

    /// Moves all trades of `book` to where they are kept for the change that comes next; how many they were.
    pub async fn clear(&mut self, book: Book) -> Result<i64, Error> {
        let (broker, segment) = (book.broker.name(), book.segment.name());
        keep!(self, self.next_change_id, "broker = $3 and segment = $4", broker, segment).execute(self.on()).await?;
        let account_id = self.account_id;
        let gone = sqlx::query!(
            "delete from trades.trade where account_id = $1 and broker = $2 and segment = $3",
            account_id,
            broker,
            segment,
        )
        .execute(self.on())
        .await?;
        Ok(i64::try_from(gone.rows_affected()).unwrap_or(i64::MAX))
    }
}
