//! Replacing a session by a new login.

use std::time::Duration;

use http::HeaderMap;
use rpc::auth::v1::LogOutRequest;

use crate::call::{self, Context};
use crate::cookies::Cookie;
use crate::state::Shared;

/// Maximum time a login waits for the end of the previous session.
const LOG_OUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Ends the session whose cookie is about to be replaced, because nobody could log out of it any more.
pub(crate) async fn end_previous_session(app: &Shared, context: &Context, headers: &HeaderMap) {
    let Some(refresh_token) = app.cookies.find(Cookie::Refresh, headers) else { return };
    let request = context.request(LogOutRequest { refresh_token }, LOG_OUT_TIMEOUT);
    let mut auth = app.clients.auth.clone();
    if call::write(LOG_OUT_TIMEOUT, async move { auth.log_out(request).await }).await.is_err() {
        tracing::warn!("a sign-in that was replaced goes on until it has run out");
    }
}
