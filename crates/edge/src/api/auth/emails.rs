//! Password reset and confirmation of the email address by links in emails.

use axum::extract::State;
use http::StatusCode;
use http_server::json_body::JsonBody;
use http_server::problem::Problem;
use rpc::auth::v1::{ConfirmEmailRequest, RequestPasswordResetRequest, ResetPasswordRequest};

use crate::call::{self, Context};
use crate::limits::MAX_LOGIN_CHARS;
use crate::state::Shared;

/// Maximum length of the token in an email link.
const MAX_TOKEN_CHARS: usize = 128;

/// `POST /auth/forgot-password`
pub(crate) async fn request_password_reset(
    State(app): State<Shared>,
    context: Context,
    mut body: JsonBody,
) -> Result<StatusCode, Problem> {
    let message = RequestPasswordResetRequest { email: body.non_empty_text("email", MAX_LOGIN_CHARS) };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.request_password_reset(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

/// `POST /auth/reset-password`
pub(crate) async fn reset_password(
    State(app): State<Shared>,
    context: Context,
    mut body: JsonBody,
) -> Result<StatusCode, Problem> {
    let message = ResetPasswordRequest {
        token: body.non_empty_text("token", MAX_TOKEN_CHARS),
        password: body.text("password"),
        confirm_password: body.text("confirmPassword"),
    };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.reset_password(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /auth/confirm-email`
pub(crate) async fn confirm_email(
    State(app): State<Shared>,
    context: Context,
    mut body: JsonBody,
) -> Result<StatusCode, Problem> {
    let message = ConfirmEmailRequest { token: body.non_empty_text("token", MAX_TOKEN_CHARS) };
    body.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.confirm_email(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}
