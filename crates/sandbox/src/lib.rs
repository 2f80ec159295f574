//! Sandboxed process that parses untrusted files, so that a malicious file cannot harm the server.
//!
//! The process is the current program, started by [`command`] with an argument that selects the parser. It calls
//! [`confine`] first, before a runtime, a thread or a logger starts, because the limits apply only to what is started
//! after them.

#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod support;
#[cfg(target_os = "linux")]
mod system_calls;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

#[cfg(target_os = "linux")]
pub use crate::support::Support;

/// Address space in bytes.
#[cfg(target_os = "linux")]
const MAX_MEMORY_BYTES: u64 = 768 * 1024 * 1024;
/// CPU time in seconds.
#[cfg(unix)]
const MAX_CPU_SECONDS: u64 = 20;
/// Memory in bytes for the content of a PDF document; a year of contract notes needs less.
#[cfg(target_os = "linux")]
const MAX_EXTRA_PDF_MEMORY_BYTES: u64 = 32 * 1024 * 1024;
/// CPU time in seconds for a PDF document.
#[cfg(unix)]
const MAX_PDF_CPU_SECONDS: u64 = 8;
/// Open file descriptors.
#[cfg(unix)]
const MAX_OPEN_FILES: u64 = 16;

/// Limits of one process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Address space in bytes, beyond what the process has at its start; none for the default limit.
    #[cfg(target_os = "linux")]
    extra_memory_bytes: Option<u64>,
    /// CPU time in seconds.
    #[cfg(unix)]
    cpu_seconds: u64,
}

impl Limits {
    /// Limits for spreadsheets and documents.
    pub const DEFAULT: Self = Self {
        #[cfg(target_os = "linux")]
        extra_memory_bytes: None,
        #[cfg(unix)]
        cpu_seconds: MAX_CPU_SECONDS,
    };
    /// Limits for PDF documents, which a small file can make large in memory.
    pub const PDF: Self = Self {
        #[cfg(target_os = "linux")]
        extra_memory_bytes: Some(MAX_EXTRA_PDF_MEMORY_BYTES),
        #[cfg(unix)]
        cpu_seconds: MAX_PDF_CPU_SECONDS,
    };
}

/// Returns the path of the current program.
///
/// On Linux this is the running image, so that replacing the file on disk during an upgrade does not start a parser of
/// another version.
pub fn current_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("tradebahi"))
}

/// Returns a command that runs `program` with `file` as stdin and a pipe as stdout.
///
/// The process gets no environment variables but those added to the command, and is killed when its handle is dropped.
pub fn command(program: &Path, arguments: &[impl AsRef<OsStr>], file: File) -> Command {
    let mut command = Command::new(program);
    // A terminal sends Ctrl-C to its whole process group. In its own group the process can finish its file.
    #[cfg(unix)]
    command.process_group(0);
    command
        .args(arguments)
        .env_clear()
        .stdin(Stdio::from(file))
        .stdout(Stdio::piped())
        // A panic message may contain parts of the file.
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Returns stdin and stdout as files: the input can be seeked, and the output is not line-buffered.
///
/// # Errors
/// Fails if a descriptor cannot be duplicated.
#[cfg(unix)]
pub fn stdio_files() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Returns stdin and stdout as files: the input can be seeked, and the output is not line-buffered.
///
/// # Errors
/// Fails if a handle cannot be duplicated.
#[cfg(windows)]
pub fn stdio_files() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Limits the current process as [`confine_to`] does, with the default limits.
///
/// # Errors
/// Fails if a limit cannot be set.
pub fn confine() -> io::Result<()> {
    confine_to(Limits::DEFAULT)
}

/// Limits the current process to what parsing a file requires: memory, CPU time and system calls; no new
/// files, sockets, processes or signals.
///
/// A kernel may lack Landlock or seccomp; the process then runs without that restriction. [`Support`] reports it.
///
/// # Errors
/// Fails if any other limit cannot be set.
#[cfg(target_os = "linux")]
pub fn confine_to(limits: Limits) -> io::Result<()> {
    use rustix::process::Resource;

    let memory = limits.extra_memory_bytes.and_then(|extra| Some(address_space()? + extra));
    lower_limit(Resource::As, memory.map_or(MAX_MEMORY_BYTES, |memory| memory.min(MAX_MEMORY_BYTES)))?;
    lower_limit(Resource::Cpu, limits.cpu_seconds)?;
    lower_limit(Resource::Fsize, 0)?;
    lower_limit(Resource::Nofile, MAX_OPEN_FILES)?;
    lower_limit(Resource::Core, 0)?;
    rustix::thread::set_no_new_privs(true)?;
    landlock_rules::restrict()?;
    system_calls::restrict()?;
    Ok(())
}

/// Limits the current process as far as this system allows: CPU time and open files.
///
/// # Errors
/// Fails if a limit cannot be set.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn confine_to(limits: Limits) -> io::Result<()> {
    use rustix::process::Resource;

    lower_limit(Resource::Cpu, limits.cpu_seconds)?;
    lower_limit(Resource::Nofile, MAX_OPEN_FILES)?;
    lower_limit(Resource::Core, 0)
}

/// Does nothing: this system has no such limits.
///
/// # Errors
/// Never fails.
#[cfg(not(unix))]
pub fn confine_to(_: Limits) -> io::Result<()> {
    Ok(())
}

/// Returns the address space of the current process in bytes; none if the system does not state it.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kibibytes: u64 = size.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Lowers the soft and the hard limit of `resource` to `max`. A hard limit that is already lower is kept.
#[cfg(unix)]
fn lower_limit(resource: rustix::process::Resource, max: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};

    let max = getrlimit(resource).maximum.map_or(max, |hard_limit| hard_limit.min(max));
    setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })?;
    Ok(())
}
