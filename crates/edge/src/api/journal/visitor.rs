//! Extractor for a visitor of the public pages.

use axum::extract::{FromRef, FromRequestParts};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http_server::client_address::ClientAddress;
use http_server::problem::Problem;

use crate::call::Context;
use crate::caller::Trader;
use crate::cookies::Cookie;
use crate::state::Shared;

/// Visitor of a public page, with or without an account.
pub(crate) struct Visitor {
    /// Key of the browser's journal; empty if it has none.
    pub key: String,
    pub has_account: bool,
    pub context: Context,
    pub address: ClientAddress,
}

impl<S: Sync> FromRequestParts<S> for Visitor
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let app = Shared::from_ref(state);
        let key = app.cookies.find(Cookie::Journal, &parts.headers).unwrap_or_default();
        let address = ClientAddress::from_parts(parts);
        // A token is optional, but it must be valid.
        let (account_id, context) = if parts.headers.contains_key(AUTHORIZATION) {
            let trader = <Trader as FromRequestParts<Shared>>::from_request_parts(parts, &app).await?;
            (Some(trader.caller.account_id), trader.context)
        } else {
            let Ok(context) = Context::from_request_parts(parts, &app).await;
            (None, context)
        };
        app.rate_limits.count_journal(address, &key, account_id)?;
        Ok(Self { key, has_account: account_id.is_some(), context, address })
    }
}
