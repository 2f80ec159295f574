//! Screenshots of journal entries over REST.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::PathBuf;

use axum::body::Body;
use file_store::Location;
use http::Method;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use server::core::run_cleanup;
use sqlx::PgPool;
use uuid::Uuid;

use crate::app::{App, Reply, Trader, Upload, pools};
use crate::trader_journal::{position, with};
use crate::trades::SendJson as _;

/// Returns a PNG.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let pixel = |x: u32, y: u32| Rgb([(x % 256) as u8, (y % 256) as u8, ((x + y) % 256) as u8]);
    write(RgbImage::from_fn(width, height, pixel), ImageFormat::Png)
}

fn write(picture: RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Returns a form that adds a screenshot to a position whose key is the id of the screenshot.
pub fn add_form(id: &str) -> Vec<u8> {
    let fields = vec![("id", id), ("kind", "position"), ("key", id), ("day", "2026-11-20")];
    Upload { file: &png(20, 20), name: "chart.png", fields, minimal: false }.form()
}

/// Returns the fields of a form that adds a screenshot to the `n`th generated position.
fn fields(id: &str, n: i32) -> Vec<(String, String)> {
    let subject = position(n);
    let text = |name: &str| match &subject[name] {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let names = ["kind", "key", "symbol", "day", "side", "quantity"];
    let fields = names.into_iter().map(|name| (name.to_owned(), text(name)));
    [("id".to_owned(), id.to_owned())].into_iter().chain(fields).collect()
}

async fn post_form(trader: &Trader<'_>, fields: &[(String, String)], file: &[u8]) -> Reply {
    let fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let form = Upload { file, name: "chart.png", fields, minimal: false }.form();
    let request = trader.request(Method::POST, "/journal/screenshots").header("content-type", Upload::CONTENT_TYPE);
    trader.app.send(request.body(Body::from(form)).unwrap()).await
}

/// Adds a screenshot to the `n`th generated position; returns its id and the entry.
async fn add(trader: &Trader<'_>, n: i32, file: &[u8]) -> (String, Value) {
    let id = Uuid::new_v4().to_string();
    let reply = post_form(trader, &fields(&id, n), file).await;
    assert_eq!(reply.status, 201, "{:#}", reply.json());
    (id, reply.json())
}

async fn send(trader: &Trader<'_>, method: Method, path: &str) -> Reply {
    trader.app.send(trader.request(method, path).body(Body::empty()).unwrap()).await
}

fn screenshot_dir(app: &App) -> PathBuf {
    match app.settings.journal().screenshot_dir.unwrap() {
        Location::Dir(dir) => dir,
        Location::Bucket { .. } => panic!("the tests have no bucket"),
    }
}

fn file_count(app: &App) -> usize {
    fs::read_dir(screenshot_dir(app)).unwrap().count()
}

async fn entry_of(trader: &Trader<'_>, n: i32) -> Value {
    let lookup = json!({ "kind": "position", "keys": [position(n)["key"]] });
    trader.send_json(trader.app, Method::POST, "/journal/entries/lookup", &lookup).await.json()["entries"][0].clone()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_screenshot_creates_the_entry_and_is_seen_by_its_owner_only(pool: PgPool) {
    let app = App::new(&pool).await;
    let (asha, ravi) = (app.register_trader().await, app.register_trader().await);
    let file = png(900, 450);
    let (id, entry) = add(&asha, 1, &file).await;
    let screenshot = entry["screenshots"][0].clone();
    assert_eq!((&entry["version"], &entry["note"], &entry["symbol"]), (&json!(1), &json!(""), &json!("INFY")));
    let size = (&screenshot["width"], &screenshot["height"], &screenshot["mediaType"]);
    assert_eq!((screenshot["id"].as_str(), size), (Some(id.as_str()), (&json!(900), &json!(450), &json!("image/png"))));

    let path = format!("/journal/screenshots/{id}");
    let picture = asha.get(&path).await;
    assert_eq!((picture.status.as_u16(), picture.headers["content-type"].to_str().unwrap()), (200, "image/png"));
    let drawn = image::load_from_memory(&picture.body).unwrap().into_rgb8();
    assert_eq!(drawn, image::load_from_memory(&file).unwrap().into_rgb8());
    let thumbnail = asha.get(&format!("{path}?size=thumbnail")).await;
    assert_eq!(thumbnail.headers["content-type"], "image/jpeg");
    let thumbnail = image::load_from_memory(&thumbnail.body).unwrap();
    assert_eq!((thumbnail.width(), thumbnail.height()), (480, 240));
    asha.get(&format!("{path}?size=small")).await.expect_problem(422, "invalid");

    // The entry of a note keeps its text and its version.
    let noted = with(position(1), &json!({ "note": "Held too long.", "version": 1 }));
    let saved = asha.send_json(&app, Method::PUT, "/journal/entries", &noted).await.json();
    assert_eq!(saved["screenshots"], entry["screenshots"]);
    let (_, entry) = add(&asha, 1, &file).await;
    assert_eq!((&entry["note"], &entry["version"]), (&json!("Held too long."), &json!(2)));
    assert_eq!(entry["screenshots"].as_array().unwrap().len(), 2);

    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::GET, format!("{path}?size=thumbnail")),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/restore")),
        (Method::GET, "/journal/screenshots/1".to_owned()),
        (Method::DELETE, "/journal/screenshots/..%2f..%2fmanifest".to_owned()),
    ] {
        send(&ravi, method, &path).await.expect_problem(404, "screenshot_not_found");
    }
    // The id of another trader's screenshot names another file.
    let reply = post_form(&ravi, &fields(&id, 1), &png(20, 20)).await;
    assert_eq!(reply.status, 201);
    assert_eq!(asha.get(&path).await.body, picture.body);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_repeated_request_adds_nothing_and_a_deletion_can_be_undone(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let id = Uuid::new_v4().to_string();
    for _ in 0..2 {
        let entry = post_form(&asha, &fields(&id, 1), &png(30, 20)).await.json();
        assert_eq!(entry["screenshots"].as_array().unwrap().len(), 1);
    }
    let form = fields(&Uuid::new_v4().to_string(), 2);
    let file = png(30, 20);
    let (first, second) = tokio::join!(post_form(&asha, &form, &file), post_form(&asha, &form, &file));
    assert!([&first, &second].iter().any(|reply| reply.status == 201));
    assert_eq!(entry_of(&asha, 2).await["screenshots"].as_array().unwrap().len(), 1);

    let path = format!("/journal/screenshots/{id}");
    for _ in 0..2 {
        assert_eq!(send(&asha, Method::DELETE, &path).await.status, 204);
    }
    asha.get(&path).await.expect_problem(404, "screenshot_not_found");
    assert_eq!(entry_of(&asha, 1).await["screenshots"], json!([]));
    for _ in 0..2 {
        assert_eq!(send(&asha, Method::POST, &format!("{path}/restore")).await.status, 204);
    }
    assert_eq!(asha.get(&path).await.status, 200);
    assert_eq!(entry_of(&asha, 1).await["screenshots"].as_array().unwrap().len(), 1);

    assert_eq!(send(&asha, Method::DELETE, &path).await.status, 204);
    sqlx::query(
        "update journal.screenshot set deleted_at = now() - interval '24 hours 1 minute' where deleted_at is not null",
    )
    .execute(&pool)
    .await
    .unwrap();
    send(&asha, Method::POST, &format!("{path}/restore")).await.expect_problem(404, "screenshot_not_found");
    let files = file_count(&app);
    run_cleanup(&pools(&pool), &app.settings).await;
    assert_eq!(file_count(&app), files);
    sqlx::query(
        "update journal.screenshot set deleted_at = deleted_at - interval '1 hour' where deleted_at is not null",
    )
    .execute(&pool)
    .await
    .unwrap();
    run_cleanup(&pools(&pool), &app.settings).await;
    assert_eq!(file_count(&app), 2);
    assert_eq!(entry_of(&asha, 2).await["screenshots"].as_array().unwrap().len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn bad_pictures_and_forms_are_rejected_and_store_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let id = Uuid::new_v4().to_string();
    let good = png(30, 20);
    let cut = good[..good.len() / 2].to_vec();
    for (file, code) in [
        (b"Symbol,Date\n".to_vec(), "not_a_picture"),
        (Vec::new(), "not_a_picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>".to_vec(), "not_a_picture"),
        (cut, "picture_damaged"),
        (write(RgbImage::new(26_000, 1_000), ImageFormat::Png), "too_many_pixels"),
    ] {
        let problem = post_form(&asha, &fields(&id, 1), &file).await.expect_problem(422, "invalid").json();
        assert_eq!((&problem["errors"][0]["field"], &problem["errors"][0]["code"]), (&json!("file"), &json!(code)));
        assert_ne!(problem["detail"], "");
    }
    let large = vec![0; 5 * 1024 * 1024 + 1];
    post_form(&asha, &fields(&id, 1), &large).await.expect_problem(413, "screenshot_too_large");
    let larger = vec![0; 6 * 1024 * 1024];
    post_form(&asha, &fields(&id, 1), &larger).await.expect_problem(413, "screenshot_too_large");

    let change = |field: &str, value: &str| {
        let kept = fields(&id, 1).into_iter().filter(|(name, _)| name != field);
        kept.chain([(field.to_owned(), value.to_owned())]).collect::<Vec<_>>()
    };
    for (field, value) in [
        ("id", "1"),
        ("kind", "trade"),
        ("key", ""),
        ("key", &"x".repeat(201)),
        ("day", "20 Nov"),
        ("side", "up"),
        ("quantity", "many"),
        ("symbol", &"x".repeat(101)),
        ("accountId", "1"),
    ] {
        let problem = post_form(&asha, &change(field, value), &good).await.expect_problem(422, "invalid").json();
        assert_eq!(problem["errors"][0]["field"], field, "{problem:#}");
    }
    let repeated = [fields(&id, 1), vec![("id".to_owned(), id.clone())]].concat();
    let problem = post_form(&asha, &repeated, &good).await.expect_problem(422, "invalid").json();
    assert_eq!(problem["errors"][0]["code"], "repeated");
    assert_eq!((entry_of(&asha, 1).await, file_count(&app)), (Value::Null, 0));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_entry_and_an_account_have_limits(pool: PgPool) {
    let app = App::with_arguments(&pool, &["--screenshot-quota-mib", "1"]).await;
    let asha = app.register_trader().await;
    let small = png(20, 20);
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(add(&asha, 1, &small).await.0);
    }
    let eleventh = fields(&Uuid::new_v4().to_string(), 1);
    post_form(&asha, &eleventh, &small).await.expect_problem(409, "screenshots_full");
    assert_eq!(send(&asha, Method::DELETE, &format!("/journal/screenshots/{}", ids[0])).await.status, 204);
    assert_eq!(post_form(&asha, &eleventh, &small).await.status, 201);
    let restore = format!("/journal/screenshots/{}/restore", ids[0]);
    send(&asha, Method::POST, &restore).await.expect_problem(409, "screenshots_full");

    // Noise cannot be compressed: a JPEG of these pixels takes over 600 kB, and two exceed the quota.
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let noisy = RgbImage::from_fn(500, 500, |_, _| Rgb([noise(), noise(), noise()]));
    let file = write(noisy, ImageFormat::Jpeg);
    let (large, _) = add(&asha, 2, &file).await;
    let over = post_form(&asha, &fields(&Uuid::new_v4().to_string(), 3), &file).await;
    let problem = over.expect_problem(409, "screenshot_quota_reached").json();
    assert!(problem["detail"].as_str().unwrap().contains("1 MB"), "{problem:#}");
    assert_eq!(entry_of(&asha, 3).await, Value::Null);

    // Deleted ones stay on the disk for a day, so they count for a while.
    assert_eq!(send(&asha, Method::DELETE, &format!("/journal/screenshots/{large}")).await.status, 204);
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let id = Uuid::new_v4().to_string();
        let reply = post_form(&asha, &fields(&id, 4), &file).await;
        statuses.push(reply.status.as_u16());
        send(&asha, Method::DELETE, &format!("/journal/screenshots/{id}")).await;
    }
    assert!(statuses[0] == 201 && statuses[7] == 409, "{statuses:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn screenshots_move_with_an_attached_entry_and_go_with_a_deleted_one(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let (id, entry) = add(&asha, 1, &png(20, 20)).await;
    add(&asha, 2, &png(30, 20)).await;
    let attach = with(position(2), &json!({ "version": entry["version"] }));
    let path = format!("/journal/entries/{}/attach", entry["id"].as_str().unwrap());
    let attached = asha.send_json(&app, Method::POST, &path, &attach).await.json();
    let ids: Vec<_> = attached["screenshots"].as_array().unwrap().iter().map(|shot| shot["id"].clone()).collect();
    assert_eq!((ids.len(), &ids[0]), (2, &json!(id)));
    let path = format!("/journal/entries/{}?version={}", attached["id"].as_str().unwrap(), attached["version"]);
    assert_eq!(send(&asha, Method::DELETE, &path).await.status, 204);
    asha.get(&format!("/journal/screenshots/{id}")).await.expect_problem(404, "screenshot_not_found");
    let restore = format!("/journal/screenshots/{id}/restore");
    send(&asha, Method::POST, &restore).await.expect_problem(404, "screenshot_not_found");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_export_has_every_screenshot_and_a_deleted_account_leaves_no_file(pool: PgPool) {
    let app = App::new(&pool).await;
    let asha = app.register_trader().await;
    let (first, _) = add(&asha, 1, &png(200, 100)).await;
    let (second, _) = add(&asha, 2, &png(300, 100)).await;
    let export = asha.get("/account/export?format=zip").await;
    assert_eq!((export.status.as_u16(), export.headers["content-type"].to_str().unwrap()), (200, "application/zip"));
    let mut archive = zip::ZipArchive::new(Cursor::new(export.body.clone())).unwrap();
    assert_eq!(archive.len(), 2);
    for id in [&first, &second] {
        let mut picture = Vec::new();
        let name = format!("2026-11-20 INFY {id}.png");
        archive.by_name(&name).unwrap().read_to_end(&mut picture).unwrap();
        assert_eq!(picture, asha.get(&format!("/journal/screenshots/{id}")).await.body);
    }
    // A lost file does not keep the others from being exported.
    let lost: Uuid = sqlx::query_scalar("select file_id from journal.screenshot where screenshot_id = $1::uuid")
        .bind(&first)
        .fetch_one(&pool)
        .await
        .unwrap();
    fs::remove_file(screenshot_dir(&app).join(lost.to_string())).unwrap();
    let export = asha.get("/account/export?format=zip").await;
    let mut archive = zip::ZipArchive::new(Cursor::new(export.body.clone())).unwrap();
    let mut missing = String::new();
    archive.by_name("missing.txt").unwrap().read_to_string(&mut missing).unwrap();
    assert_eq!((archive.len(), missing), (2, format!("2026-11-20 INFY {first}.png\n")));
    let data = asha.get("/account/export").await.json();
    assert_eq!(data["journalEntries"][0]["screenshots"][0]["id"], json!(first));
    let empty = app.register_trader().await.get("/account/export?format=zip").await;
    assert_eq!(zip::ZipArchive::new(Cursor::new(empty.body)).unwrap().len(), 0);

    assert_eq!(file_count(&app), 3);
    sqlx::query("update auth.account set closed_at = now() - interval '31 days' where email = $1")
        .bind(&asha.email)
        .execute(&pool)
        .await
        .unwrap();
    run_cleanup(&pools(&pool), &app.settings).await;
    assert_eq!(file_count(&app), 0);
}
