//! Tests of openings and the application form.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream;
use rpc::failure::{Kind, to_status};
use serde_json::json;
use tokio::time::Instant;

use super::auth::Refusal;
use super::own_application::{application_request, send_with_key};
use super::*;

const BOUNDARY: &str = "x-boundary-x";
/// Size limit of the form: a 5 MiB resume and 256 KiB for the other fields.
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

/// Returns all fields that the spec names.
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
async fn accepts_an_application_with_fields_in_any_order_and_returns_a_receipt() {
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
        let receipt = json!({ "applicationId": "TBA-7K3M9Q2X", "receivedAt": "2026-03-31T18:30:00Z", "resume": resume_json,
                "receiptQueued": true, "emailCorrectionToken": super::core::careers::VALID_TOKEN });
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
            (consents.this_application, consents.later_roles, consents.notice_version.as_str()),
            (true, false, "2026-11")
        );
    }
}

#[tokio::test]
async fn sends_missing_fields_to_the_core_as_empty() {
    let edge = Edge::new().await;
    assert_eq!(apply(&edge, form(&[])).await.status, 201, "the core reports missing fields");
    let (form, resume, _) = take_submitted(&edge).unwrap();
    assert_eq!((form.answers.unwrap(), form.consents, resume.len()), (Default::default(), None, 0));
    apply(&edge, self::form(&[field("passingYear", "soon"), field("noticeVersion", "1")])).await;
    let (form, ..) = take_submitted(&edge).unwrap();
    assert_eq!(form.answers.unwrap().passing_year, -1, "an invalid year differs from a missing one");
    assert!(!form.consents.unwrap().this_application, "a notice version without consent is no consent");
}

#[tokio::test]
async fn rejects_repeated_unknown_and_invalid_fields() {
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
async fn rejects_a_malformed_form_without_reading_all_of_it() {
    let edge = Edge::new().await;
    let many = form(&vec![field("name", "x"); 10_000]);
    apply(&edge, many).await.assert_problem(422, "too_many_parts");
    let bare = edge.anonymous_request("POST", "/api/apply/FE101").header("content-type", "multipart/form-data");
    edge.send(bare.body(Body::from(complete_form(b"x"))).unwrap()).await.assert_problem(400, "malformed");
    let other = edge
        .anonymous_request("POST", "/api/apply/FE101")
        .header("content-type", "multipart/form-data; boundary=other");
    edge.send(other.body(Body::from(complete_form(b"x"))).unwrap()).await.assert_problem(400, "malformed");
    // The search for a missing boundary or for the end of the part headers stops before the end of the body.
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
async fn rejects_a_form_above_the_size_limit_with_an_error_at_the_resume() {
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
async fn times_out_a_stalled_or_slow_form() {
    let edge = Edge::new().await;
    for beginning in [resume("a.pdf", b""), field("name", "")] {
        let mut beginning = beginning;
        beginning.truncate(beginning.len() - 2);
        // One byte per second never triggers a timeout for silence.
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
async fn passes_on_the_error_or_replay_of_the_core() {
    let edge = Edge::new().await;
    for (kind, reason, code, name) in [
        (Kind::Invalid, "RESUME_ENCRYPTED", 422, "resume_encrypted"),
        (Kind::TooLarge, "RESUME_TOO_LARGE", 413, "resume_too_large"),
        (Kind::NotFound, "OPENING_CLOSED", 404, "opening_closed"),
        (Kind::AlreadyExists, "IDEMPOTENCY_KEY_REUSED", 409, "idempotency_key_reused"),
        (Kind::StorageFull, "STORAGE_FULL", 507, "storage_full"),
        (Kind::Busy, "DAILY_LIMIT_REACHED", 503, "daily_limit_reached"),
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
async fn stores_the_application_when_the_client_disconnects_after_the_form() {
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
async fn application_forms_leave_upload_slots_for_traders() {
    let limits = crate::Limits { uploads: shares(2), applications: shares(1), ..Default::default() };
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
async fn job_description_uses_the_field_names_of_the_spec() {
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
    assert!(text.find("\"Write\"") < text.find("\"Build\""), "headings keep their order: {text}");
    edge.get("/api/job-description/BE101").await.assert_problem(404, "opening_closed");
    edge.get("/api/job-description/%FF").await.assert_problem(404, "opening_not_found");
    edge.get("/api/v1/api/job-description/FE101").await.assert_problem(404, "not_found");
    let openings = edge.get("/api/job-description").await.json();
    let card = json!({
        "id": "FE101", "title": "Frontend Intern", "department": "Engineering", "skills": ["React"],
        "location": "Pune", "duration": "6 months", "stipend": "₹15,000 a month", "postedOn": "2026-11-01",
        "lastDate": "2027-03-31",
    });
    assert_eq!(openings, json!({ "openings": [card] }));
}

#[tokio::test(start_paused = true)]
async fn limits_applications_and_key_lookups_per_address() {
    let edge = Edge::with(Settings::default()).await;
    for _ in 0..300 {
        apply(&edge, "").await.assert_problem(400, "malformed");
    }
    apply(&edge, "").await.assert_problem(429, "too_many_requests");
    for number in 0..120 {
        let request =
            application_request(&edge, "GET", "/api/application", &number.to_string()).body(Body::empty()).unwrap();
        edge.send(request).await.assert_problem(404, "application_not_found");
    }
    send_with_key(&edge, "GET", "/api/application").await.assert_problem(429, "too_many_requests");
    send_with_key(&edge, "GET", "/api/application/resume").await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.get("/api/job-description/FE101").await.status, 200);
}
