//! `tradebahi service-token`, from a terminal.

use std::path::Path;
use std::process::Command;

use crate::process::Process;

/// What it printed, and whether it did what it was told.
fn service_token(data: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.args(["service-token", "--data-dir"]).arg(data).args(arguments).env_remove("DATABASE_URL");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn tokens_are_made_and_revoked_beside_a_server_that_runs_and_without_one() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_in(data.path());
    let (token, made) = service_token(data.path(), &["create", "reports", "--scope", "accounts:read"]);
    assert!(made && token.starts_with("tbs_"), "{token}");
    server.trader();
    drop(server);
    let (listed, done) = service_token(data.path(), &["list"]);
    assert!(done && listed.contains("reports") && !listed.contains(token.trim()), "{listed}");
    assert!(service_token(data.path(), &["revoke", "reports"]).1);
    assert!(!service_token(data.path(), &["revoke", "reports"]).1);
}
