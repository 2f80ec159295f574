//! Secrets from a directory, and encryption of secrets in the database, with the server as a process.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sqlx::{ConnectOptions as _, PgPool};

use crate::app::PASSWORD;
use crate::process::{self, Process};
use crate::second_factor::code_after;

/// Beginning of a value that is encrypted.
const MAGIC: &[u8] = b"TBaes256";
const JSON: (&str, &str) = ("content-type", "application/json");

/// Writes a file that only its owner can read.
pub fn write_secret(path: &Path, text: &str) -> PathBuf {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    path.to_owned()
}

/// Returns a key whose bytes all have this value, as a line of a file.
pub fn key_line(byte: u8) -> String {
    STANDARD.encode([byte; 32]) + "\n"
}

fn create_secrets_dir(secrets: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in secrets {
        write_secret(&folder.path().join(name), text);
    }
    folder
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    for variable in ["DATABASE_URL", "TRADEBAHI_DATA_DIR", "CREDENTIALS_DIRECTORY"] {
        command.env_remove(variable);
    }
    command
}

/// Returns the output of a command that succeeds.
#[track_caller]
fn succeed(command: &mut Command) -> (String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{stderr}");
    (stdout, stderr)
}

/// Returns the error output of a command that fails.
#[track_caller]
fn fail(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Returns a command that starts a server.
fn serve_command() -> Command {
    let mut command = command();
    command.args(["serve", "--web-dir", "../../web/build/client"]);
    command.args(["--listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0"]);
    command
}

/// Sets up an authenticator app. Returns its secret.
fn add_authenticator_app(server: &Process, bearer: &str) -> String {
    let headers = [JSON, ("authorization", bearer)];
    let (_, setup) = server.send_json("POST", "/account/authenticator-app", &headers, b"{}");
    let secret = setup["secret"].as_str().unwrap().to_owned();
    let code = json!({ "code": code_after(&secret, -1) }).to_string();
    let (status, reply) = server.send_json("POST", "/account/authenticator-app/confirm", &headers, code.as_bytes());
    assert_eq!(status, 200, "{reply:#}");
    secret
}

/// Logs in with the password and the code that the app shows some steps from now.
fn log_in_with_code(server: &Process, secret: &str, steps: i64) {
    let login = json!({ "email": "asha@example.in", "password": PASSWORD }).to_string();
    let reply = server.send("POST", "/auth/login", &[JSON], login.as_bytes());
    assert_eq!(reply.status, 403);
    let cookie = reply.headers.iter().find(|(name, value)| name == "set-cookie" && value.starts_with("second-factor="));
    let cookie = cookie.unwrap().1.split(';').next().unwrap();
    let code = json!({ "code": code_after(secret, steps) }).to_string();
    let (status, reply) =
        server.send_json("POST", "/auth/login/second-factor", &[JSON, ("cookie", cookie)], code.as_bytes());
    assert_eq!(status, 200, "{reply:#}");
}

async fn stored(pool: &PgPool) -> Vec<Vec<u8>> {
    let query = "select private_key from auth.signing_key union all select secret from auth.totp";
    sqlx::query_scalar(query).fetch_all(pool).await.unwrap()
}

fn status_of_account(server: &Process, bearer: &str) -> u16 {
    server.send_json("GET", "/account", &[("authorization", bearer)], b"").0
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_server_takes_its_secrets_from_a_folder(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let url = pool.connect_options().to_url_lossy();
    let secrets = create_secrets_dir(&[
        ("database-url", &format!("{url}\n")),
        ("encryption-key", &key_line(1)),
        ("google-client-secret", "between us and Google\n"),
    ]);
    let mut server = Process::start_private_with(data.path(), |command| {
        let log = fs::File::create(data.path().join("log")).unwrap();
        // An empty variable does not count.
        command.env("DATABASE_URL", "").stdout(log).args(["--public-url", "https://tradebahi.example"]);
        command.args(["--google-client-id", "us"]).arg("--secrets-dir").arg(secrets.path())
    });
    let log = fs::read_to_string(data.path().join("log")).unwrap();
    assert!(log.contains(r#""names":"database-url encryption-key google-client-secret""#), "{log}");
    assert!(log.contains("encryption_keys") && !log.contains("encryption_key_missing"), "{log}");
    server.register_trader();
    let accounts: i64 = sqlx::query_scalar("select count(*) from auth.account").fetch_one(&pool).await.unwrap();
    assert_eq!(accounts, 1, "the server uses the database of the folder");
    assert!(!data.path().join("postgres").exists());
    assert!(stored(&pool).await[0].starts_with(MAGIC), "the server uses the key of the folder");
    assert!(server.stop());

    // The folder that systemd names, and a variable that counts more than a file in it.
    let wrong = create_secrets_dir(&[("database-url", "postgres://nobody@127.0.0.1:1/none")]);
    let server =
        Process::start_private_with(data.path(), |command| command.env("CREDENTIALS_DIRECTORY", secrets.path()));
    let (status, _) = server.send_json(
        "POST",
        "/auth/login",
        &[JSON],
        json!({ "email": "asha@example.in", "password": PASSWORD }).to_string().as_bytes(),
    );
    assert_eq!(status, 200);
    let (list, _) = succeed(
        command().args(["keys", "list"]).env("DATABASE_URL", url.as_str()).arg("--secrets-dir").arg(wrong.path()),
    );
    assert_eq!(list.lines().count(), 2, "{list}");
    for arguments in
        [&["keys", "list"][..], &["sessions", "end", "asha@example.in"], &["service-token", "list"], &["migrate"]]
    {
        succeed(command().args(arguments).env("CREDENTIALS_DIRECTORY", secrets.path()));
        let error = fail(command().args(arguments).arg("--secrets-dir").arg(wrong.path()));
        assert!(error.contains("Postgres does not respond"), "{arguments:?}: {error}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_secrets_that_others_can_read_are_refused(pool: PgPool) {
    let url = pool.connect_options().to_url_lossy();
    let secrets = create_secrets_dir(&[("database-url", url.as_str()), ("encryption-key", &key_line(1))]);
    let list = || {
        let mut command = command();
        command.args(["keys", "list", "--secrets-dir"]).arg(secrets.path());
        command
    };
    let set_modes = |folder, file| {
        fs::set_permissions(secrets.path().join("database-url"), Permissions::from_mode(file)).unwrap();
        fs::set_permissions(secrets.path(), Permissions::from_mode(folder)).unwrap();
    };
    for (folder, file) in [(0o755, 0o440), (0o750, 0o444)] {
        set_modes(folder, file);
        succeed(&mut list());
    }
    set_modes(0o755, 0o444);
    let error = fail(&mut list());
    assert!(error.contains("others may read") && !error.contains(url.as_str()), "{error}");
    // A named file is the operator's own, so its group counts as well.
    set_modes(0o700, 0o400);
    let key = secrets.path().join("encryption-key");
    fs::set_permissions(&key, Permissions::from_mode(0o440)).unwrap();
    let mut encrypt = command();
    encrypt.args(["keys", "encrypt", "--database-url", url.as_str(), "--encryption-key-file"]).arg(&key);
    let error = fail(&mut encrypt);
    assert!(error.contains("others may read"), "{error}");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    write_secret(&key, "hunter42");
    let error = fail(&mut encrypt);
    assert!(error.contains("line 1 is not the base64 of 32 bytes") && !error.contains("hunter42"), "{error}");
    let error = fail(command().args(["keys", "list", "--secrets-dir", "/none"]));
    assert!(error.contains("cannot open the directory of secrets /none"), "{error}");
}

#[test]
fn s13_commands_without_secrets_ignore_the_directory() {
    succeed(command().arg("openapi").env("CREDENTIALS_DIRECTORY", "/none"));
    let error = fail(command().args(["health", "--listen", "127.0.0.1:1"]).env("CREDENTIALS_DIRECTORY", "/none"));
    assert!(!error.contains("directory of secrets"), "{error}");
    let secrets = create_secrets_dir(&[("encryption_key", &key_line(1))]);
    let error = fail(serve_command().arg("--secrets-dir").arg(secrets.path()));
    assert!(error.contains("unknown file encryption_key"), "{error}");
}

/// The operator encrypts with a key that the running server lacks.
#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_running_server_without_the_key_stays_ready_and_logs_it_once(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let url = pool.connect_options().to_url_lossy();
    let keys = write_secret(&data.path().join("keys"), &key_line(1));
    let log = data.path().join("log");
    let server = Process::start_with(&pool, data.path(), |command| {
        command.stdout(fs::File::create(&log).unwrap()).args(["--public-url", "https://tradebahi.example"])
    });
    let bearer = server.register_trader();
    let run = |action: &str| {
        let mut command = command();
        command.args(["keys", action, "--database-url", url.as_str(), "--encryption-key-file"]).arg(&keys);
        succeed(&mut command)
    };
    let (_, stderr) = run("encrypt");
    let (_, id) = stderr.split_once("Encrypted with the key ").unwrap_or_else(|| panic!("{stderr}"));
    let id = id.split('.').next().unwrap();
    assert!(id.len() == 16 && run("rotate").1.contains(&format!("Encrypted with the key {id}.")));
    // Longer than the age of keys at which all tokens are rejected.
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(server.send("GET", "/readyz", &[], b"").status, 200);
    assert_eq!(status_of_account(&server, &bearer), 200);
    let events = fs::read_to_string(&log).unwrap();
    assert!(events.contains("encryption_key_missing"), "{events}");
    let errors: Vec<&str> = events.lines().filter(|line| line.contains("signing_key_unreadable")).collect();
    assert_eq!(errors.len(), 2, "once for each key: {errors:#?}");
    assert!(errors.iter().all(|line| line.contains(id)), "{errors:#?}");
    let (table, _) = run("decrypt");
    assert!(table.contains("DECRYPTED"), "{table}");
    assert!(stored(&pool).await.iter().all(|value| !value.starts_with(MAGIC)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_stored_keys_are_encrypted_while_the_server_runs(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let url = pool.connect_options().to_url_lossy();
    let keys = write_secret(&data.path().join("keys"), &key_line(1));
    let encrypt = || {
        let mut command = command();
        command.args(["keys", "encrypt", "--database-url", url.as_str()]);
        command
    };
    let mut server = Process::start_with(&pool, data.path(), |command| command);
    let bearer = server.register_trader();
    let secret = add_authenticator_app(&server, &bearer);
    assert!(server.stop());
    let error = fail(&mut encrypt());
    assert!(error.contains("no encryption key is set: name its file with --encryption-key-file"), "{error}");
    assert!(stored(&pool).await.iter().all(|value| !value.starts_with(MAGIC)));

    // The server has the key, then the stored values are encrypted with it.
    let mut server = Process::start_with(&pool, data.path(), |command| command.arg("--encryption-key-file").arg(&keys));
    for counts in [["1", "0"], ["0", "1"]] {
        let (table, _) = succeed(encrypt().env("TRADEBAHI_ENCRYPTION_KEY_FILE", &keys));
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows, [["signing", "keys", counts[0], counts[1]], ["authenticator", "apps", counts[0], counts[1]]]);
    }
    let values = stored(&pool).await;
    assert!(values.len() == 2 && values.iter().all(|value| value.starts_with(MAGIC)));
    log_in_with_code(&server, &secret, 0);
    assert_eq!(status_of_account(&server, &bearer), 200, "the token of the key is still valid");
    assert!(server.stop());

    // Without the key, neither a server nor a new signing key.
    for command in [
        serve_command().args(["--database-url", url.as_str()]).arg("--data-dir").arg(data.path()),
        command().args(["keys", "rotate", "--database-url", url.as_str()]),
    ] {
        let error = fail(command);
        assert!(error.contains("are encrypted with the key ") && error.contains("which is missing"), "{error}");
    }
    // A new first key; the old one is removed after the values are encrypted again.
    write_secret(&keys, &(key_line(2) + &key_line(1)));
    let mut server = Process::start_with(&pool, data.path(), |command| command.arg("--encryption-key-file").arg(&keys));
    succeed(encrypt().arg("--encryption-key-file").arg(&keys));
    assert!(server.stop());
    write_secret(&keys, &key_line(2));
    let server = Process::start_with(&pool, data.path(), |command| command.arg("--encryption-key-file").arg(&keys));
    assert_eq!(status_of_account(&server, &bearer), 200);
    sqlx::query("update auth.totp set last_used_step = 0").execute(&pool).await.unwrap();
    log_in_with_code(&server, &secret, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_seeds_in_a_backup_are_encrypted_and_a_restore_names_the_missing_key(pool: PgPool) {
    let folder = process::create_data_folder();
    let [data, backup, restored, other] =
        ["data", "backup.zip", "restored", "other"].map(|name| folder.path().join(name));
    let url = pool.connect_options().to_url_lossy();
    let secrets = create_secrets_dir(&[("encryption-key", &key_line(1)), ("backup-passphrase", "long enough for us")]);
    let server = Process::start_with(&pool, &data, |command| command.arg("--secrets-dir").arg(secrets.path()));
    let bearer = server.register_trader();
    let secret = add_authenticator_app(&server, &bearer);
    let (_, stderr) = succeed(
        command()
            .args(["backup", "--database-url", url.as_str(), "--secrets-dir"])
            .arg(secrets.path())
            .arg("--data-dir")
            .arg(&data)
            .arg(&backup),
    );
    assert!(!stderr.contains("It is not encrypted"), "{stderr}");
    drop(server);
    let restore = |target: &Path| {
        let mut command = command();
        command.args(["restore", "--data-dir"]).arg(target).arg(&backup);
        command
    };
    let error = fail(&mut restore(&restored));
    assert!(error.contains("the backup is encrypted"), "{error}");

    // Without the key, the restore names it, and the server does not start.
    let passphrase = secrets.path().join("backup-passphrase");
    let (_, stderr) = succeed(restore(&other).arg("--passphrase-file").arg(&passphrase));
    let (_, id) = stderr.split_once("are encrypted with the key ").unwrap_or_else(|| panic!("{stderr}"));
    let id = id.split(',').next().unwrap();
    assert!(id.len() == 16 && stderr.contains("The server does not start without it"), "{stderr}");
    let error = fail(serve_command().arg("--data-dir").arg(&other));
    assert!(error.contains(id) && error.contains("which is missing"), "{error}");

    let (_, stderr) = succeed(restore(&restored).arg("--secrets-dir").arg(secrets.path()));
    assert!(!stderr.contains("which is missing"), "{stderr}");
    let server = Process::start_private_with(&restored, |command| command.arg("--secrets-dir").arg(secrets.path()));
    log_in_with_code(&server, &secret, 0);

    // No seed is in the backup as it is.
    let plain = folder.path().join("plain.zip");
    succeed(command().args(["backup", "--database-url", url.as_str(), "--data-dir"]).arg(&data).arg(&plain));
    let seeds = crate::backup::read_part(&plain, "auth.totp.csv");
    let stored = format!("\\x{}", hex::encode(MAGIC));
    assert!(seeds.lines().count() == 2 && seeds.contains(&stored), "{seeds}");
}

/// A setting of the folder that needs another one is rejected as clearly as a flag.
#[test]
fn s13_incomplete_settings_with_secrets_of_a_folder_are_rejected() {
    let secrets = create_secrets_dir(&[("smtp-url", "smtp://user:hunter42@127.0.0.1")]);
    let with = |arguments: &[&str]| {
        let error = fail(serve_command().args(arguments).arg("--secrets-dir").arg(secrets.path()));
        assert!(!error.contains("hunter42"), "{error}");
        error
    };
    assert!(with(&[]).contains("a mail server requires --mail-from"));
    assert!(with(&["--google-client-id", "us"]).contains("google-client-secret in --secrets-dir"));
    assert!(with(&["--sms-gateway-url", "https://sms.example"]).contains("sms-gateway-token in --secrets-dir"));
}
