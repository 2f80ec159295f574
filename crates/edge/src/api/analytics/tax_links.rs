//! Handlers of `/analytics/tax/links`: links by which an accountant sees the tax pack of one year.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use export::tax::format_financial_year;
use http::StatusCode;
use http_server::json_body::NoBody;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::auth::v1::{
    CreateTaxLinkRequest, ListTaxLinksRequest, RevokeTaxLinkRequest, TaxLink, TaxLinkAction, TaxLinkUse,
};
use serde::Serialize;
use serde_json::json;

use crate::api::analytics::query::{parse_accounts, parse_financial_year};
use crate::call;
use crate::caller::{SiteOrigin, Trader};
use crate::device_name::device_name;
use crate::error_texts::invalid_text;
use crate::json::JsonError;
use crate::state::Shared;
use crate::timestamps::{format_optional_timestamp, format_required_timestamp};

/// Link without its secret, with its last uses.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaxLinkJson {
    id: String,
    recipient: String,
    year: String,
    accounts: Vec<String>,
    created_at: String,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
    uses: Vec<TaxLinkUseJson>,
}

/// Uses of a link on one day from one browser.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaxLinkUseJson {
    action: &'static str,
    device: String,
    address: String,
    first_at: String,
    last_at: String,
    count: i32,
}

impl TryFrom<TaxLink> for TaxLinkJson {
    type Error = JsonError;

    fn try_from(link: TaxLink) -> Result<Self, JsonError> {
        Ok(Self {
            created_at: format_required_timestamp(link.created_at.as_ref())?,
            expires_at: format_required_timestamp(link.expires_at.as_ref())?,
            revoked_at: format_optional_timestamp(link.revoked_at.as_ref())?,
            id: link.link_id,
            recipient: link.recipient,
            year: format_financial_year(link.year),
            accounts: link.broker_accounts,
            uses: link.uses.into_iter().map(TaxLinkUseJson::try_from).collect::<Result<_, _>>()?,
        })
    }
}

impl TryFrom<TaxLinkUse> for TaxLinkUseJson {
    type Error = JsonError;

    fn try_from(link_use: TaxLinkUse) -> Result<Self, JsonError> {
        Ok(Self {
            action: match link_use.action() {
                TaxLinkAction::Download => "download",
                TaxLinkAction::View | TaxLinkAction::Unspecified => "view",
            },
            device: device_name(&link_use.user_agent),
            first_at: format_required_timestamp(link_use.first_at.as_ref())?,
            last_at: format_required_timestamp(link_use.last_at.as_ref())?,
            address: link_use.address,
            count: link_use.uses,
        })
    }
}

/// `GET /analytics/tax/links`
pub(crate) async fn show_links(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    Ok(Json(json!({ "links": list_links(&app, &trader).await? })).into_response())
}

/// Returns the links of the trader, the newest first.
pub(crate) async fn list_links(app: &Shared, trader: &Trader) -> Result<Vec<TaxLinkJson>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(ListTaxLinksRequest {}, deadline);
        async move { auth.list_tax_links(request).await }
    });
    let links = response.await?.links.into_iter().map(TaxLinkJson::try_from);
    Ok(links.collect::<Result<_, _>>()?)
}

/// `POST /analytics/tax/links`
pub(crate) async fn create_link(
    State(app): State<Shared>,
    trader: Trader,
    SiteOrigin(site): SiteOrigin,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["recipient", "year", "ttlDays"]);
    let invalid_year = |_: &str| invalid_text("analytics", "year");
    let year = fields.parsed("year", parse_financial_year, invalid_year).unwrap_or_default();
    let parse_keys = |text: &str| parse_accounts(text).map(|_| text.split(',').map(str::to_owned).collect::<Vec<_>>());
    let invalid_accounts = |_: &str| invalid_text("edge", "accounts");
    let message = CreateTaxLinkRequest {
        recipient: fields.text("recipient").unwrap_or_default(),
        year,
        broker_accounts: fields.parsed("accounts", parse_keys, invalid_accounts).unwrap_or_default(),
        ttl_days: fields.whole_number("ttlDays").and_then(|days| i32::try_from(days).ok()).unwrap_or_default(),
    };
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let created = call::write(deadline, async move { auth.create_tax_link(request).await }).await?;
    let link = created.link.ok_or_else(|| {
        tracing::error!("response of auth without the tax link");
        Problem::internal()
    })?;
    // Browsers do not send a fragment, so the token is in no log and in no Referer header.
    let url = format!("{site}/shared-tax-pack#{}", created.token);
    let body = json!({ "url": url, "link": TaxLinkJson::try_from(link)? });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// `DELETE /analytics/tax/links/{id}`
pub(crate) async fn revoke_link(
    State(app): State<Shared>,
    trader: Trader,
    Path(link_id): Path<String>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(RevokeTaxLinkRequest { link_id }, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.revoke_tax_link(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}
