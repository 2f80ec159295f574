//! Client of a malware scanner that speaks the protocol of clamd, the daemon of ClamAV. A resume is stored only after
//! the scanner has called it clean.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Seek as _};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use crate::error::Error;

/// Size of one chunk of the stream in bytes.
const CHUNK_BYTES: u64 = 256 * 1024;
/// Maximum length of a response in bytes; more than the name of any signature.
const MAX_RESPONSE_BYTES: u64 = 1024;

/// Address of the scanner: the path of a Unix socket, or a host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScannerAddress {
    /// Path of a Unix socket.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl FromStr for ScannerAddress {
    type Err = Infallible;

    fn from_str(address: &str) -> Result<Self, Infallible> {
        Ok(if address.contains('/') { Self::Unix(address.into()) } else { Self::Tcp(address.to_owned()) })
    }
}

/// Result of a scan.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    Malware,
}

/// Scans a resume within `limit`.
///
/// # Errors
/// [`Error::ResumeInfected`], or [`Error::ScannerUnavailable`] if the scanner does not say within `limit` that the
/// resume is clean.
pub(crate) async fn scan(address: &ScannerAddress, limit: Duration, mut file: File) -> Result<(), Error> {
    file.rewind().map_err(Error::io("failed to rewind a resume"))?;
    let file = tokio::fs::File::from_std(file);
    let scan = async {
        match address {
            ScannerAddress::Unix(path) => stream(UnixStream::connect(path).await?, file).await,
            ScannerAddress::Tcp(address) => stream(TcpStream::connect(address).await?, file).await,
        }
    };
    match timeout(limit, scan).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Ok(Verdict::Clean) => Ok(()),
        Ok(Verdict::Malware) => {
            tracing::warn!("the scanner reported malware in a resume");
            Err(Error::ResumeInfected)
        }
        Err(error) => Err(Error::ScannerUnavailable(error)),
    }
}

/// Sends the file with the command INSTREAM: chunks with their length, and an empty chunk at the end.
async fn stream(mut scanner: impl AsyncRead + AsyncWrite + Unpin, mut file: tokio::fs::File) -> io::Result<Verdict> {
    scanner.write_all(b"zINSTREAM\0").await?;
    loop {
        let mut chunk = Vec::new();
        (&mut file).take(CHUNK_BYTES).read_to_end(&mut chunk).await?;
        scanner.write_u32(u32::try_from(chunk.len()).map_err(io::Error::other)?).await?;
        if chunk.is_empty() {
            break;
        }
        scanner.write_all(&chunk).await?;
    }
    scanner.flush().await?;
    let mut response = Vec::new();
    scanner.take(MAX_RESPONSE_BYTES).read_to_end(&mut response).await?;
    parse_response(&response)
}

/// Parses a response such as `stream: OK` or `stream: Eicar-Signature FOUND`. Everything else means that the resume was
/// not scanned.
fn parse_response(response: &[u8]) -> io::Result<Verdict> {
    let text = String::from_utf8_lossy(response);
    let text = text.strip_suffix('\0').unwrap_or_default();
    match text.strip_prefix("stream: ") {
        Some("OK") => Ok(Verdict::Clean),
        Some(result) if result.ends_with(" FOUND") => Ok(Verdict::Malware),
        Some(_) | None => Err(io::Error::other("the scanner did not scan the resume")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s9_accepts_only_a_complete_clean_response() {
        assert_eq!(parse_response(b"stream: OK\0").unwrap(), Verdict::Clean);
        assert_eq!(parse_response(b"stream: Eicar-Signature FOUND\0").unwrap(), Verdict::Malware);
        for response in
            [&b""[..], b"stream: OK", b"OK\0", b"stream: OK ERROR\0", b"INSTREAM size limit exceeded. ERROR\0"]
        {
            assert!(parse_response(response).is_err(), "{}", String::from_utf8_lossy(response));
        }
    }
}
