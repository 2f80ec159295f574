//! Previews: parsed files that are not imported yet, with the result that an import would have.

mod comparison;

use std::time::{Duration, Instant};

pub use comparison::{BrokerTrade, Comparison, Conflict, PreviewOutcome, PreviewedTrade};
pub(super) use comparison::{compare_query, compare_with_book};
use comparison::{list_conflicts, list_sample};
use sqlx::Transaction;
use sqlx::postgres::{PgConnection, PgPool, Postgres};
use time::OffsetDateTime;
use uuid::Uuid;

use super::broker_accounts::{AccountMatch, FileOwner, match_account, select_account_or_unused};
use super::columns::{null_if_empty, parse_book, to_count};
use super::connections::Store;
use super::contract_notes::{decode_notes, encode_notes};
use super::import_record::{FileCounts, ImportRecord, elapsed_millis};
use super::insert::FileColumns;
use super::log_head::fetch_log_head;
use super::uncovered_sales::{NewTrades, UncoveredSales};
use super::write::WriteKind;
use crate::contract_note::ContractNote;
use crate::error::Error;
use crate::trade::{Book, FileTrade, SelectedBook};
use crate::trade_limit::LogOwner;

/// Maximum number of previews of an account; the oldest are deleted.
const MAX_PREVIEWS_PER_ACCOUNT: i64 = 24;

/// Preview: the result that an import would have.
pub struct Preview {
    pub file: PreviewedFile,
    pub comparison: Comparison,
    pub conflicts: Vec<Conflict>,
    pub uncovered_sales: UncoveredSales,
    pub account_match: AccountMatch,
    /// First trades of the file.
    pub sample: Vec<PreviewedTrade>,
}

/// File of a preview.
pub struct PreviewedFile {
    pub preview_id: Uuid,
    pub book: Book,
    pub record: ImportRecord,
    /// Issues of the file, as the encoded proto message `FileIssues`. Stored and returned unchanged.
    pub encoded_issues: Vec<u8>,
    pub notes: Vec<ContractNote>,
    /// Number of trades in the file, including repeated ones.
    pub trade_count: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    /// Time to parse the file, in milliseconds.
    pub parse_ms: i64,
    pub expires_at: OffsetDateTime,
    /// Comparison that the trader was shown last; see [`Comparison::state`].
    pub state: String,
    /// Change that the commit made; absent before the commit.
    pub change_id: Option<i64>,
}

/// Preview in progress. Dropping it before [`PreviewWriter::finish`] stores nothing.
pub struct PreviewWriter {
    started: Instant,
    transaction: Transaction<'static, Postgres>,
    account_id: Uuid,
    max_trades: i64,
    preview_id: Uuid,
    book: Book,
    received: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

impl Store {
    /// Begins a preview of an import into the book that is selected by the trader or by the owner of the file; of an
    /// unknown owner, into an unused account. Does not block other writes of the account.
    pub async fn start_preview(
        &self,
        owner: LogOwner,
        selected: SelectedBook,
        file_owner: &FileOwner,
        queue_timeout: Duration,
    ) -> Result<PreviewWriter, Error> {
        let LogOwner { account_id, max_trades } = owner;
        let mut transaction = self.pools.imports.begin().await?;
        WriteKind::Stream { queue_timeout }.set_timeouts(&mut transaction).await?;
        force_custom_plans(&mut transaction).await?;
        let SelectedBook { broker, account_number, segment } = selected;
        let broker_account =
            select_account_or_unused(&mut transaction, account_id, broker, account_number, file_owner).await?;
        let book = Book { broker_account, segment };
        Ok(PreviewWriter {
            started: Instant::now(),
            transaction,
            account_id,
            max_trades,
            preview_id: Uuid::new_v4(),
            book,
            received: 0,
            first_executed_at: None,
            last_executed_at: None,
        })
    }

    /// Compares a preview that is not committed with the current book. A sale that another preview of `batch` covers is
    /// not listed as uncovered. Dropping the future cancels the comparison.
    pub async fn compare_preview(&self, account_id: Uuid, preview_id: Uuid, batch: &[Uuid]) -> Result<Preview, Error> {
        let _permits = self.acquire_comparison(account_id).await?;
        let mut transaction = self.pools.imports.begin().await?;
        WriteKind::WholeBook.set_timeouts(&mut transaction).await?;
        force_custom_plans(&mut transaction).await?;
        let file = find_previewed_file(&mut transaction, account_id, preview_id).await?;
        let file = file.filter(|file| file.change_id.is_none()).ok_or(Error::PreviewNotFound)?;
        let comparison = compare_with_book(&mut transaction, account_id, preview_id, file.book).await?;
        load_preview(&mut transaction, account_id, file, batch, comparison).await
    }

    /// Returns the saved response of a preview that is not committed, if the trades did not change since.
    pub async fn load_preview_response(&self, account_id: Uuid, preview_id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        let response = sqlx::query_scalar!(
            "
            select p.saved_response
            from trades.preview p left join trades.account a on a.account_id = p.account_id
            where p.account_id = $1 and p.preview_id = $2 and p.change_id is null and p.expires_at > now()
              and p.saved_response_version = coalesce(a.version, 0)
            ",
            account_id,
            preview_id,
        )
        .fetch_optional(self.requests())
        .await?;
        Ok(response.flatten())
    }

    /// Saves the response for a preview that was compared with this version of the log. A later request returns it
    /// without comparing again.
    pub async fn save_preview_response(
        &self,
        account_id: Uuid,
        preview_id: Uuid,
        version: i64,
        response: &[u8],
    ) -> Result<(), Error> {
        sqlx::query!(
            "
            update trades.preview set saved_response = $4, saved_response_version = $3
            where account_id = $1 and preview_id = $2
            ",
            account_id,
            preview_id,
            version,
            response,
        )
        .execute(self.requests())
        .await?;
        Ok(())
    }
}

impl PreviewWriter {
    /// Returns the number of trades received so far.
    pub const fn received(&self) -> i64 {
        self.received
    }

    /// Stores `trades`; a source key that occurs twice in the file is stored once.
    pub async fn add(&mut self, trades: &[FileTrade]) -> Result<(), Error> {
        let columns = FileColumns::from_trades(trades, self.received + 1);
        sqlx::query!(
            "
            insert into trades.preview_trade (
                account_id, preview_id, place, file_row, source_key, side, symbol, isin, quantity, price, value,
                executed_at, time_precision, exchange, order_id, underlying, expiry, contract_kind, strike, series, auction
            )
            select $1, $2, *
            from unnest(
                $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::numeric[],
                $10::numeric[], $11::numeric[], $12::timestamptz[], $13::text[], $14::text[], $15::text[],
                $16::text[], $17::text[], $18::text[], $19::numeric[], $20::text[], $21::boolean[]
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
            &columns.trades.series as &[Option<&str>],
            &columns.trades.auction,
        )
        .execute(&mut *self.transaction)
        .await?;
        self.received += to_count(trades.len());
        let times = || trades.iter().map(|trade| trade.trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
    }

    /// Compares the file with the book, stores the preview and commits.
    ///
    /// # Errors
    /// [`Error::TooManyTrades`] if the account would have more trades than it may after the import.
    pub async fn finish(
        mut self,
        record: ImportRecord,
        encoded_issues: Vec<u8>,
        notes: &[ContractNote],
    ) -> Result<Preview, Error> {
        let comparison = compare_with_book(&mut self.transaction, self.account_id, self.preview_id, self.book).await?;
        let total = fetch_log_head(&mut *self.transaction, self.account_id).await?.total;
        if comparison.added > 0 && total + comparison.added > self.max_trades {
            return Err(Error::TooManyTrades { max: self.max_trades });
        }
        let comparison = Comparison { duplicates: self.received - comparison.added, ..comparison };
        let file_counts = record.file_counts.unwrap_or_default();
        sqlx::query!(
            "
            insert into trades.preview (
                account_id, preview_id, broker_account, segment, format, file_name, file_sha256, trades, first_executed_at,
                last_executed_at, encoded_issues, rows, errors, warnings, parse_ms, state, client_code, holder,
                encoded_notes
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
            ",
            self.account_id,
            self.preview_id,
            &self.book.broker_account.key(),
            self.book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            self.received,
            self.first_executed_at,
            self.last_executed_at,
            encoded_issues,
            file_counts.rows,
            file_counts.errors,
            file_counts.warnings,
            elapsed_millis(self.started),
            comparison.state,
            null_if_empty(&record.owner.client_code),
            null_if_empty(&record.owner.holder),
            encode_notes(notes),
        )
        .execute(&mut *self.transaction)
        .await?;
        // The previews hold as many trades as the account may; this one stays in any case.
        let max_trades = self.max_trades.max(self.received);
        delete_oldest_previews(&mut self.transaction, self.account_id, max_trades).await?;
        let file = find_previewed_file(&mut self.transaction, self.account_id, self.preview_id).await?;
        let file = file.ok_or(Error::PreviewNotFound)?;
        let preview = load_preview(&mut self.transaction, self.account_id, file, &[], comparison).await?;
        self.transaction.commit().await?;
        Ok(preview)
    }
}

/// Makes Postgres plan each statement of the transaction anew. A cached plan from when the tables were empty would read
/// all trades of the account for each trade of the file.
pub(super) async fn force_custom_plans(connection: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!(r#"select set_config('plan_cache_mode', 'force_custom_plan', true) as "mode!""#)
        .fetch_one(connection)
        .await?;
    Ok(())
}

/// Deletes the oldest previews of the account above the limits.
async fn delete_oldest_previews(connection: &mut PgConnection, account_id: Uuid, max_trades: i64) -> Result<(), Error> {
    let deleted_ids = sqlx::query_scalar!(
        "
        with ranked as (
            select preview_id, row_number() over newest as previews,
                   sum(case when change_id is null then trades else 0 end) over newest as trades
            from trades.preview
            where account_id = $1
            window newest as (order by created_at desc, preview_id)
        ),
        oldest as (
            select preview_id from ranked where previews > $2 or trades > $3
        )
        delete from trades.preview p using oldest
        where p.account_id = $1 and p.preview_id = oldest.preview_id
        returning p.preview_id
        ",
        account_id,
        MAX_PREVIEWS_PER_ACCOUNT,
        rust_decimal::Decimal::from(max_trades),
    )
    .fetch_all(&mut *connection)
    .await?;
    if !deleted_ids.is_empty() {
        sqlx::query!(
            "delete from trades.preview_trade where account_id = $1 and preview_id = any($2)",
            account_id,
            &deleted_ids,
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Returns the file of a preview that is not expired.
pub(super) async fn find_previewed_file(
    connection: &mut PgConnection,
    account_id: Uuid,
    preview_id: Uuid,
) -> Result<Option<PreviewedFile>, Error> {
    let row = sqlx::query!(
        "
        select broker_account, segment, format, file_name, file_sha256, trades, first_executed_at, last_executed_at,
               encoded_issues, rows, errors, warnings, parse_ms, state, expires_at, change_id, client_code,
               holder, encoded_notes
        from trades.preview
        where account_id = $1 and preview_id = $2 and expires_at > now()
        ",
        account_id,
        preview_id,
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let file_counts = FileCounts { rows: row.rows, errors: row.errors, warnings: row.warnings };
    Ok(Some(PreviewedFile {
        preview_id,
        book: parse_book(&row.broker_account, &row.segment)?,
        record: ImportRecord {
            file_name: row.file_name,
            file_sha256: row.file_sha256,
            format: row.format,
            file_counts: Some(file_counts),
            owner: FileOwner {
                client_code: row.client_code.unwrap_or_default(),
                holder: row.holder.unwrap_or_default(),
            },
        },
        encoded_issues: row.encoded_issues,
        notes: decode_notes(row.encoded_notes.as_deref())?,
        trade_count: row.trades,
        first_executed_at: row.first_executed_at,
        last_executed_at: row.last_executed_at,
        parse_ms: row.parse_ms,
        expires_at: row.expires_at,
        state: row.state,
        change_id: row.change_id,
    }))
}

/// Returns the complete preview.
pub(super) async fn load_preview(
    connection: &mut PgConnection,
    account_id: Uuid,
    file: PreviewedFile,
    batch: &[Uuid],
    comparison: Comparison,
) -> Result<Preview, Error> {
    let comparison = Comparison { duplicates: file.trade_count - comparison.added, ..comparison };
    let conflicts = match comparison.conflicts {
        0 => Vec::new(),
        _ => list_conflicts(connection, account_id, file.preview_id, file.book).await?,
    };
    let new = NewTrades::Preview { preview_id: file.preview_id, batch };
    let uncovered_sales = UncoveredSales::find(connection, account_id, file.book, new).await?;
    let sample = list_sample(connection, account_id, file.preview_id, file.book).await?;
    let account_match = match_account(connection, account_id, file.book.broker_account, &file.record.owner).await?;
    Ok(Preview { file, comparison, conflicts, uncovered_sales, account_match, sample })
}

/// Deletes expired previews.
pub(super) async fn delete_expired_previews(pool: &PgPool) -> Result<(), Error> {
    let expired = sqlx::query!("select account_id, preview_id from trades.preview where expires_at < now()")
        .fetch_all(pool)
        .await?;
    for preview in expired {
        // One statement, so that no trades without a preview remain.
        sqlx::query!(
            "
            with deleted as (
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
