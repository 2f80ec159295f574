//! Responses of the service, and what it sends to the trade log.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use import::Settings;
use rpc::authorization;
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{
    ImportFileRequest, ImportOptions, MapColumnsOptions, MapColumnsRequest, MapColumnsResponse, PreviewFileRequest,
    map_columns_request, preview_file_request,
};
use rpc::trades::v1::{Broker, ColumnField, ColumnMapping, Exchange, MappedColumn, Preview, Segment, SignatureState};
use sha2::{Digest, Sha256};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::fake_trade_log::FakeTradeLog;
use super::fixtures::{fno_tradebook, orders, text, tradebook, tradebook_csv, xlsx};
use super::{CHUNK_BYTES, ImportService, PARSER, SHORT_TIME, book, chunks, equity, options, reason, script};

/// Returns a tradebook with `rows` rows.
pub fn tradebook_with_rows(rows: usize) -> Vec<u8> {
    let mut file = tradebook_csv().lines().next().unwrap().to_owned();
    for row in 0..rows {
        let line =
            format!("\nITC,INE154A01025,2025-06-06,NSE,EQ,EQ,buy,false,1,430.05,{},{row},2025-06-06T10:00:00", row + 1);
        file.push_str(&line);
    }
    file.into_bytes()
}

#[tokio::test]
async fn sends_a_tradebook_to_the_trade_log_with_its_head_and_end() {
    let service = ImportService::new();
    let file = xlsx(&[tradebook()]);
    let response = service.import(equity(), &file).await.unwrap();
    assert_eq!((response.format.as_str(), response.rows, response.error_count), ("zerodha-tradebook", 5, 0));
    assert_eq!(response.book, Some(book(Broker::Zerodha, Segment::Equity)));
    assert_eq!(response.result.unwrap().added, 5);
    let import = service.trade_log.stored();
    assert_eq!((import.batches, import.trades), (1, 5));
    assert_eq!(import.authorization, "Bearer token");
    assert_eq!(import.head.file_name, "report.xlsx");
    assert_eq!(import.head.file_sha256, Sha256::digest(&file).to_vec());
    assert_eq!(import.head.format, "zerodha-tradebook");
}

async fn preview(service: &ImportService, options: ImportOptions, file: &[u8]) -> Result<Preview, Status> {
    let options = preview_file_request::Part::Options(options);
    let chunks = file.chunks(CHUNK_BYTES).map(|chunk| preview_file_request::Part::Chunk(chunk.to_vec()));
    let parts: Vec<_> = std::iter::once(options).chain(chunks).collect();
    let messages = parts.into_iter().map(|part| PreviewFileRequest { part: Some(part) });
    let mut request = Request::new(tokio_stream::iter(messages));
    request.metadata_mut().insert("authorization", "Bearer token".parse().unwrap());
    Ok(service.client.clone().preview_file(request).await?.into_inner().preview.unwrap())
}

#[tokio::test]
async fn a_preview_sends_the_same_as_an_import() {
    let service = ImportService::new();
    let file = tradebook_with_rows(2_001);
    let options = ImportOptions { idempotency_key: "ignored in a preview".to_owned(), ..equity() };
    let response = preview(&service, options, &file).await.unwrap();
    assert_eq!((response.id.as_str(), response.added), ("recorded", 2_001));
    let previewed = service.trade_log.stored();
    service.import(equity(), &file).await.unwrap();
    let [_, imported] = &service.trade_log.recorded()[..] else { panic!("expected a preview and an import") };
    assert_eq!(previewed.head, imported.head);
    assert_eq!((previewed.batches, previewed.trades, previewed.end), (imported.batches, imported.trades, imported.end));
    assert_eq!((previewed.issues, &*previewed.authorization), (imported.issues.clone(), "Bearer token"));
    let mismatch = preview(&service, self::options(Broker::Groww, Segment::Equity), &file).await.unwrap_err();
    assert_eq!(reason(&mismatch), "FILE_MISMATCH");
}

const SIGNED_NOTE: &[u8] = include_bytes!("../../src/tests/fixtures/pdf/zerodha-contract-note-signed.pdf");

#[tokio::test]
async fn the_parser_process_verifies_signatures_and_a_changed_note_is_imported_only_with_a_preview() {
    let service = ImportService::new();
    let options = || ImportOptions { password: "ABCDE1234F".to_owned(), ..equity() };
    service.import(options(), SIGNED_NOTE).await.unwrap();
    let signature = service.trade_log.stored().issues.signature.unwrap();
    assert_eq!(signature.state(), SignatureState::Unchanged);
    assert_eq!(signature.organisation, "Example Broking Limited");

    let mut changed = SIGNED_NOTE.to_vec();
    changed[10] ^= 1;
    let extended = [SIGNED_NOTE, b"%"].concat();
    for (file, state) in [(changed, SignatureState::Changed), (extended, SignatureState::Extended)] {
        let service = ImportService::new();
        let status = service.import(options(), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "DOCUMENT_CHANGED"));
        assert!(service.trade_log.has_stored_nothing());
        let service = ImportService::new();
        preview(&service, options(), &file).await.unwrap();
        assert_eq!(service.trade_log.stored().issues.signature.unwrap().state(), state);
    }
}

/// Returns a mapping for [`UNKNOWN_FILE`].
fn mapping() -> ColumnMapping {
    use ColumnField::{Date, Price, Quantity, Side, Symbol};
    let columns = (0..).zip([Symbol, Side, Quantity, Price, Date]);
    ColumnMapping {
        header: ["Scrip", "B/S", "Qty", "Rate", "Day"].map(str::to_owned).to_vec(),
        broker: Broker::Dhan.into(),
        broker_account: 2,
        segment: Segment::Equity.into(),
        columns: columns.map(|(column, field)| MappedColumn { column, field: field.into() }).collect(),
        exchange: Exchange::Nse.into(),
        ..ColumnMapping::default()
    }
}

const UNKNOWN_FILE: &[u8] = b"scrip,B/S,Qty.,Rate,Day\nITC,B,5,400.05,19-11-2025\nSBIN,S,2,800,19-11-2025\n";

#[tokio::test]
async fn an_unknown_file_is_read_with_the_saved_mapping_of_its_header() {
    let other = ColumnMapping { header: vec!["a".to_owned(), "b".to_owned()], ..mapping() };
    let log = FakeTradeLog { mappings: vec![other.clone(), mapping()], ..FakeTradeLog::default() };
    let service = ImportService::with(Settings { parser_program: PathBuf::from(PARSER), ..Settings::default() }, log);
    let response = service.import(equity(), UNKNOWN_FILE).await.unwrap();
    assert_eq!((response.format.as_str(), response.rows, response.error_count), ("column-mapping", 2, 0));
    let head = service.trade_log.stored().head;
    let book = head.book.unwrap();
    assert_eq!((book.broker(), book.broker_account, book.segment()), (Broker::Dhan, 2, Segment::Equity));

    for mappings in [Vec::new(), vec![other]] {
        let log = FakeTradeLog { mappings, ..FakeTradeLog::default() };
        let service =
            ImportService::with(Settings { parser_program: PathBuf::from(PARSER), ..Settings::default() }, log);
        let status = service.import(equity(), UNKNOWN_FILE).await.unwrap_err();
        assert_eq!(reason(&status), "FILE_NOT_SUPPORTED");
        assert!(service.trade_log.recorded().is_empty());
    }
}

async fn map_columns(
    service: &ImportService,
    options: MapColumnsOptions,
    file: &[u8],
) -> Result<MapColumnsResponse, Status> {
    use map_columns_request::Part;
    let parts = [Part::Chunk(file.to_vec()), Part::Options(options)];
    let messages = parts.map(|part| MapColumnsRequest { part: Some(part) });
    let mut request = Request::new(tokio_stream::iter(messages));
    request.metadata_mut().insert("authorization", "Bearer token".parse().unwrap());
    Ok(service.client.clone().map_columns(request).await?.into_inner())
}

#[tokio::test]
async fn returns_a_table_and_the_trades_that_a_mapping_makes_of_it() {
    let service = ImportService::new();
    let table = map_columns(&service, MapColumnsOptions::default(), UNKNOWN_FILE).await.unwrap();
    assert_eq!((table.header_row, table.header.join(",")), (1, "scrip,B/S,Qty.,Rate,Day".to_owned()));
    assert_eq!((table.rows.len(), &table.result), (2, &None));
    let with = |mapping| MapColumnsOptions { mapping: Some(mapping), header_row: 1 };
    let mapped = map_columns(&service, with(mapping()), UNKNOWN_FILE).await.unwrap();
    let result = mapped.result.unwrap();
    assert_eq!((result.rows, result.trades, result.sample.len(), mapped.date_order_proven), (2, 2, 2, true));
    // Wrong columns are no failure: each row is listed.
    let mut wrong = mapping();
    (wrong.columns[0].column, wrong.columns[3].column) = (3, 0);
    let mapped = map_columns(&service, with(wrong), UNKNOWN_FILE).await.unwrap();
    let result = mapped.result.unwrap();
    assert_eq!((result.trades, result.error_count, mapped.issue_counts["price_not_a_number"]), (0, 2, 2));
    let other = ColumnMapping { header: vec!["a".to_owned(), "b".to_owned()], ..mapping() };
    let status = map_columns(&service, with(other), UNKNOWN_FILE).await.unwrap_err();
    assert_eq!((status.code(), &*reason(&status)), (Code::InvalidArgument, "INVALID"));
    let status = map_columns(&service, MapColumnsOptions::default(), b"a,b\n1,2\n").await.unwrap_err();
    assert_eq!(reason(&status), "FILE_NOT_SUPPORTED");
    assert!(service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn removes_unsafe_characters_from_a_file_name_and_cuts_it() {
    let long = "न".repeat(151);
    for (file_name, stored) in [
        ("a\u{202e}xslx.exe\n.csv", "axslx.exe.csv"),
        (long.as_str(), &long[3..]),
        (" \u{200f}\t", "file"),
        ("", "file"),
    ] {
        let service = ImportService::new();
        let options = ImportOptions { file_name: file_name.to_owned(), ..equity() };
        service.import(options, tradebook_csv().as_bytes()).await.unwrap();
        assert_eq!(service.trade_log.stored().head.file_name, stored, "{file_name:?}");
    }
}

#[tokio::test]
async fn forwards_the_token_and_account_of_an_internal_service() {
    let service = ImportService::new();
    let file = xlsx(&[tradebook()]);
    let options = ImportFileRequest { part: Some(Part::Options(equity())) };
    let parts: Vec<_> = std::iter::once(options).chain(chunks(&file)).collect();
    let mut request = Request::new(tokio_stream::iter(parts));
    request.metadata_mut().insert("authorization", "Bearer tbs_token".parse().unwrap());
    request
        .metadata_mut()
        .insert(authorization::ACCOUNT_METADATA_KEY, "0199f8c2-7a51-7c7e-9d5f-3c1d5b7a9e10".parse().unwrap());
    service.client.clone().import_file(request).await.unwrap();
    let import = service.trade_log.stored();
    assert_eq!(import.authorization, "Bearer tbs_token");
    assert_eq!(import.account, "0199f8c2-7a51-7c7e-9d5f-3c1d5b7a9e10");
}

#[tokio::test]
async fn sends_batches_and_accepts_the_choice_after_chunks() {
    let service = ImportService::new();
    let file = tradebook_with_rows(20_001);
    let mut parts: Vec<_> = chunks(&file).collect();
    assert!(parts.len() > 3);
    parts.insert(2, ImportFileRequest { part: Some(Part::Options(equity())) });
    let response = service.send(parts).await.unwrap();
    assert_eq!(response.rows, 20_001);
    let import = service.trade_log.stored();
    assert_eq!((import.batches, import.trades), (11, 20_001));
}

#[tokio::test]
async fn returns_and_stores_the_issues_of_a_file() {
    let service = ImportService::new();
    let response = service.import(options(Broker::Groww, Segment::Equity), &xlsx(&[orders(text("1"))])).await.unwrap();
    assert_eq!((response.rows, response.error_count, response.warning_count, response.skipped), (5, 0, 2, 2));
    let error = &response.warnings[0];
    assert_eq!((error.row, error.column.as_str(), error.value.as_str()), (10, "J", "Rejected"));
    assert_eq!((error.code.as_str(), error.sheet.as_str()), ("order_not_executed", "Sheet1"));
    let issues = service.trade_log.stored().issues;
    assert_eq!((issues.rows, issues.error_count, issues.warning_count, issues.skipped_rows), (5, 0, 2, 2));
    assert_eq!(issues.warnings.len(), 2);
    let stored = &issues.warnings[0];
    assert_eq!((stored.row, &stored.column, &stored.value), (error.row, &error.column, &error.value));
    assert_eq!((&stored.code, &stored.params, &stored.sheet), (&error.code, &error.params, &error.sheet));

    let service = ImportService::new();
    let mut sheet = tradebook();
    sheet.table[2][8] = text("ten");
    let response = service.import(equity(), &xlsx(&[sheet])).await.unwrap();
    let issues = service.trade_log.stored().issues;
    assert_eq!((issues.error_count, issues.errors.len(), issues.warnings.len()), (1, 1, 0));
    assert_eq!((response.rows, response.error_count, response.warning_count), (5, 1, 0));
    let error = &response.errors[0];
    assert_eq!((error.row, error.column.as_str(), error.value.as_str()), (17, "J", "ten"));
    assert_eq!((error.code.as_str(), error.sheet.as_str()), ("quantity_not_a_number", "Equity"));
}

#[tokio::test]
async fn reads_an_xls_file_named_xlsx() {
    let service = ImportService::new();
    let file = include_bytes!("../../src/tests/fixtures/xls/groww-fno.xls");
    let response = service.import(options(Broker::Groww, Segment::Fno), file).await.unwrap();
    assert_eq!((response.format.as_str(), response.rows, response.warning_count), ("groww-fno-pnl", 5, 1));
    assert_eq!(service.trade_log.stored().trades, 9);
}

/// Returns the text for people of an error.
fn status_text(status: &Status) -> String {
    let info = status.get_details_error_info().unwrap();
    texts::error("import", &info.reason, &info.metadata).unwrap()
}

#[tokio::test]
async fn a_file_of_another_book_needs_confirmation() {
    let cases = [
        (xlsx(&[orders(text("1"))]), "groww", "equity", "This is a Groww stocks file. Import it as Groww, Equity?"),
        (
            xlsx(&[fno_tradebook()]),
            "zerodha",
            "fno",
            "This is a Zerodha futures and options file. Import it as Zerodha, Future & Option?",
        ),
    ];
    for (file, broker, segment, question) in cases {
        let service = ImportService::new();
        let status = service.import(equity(), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "FILE_MISMATCH"));
        assert_eq!(status_text(&status), question);
        let facts = status.get_details_error_info().unwrap().metadata;
        assert_eq!((facts["broker"].as_str(), facts["segment"].as_str()), (broker, segment));
        assert!(service.trade_log.recorded().is_empty());

        let confirmed = ImportOptions { confirm: true, ..equity() };
        let response = service.import(confirmed, &file).await.unwrap();
        assert_eq!(response.book, service.trade_log.stored().head.book);
        assert_ne!(response.book, equity().book);
    }
}

#[tokio::test]
async fn rejects_a_call_without_a_caller_or_a_choice() {
    let service = ImportService::new();
    let parts: Vec<_> = chunks(b"x").collect();
    let unauthenticated =
        service.client.clone().import_file(Request::new(tokio_stream::iter(parts))).await.unwrap_err();
    assert_eq!((unauthenticated.code(), reason(&unauthenticated).as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));

    let status = service.send(Vec::new()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let fields: Vec<_> =
        status.get_details_bad_request().unwrap().field_violations.into_iter().map(|v| v.field).collect();
    assert_eq!(fields, ["options.book.broker", "options.book.segment", "options.file_name"]);
    assert!(service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn rejects_files_without_trades_with_a_message() {
    let header = tradebook_csv().lines().next().unwrap().to_owned();
    let bad_row = format!("{header}\nITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,x,1,1,");
    let cases = [
        (Vec::new(), "FILE_EMPTY", "empty"),
        (header.into_bytes(), "NO_TRADES", "has no trades"),
        (bad_row.into_bytes(), "NO_TRADES", "Row 2: The price is not a number."),
        (b"a,b\n".to_vec(), "FILE_NOT_SUPPORTED", "not supported yet"),
    ];
    for (file, code, text) in cases {
        let service = ImportService::new();
        let status = service.import(equity(), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
        assert!(status_text(&status).contains(text), "{}", status_text(&status));
        assert!(service.trade_log.recorded().is_empty());
    }
}

#[tokio::test]
async fn rejects_a_file_above_32_mib() {
    let service = ImportService::new();
    let file = vec![b'\n'; 32 << 20];
    assert_eq!(reason(&service.import(equity(), &file).await.unwrap_err()), "FILE_EMPTY");
    let status = service.import(equity(), &[file.as_slice(), b"\n"].concat()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::OutOfRange, "FILE_TOO_LARGE"));
}

#[tokio::test]
async fn stores_nothing_if_the_parser_crashes_hangs_or_sends_invalid_output() {
    // Saves the output of a real parser process, which the cases truncate, repeat or contradict.
    let save_output = format!("{PARSER} \"$@\" | cat > \"$0.out\"; size=$(stat -c %s \"$0.out\")");
    let cases = [
        "exit 0".to_owned(),
        "kill -9 $$".to_owned(),
        "exec sleep 30".to_owned(),
        "echo this is nonsense of some length".to_owned(),
        "head -c 1000000 /dev/zero".to_owned(),
        "printf '\\377\\377\\377\\377'; sleep 1".to_owned(),
        format!("{save_output}; cat \"$0.out\"; exit 1"),
        format!("{save_output}; cat \"$0.out\"; kill -9 $$"),
        format!("{save_output}; head -c $((size - 5)) \"$0.out\""),
        format!("{save_output}; cat \"$0.out\"; printf '\\0\\0\\0\\0'"),
        format!("{save_output}; cat \"$0.out\" \"$0.out\""),
        format!("{save_output}; cat \"$0.out\"; exec sleep 30"),
    ];
    for case in cases {
        let dir = tempfile::tempdir().unwrap();
        // Only a hanging process needs a short timeout; the others could exceed it on a busy machine.
        let hangs = case.ends_with("sleep 30");
        let defaults = Settings::default();
        let parse_timeout = if hangs { SHORT_TIME * 4 } else { defaults.parse_timeout };
        let settings = Settings { parser_program: script(dir.path(), &case), parse_timeout, ..defaults };
        let service = ImportService::with(settings, FakeTradeLog::default());
        let status = service.import(equity(), &tradebook_with_rows(4_500)).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "FILE_UNREADABLE"), "{case}");
        // After a timeout it is unknown if the file or the machine is the cause.
        let text = if hangs { "took too long to read" } else { "damaged" };
        assert!(status_text(&status).contains(text), "{case}: {}", status_text(&status));
        assert!(service.trade_log.has_stored_nothing(), "{case}");
    }

    let dir = tempfile::tempdir().unwrap();
    let parser_program = script(dir.path(), &format!("{save_output}; cat \"$0.out\""));
    let service = ImportService::with(Settings { parser_program, ..Settings::default() }, FakeTradeLog::default());
    service.import(equity(), &tradebook_with_rows(4_500)).await.unwrap();
    assert_eq!(service.trade_log.stored().trades, 4_500);
}

#[tokio::test]
async fn time_spent_waiting_for_the_trade_log_does_not_count_as_parse_time() {
    let settings = Settings { parser_program: PARSER.into(), parse_timeout: SHORT_TIME * 10, ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog { delay: SHORT_TIME, ..FakeTradeLog::default() });
    let response = service.import(equity(), &tradebook_with_rows(28_000)).await.unwrap();
    assert_eq!(response.result.unwrap().added, 28_000);

    let settings = Settings { parser_program: PARSER.into(), deadline: SHORT_TIME * 4, ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog { delay: SHORT_TIME, ..FakeTradeLog::default() });
    let status = service.import(equity(), &tradebook_with_rows(20_000)).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(service.trade_log.has_stored_nothing());
}

#[tokio::test]
async fn forwards_an_error_of_the_trade_log() {
    let settings = Settings { parser_program: PARSER.into(), ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog { rejects: true, ..FakeTradeLog::default() });
    let status = service.import(equity(), &tradebook_with_rows(50_000)).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::ResourceExhausted, "another write is running"));
}

#[tokio::test]
async fn rejects_a_file_at_once_if_the_queue_is_full() {
    let dir = tempfile::tempdir().unwrap();
    let parser_program = script(dir.path(), "exec sleep 30");
    let settings =
        Settings { parser_program, parallel: 1, queue: 1, parse_timeout: SHORT_TIME * 3, ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog::default());
    let started = Instant::now();
    let file = tradebook_with_rows(1);
    let (first, second, third) =
        tokio::join!(service.import(equity(), &file), service.import(equity(), &file), async {
            tokio::time::sleep(SHORT_TIME).await;
            (service.import(equity(), &file).await, started.elapsed())
        });
    let (third, responded) = third;
    let third = third.unwrap_err();
    assert_eq!((third.code(), reason(&third).as_str()), (Code::ResourceExhausted, "BUSY"));
    assert_eq!(third.get_details_retry_info().unwrap().retry_delay, Some(Duration::from_secs(2)));
    assert!(responded < SHORT_TIME * 2, "{responded:?}");
    assert_eq!(reason(&first.unwrap_err()), "FILE_UNREADABLE");
    assert_eq!(reason(&second.unwrap_err()), "FILE_UNREADABLE");
}

#[tokio::test]
async fn files_of_one_trader_do_not_delay_those_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let parser_program = script(dir.path(), &format!("sleep 1; exec {PARSER} \"$@\""));
    let service =
        ImportService::with(Settings { parser_program, parallel: 2, ..Settings::default() }, FakeTradeLog::default());
    let file = tradebook_with_rows(1);
    let done = AtomicUsize::new(0);
    let one_of_asha = async || {
        service.import(equity(), &file).await.unwrap();
        done.fetch_add(1, Ordering::SeqCst)
    };
    let ravi = async {
        tokio::time::sleep(SHORT_TIME).await;
        service.import_as("00000000-0000-0000-0000-000000000002", equity(), &file).await.unwrap();
        done.load(Ordering::SeqCst)
    };
    let (_, _, _, before_ravi) = tokio::join!(one_of_asha(), one_of_asha(), one_of_asha(), ravi);
    assert!(before_ravi < 2, "{before_ravi} files of another trader were read first");
}

#[tokio::test]
async fn rejects_a_fifth_file_of_one_trader_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let parser_program = script(dir.path(), "exec sleep 30");
    let service = ImportService::with(
        Settings { parser_program, parse_timeout: SHORT_TIME * 2, ..Settings::default() },
        FakeTradeLog::default(),
    );
    let (file, started) = (tradebook_with_rows(1), Instant::now());
    let one = async || (service.import(equity(), &file).await.unwrap_err(), started.elapsed());
    let (a, b, c, d, e) = tokio::join!(one(), one(), one(), one(), one());
    let (busy, read): (Vec<_>, Vec<_>) = [a, b, c, d, e].into_iter().partition(|(status, _)| reason(status) == "BUSY");
    let [(busy, responded)] = busy.as_slice() else { panic!("{busy:?}") };
    assert!(busy.get_details_retry_info().unwrap().retry_delay.is_some());
    assert!(*responded < SHORT_TIME * 2, "{responded:?}");
    assert!(read.iter().all(|(status, _)| reason(status) == "FILE_UNREADABLE"), "{read:?}");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn the_parser_process_has_its_own_process_group() {
    let dir = tempfile::tempdir().unwrap();
    let parser_program = script(dir.path(), "read -r line < /proc/$$/stat; echo \"$line\" > \"$0.stat\"");
    let settings = Settings { parser_program: parser_program.clone(), ..Settings::default() };
    ImportService::with(settings, FakeTradeLog::default()).import(equity(), &tradebook_with_rows(1)).await.unwrap_err();
    let stat = std::fs::read_to_string(parser_program.with_extension("stat")).unwrap();
    let fields: Vec<&str> = stat.split_whitespace().collect();
    // Fields: process id, name, state, parent, process group.
    assert_eq!(fields[0], fields[4], "{stat}");
}

#[tokio::test]
async fn an_import_completes_if_the_caller_disconnects() {
    let settings = Settings { parser_program: PARSER.into(), ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog { delay: SHORT_TIME, ..FakeTradeLog::default() });
    let file = tradebook_with_rows(3_000);
    let disconnected = tokio::time::timeout(SHORT_TIME, service.import(equity(), &file)).await;
    assert!(disconnected.is_err());
    let started = Instant::now();
    while service.trade_log.has_stored_nothing() && started.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(SHORT_TIME).await;
    }
    assert_eq!(service.trade_log.stored().trades, 3_000);
}
