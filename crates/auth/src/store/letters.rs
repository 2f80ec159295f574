//! Letters that were asked for, and the tickets in them.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use crate::account::Login;
use crate::error::Error;
use crate::letter::Kind;
use crate::token::TokenHash;

/// Letters of one kind that an address gets in an hour.
const MOST_AN_HOUR: i32 = 3;
/// How many one writer takes at once.
const BATCH: i64 = 8;

/// A letter whose turn has come.
pub(crate) struct Due {
    pub(crate) login: String,
    pub(crate) kind: String,
    pub(crate) requested_at: OffsetDateTime,
    /// It was asked for so long ago that this is the last try.
    pub(crate) last_try: bool,
}

impl mail::QueuedEmail for Due {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_last_attempt(&self) -> bool {
        self.last_try
    }
}

/// Whom a letter goes to.
pub(crate) struct Addressee {
    pub(crate) account_id: Uuid,
    pub(crate) email: String,
    pub(crate) email_confirmed: bool,
    pub(crate) closed_at: Option<OffsetDateTime>,
}

/// Asks for a letter to the address behind `login`, whether or not it has an account. One that was asked for too
/// often gets none more, silently.
pub(super) async fn ask(connection: &mut PgConnection, kind: Kind, login: &Login) -> Result<(), Error> {
    sqlx::query!(
        "insert into auth.letter as l (login, kind) values ($1, $2)
         on conflict (login, kind) do update set
             requested_at = now(), attempts = 0, next_attempt_at = now(),
             counted_from = case when l.counted_from > now() - interval '1 hour' then l.counted_from else now() end,
             requests = case when l.counted_from > now() - interval '1 hour' then l.requests + 1 else 1 end
         where l.counted_from <= now() - interval '1 hour' or l.requests < $3",
        login.as_str(),
        kind.as_str(),
        MOST_AN_HOUR,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    pub(crate) async fn ask_for_letter(&self, kind: Kind, login: &Login) -> Result<(), Error> {
        ask(&mut *self.pool.acquire().await?, kind, login).await
    }

    /// Takes some letters whose turn has come, and puts their next turn off: twice as long each time, up to an hour.
    /// Whatever becomes of this process, another writer takes them up then.
    pub(crate) async fn due_letters(&self) -> Result<Vec<Due>, Error> {
        Ok(sqlx::query_as!(
            Due,
            r#"update auth.letter l
               set attempts = attempts + 1,
                   next_attempt_at = now() + least(interval '1 minute' * power(2, attempts), interval '1 hour')
               from (select login, kind from auth.letter where next_attempt_at <= now()
                     order by next_attempt_at limit $1 for update skip locked) as due
               where l.login = due.login and l.kind = due.kind
               returning l.login, l.kind, l.requested_at,
                         l.next_attempt_at > l.requested_at + interval '1 day' as "last_try!""#,
            BATCH,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    pub(crate) async fn addressee(&self, login: &str) -> Result<Option<Addressee>, Error> {
        let account_id = sqlx::query_scalar!("select account_id from auth.login where login = $1", login)
            .fetch_optional(&self.pool)
            .await?;
        Ok(sqlx::query_as!(
            Addressee,
            r#"select account_id, email, email_confirmed_at is not null as "email_confirmed!", closed_at
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Keeps the ticket that goes into a letter, for `good_for` from now on.
    pub(crate) async fn add_ticket(
        &self,
        ticket: &TokenHash,
        kind: Kind,
        addressee: &Addressee,
        good_for: time::Duration,
    ) -> Result<(), Error> {
        sqlx::query!(
            "insert into auth.ticket (ticket_hash, purpose, account_id, email, expires_at)
             values ($1, $2, $3, $4, now() + make_interval(secs => $5))",
            ticket.as_bytes(),
            kind.as_str(),
            addressee.account_id,
            addressee.email,
            good_for.as_seconds_f64(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Is done with a letter, unless it was asked for once more meanwhile.
    pub(crate) async fn letter_done(&self, letter: &Due) -> Result<(), Error> {
        sqlx::query!(
            "update auth.letter set next_attempt_at = null where login = $1 and kind = $2 and requested_at = $3",
            letter.login,
            letter.kind,
            letter.requested_at,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
