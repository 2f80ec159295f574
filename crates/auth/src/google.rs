//! Google as an OpenID Connect provider: where the browser is sent, and who came back from there.
//!
//! What the browser brings back is a code and nothing else. Who it is, Google says to us alone, in an ID token that is
//! good for the one sign-in whose nonce and verifier the browser kept.

mod id_token;
mod keys;
mod web;

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use url::form_urlencoded;

use self::keys::Keys;
use self::web::{Answer, Web};
use crate::error::{Cause, Error};
use crate::secret::Secret;

/// How one signs in with Google. [`Debug`](fmt::Debug) leaves the secret out.
#[derive(Clone)]
pub struct Google {
    /// What Google calls us.
    pub client_id: String,
    /// What shows Google that it is us.
    pub client_secret: String,
    /// `iss` of its ID tokens.
    pub issuer: String,
    /// Where the browser is sent.
    pub authorization_endpoint: String,
    /// Where a code is exchanged for an ID token.
    pub token_endpoint: String,
    /// The keys that ID tokens are signed with.
    pub keys_endpoint: String,
    /// How long connecting may take. Two seconds.
    pub connect_within: Duration,
    /// How long all that is asked for one sign-in may take. Five seconds.
    pub answer_within: Duration,
}

impl Google {
    /// Google itself.
    pub fn new(client_id: String, client_secret: String) -> Self {
        Self {
            client_id,
            client_secret,
            issuer: "https://accounts.google.com".to_owned(),
            authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth".to_owned(),
            token_endpoint: "https://oauth2.googleapis.com/token".to_owned(),
            keys_endpoint: "https://www.googleapis.com/oauth2/v3/certs".to_owned(),
            connect_within: Duration::from_secs(2),
            answer_within: Duration::from_secs(5),
        }
    }

    /// Somebody who plays Google at `issuer`, for tests: with `/authorize`, `/token` and `/keys`.
    #[must_use]
    pub fn played_at(self, issuer: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            authorization_endpoint: format!("{issuer}/authorize"),
            token_endpoint: format!("{issuer}/token"),
            keys_endpoint: format!("{issuer}/keys"),
            ..self
        }
    }
}

impl fmt::Debug for Google {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Google")
            .field("client_id", &self.client_id)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// A sign-in that has begun: where it goes on, and what must be there when the browser comes back.
pub(crate) struct Begun {
    pub(crate) authorization_url: String,
    pub(crate) state: Secret,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
}

/// What the browser came back with, and what it kept meanwhile.
pub(crate) struct Return {
    pub(crate) code: Secret,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
    /// The same as at the beginning.
    pub(crate) redirect_uri: String,
}

/// Who somebody is, as Google says.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) key: IdentityKey,
    /// Verified.
    pub(crate) email: String,
    pub(crate) name: Option<String>,
}

/// What Google promises never to give to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentityKey {
    pub(crate) issuer: String,
    pub(crate) subject: String,
}

/// What the exchange of a code answers with. It says more, which is nothing to us.
#[derive(Deserialize)]
struct Exchanged {
    id_token: String,
}

/// Asks Google.
pub(crate) struct Provider {
    settings: Google,
    web: Web,
    keys: Keys,
}

impl Provider {
    pub(crate) fn new(settings: Google) -> Result<Self, Error> {
        Ok(Self { web: Web::new(settings.connect_within).map_err(Error::Tls)?, keys: Keys::default(), settings })
    }

    /// Begins a sign-in. That the browser may choose the account is asked for, or whoever signs out on a shared
    /// machine would be signed in again without a question.
    pub(crate) fn begin(&self, redirect_uri: &str) -> Result<Begun, Error> {
        let (state, nonce, verifier) = (Secret::draw()?, Secret::draw()?, Secret::draw()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()));
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.settings.client_id),
            ("redirect_uri", redirect_uri),
            ("scope", "openid profile email"),
            ("state", state.expose()),
            ("nonce", nonce.expose()),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("prompt", "select_account"),
        ]);
        let authorization_url = [&self.settings.authorization_endpoint, "?", &query].concat();
        Ok(Begun { authorization_url, state, nonce, verifier })
    }

    /// Who came back.
    pub(crate) async fn finish(&self, back: &Return) -> Result<Identity, Error> {
        let asked = timeout(self.settings.answer_within, async {
            let token = self.exchange(back).await?;
            let key = self.keys.find(&id_token::key_id(&token)?, || self.fetch_keys()).await?;
            id_token::read(&token, &key, &self.settings, &back.nonce)
        });
        asked.await.unwrap_or_else(|late| Err(Error::GoogleUnreachable(late.into())))
    }

    async fn exchange(&self, back: &Return) -> Result<String, Error> {
        let body = form(&[
            ("grant_type", "authorization_code"),
            ("code", back.code.expose()),
            ("redirect_uri", &back.redirect_uri),
            ("client_id", &self.settings.client_id),
            ("client_secret", &self.settings.client_secret),
            ("code_verifier", back.verifier.expose()),
        ]);
        let answer = self.web.post(&self.settings.token_endpoint, body).await.map_err(Error::GoogleUnreachable)?;
        if answer.status.is_client_error() {
            return Err(Error::GoogleRefused(format!("the code was refused with {}", answer.status).into()));
        }
        let exchanged: Exchanged = json(&answer).map_err(Error::GoogleUnreachable)?;
        Ok(exchanged.id_token)
    }

    async fn fetch_keys(&self) -> Result<jsonwebtoken::jwk::JwkSet, Error> {
        let answer = self.web.get(&self.settings.keys_endpoint).await.map_err(Error::GoogleUnreachable)?;
        json(&answer).map_err(Error::GoogleUnreachable)
    }
}

/// Anything but 200, a redirect too, is no answer.
fn json<'a, T: Deserialize<'a>>(answer: &'a Answer) -> Result<T, Cause> {
    if answer.status != StatusCode::OK {
        return Err(format!("answered with {}", answer.status).into());
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

fn form(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
