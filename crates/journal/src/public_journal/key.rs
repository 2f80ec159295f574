//! Journal keys. Whoever has the key of a journal may read it and add entries.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::public_journal::error::Error;

/// SHA-256 of a journal key. Only the hash is stored.
#[derive(Clone, Copy)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub fn from_key(key: &str) -> Self {
        Self(Sha256::digest(key).into())
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the id of the journal with this key: the first 16 bytes of the hash.
    pub fn journal_id(&self) -> Uuid {
        Uuid::from_u128(self.0.iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte)))
    }
}

/// Generates a journal key: 32 random bytes, as base64url.
pub fn generate_key() -> Result<String, Error> {
    rpc::secret::generate().map_err(Error::KeyGeneration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_keys_are_long_and_unique() {
        let (one, other) = (generate_key().unwrap(), generate_key().unwrap());
        assert_eq!(one.len(), 43);
        assert_ne!(one, other);
        assert_ne!(KeyHash::from_key(&one).journal_id(), KeyHash::from_key(&other).journal_id());
    }
}
