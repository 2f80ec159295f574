//! Why auth refused or failed.

use std::path::PathBuf;
use std::time::Duration;

use rpc::failure::{self, DISK_FULL, Failure, Kind, LOCK_NOT_AVAILABLE, Violation};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tonic::Status;

/// How long a caller waits when passwords are being checked as fast as we can.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// What is behind a failure that can have many causes.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why auth refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields break rules.
    #[error("the fields break rules")]
    Invalid(Vec<Violation>),
    /// The e-mail address has an account.
    #[error("the e-mail address is taken")]
    EmailTaken,
    /// The phone number has an account.
    #[error("the phone number is taken")]
    PhoneTaken,
    /// Unknown account or wrong password; which of the two is not told.
    #[error("the credentials are wrong")]
    InvalidCredentials,
    /// Too many wrong passwords, for one name and from one network.
    #[error("held back after wrong passwords")]
    Held(Duration),
    /// The password is right, and the account was closed by its owner.
    #[error("the account is closed")]
    AccountClosed {
        /// Until then it can be taken back into use.
        erased_on: OffsetDateTime,
    },
    /// The password was changed, or hashed anew, while it was checked.
    #[error("the account changed meanwhile")]
    Changed,
    /// The refresh token is unknown, old or used, or its sign-in is over.
    #[error("the session has ended")]
    SessionEnded,
    /// A service asks for an account that is not there.
    #[error("no such account")]
    NoAccount,
    /// The account has no password yet.
    #[error("the account has no password")]
    NoPassword,
    /// No sign-in of the caller has this id, or it is over.
    #[error("no such sign-in")]
    NoSignIn,
    /// The ticket of a letter or a page was used, or is too old, or never was one.
    #[error("the link has expired")]
    LinkExpired,
    /// Signing in with Google is not set up here.
    #[error("Google is not set up")]
    GoogleNotSetUp,
    /// Google did not take the code, or we do not take what it said for the truth.
    #[error("a sign-in with Google was refused")]
    GoogleRefused(#[source] Cause),
    /// Google did not answer, or not in time, or not in a way that we understand.
    #[error("Google could not be asked")]
    GoogleUnreachable(#[source] Cause),
    /// Google has not verified the e-mail address.
    #[error("the e-mail address is not verified")]
    EmailUnverified,
    /// Encrypted connections cannot be made.
    #[error("TLS cannot be set up")]
    Tls(#[source] tokio_rustls::rustls::Error),
    /// A letter did not leave.
    #[error(transparent)]
    Mail(#[from] mail::Error),
    /// A date could not be written.
    #[error("a date cannot be written")]
    Date(#[source] time::error::Format),
    /// Too many passwords are being checked.
    #[error("too many passwords at once")]
    TooManyPasswords,
    /// No connection to the database became free in time.
    #[error("no database connection in time")]
    NoConnection(#[source] sqlx::Error),
    /// The database failed.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
    /// A password could not be hashed, or a stored hash not be read.
    #[error("hashing a password failed")]
    Hash(#[source] argon2::password_hash::Error),
    /// A stored hash asks for more memory, time or another algorithm than we ever use.
    #[error("a stored password hash asks for what we never use")]
    ForeignHash,
    /// The system gave no random bytes.
    #[error("no random bytes")]
    Random(#[source] getrandom::Error),
    /// The file with the signing key cannot be used.
    #[error("the signing key in {}: {why}", file.display())]
    KeyFile {
        /// Which file.
        file: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// What the system says.
        source: Option<std::io::Error>,
    },
    /// A signing key could not be made.
    #[error("making a signing key failed")]
    MakeKey(#[source] aws_lc_rs::error::Unspecified),
    /// A stored signing key is not one.
    #[error("a stored signing key cannot be read")]
    ReadKey(#[source] aws_lc_rs::error::KeyRejected),
    /// An access token could not be signed.
    #[error("signing an access token failed")]
    Sign(#[source] jsonwebtoken::errors::Error),
    /// Every client id that was drawn is in use.
    #[error("no free client id found")]
    NoClientId,
    /// A task of ours died.
    #[error("a task died")]
    Interrupted(#[source] tokio::task::JoinError),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::LinkExpired => Kind::Invalid,
            Self::NoPassword | Self::EmailUnverified => Kind::Forbidden,
            Self::NoAccount | Self::NoSignIn | Self::GoogleNotSetUp => Kind::NotFound,
            Self::EmailTaken | Self::PhoneTaken => Kind::Conflict,
            Self::InvalidCredentials | Self::SessionEnded | Self::GoogleRefused(_) => Kind::Unauthenticated,
            Self::AccountClosed { .. } => Kind::Forbidden,
            Self::Held(_)
            | Self::Changed
            | Self::TooManyPasswords
            | Self::NoConnection(_)
            | Self::GoogleUnreachable(_) => Kind::Busy,
            Self::Database(error) if refused_for(error, DISK_FULL) => Kind::Full,
            Self::Database(_)
            | Self::Tls(_)
            | Self::Mail(_)
            | Self::Date(_)
            | Self::Hash(_)
            | Self::ForeignHash
            | Self::Random(_)
            | Self::KeyFile { .. }
            | Self::MakeKey(_)
            | Self::ReadKey(_)
            | Self::Sign(_)
            | Self::NoClientId
            | Self::Interrupted(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::EmailTaken => "EMAIL_TAKEN",
            Self::PhoneTaken => "PHONE_TAKEN",
            Self::InvalidCredentials => "INVALID_CREDENTIALS",
            Self::SessionEnded => "SESSION_ENDED",
            Self::NoAccount => "NO_ACCOUNT",
            Self::NoPassword => "NO_PASSWORD",
            Self::NoSignIn => "NO_SIGN_IN",
            Self::LinkExpired => "LINK_EXPIRED",
            Self::GoogleNotSetUp => "GOOGLE_NOT_SET_UP",
            Self::GoogleRefused(_) => "GOOGLE_REFUSED",
            Self::GoogleUnreachable(_) => "GOOGLE_UNREACHABLE",
            Self::EmailUnverified => "EMAIL_UNVERIFIED",
            Self::Tls(_) => "TLS",
            Self::Mail(_) => "MAIL",
            Self::Date(_) => "DATE",
            Self::Held(_) => "HELD",
            Self::AccountClosed { .. } => "ACCOUNT_CLOSED",
            Self::Changed | Self::TooManyPasswords | Self::NoConnection(_) => "BUSY",
            Self::KeyFile { .. } => "KEY_FILE",
            Self::Database(_) => "DATABASE",
            Self::Hash(_) => "HASH",
            Self::ForeignHash => "FOREIGN_HASH",
            Self::Random(_) => "RANDOM",
            Self::MakeKey(_) => "MAKE_KEY",
            Self::ReadKey(_) => "READ_KEY",
            Self::Sign(_) => "SIGN",
            Self::NoClientId => "NO_CLIENT_ID",
            Self::Interrupted(_) => "INTERRUPTED",
        }
    }

    fn message(&self) -> String {
        match self {
            // One field: say it. More: the form shows them one by one.
            Self::Invalid(violations) => match violations.as_slice() {
                [only] => only.message.clone(),
                _ => "Some of the details need correcting.".to_owned(),
            },
            Self::EmailTaken => "This e-mail address already has an account. Log in instead.".to_owned(),
            Self::PhoneTaken => "This phone number already has an account. Log in instead.".to_owned(),
            Self::InvalidCredentials => "The e-mail address or phone number and the password do not match.".to_owned(),
            Self::SessionEnded => "Your session has ended. Log in again.".to_owned(),
            Self::NoAccount => "There is no such account.".to_owned(),
            Self::NoPassword => {
                "Your account has no password yet. Set one by the link that we send to your e-mail address.".to_owned()
            }
            Self::NoSignIn => "This sign-in has ended already.".to_owned(),
            Self::LinkExpired => "This link was used already or is too old. Ask for a new one.".to_owned(),
            Self::GoogleNotSetUp => "Google sign-in is not set up on this server.".to_owned(),
            Self::GoogleRefused(_) => "Google did not confirm the sign-in. Try again.".to_owned(),
            Self::GoogleUnreachable(_) => "Google could not be reached. Try again in a moment.".to_owned(),
            Self::EmailUnverified => {
                "Google has not verified the e-mail address of this account. Verify it there first.".to_owned()
            }
            Self::Held(wait) => match wait.as_secs() {
                1 => "Too many failed attempts. Try again in 1 second.".to_owned(),
                seconds => format!("Too many failed attempts. Try again in {seconds} seconds."),
            },
            Self::AccountClosed { .. } => "This account is closed.".to_owned(),
            Self::Changed => "Your account changed meanwhile. Try again.".to_owned(),
            Self::TooManyPasswords | Self::NoConnection(_) => {
                "Too many people are signing in right now. Try again in a moment.".to_owned()
            }
            Self::Database(_)
            | Self::Tls(_)
            | Self::Mail(_)
            | Self::Date(_)
            | Self::Hash(_)
            | Self::ForeignHash
            | Self::Random(_)
            | Self::KeyFile { .. }
            | Self::MakeKey(_)
            | Self::ReadKey(_)
            | Self::Sign(_)
            | Self::NoClientId
            | Self::Interrupted(_) => "Something went wrong on our side.".to_owned(),
        }
    }

    fn violations(&self) -> Vec<Violation> {
        let at_fault = |field: &'static str| {
            vec![Violation { field: field.into(), reason: self.reason(), message: self.message() }]
        };
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::EmailTaken => at_fault("email"),
            Self::PhoneTaken => at_fault("phone"),
            Self::InvalidCredentials
            | Self::Held(_)
            | Self::AccountClosed { .. }
            | Self::Changed
            | Self::KeyFile { .. }
            | Self::SessionEnded
            | Self::NoAccount
            | Self::NoPassword
            | Self::NoSignIn
            | Self::LinkExpired
            | Self::GoogleNotSetUp
            | Self::GoogleRefused(_)
            | Self::GoogleUnreachable(_)
            | Self::EmailUnverified
            | Self::Tls(_)
            | Self::Mail(_)
            | Self::Date(_)
            | Self::TooManyPasswords
            | Self::NoConnection(_)
            | Self::Database(_)
            | Self::Hash(_)
            | Self::ForeignHash
            | Self::Random(_)
            | Self::MakeKey(_)
            | Self::ReadKey(_)
            | Self::Sign(_)
            | Self::NoClientId
            | Self::Interrupted(_) => Vec::new(),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let Self::AccountClosed { erased_on } = self else { return Vec::new() };
        vec![("erased_on", erased_on.format(&Rfc3339).unwrap_or_default())]
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Held(wait) => Some(*wait),
            other => (other.kind() == Kind::Busy).then_some(TRY_AGAIN_AFTER),
        }
    }
}

impl From<Error> for mail::OutboxFailure {
    fn from(error: Error) -> Self {
        let is_permanent = matches!(error, Error::Mail(mail::Error::Address(_)));
        Self { message: failure::chain(&error), is_permanent }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        // Somebody else changes the same sign-in or registers the same name.
        if refused_for(&error, LOCK_NOT_AVAILABLE) || matches!(error, sqlx::Error::PoolTimedOut) {
            Self::NoConnection(error)
        } else {
            Self::Database(error)
        }
    }
}

/// Whether the database refused for this reason.
fn refused_for(error: &sqlx::Error, sqlstate: &str) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == sqlstate)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        failure::status(&error)
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn who_waited_in_vain_may_come_again_and_who_met_a_fault_is_not_told_to(pool: PgPool) {
        sqlx::raw_sql("create table held ()").execute(&pool).await.unwrap();
        let mut other = pool.begin().await.unwrap();
        sqlx::raw_sql("lock table held").execute(&mut *other).await.unwrap();
        let locked = "do $$ begin lock table held nowait; end $$";
        let locked = sqlx::raw_sql(locked).execute(&pool).await.unwrap_err();
        let full = "do $$ begin raise exception using errcode = 'disk_full'; end $$";
        let full = sqlx::raw_sql(full).execute(&pool).await.unwrap_err();
        let wrong = sqlx::raw_sql("select 1 / 0").execute(&pool).await.unwrap_err();
        for (error, kind, reason, wait) in [
            (locked, Kind::Busy, "BUSY", Some(TRY_AGAIN_AFTER)),
            (sqlx::Error::PoolTimedOut, Kind::Busy, "BUSY", Some(TRY_AGAIN_AFTER)),
            (full, Kind::Full, "DATABASE", None),
            (wrong, Kind::Internal, "DATABASE", None),
            (sqlx::Error::RowNotFound, Kind::Internal, "DATABASE", None),
        ] {
            let error = Error::from(error);
            assert_eq!((error.kind(), error.reason(), error.retry_after()), (kind, reason, wait));
        }
    }
}
