//! Two-step verification of the account, and authentication before sensitive actions.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::StatusCode;
use http_server::json_body::{JsonBody, NoBody};
use http_server::problem::Problem;
use qrcode::{Color, QrCode};
use rpc::auth::v1::{
    BeginPasskeyReauthenticationRequest, BeginPasskeySetupRequest, BeginTotpSetupRequest, CheckReauthenticationRequest,
    FinishPasskeySetupRequest, FinishTotpSetupRequest, GetSecondFactorsRequest, GetSecondFactorsResponse, Passkey,
    ReauthenticateRequest, RemoveSecondFactorRequest, RemoveTrustedDeviceRequest, ReplaceRecoveryCodesRequest,
    TrustedDevice,
};
use serde::Serialize;
use serde_json::json;

use crate::call;
use crate::caller::{SiteOrigin, Trader};
use crate::device_name::device_name;
use crate::json::JsonError;
use crate::limits::MAX_PASSWORD_CHARS;
use crate::second_factor_proof::{MAX_PASSKEY_CHARS, parse_options, take_proof};
use crate::state::Shared;
use crate::timestamps::{format_optional_timestamp, format_required_timestamp};

/// Maximum length of a code.
const MAX_CODE_CHARS: usize = 64;
/// Maximum length of the token of a passkey operation.
const MAX_TOKEN_CHARS: usize = 64;
/// Maximum length of the name of a passkey.
const MAX_NAME_CHARS: usize = 60;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/account/second-factors", get(show_second_factors))
        .route("/account/authenticator-app", post(begin_totp_setup).delete(remove_totp))
        .route("/account/authenticator-app/confirm", post(finish_totp_setup))
        .route("/account/passkeys", post(add_passkey))
        .route("/account/passkeys/options", post(begin_passkey_setup))
        .route("/account/passkeys/{id}", delete(remove_passkey))
        .route("/account/recovery-codes", post(replace_recovery_codes))
        .route("/account/trusted-devices/{id}", delete(remove_trusted_device))
        .route("/account/reauthenticate", post(reauthenticate))
        .route("/account/reauthenticate/passkey-options", post(begin_passkey_proof))
}

/// Second factors and trusted devices, without secrets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SecondFactorsJson {
    authenticator_app_added_at: Option<String>,
    passkeys: Vec<PasskeyJson>,
    recovery_codes_left: i32,
    trusted_devices: Vec<TrustedDeviceJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PasskeyJson {
    id: String,
    name: String,
    created_at: String,
    last_used_at: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TrustedDeviceJson {
    id: String,
    device: String,
    created_at: String,
    last_used_at: String,
    expires_at: String,
}

impl TryFrom<GetSecondFactorsResponse> for SecondFactorsJson {
    type Error = JsonError;

    fn try_from(response: GetSecondFactorsResponse) -> Result<Self, Self::Error> {
        Ok(Self {
            authenticator_app_added_at: format_optional_timestamp(response.totp_added_at.as_ref())?,
            passkeys: response.passkeys.into_iter().map(PasskeyJson::try_from).collect::<Result<_, _>>()?,
            recovery_codes_left: response.recovery_codes_left,
            trusted_devices: response
                .trusted_devices
                .into_iter()
                .map(TrustedDeviceJson::try_from)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl TryFrom<Passkey> for PasskeyJson {
    type Error = JsonError;

    fn try_from(passkey: Passkey) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: format_required_timestamp(passkey.created_at.as_ref())?,
            last_used_at: format_optional_timestamp(passkey.last_used_at.as_ref())?,
            id: passkey.passkey_id,
            name: passkey.name,
        })
    }
}

impl TryFrom<TrustedDevice> for TrustedDeviceJson {
    type Error = JsonError;

    fn try_from(device: TrustedDevice) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: format_required_timestamp(device.created_at.as_ref())?,
            last_used_at: format_required_timestamp(device.last_used_at.as_ref())?,
            expires_at: format_required_timestamp(device.expires_at.as_ref())?,
            id: device.trusted_device_id,
            device: device_name(&device.user_agent),
        })
    }
}

/// QR code for an `svg` element: its side in modules, and a path with one square per dark module.
#[derive(Serialize)]
struct QrCodeJson {
    size: usize,
    path: String,
}

impl QrCodeJson {
    fn from_text(text: &str) -> Result<Self, Problem> {
        let code = QrCode::new(text).map_err(|error| {
            tracing::error!(%error, "cannot draw a QR code");
            Problem::internal()
        })?;
        let size = code.width();
        let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
        let path = dark.map(|(index, _)| format!("M{} {}h1v1h-1z", index % size, index / size)).collect();
        Ok(Self { size, path })
    }
}

async fn show_second_factors(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    Ok(Json(get_second_factors(&app, &trader).await?).into_response())
}

/// Returns the second factors and trusted devices of the account.
pub(crate) async fn get_second_factors(app: &Shared, trader: &Trader) -> Result<SecondFactorsJson, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(GetSecondFactorsRequest {}, deadline);
        async move { auth.get_second_factors(request).await }
    });
    Ok(SecondFactorsJson::try_from(response.await?)?)
}

/// Rejects the request unless the session was authenticated within the last ten minutes.
pub(crate) async fn require_reauthentication(app: &Shared, trader: &Trader) -> Result<(), Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(CheckReauthenticationRequest {}, deadline);
        async move { auth.check_reauthentication(request).await }
    });
    response.await.map(drop)
}

async fn begin_totp_setup(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(BeginTotpSetupRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    let setup = call::write(deadline, async move { auth.begin_totp_setup(request).await }).await?;
    let qr = QrCodeJson::from_text(&setup.url)?;
    Ok(Json(json!({ "secret": setup.secret, "url": setup.url, "qrCode": qr })).into_response())
}

async fn finish_totp_setup(State(app): State<Shared>, trader: Trader, mut body: JsonBody) -> Result<Response, Problem> {
    let message = FinishTotpSetupRequest { code: body.non_empty_text("code", MAX_CODE_CHARS) };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.finish_totp_setup(request).await }).await?;
    Ok(recovery_codes_response(&response.recovery_codes))
}

async fn remove_totp(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<StatusCode, Problem> {
    remove_second_factor(&app, &trader, String::new()).await
}

async fn remove_passkey(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    remove_second_factor(&app, &trader, id).await
}

/// Removes a passkey, or the authenticator app if `passkey_id` is empty.
async fn remove_second_factor(app: &Shared, trader: &Trader, passkey_id: String) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(RemoveSecondFactorRequest { passkey_id }, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.remove_second_factor(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn begin_passkey_setup(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(origin): SiteOrigin,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(BeginPasskeySetupRequest { origin }, deadline);
    let mut auth = app.clients.auth.clone();
    let begun = call::write(deadline, async move { auth.begin_passkey_setup(request).await }).await?;
    Ok(Json(json!({ "token": begun.token, "options": parse_options(begun.options)? })).into_response())
}

async fn add_passkey(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(origin): SiteOrigin,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let message = FinishPasskeySetupRequest {
        token: body.non_empty_text("token", MAX_TOKEN_CHARS),
        name: body.non_empty_text("name", MAX_NAME_CHARS),
        response: body.non_empty_text("passkey", MAX_PASSKEY_CHARS),
        origin,
    };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.finish_passkey_setup(request).await }).await?;
    Ok(recovery_codes_response(&response.recovery_codes))
}

async fn replace_recovery_codes(State(app): State<Shared>, trader: Trader, _: NoBody) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(ReplaceRecoveryCodesRequest {}, deadline);
    let mut auth = app.clients.auth.clone();
    let response = call::write(deadline, async move { auth.replace_recovery_codes(request).await }).await?;
    Ok(recovery_codes_response(&response.recovery_codes))
}

fn recovery_codes_response(codes: &[String]) -> Response {
    Json(json!({ "recoveryCodes": codes })).into_response()
}

async fn remove_trusted_device(
    State(app): State<Shared>,
    trader: Trader,
    Path(trusted_device_id): Path<String>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(RemoveTrustedDeviceRequest { trusted_device_id }, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.remove_trusted_device(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn begin_passkey_proof(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(origin): SiteOrigin,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(BeginPasskeyReauthenticationRequest { origin }, deadline);
    let mut auth = app.clients.auth.clone();
    let begun = call::write(deadline, async move { auth.begin_passkey_reauthentication(request).await }).await?;
    Ok(Json(json!({ "token": begun.token, "options": parse_options(begun.options)? })).into_response())
}

async fn reauthenticate(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(origin): SiteOrigin,
    mut body: JsonBody,
) -> Result<StatusCode, Problem> {
    let password = body.optional_text("password", MAX_PASSWORD_CHARS).unwrap_or_default();
    let token = body.optional_text("token", MAX_TOKEN_CHARS).unwrap_or_default();
    let proof = take_proof(&mut body);
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(ReauthenticateRequest { password, proof: proof?, token, origin }, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.reauthenticate(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_a_qr_code_is_one_path_of_squares() {
        let code =
            QrCodeJson::from_text("otpauth://totp/TradeBahi:asha%40example%2Ein?secret=GEZDGNBVGY3TQOJQ").unwrap();
        assert!((21..=57).contains(&code.size), "{}", code.size);
        assert!(code.path.starts_with("M0 0h1v1h-1zM1 0h1v1h-1z"), "{}", code.path);
        assert!(code.path.bytes().all(|byte| b"M0123456789 hv-z".contains(&byte)));
    }
}
