//! Inspection of a file by a caller who is not logged in.

use std::io::Write as _;
use std::time::Duration;

use import::Settings;
use prost_types::Timestamp;
use rpc::failure::Failure as _;
use rpc::imports::v1::{InspectFileRequest, InspectFileResponse};
use rpc::trades::v1::{Broker, Segment, Side};
use tonic::{Code, Status};

use super::fake_trade_log::FakeTradeLog;
use super::fixtures::{orders, text, tradebook, tradebook_csv, xlsx};
use super::service::tradebook_with_rows;
use super::{CHUNK_BYTES, ImportService, PARSER, SHORT_TIME, book, equity, reason, script};

impl ImportService {
    async fn inspect(&self, file: &[u8]) -> Result<InspectFileResponse, Status> {
        let chunks: Vec<_> =
            file.chunks(CHUNK_BYTES).map(|chunk| InspectFileRequest { chunk: chunk.to_vec() }).collect();
        self.client.clone().inspect_file(tokio_stream::iter(chunks)).await.map(tonic::Response::into_inner)
    }
}

#[tokio::test]
async fn returns_format_rows_sample_period_and_issues() {
    let service = ImportService::new();
    let report = service.inspect(&xlsx(&[orders(text("1"))])).await.unwrap();
    assert_eq!(report.book, Some(book(Broker::Groww, Segment::Equity)));
    assert_eq!((report.format.as_str(), report.rows, report.trades), ("groww-stock-orders", 5, 3));
    assert_eq!((report.sample.len(), report.error_count, report.errors.len()), (3, 0, 0));
    assert_eq!((report.warning_count, report.skipped), (2, 2));
    assert_eq!((report.warnings[0].row, report.warnings[0].code.as_str()), (10, "order_not_executed"));
    let mut times: Vec<i64> = report.sample.iter().map(|trade| trade.executed_at.unwrap().seconds).collect();
    times.sort_unstable();
    let seconds = |at: Option<Timestamp>| at.unwrap().seconds;
    assert_eq!(seconds(report.first_executed_at), times[0]);
    assert_eq!(seconds(report.last_executed_at), *times.last().unwrap());

    let mut sheet = tradebook();
    sheet.table[2][8] = text("ten");
    let report = service.inspect(&xlsx(&[sheet])).await.unwrap();
    assert_eq!((report.rows, report.trades, report.error_count, report.errors[0].row), (5, 4, 1, 17));
    assert!(service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn the_sample_has_at_most_twenty_trades() {
    let service = ImportService::new();
    let report = service.inspect(&tradebook_with_rows(4_500)).await.unwrap();
    assert_eq!((report.rows, report.trades, report.sample.len()), (4_500, 4_500, 20));
    assert_eq!((report.sample[0].symbol.as_str(), report.sample[0].side()), ("ITC", Side::Buy));
    assert!(service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn rejects_the_same_files_as_an_import() {
    let header = tradebook_csv().lines().next().unwrap().to_owned();
    for (file, code) in [
        (Vec::new(), "FILE_EMPTY"),
        (b"a,b\n".to_vec(), "FILE_NOT_SUPPORTED"),
        (header.into_bytes(), "NO_TRADES"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old workbook".to_vec(), "FILE_UNREADABLE"),
    ] {
        let service = ImportService::new();
        let status = service.inspect(&file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
        assert_eq!(reason(&service.import(equity(), &file).await.unwrap_err()), code);
    }
    let status = ImportService::new().inspect(&vec![b'\n'; (32 << 20) + 1]).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::OutOfRange, "FILE_TOO_LARGE"));
}

/// The terminal command passes a file that no upload has checked.
#[tokio::test]
async fn a_local_file_has_the_size_limit_of_an_upload() {
    let settings = Settings { parser_program: PARSER.into(), ..Settings::default() };
    let file = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    };
    let at_limit = vec![b'\n'; 32 << 20];
    let above_limit = vec![b'\n'; (32 << 20) + 1];
    for (bytes, code) in [(&at_limit, "FILE_EMPTY"), (&above_limit, "FILE_TOO_LARGE")] {
        assert_eq!(import::inspect(&settings, file(bytes)).await.unwrap_err().reason(), code);
        assert_eq!(import::read_profit_report(&settings, file(bytes)).await.unwrap_err().reason(), code);
    }
}

#[tokio::test]
async fn reads_one_anonymous_file_at_a_time_for_half_of_the_parse_timeout() {
    let dir = tempfile::tempdir().unwrap();
    let parser_program =
        script(dir.path(), &format!("[ -e \"$0.second\" ] && exec {PARSER} \"$@\"; : > \"$0.second\"; exec sleep 30"));
    let parse_timeout = SHORT_TIME * 20;
    let settings = Settings { parser_program, parallel: 1, parse_timeout, ..Settings::default() };
    let service = ImportService::with(settings, FakeTradeLog::default());
    let file = tradebook_with_rows(1);
    let started = dir.path().join("parser.second");
    let first = tokio::time::timeout(parse_timeout, service.inspect(&file));
    let (slow, (second, third, trader)) = tokio::join!(first, async {
        while !started.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::join!(service.inspect(&file), service.inspect(&file), service.import(equity(), &file))
    });
    // The timeout of this test is the whole parse timeout, and it did not expire.
    assert_eq!(reason(&slow.unwrap().unwrap_err()), "FILE_UNREADABLE");
    let busy = [&second, &third].into_iter().filter(|one| one.as_ref().is_err_and(|status| reason(status) == "BUSY"));
    assert_eq!(busy.count(), 1);
    assert!(second.is_ok() || third.is_ok());
    assert_eq!(trader.unwrap().rows, 1);
}
