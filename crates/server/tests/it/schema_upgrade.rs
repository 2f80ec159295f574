//! Upgrade of a database of schema version 15, whose tables and columns have other names: by migration, and by a restore
//! of its backup.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use futures_util::TryStreamExt as _;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolCopyExt as _;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::backup::{read_part, run_command};
use crate::broker_files::hex_sha256;
use crate::process;

const OLD_VERSION: i64 = 15;
const RESUME_ID: &str = "01890000-0000-7000-8000-000000000007";
const RESUME: &[u8] = b"%PDF-1.7";

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// Renamed tables and tables with renamed columns: the name of version 15, and the current one.
const RENAMED: &[(&str, &str)] = &[
    ("auth.ended_sign_in", "auth.ended_session"),
    ("auth.failed_login", "auth.failed_login"),
    ("auth.letter", "auth.outbox"),
    ("auth.refresh_token", "auth.refresh_token"),
    ("auth.sign_in", "auth.session"),
    ("auth.ticket", "auth.email_link_token"),
    ("careers.access_record", "careers.access_log"),
    ("careers.answered_request", "careers.idempotent_request"),
    ("careers.application", "careers.application"),
    ("careers.day", "careers.daily_upload_total"),
    ("careers.letter", "careers.email"),
    ("trades.account_journal", "journal.account_journal"),
    ("trades.answered_request", "trades.idempotent_request"),
    ("trades.change", "trades.change"),
    ("trades.deleted_source", "trades.deleted_source_key"),
    ("trades.import", "trades.import"),
    ("trades.journal", "journal.journal"),
    ("trades.journal_entry", "journal.entry"),
    ("trades.journal_tally", "journal.total"),
    ("trades.kept_trade", "trades.undo_copy"),
    ("trades.preview", "trades.preview"),
];

/// Tables that were added since version 15.
const ADDED: &[&str] = &[
    "analytics.brought_forward_loss",
    "analytics.confirmed_strategy",
    "analytics.tax_entry",
    "auth.passkey",
    "auth.phone_code",
    "auth.recovery_code",
    "auth.second_factor_challenge",
    "auth.tax_link",
    "auth.tax_link_use",
    "auth.totp",
    "auth.trusted_device",
    "careers.daily_recipient_total",
    "careers.step_history",
    "journal.account",
    "journal.account_entry",
    "journal.change",
    "journal.playbook",
    "journal.screenshot",
    "journal.template",
    "trades.broker_account",
    "trades.brokerage_price",
    "trades.column_mapping",
    "trades.contract_note",
    "trades.ledger",
    "trades.ledger_entry",
];

/// Tables that a restore clears or changes.
const CHANGED_BY_RESTORE: &[&str] = &[
    "auth.email_link_token",
    "auth.ended_session",
    "auth.outbox",
    "auth.phone_code",
    "auth.refresh_token",
    "auth.second_factor_challenge",
    "auth.session",
    "auth.signing_key",
    "auth.tax_link",
    "auth.trusted_device",
    "careers.email",
];

/// Inserts a row into each table of [`RENAMED`].
const INSERT_ROWS: &str = "
    insert into auth.sign_in (account_id, sign_in_id, user_agent, address, expires_at, refreshed_with)
    values (gen_random_uuid(), gen_random_uuid(), 'Firefox', '192.0.2.7', now(), '\\x01');
    insert into auth.ended_sign_in (sign_in_id) values (gen_random_uuid());
    insert into auth.refresh_token (token_hash, account_id, sign_in_id, expires_at)
    values ('\\x02', gen_random_uuid(), gen_random_uuid(), now());
    insert into auth.ticket (ticket_hash, purpose, account_id, expires_at)
    values ('\\x03', 'link-google', gen_random_uuid(), now());
    insert into auth.letter (login, kind, requests) values ('email:asha@example.in', 'confirm-email', 2);
    insert into auth.failed_login (login, network, failures, held_until)
    values ('email:asha@example.in', '192.0.2.0/24', 5, now());
    insert into careers.application (
        application_id, job_id, job_title, name, email, email_key, mobile, college, degree, passing_year, experience,
        motivation, file_name, resume_id, resume_bytes, resume_sha256, kept_until
    )
    values (
        'TBA-1', 'FE101', 'Engineer', 'Asha', 'Asha@example.in', 'asha@example.in', '9820041537', 'IIT', 'BTech', 2020, 1,
        'Why not', 'resume.pdf', '01890000-0000-7000-8000-000000000007', 8, sha256('%PDF-1.7'), now()
    );
    insert into careers.letter (letter_id, application_id, kind, job_title)
    values (gen_random_uuid(), 'TBA-1', 'erased', 'Engineer');
    insert into careers.answered_request (job_id, email_key, idempotency_key, request_sha256, application_id)
    values ('FE101', 'asha@example.in', 'key', '\\x04', 'TBA-1');
    insert into careers.day (day, resume_bytes) values ('2026-11-23', 8);
    insert into careers.access_record (application_id, record_id, who, what)
    values ('TBA-1', gen_random_uuid(), 'terminal', 'list');
    insert into trades.answered_request (account_id, rpc, idempotency_key, request_sha256, change_id, added, removed)
    values (gen_random_uuid(), 'add', 'key', '\\x05', 1, 1, 0);
    insert into trades.change (account_id, change_id, broker, segment, kind, kept, touched, removed_count)
    values (gen_random_uuid(), 1, 'zerodha', 'equity', 'edit', true, '{[3,5)}', 2);
    insert into trades.kept_trade (
        account_id, change_id, trade_id, broker, segment, side, symbol, quantity, price, value, executed_at,
        time_precision, exchange, edited
    )
    values (gen_random_uuid(), 1, 3, 'zerodha', 'equity', 'buy', 'INFY', 10, 1500, 15000, now(), 'day', 'NSE', false);
    insert into trades.deleted_source (account_id, source_key, broker, segment, change_id)
    values (gen_random_uuid(), 'key', 'zerodha', 'equity', 1);
    insert into trades.import (
        account_id, import_id, broker, segment, format, file_name, file_sha256, added, duplicates, problems
    )
    values (gen_random_uuid(), 1, 'zerodha', 'equity', 'tradebook', 'tradebook.csv', '\\x06', 1, 0, 4);
    insert into trades.preview (
        account_id, preview_id, broker, segment, format, file_name, file_sha256, trades, findings, rows, problems,
        warnings, reading_ms, state, shown, shown_version
    )
    values (
        gen_random_uuid(), gen_random_uuid(), 'zerodha', 'equity', 'tradebook', 'tradebook.csv', '\\x06', 1, '\\x07', 1, 2,
        3, 4, 'state', '\\x08', 5
    );
    insert into trades.journal (journal_id, entry_count) values (gen_random_uuid(), 1);
    insert into trades.account_journal (account_id, journal_id) values (gen_random_uuid(), gen_random_uuid());
    insert into trades.journal_tally (journal_id, kind, entries, wins, pnl) values (gen_random_uuid(), 'equity', 1, 1, 5);
    insert into trades.journal_entry (
        journal_id, entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at, sold_at
    )
    values (gen_random_uuid(), 1, 'equity', 'INFY', 10, 1500, 1505, 1510, 1490, now(), now());
";

/// Returns every table as CSV, by name.
async fn copy_tables(pool: &PgPool) -> BTreeMap<String, Vec<u8>> {
    let names = "select schemaname || '.' || tablename from pg_tables
                 where schemaname in ('analytics', 'auth', 'careers', 'journal', 'trades')";
    let mut tables = BTreeMap::new();
    for table in sqlx::query_scalar::<_, String>(names).fetch_all(pool).await.unwrap() {
        let rows = pool.copy_out_raw(&format!("copy {table} to stdout with (format csv, header)")).await.unwrap();
        tables.insert(table, rows.try_collect::<Vec<_>>().await.unwrap().concat());
    }
    tables
}

/// Returns the rows without the column names.
fn rows(csv: &[u8]) -> String {
    let text = String::from_utf8(csv.to_vec()).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

/// Writes a backup as the program of version 15 did.
fn write_old_backup(path: &Path, tables: &BTreeMap<String, Vec<u8>>) {
    let mut entries: Vec<(String, &[u8])> =
        tables.iter().map(|(table, csv)| (format!("{table}.csv"), csv.as_slice())).collect();
    entries.push((format!("resumes/{RESUME_ID}"), RESUME));
    let parts: Vec<Value> = entries
        .iter()
        .map(|(name, bytes)| json!({ "name": name, "bytes": bytes.len(), "sha256": hex_sha256(bytes) }))
        .collect();
    let manifest = json!({
        "version": "0.1.0", "schema": OLD_VERSION, "taken_at": "2026-11-23T00:00:00Z", "parts": parts, "lost_resumes": [],
    });
    let manifest = manifest.to_string();
    entries.push(("manifest.json".to_owned(), manifest.as_bytes()));
    let mut writer = ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in entries {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

#[sqlx::test(migrations = false)]
async fn an_older_database_keeps_its_rows_when_it_is_migrated_or_restored(pool: PgPool) {
    MIGRATIONS.run_to(OLD_VERSION, &pool).await.unwrap();
    sqlx::raw_sql(INSERT_ROWS).execute(&pool).await.unwrap();
    let old = copy_tables(&pool).await;
    MIGRATIONS.run(&pool).await.unwrap();
    let new = copy_tables(&pool).await;
    assert_eq!(old.len() + ADDED.len(), new.len());
    for (old_name, new_name) in RENAMED {
        let expected = rows(&old[*old_name]).replace(",erased,", ",deleted,").replace(",list,", ",list or export,");
        assert_eq!(expected.lines().count(), 1, "{new_name}");
        // Columns that were added since are null, except auction of trades.undo_copy and receipt_queued of
        // careers.idempotent_request, which are the last ones.
        let added_value = match *new_name {
            "trades.undo_copy" => "f",
            "careers.idempotent_request" => "t",
            _ => "",
        };
        let migrated = rows(&new[*new_name]);
        let added = migrated.trim_end().strip_prefix(expected.trim_end());
        assert!(
            added.is_some_and(|rest| rest.trim_start_matches(',') == added_value),
            "{new_name}: {migrated}{expected}"
        );
    }

    let folder = process::create_data_folder();
    let [file, restored, second_backup] = ["old.zip", "restored", "new.zip"].map(|name| folder.path().join(name));
    write_old_backup(&file, &old);
    let (succeeded, stderr) = run_command("restore", &restored, &file);
    assert!(succeeded && stderr.contains("and 1 files"), "{stderr}");
    let (succeeded, stderr) = run_command("backup", &restored, &second_backup);
    assert!(succeeded, "{stderr}");
    for (table, csv) in new.iter().filter(|(table, _)| !CHANGED_BY_RESTORE.contains(&table.as_str())) {
        assert_eq!(read_part(&second_backup, &format!("{table}.csv")).as_bytes(), csv, "{table}");
    }
    assert_eq!(fs::read(restored.join("resumes").join(RESUME_ID)).unwrap(), RESUME);
}

/// Old words in the names of indexes and constraints would mislead whoever reads an error of the database.
#[sqlx::test(migrations = "../../migrations")]
async fn indexes_and_constraints_begin_with_the_name_of_their_table(pool: PgPool) {
    let names = "
        select relname::text || '.' || name from (
            select indrelid as table_id, indexrelid::regclass::text as name from pg_index
            union all
            select conrelid, conname from pg_constraint where contype in ('c', 'p', 'u')
        ) named join pg_class on pg_class.oid = table_id join pg_namespace on pg_namespace.oid = relnamespace
        where nspname in ('analytics', 'auth', 'careers', 'journal', 'trades')
          and not starts_with(regexp_replace(name, '^[a-z]+[.]', ''), relname)";
    let names: Vec<String> = sqlx::query_scalar(names).fetch_all(&pool).await.unwrap();
    assert_eq!(names, Vec::<String>::new());
}
