//! Opens listening sockets.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::Context as _;
use edge::{Listener, SocketFile};
use tokio::net::{TcpListener, UnixSocket, UnixStream};

use crate::config::ListenAddress;

/// Permissions of the file of a Unix socket. Its group decides which other users may connect.
const SOCKET_MODE: u32 = 0o660;
/// Connections that the kernel accepts before the server does, as for TCP.
const BACKLOG: u32 = 1024;

/// Listens on `address`.
///
/// # Errors
/// If another program listens there.
pub(crate) async fn listen(address: &ListenAddress) -> anyhow::Result<Listener> {
    let listener = match address {
        ListenAddress::Tcp(address) => TcpListener::bind(address).await.map(Listener::Tcp),
        ListenAddress::Unix(path) => listen_on_file(path).await,
    };
    listener.with_context(|| {
        format!("cannot listen on {address}; stop the program that uses it, or set another address with --listen or --grpc-listen")
    })
}

async fn listen_on_file(path: &Path) -> io::Result<Listener> {
    remove_stale_socket(path).await?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    // Before `listen`, so that nobody connects with other permissions.
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
    let file = SocketFile::new(path)?;
    Ok(Listener::Unix(socket.listen(BACKLOG)?, file))
}

/// Removes the file of a socket on which nothing listens, such as that of a killed server.
async fn remove_stale_socket(path: &Path) -> io::Result<()> {
    // Not through a link, which might lead to the socket of another program.
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if !metadata.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists and is not a socket"));
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        // `bind` reports that the address is in use.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &Path) -> ListenAddress {
        ListenAddress::Unix(path.to_owned())
    }

    #[tokio::test]
    async fn the_file_of_the_next_server_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("http.sock");
        let first = listen(&address(&path)).await.unwrap();
        fs::remove_file(&path).unwrap();
        let second = listen(&address(&path)).await.unwrap();
        first.socket_file().unwrap().remove();
        assert!(path.exists());
        second.socket_file().unwrap().remove();
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn replaces_a_stale_socket_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("http.sock");
        let first = listen(&address(&path)).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, SOCKET_MODE);
        let error = format!("{:#}", listen(&address(&path)).await.unwrap_err());
        assert!(error.contains("stop the program that uses it") && error.contains("in use"), "{error}");
        // As after a crash: the file remains.
        drop(first);
        assert!(path.exists());
        drop(listen(&address(&path)).await.unwrap());

        let file = folder.path().join("notes");
        fs::write(&file, "kept").unwrap();
        let link = folder.path().join("link.sock");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for other in [&file, &link] {
            let error = format!("{:#}", listen(&address(other)).await.unwrap_err());
            assert!(error.contains("is not a socket"), "{error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    }
}
