//! What can be set.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

/// How applications are taken and kept.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "careers")]
pub struct Settings {
    /// Folder in which the resumes of applications are kept. By default `resumes` in the data directory.
    #[arg(long, env = "TRADEBAHI_RESUME_DIR")]
    pub resume_dir: Option<PathBuf>,

    /// Address that is told of every new application.
    #[arg(long, env = "TRADEBAHI_CAREERS_INBOX")]
    pub careers_inbox: Option<String>,

    /// How many days an application is kept; then it is erased with its resume.
    #[arg(
        long,
        env = "TRADEBAHI_KEEP_APPLICATIONS_DAYS",
        default_value_t = 365,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub keep_applications_days: u32,

    /// The program that looks at a resume when its first argument is `check-resume`.
    #[arg(skip = sandbox::own_program())]
    pub child: PathBuf,

    /// Resumes looked at at once.
    #[arg(skip = 2_usize)]
    pub parallel: usize,

    /// Applications that arrive or wait at once; one more is refused.
    #[arg(skip = 32_usize)]
    pub places: usize,

    /// How long a resume waits for its turn.
    #[arg(skip = Duration::from_secs(15))]
    pub wait: Duration,

    /// How long a child may look at a resume.
    #[arg(skip = Duration::from_secs(20))]
    pub wall_clock: Duration,

    /// Bytes of resumes that are taken in a day.
    #[arg(skip = 2_i64 * 1024 * 1024 * 1024)]
    pub bytes_a_day: i64,

    /// The address of the site, without a slash at its end: what links in letters begin with.
    #[arg(skip = "http://127.0.0.1:8080")]
    pub site: String,

    /// Rung when a letter was asked for; [`crate::writer`] in the same process listens.
    #[arg(skip)]
    pub bell: Arc<Notify>,
}

impl Settings {
    /// Where resumes are kept.
    pub(crate) fn resumes(&self) -> PathBuf {
        self.resume_dir.clone().unwrap_or_else(|| PathBuf::from("resumes"))
    }

    pub(crate) fn keep(&self) -> time::Duration {
        time::Duration::days(self.keep_applications_days.into())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resume_dir: None,
            careers_inbox: None,
            keep_applications_days: 365,
            child: sandbox::own_program(),
            parallel: 2,
            places: 32,
            wait: Duration::from_secs(15),
            wall_clock: Duration::from_secs(20),
            bytes_a_day: 2 * 1024 * 1024 * 1024,
            site: "http://127.0.0.1:8080".to_owned(),
            bell: Arc::default(),
        }
    }
}
