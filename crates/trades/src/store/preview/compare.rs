//! The trades of a preview beside those of the book.

use std::collections::HashMap;

use rust_decimal::Decimal;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::error::Error;
use crate::store::rows::contract_of;
use crate::store::{LoggedTrade, pages, stored};
use crate::trade::{Book, Exchange, FileTrade, Notes, Side, TimePrecision, Trade, named};

/// Conflicts that are shown.
const MOST_CONFLICTS: i64 = 1_000;
/// Trades that are shown.
const SAMPLE: i64 = 50;

named!(
    /// What would become of a trade of a file.
    PreviewOutcome {
        /// The book does not hold it.
        Added = "added",
        /// The book holds it, or held it until the trader deleted it.
        Duplicate = "duplicate",
        /// The book holds it, and the broker told it otherwise before.
        Conflict = "conflict",
    }
);

/// What would happen to the book.
pub struct Compared {
    pub added: i64,
    /// Conflicts included.
    pub duplicates: i64,
    pub conflicts: i64,
    /// The version of the account that it was compared with.
    pub version: i64,
    /// Stands for all this, and for what the book holds where there are conflicts.
    pub state: String,
}

/// A trade that the broker tells otherwise than before.
pub struct Conflict {
    /// As the book has it.
    pub trade: LoggedTrade,
    pub before: Told,
    pub now: Told,
    /// Where it stands in the file.
    pub row: i64,
}

/// What a broker may correct.
pub struct Told {
    pub side: Side,
    pub quantity: Decimal,
    pub price: Decimal,
    pub value: Decimal,
}

/// A trade of a file with what would become of it.
pub struct PreviewedTrade {
    pub file: FileTrade,
    pub outcome: PreviewOutcome,
}

/// A statement over all trades of a preview beside those of the book, which follows as text; the parameters that it
/// needs follow the fourth. Each key is looked up by itself: asked for all at once, a planner without fresh statistics
/// may read the whole account for every trade.
macro_rules! compared {
    ($account:expr, $preview:expr, $book:expr, $then:tt $(, $arg:expr)*) => {
        sqlx::query!(
            r#"
            with compared as (
                select p.*, held.trade_id, held.side as held_side, held.quantity as held_quantity,
                       held.price as held_price, held.value as held_value,
                       coalesce(told.side, held.side) as told_side,
                       coalesce(told.quantity, held.quantity) as told_quantity,
                       coalesce(told.price, held.price) as told_price,
                       coalesce(told.value, held.value) as told_value,
                       case
                           when held.trade_id is null and mark.there is null then 'added'
                           when held.trade_id is not null
                                and (coalesce(told.side, held.side), coalesce(told.quantity, held.quantity),
                                     coalesce(told.price, held.price), coalesce(told.value, held.value))
                                    is distinct from (p.side, p.quantity, p.price, p.value)
                               then 'conflict'
                           else 'duplicate'
                       end as outcome
                from trades.preview_trade p
                left join lateral (
                    select t.trade_id, t.side, t.quantity, t.price, t.value from trades.trade t
                    where t.account_id = $1 and t.source_key = p.source_key and t.broker = $3 and t.segment = $4
                    limit 1
                ) held on true
                left join lateral (
                    select b.side, b.quantity, b.price, b.value from trades.broker_trade b
                    where b.account_id = $1 and b.trade_id = held.trade_id
                    order by b.change_id desc
                    limit 1
                ) told on true
                left join lateral (
                    select true as there from trades.deleted_source d
                    where d.account_id = $1 and d.source_key = p.source_key and d.broker = $3 and d.segment = $4
                    limit 1
                ) mark on true
                where p.account_id = $1 and p.preview_id = $2
            )
            "# + $then,
            $account,
            $preview,
            $book.broker.name(),
            $book.segment.name()
            $(, $arg)*
        )
    };
}
pub(in crate::store) use compared;

/// What would happen now. Trades that stand in the file twice are not among the duplicates yet.
pub(in crate::store) async fn compare(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Compared, Error> {
    // First: what is written meanwhile makes the version old, and not what is shown.
    let version = sqlx::query_scalar!(
        r#"select coalesce((select version from trades.account where account_id = $1), 0) as "version!""#,
        account_id,
    )
    .fetch_one(&mut *connection)
    .await?;
    let row = compared!(
        account_id,
        preview_id,
        book,
        r#"
        select count(*) filter (where outcome = 'added') as "added!",
               count(*) filter (where outcome <> 'added') as "duplicates!",
               count(*) filter (where outcome = 'conflict') as "conflicts!",
               md5(coalesce(string_agg(
                   concat_ws(' ', trade_id, held_side, held_quantity, held_price), ',' order by trade_id
               ) filter (where outcome = 'conflict'), '')) as "book!"
        from compared
    "#
    )
    .fetch_one(connection)
    .await?;
    let state = format!("{}-{}-{}", row.added, row.conflicts, row.book);
    Ok(Compared { added: row.added, duplicates: row.duplicates, conflicts: row.conflicts, version, state })
}

/// The first conflicts, in the order of the file.
pub(in crate::store) async fn conflicts(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Vec<Conflict>, Error> {
    let rows = compared!(
        account_id,
        preview_id,
        book,
        r#"
        select trade_id as "trade_id!", file_row, side, quantity, price, value, told_side as "told_side!",
               told_quantity as "told_quantity!", told_price as "told_price!", told_value as "told_value!"
        from compared
        where outcome = 'conflict'
        order by place
        limit $5
    "#,
        MOST_CONFLICTS
    )
    .fetch_all(&mut *connection)
    .await?;
    let trade_ids: Vec<i64> = rows.iter().map(|row| row.trade_id).collect();
    let trades = pages::trades(connection, account_id, &trade_ids).await?;
    let mut trades: HashMap<i64, LoggedTrade> = trades.into_iter().map(|trade| (trade.trade_id, trade)).collect();
    let mut conflicts = Vec::with_capacity(rows.len());
    for row in rows {
        // Gone since the statement before: a commit will not find the conflict either.
        let Some(trade) = trades.remove(&row.trade_id) else { continue };
        let side = stored(&row.told_side, Side::from_name)?;
        conflicts.push(Conflict {
            trade,
            before: Told { side, quantity: row.told_quantity, price: row.told_price, value: row.told_value },
            now: Told {
                side: stored(&row.side, Side::from_name)?,
                quantity: row.quantity,
                price: row.price,
                value: row.value,
            },
            row: row.file_row,
        });
    }
    Ok(conflicts)
}

/// The first trades of the file.
pub(super) async fn sample(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Vec<PreviewedTrade>, Error> {
    let rows = compared!(
        account_id,
        preview_id,
        book,
        r#"
        select file_row, side, symbol, isin, quantity, price, value, executed_at, time_precision, exchange, order_id,
               source_key, underlying, expiry, contract_kind, strike, outcome as "outcome!"
        from compared
        where place <= $5
        order by place
    "#,
        SAMPLE
    )
    .fetch_all(connection)
    .await?;
    let mut sample = Vec::with_capacity(rows.len());
    for row in rows {
        let trade = Trade {
            side: stored(&row.side, Side::from_name)?,
            symbol: row.symbol,
            isin: row.isin,
            quantity: row.quantity,
            price: row.price,
            value: row.value,
            executed_at: row.executed_at,
            time_precision: stored(&row.time_precision, TimePrecision::from_name)?,
            exchange: stored(&row.exchange, Exchange::from_name)?,
            order_id: row.order_id,
            source_key: Some(row.source_key),
            notes: Notes::default(),
            pair_id: None,
            contract: contract_of(row.underlying, row.expiry, row.contract_kind, row.strike)?,
        };
        let outcome = stored(&row.outcome, PreviewOutcome::from_name)?;
        sample.push(PreviewedTrade { file: FileTrade { trade, row: row.file_row }, outcome });
    }
    Ok(sample)
}
