//! Who calls: the access token of a sign-in, verified by every process for itself.
//!
//! A [`Verifier`] knows the public keys and the sign-ins that were ended lately. It asks the auth service for both
//! every two seconds, and trusts nobody once it has not heard for five.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use tonic::service::Interceptor;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::auth::v1::auth_service_client::AuthServiceClient;
use crate::auth::v1::{GetVerificationRequest, GetVerificationResponse};
use crate::failure::{self, Failure, Kind};
use crate::transport::Transport;

/// `iss` of every token of ours.
pub const ISSUER: &str = "tradebahi";
/// `aud` of an access token.
pub const AUDIENCE: &str = "api";
/// `typ` of an access token (RFC 9068).
pub const TOKEN_TYPE: &str = "at+jwt";

/// How often keys and ended sign-ins are asked for.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// How old the last answer may be.
const TRUST_FOR: Duration = Duration::from_secs(5);
/// A token longer than this is refused unread.
const LONGEST_TOKEN: usize = 4096;

/// What an access token says.
#[derive(Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "registered claims of RFC 7519")]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    /// The account.
    pub sub: Uuid,
    /// The sign-in.
    pub sid: Uuid,
    pub jti: Uuid,
    pub iat: i64,
    pub nbf: i64,
    pub exp: i64,
    /// The trader's name.
    pub name: String,
    /// The trader's e-mail address.
    pub email: String,
}

/// Who calls, as a verified access token says.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The account that everything asked for belongs to.
    pub account_id: Uuid,
    /// The sign-in that the token was made for.
    pub sign_in_id: Uuid,
    /// The trader's name when the token was made.
    pub name: String,
    /// The trader's e-mail address when the token was made.
    pub email: String,
}

impl Caller {
    /// The caller of `request`, if the [`Verifier`] in front of the service found one.
    pub fn of<T>(request: &Request<T>) -> Result<&Self, Status> {
        request.extensions().get().ok_or_else(|| failure::status(&Refused::SignedOut))
    }
}

/// Why a token is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No token, a bad one, an old one, or one of an ended sign-in. Which, is nobody's business.
    #[error("no valid access token")]
    SignedOut,
    /// The auth service has not been heard of lately.
    #[error("access tokens cannot be verified now")]
    Unverifiable,
}

impl Failure for Refused {
    fn kind(&self) -> Kind {
        match self {
            Self::SignedOut => Kind::Unauthenticated,
            Self::Unverifiable => Kind::Busy,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::SignedOut => "SIGNED_OUT",
            Self::Unverifiable => "BUSY",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::SignedOut => "You are signed out. Log in again.".to_owned(),
            Self::Unverifiable => "We cannot check who you are right now. Try again in a moment.".to_owned(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::SignedOut => None,
            Self::Unverifiable => Some(ASK_EVERY),
        }
    }
}

/// Verifies access tokens. Clones share what they know.
#[derive(Clone, Default)]
pub struct Verifier {
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<String, DecodingKey>,
    ended: HashSet<Uuid>,
    heard_at: Option<Instant>,
}

impl Verifier {
    /// Keeps asking `auth` for keys and ended sign-ins, for ever.
    pub async fn follow(self, mut auth: AuthServiceClient<Transport>) {
        let mut ticks = tokio::time::interval(ASK_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(status) = self.ask(&mut auth).await {
                tracing::warn!(error = %status, "auth did not say which tokens are good");
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
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Known { keys, ended, heard_at: Some(asked_at) };
    }

    /// Who the bearer of `token` is.
    pub fn verify(&self, token: &str) -> Result<Caller, Refused> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.heard_at.is_none_or(|at| at.elapsed() > TRUST_FOR) {
            return Err(Refused::Unverifiable);
        }
        if token.len() > LONGEST_TOKEN {
            return Err(Refused::SignedOut);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| Refused::SignedOut)?;
        if header.typ.as_deref() != Some(TOKEN_TYPE) {
            return Err(Refused::SignedOut);
        }
        let key = header.kid.as_ref().and_then(|kid| known.keys.get(kid)).ok_or(Refused::SignedOut)?;
        let claims = jsonwebtoken::decode::<Claims>(token, key, &rules()).map_err(|_| Refused::SignedOut)?.claims;
        if known.ended.contains(&claims.sid) {
            return Err(Refused::SignedOut);
        }
        Ok(Caller { account_id: claims.sub, sign_in_id: claims.sid, name: claims.name, email: claims.email })
    }
}

/// Absent claims, a wrong purpose and another algorithm are all refused; the library's own defaults let them pass.
fn rules() -> Validation {
    let mut rules = Validation::new(Algorithm::EdDSA);
    rules.set_required_spec_claims(&["exp", "nbf", "iss", "aud", "sub"]);
    rules.set_issuer(&[ISSUER]);
    rules.set_audience(&[AUDIENCE]);
    rules.validate_nbf = true;
    rules.leeway = 30;
    rules
}

/// The token of an `Authorization: Bearer …` value.
pub fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

impl Interceptor for Verifier {
    /// Puts the [`Caller`] beside the request. A call without a token goes on without one: each rpc says whether it
    /// needs a caller.
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let Some(value) = request.metadata().get("authorization") else {
            return Ok(request);
        };
        let token = value.to_str().ok().and_then(bearer).ok_or_else(|| failure::status(&Refused::SignedOut))?;
        let caller = self.verify(token).map_err(|refused| failure::status(&refused))?;
        request.extensions_mut().insert(caller);
        Ok(request)
    }
}
