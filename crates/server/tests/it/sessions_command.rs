//! The command `tradebahi sessions`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::process::{self, Process};

/// Runs the command. Returns its messages, and whether it succeeded.
fn run_command(data: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.args(["sessions", "--data-dir"]).arg(data).args(arguments).env_remove("DATABASE_URL");
    let output = command.output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.success())
}

/// Registers an account and returns the header with the token of its session.
fn register(server: &Process, email: &str, phone: &str) -> String {
    let body = crate::app::registration("Asha Rao", email, phone).to_string();
    let json = [("content-type", "application/json")];
    assert_eq!(server.send_json("POST", "/auth/register", &json, body.as_bytes()).0, 201);
    let login = json!({ "email": email, "password": crate::app::PASSWORD }).to_string();
    let (status, reply) = server.send_json("POST", "/auth/login", &json, login.as_bytes());
    assert_eq!(status, 200);
    format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
}

fn is_logged_in(server: &Process, bearer: &str) -> bool {
    server.send_json("GET", "/account", &[("authorization", bearer)], b"").0 == 200
}

fn wait_until_ended(server: &Process, bearer: &str) {
    let started = Instant::now();
    while is_logged_in(server, bearer) {
        assert!(started.elapsed() < Duration::from_secs(10), "the session goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn s13_the_command_ends_the_sessions_of_one_account_or_of_all_while_the_server_runs() {
    let data = process::create_data_folder();
    let server = Process::start_private(data.path());
    let asha = register(&server, "asha@example.in", "9820041537");
    let ravi = register(&server, "ravi@example.in", "9820041538");
    assert!(is_logged_in(&server, &asha) && is_logged_in(&server, &ravi));

    let (message, succeeded) = run_command(data.path(), &["end", "Asha@example.in"]);
    assert!(succeeded && message.contains("ended. All servers reject them within 5 seconds."), "{message}");
    wait_until_ended(&server, &asha);
    assert!(is_logged_in(&server, &ravi));
    assert!(run_command(data.path(), &["end", "--all"]).1);
    wait_until_ended(&server, &ravi);

    let (message, succeeded) = run_command(data.path(), &["end", "nobody@example.in"]);
    assert!(!succeeded && message.contains("no account has"), "{message}");
    for usage in [&["end"][..], &["end", "--all", "asha@example.in"]] {
        assert!(!run_command(data.path(), usage).1, "{usage:?}");
    }
}
