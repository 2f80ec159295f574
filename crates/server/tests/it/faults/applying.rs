//! Ten candidates apply while the server is killed: each receipt has its stored application and resume, and no application
//! is stored in part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use super::writers::Tally;
use super::{report, rounds};
use crate::broker_files::hex_sha256;
use crate::careers::ApplicationForm;
use crate::process::{self, Process};
use crate::resumes::pdf_with_size;

const CANDIDATES: usize = 10;

/// Application that was sent, and its receipt if one came back.
struct SentApplication {
    /// Unique email address; also the idempotency key.
    email: String,
    body: Vec<u8>,
    sha256: String,
    receipt: Option<Value>,
}

fn apply(port: u16, sent: &SentApplication) -> std::io::Result<(u16, Value)> {
    let headers = [("content-type", ApplicationForm::CONTENT_TYPE), ("idempotency-key", sent.email.as_str())];
    process::send_json(port, "POST", "/api/apply/FE101", &headers, &sent.body)
}

/// Applies repeatedly until the server is gone.
fn apply_until_gone(port: u16, prefix: &str, all: &Mutex<Vec<SentApplication>>) {
    for number in 0.. {
        let email = format!("{prefix}-{number}@example.in");
        let resume = pdf_with_size(4_000 + number * 7_919 % 300_000);
        let body = ApplicationForm::new("resume.pdf", &resume).with("email", &email).form();
        let mut sent = SentApplication { email, body, sha256: hex_sha256(&resume), receipt: None };
        let result = apply(port, &sent);
        let is_gone = result.is_err();
        if let Ok((status, reply)) = result {
            assert!(matches!(status, 201 | 503), "{status} {reply:#}");
            sent.receipt = (status == 201).then_some(reply);
        }
        all.lock().unwrap().push(sent);
        if is_gone {
            return;
        }
    }
}

/// Returns the stored applications by email address: application id, resume id and SHA-256 of the resume.
pub async fn read_applications(pool: &PgPool) -> BTreeMap<String, Vec<(String, Uuid, String)>> {
    let rows: Vec<(String, String, Uuid, Vec<u8>)> =
        sqlx::query_as("select email_lower, application_id, resume_id, resume_sha256 from careers.application")
            .fetch_all(pool)
            .await
            .unwrap();
    let mut by_email: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (email, id, resume_id, sha256) in rows {
        let sha256 = hex::encode(&sha256);
        by_email.entry(email).or_default().push((id, resume_id, sha256));
    }
    by_email
}

/// Returns a receipt without the token for a correction of the address: each response has another.
fn without_token(receipt: &Value) -> Value {
    let mut receipt = receipt.clone();
    receipt.as_object_mut().unwrap().remove("emailCorrectionToken");
    receipt
}

/// Compares the stored applications with the receipts. Returns the number of receipts.
async fn check_receipts(pool: &PgPool, resumes: &Path, server: &Process, mut all: Vec<SentApplication>) -> usize {
    let before = read_applications(pool).await;
    for row in before.values().flatten() {
        let file = fs::read(resumes.join(row.1.to_string()));
        let file = file.unwrap_or_else(|error| panic!("{} has no file: {error}", row.0));
        assert_eq!(hex_sha256(&file), row.2);
    }
    let receipts = all.iter().filter(|sent| sent.receipt.is_some()).count();
    for sent in &mut all {
        let stored = before.get(&sent.email).map_or(&[][..], Vec::as_slice);
        if let Some(receipt) = &sent.receipt {
            assert_eq!(stored.len(), 1, "{} × {receipt:#}", stored.len());
            assert_eq!(
                (&receipt["applicationId"], &receipt["resume"]["sha256"]),
                (&stored[0].0.as_str().into(), &sent.sha256.as_str().into())
            );
        }
        assert!(stored.len() <= 1 && stored.iter().all(|row| row.2 == sent.sha256));
        // A retry returns the stored application and adds no second one.
        let (status, reply) = apply(server.port(), sent).unwrap();
        assert_eq!(status, 201, "{reply:#}");
        let is_same = |receipt: &Value| without_token(receipt) == without_token(&reply);
        assert!(sent.receipt.as_ref().is_none_or(is_same), "{:?} {reply:#}", sent.receipt);
        assert!(stored.iter().all(|row| reply["applicationId"] == row.0.as_str()));
    }
    let after = read_applications(pool).await;
    assert_eq!(after.len(), all.len());
    assert!(after.values().all(|stored| stored.len() == 1), "an application is stored twice");

    // The cleanup job deletes files that a crash left an hour ago, and nothing else.
    let long_ago = SystemTime::now() - Duration::from_hours(2);
    for file in fs::read_dir(resumes).unwrap() {
        File::options().write(true).open(file.unwrap().path()).unwrap().set_modified(long_ago).unwrap();
    }
    let settings = careers::Settings { resume_dir: Some(resumes.to_owned()), ..careers::Settings::default() };
    careers::clean_up(pool, &settings).await.unwrap();
    let files: BTreeSet<String> =
        fs::read_dir(resumes).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, after.values().flatten().map(|row| row.1.to_string()).collect::<BTreeSet<_>>());
    receipts
}

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_applications_survive_a_kill_of_the_server(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let resumes = data.path().join("resumes");
    let start = || Process::start_with(&pool, data.path(), |command| command);
    let mut server = start();
    let (mut receipts, mut sent_count) = (0, 0);
    for round in 0..rounds(5) {
        let all: Mutex<Vec<SentApplication>> = Mutex::default();
        std::thread::scope(|scope| {
            for candidate in 0..CANDIDATES {
                let (port, prefix, all) = (server.port(), format!("r{round}-{candidate}"), &all);
                scope.spawn(move || apply_until_gone(port, &prefix, all));
            }
            // Each round has another moment; every second round waits for the first receipt.
            let has_receipt = || all.lock().unwrap().iter().any(|sent| sent.receipt.is_some());
            let started = Instant::now();
            while round % 2 == 0 && !has_receipt() {
                assert!(started.elapsed() < Duration::from_mins(1), "no application was acknowledged");
                std::thread::sleep(Duration::from_millis(2));
            }
            std::thread::sleep(Duration::from_millis(20 + (round as u64 * 37) % 580));
            server.kill();
        });
        server = start();
        let all = all.into_inner().unwrap();
        sent_count += all.len();
        receipts += check_receipts(&pool, &resumes, &server, all).await;
        // The next round starts empty.
        sqlx::query("truncate careers.application").execute(&pool).await.unwrap();
        fs::read_dir(&resumes).unwrap().for_each(|file| fs::remove_file(file.unwrap().path()).unwrap());
    }
    assert!(receipts > 0 && sent_count > receipts, "nothing was cut short: {receipts} of {sent_count}");
    let cut_short = format!("{} applications cut short", sent_count - receipts);
    let tally = Tally { acknowledged: receipts, ..Tally::default() };
    report("server killed, ten candidates apply", rounds(5), &tally, &cut_short);
}
