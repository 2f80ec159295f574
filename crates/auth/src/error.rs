//! Errors of auth, with their kinds, reason codes and messages.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tonic::Status;

/// Retry delay of busy errors that have no delay of their own.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(2);

/// Source of an error that can have many causes.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Rejection of a request, or failure of the service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are invalid.
    #[error("invalid fields")]
    Invalid(Vec<Violation>),
    /// The email address belongs to another account.
    #[error("email address taken")]
    EmailTaken,
    /// The phone number belongs to another account.
    #[error("phone number taken")]
    PhoneTaken,
    /// The account is unknown or the password is wrong. Callers cannot tell which.
    #[error("invalid credentials")]
    InvalidCredentials,
    /// Too many wrong passwords were sent for this login from this source; retry after the delay.
    #[error("login throttled for {0:?}")]
    LoginThrottled(Duration),
    /// The password is right, but the owner has closed the account.
    #[error("account closed")]
    AccountClosed {
        /// Date of the deletion. Until then the account can be restored.
        deletion_date: OffsetDateTime,
    },
    /// The password was changed or rehashed while it was being checked.
    #[error("account changed concurrently")]
    ConcurrentChange,
    /// The refresh token is unknown, expired or reused, or its session has ended.
    #[error("session ended")]
    SessionEnded,
    /// A service requested an account that does not exist.
    #[error("account not found")]
    AccountNotFound,
    /// The account has no password yet.
    #[error("account without a password")]
    PasswordNotSet,
    /// The caller has no open session with this id.
    #[error("session not found")]
    SessionNotFound,
    /// The ticket of an email or a page is unknown, used or expired.
    #[error("link expired")]
    LinkExpired,
    /// Google sign-in is not configured.
    #[error("Google sign-in not configured")]
    GoogleNotConfigured,
    /// Google rejected the authorization code, or its ID token is invalid.
    #[error("Google sign-in rejected")]
    GoogleRejected(#[source] BoxError),
    /// Google is unreachable, too slow, or sent an unexpected response.
    #[error("Google unreachable")]
    GoogleUnreachable(#[source] BoxError),
    /// Google has not verified the email address.
    #[error("email address not verified by Google")]
    EmailUnverified,
    /// Too many passwords are being hashed.
    #[error("too many passwords at once")]
    HasherBusy,
    /// No database connection or lock became free in time.
    #[error("no database connection or lock in time")]
    DatabaseBusy(#[source] sqlx::Error),
    /// The database's disk is full.
    #[error("database disk full")]
    DatabaseFull(#[source] sqlx::Error),
    /// A fault of this service or of its environment.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

/// Fault of this service or of its environment. Logged, and hidden from callers.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// The database failed.
    #[error("database failed")]
    Database(#[source] sqlx::Error),
    /// TLS cannot be set up.
    #[error("failed to set up TLS")]
    Tls(#[source] tokio_rustls::rustls::Error),
    /// An email was not sent.
    #[error(transparent)]
    Mail(#[from] mail::Error),
    /// A date cannot be formatted.
    #[error("failed to format a date")]
    FormatDate(#[source] time::error::Format),
    /// A password cannot be hashed, or a stored hash cannot be parsed.
    #[error("failed to hash a password")]
    Hash(#[source] argon2::password_hash::Error),
    /// A stored hash uses another algorithm, or more memory or passes than this service ever uses.
    #[error("unsupported password hash")]
    UnsupportedHash,
    /// The operating system returned no random bytes.
    #[error("no random bytes")]
    Random(#[source] getrandom::Error),
    /// The file with the signing key cannot be used.
    #[error("invalid signing key file {}: {problem}", file.display())]
    KeyFile {
        /// Path of the file.
        file: PathBuf,
        /// Description of the problem.
        problem: &'static str,
        /// Error of the operating system.
        source: Option<std::io::Error>,
    },
    /// A signing key cannot be generated.
    #[error("failed to generate a signing key")]
    GenerateKey(#[source] aws_lc_rs::error::Unspecified),
    /// A stored signing key is invalid.
    #[error("invalid stored signing key")]
    InvalidKey(#[source] aws_lc_rs::error::KeyRejected),
    /// An access token cannot be signed.
    #[error("failed to sign a token")]
    SignToken(#[source] jsonwebtoken::errors::Error),
    /// All generated client ids are in use.
    #[error("no free client id found")]
    NoFreeClientId,
    /// A background task panicked or was cancelled.
    #[error("task failed")]
    Task(#[source] tokio::task::JoinError),
}

impl Error {
    /// Returns the kind, the reason code and the message for people.
    fn describe(&self) -> (Kind, &'static str, Cow<'static, str>) {
        let (kind, reason, message) = match self {
            Self::Invalid(violations) => return (Kind::Invalid, "INVALID", summarize(violations)),
            Self::LoginThrottled(delay) => return (Kind::Busy, "HELD", throttle_message(*delay)),
            Self::EmailTaken => {
                (Kind::AlreadyExists, "EMAIL_TAKEN", "This email address already has an account. Log in instead.")
            }
            Self::PhoneTaken => {
                (Kind::AlreadyExists, "PHONE_TAKEN", "This phone number already has an account. Log in instead.")
            }
            Self::InvalidCredentials => (
                Kind::Unauthenticated,
                "INVALID_CREDENTIALS",
                "The email address or phone number and the password do not match.",
            ),
            Self::AccountClosed { .. } => (Kind::Forbidden, "ACCOUNT_CLOSED", "This account is closed."),
            Self::ConcurrentChange => (Kind::Busy, "BUSY", "Your account was changed at the same time. Try again."),
            Self::SessionEnded => (Kind::Unauthenticated, "SESSION_ENDED", "Your session has ended. Log in again."),
            Self::AccountNotFound => (Kind::NotFound, "NO_ACCOUNT", "There is no such account."),
            Self::PasswordNotSet => (
                Kind::Forbidden,
                "NO_PASSWORD",
                "Your account has no password yet. Set one with the link that we send to your email address.",
            ),
            Self::SessionNotFound => (Kind::NotFound, "NO_SIGN_IN", "This session has already ended."),
            Self::LinkExpired => {
                (Kind::Invalid, "LINK_EXPIRED", "This link has expired or was already used. Request a new one.")
            }
            Self::GoogleNotConfigured => {
                (Kind::NotFound, "GOOGLE_NOT_SET_UP", "Google sign-in is not set up on this server.")
            }
            Self::GoogleRejected(_) => {
                (Kind::Unauthenticated, "GOOGLE_REFUSED", "Google did not confirm the sign-in. Try again.")
            }
            Self::GoogleUnreachable(_) => {
                (Kind::Busy, "GOOGLE_UNREACHABLE", "Google could not be reached. Try again in a moment.")
            }
            Self::EmailUnverified => (
                Kind::Forbidden,
                "EMAIL_UNVERIFIED",
                "Google has not verified the email address of this account. Verify it with Google first.",
            ),
            Self::HasherBusy | Self::DatabaseBusy(_) => {
                (Kind::Busy, "BUSY", "Too many people are logging in right now. Try again in a moment.")
            }
            Self::DatabaseFull(_) => (Kind::StorageFull, failure::STORAGE_FULL_REASON, failure::STORAGE_FULL_MESSAGE),
            Self::Internal(_) => (Kind::Internal, "INTERNAL", "Something went wrong on our side."),
        };
        (kind, reason, message.into())
    }
}

/// Returns the message of a single violation. A form shows several violations beside their fields.
fn summarize(violations: &[Violation]) -> Cow<'static, str> {
    match violations {
        [violation] => violation.message.clone().into(),
        _ => "Some of the details need correcting.".into(),
    }
}

fn throttle_message(delay: Duration) -> Cow<'static, str> {
    match delay.as_secs() {
        1 => "Too many failed attempts. Try again in 1 second.".into(),
        seconds => format!("Too many failed attempts. Try again in {seconds} seconds.").into(),
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        self.describe().0
    }

    fn reason(&self) -> &'static str {
        self.describe().1
    }

    fn message(&self) -> String {
        self.describe().2.into_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        let field = match self {
            Self::Invalid(violations) => return violations.clone(),
            Self::EmailTaken => "email",
            Self::PhoneTaken => "phone",
            Self::InvalidCredentials
            | Self::LoginThrottled(_)
            | Self::AccountClosed { .. }
            | Self::ConcurrentChange
            | Self::SessionEnded
            | Self::AccountNotFound
            | Self::PasswordNotSet
            | Self::SessionNotFound
            | Self::LinkExpired
            | Self::GoogleNotConfigured
            | Self::GoogleRejected(_)
            | Self::GoogleUnreachable(_)
            | Self::EmailUnverified
            | Self::HasherBusy
            | Self::DatabaseBusy(_)
            | Self::DatabaseFull(_)
            | Self::Internal(_) => return Vec::new(),
        };
        vec![Violation { field: field.into(), reason: self.reason(), params: Vec::new(), message: self.message() }]
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let Self::AccountClosed { deletion_date } = self else { return Vec::new() };
        vec![("erased_on", deletion_date.format(&Rfc3339).unwrap_or_default())]
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::LoginThrottled(delay) => Some(*delay),
            other => (other.kind() == Kind::Busy).then_some(BUSY_RETRY_AFTER),
        }
    }
}

impl From<Error> for mail::OutboxFailure {
    fn from(error: Error) -> Self {
        let is_permanent = matches!(error, Error::Internal(InternalError::Mail(mail::Error::Address(_))));
        Self { message: failure::error_chain(&error), is_permanent }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::classify(&error) {
            db::Failure::LockTimeout | db::Failure::PoolTimeout => Self::DatabaseBusy(error),
            db::Failure::DiskFull => Self::DatabaseFull(error),
            db::Failure::Other => Self::Internal(InternalError::Database(error)),
        }
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Internal(InternalError::Task(error))
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        failure::to_status(&error)
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn only_busy_database_errors_have_a_retry_delay(pool: PgPool) {
        sqlx::raw_sql("create table held ()").execute(&pool).await.unwrap();
        let mut other = pool.begin().await.unwrap();
        sqlx::raw_sql("lock table held").execute(&mut *other).await.unwrap();
        let locked = "do $$ begin lock table held nowait; end $$";
        let locked = sqlx::raw_sql(locked).execute(&pool).await.unwrap_err();
        let full = "do $$ begin raise exception using errcode = 'disk_full'; end $$";
        let full = sqlx::raw_sql(full).execute(&pool).await.unwrap_err();
        let invalid = sqlx::raw_sql("select 1 / 0").execute(&pool).await.unwrap_err();
        for (error, kind, reason, delay) in [
            (locked, Kind::Busy, "BUSY", Some(BUSY_RETRY_AFTER)),
            (sqlx::Error::PoolTimedOut, Kind::Busy, "BUSY", Some(BUSY_RETRY_AFTER)),
            (full, Kind::StorageFull, "STORE_FULL", None),
            (invalid, Kind::Internal, "INTERNAL", None),
            (sqlx::Error::RowNotFound, Kind::Internal, "INTERNAL", None),
        ] {
            let error = Error::from(error);
            assert_eq!((error.kind(), error.reason(), error.retry_after()), (kind, reason, delay));
        }
    }
}
