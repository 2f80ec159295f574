//! Addresses that the server listens on.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// Address of a listening socket: `ADDRESS:PORT`, or `unix:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// Address and port.
    Tcp(SocketAddr),
    /// File of a Unix socket.
    Unix(PathBuf),
}

impl ListenAddress {
    /// Returns a port of the loopback interface.
    pub const fn loopback(port: u16) -> Self {
        Self::Tcp(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    /// Returns true if only processes on this machine can connect.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }

    /// Returns true for a Unix socket.
    pub fn is_unix(&self) -> bool {
        matches!(self, Self::Unix(_))
    }
}

/// Returns the path in `unix:PATH` or `unix://PATH`, as gRPC names it; none for another address.
pub(crate) fn unix_path(address: &str) -> Option<&str> {
    let path = address.strip_prefix("unix:")?;
    Some(path.strip_prefix("//").unwrap_or(path))
}

impl FromStr for ListenAddress {
    type Err = &'static str;

    fn from_str(address: &str) -> Result<Self, &'static str> {
        match unix_path(address) {
            Some("") => Err("name the file of the Unix socket: unix:PATH"),
            Some(path) => Ok(Self::Unix(path.into())),
            None => {
                address.parse().map(Self::Tcp).map_err(|_| "use ADDRESS:PORT, such as 127.0.0.1:8080, or unix:PATH")
            }
        }
    }
}

impl Display for ListenAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses_and_files_of_unix_sockets() {
        let unix = ListenAddress::Unix("/run/tradebahi/http.sock".into());
        for (text, want) in [
            ("127.0.0.1:8080", ListenAddress::loopback(8080)),
            ("unix:/run/tradebahi/http.sock", unix.clone()),
            ("unix:///run/tradebahi/http.sock", unix),
            ("unix:http.sock", ListenAddress::Unix("http.sock".into())),
        ] {
            let address: ListenAddress = text.parse().unwrap();
            assert_eq!(address, want, "{text}");
            assert_eq!(address.to_string().parse(), Ok(want), "{text}");
        }
        for text in ["", "8080", "localhost", "unix:", "unix://", "/run/http.sock"] {
            assert!(text.parse::<ListenAddress>().is_err(), "{text}");
        }
    }
}
