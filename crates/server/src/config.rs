//! Every setting, once: a flag, an environment variable, and what it means.

mod applications;
mod serve;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

pub use self::applications::{Applications, ApplicationsCommand, FileFormat, Filter, View};
pub use self::serve::Serve;

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
    Migrate {
        /// Where the data is.
        #[command(flatten)]
        database: DatabaseSettings,
        /// Spread the tables over the nodes of a Citus cluster as well, those that are not spread yet.
        #[arg(long)]
        distribute: bool,
    },
    /// The credentials of internal services.
    ServiceToken {
        /// Where the data is.
        #[command(flatten)]
        database: DatabaseSettings,
        /// What to do with them.
        #[command(subcommand)]
        command: ServiceToken,
    },
    /// What candidates sent. Every look at it leaves a record.
    Applications(Box<Applications>),
    /// Say what a broker's file holds: its format, trades, and every row that is left out. Stores nothing.
    Import(ImportFile),
    /// Write the database and every resume, as of one moment, into one file. The server may run meanwhile.
    Backup(Backup),
    /// Bring a backup into an empty database, with its resumes. All of it, or nothing.
    Restore(Restore),
    /// Ask the server at this machine whether it can serve, and fail when it cannot: for what watches over it.
    Health(Addresses),
    /// Print the REST contract.
    Openapi,
}

/// Where the backup goes.
#[derive(Debug, Args)]
pub struct Backup {
    /// What to back up.
    #[command(flatten)]
    pub kept: Kept,

    /// The file to make, or a folder that gets one named after the time. No file is written over.
    pub to: PathBuf,
}

/// Where the backup comes from.
#[derive(Debug, Args)]
// By default resumes go where its own cluster is; of a database that is elsewhere, nobody has said where they are.
#[command(
    mut_arg("database_url", |url| url.requires("folder")),
    group(ArgGroup::new("folder").args(["data_dir", "resume_dir"]).multiple(true))
)]
pub struct Restore {
    /// Where to bring it.
    #[command(flatten)]
    pub kept: Kept,

    /// What `tradebahi backup` made.
    pub file: PathBuf,
}

/// Which file to read, and how to tell it.
#[derive(Debug, Args)]
pub struct ImportFile {
    /// A tradebook of Zerodha, or an order history or F&O report of Groww: .xlsx, .xls or .csv.
    pub file: PathBuf,
    /// Tell it as JSON, as `POST /upload` does.
    #[arg(long)]
    pub json: bool,
}

/// What is done with the credentials of internal services.
#[derive(Debug, Subcommand)]
pub enum ServiceToken {
    /// Make one and print it, this once.
    Create {
        /// The service, in small letters, digits and dashes.
        #[arg(value_parser = service_name)]
        name: String,
        /// What it may do. Can be given several times.
        #[arg(long = "scope", required = true, value_parser = PossibleValuesParser::new(rpc::access::all_scopes()))]
        scopes: Vec<String>,
    },
    /// List them.
    List,
    /// Take one out of use.
    Revoke {
        /// The service.
        name: String,
    },
}

fn service_name(name: &str) -> Result<String, &'static str> {
    let fits = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !fits || name.is_empty() || name.len() > 64 {
        return Err("a name has up to 64 small letters, digits and dashes");
    }
    Ok(name.to_owned())
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

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It does.
    On,
    /// It does not.
    Off,
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

/// Where everything is that lasts.
#[derive(Clone, Debug, Args)]
pub struct Kept {
    /// Where the data is.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// Where resumes are kept. By default `resumes` in the data directory.
    #[arg(long, env = "TRADEBAHI_RESUME_DIR")]
    pub resume_dir: Option<PathBuf>,
}

impl Kept {
    /// Where resumes are kept.
    pub fn resume_dir(&self) -> PathBuf {
        resume_dir(self.resume_dir.as_ref(), &self.database)
    }
}

fn resume_dir(chosen: Option<&PathBuf>, database: &DatabaseSettings) -> PathBuf {
    chosen.cloned().unwrap_or_else(|| database.data_dir.join("resumes"))
}

/// Which part of the product a process is, and where it is reached.
#[derive(Clone, Debug, Args)]
pub struct Addresses {
    /// Which part of the product this process is.
    #[arg(long, env = "TRADEBAHI_ROLE", value_enum, default_value_t = Role::All)]
    pub role: Role,

    /// Where the site and REST listen.
    #[arg(long, env = "TRADEBAHI_LISTEN", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080))]
    pub listen: SocketAddr,

    /// Where gRPC listens. Plain text, so on loopback only.
    #[arg(long, env = "TRADEBAHI_GRPC_LISTEN", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 50051))]
    pub grpc_listen: SocketAddr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resumes_are_in_no_folder_that_nobody_named() {
        for [errand, what] in [["restore", "backup.zip"], ["applications", "list"]] {
            let elsewhere = ["--database-url", "postgres://a@localhost/t"];
            let with =
                |settings: &[&'static str]| Cli::try_parse_from([&["tradebahi", errand], settings, &[what]].concat());
            let refused = with(&elsewhere).unwrap_err().to_string();
            assert!(refused.contains("<--data-dir <DATA_DIR>|--resume-dir <RESUME_DIR>>"), "{errand}: {refused}");
            for folder in ["--data-dir", "--resume-dir"] {
                with(&[&elsewhere[..], &[folder, "somewhere"]].concat()).unwrap();
            }
            with(&["--data-dir", "somewhere"]).unwrap();
        }
    }
}
