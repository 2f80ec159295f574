//! A private Postgres cluster: finds the programs, makes the cluster in a directory, starts and stops it.
//!
//! The cluster is reached by its Unix socket alone, which only the account that runs it and root can
//! open. This crate knows nothing of what is stored there and speaks no SQL beyond making one empty
//! database. Its errors are sentences for whoever sits at the terminal.
//!
//! Its calls block; asynchronous code makes them through `spawn_blocking`. Start reading at
//! [`Cluster::open`].

mod account;
mod binaries;
mod home;
mod npm;
mod postmaster;
mod wait;

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::binaries::Binaries;
use crate::home::Home;
use crate::postmaster::Postmaster;

/// The database that every cluster has.
pub const DATABASE: &str = "tradebahi";

/// The superuser that [`Cluster::url`] names.
pub const USER: &str = "postgres";

/// The port. There is no TCP, but a socket file is named after it.
pub const PORT: u16 = 5432;

/// Where throw-away directories are made. `TMPDIR` may be too deep for a socket, or closed to the
/// account that Postgres runs under.
const TEMPORARY: &str = "/tmp";

/// Where a cluster is and how it is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// The cluster's own directory, made when missing. For root it may have to be elsewhere: see
    /// [`Cluster::dir`].
    pub dir: PathBuf,
    /// Whether an acknowledged commit survives a power cut. False is for tests: faster, and safe
    /// only while the machine stays up.
    pub durable: bool,
    /// The directory with `node_modules`, where npm may have put Postgres.
    pub web_dir: PathBuf,
}

/// A running Postgres that belongs to this process. Dropped, it stops; [`stop`](Self::stop) says how
/// that went.
#[derive(Debug)]
pub struct Cluster {
    // The order is the order of dropping: Postgres stops before its directories go and the lock opens.
    postmaster: Postmaster,
    socket: Socket,
    temporary: Option<TempDir>,
    binaries: Binaries,
    durable: bool,
    home: Home,
}

impl Cluster {
    /// Starts the cluster in `options.dir`, made first when there is none.
    ///
    /// A cluster that outlived its killed owner is stopped and started anew; one that is in use by
    /// a live owner is refused.
    pub fn open(options: &Options) -> Result<Self> {
        let home = Home::enter(&options.dir)?;
        postmaster::stop_orphan(&home)?;
        let binaries = binaries::find(&home, &options.web_dir)?;
        if home.made_by()?.is_none() {
            postmaster::make(&home, &binaries, options.durable)?;
        }
        let socket = Socket::place(&home)?;
        socket.clear()?;
        let postmaster = Postmaster::start(&home, &binaries, Path::new(&socket.dir), options.durable)?;
        Ok(Self { postmaster, socket, temporary: None, binaries, durable: options.durable, home })
    }

    /// Starts Postgres again where it has died, as one that was killed for want of memory or stopped for want of room
    /// on the disk; says whether it had.
    pub fn revive(&mut self) -> Result<bool> {
        if self.postmaster.is_alive()? {
            return Ok(false);
        }
        postmaster::stop_orphan(&self.home)?;
        self.socket.clear()?;
        self.postmaster = Postmaster::start(&self.home, &self.binaries, Path::new(&self.socket.dir), self.durable)?;
        Ok(true)
    }

    /// The address of `database` in the cluster in `dir` that another process, which lives, has started; none where
    /// nobody uses it.
    pub fn running(dir: &Path, database: &str) -> Result<Option<String>> {
        let Some(data) = Home::data_in_use(dir)? else {
            return Ok(None);
        };
        let socket = postmaster::socket_dir(&data);
        let socket = socket.with_context(|| format!("{} is starting or stopping; try again", data.display()))?;
        Ok(Some(url(&socket, database)))
    }

    /// Starts a new, empty cluster that is not durable and is deleted when it stops.
    pub fn temporary(web_dir: &Path) -> Result<Self> {
        let dir = temporary_dir()?;
        let mut cluster =
            Self::open(&Options { dir: dir.path().to_owned(), durable: false, web_dir: web_dir.to_owned() })?;
        cluster.temporary = Some(dir);
        Ok(cluster)
    }

    /// The address of `database` for a superuser, as sqlx and libpq read it.
    pub fn url(&self, database: &str) -> String {
        url(&self.socket.dir, database)
    }

    /// The directory that the cluster is in. It is the one asked for, unless we are root and the
    /// account that runs Postgres cannot reach that: then it is below `/var/lib/tradebahi`.
    pub fn dir(&self) -> &Path {
        self.home.dir()
    }

    /// The directory that holds the socket, which libpq's programs know as `PGHOST`.
    pub fn socket_dir(&self) -> &Path {
        Path::new(&self.socket.dir)
    }

    /// Ends all sessions, writes everything to disk and waits until Postgres is gone.
    pub fn stop(mut self) -> Result<()> {
        self.postmaster.stop()
    }
}

/// The private directory of the socket.
#[derive(Debug)]
struct Socket {
    dir: String,
    /// Holds the directory when it is apart from the cluster's.
    _apart: Option<TempDir>,
}

impl Socket {
    fn place(home: &Home) -> Result<Self> {
        let beside = home.dir().join("socket");
        if let Some(dir) = beside.to_str().filter(|dir| is_address(dir)) {
            home.make_dir(&beside)?;
            let dir = dir.to_owned();
            return Ok(Self { dir, _apart: None });
        }
        let apart = temporary_dir()?;
        home.account().give(apart.path())?;
        let dir = apart.path().to_str().map(str::to_owned);
        Ok(Self { dir: dir.with_context(|| format!("{TEMPORARY} gave a name that is not text"))?, _apart: Some(apart) })
    }

    /// Clears away the lock that a killed Postgres left. It would be believed while any process has the number in it,
    /// an unburied corpse included; nobody else starts a Postgres here, for the home is ours.
    fn clear(&self) -> Result<()> {
        let lock = Path::new(&self.dir).join(format!(".s.PGSQL.{PORT}.lock"));
        match fs::remove_file(&lock) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", lock.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a socket in `dir` can be bound and connected to. Its whole path has room for 107 bytes on
/// Linux and 103 on macOS, and Postgres reads the setting as a list with commas and quotes.
fn is_address(dir: &str) -> bool {
    let path = format!("{dir}/.s.PGSQL.{PORT}");
    path.len() <= 103 && !path.contains([',', '"'])
}

/// A new directory, open to us alone.
fn temporary_dir() -> Result<TempDir> {
    tempfile::Builder::new()
        .prefix("tradebahi-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(TEMPORARY)
        .with_context(|| format!("cannot make a directory in {TEMPORARY}"))
}

fn url(socket_dir: &str, database: &str) -> String {
    let (database, host) = (encoded(database), encoded(socket_dir));
    // The port is named because sqlx would otherwise take PGPORT.
    format!("postgres://{USER}@localhost:{PORT}/{database}?host={host}")
}

/// `text` as a part of a URL.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_url_reserves_is_encoded() {
        assert_eq!(encoded("/a b/ü?&%"), "%2Fa%20b%2F%C3%BC%3F%26%25");
        assert_eq!(encoded("trades_1.x-y~"), "trades_1.x-y~");
    }

    #[test]
    fn a_socket_address_has_103_bytes_and_no_list_syntax() {
        let file = "/.s.PGSQL.5432".len();
        assert!(is_address(&"d".repeat(103 - file)));
        assert!(!is_address(&"d".repeat(104 - file)));
        assert!(is_address("/a b/c"));
        assert!(!is_address("/a,b"));
        assert!(!is_address("/a\"b"));
    }
}
