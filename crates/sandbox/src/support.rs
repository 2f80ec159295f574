//! Kernel features that the sandbox uses.

use std::path::Path;

use landlock::{ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

/// Kernel features that the sandbox uses, and whether this kernel has them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Support {
    /// Filter of system calls.
    pub seccomp: bool,
    /// Landlock restrictions of files and TCP.
    pub landlock: bool,
    /// Landlock restrictions of signals and abstract Unix sockets.
    pub landlock_scopes: bool,
}

impl Support {
    /// Asks the kernel, without restricting this process.
    pub fn detect() -> Self {
        let rules = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let landlock = rules()
            .handle_access(AccessFs::from_all(ABI::V5))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V5)))
            .and_then(Ruleset::create);
        Self {
            seccomp: Path::new("/proc/sys/kernel/seccomp/actions_avail").exists(),
            landlock: landlock.is_ok(),
            landlock_scopes: rules().scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok(),
        }
    }

    /// Returns true if the kernel has every feature.
    pub fn is_complete(self) -> bool {
        self.seccomp && self.landlock && self.landlock_scopes
    }
}
