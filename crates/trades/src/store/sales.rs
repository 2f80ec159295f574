//! Sales of more shares than a book had bought: of shares bought elsewhere, before the first file, or given by a split.

use rust_decimal::Decimal;
use time::Date;
use uuid::Uuid;

use crate::error::Error;
use crate::trade::{Book, Segment};

/// Of how many symbols it is told.
const MOST_TOLD: i64 = 1_000;

/// A symbol of which new trades sold more than the book had bought.
#[derive(Debug, PartialEq, Eq)]
pub struct UncoveredSale {
    pub symbol: String,
    /// The first day that ended so.
    pub day: Date,
    /// How many too many by the end of that day.
    pub quantity: Decimal,
}

/// All of them, and how many symbols there are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UncoveredSales {
    pub told: Vec<UncoveredSale>,
    pub count: i64,
}

/// The new trades of a book.
#[derive(Clone, Copy)]
pub(super) enum New {
    /// Those that it would get by a preview.
    Previewed(Uuid),
    /// Those with numbers from the first to before the second.
    Numbered(i64, i64),
}

impl UncoveredSales {
    /// Those of `new` trades of `book`. A day counts as a whole: what was sold in the morning may be bought back in the
    /// afternoon. Futures and options may be sold first at any time, so nothing is said of them.
    pub(super) async fn of(
        connection: &mut sqlx::PgConnection,
        account_id: Uuid,
        book: Book,
        new: New,
    ) -> Result<Self, Error> {
        if book.segment == Segment::Fno {
            return Ok(Self::default());
        }
        let (preview_id, from, to) = match new {
            New::Previewed(preview_id) => (Some(preview_id), 0, 0),
            New::Numbered(from, to) => (None, from, to),
        };
        // Each key is looked up by itself, as in an import.
        let rows = sqlx::query!(
            r#"
            with moves as (
                select symbol, side, quantity, executed_at, trade_id >= $5 and trade_id < $6 as new
                from trades.trade
                where account_id = $1 and broker = $2 and segment = $3
                union all
                select p.symbol, p.side, p.quantity, p.executed_at, true
                from trades.preview_trade p
                left join lateral (
                    select true as there from trades.trade t
                    where t.account_id = $1 and t.source_key = p.source_key and t.broker = $2 and t.segment = $3
                    limit 1
                ) held on true
                left join lateral (
                    select true as there from trades.deleted_source d
                    where d.account_id = $1 and d.source_key = p.source_key and d.broker = $2 and d.segment = $3
                    limit 1
                ) mark on true
                where p.account_id = $1 and p.preview_id = $4 and held.there is null and mark.there is null
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
            book.broker.name(),
            book.segment.name(),
            preview_id,
            from,
            to,
            MOST_TOLD,
        )
        .fetch_all(connection)
        .await?;
        let count = rows.first().map_or(0, |row| row.count);
        let told = rows
            .into_iter()
            .map(|row| UncoveredSale { symbol: row.symbol, day: row.day, quantity: row.quantity })
            .collect();
        Ok(Self { told, count })
    }
}
