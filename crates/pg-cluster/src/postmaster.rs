//! Making the data directory, and the server process that works on it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use crate::binaries::Binaries;
use crate::home::Home;
use crate::{DATABASE, PORT, USER, npm, wait};

/// How long a start may take, replaying after a crash included.
const START: Duration = Duration::from_mins(2);

/// How long Postgres may take to end its sessions and write everything down.
const STOP: Duration = Duration::from_mins(1);

/// How long the sessions of a killed postmaster may take to notice.
const LEFTOVERS: Duration = Duration::from_secs(10);

/// What Postgres says in its log while such sessions are left.
const LEFTOVER: &str = "pre-existing shared memory block";

/// Settings that hold whatever is written in `postgresql.conf`.
const SETTINGS: [&str; 11] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=50",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_destination=stderr",
    "logging_collector=off",
    "log_checkpoints=off",
    // A refused statement may name a person. Its sender is told, the log is not.
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",
];

/// The settings by which an acknowledged commit survives a power cut.
const DURABILITY: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// The first process of a running Postgres. It stops when dropped.
#[derive(Debug)]
pub(crate) struct Postmaster {
    process: Child,
}

impl Postmaster {
    /// Starts Postgres and waits until it takes connections.
    pub(crate) fn start(home: &Home, binaries: &Binaries, socket_dir: &Path, durable: bool) -> Result<Self> {
        let begun = Instant::now();
        loop {
            let log = Log::open(home)?;
            let mut command = server(home, binaries, socket_dir, durable);
            let process = command.stderr(log.file.try_clone()?).spawn();
            let mut started = Self { process: process.context("cannot start Postgres")? };
            if started.becomes_ready(&home.data())? {
                return Ok(started);
            }
            let failure = log.failure()?;
            if !failure.contains(LEFTOVER) || begun.elapsed() > LEFTOVERS {
                bail!("Postgres did not start: {failure}");
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Whether it has not ended by itself.
    pub(crate) fn is_alive(&mut self) -> Result<bool> {
        Ok(self.process.try_wait()?.is_none())
    }

    /// Shuts Postgres down in order and waits until it is gone.
    pub(crate) fn stop(&mut self) -> Result<()> {
        let pid = Pid::from_child(&self.process);
        if self.process.try_wait()?.is_some() {
            return Ok(());
        }
        end(pid, || Ok(self.process.try_wait()?.is_some()))
    }

    /// Waits until Postgres takes connections, or has given up, and tells which.
    fn becomes_ready(&mut self, data: &Path) -> Result<bool> {
        let settled =
            wait::until(START, || Ok(self.process.try_wait()?.is_some() || is_ready(data, self.process.id())))?;
        ensure!(settled, "Postgres was not ready after {} s", START.as_secs());
        Ok(self.process.try_wait()?.is_none())
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `stop`.
        let _ = self.stop();
    }
}

fn server(home: &Home, binaries: &Binaries, socket_dir: &Path, durable: bool) -> Command {
    let mut command = home.account().command(&binaries.postgres(), home.dir());
    command.arg("-D").arg(home.data());
    command.arg("-k").arg(socket_dir);
    command.args(["-p", &PORT.to_string()]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    set_durability(&mut command, durable);
    command.stdout(Stdio::null());
    command
}

fn set_durability(command: &mut Command, durable: bool) {
    for name in DURABILITY {
        let value = if durable { "on" } else { "off" };
        command.args(["-c", &format!("{name}={value}")]);
    }
}

/// What Postgres says, and where this start's part of it begins.
struct Log {
    path: PathBuf,
    file: File,
    begins: u64,
}

impl Log {
    fn open(home: &Home) -> Result<Self> {
        let path = home.log();
        let file =
            Home::file_options().append(true).open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        home.account().give(&path)?;
        let begins = file.metadata()?.len();
        Ok(Self { path, file, begins })
    }

    /// Why this start failed, in Postgres's words.
    fn failure(mut self) -> Result<String> {
        let mut said = String::new();
        self.file.seek(SeekFrom::Start(self.begins))?;
        self.file.read_to_string(&mut said)?;
        let fatal = |line: &str| Some(line.split_once("FATAL:")?.1.trim().to_owned());
        Ok(said.lines().find_map(fatal).unwrap_or_else(|| format!("{} tells more", self.path.display())))
    }
}

/// Makes the data directory, with the database in it. It appears whole or not at all.
pub(crate) fn make(home: &Home, binaries: &Binaries, durable: bool) -> Result<()> {
    let staged = home.dir().join("data.new");
    npm::remove(&staged)?;
    let mut initdb = home.account().command(&binaries.initdb(), home.dir());
    initdb.arg("-D").arg(&staged);
    initdb.args(["--username", USER, "--encoding=UTF8", "--locale=C"]);
    initdb.args(["--auth-local=trust", "--auth-host=reject", "--data-checksums"]);
    if !durable {
        initdb.arg("--no-sync");
    }
    run(initdb, "").context("cannot make a Postgres cluster")?;

    let mut single = home.account().command(&binaries.postgres(), home.dir());
    single.arg("--single").arg("-D").arg(&staged);
    single.args(["-c", "exit_on_error=on"]);
    set_durability(&mut single, durable);
    single.arg("postgres");
    let create = format!("create database {DATABASE}\n");
    run(single, &create).with_context(|| format!("cannot make the database {DATABASE}"))?;

    fs::rename(&staged, home.data()).context("cannot put the cluster in place")?;
    if durable {
        File::open(home.dir())?.sync_all()?;
    }
    Ok(())
}

/// Runs `command` on `input` to its end. Its complaints become the error.
fn run(mut command: Command, input: &str) -> Result<()> {
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut process = command.stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = process.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = process.wait_with_output()?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", complaints.trim());
    Ok(())
}

/// Stops the Postgres of `home` that outlived its owner, and clears away what it, or one that was
/// killed, left behind. Only the holder of the lock may do this.
pub(crate) fn stop_orphan(home: &Home) -> Result<()> {
    let (data, path) = (home.data(), home.data().join("postmaster.pid"));
    let Ok(text) = fs::read_to_string(&path) else {
        return Ok(());
    };
    let pid = text.lines().next().and_then(|n| n.trim().parse().ok());
    if let Some(pid) = pid.and_then(Pid::from_raw).filter(|p| serves(*p, &data)) {
        end(pid, || Ok(!serves(pid, &data)))?;
    }
    // Postgres believes the file while any process has the number, a stranger or an unburied corpse.
    // Sessions of a dead postmaster are safe: Postgres finds them by their shared memory.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Whether `pid` is a living Postgres that works on `data`. The number alone may by now be anybody's.
#[cfg(target_os = "linux")]
fn serves(pid: Pid, data: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|dir| dir == data)
}

/// Whether `pid` is a living Postgres that works on `data`. The number alone may by now be anybody's.
#[cfg(not(target_os = "linux"))]
fn serves(pid: Pid, data: &Path) -> bool {
    let mut ps = Command::new("ps");
    ps.args(["-o", "command=", "-p", &pid.to_string()]);
    let Ok(output) = ps.output() else {
        return false;
    };
    let command = String::from_utf8_lossy(&output.stdout);
    command.contains(&format!("-D {} ", data.display()))
}

/// Asks the postmaster `pid` for a fast shutdown, and insists when it takes too long.
fn end(pid: Pid, mut gone: impl FnMut() -> Result<bool>) -> Result<()> {
    // Without its orderly end the next start replays the log.
    for (signal, limit) in [(Signal::INT, STOP), (Signal::QUIT, LEFTOVERS)] {
        match kill_process(pid, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot signal Postgres, process {pid}"));
            }
        }
        if wait::until(limit, &mut gone)? {
            return Ok(());
        }
    }
    bail!("Postgres, process {pid}, does not stop")
}

/// Whether the postmaster `pid` has written into its lock file that it takes connections.
fn is_ready(data: &Path, pid: u32) -> bool {
    // The first line is the number, the eighth the state.
    let text = lock_file(data);
    let line = |n| text.lines().nth(n).map(str::trim);
    line(0) == Some(&pid.to_string()) && line(7) == Some("ready")
}

/// The directory of the socket of whichever postmaster takes connections on `data`.
pub(crate) fn socket_dir(data: &Path) -> Option<String> {
    let text = lock_file(data);
    let line = |n| text.lines().nth(n).map(str::trim);
    line(4).filter(|dir| line(7) == Some("ready") && !dir.is_empty()).map(str::to_owned)
}

fn lock_file(data: &Path) -> String {
    fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default()
}
