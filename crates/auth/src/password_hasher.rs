//! Password hashing and verification with argon2id, on a limited number of blocking threads.
//!
//! Each hash takes 19 MiB and about 20 ms of a core. Without the limit, a burst of logins would take all memory and all
//! cores. Excess requests wait in a short queue and are then rejected as busy.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::password_hash;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use queue::{JobQueue, Place};
use subtle::ConstantTimeEq;
use tokio::task::spawn_blocking;
use zeroize::Zeroize;

use crate::Settings;
use crate::error::{Error, InternalError};
use crate::secret::Secret;

/// Maximum memory of a stored hash. This service never creates a larger one, and verifying it could exhaust the server.
const MAX_MEMORY_KIB: u32 = 131_072;
/// Maximum passes of a stored hash, for the same reason.
const MAX_PASSES: u32 = 10;

const SALT_BYTES: usize = 16;
const OUTPUT_BYTES: usize = 32;

/// Hashes and verifies passwords.
pub(crate) struct PasswordHasher {
    params: Params,
    queue: JobQueue,
    queue_timeout: Duration,
    memory: Arc<MemoryPool>,
}

/// Result of a password check.
pub(crate) enum PasswordCheck {
    Wrong,
    Right {
        /// New hash to store if the stored one is weaker than the current parameters.
        rehash: Option<String>,
    },
}

impl PasswordHasher {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Error> {
        let params = Params::new(settings.hash_memory_kib, settings.hash_passes, 1, Some(OUTPUT_BYTES))
            .map_err(|error| InternalError::Hash(error.into()))?;
        let concurrency = settings.max_concurrent_hashes.max(1);
        Ok(Self {
            memory: Arc::new(MemoryPool { blocks_per_hash: params.block_count(), idle: Mutex::default() }),
            params,
            queue: JobQueue::new(concurrency, settings.hash_queue_capacity),
            queue_timeout: settings.hash_queue_timeout,
        })
    }

    /// Takes a place in the queue, or fails if it is full. Call it before any other work for a password, so that a
    /// rejected request costs nothing.
    pub(crate) fn enqueue(&self) -> Result<Place, Error> {
        self.queue.try_enqueue().map_err(|_| Error::HasherBusy)
    }

    /// Returns the hash of a new password as a PHC string.
    pub(crate) async fn hash(&self, password: Secret) -> Result<String, Error> {
        let params = self.params.clone();
        self.run(self.enqueue()?, move |memory| StoredHash::create(&password, params, memory)?.to_phc()).await
    }

    /// Verifies `password` against a stored hash. Without a hash it takes the same time and the result is always wrong,
    /// so that response times do not reveal which accounts exist.
    pub(crate) async fn verify(
        &self,
        place: Place,
        password: Secret,
        stored: Option<String>,
    ) -> Result<PasswordCheck, Error> {
        let current = self.params.clone();
        self.run(place, move |memory| {
            let Some(phc) = stored else {
                StoredHash::placeholder(current).compute_output(&password, memory)?;
                return Ok(PasswordCheck::Wrong);
            };
            let stored = StoredHash::parse(&phc)?;
            let output = stored.compute_output(&password, memory)?;
            if !bool::from(output.ct_eq(&stored.output)) {
                return Ok(PasswordCheck::Wrong);
            }
            if !stored.is_weaker_than(&current) {
                return Ok(PasswordCheck::Right { rehash: None });
            }
            let rehash = StoredHash::create(&password, current, memory)?.to_phc()?;
            Ok(PasswordCheck::Right { rehash: Some(rehash) })
        })
        .await
    }

    /// Runs `work` on a blocking thread once the concurrency limit allows it. The thread owns the permit: it is
    /// released when the thread finishes, even if the caller has disconnected.
    async fn run<T, F>(&self, place: Place, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Vec<Block>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let permit = place.run_permit(self.queue_timeout).await.map_err(|_| Error::HasherBusy)?;
        let memory = Arc::clone(&self.memory);
        let (result, resources) = spawn_blocking(move || {
            let mut lease = memory.lease();
            let result = work(&mut lease.blocks);
            (result, (lease, permit))
        })
        .await?;
        // Zeroing the memory takes time. The next hash waits for it, but this response does not.
        spawn_blocking(move || drop(resources));
        result
    }
}

/// Hash with the salt and the parameters to compute it again.
struct StoredHash {
    params: Params,
    version: Version,
    salt: Vec<u8>,
    output: Vec<u8>,
}

impl StoredHash {
    fn parse(phc: &str) -> Result<Self, Error> {
        let hash = PasswordHash::new(phc).map_err(|error| InternalError::Hash(error.into()))?;
        let params = Params::try_from(&hash).map_err(InternalError::Hash)?;
        if params.m_cost() > MAX_MEMORY_KIB || params.t_cost() > MAX_PASSES || hash.algorithm != ARGON2ID_IDENT {
            return Err(InternalError::UnsupportedHash.into());
        }
        let version = hash.version.map_or(Ok(Version::V0x13), Version::try_from);
        let (Some(salt), Some(output), Ok(version)) = (hash.salt, hash.hash, version) else {
            return Err(InternalError::UnsupportedHash.into());
        };
        Ok(Self { params, version, salt: salt.to_vec(), output: output.as_bytes().to_vec() })
    }

    /// Returns a hash with salt and output of zeros, for logins without an account.
    fn placeholder(params: Params) -> Self {
        Self { params, version: Version::V0x13, salt: vec![0; SALT_BYTES], output: vec![0; OUTPUT_BYTES] }
    }

    fn create(password: &Secret, params: Params, memory: &mut Vec<Block>) -> Result<Self, Error> {
        let mut stored = Self::placeholder(params);
        getrandom::fill(&mut stored.salt).map_err(InternalError::Random)?;
        stored.output = stored.compute_output(password, memory)?;
        Ok(stored)
    }

    /// Hashes `password` with this salt and these parameters.
    fn compute_output(&self, password: &Secret, memory: &mut Vec<Block>) -> Result<Vec<u8>, Error> {
        let blocks = self.params.block_count();
        if memory.len() < blocks {
            memory.resize(blocks, Block::new());
        }
        let mut output = vec![0; self.output.len()];
        Argon2::new(Algorithm::Argon2id, self.version, self.params.clone())
            .hash_password_into_with_memory(password.expose().as_bytes(), &self.salt, &mut output, memory)
            .map_err(|error| InternalError::Hash(error.into()))?;
        Ok(output)
    }

    fn is_weaker_than(&self, current: &Params) -> bool {
        self.params.m_cost() < current.m_cost()
            || self.params.t_cost() < current.t_cost()
            || self.version < Version::V0x13
            || self.output.len() < OUTPUT_BYTES
    }

    fn to_phc(&self) -> Result<String, Error> {
        let phc = || -> Result<PasswordHash, password_hash::Error> {
            Ok(PasswordHash {
                algorithm: ARGON2ID_IDENT,
                version: Some(self.version.into()),
                params: ParamsString::try_from(&self.params)?,
                salt: Some(Salt::new(&self.salt)?),
                hash: Some(Output::new(&self.output)?),
            })
        };
        Ok(phc().map_err(InternalError::Hash)?.to_string())
    }
}

/// Pool of the memory for hashes. Allocating 19 MiB for each hash would cost more than zeroing reused memory.
struct MemoryPool {
    blocks_per_hash: usize,
    idle: Mutex<Vec<Vec<Block>>>,
}

impl MemoryPool {
    fn lease(self: Arc<Self>) -> MemoryLease {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        MemoryLease { blocks: idle.unwrap_or_default(), pool: self }
    }
}

struct MemoryLease {
    blocks: Vec<Block>,
    pool: Arc<MemoryPool>,
}

impl Drop for MemoryLease {
    /// Zeroes the memory, because it depends on the password, and returns it to the pool unless a larger stored hash
    /// has grown it.
    fn drop(&mut self) {
        self.blocks.iter_mut().for_each(Zeroize::zeroize);
        if self.blocks.len() == self.pool.blocks_per_hash {
            let blocks = std::mem::take(&mut self.blocks);
            self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use rpc::failure::{Failure, Kind};

    use super::*;

    fn settings() -> Settings {
        Settings { hash_memory_kib: 64, hash_passes: 2, max_concurrent_hashes: 1, ..Settings::default() }
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[tokio::test]
    async fn verifies_only_the_identical_password() {
        let hasher = PasswordHasher::new(&settings()).unwrap();
        let hash = hasher.hash(secret(" Monsoon 88")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hasher.hash(secret(" Monsoon 88")).await.unwrap(), "salted");
        let right = hasher.verify(hasher.enqueue().unwrap(), secret(" Monsoon 88"), Some(hash.clone())).await.unwrap();
        assert!(matches!(right, PasswordCheck::Right { rehash: None }));
        for wrong in ["Monsoon 88", " monsoon 88", ""] {
            assert!(matches!(
                hasher.verify(hasher.enqueue().unwrap(), secret(wrong), Some(hash.clone())).await.unwrap(),
                PasswordCheck::Wrong
            ));
        }
        assert!(matches!(
            hasher.verify(hasher.enqueue().unwrap(), secret(" Monsoon 88"), None).await.unwrap(),
            PasswordCheck::Wrong
        ));
    }

    #[tokio::test]
    async fn a_weaker_hash_is_replaced() {
        let weak = PasswordHasher::new(&Settings { hash_memory_kib: 32, ..settings() }).unwrap();
        let hash = weak.hash(secret("Monsoon 88")).await.unwrap();
        let hasher = PasswordHasher::new(&settings()).unwrap();
        let verification = hasher.verify(hasher.enqueue().unwrap(), secret("Monsoon 88"), Some(hash)).await.unwrap();
        let PasswordCheck::Right { rehash: Some(rehash) } = verification else { panic!("not rehashed") };
        assert!(rehash.contains("m=64,"));
        let again = hasher.verify(hasher.enqueue().unwrap(), secret("Monsoon 88"), Some(rehash)).await.unwrap();
        assert!(matches!(again, PasswordCheck::Right { rehash: None }));
    }

    #[test]
    fn a_hash_is_weaker_if_any_of_its_parameters_is() {
        let current = Params::new(64, 3, 1, None).unwrap();
        let is_weaker = |memory, passes, version, bytes| {
            let params = Params::new(memory, passes, 1, None).unwrap();
            StoredHash { version, output: vec![0; bytes], ..StoredHash::placeholder(params) }.is_weaker_than(&current)
        };
        assert!(is_weaker(63, 4, Version::V0x13, 32));
        assert!(is_weaker(65, 2, Version::V0x13, 32));
        assert!(is_weaker(65, 4, Version::V0x10, 32));
        assert!(is_weaker(65, 4, Version::V0x13, 31));
        assert!(!is_weaker(64, 3, Version::V0x13, 32));
        assert!(!is_weaker(65, 4, Version::V0x13, 33));
    }

    #[tokio::test]
    async fn verifies_a_hash_of_the_reference_implementation() {
        // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
        let hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let hasher = PasswordHasher::new(&settings()).unwrap();
        let verification =
            hasher.verify(hasher.enqueue().unwrap(), secret("password"), Some(hash.to_owned())).await.unwrap();
        assert!(matches!(verification, PasswordCheck::Right { rehash: None }));
    }

    #[tokio::test]
    async fn a_stored_hash_above_the_limits_is_an_internal_error() {
        let hasher = PasswordHasher::new(&settings()).unwrap();
        for params in ["argon2id$v=19$m=131073,t=2,p=1", "argon2id$v=19$m=64,t=11,p=1", "argon2i$v=19$m=64,t=2,p=1"] {
            let hash = format!("${params}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
            let Err(error) = hasher.verify(hasher.enqueue().unwrap(), secret("password"), Some(hash)).await else {
                panic!("{params}")
            };
            assert_eq!(error.kind(), Kind::Internal, "{params}");
        }
        let largest = "$argon2id$v=19$m=131072,t=10,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(StoredHash::parse(largest).is_ok());
    }

    #[tokio::test]
    async fn rejects_requests_while_the_queue_is_full() {
        let hasher = PasswordHasher::new(&Settings { hash_queue_capacity: 0, ..settings() }).unwrap();
        let place = hasher.enqueue().unwrap();
        let error = hasher.hash(secret("Monsoon 88")).await.unwrap_err();
        assert_eq!((error.kind(), error.retry_after()), (Kind::Busy, Some(Duration::from_secs(2))));
        drop(place);
        assert!(hasher.hash(secret("Monsoon 88")).await.is_ok());
    }

    #[tokio::test]
    async fn waiting_in_the_queue_times_out() {
        let timeout = Duration::from_millis(1);
        let settings = Settings { hash_queue_capacity: 1, hash_queue_timeout: timeout, ..settings() };
        let hasher = PasswordHasher::new(&settings).unwrap();
        let _running = hasher.queue.acquire(timeout).await.unwrap();
        assert_eq!(hasher.hash(secret("Monsoon 88")).await.unwrap_err().kind(), Kind::Busy);
        assert!(hasher.enqueue().is_ok(), "the queue is empty again");
    }

    #[tokio::test]
    async fn memory_is_zeroed_and_reused() {
        let hasher = PasswordHasher::new(&settings()).unwrap();
        for password in ["Monsoon 88", "Monsoon 99"] {
            hasher.hash(secret(password)).await.unwrap();
        }
        let _permit = hasher.queue.acquire(Duration::MAX).await.unwrap();
        let idle = hasher.memory.idle.lock().unwrap();
        assert_eq!(idle.len(), 1);
        assert!(idle[0].iter().all(|block| block.as_ref().iter().all(|word| *word == 0)));
    }
}
