//! Settings of the import service.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

/// Files read at the same time. Each one holds a database connection.
pub const MAX_PARALLEL: u32 = 16;

/// Limits and paths for receiving and reading files.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Directory for uploads while they are received and read; the files have no name.
    #[arg(long = "import-spool-dir", env = "TRADEBAHI_IMPORT_SPOOL_DIR", default_value_os_t = std::env::temp_dir())]
    pub spool_dir: PathBuf,

    /// Program that reads a file if its first argument is `parse-file`.
    #[arg(skip = sandbox::current_program())]
    pub parser_program: PathBuf,

    /// Files read at the same time, 1 to 16.
    #[arg(
        long = "import-parallel",
        env = "TRADEBAHI_IMPORT_PARALLEL",
        default_value_t = 2,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=u64::from(MAX_PARALLEL))
    )]
    pub parallel: usize,

    /// Queue length of uploads; at most three wait per account.
    #[arg(long = "import-queue", env = "TRADEBAHI_IMPORT_QUEUE", default_value_t = 24)]
    pub queue: usize,

    /// Time that a file waits in the queue. Together with `parse_timeout` it is shorter than `deadline`.
    #[arg(skip = Duration::from_secs(25))]
    pub queue_timeout: Duration,

    /// Time that the parser process may run, not counting the time it waits for the trade log.
    #[arg(skip = Duration::from_secs(20))]
    pub parse_timeout: Duration,

    /// Time from the last byte of the file to the response. Shorter than the timeout of the edge.
    #[arg(skip = Duration::from_secs(48))]
    pub deadline: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spool_dir: std::env::temp_dir(),
            parser_program: sandbox::current_program(),
            parallel: 2,
            queue: 24,
            queue_timeout: Duration::from_secs(25),
            parse_timeout: Duration::from_secs(20),
            deadline: Duration::from_secs(48),
        }
    }
}
