//! The command `tradebahi import --mailbox` on the database of a running server.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::Method;
use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, PgPool};

use crate::app::{App, Trader, Upload};
use crate::broker_files::{Fill, zerodha_csv, zerodha_xlsx};
use crate::hostile_files::hostile_files;
use crate::pdf_fixtures::contract_notes::{self, Layout, Note, note, note_with_contracts};
use crate::pdf_fixtures::documents::{self, Encryption, Text};

const PAN: &str = "ABCDE1234F";

/// Result of the command.
struct Outcome {
    code: i32,
    report: Value,
    errors: String,
}

impl Outcome {
    /// Returns how many files were imported, known, undone, to review, not notes, and failed.
    fn counts(&self) -> [usize; 6] {
        let number = |name: &str| usize::try_from(self.report[name].as_u64().unwrap()).unwrap();
        let length = |name: &str| self.report[name].as_array().unwrap().len();
        [
            number("imported"),
            number("alreadyKnown"),
            number("undone"),
            length("needsReview"),
            length("notContractNotes"),
            length("failed"),
        ]
    }

    /// Returns the reason for the file, or the email, `name`.
    fn reason(&self, name: &str) -> &str {
        let lists = ["needsReview", "notContractNotes", "failed"];
        let mut files = lists.iter().flat_map(|list| self.report[list].as_array().unwrap());
        let file = files.find(|file| file["file"] == name || file["email"] == name);
        file.unwrap_or_else(|| panic!("{name} in {:#}", self.report))["reason"].as_str().unwrap()
    }
}

/// Runs the command for `login` with JSON output.
fn run_command(pool: &PgPool, login: &str, mailbox: &Path, pan: Option<&str>, arguments: &[&str]) -> Outcome {
    let url = pool.connect_options().to_url_lossy();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradebahi"));
    command.args(["import", "--json", "--email", login, "--database-url", url.as_str(), "--mailbox"]).arg(mailbox);
    command.args(arguments).env_clear().envs(pan.map(|pan| ("TRADEBAHI_PAN", pan))).stdin(Stdio::null());
    let output = command.output().unwrap();
    let (report, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(pan.is_none_or(|pan| !report.contains(pan) && !errors.contains(pan)), "the PAN is shown");
    Outcome { code: output.status.code().unwrap(), report: serde_json::from_str(&report).unwrap_or_default(), errors }
}

/// Returns an email with a text and files.
fn email(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut email = "From: no-reply@broker.example\r\nDate: Fri, 05 Jun 2026 20:15:00 +0530\r\nMIME-Version: 1.0\r\n\
                     Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nDear customer\r\n"
        .to_owned();
    for (name, content) in files {
        email += &format!(
            "--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            BASE64.encode(content)
        );
    }
    (email + "--b--\r\n").into_bytes()
}

fn write(mailbox: &Path, path: &str, content: &[u8]) {
    let path = mailbox.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns a note as a PDF document that the PAN opens.
fn encrypted(note: &Note) -> Vec<u8> {
    let document = contract_notes::document(std::slice::from_ref(note));
    documents::save_encrypted(document, Encryption::Aes256Revision6, PAN)
}

fn pdf_without_note() -> Vec<u8> {
    let text = Text { x: 50.0, y: 500.0, is_right: false, text: "Menu of the day".to_owned() };
    documents::save(documents::document(&[vec![text]], 8.0))
}

/// Returns the trades and the changes of the log.
async fn read_log(trader: &Trader<'_>) -> (Vec<Value>, Vec<Value>) {
    let list = |reply: Value, name: &str| reply[name].as_array().unwrap().clone();
    let trades = list(trader.get("/trades/client").await.json(), "trades");
    (trades, list(trader.get("/trades/changes").await.json(), "changes"))
}

/// Returns the content and the modification time of each file.
fn snapshot(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(snapshot(&path));
        } else {
            let modified = path.metadata().unwrap().modified().unwrap();
            files.insert(path.display().to_string(), (fs::read(&path).unwrap(), modified));
        }
    }
    files
}

#[sqlx::test(migrations = "../../migrations")]
async fn imports_the_notes_of_a_maildir_once_and_does_not_change_it(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let groww = encrypted(&note(Layout::Groww, 7, "05-06-2026", 12));
    let upstox = encrypted(&note(Layout::Upstox, 8, "05-06-2026", 12));
    let zerodha = encrypted(&note_with_contracts(Layout::Zerodha, 9, "05-06-2026", 12));
    write(folder.path(), "cur/1.a.host:2,S", &email(&[("groww.pdf", &groww), ("logo.png", b"\x89PNG")]));
    let forwarded = [b"Content-Type: message/rfc822\r\n\r\n".to_vec(), email(&[("upstox.pdf", &upstox)])].concat();
    write(folder.path(), ".Broker/new/2.a.host", &forwarded);
    write(folder.path(), "new/3.a.host", &email(&[("zerodha.pdf", &zerodha), ("menu.pdf", &pdf_without_note())]));
    let before = snapshot(folder.path());
    let run = |arguments: &[&str]| {
        let arguments = [&["--accept-new-codes"], arguments].concat();
        run_command(&pool, &trader.email, folder.path(), Some(PAN), &arguments)
    };

    let dry = run(&["--dry-run"]);
    assert_eq!((dry.code, dry.counts()), (1, [2, 0, 0, 1, 1, 0]), "{:#}", dry.report);
    assert_eq!(read_log(&trader).await, (vec![], vec![]));

    let first = run(&[]);
    assert_eq!((first.code, first.counts()), (1, [2, 0, 0, 1, 1, 0]), "{:#}", first.report);
    assert_eq!((&first.report["emailsRead"], &first.report["trades"]), (&json!(3), &dry.report["trades"]));
    assert!(first.reason("zerodha.pdf").starts_with("New layout: "), "{:#}", first.report);
    assert!(first.reason("menu.pdf").starts_with("This PDF is not a supported contract note."));
    assert_eq!(first.report["needsReview"][0]["date"], "2026-06-05");
    assert!(first.errors.contains("1 file or email was not imported"), "{}", first.errors);
    let (trades, changes) = read_log(&trader).await;
    assert_eq!((&json!(trades.len()), changes.len()), (&first.report["trades"], 2));

    let second = run(&["--accept-new-layouts"]);
    assert_eq!((second.code, second.counts()), (0, [1, 2, 0, 0, 1, 0]), "{:#}", second.report);
    assert_eq!(second.report["trades"], 15);
    let log = read_log(&trader).await;
    let names: Vec<_> = log.1.iter().map(|change| change["import"]["fileName"].as_str().unwrap()).collect();
    assert_eq!(names[..2], ["zerodha.pdf", "zerodha.pdf (Future & Option)"]);

    let third = run(&["--accept-new-layouts"]);
    assert_eq!((third.code, third.counts()), (0, [0, 3, 0, 0, 1, 0]), "{:#}", third.report);
    assert_eq!(read_log(&trader).await, log);
    assert_eq!(snapshot(folder.path()), before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn imports_an_encrypted_note_with_the_pan_only(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "new/1.a.host", &email(&[("a.pdf", &encrypted(&note(Layout::Groww, 7, "05-06-2026", 12)))]));
    let run = |pan| run_command(&pool, &trader.email, folder.path(), pan, &["--accept-new-codes"]);
    for (pan, reason) in
        [(None, "Set TRADEBAHI_PAN, or run the command in a terminal."), (Some("ABCDE1234G"), "Check TRADEBAHI_PAN.")]
    {
        let outcome = run(pan);
        assert_eq!((outcome.code, outcome.counts()), (1, [0, 0, 0, 0, 0, 1]), "{:#}", outcome.report);
        assert!(outcome.reason("a.pdf").contains(reason), "{:#}", outcome.report);
    }
    assert_eq!(read_log(&trader).await, (vec![], vec![]));
    let outcome = run(Some("abcde1234f"));
    assert_eq!((outcome.code, outcome.counts()), (0, [1, 0, 0, 0, 0, 0]), "{:#}", outcome.report);
}

#[sqlx::test(migrations = "../../migrations")]
async fn reports_hostile_emails_and_imports_the_rest(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let good = contract_notes::file(&note(Layout::Groww, 7, "05-06-2026", 12));
    let (_, bomb, _) = hostile_files().into_iter().find(|(name, ..)| *name == "a zip bomb").unwrap();
    write(outside.path(), "1.a.host", &email(&[("outside.pdf", &good)]));
    write(folder.path(), "cur/1.a.host", &email(&[("broken.pdf", b"not a document")]));
    write(folder.path(), "cur/2.a.host", &email(&[("cut.pdf", &good[..good.len() / 2])]));
    write(folder.path(), "cur/3.a.host", &email(&[("bomb.xlsx", &bomb)]));
    let no_boundary = b"Subject: a\r\nContent-Type: multipart/mixed\r\n\r\n--b\r\n\r\ntext\r\n--b--\r\n";
    write(folder.path(), "cur/4.a.host", no_boundary);
    write(folder.path(), "cur/5.a.host", "Content-Type: message/rfc822\r\n\r\n".repeat(900_000).as_bytes());
    write(folder.path(), "cur/6.a.host", b"");
    write(folder.path(), "cur/7.a.host", b"");
    File::options().write(true).open(folder.path().join("cur/7.a.host")).unwrap().set_len(40 << 20).unwrap();
    symlink(outside.path().join("1.a.host"), folder.path().join("cur/8.a.host")).unwrap();
    symlink(outside.path(), folder.path().join(".Linked")).unwrap();
    let header = format!("X-Long: {}\r\n", "x".repeat(20 << 20)).into_bytes();
    write(folder.path(), "cur/9.a.host", &[header, email(&[("good.pdf", &good)])].concat());
    let last_day = String::from_utf8(email(&[("last day.pdf", b"not a document")])).unwrap();
    let last_day = last_day.replace("Fri, 05 Jun 2026 20:15:00 +0530", "Fri, 31 Dec 9999 23:00:00 +0000");
    write(folder.path(), "cur/10.a.host", last_day.as_bytes());

    let outcome = run_command(&pool, &trader.email, folder.path(), None, &["--accept-new-codes"]);
    assert_eq!((outcome.code, outcome.counts()), (1, [1, 0, 0, 0, 0, 9]), "{:#}", outcome.report);
    assert_eq!(outcome.report["emailsRead"], 10);
    for (name, reason) in [
        ("broken.pdf", "The attachment is damaged"),
        ("last day.pdf", "The attachment is damaged"),
        ("cut.pdf", "This PDF is damaged."),
        ("bomb.xlsx", "The file cannot be read"),
        ("cur/4.a.host", "A part of the email cannot be read"),
        ("cur/5.a.host", "This is not an email, or it is damaged."),
        ("cur/6.a.host", "This is not an email"),
        ("cur/7.a.host", "The email is larger than 30 MB."),
        ("cur/8.a.host", "A symbolic link is not followed."),
    ] {
        assert!(outcome.reason(name).starts_with(reason), "{name}: {}", outcome.reason(name));
    }
    assert_eq!(read_log(&trader).await.1[0]["import"]["fileName"], "good.pdf");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_client_code_that_no_account_has_needs_a_review_unless_it_is_accepted(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let first = contract_notes::file(&note(Layout::Groww, 7, "05-06-2026", 12));
    let second = contract_notes::file(&note(Layout::Groww, 8, "08-06-2026", 12));
    let tradebook = zerodha_csv(&[Fill::nth(0)]);
    write(folder.path(), "new/1.a.host", &email(&[("a.pdf", &first)]));
    write(folder.path(), "new/2.a.host", &email(&[("b.csv", &tradebook)]));
    let run = |arguments: &[&str]| run_command(&pool, &trader.email, folder.path(), None, arguments);
    for arguments in [&["--dry-run"][..], &[]] {
        let outcome = run(arguments);
        assert_eq!((outcome.code, outcome.counts()), (1, [0, 0, 0, 2, 0, 0]), "{:#}", outcome.report);
        assert!(outcome.reason("a.pdf").starts_with("New client code "), "{}", outcome.reason("a.pdf"));
        assert!(outcome.reason("b.csv").starts_with("The file states no client code."));
    }
    assert_eq!(read_log(&trader).await, (vec![], vec![]));

    let outcome = run(&["--accept-new-codes"]);
    assert_eq!((outcome.code, outcome.counts()), (0, [2, 0, 0, 0, 0, 0]), "{:#}", outcome.report);
    let expected = json!({
        "file": "a.pdf", "date": "2026-06-05", "email": "new/1.a.host", "from": "no-reply@broker.example", "trades": 9,
        "signature": { "state": "unsigned", "count": 0, "signedAt": null },
    });
    assert_eq!(outcome.report["importedFiles"][0], expected);
    // The account has the code now.
    write(folder.path(), "new/3.a.host", &email(&[("c.pdf", &second)]));
    let outcome = run(&[]);
    assert_eq!((outcome.code, outcome.counts()), (0, [1, 2, 0, 0, 0, 0]), "{:#}", outcome.report);
}

const SIGNED_NOTE: &[u8] = include_bytes!("../../../import/src/tests/fixtures/pdf/zerodha-contract-note-signed.pdf");

#[sqlx::test(migrations = "../../migrations")]
async fn a_signed_note_is_imported_unless_it_was_changed_or_extended(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let mut changed = SIGNED_NOTE.to_vec();
    changed[10] ^= 1;
    let extended = [SIGNED_NOTE, b"%"].concat();
    write(folder.path(), "new/1.a.host", &email(&[("changed.pdf", &changed), ("extended.pdf", &extended)]));
    let run =
        || run_command(&pool, &trader.email, folder.path(), Some(PAN), &["--accept-new-codes", "--accept-new-layouts"]);

    let outcome = run();
    assert_eq!((outcome.code, outcome.counts()), (1, [0, 0, 0, 1, 0, 1]), "{:#}", outcome.report);
    assert!(outcome.reason("changed.pdf").starts_with("The document was changed after it was signed"));
    assert!(outcome.reason("extended.pdf").starts_with("Something was added to the document after it was signed."));
    assert_eq!(read_log(&trader).await, (vec![], vec![]));

    write(folder.path(), "new/2.a.host", &email(&[("signed.pdf", SIGNED_NOTE)]));
    let outcome = run();
    assert_eq!(outcome.counts()[0], 1, "{:#}", outcome.report);
    let signature = &outcome.report["importedFiles"][0]["signature"];
    let facts = ["state", "organisation", "issuerOrganisation", "signedAt"].map(|name| &signature[name]);
    assert_eq!(
        facts,
        ["unchanged", "Example Broking Limited", "Example Certifying Authority", "2026-06-05T13:00:00Z"]
            .map(Value::from)
            .each_ref()
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn reads_only_emails_of_the_domains(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    for (number, sender) in
        ["no-reply@broker.example", "a@mail.broker.example", "a@notbroker.example"].into_iter().enumerate()
    {
        let file = contract_notes::file(&note(Layout::Groww, number as u32 + 1, "05-06-2026", 12));
        let raw = String::from_utf8(email(&[(&format!("{number}.pdf"), &file)])).unwrap();
        let raw = raw.replace("no-reply@broker.example", sender);
        write(folder.path(), &format!("new/{number}.a.host"), raw.as_bytes());
    }
    let run = |domains| {
        let arguments = ["--accept-new-codes", "--from", domains];
        run_command(&pool, &trader.email, folder.path(), None, &arguments)
    };
    for (domains, imported, already_known, skipped) in [
        ("other.example", 0, 0, 3),
        ("other.example,Broker.example", 2, 0, 1),
        ("broker.example,notbroker.example", 1, 2, 0),
    ] {
        let outcome = run(domains);
        assert_eq!(
            (outcome.code, outcome.counts()),
            (0, [imported, already_known, 0, 0, 0, 0]),
            "{:#}",
            outcome.report
        );
        assert_eq!((&outcome.report["emailsRead"], &outcome.report["otherSenders"]), (&json!(3), &json!(skipped)));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn leaves_a_new_client_code_and_an_undone_import_to_the_trader(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let mbox = folder.path().join("notes.mbox");
    let first = contract_notes::file(&note(Layout::Groww, 7, "05-06-2026", 12));
    let of_another = Note { client_code: "ZX9876".to_owned(), ..note(Layout::Groww, 8, "08-06-2026", 12) };
    let of_another = contract_notes::file(&of_another);
    let tradebook = zerodha_xlsx(&[Fill::nth(0)]);
    let with_sentence = String::from_utf8(email(&[("a.pdf", &first)])).unwrap();
    let sentence = "Dear customer\r\n\r\nFrom 09:15 to 15:30 on 5 June 2026 at NSE.\r\n";
    let emails = [
        with_sentence.replace("Dear customer\r\n", sentence).into_bytes(),
        email(&[("b.pdf", &of_another)]),
        email(&[("copy of a.pdf", &first), ("c.xlsx", &tradebook)]),
    ];
    let separator: &[u8] = b"From no-reply@broker.example Fri Jun 05 20:15:00 2026\r\n";
    fs::write(&mbox, emails.map(|email| [separator, &email, b"\r\n"].concat()).concat()).unwrap();
    let run = || run_command(&pool, &trader.email, &mbox, None, &["--accept-new-codes"]);

    let outcome = run();
    assert_eq!((outcome.code, outcome.counts()), (1, [2, 1, 0, 1, 0, 0]), "{:#}", outcome.report);
    assert!(outcome.reason("b.pdf").starts_with("The client code is not that of a known broker account."));
    assert_eq!(outcome.report["needsReview"][0]["email"], "email 2");
    let log = read_log(&trader).await;
    assert_eq!(run().counts(), [0, 3, 0, 1, 0, 0]);
    assert_eq!(read_log(&trader).await, log);

    let import = log.1.iter().find(|change| change["import"]["fileName"] == "a.pdf").unwrap();
    let path = format!("/trades/changes/{}/undo", import["id"].as_str().unwrap());
    let request = trader.request(Method::POST, &path).header("content-type", "application/json");
    assert_eq!(app.send(request.body(json!({ "newer": 0 }).to_string().into()).unwrap()).await.status, 200);
    assert_eq!(run().counts(), [0, 1, 2, 1, 0, 0]);
    assert_eq!(read_log(&trader).await.0.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn imports_the_segment_that_is_missing(pool: PgPool) {
    let app = App::new(&pool).await;
    // The browser names the second segment of a file after its trade type.
    for (name, imported, imported_as, trades) in [
        ("a.pdf", "fno", "a.pdf (Future & Option)", 12),
        ("a.pdf", "equity", "a.pdf", 3),
        ("a.pdf", "equity", "a.pdf (Equity)", 3),
        ("x (Future & Option)", "equity", "x (Future & Option)", 3),
    ] {
        let trader = app.register_trader().await;
        let folder = tempfile::tempdir().unwrap();
        let file = contract_notes::file(&note_with_contracts(Layout::Zerodha, 9, "05-06-2026", 12));
        write(folder.path(), "new/1.a.host", &email(&[(name, &file)]));
        let upload = Upload {
            fields: vec![("broker", "zerodha"), ("tradetype", imported)],
            ..Upload::new(imported_as, &file, "zerodha")
        };
        assert_eq!(trader.upload(&upload).await.json()["import"]["added"], 15 - trades);
        let run = || run_command(&pool, &trader.email, folder.path(), None, &["--accept-new-layouts"]);
        let outcome = run();
        assert_eq!((outcome.code, outcome.counts()), (0, [1, 0, 0, 0, 0, 0]), "{imported_as}: {:#}", outcome.report);
        assert_eq!(outcome.report["trades"], trades);
        let log = read_log(&trader).await;
        assert_eq!((log.0.len(), log.1.len()), (15, 2));
        assert_eq!(run().counts(), [0, 1, 0, 0, 0, 0]);
        assert_eq!(read_log(&trader).await, log);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn knows_files_with_one_segment_whatever_their_names(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    // The layout of Zerodha brings a warning, so that the file is read again.
    let zerodha = contract_notes::file(&note(Layout::Zerodha, 9, "05-06-2026", 12));
    let groww = contract_notes::file(&note(Layout::Groww, 7, "05-06-2026", 12));
    write(folder.path(), "new/1.a.host", &email(&[("x (Future & Option)", &zerodha), ("y (Future & Option)", &groww)]));
    let run =
        || run_command(&pool, &trader.email, folder.path(), None, &["--accept-new-layouts", "--accept-new-codes"]);
    assert_eq!(run().counts(), [2, 0, 0, 0, 0, 0]);
    let log = read_log(&trader).await;
    assert_eq!(run().counts(), [0, 2, 0, 0, 0, 0]);
    assert_eq!(read_log(&trader).await, log);
}

#[sqlx::test(migrations = "../../migrations")]
async fn needs_a_mailbox_and_an_account(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let folder = tempfile::tempdir().unwrap();
    let run = |login: &str, path: &Path| run_command(&pool, login, path, None, &[]).errors;
    assert!(run(&trader.email, folder.path()).contains("is not a maildir: it has no folder cur or new"));
    write(folder.path(), "file", b"Subject: a\n");
    assert!(run(&trader.email, &folder.path().join("file")).contains("is neither a maildir nor an mbox file"));
    assert!(run(&trader.email, &folder.path().join("missing")).contains("cannot open"));
    write(folder.path(), "new/1.a.host", &email(&[]));
    assert!(run("nobody@example.in", folder.path()).contains("no account has the email address"));
    assert_eq!(run(&trader.email, folder.path()), "");
}

#[test]
fn ctrl_c_at_the_prompt_leaves_the_terminal_with_echo() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "new/1.a.host", &email(&[]));
    let program = env!("CARGO_BIN_EXE_tradebahi");
    let mailbox = folder.path().display();
    // The shell goes on after the command, also after a signal, and shows the state of the terminal.
    let line = format!("trap : INT; '{program}' import --email a@example.in --mailbox '{mailbox}'; stty -a");
    let mut script = Command::new("script");
    script.args(["--quiet", "--command", &line, "/dev/null"]).env_remove("TRADEBAHI_PAN").env("SHELL", "/bin/sh");
    let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keyboard, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut buffer = [0; 1024];
    while !String::from_utf8_lossy(&shown).contains("if they have none): ") {
        let length = screen.read(&mut buffer).unwrap();
        assert!(length > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&buffer[..length]);
    }
    keyboard.write_all(b"secret\x03").unwrap();
    screen.read_to_end(&mut shown).unwrap();
    script.wait().unwrap();
    let shown = String::from_utf8_lossy(&shown);
    assert!(shown.contains("cancelled"), "{shown}");
    for state in [" echo ", "isig "] {
        assert!(shown.contains(state) && !shown.contains(&format!("-{}", state.trim_start())), "{shown}");
    }
    assert!(!shown.contains("secret"), "{shown}");
}
