//! A process that reads what strangers send, so that what happens to it happens to nobody else.
//!
//! It is this very program started again with an argument of its own: [`command`] starts it. There it calls [`confine`]
//! before anything else, before a runtime, a thread or a logger starts, because the limits hold only for what comes
//! after them.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

/// This program. On Linux by way of the running image, so that an upgrade which replaced the file on the disk does not
/// start a child of another version.
pub fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("tradebahi"))
}

/// `program` as a child that reads `file` and writes to a pipe. It is killed when it is dropped.
pub fn command(program: &Path, arguments: &[impl AsRef<OsStr>], file: File) -> Command {
    let mut command = Command::new(program);
    // A terminal sends Ctrl-C to its whole group; the files that are read then are still read to their ends.
    #[cfg(unix)]
    command.process_group(0);
    command
        .args(arguments)
        .env_clear()
        .stdin(Stdio::from(file))
        .stdout(Stdio::piped())
        // What a panic says may hold a part of the file.
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Stdin and stdout as files: the one can seek, the other does not look for ends of lines.
#[cfg(unix)]
pub fn standard_files() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Stdin and stdout as files: the one can seek, the other does not look for ends of lines.
#[cfg(windows)]
pub fn standard_files() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Gives up all that reading a file does not need. On Linux every step must succeed, save that an old kernel may lack
/// landlock.
#[cfg(target_os = "linux")]
pub fn confine() -> io::Result<()> {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope};
    use rustix::process::Resource;

    limit(Resource::As, 768 * 1024 * 1024)?;
    limit(Resource::Cpu, 20)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Nofile, 16)?;
    limit(Resource::Core, 0)?;
    rustix::thread::set_no_new_privs(true)?;
    // No rule follows the rights that are handled, so all of them are denied.
    Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V5)))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.no_new_privs(true).restrict_self())
        .map_err(io::Error::other)?;
    Ok(())
}

/// Gives up what this system lets us give up.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn confine() -> io::Result<()> {
    use rustix::process::Resource;

    limit(Resource::Cpu, 20)?;
    limit(Resource::Nofile, 16)?;
    limit(Resource::Core, 0)
}

/// There is nothing to give up in this way.
#[cfg(not(unix))]
pub fn confine() -> io::Result<()> {
    Ok(())
}

/// Lowers one limit for good. One that is lower already stays.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, most: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};

    let most = getrlimit(resource).maximum.map_or(most, |allowed| allowed.min(most));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    Ok(())
}
