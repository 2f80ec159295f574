//! Responses of the operations for the journal of an account.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply, Upload};
use crate::screenshots::{add_form, png};
use crate::trader_journal::{position, with};
use crate::trades::SendJson as _;

const READS: [&str; 7] = [
    "/journal/search?q=gap-up&tags=gap-up&rating=1&kind=position&reviewed=false&from=2026-01-01&to=2026-12-31&limit=1",
    "/journal/groups?by=tag&figures=true",
    "/journal/days/2026-11-20",
    "/journal/changes",
    "/journal/orphans",
    "/journal/playbooks",
    "/journal/templates",
];

pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let trader = app.register_trader().await;
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    let json_request = |method: &Method, path: &str, token: Option<&str>, body: &'static str| {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        request.body(Body::from(body)).unwrap()
    };
    for path in READS {
        let reply = cover(trader.get(path).await);
        assert_eq!(reply.status, 200, "{path}: {:?}", reply.body);
        cover(app.get(path).await).expect_problem(401, "unauthenticated");
    }
    let writes = [
        (Method::PUT, "/journal/entries"),
        (Method::POST, "/journal/entries/lookup"),
        (Method::POST, "/journal/entries/edit"),
        (Method::POST, "/journal/entries/add"),
        (Method::POST, "/journal/entries/1/attach"),
        (Method::PUT, "/journal/days/2026-11-20"),
        (Method::POST, "/journal/playbooks"),
        (Method::PUT, "/journal/playbooks/1"),
        (Method::POST, "/journal/templates"),
        (Method::PUT, "/journal/templates/1"),
    ];
    for (method, path) in &writes {
        cover(app.send(json_request(method, path, None, "{}")).await).expect_problem(401, "unauthenticated");
        cover(app.send(json_request(method, path, Some(&trader.token), "{")).await).expect_problem(400, "malformed");
        let unknown = json_request(method, path, Some(&trader.token), r#"{"moon":1}"#);
        cover(app.send(unknown).await).expect_problem(422, "invalid");
    }
    for (method, path) in [
        (Method::DELETE, "/journal/entries/1?version=1"),
        (Method::POST, "/journal/changes/1/undo"),
        (Method::DELETE, "/journal/playbooks/1"),
        (Method::DELETE, "/journal/templates/1"),
    ] {
        cover(app.send(json_request(&method, path, None, "")).await).expect_problem(401, "unauthenticated");
    }
    for path in ["/journal/search?rating=6", "/journal/search?moon=1", "/journal/search?to=", "/journal/groups"] {
        cover(trader.get(path).await).expect_problem(422, "invalid");
    }
    for path in ["/journal/days/tomorrow", "/journal/days/2026-02-30"] {
        cover(trader.get(path).await).expect_problem(404, "not_found");
    }

    let mut send =
        async |method: Method, path: &str, body: &Value| cover(trader.send_json(app, method, path, body).await);
    let saved = send(Method::PUT, "/journal/entries", &with(position(1), &json!({ "note": "One." }))).await;
    assert_eq!(saved.status, 200);
    let id = saved.json()["id"].as_str().unwrap().to_owned();
    let stale = with(position(1), &json!({ "note": "Two." }));
    send(Method::PUT, "/journal/entries", &stale).await.expect_problem(409, "entry_conflict");
    let missing = with(position(9), &json!({ "version": 5 }));
    send(Method::PUT, "/journal/entries", &missing).await.expect_problem(404, "entry_not_found");
    let lookup = json!({ "kind": "position", "keys": [position(1)["key"]] });
    assert_eq!(send(Method::POST, "/journal/entries/lookup", &lookup).await.status, 200);
    let edit = json!({ "subjects": [position(1), position(2)], "addTags": ["gap-up"] });
    let edited = send(Method::POST, "/journal/entries/edit", &edit).await;
    assert_eq!(edited.status, 200);
    let additions = json!({ "additions": [with(position(1), &json!({ "texts": ["Held."], "tags": ["news"] }))] });
    let added = send(Method::POST, "/journal/entries/add", &additions).await;
    assert_eq!(added.status, 200);
    assert_eq!(added.json()["changed"], 1);
    let repeated = send(Method::POST, "/journal/entries/add", &additions).await.json();
    assert_eq!(repeated, json!({ "changed": 0, "full": [] }));
    let undo = format!("/journal/changes/{}/undo", edited.json()["changeId"].as_str().unwrap());
    assert_eq!(send(Method::POST, &undo, &json!({})).await.status, 200);
    send(Method::POST, &undo, &json!({})).await.expect_problem(409, "change_undone");
    send(Method::POST, "/journal/changes/999/undo", &json!({})).await.expect_problem(404, "change_not_found");
    let day = json!({ "plan": "Nothing before 10." });
    assert_eq!(send(Method::PUT, "/journal/days/2026-11-20", &day).await.status, 200);
    send(Method::PUT, "/journal/days/2026-11-20", &json!({})).await.expect_problem(409, "entry_conflict");
    send(Method::PUT, "/journal/days/2026-11-21", &json!({ "version": 1 }))
        .await
        .expect_problem(404, "entry_not_found");

    let attach = |version: i64| with(position(3), &json!({ "version": version }));
    let path = format!("/journal/entries/{id}/attach");
    send(Method::POST, "/journal/entries/999/attach", &attach(1)).await.expect_problem(404, "entry_not_found");
    send(Method::POST, &path, &attach(1)).await.expect_problem(409, "entry_changed");
    assert_eq!(send(Method::POST, &path, &attach(4)).await.status, 200);
    let path = |version: &str| format!("/journal/entries/{id}?version={version}");
    send(Method::DELETE, &path("9"), &Value::Null).await.expect_problem(409, "entry_changed");
    send(Method::DELETE, &path("0"), &Value::Null).await.expect_problem(422, "invalid");
    assert_eq!(send(Method::DELETE, &path("5"), &Value::Null).await.status, 204);
    send(Method::DELETE, &path("4"), &Value::Null).await.expect_problem(404, "entry_not_found");

    for (area, singular) in [("playbooks", "playbook"), ("templates", "template")] {
        let base = format!("/journal/{area}");
        let named = |name: &str| match area {
            "playbooks" => json!({ "name": name, "rules": [{ "text": "Stop placed at once" }] }),
            _ => json!({ "name": name }),
        };
        let added = send(Method::POST, &base, &named("One")).await;
        assert_eq!(added.status, 201);
        let path = format!("{base}/{}", added.json()["id"].as_str().unwrap());
        let taken = format!("{singular}_name_taken");
        send(Method::POST, &base, &named("ONE")).await.expect_problem(409, &taken);
        let changed = format!("{singular}_changed");
        send(Method::PUT, &path, &with(named("Two"), &json!({ "version": 5 }))).await.expect_problem(409, &changed);
        assert_eq!(send(Method::PUT, &path, &with(named("Two"), &json!({ "version": 1 }))).await.status, 200);
        let not_found = format!("{singular}_not_found");
        send(Method::PUT, &format!("{base}/999"), &named("Three")).await.expect_problem(404, &not_found);
        assert_eq!(send(Method::GET, &base, &Value::Null).await.json()[area][0]["name"], "Two");
        assert_eq!(send(Method::DELETE, &path, &Value::Null).await.status, 204);
        send(Method::DELETE, &path, &Value::Null).await.expect_problem(404, &not_found);
    }
    sqlx::query("update journal.account set entry_count = 200000").execute(pool).await.unwrap();
    send(Method::POST, "/journal/entries/edit", &json!({ "subjects": [position(7)], "rating": 1 }))
        .await
        .expect_problem(409, "entries_full");
    let addition = with(position(8), &json!({ "texts": ["Held."] }));
    send(Method::POST, "/journal/entries/add", &json!({ "additions": [addition] }))
        .await
        .expect_problem(409, "entries_full");
}

/// Covers the responses of the operations for screenshots.
pub async fn cover_screenshots(app: &App, covered: &mut BTreeSet<DocumentedResponse>) {
    let trader = app.register_trader().await;
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    let post = |form: Vec<u8>| {
        let request = trader.request(Method::POST, "/journal/screenshots");
        request.header("content-type", Upload::CONTENT_TYPE).body(Body::from(form)).unwrap()
    };
    let id = "5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f";
    let path = format!("/journal/screenshots/{id}");
    let (full, restore) = (format!("{path}?size=full"), format!("{path}/restore"));
    assert_eq!(cover(app.send(post(add_form(id))).await).status, 201);
    cover(app.send(post(add_form("1"))).await).expect_problem(422, "invalid");
    cover(app.send(post(b"--x\r\nbroken".to_vec())).await).expect_problem(400, "malformed");
    cover(app.send(post(vec![b'x'; 6 * 1024 * 1024])).await).expect_problem(413, "screenshot_too_large");
    for size in ["full", "thumbnail"] {
        assert_eq!(cover(trader.get(&format!("{path}?size={size}")).await).status, 200);
    }
    cover(trader.get(&format!("{path}?size=small")).await).expect_problem(422, "invalid");
    for (method, path, status) in
        [(Method::DELETE, path.as_str(), 204), (Method::POST, &restore, 204), (Method::GET, &full, 200)]
    {
        let signed_out = Request::builder().method(&method).uri(path).body(Body::empty()).unwrap();
        cover(app.send(signed_out).await).expect_problem(401, "unauthenticated");
        let request = |path: &str| trader.request(method.clone(), path).body(Body::empty()).unwrap();
        let missing = path.replace(id, "no-id");
        cover(app.send(request(&missing)).await).expect_problem(404, "screenshot_not_found");
        assert_eq!(cover(app.send(request(path)).await).status, status);
    }
    let mut signed_out = post(add_form(id));
    signed_out.headers_mut().remove("authorization");
    cover(app.send(signed_out).await).expect_problem(401, "unauthenticated");

    let add_to_day = |id: String| {
        let fields = vec![("id", id.as_str()), ("kind", "day"), ("key", "2026-11-20"), ("day", "2026-11-20")];
        post(Upload { file: &png(20, 20), name: "chart.png", fields, minimal: false }.form())
    };
    let ids: Vec<String> = (0..11).map(|_| Uuid::new_v4().to_string()).collect();
    for id in &ids[..10] {
        assert_eq!(app.send(add_to_day(id.clone())).await.status, 201);
    }
    cover(app.send(add_to_day(ids[10].clone())).await).expect_problem(409, "screenshots_full");
    let request = |method: Method, path: &str| trader.request(method, path).body(Body::empty()).unwrap();
    assert_eq!(app.send(request(Method::DELETE, &format!("/journal/screenshots/{}", ids[0]))).await.status, 204);
    assert_eq!(app.send(add_to_day(ids[10].clone())).await.status, 201);
    let restore = format!("/journal/screenshots/{}/restore", ids[0]);
    cover(app.send(request(Method::POST, &restore)).await).expect_problem(409, "screenshots_full");
    cover(trader.get("/account/export?format=zip").await);
}
