//! Postgres in single-user mode: runs SQL without a server process and without a password.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
use crate::postmaster::set_durability;

/// Runs `statement`, one line, in `database` of `data_dir`, whose Postgres must not run.
///
/// # Errors
/// If the statement fails; the error does not contain it.
pub(crate) fn run(
    cluster_dir: &ClusterDir,
    binaries: &Binaries,
    data_dir: &Path,
    database: &str,
    statement: &str,
    durable: bool,
) -> Result<()> {
    let mut command = cluster_dir.user().command(&binaries.postgres(), cluster_dir.path());
    command.arg("--single").arg("-D").arg(data_dir);
    for setting in ["exit_on_error=on", "log_min_error_statement=panic", "password_encryption=scram-sha-256"] {
        command.args(["-c", setting]);
    }
    set_durability(&mut command, durable);
    command.arg(database);
    run_with_input(command, &format!("{statement}\n"))
}

/// Runs `command` with `input` as stdin. On failure, its stderr is the error message.
pub(crate) fn run_with_input(mut command: Command, input: &str) -> Result<()> {
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut process = command.stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = process.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = process.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", stderr.trim());
    Ok(())
}
