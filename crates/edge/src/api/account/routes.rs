//! Routes and handlers of `/account`.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::StatusCode;
use http::header::SET_COOKIE;
use http_server::json_body::{JsonBody, NoBody};
use http_server::problem::Problem;
use prost_types::FieldMask;
use rpc::auth::v1::{
    ChangePasswordRequest, CloseAccountRequest, EndSessionRequest, GetAccountResponse, ListSessionsRequest,
    RequestEmailConfirmationRequest, RequestPhoneVerificationRequest, UpdateAccountRequest, VerifyPhoneRequest,
};
use serde_json::json;

use crate::api::account::json::{AccountJson, SessionJson};
use crate::call;
use crate::caller::{Reader, Trader};
use crate::client_record::get_account;
use crate::cookies::{CLEAR_SITE_DATA, Cookie};
use crate::limits::MAX_PASSWORD_CHARS;
use crate::state::Shared;
use crate::timestamps::format_required_timestamp;

/// Maximum length of a name.
const MAX_NAME_CHARS: usize = 100;
/// Maximum length of a phone number.
const MAX_PHONE_CHARS: usize = 20;
/// Maximum length of a code.
const MAX_CODE_CHARS: usize = 64;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/account", get(show_account).patch(update_account))
        .route("/account/password", post(change_password))
        .route("/account/sessions", get(show_sessions).delete(end_other_sessions))
        .route("/account/sessions/{id}", delete(end_session))
        .route("/account/confirmation", post(send_confirmation))
        .route("/account/phone/code", post(send_phone_code))
        .route("/account/phone/verify", post(verify_phone))
        .route("/account/close", post(close_account))
}

async fn show_account(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let account = get_account(&app, &trader).await?;
    Ok(Json(AccountJson::try_from(account)?).into_response())
}

async fn update_account(State(app): State<Shared>, trader: Trader, mut body: JsonBody) -> Result<Response, Problem> {
    let (name, phone) = (body.optional_text("name", MAX_NAME_CHARS), body.optional_text("phone", MAX_PHONE_CHARS));
    body.finish()?;
    let sent = [("name", name.is_some()), ("phone", phone.is_some())];
    let paths = sent.into_iter().filter(|(_, is_sent)| *is_sent).map(|(path, _)| path.to_owned()).collect();
    let message = UpdateAccountRequest { name, phone, update_mask: Some(FieldMask { paths }) };
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.update_account(request).await }).await?;
    updated_account(response.account)
}

fn updated_account(account: Option<GetAccountResponse>) -> Result<Response, Problem> {
    let account = account.ok_or_else(|| {
        tracing::error!("response of auth without the updated account");
        Problem::internal()
    })?;
    Ok(Json(AccountJson::try_from(account)?).into_response())
}

async fn send_phone_code(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(RequestPhoneVerificationRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.request_phone_verification(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn verify_phone(State(app): State<Shared>, trader: Trader, mut body: JsonBody) -> Result<Response, Problem> {
    let message = VerifyPhoneRequest { code: body.non_empty_text("code", MAX_CODE_CHARS) };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.verify_phone(request).await }).await?;
    updated_account(response.account)
}

async fn change_password(State(app): State<Shared>, trader: Trader, mut body: JsonBody) -> Result<Response, Problem> {
    let message = ChangePasswordRequest {
        current_password: body.non_empty_text("currentPassword", MAX_PASSWORD_CHARS),
        password: body.text("password"),
        confirm_password: body.text("confirmPassword"),
    };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.change_password(request).await }).await?;
    Ok(Json(json!({ "endedSessions": response.ended_session_count })).into_response())
}

async fn show_sessions(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    Ok(Json(json!({ "sessions": list_sessions(&app, &trader).await? })).into_response())
}

/// Returns the sessions of the account.
pub(crate) async fn list_sessions(app: &Shared, trader: &Trader) -> Result<Vec<SessionJson>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(ListSessionsRequest {}, deadline);
        async move { auth.list_sessions(request).await }
    });
    let sessions = response.await?.sessions.into_iter().map(SessionJson::try_from);
    Ok(sessions.collect::<Result<_, _>>()?)
}

async fn end_other_sessions(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<Response, Problem> {
    let ended = end_sessions(&app, &trader, String::new()).await?;
    Ok(Json(json!({ "endedSessions": ended })).into_response())
}

async fn end_session(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    end_sessions(&app, &trader, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends the session `session_id`, or all other sessions of the account if it is empty. Returns their number.
async fn end_sessions(app: &Shared, trader: &Trader, session_id: String) -> Result<i32, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(EndSessionRequest { session_id }, deadline);
    let mut auth = app.clients.auth.clone();
    Ok(call::write(deadline, async move { auth.end_session(request).await }).await?.ended_session_count)
}

async fn send_confirmation(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(RequestEmailConfirmationRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.request_email_confirmation(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn close_account(State(app): State<Shared>, trader: Trader, mut body: JsonBody) -> Result<Response, Problem> {
    let message = CloseAccountRequest { password: body.non_empty_text("password", MAX_PASSWORD_CHARS) };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.close_account(request).await }).await?;
    let deletion_date = format_required_timestamp(response.deletion_date.as_ref())?;
    let removed = app.cookies.remove(Cookie::Refresh)?;
    let body = Json(json!({ "deletedOn": deletion_date }));
    Ok(([CLEAR_SITE_DATA], [(SET_COOKIE, removed)], body).into_response())
}
