//! Login with Google: redirect, callback, and linking of an existing account.

use axum::Json;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use http_server::json_body::JsonBody;
use http_server::problem::Problem;
use rpc::auth::v1::finish_google_login_response::Outcome;
use rpc::auth::v1::{
    BeginGoogleLoginRequest, FinishGoogleLoginRequest, GetLoginMethodsRequest, LinkGoogleRequest,
    RegisterWithGoogleRequest,
};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::api::auth::second_factor::login_response;
use crate::api::auth::session::end_previous_session;
use crate::call::{self, Context};
use crate::caller::{LoginDevice, SiteOrigin};
use crate::cookies::Cookie;
use crate::error_texts::problem;
use crate::limits::{MAX_NOTICE_VERSION_CHARS, MAX_PASSWORD_CHARS};
use crate::state::Shared;

/// Time for the login at Google, and then for the privacy notice or the password of an existing account, in seconds.
const FLOW_TTL_SECS: i64 = 10 * 60;
/// Lifetime of a login token in seconds.
const LOGIN_TOKEN_TTL_SECS: i64 = 60;
/// Maximum length of an authorization code.
const MAX_CODE_CHARS: usize = 2048;

/// State of a login with Google, in [`Cookie::Flow`].
pub(crate) enum Flow {
    /// The browser was redirected to Google.
    AtGoogle { state: String, nonce: String, verifier: String },
    /// Google confirmed the email address of an existing account; linking it requires its password.
    Link { ticket: String },
    /// Google confirmed an unknown email address; creating the account requires that the privacy notice is shown.
    Register { ticket: String },
    /// This browser was given the login token with this id.
    LoginToken { id: String },
}

impl Flow {
    /// Reads the state from the cookie; `None` if the cookie is missing or malformed.
    pub fn from_cookie(app: &Shared, headers: &HeaderMap) -> Option<Self> {
        let value = app.cookies.find(Cookie::Flow, headers)?;
        let mut parts = value.split('|').filter(|part| !part.is_empty()).map(str::to_owned);
        let flow = match parts.next()?.as_str() {
            "google" => Self::AtGoogle { state: parts.next()?, nonce: parts.next()?, verifier: parts.next()? },
            "link" => Self::Link { ticket: parts.next()? },
            "register" => Self::Register { ticket: parts.next()? },
            "login" => Self::LoginToken { id: parts.next()? },
            _ => return None,
        };
        parts.next().is_none().then_some(flow)
    }

    fn to_cookie(&self, app: &Shared) -> Result<HeaderValue, Problem> {
        let (value, max_age) = match self {
            Self::AtGoogle { state, nonce, verifier } => (format!("google|{state}|{nonce}|{verifier}"), FLOW_TTL_SECS),
            Self::Link { ticket } => (format!("link|{ticket}"), FLOW_TTL_SECS),
            Self::Register { ticket } => (format!("register|{ticket}"), FLOW_TTL_SECS),
            Self::LoginToken { id } => (format!("login|{id}"), LOGIN_TOKEN_TTL_SECS),
        };
        app.cookies.set(Cookie::Flow, &value, max_age)
    }

    /// Returns true if the login token with the id `token_id` was issued to this browser.
    pub fn matches_token(&self, token_id: &str) -> bool {
        matches!(self, Self::LoginToken { id } if bool::from(id.as_bytes().ct_eq(token_id.as_bytes())))
    }
}

/// `GET /auth/options`: returns the available login methods.
pub(crate) async fn show_options(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(GetLoginMethodsRequest {}, deadline);
        async move { auth.get_login_methods(request).await }
    });
    Ok(Json(json!({ "google": response.await?.google })).into_response())
}

/// `GET /auth/google`: redirects to Google.
pub(crate) async fn begin_login(
    State(app): State<Shared>,
    context: Context,
    SiteOrigin(site): SiteOrigin,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(BeginGoogleLoginRequest { redirect_uri: callback_url(&site) }, deadline);
        async move { auth.begin_google_login(request).await }
    });
    let login = response.await?;
    let flow = Flow::AtGoogle { state: login.state, nonce: login.nonce, verifier: login.verifier };
    redirect(&login.authorization_url, flow.to_cookie(&app)?)
}

/// `GET /auth/google/callback`. Redirects to a page even on errors, because the browser navigates here.
pub(crate) async fn finish_login(
    State(app): State<Shared>,
    context: Context,
    SiteOrigin(site): SiteOrigin,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let outcome = match Callback::from_query(&uri) {
        Some(callback) => handle_callback(&app, &context, &site, &headers, callback).await,
        None => Err(LoginFailed("expired")),
    };
    match outcome {
        Ok(Outcome::LoginToken(login)) => {
            redirect(&format!("/?token={}", login.token), Flow::LoginToken { id: login.id }.to_cookie(&app)?)
        }
        Ok(Outcome::LinkTicket(link)) => {
            redirect("/login?google=link", Flow::Link { ticket: link.ticket }.to_cookie(&app)?)
        }
        Ok(Outcome::RegistrationTicket(registration)) => {
            redirect("/login?google=register", Flow::Register { ticket: registration.ticket }.to_cookie(&app)?)
        }
        Err(LoginFailed(code)) => redirect(&format!("/login?google={code}"), app.cookies.remove(Cookie::Flow)?),
    }
}

/// Query of the callback. Other parameters are ignored, because Google may add some.
struct Callback {
    state: String,
    code: Option<String>,
    error: Option<String>,
}

impl Callback {
    fn from_query(uri: &Uri) -> Option<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
        let value = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
        Some(Self { state: value("state")?, code: value("code"), error: value("error") })
    }
}

/// Failed login, with the reason code for the login page.
struct LoginFailed(&'static str);

async fn handle_callback(
    app: &Shared,
    context: &Context,
    site: &str,
    headers: &HeaderMap,
    callback: Callback,
) -> Result<Outcome, LoginFailed> {
    let Some(Flow::AtGoogle { state, nonce, verifier }) = Flow::from_cookie(app, headers) else {
        return Err(LoginFailed("expired"));
    };
    if !bool::from(state.as_bytes().ct_eq(callback.state.as_bytes())) {
        return Err(LoginFailed("expired"));
    }
    let code = match (callback.error.as_deref(), callback.code) {
        (Some("access_denied"), _) => return Err(LoginFailed("cancelled")),
        (None, Some(code)) if code.len() <= MAX_CODE_CHARS => code,
        (_, _) => return Err(LoginFailed("rejected")),
    };
    let message = FinishGoogleLoginRequest { code, nonce, verifier, redirect_uri: callback_url(site) };
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.finish_google_login(request).await }).await;
    let outcome = response.map_err(|problem| to_login_failure(&problem))?.outcome;
    outcome.ok_or_else(|| {
        tracing::error!("response of auth without the outcome of a Google login");
        LoginFailed("unreachable")
    })
}

fn to_login_failure(problem: &Problem) -> LoginFailed {
    LoginFailed(match problem.code() {
        "email_unverified" => "unverified",
        "account_closed" => "closed",
        _ if problem.status().is_server_error() => "unreachable",
        _ => "rejected",
    })
}

/// `POST /auth/google/link`: links the Google account to an existing account by its password, and logs in.
pub(crate) async fn link_account(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let password = body.non_empty_text("password", MAX_PASSWORD_CHARS);
    body.finish()?;
    let Some(Flow::Link { ticket }) = Flow::from_cookie(&app, &headers) else {
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, "edge", "link_expired"));
    };
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(LinkGoogleRequest { ticket, password, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.link_google(request).await }).await?;
    let response = login_response(&app, &context, &headers, response.tokens, response.challenge).await?;
    app.cookies.flow_finished_response(response)
}

/// `POST /auth/google/register`: creates the account of the Google account, and logs in.
pub(crate) async fn register(
    State(app): State<Shared>,
    context: Context,
    LoginDevice(device): LoginDevice,
    headers: HeaderMap,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let notice_version = body.non_empty_text("noticeVersion", MAX_NOTICE_VERSION_CHARS);
    body.finish()?;
    let Some(Flow::Register { ticket }) = Flow::from_cookie(&app, &headers) else {
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, "edge", "link_expired"));
    };
    let deadline = app.settings.core_timeouts.call;
    let message = RegisterWithGoogleRequest { ticket, notice_version, device: Some(device) };
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.register_with_google(request).await }).await?;
    end_previous_session(&app, &context, &headers).await;
    app.cookies.flow_finished_response(app.cookies.logged_in_response(response.tokens)?)
}

fn callback_url(site: &str) -> String {
    format!("{site}/api/v1/auth/google/callback")
}

fn redirect(location: &str, cookie: HeaderValue) -> Result<Response, Problem> {
    let location = HeaderValue::from_str(location).map_err(|_| {
        tracing::error!("invalid redirect location");
        Problem::internal()
    })?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, location), (SET_COOKIE, cookie)]).into_response())
}
