//! Errors of auth, with their kinds and reason codes.

use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tonic::Status;

use crate::encryption::{Column, KeyId};

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
    /// The account has no such tax link.
    #[error("tax link not found")]
    TaxLinkNotFound,
    /// The tax link is unknown, revoked or expired. Callers cannot tell which.
    #[error("tax link expired")]
    TaxLinkExpired,
    /// The account has the maximum number of tax links that work.
    #[error("too many tax links")]
    TooManyTaxLinks,
    /// The ticket of an email or a page is unknown, used or expired.
    #[error("link expired")]
    LinkExpired,
    /// The login waited too long for its second factor, or had too many wrong ones.
    #[error("login challenge expired")]
    ChallengeExpired,
    /// The session must prove the password and the second factor again.
    #[error("reauthentication required")]
    ReauthenticationRequired,
    /// The setup of a second factor was not begun, or took too long.
    #[error("setup of a second factor expired")]
    SetupExpired,
    /// The account already has an authenticator app.
    #[error("authenticator app exists")]
    TotpExists,
    /// The account has no such second factor.
    #[error("second factor not found")]
    SecondFactorNotFound,
    /// The account has no second factor.
    #[error("no second factor")]
    NoSecondFactor,
    /// The account has no such trusted device.
    #[error("trusted device not found")]
    TrustedDeviceNotFound,
    /// Passkeys need a site with a domain name.
    #[error("passkeys need a domain")]
    PasskeysUnavailable,
    /// Text messages cannot be sent.
    #[error("SMS not configured")]
    SmsNotConfigured,
    /// Too many codes were requested for this account or this phone number; retry after the delay.
    #[error("SMS limit reached for {0:?}")]
    SmsLimitReached(Duration),
    /// The code of an SMS has expired, or none was requested.
    #[error("phone code expired")]
    PhoneCodeExpired,
    /// Too many wrong codes were entered.
    #[error("too many phone codes")]
    TooManyPhoneCodes,
    /// Google login is not configured.
    #[error("Google login not configured")]
    GoogleNotConfigured,
    /// Google rejected the authorization code, or its ID token is invalid.
    #[error("Google login rejected")]
    GoogleRejected(#[source] BoxError),
    /// Google is unreachable, too slow, or sent an unexpected response.
    #[error("Google unreachable")]
    GoogleUnreachable(#[source] BoxError),
    /// Google has not verified the email address.
    #[error("email address not verified by Google")]
    EmailUnverified,
    /// The link of an account was opened in another browser, and the account's address is not confirmed.
    #[error("email address not confirmed")]
    EmailNotConfirmed,
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
    /// A text message was not sent.
    #[error("failed to send a text message")]
    Sms(#[source] BoxError),
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
    /// A text contains no signing key.
    #[error("it contains no Ed25519 key as PKCS #8 in PEM")]
    InvalidPem,
    /// A secret cannot be encrypted.
    #[error("failed to encrypt a secret")]
    Encrypt(#[source] aws_lc_rs::error::Unspecified),
    /// A stored secret was changed, or moved from another row.
    #[error("cannot decrypt the secret of row {row_id} of {}: it was changed, or moved from another row", column.name())]
    Decrypt {
        /// Column of the secret.
        column: Column,
        /// Id of the row.
        row_id: String,
    },
    /// The key of a stored secret is not among the encryption keys.
    #[error(
        "{} are encrypted with the key {id}, which is missing: add its line to the file of --encryption-key-file or to \
         encryption-key in the directory of secrets",
        column.label()
    )]
    MissingEncryptionKey {
        /// Column of the secret.
        column: Column,
        /// Id of the missing key.
        id: KeyId,
    },
    /// A signing key cannot be generated.
    #[error("failed to generate a signing key")]
    GenerateKey(#[source] aws_lc_rs::error::Unspecified),
    /// A stored signing key is invalid.
    #[error("invalid stored signing key")]
    InvalidKey(#[source] aws_lc_rs::error::KeyRejected),
    /// The public key of a signing key is invalid.
    #[error("invalid public key of a signing key")]
    InvalidPublicKey(#[source] jsonwebtoken::errors::Error),
    /// No signing key is encrypted with the first encryption key, so servers may lack it.
    #[error(
        "no signing key in the database is encrypted with the key {id} yet: restart all servers with it, then run \
         `tradebahi keys encrypt` first"
    )]
    UnusedEncryptionKey {
        /// Id of the first encryption key.
        id: KeyId,
    },
    /// An access token cannot be signed.
    #[error("failed to sign a token")]
    SignToken(#[source] jsonwebtoken::errors::Error),
    /// All generated client ids are in use.
    #[error("no free client id found")]
    NoFreeClientId,
    /// A stored authenticator secret is invalid.
    #[error("invalid authenticator secret")]
    Totp(#[source] totp_rs::TotpError),
    /// A passkey operation cannot be started.
    #[error("failed to start a passkey operation")]
    Passkey(#[source] passki::PasskiError),
    /// Stored passkey data is invalid.
    #[error("invalid passkey data")]
    Json(#[source] serde_json::Error),
    /// A background task panicked or was cancelled.
    #[error("task failed")]
    Task(#[source] tokio::task::JoinError),
}

impl Error {
    /// Returns the kind and the reason code.
    fn classify(&self) -> (Kind, &'static str) {
        match self {
            Self::Invalid(_) => (Kind::Invalid, "INVALID"),
            Self::LoginThrottled(_) => (Kind::Busy, "LOGIN_THROTTLED"),
            Self::EmailTaken => (Kind::AlreadyExists, "EMAIL_TAKEN"),
            Self::PhoneTaken => (Kind::AlreadyExists, "PHONE_TAKEN"),
            Self::InvalidCredentials => (Kind::Unauthenticated, "INVALID_CREDENTIALS"),
            Self::AccountClosed { .. } => (Kind::Forbidden, "ACCOUNT_CLOSED"),
            Self::SessionEnded => (Kind::Unauthenticated, "SESSION_ENDED"),
            Self::AccountNotFound => (Kind::NotFound, "ACCOUNT_NOT_FOUND"),
            Self::PasswordNotSet => (Kind::Forbidden, "NO_PASSWORD"),
            Self::SessionNotFound => (Kind::NotFound, "SESSION_NOT_FOUND"),
            Self::TaxLinkNotFound => (Kind::NotFound, "TAX_LINK_NOT_FOUND"),
            Self::TaxLinkExpired => (Kind::NotFound, "TAX_LINK_EXPIRED"),
            Self::TooManyTaxLinks => (Kind::FailedPrecondition, "TOO_MANY_TAX_LINKS"),
            Self::LinkExpired => (Kind::Invalid, "LINK_EXPIRED"),
            Self::ChallengeExpired => (Kind::Unauthenticated, "CHALLENGE_EXPIRED"),
            Self::ReauthenticationRequired => (Kind::Forbidden, "REAUTHENTICATION_REQUIRED"),
            Self::SetupExpired => (Kind::Invalid, "SETUP_EXPIRED"),
            Self::TotpExists => (Kind::AlreadyExists, "TOTP_EXISTS"),
            Self::SecondFactorNotFound => (Kind::NotFound, "SECOND_FACTOR_NOT_FOUND"),
            Self::NoSecondFactor => (Kind::Forbidden, "NO_SECOND_FACTOR"),
            Self::TrustedDeviceNotFound => (Kind::NotFound, "TRUSTED_DEVICE_NOT_FOUND"),
            Self::PasskeysUnavailable => (Kind::Invalid, "PASSKEYS_UNAVAILABLE"),
            Self::SmsNotConfigured => (Kind::NotFound, "SMS_NOT_CONFIGURED"),
            Self::SmsLimitReached(_) => (Kind::Busy, "SMS_LIMIT_REACHED"),
            Self::PhoneCodeExpired => (Kind::Invalid, "PHONE_CODE_EXPIRED"),
            Self::TooManyPhoneCodes => (Kind::Invalid, "TOO_MANY_PHONE_CODES"),
            Self::GoogleNotConfigured => (Kind::NotFound, "GOOGLE_NOT_CONFIGURED"),
            Self::GoogleRejected(_) => (Kind::Unauthenticated, "GOOGLE_REJECTED"),
            Self::GoogleUnreachable(_) => (Kind::Busy, "GOOGLE_UNREACHABLE"),
            Self::EmailUnverified => (Kind::Forbidden, "EMAIL_UNVERIFIED"),
            Self::EmailNotConfirmed => (Kind::Forbidden, "EMAIL_NOT_CONFIRMED"),
            // A retry of the same request succeeds, so a concurrent change is no conflict for the caller.
            Self::ConcurrentChange | Self::HasherBusy | Self::DatabaseBusy(_) => (Kind::Busy, "BUSY"),
            Self::DatabaseFull(_) => (Kind::StorageFull, failure::STORAGE_FULL_REASON),
            Self::Internal(_) => (Kind::Internal, "INTERNAL"),
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        self.classify().0
    }

    fn reason(&self) -> &'static str {
        self.classify().1
    }

    fn service(&self) -> &'static str {
        "auth"
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
            | Self::TaxLinkNotFound
            | Self::TaxLinkExpired
            | Self::TooManyTaxLinks
            | Self::LinkExpired
            | Self::ChallengeExpired
            | Self::ReauthenticationRequired
            | Self::SetupExpired
            | Self::TotpExists
            | Self::SecondFactorNotFound
            | Self::NoSecondFactor
            | Self::TrustedDeviceNotFound
            | Self::PasskeysUnavailable
            | Self::SmsNotConfigured
            | Self::SmsLimitReached(_)
            | Self::PhoneCodeExpired
            | Self::TooManyPhoneCodes
            | Self::GoogleNotConfigured
            | Self::GoogleRejected(_)
            | Self::GoogleUnreachable(_)
            | Self::EmailUnverified
            | Self::EmailNotConfirmed
            | Self::HasherBusy
            | Self::DatabaseBusy(_)
            | Self::DatabaseFull(_)
            | Self::Internal(_) => return Vec::new(),
        };
        vec![Violation::new(field, self.reason())]
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::AccountClosed { deletion_date } => {
                vec![("deletion_date", deletion_date.format(&Rfc3339).unwrap_or_default())]
            }
            Self::LoginThrottled(delay) => vec![("count", delay.as_secs().to_string())],
            Self::SmsLimitReached(delay) => vec![("count", delay.as_secs().div_ceil(60).to_string())],
            Self::ConcurrentChange => vec![("cause", "CONCURRENT_CHANGE".to_owned())],
            _ => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::LoginThrottled(delay) | Self::SmsLimitReached(delay) => Some(*delay),
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
            db::Failure::LockTimeout | db::Failure::Unavailable => Self::DatabaseBusy(error),
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
            (full, Kind::StorageFull, "STORAGE_FULL", None),
            (invalid, Kind::Internal, "INTERNAL", None),
            (sqlx::Error::RowNotFound, Kind::Internal, "INTERNAL", None),
        ] {
            let error = Error::from(error);
            assert_eq!((error.kind(), error.reason(), error.retry_after()), (kind, reason, delay));
        }
    }
}
