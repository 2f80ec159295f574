//! Files made to do damage. Each is answered soon and clearly, and the next file is read as ever.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rpc::imports::v1::Choice;
use tonic::Code;

use super::fixtures::damage::{Dice, damaged, setting};
use super::fixtures::{tradebook, tradebook_csv, xlsx};
use super::hostile_files::{TRADEBOOK_XLS, hostile_files};
use super::{CHILD, Product, equity, reason};

#[tokio::test]
async fn hostile_files_are_refused_soon_and_the_next_is_read() {
    let good = xlsx(&[tradebook()]);
    let product = Product::new();
    for (what, file, code) in hostile_files() {
        let started = Instant::now();
        let answer = product.import(equity(), &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "{what}: {:?}", started.elapsed());
        match answer {
            Ok(reply) => assert_eq!((code, reply.rows), ("", 5), "{what}"),
            Err(status) => {
                assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code), "{what}");
            }
        }
        assert_eq!(product.import(equity(), &good).await.unwrap().rows, 5, "after {what}");
    }
}

#[tokio::test]
async fn damaged_files_are_read_or_refused_in_time() {
    let (good, groww) = (xlsx(&[tradebook()]), include_bytes!("../../src/tests/fixtures/xls/groww-fno.xls").to_vec());
    let files = [good.clone(), groww, TRADEBOOK_XLS.to_vec(), tradebook_csv().into_bytes()];
    let mut dice = Dice(setting("FUZZ_SEED", 1));
    let product = Product::new();
    for round in 0..setting("FUZZ_ROUNDS", 60) {
        let file = dice.one_of(&files).clone();
        let file = damaged(file, &files, &mut dice);
        let started = Instant::now();
        // As what it is, which damage does not change.
        let answer = product.import(Choice { confirm: true, ..equity() }, &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "round {round}: {:?}", started.elapsed());
        if let Err(status) = answer {
            assert_eq!(status.code(), Code::InvalidArgument, "round {round}: {status:?}");
        }
    }
    assert_eq!(product.import(equity(), &good).await.unwrap().rows, 5);
}

#[test]
#[cfg(target_os = "linux")]
fn the_child_is_confined_before_it_reads() {
    // A pipe cannot be sought in, so the child must read from a file; here it waits for one that never says anything.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = Command::new(CHILD).stdin(reader).stdout(Stdio::piped()).env_clear().spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap_or_default();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    drop(writer);
    child.kill().unwrap();
    child.wait().unwrap();
    let most = |name: &str| {
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
    for (name, bytes) in expected {
        assert_eq!(most(name), [bytes, bytes], "{name}");
    }
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
}
