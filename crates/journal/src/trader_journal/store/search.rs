//! Search of entries by words and labels, and counts by label.

use sqlx::FromRow;
use time::Date;
use uuid::Uuid;

use super::{Store, parse_rows, select_entries};
use crate::trader_journal::entry::{Entry, Kind};
use crate::trader_journal::error::Error;
use crate::trader_journal::search_terms::{Condition, to_query};

/// Maximum number of groups.
const MAX_GROUPS: i64 = 200;

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
}

impl GroupLabel {
    const fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Tag => "tag",
            Self::Mistake => "mistake",
            Self::Emotion => "emotion",
            Self::Rating => "rating",
        }
    }
}

/// Number of entries with the same label in any case.
#[derive(Debug, FromRow)]
pub struct Group {
    pub name: String,
    pub entries: i64,
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
    /// Returns at most `limit` entries after `cursor`, newest day first.
    pub async fn search_entries(
        &self,
        account_id: Uuid,
        filter: &SearchFilter,
        cursor: Option<SearchCursor>,
        limit: i64,
    ) -> Result<SearchPage, Error> {
        let query = filter.to_query(account_id);
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
            .fetch_all(&self.pool)
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
            .fetch_all(&self.pool)
            .await?
        };
        let total = match cursor {
            None => Some(self.count_entries(account_id, filter, &query).await?),
            Some(_) => None,
        };
        Ok(SearchPage { entries: parse_rows(rows)?, total })
    }

    async fn count_entries(&self, account_id: Uuid, filter: &SearchFilter, query: &str) -> Result<i64, Error> {
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
            .fetch_one(&self.pool)
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
            .fetch_one(&self.pool)
            .await?
        };
        Ok(count)
    }

    /// Counts matching entries by label, largest groups first.
    pub async fn group_entries(
        &self,
        account_id: Uuid,
        filter: &SearchFilter,
        by: GroupLabel,
    ) -> Result<Vec<Group>, Error> {
        let query = Some(filter.to_query(account_id)).filter(|query| !query.is_empty());
        let groups = sqlx::query_as!(
            Group,
            "
            select min(label) as \"name!\", count(*) as \"entries!\"
            from (
                select unnest(
                    case $7
                        when 'setup' then array[setup]
                        when 'tag' then tags
                        when 'mistake' then mistakes
                        when 'emotion' then array[emotion]
                        else array[rating::text]
                    end
                ) as label
                from journal.account_entry
                where account_id = $1 and ($6::text is null or search @@ $6::text::tsquery)
                    and ($2::text is null or kind = $2) and ($3::date is null or day >= $3)
                    and ($4::date is null or day <= $4) and ($5::boolean is null or (reviewed_at is not null) = $5)
            ) as labels
            where label <> ''
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
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(groups)
    }
}
