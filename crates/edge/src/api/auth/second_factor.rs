//! Second step of a login: `/auth/login/…`. The challenge of the first step is in a cookie.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use http_server::json_body::{JsonBody, NoBody};
use http_server::problem::Problem;
use rpc::auth::v1::{BeginPasskeyLogInRequest, CompleteLogInRequest, SecondFactorChallenge, Tokens};
use serde_json::json;
use serde_json::value::to_raw_value;

use crate::api::auth::session::end_previous_session;
use crate::call::{self, Context};
use crate::caller::{LoginDevice, SiteOrigin};
use crate::cookies::Cookie;
use crate::error_texts::problem;
use crate::second_factor_proof::{missing_proof, parse_options, take_proof};
use crate::state::Shared;

/// Lifetime of the challenge cookie in seconds; the core enforces the same.
const CHALLENGE_TTL_SECS: i64 = 5 * 60;
/// Returns the response to a login with the right password: the session, or 403 `second_factor_required` with the
/// challenge in a cookie. Ends the session that a new one replaces.
pub(crate) async fn login_response(
    app: &Shared,
    context: &Context,
    headers: &HeaderMap,
    tokens: Option<Tokens>,
    challenge: Option<SecondFactorChallenge>,
) -> Result<Response, Problem> {
    let Some(challenge) = challenge else {
        end_previous_session(app, context, headers).await;
        return app.cookies.logged_in_response(tokens);
    };
    let offered = [("code", challenge.totp), ("passkey", challenge.passkey), ("recoveryCode", challenge.recovery_code)];
    let methods: Vec<&str> = offered.into_iter().filter(|(_, is_offered)| *is_offered).map(|(name, _)| name).collect();
    let methods = to_raw_value(&methods).map_err(|_| Problem::internal())?;
    let problem = problem(StatusCode::FORBIDDEN, "edge", "second_factor_required").with_extension("methods", methods);
    let cookie = app.cookies.set(Cookie::Challenge, &challenge.token, CHALLENGE_TTL_SECS)?;
    Ok(([(SET_COOKIE, cookie)], problem).into_response())
}

/// `POST /auth/login/second-factor`
pub(crate) async fn complete_log_in(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    SiteOrigin(origin): SiteOrigin,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let proof = take_proof(&mut body);
    let trust_device = body.flag("trustDevice");
    body.finish()?;
    let proof = Some(proof?.ok_or_else(missing_proof)?);
    let token = find_challenge(&app, &headers)?;
    let deadline = app.settings.core_timeouts.call;
    let message = CompleteLogInRequest { token, proof, trust_device, device: Some(device), origin };
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.complete_log_in(request).await }).await?;
    end_previous_session(&app, &context, &headers).await;
    let mut response = app.cookies.logged_in_response(response.tokens)?;
    response.headers_mut().append(SET_COOKIE, app.cookies.remove(Cookie::Challenge)?);
    Ok(response)
}

/// `POST /auth/login/passkey-options`
pub(crate) async fn begin_passkey(
    State(app): State<Shared>,
    context: Context,
    SiteOrigin(origin): SiteOrigin,
    headers: HeaderMap,
    _: NoBody,
) -> Result<Response, Problem> {
    let token = find_challenge(&app, &headers)?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(BeginPasskeyLogInRequest { token, origin }, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.begin_passkey_log_in(request).await }).await?;
    Ok(Json(json!({ "options": parse_options(response.options)? })).into_response())
}

fn find_challenge(app: &Shared, headers: &HeaderMap) -> Result<String, Problem> {
    let missing = || problem(StatusCode::UNAUTHORIZED, "auth", "challenge_expired");
    app.cookies.find(Cookie::Challenge, headers).ok_or_else(missing)
}
