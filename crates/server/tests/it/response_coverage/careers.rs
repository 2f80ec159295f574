//! Responses of the careers operations.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use rpc::careers::v1::{SetApplicationStepRequest, Step};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply};
use crate::careers::{ApplicationForm, emailed_keys, request_application};
use crate::resumes::{pdf, pdf_with_size};

const LATER_ROLES: &str = "/api/application/later-roles";

pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    assert_eq!(cover(app.get("/api/job-description").await).status, 200);
    assert_eq!(cover(app.get("/api/job-description/FE101").await).status, 200);
    cover(app.get("/api/job-description/XX101").await).expect_problem(404, "opening_not_found");

    let resume = pdf();
    let with_consent =
        ApplicationForm::new("a.pdf", &resume).with("consentApplication", "true").with("noticeVersion", "2026-11");
    let form_with_key = ApplicationForm { idempotency_key: Some("k"), ..with_consent };
    let receipt = cover(form_with_key.send(app).await);
    assert_eq!(receipt.status, 201);
    cover(form_with_key.with("name", "Ravi").send(app).await).expect_problem(409, "idempotency_key_reused");
    cover(ApplicationForm::new("a.pdf", &pdf_with_size(5_242_881)).send(app).await)
        .expect_problem(413, "resume_too_large");
    cover(ApplicationForm::new("a.exe", &resume).send(app).await).expect_problem(422, "invalid");
    let form = |path: &str, body: Vec<u8>| {
        Request::post(path).header("content-type", ApplicationForm::CONTENT_TYPE).body(Body::from(body)).unwrap()
    };
    cover(app.send(form("/api/apply/FE101", b"--x\r\nbroken".to_vec())).await).expect_problem(400, "malformed");
    let unknown_opening = ApplicationForm::new("a.pdf", &resume).with("jobid", "XX101").form();
    cover(app.send(form("/api/apply/XX101", unknown_opening)).await).expect_problem(404, "opening_not_found");

    let key = emailed_keys(app, pool).await.pop().unwrap();
    let requests = [
        (Method::GET, "/api/application", Value::Null),
        (Method::PATCH, "/api/application", json!({ "name": "Asha R. Rao" })),
        (Method::GET, "/api/application/resume", Value::Null),
        (Method::PUT, LATER_ROLES, Value::Null),
        (Method::DELETE, LATER_ROLES, Value::Null),
    ];
    let token = receipt.json()["emailCorrectionToken"].as_str().unwrap().to_owned();
    for (method, path, body) in requests {
        cover(request_application(app, method.clone(), path, "wrong", &body).await)
            .expect_problem(404, "application_not_found");
        assert_eq!(cover(request_application(app, method, path, &key, &body).await).status, 200, "{path}");
    }
    cover(request_application(app, Method::PATCH, "/api/application", &key, &json!({ "name": "" })).await)
        .expect_problem(422, "invalid");
    let broken = Request::patch("/api/application").header("application-key", &key);
    let broken = broken.header("content-type", "application/json").body(Body::from("{")).unwrap();
    cover(app.send(broken).await).expect_problem(400, "malformed");
    let json_request = |method: Method, path: &str, token: &str, body: &str| {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        request.header("email-correction-token", token).body(Body::from(body.to_owned())).unwrap()
    };
    let email_path = "/api/application/email";
    for (method, path) in [(Method::PUT, email_path), (Method::POST, "/api/application/links")] {
        cover(app.send(json_request(method.clone(), path, &token, "{")).await).expect_problem(400, "malformed");
        let invalid = json_request(method, path, &token, r#"{ "email": "asha" }"#);
        cover(app.send(invalid).await).expect_problem(422, "invalid");
    }
    let right = r#"{ "email": "right@example.in" }"#;
    assert_eq!(cover(app.send(json_request(Method::PUT, email_path, &token, right)).await).status, 204);
    let used = json_request(Method::PUT, email_path, &token, right);
    cover(app.send(used).await).expect_problem(404, "email_correction_closed");
    let links = json_request(Method::POST, "/api/application/links", "", right);
    assert_eq!(cover(app.send(links).await).status, 202);
    let mut key = emailed_keys(app, pool).await.pop().unwrap();
    for expected in [202, 202, 202, 202, 202, 429] {
        let path = "/api/application/link";
        cover(request_application(app, Method::POST, path, "wrong", &Value::Null).await)
            .expect_problem(404, "application_not_found");
        let reply = cover(request_application(app, Method::POST, path, &key, &Value::Null).await);
        assert_eq!(reply.status, expected);
        if expected == 202 {
            key = emailed_keys(app, pool).await.pop().unwrap();
        }
    }
    // The receipt of the sixth correction to the same mailbox in a day is not sent.
    for expected in [204, 204, 204, 204, 429] {
        let receipt = ApplicationForm::new("a.pdf", &resume).with("email", "other@example.in").send(app).await;
        let token = receipt.json()["emailCorrectionToken"].as_str().unwrap().to_owned();
        assert_eq!(cover(app.send(json_request(Method::PUT, email_path, &token, right)).await).status, expected);
    }
    emailed_keys(app, pool).await;
    let application_id = receipt.json()["applicationId"].as_str().unwrap().to_owned();
    let step_request =
        SetApplicationStepRequest { application_id, step: Step::InitialDiscussion.into(), note: String::new() };
    let mut company = careers::client(pool.clone(), app.careers.clone(), "terminal").unwrap();
    company.set_application_step(step_request).await.unwrap();
    let correction = json!({ "name": "Asha" });
    cover(request_application(app, Method::PATCH, "/api/application", &key, &correction).await)
        .expect_problem(409, "already_in_review");
    for (method, path, status) in
        [(Method::POST, "/api/application/withdraw", 200), (Method::DELETE, "/api/application", 204)]
    {
        cover(request_application(app, method.clone(), path, "wrong", &Value::Null).await)
            .expect_problem(404, "application_not_found");
        assert_eq!(cover(request_application(app, method, path, &key, &Value::Null).await).status, status, "{path}");
    }
    assert_eq!(ApplicationForm::new("a.pdf", &resume).send(app).await.status, 201);
    let key_without_consent = emailed_keys(app, pool).await.pop().unwrap();
    for method in [Method::PUT, Method::DELETE] {
        cover(request_application(app, method, LATER_ROLES, &key_without_consent, &Value::Null).await)
            .expect_problem(409, "consents_not_requested");
    }
}
