//! Files that were read and are not imported yet: their trades, and what would become of them.

use std::time::{Duration, Instant};

use sqlx::Transaction;
use sqlx::postgres::{PgConnection, PgPool, Postgres};
use time::OffsetDateTime;
use uuid::Uuid;

use super::imported::{ImportRecord, ReadCounts, millis};
use super::rows::FileColumns;
use super::sales::{New, UncoveredSales};
use super::write::Pace;
use super::{Store, book_of, count};
use crate::error::Error;
use crate::trade::{Book, FileTrade};

mod compare;

pub use compare::{Compared, Conflict, PreviewOutcome, PreviewedTrade, Told};
pub(super) use compare::{compare, compared, conflicts};

/// Previews of one account, and the trades in them; the oldest make room.
const MOST_PREVIEWS: i64 = 24;
const MOST_TRADES: i64 = 1_000_000;

/// What an import would do.
pub struct Preview {
    pub file: PreviewedFile,
    pub compared: Compared,
    pub conflicts: Vec<Conflict>,
    pub sales: UncoveredSales,
    /// The first trades of the file.
    pub sample: Vec<PreviewedTrade>,
}

/// The file of a preview.
pub struct PreviewedFile {
    pub preview_id: Uuid,
    pub book: Book,
    pub record: ImportRecord,
    /// What its reader said beside the trades, as it came.
    pub findings: Vec<u8>,
    /// Its trades, those that stand in it twice included.
    pub trades: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub reading_ms: i64,
    pub expires_at: OffsetDateTime,
    /// What the trader was shown last.
    pub state: String,
    /// The change that it became.
    pub change_id: Option<i64>,
}

/// A preview under way. Dropped before [`PreviewWriter::finish`], it leaves nothing.
pub struct PreviewWriter {
    started: Instant,
    transaction: Transaction<'static, Postgres>,
    account_id: Uuid,
    preview_id: Uuid,
    book: Book,
    received: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

impl Store {
    /// Begins a preview of an import into `book`. Other writes of the account go on meanwhile.
    pub async fn start_preview(&self, account_id: Uuid, book: Book, turn: Duration) -> Result<PreviewWriter, Error> {
        let mut transaction = self.pools.imports.begin().await?;
        Pace::Stream(turn).set(&mut transaction).await?;
        plan_anew(&mut transaction).await?;
        Ok(PreviewWriter {
            started: Instant::now(),
            transaction,
            account_id,
            preview_id: Uuid::new_v4(),
            book,
            received: 0,
            first_executed_at: None,
            last_executed_at: None,
        })
    }

    /// A preview that is not imported yet, as the book is now.
    pub async fn preview(&self, account_id: Uuid, preview_id: Uuid) -> Result<Preview, Error> {
        let mut transaction = self.requests().begin().await?;
        Pace::Whole.set(&mut transaction).await?;
        plan_anew(&mut transaction).await?;
        let file = previewed_file(&mut transaction, account_id, preview_id).await?;
        let file = file.filter(|file| file.change_id.is_none()).ok_or(Error::NoPreview)?;
        let compared = compare(&mut transaction, account_id, preview_id, file.book).await?;
        whole(&mut transaction, account_id, file, compared).await
    }

    /// What was shown of a preview that is not imported yet, if it holds still.
    pub async fn shown(&self, account_id: Uuid, preview_id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        let shown = sqlx::query_scalar!(
            "
            select p.shown
            from trades.preview p left join trades.account a on a.account_id = p.account_id
            where p.account_id = $1 and p.preview_id = $2 and p.change_id is null and p.expires_at > now()
              and p.shown_version = coalesce(a.version, 0)
            ",
            account_id,
            preview_id,
        )
        .fetch_optional(self.requests())
        .await?;
        Ok(shown.flatten())
    }

    /// Keeps what is shown of a preview, which was compared with that version.
    pub async fn keep_shown(
        &self,
        account_id: Uuid,
        preview_id: Uuid,
        version: i64,
        shown: &[u8],
    ) -> Result<(), Error> {
        sqlx::query!(
            "
            update trades.preview set shown = $4, shown_version = $3 where account_id = $1 and preview_id = $2
            ",
            account_id,
            preview_id,
            version,
            shown,
        )
        .execute(self.requests())
        .await?;
        Ok(())
    }
}

impl PreviewWriter {
    /// How many trades came so far.
    pub const fn received(&self) -> i64 {
        self.received
    }

    /// Keeps `trades`, each once however often it stands in the file.
    pub async fn add(&mut self, trades: &[FileTrade]) -> Result<(), Error> {
        let columns = FileColumns::of(trades, self.received + 1);
        sqlx::query!(
            "
            insert into trades.preview_trade (
                account_id, preview_id, place, file_row, source_key, side, symbol, isin, quantity, price, value,
                executed_at, time_precision, exchange, order_id, underlying, expiry, contract_kind, strike
            )
            select $1, $2, *
            from unnest(
                $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::numeric[],
                $10::numeric[], $11::numeric[], $12::timestamptz[], $13::text[], $14::text[], $15::text[],
                $16::text[], $17::text[], $18::text[], $19::numeric[]
            )
            on conflict do nothing
            ",
            self.account_id,
            self.preview_id,
            &columns.trades.trade_id,
            &columns.file_row,
            &columns.trades.source_key as &[Option<&str>],
            &columns.trades.side as &[&str],
            &columns.trades.symbol as &[&str],
            &columns.trades.isin as &[Option<&str>],
            &columns.trades.quantity,
            &columns.trades.price,
            &columns.trades.value,
            &columns.trades.executed_at,
            &columns.trades.time_precision as &[&str],
            &columns.trades.exchange as &[&str],
            &columns.trades.order_id as &[Option<&str>],
            &columns.trades.contracts.underlying as &[Option<&str>],
            &columns.trades.contracts.expiry as &[Option<&str>],
            &columns.trades.contracts.kind as &[Option<&str>],
            &columns.trades.contracts.strike as &[Option<rust_decimal::Decimal>],
        )
        .execute(&mut *self.transaction)
        .await?;
        self.received += count(trades.len());
        let times = || trades.iter().map(|trade| trade.trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
    }

    /// Keeps the preview, says what would happen, and commits.
    pub async fn finish(mut self, record: ImportRecord, findings: Vec<u8>) -> Result<Preview, Error> {
        let compared = compare(&mut self.transaction, self.account_id, self.preview_id, self.book).await?;
        let compared = Compared { duplicates: self.received - compared.added, ..compared };
        let read = record.read.unwrap_or_default();
        sqlx::query!(
            "
            insert into trades.preview (
                account_id, preview_id, broker, segment, format, file_name, file_sha256, trades, first_executed_at,
                last_executed_at, findings, rows, problems, warnings, reading_ms, state
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            ",
            self.account_id,
            self.preview_id,
            self.book.broker.name(),
            self.book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            self.received,
            self.first_executed_at,
            self.last_executed_at,
            findings,
            read.rows,
            read.problems,
            read.warnings,
            millis(self.started),
            compared.state,
        )
        .execute(&mut *self.transaction)
        .await?;
        make_room(&mut self.transaction, self.account_id).await?;
        let file = previewed_file(&mut self.transaction, self.account_id, self.preview_id).await?;
        let file = file.ok_or(Error::NoPreview)?;
        let preview = whole(&mut self.transaction, self.account_id, file, compared).await?;
        self.transaction.commit().await?;
        Ok(preview)
    }
}

/// Has each statement planned for the tables as they are. A plan that was kept from when they were empty would read the
/// whole account for every trade.
pub(super) async fn plan_anew(connection: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!(r#"select set_config('plan_cache_mode', 'force_custom_plan', true) as "mode!""#)
        .fetch_one(connection)
        .await?;
    Ok(())
}

/// Drops the oldest previews of the account, as far as there are too many.
async fn make_room(connection: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    let old = sqlx::query_scalar!(
        "
        with ranked as (
            select preview_id, row_number() over newest as previews,
                   sum(case when change_id is null then trades else 0 end) over newest as trades
            from trades.preview
            where account_id = $1
            window newest as (order by created_at desc, preview_id)
        ),
        old as (
            select preview_id from ranked where previews > $2 or trades > $3
        )
        delete from trades.preview p using old
        where p.account_id = $1 and p.preview_id = old.preview_id
        returning p.preview_id
        ",
        account_id,
        MOST_PREVIEWS,
        rust_decimal::Decimal::from(MOST_TRADES),
    )
    .fetch_all(&mut *connection)
    .await?;
    if !old.is_empty() {
        sqlx::query!(
            "delete from trades.preview_trade where account_id = $1 and preview_id = any($2)",
            account_id,
            &old,
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// The file of a preview whose time is not over.
pub(super) async fn previewed_file(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
) -> Result<Option<PreviewedFile>, Error> {
    let row = sqlx::query!(
        "
        select broker, segment, format, file_name, file_sha256, trades, first_executed_at, last_executed_at, findings,
               rows, problems, warnings, reading_ms, state, expires_at, change_id
        from trades.preview
        where account_id = $1 and preview_id = $2 and expires_at > now()
        ",
        account_id,
        preview_id,
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let read = ReadCounts { rows: row.rows, problems: row.problems, warnings: row.warnings };
    Ok(Some(PreviewedFile {
        preview_id,
        book: book_of(&row.broker, &row.segment)?,
        record: ImportRecord {
            file_name: row.file_name,
            file_sha256: row.file_sha256,
            format: row.format,
            read: Some(read),
        },
        findings: row.findings,
        trades: row.trades,
        first_executed_at: row.first_executed_at,
        last_executed_at: row.last_executed_at,
        reading_ms: row.reading_ms,
        expires_at: row.expires_at,
        state: row.state,
        change_id: row.change_id,
    }))
}

/// All that is shown of a preview.
pub(super) async fn whole(
    connection: &mut PgConnection,
    account_id: Uuid,
    file: PreviewedFile,
    compared: Compared,
) -> Result<Preview, Error> {
    let compared = Compared { duplicates: file.trades - compared.added, ..compared };
    let conflicts = match compared.conflicts {
        0 => Vec::new(),
        _ => conflicts(connection, account_id, file.preview_id, file.book).await?,
    };
    let new = New::Previewed(file.preview_id);
    let sales = UncoveredSales::of(connection, account_id, file.book, new).await?;
    let sample = compare::sample(connection, account_id, file.preview_id, file.book).await?;
    Ok(Preview { file, compared, conflicts, sales, sample })
}

/// Drops previews whose time is over.
pub(super) async fn sweep(pool: &PgPool) -> Result<(), Error> {
    let old = sqlx::query!("select account_id, preview_id from trades.preview where expires_at < now()")
        .fetch_all(pool)
        .await?;
    for preview in old {
        // One statement: a half would be trades that nobody finds any more.
        sqlx::query!(
            "
            with gone as (
                delete from trades.preview where account_id = $1 and preview_id = $2
            )
            delete from trades.preview_trade where account_id = $1 and preview_id = $2
            ",
            preview.account_id,
            preview.preview_id,
        )
        .execute(pool)
        .await?;
    }
    Ok(())
}
