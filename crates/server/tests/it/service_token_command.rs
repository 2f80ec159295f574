//! The command `tradebahi service-token`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rpc::access::EDGE_SCOPE;
use rpc::access::EDGE_TOKEN_METADATA_KEY;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::auth::v1::{Device, LogInRequest};
use sqlx::{ConnectOptions as _, PgPool};
use tonic::Request;

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

/// Logs in over gRPC as a client that states the address `198.51.100.9`.
async fn log_in_over_grpc(core: &Process, edge_token: Option<&str>) {
    let mut auth = AuthServiceClient::connect(format!("http://127.0.0.1:{}", core.grpc_port())).await.unwrap();
    let device = Device { address: "198.51.100.9".to_owned(), user_agent: "grpc".to_owned(), ..Device::default() };
    let message = LogInRequest {
        login: "asha@example.in".to_owned(),
        password: crate::app::PASSWORD.to_owned(),
        device: Some(device),
        restore: false,
    };
    let mut request = Request::new(message);
    if let Some(token) = edge_token {
        request.metadata_mut().insert(EDGE_TOKEN_METADATA_KEY, token.parse().unwrap());
    }
    auth.log_in(request).await.unwrap();
}

/// Returns the networks of the sessions, most recent first.
fn session_networks(edge: &Process, bearer: &str) -> Vec<String> {
    let (status, reply) = edge.send_json("GET", "/account/sessions", &[("authorization", bearer)], b"");
    assert_eq!(status, 200, "{reply:#}");
    reply["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["address"].as_str().unwrap().to_owned())
        .collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_only_an_edge_with_a_token_states_the_address_of_its_client(pool: PgPool) {
    let url = pool.connect_options().to_url_lossy();
    let folder = process::create_data_folder();
    let core = Process::start_core(url.as_str(), folder.path());
    let create = |name: &str, scope: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        command.args(["service-token", "--database-url", url.as_str(), "create", name, "--scope", scope]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let file = folder.path().join("edge-token");
    std::fs::write(&file, create("edge", EDGE_SCOPE)).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let edge = Process::start_edge_with(core.grpc_port(), folder.path(), |command| {
        command.arg("--edge-token-file").arg(&file).args(["--trusted-proxies", "127.0.0.1"])
    });
    let own = edge.register_trader();
    assert_eq!(session_networks(&edge, &own), ["127.0.0.0/24"], "no proxy stated another address");

    let login = serde_json::json!({ "email": "asha@example.in", "password": crate::app::PASSWORD }).to_string();
    let headers = [("content-type", "application/json"), ("x-forwarded-for", "203.0.113.7")];
    // The core learns of the token within 2 seconds.
    let deadline = Instant::now() + Duration::from_mins(1);
    while session_networks(&edge, &own)[0] != "203.0.113.0/24" {
        assert!(Instant::now() < deadline, "the address that the edge states does not count");
        assert_eq!(edge.send_json("POST", "/auth/login", &headers, login.as_bytes()).0, 200);
        std::thread::sleep(Duration::from_millis(500));
    }

    let reports = create("reports", "trades:read");
    for token in [None, Some("tbs_rubbish"), Some(reports.trim())] {
        log_in_over_grpc(&core, token).await;
        assert_eq!(session_networks(&edge, &own)[0], "127.0.0.0/24", "{token:?} is no edge");
    }
}
