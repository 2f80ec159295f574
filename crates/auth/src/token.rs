//! The two tokens of a sign-in: a signed one that every process verifies by itself, and one that renews it.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rpc::caller::{AUDIENCE, Claims, ISSUER, TOKEN_TYPE};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::secret::Secret;
use crate::sign_in::SignIn;

/// How long an access token is good.
pub(crate) const ACCESS_FOR: Duration = Duration::minutes(10);
/// How long an ended sign-in must be remembered: the longest life of its tokens, clocks that differ included.
pub(crate) const REMEMBER_ENDED_FOR: Duration = Duration::minutes(11);
/// How long a refresh token is good without use.
pub(crate) const IDLE_FOR: Duration = Duration::days(14);
/// How long a sign-in lasts, however often it is renewed.
pub(crate) const SIGN_IN_FOR: Duration = Duration::days(30);

/// An opaque token that is exchanged for the next pair.
#[derive(Debug)]
pub(crate) struct RefreshToken(Secret);

impl RefreshToken {
    pub(crate) fn draw() -> Result<Self, Error> {
        let mut random = Zeroizing::new([0; 32]);
        getrandom::fill(random.as_mut()).map_err(Error::Random)?;
        Ok(Self(Secret::new(URL_SAFE_NO_PAD.encode(random))))
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash::of(self.0.expose())
    }

    /// For the one reply that carries it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The SHA-256 of a refresh token: what the database knows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenHash(Vec<u8>);

impl TokenHash {
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).to_vec())
    }

    pub(crate) fn stored(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A key as it is stored.
pub(crate) struct StoredKey {
    pub(crate) kid: String,
    /// PKCS #8.
    pub(crate) private_key: Zeroizing<Vec<u8>>,
}

impl StoredKey {
    /// A new key. Its id is its thumbprint (RFC 7638), so that another key never has the same.
    pub(crate) fn make() -> Result<Self, Error> {
        let pair = Ed25519KeyPair::generate().map_err(Error::MakeKey)?;
        let pkcs8 = pair.to_pkcs8().map_err(Error::MakeKey)?;
        let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, x(&pair));
        let kid = URL_SAFE_NO_PAD.encode(Sha256::digest(jwk));
        Ok(Self { kid, private_key: Zeroizing::new(pkcs8.as_ref().to_vec()) })
    }

    /// The 32 bytes of the public key, base64url.
    pub(crate) fn public(&self) -> Result<String, Error> {
        Ed25519KeyPair::from_pkcs8(&self.private_key).map(|pair| x(&pair)).map_err(Error::ReadKey)
    }
}

fn x(pair: &Ed25519KeyPair) -> String {
    URL_SAFE_NO_PAD.encode(pair.public_key())
}

/// Signs access tokens.
pub(crate) struct Signer {
    header: Header,
    key: EncodingKey,
}

impl Signer {
    pub(crate) fn new(stored: StoredKey) -> Result<Self, Error> {
        // A key that cannot be read shall stop the start, not the first sign-in.
        stored.public()?;
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(TOKEN_TYPE.to_owned());
        header.kid = Some(stored.kid);
        Ok(Self { header, key: EncodingKey::from_ed_der(&stored.private_key) })
    }

    /// The access token of a sign-in.
    pub(crate) fn sign(&self, sign_in: &SignIn) -> Result<String, Error> {
        let now = OffsetDateTime::now_utc();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: sign_in.account_id,
            sid: sign_in.sign_in_id,
            jti: Uuid::new_v4(),
            iat: now.unix_timestamp(),
            nbf: now.unix_timestamp(),
            exp: (now + ACCESS_FOR).unix_timestamp(),
            name: sign_in.name.clone(),
            email: sign_in.email.clone(),
        };
        jsonwebtoken::encode(&self.header, &claims, &self.key).map_err(Error::Sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_token_has_32_random_bytes_and_never_prints() {
        let (one, other) = (RefreshToken::draw().unwrap(), RefreshToken::draw().unwrap());
        assert_eq!(URL_SAFE_NO_PAD.decode(one.expose()).unwrap().len(), 32);
        assert_ne!(one.expose(), other.expose());
        assert!(!format!("{one:?}").contains(one.expose()));
    }

    #[test]
    fn a_stored_key_gives_its_public_part_again() {
        let key = StoredKey::make().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(key.public().unwrap()).unwrap().len(), 32);
        let spoilt = StoredKey { private_key: Zeroizing::new(vec![1, 2, 3]), ..key };
        assert!(matches!(spoilt.public(), Err(Error::ReadKey(_))));
    }

    #[test]
    fn an_ended_sign_in_is_remembered_longer_than_its_tokens_live() {
        let leeway = Duration::seconds(30);
        assert!(REMEMBER_ENDED_FOR > ACCESS_FOR + leeway);
    }
}
