//! Tests of the trade export.

use std::io::Read;

use rpc::failure::{Kind, to_status};
use rpc::trades::v1::{Book, Broker, Notes, Segment, Side, SortKey, TimePrecision, Trade};

use super::auth::Refusal;
use super::core::trade;
use super::*;

const HEADER: &str = "Type,Symbol,Quantity,Price (INR),Value (INR),Time (India),Broker,Trade type,Exchange,\
                      Stock name,Notes,Psychology,Market outlook,Stop loss (INR)";

/// Returns a trade whose texts look like spreadsheet formulas.
fn formula_trade() -> Trade {
    let notes = Notes {
        stock_name: "\u{ff1d}1+1".to_owned(),
        notes: "@SUM(A1)\nsaid \"no\", twice".to_owned(),
        psychology: "+1".to_owned(),
        market_outlook: "\t-1".to_owned(),
        stop_loss: "90.5".to_owned(),
    };
    let book = Book { broker: Broker::Groww.into(), segment: Segment::Fno.into(), ..Book::default() };
    Trade {
        symbol: "=cmd|' /C calc'!A0".to_owned(),
        notes: Some(notes),
        side: Side::Sell.into(),
        book: Some(book),
        time_precision: TimePrecision::Second.into(),
        ..trade(2)
    }
}

async fn edge(pages: Vec<Result<Vec<Trade>, tonic::Status>>) -> Edge {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = pages;
    edge
}

#[tokio::test]
async fn csv_escapes_formulas() {
    let edge = edge(vec![Ok(vec![trade(3)]), Ok(vec![formula_trade()])]).await;
    for path in ["/trades/export", "/api/v1/trades/export?format=csv"] {
        let reply = edge.get(path).await;
        reply.assert_security_headers();
        assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8");
        let name = reply.header("content-disposition");
        let date = name.strip_prefix("attachment; filename=\"tradebahi-trades-2").unwrap();
        assert!(date.ends_with(".csv\"") && date.len() == "026-11-20.csv\"".len(), "{name}");
        let text = std::str::from_utf8(&reply.body).unwrap();
        let expected = format!(
            "\u{feff}{HEADER}\r\n\
             BUY,\"M&M \"\"X\"\"\",10,82.1000,99999999999.9999,2026-04-01,Zerodha,Equity,NSE,,,,,\r\n\
             SELL,'=cmd|' /C calc'!A0,10,82.1000,99999999999.9999,2026-04-01 00:00:00,Groww,Future & Option,NSE,\
             '\u{ff1d}1+1,\"'@SUM(A1)\nsaid \"\"no\"\", twice\",'+1,'\t-1,90.5\r\n"
        );
        assert_eq!(text, expected);
    }
    let empty = self::edge(vec![]).await.get("/trades/export").await;
    assert_eq!(std::str::from_utf8(&empty.body).unwrap(), format!("\u{feff}{HEADER}\r\n"));
}

#[tokio::test]
async fn filtered_export_reads_page_by_page() {
    let edge = edge(vec![]).await;
    let path = "/trades/export?sort=-price&q=inf&type=buy&broker=groww&tradetype=fno&from=2026-04-01&to=2026-04-30";
    let reply = edge.get(path).await;
    assert_eq!(std::str::from_utf8(&reply.body).unwrap().lines().count(), 4);
    let requests = edge.core.0.queries.lock().unwrap().clone();
    assert_eq!(
        (requests.len(), requests[0].page_size, requests[0].sort(), requests[0].ascending),
        (3, 5_000, SortKey::Price, false)
    );
    assert_eq!((requests[1].known_version, requests[2].known_version), (None, Some(core::VERSION)));
    assert_eq!((requests[0].page_token.as_str(), requests[1].page_token.as_str()), ("", "after-2"));
    assert_eq!(requests[0].filter, requests[1].filter);
    assert_eq!(requests[0].filter.as_ref().unwrap().symbol, "inf");
    assert_eq!(edge.core.count("stream_trades"), 0);
}

#[tokio::test]
async fn aborts_when_the_trades_change_during_the_export() {
    let edge = edge(vec![Ok(vec![trade(2)]), Err(to_status(&Refusal(Kind::Busy, "CHANGED_DURING_READ")))]).await;
    edge.core.0.writes.lock().unwrap().changed_after_last_page = true;
    assert_breaks_off(&edge, &["/trades/export?type=buy"]).await;
    edge.core.0.writes.lock().unwrap().changed_between_pages = true;
    assert_breaks_off(&edge, &["/trades/export?type=buy", "/trades/export"]).await;
    for path in ["/trades/export?format=xlsx&type=buy", "/trades/export?format=xlsx"] {
        edge.get(path).await.assert_problem(503, "changed_during_read");
    }
}

async fn assert_breaks_off(edge: &Edge, paths: &[&str]) {
    for path in paths {
        let request = edge.request("GET", path).body(Body::empty()).unwrap();
        let response = edge.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.into_body().collect().await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn xlsx_stores_text_as_text_and_numbers_as_numbers() {
    let edge = edge(vec![Ok(vec![trade(3)]), Ok(vec![formula_trade()])]).await;
    let reply = edge.get("/trades/export?format=xlsx").await;
    reply.assert_security_headers();
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    assert!(reply.header("content-disposition").ends_with(".xlsx\""));
    let sheet = part(&reply.body, "xl/worksheets/sheet1.xml");
    assert!(!sheet.contains("<f>") && sheet.contains("=cmd|"), "{sheet}");
    assert!(sheet.contains("<v>82.1</v>") && sheet.contains("<v>10</v>"), "{sheet}");
    // 1 April 2026, midnight in India.
    assert!(sheet.contains("<v>46113</v>"), "{sheet}");
    assert_eq!(sheet.matches("<row ").count(), 3);
}

#[tokio::test]
async fn s2_unread_exports_of_one_account_leave_room_for_others() {
    let edge = edge(vec![Ok(vec![trade(3)])]).await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let open = async || {
        let request = edge.request("GET", "/trades/export").body(Body::empty()).unwrap();
        edge.router.clone().oneshot(request).await.unwrap()
    };
    let (first, second) = (open().await, open().await);
    assert_eq!([first.status(), second.status()], [200, 200]);
    for path in [
        "/trades/export?type=buy",
        "/trades/export?format=xlsx",
        "/analytics/tax/export?year=2025-26",
        "/account/export",
    ] {
        let refused = edge.get(path).await;
        refused.assert_problem(503, "busy");
        assert_eq!(refused.header("retry-after"), "1");
    }
    assert_eq!(edge.get("/trades/client?limit=1").await.status, 200, "only exports are limited");
    let authorization = format!("Bearer {}", edge.core.token_of_other_account());
    let other = edge.anonymous_request("GET", "/trades/export?type=buy").header("authorization", authorization);
    assert_eq!(edge.send(other.body(Body::empty()).unwrap()).await.status, 200);
    // Without its client, an export counts no longer.
    drop(first);
    assert_eq!(edge.get("/trades/export?type=buy").await.status, 200);
}

/// Returns a part of a workbook as text.
fn part(workbook: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(workbook)).unwrap();
    let mut text = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn rejects_an_invalid_query() {
    let edge = edge(vec![]).await;
    for query in ["format=pdf", "limit=5", "cursor=x", "email=asha@example.in", "type=hold", "format=csv&format=csv"] {
        edge.get(&format!("/trades/export?{query}")).await.assert_problem(422, "invalid");
    }
    let unsigned = edge.anonymous_request("GET", "/trades/export").body(Body::empty()).unwrap();
    edge.send(unsigned).await.assert_problem(401, "unauthenticated");
    assert!(edge.core.0.calls.lock().unwrap().is_empty());
}
