//! Sales of more shares than a book had bought. The missing shares were bought elsewhere, bought before the first file,
//! or received by a split.

use rust_decimal::Decimal;
use time::Date;
use uuid::Uuid;

use crate::error::Error;
use crate::trade::{Book, Segment};

/// Maximum number of symbols listed.
const MAX_LISTED_SYMBOLS: i64 = 1_000;

/// Symbol of which new trades sold more than the book had bought.
#[derive(Debug, PartialEq, Eq)]
pub struct UncoveredSale {
    pub symbol: String,
    /// First day at whose end the book had sold too many.
    pub day: Date,
    /// Quantity sold too many by the end of that day.
    pub quantity: Decimal,
}

/// Uncovered sales of a book.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UncoveredSales {
    /// The first [`MAX_LISTED_SYMBOLS`] symbols, by day.
    pub listed: Vec<UncoveredSale>,
    /// Number of all symbols with an uncovered sale.
    pub count: i64,
}

/// New trades of a book.
#[derive(Clone, Copy)]
pub(super) enum NewTrades<'a> {
    /// Trades that the import of a preview would add, after the import of the other previews of its batch.
    Preview { preview_id: Uuid, batch: &'a [Uuid] },
    /// Trades with a number from `from` to below `to`.
    Ids { from: i64, to: i64 },
}

impl UncoveredSales {
    /// Finds the uncovered sales among the `new` trades of `book`.
    ///
    /// Compares positions at the end of each day, because shares sold in the morning may be bought back in the
    /// afternoon. Ignores futures and options, which may be sold first at any time.
    pub(super) async fn find(
        connection: &mut sqlx::PgConnection,
        account_id: Uuid,
        book: Book,
        new: NewTrades<'_>,
    ) -> Result<Self, Error> {
        if book.segment == Segment::Fno {
            return Ok(Self::default());
        }
        let (preview_id, batch, from, to) = match new {
            NewTrades::Preview { preview_id, batch } => (Some(preview_id), batch, 0, 0),
            NewTrades::Ids { from, to } => (None, &[] as &[Uuid], from, to),
        };
        // The lateral joins look up each key separately, as in an import.
        let rows = sqlx::query!(
            r#"
            with moves as (
                select symbol, side, quantity, executed_at, trade_id >= $5 and trade_id < $6 as new
                from trades.trade
                where account_id = $1 and broker_account = $2 and segment = $3
                union all
                select p.symbol, p.side, p.quantity, p.executed_at, p.preview_id = $4
                from (
                    -- A trade of several files counts once; as a trade of the preview if that contains it.
                    select distinct on (file.source_key) file.*
                    from trades.preview_trade file
                    where file.account_id = $1 and (
                        file.preview_id = $4
                        or file.preview_id in (
                            select other.preview_id from trades.preview other
                            where other.account_id = $1 and other.preview_id = any($8) and other.broker_account = $2
                              and other.segment = $3 and other.change_id is null and other.expires_at > now()
                        )
                    )
                    order by file.source_key, file.preview_id = $4 desc, file.preview_id
                ) p
                left join lateral (
                    select true as is_present from trades.trade t
                    where t.account_id = $1 and t.source_key = p.source_key and t.broker_account = $2 and t.segment = $3
                    limit 1
                ) existing on true
                left join lateral (
                    select true as is_present from trades.deleted_source_key d
                    where d.account_id = $1 and d.source_key = p.source_key and d.broker_account = $2 and d.segment = $3
                    limit 1
                ) deletion on true
                where existing.is_present is null and deletion.is_present is null
            ),
            days as (
                select symbol collate "C" as symbol, (executed_at at time zone 'Asia/Kolkata')::date as day,
                       sum(case side when 'buy' then quantity else -quantity end) as net,
                       bool_or(new and side = 'sell') as sold
                from moves
                group by 1, 2
            ),
            positions as (
                select symbol, day, sold, sum(net) over (partition by symbol order by day) as position from days
            ),
            uncovered as (
                select distinct on (symbol) symbol, day, -position as quantity
                from positions
                where sold and position < 0
                order by symbol, day
            )
            select symbol as "symbol!", day as "day!", quantity as "quantity!", count(*) over () as "count!"
            from uncovered
            order by day, symbol
            limit $7
            "#,
            account_id,
            &book.broker_account.key(),
            book.segment.name(),
            preview_id,
            from,
            to,
            MAX_LISTED_SYMBOLS,
            batch,
        )
        .fetch_all(connection)
        .await?;
        let count = rows.first().map_or(0, |row| row.count);
        let listed = rows
            .into_iter()
            .map(|row| UncoveredSale { symbol: row.symbol, day: row.day, quantity: row.quantity })
            .collect();
        Ok(Self { listed, count })
    }
}
