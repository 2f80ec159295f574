//! Signing in with Google: there, back, and what this browser remembers on the way.

use axum::Json;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use rpc::auth::v1::finish_google_sign_in_response::Outcome;
use rpc::auth::v1::{BeginGoogleSignInRequest, FinishGoogleSignInRequest, GetSignInOptionsRequest, LinkGoogleRequest};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::Shared;
use crate::auth::cookies::Cookie;
use crate::auth::who::{Site, Source};
use crate::auth::{LONGEST_PASSWORD, leave_former};
use crate::call::{self, Context};
use crate::input::Input;
use crate::problem::Problem;

/// Until the browser must be back from Google, or the password given.
const FLOW_AGE: i64 = 10 * 60;
/// As long as the sign-in token is good.
const TOKEN_AGE: i64 = 60;
const LONGEST_CODE: usize = 2048;

/// What this browser remembers of a sign-in that goes on elsewhere, in one cookie.
pub(super) enum Flow {
    /// It is at Google.
    AtGoogle { state: String, nonce: String, verifier: String },
    /// It came back, and the password of the account with that address is wanted.
    Link { ticket: String },
    /// It came back with the sign-in token of this id.
    SignIn { id: String },
}

impl Flow {
    pub fn find(app: &Shared, headers: &HeaderMap) -> Option<Self> {
        let value = app.cookies.find(Cookie::Flow, headers)?;
        let mut parts = value.split('|').filter(|part| !part.is_empty()).map(str::to_owned);
        let flow = match parts.next()?.as_str() {
            "google" => Self::AtGoogle { state: parts.next()?, nonce: parts.next()?, verifier: parts.next()? },
            "link" => Self::Link { ticket: parts.next()? },
            "sign-in" => Self::SignIn { id: parts.next()? },
            _ => return None,
        };
        parts.next().is_none().then_some(flow)
    }

    fn cookie(&self, app: &Shared) -> Result<HeaderValue, Problem> {
        let (value, age) = match self {
            Self::AtGoogle { state, nonce, verifier } => (format!("google|{state}|{nonce}|{verifier}"), FLOW_AGE),
            Self::Link { ticket } => (format!("link|{ticket}"), FLOW_AGE),
            Self::SignIn { id } => (format!("sign-in|{id}"), TOKEN_AGE),
        };
        app.cookies.set(Cookie::Flow, &value, age)
    }

    /// Whether this browser began the sign-in whose token has this id.
    pub fn signs_in(&self, token_id: &str) -> bool {
        matches!(self, Self::SignIn { id } if bool::from(id.as_bytes().ct_eq(token_id.as_bytes())))
    }
}

/// `GET /auth/options`
pub(super) async fn options(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(GetSignInOptionsRequest {}, deadline);
        async move { auth.get_sign_in_options(request).await }
    });
    Ok(Json(json!({ "google": answer.await?.google })).into_response())
}

/// `GET /auth/google`
pub(super) async fn begin(State(app): State<Shared>, context: Context, Site(site): Site) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(BeginGoogleSignInRequest { redirect_uri: way_back(&site) }, deadline);
        async move { auth.begin_google_sign_in(request).await }
    });
    let begun = answer.await?;
    let flow = Flow::AtGoogle { state: begun.state, nonce: begun.nonce, verifier: begun.verifier };
    lead(&begun.authorization_url, flow.cookie(&app)?)
}

/// `GET /auth/google/callback`: a person looks at what comes of this, so that every end is a page.
pub(super) async fn finish(
    State(app): State<Shared>,
    context: Context,
    Site(site): Site,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let answer = match Return::of(&uri) {
        Some(back) => came_back(&app, &context, &site, &headers, back).await,
        None => Err(Failed("expired")),
    };
    match answer {
        Ok(Outcome::SignIn(made)) => {
            lead(&format!("/?token={}", made.token), Flow::SignIn { id: made.id }.cookie(&app)?)
        }
        Ok(Outcome::Link(made)) => lead("/login?google=link", Flow::Link { ticket: made.ticket }.cookie(&app)?),
        Err(Failed(code)) => lead(&format!("/login?google={code}"), app.cookies.removed(Cookie::Flow)?),
    }
}

/// What Google sends the browser back with. It may send more, which is nothing to us.
struct Return {
    state: String,
    code: Option<String>,
    error: Option<String>,
}

impl Return {
    fn of(uri: &Uri) -> Option<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
        let value = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
        Some(Self { state: value("state")?, code: value("code"), error: value("error") })
    }
}

/// Why it failed, in the word that the login page knows.
struct Failed(&'static str);

async fn came_back(
    app: &Shared,
    context: &Context,
    site: &str,
    headers: &HeaderMap,
    back: Return,
) -> Result<Outcome, Failed> {
    let Some(Flow::AtGoogle { state, nonce, verifier }) = Flow::find(app, headers) else {
        return Err(Failed("expired"));
    };
    if !bool::from(state.as_bytes().ct_eq(back.state.as_bytes())) {
        return Err(Failed("expired"));
    }
    let code = match (back.error.as_deref(), back.code) {
        (Some("access_denied"), _) => return Err(Failed("cancelled")),
        (None, Some(code)) if code.len() <= LONGEST_CODE => code,
        (_, _) => return Err(Failed("refused")),
    };
    let message = FinishGoogleSignInRequest { code, nonce, verifier, redirect_uri: way_back(site) };
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.finish_google_sign_in(request).await }).await;
    let outcome = answer.map_err(|problem| failed(&problem))?.outcome;
    outcome.ok_or_else(|| {
        tracing::error!("auth gave no outcome of a sign-in with Google");
        Failed("unreachable")
    })
}

fn failed(problem: &Problem) -> Failed {
    Failed(match problem.code() {
        "email_unverified" => "unverified",
        "account_closed" => "closed",
        _ if problem.status().is_server_error() => "unreachable",
        _ => "refused",
    })
}

/// `POST /auth/google/link`
pub(super) async fn link(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    headers: HeaderMap,
    mut input: Input,
) -> Result<Response, Problem> {
    let password = input.short("password", LONGEST_PASSWORD);
    input.finish()?;
    let Some(Flow::Link { ticket }) = Flow::find(&app, &headers) else {
        let detail = "This took too long. Continue with Google once more.";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "link_expired", detail));
    };
    let deadline = app.settings.times.core;
    let request = context.request(LinkGoogleRequest { ticket, password, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.link_google(request).await }).await?;
    leave_former(&app, &context, &headers).await;
    app.cookies.arrived(answer.tokens)
}

fn way_back(site: &str) -> String {
    format!("{site}/api/v1/auth/google/callback")
}

fn lead(to: &str, cookie: HeaderValue) -> Result<Response, Problem> {
    let to = HeaderValue::from_str(to).map_err(|_| {
        tracing::error!("auth gave an address that cannot be sent");
        Problem::internal()
    })?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, to), (SET_COOKIE, cookie)]).into_response())
}
