//! What the service answers, and what it hands to the trade log.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use import::Settings;
use rpc::guard;
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{Choice, ImportFileRequest, PreviewFileRequest, preview_file_request};
use rpc::trades::v1::{Broker, Preview, Segment};
use sha2::{Digest, Sha256};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::fixtures::{fno_tradebook, orders, text, tradebook, tradebook_csv, xlsx};
use super::log::Log;
use super::{CHILD, CHUNK, Product, SHORT, book, choice, chunks, equity, reason, script};

/// A tradebook of so many rows.
pub fn long_csv(rows: usize) -> Vec<u8> {
    let mut file = tradebook_csv().lines().next().unwrap().to_owned();
    for row in 0..rows {
        let line =
            format!("\nITC,INE154A01025,2025-06-06,NSE,EQ,EQ,buy,false,1,430.05,{},{row},2025-06-06T10:00:00", row + 1);
        file.push_str(&line);
    }
    file.into_bytes()
}

#[tokio::test]
async fn a_tradebook_goes_to_the_log_with_its_head_and_its_end() {
    let product = Product::new();
    let file = xlsx(&[tradebook()]);
    let reply = product.import(equity(), &file).await.unwrap();
    assert_eq!((reply.format.as_str(), reply.rows, reply.problem_count), ("zerodha-tradebook", 5, 0));
    assert_eq!(reply.book, Some(book(Broker::Zerodha, Segment::Equity)));
    assert_eq!(reply.result.unwrap().added, 5);
    let seen = product.log.stored();
    assert_eq!((seen.batches, seen.trades), (1, 5));
    assert_eq!(seen.authorization, "Bearer token");
    assert_eq!(seen.head.file_name, "report.xlsx");
    assert_eq!(seen.head.file_sha256, Sha256::digest(&file).to_vec());
    assert_eq!(seen.head.format, "zerodha-tradebook");
}

async fn preview(product: &Product, choice: Choice, file: &[u8]) -> Result<Preview, Status> {
    let choice = preview_file_request::Part::Choice(choice);
    let chunks = file.chunks(CHUNK).map(|chunk| preview_file_request::Part::Chunk(chunk.to_vec()));
    let parts: Vec<_> = std::iter::once(choice).chain(chunks).collect();
    let messages = parts.into_iter().map(|part| PreviewFileRequest { part: Some(part) });
    let mut request = Request::new(tokio_stream::iter(messages));
    request.metadata_mut().insert("authorization", "Bearer token".parse().unwrap());
    Ok(product.client.clone().preview_file(request).await?.into_inner().preview.unwrap())
}

#[tokio::test]
async fn a_file_that_is_looked_at_first_goes_to_the_log_in_the_same_way() {
    let product = Product::new();
    let file = long_csv(2_001);
    let choice = Choice { idempotency_key: "means nothing here".to_owned(), ..equity() };
    let answer = preview(&product, choice, &file).await.unwrap();
    assert_eq!((answer.id.as_str(), answer.added), ("seen", 2_001));
    let previewed = product.log.stored();
    product.import(equity(), &file).await.unwrap();
    let [_, imported] = &product.log.seen()[..] else { panic!("not an import beside the preview") };
    assert_eq!(previewed.head, imported.head);
    assert_eq!((previewed.batches, previewed.trades, previewed.end), (imported.batches, imported.trades, imported.end));
    assert_eq!((previewed.findings, &*previewed.authorization), (imported.findings.clone(), "Bearer token"));
    let refused = preview(&product, self::choice(Broker::Groww, Segment::Equity), &file).await.unwrap_err();
    assert_eq!(reason(&refused), "FILE_MISMATCH");
}

#[tokio::test]
async fn a_file_is_called_as_it_can_be_shown() {
    let long = "न".repeat(151);
    for (given, shown) in [
        ("a\u{202e}xslx.exe\n.csv", "axslx.exe.csv"),
        (long.as_str(), &long[3..]),
        (" \u{200f}\t", "file"),
        ("", "file"),
    ] {
        let product = Product::new();
        let choice = Choice { file_name: given.to_owned(), ..equity() };
        product.import(choice, tradebook_csv().as_bytes()).await.unwrap();
        assert_eq!(product.log.stored().head.file_name, shown, "{given:?}");
    }
}

#[tokio::test]
async fn the_account_that_a_service_names_goes_on_to_the_log_with_its_token() {
    let product = Product::new();
    let file = xlsx(&[tradebook()]);
    let choice = ImportFileRequest { part: Some(Part::Choice(equity())) };
    let parts: Vec<_> = std::iter::once(choice).chain(chunks(&file)).collect();
    let mut request = Request::new(tokio_stream::iter(parts));
    request.metadata_mut().insert("authorization", "Bearer tbs_token".parse().unwrap());
    request.metadata_mut().insert(guard::ACCOUNT, "0199f8c2-7a51-7c7e-9d5f-3c1d5b7a9e10".parse().unwrap());
    product.client.clone().import_file(request).await.unwrap();
    let seen = product.log.stored();
    assert_eq!(seen.authorization, "Bearer tbs_token");
    assert_eq!(seen.account, "0199f8c2-7a51-7c7e-9d5f-3c1d5b7a9e10");
}

#[tokio::test]
async fn a_long_file_comes_in_batches_and_chunks_come_in_any_order_with_the_choice() {
    let product = Product::new();
    let file = long_csv(20_001);
    let mut parts: Vec<_> = chunks(&file).collect();
    assert!(parts.len() > 3);
    parts.insert(2, ImportFileRequest { part: Some(Part::Choice(equity())) });
    let reply = product.send(parts).await.unwrap();
    assert_eq!(reply.rows, 20_001);
    let seen = product.log.stored();
    assert_eq!((seen.batches, seen.trades), (11, 20_001));
}

#[tokio::test]
async fn rows_that_are_left_out_come_back_with_their_cells() {
    let product = Product::new();
    let reply = product.import(choice(Broker::Groww, Segment::Equity), &xlsx(&[orders(text("1"))])).await.unwrap();
    assert_eq!((reply.rows, reply.problem_count, reply.warning_count, reply.skipped), (5, 0, 2, 2));
    assert_eq!(reply.format_title, "Groww order history for stocks");
    let problem = &reply.warnings[0];
    assert_eq!((problem.row, problem.column.as_str(), problem.value.as_str()), (10, "J", "Rejected"));
    assert_eq!((problem.code.as_str(), problem.sheet.as_str()), ("order_not_executed", "Sheet1"));
    assert!(!problem.message.is_empty());
    let told = product.log.stored().findings;
    assert_eq!((told.rows, told.problem_count, told.warning_count, told.skipped), (5, 0, 2, 2));
    assert_eq!((told.warnings.len(), told.format_title.as_str()), (2, "Groww order history for stocks"));
    let kept = &told.warnings[0];
    assert_eq!((kept.row, &kept.column, &kept.value), (problem.row, &problem.column, &problem.value));
    assert_eq!((&kept.code, &kept.message, &kept.sheet), (&problem.code, &problem.message, &problem.sheet));

    let product = Product::new();
    let mut sheet = tradebook();
    sheet.table[2][8] = text("ten");
    let reply = product.import(equity(), &xlsx(&[sheet])).await.unwrap();
    let told = product.log.stored().findings;
    assert_eq!((told.problem_count, told.problems.len(), told.warnings.len()), (1, 1, 0));
    assert_eq!((reply.rows, reply.problem_count, reply.warning_count), (5, 1, 0));
    let problem = &reply.problems[0];
    assert_eq!((problem.row, problem.column.as_str(), problem.value.as_str()), (17, "J", "ten"));
    assert_eq!((problem.code.as_str(), problem.sheet.as_str()), ("quantity_not_a_number", "Equity"));
}

#[tokio::test]
async fn an_old_workbook_is_read_whatever_it_is_called() {
    let product = Product::new();
    let file = include_bytes!("../../src/tests/fixtures/xls/groww-fno.xls");
    let reply = product.import(choice(Broker::Groww, Segment::Fno), file).await.unwrap();
    assert_eq!((reply.format.as_str(), reply.rows, reply.warning_count), ("groww-fno-pnl", 5, 1));
    assert_eq!(product.log.stored().trades, 9);
}

#[tokio::test]
async fn a_file_of_another_book_is_asked_about_before_anything_is_stored() {
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
        let product = Product::new();
        let status = product.import(equity(), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::AlreadyExists, "FILE_MISMATCH"));
        assert_eq!(status.message(), question);
        let facts = status.get_details_error_info().unwrap().metadata;
        assert_eq!((facts["broker"].as_str(), facts["segment"].as_str()), (broker, segment));
        assert!(product.log.seen().is_empty());

        let confirmed = Choice { confirm: true, ..equity() };
        let reply = product.import(confirmed, &file).await.unwrap();
        assert_eq!(reply.book, product.log.stored().head.book);
        assert_ne!(reply.book, equity().book);
    }
}

#[tokio::test]
async fn a_call_without_a_caller_or_a_choice_is_refused() {
    let product = Product::new();
    let parts: Vec<_> = chunks(b"x").collect();
    let nobody = product.client.clone().import_file(Request::new(tokio_stream::iter(parts))).await.unwrap_err();
    assert_eq!((nobody.code(), reason(&nobody).as_str()), (Code::Unauthenticated, "SIGNED_OUT"));

    let status = product.send(Vec::new()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let fields: Vec<_> =
        status.get_details_bad_request().unwrap().field_violations.into_iter().map(|v| v.field).collect();
    assert_eq!(fields, ["broker", "tradetype", "file"]);
    assert!(product.log.seen().is_empty());
}

#[tokio::test]
async fn files_without_trades_say_what_they_are() {
    let header = tradebook_csv().lines().next().unwrap().to_owned();
    let bad_row = format!("{header}\nITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,x,1,1,");
    let cases = [
        (Vec::new(), "FILE_EMPTY", "empty"),
        (header.into_bytes(), "NO_TRADES", "has no trades"),
        (bad_row.into_bytes(), "NO_TRADES", "Row 2: The price is not a number."),
        (b"a,b\n".to_vec(), "FILE_UNKNOWN", "none that we know"),
    ];
    for (file, code, part) in cases {
        let product = Product::new();
        let status = product.import(equity(), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
        assert!(status.message().contains(part), "{}", status.message());
        assert!(product.log.seen().is_empty());
    }
}

#[tokio::test]
async fn thirty_two_mebibytes_are_taken_and_one_byte_more_is_not() {
    let product = Product::new();
    let file = vec![b'\n'; 32 << 20];
    assert_eq!(reason(&product.import(equity(), &file).await.unwrap_err()), "FILE_EMPTY");
    let status = product.import(equity(), &[file.as_slice(), b"\n"].concat()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::OutOfRange, "FILE_TOO_LARGE"));
}

#[tokio::test]
async fn a_child_that_dies_hangs_or_talks_nonsense_stores_nothing() {
    // A real child's events, kept, to be cut, repeated or contradicted.
    let honest = format!("{CHILD} \"$@\" | cat > \"$0.out\"; size=$(stat -c %s \"$0.out\")");
    let cases = [
        "exit 0".to_owned(),
        "kill -9 $$".to_owned(),
        "exec sleep 30".to_owned(),
        "echo this is nonsense of some length".to_owned(),
        "head -c 1000000 /dev/zero".to_owned(),
        "printf '\\377\\377\\377\\377'; sleep 1".to_owned(),
        format!("{honest}; cat \"$0.out\"; exit 1"),
        format!("{honest}; cat \"$0.out\"; kill -9 $$"),
        format!("{honest}; head -c $((size - 5)) \"$0.out\""),
        format!("{honest}; cat \"$0.out\"; printf '\\0\\0\\0\\0'"),
        format!("{honest}; cat \"$0.out\" \"$0.out\""),
        format!("{honest}; cat \"$0.out\"; exec sleep 30"),
    ];
    for case in cases {
        let dir = tempfile::tempdir().unwrap();
        // Only one that hangs needs to be cut short: a busy machine must not make the others look like it.
        let hangs = case.ends_with("sleep 30");
        let usual = Settings::default();
        let wall_clock = if hangs { SHORT * 4 } else { usual.wall_clock };
        let settings = Settings { child: script(dir.path(), &case), wall_clock, ..usual };
        let product = Product::with(settings, Log::default());
        let status = product.import(equity(), &long_csv(4_500)).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "FILE_UNREADABLE"), "{case}");
        // Whether the file or the machine is at fault is not known where it only took long.
        let part = if hangs { "took too long to read" } else { "damaged" };
        assert!(status.message().contains(part), "{case}: {}", status.message());
        assert!(product.log.kept_nothing(), "{case}");
    }

    let dir = tempfile::tempdir().unwrap();
    let child = script(dir.path(), &format!("{honest}; cat \"$0.out\""));
    let product = Product::with(Settings { child, ..Settings::default() }, Log::default());
    product.import(equity(), &long_csv(4_500)).await.unwrap();
    assert_eq!(product.log.stored().trades, 4_500);
}

#[tokio::test]
async fn a_slow_log_is_not_blamed_on_the_file() {
    let settings = Settings { child: CHILD.into(), wall_clock: SHORT * 10, ..Settings::default() };
    let product = Product::with(settings, Log { slow: SHORT, ..Log::default() });
    let reply = product.import(equity(), &long_csv(28_000)).await.unwrap();
    assert_eq!(reply.result.unwrap().added, 28_000);

    let settings = Settings { child: CHILD.into(), deadline: SHORT * 4, ..Settings::default() };
    let product = Product::with(settings, Log { slow: SHORT, ..Log::default() });
    let status = product.import(equity(), &long_csv(20_000)).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(product.log.kept_nothing());
}

#[tokio::test]
async fn a_refusal_of_the_log_is_passed_on() {
    let settings = Settings { child: CHILD.into(), ..Settings::default() };
    let product = Product::with(settings, Log { refuses: true, ..Log::default() });
    let status = product.import(equity(), &long_csv(50_000)).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::ResourceExhausted, "another write is running"));
}

#[tokio::test]
async fn one_file_more_than_may_wait_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let child = script(dir.path(), "exec sleep 30");
    let settings = Settings { child, parallel: 1, queue: 1, wall_clock: SHORT * 3, ..Settings::default() };
    let product = Product::with(settings, Log::default());
    let started = Instant::now();
    let file = long_csv(1);
    let (first, second, third) =
        tokio::join!(product.import(equity(), &file), product.import(equity(), &file), async {
            tokio::time::sleep(SHORT).await;
            (product.import(equity(), &file).await, started.elapsed())
        });
    let (third, answered) = third;
    let third = third.unwrap_err();
    assert_eq!((third.code(), reason(&third).as_str()), (Code::ResourceExhausted, "BUSY"));
    assert_eq!(third.get_details_retry_info().unwrap().retry_delay, Some(Duration::from_secs(2)));
    assert!(answered < SHORT * 2, "{answered:?}");
    assert_eq!(reason(&first.unwrap_err()), "FILE_UNREADABLE");
    assert_eq!(reason(&second.unwrap_err()), "FILE_UNREADABLE");
}

#[tokio::test]
async fn the_files_of_one_trader_do_not_keep_those_of_others_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let child = script(dir.path(), &format!("sleep 1; exec {CHILD} \"$@\""));
    let product = Product::with(Settings { child, parallel: 2, ..Settings::default() }, Log::default());
    let file = long_csv(1);
    let done = AtomicUsize::new(0);
    let one_of_asha = async || {
        product.import(equity(), &file).await.unwrap();
        done.fetch_add(1, Ordering::SeqCst)
    };
    let ravi = async {
        tokio::time::sleep(SHORT).await;
        product.import_of("00000000-0000-0000-0000-000000000002", equity(), &file).await.unwrap();
        done.load(Ordering::SeqCst)
    };
    let (_, _, _, before_ravi) = tokio::join!(one_of_asha(), one_of_asha(), one_of_asha(), ravi);
    assert!(before_ravi < 2, "{before_ravi} files of another trader were read first");
}

#[tokio::test]
async fn a_fifth_file_of_one_trader_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let child = script(dir.path(), "exec sleep 30");
    let product = Product::with(Settings { child, wall_clock: SHORT * 2, ..Settings::default() }, Log::default());
    let (file, started) = (long_csv(1), Instant::now());
    let one = async || (product.import(equity(), &file).await.unwrap_err(), started.elapsed());
    let (a, b, c, d, e) = tokio::join!(one(), one(), one(), one(), one());
    let (busy, read): (Vec<_>, Vec<_>) = [a, b, c, d, e].into_iter().partition(|(status, _)| reason(status) == "BUSY");
    let [(busy, answered)] = busy.as_slice() else { panic!("{busy:?}") };
    assert!(busy.get_details_retry_info().unwrap().retry_delay.is_some());
    assert!(*answered < SHORT * 2, "{answered:?}");
    assert!(read.iter().all(|(status, _)| reason(status) == "FILE_UNREADABLE"), "{read:?}");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_child_is_out_of_reach_of_what_a_terminal_sends() {
    let dir = tempfile::tempdir().unwrap();
    let child = script(dir.path(), "read -r line < /proc/$$/stat; echo \"$line\" > \"$0.stat\"");
    let settings = Settings { child: child.clone(), ..Settings::default() };
    Product::with(settings, Log::default()).import(equity(), &long_csv(1)).await.unwrap_err();
    let stat = std::fs::read_to_string(child.with_extension("stat")).unwrap();
    let fields: Vec<&str> = stat.split_whitespace().collect();
    // The process, its name, state, parent, and process group.
    assert_eq!(fields[0], fields[4], "{stat}");
}

#[tokio::test]
async fn an_import_goes_on_when_the_caller_hangs_up() {
    let settings = Settings { child: CHILD.into(), ..Settings::default() };
    let product = Product::with(settings, Log { slow: SHORT, ..Log::default() });
    let file = long_csv(3_000);
    let hung_up = tokio::time::timeout(SHORT, product.import(equity(), &file)).await;
    assert!(hung_up.is_err());
    let waits = Instant::now();
    while product.log.kept_nothing() && waits.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(SHORT).await;
    }
    assert_eq!(product.log.stored().trades, 3_000);
}
