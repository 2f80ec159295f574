//! A disk that is full: what needs room there is refused, everything else goes on, and when there is room again so does
//! all of it.
//!
//! The disk is some megabytes of memory, mounted where the server alone sees it; for that the test must be root, or be
//! let make a namespace of its own.

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

use super::writers::{Front, Kind, Tally, write_through};
use super::{RECOVERY, await_ready, back_after, report, rounds};
use crate::app::Upload;
use crate::careers::Applying;
use crate::contract::CONTRACT;
use crate::files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::process::{self, Process};
use crate::resumes::pdf_with_size;
use crate::tour::AT_FULL_DISK;

/// Runs `command` with a small volume of its own at `$0`. Who is not root is so only until it is mounted: Postgres does
/// not run as root.
fn on_a_volume(command: &mut Command, megabytes: u32, volume: &str) {
    let us = fs::metadata("/proc/self").unwrap();
    let mut wrapped = Command::new("unshare");
    let back = if us.uid() == 0 {
        String::new()
    } else {
        wrapped.arg("--map-root-user");
        format!("unshare --map-user={} --map-group={}", us.uid(), us.gid())
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

/// What takes all the room of a disk.
struct Filler {
    file: File,
    path: PathBuf,
}

impl Filler {
    fn on(volume: &Path) -> Self {
        let path = volume.join("filler");
        Self { file: File::create(&path).unwrap(), path }
    }

    /// Takes what room there is.
    fn fill(&mut self) {
        while self.file.write_all(&[0; 4096]).is_ok() {}
    }

    /// Takes what room there is, and whatever becomes free, until this is so.
    fn hold(&mut self, until: impl Fn() -> bool) {
        let started = Instant::now();
        while !until() {
            assert!(started.elapsed() < RECOVERY, "nobody misses the room");
            self.fill();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Gives back so many bytes.
    fn give(&self, bytes: u64) {
        self.file.set_len(self.file.metadata().unwrap().len() - bytes).unwrap();
    }

    /// Gives back all of it.
    fn end(self) {
        fs::remove_file(&self.path).unwrap();
    }
}

/// Asks for an operation of the contract, and holds the reply against that.
fn ask(server: &Process, bearer: &str, operation: &str) -> (u16, serde_json::Value) {
    let tradebook = zerodha_csv(&[Fill::nth(0)]);
    let profit = zerodha_profit_csv(&[], &["INFY,INE000A01010,1,100,101,1"]);
    let alone = |file: &[u8]| Upload { fields: Vec::new(), ..Upload::new("t.csv", file, "") }.form();
    let (path, kind, body) = match operation {
        "POST /upload" => ("", Upload::TYPE, alone(&tradebook)),
        "POST /uploadexcel" | "POST /uploadexcel/preview" => {
            ("", Upload::TYPE, Upload::new("t.csv", &tradebook, "zerodha").form())
        }
        "POST /analytics/reconcile" => ("", Upload::TYPE, alone(&profit)),
        "POST /trades/replace" => {
            let trade =
                json!({ "symbol": "INFY", "price": 1, "quantity": 1, "timestamp": "2026-03-02T10:00", "type": "buy" });
            let body = json!({ "broker": "groww", "tradetype": "equity", "trades": [trade] });
            ("", "application/json", body.to_string().into_bytes())
        }
        "POST /api/apply/{jobid}" => {
            let resume = pdf_with_size(1_000_000);
            ("/api/apply/FE101", Applying::TYPE, Applying::new("resume.pdf", &resume).form())
        }
        "GET /trades/export" => ("/trades/export?format=xlsx", "", Vec::new()),
        "GET /analytics/tax/export" => ("/analytics/tax/export?year=2026-27&format=xlsx", "", Vec::new()),
        other => panic!("{other}"),
    };
    let (method, template) = operation.split_once(' ').unwrap();
    let path = if path.is_empty() { template } else { path };
    let mut reply = server.send(method, path, &[("authorization", bearer), ("content-type", kind)], &body);
    let mut body = Vec::new();
    reply.reader.read_to_end(&mut body).unwrap();
    let headers: HeaderMap =
        reply.headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
    let (method, path) = (method.parse().unwrap(), path.split('?').next().unwrap());
    let listed = CONTRACT.check(&method, path, StatusCode::from_u16(reply.status).unwrap(), &headers, &body);
    assert_eq!(listed, Some((operation.to_owned(), reply.status.to_string())));
    (reply.status, serde_json::from_slice(&body).unwrap_or_default())
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_disk_refuses_what_needs_room_and_only_for_as_long(pool: PgPool) {
    let (data, volume) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = volume.path().to_str().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| {
        command.env("TRADEBAHI_RESUME_DIR", place).env("TRADEBAHI_IMPORT_SPOOL_DIR", place);
        on_a_volume(command, 4, place);
        command
    });
    // As the server sees it.
    let inside = PathBuf::from(format!("/proc/{}/root{place}", server.id()));
    let files = || fs::read_dir(&inside).unwrap().count();
    let applications = async || sqlx::query_scalar("select count(*) from careers.application").fetch_one(&pool).await;
    let bearer = server.trader();
    let apply = "POST /api/apply/{jobid}";
    assert_eq!(ask(&server, &bearer, apply).0, 201);
    assert!(files() == 1 && fs::read_dir(volume.path()).unwrap().count() == 0, "the volume is the server's alone");

    let mut filler = Filler::on(&inside);
    filler.fill();
    let refused = |operation: &str| {
        let (status, problem) = ask(&server, &bearer, operation);
        assert_eq!((status, &problem["code"]), (507, &json!("store_full")), "{operation}: {problem:#}");
    };
    AT_FULL_DISK.into_iter().for_each(refused);
    // With room for a resume that arrives, and none to keep it.
    filler.give(1_500_000);
    refused(apply);
    assert_eq!(applications().await.unwrap(), 1_i64);
    let started = Instant::now();
    while files() > 2 {
        assert!(started.elapsed() < Duration::from_secs(20), "a part of it stays");
        std::thread::sleep(Duration::from_millis(10));
    }
    filler.fill();
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    let trade = crate::trades::entry(&json!({})).to_string();
    assert_eq!(server.json("POST", "/trades/add", &headers, trade.as_bytes()).0, 200);
    for path in ["/readyz", "/api/job-description/FE101"] {
        assert_eq!(server.send("GET", path, &[], b"").status, 200, "{path}");
    }
    let log = server.json("GET", "/trades/client", &headers, b"").1;
    assert_eq!(log["trades"].as_array().unwrap().len(), 1, "{log:#}");

    filler.end();
    for operation in AT_FULL_DISK {
        let (status, reply) = ask(&server, &bearer, operation);
        assert!([200, 201].contains(&status), "{operation}: {status} {reply:#}");
    }
    assert_eq!((applications().await.unwrap(), files()), (2_i64, 2));
}

/// Has Postgres want room for whole files of its log, until it dies for want of it.
fn use_up_its_log(options: &PgConnectOptions) {
    let use_up = async || {
        let mut connection = options.connect().await.unwrap();
        let begin_another = "select pg_logical_emit_message(false, '', 'x'), pg_switch_wal()";
        // It may have some files ahead, and get back old ones.
        for _ in 0..1_000 {
            if sqlx::query(begin_another).execute(&mut connection).await.is_err() {
                return;
            }
        }
        panic!("there was room");
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::scope(|scope| scope.spawn(move || runtime().block_on(use_up())).join().unwrap());
}

/// All that the server has lies there: its Postgres, the resumes, and what is being received.
#[tokio::test]
async fn what_was_acknowledged_outlives_a_full_disk() {
    let volume = process::folder();
    let place = volume.path().to_str().unwrap();
    let server = Process::start_in_with(volume.path(), |command| {
        command.env("TRADEBAHI_IMPORT_SPOOL_DIR", place);
        on_a_volume(command, 320, place);
        command
    });
    let inside = PathBuf::from(format!("/proc/{}/root{place}", server.id()));
    let socket = inside.join("postgres/socket");
    let options = PgConnectOptions::new().socket(socket).username(pg_cluster::USER).database(pg_cluster::DATABASE);
    let pool = PgPool::connect_with(options.clone()).await.unwrap();
    let front = Front::at(server.port());
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = front.trader(&format!("full{round}"));
        let (ledger, back) = write_through(&front, &trader, &Kind::ALL, round, || {
            let mut filler = Filler::on(&inside);
            // Of what is added, nothing is kept in a file of ours: Postgres itself has no room.
            let before = front.unstored();
            filler.hold(|| front.unstored() > before + round % 5);
            if round % 2 == 1 {
                let before = server.children("postgres");
                use_up_its_log(&options);
                // Started again, and again, as it cannot be.
                filler.hold(|| server.children("postgres") != before);
                await_ready(&server, false);
            }
            filler.end();
        });
        await_ready(&server, true);
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &inside.join("resumes")).await;
        slowest = slowest.max(back);
    }
    report("disk full", rounds(2), &tally, &back_after(slowest));
}
