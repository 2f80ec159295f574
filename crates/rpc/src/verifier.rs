//! Verification of tokens, done by every process itself.
//!
//! A [`Verifier`] holds the public keys, the recently ended sessions and the hashes of service tokens. It polls the auth
//! service for them every two seconds, and rejects all tokens if the last response is older than five seconds.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::Status;
use uuid::Uuid;

use crate::auth::v1::auth_service_client::AuthServiceClient;
use crate::auth::v1::{GetVerificationRequest, GetVerificationResponse, VerificationKey};
use crate::caller::{AuthError, Bearer, Service, Trader};
use crate::token::{self, Purpose, SERVICE_TOKEN_PREFIX};
use crate::transport::Transport;

/// Maximum number of cached tokens.
const MAX_CACHED_TOKENS: usize = 10_000;
/// Interval at which keys, ended sessions and service tokens are fetched.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Delay before the next fetch after a failed one. With a whole interval, the state would be out of date after one timeout.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// Maximum age of the state. Older state rejects all tokens, so that ended sessions are rejected within this time.
const MAX_STATE_AGE: Duration = Duration::from_secs(5);

/// Verifies tokens. Clones share their state.
#[derive(Clone, Default)]
pub struct Verifier {
    state: Arc<RwLock<State>>,
}

#[derive(Default)]
struct State {
    keys: HashMap<String, DecodingKey>,
    public_keys: Vec<VerificationKey>,
    ended_sessions: HashSet<Uuid>,
    services: Vec<(Vec<u8>, Service)>,
    fetched_at: Option<Instant>,
    /// Holders of valid tokens by the SHA-256 of the token. Saves the slow verification of signatures, because edge and
    /// core both verify each call. Cleared at every fetch, which is more often than the tolerated clock difference.
    cache: Mutex<HashMap<[u8; 32], Bearer>>,
}

impl Verifier {
    /// Fetches the state from `auth` every two seconds until the task is cancelled.
    pub async fn poll(self, mut auth: AuthServiceClient<Transport>) {
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(status) = self.refresh(&mut auth).await {
                tracing::warn!(error = %status, "failed to fetch keys and ended sessions from auth");
                ticks.reset_after(RETRY_DELAY);
            }
        }
    }

    /// Fetches the state once.
    ///
    /// # Errors
    /// The status of the call; `DEADLINE_EXCEEDED` if auth does not respond within two seconds.
    pub async fn refresh(&self, auth: &mut AuthServiceClient<Transport>) -> Result<(), Status> {
        let requested_at = Instant::now();
        let response = tokio::time::timeout(POLL_INTERVAL, auth.get_verification(GetVerificationRequest {}))
            .await
            .map_err(|_| Status::deadline_exceeded("no response from auth"))??;
        self.set_state(response.into_inner(), requested_at);
        Ok(())
    }

    fn set_state(&self, response: GetVerificationResponse, requested_at: Instant) {
        let public_keys = response.keys.clone();
        let keys = response
            .keys
            .into_iter()
            .filter_map(|key| match DecodingKey::from_ed_components(&key.x) {
                Ok(decoding) => Some((key.kid, decoding)),
                Err(error) => {
                    tracing::error!(kid = key.kid, %error, "invalid public key");
                    None
                }
            })
            .collect();
        let ended_sessions = response.ended_session_ids.iter().filter_map(|id| id.parse().ok()).collect();
        let services = response
            .service_tokens
            .into_iter()
            .map(|token| (token.hash, Service { name: token.name, scopes: token.scopes }))
            .collect();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = State {
            keys,
            public_keys,
            ended_sessions,
            services,
            fetched_at: Some(requested_at),
            cache: Mutex::default(),
        };
    }

    /// Returns true if the state is recent enough to verify tokens.
    pub fn is_current(&self) -> bool {
        self.state.read().unwrap_or_else(PoisonError::into_inner).is_current()
    }

    /// Returns the public keys that verify tokens.
    ///
    /// # Errors
    /// [`AuthError::VerificationUnavailable`] if the state is out of date.
    pub fn public_keys(&self) -> Result<Vec<VerificationKey>, AuthError> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.is_current() { Ok(state.public_keys.clone()) } else { Err(AuthError::VerificationUnavailable) }
    }

    /// Verifies a token that is exchanged for a session, except that it was not used before.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for an invalid token; [`AuthError::VerificationUnavailable`] if the state is out of
    /// date.
    pub fn check_one_time_token(&self, token: &str, purpose: Purpose) -> Result<(), AuthError> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if !state.is_current() {
            return Err(AuthError::VerificationUnavailable);
        }
        token::verify(token, purpose, |kid| state.keys.get(kid)).map(drop).ok_or(AuthError::Unauthenticated)
    }

    /// Verifies a token and returns its holder.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for an invalid token; [`AuthError::VerificationUnavailable`] if the state is out of
    /// date.
    pub fn verify(&self, token: &str) -> Result<Bearer, AuthError> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if !state.is_current() {
            return Err(AuthError::VerificationUnavailable);
        }
        let bearer =
            if token.starts_with(SERVICE_TOKEN_PREFIX) { state.find_service(token) } else { state.find_trader(token) };
        bearer.ok_or(AuthError::Unauthenticated)
    }
}

impl State {
    fn is_current(&self) -> bool {
        self.fetched_at.is_some_and(|at| at.elapsed() <= MAX_STATE_AGE)
    }

    fn find_service(&self, token: &str) -> Option<Bearer> {
        let token_hash = Sha256::digest(token);
        let mut matching = None;
        // Compares all hashes in constant time, against timing attacks.
        for (hash, service) in &self.services {
            if bool::from(hash.as_slice().ct_eq(token_hash.as_slice())) {
                matching = Some(service);
            }
        }
        matching.cloned().map(Bearer::Service)
    }

    fn find_trader(&self, token: &str) -> Option<Bearer> {
        let hash = Sha256::digest(token).into();
        let cached = self.cache().get(&hash).cloned();
        cached.or_else(|| {
            let bearer = self.verify_trader(token)?;
            let mut cache = self.cache();
            if cache.len() < MAX_CACHED_TOKENS {
                cache.insert(hash, bearer.clone());
            }
            Some(bearer)
        })
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<[u8; 32], Bearer>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn verify_trader(&self, token: &str) -> Option<Bearer> {
        let verify = |purpose| token::verify(token, purpose, |kid| self.keys.get(kid));
        let (claims, to_bearer): (_, fn(Trader) -> Bearer) = match verify(Purpose::Access) {
            Some(claims) => (claims, Bearer::Session),
            None => (verify(Purpose::Analytics)?, Bearer::Analytics),
        };
        // An analytics session may end before its session; it is named by the id of its token.
        let has_ended = |id: &Uuid| self.ended_sessions.contains(id);
        let session_id = claims.sid.filter(|session_id| !has_ended(session_id) && !has_ended(&claims.jti))?;
        Some(to_bearer(Trader {
            account_id: claims.sub,
            session_id,
            name: claims.name,
            email: claims.email,
            email_confirmed: claims.email_verified.unwrap_or(true),
        }))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use jsonwebtoken::{Algorithm, EncodingKey, Header, get_current_timestamp};

    use super::*;
    use crate::token::{Claims, ISSUER};

    // Example key pair of RFC 8037, appendix A.
    const PRIVATE_KEY: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const PUBLIC_KEY: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    /// PKCS #8 encoding that precedes an Ed25519 private key (RFC 8410).
    const PKCS8_PREFIX: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

    fn issue_token(session_id: Uuid, email_verified: Option<bool>) -> String {
        let key = [PKCS8_PREFIX, &BASE64_URL_SAFE_NO_PAD.decode(PRIVATE_KEY).unwrap()].concat();
        let now = i64::try_from(get_current_timestamp()).unwrap();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: Purpose::Access.audience().to_owned(),
            sub: Uuid::new_v4(),
            sid: Some(session_id),
            jti: Uuid::new_v4(),
            iat: now,
            nbf: now,
            exp: now + 600,
            name: "Asha Rao".to_owned(),
            email: "asha.rao@example.in".to_owned(),
            email_verified,
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(Purpose::Access.header_type().to_owned());
        header.kid = Some("first".to_owned());
        jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&key)).unwrap()
    }

    fn set_state(verifier: &Verifier, ended_sessions: &[Uuid]) {
        let key = VerificationKey { kid: "first".to_owned(), x: PUBLIC_KEY.to_owned() };
        let ended_session_ids = ended_sessions.iter().map(Uuid::to_string).collect();
        let response = GetVerificationResponse { keys: vec![key], ended_session_ids, ..Default::default() };
        verifier.set_state(response, Instant::now());
    }

    #[test]
    fn s2_only_a_token_that_says_so_has_an_unconfirmed_email_address() {
        let verifier = Verifier::default();
        set_state(&verifier, &[]);
        for (claim, expected) in [(Some(true), true), (Some(false), false), (None, true)] {
            let bearer = verifier.verify(&issue_token(Uuid::new_v4(), claim)).unwrap();
            assert_eq!(bearer.require_session().unwrap().email_confirmed, expected, "{claim:?}");
        }
    }

    #[test]
    fn verifies_a_signature_once_until_the_state_is_fetched_again() {
        let (verifier, session_id) = (Verifier::default(), Uuid::new_v4());
        let token = issue_token(session_id, Some(true));
        set_state(&verifier, &[]);
        assert!(verifier.verify(&token).is_ok());

        verifier.state.write().unwrap().keys.clear();
        assert!(verifier.verify(&token).is_ok(), "a cached token needs no key");
        assert!(verifier.verify(&token[1..]).is_err(), "another token is not cached");

        set_state(&verifier, &[session_id]);
        assert!(matches!(verifier.verify(&token), Err(AuthError::Unauthenticated)), "the cache outlived the session");
    }
}
