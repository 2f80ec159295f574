//! Identity of callers: traders and internal services.

use std::time::Duration;

use tonic::{Request, Status};
use uuid::Uuid;

use crate::failure::{self, Failure, Kind};

/// Retry delay while tokens cannot be verified; the verifier polls at this interval.
const VERIFICATION_RETRY_AFTER: Duration = Duration::from_secs(2);

/// Trader, as identified by a verified token.
#[derive(Clone, Debug)]
pub struct Trader {
    /// Id of the trader's account.
    pub account_id: Uuid,
    /// Id of the session for which the token was issued.
    pub session_id: Uuid,
    /// Name of the trader when the token was issued.
    pub name: String,
    /// Email address of the trader when the token was issued.
    pub email: String,
    /// The owner had confirmed the email address when the token was issued.
    pub email_confirmed: bool,
}

/// Internal service, as identified by its token.
#[derive(Clone, Debug)]
pub struct Service {
    /// Name of the service.
    pub name: String,
    /// Scopes of the token, such as `trades:read`.
    pub scopes: Vec<String>,
}

/// Holder of a verified token.
#[derive(Clone, Debug)]
pub enum Bearer {
    /// Trader with a session.
    Session(Trader),
    /// Trader on the analytics site, with read-only access.
    Analytics(Trader),
    /// Internal service.
    Service(Service),
}

impl Bearer {
    /// Returns the trader of a session.
    ///
    /// # Errors
    /// [`AuthError::Forbidden`] for other tokens.
    pub fn require_session(self) -> Result<Trader, AuthError> {
        match self {
            Self::Session(trader) => Ok(trader),
            Self::Analytics(_) | Self::Service(_) => Err(AuthError::Forbidden),
        }
    }

    /// Returns the trader of a session or of the analytics site.
    ///
    /// # Errors
    /// [`AuthError::Forbidden`] for tokens of services.
    pub fn require_reader(self) -> Result<Trader, AuthError> {
        match self {
            Self::Session(trader) | Self::Analytics(trader) => Ok(trader),
            Self::Service(_) => Err(AuthError::Forbidden),
        }
    }
}

/// Caller of an rpc and the account that the call is about.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Account that the call is about.
    pub account_id: Uuid,
    /// Holder of the token.
    pub bearer: Bearer,
}

/// Request extension of a service's call that names no account.
#[derive(Clone, Debug)]
pub(crate) struct MissingAccount;

impl Caller {
    /// Returns the caller that the `AccessGuard` added to `request`.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] without a caller; [`AuthError::InvalidAccount`] if a service named no account.
    pub fn from_request<T>(request: &Request<T>) -> Result<&Self, Status> {
        let extensions = request.extensions();
        extensions.get().ok_or_else(|| {
            let is_account_missing = extensions.get::<MissingAccount>().is_some();
            failure::to_status(if is_account_missing {
                &AuthError::InvalidAccount
            } else {
                &AuthError::Unauthenticated
            })
        })
    }

    /// Returns the trader of a session. For rpcs whose access rule admits only sessions, this always succeeds behind an
    /// `AccessGuard`.
    ///
    /// # Errors
    /// [`AuthError::Forbidden`] for other tokens.
    pub fn require_session(&self) -> Result<&Trader, Status> {
        match &self.bearer {
            Bearer::Session(trader) => Ok(trader),
            Bearer::Analytics(_) | Bearer::Service(_) => Err(failure::to_status(&AuthError::Forbidden)),
        }
    }
}

impl From<Trader> for Caller {
    /// Creates the caller of a trader's session.
    fn from(trader: Trader) -> Self {
        Self { account_id: trader.account_id, bearer: Bearer::Session(trader) }
    }
}

/// Failed authentication or authorization of a call.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The token is missing, invalid, expired, or of an ended session. Callers do not learn which.
    #[error("no valid token")]
    Unauthenticated,
    /// The token is valid, but does not allow this call.
    #[error("token does not allow this call")]
    Forbidden,
    /// A service named no account, or not by its id.
    #[error("service named no valid account id")]
    InvalidAccount,
    /// The auth service has not responded lately.
    #[error("tokens cannot be verified now")]
    VerificationUnavailable,
}

impl Failure for AuthError {
    fn kind(&self) -> Kind {
        match self {
            Self::Unauthenticated => Kind::Unauthenticated,
            Self::Forbidden => Kind::Forbidden,
            Self::InvalidAccount => Kind::Invalid,
            Self::VerificationUnavailable => Kind::Busy,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::Forbidden => "FORBIDDEN",
            Self::InvalidAccount => "INVALID_ACCOUNT",
            Self::VerificationUnavailable => "BUSY",
        }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::InvalidAccount => vec![("cause", "MISSING_METADATA".to_owned())],
            Self::VerificationUnavailable => vec![("cause", "VERIFICATION_UNAVAILABLE".to_owned())],
            Self::Unauthenticated | Self::Forbidden => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::VerificationUnavailable).then_some(VERIFICATION_RETRY_AFTER)
    }
}

/// Returns the token in the value of an `Authorization: Bearer …` header.
pub fn parse_bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_text() {
        for (error, want) in [
            (AuthError::Unauthenticated, "You are signed out. Log in again."),
            (AuthError::Forbidden, "This token does not allow this."),
            (AuthError::InvalidAccount, "Send the id of the account in the metadata key tradebahi-account."),
            (AuthError::VerificationUnavailable, "We cannot check your login right now. Try again in a moment."),
        ] {
            // A new variant does not compile here; add it to the list, too.
            match error {
                AuthError::Unauthenticated
                | AuthError::Forbidden
                | AuthError::InvalidAccount
                | AuthError::VerificationUnavailable => {}
            }
            let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            assert_eq!(texts::error(error.service(), error.reason(), &params).as_deref(), Some(want));
        }
    }
}
