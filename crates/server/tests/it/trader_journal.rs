//! The journal of an account over REST.

use http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::App;
use crate::trades::SendJson as _;

/// Returns the subject of the `n`th generated position.
pub fn position(n: i32) -> Value {
    json!({
        "kind": "position", "key": format!("zerodha-1:INFY:{n}"), "symbol": "INFY", "day": "2026-11-20", "side": "long",
        "quantity": 60
    })
}

/// Returns the object `base` with the members of `changed`.
pub fn with(mut base: Value, changed: &Value) -> Value {
    base.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    base
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_conflict_has_both_versions(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let path = "/journal/days/2026-11-20";
    let first = json!({ "plan": "Nothing before 10.", "plannedRisk": 4500.5, "tags": ["expiry"], "version": 0 });
    let saved = asha.send_json(&app, Method::PUT, path, &first).await.json();
    assert_eq!((&saved["version"], &saved["plannedRisk"], &saved["kind"]), (&json!(1), &json!(4500.5), &json!("day")));
    let other = json!({ "plan": "From the phone.", "version": 0 });
    let conflict = asha.send_json(&app, Method::PUT, path, &other).await.expect_problem(409, "entry_conflict").json();
    assert_eq!((&conflict["stored"], &conflict["sent"]["plan"]), (&saved, &json!("From the phone.")));
    assert_eq!(asha.get(path).await.json()["entry"], saved);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_search_joins_terms_with_and(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    for (n, tags) in [(1, json!(["gap-up"])), (2, json!(["gap-up", "FOMO"])), (3, json!(["fomo"]))] {
        let entry = with(position(n), &json!({ "tags": tags }));
        assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
    }
    let matches = asha.get("/journal/search?q=gap-up%20AND%20fomo").await.json();
    assert_eq!((&matches["total"], &matches["entries"][0]["key"]), (&json!(1), &position(2)["key"]));
    let groups = asha.get("/journal/groups?by=tag&tags=gap-up").await.json();
    assert_eq!(groups["groups"], json!([{ "name": "gap-up", "entries": 2 }, { "name": "FOMO", "entries": 1 }]));
}

#[sqlx::test(migrations = "../../migrations")]
async fn errors_name_the_fields_of_the_request(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let field = async |path: &str, method: Method, body: Value| {
        let problem = asha.send_json(&app, method, path, &body).await.expect_problem(422, "invalid").json();
        problem["errors"][0]["field"].as_str().unwrap().to_owned()
    };
    let entry = |changed: Value| with(position(1), &changed);
    for (changed, expected) in [
        (json!({ "kind": "moon" }), "kind"),
        (json!({ "tags": "gap-up" }), "tags"),
        (json!({ "tags": ["a", "b,c"] }), "tags.1"),
        (json!({ "plannedStop": 0 }), "plannedStop"),
        (json!({ "rating": 6 }), "rating"),
        (json!({ "note": "x".repeat(20_001) }), "note"),
        (json!({ "rulesKept": ["a"] }), "rulesKept"),
        (json!({ "reviewed": "yes" }), "reviewed"),
    ] {
        assert_eq!(field("/journal/entries", Method::PUT, entry(changed)).await, expected);
    }
    let edit = json!({ "subjects": [position(1), with(position(2), &json!({ "day": "x" }))], "rating": 1 });
    assert_eq!(field("/journal/entries/edit", Method::POST, edit).await, "subjects.1.day");
    let edit = json!({ "subjects": [with(position(2), &json!({ "moon": 1 }))], "rating": 1 });
    assert_eq!(field("/journal/entries/edit", Method::POST, edit).await, "subjects.0.moon");
    let playbook = json!({ "name": "A", "rules": [{ "text": "" }] });
    assert_eq!(field("/journal/playbooks", Method::POST, playbook).await, "rules.0.text");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_export_of_an_account_contains_its_journal(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    for n in 0..45 {
        let entry = with(position(n), &json!({ "note": format!("Note {n}.") }));
        assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
    }
    asha.send_json(&app, Method::POST, "/journal/playbooks", &json!({ "name": "Range break", "rules": [] })).await;
    asha.send_json(&app, Method::POST, "/journal/templates", &json!({ "name": "Expiry day" })).await;
    let export = asha.get("/account/export").await.json();
    let entries = export["journalEntries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[44]["note"]), (45, &json!("Note 44.")));
    assert_eq!(
        (&export["playbooks"][0]["name"], &export["templates"][0]["name"]),
        (&json!("Range break"), &json!("Expiry day"))
    );
}
