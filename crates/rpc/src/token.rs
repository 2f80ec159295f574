//! Signed tokens (JWT), one audience per purpose, and how they are read.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// `iss` of every token of ours.
pub const ISSUER: &str = "tradebahi";

/// A token longer than this is refused unread.
const LONGEST: usize = 4096;
/// How far clocks may differ, in seconds.
const LEEWAY: u64 = 30;

/// What a token is good for, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Calls in the name of a trader who is signed in.
    Access,
    /// Reads in the name of a trader, for the analytics site.
    Analytics,
    /// Becomes a sign-in, once.
    SignIn,
    /// Becomes an analytics session, once.
    Handoff,
}

impl Purpose {
    /// `aud`.
    pub fn audience(self) -> &'static str {
        match self {
            Self::Access => "api",
            Self::Analytics => "analytics-api",
            Self::SignIn => "sign-in",
            Self::Handoff => "analytics",
        }
    }

    /// `typ`: an access token (RFC 9068), or no more than a JWT.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Access | Self::Analytics => "at+jwt",
            Self::SignIn | Self::Handoff => "JWT",
        }
    }
}

/// What a token says.
#[derive(Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "registered claims of RFC 7519")]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    /// The account.
    pub sub: Uuid,
    /// The sign-in; none in a token that is to become one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<Uuid>,
    pub jti: Uuid,
    pub iat: i64,
    pub nbf: i64,
    pub exp: i64,
    /// The trader's name.
    pub name: String,
    /// The trader's e-mail address.
    pub email: String,
}

/// The claims of a token that was signed with one of our keys for `purpose` and is good now.
pub fn read<'k>(token: &str, purpose: Purpose, key: impl Fn(&str) -> Option<&'k DecodingKey>) -> Option<Claims> {
    if token.len() > LONGEST {
        return None;
    }
    let header = jsonwebtoken::decode_header(token).ok()?;
    if header.typ.as_deref() != Some(purpose.kind()) {
        return None;
    }
    let key = key(header.kid.as_deref()?)?;
    jsonwebtoken::decode::<Claims>(token, key, &rules(purpose)).ok().map(|read| read.claims)
}

/// Absent claims, a wrong purpose and another algorithm are all refused; the library's own defaults let them pass.
fn rules(purpose: Purpose) -> Validation {
    let mut rules = Validation::new(Algorithm::EdDSA);
    rules.set_required_spec_claims(&["exp", "nbf", "iss", "aud", "sub"]);
    rules.set_issuer(&[ISSUER]);
    rules.set_audience(&[purpose.audience()]);
    rules.validate_nbf = true;
    rules.leeway = LEEWAY;
    rules
}
