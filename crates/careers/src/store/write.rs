//! Changing applications.

use super::Store;
use super::letters::{self, LetterKind};
use super::read::{find, id_of_key, record};
use crate::answers::{Answers, violation};
use crate::application::{Application, Key, Step};
use crate::error::Error;

impl Store {
    /// Takes new answers of the candidate, while nobody has looked at the old ones.
    pub(crate) async fn correct(&self, key: &Key, answers: &Answers) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = id_of_key(&mut *connection, key).await?;
        lock(connection, &application_id).await?;
        let application = find(&mut *connection, &application_id).await?;
        if application.withdrawn_at.is_some() {
            return Err(Error::Withdrawn);
        }
        if application.step != Step::Received {
            return Err(Error::TooLate);
        }
        if application.answers.email_key() != answers.email_key() {
            let message = "The e-mail address stays. To apply with another one, withdraw this and apply again.";
            return Err(Error::Invalid(vec![violation("email", "FIXED", message)]));
        }
        if application.answers == *answers {
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
        let about = letters::About { application_id: &application_id, job_title: &application.job_title };
        letters::ask(connection, LetterKind::Corrected, about, Some(&answers.email), "").await?;
        let corrected = find(&mut *connection, &application_id).await?;
        transaction.commit().await?;
        Ok(corrected)
    }

    /// Withdraws the candidate's application, if it is not.
    pub(crate) async fn withdraw(&self, key: &Key) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = id_of_key(&mut *connection, key).await?;
        let withdrawn = sqlx::query!(
            "update careers.application set withdrawn_at = now() where application_id = $1 and withdrawn_at is null",
            application_id,
        )
        .execute(&mut *connection)
        .await?;
        let application = find(&mut *connection, &application_id).await?;
        if withdrawn.rows_affected() == 1 {
            let about = letters::About { application_id: &application_id, job_title: &application.job_title };
            let to = Some(application.answers.email.as_str());
            letters::ask(connection, LetterKind::Withdrawn, about, to, "").await?;
        }
        transaction.commit().await?;
        Ok(application)
    }

    /// Agrees to be kept for later roles, or takes it back, where the candidate was asked.
    pub(crate) async fn set_later_roles(&self, key: &Key, agreed: bool) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = id_of_key(&mut *connection, key).await?;
        let set = sqlx::query!(
            "
            update careers.application set consent_later_roles = $2
            where application_id = $1 and consent_later_roles is not null
            ",
            application_id,
            agreed,
        )
        .execute(&mut *connection)
        .await?;
        if set.rows_affected() == 0 {
            return Err(Error::NotAsked);
        }
        let application = find(&mut *connection, &application_id).await?;
        transaction.commit().await?;
        Ok(application)
    }

    /// Moves an application to another step, for somebody of the company.
    pub(crate) async fn set_step(
        &self,
        application_id: &str,
        step: Step,
        note: &str,
        who: &str,
    ) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        lock(connection, application_id).await?;
        let application = find(&mut *connection, application_id).await?;
        if application.withdrawn_at.is_some() {
            return Err(Error::Withdrawn);
        }
        let ids = [application.application_id.clone()];
        record(&mut *connection, &ids, who, &format!("step: {}", step.name())).await?;
        if application.step != step {
            sqlx::query!(
                "update careers.application set step = $2, step_since = now() where application_id = $1",
                application_id,
                step.name(),
            )
            .execute(&mut *connection)
            .await?;
            let about = letters::About { application_id, job_title: &application.job_title };
            let to = Some(application.answers.email.as_str());
            letters::ask(connection, LetterKind::Step, about, to, note).await?;
        }
        let moved = find(&mut *connection, application_id).await?;
        transaction.commit().await?;
        Ok(moved)
    }
}

/// Waits until nobody else changes the application.
async fn lock(connection: &mut sqlx::PgConnection, application_id: &str) -> Result<(), Error> {
    sqlx::query!("select application_id from careers.application where application_id = $1 for update", application_id)
        .fetch_optional(connection)
        .await?;
    Ok(())
}
