//! Journals of the public pages over REST, identified by a cookie instead of an account.

use std::sync::Arc;

use axum::body::Body;
use http::{Method, Request};
use rpc::authorization::ACCOUNT_METADATA_KEY;
use rpc::journal::v1::journal_service_client::JournalServiceClient;
use rpc::journal::v1::{Kind, ListEntriesRequest};
use rpc::token::Purpose;
use serde_json::{Value, json};
use server::core::run_cleanup;
use sqlx::PgPool;

use crate::app::{App, Reply, Trader, pools};
use crate::authorization_grpc::{CoreFixture, service_token};

/// Returns an entry as a page sends it, with a profit of 255 rupees and the fields of `changed`.
pub fn entry(changed: &Value) -> Value {
    let mut entry = json!({
        "type": "intraday", "symbol": "tatasteel", "buyPrice": 142.5, "quantity": 100, "sellPrice": 145.05,
        "targetPrice": 146, "stopLoss": 141, "buyDateTime": "2026-04-01T09:20", "sellDateTime": "2026-04-01T11:45",
        "pnl": 255, "status": "WIN",
    });
    for (name, value) in changed.as_object().unwrap() {
        entry[name] = value.clone();
    }
    entry
}

/// A browser on the journal pages.
#[derive(Clone, Default)]
pub struct Browser {
    cookie: String,
}

impl Browser {
    fn request(&self, method: Method, path: &str) -> http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) }
    }

    /// Saves an entry, and keeps the cookie that comes back.
    pub async fn save(&mut self, app: &App, entry: &Value) -> Reply {
        let request = self.request(Method::POST, "/trades").header("content-type", "application/json");
        let reply = app.send(request.body(Body::from(entry.to_string())).unwrap()).await;
        if reply.headers.contains_key("set-cookie") {
            self.cookie = reply.cookie();
        }
        reply
    }

    /// Returns the intraday entries.
    pub async fn list_intraday(&self, app: &App) -> Value {
        let request = self.request(Method::GET, "/api/v1/trades/intraday");
        app.send(request.body(Body::empty()).unwrap()).await.json()
    }

    pub async fn take_over(&self, app: &App, trader: &Trader<'_>) -> Reply {
        let request = trader.request(Method::POST, "/journal/take-over").header("cookie", &self.cookie);
        app.send(request.body(Body::empty()).unwrap()).await
    }
}

/// Sets the entry count of every journal to the limit.
pub async fn fill_journals(pool: &PgPool) {
    sqlx::query("update journal.journal set entry_count = 10000").execute(pool).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn each_visitor_has_a_journal_and_a_forged_cookie_opens_none(pool: PgPool) {
    let app = App::new(&pool).await;
    let (mut one, mut other) = (Browser::default(), Browser::default());
    let saved = one.save(&app, &entry(&json!({}))).await;
    assert_eq!(saved.status, 201);
    let saved = saved.json()["data"].clone();
    let mut expected = entry(&json!({ "id": "1", "symbol": "TATASTEEL" }));
    expected["buyDateTime"] = json!("2026-04-01T03:50:00Z");
    expected["sellDateTime"] = json!("2026-04-01T06:15:00Z");
    assert_eq!(saved["pnl"].as_f64(), Some(255.0));
    expected["pnl"] = saved["pnl"].clone();
    assert_eq!(saved, expected);
    let loss = json!({ "symbol": "sbin", "sellPrice": 142, "pnl": -50.0, "status": "LOSS" });
    other.save(&app, &entry(&loss)).await;
    one.save(&app, &entry(&loss)).await;

    let page = one.list_intraday(&app).await;
    assert_eq!(page["data"][1], saved);
    assert_eq!((&page["total"], &page["wins"], page["pnl"].as_f64()), (&json!(2), &json!(1), Some(205.0)));
    assert_eq!(page["anonymous"], true);
    assert_eq!(other.list_intraday(&app).await["total"], 1);

    let half = one.cookie.len() - 4;
    for made_up in [format!("{}AAAA", &one.cookie[..half]), "journal=1".to_owned(), "journal=%00".to_owned()] {
        let mut forger = Browser { cookie: made_up.clone() };
        assert_eq!(forger.list_intraday(&app).await["total"], 0);
        assert_eq!(forger.save(&app, &entry(&json!({}))).await.status, 201);
        assert_ne!(forger.cookie, made_up);
        assert_eq!(forger.list_intraday(&app).await["total"], 1);
    }
    assert_eq!(one.list_intraday(&app).await["total"], 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn profit_and_status_from_the_browser_are_verified(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut browser = Browser::default();
    let refused =
        browser.save(&app, &entry(&json!({ "pnl": 2550, "status": "LOSS" }))).await.expect_problem(422, "invalid");
    let errors = refused.json()["errors"].clone();
    assert_eq!((&errors[0]["field"], &errors[0]["code"]), (&json!("pnl"), &json!("pnl_differs")));
    assert_eq!(errors[0]["message"], "The profit comes to 255.00, not 2550.");
    assert_eq!((&errors[1]["field"], &errors[1]["code"]), (&json!("status"), &json!("status_differs")));
    assert_eq!(browser.list_intraday(&app).await["total"], 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_can_take_over_several_journals(pool: PgPool) {
    let app = App::new(&pool).await;
    let (asha, ravi) = (app.register_trader().await, app.register_trader().await);
    let (mut laptop, mut phone) = (Browser::default(), Browser::default());
    laptop.save(&app, &entry(&json!({}))).await;
    for _ in 0..2 {
        phone.save(&app, &entry(&json!({}))).await;
    }
    let take_over = laptop.take_over(&app, &asha).await;
    assert_eq!((take_over.status.as_u16(), &take_over.json()), (200, &json!({ "entries": 1 })));
    assert_eq!(take_over.cookie(), "journal=");
    laptop.take_over(&app, &asha).await.expect_problem(404, "journal_not_found");
    laptop.take_over(&app, &ravi).await.expect_problem(404, "journal_not_found");
    assert_eq!(laptop.list_intraday(&app).await["total"], 0);
    let own = asha.get("/trades/intraday").await.json();
    assert_eq!((&own["total"], &own["anonymous"]), (&json!(1), &json!(false)));

    assert_eq!(phone.take_over(&app, &asha).await.json()["entries"], 2);
    let own = asha.get("/trades/intraday").await.json();
    let ids: Vec<_> = own["data"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!((ids, own["pnl"].as_f64()), (vec![json!("3"), json!("2"), json!("1")], Some(765.0)));
    let written = asha.request(Method::POST, "/trades").header("content-type", "application/json");
    let written = app.send(written.body(Body::from(entry(&json!({})).to_string())).unwrap()).await;
    assert_eq!((written.status.as_u16(), written.headers.contains_key("set-cookie")), (201, false));
    assert_eq!(asha.get("/trades/intraday").await.json()["total"], 4);
    assert_eq!(ravi.get("/trades/intraday").await.json()["total"], 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_journal_can_be_read_and_taken_over(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let mut browser = Browser::default();
    browser.save(&app, &entry(&json!({}))).await;
    fill_journals(&pool).await;
    browser.save(&app, &entry(&json!({}))).await.expect_problem(409, "journal_full");
    assert_eq!(browser.list_intraday(&app).await["total"], 1);
    assert_eq!(browser.take_over(&app, &asha).await.status, 200);
    let mut another = Browser::default();
    another.save(&app, &entry(&json!({}))).await;
    another.take_over(&app, &asha).await.expect_problem(409, "journal_full");
    assert_eq!(another.list_intraday(&app).await["total"], 1, "no entry was moved");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_save_sent_20_times_with_one_key_is_stored_once(pool: PgPool) {
    let app = Arc::new(App::new(&pool).await);
    let mut browser = Browser::default();
    browser.save(&app, &entry(&json!({}))).await;
    let request_with_key = |changed: &Value| {
        let request = browser.request(Method::POST, "/trades").header("content-type", "application/json");
        request.header("idempotency-key", "save-7").body(Body::from(entry(changed).to_string())).unwrap()
    };
    let sending = (0..20).map(|_| {
        let (app, request) = (app.clone(), request_with_key(&json!({})));
        tokio::spawn(async move { app.send(request).await })
    });
    let (mut stored, mut first) = (0, Value::Null);
    for sent in sending.collect::<Vec<_>>() {
        let reply = sent.await.unwrap();
        assert_eq!(reply.status, 201);
        stored += i32::from(!reply.headers.contains_key("idempotency-replayed"));
        first = if first.is_null() { reply.json() } else { first };
        assert_eq!(reply.json(), first);
    }
    assert_eq!(stored, 1);
    app.send(request_with_key(&json!({ "symbol": "sbin" }))).await.expect_problem(422, "idempotency_key_reused");
    assert_eq!(browser.list_intraday(&app).await["total"], 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_journal_is_deleted_90_days_after_the_last_save(pool: PgPool) {
    let app = App::new(&pool).await;
    let (mut expired, mut active) = (Browser::default(), Browser::default());
    expired.save(&app, &entry(&json!({}))).await;
    active.save(&app, &entry(&json!({}))).await;
    sqlx::query("update journal.journal set last_saved_at = now() - interval '91 days'").execute(&pool).await.unwrap();
    active.save(&app, &entry(&json!({}))).await;
    let pools = pools(&pool);
    run_cleanup(&pools, &app.settings).await;
    assert_eq!(
        (expired.list_intraday(&app).await["total"].clone(), active.list_intraday(&app).await["total"].clone()),
        (json!(0), json!(2))
    );
    let expired_cookie = expired.cookie.clone();
    assert_eq!(expired.save(&app, &entry(&json!({}))).await.status, 201);
    assert_ne!(expired.cookie, expired_cookie);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_journal_of_an_account_requires_its_session(pool: PgPool) {
    let core = CoreFixture::new(&pool).await;
    let app = App::with_core(core.transport.clone(), core.verifier.clone());
    let session = core.log_in().await.access_token;
    let analytics = core.mint_token(Purpose::Analytics, |_, _| {});
    let service = service_token(&pool, "reader", "trades:read").await;
    core.refresh_verifier().await;
    let by = |method: Method, token: &str| {
        let path = if method == Method::POST { "/trades" } else { "/trades/intraday" };
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        request.header("authorization", format!("Bearer {token}")).body(Body::from(entry(&json!({})).to_string()))
    };
    assert_eq!(app.send(by(Method::POST, &session).unwrap()).await.status, 201);
    for token in [&analytics, &service] {
        app.send(by(Method::GET, token).unwrap()).await.expect_problem(403, "forbidden");
        app.send(by(Method::POST, token).unwrap()).await.expect_problem(403, "forbidden");
    }
    // The rpc is public, so the calls succeed, but without an account.
    let account: String =
        sqlx::query_scalar("select account_id::text from auth.account").fetch_one(&pool).await.unwrap();
    for (token, total) in [(&session, 1), (&analytics, 0), (&service, 0)] {
        let message = ListEntriesRequest { kind: Kind::Intraday.into(), page_size: 1, ..Default::default() };
        let mut request = tonic::Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        request.metadata_mut().insert(ACCOUNT_METADATA_KEY, account.parse().unwrap());
        let page = JournalServiceClient::new(core.transport.clone()).list_entries(request).await.unwrap().into_inner();
        assert_eq!(page.total, total);
    }
}
