//! Private Postgres cluster: finds the Postgres programs, creates a cluster in a directory, starts and stops it.
//!
//! The cluster listens only on a Unix socket, which only root and the user that runs Postgres can open, and requires a
//! password, which only they can read. This crate does not know what the database contains, and runs no SQL except to
//! create one empty database and to set the password. Its error messages are sentences for the terminal.
//!
//! All calls block; asynchronous code runs them with `spawn_blocking`. Start reading at [`Cluster::open`].

mod binaries;
mod cluster_dir;
mod connection;
mod initdb;
mod npm;
mod os_user;
mod password;
mod postmaster;
mod remove;
mod single_user;
mod socket;
mod wait;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
pub use crate::connection::{DATABASE, USER};
use crate::password::Password;
use crate::postmaster::Postmaster;
pub use crate::socket::PORT;
use crate::socket::SocketDir;

/// Options of a cluster.
#[derive(Debug, Clone)]
pub struct Options {
    /// Directory of the cluster; created if it does not exist. Root may have to use another directory: see
    /// [`Cluster::dir`].
    pub dir: PathBuf,
    /// If true, acknowledged commits survive a power failure. False is faster and for tests: commits survive only while
    /// the machine stays up.
    pub durable: bool,
    /// Directory with `node_modules`, which may contain npm's Postgres.
    pub web_dir: PathBuf,
}

/// Running Postgres of this process. Stops when dropped; [`stop`](Self::stop) also returns errors.
#[derive(Debug)]
pub struct Cluster {
    // Fields are dropped in this order: Postgres stops before its directories are removed and the lock is released.
    postmaster: Postmaster,
    socket_dir: SocketDir,
    password: Password,
    temporary: Option<TempDir>,
    binaries: Binaries,
    durable: bool,
    dir: ClusterDir,
}

impl Cluster {
    /// Starts the cluster in `options.dir`; creates it if it does not exist.
    ///
    /// Restarts a cluster whose owner process was killed.
    ///
    /// # Errors
    /// If another process uses the cluster, no suitable Postgres is installed, or Postgres fails.
    pub fn open(options: &Options) -> Result<Self> {
        let dir = ClusterDir::lock(&options.dir)?;
        postmaster::stop_orphan(&dir)?;
        let binaries = binaries::find(&dir, &options.web_dir)?;
        if dir.version()?.is_none() {
            initdb::create_data_dir(&dir, &binaries, options.durable)?;
        }
        let password = password::ensure_password(&dir, &binaries, options.durable)?;
        let socket_dir = SocketDir::create(&dir)?;
        socket_dir.remove_stale_lock()?;
        let postmaster = Postmaster::start(&dir, &binaries, socket_dir.path(), options.durable)?;
        Ok(Self { postmaster, socket_dir, password, temporary: None, binaries, durable: options.durable, dir })
    }

    /// Restarts Postgres if it has exited, for example because it was killed for lack of memory or the disk was full.
    /// Returns true if it had exited.
    ///
    /// # Errors
    /// If Postgres cannot be started.
    pub fn restart_if_exited(&mut self) -> Result<bool> {
        if self.postmaster.is_alive()? {
            return Ok(false);
        }
        postmaster::stop_orphan(&self.dir)?;
        self.socket_dir.remove_stale_lock()?;
        self.postmaster = Postmaster::start(&self.dir, &self.binaries, self.socket_dir.path(), self.durable)?;
        Ok(true)
    }

    /// Returns true if there is a cluster in `dir`. Creates nothing, unlike [`Cluster::running_url`].
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn exists(dir: &Path) -> Result<bool> {
        ClusterDir::exists(dir)
    }

    /// Returns the URL of `database` in the cluster in `dir` that another process is running, or `None` if no process
    /// uses the cluster.
    ///
    /// # Errors
    /// If the cluster is starting or stopping.
    pub fn running_url(dir: &Path, database: &str) -> Result<Option<String>> {
        let Some((data_dir, password_file)) = ClusterDir::find_locked(dir)? else {
            return Ok(None);
        };
        let socket_dir = postmaster::read_socket_dir(&data_dir);
        let socket_dir =
            socket_dir.with_context(|| format!("{} is starting or stopping; try again", data_dir.display()))?;
        let password = Password::read(&password_file)?;
        Ok(Some(connection::url(&socket_dir, password.as_ref(), database)))
    }

    /// Starts a new, empty cluster that is not durable and is deleted when it stops.
    ///
    /// # Errors
    /// As [`Cluster::open`].
    pub fn open_temporary(web_dir: &Path) -> Result<Self> {
        let dir = socket::create_temporary_dir()?;
        let options = Options { dir: dir.path().to_owned(), durable: false, web_dir: web_dir.to_owned() };
        let mut cluster = Self::open(&options)?;
        cluster.temporary = Some(dir);
        Ok(cluster)
    }

    /// Returns the URL of `database` for a superuser, in the format of sqlx and libpq. Contains the password.
    pub fn url(&self, database: &str) -> String {
        connection::url(self.socket_dir.path(), Some(&self.password), database)
    }

    /// Returns the password of the superuser, for libpq's `PGPASSWORD`.
    pub fn password(&self) -> &str {
        self.password.as_str()
    }

    /// Returns the directory of the cluster: the requested one, or one below `/var/lib/tradebahi` if root requested a
    /// directory that the user that runs Postgres cannot access.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the directory of the socket, for libpq's `PGHOST`.
    pub fn socket_dir(&self) -> &Path {
        Path::new(self.socket_dir.path())
    }

    /// Ends all sessions, writes all data to disk and waits until Postgres has exited.
    ///
    /// # Errors
    /// If Postgres does not stop.
    pub fn stop(mut self) -> Result<()> {
        self.postmaster.stop()
    }
}
