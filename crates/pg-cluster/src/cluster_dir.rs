//! Directory of a cluster:
//!
//! | name | contains |
//! |---|---|
//! | `data` | the data directory of Postgres |
//! | `socket` | the socket, unless its path would be too long |
//! | `password` | the password of the cluster's roles |
//! | `log` | the log of Postgres |
//! | `lock` | the id of the process that owns the cluster; locked while that process runs |
//! | `npm` | a copy of npm's Postgres, if that does not run in place |

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{self, Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::os_user::OsUser;
use crate::remove::remove_file_if_exists;

/// Parent of the clusters whose requested directory only root can access.
const ROOT_FALLBACK_DIR: &str = "/var/lib/tradebahi";

/// Name of the data directory.
const DATA_DIR: &str = "data";

/// Name of the file with the password.
const PASSWORD_FILE: &str = "password";

/// Directory of a cluster, locked by this process.
#[derive(Debug)]
pub(crate) struct ClusterDir {
    path: PathBuf,
    user: OsUser,
    _lock: File,
}

impl ClusterDir {
    /// Creates the directory if it does not exist, and locks it against other processes.
    ///
    /// # Errors
    /// If another process has locked the directory.
    pub(crate) fn lock(requested: &Path) -> Result<Self> {
        let (path, user) = resolve(requested)?;
        let lock = lock(&path, user)?;
        Ok(Self { path, user, _lock: lock })
    }

    /// Returns the data directory and the file with the password if another process has locked the cluster's directory.
    pub(crate) fn find_locked(requested: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
        let (dir, _) = resolve(requested)?;
        let path = dir.join("lock");
        let context = || format!("cannot open {}", path.display());
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(context),
        };
        match lock.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some((dir.join(DATA_DIR), dir.join(PASSWORD_FILE)))),
            Err(TryLockError::Error(error)) => Err(error).with_context(context),
        }
    }

    /// Returns true if the requested directory, or the one used in its place, exists. Creates nothing.
    pub(crate) fn exists(requested: &Path) -> Result<bool> {
        let requested = path::absolute(requested).context("the path of the cluster's directory is empty")?;
        let (Some(parent), Some(name)) = (requested.parent(), requested.file_name()) else { return Ok(false) };
        let parent = match parent.canonicalize() {
            Ok(parent) => parent,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).with_context(|| format!("cannot open {}", parent.display())),
        };
        let dir = parent.join(name);
        Ok(dir.is_dir() || (geteuid().is_root() && root_fallback(&dir).is_dir()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the user that runs Postgres.
    pub(crate) fn user(&self) -> OsUser {
        self.user
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.path.join(DATA_DIR)
    }

    pub(crate) fn password_file(&self) -> PathBuf {
        self.path.join(PASSWORD_FILE)
    }

    pub(crate) fn log_file(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Returns the major version of the Postgres that created the data directory, or `None` if there is none yet.
    pub(crate) fn version(&self) -> Result<Option<u32>> {
        let path = self.data_dir().join("PG_VERSION");
        if !self.data_dir().exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} is not a Postgres cluster", self.data_dir().display()))?;
        let major = text.trim().split('.').next().and_then(|number| number.parse().ok());
        let major = major.with_context(|| format!("{} contains no version", path.display()))?;
        Ok(Some(major))
    }

    /// Creates a subdirectory that only the user of the cluster can access.
    pub(crate) fn create_dir(&self, dir: &Path) -> Result<()> {
        create_private_dir(dir)?;
        self.user.chown(dir)
    }

    /// Returns the content of a file in this directory, or `None` if it does not exist. Does not follow symbolic links.
    pub(crate) fn read_file(path: &Path) -> Result<Option<String>> {
        let context = || format!("cannot read {}", path.display());
        let mut options = File::options();
        options.read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let mut file = match options.open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(context),
        };
        let mut content = String::new();
        file.read_to_string(&mut content).with_context(context)?;
        Ok(Some(content))
    }

    /// Creates or replaces a file in this directory that only the user of the cluster can access. A crash leaves the old
    /// or the new content.
    pub(crate) fn replace_file(&self, path: &Path, content: &str, durable: bool) -> Result<()> {
        let context = || format!("cannot write {}", path.display());
        let new = path.with_extension("new");
        remove_file_if_exists(&new)?;
        let mut file = Self::file_options().write(true).open(&new).with_context(context)?;
        file.write_all(content.as_bytes()).with_context(context)?;
        self.user.chown(&new)?;
        if durable {
            file.sync_all().with_context(context)?;
        }
        fs::rename(&new, path).with_context(context)?;
        if let Some(dir) = path.parent().filter(|_| durable) {
            File::open(dir).and_then(|dir| dir.sync_all()).with_context(context)?;
        }
        Ok(())
    }

    /// Returns options to create a file in this directory. Does not follow symbolic links: if the directory belongs to an
    /// unprivileged user, a link could make root open any file.
    pub(crate) fn file_options() -> OpenOptions {
        let mut options = File::options();
        options.create(true).read(true).mode(0o600);
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        options
    }
}

/// Returns the directory to use for the requested one and the user that runs Postgres. The directory exists and belongs
/// to that user.
fn resolve(requested: &Path) -> Result<(PathBuf, OsUser)> {
    let requested = path::absolute(requested).context("the path of the cluster's directory is empty")?;
    let (Some(parent), Some(name)) = (requested.parent(), requested.file_name()) else {
        bail!("{} cannot be the directory of a cluster", requested.display());
    };
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    // Postgres's working directory has no links, and an orphaned Postgres is recognised by it.
    let parent = parent.canonicalize().context("cannot resolve links")?;
    let dir = parent.join(name);
    if !geteuid().is_root() {
        return create_owned_dir(dir);
    }
    let fallback = root_fallback(&dir);
    if fallback.exists() {
        return create_owned_dir(fallback);
    }
    if OsUser::for_dir(&dir)?.can_enter(&parent) {
        return create_owned_dir(dir);
    }
    fs::create_dir_all(ROOT_FALLBACK_DIR).with_context(|| format!("cannot create {ROOT_FALLBACK_DIR}"))?;
    create_owned_dir(fallback)
}

/// Creates `dir` if it does not exist, and makes the user that runs Postgres its owner.
fn create_owned_dir(dir: PathBuf) -> Result<(PathBuf, OsUser)> {
    let user = OsUser::for_dir(&dir)?;
    create_private_dir(&dir)?;
    user.chown(&dir)?;
    let dir = dir.canonicalize().context("cannot resolve links")?;
    Ok((dir, user))
}

/// Returns the directory that replaces `dir` if only root can access it; the same at every start.
fn root_fallback(dir: &Path) -> PathBuf {
    let mut name = hex::encode(Sha256::digest(dir.as_os_str().as_encoded_bytes()));
    name.truncate(16);
    Path::new(ROOT_FALLBACK_DIR).join(name)
}

/// Creates `dir` with access for its owner only.
fn create_private_dir(dir: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700).recursive(true);
    builder.create(dir).with_context(|| format!("cannot create {}", dir.display()))
}

/// Locks `dir` until the returned file is closed. The operating system releases the lock when this process ends.
fn lock(dir: &Path, user: OsUser) -> Result<File> {
    let path = dir.join("lock");
    let context = || format!("cannot lock {}", path.display());
    let mut options = ClusterDir::file_options();
    let mut file = options.write(true).open(&path).with_context(context)?;
    user.chown(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            file.read_to_string(&mut owner).with_context(context)?;
            bail!(
                "the database in {} is in use by process {}: stop it first, or choose another directory",
                dir.display(),
                owner.trim(),
            )
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(context),
    }
    file.set_len(0).with_context(context)?;
    file.rewind().with_context(context)?;
    writeln!(file, "{}", process::id()).with_context(context)?;
    Ok(file)
}
