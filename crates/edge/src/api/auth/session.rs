//! End of the session that a new login replaces.

use std::time::Duration;

use http::HeaderMap;
use rpc::auth::v1::LogOutRequest;

use crate::call::{self, Context};
use crate::cookies::Cookie;
use crate::state::Shared;

/// Timeout for ending the previous session, which delays the login.
const LOG_OUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Ends the session whose cookie the login replaces, because the browser could not log out of it any more.
///
/// A failure is only logged; the session then lasts until it expires.
pub(crate) async fn end_previous_session(app: &Shared, context: &Context, headers: &HeaderMap) {
    let Some(refresh_token) = app.cookies.find(Cookie::Refresh, headers) else { return };
    let request = context.request(LogOutRequest { refresh_token }, LOG_OUT_TIMEOUT);
    let mut auth = app.clients.auth.clone();
    if call::write(LOG_OUT_TIMEOUT, async move { auth.log_out(request).await }).await.is_err() {
        tracing::warn!("cannot end the replaced session; it lasts until it expires");
    }
}
