//! What goes wrong outside the product, and that nothing acknowledged is lost, doubled or half by it.
//!
//! `FAULT_ROUNDS` says how often each fault happens; one to five times unless told. Each test adds its rows to the table
//! in the file that `FAULT_TABLE` names. `just faults` prints it.

mod applying;
mod clients;
mod clock;
mod drain;
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

/// An ordinary request is fine, and the server says so, at most this long after a fault has ended.
const RECOVERY: Duration = Duration::from_secs(30);

/// How often a fault happens.
pub fn rounds(unless_told: usize) -> usize {
    std::env::var("FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(unless_told)
}

/// Adds a row to the table, then holds that nothing was lost, doubled or half. `beside` is what else is to be known.
pub fn report(fault: &str, rounds: usize, tally: &Tally, beside: &str) {
    let Tally { acknowledged, lost, doubled, half } = tally;
    let row = format!("| {fault} | {rounds} | {acknowledged} | {lost} | {doubled} | {half} | {beside} |\n");
    print!("{row}");
    if let Ok(table) = std::env::var("FAULT_TABLE") {
        File::options().append(true).create(true).open(table).unwrap().write_all(row.as_bytes()).unwrap();
    }
    assert_eq!((*lost, *doubled, *half), (0, 0, 0), "{fault}");
    assert!(*acknowledged > 0, "{fault}: nothing was written");
}

/// Waits until the server says that it is ready, or that it is not.
pub fn await_ready(server: &Process, ready: bool) {
    let started = Instant::now();
    let status = if ready { 200 } else { 503 };
    while process::json(server.port(), "GET", "/readyz", &[], b"").map(|(status, _)| status).ok() != Some(status) {
        assert!(started.elapsed() < RECOVERY, "the server does not say that ready is {ready}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// `back after 1.2 s`
fn back_after(slowest: Duration) -> String {
    format!("back after {:.1} s", slowest.as_secs_f64())
}
