//! `/auth/…`: signing in and out. The access token goes into the answer, the refresh token into a cookie.

pub(crate) mod cookies;
pub(crate) mod device;
mod google;
mod handoff;
mod letters;
mod who;

use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::header::SET_COOKIE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use rpc::auth::v1::{
    GetVerificationRequest, LogInRequest, LogOutRequest, RefreshRequest, RegisterRequest, VerificationKey,
};
use serde_json::json;

use crate::Shared;
use crate::auth::cookies::{CLEAR_STORAGE, Cookie};
use crate::auth::who::Source;
use crate::call::{self, Context};
use crate::input::{Input, NoBody};
use crate::problem::Problem;

pub(crate) use crate::auth::who::{Reader, Trader};

/// Characters of what somebody logs in with: an e-mail address or a phone number, and a password.
const LONGEST_LOGIN: usize = 254;
pub(crate) const LONGEST_PASSWORD: usize = 1024;
/// How long a new sign-in waits for the end of the former one.
const LEAVE: Duration = Duration::from_secs(1);
/// Characters of the version of a notice.
const LONGEST_VERSION: usize = 40;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/auth/register", post(register))
        .route("/auth/login", post(log_in))
        .route("/auth/refresh", post(refresh))
        .route("/auth/logout", post(log_out))
        .route("/auth/forgot-password", post(letters::forgot))
        .route("/auth/reset-password", post(letters::reset))
        .route("/auth/confirm-email", post(letters::confirm))
        .route("/auth/options", get(google::options))
        .route("/auth/google", get(google::begin))
        .route("/auth/google/callback", get(google::finish))
        .route("/auth/google/link", post(google::link))
        .route("/auth/handoff", post(handoff::create))
}

/// Those that take a token, which may be longer than a form.
pub(crate) fn token_routes() -> Router<Shared> {
    Router::new()
        .route("/auth/exchange", post(handoff::exchange))
        .route("/analytics/session", post(handoff::start_analytics))
}

/// `/.well-known/…`, which stands at the root alone.
pub(crate) fn well_known() -> Router<Shared> {
    Router::new().route("/.well-known/jwks.json", get(keys))
}

async fn register(State(app): State<Shared>, context: Context, mut input: Input) -> Result<Response, Problem> {
    let message = RegisterRequest {
        name: input.text("name"),
        email: input.text("email"),
        phone: input.text("phone"),
        password: input.text("password"),
        confirm_password: input.text("confirmPassword"),
        notice_version: input.optional("noticeVersion", LONGEST_VERSION).unwrap_or_default(),
    };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.register(request).await }).await?;
    Ok((StatusCode::CREATED, Json(json!({ "success": true }))).into_response())
}

async fn log_in(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    headers: HeaderMap,
    mut input: Input,
) -> Result<Response, Problem> {
    let (login, password) = (input.short("email", LONGEST_LOGIN), input.short("password", LONGEST_PASSWORD));
    let restore = input.flag("restore");
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(LogInRequest { login, password, device: Some(device), restore }, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.log_in(request).await }).await?;
    leave_former(&app, &context, &headers).await;
    app.cookies.signed_in(answer.tokens)
}

/// Ends the sign-in whose cookie is about to be replaced: nobody could log out of it any more.
async fn leave_former(app: &Shared, context: &Context, headers: &HeaderMap) {
    let Some(refresh_token) = app.cookies.find(Cookie::Refresh, headers) else { return };
    let request = context.request(LogOutRequest { refresh_token }, LEAVE);
    let mut auth = app.clients.auth.clone();
    if call::write(LEAVE, async move { auth.log_out(request).await }).await.is_err() {
        tracing::warn!("a sign-in that was replaced goes on until it has run out");
    }
}

async fn refresh(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    parts: Parts,
    _: NoBody,
) -> Result<Response, Problem> {
    let Some(refresh_token) = app.cookies.find(Cookie::Refresh, &parts.headers) else {
        return app.cookies.ended(Problem::of_status(StatusCode::UNAUTHORIZED));
    };
    app.rates.renewal(&parts, &refresh_token)?;
    let deadline = app.settings.times.core;
    let request = context.request(RefreshRequest { refresh_token, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    match call::write(deadline, async move { auth.refresh(request).await }).await {
        Ok(answer) => app.cookies.signed_in(answer.tokens),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => app.cookies.ended(problem),
        Err(problem) => Err(problem),
    }
}

async fn log_out(State(app): State<Shared>, parts: Parts, _: NoBody) -> Result<Response, Problem> {
    let refresh_token = app.cookies.find(Cookie::Refresh, &parts.headers).unwrap_or_default();
    let (mut parts, state) = (parts, app.clone());
    let Ok(nobody) = Context::from_request_parts(&mut parts, &state).await;
    // An access token that is not good any more, or never was one, ends nothing, but must not keep anybody from leaving.
    // One that cannot be checked now may be of a sign-in that still stands.
    let by_token = match Trader::from_request_parts(&mut parts, &state).await {
        Ok(trader) => Some(trader.context),
        Err(problem) if problem.status().is_client_error() => None,
        Err(problem) => return Err(problem),
    };
    let by_cookie = (!refresh_token.is_empty()).then_some(nobody);
    let deadline = app.settings.times.core;
    // The core does not look at a cookie that comes with a bad token, so the cookie is tried by itself after that.
    for context in by_token.into_iter().chain(by_cookie) {
        let request = context.request(LogOutRequest { refresh_token: refresh_token.clone() }, deadline);
        let mut auth = app.clients.auth.clone();
        match call::write(deadline, async move { auth.log_out(request).await }).await {
            Ok(_) => break,
            Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {}
            // The sign-in still stands. The cookie stays, so that leaving can be tried again.
            Err(problem) => return Err(problem),
        }
    }
    let removed = app.cookies.removed(Cookie::Refresh)?;
    Ok((StatusCode::NO_CONTENT, [CLEAR_STORAGE], [(SET_COOKIE, removed)]).into_response())
}

/// `GET /.well-known/jwks.json`
async fn keys(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(GetVerificationRequest {}, deadline);
        async move { auth.get_verification(request).await }
    });
    let keys: Vec<_> = answer.await?.keys.into_iter().map(jwk).collect();
    Ok(Json(json!({ "keys": keys })).into_response())
}

fn jwk(key: VerificationKey) -> serde_json::Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": key.kid, "x": key.x })
}
