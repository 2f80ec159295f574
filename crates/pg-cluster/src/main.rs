//! `with-postgres COMMAND [ARGUMENTS…]` runs a command with a Postgres of its own.
//!
//! The command finds it in `DATABASE_URL`, as a superuser of an empty database, and in the variables
//! of libpq. It is deleted when the command ends, whose exit code becomes ours. SIGINT and SIGTERM
//! end the command first.

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

/// Where npm may have put Postgres.
const WEB_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

/// How long the command may take to end when asked to.
const PATIENCE: Duration = Duration::from_secs(10);

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
        bail!("say which command to run: with-postgres COMMAND [ARGUMENTS…]");
    };
    // From here on a signal waits until there is a command to end, so that nothing is left behind.
    let mut interrupt = unix::signal(SignalKind::interrupt())?;
    let mut terminate = unix::signal(SignalKind::terminate())?;

    let cluster = Cluster::temporary(Path::new(WEB_DIR))?;
    let mut child = spawn(&program, arguments, &cluster)?;
    let status = tokio::select! {
        status = child.wait() => status,
        _ = interrupt.recv() => end(&mut child).await,
        _ = terminate.recv() => end(&mut child).await,
    };
    cluster.stop()?;
    status.context("lost the command")
}

fn spawn(program: &OsString, arguments: impl Iterator<Item = OsString>, cluster: &Cluster) -> Result<Child> {
    Command::new(program)
        .args(arguments)
        .env("DATABASE_URL", cluster.url(DATABASE))
        .env("PGHOST", cluster.socket_dir())
        .env("PGPORT", PORT.to_string())
        .env("PGUSER", USER)
        .env("PGDATABASE", DATABASE)
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))
}

/// Asks the command to end, and makes it when it does not.
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let Some(id) = id {
        // A command that is gone by now has its status waiting.
        let _ = kill_process(id, Signal::TERM);
    }
    match timeout(PATIENCE, child.wait()).await {
        Ok(status) => status,
        Err(_) => {
            child.start_kill()?;
            child.wait().await
        }
    }
}

/// The command's own code, or the one that shells give to a death by signal.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    let code = code.and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
