//! What auth decides.

pub(crate) mod care;
pub(crate) mod google;
mod handoff;
mod signing_in;

use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;

use rpc::LONGEST_WRITE;
use rpc::caller::{Bearer, Caller};
use rpc::token::Purpose;
use tokio::sync::Notify;
use tokio::time::timeout;
use tracing::Instrument;
use uuid::Uuid;

use crate::Settings;
use crate::account::Form;
use crate::error::Error;
use crate::google::Provider;
use crate::hasher::Hasher;
use crate::secret::Secret;
use crate::service_token::Known;
use crate::sign_in::{Device, SignIn};
use crate::store::{Rotation, Store};
use crate::token::{RefreshToken, Signer, StoredKey, Subject, TokenHash};

/// Decides about accounts and sign-ins.
pub(crate) struct Service {
    store: Store,
    /// On connections that nothing else waits for.
    vital: Store,
    hasher: Hasher,
    signer: Signer,
    /// The key that signs is the one that the settings name.
    given_key: bool,
    product: String,
    /// Hold back wrong passwords from this machine, too.
    hold_failures: bool,
    /// How long a closed account can be taken back.
    erase_after: time::Duration,
    /// None where Google is not set up.
    google: Option<Provider>,
    /// Rung when a letter was asked for.
    bell: Arc<Notify>,
}

/// What a sign-in holds.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: RefreshToken,
    pub(crate) refresh_expires_at: time::OffsetDateTime,
    /// What the device is to show when it signs in again; none where nothing changes.
    pub(crate) device: Option<Secret>,
}

/// What verifying tokens takes.
pub(crate) struct Verification {
    /// Key ids with the public keys.
    pub(crate) keys: Vec<(String, String)>,
    pub(crate) ended: Vec<Uuid>,
    pub(crate) services: Vec<Known>,
}

impl Service {
    /// Signs with the key that the settings name, or else with the newest of our own.
    pub(crate) async fn new(store: Store, vital: Store, settings: Settings) -> Result<Self, Error> {
        let key = match &settings.signing_key_file {
            Some(file) => StoredKey::read(file)?,
            None => own_key(&store).await?,
        };
        Ok(Self {
            signer: Signer::new(key)?,
            given_key: settings.signing_key_file.is_some(),
            hasher: Hasher::new(&settings)?,
            store,
            vital,
            erase_after: settings.erase_after(),
            google: settings.google.map(Provider::new).transpose()?,
            bell: settings.bell,
            product: settings.product,
            hold_failures: settings.hold_failures,
        })
    }

    /// Makes an account.
    pub(crate) async fn register(&self, form: Form) -> Result<Uuid, Error> {
        let (registration, password) = form.check(&self.product)?;
        let hash = self.hasher.hash(password.into_secret()).await?;
        let store = self.store.clone();
        let account_id = to_the_end(async move { store.register(&registration, &hash).await }).await?;
        self.bell.notify_one();
        tracing::info!(%account_id, "account_registered");
        Ok(account_id)
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
        let of_caller = match caller.map(|caller| &caller.bearer) {
            Some(Bearer::Session(trader)) => Some((trader.account_id, trader.sign_in_id)),
            Some(Bearer::Analytics(_) | Bearer::Service(_)) | None => None,
        };
        for (account_id, sign_in_id) in of_token.into_iter().chain(of_caller) {
            let store = self.store.clone();
            if to_the_end(async move { store.end_sign_in(account_id, sign_in_id).await }).await? {
                tracing::info!(%account_id, "sign_out");
            }
        }
        Ok(())
    }

    pub(crate) async fn verification(&self) -> Result<Verification, Error> {
        Ok(Verification {
            keys: self.public_keys().await?,
            ended: self.vital.ended_lately().await?,
            services: self.vital.service_tokens().await?,
        })
    }

    /// Key ids with the public keys. Beside a key that was given from outside, none in the database is trusted.
    async fn public_keys(&self) -> Result<Vec<(String, String)>, Error> {
        if self.given_key {
            return Ok(vec![self.signer.public()]);
        }
        let mut keys = Vec::new();
        for key in self.vital.keys().await? {
            let x = key.public()?;
            keys.push((key.kid, x));
        }
        Ok(keys)
    }

    fn tokens(&self, sign_in: &SignIn, refresh: RefreshToken) -> Result<Tokens, Error> {
        let SignIn { account_id, sign_in_id, name, email, refresh_expires_at } = sign_in;
        let subject = Subject { account_id: *account_id, sign_in_id: Some(*sign_in_id), name, email };
        let access = self.signer.sign(Purpose::Access, &subject)?.token;
        Ok(Tokens { access, refresh, refresh_expires_at: *refresh_expires_at, device: None })
    }
}

/// The newest key in the database, where the first is made if there is none.
async fn own_key(store: &Store) -> Result<StoredKey, Error> {
    let mut newest = store.keys().await?.into_iter().next();
    if newest.is_none() {
        store.make_first_key().await?;
        newest = store.keys().await?.into_iter().next();
    }
    newest.ok_or(Error::Database(sqlx::Error::RowNotFound))
}

/// Runs a write to its end, even when the caller hangs up midway: a transaction that is dropped half done would
/// leave its connection inside it.
async fn to_the_end<T, F>(write: F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>> + Send + 'static,
    T: Send + 'static,
{
    let silent = |_| Err(sqlx::Error::from(std::io::Error::from(ErrorKind::TimedOut)).into());
    tokio::spawn(timeout(LONGEST_WRITE, write).in_current_span())
        .await
        .map_err(Error::Interrupted)?
        .unwrap_or_else(silent)
}
