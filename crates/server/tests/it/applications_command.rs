//! The command `tradebahi applications`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use sqlx::{ConnectOptions as _, PgPool};

use crate::careers::ApplicationForm;
use crate::process::Process;
use crate::resumes::pdf_with_size;

/// Runs the command in `working_dir`, next to a running server.
struct Terminal<'a> {
    pool: &'a PgPool,
    data: &'a Path,
    working_dir: &'a Path,
}

impl Terminal<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        command.args(["applications", "--data-dir"]).arg(self.data).args(arguments).current_dir(self.working_dir);
        command.env("DATABASE_URL", self.pool.connect_options().to_url_lossy().as_str()).output().unwrap()
    }

    /// Runs the command, which must succeed, and returns its output.
    fn run_successfully(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the command, which must fail, and returns its error output.
    fn run_failing(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn apply(server: &Process, name: &str, email: &str, resume: &[u8]) -> String {
    let body = ApplicationForm::new("resume.PDF", resume).with("name", name).with("email", email).form();
    let (status, receipt) =
        server.send_json("POST", "/api/apply/FE101", &[("content-type", ApplicationForm::CONTENT_TYPE)], &body);
    assert_eq!(status, 201, "{receipt:#}");
    receipt["applicationId"].as_str().unwrap().to_owned()
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_command_lists_exports_and_advances_applications(pool: PgPool) {
    let (data, working_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Process::start_with(&pool, data.path(), |command| command);
    let resume = pdf_with_size(600_000);
    let asha = apply(&server, "Asha Rao", "asha@example.in", &resume);
    let formula = apply(&server, "=cmd|'/c calc'!A1", "ravi@example.in", &pdf_with_size(900));
    let terminal = Terminal { pool: &pool, data: data.path(), working_dir: working_dir.path() };

    let table = terminal.run_successfully(&["list"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("NUMBER") && lines[1].starts_with(&formula) && lines[2].starts_with(&asha), "{table}");
    assert_eq!(terminal.run_successfully(&["list", "--search", "ASHA@", "--format", "json"]).lines().count(), 1);
    assert_eq!(terminal.run_successfully(&["list", "--job", "BE101"]).lines().count(), 1, "the header only");
    assert!(lines[0].contains("RECEIVED (IST)"), "{table}");
    let shown: Value = serde_json::from_str(&terminal.run_successfully(&["show", &asha, "--format", "json"])).unwrap();
    assert_eq!((&shown["email"], &shown["step"]), (&"asha@example.in".into(), &"received".into()));
    let details = terminal.run_successfully(&["show", &asha]);
    for line in [
        "Opening:             FE101 Frontend Intern\n",
        "Name:                Asha Rao\n",
        "\nMotivation:\nI like ledgers.",
    ] {
        assert!(details.contains(line), "{line}: {details}");
    }

    let csv = terminal.run_successfully(&["export", "--resumes", "cvs"]);
    assert!(csv.starts_with("\u{feff}number,job,") && csv.contains(",'=cmd|'/c calc'!A1,"), "{csv}");
    assert!(fs::read(working_dir.path().join(format!("cvs/{asha}.pdf"))).unwrap() == resume);
    terminal.run_successfully(&["resume", &asha]);
    let saved = working_dir.path().join(format!("{asha}.pdf"));
    assert!(fs::read(&saved).unwrap() == resume);
    assert_eq!(saved.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(terminal.run_failing(&["resume", &asha]).contains("cannot create"), "existing files are not overwritten");
    assert!(terminal.run(&["resume", &asha, "--out", "-"]).stdout == resume);

    terminal.run_successfully(&["advance", &asha]);
    // [C3]
    let stderr = |arguments: &[&str]| String::from_utf8(terminal.run(arguments).stderr).unwrap();
    let unchanged = stderr(&["advance", &asha, "--to", "initial-discussion"]);
    assert!(unchanged.contains("Nothing changed") && unchanged.contains("No email is sent"), "{unchanged}");
    let note_only = stderr(&["advance", &asha, "--to", "initial-discussion", "--note", "Bring a pen."]);
    assert!(note_only.contains("A running server sends the email."), "{note_only}");
    let replaced = stderr(&["advance", &asha, "--to", "team-round"]);
    assert!(replaced.contains("It replaces the unsent emails about the step before."), "{replaced}");
    terminal.run_successfully(&["advance", &asha, "--to", "initial-discussion"]);
    terminal.run_successfully(&["advance", &asha, "--note", "Bring a laptop."]);
    assert_eq!(terminal.run_successfully(&["list", "--step", "technical-round"]).lines().count(), 2);
    let shown = terminal.run_successfully(&["show", &asha]);
    for line in
        ["initial-discussion  by terminal\n    Bring a pen.\n", "technical-round  by terminal\n    Bring a laptop.\n"]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let shown: Value = serde_json::from_str(&terminal.run_successfully(&["show", &asha, "--format", "json"])).unwrap();
    assert_eq!(shown["steps"][0]["note"], Value::Null);
    assert_eq!(
        (&shown["steps"][1]["step"], &shown["steps"][1]["note"]),
        (&"initial-discussion".into(), &"Bring a pen.".into())
    );
    let skipped = stderr(&["advance", &asha, "--to", "offered"]);
    assert!(skipped.contains("as skipped, not as done: team-round, final-discussion\n"), "{skipped}");
    terminal.run_successfully(&["reject", &formula]);
    assert!(terminal.run_failing(&["advance", &formula]).contains("no step follows rejected"));
    terminal.run_successfully(&["advance", &formula, "--to", "team-round"]);
    assert!(terminal.run_failing(&["show", "TBA-0"]).contains("There is no such application."));
    assert!(terminal.run_failing(&["advance", &asha, "--to", "heaven"]).contains("technical-round"));

    let records: i64 = sqlx::query_scalar(
        "select count(distinct action) from careers.access_log where caller = 'terminal' and application_id = $1",
    )
    .bind(&asha)
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(records, 8, "list, export, read, resume and four steps");
}

#[sqlx::test(migrations = "../../migrations")]
async fn c8_applications_are_found_by_number_phone_and_opening_in_any_case(pool: PgPool) {
    let (data, working_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Process::start_with(&pool, data.path(), |command| command);
    let asha = apply(&server, "Asha Rao", "asha@example.in", &pdf_with_size(900));
    let terminal = Terminal { pool: &pool, data: data.path(), working_dir: working_dir.path() };
    let lower = asha.to_lowercase();
    let shown: Value = serde_json::from_str(&terminal.run_successfully(&["show", &lower, "--format", "json"])).unwrap();
    assert_eq!(shown["number"], asha);
    let mobile = shown["mobile"].as_str().unwrap();
    for search in [lower.as_str(), &lower[4..], mobile, &format!("+91 {} {}", &mobile[..5], &mobile[5..])] {
        assert_eq!(terminal.run_successfully(&["list", "--search", search]).lines().count(), 2, "{search}");
    }
    assert_eq!(terminal.run_successfully(&["list", "--search", "99999999"]).lines().count(), 1);
    assert_eq!(terminal.run_successfully(&["list", "--job", "fe101"]).lines().count(), 2);
    let error = terminal.run_failing(&["list", "--job", "XX101"]);
    assert!(error.contains("no opening XX101") && error.contains("FE101"), "{error}");
    assert!(terminal.run_failing(&["export", "--job", "XX101"]).contains("no opening XX101"));
    let csv = terminal.run_successfully(&["export"]);
    assert!(csv.contains("+05:30"), "{csv}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_list_marks_withdrawn_applications(pool: PgPool) {
    let (data, working_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Process::start_with(&pool, data.path(), |command| command);
    let asha = apply(&server, "Asha Rao", "asha@example.in", &pdf_with_size(900));
    let ravi = apply(&server, "Ravi Nair", "ravi@example.in", &pdf_with_size(900));
    sqlx::query("update careers.application set withdrawn_at = now() where application_id = $1")
        .bind(&asha)
        .execute(&pool)
        .await
        .unwrap();
    let terminal = Terminal { pool: &pool, data: data.path(), working_dir: working_dir.path() };
    assert!(!terminal.run_successfully(&["list"]).contains(&asha));
    let table = terminal.run_successfully(&["list", "--withdrawn"]);
    let row = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(row(&asha).contains("  received (withdrawn)  Asha Rao"), "{table}");
    assert!(row(&ravi).contains("  received              Ravi Nair"), "{table}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn c8_an_export_of_resumes_can_be_repeated_and_accesses_are_listed(pool: PgPool) {
    let (data, working_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Process::start_with(&pool, data.path(), |command| command);
    let resume = pdf_with_size(900);
    let asha = apply(&server, "Asha Rao", "asha@example.in", &resume);
    let terminal = Terminal { pool: &pool, data: data.path(), working_dir: working_dir.path() };
    let file = working_dir.path().join(format!("cvs/{asha}.pdf"));
    terminal.run_successfully(&["export", "--resumes", "cvs"]);
    // An incomplete file is replaced, a complete one is kept, and a new application is added.
    fs::write(&file, b"%PDF").unwrap();
    let ravi = apply(&server, "Ravi Nair", "ravi@example.in", &resume);
    terminal.run_successfully(&["export", "--resumes", "cvs"]);
    assert!(fs::read(&file).unwrap() == resume);
    let changed = file.metadata().unwrap().modified().unwrap();
    terminal.run_successfully(&["export", "--resumes", "cvs"]);
    assert_eq!(file.metadata().unwrap().modified().unwrap(), changed);
    let names: Vec<String> = fs::read_dir(working_dir.path().join("cvs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() == 2 && names.contains(&format!("{ravi}.pdf")), "{names:?}");

    let accesses = terminal.run_successfully(&["accesses", &asha]);
    assert!(accesses.starts_with("TIME (IST)"), "{accesses}");
    assert_eq!(accesses.matches("terminal  export").count(), 3, "{accesses}");
    assert_eq!(accesses.matches("terminal  resume").count(), 2, "{accesses}");
    let newest = terminal.run_successfully(&["accesses", &asha, "--format", "json"]);
    let newest: Value = serde_json::from_str(newest.lines().next().unwrap()).unwrap();
    assert_eq!((&newest["caller"], &newest["action"]), (&"terminal".into(), &"export".into()));
    terminal.run_successfully(&["list"]);
    let accesses = terminal.run_successfully(&["accesses", &asha]);
    assert_eq!(accesses.matches("terminal  list").count(), 1, "{accesses}");
    assert!(terminal.run_failing(&["accesses", "TBA-0"]).contains("There is no such application."));
}

#[test]
fn c4_commands_create_nothing_where_there_is_no_data() {
    let working_dir = tempfile::tempdir().unwrap();
    for arguments in
        [&["applications", "list"][..], &["backup", "backup.zip"], &["service-token", "list"], &["keys", "list"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
        command.args(arguments).args(["--data-dir", "mistyped"]).current_dir(working_dir.path());
        let output = command.env_remove("DATABASE_URL").output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(error.contains("no TradeBahi data in mistyped") && error.contains("--data-dir"), "{error}");
    }
    assert_eq!(fs::read_dir(working_dir.path()).unwrap().count(), 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn c4_a_database_url_with_another_folder_creates_no_folder_of_resumes(pool: PgPool) {
    let working_dir = tempfile::tempdir().unwrap();
    let missing = working_dir.path().join("mistyped");
    let terminal = Terminal { pool: &pool, data: &missing, working_dir: working_dir.path() };
    let error = terminal.run_failing(&["list"]);
    assert!(error.contains("there are no resumes in") && error.contains("--resume-dir"), "{error}");
    assert!(!missing.exists());
}
