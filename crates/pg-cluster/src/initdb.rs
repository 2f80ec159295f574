//! Creation of the data directory with `initdb`.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
use crate::connection::{DATABASE, USER};
use crate::postmaster::set_durability;
use crate::remove::remove_dir_if_exists;

/// Creates the data directory with the database in it. It is built under another name and renamed at the end, so that an
/// aborted creation leaves no incomplete data directory.
pub(crate) fn create_data_dir(cluster_dir: &ClusterDir, binaries: &Binaries, durable: bool) -> Result<()> {
    let staging_dir = cluster_dir.path().join("data.new");
    remove_dir_if_exists(&staging_dir)?;
    let mut initdb = cluster_dir.user().command(&binaries.initdb(), cluster_dir.path());
    initdb.arg("-D").arg(&staging_dir);
    initdb.args(["--username", USER, "--encoding=UTF8", "--locale=C"]);
    initdb.args(["--auth-local=trust", "--auth-host=reject", "--data-checksums"]);
    if !durable {
        initdb.arg("--no-sync");
    }
    run(initdb, "").context("cannot create a Postgres cluster")?;

    let mut single_user = cluster_dir.user().command(&binaries.postgres(), cluster_dir.path());
    single_user.arg("--single").arg("-D").arg(&staging_dir);
    single_user.args(["-c", "exit_on_error=on"]);
    set_durability(&mut single_user, durable);
    single_user.arg("postgres");
    let create_database = format!("create database {DATABASE}\n");
    run(single_user, &create_database).with_context(|| format!("cannot create the database {DATABASE}"))?;

    fs::rename(&staging_dir, cluster_dir.data_dir()).context("cannot rename the new data directory")?;
    if durable {
        File::open(cluster_dir.path())?.sync_all()?;
    }
    Ok(())
}

/// Runs `command` with `input` as stdin. On failure, its stderr is the error message.
fn run(mut command: Command, input: &str) -> Result<()> {
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
