//! Letters that were asked for, and the keys in them.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::read::find;
use crate::application::{Application, Key};
use crate::error::Error;

/// How many one writer takes at once.
const BATCH: i64 = 8;

/// What a letter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterKind {
    Receipt,
    Step,
    Corrected,
    Withdrawn,
    Erased,
    /// To the company.
    NewApplication,
}

impl LetterKind {
    const ALL: [Self; 6] =
        [Self::Receipt, Self::Step, Self::Corrected, Self::Withdrawn, Self::Erased, Self::NewApplication];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Step => "step",
            Self::Corrected => "corrected",
            Self::Withdrawn => "withdrawn",
            Self::Erased => "erased",
            Self::NewApplication => "new-application",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Which application a letter is about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) application_id: &'a str,
    pub(super) job_title: &'a str,
}

/// A letter whose turn has come.
pub(crate) struct Due {
    pub(crate) letter_id: Uuid,
    pub(crate) application_id: String,
    pub(crate) kind: String,
    pub(crate) email: Option<String>,
    pub(crate) job_title: String,
    pub(crate) note: String,
    /// It was asked for so long ago that this is the last try.
    pub(crate) last_try: bool,
}

impl mail::Due for Due {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_last_try(&self) -> bool {
        self.last_try
    }
}

/// Asks for a letter to this address, or to the company.
pub(super) async fn ask(
    connection: &mut PgConnection,
    kind: LetterKind,
    about: About<'_>,
    email: Option<&str>,
    note: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into careers.letter (letter_id, application_id, kind, email, job_title, note)
        values ($1, $2, $3, $4, $5, $6)
        ",
        Uuid::now_v7(),
        about.application_id,
        kind.name(),
        email,
        about.job_title,
        note,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Is done with every letter.
pub(crate) async fn forget_letters(connection: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("truncate careers.letter").execute(connection).await?;
    Ok(())
}

impl Store {
    /// Takes some letters whose turn has come, and puts their next turn off: twice as long each time, up to an hour.
    /// Whatever becomes of this process, another writer takes them up then.
    pub(crate) async fn due_letters(&self) -> Result<Vec<Due>, Error> {
        Ok(sqlx::query_as!(
            Due,
            r#"update careers.letter l
               set attempts = attempts + 1,
                   next_attempt_at = now() + least(interval '1 minute' * power(2, attempts), interval '1 hour')
               from (select letter_id from careers.letter where next_attempt_at <= now()
                     order by next_attempt_at limit $1 for update skip locked) as due
               where l.letter_id = due.letter_id
               returning l.letter_id, l.application_id, l.kind, l.email, l.job_title, l.note,
                         l.next_attempt_at > l.requested_at + interval '1 day' as "last_try!""#,
            BATCH,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// The application that a letter is about; none once it is erased.
    pub(crate) async fn letter_application(&self, application_id: &str) -> Result<Option<Application>, Error> {
        match find(&self.pool, application_id).await {
            Ok(application) => Ok(Some(application)),
            Err(Error::NoApplication) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Keeps what a key opens. None where the application was erased meanwhile.
    pub(crate) async fn add_key(&self, key: &Key, application_id: &str) -> Result<(), Error> {
        sqlx::query!(
            "
            insert into careers.application_key (key_hash, application_id)
            select $1, application_id from careers.application where application_id = $2 for share
            ",
            &key.hash(),
            application_id,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Is done with a letter.
    pub(crate) async fn letter_done(&self, letter: &Due) -> Result<(), Error> {
        sqlx::query!("delete from careers.letter where letter_id = $1", letter.letter_id).execute(&self.pool).await?;
        Ok(())
    }
}
