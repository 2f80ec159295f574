//! A look into a file, by somebody who is not signed in.

use std::io::Write as _;
use std::time::Duration;

use import::Settings;
use prost_types::Timestamp;
use rpc::failure::Failure as _;
use rpc::imports::v1::{InspectFileRequest, InspectFileResponse};
use rpc::trades::v1::{Broker, Segment, Side};
use tonic::{Code, Status};

use super::fixtures::{orders, text, tradebook, tradebook_csv, xlsx};
use super::log::Log;
use super::service::long_csv;
use super::{CHILD, CHUNK, Product, SHORT, book, equity, reason, script};

impl Product {
    async fn inspect(&self, file: &[u8]) -> Result<InspectFileResponse, Status> {
        let chunks: Vec<_> = file.chunks(CHUNK).map(|chunk| InspectFileRequest { chunk: chunk.to_vec() }).collect();
        self.client.clone().inspect_file(tokio_stream::iter(chunks)).await.map(tonic::Response::into_inner)
    }
}

#[tokio::test]
async fn a_file_is_told_by_its_format_rows_sample_period_and_problems() {
    let product = Product::new();
    let report = product.inspect(&xlsx(&[orders(text("1"))])).await.unwrap();
    assert_eq!(report.book, Some(book(Broker::Groww, Segment::Equity)));
    assert_eq!((report.format.as_str(), report.rows, report.trades), ("groww-stock-orders", 5, 3));
    assert_eq!(report.format_title, "Groww order history for stocks");
    assert_eq!((report.sample.len(), report.problem_count, report.problems.len()), (3, 0, 0));
    assert_eq!((report.warning_count, report.skipped), (2, 2));
    assert_eq!((report.warnings[0].row, report.warnings[0].code.as_str()), (10, "order_not_executed"));
    let mut times: Vec<i64> = report.sample.iter().map(|trade| trade.executed_at.unwrap().seconds).collect();
    times.sort_unstable();
    let seconds = |at: Option<Timestamp>| at.unwrap().seconds;
    assert_eq!(seconds(report.first_executed_at), times[0]);
    assert_eq!(seconds(report.last_executed_at), *times.last().unwrap());

    let mut sheet = tradebook();
    sheet.table[2][8] = text("ten");
    let report = product.inspect(&xlsx(&[sheet])).await.unwrap();
    assert_eq!((report.rows, report.trades, report.problem_count, report.problems[0].row), (5, 4, 1, 17));
    assert!(product.log.seen().is_empty());
}

#[tokio::test]
async fn of_a_long_file_the_first_twenty_trades_are_shown() {
    let product = Product::new();
    let report = product.inspect(&long_csv(4_500)).await.unwrap();
    assert_eq!((report.rows, report.trades, report.sample.len()), (4_500, 4_500, 20));
    assert_eq!((report.sample[0].symbol.as_str(), report.sample[0].side()), ("ITC", Side::Buy));
    assert!(product.log.seen().is_empty());
}

#[tokio::test]
async fn a_file_that_is_refused_is_refused_as_in_an_import() {
    let header = tradebook_csv().lines().next().unwrap().to_owned();
    for (file, code) in [
        (Vec::new(), "FILE_EMPTY"),
        (b"a,b\n".to_vec(), "FILE_UNKNOWN"),
        (header.into_bytes(), "NO_TRADES"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old workbook".to_vec(), "FILE_UNREADABLE"),
    ] {
        let product = Product::new();
        let status = product.inspect(&file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
        assert_eq!(reason(&product.import(equity(), &file).await.unwrap_err()), code);
    }
    let status = Product::new().inspect(&vec![b'\n'; (32 << 20) + 1]).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::OutOfRange, "FILE_TOO_LARGE"));
}

/// As from a terminal, where no upload has counted the bytes.
#[tokio::test]
async fn a_file_at_hand_may_be_as_long_as_one_that_is_sent() {
    let settings = Settings { child: CHILD.into(), ..Settings::default() };
    let file = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    };
    let longest = vec![b'\n'; 32 << 20];
    let longer = vec![b'\n'; (32 << 20) + 1];
    for (bytes, code) in [(&longest, "FILE_EMPTY"), (&longer, "FILE_TOO_LARGE")] {
        assert_eq!(import::inspect(&settings, file(bytes)).await.unwrap_err().reason(), code);
        assert_eq!(import::read_report(&settings, file(bytes)).await.unwrap_err().reason(), code);
    }
}

#[tokio::test]
async fn strangers_share_one_turn_and_a_trader_waits_for_half_a_reading_at_most() {
    let dir = tempfile::tempdir().unwrap();
    let child =
        script(dir.path(), &format!("[ -e \"$0.second\" ] && exec {CHILD} \"$@\"; : > \"$0.second\"; exec sleep 30"));
    let wall_clock = SHORT * 20;
    let settings = Settings { child, parallel: 1, wall_clock, ..Settings::default() };
    let product = Product::with(settings, Log::default());
    let file = long_csv(1);
    let begun = dir.path().join("child.second");
    let first = tokio::time::timeout(wall_clock, product.inspect(&file));
    let (slow, (second, third, trader)) = tokio::join!(first, async {
        while !begun.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::join!(product.inspect(&file), product.inspect(&file), product.import(equity(), &file))
    });
    // It was given up in less than the whole time.
    assert_eq!(reason(&slow.unwrap().unwrap_err()), "FILE_UNREADABLE");
    let busy = [&second, &third].into_iter().filter(|one| one.as_ref().is_err_and(|status| reason(status) == "BUSY"));
    assert_eq!(busy.count(), 1);
    assert!(second.is_ok() || third.is_ok());
    assert_eq!(trader.unwrap().rows, 1);
}
