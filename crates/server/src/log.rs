//! Log output: JSON for machines, plain lines for people.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Starts logging to standard output, filtered by `TRADEBAHI_LOG`, such as `info,edge=debug`.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_env("TRADEBAHI_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter);
    let json = match format {
        LogFormat::Json => true,
        LogFormat::Pretty => false,
        LogFormat::Auto => !std::io::stdout().is_terminal(),
    };
    // Fails if logging has already started, as in tests.
    let _ =
        if json { subscriber.json().flatten_event(true).try_init() } else { subscriber.with_target(false).try_init() };
}

/// Starts logging errors to standard error, for terminal commands that use services.
pub(crate) fn start_errors() {
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::ERROR).with_writer(std::io::stderr);
    let _ = subscriber.with_target(false).try_init();
}
