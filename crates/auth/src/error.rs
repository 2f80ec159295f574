//! Why auth refused or failed.

use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use tonic::Status;

/// How long a caller waits when passwords are being checked as fast as we can.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Why auth refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of a registration break rules.
    #[error("the registration breaks rules")]
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
    /// The refresh token is unknown, old or used, or its sign-in is over.
    #[error("the session has ended")]
    SessionEnded,
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
            Self::Invalid(_) => Kind::Invalid,
            Self::EmailTaken | Self::PhoneTaken => Kind::Conflict,
            Self::InvalidCredentials | Self::SessionEnded => Kind::Unauthenticated,
            Self::TooManyPasswords | Self::NoConnection(_) => Kind::Busy,
            Self::Database(_)
            | Self::Hash(_)
            | Self::ForeignHash
            | Self::Random(_)
            | Self::MakeKey(_)
            | Self::ReadKey(_)
            | Self::Sign(_)
            | Self::NoClientId
            | Self::Interrupted(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID_REGISTRATION",
            Self::EmailTaken => "EMAIL_TAKEN",
            Self::PhoneTaken => "PHONE_TAKEN",
            Self::InvalidCredentials => "INVALID_CREDENTIALS",
            Self::SessionEnded => "SESSION_ENDED",
            Self::TooManyPasswords | Self::NoConnection(_) => "BUSY",
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
            Self::TooManyPasswords | Self::NoConnection(_) => {
                "Too many people are signing in right now. Try again in a moment.".to_owned()
            }
            Self::Database(_)
            | Self::Hash(_)
            | Self::ForeignHash
            | Self::Random(_)
            | Self::MakeKey(_)
            | Self::ReadKey(_)
            | Self::Sign(_)
            | Self::NoClientId
            | Self::Interrupted(_) => "Something went wrong on our side.".to_owned(),
        }
    }

    fn violations(&self) -> Vec<Violation> {
        let at_fault = |field| vec![Violation { field, reason: self.reason(), message: self.message() }];
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::EmailTaken => at_fault("email"),
            Self::PhoneTaken => at_fault("phone"),
            Self::InvalidCredentials
            | Self::SessionEnded
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

    fn retry_after(&self) -> Option<Duration> {
        (self.kind() == Kind::Busy).then_some(TRY_AGAIN_AFTER)
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        // 55P03 is lock_not_available: somebody else changes the same sign-in or registers the same name.
        let locked = error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "55P03");
        if locked || matches!(error, sqlx::Error::PoolTimedOut) {
            Self::NoConnection(error)
        } else {
            Self::Database(error)
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        failure::status(&error)
    }
}
