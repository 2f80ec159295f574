//! Command line: commands, flags and their environment variables.

mod applications;
mod import_command;
mod listen_address;
mod serve;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use auth::encryption::EncryptionKeys;
use clap::builder::{PossibleValuesParser, Resettable};
use clap::{Arg, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum, value_parser};
use file_store::Location;

pub use self::applications::{Applications, ApplicationsCommand, ExportFormat, Filter, ViewFormat, step_name};
pub use self::import_command::{Import, MailboxImport};
pub use self::listen_address::ListenAddress;
pub use self::serve::Serve;
use crate::secret_file::{SecretFile, SecretsDir};

/// Directory of everything that is stored, unless another is named.
const DEFAULT_DATA_DIR: &str = ".data";
/// File of the passphrase in the directory of secrets.
const BACKUP_PASSPHRASE: &str = "backup-passphrase";

/// Trading journal for Indian retail traders.
#[derive(Debug, Parser)]
#[command(name = "tradebahi", version, about)]
pub struct Cli {
    /// Directory of secrets, one in each file: `database-url`, `smtp-url`, `google-client-secret`, `sms-gateway-token`,
    /// `edge-token`, `signing-key`, `encryption-key`, `backup-passphrase`, `aws-secret-access-key`, `tls-key`,
    /// `grpc-tls-key`. Each counts unless its flag or variable is set.
    /// Default: the credentials of the systemd service.
    #[arg(long, env = "TRADEBAHI_SECRETS_DIR", value_name = "DIR", global = true)]
    pub secrets_dir: Option<PathBuf>,

    /// Command to run.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the command line and the environment variables. Exits with a message if they are invalid.
    ///
    /// An empty variable counts as not set, because `NAME=` in a file of variables is meant so.
    pub fn read_arguments() -> Self {
        let matches = ignore_empty_variables(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Sets settings that are not set from the directory of secrets, and reads the files that the server needs.
    ///
    /// # Errors
    /// If a file cannot be read, or if other users can read it.
    pub fn read_secrets(self) -> anyhow::Result<Command> {
        let mut command = self.command;
        if command.uses_secrets()
            && let Some(secrets) = SecretsDir::open(self.secrets_dir)?
        {
            command.fill_settings(&secrets)?;
        }
        if let Command::Serve(settings) = &mut command {
            settings.read_secrets()?;
        }
        Ok(command)
    }
}

/// Removes the variables that are empty from the arguments of a command.
fn ignore_empty_variables(command: clap::Command) -> clap::Command {
    let ignore = |argument: Arg| {
        let value = argument.get_env().and_then(std::env::var_os);
        if value.is_some_and(|value| value.is_empty()) { argument.env(Resettable::Reset) } else { argument }
    };
    command.mut_args(ignore).mut_subcommands(ignore_empty_variables)
}

/// Commands of the binary.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the site, the REST API and gRPC.
    Serve(Box<Serve>),
    /// Migrate the database to the newest schema.
    Migrate {
        /// Database to migrate.
        #[command(flatten)]
        database: DatabaseSettings,
        /// Also distribute new tables over the nodes of a Citus cluster.
        #[arg(long)]
        distribute: bool,
    },
    /// Manage the tokens of internal services.
    ServiceToken {
        /// Database of the tokens.
        #[command(flatten)]
        database: DatabaseSettings,
        /// Command to run.
        #[command(subcommand)]
        command: ServiceToken,
    },
    /// End sessions of users, such as those of a stolen device.
    Sessions {
        /// Database of the sessions.
        #[command(flatten)]
        database: DatabaseSettings,
        /// Command to run.
        #[command(subcommand)]
        command: Sessions,
    },
    /// Manage the keys that sign tokens.
    Keys {
        /// Database of the keys.
        #[command(flatten)]
        database: DatabaseSettings,
        /// Keys that encrypt them.
        #[command(flatten)]
        encryption: EncryptionSettings,
        /// Command to run.
        #[command(subcommand)]
        command: Keys,
    },
    /// List, show, export and process job applications. Every access to them is recorded.
    Applications(Box<Applications>),
    /// Show the content of a broker file, which stores nothing; or import the contract notes in a mailbox.
    Import(Import),
    /// Write a snapshot of the database and all resumes and screenshots to one file. Works while the server runs.
    Backup(Backup),
    /// Restore a backup into an empty database, with its resumes and screenshots; all or nothing.
    Restore(Restore),
    /// Check whether the local server is ready; fails if not. For health checks.
    Health(Addresses),
    /// Print the API description of the REST API (OpenAPI).
    Openapi,
}

impl Command {
    /// Returns true if the command has settings that the directory of secrets can set.
    fn uses_secrets(&self) -> bool {
        match self {
            // Only the keys of certificates; without TLS it also works if systemd's directory is gone.
            Self::Health(addresses) => addresses.grpc_tls_dir.is_some() || addresses.tls_cert_file.is_some(),
            Self::Openapi | Self::Import(Import { file: Some(_), .. }) => false,
            _ => true,
        }
    }

    /// Sets settings that are not set from the directory of secrets.
    fn fill_settings(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        match self {
            Self::Serve(settings) => settings.fill_from(secrets),
            Self::Migrate { database, .. } | Self::ServiceToken { database, .. } | Self::Sessions { database, .. } => {
                database.fill_from(secrets)
            }
            Self::Keys { database, encryption, .. } => {
                database.fill_from(secrets)?;
                encryption.fill_from(secrets)
            }
            Self::Applications(arguments) => arguments.storage.database.fill_from(secrets),
            Self::Import(Import { file: None, from_mailbox, .. }) => from_mailbox.database.fill_from(secrets),
            Self::Backup(arguments) => {
                arguments.storage.fill_from(secrets)?;
                secrets.fill_file(&mut arguments.passphrase_file, BACKUP_PASSPHRASE)
            }
            Self::Restore(arguments) => {
                arguments.storage.fill_from(secrets)?;
                arguments.encryption.fill_from(secrets)?;
                secrets.fill_file(&mut arguments.passphrase_file, BACKUP_PASSPHRASE)
            }
            Self::Health(addresses) => addresses.fill_from(secrets),
            Self::Import(_) | Self::Openapi => Ok(()),
        }
    }
}

/// Arguments of `tradebahi backup`.
#[derive(Debug, Args)]
pub struct Backup {
    /// Data to back up.
    #[command(flatten)]
    pub storage: BackupStorage,

    /// Backup file, or a directory in which a file named after the time is created. Existing files are not overwritten.
    #[arg(value_name = "TO")]
    pub target: PathBuf,

    /// File whose first line is a passphrase; encrypts the backup. Readable by its owner only.
    #[arg(long)]
    pub passphrase_file: Option<SecretFile>,
}

/// Arguments of `tradebahi restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// Empty database to restore into.
    #[command(flatten)]
    pub storage: BackupStorage,

    /// File written by `tradebahi backup`.
    pub file: PathBuf,

    /// File with the passphrase of an encrypted backup.
    #[arg(long)]
    pub passphrase_file: Option<SecretFile>,

    /// Keys that encrypt secrets in the backup. If one is missing, the restore says so.
    #[command(flatten)]
    pub encryption: EncryptionSettings,
}

/// Commands of `tradebahi service-token`.
#[derive(Debug, Subcommand)]
pub enum ServiceToken {
    /// Create a token and print it once.
    Create {
        /// Name of the service: lower-case letters, digits and hyphens.
        #[arg(value_parser = service_name)]
        name: String,
        /// Scope of the token. Can be given several times.
        #[arg(long = "scope", required = true, value_parser = PossibleValuesParser::new(rpc::access::all_scopes()))]
        scopes: Vec<String>,
        /// Days until the token expires.
        #[arg(long, default_value_t = 90, value_parser = value_parser!(i64).range(1..=365))]
        days: i64,
    },
    /// List all tokens.
    List,
    /// Revoke the token of a service.
    Revoke {
        /// Name of the service.
        name: String,
    },
}

/// Commands of `tradebahi sessions`.
#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// End all sessions of one account, or of all accounts. All servers reject them within 5 seconds.
    End {
        /// Email address or phone number of the account.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        login: Option<String>,
        /// End the sessions of all accounts.
        #[arg(long)]
        all: bool,
    },
}

/// Commands of `tradebahi keys`.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Create a key that replaces the current one, and print its id. The old one verifies its tokens until they expire.
    Rotate,
    /// List all keys.
    List,
    /// Encrypt all signing keys and all seeds of authenticator apps in the database with the first encryption key. First
    /// restart all servers with it.
    Encrypt,
    /// Store all signing keys and all seeds of authenticator apps without encryption, as older versions need them. First
    /// stop all servers.
    Decrypt,
    /// Remove a replaced key at once; its tokens are rejected within 5 seconds.
    Remove {
        /// Key id. May begin with a hyphen.
        #[arg(allow_hyphen_values = true)]
        kid: String,
    },
}

fn service_name(name: &str) -> Result<String, &'static str> {
    let is_valid = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_valid || name.is_empty() || name.len() > 64 {
        return Err("use 1 to 64 lower-case letters, digits and hyphens");
    }
    Ok(name.to_owned())
}

/// Role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Everything in one process.
    All,
    /// gRPC and the database.
    Core,
    /// The site and the REST API, in front of a core.
    Edge,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Plain lines on a terminal, JSON otherwise.
    Auto,
    /// JSON, one object per line.
    Json,
    /// Plain lines.
    Pretty,
}

/// Value of a setting that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

/// Location of the database.
#[derive(Clone, Debug, Args)]
pub struct DatabaseSettings {
    /// Your own Postgres, such as postgres://user@host/tradebahi. Default: a private cluster in the data directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<String>,

    /// Directory of everything that is stored. Default: `.data`.
    #[arg(long, env = "TRADEBAHI_DATA_DIR", global = true)]
    pub data_dir: Option<PathBuf>,
}

impl DatabaseSettings {
    /// Returns the directory of everything that is stored.
    pub fn data_dir(&self) -> &Path {
        self.data_dir.as_deref().unwrap_or(Path::new(DEFAULT_DATA_DIR))
    }

    fn fill_from(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        secrets.fill_text(&mut self.database_url, "database-url")
    }
}

/// Keys that encrypt secrets in the database.
#[derive(Clone, Debug, Args)]
pub struct EncryptionSettings {
    /// File with the keys that encrypt signing keys and the seeds of authenticator apps in the database, readable by its
    /// owner only. Each line is the base64 of 32 random bytes; the first key encrypts, all of them decrypt.
    #[arg(long, env = "TRADEBAHI_ENCRYPTION_KEY_FILE", value_name = "FILE", global = true)]
    pub encryption_key_file: Option<SecretFile>,
}

impl EncryptionSettings {
    /// Reads the keys; none if no file is set.
    pub fn read_keys(&self) -> anyhow::Result<EncryptionKeys> {
        let Some(file) = &self.encryption_key_file else { return Ok(EncryptionKeys::default()) };
        let text = file.read_text("encryption key")?;
        EncryptionKeys::parse(&text).with_context(|| format!("invalid encryption key in {}", file.path().display()))
    }

    fn fill_from(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        secrets.fill_file(&mut self.encryption_key_file, "encryption-key")
    }
}

/// Locations of all stored data.
#[derive(Clone, Debug, Args)]
pub struct StorageSettings {
    /// Location of the database.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// Directory of resumes. Default: `resumes` in the data directory.
    #[arg(long, env = "TRADEBAHI_RESUME_DIR", global = true)]
    pub resume_dir: Option<PathBuf>,
}

impl StorageSettings {
    /// Rejects a database URL without the folder of its resumes: the default folder is next to the private cluster.
    ///
    /// # Errors
    /// If neither directory is named.
    pub fn check_resume_dir_named(&self) -> anyhow::Result<()> {
        let DatabaseSettings { database_url, data_dir } = &self.database;
        ensure!(
            database_url.is_none() || data_dir.is_some() || self.resume_dir.is_some(),
            "with --database-url, also name the folder of the resumes: --data-dir or --resume-dir"
        );
        Ok(())
    }

    /// Returns the directory of resumes.
    pub fn resume_dir(&self) -> PathBuf {
        resume_dir(self.resume_dir.as_ref(), &self.database)
    }
}

/// Locations of all data in a backup.
#[derive(Clone, Debug, Args)]
pub struct BackupStorage {
    /// Locations of the database and the resumes.
    #[command(flatten)]
    storage: StorageSettings,

    /// Directory of screenshots, or a bucket such as s3://name/folder. Default: `screenshots` in the data directory.
    #[arg(long, env = "TRADEBAHI_SCREENSHOT_DIR", value_name = "DIR OR BUCKET")]
    screenshot_dir: Option<Location>,
}

impl BackupStorage {
    /// Returns the location of the database.
    pub fn database(&self) -> &DatabaseSettings {
        &self.storage.database
    }

    /// Rejects a database URL without the folders of the files: the default ones are next to the private cluster.
    ///
    /// # Errors
    /// If a directory is not named.
    pub fn check_dirs_named(&self) -> anyhow::Result<()> {
        let DatabaseSettings { database_url, data_dir } = self.database();
        let are_named = self.storage.resume_dir.is_some() && self.screenshot_dir.is_some();
        ensure!(
            database_url.is_none() || data_dir.is_some() || are_named,
            "with --database-url, also name the folders of the files: --data-dir, or --resume-dir and --screenshot-dir"
        );
        Ok(())
    }

    fn fill_from(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        secrets.fill_bucket_key(self.screenshot_dir.as_mut())?;
        self.storage.database.fill_from(secrets)
    }

    /// Returns the directories of files.
    pub fn file_dirs(&self) -> FileDirs {
        FileDirs {
            resumes: self.storage.resume_dir(),
            screenshots: screenshot_dir(self.screenshot_dir.as_ref(), self.database()),
        }
    }
}

/// Directories of the files that are stored beside the database.
#[derive(Debug)]
pub struct FileDirs {
    /// Resumes of applications.
    pub resumes: PathBuf,
    /// Screenshots of journal entries.
    pub screenshots: Location,
}

fn resume_dir(chosen: Option<&PathBuf>, database: &DatabaseSettings) -> PathBuf {
    chosen.cloned().unwrap_or_else(|| database.data_dir().join("resumes"))
}

fn screenshot_dir(chosen: Option<&Location>, database: &DatabaseSettings) -> Location {
    chosen.cloned().unwrap_or_else(|| Location::Dir(database.data_dir().join("screenshots")))
}

/// Role and listen addresses of a process.
#[derive(Clone, Debug, Args)]
pub struct Addresses {
    /// Role of this process.
    #[arg(long, env = "TRADEBAHI_ROLE", value_enum, default_value_t = Role::All)]
    pub role: Role,

    /// Address of the site and the REST API: ADDRESS:PORT, or unix:PATH.
    #[arg(long, env = "TRADEBAHI_LISTEN", default_value_t = ListenAddress::loopback(8080))]
    pub listen: ListenAddress,

    /// Certificate of the site and the REST API as PEM, with those of its issuers; turns on https.
    #[arg(long, env = "TRADEBAHI_TLS_CERT_FILE")]
    pub tls_cert_file: Option<PathBuf>,

    /// Key of that certificate as PEM, readable by its owner only.
    #[arg(long, env = "TRADEBAHI_TLS_KEY_FILE", requires = "tls_cert_file")]
    pub tls_key_file: Option<SecretFile>,

    /// Address of gRPC: ADDRESS:PORT, or unix:PATH. Beyond loopback only with --grpc-tls-dir.
    #[arg(long, env = "TRADEBAHI_GRPC_LISTEN", default_value_t = ListenAddress::loopback(50051))]
    pub grpc_listen: ListenAddress,

    /// Directory with ca.pem, cert.pem and key.pem: TLS between edges and cores, which accept only certificates of this
    /// authority.
    #[arg(long, env = "TRADEBAHI_GRPC_TLS_DIR")]
    pub grpc_tls_dir: Option<PathBuf>,

    /// File in the directory of secrets that replaces key.pem in --grpc-tls-dir.
    #[arg(skip)]
    pub grpc_tls_key_file: Option<SecretFile>,
}

impl Addresses {
    fn fill_from(&mut self, secrets: &SecretsDir) -> anyhow::Result<()> {
        secrets.fill_file(&mut self.tls_key_file, "tls-key")?;
        secrets.fill_file(&mut self.grpc_tls_key_file, "grpc-tls-key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_restored_database_url_need_named_folders() {
        let url = ["--database-url", "postgres://a@localhost/t"];
        let check = |settings: &[&'static str]| {
            let Command::Restore(arguments) =
                Cli::try_parse_from([&["tradebahi", "restore"], settings, &["backup.zip"]].concat()).unwrap().command
            else {
                panic!("another command");
            };
            arguments.storage.check_dirs_named()?;
            anyhow::Ok(arguments.storage.file_dirs())
        };
        for named in [&url[..], &[url[0], url[1], "--resume-dir", "somewhere"]] {
            assert!(check(named).unwrap_err().to_string().contains("--data-dir, or --resume-dir"));
        }
        check(&[&url[..], &["--data-dir", "somewhere"]].concat()).unwrap();
        check(&[&url[..], &["--resume-dir", "somewhere", "--screenshot-dir", "elsewhere"]].concat()).unwrap();
        let FileDirs { resumes, screenshots } = check(&["--data-dir", "somewhere"]).unwrap();
        assert_eq!(resumes, Path::new("somewhere/resumes"));
        assert_eq!(screenshots, Location::Dir("somewhere/screenshots".into()));
        let bucket = ["--data-dir", "somewhere", "--screenshot-dir", "s3://journal/pictures"];
        assert_eq!(check(&bucket).unwrap().screenshots.to_string(), "s3://journal/pictures");
        assert!(Cli::try_parse_from(["tradebahi", "restore", "--screenshot-dir", "s3://", "backup.zip"]).is_err());
    }

    #[test]
    fn resumes_of_a_database_url_need_a_named_folder() {
        let url = ["--database-url", "postgres://a@localhost/t"];
        let check = |settings: &[&'static str]| {
            let Command::Applications(arguments) =
                Cli::try_parse_from([&["tradebahi", "applications", "list"], settings].concat()).unwrap().command
            else {
                panic!("another command");
            };
            arguments.storage.check_resume_dir_named()
        };
        assert!(check(&url).unwrap_err().to_string().contains("--data-dir or --resume-dir"));
        for folder in ["--data-dir", "--resume-dir"] {
            check(&[&url[..], &[folder, "somewhere"]].concat()).unwrap();
        }
    }

    #[test]
    fn s11_a_key_id_may_begin_with_a_hyphen() {
        let Command::Keys { command: Keys::Remove { kid }, .. } =
            Cli::try_parse_from(["tradebahi", "keys", "remove", "-Yx9"]).unwrap().command
        else {
            panic!("another command");
        };
        assert_eq!(kid, "-Yx9");
    }

    #[test]
    fn c8_the_data_directory_is_accepted_before_and_after_a_command() {
        for arguments in [
            ["tradebahi", "applications", "--data-dir", "d", "list"],
            ["tradebahi", "applications", "list", "--data-dir", "d"],
        ] {
            let Command::Applications(arguments) = Cli::try_parse_from(arguments).unwrap().command else {
                panic!("another command");
            };
            assert_eq!(arguments.storage.database.data_dir(), Path::new("d"));
        }
        for arguments in [
            ["tradebahi", "service-token", "list", "--data-dir", "d"],
            ["tradebahi", "keys", "list", "--data-dir", "d"],
        ] {
            Cli::try_parse_from(arguments).unwrap();
        }
    }
}
