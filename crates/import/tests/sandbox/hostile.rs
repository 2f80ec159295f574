//! Malicious and damaged files: each gets a clear response in time, and the next file is read.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rpc::imports::v1::ImportOptions;
use tonic::Code;

use super::fixtures::mutation::{Rng, env_number, mutate};
use super::fixtures::{tradebook, tradebook_csv, xlsx};
use super::hostile_files::{TRADEBOOK_XLS, hostile_files};
use super::{ImportService, PARSER, equity, reason};

#[tokio::test]
async fn rejects_malicious_files_in_time_and_reads_the_next_file() {
    let good = xlsx(&[tradebook()]);
    let service = ImportService::new();
    for (name, file, code) in hostile_files() {
        let started = Instant::now();
        let response = service.import(equity(), &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
        match response {
            Ok(response) => assert_eq!((code, response.rows), ("", 5), "{name}"),
            Err(status) => {
                assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code), "{name}");
            }
        }
        assert_eq!(service.import(equity(), &good).await.unwrap().rows, 5, "after {name}");
    }
}

#[tokio::test]
async fn reads_or_rejects_damaged_files_in_time() {
    let (good, groww) = (xlsx(&[tradebook()]), include_bytes!("../../src/tests/fixtures/xls/groww-fno.xls").to_vec());
    let files = [good.clone(), groww, TRADEBOOK_XLS.to_vec(), tradebook_csv().into_bytes()];
    let mut rng = Rng(env_number("FUZZ_SEED", 1));
    let service = ImportService::new();
    for round in 0..env_number("FUZZ_ROUNDS", 60) {
        let file = rng.choose(&files).clone();
        let file = mutate(file, &files, &mut rng);
        let started = Instant::now();
        // Confirmed, because the files belong to different books.
        let response = service.import(ImportOptions { confirm: true, ..equity() }, &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "round {round}: {:?}", started.elapsed());
        if let Err(status) = response {
            assert_eq!(status.code(), Code::InvalidArgument, "round {round}: {status:?}");
        }
    }
    assert_eq!(service.import(equity(), &good).await.unwrap().rows, 5);
}

#[test]
#[cfg(target_os = "linux")]
fn the_parser_process_applies_its_limits_before_it_reads() {
    // The process waits for the first byte of a pipe that stays empty.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = Command::new(PARSER).stdin(reader).stdout(Stdio::piped()).env_clear().spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap_or_default();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    drop(writer);
    child.kill().unwrap();
    child.wait().unwrap();
    let soft_and_hard_limit = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line[name.len()..].split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [
        ("Max address space", "805306368"),
        ("Max cpu time", "20"),
        ("Max file size", "0"),
        ("Max open files", "16"),
        ("Max core file size", "0"),
    ];
    for (name, limit) in expected {
        assert_eq!(soft_and_hard_limit(name), [limit, limit], "{name}");
    }
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
}
