//! Waiting for what cannot call back.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

const STEP: Duration = Duration::from_millis(10);

/// Asks `done` again and again until it is true, or `limit` has passed. Tells which.
pub(crate) fn until(limit: Duration, mut done: impl FnMut() -> Result<bool>) -> Result<bool> {
    let begun = Instant::now();
    loop {
        if done()? {
            return Ok(true);
        }
        if begun.elapsed() > limit {
            return Ok(false);
        }
        thread::sleep(STEP);
    }
}
