//! Google login: finds or registers the account of a Google identity, and links it to an account with a password.

use rpc::failure::{self, Violation};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::{LogInOutcome, Service, Tokens, run_write};
use crate::account::{EmailAddress, Login, MAX_NAME_CHARS, Name, validate_notice_version};
use crate::error::Error;
use crate::google::{AuthorizationRequest, AuthorizationResponse, Identity, IdentityKey, Provider};
use crate::secret::Secret;
use crate::session::Device;
use crate::store::google::{ExistingAccount, GoogleRegistration};
use crate::store::sessions::NewSession;
use crate::token::{SignedToken, TokenHash};

/// Lifetime of the ticket that links a Google identity, in which the password must be entered, and of the ticket for
/// registration, in which the privacy notice must be accepted.
const TICKET_TTL: Duration = Duration::minutes(10);

/// Result of a Google login.
pub(crate) enum GoogleOutcome {
    /// Token that is exchanged for a session.
    LoginToken(SignedToken),
    /// Ticket for linking: the email address has an account, whose password is required.
    LinkTicket(Secret),
    /// Ticket for registration: there is no account, and the privacy notice must be shown first.
    RegistrationTicket(String),
}

/// `aud` of a registration ticket.
const REGISTRATION_AUDIENCE: &str = "google-registration";

/// Google identity whose account is about to be created. It is signed and kept by the browser, so that nothing is stored
/// about a person who does not register.
#[derive(Serialize, Deserialize)]
struct RegistrationClaims {
    aud: String,
    exp: i64,
    google_issuer: String,
    google_subject: String,
    name: String,
    email: String,
}

impl Service {
    pub(crate) fn has_google(&self) -> bool {
        self.google.is_some()
    }

    pub(crate) fn begin_google(&self, redirect_uri: &str) -> Result<AuthorizationRequest, Error> {
        self.provider()?.begin(redirect_uri)
    }

    /// Finds the account of the identity that Google returns, or offers to register or link one.
    pub(crate) async fn finish_google(&self, response: AuthorizationResponse) -> Result<GoogleOutcome, Error> {
        let identity = self.provider()?.finish(&response).await.inspect_err(log_failure)?;
        if let Some(account) = self.store.find_account_by_identity(&identity.key).await? {
            self.reject_if_closed(&account)?;
            return self.create_login_token(account.account_id).await.map(GoogleOutcome::LoginToken);
        }
        let email = EmailAddress::parse(&identity.email)
            .map_err(|_| Error::GoogleRejected("invalid email address".into()))
            .inspect_err(log_failure)?;
        match self.store.find_account_by_login(&Login::from(&email)).await? {
            Some(account) => self.offer_link(&account, identity).await.map(GoogleOutcome::LinkTicket),
            None => self.offer_registration(&email, identity).map(GoogleOutcome::RegistrationTicket),
        }
    }

    /// Links the Google identity of the ticket to its account, after checking the account's password.
    pub(crate) async fn link_google(
        &self,
        ticket: &Secret,
        password: Secret,
        device: Device,
    ) -> Result<LogInOutcome, Error> {
        let ticket = TokenHash::from_token(ticket.expose());
        let account_id = self.store.find_account_by_link_ticket(&ticket).await?.ok_or(Error::LinkExpired)?;
        self.check_account_password(account_id, password, &device).await?;
        let store = self.store.clone();
        run_write(async move { store.link_identity(&ticket).await }).await?;
        tracing::info!(%account_id, "google_linked");
        self.log_in_without_password(account_id, device).await
    }

    /// Creates a ticket for linking. The current owner of the address may not be the person who created the account, so
    /// the password is required. An account without a password belongs to another Google identity and is not linked.
    async fn offer_link(&self, account: &ExistingAccount, identity: Identity) -> Result<Secret, Error> {
        self.reject_if_closed(account)?;
        if !account.has_password {
            let error = Error::GoogleRejected("the address belongs to another Google account".into());
            log_failure(&error);
            return Err(error);
        }
        let ticket = Secret::generate()?;
        let (store, hash) = (self.store.clone(), TokenHash::from_token(ticket.expose()));
        let account_id = account.account_id;
        run_write(async move { store.add_link_ticket(&hash, account_id, &identity.key, TICKET_TTL).await }).await?;
        Ok(ticket)
    }

    fn offer_registration(&self, email: &EmailAddress, identity: Identity) -> Result<String, Error> {
        self.keys.sign_claims(&RegistrationClaims {
            aud: REGISTRATION_AUDIENCE.to_owned(),
            exp: (OffsetDateTime::now_utc() + TICKET_TTL).unix_timestamp(),
            name: choose_name(&identity, email)?.as_str().to_owned(),
            email: email.as_str().to_owned(),
            google_issuer: identity.key.issuer,
            google_subject: identity.key.subject,
        })
    }

    /// Creates the account of the ticket's Google identity, after the privacy notice was shown.
    pub(crate) async fn register_with_google(
        &self,
        ticket: &Secret,
        notice_version: String,
        device: Device,
    ) -> Result<Tokens, Error> {
        let claims = self.keys.verify_claims::<RegistrationClaims>(ticket.expose(), REGISTRATION_AUDIENCE);
        let claims = claims.ok_or(Error::LinkExpired)?;
        let notice_version = validate_notice_version(notice_version)
            .and_then(|version| version.ok_or_else(|| Violation::new("notice_version", "REQUIRED")))
            .map_err(|violation| Error::Invalid(vec![violation]))?;
        let invalid = |violation| Error::Invalid(vec![violation]);
        let registration = GoogleRegistration {
            name: Name::parse(&claims.name).map_err(invalid)?,
            email: EmailAddress::parse(&claims.email).map_err(invalid)?,
            key: IdentityKey { issuer: claims.google_issuer, subject: claims.google_subject },
            notice_version,
        };
        let store = self.store.clone();
        // Two tabs may register at the same time. The second one finds the account at the next login.
        let account_id = run_write(async move { store.register_with_google(&registration).await })
            .await
            .map_err(|error| if matches!(error, Error::EmailTaken) { Error::LinkExpired } else { error })?;
        tracing::info!(%account_id, "account_registered_by_google");
        // A new account has no second factor.
        let account = self.store.find_credentials(account_id).await?.ok_or(Error::SessionEnded)?;
        let new = self.new_session(account, device, false)?;
        self.start_session(NewSession { is_fully_authenticated: true, ..new }).await
    }

    fn provider(&self) -> Result<&Provider, Error> {
        self.google.as_ref().ok_or(Error::GoogleNotConfigured)
    }

    fn reject_if_closed(&self, account: &ExistingAccount) -> Result<(), Error> {
        match account.closed_at {
            Some(closed_at) => Err(Error::AccountClosed { deletion_date: closed_at + self.deletion_delay }),
            None => Ok(()),
        }
    }
}

/// Returns the name from Google, or the local part of the email address if that name is invalid. The user did not type
/// the name here and could not correct it.
fn choose_name(identity: &Identity, email: &EmailAddress) -> Result<Name, Error> {
    let local_part: String = email.as_str().chars().take_while(|c| *c != '@').take(MAX_NAME_CHARS).collect();
    let name = Name::parse(identity.name.as_deref().unwrap_or_default());
    name.or_else(|_| Name::parse(&local_part)).map_err(|violation| Error::Invalid(vec![violation]))
}

/// Logs the cause of a failed Google login, which the response does not contain.
fn log_failure(error: &Error) {
    match error {
        Error::GoogleUnreachable(_) => tracing::warn!(error = %failure::error_chain(error), "google_unreachable"),
        _ => tracing::info!(error = %failure::error_chain(error), "google_rejected"),
    }
}
