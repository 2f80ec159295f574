//! Runs a program that tries to leave the sandbox.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "panics fail the test")]

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Command;

use sandbox::Support;

#[test]
fn s12_every_attempt_to_leave_the_sandbox_fails() {
    let all = run("open");
    assert_eq!(all.len(), 20, "an attempt fails even without the sandbox: {all:?}");
    if Support::detect().unwrap().seccomp {
        assert_eq!(run("confined"), ["end"]);
    }
}

#[test]
fn s12_finding_out_what_the_kernel_provides_restricts_no_other_thread() {
    let restrictions = || {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let lines = status.lines().filter(|line| line.starts_with("NoNewPrivs") || line.starts_with("Seccomp"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = restrictions();
    let support = Support::detect().unwrap();
    assert_eq!(Support::detect().unwrap(), support);
    assert!(TcpListener::bind("127.0.0.1:0").is_ok() && fs::metadata("/").is_ok());
    assert_eq!(support.is_complete(), support.seccomp && support.landlock_version >= Support::LANDLOCK_VERSION);
    assert_eq!(restrictions(), before);
}

/// Runs the attempts and returns the names of those that succeeded.
fn run(mode: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    for name in ["secret", "victim"] {
        fs::write(dir.path().join(name), "content").unwrap();
    }
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let _unix = UnixListener::bind(dir.path().join("socket")).unwrap();
    let name = format!("tradebahi-{}-{mode}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sandbox-attacks"))
        .arg(mode)
        .arg(dir.path())
        .args([tcp.local_addr().unwrap().to_string(), name])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
