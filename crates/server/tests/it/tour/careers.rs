//! The operations of the careers pages.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use rpc::careers::v1::{SetApplicationStepRequest, Step};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply};
use crate::careers::{Applying, keys, own};
use crate::contract::Listed;
use crate::resumes::{pdf, pdf_with_size};

const LATER_ROLES: &str = "/api/application/later-roles";

pub async fn meet(app: &App, pool: &PgPool, met: &mut BTreeSet<Listed>) {
    let mut meet = |reply: Reply| {
        met.extend(reply.listed.clone());
        reply
    };
    assert_eq!(meet(app.get("/api/job-description").await).status, 200);
    assert_eq!(meet(app.get("/api/job-description/FE101").await).status, 200);
    meet(app.get("/api/job-description/XX101").await).expect(404, "no_opening");

    let resume = pdf();
    let agreeing = Applying::new("a.pdf", &resume).with("consentApplication", "true").with("noticeVersion", "2026-11");
    let applying = Applying { key: Some("k"), ..agreeing };
    let receipt = meet(applying.send(app).await);
    assert_eq!(receipt.status, 201);
    meet(applying.with("name", "Ravi").send(app).await).expect(409, "key_reused");
    meet(Applying::new("a.pdf", &pdf_with_size(5_242_881)).send(app).await).expect(413, "resume_too_large");
    meet(Applying::new("a.exe", &resume).send(app).await).expect(422, "invalid");
    let form = |path: &str, body: Vec<u8>| {
        Request::post(path).header("content-type", Applying::TYPE).body(Body::from(body)).unwrap()
    };
    meet(app.send(form("/api/apply/FE101", b"--x\r\nbroken".to_vec())).await).expect(400, "malformed");
    let elsewhere = Applying::new("a.pdf", &resume).with("jobid", "XX101").form();
    meet(app.send(form("/api/apply/XX101", elsewhere)).await).expect(404, "no_opening");

    let key = keys(app, pool).await.pop().unwrap();
    let asked = [
        (Method::GET, "/api/application", Value::Null),
        (Method::PATCH, "/api/application", json!({ "name": "Asha R. Rao" })),
        (Method::GET, "/api/application/resume", Value::Null),
        (Method::PUT, LATER_ROLES, Value::Null),
        (Method::DELETE, LATER_ROLES, Value::Null),
    ];
    for (method, path, body) in asked {
        meet(own(app, method.clone(), path, "wrong", &body).await).expect(404, "no_application");
        assert_eq!(meet(own(app, method, path, &key, &body).await).status, 200, "{path}");
    }
    meet(own(app, Method::PATCH, "/api/application", &key, &json!({ "name": "" })).await).expect(422, "invalid");
    let broken = Request::patch("/api/application").header("application-key", &key);
    let broken = broken.header("content-type", "application/json").body(Body::from("{")).unwrap();
    meet(app.send(broken).await).expect(400, "malformed");
    let application_id = receipt.json()["applicationId"].as_str().unwrap().to_owned();
    let looked_at =
        SetApplicationStepRequest { application_id, step: Step::InitialDiscussion.into(), note: String::new() };
    let mut company = careers::client(pool.clone(), app.careers.clone(), "terminal").unwrap();
    company.set_application_step(looked_at).await.unwrap();
    let correction = json!({ "name": "Asha" });
    meet(own(app, Method::PATCH, "/api/application", &key, &correction).await).expect(409, "too_late");
    for (method, path, status) in
        [(Method::POST, "/api/application/withdraw", 200), (Method::DELETE, "/api/application", 204)]
    {
        meet(own(app, method.clone(), path, "wrong", &Value::Null).await).expect(404, "no_application");
        assert_eq!(meet(own(app, method, path, &key, &Value::Null).await).status, status, "{path}");
    }
    assert_eq!(Applying::new("a.pdf", &resume).send(app).await.status, 201);
    let never_asked = keys(app, pool).await.pop().unwrap();
    for method in [Method::PUT, Method::DELETE] {
        meet(own(app, method, LATER_ROLES, &never_asked, &Value::Null).await).expect(409, "not_asked");
    }
}
