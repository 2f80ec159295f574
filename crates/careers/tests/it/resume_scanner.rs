//! Tests of the malware scanner, with a small server that speaks the protocol of clamd.

use std::time::Duration;

use careers::ScannerAddress;
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener};
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::fixtures::{pdf_with, pdf_with_size};
use crate::{Careers, form, reason, violations};

/// Text that the scanner calls malware.
const MALWARE: &[u8] = b"harmless test text";

/// Receives one file and responds as clamd does.
async fn respond(mut client: impl AsyncRead + AsyncWrite + Unpin) {
    let mut command = [0; 10];
    client.read_exact(&mut command).await.unwrap();
    assert_eq!(&command, b"zINSTREAM\0");
    let mut file = Vec::new();
    loop {
        let length = client.read_u32().await.unwrap();
        if length == 0 {
            break;
        }
        let start = file.len();
        file.resize(start + usize::try_from(length).unwrap(), 0);
        client.read_exact(&mut file[start..]).await.unwrap();
    }
    assert!(file.starts_with(b"%PDF-") && file.ends_with(b"%%EOF\n"), "the whole file");
    let is_malware = file.windows(MALWARE.len()).any(|window| window == MALWARE);
    let response: &[u8] = if is_malware { b"stream: Test-Signature FOUND\0" } else { b"stream: OK\0" };
    client.write_all(response).await.unwrap();
}

async fn assert_scanned(careers: &Careers) {
    careers.apply(form(), &pdf_with_size(600_000)).await.unwrap();
    assert_eq!(careers.resume_files().len(), 1);
    let rejected = careers.apply(form(), &pdf_with(MALWARE)).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::InvalidArgument, "RESUME_INFECTED".to_owned()));
    assert_eq!(violations(&rejected), [("chunk".to_owned(), "RESUME_INFECTED".to_owned())]);
    assert_eq!((careers.resume_files().len(), careers.count("application").await), (1, 1));
}

fn with_scanner(pool: &PgPool, address: ScannerAddress) -> Careers {
    Careers::with(pool, |settings| {
        settings.resume_scanner = Some(address);
        settings.scan_timeout = Duration::from_millis(500);
    })
}

#[sqlx::test(migrations = "../../migrations")]
async fn s9_a_resume_is_stored_only_if_the_scanner_calls_it_clean(pool: PgPool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            respond(listener.accept().await.unwrap().0).await;
        }
    });
    assert_scanned(&with_scanner(&pool, ScannerAddress::Tcp(address))).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn s9_the_scanner_can_listen_on_a_unix_socket(pool: PgPool) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("clamd.sock");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move {
        loop {
            respond(listener.accept().await.unwrap().0).await;
        }
    });
    assert_scanned(&with_scanner(&pool, path.to_str().unwrap().parse().unwrap())).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn s9_a_resume_is_not_stored_if_the_scanner_is_unreachable_slow_or_closes(pool: PgPool) {
    let slow = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addresses = [&slow, &closing].map(|listener| listener.local_addr().unwrap().to_string());
    tokio::spawn(async move {
        loop {
            drop(closing.accept().await.unwrap());
        }
    });
    for address in addresses.into_iter().chain(["127.0.0.1:1".to_owned()]) {
        let careers = with_scanner(&pool, ScannerAddress::Tcp(address.clone()));
        let rejected = careers.apply(form(), &pdf_with_size(900)).await.unwrap_err();
        let expected = (Code::ResourceExhausted, "SCANNER_UNAVAILABLE".to_owned());
        assert_eq!((rejected.code(), reason(&rejected)), expected, "{address}");
        let delay = rejected.get_details_retry_info().unwrap().retry_delay.unwrap();
        assert_eq!(delay, Duration::from_mins(1));
        assert_eq!((careers.resume_files().len(), careers.count("application").await), (0, 0));
    }
}
