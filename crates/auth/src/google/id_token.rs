//! An ID token: what it must say before it is believed.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use subtle::ConstantTimeEq;
use time::{Duration, OffsetDateTime};

use super::{Google, Identity, IdentityKey};
use crate::error::Error;
use crate::secret::Secret;

/// How far clocks may differ.
const LEEWAY: Duration = Duration::seconds(30);
/// It is made for us while we wait.
const OLDEST: Duration = Duration::minutes(10);
/// OpenID Connect allows no more.
const LONGEST_SUBJECT: usize = 255;

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

/// The id of the key that `token` says it is signed with.
pub(super) fn key_id(token: &str) -> Result<String, Error> {
    let header = jsonwebtoken::decode_header(token).map_err(|error| Error::GoogleRefused(error.into()))?;
    header.kid.ok_or_else(|| refused("signed with a key without a name"))
}

/// Whom `token` is about, if Google made it for us and for the sign-in with this nonce.
pub(super) fn read(token: &str, key: &DecodingKey, google: &Google, nonce: &Secret) -> Result<Identity, Error> {
    let claims = jsonwebtoken::decode::<Claims>(token, key, &rules(google))
        .map_err(|error| Error::GoogleRefused(error.into()))?
        .claims;
    if !bool::from(claims.nonce.as_bytes().ct_eq(nonce.expose().as_bytes())) {
        return Err(refused("made for another sign-in"));
    }
    if !claims.made_for(&google.client_id) {
        return Err(refused("made for somebody else"));
    }
    if !claims.made_just_now(OffsetDateTime::now_utc()) {
        return Err(refused("not made just now"));
    }
    if claims.sub.is_empty() || claims.sub.len() > LONGEST_SUBJECT {
        return Err(refused("about nobody"));
    }
    let email = claims.email.filter(|_| claims.email_verified).ok_or(Error::EmailUnverified)?;
    let key = IdentityKey { issuer: google.issuer.clone(), subject: claims.sub };
    Ok(Identity { key, email, name: claims.name })
}

/// RS256 alone, or a key that everybody knows would do as a secret.
fn rules(google: &Google) -> Validation {
    let mut rules = Validation::new(Algorithm::RS256);
    rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    // Google calls itself by both names.
    let bare = google.issuer.trim_start_matches("https://");
    rules.set_issuer(&[google.issuer.as_str(), bare]);
    rules.set_audience(&[&google.client_id]);
    rules.leeway = LEEWAY.whole_seconds().unsigned_abs();
    rules
}

fn refused(why: &'static str) -> Error {
    Error::GoogleRefused(["the ID token is ", why].concat().into())
}

impl Claims {
    /// That it is for us was seen already. Where it is for others, too, it must have been made for us.
    fn made_for(&self, client_id: &str) -> bool {
        let several = matches!(&self.aud, Audience::Several(all) if all.len() != 1);
        match &self.azp {
            Some(azp) => azp == client_id,
            None => !several,
        }
    }

    fn made_just_now(&self, now: OffsetDateTime) -> bool {
        let made = OffsetDateTime::from_unix_timestamp(self.iat);
        made.is_ok_and(|made| made <= now + LEEWAY && made >= now - OLDEST)
    }
}
