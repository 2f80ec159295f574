//! Settings of careers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::resume_scanner::ScannerAddress;

/// Retention of applications in days. Afterwards an application is deleted with its resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
#[group(id = "retention")]
pub struct Retention {
    /// Retention in days after the last step, of applications that are open or may be kept for later roles.
    #[arg(
        long,
        env = "TRADEBAHI_KEEP_APPLICATIONS_DAYS",
        default_value_t = 365,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub keep_applications_days: u32,

    /// Retention in days after the decision, without a consent to later roles.
    #[arg(
        long,
        env = "TRADEBAHI_KEEP_DECIDED_APPLICATIONS_DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub keep_decided_applications_days: u32,

    /// Retention in days after the candidate withdrew.
    #[arg(
        long,
        env = "TRADEBAHI_KEEP_WITHDRAWN_APPLICATIONS_DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub keep_withdrawn_applications_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { keep_applications_days: 365, keep_decided_applications_days: 90, keep_withdrawn_applications_days: 30 }
    }
}

/// Settings of the careers service.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "careers")]
pub struct Settings {
    /// Directory of resumes. By default `resumes` in the data directory.
    #[arg(long, env = "TRADEBAHI_RESUME_DIR")]
    pub resume_dir: Option<PathBuf>,

    /// Email address that is notified of new applications.
    #[arg(long, env = "TRADEBAHI_CAREERS_INBOX")]
    pub careers_inbox: Option<String>,

    /// Retention of applications.
    #[command(flatten)]
    pub retention: Retention,

    /// Malware scanner of resumes that speaks the protocol of clamd, on this machine: 127.0.0.1:3310, or the path of a
    /// Unix socket. Resumes that it cannot scan are not stored.
    #[arg(long, env = "TRADEBAHI_RESUME_SCANNER")]
    pub resume_scanner: Option<ScannerAddress>,

    /// Longest scan of one resume.
    #[arg(skip = Duration::from_secs(15))]
    pub scan_timeout: Duration,

    /// Program that checks a resume if its first argument is `check-resume`.
    #[arg(skip = sandbox::current_program())]
    pub parser_program: PathBuf,

    /// Maximum number of resumes checked at once.
    #[arg(skip = 2_usize)]
    pub max_concurrent_checks: usize,

    /// Maximum number of applications received or waiting at once. Further ones are rejected.
    #[arg(skip = 32_usize)]
    pub max_pending_applications: usize,

    /// Longest wait of a resume for its check.
    #[arg(skip = Duration::from_secs(15))]
    pub check_queue_timeout: Duration,

    /// Longest check of one resume; afterwards the parser process is killed.
    #[arg(skip = Duration::from_secs(20))]
    pub check_timeout: Duration,

    /// Maximum number of resume bytes accepted per day.
    #[arg(skip = 2_i64 * 1024 * 1024 * 1024)]
    pub max_bytes_per_day: i64,

    /// Address of the site without a trailing slash, for links in emails.
    #[arg(skip = "http://127.0.0.1:8080")]
    pub site_url: String,

    /// Notified when an email is queued, so that `send_emails` in the same process sends it at once.
    #[arg(skip)]
    pub email_queued: Arc<Notify>,
}

impl Settings {
    pub(crate) fn resume_dir(&self) -> PathBuf {
        self.resume_dir.clone().unwrap_or_else(|| PathBuf::from("resumes"))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resume_dir: None,
            careers_inbox: None,
            resume_scanner: None,
            scan_timeout: Duration::from_secs(15),
            retention: Retention::default(),
            parser_program: sandbox::current_program(),
            max_concurrent_checks: 2,
            max_pending_applications: 32,
            check_queue_timeout: Duration::from_secs(15),
            check_timeout: Duration::from_secs(20),
            max_bytes_per_day: 2 * 1024 * 1024 * 1024,
            site_url: "http://127.0.0.1:8080".to_owned(),
            email_queued: Arc::default(),
        }
    }
}
