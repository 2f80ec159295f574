//! Tokens: claims and verification of signed tokens (JWT), with one audience per purpose.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Claim `iss` of every token.
pub const ISSUER: &str = "tradebahi";

/// Prefix of the tokens of internal services, which are opaque and not JWTs.
pub const SERVICE_TOKEN_PREFIX: &str = "tbs_";

/// Maximum token length in bytes. Longer tokens are rejected without parsing.
const MAX_TOKEN_BYTES: usize = 4096;
/// Tolerated clock difference between servers in seconds.
const CLOCK_LEEWAY_SECONDS: u64 = 30;

/// Only purpose for which a token is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// API calls of a trader's session.
    Access,
    /// Read-only API calls from the analytics site.
    Analytics,
    /// Single-use token that is exchanged for a session.
    Login,
    /// Single-use token that is exchanged for an analytics session.
    Handoff,
}

impl Purpose {
    /// Returns the claim `aud`.
    pub fn audience(self) -> &'static str {
        match self {
            Self::Access => "api",
            Self::Analytics => "analytics-api",
            Self::Login => "login",
            Self::Handoff => "analytics",
        }
    }

    /// Returns the header `typ`: that of an access token (RFC 9068), or of any other JWT.
    pub fn header_type(self) -> &'static str {
        match self {
            Self::Access | Self::Analytics => "at+jwt",
            Self::Login | Self::Handoff => "JWT",
        }
    }
}

/// Claims of a token.
#[derive(Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "registered claims of RFC 7519")]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    /// Id of the account.
    pub sub: Uuid,
    /// Id of the session. Absent in tokens that are exchanged for a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<Uuid>,
    pub jti: Uuid,
    pub iat: i64,
    pub nbf: i64,
    pub exp: i64,
    /// Name of the trader.
    pub name: String,
    /// Email address of the trader.
    pub email: String,
    /// The owner confirmed the email address (claim of OpenID Connect). Absent only in tokens of versions before this
    /// claim, of which the last one expires 30 minutes after an update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
}

/// Verifies a token: signature, expiry and purpose. Returns its claims, or `None` if it is invalid.
///
/// `find_key` returns the public key with a key id.
pub fn verify<'k>(token: &str, purpose: Purpose, find_key: impl Fn(&str) -> Option<&'k DecodingKey>) -> Option<Claims> {
    if token.len() > MAX_TOKEN_BYTES {
        return None;
    }
    let header = jsonwebtoken::decode_header(token).ok()?;
    if header.typ.as_deref() != Some(purpose.header_type()) {
        return None;
    }
    let key = find_key(header.kid.as_deref()?)?;
    jsonwebtoken::decode::<Claims>(token, key, &validation(purpose)).ok().map(|decoded| decoded.claims)
}

/// Requires all claims, the purpose's audience and our algorithm, which the library's defaults do not.
fn validation(purpose: Purpose) -> Validation {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp", "nbf", "iss", "aud", "sub"]);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[purpose.audience()]);
    validation.validate_nbf = true;
    validation.leeway = CLOCK_LEEWAY_SECONDS;
    validation
}
