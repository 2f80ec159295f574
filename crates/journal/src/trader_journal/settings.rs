//! Settings of accounts' journals.

use std::path::PathBuf;
use std::time::Duration;

use file_store::Location;

/// Settings of the service of accounts' journals.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "journal")]
pub struct Settings {
    /// Directory of screenshots, or a bucket such as s3://name/folder. By default `screenshots` in the data directory.
    #[arg(long, env = "TRADEBAHI_SCREENSHOT_DIR", value_name = "DIR OR BUCKET")]
    pub screenshot_dir: Option<Location>,

    /// Maximum size of an account's screenshots in MiB.
    #[arg(
        long,
        env = "TRADEBAHI_SCREENSHOT_QUOTA_MIB",
        default_value_t = 500,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub screenshot_quota_mib: u32,

    /// Program that encodes a screenshot if its first argument is `encode-screenshot`.
    #[arg(skip = sandbox::current_program())]
    pub encoder_program: PathBuf,

    /// Maximum number of screenshots encoded at once.
    #[arg(skip = 2_usize)]
    pub max_concurrent_encoders: usize,

    /// Maximum number of screenshots received or waiting at once. Further ones are rejected.
    #[arg(skip = 32_usize)]
    pub max_pending_screenshots: usize,

    /// Longest wait of a screenshot for its encoding.
    #[arg(skip = Duration::from_secs(15))]
    pub encoder_queue_timeout: Duration,

    /// Longest encoding of one screenshot; afterwards the process is killed.
    #[arg(skip = Duration::from_secs(20))]
    pub encoder_timeout: Duration,
}

impl Settings {
    pub(crate) fn screenshot_dir(&self) -> Location {
        self.screenshot_dir.clone().unwrap_or_else(|| Location::Dir("screenshots".into()))
    }

    pub(crate) fn quota_bytes(&self) -> i64 {
        i64::from(self.screenshot_quota_mib) << 20
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            screenshot_dir: None,
            screenshot_quota_mib: 500,
            encoder_program: sandbox::current_program(),
            max_concurrent_encoders: 2,
            max_pending_screenshots: 32,
            encoder_queue_timeout: Duration::from_secs(15),
            encoder_timeout: Duration::from_secs(20),
        }
    }
}
