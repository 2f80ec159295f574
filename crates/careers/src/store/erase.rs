//! Erasing applications: when the candidate wants it, and when their time is over.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::letters::{self, LetterKind};
use super::read::id_of_key;
use crate::application::Key;
use crate::error::Error;

/// How many are erased at once.
const BATCH: i64 = 100;

/// What is left of an application that was erased: what to delete from the store of resumes.
struct Erased {
    application_id: String,
    job_title: String,
    email: String,
    resume_id: Uuid,
}

impl Store {
    /// Erases the candidate's application, and says which it was and which resume goes with it.
    pub(crate) async fn erase(&self, key: &Key) -> Result<(String, Uuid), Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = id_of_key(&mut *connection, key).await?;
        let erased = sqlx::query_as!(
            Erased,
            "
            delete from careers.application where application_id = $1
            returning application_id, job_title, email, resume_id
            ",
            application_id,
        )
        .fetch_optional(&mut *connection)
        .await?
        .ok_or(Error::NoApplication)?;
        forget(connection, &[application_id]).await?;
        let about = letters::About { application_id: &erased.application_id, job_title: &erased.job_title };
        letters::ask(connection, LetterKind::Erased, about, Some(&erased.email), "").await?;
        transaction.commit().await?;
        Ok((erased.application_id, erased.resume_id))
    }

    /// Erases some applications whose time is over, and says which resumes go with them; none once all are.
    pub(crate) async fn erase_expired(&self) -> Result<Vec<Uuid>, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let erased = sqlx::query!(
            "
            delete from careers.application
            where application_id in (
                select application_id from careers.application where kept_until <= now()
                order by kept_until limit $1 for update skip locked
            )
            returning application_id, resume_id
            ",
            BATCH,
        )
        .fetch_all(&mut *connection)
        .await?;
        let ids: Vec<String> = erased.iter().map(|row| row.application_id.clone()).collect();
        forget(connection, &ids).await?;
        transaction.commit().await?;
        Ok(erased.into_iter().map(|row| row.resume_id).collect())
    }

    /// Deletes what is of no use any more: answers to requests, counts of days, and records of erased applications.
    pub(crate) async fn sweep(&self) -> Result<(), Error> {
        for swept in [
            sqlx::query!("delete from careers.answered_request where answered_at < now() - interval '1 day'"),
            sqlx::query!("delete from careers.day where day < current_date - 7"),
            sqlx::query!(
                "
                delete from careers.access_record r
                where r.at < now() - interval '1 year' and not exists (
                    select from careers.application a where a.application_id = r.application_id
                )
                ",
            ),
        ] {
            swept.execute(&self.pool).await?;
        }
        Ok(())
    }
}

/// Erases all that hangs on these applications. That somebody of the company read them stays known; it says nothing of
/// the candidate.
async fn forget(connection: &mut PgConnection, application_ids: &[String]) -> Result<(), Error> {
    for forgotten in [
        sqlx::query!("delete from careers.application_key where application_id = any($1)", application_ids),
        sqlx::query!("delete from careers.answered_request where application_id = any($1)", application_ids),
        sqlx::query!("delete from careers.letter where application_id = any($1)", application_ids),
    ] {
        forgotten.execute(&mut *connection).await?;
    }
    Ok(())
}
