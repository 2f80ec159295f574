//! A full disk: requests that need space are rejected and all others work; once there is space again, all of them work.
//!
//! The disk is a small tmpfs that only the server sees. Mounting it needs root or a user namespace.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode};
use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgPool};

use super::writers::{Client, Tally, WriteKind, write_during_fault};
use super::{RECOVERY_TIMEOUT, format_recovery, report, rounds, wait_for_readiness};
use crate::api_description::API_DESCRIPTION;
use crate::app::Upload;
use crate::broker_files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::careers::ApplicationForm;
use crate::fixtures::ledgers;
use crate::pdf_fixtures::contract_notes::{self, Layout};
use crate::process::{self, Process};
use crate::response_coverage::DISK_SPACE_OPERATIONS;
use crate::resumes::pdf_with_size;
use crate::screenshots::add_form;

/// Changes `command` to run with a small tmpfs at `volume`. Without root, it is root of a user namespace only until the
/// volume is mounted, because Postgres does not run as root.
fn run_with_volume(command: &mut Command, megabytes: u32, volume: &str) {
    let user = fs::metadata("/proc/self").unwrap();
    let mut wrapped = Command::new("unshare");
    let back = if user.uid() == 0 {
        String::new()
    } else {
        wrapped.arg("--map-root-user");
        format!("unshare --map-user={} --map-group={}", user.uid(), user.gid())
    };
    let script = format!("mount -t tmpfs -o size={megabytes}m tmpfs \"$0\" && exec {back} \"$@\"");
    wrapped.args(["--mount", "sh", "-c", &script, volume]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped.stdout(Stdio::null());
    *command = wrapped;
}

/// File that fills a disk.
struct Filler {
    file: File,
    path: PathBuf,
}

impl Filler {
    fn new(volume: &Path) -> Self {
        let path = volume.join("filler");
        Self { file: File::create(&path).unwrap(), path }
    }

    /// Takes all free space.
    fn fill(&mut self) {
        while self.file.write_all(&[0; 4096]).is_ok() {}
    }

    /// Takes all free space, and all that becomes free, until the condition holds.
    fn fill_until(&mut self, condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < RECOVERY_TIMEOUT, "the full disk had no effect");
            self.fill();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Releases `bytes`.
    fn release(&self, bytes: u64) {
        self.file.set_len(self.file.metadata().unwrap().len() - bytes).unwrap();
    }

    /// Removes the file.
    fn remove(self) {
        fs::remove_file(&self.path).unwrap();
    }
}

/// Sends a request for an operation and checks the reply against the API description.
fn send_operation(server: &Process, bearer: &str, operation: &str) -> (u16, serde_json::Value) {
    let tradebook = zerodha_csv(&[Fill::nth(0)]);
    let profit = zerodha_profit_csv(&[], &["INFY,INE000A01010,1,100,101,1"]);
    let upload_without_fields = |file: &[u8]| Upload { fields: Vec::new(), ..Upload::new("t.csv", file, "") }.form();
    let (path, content_type, body) = match operation {
        "POST /upload" | "POST /uploadexcel/columns" => ("", Upload::CONTENT_TYPE, upload_without_fields(&tradebook)),
        "POST /uploadexcel/layout" => {
            let note = contract_notes::file(&contract_notes::note(Layout::Zerodha, 7, "05-06-2026", 2));
            ("", Upload::CONTENT_TYPE, upload_without_fields(&note))
        }
        "POST /uploadexcel/ledger" => {
            ("", Upload::CONTENT_TYPE, upload_without_fields(ledgers::zerodha_csv().as_bytes()))
        }
        "POST /uploadexcel" | "POST /uploadexcel/preview" => {
            ("", Upload::CONTENT_TYPE, Upload::new("t.csv", &tradebook, "zerodha").form())
        }
        "POST /analytics/reconcile" => ("", Upload::CONTENT_TYPE, upload_without_fields(&profit)),
        "POST /journal/screenshots" => ("", Upload::CONTENT_TYPE, add_form("5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f")),
        "POST /trades/replace" => {
            let trade =
                json!({ "symbol": "INFY", "price": 1, "quantity": 1, "timestamp": "2026-03-02T10:00", "type": "buy" });
            let body = json!({ "broker": "groww", "tradetype": "equity", "trades": [trade] });
            ("", "application/json", body.to_string().into_bytes())
        }
        "POST /api/apply/{jobid}" => {
            let resume = pdf_with_size(1_000_000);
            ("/api/apply/FE101", ApplicationForm::CONTENT_TYPE, ApplicationForm::new("resume.pdf", &resume).form())
        }
        "GET /trades/export" => ("/trades/export?format=xlsx", "", Vec::new()),
        "GET /analytics/strategies/export" => ("/analytics/strategies/export?format=xlsx", "", Vec::new()),
        "GET /analytics/tax/export" => ("/analytics/tax/export?year=2026-27&format=xlsx", "", Vec::new()),
        "POST /analytics/tax/shared/export" => {
            let link = json!({ "recipient": "Mehta", "year": "2026-27", "ttlDays": 1 }).to_string();
            let headers = [("authorization", bearer), ("content-type", "application/json")];
            let (_, link) = server.send_json("POST", "/analytics/tax/links", &headers, link.as_bytes());
            let token = link["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
            let body = json!({ "token": token, "format": "xlsx" });
            ("", "application/json", body.to_string().into_bytes())
        }
        other => panic!("{other}"),
    };
    let (method, template) = operation.split_once(' ').unwrap();
    let path = if path.is_empty() { template } else { path };
    let mut reply = server.send(method, path, &[("authorization", bearer), ("content-type", content_type)], &body);
    let mut body = Vec::new();
    reply.reader.read_to_end(&mut body).unwrap();
    let headers: HeaderMap =
        reply.headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
    let (method, path) = (method.parse().unwrap(), path.split('?').next().unwrap());
    let documented = API_DESCRIPTION.check(&method, path, StatusCode::from_u16(reply.status).unwrap(), &headers, &body);
    assert_eq!(documented, Some((operation.to_owned(), reply.status.to_string())));
    (reply.status, serde_json::from_slice(&body).unwrap_or_default())
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_disk_rejects_requests_that_need_space_until_there_is_space(pool: PgPool) {
    let (data, volume) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let volume_path = volume.path().to_str().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| {
        command.env("TRADEBAHI_RESUME_DIR", volume_path).env("TRADEBAHI_IMPORT_SPOOL_DIR", volume_path);
        command.env("TRADEBAHI_SCREENSHOT_DIR", volume_path);
        run_with_volume(command, 4, volume_path);
        command
    });
    // The volume as the server sees it.
    let path_in_server = PathBuf::from(format!("/proc/{}/root{volume_path}", server.id()));
    let files = || fs::read_dir(&path_in_server).unwrap().count();
    let applications = async || sqlx::query_scalar("select count(*) from careers.application").fetch_one(&pool).await;
    let bearer = server.register_trader();
    let apply = "POST /api/apply/{jobid}";
    assert_eq!(send_operation(&server, &bearer, apply).0, 201);
    assert!(files() == 1 && fs::read_dir(volume.path()).unwrap().count() == 0, "the volume is the server's alone");

    let mut filler = Filler::new(&path_in_server);
    filler.fill();
    let assert_rejected = |operation: &str| {
        let (status, problem) = send_operation(&server, &bearer, operation);
        assert_eq!((status, &problem["code"]), (507, &json!("storage_full")), "{operation}: {problem:#}");
    };
    DISK_SPACE_OPERATIONS.into_iter().for_each(assert_rejected);
    // With space to receive a resume, but not to store it.
    filler.release(1_500_000);
    assert_rejected(apply);
    assert_eq!(applications().await.unwrap(), 1_i64);
    let started = Instant::now();
    while files() > 2 {
        assert!(started.elapsed() < Duration::from_secs(20), "a partial file was not deleted");
        std::thread::sleep(Duration::from_millis(10));
    }
    filler.fill();
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    let trade = crate::trades::entry(&json!({})).to_string();
    assert_eq!(server.send_json("POST", "/trades/add", &headers, trade.as_bytes()).0, 200);
    for path in ["/readyz", "/api/job-description/FE101"] {
        assert_eq!(server.send("GET", path, &[], b"").status, 200, "{path}");
    }
    let log = server.send_json("GET", "/trades/client", &headers, b"").1;
    assert_eq!(log["trades"].as_array().unwrap().len(), 1, "{log:#}");

    filler.remove();
    for operation in DISK_SPACE_OPERATIONS {
        let (status, reply) = send_operation(&server, &bearer, operation);
        assert!([200, 201].contains(&status), "{operation}: {status} {reply:#}");
    }
    // Two resumes, and a screenshot with its thumbnail.
    assert_eq!((applications().await.unwrap(), files()), (2_i64, 4));
}

/// Makes Postgres allocate new WAL files until it dies, because there is no space.
fn exhaust_wal(options: &PgConnectOptions) {
    let exhaust = async || {
        let mut connection = options.connect().await.unwrap();
        let switch_wal = "select pg_logical_emit_message(false, '', 'x'), pg_switch_wal()";
        // Postgres may have spare files and recycle old ones.
        for _ in 0..1_000 {
            if sqlx::query(switch_wal).execute(&mut connection).await.is_err() {
                return;
            }
        }
        panic!("there was space");
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::scope(|scope| scope.spawn(move || runtime().block_on(exhaust())).join().unwrap());
}

/// The volume has all data of the server: its Postgres, the resumes and the spool.
#[tokio::test]
async fn acknowledged_writes_survive_a_full_disk() {
    let volume = process::create_data_folder();
    let volume_path = volume.path().to_str().unwrap();
    let server = Process::start_private_with(volume.path(), |command| {
        command.env("TRADEBAHI_IMPORT_SPOOL_DIR", volume_path);
        run_with_volume(command, 320, volume_path);
        command
    });
    let path_in_server = PathBuf::from(format!("/proc/{}/root{volume_path}", server.id()));
    let socket = path_in_server.join("postgres/socket");
    let password = std::fs::read_to_string(path_in_server.join("postgres/password")).unwrap();
    let options = PgConnectOptions::new().socket(socket).username(pg_cluster::USER).password(&password);
    let options = options.database(pg_cluster::DATABASE);
    let pool = PgPool::connect_with(options.clone()).await.unwrap();
    let client = Client::new(server.port());
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = client.register_trader(&format!("full{round}"));
        let (acknowledged_writes, back) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
            let mut filler = Filler::new(&path_in_server);
            // Added trades are stored in Postgres only, so it is Postgres that has no space.
            let before = client.disk_full_count();
            filler.fill_until(|| client.disk_full_count() > before + round % 5);
            if round % 2 == 1 {
                let before = server.find_children("postgres");
                exhaust_wal(&options);
                // The server restarts Postgres repeatedly, because each start fails.
                filler.fill_until(|| server.find_children("postgres") != before);
                wait_for_readiness(&server, false);
            }
            filler.remove();
        });
        wait_for_readiness(&server, true);
        tally += acknowledged_writes.check_trades(&client, &trader);
        tally += acknowledged_writes.check_applications(&pool, &path_in_server.join("resumes")).await;
        slowest_recovery = slowest_recovery.max(back);
    }
    report("disk full", rounds(2), &tally, &format_recovery(slowest_recovery));
}
