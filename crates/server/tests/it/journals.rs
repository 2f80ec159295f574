//! The journals of the public pages, over REST: a cookie instead of an account.

use std::sync::Arc;

use axum::body::Body;
use clap::Parser as _;
use http::{Method, Request};
use rpc::authorization::ACCOUNT_METADATA_KEY;
use rpc::journals::v1::journal_service_client::JournalServiceClient;
use rpc::journals::v1::{Kind, ListEntriesRequest};
use rpc::token::Purpose;
use serde_json::{Value, json};
use server::config::{Cli, Command};
use server::core::sweep;
use server::database::Pools;
use sqlx::PgPool;

use crate::app::{App, Reply, Trader};
use crate::authorization_grpc::{House, service_token};

/// An entry as a page sends it, which comes to 255 rupees.
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
    fn asking(&self, method: Method, path: &str) -> http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) }
    }

    /// Saves an entry, and keeps the cookie that comes back.
    pub async fn save(&mut self, app: &App, entry: &Value) -> Reply {
        let request = self.asking(Method::POST, "/trades").header("content-type", "application/json");
        let reply = app.send(request.body(Body::from(entry.to_string())).unwrap()).await;
        if reply.headers.contains_key("set-cookie") {
            self.cookie = reply.cookie();
        }
        reply
    }

    pub async fn look(&self, app: &App) -> Value {
        let request = self.asking(Method::GET, "/api/v1/trades/intraday");
        app.send(request.body(Body::empty()).unwrap()).await.json()
    }

    pub async fn take_over(&self, app: &App, trader: &Trader<'_>) -> Reply {
        let request = trader.request(Method::POST, "/journal/take-over").header("cookie", &self.cookie);
        app.send(request.body(Body::empty()).unwrap()).await
    }
}

/// As full as it says, as far as the limit is concerned.
pub async fn fill(pool: &PgPool) {
    sqlx::query("update trades.journal set entry_count = 10000").execute(pool).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn two_visitors_have_a_journal_each_and_a_cookie_that_is_made_up_opens_neither(pool: PgPool) {
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

    let page = one.look(&app).await;
    assert_eq!(page["data"][1], saved);
    assert_eq!((&page["total"], &page["wins"], page["pnl"].as_f64()), (&json!(2), &json!(1), Some(205.0)));
    assert_eq!(page["anonymous"], true);
    assert_eq!(other.look(&app).await["total"], 1);

    let half = one.cookie.len() - 4;
    for made_up in [format!("{}AAAA", &one.cookie[..half]), "journal=1".to_owned(), "journal=%00".to_owned()] {
        let mut forger = Browser { cookie: made_up.clone() };
        assert_eq!(forger.look(&app).await["total"], 0);
        assert_eq!(forger.save(&app, &entry(&json!({}))).await.status, 201);
        assert_ne!(forger.cookie, made_up);
        assert_eq!(forger.look(&app).await["total"], 1);
    }
    assert_eq!(one.look(&app).await["total"], 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_the_browser_worked_out_is_compared_and_not_trusted(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut browser = Browser::default();
    let refused = browser.save(&app, &entry(&json!({ "pnl": 2550, "status": "LOSS" }))).await.expect(422, "invalid");
    let errors = refused.json()["errors"].clone();
    assert_eq!((&errors[0]["field"], &errors[0]["code"]), (&json!("pnl"), &json!("pnl_differs")));
    assert_eq!(errors[0]["message"], "The profit comes to 255.00, not 2550.");
    assert_eq!((&errors[1]["field"], &errors[1]["code"]), (&json!("status"), &json!("status_differs")));
    assert_eq!(browser.look(&app).await["total"], 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_takes_over_one_journal_and_then_another(pool: PgPool) {
    let app = App::new(&pool).await;
    let (asha, ravi) = (app.trader().await, app.trader().await);
    let (mut laptop, mut phone) = (Browser::default(), Browser::default());
    laptop.save(&app, &entry(&json!({}))).await;
    for _ in 0..2 {
        phone.save(&app, &entry(&json!({}))).await;
    }
    let taken = laptop.take_over(&app, &asha).await;
    assert_eq!((taken.status.as_u16(), &taken.json()), (200, &json!({ "entries": 1 })));
    assert_eq!(taken.cookie(), "journal=");
    laptop.take_over(&app, &asha).await.expect(404, "no_journal");
    laptop.take_over(&app, &ravi).await.expect(404, "no_journal");
    assert_eq!(laptop.look(&app).await["total"], 0);
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
async fn a_full_journal_is_still_read_and_taken_over(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.trader().await;
    let mut browser = Browser::default();
    browser.save(&app, &entry(&json!({}))).await;
    fill(&pool).await;
    browser.save(&app, &entry(&json!({}))).await.expect(409, "journal_full");
    assert_eq!(browser.look(&app).await["total"], 1);
    assert_eq!(browser.take_over(&app, &asha).await.status, 200);
    let mut another = Browser::default();
    another.save(&app, &entry(&json!({}))).await;
    another.take_over(&app, &asha).await.expect(409, "journal_full");
    assert_eq!(another.look(&app).await["total"], 1, "nothing of it went");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_save_that_is_sent_twenty_times_is_stored_once(pool: PgPool) {
    let app = Arc::new(App::new(&pool).await);
    let mut browser = Browser::default();
    browser.save(&app, &entry(&json!({}))).await;
    let keyed = |changed: &Value| {
        let request = browser.asking(Method::POST, "/trades").header("content-type", "application/json");
        request.header("idempotency-key", "save-7").body(Body::from(entry(changed).to_string())).unwrap()
    };
    let sending = (0..20).map(|_| {
        let (app, request) = (app.clone(), keyed(&json!({})));
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
    app.send(keyed(&json!({ "symbol": "sbin" }))).await.expect(422, "key_reused");
    assert_eq!(browser.look(&app).await["total"], 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn ninety_days_after_the_last_save_a_journal_is_gone_and_the_cookie_opens_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let (mut left, mut kept) = (Browser::default(), Browser::default());
    left.save(&app, &entry(&json!({}))).await;
    kept.save(&app, &entry(&json!({}))).await;
    sqlx::query("update trades.journal set last_saved_at = now() - interval '91 days'").execute(&pool).await.unwrap();
    kept.save(&app, &entry(&json!({}))).await;
    let Command::Serve(settings) = Cli::parse_from(["tradebahi", "serve"]).command else { unreachable!() };
    let pools = Pools { requests: pool.clone(), imports: pool.clone(), readiness: pool.clone() };
    sweep(&pools, &settings.auth()).await;
    assert_eq!((left.look(&app).await["total"].clone(), kept.look(&app).await["total"].clone()), (json!(0), json!(2)));
    let gone = left.cookie.clone();
    assert_eq!(left.save(&app, &entry(&json!({}))).await.status, 201);
    assert_ne!(left.cookie, gone);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_journal_of_an_account_is_for_its_session_alone(pool: PgPool) {
    let house = House::new(&pool).await;
    let app = App::over(house.core.clone(), house.verifier.clone());
    let session = house.sign_in().await.access_token;
    let analytics = house.mint(Purpose::Analytics, |_, _| {});
    let service = service_token(&pool, "reader", "trades:read").await;
    house.ask().await;
    let by = |method: Method, token: &str| {
        let path = if method == Method::POST { "/trades" } else { "/trades/intraday" };
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        request.header("authorization", format!("Bearer {token}")).body(Body::from(entry(&json!({})).to_string()))
    };
    assert_eq!(app.send(by(Method::POST, &session).unwrap()).await.status, 201);
    for token in [&analytics, &service] {
        app.send(by(Method::GET, token).unwrap()).await.expect(403, "forbidden");
        app.send(by(Method::POST, token).unwrap()).await.expect(403, "forbidden");
    }
    // The rpc is open, so they get in there, and are nobody.
    let account: String =
        sqlx::query_scalar("select account_id::text from auth.account").fetch_one(&pool).await.unwrap();
    for (token, total) in [(&session, 1), (&analytics, 0), (&service, 0)] {
        let asked = ListEntriesRequest { kind: Kind::Intraday.into(), limit: 1, ..Default::default() };
        let mut request = tonic::Request::new(asked);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        request.metadata_mut().insert(ACCOUNT_METADATA_KEY, account.parse().unwrap());
        let page = JournalServiceClient::new(house.core.clone()).list_entries(request).await.unwrap().into_inner();
        assert_eq!(page.total, total);
    }
}
