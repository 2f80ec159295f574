//! The drill: a server under load is backed up, the backup is restored elsewhere, and a server goes on from there.

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
use crate::careers::Applying;
use crate::files::{Fill, hex_sha256, zerodha_csv};
use crate::process::{self, Process};
use crate::resumes::pdf_with_size;

const FILLS: u64 = 500;

/// What the command said, and whether it did what it was told.
fn tradebahi(command: &str, data: &Path, file: &Path) -> (bool, String) {
    run(Command::new(env!("CARGO_BIN_EXE_tradebahi")).args([command, "--data-dir"]).arg(data).arg(file))
}

fn run(program: &mut Command) -> (bool, String) {
    let output = program.env_remove("DATABASE_URL").env_remove("TRADEBAHI_DATA_DIR").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn part(backup: &Path, name: &str) -> String {
    let mut archive = ZipArchive::new(File::open(backup).unwrap()).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn manifest(backup: &Path) -> Value {
    serde_json::from_str(&part(backup, "manifest.json")).unwrap()
}

/// Another backup with other bytes in its parts, which its manifest knows or does not.
fn forged(backup: &Path, forge: impl Fn(&str, &mut Vec<u8>)) -> PathBuf {
    let mut archive = ZipArchive::new(File::open(backup).unwrap()).unwrap();
    let path = backup.with_extension("forged.zip");
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let (name, mut bytes) = (part.name().unwrap().into_owned(), Vec::new());
        part.read_to_end(&mut bytes).unwrap();
        forge(&name, &mut bytes);
        writer.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// A server, and what a trader and a candidate have sent there.
struct Office {
    server: Process,
    bearer: String,
    resume: Vec<u8>,
}

impl Office {
    fn open(data: &Path) -> Self {
        let server = Process::start_in(data);
        let bearer = server.trader();
        let fills: Vec<Fill> = (0..FILLS).map(Fill::nth).collect();
        let form = Upload::new("tradebook.csv", &zerodha_csv(&fills), "zerodha").form();
        let headers =
            [("authorization", bearer.as_str()), ("content-type", Upload::TYPE), ("prefer", "return=minimal")];
        let (status, reply) = server.json("POST", "/uploadexcel", &headers, &form);
        assert_eq!((status, &reply["total"]), (200, &json!(FILLS)), "{reply:#}");
        let resume = pdf_with_size(300_000);
        let form = Applying::new("resume.pdf", &resume).form();
        let (status, reply) = server.json("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE)], &form);
        assert_eq!(status, 201, "{reply:#}");
        Self { server, bearer, resume }
    }

    /// Enters trades until `done`, and counts those that were acknowledged.
    fn enter(&self, done: &AtomicBool, acknowledged: &AtomicU64) {
        while !done.load(Ordering::Relaxed) {
            let headers = [
                ("authorization", self.bearer.as_str()),
                ("content-type", "application/json"),
                ("prefer", "return=minimal"),
            ];
            let entry = crate::trades::entry(&json!({ "symbol": "LOAD" })).to_string();
            let (status, reply) = self.server.json("POST", "/trades/add", &headers, entry.as_bytes());
            assert_eq!(status, 200, "{reply:#}");
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Backs up while trades are entered; how many were acknowledged before, and by the end.
    fn back_up_under_load(&self, data: &Path, file: &Path) -> (u64, u64) {
        let (done, acknowledged) = (AtomicBool::default(), AtomicU64::default());
        std::thread::scope(|scope| {
            let clients = [(); 2].map(|()| scope.spawn(|| self.enter(&done, &acknowledged)));
            let started = Instant::now();
            while acknowledged.load(Ordering::Relaxed) < 10 {
                assert!(started.elapsed() < Duration::from_mins(1), "nobody can enter a trade");
                std::thread::yield_now();
            }
            let before = acknowledged.load(Ordering::Relaxed);
            let (made, said) = tradebahi("backup", data, file);
            done.store(true, Ordering::Relaxed);
            clients.into_iter().for_each(|client| client.join().unwrap());
            assert!(made && !said.contains("lost"), "{said}");
            (before, acknowledged.load(Ordering::Relaxed))
        })
    }
}

/// What is in a backup, but for what a restore does away with.
fn kept(manifest: &Value) -> Vec<&Value> {
    let void = ["ended_sign_in", "letter", "refresh_token", "sign_in", "signing_key", "ticket"];
    let void: Vec<String> = void.iter().map(|table| format!("auth.{table}.csv")).collect();
    let parts = manifest["parts"].as_array().unwrap().iter();
    let is_void = |name: &Value| name == "careers.letter.csv" || void.iter().any(|void| name == void.as_str());
    parts.filter(|part| !is_void(&part["name"])).collect()
}

fn sign_in(server: &Process) -> String {
    let login = json!({ "email": "asha@example.in", "password": PASSWORD }).to_string();
    let (status, reply) = server.json("POST", "/auth/login", &[("content-type", "application/json")], login.as_bytes());
    assert_eq!(status, 200, "{reply:#}");
    format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
}

#[test]
fn a_backup_under_load_restores_to_a_server_that_goes_on() {
    let folder = process::folder();
    let [data, file, restored, again] =
        ["data", "backup.zip", "restored", "again.zip"].map(|name| folder.path().join(name));
    let office = Office::open(&data);
    let mut program = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    program.args(["service-token", "--data-dir"]).arg(&data).args(["create", "reports", "--scope", "trades:read"]);
    assert!(run(&mut program).0);
    let (before, after) = office.back_up_under_load(&data, &file);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (made, said) = tradebahi("backup", &data, &file);
    assert!(!made && said.contains("no file is written over"), "{said}");
    drop(office.server);

    let (done, said) = tradebahi("restore", &restored, &file);
    assert!(done && said.contains("The token of the service reports (trades:read) is good"), "{said}");
    // Row for row and byte for byte: what is backed up of it now is the same.
    assert!(tradebahi("backup", &restored, &again).0);
    let (first, second) = (manifest(&file), manifest(&again));
    assert_eq!(kept(&first), kept(&second));
    assert!(kept(&first).len() > 30 && first["lost_resumes"] == json!([]), "{first:#}");
    // The head is left.
    for void in ["auth.refresh_token.csv", "auth.signing_key.csv", "auth.ticket.csv", "careers.letter.csv"] {
        assert_eq!(part(&again, void).lines().count(), 1, "{void}");
    }
    assert!(part(&file, "auth.refresh_token.csv").lines().count() > 1);
    let (done, said) = tradebahi("restore", &restored, &file);
    assert!(!done && said.contains("the database is not empty"), "{said}");

    let server = Process::start_in(&restored);
    let bearer = sign_in(&server);
    let signed_in = [("authorization", bearer.as_str())];
    let (status, record) = server.json("GET", "/trades/client?limit=1", &signed_in, b"");
    let total = record["total"].as_u64().unwrap();
    assert_eq!(status, 200);
    assert!((FILLS + before..=FILLS + after).contains(&total), "{before} to {after}, and {total} are there");
    // The sign-in may have been ended since.
    let (status, _) = server.json("GET", "/account", &[("authorization", office.bearer.as_str())], b"");
    assert_eq!(status, 401);
    let resumes: Vec<_> = fs::read_dir(restored.join("resumes")).unwrap().map(|file| file.unwrap()).collect();
    let [kept] = resumes.as_slice() else { panic!("{resumes:?}") };
    assert_eq!(hex_sha256(&fs::read(kept.path()).unwrap()), hex_sha256(&office.resume));
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

/// A database that is elsewhere says nothing of where its resumes are.
#[sqlx::test(migrations = "../../migrations")]
async fn a_backup_says_where_resumes_are_lost_and_makes_no_folder(pool: PgPool) {
    let folder = process::folder();
    let [data, here] = ["data", "here"].map(|name| folder.path().join(name));
    fs::create_dir(&here).unwrap();
    let server = Process::start_with(&pool, &data, |command| command);
    let form = Applying::new("resume.pdf", &pdf_with_size(9_000)).form();
    for _ in 0..2 {
        let (status, reply) = server.json("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE)], &form);
        assert_eq!(status, 201, "{reply:#}");
    }
    let url = pool.connect_options().to_url_lossy();
    let back_up = |name: &str, folder: &[&OsStr]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        run(program.args(["backup", name, "--database-url", url.as_str()]).args(folder).current_dir(&here))
    };
    let (made, said) = back_up("all.zip", &[]);
    assert!(!made && said.contains("there is no folder .data/resumes"), "{said}");
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0);

    let data_dir = [OsStr::new("--data-dir"), data.as_os_str()];
    let (made, said) = back_up("all.zip", &data_dir);
    assert!(made, "{said}");
    let resume = fs::read_dir(data.join("resumes")).unwrap().next().unwrap().unwrap();
    fs::remove_file(resume.path()).unwrap();
    let (made, said) = back_up("most.zip", &data_dir);
    let name = resume.file_name().into_string().unwrap();
    assert!(!made && said.contains(&name) && said.contains("but resumes are lost: 1"), "{said}");
    let most = manifest(&here.join("most.zip"));
    assert_eq!(most["lost_resumes"], json!([name]));
    let (all, most) = (manifest(&here.join("all.zip"))["parts"].as_array().unwrap().len(), most["parts"].clone());
    assert_eq!(most.as_array().unwrap().len(), all - 1, "the rest is in it");
}

#[test]
fn what_is_not_whole_or_too_new_restores_nothing() {
    let folder = process::folder();
    let [data, file, restored] = ["data", "backup.zip", "restored"].map(|name| folder.path().join(name));
    let (made, said) = tradebahi("backup", &data, &file);
    assert!(!made && said.contains("there is no data directory"), "{said}");
    drop(Process::start_in(&data));
    assert!(tradebahi("backup", &data, &file).0);

    let change = |wanted: &'static str, from: &'static str, to: &'static str| {
        move |name: &str, bytes: &mut Vec<u8>| {
            if name == wanted {
                *bytes = String::from_utf8(bytes.clone()).unwrap().replacen(from, to, 1).into_bytes();
            }
        }
    };
    for (forge, says) in [
        (change("auth.signing_key.csv", "kid", "kit"), "auth.signing_key.csv is not as it was written"),
        (change("manifest.json", "\"schema\": ", "\"schema\": 9"), "restore it with that version"),
        (change("manifest.json", "auth.account.csv", "auth.nobody.csv"), "auth.nobody.csv is missing"),
        (change("manifest.json", "{", "["), "its manifest cannot be read"),
    ] {
        let (done, said) = tradebahi("restore", &restored, &forged(&file, forge));
        assert!(!done && said.contains(says), "{says}: {said}");
        assert!(!restored.exists(), "{says}");
    }
    let half = folder.path().join("half.zip");
    let whole = fs::read(&file).unwrap();
    fs::write(&half, &whole[..whole.len() / 2]).unwrap();
    let (done, said) = tradebahi("restore", &restored, &half);
    assert!(!done && said.contains("is no whole backup"), "{said}");
    // After all of that the real one goes in.
    let (done, said) = tradebahi("restore", &restored, &file);
    assert!(done, "{said}");
}
