//! Reading the log: single trades, pages and counts.

use db::ReadConnection;
use futures_util::{Stream, TryStreamExt};
use rust_decimal::Decimal;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::{parse_book, parse_contract, parse_name};
use super::connections::Store;
use super::filter::{Filter, SortColumn};
use super::log_head::{LogHead, fetch_log_head};
use super::logged_trade::LoggedTrade;
use crate::error::Error;
use crate::search::Search;
use crate::trade::{Exchange, Notes, Segment, Side, TimePrecision};

/// Approximate maximum size of a page in bytes; the last trade may exceed it. gRPC clients reject messages above 4 MiB.
pub const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// Trade with its value in the sort column: a text or a number.
pub struct SortedTrade {
    pub trade: LoggedTrade,
    pub text: String,
    pub number: Decimal,
}

/// Reader of an account's log, with a connection for several statements.
pub struct LogReader {
    connection: ReadConnection,
    account_id: Uuid,
    /// The connection has rows that were not read.
    has_unread_rows: bool,
}

struct Row {
    trade_id: i64,
    broker_account: String,
    segment: String,
    side: String,
    symbol: String,
    isin: Option<String>,
    series: Option<String>,
    auction: bool,
    quantity: Decimal,
    price: Decimal,
    value: Decimal,
    executed_at: OffsetDateTime,
    time_precision: String,
    exchange: String,
    order_id: Option<String>,
    stock_name: Option<String>,
    notes: Option<String>,
    psychology: Option<String>,
    market_outlook: Option<String>,
    pair_id: Option<String>,
    edited: bool,
    imported: bool,
    source_key: Option<String>,
    underlying: Option<String>,
    expiry: Option<String>,
    contract_kind: Option<String>,
    strike: Option<Decimal>,
    stop_loss: Option<Decimal>,
    key_text: String,
    key_number: Decimal,
}

/// Queries the trades that match a filter with a macro of sqlx: the beginning of the statement, the tables beside
/// `trades.trade t`, the end with its parameters from the twelfth on, and the call that runs it.
macro_rules! filter_query {
    (
        $query:ident[$($row:ty)?], $select:tt, $tables:tt, $end:tt, $filter:expr, $account_id:expr,
        [$($param:expr),*], [$($run:tt)+]
    ) => {
        if $filter.needs_text() {
            // As in the index `trade_text`.
            filter_query!(
                @where "and num_nonnulls(t.notes, t.psychology, t.market_outlook, t.stock_name) > 0 ",
                $query[$($row)?], $select, $tables, $end, $filter, $account_id, [$($param),*]
            )
            $($run)+
        } else {
            filter_query!(
                @where "", $query[$($row)?], $select, $tables, $end, $filter, $account_id, [$($param),*]
            )
            $($run)+
        }
    };
    (
        @where $condition:tt, $query:ident[$($row:ty)?], $select:tt, $tables:tt, $end:tt, $filter:expr, $account_id:expr,
        [$($param:expr),*]
    ) => {
        sqlx::$query!(
            $($row,)?
            $select + " from trades.trade t" + $tables + r#"
            where t.account_id = $1
              and ($2::text is null or t.side = $2)
              and ($3::text[] is null or t.broker_account = any($3))
              and ($4::text is null or t.segment = $4)
              and ($5::timestamptz is null or t.executed_at >= $5)
              and ($6::timestamptz is null or t.executed_at < $6)
              and ($7::text is null or strpos(upper(t.symbol), upper($7)) > 0)
              and ($8::bool is not true or t.pair_id is not null)
              and ($11::bool is not true or num_nonnulls(t.notes, t.psychology, t.market_outlook) > 0)
              and ($9::text is null
                   or t.symbol in (select s.symbol from trades.symbol s where s.account_id = $1 and s.symbol ~ $10)
                   or num_nonnulls(t.notes, t.psychology, t.market_outlook, t.stock_name) > 0
                      and concat_ws(E'\n', t.symbol, t.notes, t.psychology, t.market_outlook, t.stock_name) ~ $9)
              "# + $condition + $end,
            $account_id,
            $filter.side.map(Side::name),
            $filter.broker_account_keys.as_deref(),
            $filter.segment.map(Segment::name),
            $filter.from,
            $filter.to,
            $filter.symbol.as_deref(),
            $filter.manual_only,
            $filter.search.as_ref().map(|search| search.pattern.as_str()),
            $filter.search.as_ref().and_then(|search| search.symbol_pattern.as_deref()),
            $filter.noted_only,
            $($param),*
        )
    };
}

/// Fetches a page of trades. The macro takes the start position and sort order as SQL text, and the parameters of the start
/// position from the fifteenth on.
macro_rules! fetch_page {
    ($reader:expr, $filter:expr, $sort:expr, $limit:expr, $order:tt, $($after:expr),+) => {
        filter_query!(
            query_as[Row],
            r#"
            select t.trade_id, t.broker_account, t.segment, t.side, t.symbol, t.isin, t.series, t.auction, t.quantity, t.price,
                   t.value, t.executed_at, t.time_precision, t.exchange, t.order_id, t.stock_name, t.notes, t.psychology, t.market_outlook,
                   t.pair_id, t.edited, t.source_key is not null as "imported!",
                   case when $14::bool then t.source_key end as source_key, t.underlying, t.expiry, t.contract_kind,
                   t.strike, t.stop_loss, k.key_text as "key_text!", k.key_number as "key_number!"
            "#,
            r#", lateral (
                select coalesce(case $12 when 'symbol' then t.symbol when 'side' then t.side
                                when 'broker' then t.broker_account end, '') collate "C" as key_text,
                       coalesce(case $12 when 'quantity' then t.quantity when 'price' then t.price end, 0) as key_number
            ) k
            "#,
            $order,
            $filter,
            $reader.account_id,
            [$sort, i64::from($limit), $filter.with_source_keys, $($after),+],
            [.fetch(&mut *$reader.connection)]
        )
    };
}

impl Store {
    /// Returns the trade with this number.
    pub async fn get_trade(&self, account_id: Uuid, trade_id: i64) -> Result<LoggedTrade, Error> {
        let mut connection = self.pools.reads.acquire().await?;
        let trade = fetch_trade(&mut connection, account_id, trade_id).await?;
        connection.release();
        trade.ok_or(Error::TradeNotFound)
    }

    /// Opens a reader for several statements on the log of an account.
    pub async fn open_log_reader(&self, account_id: Uuid) -> Result<LogReader, Error> {
        Ok(LogReader { connection: self.pools.reads.acquire().await?, account_id, has_unread_rows: false })
    }
}

impl LogReader {
    /// Returns the connection for the next reader, unless it has rows that were not read.
    pub fn close(self) {
        if !self.has_unread_rows {
            self.connection.release();
        }
    }

    pub async fn get_log_head(&mut self) -> Result<LogHead, Error> {
        fetch_log_head(&mut *self.connection, self.account_id).await
    }

    /// Limits a search to trades with a text if no symbol of the account matches.
    pub async fn narrow_search(&mut self, search: &mut Search) -> Result<(), Error> {
        let Some(pattern) = &search.symbol_pattern else { return Ok(()) };
        let has_symbol = sqlx::query_scalar!(
            r#"select exists(select from trades.symbol where account_id = $1 and symbol ~ $2) as "exists!""#,
            self.account_id,
            pattern,
        )
        .fetch_one(&mut *self.connection)
        .await?;
        if !has_symbol {
            search.symbol_pattern = None;
        }
        Ok(())
    }

    pub async fn count_trades(&mut self, filter: &Filter) -> Result<i64, Error> {
        let count = filter_query!(
            query_scalar[],
            r#"select count(*) as "count!""#,
            "",
            "",
            filter,
            self.account_id,
            [],
            [.fetch_one(&mut *self.connection).await?]
        );
        Ok(count)
    }

    /// Returns up to `limit` trades after the position `(executed_at, trade_id)` in the order by time; fewer if they
    /// exceed [`MAX_PAGE_BYTES`].
    pub async fn fetch_page_by_time(
        &mut self,
        filter: &Filter,
        ascending: bool,
        (executed_at, trade_id): (OffsetDateTime, i64),
        limit: u16,
    ) -> Result<Vec<LoggedTrade>, Error> {
        let mut rows = if ascending {
            fetch_page!(
                self,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) > ($15, $16) order by t.executed_at, t.trade_id limit $13",
                executed_at,
                trade_id
            )
        } else {
            fetch_page!(
                self,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) < ($15, $16) order by t.executed_at desc, t.trade_id desc limit $13",
                executed_at,
                trade_id
            )
        };
        let trades = collect_page(&mut rows, &mut self.has_unread_rows).await?;
        Ok(trades.into_iter().map(|row| row.trade).collect())
    }

    /// Returns up to `limit` trades after the position `after` in the order by `column`, or the first ones; fewer if
    /// they exceed [`MAX_PAGE_BYTES`].
    pub async fn fetch_page_by_column(
        &mut self,
        filter: &Filter,
        column: SortColumn,
        ascending: bool,
        after: Option<(String, Decimal, i64)>,
        limit: u16,
    ) -> Result<Vec<SortedTrade>, Error> {
        let (text, number, trade_id) = after.map_or((None, None, None), |(t, n, id)| (Some(t), Some(n), Some(id)));
        let mut rows = if ascending {
            fetch_page!(
                self,
                filter,
                column.name(),
                limit,
                "and ($17::bigint is null or (k.key_text, k.key_number, t.trade_id) > ($15::text, $16::numeric, $17))
                 order by k.key_text, k.key_number, t.trade_id limit $13",
                text.as_deref(),
                number,
                trade_id
            )
        } else {
            fetch_page!(
                self,
                filter,
                column.name(),
                limit,
                "and ($17::bigint is null or (k.key_text, k.key_number, t.trade_id) < ($15::text, $16::numeric, $17))
                 order by k.key_text desc, k.key_number desc, t.trade_id desc limit $13",
                text.as_deref(),
                number,
                trade_id
            )
        };
        collect_page(&mut rows, &mut self.has_unread_rows).await
    }
}

/// Collects rows up to the one that exceeds [`MAX_PAGE_BYTES`]. Trades with long notes may reach it. Sets
/// `has_unread_rows` unless all rows were read.
async fn collect_page(
    rows: &mut (impl Stream<Item = Result<Row, sqlx::Error>> + Unpin),
    has_unread_rows: &mut bool,
) -> Result<Vec<SortedTrade>, Error> {
    let (mut trades, mut bytes) = (Vec::new(), 0);
    *has_unread_rows = true;
    while bytes <= MAX_PAGE_BYTES {
        let Some(row) = rows.try_next().await? else {
            *has_unread_rows = false;
            break;
        };
        let row = row.parse()?;
        bytes += row.trade.approximate_bytes();
        trades.push(row);
    }
    Ok(trades)
}

pub(super) async fn fetch_trade(
    connection: &mut PgConnection,
    account_id: Uuid,
    trade_id: i64,
) -> Result<Option<LoggedTrade>, Error> {
    Ok(fetch_trades(connection, account_id, &[trade_id]).await?.pop())
}

/// Returns the trades that exist, in no particular order.
pub(super) async fn fetch_trades(
    connection: &mut PgConnection,
    account_id: Uuid,
    trade_ids: &[i64],
) -> Result<Vec<LoggedTrade>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"
        select trade_id, broker_account, segment, side, symbol, isin, series, auction, quantity, price, value, executed_at,
               time_precision, exchange, order_id, stock_name, notes, psychology, market_outlook, pair_id, edited,
               source_key is not null as "imported!", source_key, underlying, expiry, contract_kind, strike, stop_loss,
               '' as "key_text!", 0::numeric as "key_number!"
        from trades.trade
        where account_id = $1 and trade_id = any($2)
        "#,
        account_id,
        trade_ids,
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(|row| Ok(row.parse()?.trade)).collect()
}

impl Row {
    fn parse(self) -> Result<SortedTrade, Error> {
        let notes = Notes {
            stock_name: self.stock_name.unwrap_or_default(),
            notes: self.notes.unwrap_or_default(),
            psychology: self.psychology.unwrap_or_default(),
            market_outlook: self.market_outlook.unwrap_or_default(),
            stop_loss: self.stop_loss,
        };
        let contract = parse_contract(self.underlying, self.expiry, self.contract_kind, self.strike)?;
        let trade = LoggedTrade {
            trade_id: self.trade_id,
            book: parse_book(&self.broker_account, &self.segment)?,
            side: parse_name(&self.side, Side::from_name)?,
            symbol: self.symbol,
            isin: self.isin,
            series: self.series,
            auction: self.auction,
            quantity: self.quantity,
            price: self.price,
            value: self.value,
            executed_at: self.executed_at,
            time_precision: parse_name(&self.time_precision, TimePrecision::from_name)?,
            exchange: parse_name(&self.exchange, Exchange::from_name)?,
            order_id: self.order_id,
            notes: (notes != Notes::default()).then(|| Box::new(notes)),
            pair_id: self.pair_id,
            imported: self.imported,
            source_key: self.source_key,
            edited: self.edited,
            contract: contract.map(Box::new),
        };
        Ok(SortedTrade { trade, text: self.key_text, number: self.key_number })
    }
}
