//! Reading the log: one trade, a page of them, how many there are.

use futures_util::{Stream, TryStreamExt};
use rust_decimal::Decimal;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::contract_of;
use super::{Head, LoggedTrade, Store, book_of, head, stored};
use crate::error::Error;
use crate::trade::{Broker, Exchange, Notes, Segment, Side, TimePrecision};

/// What a page weighs, in bytes and roughly; with its last trade it may weigh more. Nobody takes a message above 4 MiB.
pub const HEAVIEST_PAGE: usize = 1024 * 1024;

/// Which trades are asked for; what is absent lets all through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Part of a symbol, in any case.
    pub symbol: Option<String>,
    pub side: Option<Side>,
    pub broker: Option<Broker>,
    pub segment: Option<Segment>,
    /// Inclusive.
    pub from: Option<OffsetDateTime>,
    /// Exclusive.
    pub to: Option<OffsetDateTime>,
    /// Those of entries by hand alone.
    pub manual: bool,
}

impl Filter {
    /// Whether all trades pass.
    pub fn is_open(&self) -> bool {
        let Self { symbol, side, broker, segment, from, to, manual } = self;
        symbol.is_none()
            && side.is_none()
            && broker.is_none()
            && segment.is_none()
            && from.is_none()
            && to.is_none()
            && !manual
    }
}

/// A column other than time that the log can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortColumn {
    Symbol,
    Quantity,
    Price,
    Side,
    Broker,
}

impl SortColumn {
    const fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Quantity => "quantity",
            Self::Price => "price",
            Self::Side => "side",
            Self::Broker => "broker",
        }
    }
}

/// A row of the log with what it is sorted by.
pub struct SortedTrade {
    pub trade: LoggedTrade,
    pub text: String,
    pub number: Decimal,
}

/// Several looks at the log of an account on one connection, for every connection that is handed back costs a round trip.
pub struct Reading {
    connection: PoolConnection<Postgres>,
    account_id: Uuid,
}

struct Row {
    trade_id: i64,
    broker: String,
    segment: String,
    side: String,
    symbol: String,
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
    underlying: Option<String>,
    expiry: Option<String>,
    contract_kind: Option<String>,
    strike: Option<Decimal>,
    stop_loss: Option<Decimal>,
    key_text: String,
    key_number: Decimal,
}

/// A page of `trades.trade`. The order and the place to start from come as text behind the filter, which is the same
/// for all; the parameters that they need follow the tenth.
macro_rules! page {
    ($account:expr, $filter:expr, $sort:expr, $limit:expr, $order:tt, $($after:expr),+) => {
        sqlx::query_as!(
            Row,
            r#"
            select t.trade_id, t.broker, t.segment, t.side, t.symbol, t.quantity, t.price, t.value, t.executed_at,
                   t.time_precision, t.exchange, t.order_id, t.stock_name, t.notes, t.psychology, t.market_outlook,
                   t.pair_id, t.edited, t.source_key is not null as "imported!", t.underlying, t.expiry, t.contract_kind,
                   t.strike, t.stop_loss, k.key_text as "key_text!", k.key_number as "key_number!"
            from trades.trade t, lateral (
                select coalesce(case $8 when 'symbol' then t.symbol when 'side' then t.side
                                when 'broker' then t.broker end, '') collate "C" as key_text,
                       coalesce(case $8 when 'quantity' then t.quantity when 'price' then t.price end, 0) as key_number
            ) k
            where t.account_id = $1
              and ($2::text is null or t.side = $2)
              and ($3::text is null or t.broker = $3)
              and ($4::text is null or t.segment = $4)
              and ($5::timestamptz is null or t.executed_at >= $5)
              and ($6::timestamptz is null or t.executed_at < $6)
              and ($7::text is null or strpos(upper(t.symbol), upper($7)) > 0)
              and ($10::bool is not true or t.pair_id is not null)
            "# + $order + " limit $9",
            $account,
            $filter.side.map(Side::name),
            $filter.broker.map(Broker::name),
            $filter.segment.map(Segment::name),
            $filter.from,
            $filter.to,
            $filter.symbol.as_deref(),
            $sort,
            i64::from($limit),
            $filter.manual,
            $($after),+
        )
    };
}

impl Store {
    /// The trade of that number.
    pub async fn trade(&self, account_id: Uuid, trade_id: i64) -> Result<LoggedTrade, Error> {
        let mut connection = self.requests().acquire().await?;
        trade(&mut connection, account_id, trade_id).await?.ok_or(Error::NoTrade)
    }

    /// For more than one look at the log of an account.
    pub async fn reading(&self, account_id: Uuid) -> Result<Reading, Error> {
        Ok(Reading { connection: self.requests().acquire().await?, account_id })
    }
}

impl Reading {
    pub async fn head(&mut self) -> Result<Head, Error> {
        head(&mut *self.connection, self.account_id).await
    }

    pub async fn count(&mut self, filter: &Filter) -> Result<i64, Error> {
        let count = sqlx::query_scalar!(
            r#"
            select count(*) as "count!"
            from trades.trade t
            where t.account_id = $1
              and ($2::text is null or t.side = $2)
              and ($3::text is null or t.broker = $3)
              and ($4::text is null or t.segment = $4)
              and ($5::timestamptz is null or t.executed_at >= $5)
              and ($6::timestamptz is null or t.executed_at < $6)
              and ($7::text is null or strpos(upper(t.symbol), upper($7)) > 0)
              and ($8::bool is not true or t.pair_id is not null)
            "#,
            self.account_id,
            filter.side.map(Side::name),
            filter.broker.map(Broker::name),
            filter.segment.map(Segment::name),
            filter.from,
            filter.to,
            filter.symbol.as_deref(),
            filter.manual,
        )
        .fetch_one(&mut *self.connection)
        .await?;
        Ok(count)
    }

    /// Up to `limit` trades that follow the one of `(executed_at, trade_id)` in the order by time; fewer where they are
    /// heavy.
    pub async fn page_by_time(
        &mut self,
        filter: &Filter,
        ascending: bool,
        (executed_at, trade_id): (OffsetDateTime, i64),
        limit: u16,
    ) -> Result<Vec<LoggedTrade>, Error> {
        let rows = if ascending {
            page!(
                self.account_id,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) > ($11, $12) order by t.executed_at, t.trade_id",
                executed_at,
                trade_id
            )
            .fetch(&mut *self.connection)
        } else {
            page!(
                self.account_id,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) < ($11, $12) order by t.executed_at desc, t.trade_id desc",
                executed_at,
                trade_id
            )
            .fetch(&mut *self.connection)
        };
        Ok(gather(rows).await?.into_iter().map(|row| row.trade).collect())
    }

    /// Up to `limit` trades that follow `after` in the order by `column`; without `after` the first. Fewer where they are
    /// heavy.
    pub async fn page_by_column(
        &mut self,
        filter: &Filter,
        column: SortColumn,
        ascending: bool,
        after: Option<(String, Decimal, i64)>,
        limit: u16,
    ) -> Result<Vec<SortedTrade>, Error> {
        let (text, number, trade_id) = after.map_or((None, None, None), |(t, n, id)| (Some(t), Some(n), Some(id)));
        let rows =
            if ascending {
                page!(
                self.account_id, filter, column.name(), limit,
                "and ($13::bigint is null or (k.key_text, k.key_number, t.trade_id) > ($11::text, $12::numeric, $13))
                 order by k.key_text, k.key_number, t.trade_id",
                text, number, trade_id
            )
                .fetch(&mut *self.connection)
            } else {
                page!(
                self.account_id, filter, column.name(), limit,
                "and ($13::bigint is null or (k.key_text, k.key_number, t.trade_id) < ($11::text, $12::numeric, $13))
                 order by k.key_text desc, k.key_number desc, t.trade_id desc",
                text, number, trade_id
            )
                .fetch(&mut *self.connection)
            };
        gather(rows).await
    }
}

/// The trades up to the one with which they weigh more than [`HEAVIEST_PAGE`]: much may be written beside them.
async fn gather(mut rows: impl Stream<Item = Result<Row, sqlx::Error>> + Unpin) -> Result<Vec<SortedTrade>, Error> {
    let (mut trades, mut weight) = (Vec::new(), 0);
    while weight <= HEAVIEST_PAGE
        && let Some(row) = rows.try_next().await?
    {
        let row = row.read()?;
        weight += row.trade.weight();
        trades.push(row);
    }
    Ok(trades)
}

pub(super) async fn trade(
    connection: &mut PgConnection,
    account_id: Uuid,
    trade_id: i64,
) -> Result<Option<LoggedTrade>, Error> {
    Ok(trades(connection, account_id, &[trade_id]).await?.pop())
}

/// Those of the trades that are there, in no order.
pub(super) async fn trades(
    connection: &mut PgConnection,
    account_id: Uuid,
    trade_ids: &[i64],
) -> Result<Vec<LoggedTrade>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"
        select trade_id, broker, segment, side, symbol, quantity, price, value, executed_at, time_precision, exchange,
               order_id, stock_name, notes, psychology, market_outlook, pair_id, edited,
               source_key is not null as "imported!", underlying, expiry, contract_kind, strike, stop_loss,
               '' as "key_text!", 0::numeric as "key_number!"
        from trades.trade
        where account_id = $1 and trade_id = any($2)
        "#,
        account_id,
        trade_ids,
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(|row| Ok(row.read()?.trade)).collect()
}

impl Row {
    fn read(self) -> Result<SortedTrade, Error> {
        let notes = Notes {
            stock_name: self.stock_name.unwrap_or_default(),
            notes: self.notes.unwrap_or_default(),
            psychology: self.psychology.unwrap_or_default(),
            market_outlook: self.market_outlook.unwrap_or_default(),
            stop_loss: self.stop_loss,
        };
        let contract = contract_of(self.underlying, self.expiry, self.contract_kind, self.strike)?;
        let trade = LoggedTrade {
            trade_id: self.trade_id,
            book: book_of(&self.broker, &self.segment)?,
            side: stored(&self.side, Side::from_name)?,
            symbol: self.symbol,
            quantity: self.quantity,
            price: self.price,
            value: self.value,
            executed_at: self.executed_at,
            time_precision: stored(&self.time_precision, TimePrecision::from_name)?,
            exchange: stored(&self.exchange, Exchange::from_name)?,
            order_id: self.order_id,
            notes: (notes != Notes::default()).then(|| Box::new(notes)),
            pair_id: self.pair_id,
            imported: self.imported,
            edited: self.edited,
            contract: contract.map(Box::new),
        };
        Ok(SortedTrade { trade, text: self.key_text, number: self.key_number })
    }
}
