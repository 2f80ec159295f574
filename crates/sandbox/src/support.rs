//! Kernel features that the sandbox uses.

use std::io;
use std::thread;

use landlock::{ABI, LandlockStatus};

use crate::{landlock_rules, system_calls};

/// Kernel features that the sandbox uses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Support {
    /// Version of Landlock; 0 without it.
    pub landlock_version: i32,
    /// True if system calls can be filtered.
    pub seccomp: bool,
}

impl Support {
    /// Version of Landlock with all restrictions that the sandbox uses.
    pub const LANDLOCK_VERSION: i32 = ABI::V6 as i32;

    /// Restricts a thread, which ends at once, to find out what this kernel provides.
    ///
    /// # Errors
    /// Fails if the thread cannot be started or a restriction is invalid.
    pub fn detect() -> io::Result<Self> {
        let restrict = || {
            rustix::thread::set_no_new_privs(true)?;
            let landlock_version = match landlock_rules::restrict()? {
                LandlockStatus::Available { effective_abi, kernel_abi } => kernel_abi.unwrap_or(effective_abi as i32),
                LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
            };
            Ok(Self { landlock_version, seccomp: system_calls::restrict()? })
        };
        let thread = thread::Builder::new().spawn(restrict)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")))
    }

    /// Returns true if the sandbox applies all its restrictions on this kernel.
    pub fn is_complete(self) -> bool {
        self.seccomp && self.landlock_version >= Self::LANDLOCK_VERSION
    }
}
