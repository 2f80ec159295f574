//! Encryption of backups with a passphrase.
//!
//! Format: [`MAGIC`], a random salt, then chunks of 64 KiB, each sealed with AES-256-GCM. The key comes from the
//! passphrase and the salt by Argon2id, so every file has its own key. The nonce of a chunk is its index and whether it
//! is the last one, and the header is authenticated with each chunk: a changed, moved, missing or appended chunk is
//! rejected.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use anyhow::{Context as _, ensure};
use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroizing;

use crate::secret_file::SecretFile;

/// First bytes of an encrypted backup.
const MAGIC: [u8; 16] = *b"tradebahi.enc.1\n";
const SALT_BYTES: usize = 16;
const HEADER_BYTES: usize = MAGIC.len() + SALT_BYTES;
const CHUNK_BYTES: usize = 64 * 1024;
const TAG_BYTES: usize = 16;
const SEALED_CHUNK_BYTES: u64 = (CHUNK_BYTES + TAG_BYTES) as u64;
/// Memory of the key derivation in KiB, and passes over it: the second recommendation of RFC 9106.
const ARGON2_MEMORY_KIB: u32 = 64 * 1024;
const ARGON2_PASSES: u32 = 3;
/// Minimum length of a passphrase.
const MIN_PASSPHRASE_CHARS: usize = 16;

/// Passphrase of a backup.
pub(crate) struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Reads the first line of a file. Rejects files that other users can read, and short passphrases.
    pub(crate) fn read_file(file: &SecretFile) -> anyhow::Result<Self> {
        let line = file.read_line("passphrase")?;
        ensure!(
            line.chars().count() >= MIN_PASSPHRASE_CHARS,
            "the passphrase in {} is shorter than {MIN_PASSPHRASE_CHARS} characters; create one with openssl rand -base64 32",
            file.path().display()
        );
        Ok(Self(line))
    }

    fn derive_key(&self, header: &[u8; HEADER_BYTES]) -> anyhow::Result<LessSafeKey> {
        let params = Params::new(ARGON2_MEMORY_KIB, ARGON2_PASSES, 1, Some(32)).map_err(anyhow::Error::msg)?;
        let (_, salt) = header.split_at(MAGIC.len());
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(self.0.as_bytes(), salt, &mut *key)
            .map_err(anyhow::Error::msg)?;
        Ok(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &*key).context("cannot set up the encryption")?))
    }
}

fn nonce(index: u64, is_last: bool) -> Nonce {
    let mut bytes = [0; 12];
    let (counter, flag) = bytes.split_at_mut(8);
    counter.copy_from_slice(&index.to_be_bytes());
    flag.fill(u8::from(is_last));
    Nonce::assume_unique_for_key(bytes)
}

/// Encrypts what is written. Without [`finish`](Self::finish), the file is incomplete and cannot be read.
pub(crate) struct EncryptingWriter<W> {
    inner: W,
    key: LessSafeKey,
    header: [u8; HEADER_BYTES],
    chunk: Vec<u8>,
    index: u64,
}

impl<W: Write> EncryptingWriter<W> {
    pub(crate) fn new(mut inner: W, passphrase: &Passphrase) -> anyhow::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        let (magic, salt) = header.split_at_mut(MAGIC.len());
        magic.copy_from_slice(&MAGIC);
        aws_lc_rs::rand::fill(salt).context("no random bytes")?;
        inner.write_all(&header)?;
        Ok(Self {
            key: passphrase.derive_key(&header)?,
            inner,
            header,
            chunk: Vec::with_capacity(CHUNK_BYTES),
            index: 0,
        })
    }

    /// Writes the last chunk.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        self.key
            .seal_in_place_append_tag(nonce(self.index, is_last), Aad::from(&self.header), &mut self.chunk)
            .map_err(|_| io::Error::other("cannot encrypt"))?;
        self.inner.write_all(&self.chunk)?;
        self.chunk.clear();
        self.index += 1;
        Ok(())
    }
}

impl<W: Write> Write for EncryptingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk is written only when more follows, because the last one is sealed differently.
        if self.chunk.len() == CHUNK_BYTES && !bytes.is_empty() {
            self.seal(false)?;
        }
        let (taken, _) = bytes.split_at(bytes.len().min(CHUNK_BYTES - self.chunk.len()));
        self.chunk.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Source of a backup.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// Returns a reader of the backup, which decrypts it if it is encrypted.
pub(crate) fn open(mut file: File, passphrase: Option<&Passphrase>) -> anyhow::Result<Box<dyn ReadSeek>> {
    let mut header = [0; HEADER_BYTES];
    let is_encrypted = file.read_exact(&mut header).is_ok() && header.starts_with(&MAGIC);
    file.rewind()?;
    match (is_encrypted, passphrase) {
        (false, None) => Ok(Box::new(file)),
        (false, Some(_)) => {
            eprintln!("The backup is not encrypted; the passphrase is not needed.");
            Ok(Box::new(file))
        }
        (true, None) => {
            anyhow::bail!("the backup is encrypted: name the file with its passphrase with --passphrase-file")
        }
        (true, Some(passphrase)) => {
            let mut reader = DecryptingReader::new(file, header, passphrase)?;
            reader.load(0).context("cannot decrypt the backup")?;
            Ok(Box::new(reader))
        }
    }
}

/// Decrypts a file chunk by chunk.
struct DecryptingReader {
    file: File,
    key: LessSafeKey,
    header: [u8; HEADER_BYTES],
    chunks: u64,
    /// Length of the decrypted content.
    length: u64,
    position: u64,
    /// Index and content of the chunk in memory.
    current: Option<(u64, Vec<u8>)>,
}

impl DecryptingReader {
    fn new(file: File, header: [u8; HEADER_BYTES], passphrase: &Passphrase) -> anyhow::Result<Self> {
        let sealed = file.metadata()?.len().saturating_sub(HEADER_BYTES as u64);
        let chunks = sealed.div_ceil(SEALED_CHUNK_BYTES);
        let length = sealed.checked_sub(chunks * TAG_BYTES as u64).filter(|_| chunks > 0);
        let length = length.context("the backup is incomplete")?;
        Ok(Self { key: passphrase.derive_key(&header)?, file, header, chunks, length, position: 0, current: None })
    }

    /// Decrypts the chunk `index` unless it is in memory.
    fn load(&mut self, index: u64) -> io::Result<&[u8]> {
        if self.current.as_ref().is_none_or(|(current, _)| *current != index) {
            self.current = None;
            self.file.seek(SeekFrom::Start(HEADER_BYTES as u64 + index * SEALED_CHUNK_BYTES))?;
            let mut chunk = Vec::with_capacity(CHUNK_BYTES + TAG_BYTES);
            Read::by_ref(&mut self.file).take(SEALED_CHUNK_BYTES).read_to_end(&mut chunk)?;
            let is_last = index + 1 == self.chunks;
            let opened = self.key.open_in_place(nonce(index, is_last), Aad::from(&self.header), &mut chunk);
            let length = opened
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "wrong passphrase, or the file is damaged"))?
                .len();
            chunk.truncate(length);
            self.current = Some((index, chunk));
        }
        Ok(self.current.as_ref().map(|(_, chunk)| chunk.as_slice()).unwrap_or_default())
    }
}

impl Read for DecryptingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.length || buffer.is_empty() {
            return Ok(0);
        }
        let (index, offset) = (self.position / CHUNK_BYTES as u64, self.position % CHUNK_BYTES as u64);
        let chunk = self.load(index)?;
        let rest = usize::try_from(offset).ok().and_then(|offset| chunk.get(offset..)).unwrap_or_default();
        let read = (&mut &*rest).read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for DecryptingReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Passphrase {
        Passphrase(Zeroizing::new(text.to_owned()))
    }

    fn encrypt(content: &[u8]) -> Vec<u8> {
        let mut writer = EncryptingWriter::new(Vec::new(), &passphrase("correct horse battery")).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    fn decrypt(sealed: &[u8], text: &str) -> anyhow::Result<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(sealed).unwrap();
        file.rewind().unwrap();
        let mut content = Vec::new();
        open(file, Some(&passphrase(text)))?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn s11_content_of_any_length_is_decrypted_and_its_text_is_not_visible() {
        for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES] {
            let content: Vec<u8> = b"secret of asha ".iter().copied().cycle().take(length).collect();
            let sealed = encrypt(&content);
            assert!(!sealed.windows(6).any(|window| window == b"secret"), "{length}");
            assert_eq!(decrypt(&sealed, "correct horse battery").unwrap(), content, "{length}");
        }
        assert_ne!(encrypt(b"x"), encrypt(b"x"), "each file has its own salt");
    }

    #[test]
    fn s11_a_reader_seeks_as_in_the_plain_file() {
        let content: Vec<u8> = (0..200_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&encrypt(&content)).unwrap();
        file.rewind().unwrap();
        let mut reader = open(file, Some(&passphrase("correct horse battery"))).unwrap();
        for (to, start) in
            [(SeekFrom::End(-10), 199_990), (SeekFrom::Start(65_530), 65_530), (SeekFrom::Current(70_000), 135_540)]
        {
            assert_eq!(reader.seek(to).unwrap(), start as u64);
            let mut bytes = [0; 10];
            reader.read_exact(&mut bytes).unwrap();
            assert_eq!(bytes, content[start..start + 10]);
        }
    }

    #[test]
    fn s11_a_wrong_passphrase_and_every_change_are_rejected() {
        let sealed = encrypt(&vec![7; 2 * CHUNK_BYTES + 9]);
        let sealed_chunk = usize::try_from(SEALED_CHUNK_BYTES).unwrap();
        let chunk = |n: usize| &sealed[HEADER_BYTES + n * sealed_chunk..][..sealed_chunk];
        let error = format!("{:#}", decrypt(&sealed, "another horse battery").unwrap_err());
        assert!(error.contains("wrong passphrase, or the file is damaged"), "{error}");
        let mut salt = sealed.clone();
        salt[20] ^= 1;
        let mut content = sealed.clone();
        content[HEADER_BYTES + sealed_chunk] ^= 1;
        let swapped =
            [&sealed[..HEADER_BYTES], chunk(1), chunk(0), &sealed[HEADER_BYTES + 2 * sealed_chunk..]].concat();
        let cut = sealed[..HEADER_BYTES + 2 * sealed_chunk].to_vec();
        for changed in [salt, content, swapped, cut, sealed[..HEADER_BYTES].to_vec()] {
            assert!(decrypt(&changed, "correct horse battery").is_err());
        }
    }
}
