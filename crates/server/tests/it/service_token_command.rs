//! The command `tradebahi service-token`.

use std::path::Path;
use std::process::Command;

use sqlx::{ConnectOptions as _, PgPool};

use crate::process::{self, Process};

/// Runs the command. Returns its output, and whether it succeeded.
fn run_command(data: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.args(["service-token", "--data-dir"]).arg(data).args(arguments).env_remove("DATABASE_URL");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn tokens_are_created_and_revoked_with_and_without_a_running_server() {
    let data = process::create_data_folder();
    let server = Process::start_private(data.path());
    let (token, succeeded) = run_command(data.path(), &["create", "reports", "--scope", "accounts:read"]);
    assert!(succeeded && token.starts_with("tbs_"), "{token}");
    server.register_trader();
    drop(server);
    let (list, listed_ok) = run_command(data.path(), &["list"]);
    assert!(listed_ok && list.contains("reports") && !list.contains(token.trim()), "{list}");
    assert!(run_command(data.path(), &["revoke", "reports"]).1);
    assert!(!run_command(data.path(), &["revoke", "reports"]).1);
}

/// Lists the tokens of an external database. Returns the error output, or `None` on success.
fn list_error(pool: &PgPool) -> Option<String> {
    let url = pool.connect_options().to_url_lossy();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.args(["service-token", "--database-url", url.as_str(), "list"]).output().unwrap();
    (!output.status.success()).then(|| String::from_utf8(output.stderr).unwrap())
}

async fn count_migrations(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from _sqlx_migrations").fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_command_does_not_migrate_an_external_database(pool: PgPool) {
    assert_eq!(list_error(&pool), None);
    let last = "(select max(version) from _sqlx_migrations)";
    for (change, message) in [
        (format!("update _sqlx_migrations set version = 9999 where version = {last}"), "newer than"),
        (format!("delete from _sqlx_migrations where version = {last}"), "run `tradebahi migrate`"),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(change)).execute(&pool).await.unwrap();
        let before = count_migrations(&pool).await;
        let stderr = list_error(&pool).unwrap();
        assert!(stderr.contains(message), "{stderr}");
        assert_eq!(count_migrations(&pool).await, before);
    }
}

#[sqlx::test(migrations = false)]
async fn the_command_creates_nothing_in_a_database_of_another_product(pool: PgPool) {
    let stderr = list_error(&pool).unwrap();
    assert!(stderr.contains("has no TradeBahi schema"), "{stderr}");
    let tables: i64 = sqlx::query_scalar("select count(*) from pg_tables where schemaname in ('auth', 'public')")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(tables, 0);
}
