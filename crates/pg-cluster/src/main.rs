//! `with-postgres COMMAND [ARGUMENTS…]` runs a command with a temporary Postgres.
//!
//! `DATABASE_URL` and the variables of libpq give the command superuser access to an empty database. When the command
//! ends, the database is deleted, and this program exits with the command's exit code. SIGINT and SIGTERM terminate the
//! command first.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pg_cluster::{Cluster, DATABASE, PORT, USER};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::{self, SignalKind};
use tokio::time::timeout;

/// Directory in which npm may have installed Postgres.
const WEB_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

/// Time between SIGTERM and SIGKILL for the command.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(status) => exit_code(status),
        Err(error) => {
            eprintln!("with-postgres: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<ExitStatus> {
    let mut arguments = env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        bail!("missing command; usage: with-postgres COMMAND [ARGUMENTS…]");
    };
    // From here on, signals are queued until the command runs, so that no Postgres is left behind.
    let mut interrupt = unix::signal(SignalKind::interrupt())?;
    let mut terminate = unix::signal(SignalKind::terminate())?;

    let cluster = Cluster::open_temporary(Path::new(WEB_DIR))?;
    let mut child = spawn(&program, arguments, &cluster)?;
    let status = tokio::select! {
        status = child.wait() => status,
        _ = interrupt.recv() => terminate_child(&mut child).await,
        _ = terminate.recv() => terminate_child(&mut child).await,
    };
    cluster.stop()?;
    status.context("cannot wait for the command")
}

fn spawn(program: &OsString, arguments: impl Iterator<Item = OsString>, cluster: &Cluster) -> Result<Child> {
    Command::new(program)
        .args(arguments)
        .env("DATABASE_URL", cluster.url(DATABASE))
        .env("PGHOST", cluster.socket_dir())
        .env("PGPORT", PORT.to_string())
        .env("PGUSER", USER)
        .env("PGPASSWORD", cluster.password())
        .env("PGDATABASE", DATABASE)
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))
}

/// Sends SIGTERM to the command, and SIGKILL after the timeout.
async fn terminate_child(child: &mut Child) -> io::Result<ExitStatus> {
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let Some(id) = id {
        // Fails only if the command has already exited; then its status is available.
        let _ = kill_process(id, Signal::TERM);
    }
    match timeout(TERMINATION_TIMEOUT, child.wait()).await {
        Ok(status) => status,
        Err(_) => {
            child.start_kill()?;
            child.wait().await
        }
    }
}

/// Returns the exit code of the command, or 128 plus the signal number as shells do.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    let code = code.and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
