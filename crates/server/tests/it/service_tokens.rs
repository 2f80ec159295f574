//! `tradebahi service-token`, from a terminal.

use std::path::Path;
use std::process::Command;

use sqlx::{ConnectOptions as _, PgPool};

use crate::process::{self, Process};

/// What it printed, and whether it did what it was told.
fn service_token(data: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.args(["service-token", "--data-dir"]).arg(data).args(arguments).env_remove("DATABASE_URL");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn tokens_are_made_and_revoked_beside_a_server_that_runs_and_without_one() {
    let data = process::folder();
    let server = Process::start_in(data.path());
    let (token, made) = service_token(data.path(), &["create", "reports", "--scope", "accounts:read"]);
    assert!(made && token.starts_with("tbs_"), "{token}");
    server.trader();
    drop(server);
    let (listed, done) = service_token(data.path(), &["list"]);
    assert!(done && listed.contains("reports") && !listed.contains(token.trim()), "{listed}");
    assert!(service_token(data.path(), &["revoke", "reports"]).1);
    assert!(!service_token(data.path(), &["revoke", "reports"]).1);
}

/// What is said against listing the tokens of a database that is elsewhere; nothing where they are listed.
fn refused(pool: &PgPool) -> Option<String> {
    let url = pool.connect_options().to_url_lossy();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.args(["service-token", "--database-url", url.as_str(), "list"]).output().unwrap();
    (!output.status.success()).then(|| String::from_utf8(output.stderr).unwrap())
}

async fn steps(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from _sqlx_migrations").fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_errand_leaves_the_schema_of_a_database_that_is_elsewhere(pool: PgPool) {
    assert_eq!(refused(&pool), None);
    let last = "(select max(version) from _sqlx_migrations)";
    for (change, says) in [
        (format!("update _sqlx_migrations set version = 9999 where version = {last}"), "knows no newer than"),
        (format!("delete from _sqlx_migrations where version = {last}"), "bring it up to date by `tradebahi migrate`"),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(change)).execute(&pool).await.unwrap();
        let before = steps(&pool).await;
        let said = refused(&pool).unwrap();
        assert!(said.contains(says), "{said}");
        assert_eq!(steps(&pool).await, before);
    }
}

#[sqlx::test(migrations = false)]
async fn an_errand_makes_nothing_in_a_database_of_others(pool: PgPool) {
    let said = refused(&pool).unwrap();
    assert!(said.contains("holds nothing of TradeBahi"), "{said}");
    let made: i64 = sqlx::query_scalar("select count(*) from pg_tables where schemaname in ('auth', 'public')")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(made, 0);
}
