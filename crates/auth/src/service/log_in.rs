//! Logging in: password checks, throttling, and the start of a session.

use std::time::Duration;

use queue::Place;
use rpc::caller::Trader;
use uuid::Uuid;

use super::{LogInOutcome, Service, Tokens, run_write};
use crate::account::Login;
use crate::error::Error;
use crate::login_throttle::LoginAttempt;
use crate::password;
use crate::password_hasher::PasswordCheck;
use crate::secret::Secret;
use crate::session::Device;
use crate::store::sessions::{Credentials, NewSession};

/// Maximum length of a login in bytes. No account has a longer one.
const MAX_LOGIN_BYTES: usize = 1024;

impl Service {
    /// Logs in with a password. All rejections look the same and take the same time.
    pub(crate) async fn log_in(
        &self,
        login: &str,
        password: Secret,
        device: Device,
        restore: bool,
    ) -> Result<LogInOutcome, Error> {
        // A fast rejection reveals nothing: no account has such a login or password.
        if login.len() > MAX_LOGIN_BYTES || password::is_too_long(&password) {
            return Err(reject_login(None));
        }
        let place = self.hasher.enqueue()?;
        let account = match Login::parse(login) {
            Some(login) => self.store.find_credentials_by_login(&login).await?,
            None => None,
        };
        let attempt = self.create_attempt(login, account.as_ref(), &device).await?;
        let (account, rehash) = self.check_password(place, attempt, account, password).await?;
        let new = self.new_session(account, device, restore)?;
        self.continue_log_in(NewSession { rehash, ..new }).await
    }

    /// Logs in to an account whose owner was authenticated without a password.
    pub(crate) async fn log_in_without_password(
        &self,
        account_id: Uuid,
        device: Device,
    ) -> Result<LogInOutcome, Error> {
        let account = self.store.find_credentials(account_id).await?.ok_or(Error::SessionEnded)?;
        self.continue_log_in(self.new_session(account, device, false)?).await
    }

    /// Checks the password of an account outside of a session. Failures count as failed logins. The check always fails
    /// for an account without a password.
    pub(crate) async fn check_account_password(
        &self,
        account_id: Uuid,
        password: Secret,
        device: &Device,
    ) -> Result<(), Error> {
        if password::is_too_long(&password) {
            return Err(Error::InvalidCredentials);
        }
        let place = self.hasher.enqueue()?;
        let account = self.store.find_credentials(account_id).await?.ok_or(Error::SessionEnded)?;
        let attempt = self.create_attempt(&account.email, Some(&account), device).await?;
        self.check_password(place, attempt, Some(account), password).await.map(drop)
    }

    /// Checks the password of a logged-in trader. Failures count for this session only.
    pub(crate) async fn check_session_password(&self, trader: &Trader, password: Secret) -> Result<(), Error> {
        if password::is_too_long(&password) {
            return Err(Error::InvalidCredentials);
        }
        let place = self.hasher.enqueue()?;
        let account = self.store.find_credentials(trader.account_id).await?.ok_or(Error::SessionEnded)?;
        let address = self.store.find_session_address(trader.account_id, trader.session_id).await?.unwrap_or_default();
        let attempt = LoginAttempt::from_session(trader.session_id, account.account_id, &address);
        self.check_password(place, attempt, Some(account), password).await.map(drop)
    }

    /// Checks a password unless the attempt is throttled. Does the same work for an unknown account. Returns the
    /// account, and a new hash if the stored one is weak.
    async fn check_password(
        &self,
        place: Place,
        attempt: LoginAttempt,
        account: Option<Credentials>,
        password: Secret,
    ) -> Result<(Credentials, Option<String>), Error> {
        let is_throttled = self.throttle_loopback || !attempt.is_loopback;
        // For the log only; responses are the same for unknown accounts.
        let account_id = account.as_ref().map(|account| account.account_id.to_string());
        if is_throttled && let Some(delay) = self.count_attempt(&attempt).await? {
            tracing::info!(account_id, "login_throttled");
            return Err(Error::LoginThrottled(delay));
        }
        let stored = account.as_ref().and_then(|account| account.password_hash.clone());
        let store = self.store.clone();
        match (account, self.hasher.verify(place, password, stored).await) {
            (Some(account), Ok(PasswordCheck::Right { rehash })) => {
                if is_throttled {
                    run_write(async move { store.clear_attempts(&attempt).await }).await?;
                }
                Ok((account, rehash))
            }
            (_, Ok(PasswordCheck::Right { .. } | PasswordCheck::Wrong)) => Err(reject_login(account_id)),
            (_, Err(error)) => {
                if is_throttled {
                    run_write(async move { store.uncount_attempt(&attempt).await }).await?;
                }
                Err(error)
            }
        }
    }

    /// Creates the attempt of a device. The device counts as known if it has logged in to the account before.
    async fn create_attempt(
        &self,
        login: &str,
        account: Option<&Credentials>,
        device: &Device,
    ) -> Result<LoginAttempt, Error> {
        let device_hash = device.token_hash();
        let account_id = account.map(|account| account.account_id);
        let is_known = match &device_hash {
            Some(hash) => self.store.is_known_device(account_id.unwrap_or_default(), hash).await?,
            None => false,
        };
        Ok(LoginAttempt::from_device(login, account_id, device, device_hash.as_ref().filter(|_| is_known)))
    }

    pub(super) async fn count_attempt(&self, attempt: &LoginAttempt) -> Result<Option<Duration>, Error> {
        let (store, attempt) = (self.store.clone(), attempt.clone());
        run_write(async move { store.count_attempt(&attempt).await }).await
    }

    pub(super) async fn start_session(&self, new: NewSession) -> Result<Tokens, Error> {
        let store = self.store.clone();
        let (session, refresh, device) = run_write(async move {
            let (session, device) = store.start_session(&new).await?;
            Ok((session, new.refresh, device))
        })
        .await?;
        tracing::info!(account_id = %session.account_id, "login");
        Ok(Tokens { device: Some(device), ..self.issue_tokens(&session, refresh)? })
    }
}

/// Returns the rejection of every failed login, whatever the cause.
fn reject_login(account_id: Option<String>) -> Error {
    tracing::info!(account_id, "login_failed");
    Error::InvalidCredentials
}
