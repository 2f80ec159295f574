//! Signed tokens that can be exchanged once: login tokens for a session, handoff tokens for an analytics session.

use rpc::caller::Trader;
use rpc::token::{Claims, Purpose};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{LogInOutcome, Service, run_write};
use crate::account::Account;
use crate::error::Error;
use crate::session::Device;
use crate::store::sessions::Credentials;
use crate::token::{SignedToken, Subject};

impl Service {
    /// Creates a token that can be exchanged for a session of the account, once and within a minute.
    pub(crate) async fn create_login_token(&self, account_id: Uuid) -> Result<SignedToken, Error> {
        let account = self.store.find_credentials(account_id).await?.ok_or(Error::SessionEnded)?;
        let Credentials { name, email, email_confirmed, .. } = &account;
        let email_confirmed = *email_confirmed;
        let subject = Subject { account_id, session_id: None, token_id: None, name, email, email_confirmed };
        self.keys.sign(Purpose::Login, &subject)
    }

    /// Verifies a login token or an access token without using it, and returns its account.
    pub(crate) async fn check_link_token(&self, token: &str, require_confirmed_email: bool) -> Result<Account, Error> {
        let account_id = if let Some(claims) = self.keys.verify(token, Purpose::Login) {
            (!self.store.is_token_used(claims.jti).await?).then_some(claims.sub)
        } else {
            let claims = self.keys.verify(token, Purpose::Access).ok_or(Error::SessionEnded)?;
            let session_id = claims.sid.ok_or(Error::SessionEnded)?;
            self.store.is_session_open(claims.sub, session_id).await?.then_some(claims.sub)
        };
        let account_id = account_id.ok_or(Error::SessionEnded)?;
        self.find_link_account(account_id, require_confirmed_email).await
    }

    async fn find_link_account(&self, account_id: Uuid, require_confirmed_email: bool) -> Result<Account, Error> {
        let account = self.accounts.find_account(account_id).await?.ok_or(Error::SessionEnded)?;
        if require_confirmed_email && !account.email_confirmed {
            tracing::info!(%account_id, "link_refused");
            return Err(Error::EmailNotConfirmed);
        }
        Ok(account)
    }

    /// Exchanges a token of [`create_login_token`](Self::create_login_token) for a session.
    pub(crate) async fn exchange_login_token(
        &self,
        token: &str,
        require_confirmed_email: bool,
        device: Device,
    ) -> Result<LogInOutcome, Error> {
        let claims = self.verify_token(token, Purpose::Login)?;
        // Before the token is used, so that the browser that began the login can still use it.
        self.find_link_account(claims.sub, require_confirmed_email).await?;
        if !self.mark_used(&claims).await? {
            return Err(Error::SessionEnded);
        }
        self.log_in_without_password(claims.sub, device).await
    }

    /// Creates a token that identifies the trader to the analytics site.
    pub(crate) fn create_handoff_token(&self, trader: &Trader) -> Result<SignedToken, Error> {
        let Trader { account_id, session_id, name, email, email_confirmed } = trader;
        let subject = Subject {
            account_id: *account_id,
            session_id: Some(*session_id),
            token_id: None,
            name,
            email,
            email_confirmed: *email_confirmed,
        };
        let signed = self.keys.sign(Purpose::Handoff, &subject)?;
        tracing::info!(%account_id, token_id = %signed.id, "handoff_created");
        Ok(signed)
    }

    /// Exchanges a handoff token for a read-only analytics token while the session that it was created from is open.
    ///
    /// A second exchange is rejected and ends the analytics session of the first one, because one of the two was not the
    /// trader's. The analytics token has the id of the handoff token, by which it is revoked.
    pub(crate) async fn start_analytics_session(&self, token: &str) -> Result<SignedToken, Error> {
        let claims = self.verify_token(token, Purpose::Handoff)?;
        if !self.mark_used(&claims).await? {
            let (store, token_id) = (self.store.clone(), claims.jti);
            run_write(async move { store.end_analytics_session(token_id).await }).await?;
            tracing::info!(account_id = %claims.sub, token_id = %claims.jti, "analytics_session_ended");
            return Err(Error::SessionEnded);
        }
        let (account_id, name, email) = (claims.sub, &claims.name, &claims.email);
        let session_id = claims.sid.ok_or(Error::SessionEnded)?;
        if !self.store.is_session_open(account_id, session_id).await? {
            return Err(Error::SessionEnded);
        }
        tracing::info!(%account_id, token_id = %claims.jti, "analytics_session");
        let token_id = Some(claims.jti);
        let email_confirmed = claims.email_verified.unwrap_or(true);
        let subject = Subject { account_id, session_id: Some(session_id), token_id, name, email, email_confirmed };
        self.keys.sign(Purpose::Analytics, &subject)
    }

    /// Verifies a token of ours and returns its claims.
    fn verify_token(&self, token: &str, purpose: Purpose) -> Result<Claims, Error> {
        self.keys.verify(token, purpose).ok_or(Error::SessionEnded)
    }

    /// Marks a token as used. Returns false if it was used before.
    async fn mark_used(&self, claims: &Claims) -> Result<bool, Error> {
        let expires_at = OffsetDateTime::from_unix_timestamp(claims.exp).map_err(|_| Error::SessionEnded)?;
        let (store, token_id) = (self.store.clone(), claims.jti);
        let is_first_use = run_write(async move { store.use_token_once(token_id, expires_at).await }).await?;
        if !is_first_use {
            tracing::info!(account_id = %claims.sub, "token_reused");
        }
        Ok(is_first_use)
    }
}
