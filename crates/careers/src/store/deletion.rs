//! Deletion of applications by their candidates.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::outbox::{self, EmailKind, NewEmail};
use super::queries::find_id_by_key;
use crate::application::AccessKey;
use crate::error::Error;

/// Columns of a deleted application that are needed to delete its resume and to notify the candidate.
struct DeletedApplication {
    application_id: String,
    job_title: String,
    email: String,
    resume_id: Uuid,
}

impl Store {
    /// Deletes the candidate's application. Returns its id and the id of its resume, which the caller deletes.
    pub(crate) async fn delete_application(&self, key: &AccessKey) -> Result<(String, Uuid), Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        let deleted = sqlx::query_as!(
            DeletedApplication,
            "
            delete from careers.application where application_id = $1
            returning application_id, job_title, email, resume_id
            ",
            application_id,
        )
        .fetch_optional(&mut *connection)
        .await?
        .ok_or(Error::ApplicationNotFound)?;
        delete_dependent_rows(connection, &[application_id]).await?;
        let email = NewEmail {
            kind: EmailKind::Deleted,
            application_id: &deleted.application_id,
            job_title: &deleted.job_title,
            recipient: Some(&deleted.email),
            step: None,
            note: "",
        };
        outbox::enqueue(connection, email).await?;
        transaction.commit().await?;
        Ok((deleted.application_id, deleted.resume_id))
    }
}

/// Deletes all rows that belong to the applications, except the access log, which contains no personal data of the
/// candidate.
pub(super) async fn delete_dependent_rows(
    connection: &mut PgConnection,
    application_ids: &[String],
) -> Result<(), Error> {
    for delete in [
        sqlx::query!("delete from careers.application_key where application_id = any($1)", application_ids),
        sqlx::query!("delete from careers.idempotent_request where application_id = any($1)", application_ids),
        sqlx::query!("delete from careers.step_history where application_id = any($1)", application_ids),
        sqlx::query!("delete from careers.email where application_id = any($1)", application_ids),
    ] {
        delete.execute(&mut *connection).await?;
    }
    Ok(())
}
