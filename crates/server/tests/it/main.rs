//! Integration tests of the whole product over REST, gRPC and the command line. Each test has its own database.

#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod account_deletion;
mod accounts;
mod analytics;
mod api_description;
mod app;
mod applications_command;
mod authorization_grpc;
mod authorization_rest;
mod backup;
mod broker_files;
mod canary;
mod careers;
mod cluster;
mod demo;
mod dependencies;
mod documents;
mod email_files;
#[cfg(target_os = "linux")]
mod faults;
#[path = "../../../import/src/tests/fixtures/mod.rs"]
#[allow(dead_code, reason = "the tests of the file formats use the rest")]
mod fixtures;
mod health_command;
#[path = "../../../import/tests/sandbox/hostile_files.rs"]
mod hostile_files;
mod import_command;
mod import_mailbox;
mod imports;
mod journals;
mod keys_command;
mod layout;
mod ledgers;
mod log_events;
mod memory;
mod module_imports;
#[path = "../../../import/src/tests/pdf_fixtures/mod.rs"]
#[allow(dead_code, reason = "the tests of the contract notes use the rest")]
mod pdf_fixtures;
mod process;
mod response_coverage;
#[path = "../../../careers/tests/it/fixtures.rs"]
mod resumes;
mod schema_upgrade;
mod screenshots;
mod second_factor;
mod secrets;
mod service_token_command;
mod sessions_command;
mod strategies;
mod tax_entries;
mod tax_links;
mod tax_losses;
mod trade_log;
mod trader_journal;
mod trades;
mod transactions;
mod transport_encryption;
