//! Tests of the public interface, with the Postgres installed on this machine.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "panics fail the test")]

mod client;

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use pg_cluster::{Cluster, DATABASE, Options};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use crate::client::{query, url_component};

const WEB_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

#[test]
fn accepts_connections_until_stopped() {
    let test_dir = TestDir::new();
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select 'hello'").unwrap(), ["hello"]);
    let unknown = query(&cluster.url("unknown"), "select 1").unwrap_err();
    assert!(unknown.contains("\"unknown\" does not exist"), "{unknown}");

    let (url, pid) = (cluster.url(DATABASE), postmaster_pid(&test_dir.path));
    cluster.stop().unwrap();
    assert!(query(&url, "select 1").is_err());
    assert!(test_kill_process(pid).is_err());
}

#[test]
fn data_survives_a_restart() {
    let test_dir = TestDir::new();
    let cluster = test_dir.open();
    query(&cluster.url(DATABASE), "create table kept as select 7 as n").unwrap();
    cluster.stop().unwrap();
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
}

#[test]
fn only_a_durable_cluster_syncs_its_commits() {
    let test_dir = TestDir::durable();
    let setting =
        |cluster: &Cluster, name: &str| query(&cluster.url(DATABASE), &format!("show {name}")).unwrap().remove(0);
    let durability = ["fsync", "full_page_writes", "synchronous_commit"];
    let durable = test_dir.open();
    assert_eq!(durability.map(|name| setting(&durable, name)), ["on"; 3]);
    assert_eq!(setting(&durable, "data_checksums"), "on");
    assert_eq!(setting(&durable, "max_connections"), "60");
    assert_eq!(setting(&durable, "listen_addresses"), "");
    assert_eq!(setting(&durable, "server_encoding"), "UTF8");
    let locale = "select datcollate || datctype from pg_database where datname = 'tradebahi'";
    assert_eq!(query(&durable.url(DATABASE), locale).unwrap(), ["CC"]);
    let temporary = Cluster::open_temporary(Path::new(WEB_DIR)).unwrap();
    assert_eq!(durability.map(|name| setting(&temporary, name)), ["off"; 3]);
}

#[test]
fn rejects_a_cluster_that_is_in_use() {
    let test_dir = TestDir::new();
    let cluster = test_dir.open();
    let error = Cluster::open(&test_dir.options()).unwrap_err().to_string();
    let expected = format!("is in use by process {}: stop it first", std::process::id());
    assert!(error.contains(&expected), "{error}");
    assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
}

#[test]
fn returns_the_url_only_of_a_running_cluster() {
    let test_dir = TestDir::new();
    assert_eq!(Cluster::running_url(&test_dir.path, DATABASE).unwrap(), None);
    let cluster = test_dir.open();
    let url = Cluster::running_url(&test_dir.path, DATABASE).unwrap().unwrap();
    assert_eq!(url, cluster.url(DATABASE));
    assert_eq!(query(&url, "select 1").unwrap(), ["1"]);
    cluster.stop().unwrap();
    assert_eq!(Cluster::running_url(&test_dir.path, DATABASE).unwrap(), None);
}

#[test]
fn commits_survive_a_killed_postmaster() {
    let test_dir = TestDir::durable();
    let cluster = test_dir.open();
    query(&cluster.url(DATABASE), "create table kept as select 7 as n").unwrap();
    kill_process(postmaster_pid(&test_dir.path), Signal::KILL).unwrap();
    drop(cluster);
    let lock_file = fs::read_to_string(test_dir.path.join("data/postmaster.pid"));
    assert!(lock_file.is_ok(), "Postgres was shut down in order");
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
}

#[test]
fn restarts_a_cluster_whose_owner_was_killed() {
    let mut owner = with_postgres(&["sh", "-c", "echo $PGHOST; echo $DATABASE_URL; read end"]);
    let stdout = BufReader::new(owner.stdout.take().unwrap());
    let lines: Vec<String> = stdout.lines().take(2).map(Result::unwrap).collect();
    let test_dir = TestDir { path: Path::new(&lines[0]).parent().unwrap().to_owned(), durable: false, _temp_dir: None };
    let orphan = postmaster_pid(&test_dir.path);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(query(&lines[1], "create table kept as select 7 as n").unwrap(), [""; 0]);

    let cluster = test_dir.open();
    assert_ne!(postmaster_pid(&test_dir.path), orphan);
    assert_eq!(query(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
    cluster.stop().unwrap();
    fs::remove_dir_all(&test_dir.path).unwrap();
}

#[test]
fn ignores_a_stale_lock_file_with_the_id_of_an_unrelated_process() {
    let test_dir = TestDir::new();
    test_dir.open().stop().unwrap();
    // Postgres itself already ignores processes of other users.
    let user = fs::metadata(&test_dir.path).unwrap().uid();
    let mut unrelated = Command::new("sleep").arg("60").stdout(Stdio::null()).uid(user).spawn().unwrap();
    let stale = format!("{}\n{}\n", unrelated.id(), test_dir.path.join("data").display());
    fs::write(test_dir.path.join("data/postmaster.pid"), stale).unwrap();
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    assert!(unrelated.try_wait().unwrap().is_none(), "the unrelated process was terminated");
    unrelated.kill().unwrap();
    unrelated.wait().unwrap();
}

#[test]
fn recreates_a_cluster_whose_creation_was_aborted() {
    let test_dir = TestDir::new();
    fs::create_dir_all(test_dir.path.join("data.new/base")).unwrap();
    fs::write(test_dir.path.join("data.new/PG_VERSION"), "15").unwrap();
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
}

#[test]
fn uses_a_private_temporary_socket_directory_if_the_path_is_too_long() {
    let test_dir = TestDir::below(&"deep/".repeat(30));
    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    let socket_dir = cluster.socket_dir().to_owned();
    assert!(!socket_dir.starts_with(&test_dir.path));
    let mode = fs::metadata(&socket_dir).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    cluster.stop().unwrap();
    assert!(!socket_dir.exists());
}

#[test]
fn accepts_special_characters_in_the_directory() {
    for name in ["it's 100% \\ {a} $HOME `b`;?&#=", "a,\"list\""] {
        let test_dir = TestDir::below(name);
        let cluster = test_dir.open();
        assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
    }
}

#[test]
fn restarts_a_killed_postgres() {
    let test_dir = TestDir::new();
    let mut cluster = test_dir.open();
    assert!(!cluster.restart_if_exited().unwrap());
    let killed = postmaster_pid(&test_dir.path);
    kill_process(killed, Signal::KILL).unwrap();
    while !cluster.restart_if_exited().unwrap() {}
    assert_ne!(postmaster_pid(&test_dir.path), killed);
    assert!(!cluster.restart_if_exited().unwrap());
    cluster.stop().unwrap();
}

#[test]
fn rejects_a_cluster_of_another_version_with_advice() {
    let test_dir = TestDir::new();
    test_dir.open().stop().unwrap();
    fs::write(test_dir.path.join("data/PG_VERSION"), "14\n").unwrap();
    let error = Cluster::open(&test_dir.options()).unwrap_err().to_string();
    assert!(error.contains("was created by Postgres 14, and only Postgres 1"), "{error}");
    assert!(error.contains("install Postgres 14"), "{error}");
}

#[test]
fn with_postgres_deletes_the_cluster_and_returns_the_exit_code() {
    let output = wait_with_output(with_postgres(&["sh", "-c", "echo $PGHOST; echo $DATABASE_URL; exit 7"]));
    assert_eq!(output.status.code(), Some(7));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(url_component(lines[1], "?host="), lines[0]);
    assert!(!Path::new(lines[0]).parent().unwrap().exists());
}

#[test]
fn with_postgres_terminates_its_command_and_deletes_the_cluster_on_a_signal() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut run = with_postgres(&["sh", "-c", "echo $PGHOST; exec sleep 60"]);
        let mut dir = String::new();
        let mut stdout = BufReader::new(run.stdout.take().unwrap());
        stdout.read_line(&mut dir).unwrap();
        let dir = Path::new(dir.trim_end()).parent().unwrap().to_owned();
        let postmaster = postmaster_pid(&dir);
        kill_process(Pid::from_child(&run), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(128 + 15));
        assert!(test_kill_process(postmaster).is_err());
        assert!(!dir.exists());
        // End of file: `sleep` had the pipe open, so it has exited too.
        assert_eq!(stdout.read_line(&mut String::new()).unwrap(), 0);
    }
}

#[test]
fn with_postgres_without_postgres_fails_with_advice() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_with-postgres"));
    let output = command.env("TRADEBAHI_PG_BIN", "/nowhere").arg("true").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("TRADEBAHI_PG_BIN is /nowhere, which contains no Postgres 15 to 18 that runs"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn s12_a_connection_needs_the_password_that_only_the_owner_can_read() {
    let test_dir = TestDir::new();
    let cluster = test_dir.open();
    let file = fs::metadata(test_dir.password_file()).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert_eq!(file.uid(), fs::metadata(&test_dir.path).unwrap().uid());
    let (url, password) = (cluster.url(DATABASE), cluster.password().to_owned());
    assert!(!format!("{cluster:?}").contains(&password));
    for wrong in ["", ":", ":wrong"] {
        let error = query(&url.replace(&format!(":{password}"), wrong), "select 1").unwrap_err();
        assert!(error.contains("password"), "{error}");
    }
    let stored = "select rolpassword from pg_authid where rolname = 'postgres'";
    assert!(query(&url, stored).unwrap()[0].starts_with("SCRAM-SHA-256$"));
    cluster.stop().unwrap();
    assert_eq!(test_dir.open().password(), password);
}

#[test]
fn s13_a_start_replaces_a_password_that_is_older_than_30_days() {
    let test_dir = TestDir::new();
    let mut passwords = BTreeSet::from([test_dir.open().password().to_owned()]);
    for (days, is_replaced) in [(29, false), (31, true), (1, false)] {
        let modified = SystemTime::now() - Duration::from_hours(24 * days);
        File::options().write(true).open(test_dir.password_file()).unwrap().set_modified(modified).unwrap();
        let cluster = test_dir.open();
        assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
        assert_eq!(passwords.insert(cluster.password().to_owned()), is_replaced, "{days} days");
        cluster.stop().unwrap();
    }
}

#[test]
fn s12_a_cluster_of_an_earlier_version_gets_a_password_and_keeps_its_data() {
    let test_dir = TestDir::durable();
    let cluster = test_dir.open();
    query(&cluster.url(DATABASE), "create table kept as select 7 as n").unwrap();
    query(&cluster.url(DATABASE), "alter role postgres password null").unwrap();
    cluster.stop().unwrap();
    fs::remove_file(test_dir.password_file()).unwrap();
    test_dir.rewrite_rules("scram-sha-256", "trust");

    let cluster = test_dir.open();
    assert_eq!(query(&cluster.url(DATABASE), "select n from kept").unwrap(), ["7"]);
    let without_password = cluster.url(DATABASE).replace(&format!(":{}", cluster.password()), "");
    assert!(query(&without_password, "select 1").is_err());
}

#[test]
fn s12_an_interrupted_upgrade_or_a_lost_password_is_repaired_at_the_next_start() {
    let test_dir = TestDir::new();
    let mut passwords = BTreeSet::from([test_dir.open().password().to_owned()]);
    let interruptions: [fn(&TestDir); 3] = [
        |dir| fs::remove_file(dir.password_file()).unwrap(),
        |dir| fs::rename(dir.password_file(), dir.password_file().with_extension("new")).unwrap(),
        |dir| dir.rewrite_rules("scram-sha-256", "trust"),
    ];
    for interrupt in interruptions {
        interrupt(&test_dir);
        let cluster = test_dir.open();
        assert_eq!(query(&cluster.url(DATABASE), "select 1").unwrap(), ["1"]);
        assert!(passwords.insert(cluster.password().to_owned()));
        assert!(!test_dir.rules().lines().any(|rule| !rule.starts_with('#') && rule.ends_with("trust")));
        cluster.stop().unwrap();
    }
    fs::write(test_dir.password_file(), "damaged").unwrap();
    let error = Cluster::open(&test_dir.options()).unwrap_err().to_string();
    assert!(error.contains("contains no password: delete it"), "{error}");
}

/// Directory of the cluster of one test.
struct TestDir {
    path: PathBuf,
    durable: bool,
    _temp_dir: Option<TempDir>,
}

impl TestDir {
    fn new() -> Self {
        Self::below("cluster")
    }

    fn durable() -> Self {
        Self { durable: true, ..Self::new() }
    }

    fn below(name: &str) -> Self {
        let temp_dir = tempfile::Builder::new().permissions(Permissions::from_mode(0o711)).tempdir_in("/tmp").unwrap();
        Self { path: temp_dir.path().canonicalize().unwrap().join(name), durable: false, _temp_dir: Some(temp_dir) }
    }

    fn options(&self) -> Options {
        Options { dir: self.path.clone(), durable: self.durable, web_dir: WEB_DIR.into() }
    }

    fn open(&self) -> Cluster {
        let cluster = Cluster::open(&self.options()).unwrap();
        assert_eq!(cluster.dir(), self.path);
        cluster
    }

    fn password_file(&self) -> PathBuf {
        self.path.join("password")
    }

    fn rules(&self) -> String {
        fs::read_to_string(self.path.join("data/pg_hba.conf")).unwrap()
    }

    /// Replaces the authentication method of all rules.
    fn rewrite_rules(&self, from: &str, to: &str) {
        fs::write(self.path.join("data/pg_hba.conf"), self.rules().replace(from, to)).unwrap();
    }
}

/// Returns the process id of the postmaster that runs in `dir`.
fn postmaster_pid(dir: &Path) -> Pid {
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

fn wait_with_output(child: Child) -> Output {
    child.wait_with_output().unwrap()
}
