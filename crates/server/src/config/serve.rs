//! Settings of `tradebahi serve`, and the combinations that are rejected.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use super::listen_address::unix_path;
use super::{Addresses, DatabaseSettings, EncryptionSettings, LogFormat, Role, Switch, resume_dir, screenshot_dir};
use crate::secret_file::{SecretFile, SecretsDir};

/// Settings of `tradebahi serve`.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Location of the database.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// Keys that encrypt secrets in the database.
    #[command(flatten)]
    pub encryption: EncryptionSettings,

    /// Settings of imports.
    #[command(flatten)]
    pub import: import::Settings,

    /// Settings of applications.
    #[command(flatten)]
    pub careers: careers::Settings,

    /// Settings of the journal.
    #[command(flatten)]
    pub journal: journal::Settings,

    /// Settings of emails.
    #[command(flatten)]
    pub mail: mail::Settings,

    /// Settings of password hashing, which tests set and no flag weakens, and the secrets that
    /// [`read_secrets`](Self::read_secrets) has read.
    #[arg(skip)]
    pub auth: auth::Settings,

    /// Names of the files in the directory of secrets that have set a setting.
    #[arg(skip)]
    pub secret_names: Vec<String>,

    /// Gateway for text messages: https, or http on loopback. Gets {"to", "text"} as JSON. Without it, phone numbers cannot be
    /// verified and used to log in; without an https address they are written to files beside the emails.
    #[arg(long, env = "TRADEBAHI_SMS_GATEWAY_URL")]
    pub sms_gateway_url: Option<url::Url>,

    /// File with the bearer token of the gateway, readable by its owner only.
    #[arg(long, env = "TRADEBAHI_SMS_GATEWAY_TOKEN_FILE")]
    pub sms_gateway_token_file: Option<SecretFile>,

    /// Role and listen addresses.
    #[command(flatten)]
    pub addresses: Addresses,

    /// Core addresses of an edge, separated by commas: https://HOST:PORT with --grpc-tls-dir, http://127.0.0.1:PORT, or
    /// unix:PATH. Each call goes to a healthy one.
    #[arg(long, env = "TRADEBAHI_CORE", value_delimiter = ',')]
    pub core: Vec<String>,

    /// File with the service token of an edge, readable by its owner only. Create the token with the scope
    /// clients:state. Without it, cores count the logins of all clients as those of the edge.
    #[arg(long, env = "TRADEBAHI_EDGE_TOKEN_FILE")]
    pub edge_token_file: Option<SecretFile>,

    /// Address that browsers use, such as https://tradebahi.example. With https it turns on Secure cookies and other
    /// https features.
    #[arg(long, env = "TRADEBAHI_PUBLIC_URL")]
    pub public_url: Option<url::Url>,

    /// Days in which a closed account can be restored; afterwards all its data is deleted.
    #[arg(
        long,
        env = "TRADEBAHI_ERASE_AFTER_DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(..=3650)
    )]
    pub erase_after_days: u32,

    /// Analytics site, if it is another one. Opened with a token in the query. Default: `/analytics` of this site.
    #[arg(long, env = "ANALYTICS_URL")]
    pub analytics_url: Option<url::Url>,

    /// Rate limits and login throttling. `off` on loopback only, for tests.
    #[arg(long, env = "TRADEBAHI_RATE_LIMITS", value_enum, default_value_t = Switch::On)]
    pub rate_limits: Switch,

    /// Directory of the built site.
    #[arg(long, env = "TRADEBAHI_WEB_DIR", default_value = "web/build/client")]
    pub web_dir: PathBuf,

    /// Proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas.
    #[arg(long, env = "TRADEBAHI_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<edge::Network>,

    /// Serve /metrics to everyone instead of loopback only.
    #[arg(long, env = "TRADEBAHI_OPEN_METRICS")]
    pub open_metrics: bool,

    /// Serve gRPC reflection. For development.
    #[arg(long, env = "TRADEBAHI_REFLECTION")]
    pub reflection: bool,

    /// Ed25519 signing key of tokens, PKCS #8 PEM, readable by its owner only. Default: generated once and stored in the
    /// database.
    #[arg(long, env = "TRADEBAHI_SIGNING_KEY_FILE")]
    pub signing_key_file: Option<SecretFile>,

    /// Client id at Google, for login with Google. Allow `/api/v1/auth/google/callback` there as redirect URI.
    #[arg(long, env = "GOOGLE_CLIENT_ID")]
    pub google_client_id: Option<String>,

    /// Client secret at Google. Prefer the environment variable, because other users can see the flags of a process.
    #[arg(long, env = "GOOGLE_CLIENT_SECRET", hide_env_values = true)]
    pub google_client_secret: Option<String>,

    /// Issuer that replaces Google in tests.
    #[arg(long, env = "TRADEBAHI_GOOGLE_ISSUER", hide = true)]
    pub google_issuer: Option<String>,

    /// Create a demo account with a year of generated trades, and print its login. On loopback only.
    #[arg(long, env = "TRADEBAHI_DEMO")]
    pub demo: bool,

    /// Format of log lines.
    #[arg(long, env = "TRADEBAHI_LOG_FORMAT", value_enum, default_value_t = LogFormat::Auto)]
    pub log_format: LogFormat,
}

impl Serve {
    /// Rejects unsafe settings.
    pub fn check(&self) -> anyhow::Result<()> {
        self.check_grpc()?;
        self.check_listen()?;
        let is_public = self.is_public();
        ensure!(
            !self.demo || (self.public_url.is_none() && !is_public),
            "--demo creates an account with a known password; use it on loopback only"
        );
        let https = self.is_https();
        ensure!(
            self.rate_limits == Switch::On || !(https || is_public),
            "--rate-limits off allows unlimited password guesses; use it on loopback only"
        );
        ensure!(
            !is_public || https,
            "{} is open to other machines, and passwords need https: put a proxy with https in front, or set --tls-cert-file, \
             and set the address that browsers use with --public-url",
            self.addresses.listen
        );
        ensure!(
            self.sms_gateway_url.as_ref().is_none_or(|url| url.scheme() == "https" || is_loopback(url.as_str())),
            "--sms-gateway-url must be https, because codes are secret"
        );
        // Not checked by clap, because these secrets may come from the directory of secrets.
        ensure!(
            self.sms_gateway_url.is_none() || self.sms_gateway_token_file.is_some(),
            "--sms-gateway-url requires a token: --sms-gateway-token-file, or sms-gateway-token in --secrets-dir"
        );
        ensure!(
            self.google_client_id.is_none() || self.google_client_secret.is_some(),
            "--google-client-id requires a secret: GOOGLE_CLIENT_SECRET, or google-client-secret in --secrets-dir"
        );
        ensure!(self.mail.smtp_url.is_none() || self.mail.mail_from.is_some(), "a mail server requires --mail-from");
        if let Some(careers::ScannerAddress::Tcp(scanner)) = &self.careers.resume_scanner {
            ensure!(
                is_loopback(scanner),
                "--resume-scanner {scanner} is on another machine, and its protocol is plain text: run the scanner on this one"
            );
        }
        Ok(())
    }

    /// Rejects plain text between edge and core that other machines could read.
    fn check_grpc(&self) -> anyhow::Result<()> {
        let Addresses { role, grpc_listen, grpc_tls_dir, .. } = &self.addresses;
        if *role == Role::Edge {
            return self.core.iter().try_for_each(|core| check_core(core, grpc_tls_dir.is_some()));
        }
        ensure!(
            grpc_listen.is_local() || grpc_tls_dir.is_some(),
            "--grpc-listen {grpc_listen} is open to other machines, and gRPC is plain text without --grpc-tls-dir: set it"
        );
        ensure!(
            !(grpc_listen.is_unix() && grpc_tls_dir.is_some()),
            "--grpc-listen {grpc_listen} is a Unix socket, which has no TLS: remove --grpc-tls-dir"
        );
        Ok(())
    }

    /// Rejects https and Unix sockets without the address that browsers use, which links and cookies depend on, and Unix
    /// sockets whose proxy is not trusted.
    fn check_listen(&self) -> anyhow::Result<()> {
        let Addresses { role, listen, tls_cert_file, tls_key_file, .. } = &self.addresses;
        if *role == Role::Core {
            return Ok(());
        }
        ensure!(
            !(listen.is_unix() && tls_cert_file.is_some()),
            "--listen {listen} is a Unix socket, which has no TLS: remove --tls-cert-file and --tls-key-file"
        );
        // Not checked by clap, because the key may come from the directory of secrets.
        ensure!(
            tls_cert_file.is_none() || tls_key_file.is_some(),
            "--tls-cert-file requires a key: --tls-key-file, or tls-key in --secrets-dir"
        );
        ensure!(
            tls_cert_file.is_none() || self.is_https(),
            "--tls-cert-file makes {listen} https: set the https address that browsers use with --public-url"
        );
        ensure!(
            !listen.is_unix() || self.public_url.is_some(),
            "--listen {listen} is behind a proxy: set the address that browsers use with --public-url"
        );
        let unix_peer = IpAddr::from(Ipv4Addr::LOCALHOST);
        ensure!(
            !listen.is_unix() || self.trusted_proxies.iter().any(|network| network.contains(unix_peer)),
            "--listen {listen} is behind a proxy, which counts as 127.0.0.1: set --trusted-proxies 127.0.0.1, so that \
             limits tell its clients apart"
        );
        Ok(())
    }

    /// Returns true if browsers use https.
    fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// Returns true if other machines can open the site.
    fn is_public(&self) -> bool {
        self.addresses.role != Role::Core && !self.addresses.listen.is_local()
    }

    /// Returns true if other machines can open the site without TLS, which only the proxy is meant to do.
    pub fn listens_in_plain_text(&self) -> bool {
        self.is_public() && self.addresses.tls_cert_file.is_none()
    }

    /// Sets settings that are not set from the directory of secrets.
    pub(super) fn fill_from(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        self.database.fill_from(secrets)?;
        self.encryption.fill_from(secrets)?;
        secrets.fill_bucket_key(self.journal.screenshot_dir.as_mut())?;
        secrets.fill_text(&mut self.mail.smtp_url, "smtp-url")?;
        secrets.fill_text(&mut self.google_client_secret, "google-client-secret")?;
        secrets.fill_file(&mut self.sms_gateway_token_file, "sms-gateway-token")?;
        secrets.fill_file(&mut self.edge_token_file, "edge-token")?;
        self.addresses.fill_from(secrets)?;
        secrets.fill_file(&mut self.signing_key_file, "signing-key")?;
        self.secret_names = secrets.used_names();
        Ok(())
    }

    /// Reads the secrets in files into the settings of auth.
    pub(super) fn read_secrets(&mut self) -> anyhow::Result<()> {
        if let (Some(url), Some(file)) = (&self.sms_gateway_url, &self.sms_gateway_token_file) {
            let token = file.read_line("token of the SMS gateway")?;
            self.auth.sms = Some(auth::Sms::Gateway { url: url.to_string(), token: token.as_str().into() });
        }
        if let Some(file) = &self.signing_key_file {
            let key = auth::SigningKey::from_pem(&file.read_text("signing key")?);
            self.auth.signing_key =
                Some(key.with_context(|| format!("invalid signing key in {}", file.path().display()))?);
        }
        self.auth.encryption_keys = self.encryption.read_keys()?;
        Ok(())
    }

    /// Rejects a directory without the built site, before anything else starts.
    pub fn check_site(&self) -> anyhow::Result<()> {
        ensure!(
            self.addresses.role == Role::Core || self.web_dir.join("index.html").is_file(),
            "no built site in {}: build it with `npx rust-just up`, or set --web-dir",
            self.web_dir.display()
        );
        Ok(())
    }

    /// Returns true if the server stores signing keys and seeds of authenticator apps of a public site without encryption.
    pub fn lacks_encryption_key(&self) -> bool {
        self.is_https() && self.addresses.role != Role::Edge && self.auth.encryption_keys.first_id().is_none()
    }

    /// Returns true if an https proxy is in front but not trusted, so that all clients appear to have its address.
    pub fn lacks_trusted_proxies(&self) -> bool {
        let is_behind_proxy = self.addresses.role != Role::Core && self.addresses.tls_cert_file.is_none();
        self.is_https() && is_behind_proxy && self.trusted_proxies.is_empty()
    }

    /// Returns the settings of the edge.
    pub fn edge(&self) -> edge::Settings {
        edge::Settings {
            public_url: self.public_url.clone(),
            web_dir: Some(self.web_dir.clone()),
            trusted_proxies: self.trusted_proxies.clone(),
            open_metrics: self.open_metrics,
            analytics_url: self.analytics_url.clone(),
            no_rate_limits: self.rate_limits == Switch::Off,
            spool_dir: Some(self.import.spool_dir.clone()),
            ..edge::Settings::default()
        }
    }

    /// Returns the settings of auth.
    pub fn auth(&self) -> auth::Settings {
        auth::Settings {
            site_url: self.address().trim_end_matches('/').to_owned(),
            deletion_delay_days: self.erase_after_days,
            google: self.google(),
            sms: self.sms(),
            throttle_loopback: self.rate_limits == Switch::On && self.auth.throttle_loopback,
            ..self.auth.clone()
        }
    }

    /// Returns the settings of careers.
    pub fn careers(&self) -> careers::Settings {
        careers::Settings {
            resume_dir: Some(resume_dir(self.careers.resume_dir.as_ref(), &self.database)),
            site_url: self.address().trim_end_matches('/').to_owned(),
            ..self.careers.clone()
        }
    }

    /// Returns the settings of the journal.
    pub fn journal(&self) -> journal::Settings {
        journal::Settings {
            screenshot_dir: Some(screenshot_dir(self.journal.screenshot_dir.as_ref(), &self.database)),
            ..self.journal.clone()
        }
    }

    /// Returns the gateway, or files unless browsers use an https address.
    fn sms(&self) -> Option<auth::Sms> {
        let files = || auth::Sms::Files(self.database.data_dir().join("mail"));
        self.auth.sms.clone().or_else(|| (!self.is_https()).then(files))
    }

    fn google(&self) -> Option<auth::Google> {
        let (id, secret) = (self.google_client_id.clone()?, self.google_client_secret.clone()?);
        let google = auth::Google::new(id, secret);
        Some(match &self.google_issuer {
            Some(issuer) => google.with_issuer(issuer),
            None => google,
        })
    }

    /// Returns the address of the site for browsers.
    pub fn address(&self) -> String {
        self.public_url.as_ref().map_or_else(|| format!("http://{}", self.addresses.listen), ToString::to_string)
    }
}

/// Rejects a core address that is invalid or would send plain text to another machine.
fn check_core(core: &str, has_tls: bool) -> anyhow::Result<()> {
    if let Some(path) = unix_path(core) {
        ensure!(!path.is_empty(), "--core {core} names no file: unix:PATH");
        return Ok(());
    }
    let uri = core.parse::<http::Uri>().ok();
    match uri.as_ref().and_then(http::Uri::scheme_str) {
        Some("https") => ensure!(has_tls, "--core {core} needs certificates: set --grpc-tls-dir"),
        Some("http") => ensure!(
            is_loopback(core),
            "--core {core} is plain text to another machine: use https and set --grpc-tls-dir"
        ),
        _ => bail!("--core {core} is invalid: use https://HOST:PORT, http://127.0.0.1:PORT or unix:PATH"),
    }
    Ok(())
}

fn is_loopback(address: &str) -> bool {
    let host = address.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    host.is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::config::{Cli, Command};

    fn serve(arguments: &[&str]) -> Box<Serve> {
        let Command::Serve(settings) = Cli::parse_from(["tradebahi", "serve"].iter().chain(arguments)).command else {
            panic!("not serve")
        };
        settings
    }

    #[test]
    fn rejects_plain_text_beyond_loopback() {
        assert!(serve(&[]).check().is_ok());
        assert!(serve(&["--grpc-listen", "0.0.0.0:50051"]).check().is_err());
        for (core, allowed) in [
            ("http://127.0.0.1:50051", true),
            ("http://[::1]:50051", true),
            ("http://localhost:50051", true),
            ("http://10.0.0.7:50051", false),
            ("http://core.example:50051", false),
            ("http://127.0.0.1:50051,http://127.0.0.1:50052", true),
            ("http://127.0.0.1:50051,http://10.0.0.7:50051", false),
        ] {
            assert_eq!(serve(&["--role", "edge", "--core", core]).check().is_ok(), allowed, "{core}");
        }
    }

    #[test]
    fn tls_opens_grpc_to_other_machines() {
        let tls = ["--grpc-tls-dir", "/certificates"];
        assert!(serve(&[&tls[..], &["--grpc-listen", "0.0.0.0:50051"]].concat()).check().is_ok());
        assert!(serve(&["--grpc-listen", "unix:/run/grpc.sock"]).check().is_ok());
        assert!(serve(&[&tls[..], &["--grpc-listen", "unix:/run/grpc.sock"]].concat()).check().is_err());
        for (core, with_tls, without_tls) in [
            ("https://10.0.0.7:50051", true, false),
            ("https://core.example:50051", true, false),
            ("http://127.0.0.1:50051", true, true),
            ("http://10.0.0.7:50051", false, false),
            ("https://10.0.0.7:50051,http://10.0.0.7:50051", false, false),
            ("unix:/run/grpc.sock", true, true),
            ("unix:///run/grpc.sock,https://10.0.0.7:50051", true, false),
            ("unix:", false, false),
            ("127.0.0.1:50051", false, false),
            ("ftp://127.0.0.1:50051", false, false),
        ] {
            let edge = ["--role", "edge", "--core", core];
            assert_eq!(serve(&[&tls[..], &edge].concat()).check().is_ok(), with_tls, "{core}");
            assert_eq!(serve(&edge).check().is_ok(), without_tls, "{core}");
        }
    }

    #[test]
    fn https_and_unix_sockets_need_a_public_url() {
        let https = ["--public-url", "https://tradebahi.example"];
        let tls = ["--tls-cert-file", "/cert.pem", "--tls-key-file", "/key.pem"];
        let unix = ["--listen", "unix:/run/http.sock"];
        let without_key = ["--tls-cert-file", "/cert.pem"];
        let error = serve(&[&without_key[..], &https].concat()).check().unwrap_err().to_string();
        assert!(error.contains("requires a key"), "{error}");
        assert!(Cli::try_parse_from(["tradebahi", "serve", "--tls-key-file", "/key.pem"]).is_err());
        let trusted = ["--listen", "unix:/run/http.sock", "--trusted-proxies", "127.0.0.1"];
        for arguments in [&tls[..], &trusted] {
            assert!(serve(arguments).check().is_err(), "{arguments:?}");
            assert!(serve(&[arguments, &https].concat()).check().is_ok(), "{arguments:?}");
        }
        let error = serve(&[&unix[..], &https].concat()).check().unwrap_err().to_string();
        assert!(error.contains("--trusted-proxies 127.0.0.1"), "{error}");
        let other = ["--trusted-proxies", "10.0.0.0/8"];
        assert!(serve(&[&unix[..], &https, &other].concat()).check().is_err());
        assert!(serve(&[&tls[..], &["--public-url", "http://127.0.0.1:8080"]].concat()).check().is_err());
        assert!(serve(&[&tls[..], &["--listen", "0.0.0.0:8443"]].concat()).check().is_err());
        assert!(serve(&[&tls[..], &["--listen", "0.0.0.0:8443"], &https].concat()).check().is_ok());
        assert!(serve(&[&tls[..], &trusted, &https].concat()).check().is_err());
        // A core serves neither.
        assert!(serve(&[&unix[..], &["--role", "core"]].concat()).check().is_ok());
    }

    #[test]
    fn detects_plain_text_beyond_this_machine() {
        let check = |arguments: &[&str]| {
            let https = ["--public-url", "https://tradebahi.example"];
            serve(&[&https[..], arguments].concat()).listens_in_plain_text()
        };
        assert!(check(&["--listen", "0.0.0.0:8080"]));
        assert!(!check(&[]) && !check(&["--listen", "unix:/run/http.sock"]));
        assert!(!check(&["--listen", "0.0.0.0:8080", "--role", "core"]));
        assert!(!check(&["--listen", "0.0.0.0:8080", "--tls-cert-file", "/cert.pem", "--tls-key-file", "/key.pem"]));
    }

    #[test]
    fn a_malware_scanner_is_on_this_machine() {
        for (scanner, allowed) in [
            ("127.0.0.1:3310", true),
            ("[::1]:3310", true),
            ("localhost:3310", true),
            ("/run/clamav/clamd.sock", true),
            ("10.0.0.7:3310", false),
            ("clamav:3310", false),
        ] {
            assert_eq!(serve(&["--resume-scanner", scanner]).check().is_ok(), allowed, "{scanner}");
        }
    }

    #[test]
    fn import_parallel_is_limited_by_the_number_of_connections() {
        for (parallel, allowed) in [("0", false), ("1", true), ("16", true), ("17", false), ("many", false)] {
            let arguments = ["tradebahi", "serve", "--import-parallel", parallel];
            assert_eq!(Cli::try_parse_from(arguments).is_ok(), allowed, "{parallel}");
        }
    }

    #[test]
    fn google_login_requires_an_id_and_a_secret() {
        assert!(serve(&[]).auth().google.is_none());
        let only_id = ["tradebahi", "serve", "--google-client-id", "us"];
        let error = serve(&only_id[2..]).check().unwrap_err().to_string();
        assert!(error.contains("--google-client-id requires a secret"), "{error}");
        let both =
            serve(&["--google-client-id", "us", "--google-client-secret", "secret of ours"]).auth().google.unwrap();
        assert_eq!(both.issuer, "https://accounts.google.com");
        assert!(!format!("{both:?}").contains("secret of ours"));
    }

    #[test]
    fn a_mail_server_requires_a_sender() {
        let smtp = ["tradebahi", "serve", "--smtp-url", "smtp://127.0.0.1"];
        assert!(Cli::try_parse_from(smtp).is_err());
        assert!(Cli::try_parse_from(smtp.iter().chain(&["--mail-from", "a@example.in"])).is_ok());
    }

    #[test]
    fn s4_without_a_gateway_text_messages_are_files_in_development_only() {
        assert!(matches!(serve(&[]).auth().sms, Some(auth::Sms::Files(_))));
        assert!(serve(&["--public-url", "https://tradebahi.example"]).auth().sms.is_none());
        let gateway = |url: &'static str| ["--sms-gateway-url", url, "--sms-gateway-token-file", "/none"];
        let without_token = ["tradebahi", "serve", "--sms-gateway-url", "https://sms.example"];
        let error = serve(&without_token[2..]).check().unwrap_err().to_string();
        assert!(error.contains("--sms-gateway-url requires a token"), "{error}");
        for (url, allowed) in
            [("https://sms.example/send", true), ("http://127.0.0.1:9000", true), ("http://sms.example", false)]
        {
            assert_eq!(serve(&gateway(url)).check().is_ok(), allowed, "{url}");
        }
        let error = serve(&gateway("https://sms.example")).read_secrets().unwrap_err().to_string();
        assert_eq!(error, "cannot read the token of the SMS gateway in /none");
    }

    #[test]
    fn links_in_emails_use_the_address_of_the_site() {
        for (arguments, want) in [
            (&[][..], "http://127.0.0.1:8080"),
            (&["--listen", "127.0.0.1:9000"], "http://127.0.0.1:9000"),
            (&["--public-url", "https://tradebahi.example"], "https://tradebahi.example"),
        ] {
            assert_eq!(serve(arguments).auth().site_url, want);
        }
    }

    #[test]
    fn rate_limits_can_be_off_on_loopback_only() {
        let check = |arguments: &[&str]| serve(&[&["--rate-limits", "off"], arguments].concat()).check().is_ok();
        assert!(check(&[]) && check(&["--public-url", "http://127.0.0.1:8080"]));
        assert!(!check(&["--public-url", "https://tradebahi.example"]));
        assert!(!check(&["--listen", "0.0.0.0:8080", "--public-url", "https://tradebahi.example"]));
        let off = serve(&["--rate-limits", "off"]);
        assert!(off.edge().no_rate_limits && !off.auth().throttle_loopback);
        assert!(!serve(&[]).edge().no_rate_limits && serve(&[]).auth().throttle_loopback);
    }

    #[test]
    fn detects_an_https_proxy_that_is_not_trusted() {
        let https = ["--public-url", "https://tradebahi.example"];
        assert!(serve(&https).lacks_trusted_proxies() && !serve(&[]).lacks_trusted_proxies());
        assert!(!serve(&[&https[..], &["--trusted-proxies", "127.0.0.1"]].concat()).lacks_trusted_proxies());
        let tls = ["--tls-cert-file", "/cert.pem", "--tls-key-file", "/key.pem"];
        assert!(!serve(&[&https[..], &tls].concat()).lacks_trusted_proxies());
    }

    #[test]
    fn the_demo_account_and_plain_http_are_rejected_on_a_public_address() {
        assert!(serve(&["--demo"]).check().is_ok());
        assert!(serve(&["--demo", "--public-url", "https://tradebahi.example"]).check().is_err());
        assert!(serve(&["--demo", "--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080", "--public-url", "http://127.0.0.1:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080", "--public-url", "https://tradebahi.example"]).check().is_ok());
    }
}
