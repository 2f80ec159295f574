//! What can be set.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

/// The most files that are read at once: each holds a connection to the database.
pub const MOST_PARALLEL: u32 = 16;

/// How files are received and read.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Folder on a disk where a file lies, without a name, while it is received and read.
    #[arg(long = "import-spool-dir", env = "TRADEBAHI_IMPORT_SPOOL_DIR", default_value_os_t = std::env::temp_dir())]
    pub spool_dir: PathBuf,

    /// The program that reads a file when its first argument is `parse-file`.
    #[arg(skip = sandbox::own_program())]
    pub child: PathBuf,

    /// Files read at once, 1 to 16.
    #[arg(
        long = "import-parallel",
        env = "TRADEBAHI_IMPORT_PARALLEL",
        default_value_t = 2,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=u64::from(MOST_PARALLEL))
    )]
    pub parallel: usize,

    /// Files that wait to be read; one more is refused, and so is a fifth of one account.
    #[arg(long = "import-queue", env = "TRADEBAHI_IMPORT_QUEUE", default_value_t = 24)]
    pub queue: usize,

    /// How long a file waits for its turn. With the child's time after it, still shorter than the deadline.
    #[arg(skip = Duration::from_secs(25))]
    pub wait: Duration,

    /// How long the child may run, without the time in which it waits for the trade log.
    #[arg(skip = Duration::from_secs(20))]
    pub wall_clock: Duration,

    /// How long all of it may take from the file's last byte on. Shorter than the edge waits.
    #[arg(skip = Duration::from_secs(48))]
    pub deadline: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spool_dir: std::env::temp_dir(),
            child: sandbox::own_program(),
            parallel: 2,
            queue: 24,
            wait: Duration::from_secs(25),
            wall_clock: Duration::from_secs(20),
            deadline: Duration::from_secs(48),
        }
    }
}
