//! Changes of applications by the candidate and by the company.

use rpc::failure::Violation;

use super::Store;
use super::access_log::record_access;
use super::outbox::{self, EmailKind, NewEmail};
use super::queries::{find, find_id_by_key};
use super::retention::update_expiry;
use super::step_history::record_step;
use crate::answers::Answers;
use crate::application::{AccessKey, Application, Step};
use crate::error::Error;
use crate::settings::Retention;

/// Shortest time in days until an application is deleted after its candidate revoked the consent to later roles; long
/// enough to download it, or to notice a mistake.
const MIN_DAYS_AFTER_REVOCATION: i32 = 7;

/// Result of a change of the step by the company.
pub(crate) struct StepChange {
    pub(crate) application: Application,
    /// True if an email to the candidate was queued.
    pub(crate) email_queued: bool,
    /// True if the email replaced an unsent one about an earlier step.
    pub(crate) email_replaced: bool,
}

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
        let updated = find(&mut *connection, &application_id).await?;
        outbox::enqueue(connection, NewEmail::to_candidate(EmailKind::Corrected, &updated)).await?;
        transaction.commit().await?;
        Ok(updated)
    }

    /// Withdraws the candidate's application, and revokes the consent to later roles. Has no effect if it is already
    /// withdrawn.
    pub(crate) async fn withdraw(&self, key: &AccessKey, retention: Retention) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        let withdrawn = sqlx::query!(
            "
            update careers.application
            set withdrawn_at = now(), consent_later_roles = case when consent_later_roles then false
                                                                 else consent_later_roles end
            where application_id = $1 and withdrawn_at is null
            ",
            application_id,
        )
        .execute(&mut *connection)
        .await?;
        let is_new = withdrawn.rows_affected() == 1;
        if is_new {
            update_expiry(connection, &application_id, retention, 0).await?;
            outbox::remove_unsent(connection, &application_id, &[EmailKind::Step, EmailKind::Note]).await?;
        }
        let application = find(&mut *connection, &application_id).await?;
        if is_new {
            outbox::enqueue(connection, NewEmail::to_candidate(EmailKind::Withdrawn, &application)).await?;
        }
        transaction.commit().await?;
        Ok(application)
    }

    /// Sets or revokes the consent to later roles, if the client asked for consents when the candidate applied.
    pub(crate) async fn set_later_roles(
        &self,
        key: &AccessKey,
        agreed: bool,
        retention: Retention,
    ) -> Result<Application, Error> {
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
        update_expiry(connection, &application_id, retention, MIN_DAYS_AFTER_REVOCATION).await?;
        let application = find(&mut *connection, &application_id).await?;
        transaction.commit().await?;
        Ok(application)
    }

    /// Moves an application to another step, for the company. Without a new step, the note alone is sent.
    pub(crate) async fn set_step(
        &self,
        application_id: &str,
        step: Step,
        note: &str,
        caller: &str,
        retention: Retention,
    ) -> Result<StepChange, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        lock(connection, application_id).await?;
        let application = find(&mut *connection, application_id).await?;
        if application.withdrawn_at.is_some() {
            return Err(Error::Withdrawn);
        }
        let ids = [application.application_id.clone()];
        record_access(&mut *connection, &ids, caller, &format!("step: {}", step.name())).await?;
        let is_new_step = application.step != step;
        let kind = if is_new_step { EmailKind::Step } else { EmailKind::Note };
        if is_new_step {
            sqlx::query!(
                "update careers.application set step = $2, step_since = now() where application_id = $1",
                application_id,
                step.name(),
            )
            .execute(&mut *connection)
            .await?;
            update_expiry(connection, application_id, retention, 0).await?;
        }
        let email_queued = is_new_step || !note.is_empty();
        let mut email_replaced = false;
        if email_queued {
            record_step(connection, application_id, step, note, caller).await?;
            let email = NewEmail { step: Some(step), note, ..NewEmail::to_candidate(kind, &application) };
            email_replaced = outbox::enqueue(connection, email).await?;
        }
        let application = find(&mut *connection, application_id).await?;
        transaction.commit().await?;
        Ok(StepChange { application, email_queued, email_replaced })
    }
}

/// Locks the application's row, so that changes are made one after the other.
async fn lock(connection: &mut sqlx::PgConnection, application_id: &str) -> Result<(), Error> {
    sqlx::query!("select application_id from careers.application where application_id = $1 for update", application_id)
        .fetch_optional(connection)
        .await?;
    Ok(())
}
