//! Playbooks.

use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Counted, Store, now, parse_rows, select_entries, take_ids};
use crate::trader_journal::error::{Error, PLAYBOOK_CHANGED, PLAYBOOK_NAME_TAKEN, PLAYBOOK_NOT_FOUND, PLAYBOOKS_FULL};
use crate::trader_journal::playbook::{MAX_PLAYBOOKS, Playbook, Rule};
use crate::trader_journal::search_terms::{Condition, list_terms, to_query};

/// Number of entries that are given a new setup by one statement.
const RENAME_BATCH: usize = 1_000;

/// Row of `journal.playbook`.
struct Row {
    playbook_id: i64,
    name: String,
    description: String,
    rules: String,
    version: i64,
    created_at: OffsetDateTime,
}

impl Row {
    fn parse(self) -> Result<Playbook, Error> {
        let rules: Vec<Rule> = serde_json::from_str(&self.rules).map_err(|_| Error::decode("rules"))?;
        let Self { playbook_id, name, description, version, created_at, .. } = self;
        Ok(Playbook { playbook_id, name, description, rules, version, created_at })
    }
}

impl Store {
    /// Lists the playbooks by name.
    pub async fn list_playbooks(&self, account_id: Uuid) -> Result<Vec<Playbook>, Error> {
        let rows = sqlx::query_as!(
            Row,
            "
            select playbook_id, name, description, rules::text as \"rules!\", version, created_at from journal.playbook
            where account_id = $1
            order by name_key
            ",
            account_id,
        );
        rows.fetch_all(&self.pool).await?.into_iter().map(Row::parse).collect()
    }

    /// Creates a playbook if its id is 0, otherwise replaces it. A new name is given to the entries with that setup.
    pub async fn save_playbook(&self, account_id: Uuid, mut playbook: Playbook) -> Result<Playbook, Error> {
        let mut transaction = self.pool.begin().await?;
        let new_rules = playbook.rules.iter().filter(|rule| rule.id == 0).count();
        let ids = i64::try_from(new_rules).unwrap_or(i64::MAX).saturating_add(1);
        let first = take_ids(&mut transaction, account_id, ids, Counted::Nothing, i64::MAX).await?;
        let mut next_id = first.ok_or_else(|| Error::decode("next_id"))?;
        let mut take_id = || {
            next_id += 1;
            next_id - 1
        };
        let earlier = find(&mut transaction, account_id, playbook.playbook_id).await?;
        check_rules(&playbook, earlier.as_ref())?;
        for rule in playbook.rules.iter_mut().filter(|rule| rule.id == 0) {
            rule.id = take_id();
        }
        match earlier {
            None if playbook.playbook_id == 0 => {
                playbook.playbook_id = take_id();
                (playbook.version, playbook.created_at) = (1, now());
                insert(&mut transaction, account_id, &playbook).await?;
            }
            None => return Err(PLAYBOOK_NOT_FOUND),
            Some(earlier) if earlier.version != playbook.version => return Err(PLAYBOOK_CHANGED),
            Some(earlier) => {
                (playbook.version, playbook.created_at) = (earlier.version + 1, earlier.created_at);
                update(&mut transaction, account_id, &playbook).await?;
                if earlier.name != playbook.name {
                    rename_setup(&mut transaction, account_id, &earlier.name, &playbook.name).await?;
                }
            }
        }
        transaction.commit().await?;
        Ok(playbook)
    }

    /// Deletes a playbook. The entries keep their setup.
    pub async fn delete_playbook(&self, account_id: Uuid, playbook_id: i64) -> Result<(), Error> {
        let deleted = sqlx::query!(
            "delete from journal.playbook where account_id = $1 and playbook_id = $2",
            account_id,
            playbook_id,
        );
        match deleted.execute(&self.pool).await?.rows_affected() {
            0 => Err(PLAYBOOK_NOT_FOUND),
            _ => Ok(()),
        }
    }
}

/// Rejects ids of rules that the playbook does not have.
fn check_rules(playbook: &Playbook, earlier: Option<&Playbook>) -> Result<(), Error> {
    let is_known = |id| id == 0 || earlier.is_some_and(|earlier| earlier.rules.iter().any(|rule| rule.id == id));
    match playbook.rules.iter().position(|rule| !is_known(rule.id)) {
        Some(index) => Err(rpc::failure::Violation::new(format!("playbook.rules[{index}].id"), "RULES_INVALID").into()),
        None => Ok(()),
    }
}

async fn find(connection: &mut PgConnection, account_id: Uuid, playbook_id: i64) -> Result<Option<Playbook>, Error> {
    let row = sqlx::query_as!(
        Row,
        "
        select playbook_id, name, description, rules::text as \"rules!\", version, created_at from journal.playbook
        where account_id = $1 and playbook_id = $2
        ",
        account_id,
        playbook_id,
    );
    row.fetch_optional(connection).await?.map(Row::parse).transpose()
}

fn to_error(error: sqlx::Error) -> Error {
    match db::violated_constraint(&error) {
        Some("playbook_name") => PLAYBOOK_NAME_TAKEN,
        Some(_) | None => error.into(),
    }
}

fn to_json(rules: &[Rule]) -> Result<String, Error> {
    serde_json::to_string(rules).map_err(|_| Error::decode("rules"))
}

async fn insert(connection: &mut PgConnection, account_id: Uuid, playbook: &Playbook) -> Result<(), Error> {
    let count =
        sqlx::query_scalar!("select count(*) as \"count!\" from journal.playbook where account_id = $1", account_id);
    if count.fetch_one(&mut *connection).await? >= MAX_PLAYBOOKS {
        return Err(PLAYBOOKS_FULL);
    }
    let inserted = sqlx::query!(
        "
        insert into journal.playbook (account_id, playbook_id, name, name_key, description, rules, created_at)
        values ($1, $2, $3, $4, $5, $6::text::jsonb, $7)
        ",
        account_id,
        playbook.playbook_id,
        playbook.name,
        playbook.name.to_lowercase(),
        playbook.description,
        to_json(&playbook.rules)?,
        playbook.created_at,
    );
    inserted.execute(connection).await.map_err(to_error)?;
    Ok(())
}

async fn update(connection: &mut PgConnection, account_id: Uuid, playbook: &Playbook) -> Result<(), Error> {
    let updated = sqlx::query!(
        "
        update journal.playbook
        set name = $3, name_key = $4, description = $5, rules = $6::text::jsonb, version = $7
        where account_id = $1 and playbook_id = $2
        ",
        account_id,
        playbook.playbook_id,
        playbook.name,
        playbook.name.to_lowercase(),
        playbook.description,
        to_json(&playbook.rules)?,
        playbook.version,
    );
    updated.execute(connection).await.map_err(to_error)?;
    Ok(())
}

/// Gives the entries with the setup `from`, in any case, the setup `to`.
async fn rename_setup(connection: &mut PgConnection, account_id: Uuid, from: &str, to: &str) -> Result<(), Error> {
    let query = to_query(account_id, &[Condition::Setup(from.to_owned())]);
    let rows = select_entries!("where account_id = $1 and search @@ $2::text::tsquery for update", account_id, query);
    let mut entries = parse_rows(rows.fetch_all(&mut *connection).await?)?;
    for entry in &mut entries {
        to.clone_into(&mut entry.content.setup);
    }
    for batch in entries.chunks(RENAME_BATCH) {
        let ids: Vec<i64> = batch.iter().map(|entry| entry.entry_id).collect();
        // One text per entry: an array of arrays must be rectangular.
        let terms: Vec<String> =
            batch.iter().map(|entry| list_terms(account_id, &entry.subject, &entry.content).join("\n")).collect();
        sqlx::query!(
            "
            update journal.account_entry
            set setup = $4, version = version + 1, updated_at = $5,
                search = array_to_tsvector(string_to_array(renamed.terms, e'\\n'))
            from unnest($2::bigint[], $3::text[]) as renamed (entry_id, terms)
            where journal.account_entry.account_id = $1 and journal.account_entry.entry_id = renamed.entry_id
            ",
            account_id,
            &ids,
            &terms,
            to,
            now(),
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
