//! Landlock: files, TCP, signals and abstract Unix sockets that the parser process may use, which are none.

use std::io;

use landlock::{ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope};

/// Denies the current thread all files that it has not opened, TCP, signals to others and abstract Unix sockets, as far
/// as the kernel can.
///
/// # Errors
/// Fails if the rules are invalid.
pub(crate) fn restrict() -> io::Result<LandlockStatus> {
    // No rule grants any of the handled rights, so all of them are denied.
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V5)))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.no_new_privs(true).restrict_self())
        .map_err(io::Error::other)?;
    Ok(status.landlock)
}
