//! From one site to another by a token in the address, which is good once.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Json, http::HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use rpc::auth::v1::{CreateHandoffRequest, ExchangeSignInTokenRequest, StartAnalyticsSessionRequest};
use serde::Deserialize;
use serde_json::json;

use crate::Shared;
use crate::auth::google::Flow;
use crate::auth::leave_former;
use crate::auth::who::{Site, Source, Trader};
use crate::call::{self, Context};
use crate::input::{Input, NoBody};
use crate::problem::Problem;
use crate::record;

/// Characters of a token in an address.
const LONGEST_TOKEN: usize = 4096;

/// `POST /auth/exchange`: a sign-in token becomes a sign-in. A browser that did not begin it is asked first: a link of
/// somebody else's making must not sign anybody in to an account that is not theirs.
pub(super) async fn exchange(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    headers: HeaderMap,
    mut input: Input,
) -> Result<Response, Problem> {
    let (token, confirm) = (input.short("token", LONGEST_TOKEN), input.flag("confirm"));
    input.finish()?;
    let id = id_of(&token).ok_or_else(session_ended)?;
    if !confirm && !Flow::find(&app, &headers).is_some_and(|flow| flow.signs_in(&id)) {
        let detail = "This sign-in was not begun in this browser. Continue only if it is yours.";
        return Err(Problem::new(StatusCode::CONFLICT, "confirm_sign_in", detail));
    }
    let deadline = app.settings.times.core;
    let request = context.request(ExchangeSignInTokenRequest { token, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.exchange_sign_in_token(request).await }).await?;
    leave_former(&app, &context, &headers).await;
    app.cookies.arrived(answer.tokens)
}

/// The `jti` of a token. Nothing is believed of it: the core verifies the token that holds it.
fn id_of(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        jti: String,
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice::<Claims>(&payload).ok().map(|claims| claims.jti)
}

fn session_ended() -> Problem {
    Problem::of_status(StatusCode::UNAUTHORIZED)
        .saying("session_ended", "This link was used already, or is too old. Log in again.")
}

/// `POST /auth/handoff`: the way to the analytics site.
pub(super) async fn create(
    State(app): State<Shared>,
    trader: Trader,
    Site(site): Site,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let request = trader.context.request(CreateHandoffRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    let token = call::write(deadline, async move { auth.create_handoff(request).await }).await?.token;
    let analytics =
        app.settings.analytics_url.as_ref().map_or_else(|| format!("{site}/analytics"), ToString::to_string);
    let joint = if analytics.contains('?') { '&' } else { '?' };
    // A JWT is made of characters that stand in an address as they are.
    Ok(Json(json!({ "url": format!("{analytics}{joint}token={token}") })).into_response())
}

/// `POST /analytics/session`: the analytics site gets a token that reads.
pub(super) async fn start_analytics(
    State(app): State<Shared>,
    context: Context,
    mut input: Input,
) -> Result<Response, Problem> {
    let message = StartAnalyticsSessionRequest { token: input.short("token", LONGEST_TOKEN) };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.start_analytics_session(request).await }).await?;
    let expires_at = record::time_of(answer.expires_at.as_ref())?;
    Ok(Json(json!({ "token": answer.access_token, "expiresAt": expires_at })).into_response())
}
