//! The Postgres server process (postmaster): start, stop, and cleanup after a crash.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
use crate::remove::remove_file_if_exists;
use crate::socket::PORT;
use crate::wait;

/// Timeout of a start, including the replay of the log after a crash.
const START_TIMEOUT: Duration = Duration::from_mins(2);

/// Timeout of a fast shutdown: ending all sessions and writing all data to disk.
const FAST_SHUTDOWN_TIMEOUT: Duration = Duration::from_mins(1);

/// Timeout of an immediate shutdown, and of sessions to notice that their postmaster was killed.
const SESSION_EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause between attempts to start while sessions of a killed postmaster are still running.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Part of Postgres's log message while sessions of a killed postmaster are still running.
const SESSIONS_RUNNING: &str = "pre-existing shared memory block";

/// Settings that override `postgresql.conf`.
const SETTINGS: [&str; 11] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=60",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_destination=stderr",
    "logging_collector=off",
    "log_checkpoints=off",
    // Failed statements may contain personal data. The client receives the error, the log does not.
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",
];

/// Settings with which acknowledged commits survive a power failure.
const DURABILITY_SETTINGS: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// Running Postgres server process. Stops when dropped.
#[derive(Debug)]
pub(crate) struct Postmaster {
    process: Child,
}

impl Postmaster {
    /// Starts Postgres and waits until it accepts connections.
    pub(crate) fn start(
        cluster_dir: &ClusterDir,
        binaries: &Binaries,
        socket_dir: &str,
        durable: bool,
    ) -> Result<Self> {
        let start = Instant::now();
        loop {
            let log = Log::open(cluster_dir)?;
            let mut command = server_command(cluster_dir, binaries, socket_dir, durable);
            let process = command.stderr(log.file.try_clone()?).spawn();
            let mut postmaster = Self { process: process.context("cannot start Postgres")? };
            if postmaster.wait_until_ready(&cluster_dir.data_dir())? {
                return Ok(postmaster);
            }
            let failure = log.failure()?;
            if !failure.contains(SESSIONS_RUNNING) || start.elapsed() > SESSION_EXIT_TIMEOUT {
                bail!("Postgres did not start: {failure}");
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Returns true if the process has not exited.
    pub(crate) fn is_alive(&mut self) -> Result<bool> {
        Ok(self.process.try_wait()?.is_none())
    }

    /// Shuts Postgres down in order and waits until it has exited.
    pub(crate) fn stop(&mut self) -> Result<()> {
        let pid = Pid::from_child(&self.process);
        if self.process.try_wait()?.is_some() {
            return Ok(());
        }
        shut_down(pid, || Ok(self.process.try_wait()?.is_some()))
    }

    /// Waits until Postgres accepts connections or has exited. Returns true if it accepts connections.
    fn wait_until_ready(&mut self, data_dir: &Path) -> Result<bool> {
        let has_started_or_exited = wait::poll_until(START_TIMEOUT, || {
            Ok(self.process.try_wait()?.is_some() || is_ready(data_dir, self.process.id()))
        })?;
        ensure!(has_started_or_exited, "Postgres was not ready after {} s", START_TIMEOUT.as_secs());
        Ok(self.process.try_wait()?.is_none())
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        // A caller that needs the error calls `stop`.
        let _ = self.stop();
    }
}

fn server_command(cluster_dir: &ClusterDir, binaries: &Binaries, socket_dir: &str, durable: bool) -> Command {
    let mut command = cluster_dir.user().command(&binaries.postgres(), cluster_dir.path());
    command.arg("-D").arg(cluster_dir.data_dir());
    command.args(["-k", socket_dir]);
    command.args(["-p", &PORT.to_string()]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    set_durability(&mut command, durable);
    command.stdout(Stdio::null());
    command
}

/// Adds the durability settings to the arguments of `postgres`.
pub(crate) fn set_durability(command: &mut Command, durable: bool) {
    for name in DURABILITY_SETTINGS {
        let value = if durable { "on" } else { "off" };
        command.args(["-c", &format!("{name}={value}")]);
    }
}

/// Log file of Postgres, with the position at which the current start begins.
struct Log {
    path: PathBuf,
    file: File,
    start: u64,
}

impl Log {
    fn open(cluster_dir: &ClusterDir) -> Result<Self> {
        let path = cluster_dir.log_file();
        let file = ClusterDir::file_options()
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        cluster_dir.user().chown(&path)?;
        let start = file.metadata()?.len();
        Ok(Self { path, file, start })
    }

    /// Returns Postgres's message about why this start failed.
    fn failure(mut self) -> Result<String> {
        let mut text = String::new();
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.read_to_string(&mut text)?;
        let fatal_message = |line: &str| Some(line.split_once("FATAL:")?.1.trim().to_owned());
        Ok(text.lines().find_map(fatal_message).unwrap_or_else(|| format!("see {}", self.path.display())))
    }
}

/// Stops a Postgres whose owner process was killed, and removes its lock file. Requires the lock of the directory.
pub(crate) fn stop_orphan(cluster_dir: &ClusterDir) -> Result<()> {
    let data_dir = cluster_dir.data_dir();
    let lock_file = data_dir.join("postmaster.pid");
    let Ok(text) = fs::read_to_string(&lock_file) else {
        return Ok(());
    };
    let pid = text.lines().next().and_then(|line| line.trim().parse().ok());
    if let Some(pid) = pid.and_then(Pid::from_raw).filter(|pid| is_postmaster_of(*pid, &data_dir)) {
        shut_down(pid, || Ok(!is_postmaster_of(pid, &data_dir)))?;
    }
    // Postgres respects the file while any process has this process id, including an unrelated or a zombie process.
    // Sessions of a killed postmaster stay protected: Postgres detects them by their shared memory.
    remove_file_if_exists(&lock_file)
}

/// Returns true if `pid` is a running Postgres of `data_dir`. The process id alone may have been reused.
#[cfg(target_os = "linux")]
fn is_postmaster_of(pid: Pid, data_dir: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|dir| dir == data_dir)
}

/// Returns true if `pid` is a running Postgres of `data_dir`. The process id alone may have been reused.
#[cfg(not(target_os = "linux"))]
fn is_postmaster_of(pid: Pid, data_dir: &Path) -> bool {
    let mut ps = Command::new("ps");
    ps.args(["-o", "command=", "-p", &pid.to_string()]);
    let Ok(output) = ps.output() else {
        return false;
    };
    let command = String::from_utf8_lossy(&output.stdout);
    command.contains(&format!("-D {} ", data_dir.display()))
}

/// Requests a fast shutdown of the postmaster `pid`, then an immediate shutdown if that takes too long.
fn shut_down(pid: Pid, mut has_exited: impl FnMut() -> Result<bool>) -> Result<()> {
    // After an immediate shutdown the next start replays the log.
    for (signal, timeout) in [(Signal::INT, FAST_SHUTDOWN_TIMEOUT), (Signal::QUIT, SESSION_EXIT_TIMEOUT)] {
        match kill_process(pid, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot signal Postgres, process {pid}"));
            }
        }
        if wait::poll_until(timeout, &mut has_exited)? {
            return Ok(());
        }
    }
    bail!("Postgres, process {pid}, does not stop")
}

/// Returns true if the lock file says that the postmaster `pid` accepts connections.
fn is_ready(data_dir: &Path, pid: u32) -> bool {
    let lock_file = LockFile::read(data_dir);
    lock_file.line(LockFile::PID_LINE) == Some(&pid.to_string()) && lock_file.is_ready()
}

/// Returns the socket directory of the postmaster that accepts connections on `data_dir`.
pub(crate) fn read_socket_dir(data_dir: &Path) -> Option<String> {
    let lock_file = LockFile::read(data_dir);
    let socket_dir = lock_file.line(LockFile::SOCKET_DIR_LINE);
    socket_dir.filter(|dir| lock_file.is_ready() && !dir.is_empty()).map(str::to_owned)
}

/// Content of `postmaster.pid`.
struct LockFile(String);

impl LockFile {
    const PID_LINE: usize = 0;
    const SOCKET_DIR_LINE: usize = 4;
    const STATE_LINE: usize = 7;

    fn read(data_dir: &Path) -> Self {
        Self(fs::read_to_string(data_dir.join("postmaster.pid")).unwrap_or_default())
    }

    fn line(&self, index: usize) -> Option<&str> {
        self.0.lines().nth(index).map(str::trim)
    }

    fn is_ready(&self) -> bool {
        self.line(Self::STATE_LINE) == Some("ready")
    }
}
