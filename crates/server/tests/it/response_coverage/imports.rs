//! Responses of the operations for previews.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply, Trader, Upload};
use crate::broker_files::{Fill, groww_xlsx};
use crate::fixtures::ledgers;
use crate::ledgers::{PATH, send_ledger};
use crate::pdf_fixtures::contract_notes::{self, Layout, Misprint, Note};
use crate::pdf_fixtures::documents::{self, Encryption};
use crate::trades::SendJson as _;

pub async fn cover(app: &App, covered: &mut BTreeSet<DocumentedResponse>) {
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    for (method, path) in [
        (Method::POST, "/uploadexcel/preview"),
        (Method::GET, "/uploadexcel/preview/x"),
        (Method::POST, "/uploadexcel/columns"),
        (Method::POST, LAYOUT_PATH),
        (Method::POST, PATH),
        (Method::GET, "/trades/ledgers"),
        (Method::DELETE, "/trades/ledgers/x"),
        (Method::GET, "/analytics/costs"),
    ] {
        let unauthenticated = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        cover(app.send(unauthenticated).await).expect_problem(401, "unauthenticated");
    }
    let file = groww_xlsx(&[Fill::nth(1)]);
    let upload = |broker: &'static str| Upload::new("g.xlsx", &file, broker);
    let preview = cover(trader.preview(&upload("groww")).await).json();
    cover(trader.preview(&upload("zerodha")).await).expect_problem(409, "file_mismatch");
    cover(trader.preview(&upload("nobody")).await).expect_problem(422, "invalid");
    cover(trader.preview(&Upload { fields: vec![("email", &other.email)], ..upload("groww") }).await)
        .expect_problem(403, "email_mismatch");
    let large = vec![b'x'; 32 * 1024 * 1024 + 1];
    cover(trader.preview(&Upload::new("l.csv", &large, "zerodha")).await).expect_problem(413, "file_too_large");
    let broken = trader.request(Method::POST, "/uploadexcel/preview");
    let broken = broken.header("content-type", Upload::CONTENT_TYPE).body(Body::from("--x\r\nbroken")).unwrap();
    cover(app.send(broken).await).expect_problem(400, "malformed");

    let id = preview["id"].as_str().unwrap();
    let path = format!("/uploadexcel/preview/{id}");
    assert_eq!(cover(trader.get(&path).await).json(), preview);
    cover(other.get(&path).await).expect_problem(404, "preview_not_found");
    cover(other.commit(&[("previewId", id)]).await).expect_problem(404, "preview_not_found");
    assert_eq!(trader.upload(&upload("groww")).await.status, 200);
    cover(trader.commit(&[("previewId", id)]).await).expect_problem(409, "preview_changed");
    assert_eq!(cover(trader.commit(&[("previewId", id)]).await).status, 200);
    cover_columns(app, &trader, &other, &mut cover).await;
    cover_layout(app, &trader, &other, &mut cover).await;
    cover_ledgers(app, &trader, &other, &mut cover).await;
}

const LAYOUT_PATH: &str = "/uploadexcel/layout";

/// Shows the layout of a contract note that is not imported.
async fn cover_layout(app: &App, trader: &Trader<'_>, other: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let send = async |file: &[u8], fields: Vec<(&str, &str)>| {
        let upload = Upload { fields, ..Upload::new("Ravi Kumar.pdf", file, "") };
        let request = trader.request(Method::POST, LAYOUT_PATH).header("content-type", Upload::CONTENT_TYPE);
        app.send(request.body(Body::from(upload.form())).unwrap()).await
    };
    let good = contract_notes::note(Layout::Zerodha, 7, "05-06-2026", 2);
    let note = contract_notes::file(&Note { misprint: Some(Misprint::Net), ..good.clone() });
    let rejected = trader.preview(&Upload::new("note.pdf", &note, "zerodha")).await;
    assert_eq!(rejected.expect_problem(422, "file_unreadable").json()["cause"], "note_check_failed");
    let layout = cover(send(&note, vec![("email", &trader.email)]).await).json();
    let text = layout["text"].as_str().unwrap();
    assert!(
        text.contains("Zerodha Broking Limited") && !text.contains("RELIANCE") && !text.contains("Kumar"),
        "{text}"
    );
    let locked = documents::save_encrypted(contract_notes::document(&[good]), Encryption::Aes128, "ABCDE1234F");
    cover(send(&locked, vec![("password", "x")]).await).expect_problem(422, "file_password_needed");
    assert_eq!(send(&locked, vec![("password", "ABCDE1234F")]).await.status, 200);
    let twice = vec![("password", "x"), ("password", "x"), ("broker", "zerodha")];
    assert_eq!(send(&locked, twice).await.expect_problem(422, "invalid").json()["errors"].as_array().unwrap().len(), 2);
    let long = "x".repeat(128);
    let invalid = send(&locked, vec![("password", &long)]).await.expect_problem(422, "invalid").json();
    assert_eq!(invalid["errors"][0]["field"], "password");
    cover(send(b"a,b", Vec::new()).await).expect_problem(422, "file_not_supported");
    cover(send(&note, vec![("email", &other.email)]).await).expect_problem(403, "email_mismatch");
    cover(send(&vec![b'x'; 32 * 1024 * 1024 + 1], Vec::new()).await).expect_problem(413, "file_too_large");
    let broken = trader.request(Method::POST, LAYOUT_PATH).header("content-type", Upload::CONTENT_TYPE);
    cover(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect_problem(400, "malformed");
}

/// Imports and removes a ledger.
async fn cover_ledgers(app: &App, trader: &Trader<'_>, other: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let file = ledgers::zerodha_csv();
    let send =
        async |file: &[u8], fields: &[(&str, &str)]| send_ledger(trader, "ledger-AB1234.csv", file, fields).await;
    let imported = cover(send(file.as_bytes(), &[]).await).json();
    let other_code = send_ledger(trader, "ledger-ZX9876.csv", file.as_bytes(), &[("brokerAccount", "1")]).await;
    cover(other_code).expect_problem(409, "other_client_code");
    cover(send(b"no ledger", &[]).await).expect_problem(422, "file_not_supported");
    cover(send(&vec![b'x'; 32 * 1024 * 1024 + 1], &[]).await).expect_problem(413, "file_too_large");
    let broken = trader.request(Method::POST, PATH).header("content-type", Upload::CONTENT_TYPE);
    cover(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect_problem(400, "malformed");
    assert_eq!(cover(trader.get("/analytics/costs").await).status, 200);
    cover(trader.get("/analytics/costs?by=year").await).expect_problem(422, "invalid");
    assert_eq!(cover(trader.get("/trades/ledgers").await).json()["ledgers"][0]["id"], imported["id"]);
    let path = format!("/trades/ledgers/{}", imported["id"].as_str().unwrap());
    cover(other.send_json(app, Method::DELETE, &path, &Value::Null).await).expect_problem(404, "ledger_not_found");
    assert_eq!(cover(trader.send_json(app, Method::DELETE, &path, &Value::Null).await).status, 200);
}

/// Names the columns of an unknown file, which is then imported.
async fn cover_columns(app: &App, trader: &Trader<'_>, other: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let file = b"Scrip,B/S,Traded Qty,Rate,Date,Time\nTATASTEEL,B,900,178.35,19-11-2025,14:31:08\n\
                 ITC,S,5,400.05,20-11-2025,03:00:00\n";
    let send = async |file: &[u8], fields: Vec<(&str, &str)>| {
        let upload = Upload { fields, ..Upload::new("orders.csv", file, "") };
        let request = trader.request(Method::POST, "/uploadexcel/columns").header("content-type", Upload::CONTENT_TYPE);
        app.send(request.body(Body::from(upload.form())).unwrap()).await
    };
    let unknown =
        trader.preview(&Upload::new("orders.csv", file, "dhan")).await.expect_problem(422, "file_not_supported");
    drop(unknown);
    let table = cover(send(file, Vec::new()).await).json();
    assert_eq!(
        (&table["headerRow"], &table["header"][2], &table["result"]),
        (&json!(1), &json!("Traded Qty"), &Value::Null)
    );
    let fields = ["symbol", "side", "quantity", "price", "date", "time"];
    let columns: Vec<_> =
        fields.iter().enumerate().map(|(column, field)| json!({ "column": column, "field": field })).collect();
    let mapping = json!({
        "header": table["header"], "broker": "dhan", "tradetype": "equity", "columns": columns, "exchange": "NSE",
    });
    let mapped = cover(send(file, vec![("mapping", &mapping.to_string()), ("headerRow", "1")]).await).json();
    assert_eq!((&mapped["result"]["trades"], &mapped["dateOrderProven"]), (&json!(2), &json!(true)));
    assert_eq!(mapped["issueCounts"], json!({ "outside_market_hours": 1 }));
    cover(send(file, vec![("email", &other.email)]).await).expect_problem(403, "email_mismatch");
    cover(send(file, vec![("mapping", "{}")]).await).expect_problem(422, "invalid");
    cover(send(b"no table", Vec::new()).await).expect_problem(422, "file_not_supported");
    cover(send(&vec![b'x'; 32 * 1024 * 1024 + 1], Vec::new()).await).expect_problem(413, "file_too_large");
    let broken = trader.request(Method::POST, "/uploadexcel/columns");
    let broken = broken.header("content-type", Upload::CONTENT_TYPE).body(Body::from("--x\r\nbroken")).unwrap();
    cover(app.send(broken).await).expect_problem(400, "malformed");

    let path = "/trades/column-mappings";
    let body = json!({ "name": "orders.csv", "mapping": mapping });
    let saved = cover(trader.send_json(app, Method::POST, path, &body).await).json();
    assert_eq!(cover(trader.get(path).await).json()["mappings"], json!([saved]));
    assert_eq!(other.get(path).await.json()["mappings"], json!([]));
    let invalid = json!({ "mapping": { "header": ["a"], "broker": "dhan", "tradetype": "equity", "columns": [] } });
    cover(trader.send_json(app, Method::POST, path, &invalid).await).expect_problem(422, "invalid");
    let mut without_exchange = mapping.clone();
    without_exchange.as_object_mut().unwrap().remove("exchange");
    let rejected = [
        trader.send_json(app, Method::POST, path, &json!({ "mapping": without_exchange })).await,
        send(file, vec![("mapping", &without_exchange.to_string())]).await,
    ];
    for reply in rejected {
        let error = &reply.expect_problem(422, "invalid").json()["errors"][0];
        assert_eq!(
            (&error["field"], &error["message"]),
            (&json!("mapping.exchange"), &json!("Choose the exchange, or the column that has it."))
        );
    }
    let broken = trader.request(Method::POST, path).header("content-type", "application/json").body(Body::from("{"));
    cover(app.send(broken.unwrap()).await).expect_problem(400, "malformed");
    // The selected broker is another one: the mapping decides, without a question.
    let preview = trader.preview(&Upload::new("again.csv", file, "zerodha")).await.json();
    assert_eq!(
        (&preview["broker"], &preview["added"], &preview["format"]),
        (&json!("dhan"), &json!(2), &json!("column-mapping"))
    );
    let id = preview["id"].as_str().unwrap();
    assert_eq!(trader.commit(&[("previewId", id)]).await.json()["import"]["added"], 2);
    let again = trader.preview(&Upload::new("copy.csv", file, "dhan")).await.json();
    assert_eq!((&again["added"], &again["duplicates"]), (&json!(0), &json!(2)));
    assert_eq!(trader.get("/account/export?format=json").await.json()["columnMappings"], json!([saved]));
    let one = format!("{path}/{}", saved["id"].as_str().unwrap());
    assert_eq!(cover(other.send_json(app, Method::DELETE, &one, &Value::Null).await).status, 204);
    assert_eq!(trader.get(path).await.json()["mappings"], json!([saved]));
    assert_eq!(trader.send_json(app, Method::DELETE, &one, &Value::Null).await.status, 204);
    trader.preview(&Upload::new("again.csv", file, "dhan")).await.expect_problem(422, "file_not_supported");
    for (method, path) in [(Method::GET, path), (Method::POST, path), (Method::DELETE, &*one)] {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        cover(app.send(request.body(Body::from("{}")).unwrap()).await).expect_problem(401, "unauthenticated");
    }
}
