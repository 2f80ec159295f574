//! Every SQL statement on the tables of accounts' journals. The submodules hold the operations.

mod cleanup;
mod edits;
mod entries;
mod playbooks;
pub(crate) mod screenshots;
mod search;
mod templates;

pub(crate) use cleanup::{delete_account, delete_expired_changes};
pub(crate) use entries::Saved;
use rust_decimal::Decimal;
pub(crate) use search::{Group, GroupLabel, Groups, SearchCursor, SearchFilter};
use serde::Deserialize;
use sqlx::PgPool;
use sqlx::postgres::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::trader_journal::entry::{Content, Entry, Kind, Planned, Side, Subject};
use crate::trader_journal::error::Error;
use crate::trader_journal::screenshot::{Format, Screenshot};

/// Access to the tables of accounts' journals.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

/// Row of `journal.account_entry`.
struct Row {
    entry_id: i64,
    kind: String,
    key: String,
    symbol: String,
    day: Date,
    side: Option<String>,
    quantity: Option<Decimal>,
    setup: String,
    tags: Vec<String>,
    mistakes: Vec<String>,
    emotion: String,
    emotion_after: String,
    rating: Option<i16>,
    note: String,
    plan: String,
    planned_entry: Option<Decimal>,
    planned_stop: Option<Decimal>,
    planned_target: Option<Decimal>,
    planned_risk: Option<Decimal>,
    rules_kept: Vec<i64>,
    rules_broken: Vec<i64>,
    reviewed_at: Option<OffsetDateTime>,
    version: i64,
    updated_at: OffsetDateTime,
    /// JSON list of [`ScreenshotRow`].
    screenshots: String,
}

/// Element of the list of screenshots of a row.
#[derive(Deserialize)]
struct ScreenshotRow {
    id: Uuid,
    media_type: String,
    width: i32,
    height: i32,
    bytes: i64,
    /// Microseconds since 1970.
    added_at: i64,
}

impl ScreenshotRow {
    fn parse(self) -> Option<Screenshot> {
        Some(Screenshot {
            screenshot_id: self.id,
            format: Format::from_media_type(&self.media_type)?,
            width: self.width,
            height: self.height,
            bytes: self.bytes,
            added_at: OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.added_at) * 1_000).ok()?,
        })
    }
}

impl Row {
    fn parse(self) -> Result<Entry, Error> {
        let kind = Kind::from_name(&self.kind).ok_or_else(|| Error::decode("kind"))?;
        let side = match self.side {
            None => None,
            Some(side) => Some(Side::from_name(&side).ok_or_else(|| Error::decode("side"))?),
        };
        let screenshots: Vec<ScreenshotRow> =
            serde_json::from_str(&self.screenshots).map_err(|_| Error::decode("screenshots"))?;
        let screenshots = screenshots.into_iter().map(ScreenshotRow::parse).collect::<Option<_>>();
        let Self { key, symbol, day, quantity, .. } = self;
        let content = Content {
            setup: self.setup,
            tags: self.tags,
            mistakes: self.mistakes,
            emotion: self.emotion,
            emotion_after: self.emotion_after,
            rating: self.rating,
            note: self.note,
            plan: self.plan,
            planned: Planned {
                entry: self.planned_entry,
                stop: self.planned_stop,
                target: self.planned_target,
                risk: self.planned_risk,
            },
            rules_kept: self.rules_kept,
            rules_broken: self.rules_broken,
            reviewed: self.reviewed_at.is_some(),
        };
        Ok(Entry {
            entry_id: self.entry_id,
            subject: Subject { kind, key, symbol, day, side, quantity },
            content,
            version: self.version,
            updated_at: self.updated_at,
            reviewed_at: self.reviewed_at,
            screenshots: screenshots.ok_or_else(|| Error::decode("screenshots"))?,
        })
    }
}

/// Parses rows in their order.
fn parse_rows(rows: Vec<Row>) -> Result<Vec<Entry>, Error> {
    rows.into_iter().map(Row::parse).collect()
}

/// Checked query of whole entries, whose first parameter is the account. `select_entries!("where …", parameters…)` reads
/// entries, and `select_entries!(["update … returning "], [], parameters…)` returns those that a statement wrote.
macro_rules! select_entries {
    ([$($before:tt)+], [$($after:tt)*] $(, $parameter:expr)* $(,)?) => {
        sqlx::query_as!(
            crate::trader_journal::store::Row,
            $($before +)+ "entry_id, kind, key, symbol, day, side, quantity, setup, tags, mistakes, emotion,
             emotion_after, rating, note, plan, planned_entry, planned_stop, planned_target, planned_risk, rules_kept,
             rules_broken, reviewed_at, version, updated_at,
             coalesce(
                 (select jsonb_agg(
                      jsonb_build_object(
                          'id', screenshot_id, 'media_type', media_type, 'width', width, 'height', height,
                          'bytes', bytes, 'added_at', (extract(epoch from added_at) * 1000000)::bigint
                      ) order by added_at, screenshot_id
                  )
                  from journal.screenshot
                  where screenshot.account_id = $1 and screenshot.entry_id = account_entry.entry_id
                      and deleted_at is null
                 )::text, '[]'
             ) as \"screenshots!\" " $(+ $after)*,
            $($parameter),*
        )
    };
    ($conditions:tt $(, $parameter:expr)* $(,)?) => {
        crate::trader_journal::store::select_entries!(
            ["select "], ["from journal.account_entry " $conditions] $(, $parameter)*
        )
    };
}
pub(crate) use select_entries;

/// Counter of an account that limits a number of rows.
#[derive(Clone, Copy)]
enum Counted {
    Entries,
    Nothing,
}

/// Takes `ids` numbers and returns the first one. Counts them as entries, unless that exceeds `max_entries`, which is
/// `None`. Locks the account's row until the end of the transaction.
async fn take_ids(
    connection: &mut PgConnection,
    account_id: Uuid,
    ids: i64,
    counted: Counted,
    max_entries: i64,
) -> Result<Option<i64>, Error> {
    lock_account(connection, account_id).await?;
    let entries = match counted {
        Counted::Entries => ids,
        Counted::Nothing => 0,
    };
    let next = sqlx::query_scalar!(
        "
        update journal.account set next_id = next_id + $2, entry_count = entry_count + $3
        where account_id = $1 and entry_count + $3 <= $4
        returning next_id
        ",
        account_id,
        ids,
        entries,
        max_entries,
    )
    .fetch_optional(connection)
    .await?;
    Ok(next.map(|next| next - ids))
}

/// Locks the account's row, and creates it if there is none.
async fn lock_account(connection: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    sqlx::query!("insert into journal.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("select account_id from journal.account where account_id = $1 for update", account_id)
        .fetch_optional(connection)
        .await?;
    Ok(())
}

/// Returns the current time with the precision of Postgres.
fn now() -> OffsetDateTime {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now)
}
