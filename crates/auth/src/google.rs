//! Google as an OpenID Connect provider: authorization URL, code exchange and identity.
//!
//! The browser brings back only an authorization code. The identity comes directly from Google, in an ID token that is
//! bound to one login by the nonce and the PKCE verifier that the browser kept.

mod id_token;
mod jwks;

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use url::form_urlencoded;

use self::jwks::JwksCache;
use crate::error::{BoxError, Error, InternalError};
use crate::http_client::{HttpClient, Response};
use crate::secret::Secret;

/// Settings of Google login. [`Debug`](fmt::Debug) omits the client secret.
#[derive(Clone)]
pub struct Google {
    /// OAuth client id of this site.
    pub client_id: String,
    /// OAuth client secret of this site.
    pub client_secret: String,
    /// `iss` of the ID tokens.
    pub issuer: String,
    /// URL of the page that asks the user for consent.
    pub authorization_endpoint: String,
    /// URL that exchanges an authorization code for an ID token.
    pub token_endpoint: String,
    /// URL of the keys that sign ID tokens (JWK Set).
    pub jwks_endpoint: String,
    /// Connect timeout. Defaults to two seconds.
    pub connect_timeout: Duration,
    /// Timeout of all requests of one login. Defaults to five seconds.
    pub request_timeout: Duration,
}

impl Google {
    /// Creates settings with the endpoints of Google.
    pub fn new(client_id: String, client_secret: String) -> Self {
        Self {
            client_id,
            client_secret,
            issuer: "https://accounts.google.com".to_owned(),
            authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth".to_owned(),
            token_endpoint: "https://oauth2.googleapis.com/token".to_owned(),
            jwks_endpoint: "https://www.googleapis.com/oauth2/v3/certs".to_owned(),
            connect_timeout: Duration::from_secs(2),
            request_timeout: Duration::from_secs(5),
        }
    }

    /// Replaces the endpoints by `/authorize`, `/token` and `/keys` of a fake provider at `issuer`, for tests.
    #[must_use]
    pub fn with_issuer(self, issuer: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            authorization_endpoint: format!("{issuer}/authorize"),
            token_endpoint: format!("{issuer}/token"),
            jwks_endpoint: format!("{issuer}/keys"),
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

/// Authorization request: the URL for the browser, and the values that it must keep until it returns.
pub(crate) struct AuthorizationRequest {
    pub(crate) authorization_url: String,
    pub(crate) state: Secret,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
}

/// Authorization code from Google, with the values that the browser kept.
pub(crate) struct AuthorizationResponse {
    pub(crate) code: Secret,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
    /// Same URI as in the authorization request.
    pub(crate) redirect_uri: String,
}

/// Identity of a Google account.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) key: IdentityKey,
    /// Verified by Google.
    pub(crate) email: String,
    pub(crate) name: Option<String>,
}

/// Key of a Google account. Google never reassigns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentityKey {
    pub(crate) issuer: String,
    pub(crate) subject: String,
}

/// Response of the token endpoint, without the unused fields.
#[derive(Deserialize)]
struct TokenResponse {
    id_token: String,
}

/// Client of Google's endpoints.
pub(crate) struct Provider {
    settings: Google,
    http: HttpClient,
    jwks: JwksCache,
}

impl Provider {
    pub(crate) fn new(settings: Google) -> Result<Self, Error> {
        let http = HttpClient::new(settings.connect_timeout).map_err(InternalError::Tls)?;
        Ok(Self { http, jwks: JwksCache::default(), settings })
    }

    /// Creates an authorization request. Asks Google to show the account chooser: otherwise a user who has logged out
    /// on a shared computer would be logged in again without being asked.
    pub(crate) fn begin(&self, redirect_uri: &str) -> Result<AuthorizationRequest, Error> {
        let (state, nonce, verifier) = (Secret::generate()?, Secret::generate()?, Secret::generate()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()));
        let query = encode_form(&[
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
        Ok(AuthorizationRequest { authorization_url, state, nonce, verifier })
    }

    /// Exchanges the authorization code and returns the verified identity.
    pub(crate) async fn finish(&self, response: &AuthorizationResponse) -> Result<Identity, Error> {
        let identity = timeout(self.settings.request_timeout, async {
            let token = self.exchange_code(response).await?;
            let key = self.jwks.find_key(&id_token::parse_key_id(&token)?, || self.fetch_jwks()).await?;
            id_token::verify(&token, &key, &self.settings, &response.nonce)
        });
        identity.await.unwrap_or_else(|elapsed| Err(Error::GoogleUnreachable(elapsed.into())))
    }

    async fn exchange_code(&self, response: &AuthorizationResponse) -> Result<String, Error> {
        let body = encode_form(&[
            ("grant_type", "authorization_code"),
            ("code", response.code.expose()),
            ("redirect_uri", &response.redirect_uri),
            ("client_id", &self.settings.client_id),
            ("client_secret", &self.settings.client_secret),
            ("code_verifier", response.verifier.expose()),
        ]);
        let response = self.http.post(&self.settings.token_endpoint, body).await.map_err(Error::GoogleUnreachable)?;
        if response.status.is_client_error() {
            return Err(Error::GoogleRejected(format!("code rejected with {}", response.status).into()));
        }
        let response: TokenResponse = parse_json(&response).map_err(Error::GoogleUnreachable)?;
        Ok(response.id_token)
    }

    async fn fetch_jwks(&self) -> Result<jsonwebtoken::jwk::JwkSet, Error> {
        let response = self.http.get(&self.settings.jwks_endpoint).await.map_err(Error::GoogleUnreachable)?;
        parse_json(&response).map_err(Error::GoogleUnreachable)
    }
}

/// Parses the body of a response with status 200. Any other status is an error, redirects included.
fn parse_json<'a, T: Deserialize<'a>>(response: &'a Response) -> Result<T, BoxError> {
    if response.status != StatusCode::OK {
        return Err(format!("unexpected status {}", response.status).into());
    }
    Ok(serde_json::from_slice(&response.body)?)
}

fn encode_form(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
