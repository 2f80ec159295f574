//! Decisions of auth.

mod account_settings;
mod email_tickets;
pub(crate) mod google;
mod log_in;
mod one_time_tokens;
mod phone_verification;
pub(crate) mod second_factor;
mod sessions;
mod tax_links;

use std::future::Future;
use std::sync::Arc;

use db::{WRITE_TIMEOUT, run_to_completion};
use rpc::token::Purpose;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::Settings;
use crate::account::{Phone, RegistrationForm};
use crate::encryption::Column;
use crate::error::{Error, InternalError};
use crate::google::Provider;
use crate::key_ring::KeyRing;
use crate::password::{self, ForbiddenPasswords, Password};
use crate::password_hasher::PasswordHasher;
use crate::second_factor::Methods;
use crate::secret::Secret;
use crate::service_token::ActiveToken;
use crate::session::Session;
use crate::store::account_settings::Owner;
use crate::store::{AccountReader, Store};
use crate::token::{RefreshToken, Subject};

/// Manages accounts and sessions.
pub(crate) struct Service {
    store: Store,
    accounts: AccountReader,
    /// Store with its own connections, for verification data.
    verification_store: Store,
    hasher: PasswordHasher,
    keys: KeyRing,
    /// True if the signing key comes from the settings.
    uses_own_key: bool,
    product_name: String,
    /// Throttles failed logins from loopback addresses as well.
    throttle_loopback: bool,
    /// Time between the closing of an account and its deletion.
    deletion_delay: time::Duration,
    /// `None` if Google login is not configured.
    google: Option<Provider>,
    /// True if codes can be sent by SMS.
    sends_sms: bool,
    /// Notified when an email is queued.
    email_queued: Arc<Notify>,
}

/// Tokens of a session.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: RefreshToken,
    pub(crate) refresh_expires_at: time::OffsetDateTime,
    /// Device token for the next login; `None` if it does not change.
    pub(crate) device: Option<Secret>,
}

/// Result of a login with the right password.
pub(crate) enum LogInOutcome {
    LoggedIn(Tokens),
    /// The second factor is missing.
    SecondFactorRequired(Challenge),
}

/// Login that waits for a second factor.
pub(crate) struct Challenge {
    pub(crate) token: Secret,
    pub(crate) methods: Methods,
}

/// Data that other processes need to verify tokens.
pub(crate) struct VerificationData {
    /// Key ids and public keys.
    pub(crate) keys: Vec<(String, String)>,
    pub(crate) ended_sessions: Vec<Uuid>,
    pub(crate) service_tokens: Vec<ActiveToken>,
}

/// New password, typed twice.
pub(crate) struct NewPassword {
    pub(crate) password: Secret,
    pub(crate) confirm_password: Secret,
}

impl NewPassword {
    fn validate(self, product_name: &str, owner: &Owner) -> Result<Password, Error> {
        let phone = owner.phone.as_deref().and_then(Phone::parse);
        let email = owner.email.to_lowercase();
        let forbidden =
            ForbiddenPasswords { product_name, name: &owner.name, email: Some(&email), phone: phone.as_ref() };
        let confirmed = password::check_confirmation(&self.password, &self.confirm_password);
        match (Password::parse(self.password, &forbidden), confirmed) {
            (Ok(password), Ok(())) => Ok(password),
            (password, confirmed) => {
                Err(Error::Invalid([password.err(), confirmed.err()].into_iter().flatten().collect()))
            }
        }
    }
}

impl Service {
    /// Signs with the key of the settings, or with a key in the database.
    ///
    /// # Errors
    /// If a secret in the database is encrypted with a key that the settings lack.
    pub(crate) async fn new(
        store: Store,
        accounts: AccountReader,
        verification_store: Store,
        settings: Settings,
    ) -> Result<Self, Error> {
        if settings.encryption_keys.first_id().is_some() {
            tracing::info!(ids = settings.encryption_keys.list_ids(), "encryption_keys");
        }
        store.check_encryption_keys(Column::TotpSecret).await?;
        let uses_own_key = settings.signing_key.is_some();
        let keys = match settings.signing_key.clone() {
            Some(key) => KeyRing::from_key(key)?,
            None => {
                store.check_encryption_keys(Column::SigningKey).await?;
                load_or_create_keys(&store).await?
            }
        };
        Ok(Self {
            keys,
            uses_own_key,
            hasher: PasswordHasher::new(&settings)?,
            store,
            accounts,
            verification_store,
            deletion_delay: settings.deletion_delay(),
            google: settings.google.map(Provider::new).transpose()?,
            sends_sms: settings.sms.is_some(),
            email_queued: settings.email_queued,
            product_name: settings.product_name,
            throttle_loopback: settings.throttle_loopback,
        })
    }

    /// Creates an account.
    pub(crate) async fn register(&self, form: RegistrationForm) -> Result<Uuid, Error> {
        let (registration, password) = form.validate(&self.product_name)?;
        let hash = self.hasher.hash(password.into_secret()).await?;
        let store = self.store.clone();
        let account_id = run_write(async move { store.register(&registration, &hash).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, "account_registered");
        Ok(account_id)
    }

    pub(crate) async fn verification_data(&self) -> Result<VerificationData, Error> {
        // Every process asks for this data every two seconds, so keys that were added or removed take effect soon. If the
        // settings have a key, keys in the database are not trusted.
        if !self.uses_own_key {
            self.keys.set(self.verification_store.list_signing_keys().await?)?;
        }
        Ok(VerificationData {
            keys: self.keys.public_keys(),
            ended_sessions: self.verification_store.list_recently_ended_sessions().await?,
            service_tokens: self.verification_store.list_active_service_tokens().await?,
        })
    }

    fn issue_tokens(&self, session: &Session, refresh: RefreshToken) -> Result<Tokens, Error> {
        let Session { account_id, session_id, name, email, email_confirmed, refresh_expires_at } = session;
        let subject = Subject {
            account_id: *account_id,
            session_id: Some(*session_id),
            token_id: None,
            name,
            email,
            email_confirmed: *email_confirmed,
        };
        let access = self.keys.sign(Purpose::Access, &subject)?.token;
        Ok(Tokens { access, refresh, refresh_expires_at: *refresh_expires_at, device: None })
    }
}

/// Returns the signing keys in the database. Creates the first one if there is none.
async fn load_or_create_keys(store: &Store) -> Result<KeyRing, Error> {
    let mut keys = KeyRing::from_stored(store.list_signing_keys().await?)?;
    if keys.is_none() {
        store.create_first_signing_key().await?;
        keys = KeyRing::from_stored(store.list_signing_keys().await?)?;
    }
    keys.ok_or_else(|| InternalError::Database(sqlx::Error::RowNotFound).into())
}

/// Runs a write until it commits or fails, even if the caller disconnects.
async fn run_write<T, F>(write: F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>> + Send + 'static,
    T: Send + 'static,
{
    run_to_completion(WRITE_TIMEOUT, write).await
}
