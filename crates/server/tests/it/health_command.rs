//! The command `tradebahi health`, the health check of the container.

use std::process::Command;

use sqlx::PgPool;

use crate::process::Process;

/// Runs the command. Returns whether it succeeded, and its error output.
fn run_health(settings: &[(&str, String)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.arg("health").envs(settings.iter().cloned()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_command_succeeds_only_while_the_server_is_ready(pool: PgPool) {
    let server = Process::start(&pool);
    // The command reads the same environment variables as the server.
    let rest = [("TRADEBAHI_LISTEN", format!("0.0.0.0:{}", server.port()))];
    let grpc =
        [("TRADEBAHI_ROLE", "core".to_owned()), ("TRADEBAHI_GRPC_LISTEN", format!("127.0.0.1:{}", server.grpc_port()))];
    for settings in [&rest[..], &grpc[..]] {
        assert_eq!(run_health(settings), (true, String::new()));
    }
    drop(server);
    for settings in [&rest[..], &grpc[..]] {
        let (healthy, stderr) = run_health(settings);
        assert!(!healthy && stderr.contains("is not ready: ") && stderr.contains("refused"), "{stderr}");
    }
}
