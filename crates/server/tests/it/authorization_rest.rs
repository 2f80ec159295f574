//! Calls every operation of openapi.yaml that requires a session: without one, with other credentials, and for the data of
//! another account.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{Method, Request};
use rpc::token::Purpose;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::api_description::{API_DESCRIPTION, Operation};
use crate::app::{App, PASSWORD, Reply, Upload};
use crate::authorization_grpc::{CoreFixture, service_token, table_checksums};
use crate::broker_files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::fixtures::ledgers;
use crate::pdf_fixtures::contract_notes::{self, Layout};
use crate::screenshots::add_form;
use crate::trades::entry;

/// Operations allowed with an analytics session. All others require a session.
const ANALYTICS_OPERATIONS: [&str; 31] = [
    "compareContractNotes",
    "exportStrategies",
    "exportTaxPack",
    "exportTrades",
    "getAccount",
    "getAnalyticsCharges",
    "getAnalyticsOverview",
    "getClient",
    "getPosition",
    "getReturnsOnCapital",
    "getStrategy",
    "getStrategySettings",
    "getStrategyStatistics",
    "getTaxPack",
    "getTrade",
    "listAdjustments",
    "listAnalyticsGroups",
    "listBooks",
    "listBroughtForwardLosses",
    "listBrokerAccounts",
    "listChanges",
    "listClosedTrades",
    "listCosts",
    "listDataIssues",
    "listSymbols",
    "listTaxEntries",
    "listOpenPositions",
    "listPositions",
    "listStrategies",
    "listTradeResults",
    "reconcile",
];

/// Operations that need the code of an SMS, the proof of a second factor, or an account with one: other tests cover
/// them. Without it they are rejected like this.
const SECOND_FACTOR_OPERATIONS: [(&str, u16); 8] = [
    ("addPasskey", 422),
    ("beginPasskeyProof", 422),
    ("beginPasskeySetup", 422),
    ("confirmAuthenticatorApp", 422),
    ("removeAuthenticatorApp", 404),
    ("removePasskey", 404),
    ("removeTrustedDevice", 404),
    ("verifyPhone", 422),
];

/// Product with one account that has trades, a data issue, changes, a preview, an adjustment and two sessions.
struct Fixture {
    core: CoreFixture,
    app: App,
    token: String,
    trade_id: String,
    change_id: String,
    preview_id: String,
    other_session_id: String,
    adjustment_id: String,
    position_id: String,
    strategy_id: String,
    strategy_decision_id: String,
    tax_link_id: String,
    ledger_id: String,
    journal: JournalIds,
}

/// Ids of rows of the journal.
#[derive(Default)]
struct JournalIds {
    entry: String,
    change: String,
    playbook: String,
    template: String,
    screenshot: String,
}

impl Fixture {
    async fn new(pool: &PgPool) -> Self {
        let core = CoreFixture::new(pool).await;
        let app = App::with_core(core.transport.clone(), core.verifier.clone());
        core.log_in().await;
        let token = core.log_in().await.access_token;
        let mut fixture = Self {
            core,
            app,
            token,
            trade_id: String::new(),
            change_id: String::new(),
            preview_id: String::new(),
            other_session_id: String::new(),
            adjustment_id: String::new(),
            position_id: String::new(),
            strategy_id: String::new(),
            strategy_decision_id: String::new(),
            tax_link_id: String::new(),
            ledger_id: String::new(),
            journal: JournalIds::default(),
        };
        fixture.create_data().await;
        fixture
    }

    /// Creates the data and stores its ids.
    async fn create_data(&mut self) {
        let owner = Some(self.token.as_str());
        let added = self.request_json(owner, Method::POST, "/trades/add", entry(&json!({}))).await;
        let changes = self.request_json(owner, Method::GET, "/trades/changes", Value::Null).await;
        // A sell without a buy price, which is a data issue.
        let mut sell = entry(&json!({ "symbol": "TCS", "type": "sell" }));
        sell["broker"] = json!("groww");
        self.request_json(owner, Method::POST, "/trades/add", sell).await;
        // A call, which is a strategy of its own.
        let mut call = entry(&json!({ "symbol": "NIFTY26DEC24000CE", "quantity": 65 }));
        call["tradetype"] = json!("fno");
        self.request_json(owner, Method::POST, "/trades/add", call).await;
        let strategies = self.request_json(owner, Method::GET, "/analytics/strategies", Value::Null).await;
        self.strategy_id = to_text(&strategies["strategies"][0]["id"]);
        let path = format!("/analytics/strategies/{}/decisions", self.strategy_id);
        let decision = self.request_json(owner, Method::POST, &path, json!({ "action": "confirm" })).await;
        self.strategy_decision_id = to_text(&decision["changeId"]);
        let links = self.request_json(owner, Method::GET, "/analytics/tax/links", Value::Null).await;
        if links["links"] == json!([]) {
            self.request_json(owner, Method::POST, "/analytics/tax/links", valid_body("createTaxLink")).await;
        }
        let links = self.request_json(owner, Method::GET, "/analytics/tax/links", Value::Null).await;
        self.tax_link_id = to_text(&links["links"][0]["id"]);
        let ledger =
            Upload { fields: Vec::new(), ..Upload::new("l.csv", ledgers::zerodha_csv().as_bytes(), "") }.form();
        let request =
            request_with_token(owner, Method::POST, "/uploadexcel/ledger").header("content-type", Upload::CONTENT_TYPE);
        self.app.send(request.body(Body::from(ledger)).unwrap()).await;
        let ledgers = self.request_json(owner, Method::GET, "/trades/ledgers", Value::Null).await;
        self.ledger_id = to_text(&ledgers["ledgers"][0]["id"]);
        let sessions = self.request_json(owner, Method::GET, "/account/sessions", Value::Null).await;
        let adjustments = self.request_json(owner, Method::GET, "/analytics/adjustments", Value::Null).await;
        if adjustments["adjustments"] == json!([]) {
            self.request_json(owner, Method::POST, "/analytics/adjustments", split_adjustment("infy")).await;
        }
        let adjustments = self.request_json(owner, Method::GET, "/analytics/adjustments", Value::Null).await;
        self.adjustment_id = to_text(&adjustments["adjustments"][0]["id"]);
        let positions = self.request_json(owner, Method::GET, "/analytics/positions", Value::Null).await;
        self.position_id = to_text(&positions["positions"][0]["id"]);
        let other_session = sessions["sessions"].as_array().unwrap().iter().find(|session| session["current"] == false);
        let other_session = to_text(&other_session.unwrap()["id"]);
        (self.trade_id, self.change_id, self.other_session_id) =
            (to_text(&added["trades"][0]["_id"]), to_text(&changes["changes"][0]["id"]), other_session);
        let request = request_with_token(owner, Method::POST, "/uploadexcel/preview")
            .header("content-type", Upload::CONTENT_TYPE);
        let form = Upload::new("z.csv", &zerodha_csv(&[Fill::nth(1)]), "zerodha").form();
        let journal = self.create_journal().await;
        self.preview_id = to_text(&self.app.send(request.body(Body::from(form)).unwrap()).await.json()["id"]);
        self.journal = journal;
    }

    /// Creates rows of the journal with a new key and new names, and returns their ids.
    async fn create_journal(&self) -> JournalIds {
        let owner = Some(self.token.as_str());
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let subject = json!({ "kind": "position", "key": unique, "day": "2026-11-20" });
        let entry = self.request_json(owner, Method::PUT, "/journal/entries", subject.clone()).await;
        let edit = json!({ "subjects": [{ "kind": "position", "key": "edited", "day": "2026-11-20" }], "rating": 1 });
        let change = self.request_json(owner, Method::POST, "/journal/entries/edit", edit).await;
        let playbook = json!({ "name": unique, "rules": [] });
        let playbook = self.request_json(owner, Method::POST, "/journal/playbooks", playbook).await;
        let template = self.request_json(owner, Method::POST, "/journal/templates", json!({ "name": unique })).await;
        let screenshot = uuid::Uuid::new_v4().to_string();
        let request = request_with_token(owner, Method::POST, "/journal/screenshots")
            .header("content-type", Upload::CONTENT_TYPE);
        let added = self.app.send(request.body(Body::from(add_form(&screenshot))).unwrap()).await;
        assert_eq!(added.status, 201, "{:#}", added.json());
        JournalIds {
            screenshot,
            entry: to_text(&entry["id"]),
            change: to_text(&change["changeId"]),
            playbook: to_text(&playbook["id"]),
            template: to_text(&template["id"]),
        }
    }

    async fn request_json(&self, token: Option<&str>, method: Method, path: &str, body: Value) -> Value {
        let request = request_with_token(token, method, path).header("content-type", "application/json");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        self.app.send(request.body(body).unwrap()).await.json()
    }

    /// Sends a request that would succeed for the owner of the data. `email` goes into the query or the body.
    async fn send(&self, token: Option<&str>, operation: &Operation, base: &str, email: Option<&str>) -> Reply {
        let id = match operation.path.as_str() {
            path if path.starts_with("/trades/ledgers/") => &self.ledger_id,
            path if path.starts_with("/trades/changes/") => &self.change_id,
            path if path.starts_with("/account/sessions/") => &self.other_session_id,
            path if path.starts_with("/analytics/adjustments/") => &self.adjustment_id,
            path if path.starts_with("/analytics/tax/links/") => &self.tax_link_id,
            path if path.starts_with("/analytics/positions/") => &self.position_id,
            path if path.starts_with("/analytics/strategies/") => &self.strategy_id,
            path if path.starts_with("/analytics/strategy-decisions/") => &self.strategy_decision_id,
            path if path.starts_with("/uploadexcel/preview/") => &self.preview_id,
            path if path.starts_with("/journal/entries/") => &self.journal.entry,
            path if path.starts_with("/journal/changes/") => &self.journal.change,
            path if path.starts_with("/journal/playbooks/") => &self.journal.playbook,
            path if path.starts_with("/journal/templates/") => &self.journal.template,
            path if path.starts_with("/journal/screenshots/") => &self.journal.screenshot,
            _ => &self.trade_id,
        };
        let path = operation
            .path
            .replace("{id}", id)
            .replace("{broker}", "groww")
            .replace("{number}", "2")
            .replace("{date}", "2026-11-20")
            .replace("{year}", "2025-26")
            .replace("{digest}", &"0".repeat(64));
        let mut path = [base, &path].concat();
        if let (Some(email), &Method::GET) = (email, &operation.method) {
            path = format!("{path}?email={email}");
        }
        path += match operation.id.as_str() {
            "listAnalyticsGroups" => "?by=month",
            "getStrategyStatistics" => "?groupBy=shape",
            "listTradeResults" => "?ids=1",
            "getTaxPack" | "exportTaxPack" => "?year=2026-27",
            "groupJournal" => "?by=tag",
            "deleteJournalEntry" => "?version=1",
            _ => "",
        };
        let request = request_with_token(token, operation.method.clone(), &path);
        let request = match valid_body(&operation.id) {
            _ if ["uploadExcel", "previewUpload"].contains(&operation.id.as_str()) => {
                let file = zerodha_csv(&[Fill::nth(1)]);
                let mut upload = Upload::new("z.csv", &file, "zerodha");
                upload.fields.extend(email.map(|email| ("email", email)));
                request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(upload.form()))
            }
            _ if ["mapColumns", "importLedger"].contains(&operation.id.as_str()) => {
                let is_ledger = operation.id == "importLedger";
                let file = if is_ledger { ledgers::zerodha_csv().into_bytes() } else { zerodha_csv(&[Fill::nth(1)]) };
                let fields = email.map(|email| ("email", email)).into_iter().collect();
                let upload = Upload { fields, ..Upload::new("orders.csv", &file, "") };
                request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(upload.form()))
            }
            _ if operation.id == "redactLayout" => {
                let file = contract_notes::file(&contract_notes::note(Layout::Zerodha, 7, "05-06-2026", 2));
                let fields = email.map(|email| ("email", email)).into_iter().collect();
                let upload = Upload { fields, ..Upload::new("note.pdf", &file, "") };
                request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(upload.form()))
            }
            _ if operation.id == "addJournalScreenshot" => {
                let form = add_form(&uuid::Uuid::new_v4().to_string());
                request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(form))
            }
            _ if operation.id == "reconcile" => {
                let file = zerodha_profit_csv(&[], &["INFY,INE009A01021,1,1,1,0"]);
                let upload = Upload { fields: Vec::new(), ..Upload::new("pnl.csv", &file, "") };
                request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(upload.form()))
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

fn request_with_token(token: Option<&str>, method: Method, path: &str) -> http::request::Builder {
    let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8080");
    match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    }
}

/// Returns a valid body for the operation. The last test of this file fails if one is missing.
fn valid_body(operation: &str) -> Value {
    match operation {
        "updateAccount" => json!({ "name": "Somebody Else" }),
        "changePassword" => json!({ "currentPassword": PASSWORD, "password": PASSWORD, "confirmPassword": PASSWORD }),
        "closeAccount" => json!({ "password": PASSWORD }),
        "confirmAuthenticatorApp" => json!({ "code": "000000" }),
        "verifyPhone" => json!({ "code": "000000" }),
        "addPasskey" => json!({ "token": "x", "name": "Phone", "passkey": "{}" }),
        "reauthenticate" => json!({ "password": PASSWORD }),
        "addTrade" => entry(&json!({})),
        "saveColumnMapping" => {
            let fields = ["symbol", "side", "quantity", "price", "date"];
            let columns = fields.iter().enumerate().map(|(column, field)| json!({ "column": column, "field": field }));
            json!({ "mapping": {
                "header": fields, "broker": "dhan", "tradetype": "equity", "columns": columns.collect::<Vec<_>>(),
                "exchange": "NSE",
            } })
        }
        "replaceTrades" => {
            json!({ "broker": "zerodha", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] })
        }
        "saveBrokerAccount" => json!({ "label": "Mother" }),
        "editTrade" => json!({ "price": 2 }),
        "undoChange" => json!({ "newer": 0 }),
        "addAdjustment" => split_adjustment("itc"),
        "replaceBroughtForwardLosses" => {
            json!({ "losses": [{ "kind": "shortTerm", "year": "2022-23", "broker": "zerodha", "amount": 45250.5 }] })
        }
        "replaceTaxEntries" => {
            json!({ "entries": [{ "kind": "aisDividends", "broker": "zerodha", "amount": 2150 }] })
        }
        "createTaxLink" => json!({ "recipient": "Mehta & Co", "year": "2025-26", "ttlDays": 30 }),
        "decideStrategy" => json!({ "action": "confirm", "name": "Budget week" }),
        "saveStrategySettings" => json!({ "windowMinutes": 5, "acrossAccounts": false }),
        "answerDataIssues" => {
            let bought =
                json!({ "issueId": "missingCost:groww:TCS", "answer": "bought", "date": "2024-01-10", "price": 1 });
            json!({ "answers": [bought] })
        }
        "saveJournalEntry" => json!({ "kind": "position", "key": "saved", "day": "2026-11-20" }),
        "saveJournalDay" => json!({ "plan": "Nothing before 10." }),
        "lookUpJournalEntries" => json!({ "kind": "position", "keys": ["saved"] }),
        "editJournalEntries" => {
            json!({ "subjects": [{ "kind": "position", "key": "edited", "day": "2026-11-20" }], "rating": 2 })
        }
        "addToJournalEntries" => {
            let addition = json!({ "kind": "position", "key": "added", "day": "2026-11-20", "texts": ["Held."] });
            json!({ "additions": [addition] })
        }
        "attachJournalEntry" => json!({ "kind": "position", "key": "target", "day": "2026-11-20", "version": 1 }),
        "addPlaybook" => json!({ "name": "Another", "rules": [] }),
        "savePlaybook" => json!({ "name": "Renamed", "rules": [], "version": 1 }),
        "addTemplate" => json!({ "name": "Another" }),
        "saveTemplate" => json!({ "name": "Renamed", "version": 1 }),
        _ => Value::Null,
    }
}

fn split_adjustment(symbol: &str) -> Value {
    json!({ "kind": "split", "symbol": symbol, "date": "2026-05-04", "newShares": 2, "oldShares": 1 })
}

fn to_text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Returns the problem without `instance`, which differs by request. Under `/auth`, `error` repeats `detail`.
fn comparable_problem(reply: &Reply) -> String {
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
async fn operations_without_a_session_get_the_same_error_and_change_nothing(pool: PgPool) {
    let fixture = Fixture::new(&pool).await;
    let mut credentials: Vec<(&str, Option<String>)> =
        fixture.core.invalid_credentials(&pool).await.into_iter().map(|(name, token)| (name, Some(token))).collect();
    credentials.push(("no credential", None));
    let before = table_checksums(&pool).await;
    let mut problems = BTreeSet::new();
    for operation in API_DESCRIPTION.session_operations() {
        fixture.core.refresh_verifier().await;
        for base in ["/api/v1", ""] {
            for (name, token) in &credentials {
                let reply = fixture.send(token.as_deref(), &operation, base, None).await;
                assert_eq!(reply.status, 401, "{} by {name}: {:#}", operation.id, reply.json());
                problems.insert(comparable_problem(&reply));
            }
        }
    }
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert_eq!(table_checksums(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn analytics_sessions_reach_the_listed_operations_and_service_tokens_none(pool: PgPool) {
    let fixture = Fixture::new(&pool).await;
    let analytics = fixture.core.mint_token(Purpose::Analytics, |_, _| {});
    let service = service_token(&pool, "reader", "trades:read").await;
    fixture.core.refresh_verifier().await;
    let before = table_checksums(&pool).await;
    let (mut problems, mut readable) = (BTreeSet::new(), BTreeSet::new());
    for operation in API_DESCRIPTION.session_operations() {
        fixture.core.refresh_verifier().await;
        let reply = fixture.send(Some(&analytics), &operation, "", None).await;
        match reply.status.as_u16() {
            200 => drop(readable.insert(operation.id.clone())),
            status => {
                assert_eq!(status, 403, "{}: {:#}", operation.id, reply.json());
                problems.insert(comparable_problem(&reply));
            }
        }
        let reply = fixture.send(Some(&service), &operation, "", None).await;
        assert_eq!(reply.status, 403, "{}: {:#}", operation.id, reply.json());
        problems.insert(comparable_problem(&reply));
    }
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert_eq!(readable, ANALYTICS_OPERATIONS.map(str::to_owned).into());
    assert_eq!(table_checksums(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn data_of_another_account_is_unreachable_by_email_and_by_id(pool: PgPool) {
    let fixture = Fixture::new(&pool).await;
    let ravi = fixture.app.register_trader().await;
    let before = table_checksums(&pool).await;
    let (mut problems, mut tried) = (BTreeSet::new(), BTreeMap::new());
    for operation in API_DESCRIPTION.session_operations() {
        fixture.core.refresh_verifier().await;
        if operation.accepts_email {
            for email in [ravi.email.as_str(), "nobody@example.in"] {
                let reply = fixture.send(Some(&fixture.token), &operation, "", Some(email)).await;
                assert_eq!(reply.status, 403, "{} {email}: {:#}", operation.id, reply.json());
                problems.insert(comparable_problem(&reply));
            }
            *tried.entry("email").or_insert(0) += 1;
        }
        if operation.path.contains("{id}") {
            let foreign = fixture.send(Some(&ravi.token), &operation, "", None).await;
            assert_eq!(foreign.status, 404, "{}: {:#}", operation.id, foreign.json());
            // The reply does not reveal that the id exists.
            let mut path = operation.path.replace("{id}", "999999");
            if operation.path.starts_with("/account") {
                path = operation.path.replace("{id}", "00000000-0000-7000-8000-000000000000");
            }
            let missing = fixture.send(Some(&ravi.token), &Operation { path, ..operation }, "", None).await;
            assert_eq!((missing.status, comparable_problem(&missing)), (foreign.status, comparable_problem(&foreign)));
            *tried.entry("id").or_insert(0) += 1;
        }
    }
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(tried["email"] >= 4 && tried["id"] >= 5, "{tried:?}");
    assert_eq!(table_checksums(&pool).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn operations_succeed_for_the_owner(pool: PgPool) {
    let mut fixture = Fixture::new(&pool).await;
    let mut operations = API_DESCRIPTION.session_operations();
    operations.sort_by_key(|operation| operation.id == "closeAccount");
    for operation in operations {
        if operation.path.contains("{id}") {
            fixture.core.log_in().await;
            fixture.create_data().await;
        }
        let email = operation.accepts_email.then_some("Asha@example.in");
        let reply = fixture.send(Some(&fixture.token), &operation, "", email).await;
        if let Some((_, status)) = SECOND_FACTOR_OPERATIONS.iter().find(|(id, _)| *id == operation.id) {
            assert_eq!(reply.status.as_u16(), *status, "{}: {:#}", operation.id, reply.json());
            continue;
        }
        if operation.id == "replaceRecoveryCodes" {
            reply.expect_problem(403, "no_second_factor");
            continue;
        }
        // Without the journal cookie there is no journal to take over.
        let succeeded = reply.status.is_success() || operation.id == "takeOverJournal";
        assert!(succeeded, "{} {}: {:#}", operation.id, reply.status, reply.json());
    }
}
