//! Backup of a server under load, restore to another folder, and start of a server on the restored data.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, PgPool};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::app::{PASSWORD, Upload};
use crate::broker_files::{Fill, hex_sha256, zerodha_csv};
use crate::careers::ApplicationForm;
use crate::process::{self, Process};
use crate::resumes::pdf_with_size;
use crate::screenshots::png;

const FILLS: u64 = 500;

/// Runs a command. Returns whether it succeeded, and its error output.
pub fn run_command(command: &str, data: &Path, file: &Path) -> (bool, String) {
    run(Command::new(env!("CARGO_BIN_EXE_tradebahi")).args([command, "--data-dir"]).arg(data).arg(file))
}

fn run(program: &mut Command) -> (bool, String) {
    let output = program.env_remove("DATABASE_URL").env_remove("TRADEBAHI_DATA_DIR").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

pub fn read_part(backup: &Path, name: &str) -> String {
    let mut archive = ZipArchive::new(File::open(backup).unwrap()).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn read_manifest(backup: &Path) -> Value {
    serde_json::from_str(&read_part(backup, "manifest.json")).unwrap()
}

/// Writes a copy of a backup whose parts are changed by `modify`, and returns its path.
fn write_modified_backup(backup: &Path, modify: impl Fn(&str, &mut Vec<u8>)) -> PathBuf {
    let mut archive = ZipArchive::new(File::open(backup).unwrap()).unwrap();
    let path = backup.with_extension("forged.zip");
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let (name, mut bytes) = (part.name().unwrap().into_owned(), Vec::new());
        part.read_to_end(&mut bytes).unwrap();
        modify(&name, &mut bytes);
        writer.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// Server with the trades of a trader and the application of a candidate.
struct SampleServer {
    server: Process,
    bearer: String,
    resume: Vec<u8>,
}

impl SampleServer {
    fn start(data: &Path) -> Self {
        let server = Process::start_private(data);
        let bearer = server.register_trader();
        let fills: Vec<Fill> = (0..FILLS).map(Fill::nth).collect();
        let form = Upload::new("tradebook.csv", &zerodha_csv(&fills), "zerodha").form();
        let headers =
            [("authorization", bearer.as_str()), ("content-type", Upload::CONTENT_TYPE), ("prefer", "return=minimal")];
        let (status, reply) = server.send_json("POST", "/uploadexcel", &headers, &form);
        assert_eq!((status, &reply["total"]), (200, &json!(FILLS)), "{reply:#}");
        let resume = pdf_with_size(300_000);
        let form = ApplicationForm::new("resume.pdf", &resume).form();
        let (status, reply) =
            server.send_json("POST", "/api/apply/FE101", &[("content-type", ApplicationForm::CONTENT_TYPE)], &form);
        assert_eq!(status, 201, "{reply:#}");
        let fields = vec![
            ("id", "5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f"),
            ("kind", "day"),
            ("key", "2026-11-20"),
            ("day", "2026-11-20"),
        ];
        let form = Upload { file: &png(300, 200), name: "chart.png", fields, minimal: false }.form();
        let (status, reply) = server.send_json("POST", "/journal/screenshots", &headers, &form);
        assert_eq!(status, 201, "{reply:#}");
        Self { server, bearer, resume }
    }

    /// Adds trades until `done` is set, and counts the acknowledged ones.
    fn add_trades(&self, done: &AtomicBool, acknowledged: &AtomicU64) {
        while !done.load(Ordering::Relaxed) {
            let headers = [
                ("authorization", self.bearer.as_str()),
                ("content-type", "application/json"),
                ("prefer", "return=minimal"),
            ];
            let entry = crate::trades::entry(&json!({ "symbol": "LOAD" })).to_string();
            let (status, reply) = self.server.send_json("POST", "/trades/add", &headers, entry.as_bytes());
            assert_eq!(status, 200, "{reply:#}");
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Backs up while trades are added. Returns the number of trades acknowledged before the backup, and in total.
    fn back_up_under_load(&self, data: &Path, file: &Path) -> (u64, u64) {
        let (done, acknowledged) = (AtomicBool::default(), AtomicU64::default());
        std::thread::scope(|scope| {
            let clients = [(); 2].map(|()| scope.spawn(|| self.add_trades(&done, &acknowledged)));
            let started = Instant::now();
            while acknowledged.load(Ordering::Relaxed) < 10 {
                assert!(started.elapsed() < Duration::from_mins(1), "no trade was acknowledged");
                std::thread::yield_now();
            }
            let before = acknowledged.load(Ordering::Relaxed);
            let (succeeded, stderr) = run_command("backup", data, file);
            done.store(true, Ordering::Relaxed);
            clients.into_iter().for_each(|client| client.join().unwrap());
            assert!(succeeded && !stderr.contains("missing"), "{stderr}");
            (before, acknowledged.load(Ordering::Relaxed))
        })
    }
}

/// Returns the parts of a backup, without those that a restore clears.
fn restorable_parts(manifest: &Value) -> Vec<&Value> {
    let cleared = [
        "email_link_token",
        "ended_session",
        "outbox",
        "phone_code",
        "refresh_token",
        "second_factor_challenge",
        "session",
        "signing_key",
        "tax_link",
        "trusted_device",
    ];
    let cleared: Vec<String> = cleared.iter().map(|table| format!("auth.{table}.csv")).collect();
    let parts = manifest["parts"].as_array().unwrap().iter();
    let is_cleared =
        |name: &Value| name == "careers.email.csv" || cleared.iter().any(|cleared| name == cleared.as_str());
    parts.filter(|part| !is_cleared(&part["name"])).collect()
}

fn log_in(server: &Process) -> String {
    let login = json!({ "email": "asha@example.in", "password": PASSWORD }).to_string();
    let (status, reply) =
        server.send_json("POST", "/auth/login", &[("content-type", "application/json")], login.as_bytes());
    assert_eq!(status, 200, "{reply:#}");
    format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
}

#[test]
fn a_backup_taken_under_load_restores_to_a_working_server() {
    let folder = process::create_data_folder();
    let [data, file, restored, second_backup] =
        ["data", "backup.zip", "restored", "again.zip"].map(|name| folder.path().join(name));
    let sample = SampleServer::start(&data);
    let mut program = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    program.args(["service-token", "--data-dir"]).arg(&data).args(["create", "reports", "--scope", "trades:read"]);
    assert!(run(&mut program).0);
    let (before, after) = sample.back_up_under_load(&data, &file);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (succeeded, stderr) = run_command("backup", &data, &file);
    assert!(!succeeded && stderr.contains("backup.zip already exists"), "{stderr}");
    drop(sample.server);

    let (succeeded, stderr) = run_command("restore", &restored, &file);
    assert!(succeeded && stderr.contains("Service token reports (trades:read) is valid"), "{stderr}");
    // A backup of the restored data is identical, row for row and byte for byte.
    assert!(run_command("backup", &restored, &second_backup).0);
    let (first, second) = (read_manifest(&file), read_manifest(&second_backup));
    assert_eq!(restorable_parts(&first), restorable_parts(&second));
    assert!(restorable_parts(&first).len() > 30 && first["lost_resumes"] == json!([]), "{first:#}");
    // Only the header line is left.
    for cleared in ["auth.refresh_token.csv", "auth.signing_key.csv", "auth.email_link_token.csv", "careers.email.csv"]
    {
        assert_eq!(read_part(&second_backup, cleared).lines().count(), 1, "{cleared}");
    }
    assert!(read_part(&file, "auth.refresh_token.csv").lines().count() > 1);
    let (succeeded, stderr) = run_command("restore", &restored, &file);
    assert!(!succeeded && stderr.contains("the database is not empty"), "{stderr}");

    let server = Process::start_private(&restored);
    let bearer = log_in(&server);
    let authorization = [("authorization", bearer.as_str())];
    let (status, record) = server.send_json("GET", "/trades/client?limit=1", &authorization, b"");
    let total = record["total"].as_u64().unwrap();
    assert_eq!(status, 200);
    assert!((FILLS + before..=FILLS + after).contains(&total), "{before} to {after}, and {total} are there");
    // A restore ends all sessions, because one may have ended after the backup.
    let (status, _) = server.send_json("GET", "/account", &[("authorization", sample.bearer.as_str())], b"");
    assert_eq!(status, 401);
    let screenshots: Vec<_> = fs::read_dir(restored.join("screenshots")).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(screenshots.len(), 2, "a picture and its thumbnail");
    let path = "/journal/screenshots/5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f";
    let (mut reply, mut picture) = (server.send("GET", path, &authorization, b""), Vec::new());
    reply.reader.read_to_end(&mut picture).unwrap();
    assert_eq!((reply.status, image::load_from_memory(&picture).unwrap().width()), (200, 300));
    let resumes: Vec<_> = fs::read_dir(restored.join("resumes")).unwrap().map(|file| file.unwrap()).collect();
    let [resume] = resumes.as_slice() else { panic!("{resumes:?}") };
    assert_eq!(hex_sha256(&fs::read(resume.path()).unwrap()), hex_sha256(&sample.resume));
    assert_eq!(resume.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

/// An external database does not tell where its resumes are.
#[sqlx::test(migrations = "../../migrations")]
async fn a_backup_reports_missing_resumes_and_creates_no_folder(pool: PgPool) {
    let folder = process::create_data_folder();
    let [data, working_dir] = ["data", "here"].map(|name| folder.path().join(name));
    fs::create_dir(&working_dir).unwrap();
    let server = Process::start_with(&pool, &data, |command| command);
    let form = ApplicationForm::new("resume.pdf", &pdf_with_size(9_000)).form();
    for _ in 0..2 {
        let (status, reply) =
            server.send_json("POST", "/api/apply/FE101", &[("content-type", ApplicationForm::CONTENT_TYPE)], &form);
        assert_eq!(status, 201, "{reply:#}");
    }
    let url = pool.connect_options().to_url_lossy();
    let back_up = |name: &str, folder: &[&OsStr]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        run(program.args(["backup", name, "--database-url", url.as_str()]).args(folder).current_dir(&working_dir))
    };
    let (succeeded, stderr) = back_up("all.zip", &[]);
    assert!(!succeeded && stderr.contains("no resume folder at .data/resumes"), "{stderr}");
    assert_eq!(fs::read_dir(&working_dir).unwrap().count(), 0);

    let data_dir = [OsStr::new("--data-dir"), data.as_os_str()];
    let (succeeded, stderr) = back_up("all.zip", &data_dir);
    assert!(succeeded, "{stderr}");
    let resume = fs::read_dir(data.join("resumes")).unwrap().next().unwrap().unwrap();
    fs::remove_file(resume.path()).unwrap();
    let (succeeded, stderr) = back_up("most.zip", &data_dir);
    let name = resume.file_name().into_string().unwrap();
    assert!(!succeeded && stderr.contains(&name) && stderr.contains("but resumes are missing: 1"), "{stderr}");
    let most = read_manifest(&working_dir.join("most.zip"));
    assert_eq!(most["lost_resumes"], json!([name]));
    let (all, most) =
        (read_manifest(&working_dir.join("all.zip"))["parts"].as_array().unwrap().len(), most["parts"].clone());
    assert_eq!(most.as_array().unwrap().len(), all - 1, "the other parts are included");
}

/// Runs a command with a passphrase file.
fn run_with_passphrase(command: &str, data: &Path, file: &Path, passphrase_file: &Path) -> (bool, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    run(program.args([command, "--data-dir"]).arg(data).arg(file).arg("--passphrase-file").arg(passphrase_file))
}

#[test]
fn s11_a_backup_contains_no_signing_key_and_is_encrypted_with_a_passphrase() {
    let folder = process::create_data_folder();
    let [data, plain, encrypted, restored, passphrase] =
        ["data", "plain.zip", "backup.zip.enc", "restored", "passphrase"].map(|name| folder.path().join(name));
    let server = Process::start_private(&data);
    server.register_trader();
    let (succeeded, stderr) = run_command("backup", &data, &plain);
    assert!(succeeded && stderr.contains("It is not encrypted"), "{stderr}");
    // Only the header line: the key that signs the tokens of this server is not in the file.
    assert_eq!(read_part(&plain, "auth.signing_key.csv").lines().collect::<Vec<_>>(), ["kid,private_key,created_at"]);

    for (text, mode, message) in [
        ("too short", 0o600, "shorter than 16 characters"),
        ("correct horse battery staple\n", 0o644, "others may read"),
    ] {
        fs::write(&passphrase, text).unwrap();
        fs::set_permissions(&passphrase, fs::Permissions::from_mode(mode)).unwrap();
        let (succeeded, stderr) = run_with_passphrase("backup", &data, &encrypted, &passphrase);
        assert!(!succeeded && stderr.contains(message) && !encrypted.exists(), "{stderr}");
    }
    fs::set_permissions(&passphrase, fs::Permissions::from_mode(0o600)).unwrap();
    let (succeeded, stderr) = run_with_passphrase("backup", &data, &encrypted, &passphrase);
    assert!(succeeded && !stderr.contains("not encrypted"), "{stderr}");
    assert_eq!(fs::metadata(&encrypted).unwrap().permissions().mode() & 0o777, 0o600);
    let bytes = fs::read(&encrypted).unwrap();
    assert!(!bytes.windows(12).any(|window| window == b"auth.account"), "names of entries are visible");
    drop(server);

    let (succeeded, stderr) = run_command("restore", &restored, &encrypted);
    assert!(!succeeded && stderr.contains("is encrypted: name the file with its passphrase"), "{stderr}");
    fs::write(&passphrase, "another horse battery staple").unwrap();
    let (succeeded, stderr) = run_with_passphrase("restore", &restored, &encrypted, &passphrase);
    assert!(!succeeded && stderr.contains("wrong passphrase, or the file is damaged"), "{stderr}");
    assert!(!restored.exists());
    fs::write(&passphrase, "correct horse battery staple").unwrap();
    let (succeeded, stderr) = run_with_passphrase("restore", &restored, &encrypted, &passphrase);
    assert!(succeeded, "{stderr}");
    log_in(&Process::start_private(&restored));
}

#[test]
fn a_damaged_or_newer_backup_restores_nothing() {
    let folder = process::create_data_folder();
    let [data, file, restored] = ["data", "backup.zip", "restored"].map(|name| folder.path().join(name));
    let (succeeded, stderr) = run_command("backup", &data, &file);
    assert!(!succeeded && stderr.contains("no TradeBahi data in"), "{stderr}");
    drop(Process::start_private(&data));
    assert!(run_command("backup", &data, &file).0);

    let change = |wanted: &'static str, from: &'static str, to: &'static str| {
        move |name: &str, bytes: &mut Vec<u8>| {
            if name == wanted {
                *bytes = String::from_utf8(bytes.clone()).unwrap().replacen(from, to, 1).into_bytes();
            }
        }
    };
    for (modify, message) in [
        (change("auth.signing_key.csv", "kid", "kit"), "auth.signing_key.csv is damaged"),
        (change("manifest.json", "\"schema\": ", "\"schema\": 9"), "restore it with that version"),
        (change("manifest.json", "auth.account.csv", "auth.nobody.csv"), "auth.nobody.csv is missing"),
        (change("manifest.json", "{", "["), "cannot read its manifest"),
    ] {
        let (succeeded, stderr) = run_command("restore", &restored, &write_modified_backup(&file, modify));
        assert!(!succeeded && stderr.contains(message), "{message}: {stderr}");
        assert!(!restored.exists(), "{message}");
    }
    let truncated = folder.path().join("half.zip");
    let bytes = fs::read(&file).unwrap();
    fs::write(&truncated, &bytes[..bytes.len() / 2]).unwrap();
    let (succeeded, stderr) = run_command("restore", &restored, &truncated);
    assert!(!succeeded && stderr.contains("is not a complete backup"), "{stderr}");
    // The intact backup can still be restored.
    let (succeeded, stderr) = run_command("restore", &restored, &file);
    assert!(succeeded, "{stderr}");
}
