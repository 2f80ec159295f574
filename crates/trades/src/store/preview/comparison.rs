//! Comparison of the trades of a preview with those of the book.

use std::collections::HashMap;

use rust_decimal::Decimal;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::error::Error;
use crate::store::columns::{parse_contract, parse_name};
use crate::store::log_reader::fetch_trades;
use crate::store::logged_trade::LoggedTrade;
use crate::trade::{Book, Exchange, FileTrade, Notes, Side, TimePrecision, Trade, named_enum};

/// Maximum number of conflicts listed.
const MAX_LISTED_CONFLICTS: i64 = 1_000;
/// Number of trades listed from the beginning of the file.
const MAX_SAMPLE_TRADES: i64 = 50;

named_enum!(
    /// Result that an import would have for a trade of the file.
    PreviewOutcome {
        /// The trade is not in the book and would be added.
        Added = "added",
        /// The trade is in the book, or was deleted by the trader.
        Duplicate = "duplicate",
        /// The trade is in the book, but differs from the broker's earlier version.
        Conflict = "conflict",
    }
);

/// Result that an import would have for the book.
pub struct Comparison {
    pub added: i64,
    /// Includes the conflicts.
    pub duplicates: i64,
    pub conflicts: i64,
    /// Version of the log that the preview was compared with.
    pub version: i64,
    /// Fingerprint of the counts and of the stored trades that conflict.
    pub state: String,
}

/// Trade that differs from the broker's earlier version.
pub struct Conflict {
    /// Trade as stored in the book.
    pub trade: LoggedTrade,
    /// Earlier version of the broker.
    pub previous: BrokerTrade,
    /// Version in the file.
    pub corrected: BrokerTrade,
    /// Row number in the file.
    pub row: i64,
}

/// Fields of a trade that a broker may correct.
pub struct BrokerTrade {
    pub side: Side,
    pub quantity: Decimal,
    pub price: Decimal,
    pub value: Decimal,
}

/// Trade of a file with the result that an import would have.
pub struct PreviewedTrade {
    pub file: FileTrade,
    pub outcome: PreviewOutcome,
}

/// Queries the trades of a preview joined with those of the book. The macro takes the rest of the query as SQL text,
/// then its parameters from the fifth on.
///
/// Looks up each key separately. With one join for all keys, a planner without fresh statistics may read all trades of
/// the account for each trade of the file.
macro_rules! compare_query {
    ($account:expr, $preview:expr, $book:expr, $query:tt $(, $arg:expr)*) => {
        sqlx::query!(
            r#"
            with compared as (
                select p.*, existing.trade_id, existing.side as existing_side, existing.quantity as existing_quantity,
                       existing.price as existing_price, existing.value as existing_value,
                       coalesce(broker_version.side, existing.side) as broker_side,
                       coalesce(broker_version.quantity, existing.quantity) as broker_quantity,
                       coalesce(broker_version.price, existing.price) as broker_price,
                       coalesce(broker_version.value, existing.value) as broker_value,
                       case
                           when existing.trade_id is null and deletion.is_present is null then 'added'
                           when existing.trade_id is not null
                                and (coalesce(broker_version.side, existing.side),
                                     coalesce(broker_version.quantity, existing.quantity),
                                     coalesce(broker_version.price, existing.price),
                                     coalesce(broker_version.value, existing.value))
                                    is distinct from (p.side, p.quantity, p.price, p.value)
                               then 'conflict'
                           else 'duplicate'
                       end as outcome
                from trades.preview_trade p
                left join lateral (
                    select t.trade_id, t.side, t.quantity, t.price, t.value from trades.trade t
                    where t.account_id = $1 and t.source_key = p.source_key and t.broker_account = $3 and t.segment = $4
                    limit 1
                ) existing on true
                left join lateral (
                    select b.side, b.quantity, b.price, b.value from trades.broker_trade b
                    where b.account_id = $1 and b.trade_id = existing.trade_id
                    order by b.change_id desc
                    limit 1
                ) broker_version on true
                left join lateral (
                    select true as is_present from trades.deleted_source_key d
                    where d.account_id = $1 and d.source_key = p.source_key and d.broker_account = $3 and d.segment = $4
                    limit 1
                ) deletion on true
                where p.account_id = $1 and p.preview_id = $2
            )
            "# + $query,
            $account,
            $preview,
            &$book.broker_account.key(),
            $book.segment.name()
            $(, $arg)*
        )
    };
}
pub(crate) use compare_query;

/// Compares the preview with the current book. Trades that the file contains twice are not yet counted as duplicates.
pub async fn compare_with_book(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Comparison, Error> {
    // Reads the version first: a concurrent write then makes the version outdated instead of the comparison wrong.
    let version = sqlx::query_scalar!(
        r#"select coalesce((select version from trades.account where account_id = $1), 0) as "version!""#,
        account_id,
    )
    .fetch_one(&mut *connection)
    .await?;
    let row = compare_query!(
        account_id,
        preview_id,
        book,
        r#"
        select count(*) filter (where outcome = 'added') as "added!",
               count(*) filter (where outcome <> 'added') as "duplicates!",
               count(*) filter (where outcome = 'conflict') as "conflicts!",
               md5(coalesce(string_agg(
                   concat_ws(' ', trade_id, existing_side, existing_quantity, existing_price), ',' order by trade_id
               ) filter (where outcome = 'conflict'), '')) as "book!"
        from compared
    "#
    )
    .fetch_one(connection)
    .await?;
    let state = format!("{}-{}-{}", row.added, row.conflicts, row.book);
    Ok(Comparison { added: row.added, duplicates: row.duplicates, conflicts: row.conflicts, version, state })
}

/// Returns the first conflicts, in the order of the file.
pub async fn list_conflicts(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Vec<Conflict>, Error> {
    let rows = compare_query!(
        account_id,
        preview_id,
        book,
        r#"
        select trade_id as "trade_id!", file_row, side, quantity, price, value, broker_side as "broker_side!",
               broker_quantity as "broker_quantity!", broker_price as "broker_price!", broker_value as "broker_value!"
        from compared
        where outcome = 'conflict'
        order by place
        limit $5
    "#,
        MAX_LISTED_CONFLICTS
    )
    .fetch_all(&mut *connection)
    .await?;
    let trade_ids: Vec<i64> = rows.iter().map(|row| row.trade_id).collect();
    let trades = fetch_trades(connection, account_id, &trade_ids).await?;
    let mut trades: HashMap<i64, LoggedTrade> = trades.into_iter().map(|trade| (trade.trade_id, trade)).collect();
    let mut listed = Vec::with_capacity(rows.len());
    for row in rows {
        // The trade was deleted since the previous statement, so a commit will not find the conflict either.
        let Some(trade) = trades.remove(&row.trade_id) else { continue };
        let side = parse_name(&row.broker_side, Side::from_name)?;
        listed.push(Conflict {
            trade,
            previous: BrokerTrade {
                side,
                quantity: row.broker_quantity,
                price: row.broker_price,
                value: row.broker_value,
            },
            corrected: BrokerTrade {
                side: parse_name(&row.side, Side::from_name)?,
                quantity: row.quantity,
                price: row.price,
                value: row.value,
            },
            row: row.file_row,
        });
    }
    Ok(listed)
}

/// Returns the first trades of the file.
pub(super) async fn list_sample(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
) -> Result<Vec<PreviewedTrade>, Error> {
    let rows = compare_query!(
        account_id,
        preview_id,
        book,
        r#"
        select file_row, side, symbol, isin, series, auction, quantity, price, value, executed_at, time_precision,
               exchange, order_id, source_key, underlying, expiry, contract_kind, strike, outcome as "outcome!"
        from compared
        where place <= $5
        order by place
    "#,
        MAX_SAMPLE_TRADES
    )
    .fetch_all(connection)
    .await?;
    let mut listed = Vec::with_capacity(rows.len());
    for row in rows {
        let trade = Trade {
            side: parse_name(&row.side, Side::from_name)?,
            symbol: row.symbol,
            isin: row.isin,
            series: row.series,
            auction: row.auction,
            quantity: row.quantity,
            price: row.price,
            value: row.value,
            executed_at: row.executed_at,
            time_precision: parse_name(&row.time_precision, TimePrecision::from_name)?,
            exchange: parse_name(&row.exchange, Exchange::from_name)?,
            order_id: row.order_id,
            source_key: Some(row.source_key),
            notes: Notes::default(),
            pair_id: None,
            contract: parse_contract(row.underlying, row.expiry, row.contract_kind, row.strike)?,
        };
        let outcome = parse_name(&row.outcome, PreviewOutcome::from_name)?;
        listed.push(PreviewedTrade { file: FileTrade { trade, row: row.file_row }, outcome });
    }
    Ok(listed)
}
