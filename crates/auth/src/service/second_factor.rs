//! Second factors: their setup, the second step of a login, and authentication before sensitive actions.

use rpc::caller::Trader;
use rpc::failure::Violation;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Challenge, LogInOutcome, Service, Tokens, run_write};
use crate::error::Error;
use crate::login_throttle::LoginAttempt;
use crate::second_factor::passkey::{Ceremony, RelyingParty};
use crate::second_factor::recovery_code::{self, CODE_COUNT};
use crate::second_factor::totp::TotpSecret;
use crate::second_factor::{Overview, Proof};
use crate::secret::Secret;
use crate::session::Device;
use crate::store::second_factor::challenges::Purpose;
use crate::store::second_factor::passkeys::NewPasskey;
use crate::store::sessions::{Credentials, NewSession};
use crate::token::{RefreshToken, TokenHash};

/// Maximum length of the name of a passkey in characters.
const MAX_PASSKEY_NAME_CHARS: usize = 60;

/// New authenticator app.
pub(crate) struct TotpSetup {
    /// Base32.
    pub(crate) secret: String,
    pub(crate) url: String,
}

/// Passkey operation that the browser continues.
pub(crate) struct PasskeyCeremony {
    /// Identifies the operation; empty for a login, which has a challenge already.
    pub(crate) token: Secret,
    /// Options for the browser as JSON.
    pub(crate) options: String,
}

/// Proof that is checked, and the context that it must match.
struct CheckedProof<'a> {
    account_id: Uuid,
    email: &'a str,
    address: &'a str,
    proof: Proof,
    passkey_state: Option<String>,
    origin: &'a str,
}

impl Service {
    /// Starts the session of an account whose owner was authenticated by the password or Google, or returns a challenge
    /// if the account has a second factor and the device is not trusted.
    pub(super) async fn continue_log_in(&self, new: NewSession) -> Result<LogInOutcome, Error> {
        let account_id = new.account.account_id;
        let methods = self.store.find_second_factors(account_id).await?;
        if !methods.is_required() {
            return self.start_session(NewSession { is_fully_authenticated: true, ..new }).await.map(Into::into);
        }
        if let Some(device) = new.device.token_hash() {
            let store = self.store.clone();
            if run_write(async move { store.use_trusted_device(account_id, &device).await }).await? {
                return self.start_session(new).await.map(Into::into);
            }
        }
        let token = Secret::generate()?;
        let (store, hash) = (self.store.clone(), TokenHash::from_token(token.expose()));
        run_write(async move { store.add_log_in_challenge(&hash, &new).await }).await?;
        tracing::info!(%account_id, "second_factor_required");
        Ok(LogInOutcome::SecondFactorRequired(Challenge { token, methods }))
    }

    /// Completes a login with its second factor.
    pub(crate) async fn complete_log_in(
        &self,
        token: &Secret,
        proof: Proof,
        origin: &str,
        trust_device: bool,
        device: Device,
    ) -> Result<Tokens, Error> {
        let token = TokenHash::from_token(token.expose());
        let (store, counted) = (self.store.clone(), token.clone());
        let pending = run_write(async move { store.count_challenge_attempt(&counted).await }).await?;
        let pending = pending.ok_or(Error::ChallengeExpired)?;
        let account_id = pending.account_id;
        let account = self.store.find_credentials(account_id).await?.ok_or(Error::ChallengeExpired)?;
        let (email, address) = (&account.email, &device.address);
        let passkey_state = pending.passkey_state;
        self.check_proof(CheckedProof { account_id, email, address, proof, passkey_state, origin }).await?;
        let store = self.store.clone();
        run_write(async move { store.take_challenge(&token, account_id, Purpose::LogIn).await })
            .await?
            .ok_or(Error::ChallengeExpired)?;
        let new = self.new_session(account, device, pending.restore)?;
        self.start_session(NewSession { is_fully_authenticated: true, trust_device, ..new }).await
    }

    pub(super) fn new_session(&self, account: Credentials, device: Device, restore: bool) -> Result<NewSession, Error> {
        Ok(NewSession {
            account,
            rehash: None,
            restore,
            deletion_delay: self.deletion_delay,
            device,
            refresh: RefreshToken::generate()?,
            is_fully_authenticated: false,
            trust_device: false,
        })
    }

    pub(crate) async fn second_factors(&self, trader: &Trader) -> Result<Overview, Error> {
        self.store.find_second_factor_overview(trader.account_id).await
    }

    /// Begins the setup of an authenticator app.
    pub(crate) async fn begin_totp_setup(&self, trader: &Trader) -> Result<TotpSetup, Error> {
        self.require_reauthentication(trader).await?;
        let owner = self.find_owner(trader).await?;
        let secret = TotpSecret::generate()?;
        let setup = TotpSetup { secret: secret.to_base32(), url: secret.to_url("TradeBahi", &owner.email)? };
        let (store, account_id) = (self.store.clone(), trader.account_id);
        if run_write(async move { store.add_totp(account_id, &secret).await }).await? {
            Ok(setup)
        } else {
            Err(Error::TotpExists)
        }
    }

    /// Confirms a new authenticator app by a code from it. Returns recovery codes if the account had none.
    pub(crate) async fn finish_totp_setup(&self, trader: &Trader, code: &Secret) -> Result<Vec<Secret>, Error> {
        self.require_reauthentication(trader).await?;
        let Trader { account_id, session_id, .. } = *trader;
        let secret = self.store.find_unconfirmed_totp(account_id).await?.ok_or(Error::SetupExpired)?;
        let step = secret.find_step(code.expose(), OffsetDateTime::now_utc())?.ok_or_else(|| wrong("code"))?;
        let (codes, hashes) = generate_recovery_codes()?;
        let store = self.store.clone();
        let stored = run_write(async move { store.confirm_totp(account_id, session_id, step, &hashes).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, method = "totp", "second_factor_added");
        Ok(if stored { codes } else { Vec::new() })
    }

    /// Begins to add a passkey.
    pub(crate) async fn begin_passkey_setup(&self, trader: &Trader, origin: &str) -> Result<PasskeyCeremony, Error> {
        self.require_reauthentication(trader).await?;
        let owner = self.find_owner(trader).await?;
        let existing = self.store.list_passkeys(trader.account_id).await?;
        let party = RelyingParty::from_origin(origin, "TradeBahi")?;
        let ceremony = party.begin_setup(trader.account_id, &owner.email, &owner.name, &existing)?;
        self.store_ceremony(trader.account_id, Purpose::AddPasskey, ceremony).await
    }

    /// Adds a passkey. Returns recovery codes if the account had none.
    pub(crate) async fn finish_passkey_setup(
        &self,
        trader: &Trader,
        token: &Secret,
        name: &str,
        response: &str,
        origin: &str,
    ) -> Result<Vec<Secret>, Error> {
        self.require_reauthentication(trader).await?;
        let Trader { account_id, session_id, .. } = *trader;
        let name = parse_passkey_name(name)?;
        let state =
            self.take_passkey_state(account_id, token, Purpose::AddPasskey).await?.ok_or(Error::SetupExpired)?;
        let party = RelyingParty::from_origin(origin, "TradeBahi")?;
        let passkey = party.finish_setup(&state, response)?.ok_or_else(|| wrong("passkey"))?;
        let (codes, hashes) = generate_recovery_codes()?;
        let (store, new) = (self.store.clone(), NewPasskey { name, passkey });
        let stored = run_write(async move { store.add_passkey(account_id, session_id, &new, &hashes).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, method = "passkey", "second_factor_added");
        Ok(if stored { codes } else { Vec::new() })
    }

    /// Begins the proof of a passkey for a login that waits for its second factor.
    pub(crate) async fn begin_passkey_log_in(&self, token: &Secret, origin: &str) -> Result<PasskeyCeremony, Error> {
        let hash = TokenHash::from_token(token.expose());
        let account_id = self.store.find_log_in_challenge(&hash).await?.ok_or(Error::ChallengeExpired)?;
        let ceremony = self.begin_proof(account_id, origin).await?;
        let store = self.store.clone();
        if run_write(async move { store.set_passkey_state(&hash, &ceremony.state).await }).await? {
            Ok(PasskeyCeremony { token: Secret::new(String::new()), options: ceremony.options })
        } else {
            Err(Error::ChallengeExpired)
        }
    }

    /// Begins the proof of a passkey before a sensitive action.
    pub(crate) async fn begin_passkey_reauthentication(
        &self,
        trader: &Trader,
        origin: &str,
    ) -> Result<PasskeyCeremony, Error> {
        let ceremony = self.begin_proof(trader.account_id, origin).await?;
        self.store_ceremony(trader.account_id, Purpose::Reauthenticate, ceremony).await
    }

    /// Removes a passkey, or the authenticator app if `passkey_id` is empty.
    pub(crate) async fn remove_second_factor(&self, trader: &Trader, passkey_id: &str) -> Result<(), Error> {
        self.require_reauthentication(trader).await?;
        let passkey = match passkey_id {
            "" => None,
            id => Some(id.parse().map_err(|_| Error::SecondFactorNotFound)?),
        };
        let (store, account_id) = (self.store.clone(), trader.account_id);
        if !run_write(async move { store.remove_second_factor(account_id, passkey).await }).await? {
            return Err(Error::SecondFactorNotFound);
        }
        self.email_queued.notify_one();
        tracing::info!(%account_id, "second_factor_removed");
        Ok(())
    }

    /// Replaces the recovery codes and returns the new ones.
    pub(crate) async fn replace_recovery_codes(&self, trader: &Trader) -> Result<Vec<Secret>, Error> {
        self.require_reauthentication(trader).await?;
        let (codes, hashes) = generate_recovery_codes()?;
        let (store, account_id) = (self.store.clone(), trader.account_id);
        run_write(async move { store.replace_recovery_codes(account_id, &hashes).await }).await?;
        tracing::info!(%account_id, "recovery_codes_replaced");
        Ok(codes)
    }

    /// Ends the trust in a device.
    pub(crate) async fn remove_trusted_device(&self, trader: &Trader, id: &str) -> Result<(), Error> {
        let device: Uuid = id.parse().map_err(|_| Error::TrustedDeviceNotFound)?;
        let (store, account_id) = (self.store.clone(), trader.account_id);
        if !run_write(async move { store.remove_trusted_device(account_id, device).await }).await? {
            return Err(Error::TrustedDeviceNotFound);
        }
        tracing::info!(%account_id, "trusted_device_removed");
        Ok(())
    }

    /// Authenticates the owner again: by the password if the account has one, and by the second factor if it has one.
    pub(crate) async fn reauthenticate(
        &self,
        trader: &Trader,
        password: Secret,
        proof: Option<Proof>,
        token: &Secret,
        origin: &str,
    ) -> Result<(), Error> {
        let Trader { account_id, session_id, .. } = *trader;
        let owner = self.find_owner(trader).await?;
        let methods = self.store.find_second_factors(account_id).await?;
        if owner.password_hash.is_none() && !methods.is_required() {
            return Err(Error::PasswordNotSet);
        }
        if owner.password_hash.is_some() {
            self.check_current_password(trader, &owner, password, "password").await?;
        }
        if methods.is_required() {
            let proof = proof.ok_or_else(|| Error::Invalid(vec![Violation::new("code", "REQUIRED")]))?;
            let passkey_state = match proof {
                Proof::Passkey(_) => self.take_passkey_state(account_id, token, Purpose::Reauthenticate).await?,
                Proof::Totp(_) | Proof::RecoveryCode(_) => None,
            };
            let address = self.store.find_session_address(account_id, session_id).await?.unwrap_or_default();
            let (email, address) = (&owner.email, &address);
            self.check_proof(CheckedProof { account_id, email, address, proof, passkey_state, origin }).await?;
        }
        let store = self.store.clone();
        run_write(async move { store.set_authenticated(account_id, session_id).await }).await?;
        tracing::info!(%account_id, "reauthenticated");
        Ok(())
    }

    /// Fails unless the session proved the password and the second factor within the last ten minutes.
    pub(crate) async fn require_reauthentication(&self, trader: &Trader) -> Result<(), Error> {
        if self.store.is_recently_authenticated(trader.account_id, trader.session_id).await? {
            Ok(())
        } else {
            Err(Error::ReauthenticationRequired)
        }
    }

    /// Like [`require_reauthentication`](Self::require_reauthentication), for actions that check the password
    /// themselves: only accounts with a second factor need more.
    pub(super) async fn require_second_factor(&self, trader: &Trader) -> Result<(), Error> {
        if self.store.find_second_factors(trader.account_id).await?.is_required() {
            self.require_reauthentication(trader).await
        } else {
            Ok(())
        }
    }

    /// Checks a second factor. Wrong ones count for the account, wherever they come from.
    async fn check_proof(&self, checked: CheckedProof<'_>) -> Result<(), Error> {
        let CheckedProof { account_id, address, .. } = checked;
        let attempt = LoginAttempt::from_second_factor(account_id, address);
        let is_throttled = self.throttle_loopback || !attempt.is_loopback;
        if is_throttled && let Some(delay) = self.count_attempt(&attempt).await? {
            tracing::info!(%account_id, "second_factor_throttled");
            return Err(Error::LoginThrottled(delay));
        }
        let field = match &checked.proof {
            Proof::Totp(_) => "code",
            Proof::RecoveryCode(_) => "recovery_code",
            Proof::Passkey(_) => "passkey",
        };
        if !self.is_proof_right(checked).await? {
            tracing::info!(%account_id, field, "second_factor_rejected");
            return Err(wrong(field));
        }
        if is_throttled {
            let store = self.store.clone();
            run_write(async move { store.clear_attempts(&attempt).await }).await?;
        }
        Ok(())
    }

    /// Checks a second factor and uses it up, so that the same code is not accepted again.
    async fn is_proof_right(&self, checked: CheckedProof<'_>) -> Result<bool, Error> {
        let CheckedProof { account_id, email, proof, passkey_state, origin, .. } = checked;
        let store = self.store.clone();
        match proof {
            Proof::Totp(code) => {
                let Some(secret) = self.store.find_totp(account_id).await? else { return Ok(false) };
                let Some(step) = secret.find_step(code.expose(), OffsetDateTime::now_utc())? else { return Ok(false) };
                run_write(async move { store.use_totp_step(account_id, step).await }).await
            }
            Proof::RecoveryCode(code) => {
                let (hash, email) = (recovery_code::hash(code.expose()), email.to_owned());
                let used = run_write(async move { store.use_recovery_code(account_id, &email, &hash).await }).await?;
                if used {
                    self.email_queued.notify_one();
                    tracing::info!(%account_id, "recovery_code_used");
                }
                Ok(used)
            }
            Proof::Passkey(response) => {
                let Some(state) = passkey_state else { return Ok(false) };
                let party = RelyingParty::from_origin(origin, "TradeBahi")?;
                let passkeys = self.store.list_passkeys(account_id).await?;
                let Some(used) = party.finish_proof(&state, &response, &passkeys)? else { return Ok(false) };
                run_write(async move { store.use_passkey(account_id, &used).await }).await
            }
        }
    }

    async fn begin_proof(&self, account_id: Uuid, origin: &str) -> Result<Ceremony, Error> {
        let party = RelyingParty::from_origin(origin, "TradeBahi")?;
        let passkeys = self.store.list_passkeys(account_id).await?;
        if passkeys.is_empty() {
            return Err(Error::SecondFactorNotFound);
        }
        party.begin_proof(&passkeys)
    }

    async fn store_ceremony(
        &self,
        account_id: Uuid,
        purpose: Purpose,
        ceremony: Ceremony,
    ) -> Result<PasskeyCeremony, Error> {
        let token = Secret::generate()?;
        let (store, hash) = (self.store.clone(), TokenHash::from_token(token.expose()));
        let Ceremony { options, state } = ceremony;
        run_write(async move { store.add_passkey_challenge(&hash, account_id, purpose, &state).await }).await?;
        Ok(PasskeyCeremony { token, options })
    }

    async fn take_passkey_state(
        &self,
        account_id: Uuid,
        token: &Secret,
        purpose: Purpose,
    ) -> Result<Option<String>, Error> {
        let (store, token) = (self.store.clone(), TokenHash::from_token(token.expose()));
        let taken = run_write(async move { store.take_challenge(&token, account_id, purpose).await }).await?;
        Ok(taken.and_then(|check| check.passkey_state))
    }
}

impl From<Tokens> for LogInOutcome {
    fn from(tokens: Tokens) -> Self {
        Self::LoggedIn(tokens)
    }
}

/// Returns new recovery codes and their hashes.
fn generate_recovery_codes() -> Result<(Vec<Secret>, Vec<TokenHash>), Error> {
    let codes = (0..CODE_COUNT).map(|_| recovery_code::generate()).collect::<Result<Vec<_>, _>>()?;
    let hashes = codes.iter().map(|code| recovery_code::hash(code.expose())).collect();
    Ok((codes, hashes))
}

fn parse_passkey_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    let reason = match name.chars().count() {
        0 => "REQUIRED",
        1..=MAX_PASSKEY_NAME_CHARS if !name.contains(char::is_control) => return Ok(name.to_owned()),
        _ => "INVALID",
    };
    Err(Error::Invalid(vec![Violation::new("passkey_name", reason)]))
}

fn wrong(field: &'static str) -> Error {
    Error::Invalid(vec![Violation::new(field, "WRONG")])
}
