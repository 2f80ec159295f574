//! What a large file and a large log weigh, in memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::PgPool;

use crate::app::Upload;
use crate::careers::Applying;
use crate::files::{Fill, zerodha_xlsx};
use crate::fixtures::{patched, tradebook, xlsx};
use crate::hostile_files::hostile_files;
use crate::process::Process;
use crate::resumes::pdf_with_size;

const MIB: u64 = 1024 * 1024;
const ROWS: u64 = 100_000;

/// The most memory that process `id` ever held, in bytes; since `forget_peak` if that was called.
fn peak(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn forget_peak(id: u32) {
    fs::write(format!("/proc/{id}/clear_refs"), "5").unwrap();
}

fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>())
        .collect()
}

/// Watches the children of `parent` until told to stop; the most that one of them held.
fn watch_children(parent: u32, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let most = AtomicU64::new(0);
        while !stop.load(Ordering::Relaxed) {
            for child in children(parent) {
                most.fetch_max(peak(child).unwrap_or(0), Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        most.into_inner()
    })
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_hundred_thousand_rows_go_in_and_out_exactly_and_weigh_little(pool: PgPool) {
    let fills: Vec<Fill> = (0..ROWS).map(Fill::nth).collect();
    let file = zerodha_xlsx(&fills);
    let server = Process::start(&pool);
    let bearer = server.trader();
    let form = Upload::new("t.xlsx", &file, "zerodha").form();

    forget_peak(server.id());
    let idle = peak(server.id()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let watcher = watch_children(server.id(), stop.clone());
    let headers = [("authorization", bearer.as_str()), ("content-type", Upload::TYPE), ("prefer", "return=minimal")];
    let (status, record) = server.json("POST", "/uploadexcel", &headers, &form);
    stop.store(true, Ordering::Relaxed);
    let child = watcher.join().unwrap();
    let above = peak(server.id()).unwrap() - idle;
    println!("{} MiB of file: server +{} MiB, child {} MiB", form.len() as u64 / MIB, above / MIB, child / MIB);
    assert_eq!((status, &record["import"]["added"]), (200, &Value::from(ROWS)), "{record:#}");
    assert!(above <= 64 * MIB, "the server grew by {above} bytes");
    assert!(child > 0 && child <= 256 * MIB, "the child held {child} bytes");

    forget_peak(server.id());
    let idle = peak(server.id()).unwrap();
    let reply = server.send("GET", "/trades/client", &headers[..1], b"");
    let record: Value = serde_json::from_reader(std::io::BufReader::new(reply.reader)).unwrap();
    let above = peak(server.id()).unwrap() - idle;
    println!("the whole list: server +{} MiB", above / MIB);
    assert!(above <= 16 * MIB, "the list cost {above} bytes");

    let trades = record["trades"].as_array().unwrap();
    assert_eq!(trades.len() as u64, ROWS);
    let paise = |trade: &Value, field: &str| (trade[field].as_f64().unwrap() * 100.0).round() as u64;
    for side in ["buy", "sell"] {
        let ours: Vec<&Value> = trades.iter().filter(|trade| trade["type"] == side).collect();
        let theirs: Vec<&Fill> = fills.iter().filter(|fill| fill.sell == (side == "sell")).collect();
        assert_eq!(ours.len(), theirs.len());
        assert_eq!(
            ours.iter().map(|trade| trade["quantity"].as_u64().unwrap()).sum::<u64>(),
            theirs.iter().map(|fill| u64::from(fill.quantity)).sum::<u64>()
        );
        assert_eq!(
            ours.iter().map(|trade| paise(trade, "value")).sum::<u64>(),
            theirs.iter().map(|fill| u64::from(fill.quantity) * fill.price).sum::<u64>()
        );
        assert_eq!(
            ours.iter().map(|trade| paise(trade, "price")).sum::<u64>(),
            theirs.iter().map(|fill| fill.price).sum::<u64>()
        );
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn applications_weigh_little_however_large_and_strange_their_forms_are(pool: PgPool) {
    let server = Process::start(&pool);
    let largest = pdf_with_size(5_242_880);
    let fine = Applying::new("resume.pdf", &largest);
    let part = b"--x\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nx\r\n".as_slice();
    let resume = Applying { fields: Vec::new(), ..Applying::new("resume.pdf", &largest[..2_600_000]) }.form();
    let twice = [&resume[..resume.len() - b"--x--\r\n".len()], &resume].concat();
    let told = Applying::new("resume.pdf", &largest[..1_000]).with("motivation", &"x".repeat(5_000_000)).form();
    let one_more = pdf_with_size(5_242_881);
    let forms = [
        ("the largest", Applying::TYPE, fine.form(), 201),
        ("one byte more", Applying::TYPE, Applying::new("resume.pdf", &one_more).form(), 413),
        ("two resumes", Applying::TYPE, twice, 422),
        ("10,000 parts", Applying::TYPE, part.repeat(10_000), 422),
        ("a motivation of 5 MB", Applying::TYPE, told, 422),
        ("no boundary", "multipart/form-data", fine.form(), 400),
        ("another boundary", "multipart/form-data; boundary=y", fine.form(), 400),
    ];
    let send = |kind: &str, form: &[u8]| server.json("POST", "/api/apply/FE101", &[("content-type", kind)], form);
    assert_eq!(send(Applying::TYPE, &fine.form()).0, 201);
    forget_peak(server.id());
    let idle = peak(server.id()).unwrap();
    for (name, kind, form, want) in &forms {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let (status, reply) = send(kind, form);
                    assert_eq!(status, *want, "{name}: {reply:#}");
                });
            }
        });
        let above = peak(server.id()).unwrap() - idle;
        println!("8 × {name}: {:.1} s, server +{} MiB", started.elapsed().as_secs_f64(), above / MIB);
        assert!(above <= 32 * MIB, "{name}: the server grew by {above} bytes");
    }
}

/// Inputs that once made a parser stumble, as files; the cells of a sheet in a workbook.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/src/tests/corpus");
    let book = xlsx(&[tradebook()]);
    let mut files = Vec::new();
    for target in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(target.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let input = fs::read(&path).unwrap();
            let sheet = path.extension().is_some_and(|ending| ending == "xml");
            let part = "xl/worksheets/sheet1.xml";
            let file = if sheet { patched(&book, part, |_| String::from_utf8_lossy(&input).into()) } else { input };
            files.push((path.file_name().unwrap().to_string_lossy().into_owned(), file));
        }
    }
    assert!(files.len() > 5);
    files
}

#[sqlx::test(migrations = "../../migrations")]
async fn hostile_files_are_answered_in_time_and_weigh_little(pool: PgPool) {
    let server = Process::start(&pool);
    let bearer = server.trader();
    let headers = [("authorization", bearer.as_str()), ("content-type", Upload::TYPE), ("prefer", "return=minimal")];
    let send = |path: &str, file: &[u8]| {
        let form = Upload::new("tradebook.xlsx", file, "zerodha").form();
        let started = Instant::now();
        let (status, reply) = server.json("POST", path, &headers, &form);
        assert!(started.elapsed() < Duration::from_secs(10), "{path}: {:?}", started.elapsed());
        (status, reply["code"].as_str().unwrap_or_default().to_ascii_uppercase(), reply)
    };
    let good = zerodha_xlsx(&(0..5).map(Fill::nth).collect::<Vec<_>>());
    assert_eq!(send("/uploadexcel/preview", &good).0, 200);
    let stated = hostile_files().into_iter().map(|(what, file, code)| (what.to_owned(), file, Some(code)));
    let kept = corpus().into_iter().map(|(name, file)| (name, file, None));
    let large = |more: usize| vec![b'x'; 32 * 1024 * 1024 + more];
    let sizes = [("the largest", large(0), "FILE_UNKNOWN"), ("one byte more", large(1), "FILE_TOO_LARGE")];
    let sizes = sizes.into_iter().map(|(what, file, code)| (what.to_owned(), file, Some(code)));
    let files: Vec<_> = stated.chain(kept).chain(sizes).collect();

    forget_peak(server.id());
    let idle = peak(server.id()).unwrap();
    for (what, file, expected) in &files {
        let (status, code, reply) = send("/uploadexcel/preview", file);
        match expected {
            Some("") => assert_eq!((status, &reply["rows"]), (200, &Value::from(5)), "{what}: {reply:#}"),
            Some(expected) => {
                let refused = if *expected == "FILE_TOO_LARGE" { 413 } else { 422 };
                assert_eq!((status, code.as_str()), (refused, *expected), "{what}");
            }
            // What became of these, the tests of the formats say.
            None => assert!(status == 200 || (matches!(status, 409 | 422) && !code.is_empty()), "{what}: {reply:#}"),
        }
        let above = peak(server.id()).unwrap().saturating_sub(idle);
        println!("{what}: server +{} MiB", above / MIB);
        assert!(above <= 32 * MIB, "{what}: the server grew by {above} bytes");
    }
    let (status, _, record) = send("/uploadexcel", &good);
    assert_eq!((status, &record["import"]["added"], &record["total"]), (200, &Value::from(5), &Value::from(5)));
}
