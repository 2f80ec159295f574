//! The cluster's own directory:
//!
//! | name | holds |
//! |---|---|
//! | `data` | the data directory |
//! | `socket` | the socket, unless its path would be too long |
//! | `log` | what Postgres says |
//! | `lock` | the number of the process that owns the cluster, locked while that lives |
//! | `npm` | a copy of npm's Postgres, when that does not run in place |

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{self, Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::account::Account;

/// Where root keeps clusters whose own directory is closed to the account that runs Postgres.
const ELSEWHERE: &str = "/var/lib/tradebahi";

/// The data directory within.
const DATA: &str = "data";

#[derive(Debug)]
pub(crate) struct Home {
    dir: PathBuf,
    account: Account,
    _lock: File,
}

impl Home {
    /// Takes hold of `asked`, or of its stand-in, so that no other process does.
    pub(crate) fn enter(asked: &Path) -> Result<Self> {
        let (dir, account) = settle(asked)?;
        let lock = lock(&dir, account)?;
        Ok(Self { dir, account, _lock: lock })
    }

    /// The data directory of `asked`, or of its stand-in, if another process holds it.
    pub(crate) fn data_in_use(asked: &Path) -> Result<Option<PathBuf>> {
        let (dir, _) = settle(asked)?;
        let path = dir.join("lock");
        let cannot = || format!("cannot look at {}", path.display());
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(cannot),
        };
        match lock.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(dir.join(DATA))),
            Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn account(&self) -> Account {
        self.account
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// The major version of the Postgres that made this cluster, if any has.
    pub(crate) fn made_by(&self) -> Result<Option<u32>> {
        let path = self.data().join("PG_VERSION");
        if !self.data().exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} is not a Postgres cluster", self.data().display()))?;
        let major = text.trim().split('.').next().and_then(|n| n.parse().ok());
        let major = major.with_context(|| format!("{} holds no version", path.display()))?;
        Ok(Some(major))
    }

    /// Makes `dir` inside this one, open to the account of the cluster alone.
    pub(crate) fn make_dir(&self, dir: &Path) -> Result<()> {
        make_private(dir)?;
        self.account.give(dir)
    }

    /// Options to make a file inside this one. A link is not followed: where root opens what a
    /// lesser account owns, it might lead anywhere.
    pub(crate) fn file_options() -> OpenOptions {
        let mut options = File::options();
        options.create(true).read(true).mode(0o600);
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        options
    }
}

/// The directory to use for `asked`, there and owned by the account that is to run Postgres.
fn settle(asked: &Path) -> Result<(PathBuf, Account)> {
    let asked = path::absolute(asked).context("the cluster's directory has no name")?;
    let (Some(parent), Some(name)) = (asked.parent(), asked.file_name()) else {
        bail!("{} cannot be a cluster's directory", asked.display());
    };
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    // Postgres names its place without links, and an orphan is known by that name.
    let parent = parent.canonicalize().context("cannot resolve links")?;
    let dir = parent.join(name);
    if !geteuid().is_root() {
        return own(dir);
    }
    let elsewhere = elsewhere(&dir);
    if elsewhere.exists() {
        return own(elsewhere);
    }
    if Account::of(&dir)?.can_enter(&parent) {
        return own(dir);
    }
    fs::create_dir_all(ELSEWHERE).with_context(|| format!("cannot make {ELSEWHERE}"))?;
    own(elsewhere)
}

fn own(dir: PathBuf) -> Result<(PathBuf, Account)> {
    let account = Account::of(&dir)?;
    make_private(&dir)?;
    account.give(&dir)?;
    let dir = dir.canonicalize().context("cannot resolve links")?;
    Ok((dir, account))
}

/// The stand-in of `dir`: the same at every start.
fn elsewhere(dir: &Path) -> PathBuf {
    let digest = Sha256::digest(dir.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    Path::new(ELSEWHERE).join(name)
}

fn make_private(dir: &Path) -> Result<()> {
    let mut private = DirBuilder::new();
    private.mode(0o700).recursive(true);
    private.create(dir).with_context(|| format!("cannot make {}", dir.display()))
}

/// Locks `dir` for as long as the file is held. The lock ends with our process, however that ends.
fn lock(dir: &Path, account: Account) -> Result<File> {
    let path = dir.join("lock");
    let cannot = || format!("cannot lock {}", path.display());
    let mut options = Home::file_options();
    let mut file = options.write(true).open(&path).with_context(cannot)?;
    account.give(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            file.read_to_string(&mut owner).with_context(cannot)?;
            bail!(
                "the database in {} is in use by process {}: stop that first, or choose another directory",
                dir.display(),
                owner.trim(),
            )
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
    }
    file.set_len(0).with_context(cannot)?;
    file.rewind().with_context(cannot)?;
    writeln!(file, "{}", process::id()).with_context(cannot)?;
    Ok(file)
}
