//! Creation of the data directory with `initdb`.

use std::fs::{self, File};

use anyhow::{Context, Result};

use crate::binaries::Binaries;
use crate::cluster_dir::ClusterDir;
use crate::connection::{DATABASE, USER};
use crate::remove::remove_dir_if_exists;
use crate::single_user;

/// Creates the data directory with the database in it. It is built under another name and renamed at the end, so that an
/// aborted creation leaves no incomplete data directory.
pub(crate) fn create_data_dir(cluster_dir: &ClusterDir, binaries: &Binaries, durable: bool) -> Result<()> {
    let staging_dir = cluster_dir.path().join("data.new");
    remove_dir_if_exists(&staging_dir)?;
    let mut initdb = cluster_dir.user().command(&binaries.initdb(), cluster_dir.path());
    initdb.arg("-D").arg(&staging_dir);
    initdb.args(["--username", USER, "--encoding=UTF8", "--locale=C"]);
    // The password follows, as for a cluster of an earlier version.
    initdb.args(["--auth-local=trust", "--auth-host=reject", "--data-checksums"]);
    if !durable {
        initdb.arg("--no-sync");
    }
    single_user::run_with_input(initdb, "").context("cannot create a Postgres cluster")?;

    let create_database = format!("create database {DATABASE}");
    single_user::run(cluster_dir, binaries, &staging_dir, "postgres", &create_database, durable)
        .with_context(|| format!("cannot create the database {DATABASE}"))?;

    fs::rename(&staging_dir, cluster_dir.data_dir()).context("cannot rename the new data directory")?;
    if durable {
        File::open(cluster_dir.path())?.sync_all()?;
    }
    Ok(())
}
