//! Regenerates `.sqlx`, the metadata of every query of the workspace. Run it in the workspace's root directory.
//!
//! When sqlx's macros compile against a database, they store the metadata in `SQLX_OFFLINE_DIR`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use pg_cluster::{Cluster, DATABASE};

fn main() -> Result<()> {
    let cluster = Cluster::open_temporary(Path::new("web"))?;
    let url = cluster.url(DATABASE);
    migrate(&url)?;
    let output_dir = tempfile::tempdir()?;
    force_recompilation()?;
    let status = Command::new("cargo")
        .args(["check", "--quiet", "--locked", "--workspace", "--all-targets"])
        .env("DATABASE_URL", &url)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", output_dir.path())
        .status()?;
    ensure!(status.success(), "the workspace does not compile");
    replace_dir(Path::new(".sqlx"), output_dir.path())?;
    cluster.stop()
}

#[tokio::main(flavor = "current_thread")]
async fn migrate(url: &str) -> Result<()> {
    let pool = sqlx::PgPool::connect(url).await?;
    sqlx::migrate::Migrator::new(Path::new("migrations"))
        .await?
        .run(&pool)
        .await
        .context("failed to apply the migrations")
}

/// Updates the modification times of all crates that use sqlx, so that cargo compiles them again.
fn force_recompilation() -> Result<()> {
    for entry in fs::read_dir("crates")? {
        let dir = entry?.path();
        // `crates` also holds a document, which has no manifest.
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("sqlx.workspace") {
            fs::File::open(dir.join("src/lib.rs"))?.set_modified(SystemTime::now())?;
        }
    }
    Ok(())
}

fn replace_dir(old: &Path, new: &Path) -> Result<()> {
    if old.exists() {
        fs::remove_dir_all(old)?;
    }
    fs::create_dir(old)?;
    let mut queries = 0;
    for entry in fs::read_dir(new)? {
        let entry = entry?;
        fs::copy(entry.path(), old.join(entry.file_name()))?;
        queries += 1;
    }
    println!("{queries} queries in {}", old.display());
    Ok(())
}
