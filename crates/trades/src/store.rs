//! Every statement on the schema `trades`.

mod import;

pub use import::{ImportRecord, ImportWriter, Imported};

use rust_decimal::Decimal;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Pools;
use crate::error::Error;
use crate::trade::{Book, Broker, Exchange, Segment, Side, TimePrecision};

/// What is known of an account's trades without reading them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Moves with every change.
    pub version: i64,
    /// How many trades there are.
    pub total: i64,
    /// The book that was changed last.
    pub last_book: Option<Book>,
}

/// A trade in the log.
#[derive(Clone, Debug)]
pub struct LoggedTrade {
    pub trade_id: i64,
    pub book: Book,
    pub side: Side,
    pub symbol: String,
    pub quantity: Decimal,
    pub price: Decimal,
    pub value: Decimal,
    pub executed_at: OffsetDateTime,
    pub time_precision: TimePrecision,
    pub exchange: Exchange,
}

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
}

impl Filter {
    /// Whether all trades pass.
    pub fn is_open(&self) -> bool {
        let Self { symbol, side, broker, segment, from, to } = self;
        symbol.is_none() && side.is_none() && broker.is_none() && segment.is_none() && from.is_none() && to.is_none()
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
    key_text: String,
    key_number: Decimal,
}

/// A page of `trades.trade`. The order and the place to start from come as text behind the filter, which is the same
/// for all; the parameters that they need follow the ninth.
macro_rules! page {
    ($account:expr, $filter:expr, $sort:expr, $limit:expr, $order:tt, $($after:expr),+) => {
        sqlx::query_as!(
            Row,
            r#"
            select t.trade_id, t.broker, t.segment, t.side, t.symbol, t.quantity, t.price, t.value, t.executed_at,
                   t.time_precision, t.exchange, k.key_text as "key_text!", k.key_number as "key_number!"
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
            $($after),+
        )
    };
}

/// The tables.
#[derive(Clone)]
pub struct Store {
    pools: Pools,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self { pools }
    }

    fn requests(&self) -> &PgPool {
        &self.pools.requests
    }

    pub async fn head(&self, account_id: Uuid) -> Result<Head, Error> {
        let row = sqlx::query!(
            "select version, trade_count, last_broker, last_segment from trades.account where account_id = $1",
            account_id
        )
        .fetch_optional(self.requests())
        .await?;
        row.map_or(Ok(Head::default()), |row| head_of(row.version, row.trade_count, row.last_broker, row.last_segment))
    }

    pub async fn count(&self, account_id: Uuid, filter: &Filter) -> Result<i64, Error> {
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
            "#,
            account_id,
            filter.side.map(Side::name),
            filter.broker.map(Broker::name),
            filter.segment.map(Segment::name),
            filter.from,
            filter.to,
            filter.symbol.as_deref(),
        )
        .fetch_one(self.requests())
        .await?;
        Ok(count)
    }

    /// Up to `limit` trades that follow the one of `(executed_at, trade_id)` in the order by time.
    pub async fn page_by_time(
        &self,
        account_id: Uuid,
        filter: &Filter,
        ascending: bool,
        (executed_at, trade_id): (OffsetDateTime, i64),
        limit: u16,
    ) -> Result<Vec<LoggedTrade>, Error> {
        let rows = if ascending {
            page!(
                account_id,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) > ($10, $11) order by t.executed_at, t.trade_id",
                executed_at,
                trade_id
            )
            .fetch_all(self.requests())
            .await?
        } else {
            page!(
                account_id,
                filter,
                "",
                limit,
                "and (t.executed_at, t.trade_id) < ($10, $11) order by t.executed_at desc, t.trade_id desc",
                executed_at,
                trade_id
            )
            .fetch_all(self.requests())
            .await?
        };
        rows.into_iter().map(|row| Ok(row.read()?.trade)).collect()
    }

    /// Up to `limit` trades that follow `after` in the order by `column`; without `after` the first.
    pub async fn page_by_column(
        &self,
        account_id: Uuid,
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
                account_id, filter, column.name(), limit,
                "and ($12::bigint is null or (k.key_text, k.key_number, t.trade_id) > ($10::text, $11::numeric, $12))
                 order by k.key_text, k.key_number, t.trade_id",
                text, number, trade_id
            )
                .fetch_all(self.requests())
                .await?
            } else {
                page!(
                account_id, filter, column.name(), limit,
                "and ($12::bigint is null or (k.key_text, k.key_number, t.trade_id) < ($10::text, $11::numeric, $12))
                 order by k.key_text desc, k.key_number desc, t.trade_id desc",
                text, number, trade_id
            )
                .fetch_all(self.requests())
                .await?
            };
        rows.into_iter().map(Row::read).collect()
    }

    /// Begins an import into `book`. Until it is finished no other write of the account goes on.
    pub async fn start_import(&self, account_id: Uuid, book: Book) -> Result<ImportWriter, Error> {
        ImportWriter::start(&self.pools.imports, account_id, book).await
    }
}

impl Row {
    fn read(self) -> Result<SortedTrade, Error> {
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
        };
        Ok(SortedTrade { trade, text: self.key_text, number: self.key_number })
    }
}

fn head_of(version: i64, total: i64, broker: Option<String>, segment: Option<String>) -> Result<Head, Error> {
    let last_book = match (broker, segment) {
        (Some(broker), Some(segment)) => Some(book_of(&broker, &segment)?),
        (None, _) | (_, None) => None,
    };
    Ok(Head { version, total, last_book })
}

fn book_of(broker: &str, segment: &str) -> Result<Book, Error> {
    Ok(Book { broker: stored(broker, Broker::from_name)?, segment: stored(segment, Segment::from_name)? })
}

/// A stored name that we do not know is our failure, not the caller's.
fn stored<T>(name: &str, read: fn(&str) -> Option<T>) -> Result<T, Error> {
    read(name).ok_or_else(|| Error::Store(sqlx::Error::Decode(format!("unknown name {name:?} in trades.trade").into())))
}
