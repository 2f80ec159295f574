//! Operating system user that runs Postgres: the current user, or an unprivileged one if the current user is root,
//! because Postgres does not run as root.

use std::env;
use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::geteuid;

/// Users under which root runs Postgres, in order of preference.
const UNPRIVILEGED_USERS: [&str; 2] = ["postgres", "nobody"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OsUser {
    Current,
    Other { uid: u32, gid: u32 },
}

impl OsUser {
    /// Returns the user for a cluster in `dir`, which need not exist. If root opens an existing cluster, its owner runs
    /// it.
    ///
    /// # Errors
    /// If the directory belongs to another user, or root finds no unprivileged user.
    pub(crate) fn for_dir(dir: &Path) -> Result<Self> {
        let owner = fs::metadata(dir).ok();
        let current = geteuid();
        match owner {
            Some(owner) if current.is_root() && owner.uid() != 0 => {
                Ok(Self::Other { uid: owner.uid(), gid: owner.gid() })
            }
            _ if current.is_root() => find_unprivileged_user(),
            Some(owner) if owner.uid() != current.as_raw() => bail!(
                "{} belongs to another user (id {}): run as that user, or choose another directory",
                dir.display(),
                owner.uid(),
            ),
            _ => Ok(Self::Current),
        }
    }

    /// Returns a command that runs as this user in `dir`.
    ///
    /// It inherits only the search paths of the environment, which may contain secrets. It runs in its own process
    /// group, so that Ctrl-C reaches only this program, which then stops Postgres in order.
    pub(crate) fn command(self, program: &Path, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(dir).env_clear().env("LC_ALL", "C");
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.process_group(0).stdin(Stdio::null());
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Returns true if this user can enter `dir`. Runs a process in it, because permission bits, access lists and mount
    /// options all affect access.
    pub(crate) fn can_enter(self, dir: &Path) -> bool {
        let mut command = self.command(Path::new("/bin/sh"), dir);
        let status = command.args(["-c", ":"]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Makes this user the owner of `path`.
    pub(crate) fn chown(self, path: &Path) -> Result<()> {
        match self {
            Self::Current => Ok(()),
            Self::Other { uid, gid } => lchown(path, Some(uid), Some(gid))
                .with_context(|| format!("cannot change the owner of {} to user {uid}", path.display())),
        }
    }
}

fn find_unprivileged_user() -> Result<OsUser> {
    let passwd = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    UNPRIVILEGED_USERS
        .iter()
        .find_map(|name| find_user(&passwd, name))
        .context("Postgres does not run as root, and there is no user `postgres` or `nobody`: add one with `useradd --system postgres`, or run as another user")
}

fn find_user(passwd: &str, name: &str) -> Option<OsUser> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (entry, _password) = (fields.next()?, fields.next()?);
        let (uid, gid) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        (entry == name && uid != 0).then_some(OsUser::Other { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_user_by_exact_name_and_never_root() {
        let passwd = "postgres2:x:5:5::/:/bin/sh\n# a comment\npostgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\nroot2:x:0:0::/:/bin/sh\n";
        let find = |name| find_user(passwd, name);
        assert_eq!(find("postgres"), Some(OsUser::Other { uid: 101, gid: 104 }));
        assert_eq!(find("nobody"), None);
        assert_eq!(find("root2"), None);
    }
}
