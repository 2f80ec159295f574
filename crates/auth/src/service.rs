//! What auth decides.

use std::future::Future;

use rpc::caller::Caller;
use tracing::Instrument;
use uuid::Uuid;

use crate::Settings;
use crate::account::{Account, Form, Login};
use crate::error::Error;
use crate::hasher::{Hasher, Verdict};
use crate::password::LONGEST_BYTES;
use crate::secret::Secret;
use crate::sign_in::{Device, SignIn};
use crate::store::{Credentials, Rehash, Rotation, Store};
use crate::token::{RefreshToken, Signer, TokenHash};

/// No name that one signs in with is longer.
const LONGEST_LOGIN: usize = 1024;

/// Decides about accounts and sign-ins.
pub(crate) struct Service {
    store: Store,
    hasher: Hasher,
    signer: Signer,
    product: String,
}

/// What a sign-in holds.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: RefreshToken,
    pub(crate) refresh_expires_at: time::OffsetDateTime,
}

/// What verifying access tokens takes.
pub(crate) struct Verification {
    /// Key ids with the public keys.
    pub(crate) keys: Vec<(String, String)>,
    pub(crate) ended: Vec<Uuid>,
}

impl Service {
    /// Signs with the newest key, making the first if there is none.
    pub(crate) async fn new(store: Store, settings: Settings) -> Result<Self, Error> {
        let mut newest = store.keys().await?.into_iter().next();
        if newest.is_none() {
            store.make_first_key().await?;
            newest = store.keys().await?.into_iter().next();
        }
        let newest = newest.ok_or(Error::Database(sqlx::Error::RowNotFound))?;
        Ok(Self { signer: Signer::new(newest)?, hasher: Hasher::new(&settings)?, store, product: settings.product })
    }

    /// Makes an account.
    pub(crate) async fn register(&self, form: Form) -> Result<Uuid, Error> {
        let (registration, password) = form.check(&self.product)?;
        let hash = self.hasher.hash(password.into_secret()).await?;
        let store = self.store.clone();
        let account_id = to_the_end(async move { store.register(&registration, &hash).await }).await?;
        tracing::info!(%account_id, "account_registered");
        Ok(account_id)
    }

    /// Begins a sign-in. Every refusal looks the same and takes as long.
    pub(crate) async fn log_in(&self, login: &str, password: Secret, device: Device) -> Result<Tokens, Error> {
        // That nobody has such a name or password is no secret, so this may be quick.
        if login.len() > LONGEST_LOGIN || password.expose().len() > LONGEST_BYTES {
            return Err(refuse_sign_in());
        }
        let found = match Login::parse(login) {
            Some(login) => self.store.credentials(&login).await?,
            None => None,
        };
        let stored = found.as_ref().map(|account| account.password_hash.clone());
        let verdict = self.hasher.verify(password, stored).await?;
        let (account, stronger) = match (found, verdict) {
            (Some(account), Verdict::Right { stronger }) => (account, stronger),
            (None, Verdict::Right { .. }) | (_, Verdict::Wrong) => return Err(refuse_sign_in()),
        };
        let (sign_in, refresh) = self.begin(account, stronger, device).await?;
        tracing::info!(account_id = %sign_in.account_id, "sign_in");
        self.tokens(&sign_in, refresh)
    }

    async fn begin(
        &self,
        account: Credentials,
        stronger: Option<String>,
        device: Device,
    ) -> Result<(SignIn, RefreshToken), Error> {
        let rehash = stronger.map(|stronger| Rehash { weaker: account.password_hash.clone(), stronger });
        let refresh = RefreshToken::draw()?;
        let store = self.store.clone();
        to_the_end(async move {
            let sign_in = store.begin_sign_in(account, rehash, &device, &refresh).await?;
            Ok((sign_in, refresh))
        })
        .await
    }

    /// Gives the next pair of tokens for a refresh token.
    pub(crate) async fn refresh(&self, presented: &Secret, device: Option<Device>) -> Result<Tokens, Error> {
        let presented = TokenHash::of(presented.expose());
        let next = RefreshToken::draw()?;
        let store = self.store.clone();
        let (rotation, next) = to_the_end(async move {
            let rotation = store.rotate(presented, &next, device.as_ref()).await?;
            Ok((rotation, next))
        })
        .await?;
        match rotation {
            Rotation::Renewed(sign_in) => self.tokens(&sign_in, next),
            Rotation::Reused(account_id) => {
                tracing::info!(%account_id, "refresh_reuse");
                Err(Error::SessionEnded)
            }
            Rotation::Over => Err(Error::SessionEnded),
        }
    }

    /// Ends the sign-in of a refresh token and that of the caller, as far as there are any.
    pub(crate) async fn log_out(&self, refresh: &Secret, caller: Option<&Caller>) -> Result<(), Error> {
        let of_token = match refresh.expose() {
            "" => None,
            token => self.store.sign_in_of(&TokenHash::of(token)).await?,
        };
        let of_caller = caller.map(|caller| (caller.account_id, caller.sign_in_id));
        for (account_id, sign_in_id) in of_token.into_iter().chain(of_caller) {
            let store = self.store.clone();
            if to_the_end(async move { store.end_sign_in(account_id, sign_in_id).await }).await? {
                tracing::info!(%account_id, "sign_out");
            }
        }
        Ok(())
    }

    /// The caller's own account. A token may outlive its account by some minutes.
    pub(crate) async fn account(&self, caller: &Caller) -> Result<Account, Error> {
        self.store.account(caller.account_id).await?.ok_or(Error::SessionEnded)
    }

    pub(crate) async fn verification(&self) -> Result<Verification, Error> {
        let mut keys = Vec::new();
        for key in self.store.keys().await? {
            let x = key.public()?;
            keys.push((key.kid, x));
        }
        Ok(Verification { keys, ended: self.store.ended_lately().await? })
    }

    fn tokens(&self, sign_in: &SignIn, refresh: RefreshToken) -> Result<Tokens, Error> {
        let access = self.signer.sign(sign_in)?;
        Ok(Tokens { access, refresh, refresh_expires_at: sign_in.refresh_expires_at })
    }
}

/// The one refusal of every sign-in, whatever was wrong.
fn refuse_sign_in() -> Error {
    tracing::info!("sign_in_refused");
    Error::InvalidCredentials
}

/// Runs a write to its end, even when the caller hangs up midway: a transaction that is dropped half done would
/// leave its connection inside it.
async fn to_the_end<T, F>(write: F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>> + Send + 'static,
    T: Send + 'static,
{
    tokio::spawn(write.in_current_span()).await.map_err(Error::Interrupted)?
}
