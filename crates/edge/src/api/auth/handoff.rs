//! Login tokens and hand-off to the analytics site: one-time tokens in URLs.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Json, http::HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http_server::json_body::{JsonBody, NoBody};
use http_server::problem::Problem;
use rpc::auth::v1::{
    CheckLinkTokenRequest, CreateHandoffRequest, ExchangeLoginTokenRequest, StartAnalyticsSessionRequest,
};
use rpc::caller::AuthError;
use rpc::token::Purpose;
use serde::Deserialize;
use serde_json::json;

use crate::api::auth::google::Flow;
use crate::api::auth::second_factor::login_response;
use crate::call::{self, Context};
use crate::caller::{LoginDevice, SiteOrigin, Trader};
use crate::error_texts::problem;
use crate::state::Shared;
use crate::status::problem_from_refusal;
use crate::timestamps::format_required_timestamp;

/// Maximum length of a one-time token.
const MAX_TOKEN_CHARS: usize = 4096;

/// `POST /auth/check-link`: verifies the token of a link, `/?token=…`, without using it, and returns whose account it is.
///
/// A page asks for the check before it shows any text of the token.
pub(crate) async fn check_link(
    State(app): State<Shared>,
    context: Context,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let token = body.non_empty_text("token", MAX_TOKEN_CHARS);
    body.finish()?;
    let started_here = is_started_here(&app, &headers, &token);
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let message = CheckLinkTokenRequest { token: token.clone(), require_confirmed_email: !started_here };
        let request = context.request(message, deadline);
        async move { auth.check_link_token(request).await }
    });
    let account = response.await?;
    Ok(Json(json!({ "name": account.name, "email": account.email, "startedHere": started_here })).into_response())
}

/// `POST /auth/exchange`: exchanges a login token for a session.
///
/// A browser that did not start the login must confirm it, and the account must have a confirmed email address, so that
/// an attacker cannot log a victim in to the attacker's account by a link (login CSRF).
pub(crate) async fn exchange_token(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let (token, confirm) = (body.non_empty_text("token", MAX_TOKEN_CHARS), body.flag("confirm"));
    body.finish()?;
    parse_token_id(&token).ok_or_else(invalid_token)?;
    let started_here = is_started_here(&app, &headers, &token);
    if !confirm && !started_here {
        return Err(problem(StatusCode::CONFLICT, "edge", "confirm_login"));
    }
    check_token(&app, &token, Purpose::Login)?;
    let deadline = app.settings.core_timeouts.call;
    let message = ExchangeLoginTokenRequest { token, device: Some(device), require_confirmed_email: !started_here };
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.exchange_login_token(request).await }).await?;
    let response = login_response(&app, &context, &headers, response.tokens, response.challenge).await?;
    app.cookies.flow_finished_response(response)
}

/// Returns true if the login token was issued to this browser. The core verifies the token.
fn is_started_here(app: &Shared, headers: &HeaderMap, token: &str) -> bool {
    let flow = Flow::from_cookie(app, headers);
    flow.zip(parse_token_id(token)).is_some_and(|(flow, id)| flow.matches_token(&id))
}

/// Rejects an invalid token without a call to the core, which would read the database for it.
fn check_token(app: &Shared, token: &str, purpose: Purpose) -> Result<(), Problem> {
    app.verifier.check_one_time_token(token, purpose).map_err(|error| match error {
        AuthError::Unauthenticated => invalid_token(),
        other => problem_from_refusal(other),
    })
}

/// Returns the `jti` of a token without verifying it.
fn parse_token_id(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        jti: String,
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice::<Claims>(&payload).ok().map(|claims| claims.jti)
}

fn invalid_token() -> Problem {
    problem(StatusCode::UNAUTHORIZED, "edge", "session_ended")
}

/// `POST /auth/handoff`: returns the URL of the analytics site, with a one-time token in its query.
pub(crate) async fn create_handoff(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(site): SiteOrigin,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(CreateHandoffRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    let token = call::write(deadline, async move { auth.create_handoff(request).await }).await?.token;
    let analytics_url =
        app.settings.analytics_url.as_ref().map_or_else(|| format!("{site}/analytics"), ToString::to_string);
    let separator = if analytics_url.contains('?') { '&' } else { '?' };
    // A JWT needs no percent-encoding in a URL.
    Ok(Json(json!({ "url": format!("{analytics_url}{separator}token={token}") })).into_response())
}

/// `POST /analytics/session`: exchanges a hand-off token for a read-only access token.
pub(crate) async fn start_analytics_session(
    State(app): State<Shared>,
    context: Context,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let message = StartAnalyticsSessionRequest { token: body.non_empty_text("token", MAX_TOKEN_CHARS) };
    body.finish()?;
    check_token(&app, &message.token, Purpose::Handoff)?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.start_analytics_session(request).await }).await?;
    let expires_at = format_required_timestamp(response.expires_at.as_ref())?;
    Ok(Json(json!({ "token": response.access_token, "expiresAt": expires_at })).into_response())
}
