//! A volume of resumes that is full: nobody applies, everything else goes on, and when there is room again so does this.
//!
//! The volume is a few megabytes of memory, mounted where the server alone sees it; for that the test must be root, or
//! be let make a namespace of its own.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;

use super::report;
use super::writers::Tally;
use crate::careers::Applying;
use crate::process::Process;
use crate::resumes::pdf_of;

/// Runs `command` with a small volume of its own at `$0`.
const ON_A_VOLUME: &str = "mount -t tmpfs -o size=4m tmpfs \"$0\" && exec \"$@\"";

fn on_a_volume(command: &mut Command, volume: &str) {
    let mut wrapped = Command::new("unshare");
    wrapped.arg("--mount");
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        wrapped.arg("--map-root-user");
    }
    wrapped.args(["sh", "-c", ON_A_VOLUME, volume]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped.stdout(Stdio::null());
    *command = wrapped;
}

fn apply(server: &Process, email: &str) -> (u16, serde_json::Value) {
    let resume = pdf_of(1_000_000);
    let body = Applying::new("resume.pdf", &resume).with("email", email).form();
    server.json("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE)], &body)
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_volume_stops_applications_alone_and_only_for_as_long(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let volume = tempfile::tempdir().unwrap();
    let place = volume.path().to_str().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| {
        command.env("TRADEBAHI_RESUME_DIR", place);
        on_a_volume(command, place);
        command
    });
    // As the server sees it.
    let inside = PathBuf::from(format!("/proc/{}/root{place}", server.id()));
    let files = || fs::read_dir(&inside).unwrap().count();
    let count = async || sqlx::query_scalar("select count(*) from careers.application").fetch_one(&pool).await;
    assert_eq!(apply(&server, "one@example.in").0, 201);
    assert!(files() == 1 && fs::read_dir(volume.path()).unwrap().count() == 0, "the volume is the server's alone");

    let filler = inside.join("filler");
    let mut file = File::create(&filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    // Without room for a resume that arrives; then with room for that, and none to keep it.
    for room in [0, 1_500_000] {
        file.set_len(file.metadata().unwrap().len() - room).unwrap();
        let (status, problem) = apply(&server, "two@example.in");
        assert_eq!((status, &problem["code"]), (507, &json!("store_full")), "{problem:#}");
        assert_eq!(count().await.unwrap(), 1_i64);
        let started = Instant::now();
        while files() > 2 {
            assert!(started.elapsed() < Duration::from_secs(20), "a part of it stays");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let bearer = server.trader();
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    let trade = crate::trades::entry(&json!({})).to_string();
    assert_eq!(server.json("POST", "/trades/add", &headers, trade.as_bytes()).0, 200);
    for path in ["/readyz", "/api/job-description/FE101"] {
        assert_eq!(server.send("GET", path, &[], b"").status, 200, "{path}");
    }

    drop(file);
    fs::remove_file(&filler).unwrap();
    assert_eq!(apply(&server, "two@example.in").0, 201);
    assert_eq!((count().await.unwrap(), files()), (2_i64, 2));
    report("volume of resumes full", 1, &Tally { acknowledged: 2, ..Tally::default() }, "refused with 507");
}
