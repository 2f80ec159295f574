//! The product through its front door: REST on the real stack, in one process, on a database of each test's own.

#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod analytics;
mod app;
mod applications;
mod authorization_grpc;
mod authorization_rest;
mod backup;
mod canary;
mod careers;
mod cluster;
mod contract;
mod dependencies;
mod erasure;
mod events;
#[cfg(target_os = "linux")]
mod faults;
mod files;
#[path = "../../../import/src/tests/fixtures/mod.rs"]
#[allow(dead_code, reason = "some shapes are for the tests of the formats alone")]
mod fixtures;
mod health;
#[path = "../../../import/tests/child/hostile_files.rs"]
mod hostile_files;
mod import_file;
mod imports;
mod journals;
mod layout;
mod log;
mod module_imports;
mod process;
#[path = "../../../careers/tests/it/fixtures.rs"]
mod resumes;
mod service_tokens;
mod tour;
mod trades;
mod transactions;
mod weight;
