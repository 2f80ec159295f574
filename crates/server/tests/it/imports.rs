//! Import of broker files over REST, from the upload to the trade log.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Trader, Upload};
use crate::broker_files::{Fill, groww_xlsx, zerodha_csv, zerodha_xlsx};

fn fills(range: std::ops::Range<u64>) -> Vec<Fill> {
    range.map(Fill::nth).collect()
}

/// Returns the log expected after importing `fills`, newest first.
fn expected(fills: &[Fill], broker: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = fills
        .iter()
        .map(|fill| {
            // Groww's times have no seconds.
            let (at, precision) = if broker == "groww" {
                (format!("{}:00", &fill.at[..16]), "minute")
            } else {
                (fill.at.clone(), "second")
            };
            json!({
                "type": if fill.sell { "sell" } else { "buy" },
                "symbol": fill.symbol,
                "quantity": fill.quantity,
                "price": rupees(fill.price),
                "value": rupees(fill.price * u64::from(fill.quantity)),
                "timestamp": utc(&at),
                "timePrecision": precision,
                "imported": true,
                "broker": broker,
                "tradetype": "equity",
                "exchange": "NSE",
            })
        })
        .collect();
    rows.reverse();
    rows
}

fn rupees(paise: u64) -> Value {
    if paise.is_multiple_of(100) {
        json!(paise / 100)
    } else {
        serde_json::from_str(&format!("{}.{:02}", paise / 100, paise % 100)).unwrap()
    }
}

/// Converts an India time to UTC, as JSON has it.
fn utc(india: &str) -> String {
    use time::format_description::well_known::Rfc3339;
    let at = time::OffsetDateTime::parse(&format!("{india}+05:30"), &Rfc3339).unwrap();
    at.to_offset(time::UtcOffset::UTC).format(&Rfc3339).unwrap()
}

async fn read_log(trader: &Trader<'_>) -> Vec<Value> {
    let mut trades = trader.get("/trades/client").await.json()["trades"].as_array().unwrap().clone();
    for trade in &mut trades {
        assert!(trade.as_object_mut().unwrap().remove("_id").unwrap().is_string());
    }
    trades
}

/// Sorts trades as text, for logs in which trades share a minute.
fn sorted(mut trades: Vec<Value>) -> Vec<String> {
    let mut texts: Vec<String> = trades.drain(..).map(|trade| trade.to_string()).collect();
    texts.sort();
    texts
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_zerodha_tradebook_is_imported_to_the_paisa(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fills = fills(0..700);
    let reply = trader.upload(&Upload::new("tradebook.xlsx", &zerodha_xlsx(&fills), "zerodha")).await;
    assert_eq!(reply.status, 200, "{:#}", reply.json());
    let record = reply.json();
    assert_eq!(record["total"], 700);
    assert_eq!(record["tradetype"], "equity");
    assert!(record.get("trades").is_none());
    let import = &record["import"];
    assert_eq!((&import["added"], &import["duplicates"], &import["rows"]), (&json!(700), &json!(0), &json!(700)));
    assert_eq!((&import["format"], &import["fileName"]), (&json!("zerodha-tradebook"), &json!("tradebook.xlsx")));
    assert_eq!((&import["from"], &import["to"]), (&json!(utc(&fills[0].at)), &json!(utc(&fills[699].at))));
    assert_eq!(read_log(&trader).await, expected(&fills, "zerodha"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_tradebook_as_csv_gives_the_same_trades(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fills = fills(0..400);
    let first = trader.upload(&Upload::new("tradebook.csv", &zerodha_csv(&fills), "zerodha")).await.json();
    assert_eq!(first["import"]["added"], 400);
    assert_eq!(read_log(&trader).await, expected(&fills, "zerodha"));
    let again = trader.upload(&Upload::new("tradebook.xlsx", &zerodha_xlsx(&fills), "zerodha")).await.json();
    assert_eq!((&again["import"]["added"], &again["import"]["duplicates"]), (&json!(0), &json!(400)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_groww_order_history_is_imported_with_its_totals(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fills = fills(0..400);
    let reply = trader.upload(&Upload::new("Stocks_Order_History.xlsx", &groww_xlsx(&fills), "groww")).await;
    assert_eq!(reply.json()["import"]["added"], 400, "{:#}", reply.json());
    assert_eq!(sorted(read_log(&trader).await), sorted(expected(&fills, "groww")));
}

#[sqlx::test(migrations = "../../migrations")]
async fn overlapping_files_give_the_same_book_as_one_file(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for range in [100..260, 0..150, 240..300, 0..300] {
        let file = zerodha_xlsx(&fills(range));
        assert_eq!(trader.upload(&Upload::new("t.xlsx", &file, "zerodha")).await.status, 200);
    }
    assert_eq!(read_log(&trader).await, expected(&fills(0..300), "zerodha"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_uploads_of_a_file_add_each_trade_once(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let file = zerodha_xlsx(&fills(0..2_500));
    let upload = Upload::new("t.xlsx", &file, "zerodha");
    let (one, other) = tokio::join!(trader.upload(&upload), trader.upload(&upload));
    let added = [one, other].map(|reply| reply.json()["import"]["added"].as_i64().unwrap());
    assert_eq!(added.iter().sum::<i64>(), 2_500, "{added:?}");
    assert_eq!(trader.count_trades().await, 2_500);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_reply_has_all_trades_unless_minimal_is_preferred(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let file = zerodha_xlsx(&fills(0..30));
    let reply = trader.upload(&Upload { minimal: false, ..Upload::new("t.xlsx", &file, "zerodha") }).await;
    assert_eq!(reply.json()["trades"].as_array().unwrap().len(), 30);
    assert!(!reply.headers.contains_key("preference-applied"));
    let reply = trader.upload(&Upload::new("t.xlsx", &file, "zerodha")).await;
    assert_eq!(reply.headers["preference-applied"], "return=minimal");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_row_is_skipped_and_located(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let mut file = String::from_utf8(zerodha_csv(&fills(0..5))).unwrap();
    file = file.replace("1.000000,", "-1.000000,").replacen(",sell,", ",byu,", 1);
    let import = trader.upload(&Upload::new("t.csv", file.as_bytes(), "zerodha")).await.json()["import"].clone();
    assert_eq!((&import["added"], &import["rejectedTotal"], &import["rows"]), (&json!(3), &json!(2), &json!(5)));
    let rejected = import["rejected"].as_array().unwrap();
    assert_eq!(
        (&rejected[0]["row"], &rejected[0]["column"], &rejected[0]["value"]),
        (&json!(2), &json!("I"), &json!("-1.000000"))
    );
    assert_eq!(
        (&rejected[1]["row"], &rejected[1]["column"], &rejected[1]["value"]),
        (&json!(3), &json!("G"), &json!("byu"))
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_file_of_another_broker_is_imported_only_after_confirmation(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let file = groww_xlsx(&fills(0..20));
    let mut upload = Upload::new("t.xlsx", &file, "zerodha");
    let mismatch = trader.upload(&upload).await.expect_problem(409, "file_mismatch").json();
    assert_eq!(mismatch["detected"], json!({ "broker": "groww", "tradetype": "equity" }));
    assert!(mismatch["detail"].as_str().unwrap().ends_with('?'), "{mismatch}");
    assert_eq!(trader.count_trades().await, 0);
    upload.fields.push(("confirm", "true"));
    let import = trader.upload(&upload).await.json()["import"].clone();
    assert_eq!((&import["added"], &import["broker"]), (&json!(20), &json!("groww")));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_file_without_trades_is_rejected_with_a_reason_and_stores_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let good = zerodha_xlsx(&fills(0..300));
    let mutual_funds = String::from_utf8(zerodha_csv(&fills(0..3))).unwrap().replace(",EQ,EQ,", ",MF,,");
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write(10, 1, "P&L Statement for Equity from 2025-04-01 to 2026-03-31").unwrap();
    for (column, name) in (1..).zip(["Symbol", "ISIN", "Quantity", "Buy Value", "Sell Value", "Realized P&L"]) {
        sheet.write(37, column, name).unwrap();
    }
    let profit_and_loss = workbook.save_to_buffer().unwrap();
    let header_only = zerodha_csv(&[]);
    let cases: [(&str, &[u8], &str); 8] = [
        ("notes.txt", b"dear diary,\nnothing today\n", "file_not_supported"),
        ("image.xlsx", b"\x89PNG\r\n\x1a\n0000", "file_unreadable"),
        ("empty.xlsx", b"", "file_empty"),
        ("pnl.xlsx", &profit_and_loss, "report_unsupported"),
        ("mf.csv", mutual_funds.as_bytes(), "report_unsupported"),
        ("cut.xlsx", &good[..good.len() / 2], "file_unreadable"),
        ("tail.xlsx", &good[good.len() / 2..], "file_unreadable"),
        ("none.csv", &header_only, "no_trades"),
    ];
    for (name, file, code) in cases {
        let refused = trader.upload(&Upload::new(name, file, "zerodha")).await;
        assert_eq!(refused.json()["code"], code, "{name}: {:#}", refused.json());
        assert_eq!(refused.status, 422, "{name}");
        let sentence = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(sentence.ends_with('.') && sentence.len() > 20, "{name}: {sentence}");
        assert_eq!(trader.count_trades().await, 0, "{name}");
    }
    let large = vec![b'x'; 32 * 1024 * 1024 + 1];
    trader.upload(&Upload::new("large.csv", &large, "zerodha")).await.expect_problem(413, "file_too_large");
    assert_eq!(trader.upload(&Upload::new("good.xlsx", &good, "zerodha")).await.json()["import"]["added"], 300);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_form_names_its_fields_and_another_email_is_rejected(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let file = zerodha_csv(&fills(0..3));
    let upload =
        |fields: Vec<(&'static str, &'static str)>| Upload { fields, ..Upload::new("t.csv", &file, "zerodha") };
    for (fields, field) in [
        (vec![("broker", "zerodha")], "tradetype"),
        (vec![("tradetype", "equity")], "broker"),
        (vec![("broker", "other"), ("tradetype", "equity")], "broker"),
        (vec![("broker", "zerodha"), ("tradetype", "equity"), ("confirm", "perhaps")], "confirm"),
    ] {
        let refused = trader.upload(&upload(fields)).await.expect_problem(422, "invalid").json();
        assert_eq!(refused["errors"][0]["field"], field, "{refused:#}");
    }
    let mut foreign = Upload::new("t.csv", &file, "zerodha");
    foreign.fields.push(("email", &other.email));
    trader.upload(&foreign).await.expect_problem(403, "email_mismatch");
    assert_eq!((trader.count_trades().await, other.count_trades().await), (0, 0));
    let mut own = Upload::new("t.csv", &file, "zerodha");
    own.fields.push(("email", &trader.email));
    assert_eq!(trader.upload(&own).await.status, 200);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_preview_imports_nothing_until_it_is_committed(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let older = zerodha_csv(&fills(0..30));
    assert_eq!(trader.upload(&Upload::new("older.csv", &older, "zerodha")).await.status, 200);
    // The first price is corrected, one row is invalid, and the rest is new.
    let mut corrected = fills(0..50);
    corrected[0].price = 123_450;
    let file = String::from_utf8(zerodha_csv(&corrected)).unwrap();
    let misspelt = |(n, line): (usize, &str)| if n == 3 { line.replace(",buy,", ",byu,") } else { line.to_owned() };
    let file = file.lines().enumerate().map(misspelt).collect::<Vec<_>>().join("\n");
    let upload = Upload::new("t.csv", file.as_bytes(), "groww");
    trader.preview(&upload).await.expect_problem(409, "file_mismatch");
    let shown = trader.preview(&Upload::new("t.csv", file.as_bytes(), "zerodha")).await.json();
    let counts = ["rows", "added", "duplicates", "conflictTotal", "rejectedTotal"];
    assert_eq!(counts.map(|name| shown[name].as_i64().unwrap()), [50, 20, 29, 1, 1], "{shown:#}");
    assert_eq!((&shown["rejected"][0]["row"], &shown["formatTitle"]), (&json!(4), &json!("Zerodha tradebook")));
    assert_eq!((&shown["sample"][0]["row"], &shown["sample"][0]["outcome"]), (&json!(2), &json!("conflict")));
    assert_eq!(shown["conflicts"][0]["now"]["price"], json!(1234.5));
    assert_eq!(trader.count_trades().await, 30);

    let id = shown["id"].as_str().unwrap();
    let choices = json!({ shown["conflicts"][0]["id"].as_str().unwrap(): "take" }).to_string();
    let fields = [("previewId", id), ("state", shown["state"].as_str().unwrap()), ("choices", choices.as_str())];
    let done = trader.commit(&fields).await;
    let report = done.json()["import"].clone();
    let counts = ["added", "duplicates", "conflictTotal", "corrected", "rejectedTotal"];
    assert_eq!(counts.map(|name| report[name].as_i64().unwrap()), [20, 29, 0, 1, 1], "{report:#}");
    let again = trader.commit(&fields).await;
    assert_eq!((&again.json()["import"], again.headers["idempotency-replayed"].as_bytes()), (&report, &b"true"[..]));
    assert_eq!(trader.count_trades().await, 50);
    let change = trader.get("/trades/changes?limit=1").await.json()["changes"][0].clone();
    assert_eq!((&change["import"]["rows"], &change["import"]["rejected"]), (&json!(50), &json!(1)));
    assert!(change["import"]["durationMs"].is_i64(), "{change:#}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_groww_fno_report_as_xls_gives_two_trades_per_row_with_contracts(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let file = include_bytes!("../../../import/src/tests/fixtures/xls/groww-fno.xls");
    let fields = vec![("broker", "groww"), ("tradetype", "fno")];
    let upload = Upload { fields, ..Upload::new("report.xlsx", file, "groww") };
    let import = trader.upload(&upload).await.json()["import"].clone();
    assert_eq!((&import["rows"], &import["added"], &import["rejectedTotal"]), (&json!(5), &json!(9), &json!(0)));
    let codes: Vec<_> = import["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].clone()).collect();
    assert_eq!(codes, ["expired_without_value"], "{import:#}");
    let again = trader.upload(&upload).await.json()["import"].clone();
    assert_eq!((&again["added"], &again["duplicates"]), (&json!(0), &json!(9)));
    let log = read_log(&trader).await;
    let short = log.iter().find(|trade| trade["quantity"] == 35 && trade["type"] == "sell").unwrap();
    assert_eq!((&short["price"], &short["value"]), (&json!(120.5), &json!(4217.5)));
    assert_eq!((&short["timePrecision"], &short["timestamp"]), (&json!("day"), &json!("2025-11-09T18:30:00Z")));
    let contract = json!({ "underlying": "BANKNIFTY", "expiry": "2025-11-25", "kind": "PE", "strike": 58700 });
    assert_eq!(short["contract"], contract);
}
