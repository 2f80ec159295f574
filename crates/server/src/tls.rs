//! Certificates and keys of the server's own connections, read from files once, at the start.

use std::fmt::{self, Debug, Formatter};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use edge::TlsConfig;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, ServerConfig, SignatureScheme,
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};
use zeroize::Zeroizing;

use crate::config::{Addresses, Role};
use crate::secret_file::SecretFile;

/// Timeout of a TLS handshake of gRPC.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// TLS of a process.
pub(crate) struct Tls {
    /// TLS between edges and cores.
    pub(crate) grpc: Option<GrpcTls>,
    /// TLS of the site and the REST API.
    pub(crate) https: Option<TlsConfig>,
}

impl Tls {
    /// Reads the files that the role uses.
    pub(crate) fn read(addresses: &Addresses) -> anyhow::Result<Self> {
        let grpc = GrpcTls::read(addresses)?;
        let https = match (&addresses.tls_cert_file, &addresses.tls_key_file) {
            (Some(cert_file), Some(key_file)) if addresses.role != Role::Core => Some(read_https(cert_file, key_file)?),
            _ => None,
        };
        Ok(Self { grpc, https })
    }
}

/// Certificate authority of edges and cores, and the certificate and key of this process, as PEM.
pub(crate) struct GrpcTls {
    authority: Vec<u8>,
    certificate: Vec<u8>,
    key: Zeroizing<String>,
    server: TlsConfig,
}

impl GrpcTls {
    /// Reads `ca.pem`, `cert.pem` and `key.pem` in the directory of the settings, if there is one. The key may be in the
    /// directory of secrets instead. Rejects files that the other side would reject.
    pub(crate) fn read(addresses: &Addresses) -> anyhow::Result<Option<Self>> {
        let Some(dir) = &addresses.grpc_tls_dir else { return Ok(None) };
        let key_file = addresses.grpc_tls_key_file.clone();
        let key_file = key_file.unwrap_or_else(|| SecretFile::from(dir.join("key.pem").into_os_string()));
        Self::read_files(&dir.join("ca.pem"), &dir.join("cert.pem"), &key_file).map(Some)
    }

    fn read_files(authority_file: &Path, certificate_file: &Path, key_file: &SecretFile) -> anyhow::Result<Self> {
        let (authority, authorities) = read_certificates(authority_file)?;
        let (certificate, certificates) = read_certificates(certificate_file)?;
        let (key, private_key) = read_key(key_file)?;
        check_key(&certificates, private_key.clone_key(), certificate_file, key_file)?;
        let mut roots = RootCertStore::empty();
        for certificate in authorities {
            roots.add(certificate).with_context(|| format!("{} is no certificate", authority_file.display()))?;
        }
        let (roots, provider) = (Arc::new(roots), Arc::new(default_provider()));
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider)).build()?;
        if let [certificate, intermediates @ ..] = &certificates[..] {
            let (file, authority) = (certificate_file.display(), authority_file.display());
            verifier.verify_client_cert(certificate, intermediates, UnixTime::now()).with_context(|| {
                format!("{file} is not valid for {authority}; issue a certificate for servers and clients with this authority")
            })?;
            let parsed = ParsedCertificate::try_from(certificate)?;
            let algorithms = provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, &roots, intermediates, UnixTime::now(), algorithms)
                .with_context(|| {
                    format!("{file} is not valid for servers; issue a certificate for servers and clients")
                })?;
        }
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_single_cert(certificates, private_key)?;
        server.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self { authority, certificate, key, server: Arc::new(server) })
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(&self.certificate, &*self.key)
    }

    /// Returns the settings of a core: only clients with a certificate of the authority may connect.
    pub(crate) fn server(&self) -> TlsConfig {
        Arc::clone(&self.server)
    }

    /// Returns the settings of an edge: the core needs a certificate of the authority for the host of its address.
    pub(crate) fn client(&self) -> ClientTlsConfig {
        let authority = Certificate::from_pem(&self.authority);
        ClientTlsConfig::new().identity(self.identity()).ca_certificate(authority).timeout(HANDSHAKE_TIMEOUT)
    }

    /// Returns the settings of the health check of a core on this machine, which has the same files.
    pub(crate) fn health_check_client(&self) -> anyhow::Result<(ClientTlsConfig, Arc<dyn ServerCertVerifier>)> {
        let verifier = PinnedCertificateVerifier::new(CertificateDer::from_pem_slice(&self.certificate)?);
        Ok((ClientTlsConfig::new().identity(self.identity()), Arc::new(verifier)))
    }
}

/// Reads the certificate and key of the site and the REST API.
fn read_https(cert_file: &Path, key_file: &SecretFile) -> anyhow::Result<TlsConfig> {
    let (_, certificates) = read_certificates(cert_file)?;
    let (_, key) = read_key(key_file)?;
    check_key(&certificates, key.clone_key(), cert_file, key_file)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Returns the settings of the health check of a server on this machine, which has the certificate in `cert_file`.
pub(crate) fn health_check_https_client(cert_file: &Path) -> anyhow::Result<ClientConfig> {
    let (_, certificates) = read_certificates(cert_file)?;
    let certificate = certificates.into_iter().next().context("no certificate")?;
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(PinnedCertificateVerifier::new(certificate)))
        .with_no_client_auth();
    Ok(config)
}

/// Reads a file with at least one certificate; returns its text too.
fn read_certificates(file: &Path) -> anyhow::Result<(Vec<u8>, Vec<CertificateDer<'static>>)> {
    let pem = std::fs::read(file).with_context(|| format!("cannot read the certificate in {}", file.display()))?;
    let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.with_context(|| format!("{} is damaged; write it again", file.display()))?;
    ensure!(!certificates.is_empty(), "{} has no certificate; write it as PEM", file.display());
    Ok((pem, certificates))
}

/// Reads a file with a private key; returns its text too.
fn read_key(file: &SecretFile) -> anyhow::Result<(Zeroizing<String>, PrivateKeyDer<'static>)> {
    let pem = file.read_text("key of the certificate")?;
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes())
        .with_context(|| format!("{} has no private key; write it as PEM, not encrypted", file.path().display()))?;
    Ok((pem, key))
}

/// Rejects a key that does not belong to the certificate.
fn check_key(
    certificates: &[CertificateDer<'static>],
    key: PrivateKeyDer<'static>,
    cert_file: &Path,
    key_file: &SecretFile,
) -> anyhow::Result<()> {
    CertifiedKey::from_der(certificates.to_vec(), key, &default_provider()).map(|_| ()).with_context(|| {
        format!("{} is not the key of {}; create both together", key_file.path().display(), cert_file.display())
    })
}

/// Accepts one certificate only, whatever its names and issuer: that of the server on this machine. The handshake proves
/// that the server has its key.
struct PinnedCertificateVerifier {
    certificate: CertificateDer<'static>,
    provider: CryptoProvider,
}

impl PinnedCertificateVerifier {
    fn new(certificate: CertificateDer<'static>) -> Self {
        Self { certificate, provider: default_provider() }
    }
}

impl Debug for PinnedCertificateVerifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedCertificateVerifier").finish_non_exhaustive()
    }
}

impl ServerCertVerifier for PinnedCertificateVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if *certificate != self.certificate {
            return Err(TlsError::General("the server has another certificate than the file".to_owned()));
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
