//! Writes `.sqlx` anew: what Postgres says of every query of the workspace. Run from the workspace's root.
//!
//! The macros of sqlx store what they learn where `SQLX_OFFLINE_DIR` points, whenever they compile against a database.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use pg_cluster::{Cluster, DATABASE};

fn main() -> Result<()> {
    let cluster = Cluster::temporary(Path::new("web"))?;
    let url = cluster.url(DATABASE);
    migrate(&url)?;
    let fresh = tempfile::tempdir()?;
    compile_anew()?;
    let checked = Command::new("cargo")
        .args(["check", "--quiet", "--locked", "--workspace", "--all-targets"])
        .env("DATABASE_URL", &url)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", fresh.path())
        .status()?;
    ensure!(checked.success(), "the workspace does not compile");
    replace(Path::new(".sqlx"), fresh.path())?;
    cluster.stop()
}

#[tokio::main(flavor = "current_thread")]
async fn migrate(url: &str) -> Result<()> {
    let pool = sqlx::PgPool::connect(url).await?;
    sqlx::migrate::Migrator::new(Path::new("migrations")).await?.run(&pool).await.context("a migration failed")
}

/// Cargo compiles a crate again only when a file of it is newer.
fn compile_anew() -> Result<()> {
    for entry in fs::read_dir("crates")? {
        let dir = entry?.path();
        let manifest = fs::read_to_string(dir.join("Cargo.toml"))?;
        if manifest.contains("sqlx.workspace") {
            fs::File::open(dir.join("src/lib.rs"))?.set_modified(SystemTime::now())?;
        }
    }
    Ok(())
}

fn replace(old: &Path, fresh: &Path) -> Result<()> {
    if old.exists() {
        fs::remove_dir_all(old)?;
    }
    fs::create_dir(old)?;
    let mut queries = 0;
    for entry in fs::read_dir(fresh)? {
        let entry = entry?;
        fs::copy(entry.path(), old.join(entry.file_name()))?;
        queries += 1;
    }
    println!("{queries} queries in {}", old.display());
    Ok(())
}
