//! Password of the roles of the cluster. Postgres requires it, even though only root and the user that runs Postgres can
//! open the socket.

use std::path::Path;
use std::time::Duration;
use std::{fmt, fs};

use anyhow::{Context, Result, ensure};

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
use crate::connection::USER;
use crate::single_user;

/// Length of the password in random bytes.
const PASSWORD_BYTES: usize = 32;

/// Age at which the next start replaces the password.
const MAX_PASSWORD_AGE: Duration = Duration::from_hours(30 * 24);

/// Method of `pg_hba.conf` that requires the password.
const PASSWORD_METHOD: &str = "scram-sha-256";

/// Method of `pg_hba.conf` that lets everyone in.
const NO_PASSWORD_METHOD: &str = "trust";

/// Password in hexadecimal digits.
pub(crate) struct Password(String);

impl Password {
    fn generate() -> Result<Self> {
        let mut bytes = [0; PASSWORD_BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::from).context("no random numbers")?;
        Ok(Self(hex::encode(bytes)))
    }

    /// Returns the password in `file`, or `None` if it does not exist, as in clusters of earlier versions.
    ///
    /// # Errors
    /// If the file cannot be read or has other content.
    pub(crate) fn read(file: &Path) -> Result<Option<Self>> {
        let Some(text) = ClusterDir::read_file(file)? else { return Ok(None) };
        let is_password = text.len() == 2 * PASSWORD_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_password, "{} contains no password: delete it, and start the server again", file.display());
        Ok(Some(Self(text)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Returns the password of the cluster, whose Postgres must not run. Sets one and makes Postgres require it if the cluster
/// is new, was created by an earlier version, has lost its file, or if the password is old.
///
/// # Errors
/// If Postgres or a file cannot be changed.
pub(crate) fn ensure_password(cluster_dir: &ClusterDir, binaries: &Binaries, durable: bool) -> Result<Password> {
    let (password_file, hba_file) = (cluster_dir.password_file(), cluster_dir.data_dir().join("pg_hba.conf"));
    let rules = ClusterDir::read_file(&hba_file)?.with_context(|| format!("{} is missing", hba_file.display()))?;
    let protected_rules = require_password(&rules);
    if let Some(password) = Password::read(&password_file)?
        && rules == protected_rules
        && !is_old(&password_file)?
    {
        return Ok(password);
    }
    // In this order, a start that is interrupted leaves a cluster for which the next start does all of this again.
    let password = Password::generate()?;
    let statement = format!("alter role {USER} password '{}'", password.as_str());
    single_user::run(cluster_dir, binaries, &cluster_dir.data_dir(), "postgres", &statement, durable)
        .context("cannot set the password of the database")?;
    cluster_dir.replace_file(&password_file, password.as_str(), durable)?;
    if rules != protected_rules {
        cluster_dir.replace_file(&hba_file, &protected_rules, durable)?;
    }
    Ok(password)
}

fn is_old(password_file: &Path) -> Result<bool> {
    let modified = fs::metadata(password_file).and_then(|metadata| metadata.modified());
    let modified = modified.with_context(|| format!("cannot read {}", password_file.display()))?;
    // A time in the future, after the clock was set back, counts as new.
    Ok(modified.elapsed().is_ok_and(|age| age > MAX_PASSWORD_AGE))
}

/// Returns the rules of a `pg_hba.conf` with a password in place of no password; other lines stay as they are.
fn require_password(rules: &str) -> String {
    let lines = rules.split_inclusive('\n').map(|line| {
        let rule = line.trim_end();
        let is_open =
            !rule.trim_start().starts_with('#') && rule.split_whitespace().next_back() == Some(NO_PASSWORD_METHOD);
        match rule.strip_suffix(NO_PASSWORD_METHOD) {
            Some(start) if is_open => format!("{start}{PASSWORD_METHOD}\n"),
            _ => line.to_owned(),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s12_only_rules_without_a_password_change() {
        let rules = "# local all all trust\nlocal   all  all    trust\nhost trust all 127.0.0.1/32 reject\n\nlocal all me peer map=trust\nlocal replication all trust";
        let expected = "# local all all trust\nlocal   all  all    scram-sha-256\nhost trust all 127.0.0.1/32 reject\n\nlocal all me peer map=trust\nlocal replication all scram-sha-256\n";
        assert_eq!(require_password(rules), expected);
        assert_eq!(require_password(expected), expected);
    }

    #[test]
    fn s12_passwords_are_random_and_masked_in_debug_output() {
        let (one, two) = (Password::generate().unwrap(), Password::generate().unwrap());
        assert_eq!(one.as_str().len(), 64);
        assert_ne!(one.as_str(), two.as_str());
        assert_eq!(format!("{one:?}"), "Password(…)");
    }
}
