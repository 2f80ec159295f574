//! Finding Postgres's programs.

use std::env;
use std::ops::RangeInclusive;
use std::path::{self, Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::home::Home;
use crate::npm;

/// The versions that TradeBahi is made for.
const MAJORS: RangeInclusive<u32> = 15..=18;

/// Names the directory with the programs, and ends the search.
const VARIABLE: &str = "TRADEBAHI_PG_BIN";

/// A directory with `postgres` and `initdb` of one version, which the cluster's account can run.
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

    /// What is in `dir`, if it runs and is of a version that we are made for.
    fn at(dir: PathBuf, home: &Home) -> Option<Self> {
        if !dir.join("initdb").is_file() {
            return None;
        }
        let mut command = home.account().command(&dir.join("postgres"), home.dir());
        command.arg("--version").stderr(Stdio::null());
        let output = command.output().ok().filter(|o| o.status.success())?;
        let major = major(&String::from_utf8_lossy(&output.stdout))?;
        MAJORS.contains(&major).then_some(Self { dir, major })
    }
}

/// The programs for the cluster in `home`: those of the version that made it, or for a new cluster
/// the first that are found.
pub(crate) fn find(home: &Home, web_dir: &Path) -> Result<Binaries> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let places = match &named {
        Some(dir) => vec![Place::Directory(path::absolute(dir).context(VARIABLE)?)],
        None => places(web_dir),
    };
    let wanted = home.made_by()?;
    let mut others = Vec::new();
    for place in places {
        if let Some(found) = place.look(home)? {
            if wanted.is_none_or(|major| major == found.major) {
                return Ok(found);
            }
            others.push(format!("{} ({})", found.major, found.dir.display()));
        }
    }
    match (named, wanted) {
        (Some(dir), _) if others.is_empty() => bail!(
            "{VARIABLE} is {}, where no Postgres 15 to 18 runs: name the directory that holds `postgres` and `initdb`, or unset it",
            dir.display(),
        ),
        (_, Some(wanted)) => bail!(
            "the database in {} was made by Postgres {wanted}, and {} was found: install Postgres {wanted}, name its directory of programs in {VARIABLE}, or move the database away to begin an empty one",
            home.dir().display(),
            match others.as_slice() {
                [] => "no Postgres".to_owned(),
                others => format!("only Postgres {}", others.join(" and ")),
            },
        ),
        (_, None) => bail!(
            "Postgres 15 to 18 was not found on PATH, in /usr/lib/postgresql, in Homebrew's places or in {}: install it there, run `npm ci` in {}, or name its directory of programs in {VARIABLE}",
            web_dir.join("node_modules").display(),
            web_dir.display(),
        ),
    }
}

/// Where the programs may be.
enum Place {
    Directory(PathBuf),
    /// One of npm's packages.
    Package(PathBuf),
}

impl Place {
    fn look(self, home: &Home) -> Result<Option<Binaries>> {
        let package = match self {
            Self::Directory(dir) => return Ok(Binaries::at(dir, home)),
            Self::Package(package) => package,
        };
        if let Some(found) = Binaries::at(npm::programs(&package), home) {
            return Ok(Some(found));
        }
        let copy = npm::copy(&package, home)?;
        Ok(Binaries::at(npm::programs(&copy), home))
    }
}

/// Every place to look at, the preferred first.
fn places(web_dir: &Path) -> Vec<Place> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter(|dir| dir.is_absolute());
    let installed = MAJORS.rev().flat_map(|major| {
        [
            format!("/usr/lib/postgresql/{major}/bin"),
            format!("/opt/homebrew/opt/postgresql@{major}/bin"),
            format!("/usr/local/opt/postgresql@{major}/bin"),
        ]
    });
    on_path
        .chain(installed.map(PathBuf::from))
        .map(Place::Directory)
        .chain(npm::package(web_dir).map(Place::Package))
        .collect()
}

/// The major version in the answer to `--version`.
fn major(answer: &str) -> Option<u32> {
    let version = answer.strip_prefix("postgres (PostgreSQL) ")?;
    let end = version.find(|c: char| !c.is_ascii_digit())?;
    version.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_every_kind_of_release() {
        let read = |version: &str| major(&format!("postgres (PostgreSQL) {version}\n"));
        assert_eq!(read("15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(read("18.4"), Some(18));
        assert_eq!(read("18beta1"), Some(18));
        assert_eq!(read("9.6.24"), Some(9));
        assert_eq!(read("devel"), None);
        assert_eq!(major("initdb (PostgreSQL) 15.18"), None);
    }
}
