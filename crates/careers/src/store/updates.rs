//! Changes of applications by the candidate and by the company.

use rpc::failure::Violation;

use super::Store;
use super::access_log::record_access;
use super::outbox::{self, ApplicationRef, EmailKind};
use super::queries::{find, find_id_by_key};
use crate::answers::Answers;
use crate::application::{AccessKey, Application, Step};
use crate::error::Error;

impl Store {
    /// Replaces the candidate's answers by the result of `change`, unless the review has started.
    ///
    /// `change` runs under the lock of the application, so that concurrent changes of different fields are all kept.
    pub(crate) async fn update_answers(
        &self,
        key: &AccessKey,
        change: impl FnOnce(Answers) -> Result<Answers, Vec<Violation>>,
    ) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        lock(connection, &application_id).await?;
        let application = find(&mut *connection, &application_id).await?;
        let answers = change(application.answers.clone()).map_err(Error::Invalid)?;
        if application.withdrawn_at.is_some() {
            return Err(Error::Withdrawn);
        }
        if application.step != Step::Received {
            return Err(Error::AlreadyInReview);
        }
        if application.answers.email_lower() != answers.email_lower() {
            return Err(Error::Invalid(vec![Violation::new("answers.email", "NOT_EDITABLE")]));
        }
        if application.answers == answers {
            return Ok(application);
        }
        sqlx::query!(
            "
            update careers.application
            set name = $2, email = $3, mobile = $4, college = $5, degree = $6, passing_year = $7, role = $8,
                experience = $9, linkedin = $10, motivation = $11
            where application_id = $1
            ",
            application_id,
            answers.name,
            answers.email,
            answers.mobile,
            answers.college,
            answers.degree,
            answers.passing_year,
            answers.role,
            answers.experience,
            answers.linkedin,
            answers.motivation,
        )
        .execute(&mut *connection)
        .await?;
        let application_ref = ApplicationRef { application_id: &application_id, job_title: &application.job_title };
        outbox::enqueue(connection, EmailKind::Corrected, application_ref, Some(&answers.email), "").await?;
        let updated = find(&mut *connection, &application_id).await?;
        transaction.commit().await?;
        Ok(updated)
    }

    /// Withdraws the candidate's application. Has no effect if it is already withdrawn.
    pub(crate) async fn withdraw(&self, key: &AccessKey) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        let withdrawn = sqlx::query!(
            "update careers.application set withdrawn_at = now() where application_id = $1 and withdrawn_at is null",
            application_id,
        )
        .execute(&mut *connection)
        .await?;
        let application = find(&mut *connection, &application_id).await?;
        if withdrawn.rows_affected() == 1 {
            let application_ref = ApplicationRef { application_id: &application_id, job_title: &application.job_title };
            let recipient = Some(application.answers.email.as_str());
            outbox::enqueue(connection, EmailKind::Withdrawn, application_ref, recipient, "").await?;
        }
        transaction.commit().await?;
        Ok(application)
    }

    /// Sets or revokes the consent to later roles, if the client asked for consents when the candidate applied.
    pub(crate) async fn set_later_roles(&self, key: &AccessKey, agreed: bool) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        let updated = sqlx::query!(
            "
            update careers.application set consent_later_roles = $2
            where application_id = $1 and consent_later_roles is not null
            ",
            application_id,
            agreed,
        )
        .execute(&mut *connection)
        .await?;
        if updated.rows_affected() == 0 {
            return Err(Error::ConsentsNotRequested);
        }
        let application = find(&mut *connection, &application_id).await?;
        transaction.commit().await?;
        Ok(application)
    }

    /// Moves an application to another step, for the company.
    pub(crate) async fn set_step(
        &self,
        application_id: &str,
        step: Step,
        note: &str,
        caller: &str,
    ) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        lock(connection, application_id).await?;
        let application = find(&mut *connection, application_id).await?;
        if application.withdrawn_at.is_some() {
            return Err(Error::Withdrawn);
        }
        let ids = [application.application_id.clone()];
        record_access(&mut *connection, &ids, caller, &format!("step: {}", step.name())).await?;
        if application.step != step {
            sqlx::query!(
                "update careers.application set step = $2, step_since = now() where application_id = $1",
                application_id,
                step.name(),
            )
            .execute(&mut *connection)
            .await?;
            let application_ref = ApplicationRef { application_id, job_title: &application.job_title };
            let recipient = Some(application.answers.email.as_str());
            outbox::enqueue(connection, EmailKind::Step, application_ref, recipient, note).await?;
        }
        let updated = find(&mut *connection, application_id).await?;
        transaction.commit().await?;
        Ok(updated)
    }
}

/// Locks the application's row, so that changes are made one after the other.
async fn lock(connection: &mut sqlx::PgConnection, application_id: &str) -> Result<(), Error> {
    sqlx::query!("select application_id from careers.application where application_id = $1 for update", application_id)
        .fetch_optional(connection)
        .await?;
    Ok(())
}
