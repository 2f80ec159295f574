//! `tradebahi serve`: every setting, and what may not go together.

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::{Addresses, DatabaseSettings, LogFormat, Role, Switch, resume_dir};

/// What `serve` needs to know.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Where the data is.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// How brokers' files are read.
    #[command(flatten)]
    pub import: import::Settings,

    /// How applications are taken and kept.
    #[command(flatten)]
    pub careers: careers::Settings,

    /// How letters leave.
    #[command(flatten)]
    pub mail: mail::Settings,

    /// How passwords are hashed. Tests set it; there is no flag to weaken it.
    #[arg(skip)]
    pub auth: auth::Settings,

    /// Which part of the product this process is, and where it is reached.
    #[command(flatten)]
    pub at: Addresses,

    /// The cores of an edge, such as http://127.0.0.1:50051, separated by commas. Each call goes to one that serves.
    #[arg(long, env = "TRADEBAHI_CORE", value_delimiter = ',')]
    pub core: Vec<String>,

    /// The address that browsers use, such as https://tradebahi.example. Turns on what only https has: Secure cookies
    /// and upgraded requests.
    #[arg(long, env = "TRADEBAHI_PUBLIC_URL")]
    pub public_url: Option<http::Uri>,

    /// How many days a closed account can be taken back; then everything in it is erased.
    #[arg(
        long,
        env = "TRADEBAHI_ERASE_AFTER_DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(..=3650)
    )]
    pub erase_after_days: u32,

    /// The site that shows analytics, where it is another one. It is opened with a token in the query.
    #[arg(long, env = "ANALYTICS_URL")]
    pub analytics_url: Option<http::Uri>,

    /// Limits on how often one may ask, and the wait after failed sign-ins. Off for tests; not with a public address.
    #[arg(long, env = "TRADEBAHI_RATE_LIMITS", value_enum, default_value_t = Switch::On)]
    pub rate_limits: Switch,

    /// The built site.
    #[arg(long, env = "TRADEBAHI_WEB_DIR", default_value = "web/build/client")]
    pub web_dir: PathBuf,

    /// Proxies in front of us whose X-Forwarded-For is believed, as addresses or networks, separated by commas.
    #[arg(long, env = "TRADEBAHI_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<edge::Network>,

    /// Answer /metrics to everyone, not to loopback alone.
    #[arg(long, env = "TRADEBAHI_OPEN_METRICS")]
    pub open_metrics: bool,

    /// Describe the gRPC services to whoever asks. For development.
    #[arg(long, env = "TRADEBAHI_REFLECTION")]
    pub reflection: bool,

    /// The key that signs tokens: Ed25519, PKCS #8 as PEM, in a file for its owner's eyes only. Without it one is made
    /// and kept in the database.
    #[arg(long, env = "TRADEBAHI_SIGNING_KEY_FILE")]
    pub signing_key_file: Option<PathBuf>,

    /// What Google calls this site, for signing in with Google. Allow `/api/v1/auth/google/callback` there as the way
    /// back.
    #[arg(long, env = "GOOGLE_CLIENT_ID", requires = "google_client_secret")]
    pub google_client_id: Option<String>,

    /// What shows Google that it is this site. Better given as the variable, since others see the flags of a process.
    #[arg(long, env = "GOOGLE_CLIENT_SECRET", hide_env_values = true)]
    pub google_client_secret: Option<String>,

    /// Who plays Google in a test.
    #[arg(long, env = "TRADEBAHI_GOOGLE_ISSUER", hide = true)]
    pub google_issuer: Option<String>,

    /// Make an account with a year of made-up trades, and print its login. Not with a public address.
    #[arg(long, env = "TRADEBAHI_DEMO")]
    pub demo: bool,

    /// How log lines look.
    #[arg(long, env = "TRADEBAHI_LOG_FORMAT", value_enum, default_value_t = LogFormat::Auto)]
    pub log_format: LogFormat,
}

impl Serve {
    /// Refuses what would be unsafe.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.at.role == Role::Edge || self.at.grpc_listen.ip().is_loopback(),
            "gRPC is plain text and listens on loopback only; {} is not",
            self.at.grpc_listen
        );
        ensure!(
            self.at.role != Role::Edge || self.core.iter().all(|core| is_loopback(core)),
            "the way from edge to core is plain text and stays on loopback"
        );
        let open_to_others = self.at.role != Role::Core && !self.at.listen.ip().is_loopback();
        ensure!(
            !self.demo || (self.public_url.is_none() && !open_to_others),
            "--demo makes an account with a known password; it stays on loopback"
        );
        let https = self.public_url.as_ref().is_some_and(|url| url.scheme_str() == Some("https"));
        ensure!(
            self.rate_limits == Switch::On || !(https || open_to_others),
            "--rate-limits off lets anybody try passwords as fast as they can; it stays on loopback"
        );
        ensure!(
            !open_to_others || https,
            "{} is open to other machines, and passwords do not travel in plain text: \
             put a proxy with https in front and say its address with --public-url",
            self.at.listen
        );
        Ok(())
    }

    /// Refuses to start without the site, before anything else is started.
    pub fn check_site(&self) -> anyhow::Result<()> {
        ensure!(
            self.at.role == Role::Core || self.web_dir.join("index.html").is_file(),
            "there is no built site in {}: `npx rust-just up` builds it, --web-dir says where another is",
            self.web_dir.display()
        );
        Ok(())
    }

    /// Whether all browsers seem to be one: there is a proxy with https in front, and nobody said which it is.
    pub fn hides_browsers(&self) -> bool {
        let https = self.public_url.as_ref().is_some_and(|url| url.scheme_str() == Some("https"));
        https && self.at.role != Role::Core && self.trusted_proxies.is_empty()
    }

    /// What the edge needs to know.
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

    /// What auth needs to know.
    pub fn auth(&self) -> auth::Settings {
        auth::Settings {
            site_url: self.address().trim_end_matches('/').to_owned(),
            deletion_delay_days: self.erase_after_days,
            signing_key_file: self.signing_key_file.clone(),
            google: self.google(),
            throttle_loopback: self.rate_limits == Switch::On && self.auth.throttle_loopback,
            ..self.auth.clone()
        }
    }

    /// What careers needs to know.
    pub fn careers(&self) -> careers::Settings {
        careers::Settings {
            resume_dir: Some(resume_dir(self.careers.resume_dir.as_ref(), &self.database)),
            site_url: self.address().trim_end_matches('/').to_owned(),
            ..self.careers.clone()
        }
    }

    fn google(&self) -> Option<auth::Google> {
        let (id, secret) = (self.google_client_id.clone()?, self.google_client_secret.clone()?);
        let google = auth::Google::new(id, secret);
        Some(match &self.google_issuer {
            Some(issuer) => google.with_issuer(issuer),
            None => google,
        })
    }

    /// The address to open in a browser.
    pub fn address(&self) -> String {
        self.public_url.as_ref().map_or_else(|| format!("http://{}", self.at.listen), ToString::to_string)
    }
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
    fn plain_text_stays_on_loopback() {
        assert!(serve(&[]).check().is_ok());
        assert!(serve(&["--grpc-listen", "0.0.0.0:50051"]).check().is_err());
        for (core, fine) in [
            ("http://127.0.0.1:50051", true),
            ("http://[::1]:50051", true),
            ("http://localhost:50051", true),
            ("http://10.0.0.7:50051", false),
            ("http://core.example:50051", false),
            ("http://127.0.0.1:50051,http://127.0.0.1:50052", true),
            ("http://127.0.0.1:50051,http://10.0.0.7:50051", false),
        ] {
            assert_eq!(serve(&["--role", "edge", "--core", core]).check().is_ok(), fine, "{core}");
        }
    }

    #[test]
    fn no_more_files_are_read_at_once_than_there_are_connections_for() {
        for (parallel, fine) in [("0", false), ("1", true), ("16", true), ("17", false), ("many", false)] {
            let arguments = ["tradebahi", "serve", "--import-parallel", parallel];
            assert_eq!(Cli::try_parse_from(arguments).is_ok(), fine, "{parallel}");
        }
    }

    #[test]
    fn google_is_set_up_by_an_id_and_a_secret() {
        assert!(serve(&[]).auth().google.is_none());
        let half = ["tradebahi", "serve", "--google-client-id", "us"];
        assert!(Cli::try_parse_from(half).is_err());
        let both = serve(&["--google-client-id", "us", "--google-client-secret", "of us"]).auth().google.unwrap();
        assert_eq!(both.issuer, "https://accounts.google.com");
        assert!(!format!("{both:?}").contains("of us"));
    }

    #[test]
    fn letters_are_sent_in_somebodys_name() {
        let smtp = ["tradebahi", "serve", "--smtp-url", "smtp://127.0.0.1"];
        assert!(Cli::try_parse_from(smtp).is_err());
        assert!(Cli::try_parse_from(smtp.iter().chain(&["--mail-from", "a@example.in"])).is_ok());
    }

    #[test]
    fn links_in_letters_lead_to_the_site() {
        for (arguments, want) in [
            (&[][..], "http://127.0.0.1:8080"),
            (&["--listen", "127.0.0.1:9000"], "http://127.0.0.1:9000"),
            (&["--public-url", "https://tradebahi.example"], "https://tradebahi.example"),
        ] {
            assert_eq!(serve(arguments).auth().site, want);
        }
    }

    #[test]
    fn limits_hold_wherever_others_can_come() {
        let check = |arguments: &[&str]| serve(&[&["--rate-limits", "off"], arguments].concat()).check().is_ok();
        assert!(check(&[]) && check(&["--public-url", "http://127.0.0.1:8080"]));
        assert!(!check(&["--public-url", "https://tradebahi.example"]));
        assert!(!check(&["--listen", "0.0.0.0:8080", "--public-url", "https://tradebahi.example"]));
        let off = serve(&["--rate-limits", "off"]);
        assert!(off.edge().no_rate_limits && !off.auth().throttle_loopback);
        assert!(!serve(&[]).edge().no_rate_limits && serve(&[]).auth().throttle_loopback);
    }

    #[test]
    fn a_proxy_that_is_not_named_hides_who_comes_through_it() {
        let https = ["--public-url", "https://tradebahi.example"];
        assert!(serve(&https).hides_browsers() && !serve(&[]).hides_browsers());
        assert!(!serve(&[&https[..], &["--trusted-proxies", "127.0.0.1"]].concat()).hides_browsers());
    }

    #[test]
    fn a_known_password_is_not_put_on_a_public_address() {
        assert!(serve(&["--demo"]).check().is_ok());
        assert!(serve(&["--demo", "--public-url", "https://tradebahi.example"]).check().is_err());
        assert!(serve(&["--demo", "--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080", "--public-url", "http://127.0.0.1:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080", "--public-url", "https://tradebahi.example"]).check().is_ok());
    }
}
