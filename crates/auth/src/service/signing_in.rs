//! Signing in: the password, how often it may be wrong, and what a sign-in holds.

use rpc::caller::Trader;
use uuid::Uuid;

use super::{Service, Tokens, to_the_end};
use crate::account::Login;
use crate::back_off::Attempt;
use crate::error::Error;
use crate::hasher::{Place, Verdict};
use crate::secret::Secret;
use crate::sign_in::Device;
use crate::store::signing_in::{Beginning, Credentials};
use crate::token::RefreshToken;

/// No name that one signs in with is longer.
const LONGEST_LOGIN: usize = 1024;
/// No password of ours is longer, so a longer one is not worth a hash.
const LONGEST_PASSWORD: usize = 1024;

impl Service {
    /// Begins a sign-in. Every refusal looks the same and takes as long.
    pub(crate) async fn log_in(
        &self,
        login: &str,
        password: Secret,
        device: Device,
        restore: bool,
    ) -> Result<Tokens, Error> {
        // That nobody has such a name or password is no secret, so this may be quick.
        if login.len() > LONGEST_LOGIN || password.expose().len() > LONGEST_PASSWORD {
            return Err(refuse_sign_in(None));
        }
        let place = self.hasher.place()?;
        let found = match Login::parse(login) {
            Some(login) => self.store.credentials(&login).await?,
            None => None,
        };
        let attempt = self.attempt(login, found.as_ref(), &device).await?;
        let (account, stronger) = self.check(place, attempt, found, password).await?;
        let refresh = RefreshToken::draw()?;
        self.begin(Beginning { account, stronger, restore, erase_after: self.erase_after, device, refresh }).await
    }

    /// Begins a sign-in of somebody who has proved by other means who they are.
    pub(crate) async fn sign_in(&self, account_id: Uuid, device: Device) -> Result<Tokens, Error> {
        let account = self.store.credentials_of(account_id).await?.ok_or(Error::SessionEnded)?;
        let refresh = RefreshToken::draw()?;
        self.begin(Beginning {
            account,
            stronger: None,
            restore: false,
            erase_after: self.erase_after,
            device,
            refresh,
        })
        .await
    }

    /// Asks for the password of an account once more. Wrong ones count as they do at the door; who has none is never
    /// right.
    pub(crate) async fn prove(&self, account_id: Uuid, password: Secret, device: &Device) -> Result<(), Error> {
        let place = self.hasher.place()?;
        let account = self.store.credentials_of(account_id).await?.ok_or(Error::SessionEnded)?;
        let attempt = self.attempt(&account.email, Some(&account), device).await?;
        self.check(place, attempt, Some(account), password).await.map(drop)
    }

    /// Asks somebody who is signed in for the password once more. Wrong ones count for this sign-in alone.
    pub(crate) async fn prove_within(&self, trader: &Trader, password: Secret) -> Result<(), Error> {
        let place = self.hasher.place()?;
        let account = self.store.credentials_of(trader.account_id).await?.ok_or(Error::SessionEnded)?;
        let address = self.store.address(trader.account_id, trader.sign_in_id).await?.unwrap_or_default();
        let attempt = Attempt::within(trader.sign_in_id, &account.email, &address);
        self.check(place, attempt, Some(account), password).await.map(drop)
    }

    /// Checks a password, unless earlier failures hold. The same is done where there is no account.
    async fn check(
        &self,
        place: Place,
        attempt: Attempt,
        account: Option<Credentials>,
        password: Secret,
    ) -> Result<(Credentials, Option<String>), Error> {
        let counts = self.hold_failures || !attempt.is_near;
        // In the log alone; to whoever asks, an unknown account looks like any other.
        let account_id = account.as_ref().map(|account| account.account_id.to_string());
        if counts && let Some(wait) = self.count(&attempt).await? {
            tracing::info!(account_id, "sign_in_held");
            return Err(Error::Held(wait));
        }
        let stored = account.as_ref().and_then(|account| account.password_hash.clone());
        let store = self.store.clone();
        match (account, self.hasher.verify(place, password, stored).await) {
            (Some(account), Ok(Verdict::Right { stronger })) => {
                if counts {
                    to_the_end(async move { store.clear_attempts(&attempt).await }).await?;
                }
                Ok((account, stronger))
            }
            (_, Ok(Verdict::Right { .. } | Verdict::Wrong)) => Err(refuse_sign_in(account_id)),
            (_, Err(error)) => {
                if counts {
                    to_the_end(async move { store.discount_attempt(&attempt).await }).await?;
                }
                Err(error)
            }
        }
    }

    async fn attempt(&self, login: &str, account: Option<&Credentials>, device: &Device) -> Result<Attempt, Error> {
        let shown = device.token_hash();
        let account_id = account.map(|account| account.account_id).unwrap_or_default();
        let known = match &shown {
            Some(shown) => self.store.knows_device(account_id, shown).await?,
            None => false,
        };
        Ok(Attempt::new(login, device, shown.as_ref().filter(|_| known)))
    }

    async fn count(&self, attempt: &Attempt) -> Result<Option<std::time::Duration>, Error> {
        let (store, attempt) = (self.store.clone(), attempt.clone());
        to_the_end(async move { store.count_attempt(&attempt).await }).await
    }

    async fn begin(&self, beginning: Beginning) -> Result<Tokens, Error> {
        let store = self.store.clone();
        let (sign_in, refresh, device) = to_the_end(async move {
            let (sign_in, device) = store.begin_sign_in(&beginning).await?;
            Ok((sign_in, beginning.refresh, device))
        })
        .await?;
        tracing::info!(account_id = %sign_in.account_id, "sign_in");
        Ok(Tokens { device: Some(device), ..self.tokens(&sign_in, refresh)? })
    }
}

/// The one refusal of every sign-in, whatever was wrong.
fn refuse_sign_in(account_id: Option<String>) -> Error {
    tracing::info!(account_id, "sign_in_refused");
    Error::InvalidCredentials
}
