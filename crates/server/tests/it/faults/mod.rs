//! Fault tests: failures outside the server leave no acknowledged write lost, duplicated or partial.
//!
//! `FAULT_ROUNDS` sets the rounds of each fault; the default is one to five. Each test adds its rows to the table in the
//! file `FAULT_TABLE`, which `just faults` prints.

mod applying;
mod clients;
mod clock;
mod drain;
mod fairness;
mod full_disk;
mod kills;
mod load;
mod network;
mod overload;
mod proxy;
mod stack;
mod writers;

use std::fs::File;
use std::io::Write as _;
use std::time::{Duration, Instant};

use self::writers::Tally;
use crate::process::{self, Process};

/// Maximum time after a fault until an ordinary request succeeds and `/readyz` reports the change.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the number of rounds of a fault, from `FAULT_ROUNDS` or `default`.
pub fn rounds(default: usize) -> usize {
    std::env::var("FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

/// Adds a row to the table, and asserts that nothing was lost, duplicated or partial. `recovery` is the last column.
pub fn report(fault: &str, rounds: usize, tally: &Tally, recovery: &str) {
    let Tally { acknowledged, lost, duplicated, partial } = tally;
    let row = format!("| {fault} | {rounds} | {acknowledged} | {lost} | {duplicated} | {partial} | {recovery} |\n");
    print!("{row}");
    if let Ok(table) = std::env::var("FAULT_TABLE") {
        File::options().append(true).create(true).open(table).unwrap().write_all(row.as_bytes()).unwrap();
    }
    assert_eq!((*lost, *duplicated, *partial), (0, 0, 0), "{fault}");
    assert!(*acknowledged > 0, "{fault}: nothing was written");
}

/// Waits until `/readyz` reports that the server is ready or, if `ready` is false, not ready.
pub fn wait_for_readiness(server: &Process, ready: bool) {
    let started = Instant::now();
    let status = if ready { 200 } else { 503 };
    while process::send_json(server.port(), "GET", "/readyz", &[], b"").map(|(status, _)| status).ok() != Some(status) {
        assert!(started.elapsed() < RECOVERY_TIMEOUT, "/readyz does not report ready = {ready}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Formats the recovery time, such as `back after 1.2 s`.
fn format_recovery(slowest_recovery: Duration) -> String {
    format!("back after {:.1} s", slowest_recovery.as_secs_f64())
}
