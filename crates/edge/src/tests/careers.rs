//! Openings, applications through the form, and a candidate's own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream;
use rpc::failure::{Kind, to_status};
use serde_json::json;
use tokio::time::Instant;

use super::auth::Refusal;
use super::core::careers::VALID_KEY;
use super::*;

const BOUNDARY: &str = "x-boundary-x";
/// The resume and everything around it.
const MAX_FORM_BYTES: usize = 5 * 1024 * 1024 + 256 * 1024;

fn field(name: &str, value: &str) -> Vec<u8> {
    format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").into_bytes()
}

fn resume(name: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"resume\"; filename=\"{name}\"\r\n\r\n");
    [head.as_bytes(), bytes, b"\r\n"].concat()
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat()
}

/// All fields that a client sends who follows the spec to the letter.
fn fields() -> Vec<Vec<u8>> {
    [
        ("name", "Asha Rao"),
        ("email", "asha@example.in"),
        ("mobile", "9876543210"),
        ("college", "NIT Surathkal"),
        ("degree", "btech"),
        ("passingYear", "2027"),
        ("role", "frontend"),
        ("experience", "0.5"),
        ("linkedin", "https://www.linkedin.com/in/asha"),
        ("motivation", "I like ledgers."),
        ("jobid", "FE101"),
    ]
    .map(|(name, value)| field(name, value))
    .into()
}

fn complete_form(bytes: &[u8]) -> Vec<u8> {
    form(&[fields(), vec![resume("resume.pdf", bytes)]].concat())
}

fn form_request(edge: &Edge) -> http::request::Builder {
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    edge.anonymous_request("POST", "/api/apply/FE101").header("content-type", kind)
}

async fn apply(edge: &Edge, body: impl Into<Body>) -> Reply {
    edge.send(form_request(edge).body(body.into()).unwrap()).await
}

fn take_submitted(edge: &Edge) -> Option<(rpc::careers::v1::ApplicationForm, Vec<u8>, usize)> {
    edge.core.0.careers.lock().unwrap().submitted.take()
}

/// [3A-01] [7C-01] [7C-02]
#[tokio::test]
async fn an_application_travels_with_its_fields_in_any_order_and_is_answered_by_a_receipt() {
    let edge = Edge::new().await;
    let bytes = vec![b'7'; 700 * 1024];
    let consents = [("consentApplication", "true"), ("consentLaterRoles", "false"), ("noticeVersion", "2026-11")];
    let consents = consents.map(|(name, value)| field(name, value)).to_vec();
    let parts = [vec![resume("C:\\cv\\résumé.pdf", &bytes)], fields(), consents].concat();
    for rotation in 0..parts.len() {
        let mut parts = parts.clone();
        parts.rotate_left(rotation);
        let reply = apply(&edge, form(&parts)).await;
        assert_eq!(reply.status, 201, "{:?}", reply.body);
        reply.assert_security_headers();
        let resume_json = json!({ "fileName": "résumé.pdf", "bytes": bytes.len(), "sha256": "ab".repeat(32) });
        let receipt =
            json!({ "applicationId": "TBA-7K3M9Q2X", "receivedAt": "2026-03-31T18:30:00Z", "resume": resume_json });
        assert_eq!(reply.json(), receipt);
        let (form, stored, largest) = take_submitted(&edge).unwrap();
        assert!(stored == bytes && largest == 256 * 1024);
        assert_eq!((form.job_id.as_str(), form.file_name.as_str()), ("FE101", "résumé.pdf"));
        let answers = form.answers.unwrap();
        assert_eq!(
            (answers.name.as_str(), answers.passing_year, answers.experience.as_str()),
            ("Asha Rao", 2027, "0.5")
        );
        let consents = form.consents.unwrap();
        assert_eq!(
            (consents.application, consents.later_roles, consents.notice_version.as_str()),
            (true, false, "2026-11")
        );
    }
}

#[tokio::test]
async fn what_is_not_said_is_passed_on_as_nothing() {
    let edge = Edge::new().await;
    assert_eq!(apply(&edge, form(&[])).await.status, 201, "what is missing, the core says");
    let (form, resume, _) = take_submitted(&edge).unwrap();
    assert_eq!((form.answers.unwrap(), form.consents, resume.len()), (Default::default(), None, 0));
    apply(&edge, self::form(&[field("passingYear", "soon"), field("noticeVersion", "1")])).await;
    let (form, ..) = take_submitted(&edge).unwrap();
    assert_eq!(form.answers.unwrap().passing_year, -1, "no year at all is told from a wrong one");
    assert!(!form.consents.unwrap().application, "who was asked and did not agree has not agreed");
}

#[tokio::test]
async fn a_form_that_says_a_thing_twice_or_too_much_stores_nothing() {
    let edge = Edge::new().await;
    let check = async |more: &[Vec<u8>], expected: &[(&str, &str)]| {
        let all = [vec![resume("a.pdf", b"x")], fields(), more.to_vec()].concat();
        let problem = apply(&edge, form(&all)).await.assert_problem(422, "invalid");
        let errors = problem["errors"].as_array().unwrap().clone();
        let errors: Vec<_> =
            errors.iter().map(|error| (error["field"].as_str().unwrap(), error["code"].as_str().unwrap())).collect();
        assert_eq!(errors, expected);
    };
    check(&[resume("a.pdf", b"x")], &[("resume", "repeated")]).await;
    check(&[resume("b.exe", &[b'x'; 1 << 20])], &[("resume", "repeated")]).await;
    check(&[field("email", "ravi@example.in")], &[("email", "repeated")]).await;
    check(&[field("jobid", "BE101")], &[("jobid", "repeated"), ("jobid", "invalid")]).await;
    check(&[field("salary", "9")], &[("salary", "unknown")]).await;
    check(&[field("consentApplication", "on")], &[("consentApplication", "invalid")]).await;
    check(&[field("noticeVersion", &"x".repeat(24 * 1024 + 1))], &[("noticeVersion", "too_long")]).await;
    assert!(take_submitted(&edge).is_none());
}

#[tokio::test]
async fn what_is_no_form_is_refused_as_soon_as_that_shows() {
    let edge = Edge::new().await;
    let many = form(&vec![field("name", "x"); 10_000]);
    apply(&edge, many).await.assert_problem(422, "too_many_parts");
    let bare = edge.anonymous_request("POST", "/api/apply/FE101").header("content-type", "multipart/form-data");
    edge.send(bare.body(Body::from(complete_form(b"x"))).unwrap()).await.assert_problem(400, "malformed");
    let other = edge
        .anonymous_request("POST", "/api/apply/FE101")
        .header("content-type", "multipart/form-data; boundary=other");
    edge.send(other.body(Body::from(complete_form(b"x"))).unwrap()).await.assert_problem(400, "malformed");
    // Neither a boundary that never comes nor a head that never ends is looked for through all of a body.
    for start in
        [Vec::new(), format!("--{BOUNDARY}\r\nx: ").into_bytes(), [form(&[])[..14].to_vec(), vec![b'x']].concat()]
    {
        let polled_bytes = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&polled_bytes);
        let chunks = stream::iter(std::iter::once(start).chain((0..320).map(|_| vec![b'x'; 16 * 1024])));
        let chunks = futures_util::StreamExt::map(chunks, move |chunk| {
            counter.fetch_add(chunk.len(), Ordering::Relaxed);
            Ok::<_, io::Error>(Bytes::from(chunk))
        });
        apply(&edge, Body::from_stream(chunks)).await.assert_problem(400, "malformed");
        assert!(polled_bytes.load(Ordering::Relaxed) <= 128 * 1024);
    }
    let json = edge.anonymous_request("POST", "/api/apply/FE101").header("content-type", "application/json");
    edge.send(json.body(Body::from("{}")).unwrap()).await.assert_problem(415, "unsupported_media_type");
    let cut = complete_form(b"abc");
    apply(&edge, cut[..cut.len() - 20].to_vec()).await.assert_problem(400, "malformed");
    let not_utf8 = [b"--x-boundary-x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n\xff".as_slice(), b"\r\n"];
    apply(&edge, form(&[not_utf8.concat()])).await.assert_problem(400, "malformed");
    let cross_site =
        form_request(&edge).header("sec-fetch-site", "cross-site").body(Body::from(complete_form(b"x"))).unwrap();
    edge.send(cross_site).await.assert_problem(403, "cross_site");
    assert!(take_submitted(&edge).is_none());
}

#[tokio::test]
async fn a_form_that_is_too_large_is_told_so_at_the_resume() {
    let edge = Edge::new().await;
    let oversized = complete_form(&vec![b'x'; MAX_FORM_BYTES]);
    let chunks: Vec<_> =
        oversized.chunks(1 << 20).map(|chunk| Ok::<_, io::Error>(Bytes::copy_from_slice(chunk))).collect();
    let reply = apply(&edge, Body::from_stream(stream::iter(chunks))).await;
    let problem = reply.assert_problem(413, "resume_too_large");
    assert_eq!(problem["detail"], "File size must be less than 5MB.");
    assert_eq!(problem["errors"][0]["field"], "resume");
    let with_length =
        form_request(&edge).header("content-length", oversized.len()).body(Body::from(oversized)).unwrap();
    edge.send(with_length).await.assert_problem(413, "resume_too_large");
    let oversized_field = form(&[field("motivation", &"x".repeat(MAX_FORM_BYTES))]);
    apply(&edge, oversized_field).await.assert_problem(413, "resume_too_large");
    assert!(take_submitted(&edge).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_form_that_stalls_or_crawls_is_given_up() {
    let edge = Edge::new().await;
    for beginning in [resume("a.pdf", b""), field("name", "")] {
        let mut beginning = beginning;
        beginning.truncate(beginning.len() - 2);
        // A byte a second is never silent for long.
        let slow_body = stream::unfold(Some(beginning), |beginning| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok::<_, io::Error>(Bytes::from(beginning.unwrap_or_else(|| vec![b'x']))), None))
        });
        let started = Instant::now();
        apply(&edge, Body::from_stream(slow_body)).await.assert_problem(408, "request_timeout");
        assert!(started.elapsed() < Duration::from_secs(15));
    }
    let silent = stream::once(async { Ok::<_, io::Error>(Bytes::from(complete_form(b"abc")[..40].to_vec())) });
    let silent = futures_util::StreamExt::chain(silent, stream::pending());
    apply(&edge, Body::from_stream(silent)).await.assert_problem(408, "request_timeout");
    assert!(take_submitted(&edge).is_none());
}

#[tokio::test]
async fn what_the_core_says_of_an_application_is_passed_on() {
    let edge = Edge::new().await;
    for (kind, reason, code, name) in [
        (Kind::Invalid, "RESUME_ENCRYPTED", 422, "resume_encrypted"),
        (Kind::TooLarge, "RESUME_TOO_LARGE", 413, "resume_too_large"),
        (Kind::NotFound, "OPENING_CLOSED", 404, "opening_closed"),
        (Kind::Conflict, "KEY_REUSED", 409, "key_reused"),
        (Kind::StorageFull, "STORE_FULL", 507, "store_full"),
        (Kind::Busy, "DAY_FULL", 503, "day_full"),
    ] {
        *edge.core.0.early_error.lock().unwrap() = Some(to_status(&Refusal(kind, reason)));
        apply(&edge, complete_form(&vec![b'x'; 5 << 20])).await.assert_problem(code, name);
    }
    *edge.core.0.early_error.lock().unwrap() = None;
    let keyed = form_request(&edge).header("idempotency-key", "again").body(Body::from(complete_form(b"x"))).unwrap();
    let reply = edge.send(keyed).await;
    assert_eq!((reply.status.as_u16(), reply.header("idempotency-replayed")), (201, "true"));
    assert_eq!(take_submitted(&edge).unwrap().0.idempotency_key, "again");
    let long =
        form_request(&edge).header("idempotency-key", "k".repeat(65)).body(Body::from(complete_form(b"x"))).unwrap();
    edge.send(long).await.assert_problem(422, "invalid");
    assert!(take_submitted(&edge).is_none());
}

#[tokio::test]
async fn a_candidate_who_hangs_up_after_the_form_has_applied() {
    let edge = Edge::new().await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let reply =
        tokio::spawn(edge.router.clone().oneshot(form_request(&edge).body(Body::from(complete_form(b""))).unwrap()));
    edge.core.0.started.notified().await;
    reply.abort();
    assert!(reply.await.unwrap_err().is_cancelled());
    edge.core.0.unblock.notify_one();
    edge.core.0.done.notified().await;
    assert!(take_submitted(&edge).is_some());
}

#[tokio::test]
async fn applicants_leave_the_places_of_traders_free() {
    let limits = crate::Limits { uploads: 2, ..Default::default() };
    let edge = Edge::with(Settings { limits, no_rate_limits: true, ..Settings::default() }).await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let first =
        tokio::spawn(edge.router.clone().oneshot(form_request(&edge).body(Body::from(complete_form(b"x"))).unwrap()));
    edge.core.0.started.notified().await;
    let reply = apply(&edge, complete_form(b"x")).await;
    reply.assert_problem(503, "busy");
    assert_eq!(reply.header("retry-after"), "1");
    let upload = edge.request("POST", "/uploadexcel").header("content-type", "multipart/form-data; boundary=x");
    edge.send(upload.body(Body::from("--x--\r\n")).unwrap()).await.assert_problem(422, "invalid");
    edge.core.0.unblock.notify_one();
    assert_eq!(first.await.unwrap().unwrap().status(), 201);
}

/// [3D-01] [3D-02] [3D-03] [7C-03] [2J-03]
#[tokio::test]
async fn an_opening_is_described_under_the_names_of_the_spec() {
    let edge = Edge::new().await;
    let reply = edge.get("/api/job-description/FE101").await;
    reply.assert_security_headers();
    let expected = json!({
        "Title": "Frontend Intern", "JobID": "FE101", "Location": "Pune", "Duration": "6 months",
        "Posting_Date": "2026-11-01", "Aboutus": "A ledger.", "TechStack": ["React"], "Experience": "None.",
        "KeySkillsandRequirements": { "Technical": ["CSS"] },
        "KeyResponsibilities": { "Write": ["Do it"], "Build": ["Do it"] }, "PerksandBenefits": ["Tea"],
        "Department": "Engineering", "Stipend": "₹15,000 a month", "WorkMode": "hybrid", "Seats": 2,
        "LastDate": "2027-03-31",
    });
    assert_eq!(reply.json(), expected);
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    assert!(text.find("\"Write\"") < text.find("\"Build\""), "headings stay in their order: {text}");
    edge.get("/api/job-description/BE101").await.assert_problem(404, "opening_closed");
    edge.get("/api/job-description/%FF").await.assert_problem(404, "no_opening");
    edge.get("/api/v1/api/job-description/FE101").await.assert_problem(404, "not_found");
    let openings = edge.get("/api/job-description").await.json();
    let card = json!({
        "id": "FE101", "title": "Frontend Intern", "department": "Engineering", "skills": ["React"],
        "location": "Pune", "duration": "6 months", "stipend": "₹15,000 a month", "postedOn": "2026-11-01",
        "lastDate": "2027-03-31",
    });
    assert_eq!(openings, json!({ "openings": [card] }));
}

fn application_request(edge: &Edge, method: &str, path: &str, key: &str) -> http::request::Builder {
    edge.anonymous_request(method, path).header("application-key", key)
}

async fn send_with_key(edge: &Edge, method: &str, path: &str) -> Reply {
    edge.send(application_request(edge, method, path, VALID_KEY).body(Body::empty()).unwrap()).await
}

async fn patch(edge: &Edge, key: &str, body: &Value) -> Reply {
    let request =
        application_request(edge, "PATCH", "/api/application", key).header("content-type", "application/json");
    edge.send(request.body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn a_key_opens_the_own_application() {
    let edge = Edge::new().await;
    let reply = send_with_key(&edge, "GET", "/api/application").await;
    reply.assert_security_headers();
    assert_eq!(reply.header("cache-control"), "no-store");
    let at = "2026-03-31T18:30:00Z";
    let answers = json!({
        "name": "Asha Rao", "email": "asha@example.in", "mobile": "9876543210", "college": "NIT Surathkal",
        "degree": "btech", "passingYear": 2027, "role": null, "experience": 0.5,
        "linkedin": "https://www.linkedin.com/in/asha", "motivation": "I like ledgers.",
    });
    let application = json!({
        "applicationId": "TBA-7K3M9Q2X", "jobId": "FE101", "jobTitle": "Frontend Intern", "answers": answers,
        "receivedAt": at, "step": "technical-round", "stepSince": at, "consents": null, "withdrawnAt": null,
        "keptUntil": at, "resume": { "fileName": "re\"sumé.pdf", "bytes": 6, "sha256": "ab".repeat(32) },
    });
    assert_eq!(reply.json(), application);
    assert_eq!(send_with_key(&edge, "POST", "/api/application/withdraw").await.json()["withdrawnAt"], at);
    for (method, agreed) in [("PUT", true), ("DELETE", false)] {
        let application = send_with_key(&edge, method, "/api/application/later-roles").await.json();
        assert_eq!(application["consents"]["laterRoles"], agreed);
    }
    let file = send_with_key(&edge, "GET", "/api/application/resume").await;
    assert_eq!((&file.body[..], file.header("content-length")), (&b"abcdef"[..], "6"));
    assert_eq!(file.header("content-type"), "application/octet-stream");
    let name = "attachment; filename=\"re_sum_.pdf\"; filename*=UTF-8''re%22sum%C3%A9.pdf";
    assert_eq!(file.header("content-disposition"), name);
    file.assert_security_headers();
    assert_eq!(send_with_key(&edge, "DELETE", "/api/application").await.status, 204);
}

#[tokio::test]
async fn no_key_and_a_wrong_one_are_refused_alike() {
    let edge = Edge::new().await;
    for (method, path) in [
        ("GET", "/api/application"),
        ("DELETE", "/api/application"),
        ("POST", "/api/application/withdraw"),
        ("PUT", "/api/application/later-roles"),
        ("DELETE", "/api/application/later-roles"),
        ("GET", "/api/application/resume"),
    ] {
        for key in ["", "wrong", "\u{fc}", &"k".repeat(65)] {
            let key = http::HeaderValue::from_bytes(key.as_bytes()).unwrap();
            let request = edge.anonymous_request(method, path).header("application-key", key);
            edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(404, "no_application");
        }
        edge.send(edge.anonymous_request(method, path).body(Body::empty()).unwrap())
            .await
            .assert_problem(404, "no_application");
        let two_keys = application_request(&edge, method, path, VALID_KEY)
            .header("application-key", VALID_KEY)
            .body(Body::empty())
            .unwrap();
        edge.send(two_keys).await.assert_problem(404, "no_application");
    }
    patch(&edge, "wrong", &json!({ "salary": 9 })).await.assert_problem(404, "no_application");
    let cookie = edge.anonymous_request("POST", "/api/application/withdraw").header("content-type", "text/plain");
    let cookie = cookie.header("application-key", VALID_KEY).body(Body::from("x")).unwrap();
    edge.send(cookie).await.assert_problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn what_is_not_corrected_stays() {
    let edge = Edge::new().await;
    let long = "ळ".repeat(5_000);
    let corrected = json!({
        "college": "IIT Bombay", "passingYear": 2028, "experience": 1.50, "role": "AIML", "linkedin": "",
        "motivation": long,
    });
    let reply = patch(&edge, VALID_KEY, &corrected).await;
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    let answers = &reply.json()["answers"];
    assert_eq!(
        (&answers["name"], &answers["experience"], &answers["linkedin"]),
        (&json!("Asha Rao"), &json!(1.5), &json!(null))
    );
    let sent = edge.core.0.careers.lock().unwrap().corrected.pop().unwrap();
    assert_eq!((sent.college.as_str(), sent.passing_year, sent.role.as_str()), ("IIT Bombay", 2028, "AIML"));
    assert_eq!((sent.experience.as_str(), sent.linkedin.as_str(), sent.motivation), ("1.5", "", long));
    for (body, field) in [
        (json!({ "email": "ravi@example.in" }), "email"),
        (json!({ "passingYear": "2028" }), "passingYear"),
        (json!({ "name": null }), "name"),
    ] {
        let problem = patch(&edge, VALID_KEY, &body).await.assert_problem(422, "invalid");
        assert_eq!(problem["errors"][0]["field"], field, "{problem}");
    }
    patch(&edge, VALID_KEY, &json!({})).await.assert_problem(422, "invalid");
    let broken =
        application_request(&edge, "PATCH", "/api/application", VALID_KEY).header("content-type", "application/json");
    edge.send(broken.body(Body::from("{")).unwrap()).await.assert_problem(400, "malformed");
    assert!(edge.core.0.careers.lock().unwrap().corrected.is_empty());
    assert!(patch(&edge, VALID_KEY, &json!({ "passingYear": 99_999_999_999_u64 })).await.status.is_success());
    assert_eq!(edge.core.0.careers.lock().unwrap().corrected.pop().unwrap().passing_year, i32::MAX);
}

#[tokio::test(start_paused = true)]
async fn an_address_applies_and_tries_keys_so_often() {
    let edge = Edge::with(Settings::default()).await;
    for _ in 0..300 {
        apply(&edge, "").await.assert_problem(400, "malformed");
    }
    apply(&edge, "").await.assert_problem(429, "too_many_requests");
    for number in 0..120 {
        let request =
            application_request(&edge, "GET", "/api/application", &number.to_string()).body(Body::empty()).unwrap();
        edge.send(request).await.assert_problem(404, "no_application");
    }
    send_with_key(&edge, "GET", "/api/application").await.assert_problem(429, "too_many_requests");
    send_with_key(&edge, "GET", "/api/application/resume").await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.get("/api/job-description/FE101").await.status, 200);
}
