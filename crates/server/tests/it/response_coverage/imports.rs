//! Responses of the operations for previews.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply, Upload};
use crate::broker_files::{Fill, groww_xlsx};

pub async fn cover(app: &App, covered: &mut BTreeSet<DocumentedResponse>) {
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    for (method, path) in [(Method::POST, "/uploadexcel/preview"), (Method::GET, "/uploadexcel/preview/x")] {
        let unauthenticated = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        cover(app.send(unauthenticated).await).expect_problem(401, "unauthenticated");
    }
    let file = groww_xlsx(&[Fill::nth(1)]);
    let upload = |broker: &'static str| Upload::new("g.xlsx", &file, broker);
    let preview = cover(trader.preview(&upload("groww")).await).json();
    cover(trader.preview(&upload("zerodha")).await).expect_problem(409, "file_mismatch");
    cover(trader.preview(&upload("nobody")).await).expect_problem(422, "invalid");
    cover(trader.preview(&Upload { fields: vec![("email", &other.email)], ..upload("groww") }).await)
        .expect_problem(403, "email_mismatch");
    let large = vec![b'x'; 32 * 1024 * 1024 + 1];
    cover(trader.preview(&Upload::new("l.csv", &large, "zerodha")).await).expect_problem(413, "file_too_large");
    let broken = trader.request(Method::POST, "/uploadexcel/preview");
    let broken = broken.header("content-type", Upload::CONTENT_TYPE).body(Body::from("--x\r\nbroken")).unwrap();
    cover(app.send(broken).await).expect_problem(400, "malformed");

    let id = preview["id"].as_str().unwrap();
    let path = format!("/uploadexcel/preview/{id}");
    assert_eq!(cover(trader.get(&path).await).json(), preview);
    cover(other.get(&path).await).expect_problem(404, "preview_not_found");
    cover(other.commit(&[("previewId", id)]).await).expect_problem(404, "preview_not_found");
    assert_eq!(trader.upload(&upload("groww")).await.status, 200);
    cover(trader.commit(&[("previewId", id)]).await).expect_problem(409, "preview_changed");
    assert_eq!(cover(trader.commit(&[("previewId", id)]).await).status, 200);
}
