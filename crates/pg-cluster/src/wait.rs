//! Polling for conditions that have no notification.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Polls `condition` until it is true or `timeout` has passed. Returns false after the timeout.
pub(crate) fn poll_until(timeout: Duration, mut condition: impl FnMut() -> Result<bool>) -> Result<bool> {
    let start = Instant::now();
    loop {
        if condition()? {
            return Ok(true);
        }
        if start.elapsed() > timeout {
            return Ok(false);
        }
        thread::sleep(POLL_INTERVAL);
    }
}
