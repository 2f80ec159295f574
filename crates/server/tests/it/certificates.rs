//! Certificates for tests, created with openssl.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Creates a self-signed certificate for `name` and its key in `folder`; returns their files.
pub fn create_certificate(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    let (certificate, key) = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
    let output = Command::new("openssl")
        .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30".split(' '))
        .args(["-subj", &format!("/CN={name}"), "-addext", &format!("subjectAltName=DNS:{name}")])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap_or_else(|error| panic!("openssl is needed: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (certificate, key)
}

/// Returns the TLS settings of a server with this certificate.
pub fn server_config(certificate: &Path, key: &Path) -> ServerConfig {
    let certificates = CertificateDer::pem_file_iter(certificate).unwrap().map(Result::unwrap).collect();
    ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, PrivateKeyDer::from_pem_file(key).unwrap())
        .unwrap()
}
