//! Every setting, once: a flag, an environment variable, and what it means.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// The account book of a trader in India.
#[derive(Debug, Parser)]
#[command(name = "tradebahi", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the binary does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the product: the site and REST, and gRPC.
    Serve(Box<Serve>),
    /// Bring the database to the newest schema and stop.
    Migrate(DatabaseSettings),
    /// Print the REST contract.
    Openapi,
}

/// Which part of the product a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Everything in one process.
    All,
    /// gRPC and the database.
    Core,
    /// The site and REST, in front of a core.
    Edge,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people on a terminal, JSON otherwise.
    Auto,
    /// One JSON object a line.
    Json,
    /// Lines for people.
    Pretty,
}

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct DatabaseSettings {
    /// A Postgres of yours, such as postgres://user@host/tradebahi. Without it one is made in the data directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// Where everything that lasts is kept.
    #[arg(long, env = "TRADEBAHI_DATA_DIR", default_value = ".data")]
    pub data_dir: PathBuf,
}

/// What `serve` needs to know.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Where the data is.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// How brokers' files are read.
    #[command(flatten)]
    pub import: import::Settings,

    /// How passwords are hashed. Tests set it; there is no flag to weaken it.
    #[arg(skip)]
    pub auth: auth::Settings,

    /// Which part of the product this process is.
    #[arg(long, env = "TRADEBAHI_ROLE", value_enum, default_value_t = Role::All)]
    pub role: Role,

    /// The core of an edge, such as http://127.0.0.1:50051.
    #[arg(long, env = "TRADEBAHI_CORE")]
    pub core: Option<String>,

    /// Where the site and REST listen.
    #[arg(long, env = "TRADEBAHI_LISTEN", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080))]
    pub listen: SocketAddr,

    /// Where gRPC listens. Plain text, so on loopback only.
    #[arg(long, env = "TRADEBAHI_GRPC_LISTEN", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 50051))]
    pub grpc_listen: SocketAddr,

    /// The address that browsers use, such as https://tradebahi.example. Turns on what only https has: Secure cookies
    /// and upgraded requests.
    #[arg(long, env = "TRADEBAHI_PUBLIC_URL")]
    pub public_url: Option<http::Uri>,

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
            self.role == Role::Edge || self.grpc_listen.ip().is_loopback(),
            "gRPC is plain text and listens on loopback only; {} is not",
            self.grpc_listen
        );
        ensure!(
            self.role != Role::Edge || self.core.as_deref().is_none_or(is_loopback),
            "the way from edge to core is plain text and stays on loopback"
        );
        let open_to_others = self.role != Role::Core && !self.listen.ip().is_loopback();
        ensure!(
            !self.demo || (self.public_url.is_none() && !open_to_others),
            "--demo makes an account with a known password; it stays on loopback"
        );
        ensure!(
            !open_to_others || self.public_url.is_some(),
            "{} is open to other machines, and passwords do not travel in plain text: \
             put a proxy with https in front and say its address with --public-url",
            self.listen
        );
        Ok(())
    }

    /// Refuses to start without the site, before anything else is started.
    pub fn check_site(&self) -> anyhow::Result<()> {
        ensure!(
            self.role == Role::Core || self.web_dir.join("index.html").is_file(),
            "there is no built site in {}: `npx rust-just up` builds it, --web-dir says where another is",
            self.web_dir.display()
        );
        Ok(())
    }

    /// What the edge needs to know.
    pub fn edge(&self) -> edge::Settings {
        edge::Settings {
            public_url: self.public_url.clone(),
            web_dir: Some(self.web_dir.clone()),
            trusted_proxies: self.trusted_proxies.clone(),
            open_metrics: self.open_metrics,
            ..edge::Settings::default()
        }
    }

    /// The address to open in a browser.
    pub fn address(&self) -> String {
        self.public_url.as_ref().map_or_else(|| format!("http://{}", self.listen), ToString::to_string)
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
        ] {
            assert_eq!(serve(&["--role", "edge", "--core", core]).check().is_ok(), fine, "{core}");
        }
    }

    #[test]
    fn a_known_password_is_not_put_on_a_public_address() {
        assert!(serve(&["--demo"]).check().is_ok());
        assert!(serve(&["--demo", "--public-url", "https://tradebahi.example"]).check().is_err());
        assert!(serve(&["--demo", "--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080"]).check().is_err());
        assert!(serve(&["--listen", "0.0.0.0:8080", "--public-url", "https://tradebahi.example"]).check().is_ok());
    }
}
