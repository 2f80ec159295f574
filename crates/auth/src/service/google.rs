//! Signing in with Google: whose account it is, and tying it to one that has a password.

use rpc::failure;
use time::Duration;
use uuid::Uuid;

use super::{Service, Tokens, to_the_end};
use crate::account::{Email, LONGEST_NAME, Login, Name};
use crate::error::Error;
use crate::google::{Begun, Identity, Provider, Return};
use crate::secret::Secret;
use crate::sign_in::Device;
use crate::store::google::{Found, Newcomer};
use crate::token::{Signed, TokenHash};

/// How long the password may take to be given.
const LINK_WITHIN: Duration = Duration::minutes(10);

/// What came of a sign-in with Google.
pub(crate) enum Outcome {
    /// It becomes a sign-in.
    SignIn(Signed),
    /// The address has an account, whose password is wanted with this ticket.
    Link(Secret),
}

impl Service {
    pub(crate) fn has_google(&self) -> bool {
        self.google.is_some()
    }

    pub(crate) fn begin_google(&self, redirect_uri: &str) -> Result<Begun, Error> {
        self.provider()?.begin(redirect_uri)
    }

    /// Finds or makes the account of whoever came back from Google.
    pub(crate) async fn finish_google(&self, back: Return) -> Result<Outcome, Error> {
        let identity = self.provider()?.finish(&back).await.inspect_err(log)?;
        if let Some(found) = self.store.owner_of_identity(&identity.key).await? {
            self.refuse_closed(&found)?;
            return self.sign_in_token(found.account_id).await.map(Outcome::SignIn);
        }
        let email = Email::parse(&identity.email)
            .map_err(|_| Error::GoogleRefused("the address is none that we take".into()))
            .inspect_err(log)?;
        match self.store.owner_of_login(&Login::from(&email)).await? {
            Some(found) => self.ask_for_password(&found, identity).await.map(Outcome::Link),
            None => {
                let account_id = self.register_by_google(email, identity).await?;
                self.sign_in_token(account_id).await.map(Outcome::SignIn)
            }
        }
    }

    /// Ties a Google account to the account that the ticket was made for, by its password.
    pub(crate) async fn link_google(&self, ticket: &Secret, password: Secret, device: Device) -> Result<Tokens, Error> {
        let ticket = TokenHash::of(ticket.expose());
        let account_id = self.store.owner_of_link(&ticket).await?.ok_or(Error::LinkExpired)?;
        self.prove(account_id, password, &device).await?;
        let store = self.store.clone();
        to_the_end(async move { store.link_identity(&ticket).await }).await?;
        tracing::info!(%account_id, "google_linked");
        self.sign_in(account_id, device).await
    }

    /// Whoever has the address now need not be who made the account: they have to know its password. An account without
    /// one is another Google account's, and stays with it.
    async fn ask_for_password(&self, found: &Found, identity: Identity) -> Result<Secret, Error> {
        self.refuse_closed(found)?;
        if !found.has_password {
            let refused = Error::GoogleRefused("the address belongs to another Google account".into());
            log(&refused);
            return Err(refused);
        }
        let ticket = Secret::draw()?;
        let (store, hash, account_id) = (self.store.clone(), TokenHash::of(ticket.expose()), found.account_id);
        to_the_end(async move { store.offer_link(&hash, account_id, &identity.key, LINK_WITHIN).await }).await?;
        Ok(ticket)
    }

    async fn register_by_google(&self, email: Email, identity: Identity) -> Result<Uuid, Error> {
        let newcomer = Newcomer { name: name(&identity, &email)?, email, key: identity.key };
        let store = self.store.clone();
        // Two tabs at once: the second finds the account when it comes again.
        let account_id = to_the_end(async move { store.register_newcomer(&newcomer).await })
            .await
            .map_err(|error| if matches!(error, Error::EmailTaken) { Error::Changed } else { error })?;
        tracing::info!(%account_id, "account_registered_by_google");
        Ok(account_id)
    }

    fn provider(&self) -> Result<&Provider, Error> {
        self.google.as_ref().ok_or(Error::GoogleNotSetUp)
    }

    fn refuse_closed(&self, found: &Found) -> Result<(), Error> {
        match found.closed_at {
            Some(closed_at) => Err(Error::AccountClosed { erased_on: closed_at + self.erase_after }),
            None => Ok(()),
        }
    }
}

/// Nobody typed the name here, so one that we would not take is replaced rather than refused.
fn name(identity: &Identity, email: &Email) -> Result<Name, Error> {
    let local: String = email.typed().chars().take_while(|c| *c != '@').take(LONGEST_NAME).collect();
    let given = Name::parse(identity.name.as_deref().unwrap_or_default());
    given.or_else(|_| Name::parse(&local)).map_err(|violation| Error::Invalid(vec![violation]))
}

/// Why Google was not believed is for us to know: whoever comes back is told only that it was not.
fn log(error: &Error) {
    match error {
        Error::GoogleUnreachable(_) => tracing::warn!(error = %failure::chain(error), "google_unreachable"),
        _ => tracing::info!(error = %failure::chain(error), "google_refused"),
    }
}
