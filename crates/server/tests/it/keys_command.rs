//! The command `tradebahi keys` while a core and an edge run as two processes.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::{ConnectOptions as _, PgPool};

use crate::process::{self, Process};

/// Runs the command. Returns its output or its error output.
fn run_command(url: &str, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    let output = command.args(["keys", "--database-url", url]).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn published_keys(edge: &Process) -> Vec<String> {
    let (status, keys) = edge.send_json("GET", "/.well-known/jwks.json", &[], b"");
    assert_eq!(status, 200);
    keys["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

fn account(edge: &Process, bearer: &str) -> (u16, Value) {
    edge.send_json("GET", "/account", &[("authorization", bearer)], b"")
}

/// Logs in until the token is signed by `kid`, for at most a minute.
fn log_in_with_key(edge: &Process, kid: &str) -> String {
    let login = serde_json::json!({ "email": "asha@example.in", "password": crate::app::PASSWORD }).to_string();
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let (status, reply) =
            edge.send_json("POST", "/auth/login", &[("content-type", "application/json")], login.as_bytes());
        assert_eq!(status, 200, "{reply:#}");
        let token = reply["data"]["token"].as_str().unwrap().to_owned();
        if jsonwebtoken::decode_header(&token).unwrap().kid.as_deref() == Some(kid) {
            return format!("Bearer {token}");
        }
        assert!(Instant::now() < deadline, "no token of the new key");
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_rotation_reaches_running_processes_and_rejects_no_request(pool: PgPool) {
    let url = pool.connect_options().to_url_lossy();
    let folder = process::create_data_folder();
    let core = Process::start_core(url.as_str(), folder.path());
    let edge = Process::start_edge(core.grpc_port(), folder.path());
    let before = edge.register_trader();
    let [old] = <[String; 1]>::try_from(published_keys(&edge)).unwrap();
    let error = run_command(url.as_str(), &["remove", &old]).unwrap_err();
    assert!(error.contains("signs new tokens: run `tradebahi keys rotate`"), "{error}");

    let new = run_command(url.as_str(), &["rotate"]).unwrap().trim().to_owned();
    let list = run_command(url.as_str(), &["list"]).unwrap();
    assert!(list.contains(&format!("{new}  ")) && list.contains("signs from "), "{list}");
    let after = log_in_with_key(&edge, &new);
    // Both keys verify at the edge and at the core.
    for bearer in [&before, &after] {
        let (status, reply) = account(&edge, bearer);
        assert_eq!(status, 200, "{reply:#}");
    }
    assert_eq!(published_keys(&edge), [new.clone(), old.clone()]);
    let list = run_command(url.as_str(), &["list"]).unwrap();
    assert!(list.contains("verifies until ") && list.lines().count() == 3, "{list}");

    run_command(url.as_str(), &["remove", &old]).unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while account(&edge, &before).0 != 401 {
        assert!(Instant::now() < deadline, "the removed key is still accepted");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(account(&edge, &after).0, 200);
    while published_keys(&edge) != [new.clone()] {
        assert!(Instant::now() < deadline, "the removed key is still published");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(run_command(url.as_str(), &["remove", &old]).unwrap_err().contains("no key"));
}
