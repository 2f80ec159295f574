//! Who calls, verified by every process for itself.
//!
//! A [`Verifier`] knows the public keys, the sign-ins that were ended lately and the services' tokens by their hashes.
//! It asks the auth service for them every two seconds, and trusts nobody once it has not heard for five. What it
//! finds, [`crate::guard::Guarded`] puts beside each request as a [`Caller`].

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::auth::v1::auth_service_client::AuthServiceClient;
use crate::auth::v1::{GetVerificationRequest, GetVerificationResponse};
use crate::failure::{self, Failure, Kind};
use crate::token::{self, Purpose};
use crate::transport::Transport;

/// What a service's token begins with.
pub const SERVICE_TOKEN: &str = "tbs_";

/// Tokens that are remembered at a time.
const MOST_FOUND: usize = 10_000;
/// How often keys, ended sign-ins and services are asked for.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// How soon again while there is no answer to go by.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// How old the last answer may be.
const TRUST_FOR: Duration = Duration::from_secs(5);

/// A trader, as a verified token says.
#[derive(Clone, Debug)]
pub struct Trader {
    /// The trader's account.
    pub account_id: Uuid,
    /// The sign-in that the token was made for.
    pub sign_in_id: Uuid,
    /// The trader's name when the token was made.
    pub name: String,
    /// The trader's e-mail address when the token was made.
    pub email: String,
}

/// An internal service.
#[derive(Clone, Debug)]
pub struct Service {
    /// What it is called.
    pub name: String,
    /// What it may do, such as `trades:read`.
    pub scopes: Vec<String>,
}

/// Whose token it is.
#[derive(Clone, Debug)]
pub enum Bearer {
    /// A trader who is signed in.
    Session(Trader),
    /// A trader on the analytics site, who reads and does nothing else.
    Analytics(Trader),
    /// A service.
    Service(Service),
}

impl Bearer {
    /// The trader who is signed in; everybody else is refused.
    pub fn session(self) -> Result<Trader, Refused> {
        match self {
            Self::Session(trader) => Ok(trader),
            Self::Analytics(_) | Self::Service(_) => Err(Refused::Forbidden),
        }
    }

    /// The trader who reads, signed in here or on the analytics site; everybody else is refused.
    pub fn reader(self) -> Result<Trader, Refused> {
        match self {
            Self::Session(trader) | Self::Analytics(trader) => Ok(trader),
            Self::Service(_) => Err(Refused::Forbidden),
        }
    }
}

/// Who calls, for an account.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The account that everything asked for belongs to.
    pub account_id: Uuid,
    /// Who asks for it.
    pub bearer: Bearer,
}

/// Stands beside a request of a service that named no account.
#[derive(Clone, Debug)]
pub(crate) struct NoAccount;

impl Caller {
    /// The caller of `request`, if there is a guard in front of the service that found one.
    pub fn of<T>(request: &Request<T>) -> Result<&Self, Status> {
        let beside = request.extensions();
        beside.get().ok_or_else(|| {
            let no_account = beside.get::<NoAccount>().is_some();
            failure::status(if no_account { &Refused::NoAccount } else { &Refused::SignedOut })
        })
    }

    /// The trader whose session calls. Others never get past the guard of an rpc that is for sessions alone.
    pub fn session(&self) -> Result<&Trader, Status> {
        match &self.bearer {
            Bearer::Session(trader) => Ok(trader),
            Bearer::Analytics(_) | Bearer::Service(_) => Err(failure::status(&Refused::Forbidden)),
        }
    }
}

impl From<Trader> for Caller {
    /// A trader who is signed in.
    fn from(trader: Trader) -> Self {
        Self { account_id: trader.account_id, bearer: Bearer::Session(trader) }
    }
}

/// Why a call is not let through.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No token, a bad one, an old one, or one of an ended sign-in. Which, is nobody's business.
    #[error("no valid token")]
    SignedOut,
    /// The token is good, but not for this.
    #[error("the token is not for this")]
    Forbidden,
    /// A service does not say for which account it calls, or not by its id.
    #[error("a service named no account")]
    NoAccount,
    /// The auth service has not been heard of lately.
    #[error("tokens cannot be verified now")]
    Unverifiable,
}

impl Failure for Refused {
    fn kind(&self) -> Kind {
        match self {
            Self::SignedOut => Kind::Unauthenticated,
            Self::Forbidden => Kind::Forbidden,
            Self::NoAccount => Kind::Invalid,
            Self::Unverifiable => Kind::Busy,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::SignedOut => "SIGNED_OUT",
            Self::Forbidden => "FORBIDDEN",
            Self::NoAccount => "NO_ACCOUNT",
            Self::Unverifiable => "BUSY",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::SignedOut => "You are signed out. Log in again.".to_owned(),
            Self::Forbidden => "This token may not do that.".to_owned(),
            Self::NoAccount => "Say the id of the account in the metadata tradebahi-account.".to_owned(),
            Self::Unverifiable => "We cannot check who you are right now. Try again in a moment.".to_owned(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::Unverifiable).then_some(ASK_EVERY)
    }
}

/// Verifies tokens. Clones share what they know.
#[derive(Clone, Default)]
pub struct Verifier {
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<String, DecodingKey>,
    ended: HashSet<Uuid>,
    services: Vec<(Vec<u8>, Service)>,
    heard_at: Option<Instant>,
    /// Whose tokens were found good by this, by their hashes: edge and core ask for each, and a signature takes long.
    /// Forgotten with the rest after a few seconds, which is far less than clocks may differ.
    found: Mutex<HashMap<[u8; 32], Bearer>>,
}

impl Verifier {
    /// Keeps asking `auth` for what is good and what is not, for ever.
    pub async fn follow(self, mut auth: AuthServiceClient<Transport>) {
        let mut ticks = tokio::time::interval(ASK_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(status) = self.ask(&mut auth).await {
                tracing::warn!(error = %status, "auth did not say which tokens are good");
                if !self.is_current() {
                    ticks.reset_after(ASK_AGAIN);
                }
            }
        }
    }

    /// Asks once.
    pub async fn ask(&self, auth: &mut AuthServiceClient<Transport>) -> Result<(), Status> {
        let asked_at = Instant::now();
        let answer = tokio::time::timeout(ASK_EVERY, auth.get_verification(GetVerificationRequest {}))
            .await
            .map_err(|_| Status::deadline_exceeded("no answer"))??;
        self.learn(answer.into_inner(), asked_at);
        Ok(())
    }

    fn learn(&self, answer: GetVerificationResponse, asked_at: Instant) {
        let keys = answer
            .keys
            .into_iter()
            .filter_map(|key| match DecodingKey::from_ed_components(&key.x) {
                Ok(decoding) => Some((key.kid, decoding)),
                Err(error) => {
                    tracing::error!(kid = key.kid, %error, "unusable public key");
                    None
                }
            })
            .collect();
        let ended = answer.ended_sign_ins.iter().filter_map(|id| id.parse().ok()).collect();
        let services = answer
            .service_tokens
            .into_iter()
            .map(|token| (token.hash, Service { name: token.name, scopes: token.scopes }))
            .collect();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Known { keys, ended, services, heard_at: Some(asked_at), found: Mutex::default() };
    }

    /// Whether it can tell good tokens from bad ones now.
    pub fn is_current(&self) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).is_current()
    }

    /// Whose token it is.
    pub fn verify(&self, token: &str) -> Result<Bearer, Refused> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if !known.is_current() {
            return Err(Refused::Unverifiable);
        }
        let found = if token.starts_with(SERVICE_TOKEN) { known.service(token) } else { known.trader(token) };
        found.ok_or(Refused::SignedOut)
    }
}

impl Known {
    fn is_current(&self) -> bool {
        self.heard_at.is_some_and(|at| at.elapsed() <= TRUST_FOR)
    }

    fn service(&self, token: &str) -> Option<Bearer> {
        let hash = Sha256::digest(token);
        let mut found = None;
        // All are compared, so that the clock does not tell which comes near.
        for (known, service) in &self.services {
            if bool::from(known.as_slice().ct_eq(hash.as_slice())) {
                found = Some(service);
            }
        }
        found.cloned().map(Bearer::Service)
    }

    fn trader(&self, token: &str) -> Option<Bearer> {
        let hash = Sha256::digest(token).into();
        let known = self.found().get(&hash).cloned();
        known.or_else(|| {
            let bearer = self.read(token)?;
            let mut found = self.found();
            if found.len() < MOST_FOUND {
                found.insert(hash, bearer.clone());
            }
            Some(bearer)
        })
    }

    fn found(&self) -> MutexGuard<'_, HashMap<[u8; 32], Bearer>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, token: &str) -> Option<Bearer> {
        let read = |purpose| token::read(token, purpose, |kid| self.keys.get(kid));
        let (claims, bearer): (_, fn(Trader) -> Bearer) = match read(Purpose::Access) {
            Some(claims) => (claims, Bearer::Session),
            None => (read(Purpose::Analytics)?, Bearer::Analytics),
        };
        let sign_in_id = claims.sid.filter(|sign_in_id| !self.ended.contains(sign_in_id))?;
        Some(bearer(Trader { account_id: claims.sub, sign_in_id, name: claims.name, email: claims.email }))
    }
}

/// The token of an `Authorization: Bearer …` value.
pub fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use jsonwebtoken::{Algorithm, EncodingKey, Header, get_current_timestamp};

    use super::*;
    use crate::auth::v1::VerificationKey;
    use crate::token::{Claims, ISSUER};

    // The key pair that RFC 8037, appendix A, has for examples.
    const D: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    /// What PKCS #8 says before the key itself (RFC 8410).
    const PKCS8: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

    fn token(sign_in_id: Uuid) -> String {
        let key = [PKCS8, &BASE64_URL_SAFE_NO_PAD.decode(D).unwrap()].concat();
        let now = i64::try_from(get_current_timestamp()).unwrap();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: Purpose::Access.audience().to_owned(),
            sub: Uuid::new_v4(),
            sid: Some(sign_in_id),
            jti: Uuid::new_v4(),
            iat: now,
            nbf: now,
            exp: now + 600,
            name: "Asha Rao".to_owned(),
            email: "asha.rao@example.in".to_owned(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(Purpose::Access.kind().to_owned());
        header.kid = Some("first".to_owned());
        jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&key)).unwrap()
    }

    fn heard(verifier: &Verifier, ended: &[Uuid]) {
        let key = VerificationKey { kid: "first".to_owned(), x: X.to_owned() };
        let ended_sign_ins = ended.iter().map(Uuid::to_string).collect();
        let answer = GetVerificationResponse { keys: vec![key], ended_sign_ins, ..Default::default() };
        verifier.learn(answer, Instant::now());
    }

    #[test]
    fn a_signature_is_verified_once_and_again_when_auth_was_heard_of() {
        let (verifier, sign_in_id) = (Verifier::default(), Uuid::new_v4());
        let token = token(sign_in_id);
        heard(&verifier, &[]);
        assert!(verifier.verify(&token).is_ok());

        verifier.known.write().unwrap().keys.clear();
        assert!(verifier.verify(&token).is_ok(), "no key is needed for what is remembered");
        assert!(verifier.verify(&token[1..]).is_err(), "and nothing else is remembered");

        heard(&verifier, &[sign_in_id]);
        assert!(matches!(verifier.verify(&token), Err(Refused::SignedOut)), "forgotten with the sign-in that ended");
    }
}
