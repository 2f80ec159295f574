//! Verification of ID tokens.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use subtle::ConstantTimeEq;
use time::{Duration, OffsetDateTime};

use super::{Google, Identity, IdentityKey};
use crate::error::Error;
use crate::secret::Secret;

/// Allowed difference between clocks.
const LEEWAY: Duration = Duration::seconds(30);
/// Maximum age of an ID token. Google issues it during the code exchange, so it is new.
const MAX_AGE: Duration = Duration::minutes(10);
/// Maximum length of `sub` in bytes (OpenID Connect Core, section 2).
const MAX_SUBJECT_BYTES: usize = 255;

#[derive(Deserialize)]
struct Claims {
    sub: String,
    aud: Audience,
    azp: Option<String>,
    nonce: String,
    iat: i64,
    email: Option<String>,
    #[serde(default)]
    email_verified: bool,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    Several(Vec<String>),
    One(IgnoredAny),
}

/// Returns the id of the signing key from the header of `token`.
pub(super) fn parse_key_id(token: &str) -> Result<String, Error> {
    let header = jsonwebtoken::decode_header(token).map_err(|error| Error::GoogleRejected(error.into()))?;
    header.kid.ok_or_else(|| rejection("no key id"))
}

/// Verifies that Google issued `token` for this site and for the login with this nonce. Returns the identity.
pub(super) fn verify(token: &str, key: &DecodingKey, google: &Google, nonce: &Secret) -> Result<Identity, Error> {
    let claims = jsonwebtoken::decode::<Claims>(token, key, &validation(google))
        .map_err(|error| Error::GoogleRejected(error.into()))?
        .claims;
    if !bool::from(claims.nonce.as_bytes().ct_eq(nonce.expose().as_bytes())) {
        return Err(rejection("wrong nonce"));
    }
    if !claims.is_authorized_party(&google.client_id) {
        return Err(rejection("wrong authorized party"));
    }
    if !claims.is_recent(OffsetDateTime::now_utc()) {
        return Err(rejection("too old, or issued in the future"));
    }
    if claims.sub.is_empty() || claims.sub.len() > MAX_SUBJECT_BYTES {
        return Err(rejection("invalid subject"));
    }
    let email = claims.email.filter(|_| claims.email_verified).ok_or(Error::EmailUnverified)?;
    let key = IdentityKey { issuer: google.issuer.clone(), subject: claims.sub };
    Ok(Identity { key, email, name: claims.name })
}

/// Returns the validation rules. Only RS256 is allowed: with HS256, the public key would pass as the secret.
fn validation(google: &Google) -> Validation {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    // Google uses its issuer with and without the scheme.
    let without_scheme = google.issuer.trim_start_matches("https://");
    validation.set_issuer(&[google.issuer.as_str(), without_scheme]);
    validation.set_audience(&[&google.client_id]);
    validation.leeway = LEEWAY.whole_seconds().unsigned_abs();
    validation
}

fn rejection(reason: &'static str) -> Error {
    Error::GoogleRejected(["invalid ID token: ", reason].concat().into())
}

impl Claims {
    /// Checks `azp`. It may be absent only if the token has a single audience, which is verified separately.
    fn is_authorized_party(&self, client_id: &str) -> bool {
        let has_several_audiences = matches!(&self.aud, Audience::Several(all) if all.len() != 1);
        match &self.azp {
            Some(azp) => azp == client_id,
            None => !has_several_audiences,
        }
    }

    fn is_recent(&self, now: OffsetDateTime) -> bool {
        let issued = OffsetDateTime::from_unix_timestamp(self.iat);
        issued.is_ok_and(|issued| issued <= now + LEEWAY && issued >= now - MAX_AGE)
    }
}
