//! Every operation of openapi.yaml that takes a session, asked by everybody who has none, or another's.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{Method, Request};
use rpc::token::Purpose;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, PASSWORD, Reply, Upload};
use crate::authorization_grpc::{House, service_token, tables};
use crate::contract::{CONTRACT, Operation};
use crate::files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::trades::entry;

/// What the analytics site may read. Everything else is for a session alone.
const FOR_ANALYTICS: [&str; 16] = [
    "exportTaxPack",
    "exportTrades",
    "getAccount",
    "getAnalyticsCharges",
    "getAnalyticsOverview",
    "getClient",
    "getTaxPack",
    "getTrade",
    "listAdjustments",
    "listAnalyticsGroups",
    "listBooks",
    "listChanges",
    "listClosedTrades",
    "listSymbols",
    "listOpenPositions",
    "reconcile",
];

/// The product, and Asha who has a trade, a change, a preview and two sign-ins there.
struct Place {
    house: House,
    app: App,
    token: String,
    trade: String,
    change: String,
    preview: String,
    sign_in: String,
    adjustment: String,
}

impl Place {
    async fn new(pool: &PgPool) -> Self {
        let house = House::new(pool).await;
        let app = App::over(house.core.clone(), house.verifier.clone());
        house.sign_in().await;
        let token = house.sign_in().await.access_token;
        let mut place = Self {
            house,
            app,
            token,
            trade: String::new(),
            change: String::new(),
            preview: String::new(),
            sign_in: String::new(),
            adjustment: String::new(),
        };
        place.fill().await;
        place
    }

    async fn fill(&mut self) {
        let asha = Some(self.token.as_str());
        let added = self.ask(asha, Method::POST, "/trades/add", entry(&json!({}))).await;
        let changes = self.ask(asha, Method::GET, "/trades/changes", Value::Null).await;
        let sign_ins = self.ask(asha, Method::GET, "/account/sign-ins", Value::Null).await;
        let adjustments = self.ask(asha, Method::GET, "/analytics/adjustments", Value::Null).await;
        if adjustments["adjustments"] == json!([]) {
            self.ask(asha, Method::POST, "/analytics/adjustments", split("infy")).await;
        }
        let adjustments = self.ask(asha, Method::GET, "/analytics/adjustments", Value::Null).await;
        self.adjustment = text(&adjustments["adjustments"][0]["id"]);
        let other = sign_ins["signIns"].as_array().unwrap().iter().find(|sign_in| sign_in["current"] == false);
        let other = text(&other.unwrap()["id"]);
        (self.trade, self.change, self.sign_in) =
            (text(&added["trades"][0]["_id"]), text(&changes["changes"][0]["id"]), other);
        let request = by(asha, Method::POST, "/uploadexcel/preview").header("content-type", Upload::TYPE);
        let form = Upload::new("z.csv", &zerodha_csv(&[Fill::nth(1)]), "zerodha").form();
        self.preview = text(&self.app.send(request.body(Body::from(form)).unwrap()).await.json()["id"]);
    }

    async fn ask(&self, token: Option<&str>, method: Method, path: &str, body: Value) -> Value {
        let request = by(token, method, path).header("content-type", "application/json");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        self.app.send(request.body(body).unwrap()).await.json()
    }

    /// Asks for an operation so that it would be done if it were Asha who asks; with an e-mail address, where there is
    /// one to be sent.
    async fn send(&self, token: Option<&str>, operation: &Operation, base: &str, email: Option<&str>) -> Reply {
        let id = match operation.path.as_str() {
            path if path.starts_with("/trades/changes/") => &self.change,
            path if path.starts_with("/account/sign-ins/") => &self.sign_in,
            path if path.starts_with("/analytics/adjustments/") => &self.adjustment,
            path if path.starts_with("/uploadexcel/preview/") => &self.preview,
            _ => &self.trade,
        };
        let mut path = [base, &operation.path.replace("{id}", id)].concat();
        if let (Some(email), &Method::GET) = (email, &operation.method) {
            path = format!("{path}?email={email}");
        }
        path += match operation.id.as_str() {
            "listAnalyticsGroups" => "?by=month",
            "getTaxPack" | "exportTaxPack" => "?year=2026-27",
            _ => "",
        };
        let request = by(token, operation.method.clone(), &path);
        let request = match body(&operation.id) {
            _ if ["uploadExcel", "previewUpload"].contains(&operation.id.as_str()) => {
                let file = zerodha_csv(&[Fill::nth(1)]);
                let mut upload = Upload::new("z.csv", &file, "zerodha");
                upload.fields.extend(email.map(|email| ("email", email)));
                request.header("content-type", Upload::TYPE).body(Body::from(upload.form()))
            }
            _ if operation.id == "reconcile" => {
                let file = zerodha_profit_csv(&[], &["INFY,INE009A01021,1,1,1,0"]);
                let upload = Upload { fields: Vec::new(), ..Upload::new("pnl.csv", &file, "") };
                request.header("content-type", Upload::TYPE).body(Body::from(upload.form()))
            }
            Value::Null => request.body(Body::empty()),
            mut body => {
                if let Some(email) = email {
                    body["email"] = json!(email);
                }
                request.header("content-type", "application/json").body(Body::from(body.to_string()))
            }
        };
        self.app.send(request.unwrap()).await
    }
}

fn by(token: Option<&str>, method: Method, path: &str) -> http::request::Builder {
    let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8080");
    match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    }
}

/// A body that the operation takes. One that is not named here takes none, or the last test of this file says so.
fn body(operation: &str) -> Value {
    match operation {
        "updateAccount" => json!({ "name": "Somebody Else" }),
        "changePassword" => json!({ "currentPassword": PASSWORD, "password": PASSWORD, "confirmPassword": PASSWORD }),
        "closeAccount" => json!({ "password": PASSWORD }),
        "addTrade" => entry(&json!({})),
        "replaceTrades" => {
            json!({ "broker": "zerodha", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] })
        }
        "editTrade" => json!({ "price": 2 }),
        "undoChange" => json!({ "newer": 0 }),
        "addAdjustment" => split("itc"),
        _ => Value::Null,
    }
}

fn split(symbol: &str) -> Value {
    json!({ "kind": "split", "symbol": symbol, "date": "2026-05-04", "newShares": 2, "oldShares": 1 })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// What a refusal says, apart from which request it answers. Below `/auth` the sentence is said twice.
fn said(reply: &Reply) -> String {
    let mut body = reply.json();
    assert!(body["instance"].is_string(), "{body}");
    let members = body.as_object_mut().unwrap();
    members.retain(|name, _| !["instance", "success"].contains(&name.as_str()));
    if let Some(error) = members.remove("error") {
        assert_eq!(error, members["detail"]);
    }
    body.to_string()
}

#[sqlx::test(migrations = "../../migrations")]
async fn without_a_session_every_operation_is_refused_alike_and_changes_nothing(pool: PgPool) {
    let place = Place::new(&pool).await;
    let mut bad: Vec<(&str, Option<String>)> =
        place.house.bad(&pool).await.into_iter().map(|(name, token)| (name, Some(token))).collect();
    bad.push(("nobody", None));
    let before = tables(&pool).await;
    let mut refusals = BTreeSet::new();
    for operation in CONTRACT.behind_a_session() {
        place.house.ask().await;
        for base in ["/api/v1", ""] {
            for (name, token) in &bad {
                let reply = place.send(token.as_deref(), &operation, base, None).await;
                assert_eq!(reply.status, 401, "{} by {name}: {:#}", operation.id, reply.json());
                refusals.insert(said(&reply));
            }
        }
    }
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    assert_eq!(tables(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn analytics_reads_trades_and_the_account_and_services_come_another_way(pool: PgPool) {
    let place = Place::new(&pool).await;
    let analytics = place.house.mint(Purpose::Analytics, |_, _| {});
    let service = service_token(&pool, "reader", "trades:read").await;
    place.house.ask().await;
    let before = tables(&pool).await;
    let (mut refusals, mut read) = (BTreeSet::new(), BTreeSet::new());
    for operation in CONTRACT.behind_a_session() {
        place.house.ask().await;
        let reply = place.send(Some(&analytics), &operation, "", None).await;
        match reply.status.as_u16() {
            200 => drop(read.insert(operation.id.clone())),
            status => {
                assert_eq!(status, 403, "{}: {:#}", operation.id, reply.json());
                refusals.insert(said(&reply));
            }
        }
        let reply = place.send(Some(&service), &operation, "", None).await;
        assert_eq!(reply.status, 403, "{}: {:#}", operation.id, reply.json());
        refusals.insert(said(&reply));
    }
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    assert_eq!(read, FOR_ANALYTICS.map(str::to_owned).into());
    assert_eq!(tables(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_anothers_is_out_of_reach_by_address_and_by_id(pool: PgPool) {
    let place = Place::new(&pool).await;
    let ravi = place.app.trader().await;
    let before = tables(&pool).await;
    let (mut refusals, mut tried) = (BTreeSet::new(), BTreeMap::new());
    for operation in CONTRACT.behind_a_session() {
        place.house.ask().await;
        if operation.takes_email {
            for email in [ravi.email.as_str(), "nobody@example.in"] {
                let reply = place.send(Some(&place.token), &operation, "", Some(email)).await;
                assert_eq!(reply.status, 403, "{} {email}: {:#}", operation.id, reply.json());
                refusals.insert(said(&reply));
            }
            *tried.entry("email").or_insert(0) += 1;
        }
        if operation.path.contains("{id}") {
            let anothers = place.send(Some(&ravi.token), &operation, "", None).await;
            assert_eq!(anothers.status, 404, "{}: {:#}", operation.id, anothers.json());
            // That it is somebody's shows in nothing.
            let mut path = operation.path.replace("{id}", "999999");
            if operation.path.starts_with("/account") {
                path = operation.path.replace("{id}", "00000000-0000-7000-8000-000000000000");
            }
            let nobodys = place.send(Some(&ravi.token), &Operation { path, ..operation }, "", None).await;
            assert_eq!((nobodys.status, said(&nobodys)), (anothers.status, said(&anothers)));
            *tried.entry("id").or_insert(0) += 1;
        }
    }
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    assert!(tried["email"] >= 4 && tried["id"] >= 5, "{tried:?}");
    assert_eq!(tables(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_same_is_done_for_whom_it_belongs_to(pool: PgPool) {
    let mut place = Place::new(&pool).await;
    let mut operations = CONTRACT.behind_a_session();
    operations.sort_by_key(|operation| operation.id == "closeAccount");
    for operation in operations {
        if operation.path.contains("{id}") {
            place.house.sign_in().await;
            place.fill().await;
        }
        let email = operation.takes_email.then_some("Asha@example.in");
        let reply = place.send(Some(&place.token), &operation, "", email).await;
        // There is no journal to take over in a browser without its cookie.
        let done = reply.status.is_success() || operation.id == "takeOverJournal";
        assert!(done, "{} {}: {:#}", operation.id, reply.status, reply.json());
    }
}
