//! TLS and Unix sockets between browsers, edges and cores, and the command `tradebahi health` over them.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::Request;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use serde_json::json;
use sqlx::{ConnectOptions as _, PgPool};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::ServiceExt as _;

use crate::app::{PASSWORD, registration};
use crate::process::{free_port, send_json, send_signal};

const TIMEOUT: Duration = Duration::from_mins(1);

/// Certificate authority of a test.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap())
    }

    /// Creates the folder `name` in `parent` with a certificate for `host`, as for `--grpc-tls-dir`.
    fn issue(&self, parent: &Path, name: &str, host: &str) -> PathBuf {
        self.issue_for(parent, name, host, &[])
    }

    /// Creates a folder as [`Self::issue`], with a certificate for `usages` only, or for all if there are none.
    fn issue_for(&self, parent: &Path, name: &str, host: &str, usages: &[ExtendedKeyUsagePurpose]) -> PathBuf {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new([host.to_owned()]).unwrap();
        parameters.extended_key_usages = usages.to_vec();
        let certificate = parameters.signed_by(&key, &self.0).unwrap();
        let folder = parent.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("ca.pem"), pem("CERTIFICATE", self.0.der())).unwrap();
        fs::write(folder.join("cert.pem"), pem("CERTIFICATE", certificate.der())).unwrap();
        fs::write(folder.join("key.pem"), pem("PRIVATE KEY", &key.serialize_der())).unwrap();
        fs::set_permissions(folder.join("key.pem"), Permissions::from_mode(0o600)).unwrap();
        folder
    }

    fn certificate(&self) -> Certificate {
        Certificate::from_pem(pem("CERTIFICATE", self.0.der()))
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64_STANDARD.encode(der))
}

fn identity(folder: &Path) -> Identity {
    Identity::from_pem(fs::read(folder.join("cert.pem")).unwrap(), fs::read(folder.join("key.pem")).unwrap())
}

/// Running `tradebahi serve`; killed on drop.
struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts the server `name` with its data and log in `folder`, and with a database if `pool` is given.
    fn start(pool: Option<&PgPool>, folder: &Path, name: &str, arguments: &[&str]) -> Self {
        let log = folder.join(format!("{name}.log"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        command
            .args(["serve", "--web-dir", "../../web/build/client", "--log-format", "json", "--data-dir"])
            .arg(folder.join(name))
            .args(arguments)
            .stdout(File::create(&log).unwrap())
            .stderr(File::options().append(true).open(&log).unwrap());
        match pool {
            Some(pool) => command.env("DATABASE_URL", pool.connect_options().to_url_lossy().as_str()),
            None => command.env_remove("DATABASE_URL"),
        };
        Self { child: command.spawn().unwrap(), log }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until `tradebahi health` succeeds with `settings`, the environment variables of the server.
    fn wait_until_ready(&mut self, settings: &[(&str, &str)]) {
        let deadline = Instant::now() + TIMEOUT;
        while let (false, error) = run_health(settings) {
            assert!(self.child.try_wait().unwrap().is_none() && Instant::now() < deadline, "{error}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits for a line with `text` in the log.
    async fn wait_for_log(&self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.log().contains(text) {
            assert!(Instant::now() < deadline, "{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the server exits with an error; returns its output.
    fn wait_for_failure(mut self) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(!status.success(), "{}", self.log());
                return self.log();
            }
            assert!(Instant::now() < deadline, "the server runs: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn stop(mut self) {
        send_signal(self.child.id(), "TERM");
        assert!(self.child.wait().unwrap().success(), "{}", self.log());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `tradebahi health`. Returns true if the server is ready, and the error output.
fn run_health(settings: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.arg("health").envs(settings.iter().copied()).stdout(Stdio::null()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// Sends a GET request with `headers` and returns the whole response; what came, if the connection fails.
async fn get(mut stream: impl AsyncRead + AsyncWrite + Unpin, path: &str, headers: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    let mut response = Vec::new();
    if stream.write_all(request.as_bytes()).await.is_ok() {
        let _ = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut response)).await.unwrap();
    }
    String::from_utf8_lossy(&response).into_owned()
}

/// Opens a TLS connection to `localhost` that offers `protocol` and trusts `authority`.
async fn connect_tls(authority: &Authority, port: u16, protocol: &[u8]) -> tokio_rustls::client::TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.0.der().clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

/// Asks a core at `address` for its health, with TLS if given.
async fn is_serving(address: &str, tls: Option<ClientTlsConfig>) -> Result<bool, Box<dyn std::error::Error>> {
    let mut endpoint = Endpoint::from_shared(address.to_owned())?;
    if let Some(tls) = tls {
        endpoint = endpoint.tls_config(tls)?;
    }
    let response = HealthClient::new(endpoint.connect().await?).check(HealthCheckRequest::default()).await?;
    Ok(response.into_inner().status == ServingStatus::Serving as i32)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[sqlx::test(migrations = "../../migrations")]
async fn edge_and_core_accept_only_certificates_of_their_authority(pool: PgPool) {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let (ours, others) = (Authority::new(), Authority::new());
    let core_files = ours.issue(folder, "core-files", "localhost");
    let edge_files = ours.issue(folder, "edge-files", "edge.example");
    let foreign_files = others.issue(folder, "foreign-files", "edge.example");
    let (port, grpc_port) = (free_port(), free_port());
    // Every interface, which needs TLS.
    let grpc_listen = format!("0.0.0.0:{grpc_port}");
    let core_arguments = ["--role", "core", "--grpc-listen", &grpc_listen, "--grpc-tls-dir", text(&core_files)];
    let mut core = Server::start(Some(&pool), folder, "core", &core_arguments);
    core.wait_until_ready(&[
        ("TRADEBAHI_ROLE", "core"),
        ("TRADEBAHI_GRPC_LISTEN", &grpc_listen),
        ("TRADEBAHI_GRPC_TLS_DIR", text(&core_files)),
    ]);

    let core_address = format!("https://localhost:{grpc_port}");
    let listen = format!("127.0.0.1:{port}");
    let edge_arguments =
        ["--role", "edge", "--core", &core_address, "--listen", &listen, "--grpc-tls-dir", text(&edge_files)];
    let mut edge = Server::start(None, folder, "edge", &edge_arguments);
    edge.wait_until_ready(&[("TRADEBAHI_ROLE", "edge"), ("TRADEBAHI_LISTEN", &listen)]);
    let page = get(TcpStream::connect(&listen).await.unwrap(), "/careers", "").await;
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    let json_type = [("content-type", "application/json")];
    let form = registration("Asha Rao", "asha@example.in", "9820041537").to_string();
    assert_eq!(send_json(port, "POST", "/auth/register", &json_type, form.as_bytes()).unwrap().0, 201);
    let login = json!({ "email": "asha@example.in", "password": PASSWORD }).to_string();
    assert_eq!(send_json(port, "POST", "/auth/login", &json_type, login.as_bytes()).unwrap().0, 200);

    let trusting = || ClientTlsConfig::new().ca_certificate(ours.certificate());
    assert!(is_serving(&core_address, Some(trusting().identity(identity(&edge_files)))).await.unwrap());
    let plain = format!("http://localhost:{grpc_port}");
    assert!(is_serving(&plain, None).await.is_err(), "accepts plain text");
    assert!(is_serving(&core_address, Some(trusting())).await.is_err(), "accepts clients without certificate");
    let foreign = trusting().identity(identity(&foreign_files));
    assert!(is_serving(&core_address, Some(foreign)).await.is_err(), "accepts a certificate of another authority");

    // The health check believes only the certificate in its own files.
    let settings = |files| {
        [("TRADEBAHI_ROLE", "core"), ("TRADEBAHI_GRPC_LISTEN", &*grpc_listen), ("TRADEBAHI_GRPC_TLS_DIR", files)]
    };
    assert!(run_health(&settings(text(&core_files))).0);
    assert!(!run_health(&settings(text(&edge_files))).0);
    edge.stop();
    core.stop();
}

/// Starts a core that serves nothing but its health, with the certificate in `files`, and accepts any client.
async fn start_health_server(files: &Path) -> u16 {
    let (_, service) = tonic_health::server::health_reporter();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let tls = ServerTlsConfig::new().identity(identity(files));
    let server = tonic::transport::Server::builder().tls_config(tls).unwrap().add_service(service);
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_refuses_a_core_of_another_authority_or_name() {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let (ours, others) = (Authority::new(), Authority::new());
    let edge_files = ours.issue(folder, "edge-files", "edge.example");
    for (name, authority, host, is_accepted) in [
        ("right", &ours, "localhost", true),
        ("foreign", &others, "localhost", false),
        ("other-name", &ours, "core.example", false),
    ] {
        let port = start_health_server(&authority.issue(folder, &format!("{name}-files"), host)).await;
        let listen = format!("127.0.0.1:{}", free_port());
        let core = format!("https://localhost:{port}");
        let arguments = ["--role", "edge", "--core", &core, "--listen", &listen, "--grpc-tls-dir", text(&edge_files)];
        let edge = Server::start(None, folder, name, &arguments);
        edge.wait_for_log("failed to fetch keys and ended sessions from auth").await;
        // The core has no other service than its health: calls fail even if the connection is accepted.
        let reason = if is_accepted { "not implemented" } else { "invalid peer certificate" };
        assert!(edge.log().contains(reason), "{name}: {}", edge.log());
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn https_serves_http1_and_http2_and_nothing_else(pool: PgPool) {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let (ours, others) = (Authority::new(), Authority::new());
    let files = ours.issue(folder, "files", "localhost");
    let foreign_files = others.issue(folder, "foreign-files", "localhost");
    let (port, grpc_listen) = (free_port(), format!("127.0.0.1:{}", free_port()));
    let (listen, url) = (format!("0.0.0.0:{port}"), format!("https://localhost:{port}"));
    let (certificate, key) = (files.join("cert.pem"), files.join("key.pem"));
    let tls = ["--tls-cert-file", text(&certificate), "--tls-key-file", text(&key), "--public-url", &url];
    let arguments = [&["--listen", &*listen, "--grpc-listen", &grpc_listen][..], &tls].concat();
    let mut server = Server::start(Some(&pool), folder, "server", &arguments);
    let health = |files: &Path| {
        let [certificate, key] = ["cert.pem", "key.pem"].map(|file| text(&files.join(file)).to_owned());
        [
            ("TRADEBAHI_LISTEN", listen.clone()),
            ("TRADEBAHI_TLS_CERT_FILE", certificate),
            ("TRADEBAHI_TLS_KEY_FILE", key),
        ]
    };
    let own = health(&files);
    server.wait_until_ready(&own.each_ref().map(|(name, value)| (*name, value.as_str())));
    // Only the certificate in the file is believed.
    let foreign = health(&foreign_files);
    let (is_ready, error) = run_health(&foreign.each_ref().map(|(name, value)| (*name, value.as_str())));
    assert!(!is_ready && error.contains("another certificate"), "{error}");

    // Sends nothing: closed when a head should have arrived.
    let mut silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let silent = tokio::spawn(async move {
        let start = Instant::now();
        (silent.read(&mut [0]).await.unwrap_or(0), start.elapsed())
    });

    let http1 = connect_tls(&ours, port, b"http/1.1").await;
    assert_eq!(http1.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let page = get(http1, "/livez", "").await;
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("strict-transport-security"), "{page}");
    let endpoint = Endpoint::from_shared(url.clone()).unwrap();
    let tls = ClientTlsConfig::new().ca_certificate(ours.certificate());
    // A channel of gRPC speaks HTTP/2 only.
    let http2 = endpoint.tls_config(tls).unwrap().connect().await.unwrap();
    let response = http2.oneshot(Request::get(format!("{url}/livez")).body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!((response.status().as_u16(), response.version()), (200, http::Version::HTTP_2));
    drop(response);
    let plain = get(TcpStream::connect(("127.0.0.1", port)).await.unwrap(), "/livez", "").await;
    assert!(!plain.starts_with("HTTP/"), "serves plain text: {plain}");

    let (read, elapsed) = silent.await.unwrap();
    assert!(read == 0 && elapsed < Duration::from_secs(15), "{elapsed:?}");
    let log = server.log();
    assert!(!log.contains("handshake") && !log.contains("plain_text_listen"), "{log}");
    server.stop();
}

#[sqlx::test(migrations = "../../migrations")]
async fn unix_sockets_serve_the_site_and_grpc(pool: PgPool) {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let (http_socket, grpc_socket) = (folder.join("http.sock"), folder.join("grpc.sock"));
    // As a killed server leaves them behind.
    for socket in [&http_socket, &grpc_socket] {
        drop(UnixListener::bind(socket).unwrap());
    }
    let [listen, grpc_listen] = [&http_socket, &grpc_socket].map(|socket| format!("unix:{}", socket.display()));
    let core_arguments = ["--role", "core", "--grpc-listen", &grpc_listen];
    let mut core = Server::start(Some(&pool), folder, "core", &core_arguments);
    core.wait_until_ready(&[("TRADEBAHI_ROLE", "core"), ("TRADEBAHI_GRPC_LISTEN", &grpc_listen)]);
    let proxy = ["--public-url", "https://tradebahi.example", "--trusted-proxies", "127.0.0.1"];
    let edge_arguments = [&["--role", "edge", "--core", &*grpc_listen, "--listen", &listen][..], &proxy].concat();
    let mut edge = Server::start(None, folder, "edge", &edge_arguments);
    edge.wait_until_ready(&[("TRADEBAHI_LISTEN", &listen)]);
    for socket in [&http_socket, &grpc_socket] {
        assert_eq!(fs::metadata(socket).unwrap().permissions().mode() & 0o777, 0o660);
    }

    let request = async |path, client: Option<&str>| {
        let headers = client.map(|client| format!("x-forwarded-for: {client}\r\n")).unwrap_or_default();
        get(UnixStream::connect(&http_socket).await.unwrap(), path, &headers).await
    };
    let page = request("/careers", None).await;
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    // Metrics are not for the clients of a proxy, which may say nothing of them.
    for client in [None, Some("198.51.100.7"), Some("127.0.0.1")] {
        let metrics = request("/metrics", client).await;
        assert!(metrics.starts_with("HTTP/1.1 403 "), "{metrics}");
    }
    assert!(!edge.log().contains("untrusted_proxy") && !edge.log().contains("plain_text_listen"), "{}", edge.log());

    let second = Server::start(None, folder, "second", &edge_arguments).wait_for_failure();
    assert!(second.contains("cannot listen on unix:") && second.contains("stop the program that uses it"), "{second}");
    edge.stop();
    core.stop();
    assert!(!http_socket.exists() && !grpc_socket.exists(), "the files remain");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_text_listener_beyond_this_machine_is_logged() {
    let home = TempDir::new().unwrap();
    let listen = format!("0.0.0.0:{}", free_port());
    let proxy = ["--public-url", "https://tradebahi.example", "--trusted-proxies", "10.0.0.0/8"];
    let arguments = [&["--role", "edge", "--core", "http://127.0.0.1:1", "--listen", &*listen][..], &proxy].concat();
    let server = Server::start(None, home.path(), "edge", &arguments);
    server.wait_for_log("plain_text_listen").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_for_servers_and_clients() {
    use ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
    let home = TempDir::new().unwrap();
    let ours = Authority::new();
    for (name, usages, want) in [
        ("client", &[ClientAuth][..], "cert.pem is not valid for servers"),
        ("server", &[ServerAuth], "cert.pem is not valid for "),
        ("both", &[ServerAuth, ClientAuth], ""),
    ] {
        let files = ours.issue_for(home.path(), &format!("{name}-files"), "localhost", usages);
        let listen = format!("127.0.0.1:{}", free_port());
        let arguments = ["--role", "edge", "--core", "http://127.0.0.1:1", "--listen", &listen];
        let tls = ["--grpc-tls-dir", text(&files)];
        let server = Server::start(None, home.path(), name, &[&arguments[..], &tls].concat());
        if want.is_empty() {
            server.wait_for_log("failed to fetch keys").await;
        } else {
            let output = server.wait_for_failure();
            assert!(output.contains(want), "{name}: {output}");
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn keys_of_certificates_may_be_in_the_directory_of_secrets(pool: PgPool) {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let files = Authority::new().issue(folder, "files", "localhost");
    let secrets = folder.join("secrets");
    fs::create_dir(&secrets).unwrap();
    for name in ["tls-key", "grpc-tls-key"] {
        fs::copy(files.join("key.pem"), secrets.join(name)).unwrap();
        // As systemd shows its files.
        fs::set_permissions(secrets.join(name), Permissions::from_mode(0o440)).unwrap();
    }
    fs::remove_file(files.join("key.pem")).unwrap();
    let (certificate, port) = (files.join("cert.pem"), free_port());
    let (listen, url) = (format!("127.0.0.1:{port}"), format!("https://localhost:{port}"));
    let grpc_listen = format!("127.0.0.1:{}", free_port());
    let tls = ["--tls-cert-file", text(&certificate), "--grpc-tls-dir", text(&files), "--secrets-dir", text(&secrets)];
    let addresses = ["--listen", &listen, "--grpc-listen", &grpc_listen, "--public-url", &url];
    let mut server = Server::start(Some(&pool), folder, "server", &[&addresses[..], &tls].concat());
    server.wait_until_ready(&[("TRADEBAHI_LISTEN", &listen), ("TRADEBAHI_TLS_CERT_FILE", text(&certificate))]);
    server.wait_until_ready(&[
        ("TRADEBAHI_ROLE", "core"),
        ("TRADEBAHI_GRPC_LISTEN", &grpc_listen),
        ("TRADEBAHI_GRPC_TLS_DIR", text(&files)),
        ("TRADEBAHI_SECRETS_DIR", text(&secrets)),
    ]);
    server.stop();
}

#[test]
fn unusable_certificate_files_are_named() {
    let home = TempDir::new().unwrap();
    let (ours, others) = (Authority::new(), Authority::new());
    let other_files = others.issue(home.path(), "other", "localhost");
    let copy = |name, dir: &Path| assert!(fs::copy(other_files.join(name), dir.join(name)).is_ok());
    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Damage<'_>, &str); 7] = [
        ("no-authority", &|dir| fs::remove_file(dir.join("ca.pem")).unwrap(), "cannot read the certificate in "),
        ("empty", &|dir| fs::write(dir.join("cert.pem"), "").unwrap(), "cert.pem has no certificate"),
        (
            "cut",
            &|dir| fs::write(dir.join("cert.pem"), "-----BEGIN CERTIFICATE-----\nMII").unwrap(),
            "cert.pem is damaged",
        ),
        (
            "readable",
            &|dir| fs::set_permissions(dir.join("key.pem"), Permissions::from_mode(0o644)).unwrap(),
            "key.pem; run chmod 600",
        ),
        ("no-key", &|dir| fs::write(dir.join("key.pem"), "secret").unwrap(), "key.pem has no private key"),
        ("other-key", &|dir| copy("key.pem", dir), "key.pem is not the key of "),
        ("other-authority", &|dir| copy("ca.pem", dir), "cert.pem is not valid for "),
    ];
    for (name, damage, want) in cases {
        let files = ours.issue(home.path(), &format!("{name}-files"), "localhost");
        damage(&files);
        let arguments = ["--role", "core", "--grpc-tls-dir", text(&files)];
        let output = Server::start(None, home.path(), name, &arguments).wait_for_failure();
        assert!(output.contains(want), "{name}: {output}");
        // Those of the site too, apart from the authority.
        if !name.ends_with("authority") {
            let (certificate, key) = (files.join("cert.pem"), files.join("key.pem"));
            let tls = ["--tls-cert-file", text(&certificate), "--tls-key-file", text(&key)];
            let edge = ["--role", "edge", "--core", "http://127.0.0.1:1", "--public-url", "https://tradebahi.example"];
            let output = Server::start(None, home.path(), name, &[&edge[..], &tls].concat()).wait_for_failure();
            assert!(output.contains(want), "{name}: {output}");
        }
    }
}
