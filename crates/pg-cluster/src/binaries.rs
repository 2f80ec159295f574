//! Search for the Postgres programs.

use std::env;
use std::ops::RangeInclusive;
use std::path::{self, Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::cluster_dir::ClusterDir;
use crate::npm;

/// Major versions that TradeBahi supports.
const SUPPORTED_VERSIONS: RangeInclusive<u32> = 15..=18;

/// Environment variable with the directory of the programs; disables the search.
const BIN_DIR_VARIABLE: &str = "TRADEBAHI_PG_BIN";

/// Directory with `postgres` and `initdb` of a supported version, which the cluster's user can run.
#[derive(Debug)]
pub(crate) struct Binaries {
    dir: PathBuf,
    major: u32,
}

impl Binaries {
    pub(crate) fn postgres(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    pub(crate) fn initdb(&self) -> PathBuf {
        self.dir.join("initdb")
    }

    /// Returns the programs in `dir` if they run and have a supported version.
    fn probe(dir: PathBuf, cluster_dir: &ClusterDir) -> Option<Self> {
        if !dir.join("initdb").is_file() {
            return None;
        }
        let mut command = cluster_dir.user().command(&dir.join("postgres"), cluster_dir.path());
        command.arg("--version").stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        let major = parse_major_version(&String::from_utf8_lossy(&output.stdout))?;
        SUPPORTED_VERSIONS.contains(&major).then_some(Self { dir, major })
    }
}

/// Finds the programs for a cluster: those of the version that created it, or the first supported ones for a new cluster.
///
/// # Errors
/// If no suitable programs are installed; the message says what to do.
pub(crate) fn find(cluster_dir: &ClusterDir, web_dir: &Path) -> Result<Binaries> {
    let configured_dir = env::var_os(BIN_DIR_VARIABLE).map(PathBuf::from);
    let candidates = match &configured_dir {
        Some(dir) => vec![Candidate::BinDir(path::absolute(dir).context(BIN_DIR_VARIABLE)?)],
        None => list_candidates(web_dir),
    };
    let required_version = cluster_dir.version()?;
    let mut others = Vec::new();
    for candidate in candidates {
        if let Some(binaries) = candidate.probe(cluster_dir)? {
            if required_version.is_none_or(|version| version == binaries.major) {
                return Ok(binaries);
            }
            others.push(format!("{} ({})", binaries.major, binaries.dir.display()));
        }
    }
    match (configured_dir, required_version) {
        (Some(dir), _) if others.is_empty() => bail!(
            "{BIN_DIR_VARIABLE} is {}, which contains no Postgres 15 to 18 that runs: set it to the directory of `postgres` and `initdb`, or unset it",
            dir.display(),
        ),
        (_, Some(version)) => bail!(
            "the database in {} was created by Postgres {version}, and {} was found: install Postgres {version}, set {BIN_DIR_VARIABLE} to the directory of its programs, or move the database away to start with an empty one",
            cluster_dir.path().display(),
            match others.as_slice() {
                [] => "no Postgres".to_owned(),
                others => format!("only Postgres {}", others.join(" and ")),
            },
        ),
        (_, None) => bail!(
            "Postgres 15 to 18 was not found on PATH, in /usr/lib/postgresql, in Homebrew's directories or in {}: install it, run `npm ci` in {}, or set {BIN_DIR_VARIABLE} to the directory of its programs",
            web_dir.join("node_modules").display(),
            web_dir.display(),
        ),
    }
}

/// Possible location of the programs.
enum Candidate {
    BinDir(PathBuf),
    NpmPackage(PathBuf),
}

impl Candidate {
    fn probe(self, cluster_dir: &ClusterDir) -> Result<Option<Binaries>> {
        let package = match self {
            Self::BinDir(dir) => return Ok(Binaries::probe(dir, cluster_dir)),
            Self::NpmPackage(package) => package,
        };
        if let Some(binaries) = Binaries::probe(npm::bin_dir(&package), cluster_dir) {
            return Ok(Some(binaries));
        }
        let copy = npm::copy_package(&package, cluster_dir)?;
        Ok(Binaries::probe(npm::bin_dir(&copy), cluster_dir))
    }
}

/// Lists the possible locations in order of preference.
fn list_candidates(web_dir: &Path) -> Vec<Candidate> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter(|dir| dir.is_absolute());
    let installed = SUPPORTED_VERSIONS.rev().flat_map(|major| {
        [
            format!("/usr/lib/postgresql/{major}/bin"),
            format!("/opt/homebrew/opt/postgresql@{major}/bin"),
            format!("/usr/local/opt/postgresql@{major}/bin"),
        ]
    });
    on_path
        .chain(installed.map(PathBuf::from))
        .map(Candidate::BinDir)
        .chain(npm::find_package(web_dir).map(Candidate::NpmPackage))
        .collect()
}

/// Parses the output of `postgres --version`.
fn parse_major_version(output: &str) -> Option<u32> {
    let version = output.strip_prefix("postgres (PostgreSQL) ")?;
    let end = version.find(|c: char| !c.is_ascii_digit())?;
    version.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_major_version_of_stable_beta_and_old_releases() {
        let parse = |version: &str| parse_major_version(&format!("postgres (PostgreSQL) {version}\n"));
        assert_eq!(parse("15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(parse("18.4"), Some(18));
        assert_eq!(parse("18beta1"), Some(18));
        assert_eq!(parse("9.6.24"), Some(9));
        assert_eq!(parse("devel"), None);
        assert_eq!(parse_major_version("initdb (PostgreSQL) 15.18"), None);
    }
}
