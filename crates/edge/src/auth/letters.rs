//! What the links in letters lead to: a new password, a confirmed address.

use axum::extract::State;
use http::StatusCode;
use rpc::auth::v1::{ConfirmEmailRequest, RequestPasswordResetRequest, ResetPasswordRequest};

use crate::Shared;
use crate::auth::LONGEST_LOGIN;
use crate::call::{self, Context};
use crate::input::Input;
use crate::problem::Problem;

/// Characters of the token in a letter's link.
const LONGEST_TOKEN: usize = 128;

pub(super) async fn forgot(
    State(app): State<Shared>,
    context: Context,
    mut input: Input,
) -> Result<StatusCode, Problem> {
    let message = RequestPasswordResetRequest { email: input.short("email", LONGEST_LOGIN) };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.request_password_reset(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

pub(super) async fn reset(
    State(app): State<Shared>,
    context: Context,
    mut input: Input,
) -> Result<StatusCode, Problem> {
    let message = ResetPasswordRequest {
        token: input.short("token", LONGEST_TOKEN),
        password: input.text("password"),
        confirm_password: input.text("confirmPassword"),
    };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.reset_password(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn confirm(
    State(app): State<Shared>,
    context: Context,
    mut input: Input,
) -> Result<StatusCode, Problem> {
    let message = ConfirmEmailRequest { token: input.short("token", LONGEST_TOKEN) };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.confirm_email(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}
