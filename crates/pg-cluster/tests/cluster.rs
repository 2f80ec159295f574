//! The cluster as its users meet it, on the Postgres that this machine has.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod client;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use pg_cluster::{Cluster, DATABASE, Options};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use crate::client::{ask, url_part};

const WEB_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

#[test]
fn a_cluster_serves_its_database_until_stopped() {
    let place = Place::new();
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select 'hello'").unwrap(), ["hello"]);
    let unknown = ask(&cluster.url("unknown"), "select 1").unwrap_err();
    assert!(unknown.contains("\"unknown\" does not exist"), "{unknown}");

    let (url, pid) = (cluster.url(DATABASE), postmaster(&place.dir));
    cluster.stop().unwrap();
    assert!(ask(&url, "select 1").is_err());
    assert!(test_kill_process(pid).is_err());
}

#[test]
fn what_was_written_is_there_at_the_next_start() {
    let place = Place::new();
    let cluster = place.open();
    ask(&cluster.url(DATABASE), "create table kept as select 7 as n").unwrap();
    cluster.stop().unwrap();
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
}

#[test]
fn a_durable_cluster_has_every_safeguard_and_a_test_cluster_none_that_costs() {
    let place = Place::durable();
    let set = |cluster: &Cluster, name: &str| ask(&cluster.url(DATABASE), &format!("show {name}")).unwrap().remove(0);
    let durability = ["fsync", "full_page_writes", "synchronous_commit"];
    let durable = place.open();
    assert_eq!(durability.map(|name| set(&durable, name)), ["on"; 3]);
    assert_eq!(set(&durable, "data_checksums"), "on");
    assert_eq!(set(&durable, "max_connections"), "50");
    assert_eq!(set(&durable, "listen_addresses"), "");
    assert_eq!(set(&durable, "server_encoding"), "UTF8");
    let locale = "select datcollate || datctype from pg_database where datname = 'tradebahi'";
    assert_eq!(ask(&durable.url(DATABASE), locale).unwrap(), ["CC"]);
    let temporary = Cluster::temporary(Path::new(WEB_DIR)).unwrap();
    assert_eq!(durability.map(|name| set(&temporary, name)), ["off"; 3]);
}

#[test]
fn a_cluster_in_use_is_refused_in_one_sentence() {
    let place = Place::new();
    let cluster = place.open();
    let refusal = Cluster::open(&place.options()).unwrap_err().to_string();
    let expected = format!("is in use by process {}: stop that first", std::process::id());
    assert!(refusal.contains(&expected), "{refusal}");
    assert_eq!(ask(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
}

#[test]
fn who_comes_by_is_told_where_a_cluster_runs_and_starts_none() {
    let place = Place::new();
    assert_eq!(Cluster::running(&place.dir, DATABASE).unwrap(), None);
    let cluster = place.open();
    let found = Cluster::running(&place.dir, DATABASE).unwrap().unwrap();
    assert_eq!(found, cluster.url(DATABASE));
    assert_eq!(ask(&found, "select 1").unwrap(), ["1"]);
    cluster.stop().unwrap();
    assert_eq!(Cluster::running(&place.dir, DATABASE).unwrap(), None);
}

#[test]
fn a_killed_postmaster_loses_no_commit() {
    let place = Place::durable();
    let cluster = place.open();
    ask(&cluster.url(DATABASE), "create table kept as select 7 as n").unwrap();
    kill_process(postmaster(&place.dir), Signal::KILL).unwrap();
    drop(cluster);
    let left = fs::read_to_string(place.dir.join("data/postmaster.pid"));
    assert!(left.is_ok(), "the kill was an orderly stop");
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
}

#[test]
fn a_cluster_that_outlived_its_owner_is_taken_over() {
    let mut owner = with_postgres(&["sh", "-c", "echo $PGHOST; echo $DATABASE_URL; read end"]);
    let stdout = BufReader::new(owner.stdout.take().unwrap());
    let lines: Vec<String> = stdout.lines().take(2).map(Result::unwrap).collect();
    let place = Place { dir: Path::new(&lines[0]).parent().unwrap().to_owned(), durable: false, _temporary: None };
    let orphan = postmaster(&place.dir);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(ask(&lines[1], "create table kept as select 7 as n").unwrap(), [""; 0]);

    let cluster = place.open();
    assert_ne!(postmaster(&place.dir), orphan);
    assert_eq!(ask(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
    cluster.stop().unwrap();
    fs::remove_dir_all(&place.dir).unwrap();
}

#[test]
fn a_stale_pid_file_with_the_number_of_a_stranger_harms_neither() {
    let place = Place::new();
    place.open().stop().unwrap();
    // Postgres already sees through a stranger of another account.
    let account = fs::metadata(&place.dir).unwrap().uid();
    let mut stranger = Command::new("sleep").arg("60").stdout(Stdio::null()).uid(account).spawn().unwrap();
    let stale = format!("{}\n{}\n", stranger.id(), place.dir.join("data").display());
    fs::write(place.dir.join("data/postmaster.pid"), stale).unwrap();
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger was ended");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_cluster_whose_making_was_cut_short_is_made_anew() {
    let place = Place::new();
    fs::create_dir_all(place.dir.join("data.new/base")).unwrap();
    fs::write(place.dir.join("data.new/PG_VERSION"), "15").unwrap();
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
}

#[test]
fn a_directory_too_deep_for_a_socket_has_it_elsewhere_in_private() {
    let place = Place::below(&"deep/".repeat(30));
    let cluster = place.open();
    assert_eq!(ask(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    let socket = cluster.socket_dir().to_owned();
    assert!(!socket.starts_with(&place.dir));
    let mode = fs::metadata(&socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    cluster.stop().unwrap();
    assert!(!socket.exists());
}

#[test]
fn odd_characters_in_the_directory_do_no_harm() {
    for name in ["it's 100% \\ {a} $HOME `b`;?&#=", "a,\"list\""] {
        let place = Place::below(name);
        let cluster = place.open();
        assert_eq!(ask(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    }
}

#[test]
fn a_postgres_that_was_killed_is_started_again() {
    let place = Place::new();
    let mut cluster = place.open();
    assert!(!cluster.revive().unwrap());
    let killed = postmaster(&place.dir);
    kill_process(killed, Signal::KILL).unwrap();
    while !cluster.revive().unwrap() {}
    assert_ne!(postmaster(&place.dir), killed);
    assert!(!cluster.revive().unwrap());
    cluster.stop().unwrap();
}

#[test]
fn a_cluster_of_another_version_is_left_alone_with_the_cure() {
    let place = Place::new();
    place.open().stop().unwrap();
    fs::write(place.dir.join("data/PG_VERSION"), "14\n").unwrap();
    let refusal = Cluster::open(&place.options()).unwrap_err().to_string();
    assert!(refusal.contains("was made by Postgres 14, and only Postgres 1"), "{refusal}");
    assert!(refusal.contains("install Postgres 14"), "{refusal}");
}

#[test]
fn a_command_runs_with_a_postgres_that_is_gone_afterwards() {
    let output = finished(with_postgres(&["sh", "-c", "echo $PGHOST; echo $DATABASE_URL; exit 7"]));
    assert_eq!(output.status.code(), Some(7));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(url_part(lines[1], "?host="), lines[0]);
    assert!(!Path::new(lines[0]).parent().unwrap().exists());
}

#[test]
fn a_terminated_run_ends_its_command_and_leaves_nothing() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut run = with_postgres(&["sh", "-c", "echo $PGHOST; exec sleep 60"]);
        let mut dir = String::new();
        let mut stdout = BufReader::new(run.stdout.take().unwrap());
        stdout.read_line(&mut dir).unwrap();
        let dir = Path::new(dir.trim_end()).parent().unwrap().to_owned();
        let postmaster = postmaster(&dir);
        kill_process(Pid::from_child(&run), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(128 + 15));
        assert!(test_kill_process(postmaster).is_err());
        assert!(!dir.exists());
        // The sleeper held the other end of the pipe, so it is gone too.
        assert_eq!(stdout.read_line(&mut String::new()).unwrap(), 0);
    }
}

#[test]
fn without_postgres_the_cure_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_with-postgres"));
    let output = command.env("TRADEBAHI_PG_BIN", "/nowhere").arg("true").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("TRADEBAHI_PG_BIN is /nowhere, where no Postgres 15 to 18 runs"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// A directory for one test's cluster.
struct Place {
    dir: PathBuf,
    durable: bool,
    _temporary: Option<TempDir>,
}

impl Place {
    fn new() -> Self {
        Self::below("cluster")
    }

    fn durable() -> Self {
        Self { durable: true, ..Self::new() }
    }

    fn below(name: &str) -> Self {
        let temporary = tempfile::Builder::new().permissions(Permissions::from_mode(0o711)).tempdir_in("/tmp").unwrap();
        Self { dir: temporary.path().canonicalize().unwrap().join(name), durable: false, _temporary: Some(temporary) }
    }

    fn options(&self) -> Options {
        Options { dir: self.dir.clone(), durable: self.durable, web_dir: WEB_DIR.into() }
    }

    fn open(&self) -> Cluster {
        let cluster = Cluster::open(&self.options()).unwrap();
        assert_eq!(cluster.dir(), self.dir);
        cluster
    }
}

/// The number of the postmaster that runs in `dir`.
fn postmaster(dir: &Path) -> Pid {
    let text = fs::read_to_string(dir.join("data/postmaster.pid")).unwrap();
    Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
}

fn with_postgres(command: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_with-postgres"))
        .args(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finished(child: Child) -> Output {
    child.wait_with_output().unwrap()
}
