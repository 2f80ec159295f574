//! Ed25519 keys that sign tokens.

use std::fmt;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::{Error, InternalError};

/// Private key with its key id. [`Debug`](fmt::Debug) shows the id only.
#[derive(Clone)]
pub struct SigningKey {
    pub(crate) kid: String,
    /// PKCS #8.
    pub(crate) private_key: Zeroizing<Vec<u8>>,
}

impl SigningKey {
    /// Generates a key. Its id is its thumbprint (RFC 7638), so that ids are unique.
    pub(crate) fn generate() -> Result<Self, Error> {
        let pair = Ed25519KeyPair::generate().map_err(InternalError::GenerateKey)?;
        let pkcs8 = pair.to_pkcs8().map_err(InternalError::GenerateKey)?;
        Ok(Self { kid: thumbprint(&pair), private_key: Zeroizing::new(pkcs8.as_ref().to_vec()) })
    }

    /// Parses a key as created by `openssl genpkey -algorithm ed25519`: PKCS #8 in PEM.
    ///
    /// # Errors
    /// If the text contains no such key. The error does not contain the text.
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        let body: Zeroizing<String> = Zeroizing::new(pem.lines().filter(|line| !line.starts_with("-----")).collect());
        let private_key =
            STANDARD.decode(body.as_bytes()).map(Zeroizing::new).map_err(|_| InternalError::InvalidPem)?;
        let pair = Ed25519KeyPair::from_pkcs8(&private_key).map_err(|_| InternalError::InvalidPem)?;
        Ok(Self { kid: thumbprint(&pair), private_key })
    }

    /// Returns the 32 bytes of the public key as base64url.
    pub(crate) fn public_key(&self) -> Result<String, Error> {
        let pair = Ed25519KeyPair::from_pkcs8(&self.private_key).map_err(InternalError::InvalidKey)?;
        Ok(encode_public_key(&pair))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

fn encode_public_key(pair: &Ed25519KeyPair) -> String {
    URL_SAFE_NO_PAD.encode(pair.public_key())
}

/// Returns the JWK thumbprint of the public key (RFC 7638).
fn thumbprint(pair: &Ed25519KeyPair) -> String {
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, encode_public_key(pair));
    URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_key_returns_its_public_key() {
        let key = SigningKey::generate().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(key.public_key().unwrap()).unwrap().len(), 32);
        let damaged = SigningKey { private_key: Zeroizing::new(vec![1, 2, 3]), ..key };
        assert!(matches!(damaged.public_key(), Err(Error::Internal(InternalError::InvalidKey(_)))));
    }

    /// Checks against the key and the thumbprint in RFC 8037, appendix A.
    #[test]
    fn the_key_id_is_the_thumbprint() {
        let bytes = |text| URL_SAFE_NO_PAD.decode(text).unwrap();
        let seed = bytes("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
        let public = bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let pair = Ed25519KeyPair::from_seed_and_public_key(&seed, &public).unwrap();
        assert_eq!(thumbprint(&pair), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }
}
