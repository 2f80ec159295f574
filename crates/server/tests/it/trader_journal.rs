//! The journal of an account over REST.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Trader, Upload};
use crate::broker_files::{Fill, zerodha_csv};
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
    let names = |groups: &Value| {
        let groups = groups["groups"].as_array().unwrap().iter();
        groups.map(|group| (group["name"].clone(), group["entries"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(names(&groups), [(json!("gap-up"), json!(2)), (json!("FOMO"), json!(1))]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn groups_have_the_figures_of_their_positions(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    run_step(&app, &asha, Step::Import(0, 24)).await;
    let page = asha.get("/analytics/positions?state=closed").await.json();
    let positions = page["positions"].as_array().unwrap();
    let net = |n: usize| positions[n]["net"].as_f64().unwrap();
    assert!(positions.len() > 3, "{page:#}");
    let tags = [json!(["gap-up"]), json!(["gap-up", "FOMO"]), json!(["fomo"])];
    for ((n, tags), traded) in (0..).zip(tags).zip(positions) {
        let entry = with(position(n), &json!({ "key": traded["id"], "tags": tags }));
        assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
    }
    let orphan = with(position(8), &json!({ "tags": ["fomo", "typed"] }));
    assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &orphan).await.status, 200);
    let response = asha.get("/journal/groups?by=tag&figures=true").await.json();
    let groups = response["groups"].as_array().unwrap();
    let figures = |name: &str| {
        let group = groups.iter().find(|group| group["name"].as_str().unwrap().eq_ignore_ascii_case(name)).unwrap();
        (group["entries"].clone(), group["figures"].clone())
    };
    for (name, entries, members) in [("gap-up", 2, [0, 1]), ("fomo", 3, [1, 2])] {
        let (count, figures) = figures(name);
        assert_eq!((count, &figures["closedTrades"]), (json!(entries), &json!(2)), "{name}");
        let expected: f64 = members.iter().map(|n| net(*n)).sum();
        assert!((figures["net"].as_f64().unwrap() - expected).abs() < 0.001, "{name}: {figures:#}");
        let wins = members.iter().filter(|n| net(**n) > 0.0).count();
        assert_eq!(figures["wins"], json!(wins), "{name}");
    }
    assert_eq!(figures("typed"), (json!(1), Value::Null));
    let all = asha.get("/journal/groups?by=none&figures=true&q=fomo").await.json();
    assert_eq!((&all["groups"][0]["name"], &all["groups"][0]["entries"]), (&json!(""), &json!(3)));
    assert_eq!(all["groups"][0]["figures"]["closedTrades"], json!(2));
    let plain = asha.get("/journal/groups?by=tag").await.json();
    assert_eq!(plain["groups"][0]["figures"], Value::Null);
    asha.get("/journal/groups?by=tag&figures=moon").await.expect_problem(422, "invalid");
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
    let addition = |changed: Value| json!({ "additions": [with(position(1), &changed)] });
    for (changed, expected) in [
        (json!({ "texts": ["a", "x".repeat(20_001)] }), "additions.0.texts.1"),
        (json!({ "texts": vec!["a"; 101] }), "additions.0.texts"),
        (json!({ "tags": ["a", "b,c"] }), "additions.0.tags.1"),
        (json!({ "day": "x" }), "additions.0.day"),
        (json!({ "rating": 1 }), "additions.0.rating"),
    ] {
        assert_eq!(field("/journal/entries/add", Method::POST, addition(changed)).await, expected);
    }
    for additions in [json!([]), json!([position(1), position(1)]), (0..101).map(position).collect()] {
        let body = json!({ "additions": additions });
        assert_eq!(field("/journal/entries/add", Method::POST, body).await, "additions");
    }
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

/// Step of a sequence that changes trades.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Imports the fills from one number to another.
    Import(u64, u64),
    /// Imports them with other prices and accepts the broker's version.
    Correct(u64, u64),
    /// Undoes the newest change that is not undone.
    Undo,
    /// Deletes a trade of the log.
    Delete(usize),
    /// Replaces the book with one trade.
    Replace,
}

/// Returns numbers below `limit`, the same for the same seed.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    }
}

/// Returns the `n`th of 24 fills: positions of two to four fills in two symbols, with additions and partial exits.
fn fill(n: u64, price: u64) -> Fill {
    Fill {
        symbol: if n.is_multiple_of(2) { "INFY" } else { "RELIANCE" },
        sell: [2, 3, 6, 7].contains(&(n % 8)),
        quantity: if n % 16 < 8 { 10 } else { 5 + u32::try_from(n % 3).unwrap() },
        price,
        at: format!("2026-06-{:02}T10:00:00", n + 1),
        trade_id: 500 + n,
    }
}

async fn run_step(app: &App, asha: &Trader<'_>, step: Step) {
    match step {
        Step::Import(from, to) => {
            let fills: Vec<Fill> = (from..to).map(|n| fill(n, 150_000)).collect();
            asha.upload(&Upload::new("t.csv", &zerodha_csv(&fills), "zerodha")).await;
        }
        Step::Correct(from, to) => {
            let fills: Vec<Fill> = (from..to).map(|n| fill(n, 151_000 + n * 100)).collect();
            let preview = asha.preview(&Upload::new("t.csv", &zerodha_csv(&fills), "zerodha")).await.json();
            let committed = asha.commit(&[("previewId", preview["id"].as_str().unwrap()), ("others", "take")]).await;
            assert_eq!(committed.status, 200, "{:#}", committed.json());
        }
        Step::Undo => {
            let changes = asha.get("/trades/changes").await.json();
            let newest = changes["changes"].as_array().unwrap().iter().find(|change| change["newer"] == json!(0));
            if let Some(change) = newest {
                let path = format!("/trades/changes/{}/undo", change["id"].as_str().unwrap());
                asha.send_json(app, Method::POST, &path, &json!({ "newer": 0 })).await;
            }
        }
        Step::Delete(n) => {
            let log = asha.get("/trades/client").await.json();
            let trades = log["trades"].as_array().unwrap();
            if let Some(trade) = trades.get(n % trades.len().max(1)) {
                let path = format!("/trades/{}", trade["_id"].as_str().unwrap());
                let deleted = asha.send_json(app, Method::DELETE, &path, &Value::Null).await;
                assert!(deleted.status.is_success(), "{}", deleted.status);
            }
        }
        Step::Replace => {
            let trade = json!({
                "symbol": "ITC", "price": 400, "quantity": 5, "timestamp": "2026-05-04T09:15", "type": "buy",
            });
            let book = json!({ "broker": "zerodha", "tradetype": "equity", "trades": [trade] });
            let replaced = asha.send_json(app, Method::POST, "/trades/replace", &book).await;
            assert_eq!(replaced.status, 200);
        }
    }
}

/// After each step, every note is unchanged, and is either at its position or listed as orphaned.
#[sqlx::test(migrations = "../../migrations")]
async fn notes_survive_any_sequence_of_imports_undos_and_corrections(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut orphaned = 0;
    for seed in 0..12 {
        let asha = app.register_trader().await;
        let mut next = numbers(seed);
        let (mut steps, mut notes) = (Vec::new(), BTreeMap::new());
        for _ in 0..10 {
            let (from, length) = (next(20), 1 + next(12));
            let to = (from + length).min(24);
            let step = match next(10) {
                0..4 => Step::Import(from, to),
                4..6 => Step::Correct(from, to),
                6..8 => Step::Undo,
                8 => Step::Delete(usize::try_from(next(24)).unwrap()),
                _ => Step::Replace,
            };
            steps.push(step);
            run_step(&app, &asha, step).await;

            let page = asha.get("/analytics/positions?limit=200").await.json();
            let positions: BTreeSet<String> =
                page["positions"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
            let orphans = asha.get("/journal/orphans").await.json();
            let listed: BTreeSet<&str> = orphans["orphans"]
                .as_array()
                .unwrap()
                .iter()
                .map(|orphan| orphan["entry"]["key"].as_str().unwrap())
                .collect();
            orphaned += listed.len();
            let lookup = json!({ "kind": "position", "keys": notes.keys().collect::<Vec<_>>(), "withoutText": false });
            let stored = asha.send_json(&app, Method::POST, "/journal/entries/lookup", &lookup).await.json();
            let stored: BTreeMap<String, String> = stored["entries"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|entry| (entry["key"].as_str().unwrap().to_owned(), entry["note"].as_str().unwrap().to_owned()))
                .collect();
            assert_eq!(stored, notes, "seed {seed}: {steps:?}");
            for key in notes.keys() {
                assert_ne!(positions.contains(key), listed.contains(key.as_str()), "seed {seed}: {key}: {steps:?}");
            }
            for key in positions {
                if notes.contains_key(&key) {
                    continue;
                }
                let note = format!("Note {} of {key}", notes.len());
                let entry = with(position(1), &json!({ "key": key, "note": note }));
                assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
                notes.insert(key, note);
            }
        }
        assert!(!notes.is_empty(), "seed {seed}");
    }
    assert!(orphaned > 0, "no sequence removed a position with a note");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_orphaned_entry_is_attached_to_another_position(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    run_step(&app, &asha, Step::Import(0, 8)).await;
    let page = asha.get("/analytics/positions").await.json();
    let key = page["positions"][0]["id"].as_str().unwrap();
    for n in [1, 2] {
        let entry = with(position(n), &json!({ "note": format!("Note {n}.") }));
        assert_eq!(asha.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
    }
    let orphans = asha.get("/journal/orphans").await.json();
    assert_eq!((&orphans["total"], &orphans["orphans"][0]["currentKey"]), (&json!(2), &json!(null)));
    for orphan in orphans["orphans"].as_array().unwrap() {
        let path = format!("/journal/entries/{}/attach", orphan["entry"]["id"].as_str().unwrap());
        let target = with(position(1), &json!({ "key": key, "version": 1 }));
        assert_eq!(asha.send_json(&app, Method::POST, &path, &target).await.status, 200);
    }
    assert_eq!(asha.get("/journal/orphans").await.json(), json!({ "orphans": [], "total": 0 }));
    let lookup = json!({ "kind": "position", "keys": [key], "withoutText": false });
    let stored = asha.send_json(&app, Method::POST, "/journal/entries/lookup", &lookup).await.json();
    assert_eq!(stored["entries"][0]["note"], "Note 1.\n\nNote 2.");
}
