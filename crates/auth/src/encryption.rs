//! Encryption of secrets in the database that cannot be hashed: private signing keys and the seeds of authenticator
//! apps.
//!
//! It protects them from those who can read the database, one of its copies or a backup, but not the encryption key. It
//! does not protect from those who can write to the database, because values that are not encrypted are accepted.
//!
//! Format of an encrypted value: [`MAGIC`], the id of the key, a random nonce, the ciphertext of AES-256-GCM and its
//! tag. Everything before the nonce and the [`Column`] with the id of the row are authenticated, so a value that was
//! moved to another row is rejected.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::error::{Error, InternalError};

/// First bytes of an encrypted value. A private key in DER begins with another byte, and a seed is shorter than
/// [`MIN_ENCRYPTED_BYTES`], so a plain value is never taken for an encrypted one.
pub(crate) const MAGIC: [u8; 8] = *b"TBaes256";
const KEY_BYTES: usize = 32;
/// Length of a key id.
pub(crate) const KEY_ID_BYTES: usize = 8;
const HEADER_BYTES: usize = MAGIC.len() + KEY_ID_BYTES;
/// Minimum length of an encrypted value: header, nonce, one byte and the tag.
pub(crate) const MIN_ENCRYPTED_BYTES: usize = HEADER_BYTES + NONCE_LEN + 1 + 16;

/// Column whose values are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Private keys that sign tokens.
    SigningKey,
    /// Seeds of authenticator apps.
    TotpSecret,
}

impl Column {
    /// Returns the name that is authenticated with each value. A changed name makes stored values unreadable.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SigningKey => "auth.signing_key.private_key",
            Self::TotpSecret => "auth.totp.secret",
        }
    }

    /// Returns the name for errors.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::SigningKey => "the signing keys in the database",
            Self::TotpSecret => "the seeds of authenticator apps in the database",
        }
    }
}

/// Id of an encryption key: the beginning of its SHA-256. Not secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; KEY_ID_BYTES]);

impl KeyId {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the first bytes of a value that this key has encrypted.
    pub(crate) fn header(self) -> Vec<u8> {
        [MAGIC, self.0].concat()
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// Text that contains no usable keys.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeys {
    /// There is no line with a key.
    #[error("there is no key; create one with openssl rand -base64 32")]
    Empty,
    /// A line, counted from 1, is not the base64 of 32 bytes.
    #[error("line {0} is not the base64 of 32 bytes; create a key with openssl rand -base64 32")]
    InvalidLine(usize),
}

/// Keys that encrypt secrets in the database. The first one encrypts, all of them decrypt; without keys, values are
/// stored as they are. [`Debug`](fmt::Debug) shows the key ids only.
#[derive(Clone, Default)]
pub struct EncryptionKeys(Arc<[EncryptionKey]>);

struct EncryptionKey {
    id: KeyId,
    cipher: RandomizedNonceKey,
}

impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| key.id)).finish()
    }
}

impl EncryptionKeys {
    /// Parses lines that are each the base64 of 32 random bytes. Empty lines are skipped.
    ///
    /// # Errors
    /// If there is no key, or a line is invalid. The error does not contain the text.
    pub fn parse(text: &str) -> Result<Self, InvalidKeys> {
        let mut keys = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let key = STANDARD.decode(line.trim()).map(Zeroizing::new).ok();
            let key = key.filter(|key| key.len() == KEY_BYTES).and_then(|key| EncryptionKey::new(&key));
            keys.push(key.ok_or(InvalidKeys::InvalidLine(index + 1))?);
        }
        if keys.is_empty() { Err(InvalidKeys::Empty) } else { Ok(Self(keys.into())) }
    }

    /// Returns the id of the key that encrypts; `None` if there are no keys.
    pub fn first_id(&self) -> Option<KeyId> {
        self.0.first().map(|key| key.id)
    }

    /// Returns the ids of all keys for the log, the first one first.
    pub(crate) fn list_ids(&self) -> String {
        self.0.iter().map(|key| key.id.to_string()).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn contains(&self, id: KeyId) -> bool {
        self.0.iter().any(|key| key.id == id)
    }

    /// Encrypts a value for the row `row_id`. Returns it unchanged if there are no keys.
    pub(crate) fn encrypt(&self, column: Column, row_id: &str, value: &[u8]) -> Result<Vec<u8>, Error> {
        let Some(key) = self.0.first() else { return Ok(value.to_vec()) };
        let header = key.id.header();
        // With enough capacity, the tag is appended without moving the value, which would leave a plain copy in memory.
        let mut ciphertext = Vec::with_capacity(value.len() + AES_256_GCM.tag_len());
        ciphertext.extend_from_slice(value);
        let nonce = key.cipher.seal_in_place_append_tag(associated_data(&header, column, row_id), &mut ciphertext);
        let nonce = nonce.map_err(InternalError::Encrypt)?;
        Ok([header.as_slice(), nonce.as_ref(), &ciphertext].concat())
    }

    /// Decrypts a stored value of the row `row_id`. Returns a plain one unchanged.
    ///
    /// # Errors
    /// If its key is missing, or if it was changed, or moved from another row.
    pub(crate) fn decrypt(&self, column: Column, row_id: &str, stored: Vec<u8>) -> Result<Zeroizing<Vec<u8>>, Error> {
        let stored = Zeroizing::new(stored);
        let Some(id) = find_key_id(&stored) else { return Ok(stored) };
        let damaged = || InternalError::Decrypt { column, row_id: row_id.to_owned() };
        let key = self.0.iter().find(|key| key.id == id).ok_or(InternalError::MissingEncryptionKey { column, id })?;
        let (header, rest) = stored.split_at_checked(HEADER_BYTES).ok_or_else(damaged)?;
        let (nonce, ciphertext) = rest.split_at_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut value = Zeroizing::new(ciphertext.to_vec());
        let associated_data = associated_data(header, column, row_id);
        let length = key.cipher.open_in_place(nonce, associated_data, &mut value).map_err(|_| damaged())?.len();
        value.truncate(length);
        Ok(value)
    }
}

impl EncryptionKey {
    fn new(key: &[u8]) -> Option<Self> {
        let digest = Sha256::new().chain_update(b"tradebahi encryption key id").chain_update(key).finalize();
        let id = digest.get(..KEY_ID_BYTES).and_then(KeyId::from_bytes)?;
        Some(Self { id, cipher: RandomizedNonceKey::new(&AES_256_GCM, key).ok()? })
    }
}

/// Returns the id of the key of an encrypted value; `None` for a plain one.
pub(crate) fn find_key_id(stored: &[u8]) -> Option<KeyId> {
    let header = stored.get(..HEADER_BYTES).filter(|_| stored.len() >= MIN_ENCRYPTED_BYTES)?;
    header.strip_prefix(&MAGIC).and_then(KeyId::from_bytes)
}

fn associated_data(header: &[u8], column: Column, row_id: &str) -> Aad<Vec<u8>> {
    // The lengths of the header and of the name are fixed, so no two rows have the same data.
    Aad::from([header, column.name().as_bytes(), b":", row_id.as_bytes()].concat())
}

/// Form in which a secret is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredForm {
    /// Encrypted with the first key.
    Encrypted,
    /// Without encryption.
    Plain,
}

/// Numbers of values of a column that [`encrypt_stored_secrets`](crate::encrypt_stored_secrets) or
/// [`decrypt_stored_secrets`](crate::decrypt_stored_secrets) has processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncryptionCounts {
    /// Values that were encrypted or decrypted.
    pub changed: u64,
    /// Values that already were as intended.
    pub unchanged: u64,
    /// Values that a server replaced or deleted meanwhile. A replaced one may need another run.
    pub skipped: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &[u8] = b"12345678901234567890";

    fn keys(bytes: &[u8]) -> EncryptionKeys {
        let lines: Vec<String> = bytes.iter().map(|byte| STANDARD.encode([*byte; KEY_BYTES])).collect();
        EncryptionKeys::parse(&lines.join("\n")).unwrap()
    }

    fn encrypt(keys: &EncryptionKeys) -> Vec<u8> {
        keys.encrypt(Column::TotpSecret, "row", VALUE).unwrap()
    }

    fn decrypt(keys: &EncryptionKeys, row_id: &str, stored: &[u8]) -> Result<Vec<u8>, InternalError> {
        match keys.decrypt(Column::TotpSecret, row_id, stored.to_vec()) {
            Ok(value) => Ok(value.to_vec()),
            Err(Error::Internal(error)) => Err(error),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn s13_an_encrypted_value_is_not_visible_and_decrypts_to_the_same() {
        let keys = keys(&[1]);
        let stored = encrypt(&keys);
        assert!(!stored.windows(4).any(|window| VALUE.starts_with(window)));
        assert_ne!(stored, encrypt(&keys), "each value has its own nonce");
        assert_eq!(stored.len(), HEADER_BYTES + NONCE_LEN + VALUE.len() + 16);
        assert_eq!(decrypt(&keys, "row", &stored).unwrap(), VALUE);
        assert_eq!(find_key_id(&stored), keys.first_id());
        let shortest = keys.encrypt(Column::TotpSecret, "row", b"x").unwrap();
        assert_eq!(shortest.len(), MIN_ENCRYPTED_BYTES);
        assert_eq!(decrypt(&keys, "row", &shortest).unwrap(), b"x");
    }

    #[test]
    fn s13_a_changed_or_moved_value_is_rejected() {
        let keys = keys(&[1]);
        let stored = encrypt(&keys);
        for index in HEADER_BYTES..stored.len() {
            let mut changed = stored.clone();
            changed[index] ^= 1;
            assert!(matches!(decrypt(&keys, "row", &changed), Err(InternalError::Decrypt { .. })), "{index}");
        }
        for length in MIN_ENCRYPTED_BYTES..stored.len() {
            assert!(decrypt(&keys, "row", &stored[..length]).is_err(), "{length}");
        }
        let error = decrypt(&keys, "another row", &stored).unwrap_err().to_string();
        assert!(error.contains("row another row of auth.totp.secret"), "{error}");
        let moved = keys.decrypt(Column::SigningKey, "row", stored.clone());
        assert!(matches!(moved, Err(Error::Internal(InternalError::Decrypt { column: Column::SigningKey, .. }))));
        // The id of another key in the header.
        let both = super::tests::keys(&[1, 2]);
        let header = super::tests::keys(&[2]).first_id().unwrap().header();
        let renamed = [header.as_slice(), &stored[HEADER_BYTES..]].concat();
        assert!(matches!(decrypt(&both, "row", &renamed), Err(InternalError::Decrypt { .. })));
    }

    #[test]
    fn s13_a_value_without_its_key_names_the_key() {
        let stored = encrypt(&keys(&[1]));
        let id = keys(&[1]).first_id().unwrap();
        for others in [keys(&[2]), EncryptionKeys::default()] {
            let error = decrypt(&others, "row", &stored).unwrap_err().to_string();
            assert!(error.contains(&id.to_string()) && error.contains("--encryption-key-file"), "{error}");
        }
    }

    #[test]
    fn s13_the_first_key_encrypts_and_all_keys_decrypt() {
        let (old, both) = (keys(&[1]), keys(&[2, 1]));
        assert_eq!(decrypt(&both, "row", &encrypt(&old)).unwrap(), VALUE);
        let stored = encrypt(&both);
        assert!(decrypt(&old, "row", &stored).is_err());
        assert_eq!(decrypt(&keys(&[2]), "row", &stored).unwrap(), VALUE);
    }

    #[test]
    fn s13_plain_values_are_readable_with_and_without_keys() {
        let der = [0x30, 0x53, 0x02, 0x01].repeat(21);
        for keys in [EncryptionKeys::default(), keys(&[1])] {
            assert_eq!(decrypt(&keys, "row", VALUE).unwrap(), VALUE);
            assert_eq!(decrypt(&keys, "row", &der).unwrap(), der);
            assert_eq!(decrypt(&keys, "row", &MAGIC).unwrap(), MAGIC, "shorter than an encrypted value");
        }
        assert_eq!(encrypt(&EncryptionKeys::default()), VALUE);
    }

    #[test]
    fn s13_keys_are_lines_of_base64_and_are_never_printed() {
        let one = STANDARD.encode([1; KEY_BYTES]);
        let short = STANDARD.encode([1; 16]);
        for (text, error) in [
            (String::new(), InvalidKeys::Empty),
            ("\n \n".to_owned(), InvalidKeys::Empty),
            (short.clone(), InvalidKeys::InvalidLine(1)),
            (format!("\n{one}\nsecret of ours\n"), InvalidKeys::InvalidLine(3)),
        ] {
            let rejected = EncryptionKeys::parse(&text).unwrap_err();
            assert!(!rejected.to_string().contains("secret of ours"));
            assert_eq!(rejected, error);
        }
        let keys = EncryptionKeys::parse(&format!("  {one}\r\n\n")).unwrap();
        assert_eq!(format!("{keys:?}"), format!("[KeyId({})]", keys.first_id().unwrap()));
        assert_eq!(keys.first_id(), super::tests::keys(&[1]).first_id());
    }
}
