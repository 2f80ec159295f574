//! Confines itself, tries to leave the sandbox, and prints the attempts that succeeded. For tests.
//!
//! The argument `open` skips the confinement, which shows that the attempts work.

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    use std::fs::{self, File};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
    use std::process::Command;

    use rustix::process::{getppid, test_kill_process};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, dir, tcp, abstract_name] = arguments.as_slice() else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    let parent = getppid().ok_or(std::io::ErrorKind::NotFound)?;
    let environment = format!("/proc/{parent}/environ");
    let memory = format!("/proc/{parent}/mem");
    if mode != "open" {
        sandbox::confine()?;
    }
    let abstract_address = SocketAddr::from_abstract_name(abstract_name)?;
    let attempts = [
        ("TCP", TcpStream::connect(tcp).is_ok()),
        ("TCP listener", TcpListener::bind("127.0.0.1:0").is_ok()),
        ("UDP", UdpSocket::bind("127.0.0.1:0").and_then(|udp| udp.send_to(b"x", "127.0.0.1:9")).is_ok()),
        ("Unix socket", UnixStream::connect(format!("{dir}/socket")).is_ok()),
        ("Unix listener", UnixListener::bind(format!("{dir}/listener")).is_ok()),
        ("abstract Unix socket", UnixStream::connect_addr(&abstract_address).is_ok()),
        ("socket pair", UnixDatagram::pair().is_ok()),
        ("signal", test_kill_process(parent).is_ok()),
        ("environment of the parent", File::open(environment).is_ok()),
        ("memory of the parent", File::open(memory).is_ok()),
        ("read /etc/passwd", fs::read("/etc/passwd").is_ok()),
        ("read a file", fs::read(format!("{dir}/secret")).is_ok()),
        ("list a directory", fs::read_dir(dir).is_ok()),
        ("read metadata", fs::metadata(format!("{dir}/secret")).is_ok()),
        ("create a file", File::create(format!("{dir}/new")).is_ok()),
        ("delete a file", fs::remove_file(format!("{dir}/victim")).is_ok()),
        ("create a directory", fs::create_dir(format!("{dir}/new-dir")).is_ok()),
        ("run a program", Command::new("/bin/sh").args(["-c", "exit"]).status().is_ok()),
        ("start a thread", std::thread::Builder::new().spawn(|| ()).is_ok()),
    ];
    for (name, _) in attempts.into_iter().filter(|(_, has_succeeded)| *has_succeeded) {
        println!("{name}");
    }
    println!("end");
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {}
