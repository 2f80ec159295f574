//! The account that Postgres runs under: ours, or a lesser one when we are root, which Postgres
//! refuses to be.

use std::env;
use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::geteuid;

/// The accounts that root may hand Postgres to, the better first.
const SERVANTS: [&str; 2] = ["postgres", "nobody"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Account {
    Ours,
    Other { uid: u32, gid: u32 },
}

impl Account {
    /// The account for a cluster in `dir`, which need not exist. A cluster that root opens stays
    /// with the account that owns it.
    pub(crate) fn of(dir: &Path) -> Result<Self> {
        let owner = fs::metadata(dir).ok();
        let ours = geteuid();
        match owner {
            Some(owner) if ours.is_root() && owner.uid() != 0 => Ok(Self::Other { uid: owner.uid(), gid: owner.gid() }),
            _ if ours.is_root() => servant(),
            Some(owner) if owner.uid() != ours.as_raw() => bail!(
                "{} belongs to another account (id {}): run as that account, or choose another directory",
                dir.display(),
                owner.uid(),
            ),
            _ => Ok(Self::Ours),
        }
    }

    /// A command under this account, in `dir`, with nothing of our environment, which may hold
    /// secrets, and nothing of our terminal: Ctrl-C is for us, who then stop Postgres in order.
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

    /// Whether this account can enter `dir`. Only trying tells: modes, lists and mounts all have a say.
    pub(crate) fn can_enter(self, dir: &Path) -> bool {
        let mut command = self.command(Path::new("/bin/sh"), dir);
        let status = command.args(["-c", ":"]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Makes this account the owner of `path`.
    pub(crate) fn give(self, path: &Path) -> Result<()> {
        match self {
            Self::Ours => Ok(()),
            Self::Other { uid, gid } => lchown(path, Some(uid), Some(gid))
                .with_context(|| format!("cannot give {} to account {uid}", path.display())),
        }
    }
}

fn servant() -> Result<Account> {
    let accounts = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    SERVANTS
        .iter()
        .find_map(|name| look_up(&accounts, name))
        .context("Postgres does not run as root, and there is no account `postgres` or `nobody`: add one with `useradd --system postgres`, or run as another user")
}

fn look_up(accounts: &str, wanted: &str) -> Option<Account> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _password) = (fields.next()?, fields.next()?);
        let (uid, gid) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        (name == wanted && uid != 0).then_some(Account::Other { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_whole_name_and_is_not_root() {
        let accounts = "postgres2:x:5:5::/:/bin/sh\n# a comment\npostgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\nroot2:x:0:0::/:/bin/sh\n";
        let found = |name| look_up(accounts, name);
        assert_eq!(found("postgres"), Some(Account::Other { uid: 101, gid: 104 }));
        assert_eq!(found("nobody"), None);
        assert_eq!(found("root2"), None);
    }
}
