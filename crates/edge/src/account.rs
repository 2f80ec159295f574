//! `/account`: a trader takes care of the own account.

mod export;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::StatusCode;
use http::header::SET_COOKIE;
use rpc::auth::v1::{
    ChangePasswordRequest, CloseAccountRequest, EndSignInRequest, GetAccountResponse, ListSignInsRequest,
    RequestEmailConfirmationRequest, SignIn as WireSignIn, UpdateAccountRequest,
};
use serde::Serialize;
use serde_json::json;

use crate::Shared;
use crate::auth::cookies::{CLEAR_STORAGE, Cookie};
use crate::auth::{LONGEST_PASSWORD, Reader, Trader, device};
use crate::call;
use crate::input::{Input, NoBody};
use crate::problem::Problem;
use crate::record::{self, Unwritable};
use crate::trades;

/// Characters of a name, and of a phone number.
const LONGEST_NAME: usize = 100;
const LONGEST_PHONE: usize = 20;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/account", get(show).patch(update))
        .route("/account/password", post(change_password))
        .route("/account/sign-ins", get(sign_ins).delete(end_others))
        .route("/account/sign-ins/{id}", delete(end_one))
        .route("/account/confirmation", post(send_confirmation))
        .route("/account/export", get(export::export))
        .route("/account/close", post(close))
}

/// The account as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    name: String,
    email: String,
    email_confirmed: bool,
    phone_number: String,
    client_id: String,
    has_password: bool,
    has_google: bool,
    created_at: String,
}

impl TryFrom<GetAccountResponse> for Account {
    type Error = Unwritable;

    fn try_from(account: GetAccountResponse) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: record::time_of(account.created_at.as_ref())?,
            name: account.name,
            email: account.email,
            email_confirmed: account.email_confirmed,
            phone_number: account.phone,
            client_id: account.client_id,
            has_password: account.has_password,
            has_google: account.has_google,
        })
    }
}

/// A place where the account is signed in, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignIn {
    id: String,
    device: String,
    address: String,
    created_at: String,
    last_seen_at: String,
    current: bool,
}

impl TryFrom<WireSignIn> for SignIn {
    type Error = Unwritable;

    fn try_from(sign_in: WireSignIn) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: record::time_of(sign_in.created_at.as_ref())?,
            last_seen_at: record::time_of(sign_in.last_seen_at.as_ref())?,
            id: sign_in.sign_in_id,
            device: device::name(&sign_in.user_agent),
            address: sign_in.address,
            current: sign_in.current,
        })
    }
}

async fn show(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let account = trades::account(&app, &trader).await?;
    Ok(Json(Account::try_from(account)?).into_response())
}

async fn update(State(app): State<Shared>, trader: Trader, mut input: Input) -> Result<Response, Problem> {
    let message = UpdateAccountRequest {
        name: input.optional("name", LONGEST_NAME),
        phone: input.optional("phone", LONGEST_PHONE),
    };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.update_account(request).await }).await?;
    let account = answer.account.ok_or_else(|| {
        tracing::error!("auth changed an account and did not say how it is now");
        Problem::internal()
    })?;
    Ok(Json(Account::try_from(account)?).into_response())
}

async fn change_password(State(app): State<Shared>, trader: Trader, mut input: Input) -> Result<Response, Problem> {
    let message = ChangePasswordRequest {
        current_password: input.short("currentPassword", LONGEST_PASSWORD),
        password: input.text("password"),
        confirm_password: input.text("confirmPassword"),
    };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.change_password(request).await }).await?;
    Ok(Json(json!({ "ended": answer.ended })).into_response())
}

async fn sign_ins(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    Ok(Json(json!({ "signIns": list_sign_ins(&app, &trader).await? })).into_response())
}

async fn list_sign_ins(app: &Shared, trader: &Trader) -> Result<Vec<SignIn>, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(ListSignInsRequest {}, deadline);
        async move { auth.list_sign_ins(request).await }
    });
    let sign_ins = answer.await?.sign_ins.into_iter().map(SignIn::try_from);
    Ok(sign_ins.collect::<Result<_, _>>()?)
}

async fn end_others(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<Response, Problem> {
    let ended = end(&app, &trader, String::new()).await?;
    Ok(Json(json!({ "ended": ended })).into_response())
}

async fn end_one(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    end(&app, &trader, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one sign-in, or all others where none is named.
async fn end(app: &Shared, trader: &Trader, sign_in_id: String) -> Result<i32, Problem> {
    let deadline = app.settings.times.core;
    let request = trader.context.request(EndSignInRequest { sign_in_id }, deadline);
    let mut auth = app.clients.auth.clone();
    Ok(call::write(deadline, async move { auth.end_sign_in(request).await }).await?.ended)
}

async fn send_confirmation(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<StatusCode, Problem> {
    let deadline = app.settings.times.core;
    let request = trader.context.request(RequestEmailConfirmationRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.request_email_confirmation(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn close(State(app): State<Shared>, trader: Trader, mut input: Input) -> Result<Response, Problem> {
    let message = CloseAccountRequest { password: input.short("password", LONGEST_PASSWORD) };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.close_account(request).await }).await?;
    let erased_on = record::time_of(answer.erased_on.as_ref())?;
    let removed = app.cookies.removed(Cookie::Refresh)?;
    let body = Json(json!({ "erasedOn": erased_on }));
    Ok(([CLEAR_STORAGE], [(SET_COOKIE, removed)], body).into_response())
}
