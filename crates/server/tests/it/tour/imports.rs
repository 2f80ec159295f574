//! Previews of imports.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};

use crate::app::{App, Reply, Upload};
use crate::contract::Listed;
use crate::files::{Fill, groww_xlsx};

pub async fn meet(app: &App, met: &mut BTreeSet<Listed>) {
    let (trader, other) = (app.trader().await, app.trader().await);
    let mut meet = |reply: Reply| {
        met.extend(reply.listed.clone());
        reply
    };
    for (method, path) in [(Method::POST, "/uploadexcel/preview"), (Method::GET, "/uploadexcel/preview/x")] {
        let nobody = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        meet(app.send(nobody).await).expect(401, "signed_out");
    }
    let file = groww_xlsx(&[Fill::nth(1)]);
    let upload = |broker: &'static str| Upload::new("g.xlsx", &file, broker);
    let shown = meet(trader.preview(&upload("groww")).await).json();
    meet(trader.preview(&upload("zerodha")).await).expect(409, "file_mismatch");
    meet(trader.preview(&upload("nobody")).await).expect(422, "invalid");
    meet(trader.preview(&Upload { fields: vec![("email", &other.email)], ..upload("groww") }).await)
        .expect(403, "not_yours");
    let large = vec![b'x'; 32 * 1024 * 1024 + 1];
    meet(trader.preview(&Upload::new("l.csv", &large, "zerodha")).await).expect(413, "file_too_large");
    let broken = trader.request(Method::POST, "/uploadexcel/preview");
    let broken = broken.header("content-type", Upload::TYPE).body(Body::from("--x\r\nbroken")).unwrap();
    meet(app.send(broken).await).expect(400, "malformed");

    let id = shown["id"].as_str().unwrap();
    let path = format!("/uploadexcel/preview/{id}");
    assert_eq!(meet(trader.get(&path).await).json(), shown);
    meet(other.get(&path).await).expect(404, "no_preview");
    meet(other.commit(&[("previewId", id)]).await).expect(404, "no_preview");
    assert_eq!(trader.upload(&upload("groww")).await.status, 200);
    meet(trader.commit(&[("previewId", id)]).await).expect(409, "preview_changed");
    assert_eq!(meet(trader.commit(&[("previewId", id)]).await).status, 200);
}
