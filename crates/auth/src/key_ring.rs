//! Signing keys in use: one signs, and the ones that it replaced verify their tokens until those have expired.

use std::sync::{Arc, PoisonError, RwLock};

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use rpc::token::{self, Claims, Purpose};
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::{Duration, OffsetDateTime};

use crate::error::{Error, InternalError};
use crate::signing_key::SigningKey;
use crate::token::{SignedToken, Subject, TokenSigner};

/// Time between the creation of a key and the first token that it signs. Every process that accepts tokens at all has
/// fetched the key by then: verifiers reject all tokens if their state is older than five seconds.
pub(crate) const ACTIVATION_DELAY: Duration = Duration::seconds(10);
/// Time for which a replaced key verifies: longer than the longest token life and the tolerated clock difference.
pub(crate) const OVERLAP: Duration = Duration::minutes(35);

/// Age of a signing key, without the key.
pub(crate) struct KeyAge {
    pub(crate) kid: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) age: Duration,
}

/// Signing key with its age by the clock of the database, which is the same for all processes.
pub(crate) struct StoredKey {
    pub(crate) kid: String,
    /// Key, or the reason why it cannot be decrypted.
    pub(crate) key: Result<SigningKey, Error>,
    pub(crate) age: Duration,
}

/// State of a stored key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// Signs new tokens after this time.
    Pending(Duration),
    /// Signs new tokens.
    Signing,
    /// Replaced; verifies tokens for this time.
    Replaced(Duration),
    /// Replaced, and all its tokens have expired.
    Expired,
}

/// Returns the state of each key from their ages, newest first.
pub(crate) fn key_states(ages: &[Duration]) -> Vec<KeyState> {
    // If all keys are new, as at the first start, the oldest one signs.
    let signing = ages.iter().position(|age| *age >= ACTIVATION_DELAY).unwrap_or(ages.len().saturating_sub(1));
    let mut newer = Duration::ZERO;
    let states = ages.iter().enumerate().map(|(index, age)| {
        let overlap_left = ACTIVATION_DELAY + OVERLAP - newer;
        newer = *age;
        match index.cmp(&signing) {
            std::cmp::Ordering::Less => KeyState::Pending(ACTIVATION_DELAY - *age),
            std::cmp::Ordering::Equal => KeyState::Signing,
            std::cmp::Ordering::Greater if overlap_left.is_positive() => KeyState::Replaced(overlap_left),
            std::cmp::Ordering::Greater => KeyState::Expired,
        }
    });
    states.collect()
}

/// Keys that sign and verify tokens in this process.
pub(crate) struct KeyRing {
    keys: RwLock<Arc<Keys>>,
}

struct Keys {
    signer: Arc<LoadedKey>,
    /// Keys whose tokens are accepted, `signer` among them.
    accepted: Vec<Arc<LoadedKey>>,
    /// Ids of stored keys that cannot be decrypted.
    unreadable: Vec<String>,
}

/// Key that can sign and verify.
struct LoadedKey {
    kid: String,
    /// Base64url.
    public_key: String,
    decoding: DecodingKey,
    signer: TokenSigner,
}

impl KeyRing {
    /// Builds a ring with one key, which signs.
    pub(crate) fn from_key(key: SigningKey) -> Result<Self, Error> {
        let signer = Arc::new(LoadedKey::new(key)?);
        let keys = Keys { accepted: vec![Arc::clone(&signer)], signer, unreadable: Vec::new() };
        Ok(Self { keys: RwLock::new(Arc::new(keys)) })
    }

    /// Builds a ring of stored keys, newest first; `None` if there is none.
    ///
    /// # Errors
    /// If a key cannot be decrypted, or is invalid.
    pub(crate) fn from_stored(stored: Vec<StoredKey>) -> Result<Option<Self>, Error> {
        let mut loaded = Vec::new();
        for StoredKey { key, age, .. } in stored {
            loaded.push((Arc::new(LoadedKey::new(key?)?), age));
        }
        let keys = Keys::from_loaded(loaded, Vec::new());
        Ok(keys.map(|keys| Self { keys: RwLock::new(Arc::new(keys)) }))
    }

    /// Replaces the keys by stored ones, newest first. Keeps the current ones if there are none.
    ///
    /// A stored key that cannot be decrypted is skipped, unless this process has loaded it before: a command with an
    /// encryption key that running servers lack must not stop them. It is logged once.
    ///
    /// # Errors
    /// If keys are stored, and all of them are unknown and cannot be decrypted; or if one is invalid.
    pub(crate) fn set(&self, stored: Vec<StoredKey>) -> Result<(), Error> {
        let current = self.current();
        let (mut loaded, mut unreadable) = (Vec::new(), Vec::new());
        let mut last_error = None;
        for StoredKey { kid, key, age } in stored {
            let loaded_key = current.accepted.iter().find(|key| key.kid == kid).map(Arc::clone);
            let readable = match key {
                Ok(key) => Some(key),
                Err(error) => {
                    if !current.unreadable.contains(&kid) {
                        let is_kept = loaded_key.is_some();
                        tracing::error!(
                            kid,
                            is_kept,
                            error = &error as &dyn std::error::Error,
                            "signing_key_unreadable"
                        );
                    }
                    unreadable.push(kid);
                    last_error = Some(error);
                    None
                }
            };
            let key = match (loaded_key, readable) {
                (Some(key), _) => key,
                (None, Some(key)) => Arc::new(LoadedKey::new(key)?),
                (None, None) => continue,
            };
            loaded.push((key, age));
        }
        let Some(keys) = Keys::from_loaded(loaded, unreadable) else { return last_error.map_or(Ok(()), Err) };
        let previous =
            std::mem::replace(&mut *self.keys.write().unwrap_or_else(PoisonError::into_inner), Arc::new(keys));
        let kid = &self.current().signer.kid;
        if previous.signer.kid != *kid {
            tracing::info!(kid, "signing_key_changed");
        }
        Ok(())
    }

    /// Signs a token for `purpose`, valid from now.
    pub(crate) fn sign(&self, purpose: Purpose, subject: &Subject<'_>) -> Result<SignedToken, Error> {
        self.current().signer.signer.sign(purpose, subject)
    }

    /// Verifies a token; returns its claims, or `None` if it is invalid.
    pub(crate) fn verify(&self, token: &str, purpose: Purpose) -> Option<Claims> {
        let keys = self.current();
        token::verify(token, purpose, |kid| {
            keys.accepted.iter().find(|accepted| accepted.kid == kid).map(|accepted| &accepted.decoding)
        })
    }

    /// Signs claims that only this service reads, for an audience of their own.
    pub(crate) fn sign_claims(&self, claims: &impl Serialize) -> Result<String, Error> {
        self.current().signer.signer.sign_claims("JWT", claims)
    }

    /// Verifies what [`sign_claims`](Self::sign_claims) has signed for `audience`.
    pub(crate) fn verify_claims<T: DeserializeOwned>(&self, token: &str, audience: &str) -> Option<T> {
        let keys = self.current();
        let kid = jsonwebtoken::decode_header(token).ok()?.kid?;
        let key = keys.accepted.iter().find(|accepted| accepted.kid == kid)?;
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_required_spec_claims(&["exp", "aud"]);
        validation.set_audience(&[audience]);
        validation.leeway = 0;
        jsonwebtoken::decode::<T>(token, &key.decoding, &validation).ok().map(|decoded| decoded.claims)
    }

    /// Returns the key ids and public keys that verify tokens.
    pub(crate) fn public_keys(&self) -> Vec<(String, String)> {
        self.current().accepted.iter().map(|key| (key.kid.clone(), key.public_key.clone())).collect()
    }

    fn current(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Keys {
    /// Selects the keys in use from those with their ages, newest first; `None` if there is none.
    fn from_loaded(loaded: Vec<(Arc<LoadedKey>, Duration)>, unreadable: Vec<String>) -> Option<Self> {
        let ages: Vec<Duration> = loaded.iter().map(|(_, age)| *age).collect();
        let (mut signer, mut accepted) = (None, Vec::new());
        for ((key, _), state) in loaded.into_iter().zip(key_states(&ages)) {
            if state == KeyState::Signing {
                signer = Some(Arc::clone(&key));
            }
            if state != KeyState::Expired {
                accepted.push(key);
            }
        }
        signer.map(|signer| Self { signer, accepted, unreadable })
    }
}

impl LoadedKey {
    fn new(key: SigningKey) -> Result<Self, Error> {
        let signer = TokenSigner::new(key)?;
        let (kid, public_key) = signer.public_key();
        let decoding = DecodingKey::from_ed_components(&public_key).map_err(InternalError::InvalidPublicKey)?;
        Ok(Self { kid, public_key, decoding, signer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use KeyState::{Expired, Pending, Replaced, Signing};

    #[test]
    fn s11_a_new_key_signs_once_every_process_knows_it_and_the_old_one_verifies_until_its_tokens_expire() {
        let states = |ages: &[i64]| key_states(&ages.iter().copied().map(Duration::seconds).collect::<Vec<_>>());
        assert_eq!(states(&[]), []);
        assert_eq!(states(&[0]), [Signing]);
        assert_eq!(states(&[9_999]), [Signing]);
        assert_eq!(states(&[4, 9_999]), [Pending(Duration::seconds(6)), Signing]);
        assert_eq!(states(&[4, 9]), [Pending(Duration::seconds(6)), Signing]);
        assert_eq!(states(&[10, 9_999]), [Signing, Replaced(OVERLAP)]);
        assert_eq!(states(&[10 + 35 * 60 - 1, 9_999]), [Signing, Replaced(Duration::SECOND)]);
        assert_eq!(states(&[10 + 35 * 60, 9_999]), [Signing, Expired]);
        assert_eq!(
            states(&[1, 40, 3_000, 9_999]),
            [Pending(Duration::seconds(9)), Signing, Replaced(OVERLAP - Duration::seconds(30)), Expired,]
        );
    }
}
