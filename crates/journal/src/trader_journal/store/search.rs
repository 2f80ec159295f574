//! Search of entries by words and labels, and counts by label.

use sqlx::postgres::PgConnection;
use sqlx::{FromRow, Postgres, Transaction};
use time::Date;
use uuid::Uuid;

use super::{Store, parse_rows, select_entries};
use crate::trader_journal::entry::{Entry, Kind};
use crate::trader_journal::error::Error;
use crate::trader_journal::search_terms::{Condition, to_query};

/// Maximum number of groups.
const MAX_GROUPS: i64 = 200;
/// Maximum number of entries of positions whose keys are returned.
const MAX_POSITIONS: i64 = 20_000;

/// Conditions that an entry must meet, all of them.
#[derive(Clone, Debug, Default)]
pub struct SearchFilter {
    pub kind: Option<Kind>,
    /// Conditions on words and labels.
    pub conditions: Vec<Condition>,
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub reviewed: Option<bool>,
}

/// Position in a search result: day and id of the last entry of the previous page.
#[derive(Clone, Copy, Debug)]
pub struct SearchCursor {
    pub day: Date,
    pub entry_id: i64,
}

/// Page of a search result.
pub struct SearchPage {
    pub entries: Vec<Entry>,
    /// Number of all matching entries, on the first page only.
    pub total: Option<i64>,
}

/// Label that entries are grouped by.
#[derive(Clone, Copy, Debug)]
pub enum GroupLabel {
    Setup,
    Tag,
    Mistake,
    Emotion,
    Rating,
    /// Single group of all entries, without a name.
    None,
    Day,
    /// Setup, of the entries with a broken rule only.
    SetupWithBrokenRule,
}

impl GroupLabel {
    const fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Tag => "tag",
            Self::Mistake => "mistake",
            Self::Emotion => "emotion",
            Self::Rating => "rating",
            Self::None => "none",
            Self::Day => "day",
            Self::SetupWithBrokenRule => "setup_with_broken_rule",
        }
    }
}

/// Entries with the same label in any case.
#[derive(Debug, FromRow)]
pub struct Group {
    pub name: String,
    pub entries: i64,
    /// Sum over the entries.
    pub rules_kept: i64,
    /// Sum over the entries.
    pub rules_broken: i64,
    /// Keys of its positions, if they were requested.
    pub position_keys: Vec<String>,
}

/// Groups of entries.
pub struct Groups {
    pub groups: Vec<Group>,
    /// True if keys were requested, and too many entries match.
    pub too_many_positions: bool,
}

impl SearchFilter {
    /// Returns the query for the index. It is empty if the filter would read most entries by it, and reading them by day
    /// is faster.
    fn to_query(&self, account_id: Uuid) -> String {
        let few = self.kind.filter(|kind| *kind != Kind::Position).map(Condition::Kind);
        let conditions: Vec<Condition> = self.conditions.iter().cloned().chain(few).collect();
        to_query(account_id, &conditions)
    }
}

impl Store {
    /// Begins the reads of a search. The index of terms can only be read by bitmap scans, which are off in other sessions.
    async fn begin_search(&self, query: &str) -> Result<Transaction<'static, Postgres>, Error> {
        if query.is_empty() {
            return Ok(self.pool.begin().await?);
        }
        Ok(self.pool.begin_with("begin; set local enable_bitmapscan = on").await?)
    }

    /// Returns at most `limit` entries after `cursor`, newest day first.
    pub async fn search_entries(
        &self,
        account_id: Uuid,
        filter: &SearchFilter,
        cursor: Option<SearchCursor>,
        limit: i64,
    ) -> Result<SearchPage, Error> {
        let query = filter.to_query(account_id);
        let mut transaction = self.begin_search(&query).await?;
        let kind = filter.kind.map(Kind::name);
        let before = cursor.unwrap_or(SearchCursor { day: Date::MAX, entry_id: i64::MAX });
        // A date beyond the range of the database means no limit.
        let before_day = cursor.map(|cursor| cursor.day);
        let rows = if query.is_empty() {
            select_entries!(
                "where account_id = $1 and ($2::text is null or kind = $2) and ($3::date is null or day >= $3)
                 and ($4::date is null or day <= $4) and ($5::boolean is null or (reviewed_at is not null) = $5)
                 and ($6::date is null or (day, entry_id) < ($6, $7))
                 order by day desc, entry_id desc limit $8",
                account_id,
                kind,
                filter.from,
                filter.to,
                filter.reviewed,
                before_day,
                before.entry_id,
                limit,
            )
            .fetch_all(&mut *transaction)
            .await?
        } else {
            select_entries!(
                "where account_id = $1 and search @@ $9::text::tsquery and ($2::text is null or kind = $2)
                 and ($3::date is null or day >= $3) and ($4::date is null or day <= $4)
                 and ($5::boolean is null or (reviewed_at is not null) = $5)
                 and ($6::date is null or (day, entry_id) < ($6, $7))
                 order by day desc, entry_id desc limit $8",
                account_id,
                kind,
                filter.from,
                filter.to,
                filter.reviewed,
                before_day,
                before.entry_id,
                limit,
                query,
            )
            .fetch_all(&mut *transaction)
            .await?
        };
        let total = match cursor {
            None => Some(count_entries(&mut transaction, account_id, filter, &query).await?),
            Some(_) => None,
        };
        transaction.commit().await?;
        Ok(SearchPage { entries: parse_rows(rows)?, total })
    }

    /// Counts matching entries by label, largest groups first.
    pub async fn group_entries(
        &self,
        account_id: Uuid,
        filter: &SearchFilter,
        by: GroupLabel,
        with_positions: bool,
    ) -> Result<Groups, Error> {
        let query = filter.to_query(account_id);
        let mut transaction = self.begin_search(&query).await?;
        let too_many_positions =
            with_positions && count_entries(&mut transaction, account_id, filter, &query).await? > MAX_POSITIONS;
        let query = Some(query).filter(|query| !query.is_empty());
        let groups = sqlx::query_as!(
            Group,
            "
            select min(label) as \"name!\", count(*) as \"entries!\", sum(kept)::bigint as \"rules_kept!\",
                sum(broken)::bigint as \"rules_broken!\",
                coalesce(array_agg(key) filter (where $9 and kind = 'position'), '{}') as \"position_keys!\"
            from (
                select key, kind, cardinality(rules_kept) as kept, cardinality(rules_broken) as broken,
                    unnest(
                        case $7
                            when 'setup' then array[nullif(setup, '')]
                            when 'tag' then tags
                            when 'mistake' then mistakes
                            when 'emotion' then array[nullif(emotion, '')]
                            when 'rating' then array[rating::text]
                            when 'day' then array[day::text]
                            when 'setup_with_broken_rule'
                                then case when rules_broken <> '{}' then array[nullif(setup, '')] end
                            else array['']
                        end
                    ) as label
                from journal.account_entry
                where account_id = $1 and ($6::text is null or search @@ $6::text::tsquery)
                    and ($2::text is null or kind = $2) and ($3::date is null or day >= $3)
                    and ($4::date is null or day <= $4) and ($5::boolean is null or (reviewed_at is not null) = $5)
            ) as labels
            where label is not null
            group by lower(label)
            order by count(*) desc, min(label)
            limit $8
            ",
            account_id,
            filter.kind.map(Kind::name),
            filter.from,
            filter.to,
            filter.reviewed,
            query,
            by.name(),
            MAX_GROUPS,
            with_positions && !too_many_positions,
        )
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Groups { groups, too_many_positions })
    }
}

async fn count_entries(
    connection: &mut PgConnection,
    account_id: Uuid,
    filter: &SearchFilter,
    query: &str,
) -> Result<i64, Error> {
    let kind = filter.kind.map(Kind::name);
    let count = if query.is_empty() {
        sqlx::query_scalar!(
            "
            select count(*) as \"count!\" from journal.account_entry
            where account_id = $1 and ($2::text is null or kind = $2) and ($3::date is null or day >= $3)
                and ($4::date is null or day <= $4) and ($5::boolean is null or (reviewed_at is not null) = $5)
            ",
            account_id,
            kind,
            filter.from,
            filter.to,
            filter.reviewed,
        )
        .fetch_one(connection)
        .await?
    } else {
        sqlx::query_scalar!(
            "
            select count(*) as \"count!\" from journal.account_entry
            where account_id = $1 and search @@ $6::text::tsquery and ($2::text is null or kind = $2)
                and ($3::date is null or day >= $3) and ($4::date is null or day <= $4)
                and ($5::boolean is null or (reviewed_at is not null) = $5)
            ",
            account_id,
            kind,
            filter.from,
            filter.to,
            filter.reviewed,
            query,
        )
        .fetch_one(connection)
        .await?
    };
    Ok(count)
}
