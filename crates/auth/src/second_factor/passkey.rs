//! Passkeys (WebAuthn) as second factors.

use passki::{
    AuthenticationCredential, AuthenticationOptions, AuthenticationState, Passki, RegistrationCredential,
    RegistrationOptions, RegistrationState, StoredPasskey,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::{Host, Url};
use uuid::Uuid;

use super::CHALLENGE_TTL;
use crate::error::{Error, InternalError};

/// Options for the browser and the state that verifies its response, both as JSON.
pub(crate) struct Ceremony {
    pub(crate) options: String,
    pub(crate) state: String,
}

/// Passkey as stored.
pub(crate) struct Passkey {
    pub(crate) credential_id: Vec<u8>,
    /// JSON of the library.
    pub(crate) credential: String,
}

impl TryFrom<StoredPasskey> for Passkey {
    type Error = Error;

    fn try_from(stored: StoredPasskey) -> Result<Self, Error> {
        Ok(Self { credential: to_json(&stored)?, credential_id: stored.credential_id })
    }
}

/// Site that passkeys belong to.
pub(crate) struct RelyingParty(Passki);

impl RelyingParty {
    /// Creates the relying party of an origin such as `https://tradebahi.example`. Browsers allow domains only, no
    /// addresses.
    pub(crate) fn from_origin(origin: &str, name: &str) -> Result<Self, Error> {
        let url = Url::parse(origin).map_err(|_| Error::PasskeysUnavailable)?;
        match url.host() {
            Some(Host::Domain(domain)) => Ok(Self(Passki::new(domain, &[url.origin().ascii_serialization()], name))),
            _ => Err(Error::PasskeysUnavailable),
        }
    }

    /// Begins to add a passkey to an account that has `existing` ones.
    pub(crate) fn begin_setup(
        &self,
        account_id: Uuid,
        email: &str,
        name: &str,
        existing: &[Passkey],
    ) -> Result<Ceremony, Error> {
        let existing = read_passkeys(existing)?;
        let mut options = RegistrationOptions::default();
        options.timeout = timeout_ms();
        options.exclude_credentials = Some(&existing);
        let begun = self.0.start_passkey_registration(account_id.as_bytes(), email, name, options);
        let (options, state) = begun.map_err(InternalError::Passkey)?;
        Ok(Ceremony { options: to_json(&options)?, state: to_json(&state)? })
    }

    /// Verifies the response of the browser. Returns `None` if it is wrong.
    pub(crate) fn finish_setup(&self, state: &str, response: &str) -> Result<Option<Passkey>, Error> {
        let state: RegistrationState = from_json(state)?;
        let Ok(response) = serde_json::from_str::<RegistrationCredential>(response) else { return Ok(None) };
        match self.0.finish_passkey_registration(&response, &state) {
            Ok(stored) => Passkey::try_from(stored).map(Some),
            Err(error) => Ok(log_rejection(&error)),
        }
    }

    /// Begins a proof with one of the passkeys.
    pub(crate) fn begin_proof(&self, passkeys: &[Passkey]) -> Result<Ceremony, Error> {
        let mut options = AuthenticationOptions::default();
        options.timeout = timeout_ms();
        let begun = self.0.start_passkey_authentication(&read_passkeys(passkeys)?, options);
        let (options, state) = begun.map_err(InternalError::Passkey)?;
        Ok(Ceremony { options: to_json(&options)?, state: to_json(&state)? })
    }

    /// Verifies the response of the browser. Returns the passkey with its new signature counter, or `None` if the
    /// response is wrong.
    pub(crate) fn finish_proof(
        &self,
        state: &str,
        response: &str,
        passkeys: &[Passkey],
    ) -> Result<Option<Passkey>, Error> {
        let state: AuthenticationState = from_json(state)?;
        let Ok(response) = serde_json::from_str::<AuthenticationCredential>(response) else { return Ok(None) };
        let Ok(credential_id) = Passki::base64_decode(&response.raw_id) else { return Ok(None) };
        let used = read_passkeys(passkeys)?.into_iter().find(|passkey| passkey.credential_id == credential_id);
        // An empty list would allow any passkey; there is none then.
        let Some(mut used) = used.filter(|_| !state.allowed_credentials.is_empty()) else { return Ok(None) };
        match self.0.finish_passkey_authentication(&response, &state, &used) {
            Ok(result) => {
                used.counter = result.counter;
                Passkey::try_from(used).map(Some)
            }
            Err(error) => Ok(log_rejection(&error)),
        }
    }
}

fn timeout_ms() -> u64 {
    u64::try_from(CHALLENGE_TTL.whole_milliseconds()).unwrap_or_default()
}

fn read_passkeys(passkeys: &[Passkey]) -> Result<Vec<StoredPasskey>, Error> {
    passkeys.iter().map(|passkey| from_json(&passkey.credential)).collect()
}

fn log_rejection<T>(error: &passki::PasskiError) -> Option<T> {
    tracing::info!(%error, "passkey_rejected");
    None
}

fn to_json<T: Serialize>(value: &T) -> Result<String, Error> {
    Ok(serde_json::to_string(value).map_err(InternalError::Json)?)
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    Ok(serde_json::from_str(text).map_err(InternalError::Json)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_passkeys_need_a_domain() {
        for (origin, is_available) in [
            ("https://tradebahi.example", true),
            ("http://localhost:8080", true),
            ("http://127.0.0.1:8080", false),
            ("http://[::1]:8080", false),
            ("tradebahi.example", false),
            ("", false),
        ] {
            assert_eq!(RelyingParty::from_origin(origin, "TradeBahi").is_ok(), is_available, "{origin}");
        }
    }
}
