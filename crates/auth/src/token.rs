//! Tokens that auth issues: signed tokens (JWT) for one purpose each, and opaque refresh tokens.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rpc::token::{Claims, ISSUER, Purpose};
use serde::Serialize;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::error::{Error, InternalError};
use crate::secret::Secret;
use crate::signing_key::SigningKey;

/// Lifetime of an unused refresh token.
pub(crate) const REFRESH_TOKEN_TTL: Duration = Duration::days(14);

/// Opaque token that is exchanged for the next pair of tokens.
#[derive(Debug)]
pub(crate) struct RefreshToken(Secret);

impl RefreshToken {
    pub(crate) fn generate() -> Result<Self, Error> {
        Secret::generate().map(Self)
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash::from_token(self.0.expose())
    }

    /// Returns the token for the response to the client. Do not log or store it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// SHA-256 of an opaque token. The database stores only this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenHash(Vec<u8>);

impl TokenHash {
    pub(crate) fn from_token(token: &str) -> Self {
        Self(Sha256::digest(token).to_vec())
    }

    /// Wraps a stored hash.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Account and session that a signed token is issued for.
pub(crate) struct Subject<'a> {
    pub(crate) account_id: Uuid,
    /// `None` if the token is to be exchanged for a new session.
    pub(crate) session_id: Option<Uuid>,
    /// `jti` of the token; `None` for a new one.
    pub(crate) token_id: Option<Uuid>,
    pub(crate) name: &'a str,
    pub(crate) email: &'a str,
    pub(crate) email_confirmed: bool,
}

/// Signed token.
pub(crate) struct SignedToken {
    pub(crate) token: String,
    /// `jti` of the token.
    pub(crate) id: Uuid,
    pub(crate) expires_at: OffsetDateTime,
}

/// Signs tokens.
pub(crate) struct TokenSigner {
    kid: String,
    /// Base64url.
    public_key: String,
    key: EncodingKey,
}

impl TokenSigner {
    pub(crate) fn new(key: SigningKey) -> Result<Self, Error> {
        // Fails at startup, not at the first login, if the key is invalid.
        let public_key = key.public_key()?;
        Ok(Self { kid: key.kid, public_key, key: EncodingKey::from_ed_der(&key.private_key) })
    }

    /// Returns the key id and the public key that verify the tokens.
    pub(crate) fn public_key(&self) -> (String, String) {
        (self.kid.clone(), self.public_key.clone())
    }

    /// Signs a token for `purpose`, valid from now.
    pub(crate) fn sign(&self, purpose: Purpose, subject: &Subject<'_>) -> Result<SignedToken, Error> {
        let now = OffsetDateTime::now_utc();
        let id = subject.token_id.unwrap_or_else(Uuid::new_v4);
        let expires_at = now + token_ttl(purpose);
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: purpose.audience().to_owned(),
            sub: subject.account_id,
            sid: subject.session_id,
            jti: id,
            iat: now.unix_timestamp(),
            nbf: now.unix_timestamp(),
            exp: expires_at.unix_timestamp(),
            name: subject.name.to_owned(),
            email: subject.email.to_owned(),
            email_verified: Some(subject.email_confirmed),
        };
        let token = self.sign_claims(purpose.header_type(), &claims)?;
        Ok(SignedToken { token, id, expires_at })
    }

    /// Signs claims as a JWT of this type.
    pub(crate) fn sign_claims(&self, header_type: &str, claims: &impl Serialize) -> Result<String, Error> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(header_type.to_owned());
        header.kid = Some(self.kid.clone());
        Ok(jsonwebtoken::encode(&header, claims, &self.key).map_err(InternalError::SignToken)?)
    }
}

/// Returns the lifetime of tokens for `purpose`.
pub(crate) const fn token_ttl(purpose: Purpose) -> Duration {
    match purpose {
        Purpose::Access => Duration::minutes(10),
        Purpose::Analytics => Duration::minutes(30),
        Purpose::Login => Duration::seconds(60),
        Purpose::Handoff => Duration::minutes(2),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;
    use crate::session::ENDED_SESSION_RETENTION;

    #[test]
    fn a_refresh_token_has_32_random_bytes_and_is_masked_in_debug_output() {
        let (one, other) = (RefreshToken::generate().unwrap(), RefreshToken::generate().unwrap());
        assert_eq!(URL_SAFE_NO_PAD.decode(one.expose()).unwrap().len(), 32);
        assert_ne!(one.expose(), other.expose());
        assert!(!format!("{one:?}").contains(one.expose()));
    }

    #[test]
    fn ended_sessions_are_retained_longer_than_their_tokens_live() {
        let leeway = Duration::seconds(30);
        for purpose in [Purpose::Access, Purpose::Analytics] {
            assert!(ENDED_SESSION_RETENTION >= token_ttl(purpose) + leeway);
        }
    }

    #[test]
    fn s11_a_replaced_key_verifies_longer_than_its_tokens_live() {
        let leeway = Duration::seconds(30);
        for purpose in [Purpose::Access, Purpose::Analytics, Purpose::Login, Purpose::Handoff] {
            assert!(crate::key_ring::OVERLAP >= token_ttl(purpose) + leeway);
        }
    }
}
