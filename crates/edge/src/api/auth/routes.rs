//! Routes of `/auth/…`, with the handlers of registration, login, refresh and logout.
//!
//! The access token is in the body of a response, the refresh token in a cookie.

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::header::SET_COOKIE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use http_server::json_body::{JsonBody, NoBody};
use http_server::problem::Problem;
use rpc::auth::v1::{LogInRequest, LogOutRequest, RefreshRequest, RegisterRequest, VerificationKey};
use serde_json::json;

use crate::api::auth::second_factor::login_response;
use crate::api::auth::{emails, google, handoff, second_factor};
use crate::call::{self, Context};
use crate::caller::{LoginDevice, Trader};
use crate::cookies::{CLEAR_SITE_DATA, Cookie};
use crate::limits::{MAX_LOGIN_CHARS, MAX_NOTICE_VERSION_CHARS, MAX_PASSWORD_CHARS};
use crate::state::Shared;
use crate::status::problem_from_refusal;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/auth/register", post(register))
        .route("/auth/login", post(log_in))
        .route("/auth/refresh", post(refresh))
        .route("/auth/logout", post(log_out))
        .route("/auth/forgot-password", post(emails::request_password_reset))
        .route("/auth/reset-password", post(emails::reset_password))
        .route("/auth/confirm-email", post(emails::confirm_email))
        .route("/auth/options", get(google::show_options))
        .route("/auth/google", get(google::begin_login))
        .route("/auth/google/callback", get(google::finish_login))
        .route("/auth/google/register", post(google::register))
        .route("/auth/google/link", post(google::link_account))
        .route("/auth/handoff", post(handoff::create_handoff))
}

/// Returns the routes with a one-time token or a passkey in the body, which may be longer than a login form.
pub(crate) fn token_routes() -> Router<Shared> {
    Router::new()
        .route("/auth/check-link", post(handoff::check_link))
        .route("/auth/login/second-factor", post(second_factor::complete_log_in))
        .route("/auth/login/passkey-options", post(second_factor::begin_passkey))
        .route("/auth/exchange", post(handoff::exchange_token))
        .route("/analytics/session", post(handoff::start_analytics_session))
}

/// Returns the routes below `/.well-known`, which exist at the root only.
pub(crate) fn well_known_routes() -> Router<Shared> {
    Router::new().route("/.well-known/jwks.json", get(show_keys))
}

async fn register(State(app): State<Shared>, context: Context, mut body: JsonBody) -> Result<Response, Problem> {
    let message = RegisterRequest {
        name: body.text("name"),
        email: body.text("email"),
        phone: body.text("phone"),
        password: body.text("password"),
        confirm_password: body.text("confirmPassword"),
        notice_version: body.optional_text("noticeVersion", MAX_NOTICE_VERSION_CHARS).unwrap_or_default(),
    };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.register(request).await }).await?;
    Ok((StatusCode::CREATED, Json(json!({ "success": true }))).into_response())
}

async fn log_in(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let (login, password) =
        (body.non_empty_text("email", MAX_LOGIN_CHARS), body.non_empty_text("password", MAX_PASSWORD_CHARS));
    let restore = body.flag("restore");
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(LogInRequest { login, password, device: Some(device), restore }, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.log_in(request).await }).await?;
    login_response(&app, &context, &headers, response.tokens, response.challenge).await
}

async fn refresh(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    parts: Parts,
    _: NoBody,
) -> Result<Response, Problem> {
    let Some(refresh_token) = app.cookies.find(Cookie::Refresh, &parts.headers) else {
        return app.cookies.session_ended_response(Problem::from_status(StatusCode::UNAUTHORIZED));
    };
    app.rate_limits.count_refresh(&parts, &refresh_token)?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(RefreshRequest { refresh_token, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    match call::write(deadline, async move { auth.refresh(request).await }).await {
        Ok(response) => app.cookies.logged_in_response(response.tokens),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => app.cookies.session_ended_response(problem),
        Err(problem) => Err(problem),
    }
}

async fn log_out(State(app): State<Shared>, parts: Parts, _: NoBody) -> Result<Response, Problem> {
    let refresh_token = app.cookies.find(Cookie::Refresh, &parts.headers).unwrap_or_default();
    let mut parts = parts;
    let Ok(anonymous) = Context::from_request_parts(&mut parts, &app).await;
    // An invalid access token must not prevent a logout by the cookie. If the token cannot be verified now, the logout
    // fails, because the token may belong to an active session.
    let by_token = match <Trader as FromRequestParts<Shared>>::from_request_parts(&mut parts, &app).await {
        Ok(trader) => Some(trader.context),
        Err(problem) if problem.status().is_client_error() => None,
        Err(problem) => return Err(problem),
    };
    let by_cookie = (!refresh_token.is_empty()).then_some(anonymous);
    let deadline = app.settings.core_timeouts.call;
    // The core ignores the cookie of a call with an invalid token, so a second call sends the cookie alone.
    for context in by_token.into_iter().chain(by_cookie) {
        let request = context.request(LogOutRequest { refresh_token: refresh_token.clone() }, deadline);
        let mut auth = app.clients.auth.clone();
        match call::write(deadline, async move { auth.log_out(request).await }).await {
            Ok(_) => break,
            Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {}
            // The session is still active: keep the cookie, so that the client can retry.
            Err(problem) => return Err(problem),
        }
    }
    let removed = app.cookies.remove(Cookie::Refresh)?;
    Ok((StatusCode::NO_CONTENT, [CLEAR_SITE_DATA], [(SET_COOKIE, removed)]).into_response())
}

/// `GET /.well-known/jwks.json`: returns the keys that verify access tokens.
async fn show_keys(State(app): State<Shared>) -> Result<Response, Problem> {
    // From memory: a call would need a connection that the verification of all tokens depends on.
    let keys = app.verifier.public_keys().map_err(problem_from_refusal)?;
    let keys: Vec<_> = keys.into_iter().map(to_jwk).collect();
    Ok(Json(json!({ "keys": keys })).into_response())
}

fn to_jwk(key: VerificationKey) -> serde_json::Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": key.kid, "x": key.x })
}
