//! Queries of applications. Every query on behalf of the company is recorded in the access log.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_decimal::Decimal;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use super::access_log::record_access;
use super::step_history::{StepRecord, list_steps};
use crate::answers::{Answers, Consents};
use crate::application::{AccessKey, Application, Resume, Step, past_conversations};
use crate::error::Error;

/// Filter of a list of applications.
pub(crate) struct Filter {
    pub(crate) job_id: Option<String>,
    pub(crate) step: Option<Step>,
    /// Part of a name, an email address, a phone number or an application number, in lower case.
    pub(crate) text: Option<String>,
    pub(crate) with_withdrawn: bool,
}

impl Filter {
    /// Returns the ten digits, or the part of them, of a text that looks like a phone number.
    fn phone_digits(&self) -> Option<String> {
        let text = self.text.as_deref()?;
        if text.chars().any(|c| !c.is_ascii_digit() && !" +-()".contains(c)) {
            return None;
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let local = match digits.len() {
            12 => digits.strip_prefix("91"),
            11 => digits.strip_prefix('0'),
            _ => None,
        };
        Some(local.unwrap_or(&digits).to_owned()).filter(|digits| !digits.is_empty())
    }
}

/// Position after the last application of a page. Opaque to callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageToken {
    received_at: OffsetDateTime,
    application_id: String,
}

impl PageToken {
    /// Returns the token of the page after `last`.
    pub(crate) fn after(last: &Application) -> Self {
        Self { received_at: last.received_at, application_id: last.application_id.clone() }
    }

    pub(crate) fn encode(&self) -> String {
        let micros = self.received_at.unix_timestamp_nanos() / 1_000;
        URL_SAFE_NO_PAD.encode(format!("{micros}\n{}", self.application_id))
    }

    /// Decodes a token that [`PageToken::encode`] returned. Returns `None` for values that Postgres would not accept.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (micros, application_id) = plain.split_once('\n')?;
        let nanos = i128::from(micros.parse::<i64>().ok()?) * 1_000;
        let received_at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
        let is_valid = (2000..=2200).contains(&received_at.year())
            && application_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_valid.then(|| Self { received_at, application_id: application_id.to_owned() })
    }
}

/// Row of the table `application`.
struct Row {
    application_id: String,
    job_id: String,
    job_title: String,
    name: String,
    email: String,
    mobile: String,
    college: String,
    degree: String,
    passing_year: i32,
    role: Option<String>,
    experience: Decimal,
    linkedin: Option<String>,
    motivation: String,
    file_name: String,
    resume_id: Uuid,
    resume_bytes: i64,
    resume_sha256: Vec<u8>,
    consent_application: Option<bool>,
    consent_later_roles: Option<bool>,
    notice_version: Option<String>,
    received_at: OffsetDateTime,
    step: String,
    step_since: OffsetDateTime,
    step_history: Vec<String>,
    withdrawn_at: Option<OffsetDateTime>,
    expires_at: OffsetDateTime,
    last_viewed_at: Option<OffsetDateTime>,
}

impl Row {
    fn into_application(self) -> Result<Application, Error> {
        let step = Step::parse_stored(&self.step)?;
        let history = self.step_history.iter().map(|name| Step::parse_stored(name));
        let history: Vec<Step> = history.collect::<Result<_, _>>()?;
        Ok(Application {
            step,
            past_steps: past_conversations(&history, step),
            application_id: self.application_id,
            job_id: self.job_id,
            job_title: self.job_title,
            answers: Answers {
                name: self.name,
                email: self.email,
                mobile: self.mobile,
                college: self.college,
                degree: self.degree,
                passing_year: self.passing_year,
                role: self.role,
                experience: self.experience.normalize(),
                linkedin: self.linkedin,
                motivation: self.motivation,
            },
            received_at: self.received_at,
            step_since: self.step_since,
            resume: Resume {
                resume_id: self.resume_id,
                file_name: self.file_name,
                bytes: self.resume_bytes,
                sha256: self.resume_sha256,
            },
            consents: self.consent_application.map(|this_application| Consents {
                this_application,
                later_roles: self.consent_later_roles.unwrap_or_default(),
                notice_version: self.notice_version.unwrap_or_default(),
            }),
            withdrawn_at: self.withdrawn_at,
            expires_at: self.expires_at,
            last_viewed_at: self.last_viewed_at,
        })
    }
}

impl Store {
    /// Returns the application that an access key belongs to.
    pub(crate) async fn find_by_key(&self, key: &AccessKey) -> Result<Application, Error> {
        let application_id = find_id_by_key(&self.pool, key).await?;
        find(&self.pool, &application_id).await
    }

    /// Returns an application to the company.
    pub(crate) async fn find_for_company(
        &self,
        application_id: &str,
        caller: &str,
        action: &str,
    ) -> Result<Application, Error> {
        let application = find(&self.pool, application_id).await?;
        record_access(&self.pool, std::slice::from_ref(&application.application_id), caller, action).await?;
        Ok(application)
    }

    /// Lists the steps that the company set, with their notes, oldest first.
    pub(crate) async fn list_steps(&self, application_id: &str) -> Result<Vec<StepRecord>, Error> {
        list_steps(&self.pool, application_id).await
    }

    /// Returns at most `page_size` applications after the page token to the company, newest first, and true if more follow.
    pub(crate) async fn list(
        &self,
        filter: &Filter,
        after: Option<&PageToken>,
        page_size: usize,
        caller: &str,
        action: &str,
    ) -> Result<(Vec<Application>, bool), Error> {
        // Reads one more row than requested to learn if another page follows.
        let rows = sqlx::query_as!(
            Row,
            r#"
            select application_id, job_id, job_title, name, email, mobile, college, degree, passing_year, role,
                   experience, linkedin, motivation, file_name, resume_id, resume_bytes, resume_sha256,
                   consent_application, consent_later_roles, notice_version, received_at, step, step_since,
                   withdrawn_at, expires_at,
                   array(
                       select step from careers.step_history h where h.application_id = a.application_id
                       order by changed_at, record_id
                   ) as "step_history!",
                   (select max(accessed_at) from careers.access_log l
                    where l.application_id = a.application_id and action <> 'list') as last_viewed_at
            from careers.application a
            where ($1::text is null or job_id = $1)
              and ($2::text is null or step = $2)
              and ($3::text is null or strpos(lower(name), $3) > 0 or strpos(email_lower, $3) > 0
                or strpos(lower(application_id), $3) > 0 or strpos(mobile, $4) > 0)
              and ($5 or withdrawn_at is null)
              and ($6::timestamptz is null or (received_at, application_id) < ($6, $7::text))
            order by received_at desc, application_id desc
            limit $8::bigint + 1
            "#,
            filter.job_id.as_deref(),
            filter.step.map(Step::name),
            filter.text.as_deref(),
            filter.phone_digits(),
            filter.with_withdrawn,
            after.map(|token| token.received_at),
            after.map(|token| token.application_id.as_str()),
            i64::try_from(page_size).unwrap_or(i64::MAX - 1),
        )
        .fetch_all(&self.pool)
        .await?;
        let has_more = rows.len() > page_size;
        let applications: Vec<Application> =
            rows.into_iter().take(page_size).map(Row::into_application).collect::<Result<_, _>>()?;
        let ids: Vec<String> = applications.iter().map(|application| application.application_id.clone()).collect();
        record_access(&self.pool, &ids, caller, action).await?;
        Ok((applications, has_more))
    }

    /// Returns the number of applications that match the filter.
    pub(crate) async fn count(&self, filter: &Filter) -> Result<i64, Error> {
        Ok(sqlx::query_scalar!(
            r#"
            select count(*) as "count!" from careers.application
            where ($1::text is null or job_id = $1)
              and ($2::text is null or step = $2)
              and ($3::text is null or strpos(lower(name), $3) > 0 or strpos(email_lower, $3) > 0
                or strpos(lower(application_id), $3) > 0 or strpos(mobile, $4) > 0)
              and ($5 or withdrawn_at is null)
            "#,
            filter.job_id.as_deref(),
            filter.step.map(Step::name),
            filter.text.as_deref(),
            filter.phone_digits(),
            filter.with_withdrawn,
        )
        .fetch_one(&self.pool)
        .await?)
    }

    /// Returns those of the resumes that belong to an application.
    pub(crate) async fn filter_used_resumes(&self, resumes: &[Uuid]) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_scalar!("select resume_id from careers.application where resume_id = any($1)", resumes)
            .fetch_all(&self.pool)
            .await?)
    }
}

/// Lists the resumes of all applications with their SHA-256.
pub(crate) async fn list_resumes(executor: impl PgExecutor<'_>) -> Result<Vec<(Uuid, Vec<u8>)>, Error> {
    let rows = sqlx::query!("select resume_id, resume_sha256 from careers.application order by resume_id");
    Ok(rows.fetch_all(executor).await?.into_iter().map(|row| (row.resume_id, row.resume_sha256)).collect())
}

pub(super) async fn find(executor: impl PgExecutor<'_>, application_id: &str) -> Result<Application, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"
        select application_id, job_id, job_title, name, email, mobile, college, degree, passing_year, role, experience,
               linkedin, motivation, file_name, resume_id, resume_bytes, resume_sha256, consent_application,
               consent_later_roles, notice_version, received_at, step, step_since, withdrawn_at, expires_at,
               array(
                   select step from careers.step_history h where h.application_id = a.application_id
                   order by changed_at, record_id
               ) as "step_history!",
               (select max(accessed_at) from careers.access_log l
                where l.application_id = a.application_id and action <> 'list') as last_viewed_at
        from careers.application a
        where application_id = $1
        "#,
        application_id,
    )
    .fetch_optional(executor)
    .await?;
    row.ok_or(Error::ApplicationNotFound)?.into_application()
}

/// Returns the id of the application that an access key belongs to, unless the application is expired.
pub(super) async fn find_id_by_key(executor: impl PgExecutor<'_>, key: &AccessKey) -> Result<String, Error> {
    let id = sqlx::query_scalar!(
        "
        select application_id from careers.application_key
        join careers.application using (application_id)
        where key_hash = $1 and expires_at > now()
        ",
        &key.hash(),
    );
    id.fetch_optional(executor).await?.ok_or(Error::ApplicationNotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_an_encoded_page_token_and_rejects_anything_else() {
        let token = PageToken {
            received_at: time::macros::datetime!(2026-11-20 9:15:01.25 UTC),
            application_id: "TBA-7K3M9Q2X".to_owned(),
        };
        assert_eq!(PageToken::decode(&token.encode()), Some(token));
        for invalid in ["", "x", "1\nTBA-1", "9999999999999999\nTBA-1", "1795000000000000\na\0b", "1795000000000000"] {
            assert_eq!(PageToken::decode(&URL_SAFE_NO_PAD.encode(invalid)), None, "{invalid:?}");
        }
    }
}
