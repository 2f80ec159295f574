//! Tests of the own application of a candidate, identified by its key.

use serde_json::json;

use super::core::careers::{VALID_KEY, VALID_TOKEN};
use super::*;

pub fn application_request(edge: &Edge, method: &str, path: &str, key: &str) -> http::request::Builder {
    edge.anonymous_request(method, path).header("application-key", key)
}

pub async fn send_with_key(edge: &Edge, method: &str, path: &str) -> Reply {
    edge.send(application_request(edge, method, path, VALID_KEY).body(Body::empty()).unwrap()).await
}

async fn patch(edge: &Edge, key: &str, body: &Value) -> Reply {
    let request =
        application_request(edge, "PATCH", "/api/application", key).header("content-type", "application/json");
    edge.send(request.body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn application_key_gives_access_to_the_own_application() {
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
        "receivedAt": at, "step": "technical-round", "stepSince": at,
        "pastSteps": ["initial-discussion"], "consents": null, "withdrawnAt": null,
        "expiresAt": at, "lastViewedAt": at, "resume": { "fileName": "re\"sumé.pdf", "bytes": 6, "sha256": "ab".repeat(32) },
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
async fn missing_and_invalid_keys_get_the_same_error() {
    let edge = Edge::new().await;
    for (method, path) in [
        ("GET", "/api/application"),
        ("DELETE", "/api/application"),
        ("POST", "/api/application/withdraw"),
        ("PUT", "/api/application/later-roles"),
        ("DELETE", "/api/application/later-roles"),
        ("GET", "/api/application/resume"),
        ("POST", "/api/application/link"),
    ] {
        for key in ["", "wrong", "\u{fc}", &"k".repeat(65)] {
            let key = http::HeaderValue::from_bytes(key.as_bytes()).unwrap();
            let request = edge.anonymous_request(method, path).header("application-key", key);
            edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(404, "application_not_found");
        }
        edge.send(edge.anonymous_request(method, path).body(Body::empty()).unwrap())
            .await
            .assert_problem(404, "application_not_found");
        let two_keys = application_request(&edge, method, path, VALID_KEY)
            .header("application-key", VALID_KEY)
            .body(Body::empty())
            .unwrap();
        edge.send(two_keys).await.assert_problem(404, "application_not_found");
    }
    patch(&edge, "wrong", &json!({ "salary": 9 })).await.assert_problem(404, "application_not_found");
    let cookie = edge.anonymous_request("POST", "/api/application/withdraw").header("content-type", "text/plain");
    let cookie = cookie.header("application-key", VALID_KEY).body(Body::from("x")).unwrap();
    edge.send(cookie).await.assert_problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn update_names_only_the_fields_that_are_sent() {
    let edge = Edge::new().await;
    let long = "ळ".repeat(5_000);
    let changes = json!({
        "college": "IIT Bombay", "passingYear": 2028, "experience": 1.50, "role": "AIML", "linkedin": "",
        "motivation": long,
    });
    let reply = patch(&edge, VALID_KEY, &changes).await;
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    let take_update = || edge.core.0.careers.lock().unwrap().updates.pop().unwrap();
    let update = take_update();
    let mask = ["college", "role", "linkedin", "motivation", "passing_year", "experience"];
    assert_eq!(update.update_mask.unwrap().paths, mask);
    let sent = update.answers.unwrap();
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
    assert!(edge.core.0.careers.lock().unwrap().updates.is_empty());
    assert!(patch(&edge, VALID_KEY, &json!({ "passingYear": 99_999_999_999_u64 })).await.status.is_success());
    assert_eq!(take_update().answers.unwrap().passing_year, i32::MAX);
}

/// [C7]
#[tokio::test]
async fn c7_only_the_token_of_the_receipt_corrects_the_email_address() {
    let edge = Edge::new().await;
    let body = || Body::from(json!({ "email": "right@example.in" }).to_string());
    let request = || edge.anonymous_request("PUT", "/api/application/email").header("content-type", "application/json");
    edge.send(request().body(body()).unwrap()).await.assert_problem(404, "email_correction_closed");
    for wrong in ["", "x", VALID_KEY, &"k".repeat(65)] {
        let request = request().header("email-correction-token", wrong).body(body()).unwrap();
        edge.send(request).await.assert_problem(404, "email_correction_closed");
    }
    // The key of the link does not redirect the application.
    let request_with_key = request().header("application-key", VALID_KEY).body(body()).unwrap();
    edge.send(request_with_key).await.assert_problem(404, "email_correction_closed");
    let two = request().header("email-correction-token", VALID_TOKEN).header("email-correction-token", VALID_TOKEN);
    edge.send(two.body(body()).unwrap()).await.assert_problem(404, "email_correction_closed");
    let valid = || request().header("email-correction-token", VALID_TOKEN);
    assert_eq!(edge.send(valid().body(body()).unwrap()).await.status, 204);
    let unknown = Body::from(json!({ "email": "a@example.in", "name": "Asha" }).to_string());
    edge.send(valid().body(unknown).unwrap()).await.assert_problem(422, "invalid");
    edge.send(valid().body(Body::from("{")).unwrap()).await.assert_problem(400, "malformed");
}

/// [C13]
#[tokio::test]
async fn c13_links_are_replaced_with_the_key_and_requested_without_one() {
    let edge = Edge::new().await;
    assert_eq!(send_with_key(&edge, "POST", "/api/application/link").await.status, 202);
    for email in ["asha@example.in", "nobody@example.in"] {
        let request = edge.anonymous_request("POST", "/api/application/links");
        let request = request.header("content-type", "application/json");
        let reply = edge.send(request.body(Body::from(json!({ "email": email }).to_string())).unwrap()).await;
        assert_eq!((reply.status.as_u16(), reply.body.len()), (202, 0), "the same response for every address");
    }
}
