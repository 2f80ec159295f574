//! The child's side: first the limits, then the file on stdin, then what it holds to stdout.
//!
//! A program calls [`main`] before anything else when its first argument is [`ARGUMENT`]: before a runtime, a thread or
//! a logger starts, because the limits hold only for what comes after them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use crate::protocol;
pub use crate::protocol::ARGUMENT;
use crate::reading;

const WRITTEN_AT_ONCE: usize = 256 * 1024;

/// Reads the file on stdin and writes what it holds to stdout. Anything but success means that what was written does
/// not count.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads stderr, and the reason may hold a part of the file.
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    confine()?;
    let (input, output) = standard_files()?;
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, output);
    reading::read(input, &mut |event| protocol::write(&mut out, event))?;
    out.flush()
}

/// Stdin and stdout as files: the one can seek, the other does not look for ends of lines.
#[cfg(unix)]
fn standard_files() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Stdin and stdout as files: the one can seek, the other does not look for ends of lines.
#[cfg(windows)]
fn standard_files() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Gives up all that reading a file does not need. On Linux every step must succeed, save that an old kernel may lack
/// landlock.
#[cfg(target_os = "linux")]
fn confine() -> io::Result<()> {
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
fn confine() -> io::Result<()> {
    use rustix::process::Resource;

    limit(Resource::Cpu, 20)?;
    limit(Resource::Nofile, 16)?;
    limit(Resource::Core, 0)
}

/// There is nothing to give up in this way.
#[cfg(not(unix))]
fn confine() -> io::Result<()> {
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
