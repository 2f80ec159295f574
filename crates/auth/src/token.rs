//! The tokens we give: signed ones that say what they are for, and the opaque one that renews a sign-in.

use std::path::Path;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rpc::token::{Claims, ISSUER, Purpose};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::secret::Secret;

/// How long an ended sign-in must be remembered: the longest life of its tokens, clocks that differ included.
pub(crate) const REMEMBER_ENDED_FOR: Duration = Duration::minutes(31);
/// How long a refresh token is good without use.
pub(crate) const IDLE_FOR: Duration = Duration::days(14);
/// How long a sign-in lasts, however often it is renewed.
pub(crate) const SIGN_IN_FOR: Duration = Duration::days(30);

/// An opaque token that is exchanged for the next pair.
#[derive(Debug)]
pub(crate) struct RefreshToken(Secret);

impl RefreshToken {
    pub(crate) fn draw() -> Result<Self, Error> {
        Secret::draw().map(Self)
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash::of(self.0.expose())
    }

    /// For the one reply that carries it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The SHA-256 of an opaque token: what the database knows of it.
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
        Ok(Self { kid: kid(&pair), private_key: Zeroizing::new(pkcs8.as_ref().to_vec()) })
    }

    /// The key in a file that nobody but its owner reads: PKCS #8 as PEM, which `openssl genpkey -algorithm ed25519`
    /// makes.
    pub(crate) fn read(file: &Path) -> Result<Self, Error> {
        use std::os::unix::fs::PermissionsExt as _;
        let refuse = |why, source| Error::KeyFile { file: file.to_owned(), why, source };
        let unreadable = |error| refuse("it cannot be read", Some(error));
        let foreign = || refuse("it holds no Ed25519 key as PKCS #8 in PEM", None);
        let mode = std::fs::metadata(file).map_err(unreadable)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(refuse("others may read it; chmod 600 keeps them out", None));
        }
        let pem = Zeroizing::new(std::fs::read_to_string(file).map_err(unreadable)?);
        let body: Zeroizing<String> = Zeroizing::new(pem.lines().filter(|line| !line.starts_with("-----")).collect());
        let private_key = STANDARD.decode(body.as_bytes()).map(Zeroizing::new).map_err(|_| foreign())?;
        let pair = Ed25519KeyPair::from_pkcs8(&private_key).map_err(|_| foreign())?;
        Ok(Self { kid: kid(&pair), private_key })
    }

    /// The 32 bytes of the public key, base64url.
    pub(crate) fn public(&self) -> Result<String, Error> {
        Ed25519KeyPair::from_pkcs8(&self.private_key).map(|pair| x(&pair)).map_err(Error::ReadKey)
    }
}

fn x(pair: &Ed25519KeyPair) -> String {
    URL_SAFE_NO_PAD.encode(pair.public_key())
}

fn kid(pair: &Ed25519KeyPair) -> String {
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, x(pair));
    URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
}

/// Whom a signed token is about.
pub(crate) struct Subject<'a> {
    pub(crate) account_id: Uuid,
    /// None where the token is to become a sign-in.
    pub(crate) sign_in_id: Option<Uuid>,
    pub(crate) name: &'a str,
    pub(crate) email: &'a str,
}

/// A signed token.
pub(crate) struct Signed {
    pub(crate) token: String,
    /// Its `jti`.
    pub(crate) id: Uuid,
    pub(crate) expires_at: OffsetDateTime,
}

/// Signs tokens.
pub(crate) struct Signer {
    kid: String,
    /// The public key, base64url.
    x: String,
    key: EncodingKey,
}

impl Signer {
    pub(crate) fn new(stored: StoredKey) -> Result<Self, Error> {
        // A key that cannot be read shall stop the start, not the first sign-in.
        let x = stored.public()?;
        Ok(Self { kid: stored.kid, x, key: EncodingKey::from_ed_der(&stored.private_key) })
    }

    /// The key id and the public key that the tokens are verified with.
    pub(crate) fn public(&self) -> (String, String) {
        (self.kid.clone(), self.x.clone())
    }

    /// A token that is good for `purpose`, from now on and not for long.
    pub(crate) fn sign(&self, purpose: Purpose, subject: &Subject<'_>) -> Result<Signed, Error> {
        let now = OffsetDateTime::now_utc();
        let (id, expires_at) = (Uuid::new_v4(), now + lasts(purpose));
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: purpose.audience().to_owned(),
            sub: subject.account_id,
            sid: subject.sign_in_id,
            jti: id,
            iat: now.unix_timestamp(),
            nbf: now.unix_timestamp(),
            exp: expires_at.unix_timestamp(),
            name: subject.name.to_owned(),
            email: subject.email.to_owned(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(purpose.kind().to_owned());
        header.kid = Some(self.kid.clone());
        let token = jsonwebtoken::encode(&header, &claims, &self.key).map_err(Error::Sign)?;
        Ok(Signed { token, id, expires_at })
    }
}

/// How long a token is good.
const fn lasts(purpose: Purpose) -> Duration {
    match purpose {
        Purpose::Access => Duration::minutes(10),
        Purpose::Analytics => Duration::minutes(30),
        Purpose::SignIn => Duration::seconds(60),
        Purpose::Handoff => Duration::minutes(2),
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
        for purpose in [Purpose::Access, Purpose::Analytics] {
            assert!(REMEMBER_ENDED_FOR >= lasts(purpose) + leeway);
        }
    }

    /// The key of RFC 8037, appendix A, and its thumbprint there.
    #[test]
    fn the_id_of_a_key_is_its_thumbprint() {
        let bytes = |text| URL_SAFE_NO_PAD.decode(text).unwrap();
        let seed = bytes("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
        let public = bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let pair = Ed25519KeyPair::from_seed_and_public_key(&seed, &public).unwrap();
        assert_eq!(kid(&pair), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }
}
