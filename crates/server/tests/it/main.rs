//! The product through its front door: REST on the real stack, in one process, on a database of each test's own.

#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod app;
mod contract;
mod files;
mod imports;
mod layout;
mod log;
mod process;
mod tour;
mod weight;
