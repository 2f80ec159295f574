//! Postgres of npm's `@embedded-postgres` packages.
//!
//! The package may not run in place: its install script, which creates the links between its libraries, may be disabled,
//! and the user that runs Postgres may have no access to the checkout. A copy in the cluster's directory solves both.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cluster_dir::ClusterDir;
use crate::remove::remove_dir_if_exists;

/// Returns the package for this platform in `web_dir`, if npm has installed it.
pub(crate) fn find_package(web_dir: &Path) -> Option<PathBuf> {
    let os = match OS {
        "macos" => "darwin",
        other => other,
    };
    let architecture = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let packages = web_dir.join("node_modules/@embedded-postgres");
    let package = packages.join(format!("{os}-{architecture}"));
    package.canonicalize().ok()
}

/// Returns the directory of a package's programs.
pub(crate) fn bin_dir(package: &Path) -> PathBuf {
    package.join("native/bin")
}

/// Copies `package` into the cluster's directory and creates its links. An existing copy of the same version is reused.
pub(crate) fn copy_package(package: &Path, cluster_dir: &ClusterDir) -> Result<PathBuf> {
    let copy = cluster_dir.path().join("npm");
    let manifest = |package: &Path| fs::read(package.join("package.json"));
    let package_json = manifest(package).with_context(|| format!("cannot read {}", package.display()))?;
    if manifest(&copy).is_ok_and(|existing| existing == package_json) {
        return Ok(copy);
    }
    let staging_dir = cluster_dir.path().join("npm.new");
    copy_to(&staging_dir, package, cluster_dir).with_context(|| format!("cannot copy {}", package.display()))?;
    remove_dir_if_exists(&copy)?;
    fs::rename(&staging_dir, &copy).with_context(|| format!("cannot create {}", copy.display()))?;
    Ok(copy)
}

fn copy_to(staging_dir: &Path, package: &Path, cluster_dir: &ClusterDir) -> Result<()> {
    remove_dir_if_exists(staging_dir)?;
    fs::create_dir(staging_dir)?;
    copy_recursively(&package.join("native"), &staging_dir.join("native"), cluster_dir)?;
    create_links(staging_dir)?;
    fs::copy(package.join("package.json"), staging_dir.join("package.json"))?;
    cluster_dir.user().chown(staging_dir)
}

fn copy_recursively(from: &Path, to: &Path, cluster_dir: &ClusterDir) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_recursively(&from, &to, cluster_dir)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
            cluster_dir.user().chown(&to)?;
        }
    }
    cluster_dir.user().chown(to)
}

/// Link that the package's install script would create. Both paths are relative to the package.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

fn create_links(package: &Path) -> Result<()> {
    let list = match fs::read(package.join("native/pg-symlinks.json")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        list => list?,
    };
    for link in serde_json::from_slice::<Vec<Link>>(&list)? {
        let target = package.join(&link.target);
        if target.symlink_metadata().is_err() {
            // Source and target are in the same directory, so the file name is a valid relative path.
            let source = link.source.file_name().context("a link has no source")?;
            symlink(source, target)?;
        }
    }
    Ok(())
}
