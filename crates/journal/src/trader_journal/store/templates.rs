//! Templates of days.

use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::{Counted, Store, take_ids};
use crate::trader_journal::error::{Error, TEMPLATE_CHANGED, TEMPLATE_NAME_TAKEN, TEMPLATE_NOT_FOUND, TEMPLATES_FULL};
use crate::trader_journal::playbook::{MAX_TEMPLATES, Template};

impl Store {
    /// Lists the templates by name.
    pub async fn list_templates(&self, account_id: Uuid) -> Result<Vec<Template>, Error> {
        let templates = sqlx::query_as!(
            Template,
            "
            select template_id, name, plan, note, version from journal.template where account_id = $1 order by name_key
            ",
            account_id,
        );
        Ok(templates.fetch_all(&self.pool).await?)
    }

    /// Creates a template if its id is 0, otherwise replaces it.
    pub async fn save_template(&self, account_id: Uuid, mut template: Template) -> Result<Template, Error> {
        let mut transaction = self.pool.begin().await?;
        let new_id = take_ids(&mut transaction, account_id, 1, Counted::Nothing, i64::MAX).await?;
        if template.template_id == 0 {
            template.template_id = new_id.ok_or_else(|| Error::decode("next_id"))?;
            template.version = 1;
            insert(&mut transaction, account_id, &template).await?;
        } else {
            template.version = update(&mut transaction, account_id, &template).await?;
        }
        transaction.commit().await?;
        Ok(template)
    }

    /// Deletes a template.
    pub async fn delete_template(&self, account_id: Uuid, template_id: i64) -> Result<(), Error> {
        let deleted = sqlx::query!(
            "delete from journal.template where account_id = $1 and template_id = $2",
            account_id,
            template_id,
        );
        match deleted.execute(&self.pool).await?.rows_affected() {
            0 => Err(TEMPLATE_NOT_FOUND),
            _ => Ok(()),
        }
    }
}

fn to_error(error: sqlx::Error) -> Error {
    match db::violated_constraint(&error) {
        Some("template_name") => TEMPLATE_NAME_TAKEN,
        Some(_) | None => error.into(),
    }
}

async fn insert(connection: &mut PgConnection, account_id: Uuid, template: &Template) -> Result<(), Error> {
    let count =
        sqlx::query_scalar!("select count(*) as \"count!\" from journal.template where account_id = $1", account_id);
    if count.fetch_one(&mut *connection).await? >= MAX_TEMPLATES {
        return Err(TEMPLATES_FULL);
    }
    let inserted = sqlx::query!(
        "
        insert into journal.template (account_id, template_id, name, name_key, plan, note)
        values ($1, $2, $3, $4, $5, $6)
        ",
        account_id,
        template.template_id,
        template.name,
        template.name.to_lowercase(),
        template.plan,
        template.note,
    );
    inserted.execute(connection).await.map_err(to_error)?;
    Ok(())
}

/// Replaces a template if it has the given version, and returns the new version.
async fn update(connection: &mut PgConnection, account_id: Uuid, template: &Template) -> Result<i64, Error> {
    let stored = sqlx::query_scalar!(
        "select version from journal.template where account_id = $1 and template_id = $2",
        account_id,
        template.template_id,
    );
    let stored = stored.fetch_optional(&mut *connection).await?.ok_or(TEMPLATE_NOT_FOUND)?;
    if stored != template.version {
        return Err(TEMPLATE_CHANGED);
    }
    let updated = sqlx::query!(
        "
        update journal.template set name = $3, name_key = $4, plan = $5, note = $6, version = $7
        where account_id = $1 and template_id = $2
        ",
        account_id,
        template.template_id,
        template.name,
        template.name.to_lowercase(),
        template.plan,
        template.note,
        stored + 1,
    );
    updated.execute(connection).await.map_err(to_error)?;
    Ok(stored + 1)
}
