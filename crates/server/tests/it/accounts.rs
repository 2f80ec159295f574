//! Registration, login, token refresh and logout over REST.

use axum::body::Body;
use http::{Method, Request};
use serde_json::json;
use sqlx::PgPool;

use crate::app::{App, PASSWORD, Trader, json_request, registration};

#[sqlx::test(migrations = "../../migrations")]
async fn s4_a_registered_trader_logs_in_with_email_or_verified_phone(pool: PgPool) {
    let app = App::new(&pool).await;
    let registered =
        app.post("/api/v1/auth/register", &registration("Asha Rao", "Asha.Rao@Example.in", "+91 98200-41537")).await;
    assert_eq!((registered.status.as_u16(), registered.json()), (201, json!({ "success": true })));
    let login = app.post("/auth/login", &json!({ "email": "asha.rao@example.in", "password": PASSWORD })).await;
    let token = login.json()["data"]["token"].as_str().unwrap().to_owned();
    let asha = Trader {
        app: &app,
        email: "asha.rao@example.in".to_owned(),
        phone: "9820041537".to_owned(),
        token,
        cookie: login.cookie(),
    };
    app.post("/auth/login", &json!({ "email": "9820041537", "password": PASSWORD }))
        .await
        .expect_problem(401, "invalid_credentials");
    asha.verify_phone(&pool).await;
    for login in ["asha.rao@example.in", " ASHA.RAO@EXAMPLE.IN", "9820041537", "098200 41537", "+919820041537"] {
        let reply = app.post("/api/v1/auth/login", &json!({ "email": login, "password": PASSWORD })).await;
        assert_eq!(reply.status, 200, "{login}");
        let cookie = reply.headers["set-cookie"].to_str().unwrap();
        for part in ["rt=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
            assert!(cookie.contains(part), "{cookie}");
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn registration_reports_a_taken_email_or_phone_and_every_invalid_field(pool: PgPool) {
    let app = App::new(&pool).await;
    app.post("/auth/register", &registration("Asha Rao", "asha@example.in", "9820041537")).await;
    let verified = app.register_trader().await;
    verified.verify_phone(&pool).await;
    let cases = [
        (registration("Ravi", "ASHA@example.in", "9820041538"), 409, "email_taken", vec!["email"]),
        (registration("Ravi", "ravi@example.in", &format!("+91{}", verified.phone)), 409, "phone_taken", vec!["phone"]),
        (registration("", "nobody", "12"), 422, "invalid", vec!["name", "email", "phone"]),
        (
            json!({ "name": "Ravi", "email": "ravi@example.in", "phone": "9820041539", "password": "short",
                    "confirmPassword": "other" }),
            422,
            "invalid",
            vec!["password", "confirmPassword"],
        ),
    ];
    for (body, status, code, fields) in cases {
        let refused = app.post("/auth/register", &body).await.expect_problem(status, code).json();
        assert_eq!(refused["success"], false);
        assert_eq!(refused["error"], refused["detail"]);
        let invalid_fields: Vec<&str> =
            refused["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
        assert_eq!(invalid_fields, fields);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unknown_account_and_a_wrong_password_get_the_same_reply(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let mut bodies = Vec::new();
    for login in [trader.email.as_str(), "nobody@example.in", "9999999999"] {
        let reply = app.post("/auth/login", &json!({ "email": login, "password": "not the password" })).await;
        let mut body = reply.expect_problem(401, "invalid_credentials").json();
        assert_eq!(body["success"], false);
        body["instance"] = json!(null);
        bodies.push(body);
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_refresh_cookie_renews_the_token_until_the_session_ends(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let with_cookie =
        |path: &str, cookie: &str| Request::post(path).header("cookie", cookie).body(Body::empty()).unwrap();
    let renewed = app.send(with_cookie("/auth/refresh", &trader.cookie)).await;
    assert_eq!(renewed.status, 200);
    let renewed_cookie = renewed.cookie();
    assert_ne!(renewed_cookie, trader.cookie);

    let logged_out = app.send(with_cookie("/auth/logout", &renewed_cookie)).await;
    assert_eq!(logged_out.status, 204);
    assert!(logged_out.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    app.send(with_cookie("/auth/refresh", &renewed_cookie)).await.expect_problem(401, "session_ended");
    app.send(Request::post("/auth/refresh").body(Body::empty()).unwrap()).await.expect_problem(401, "session_ended");
    assert_eq!(app.send(Request::post("/auth/logout").body(Body::empty()).unwrap()).await.status, 204);

    // The access token has not expired; it is rejected because its session ended.
    let started = std::time::Instant::now();
    while trader.get("/trades/client").await.status == 200 {
        assert!(started.elapsed().as_secs() < 5, "the token still works");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    trader.get("/trades/client").await.expect_problem(401, "unauthenticated");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_malformed_request_is_rejected_with_a_problem(pool: PgPool) {
    let app = App::new(&pool).await;
    let raw = |body: &'static str, kind: &'static str| {
        Request::post("/auth/login").header("content-type", kind).body(Body::from(body)).unwrap()
    };
    app.send(raw("{", "application/json")).await.expect_problem(400, "malformed");
    app.send(raw("{}", "text/plain")).await.expect_problem(415, "unsupported_media_type");
    app.send(json_request("/auth/login", &json!({ "email": "a", "password": "b", "admin": true })))
        .await
        .expect_problem(422, "invalid");
    app.send(json_request("/auth/login", &json!({ "email": "a", "password": "b".repeat(9000) })))
        .await
        .expect_problem(413, "too_large");
    let wrong_method = app
        .send(Request::delete("/auth/login").body(Body::empty()).unwrap())
        .await
        .expect_problem(405, "method_not_allowed");
    assert_eq!(wrong_method.headers["allow"], "POST");
    app.get("/api/v1/nothing").await.expect_problem(404, "not_found");
    let mut foreign = json_request("/auth/logout", &json!({}));
    foreign.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    assert_eq!(app.send(foreign).await.status, 403);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_forged_token_is_rejected(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let parts: Vec<&str> = trader.token.split('.').collect();
    let forged = [
        String::new(),
        "rubbish".to_owned(),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{}.{}.{}", parts[0], parts[1], "A".repeat(86)),
        // {"alg":"none","typ":"at+jwt"}
        format!("eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.{}.", parts[1]),
        "x".repeat(5000),
    ];
    for token in forged {
        let request = Request::builder().method(Method::GET).uri("/trades/client");
        let request = request.header("authorization", format!("Bearer {token}")).body(Body::empty()).unwrap();
        let refused = app.send(request).await.expect_problem(401, "unauthenticated");
        assert_eq!(refused.headers["www-authenticate"], "Bearer");
    }
    app.get("/trades/client").await.expect_problem(401, "unauthenticated");
}
