//! Taking an application in, once.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Store;
use super::letters::{self, LetterKind};
use crate::application::NewApplication;
use crate::error::{Error, lock_timed_out};

/// Applications of one e-mail address to one job that are answered by letter in a day.
const MOST_MAILED_A_DAY: i64 = 3;

/// What came of an application.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) application_id: String,
    pub(crate) received_at: OffsetDateTime,
    /// It was stored before, by a request of the same key.
    pub(crate) replayed: bool,
}

/// How much is taken and kept.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) bytes_a_day: i64,
    pub(crate) keep: time::Duration,
}

impl Store {
    /// What came of this application before, where it has a key.
    pub(crate) async fn answered(&self, new: &NewApplication) -> Result<Option<Stored>, Error> {
        match &new.idempotency_key {
            Some(key) => answered(&mut *self.pool.acquire().await?, new, key).await,
            None => Ok(None),
        }
    }

    /// Whether so much came in today that no more is taken.
    pub(crate) async fn is_day_full(&self, limits: Limits) -> Result<bool, Error> {
        let bytes = sqlx::query_scalar!(
            "select resume_bytes from careers.day where day = (now() at time zone 'Asia/Kolkata')::date",
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(bytes.is_some_and(|bytes| bytes >= limits.bytes_a_day))
    }

    /// Stores an application whose resume is stored, and asks for the letters about it; or finds that it was stored
    /// before, by a request of the same key.
    pub(crate) async fn add(&self, new: &NewApplication, limits: Limits, inbox: bool) -> Result<Stored, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        if let Some(key) = &new.idempotency_key
            && !claim(connection, new, key).await?
        {
            let stored = answered(connection, new, key).await?;
            return stored.ok_or_else(|| Error::InProgress(sqlx::Error::RowNotFound));
        }
        // From here one application is stored after the other.
        count_in(connection, new.resume.bytes, limits).await?;
        let mailed = sqlx::query_scalar!(
            r#"
            select count(*) < $3 as "mailed!" from careers.application
            where email_key = $1 and job_id = $2 and received_at > now() - interval '1 day'
            "#,
            new.answers.email_key(),
            new.job_id,
            MOST_MAILED_A_DAY,
        )
        .fetch_one(&mut *connection)
        .await?;
        let received_at = insert(connection, new, limits.keep).await?;
        if mailed {
            let about = letters::About { application_id: &new.application_id, job_title: &new.job_title };
            letters::ask(connection, LetterKind::Receipt, about, Some(&new.answers.email), "").await?;
            if inbox {
                letters::ask(connection, LetterKind::NewApplication, about, None, "").await?;
            }
        }
        transaction.commit().await?;
        Ok(Stored { application_id: new.application_id.clone(), received_at, replayed: false })
    }
}

/// Takes the key for this request. Of two at once the later one waits for the first, and finds it taken.
async fn claim(connection: &mut PgConnection, new: &NewApplication, key: &str) -> Result<bool, Error> {
    let claimed = sqlx::query!(
        "
        insert into careers.answered_request (job_id, email_key, idempotency_key, request_sha256, application_id)
        values ($1, $2, $3, $4, $5)
        on conflict do nothing
        ",
        new.job_id,
        new.answers.email_key(),
        key,
        &new.digest(),
        new.application_id,
    )
    .execute(connection)
    .await
    .map_err(|error| if lock_timed_out(&error) { Error::InProgress(error) } else { error.into() })?;
    Ok(claimed.rows_affected() == 1)
}

/// The answer that was given to the request of this key.
async fn answered(connection: &mut PgConnection, new: &NewApplication, key: &str) -> Result<Option<Stored>, Error> {
    let row = sqlx::query!(
        "
        select application_id, request_sha256, answered_at from careers.answered_request
        where job_id = $1 and email_key = $2 and idempotency_key = $3
        ",
        new.job_id,
        new.answers.email_key(),
        key,
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.request_sha256 != new.digest() {
        return Err(Error::KeyReused);
    }
    // Both rows were written in one transaction, at one moment.
    Ok(Some(Stored { application_id: row.application_id, received_at: row.answered_at, replayed: true }))
}

/// Counts the resume in, while the day has room for it.
async fn count_in(connection: &mut PgConnection, bytes: i64, limits: Limits) -> Result<(), Error> {
    let counted = sqlx::query!(
        "
        insert into careers.day as d (day, resume_bytes)
        select (now() at time zone 'Asia/Kolkata')::date, $1::bigint where $1 <= $2::bigint
        on conflict (day) do update set resume_bytes = d.resume_bytes + $1 where d.resume_bytes + $1 <= $2
        ",
        bytes,
        limits.bytes_a_day,
    )
    .execute(connection)
    .await?;
    if counted.rows_affected() == 1 { Ok(()) } else { Err(Error::DayFull) }
}

async fn insert(
    connection: &mut PgConnection,
    new: &NewApplication,
    keep: time::Duration,
) -> Result<OffsetDateTime, Error> {
    let (answers, consents) = (&new.answers, new.consents.as_ref());
    Ok(sqlx::query_scalar!(
        "
        insert into careers.application (
            application_id, job_id, job_title, name, email, email_key, mobile, college, degree, passing_year, role,
            experience, linkedin, motivation, file_name, resume_id, resume_bytes, resume_sha256, consent_application,
            consent_later_roles, notice_version, kept_until
        )
        values (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            now() + make_interval(secs => $22)
        )
        returning received_at
        ",
        new.application_id,
        new.job_id,
        new.job_title,
        answers.name,
        answers.email,
        answers.email_key(),
        answers.mobile,
        answers.college,
        answers.degree,
        answers.passing_year,
        answers.role,
        answers.experience,
        answers.linkedin,
        answers.motivation,
        new.resume.file_name,
        new.resume.resume_id,
        new.resume.bytes,
        new.resume.sha256,
        consents.map(|consents| consents.application),
        consents.map(|consents| consents.later_roles),
        consents.map(|consents| consents.notice_version.as_str()),
        keep.as_seconds_f64(),
    )
    .fetch_one(connection)
    .await?)
}
