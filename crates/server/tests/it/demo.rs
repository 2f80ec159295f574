//! `serve --demo` on a database with accounts that have the demo's phone number or email address.

use serde_json::json;
use sqlx::PgPool;

use crate::email_files::wait_for_phone_code;
use crate::process::{self, Process};

fn log_in(server: &Process, email: &str, password: &str) -> u16 {
    let login = json!({ "email": email, "password": password }).to_string();
    server.send_json("POST", "/auth/login", &[("content-type", "application/json")], login.as_bytes()).0
}

fn start_with_demo(pool: &PgPool) -> (Process, tempfile::TempDir) {
    let data = process::create_data_folder();
    (Process::start_with(pool, data.path(), |command| command.arg("--demo")), data)
}

#[sqlx::test(migrations = "../../migrations")]
async fn t14_the_demo_gets_another_number_if_its_phone_number_is_taken(pool: PgPool) {
    let data = process::create_data_folder();
    let server = Process::start_with(&pool, data.path(), |command| command);
    // Registers and verifies the number of the demo.
    let bearer = server.register_trader();
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    assert_eq!(server.send_json("POST", "/account/phone/code", &headers[..1], b"").0, 202);
    let code = wait_for_phone_code(&data.path().join("mail"), "9820041537");
    let verified =
        server.send_json("POST", "/account/phone/verify", &headers, json!({ "code": code }).to_string().as_bytes());
    assert_eq!(verified.0, 200, "{:#}", verified.1);
    drop(server);
    for _ in 0..2 {
        let (server, _data) = start_with_demo(&pool);
        assert_eq!(log_in(&server, "demo@tradebahi.example", "a-year-of-trades"), 200);
    }
    let phones = "select count(distinct phone) from auth.account";
    assert_eq!(sqlx::query_scalar::<_, i64>(phones).fetch_one(&pool).await.unwrap(), 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn t14_the_server_starts_without_the_demo_if_its_address_is_taken(pool: PgPool) {
    let server = Process::start(&pool);
    let registration = crate::app::registration("Ravi", "demo@tradebahi.example", "9820041999").to_string();
    let json = [("content-type", "application/json")];
    assert_eq!(server.send_json("POST", "/auth/register", &json, registration.as_bytes()).0, 201);
    drop(server);
    let (server, _data) = start_with_demo(&pool);
    assert_eq!(log_in(&server, "demo@tradebahi.example", crate::app::PASSWORD), 200);
    assert_eq!(log_in(&server, "demo@tradebahi.example", "a-year-of-trades"), 401);
}
