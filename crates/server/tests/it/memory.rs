//! Memory limits of the server and the parser process for large files, large logs, applications and hostile files.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::PgPool;

use crate::app::Upload;
use crate::broker_files::{Fill, zerodha_xlsx};
use crate::careers::ApplicationForm;
use crate::fixtures::{patched, tradebook, xlsx};
use crate::hostile_files::hostile_files;
use crate::process::Process;
use crate::resumes::pdf_with_size;

const MIB: u64 = 1024 * 1024;
const ROWS: u64 = 100_000;

/// Returns the peak memory of process `id` in bytes, since its start or the last [`reset_peak_memory`].
fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn reset_peak_memory(id: u32) {
    fs::write(format!("/proc/{id}/clear_refs"), "5").unwrap();
}

/// Returns the ids of the child processes of `parent`.
fn child_processes(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>())
        .collect()
}

/// Watches the children of `parent` until `stop` is set, and returns the highest peak memory of one.
fn watch_child_memory(parent: u32, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let highest = AtomicU64::new(0);
        while !stop.load(Ordering::Relaxed) {
            for child in child_processes(parent) {
                highest.fetch_max(peak_memory(child).unwrap_or(0), Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        highest.into_inner()
    })
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_file_of_100_000_rows_is_imported_and_listed_exactly_within_memory_limits(pool: PgPool) {
    let fills: Vec<Fill> = (0..ROWS).map(Fill::nth).collect();
    let file = zerodha_xlsx(&fills);
    let server = Process::start(&pool);
    let bearer = server.register_trader();
    let form = Upload::new("t.xlsx", &file, "zerodha").form();

    reset_peak_memory(server.id());
    let idle = peak_memory(server.id()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let watcher = watch_child_memory(server.id(), stop.clone());
    let headers =
        [("authorization", bearer.as_str()), ("content-type", Upload::CONTENT_TYPE), ("prefer", "return=minimal")];
    let (status, record) = server.send_json("POST", "/uploadexcel", &headers, &form);
    stop.store(true, Ordering::Relaxed);
    let parser_memory = watcher.join().unwrap();
    let growth = peak_memory(server.id()).unwrap() - idle;
    println!(
        "{} MiB of file: server +{} MiB, parser process {} MiB",
        form.len() as u64 / MIB,
        growth / MIB,
        parser_memory / MIB
    );
    assert_eq!((status, &record["import"]["added"]), (200, &Value::from(ROWS)), "{record:#}");
    assert!(growth <= 64 * MIB, "the server grew by {growth} bytes");
    assert!(parser_memory > 0 && parser_memory <= 256 * MIB, "the parser process used {parser_memory} bytes");

    reset_peak_memory(server.id());
    let idle = peak_memory(server.id()).unwrap();
    let reply = server.send("GET", "/trades/client", &headers[..1], b"");
    let record: Value = serde_json::from_reader(std::io::BufReader::new(reply.reader)).unwrap();
    let growth = peak_memory(server.id()).unwrap() - idle;
    println!("the whole list: server +{} MiB", growth / MIB);
    assert!(growth <= 16 * MIB, "the list used {growth} bytes");

    let trades = record["trades"].as_array().unwrap();
    assert_eq!(trades.len() as u64, ROWS);
    let paise = |trade: &Value, field: &str| (trade[field].as_f64().unwrap() * 100.0).round() as u64;
    for side in ["buy", "sell"] {
        let listed: Vec<&Value> = trades.iter().filter(|trade| trade["type"] == side).collect();
        let expected_fills: Vec<&Fill> = fills.iter().filter(|fill| fill.sell == (side == "sell")).collect();
        assert_eq!(listed.len(), expected_fills.len());
        assert_eq!(
            listed.iter().map(|trade| trade["quantity"].as_u64().unwrap()).sum::<u64>(),
            expected_fills.iter().map(|fill| u64::from(fill.quantity)).sum::<u64>()
        );
        assert_eq!(
            listed.iter().map(|trade| paise(trade, "value")).sum::<u64>(),
            expected_fills.iter().map(|fill| u64::from(fill.quantity) * fill.price).sum::<u64>()
        );
        assert_eq!(
            listed.iter().map(|trade| paise(trade, "price")).sum::<u64>(),
            expected_fills.iter().map(|fill| fill.price).sum::<u64>()
        );
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn large_and_malformed_application_forms_stay_within_the_memory_limit(pool: PgPool) {
    let server = Process::start(&pool);
    let largest = pdf_with_size(5_242_880);
    let largest_form = ApplicationForm::new("resume.pdf", &largest);
    let part = b"--x\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nx\r\n".as_slice();
    let resume =
        ApplicationForm { fields: Vec::new(), ..ApplicationForm::new("resume.pdf", &largest[..2_600_000]) }.form();
    let two_resumes = [&resume[..resume.len() - b"--x--\r\n".len()], &resume].concat();
    let long_motivation =
        ApplicationForm::new("resume.pdf", &largest[..1_000]).with("motivation", &"x".repeat(5_000_000)).form();
    let too_large_resume = pdf_with_size(5_242_881);
    let forms = [
        ("the largest allowed", ApplicationForm::CONTENT_TYPE, largest_form.form(), 201),
        (
            "one byte above the limit",
            ApplicationForm::CONTENT_TYPE,
            ApplicationForm::new("resume.pdf", &too_large_resume).form(),
            413,
        ),
        ("two resumes", ApplicationForm::CONTENT_TYPE, two_resumes, 422),
        ("10,000 parts", ApplicationForm::CONTENT_TYPE, part.repeat(10_000), 422),
        ("a motivation of 5 MB", ApplicationForm::CONTENT_TYPE, long_motivation, 422),
        ("no boundary", "multipart/form-data", largest_form.form(), 400),
        ("another boundary", "multipart/form-data; boundary=y", largest_form.form(), 400),
    ];
    let send = |content_type: &str, form: &[u8]| {
        server.send_json("POST", "/api/apply/FE101", &[("content-type", content_type)], form)
    };
    assert_eq!(send(ApplicationForm::CONTENT_TYPE, &largest_form.form()).0, 201);
    reset_peak_memory(server.id());
    let idle = peak_memory(server.id()).unwrap();
    for (name, content_type, form, expected_status) in &forms {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let (status, reply) = send(content_type, form);
                    assert_eq!(status, *expected_status, "{name}: {reply:#}");
                });
            }
        });
        let growth = peak_memory(server.id()).unwrap() - idle;
        println!("8 × {name}: {:.1} s, server +{} MiB", started.elapsed().as_secs_f64(), growth / MIB);
        assert!(growth <= 32 * MIB, "{name}: the server grew by {growth} bytes");
    }
}

/// Returns inputs that once caused parser errors, as files; XML inputs become the sheet of a workbook.
fn read_corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/src/tests/corpus");
    let book = xlsx(&[tradebook()]);
    let mut files = Vec::new();
    for target in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(target.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let input = fs::read(&path).unwrap();
            let is_sheet = path.extension().is_some_and(|extension| extension == "xml");
            let part = "xl/worksheets/sheet1.xml";
            let file = if is_sheet { patched(&book, part, |_| String::from_utf8_lossy(&input).into()) } else { input };
            files.push((path.file_name().unwrap().to_string_lossy().into_owned(), file));
        }
    }
    assert!(files.len() > 5);
    files
}

#[sqlx::test(migrations = "../../migrations")]
async fn hostile_files_get_a_reply_in_time_within_the_memory_limit(pool: PgPool) {
    let server = Process::start(&pool);
    let bearer = server.register_trader();
    let headers =
        [("authorization", bearer.as_str()), ("content-type", Upload::CONTENT_TYPE), ("prefer", "return=minimal")];
    let send = |path: &str, file: &[u8]| {
        let form = Upload::new("tradebook.xlsx", file, "zerodha").form();
        let started = Instant::now();
        let (status, reply) = server.send_json("POST", path, &headers, &form);
        assert!(started.elapsed() < Duration::from_secs(10), "{path}: {:?}", started.elapsed());
        (status, reply["code"].as_str().unwrap_or_default().to_ascii_uppercase(), reply)
    };
    let good = zerodha_xlsx(&(0..5).map(Fill::nth).collect::<Vec<_>>());
    assert_eq!(send("/uploadexcel/preview", &good).0, 200);
    let hostile = hostile_files().into_iter().map(|(name, file, code)| (name.to_owned(), file, Some(code)));
    let corpus = read_corpus().into_iter().map(|(name, file)| (name, file, None));
    let large = |more: usize| vec![b'x'; 32 * 1024 * 1024 + more];
    let sizes = [
        ("the largest allowed", large(0), "FILE_NOT_SUPPORTED"),
        ("one byte above the limit", large(1), "FILE_TOO_LARGE"),
    ];
    let sizes = sizes.into_iter().map(|(name, file, code)| (name.to_owned(), file, Some(code)));
    let files: Vec<_> = hostile.chain(corpus).chain(sizes).collect();

    reset_peak_memory(server.id());
    let idle = peak_memory(server.id()).unwrap();
    for (name, file, expected) in &files {
        let (status, code, reply) = send("/uploadexcel/preview", file);
        match expected {
            Some("") => assert_eq!((status, &reply["rows"]), (200, &Value::from(5)), "{name}: {reply:#}"),
            Some(expected) => {
                let refused = if *expected == "FILE_TOO_LARGE" { 413 } else { 422 };
                assert_eq!((status, code.as_str()), (refused, *expected), "{name}");
            }
            // The tests of the file formats check the exact outcome.
            None => assert!(status == 200 || (matches!(status, 409 | 422) && !code.is_empty()), "{name}: {reply:#}"),
        }
        let growth = peak_memory(server.id()).unwrap().saturating_sub(idle);
        println!("{name}: server +{} MiB", growth / MIB);
        assert!(growth <= 32 * MIB, "{name}: the server grew by {growth} bytes");
    }
    let (status, _, record) = send("/uploadexcel", &good);
    assert_eq!((status, &record["import"]["added"], &record["total"]), (200, &Value::from(5), &Value::from(5)));
}
