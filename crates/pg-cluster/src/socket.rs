//! Directory of the Unix socket.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::cluster_dir::ClusterDir;
use crate::remove::remove_file_if_exists;

/// Port number. The cluster does not listen on TCP, but the name of the socket file contains the port.
pub const PORT: u16 = 5432;

/// Parent of temporary directories. `TMPDIR` may be too deep for a socket, or inaccessible to the user that runs
/// Postgres.
const TEMPORARY_PARENT: &str = "/tmp";

/// Maximum length of a socket's path in bytes: the limit of macOS; Linux allows 107.
const MAX_SOCKET_PATH_BYTES: usize = 103;

/// Private directory of the socket: in the cluster's directory, or a temporary directory if that path is too long.
#[derive(Debug)]
pub(crate) struct SocketDir {
    path: String,
    /// Removes the temporary directory when dropped.
    _temporary: Option<TempDir>,
}

impl SocketDir {
    pub(crate) fn create(cluster_dir: &ClusterDir) -> Result<Self> {
        let default = cluster_dir.path().join("socket");
        if let Some(path) = default.to_str().filter(|path| is_valid_socket_dir(path)) {
            cluster_dir.create_dir(&default)?;
            let path = path.to_owned();
            return Ok(Self { path, _temporary: None });
        }
        let temporary = create_temporary_dir()?;
        cluster_dir.user().chown(temporary.path())?;
        let path = temporary.path().to_str().map(str::to_owned);
        let path = path.with_context(|| format!("a directory in {TEMPORARY_PARENT} has a name that is not UTF-8"))?;
        Ok(Self { path, _temporary: Some(temporary) })
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Removes the socket's lock file, which a killed Postgres leaves behind.
    ///
    /// Postgres respects the file while any process has the process id in it, including a zombie process. No other
    /// Postgres can use this directory, because this process holds the lock of the cluster's directory.
    pub(crate) fn remove_stale_lock(&self) -> Result<()> {
        remove_file_if_exists(&Path::new(&self.path).join(format!(".s.PGSQL.{PORT}.lock")))
    }
}

/// Creates a directory that only the current user can access.
pub(crate) fn create_temporary_dir() -> Result<TempDir> {
    tempfile::Builder::new()
        .prefix("tradebahi-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(TEMPORARY_PARENT)
        .with_context(|| format!("cannot create a directory in {TEMPORARY_PARENT}"))
}

/// Returns true if Postgres can create a socket in `dir` and clients can connect to it. Postgres parses its setting as a
/// list with commas and quotes, so the path must contain neither.
fn is_valid_socket_dir(dir: &str) -> bool {
    let path = format!("{dir}/.s.PGSQL.{PORT}");
    path.len() <= MAX_SOCKET_PATH_BYTES && !path.contains([',', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_socket_paths_that_are_too_long_or_contain_list_syntax() {
        let file = "/.s.PGSQL.5432".len();
        assert!(is_valid_socket_dir(&"d".repeat(103 - file)));
        assert!(!is_valid_socket_dir(&"d".repeat(104 - file)));
        assert!(is_valid_socket_dir("/a b/c"));
        assert!(!is_valid_socket_dir("/a,b"));
        assert!(!is_valid_socket_dir("/a\"b"));
    }
}
