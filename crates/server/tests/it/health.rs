//! `tradebahi health`, as a container asks it.

use std::process::Command;

use sqlx::PgPool;

use crate::process::Process;

/// Whether it says that the server is ready, and what it says.
fn health(settings: &[(&str, String)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.arg("health").envs(settings.iter().cloned()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_server_is_healthy_while_it_can_serve(pool: PgPool) {
    let server = Process::start(&pool);
    // The settings are those that the server itself has in its environment.
    let rest = [("TRADEBAHI_LISTEN", format!("0.0.0.0:{}", server.port()))];
    let grpc =
        [("TRADEBAHI_ROLE", "core".to_owned()), ("TRADEBAHI_GRPC_LISTEN", format!("127.0.0.1:{}", server.grpc_port()))];
    for settings in [&rest[..], &grpc[..]] {
        assert_eq!(health(settings), (true, String::new()));
    }
    drop(server);
    for settings in [&rest[..], &grpc[..]] {
        let (healthy, said) = health(settings);
        assert!(!healthy && said.contains("is not ready: ") && said.contains("refused"), "{said}");
    }
}
