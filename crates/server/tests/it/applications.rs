//! `tradebahi applications`, from a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use sqlx::{ConnectOptions as _, PgPool};

use crate::careers::Applying;
use crate::process::Process;
use crate::resumes::pdf_with_size;

/// A terminal beside the server, in the folder `here`.
struct Terminal<'a> {
    pool: &'a PgPool,
    data: &'a Path,
    here: &'a Path,
}

impl Terminal<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        command.args(["applications", "--data-dir"]).arg(self.data).args(arguments).current_dir(self.here);
        command.env("DATABASE_URL", self.pool.connect_options().to_url_lossy().as_str()).output().unwrap()
    }

    /// What it printed, where it did what it was told.
    fn said(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Why it did not.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn apply(server: &Process, name: &str, email: &str, resume: &[u8]) -> String {
    let body = Applying::new("resume.PDF", resume).with("name", name).with("email", email).form();
    let (status, receipt) = server.json("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE)], &body);
    assert_eq!(status, 201, "{receipt:#}");
    receipt["applicationId"].as_str().unwrap().to_owned()
}

#[sqlx::test(migrations = "../../migrations")]
async fn applications_are_read_and_moved_from_a_terminal(pool: PgPool) {
    let (data, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Process::start_with(&pool, data.path(), |command| command);
    let resume = pdf_with_size(600_000);
    let asha = apply(&server, "Asha Rao", "asha@example.in", &resume);
    let formula = apply(&server, "=cmd|'/c calc'!A1", "ravi@example.in", &pdf_with_size(900));
    let terminal = Terminal { pool: &pool, data: data.path(), here: here.path() };

    let table = terminal.said(&["list"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("NUMBER") && lines[1].starts_with(&formula) && lines[2].starts_with(&asha), "{table}");
    assert_eq!(terminal.said(&["list", "--search", "ASHA@", "--format", "json"]).lines().count(), 1);
    assert_eq!(terminal.said(&["list", "--job", "BE101"]).lines().count(), 1, "the head alone");
    let shown: Value = serde_json::from_str(&terminal.said(&["show", &asha, "--format", "json"])).unwrap();
    assert_eq!((&shown["email"], &shown["step"]), (&"asha@example.in".into(), &"received".into()));
    assert!(terminal.said(&["show", &asha]).contains("I like ledgers."));

    let csv = terminal.said(&["export", "--resumes", "cvs"]);
    assert!(csv.starts_with("\u{feff}number,job,") && csv.contains(",'=cmd|'/c calc'!A1,"), "{csv}");
    assert!(fs::read(here.path().join(format!("cvs/{asha}.pdf"))).unwrap() == resume);
    terminal.said(&["resume", &asha]);
    let saved = here.path().join(format!("{asha}.pdf"));
    assert!(fs::read(&saved).unwrap() == resume);
    assert_eq!(saved.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(terminal.refused(&["resume", &asha]).contains("cannot make"), "no file is written over");
    assert!(terminal.run(&["resume", &asha, "--out", "-"]).stdout == resume);

    terminal.said(&["advance", &asha]);
    terminal.said(&["advance", &asha, "--note", "Bring a laptop."]);
    assert_eq!(terminal.said(&["list", "--step", "technical-round"]).lines().count(), 2);
    terminal.said(&["reject", &formula]);
    assert!(terminal.refused(&["advance", &formula]).contains("nothing follows rejected"));
    terminal.said(&["advance", &formula, "--to", "team-round"]);
    assert!(terminal.refused(&["show", "TBA-0"]).contains("There is no such application."));
    assert!(terminal.refused(&["advance", &asha, "--to", "heaven"]).contains("technical-round"));

    let records: i64 = sqlx::query_scalar(
        "select count(distinct what) from careers.access_record where who = 'terminal' and application_id = $1",
    )
    .bind(&asha)
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(records, 5, "list, read, resume and two steps");
}
