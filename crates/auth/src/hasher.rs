//! Whether a password is right: argon2id on blocking threads, a few at a time.
//!
//! Each hash takes 19 MiB and some 20 ms of a core. Without a bound, a burst of sign-ins would take all memory and
//! every core; here it waits in a short queue and is then told to come back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::password_hash;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use zeroize::Zeroize;

use crate::Settings;
use crate::error::Error;
use crate::secret::Secret;

/// A stored hash that asks for more was not made by us, and would be a way to exhaust the server.
const MOST_MEMORY_KIB: u32 = 131_072;
const MOST_PASSES: u32 = 10;

const SALT_BYTES: usize = 16;
const OUTPUT_BYTES: usize = 32;

/// Hashes and checks passwords.
pub(crate) struct Hasher {
    params: Params,
    /// Those who hash and those who wait.
    places: Arc<Semaphore>,
    /// Those who hash.
    permits: Arc<Semaphore>,
    wait: Duration,
    memory: Arc<Memory>,
}

/// The right to hash, or to wait for it.
pub(crate) struct Place {
    _held: OwnedSemaphorePermit,
}

/// What came of checking a password.
pub(crate) enum Verdict {
    Wrong,
    Right {
        /// What to store instead, where the stored hash is weaker than we make them now.
        stronger: Option<String>,
    },
}

impl Hasher {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Error> {
        let params = Params::new(settings.hash_memory_kib, settings.hash_passes, 1, Some(OUTPUT_BYTES))
            .map_err(|error| Error::Hash(error.into()))?;
        let permits = settings.hash_permits.max(1);
        Ok(Self {
            memory: Arc::new(Memory { blocks: params.block_count(), idle: Mutex::default() }),
            params,
            places: Arc::new(Semaphore::new(permits + settings.hash_queue)),
            permits: Arc::new(Semaphore::new(permits)),
            wait: settings.hash_wait,
        })
    }

    /// A place in the queue. It is taken before anything else is done for a password: whoever finds none costs nothing.
    pub(crate) fn place(&self) -> Result<Place, Error> {
        let held = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Error::TooManyPasswords)?;
        Ok(Place { _held: held })
    }

    /// The hash of a new password, as a PHC string.
    pub(crate) async fn hash(&self, password: Secret) -> Result<String, Error> {
        let params = self.params.clone();
        self.run(self.place()?, move |memory| Stored::make(&password, params, memory)?.to_phc()).await
    }

    /// Checks `password` against a stored hash. Without one it takes the same time and is always wrong, so that the
    /// clock does not tell who has an account.
    pub(crate) async fn verify(
        &self,
        place: Place,
        password: Secret,
        stored: Option<String>,
    ) -> Result<Verdict, Error> {
        let current = self.params.clone();
        self.run(place, move |memory| {
            let Some(phc) = stored else {
                Stored::of_nobody(current).output_for(&password, memory)?;
                return Ok(Verdict::Wrong);
            };
            let stored = Stored::parse(&phc)?;
            let output = stored.output_for(&password, memory)?;
            if !bool::from(output.ct_eq(&stored.output)) {
                return Ok(Verdict::Wrong);
            }
            if !stored.is_weaker_than(&current) {
                return Ok(Verdict::Right { stronger: None });
            }
            let stronger = Stored::make(&password, current, memory)?.to_phc()?;
            Ok(Verdict::Right { stronger: Some(stronger) })
        })
        .await
    }

    /// Runs `work` on a blocking thread once there is a permit. The permit goes along: a caller that hangs up frees
    /// it only when the thread is done.
    async fn run<T, F>(&self, place: Place, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Vec<Block>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let permit = timeout(self.wait, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| Error::TooManyPasswords)?
            .map_err(|_| Error::TooManyPasswords)?;
        let memory = Arc::clone(&self.memory);
        let (outcome, used) = spawn_blocking(move || {
            let mut lease = memory.lease();
            let outcome = work(&mut lease.blocks);
            (outcome, (lease, permit, place))
        })
        .await
        .map_err(Error::Interrupted)?;
        // Wiping takes a while, for which the next hash waits, but not this answer.
        spawn_blocking(move || drop(used));
        outcome
    }
}

/// A hash with all that is needed to compute it again.
struct Stored {
    params: Params,
    version: Version,
    salt: Vec<u8>,
    output: Vec<u8>,
}

impl Stored {
    fn parse(phc: &str) -> Result<Self, Error> {
        let hash = PasswordHash::new(phc).map_err(|error| Error::Hash(error.into()))?;
        let params = Params::try_from(&hash).map_err(Error::Hash)?;
        if params.m_cost() > MOST_MEMORY_KIB || params.t_cost() > MOST_PASSES || hash.algorithm != ARGON2ID_IDENT {
            return Err(Error::ForeignHash);
        }
        let version = hash.version.map_or(Ok(Version::V0x13), Version::try_from);
        let (Some(salt), Some(output), Ok(version)) = (hash.salt, hash.hash, version) else {
            return Err(Error::ForeignHash);
        };
        Ok(Self { params, version, salt: salt.to_vec(), output: output.as_bytes().to_vec() })
    }

    /// Stands in where there is no account.
    fn of_nobody(params: Params) -> Self {
        Self { params, version: Version::V0x13, salt: vec![0; SALT_BYTES], output: vec![0; OUTPUT_BYTES] }
    }

    fn make(password: &Secret, params: Params, memory: &mut Vec<Block>) -> Result<Self, Error> {
        let mut stored = Self::of_nobody(params);
        getrandom::fill(&mut stored.salt).map_err(Error::Random)?;
        stored.output = stored.output_for(password, memory)?;
        Ok(stored)
    }

    /// What `password` comes to under this salt and these parameters.
    fn output_for(&self, password: &Secret, memory: &mut Vec<Block>) -> Result<Vec<u8>, Error> {
        let needed = self.params.block_count();
        if memory.len() < needed {
            memory.resize(needed, Block::new());
        }
        let mut output = vec![0; self.output.len()];
        Argon2::new(Algorithm::Argon2id, self.version, self.params.clone())
            .hash_password_into_with_memory(password.expose().as_bytes(), &self.salt, &mut output, memory)
            .map_err(|error| Error::Hash(error.into()))?;
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
        Ok(phc().map_err(Error::Hash)?.to_string())
    }
}

/// The memory of those hashes that are not running: taking 19 MiB anew for each would cost more than wiping them.
struct Memory {
    /// How large one is.
    blocks: usize,
    idle: Mutex<Vec<Vec<Block>>>,
}

impl Memory {
    fn lease(self: Arc<Self>) -> Lease {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lease { blocks: idle.unwrap_or_default(), home: self }
    }
}

struct Lease {
    blocks: Vec<Block>,
    home: Arc<Memory>,
}

impl Drop for Lease {
    /// Wiped, for it says much about the password, and given back unless an old hash made it larger.
    fn drop(&mut self) {
        self.blocks.iter_mut().for_each(Zeroize::zeroize);
        if self.blocks.len() == self.home.blocks {
            let blocks = std::mem::take(&mut self.blocks);
            self.home.idle.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use rpc::failure::{Failure, Kind};

    use super::*;

    fn settings() -> Settings {
        Settings { hash_memory_kib: 64, hash_passes: 2, hash_permits: 1, ..Settings::default() }
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[tokio::test]
    async fn only_the_same_password_is_right() {
        let hasher = Hasher::new(&settings()).unwrap();
        let hash = hasher.hash(secret(" Monsoon 88")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hasher.hash(secret(" Monsoon 88")).await.unwrap(), "salted");
        let right = hasher.verify(hasher.place().unwrap(), secret(" Monsoon 88"), Some(hash.clone())).await.unwrap();
        assert!(matches!(right, Verdict::Right { stronger: None }));
        for wrong in ["Monsoon 88", " monsoon 88", ""] {
            assert!(matches!(
                hasher.verify(hasher.place().unwrap(), secret(wrong), Some(hash.clone())).await.unwrap(),
                Verdict::Wrong
            ));
        }
        assert!(matches!(
            hasher.verify(hasher.place().unwrap(), secret(" Monsoon 88"), None).await.unwrap(),
            Verdict::Wrong
        ));
    }

    #[tokio::test]
    async fn a_weaker_hash_is_made_anew() {
        let weak = Hasher::new(&Settings { hash_memory_kib: 32, ..settings() }).unwrap();
        let hash = weak.hash(secret("Monsoon 88")).await.unwrap();
        let hasher = Hasher::new(&settings()).unwrap();
        let verdict = hasher.verify(hasher.place().unwrap(), secret("Monsoon 88"), Some(hash)).await.unwrap();
        let Verdict::Right { stronger: Some(stronger) } = verdict else { panic!("kept") };
        assert!(stronger.contains("m=64,"));
        let again = hasher.verify(hasher.place().unwrap(), secret("Monsoon 88"), Some(stronger)).await.unwrap();
        assert!(matches!(again, Verdict::Right { stronger: None }));
    }

    #[test]
    fn a_hash_is_weaker_by_any_one_of_its_parts() {
        let current = Params::new(64, 3, 1, None).unwrap();
        let is_weaker = |memory, passes, version, bytes| {
            let params = Params::new(memory, passes, 1, None).unwrap();
            Stored { version, output: vec![0; bytes], ..Stored::of_nobody(params) }.is_weaker_than(&current)
        };
        assert!(is_weaker(63, 4, Version::V0x13, 32));
        assert!(is_weaker(65, 2, Version::V0x13, 32));
        assert!(is_weaker(65, 4, Version::V0x10, 32));
        assert!(is_weaker(65, 4, Version::V0x13, 31));
        assert!(!is_weaker(64, 3, Version::V0x13, 32));
        assert!(!is_weaker(65, 4, Version::V0x13, 33));
    }

    #[tokio::test]
    async fn a_hash_of_another_implementation_is_understood() {
        // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
        let hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let hasher = Hasher::new(&settings()).unwrap();
        let verdict = hasher.verify(hasher.place().unwrap(), secret("password"), Some(hash.to_owned())).await.unwrap();
        assert!(matches!(verdict, Verdict::Right { stronger: None }));
    }

    #[tokio::test]
    async fn a_stored_hash_that_asks_too_much_is_our_failure() {
        let hasher = Hasher::new(&settings()).unwrap();
        for params in ["argon2id$v=19$m=131073,t=2,p=1", "argon2id$v=19$m=64,t=11,p=1", "argon2i$v=19$m=64,t=2,p=1"] {
            let hash = format!("${params}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
            let Err(error) = hasher.verify(hasher.place().unwrap(), secret("password"), Some(hash)).await else {
                panic!("{params}")
            };
            assert_eq!(error.kind(), Kind::Internal, "{params}");
        }
        let most = "$argon2id$v=19$m=131072,t=10,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(Stored::parse(most).is_ok());
    }

    #[tokio::test]
    async fn whoever_finds_the_queue_full_is_told_to_come_back() {
        let hasher = Hasher::new(&Settings { hash_queue: 0, ..settings() }).unwrap();
        let permit = Arc::clone(&hasher.places).try_acquire_owned().unwrap();
        let error = hasher.hash(secret("Monsoon 88")).await.unwrap_err();
        assert_eq!((error.kind(), error.retry_after()), (Kind::Busy, Some(Duration::from_secs(2))));
        drop(permit);
        assert!(hasher.hash(secret("Monsoon 88")).await.is_ok());
    }

    #[tokio::test]
    async fn nobody_waits_for_ever() {
        let hasher = Hasher::new(&Settings { hash_wait: Duration::from_millis(1), ..settings() }).unwrap();
        let _held = Arc::clone(&hasher.permits).try_acquire_owned().unwrap();
        assert_eq!(hasher.hash(secret("Monsoon 88")).await.unwrap_err().kind(), Kind::Busy);
        assert_eq!(hasher.places.available_permits(), 33, "the place in the queue is free again");
    }

    #[tokio::test]
    async fn memory_comes_back_wiped_and_is_used_again() {
        let hasher = Hasher::new(&settings()).unwrap();
        for password in ["Monsoon 88", "Monsoon 99"] {
            hasher.hash(secret(password)).await.unwrap();
        }
        let _nobody_hashes_now = hasher.permits.acquire().await.unwrap();
        let idle = hasher.memory.idle.lock().unwrap();
        assert_eq!(idle.len(), 1);
        assert!(idle[0].iter().all(|block| block.as_ref().iter().all(|word| *word == 0)));
    }
}
