//! Handlers of `/analytics/tax/shared`: the tax pack of a link, for somebody without an account.
//!
//! The core returns an access token for each request. It reads the whole account, so it stays here, and only the year and
//! the accounts of the link are requested with it.

use axum::Json;
use axum::extract::{FromRequest as _, Request, State};
use axum::response::{IntoResponse, Response};
use export::tax::format_financial_year;
use http::request::Parts;
use http_server::json_body::JsonBody;
use http_server::limiter::Client;
use http_server::problem::Problem;
use rpc::auth::v1::{Device, TaxLink, TaxLinkAction, UseTaxLinkRequest};
use rpc::caller::Bearer;
use rpc::trades::v1::BrokerAccount;
use serde::Serialize;
use serde_json::json;

use crate::api::analytics::costs::list_costs_of_year;
use crate::api::analytics::json::TaxPackJson;
use crate::api::analytics::query::{TaxFormat, TaxQuery, parse_accounts};
use crate::api::analytics::tax::{get_tax_pack, list_accounts, tax_pack_file};
use crate::call::{self, Context};
use crate::caller::{LoginDevice, Trader};
use crate::error_texts::invalid_field;
use crate::json::{JsonError, enum_name, optional_text};
use crate::state::Shared;
use crate::status::problem_from_refusal;
use crate::timestamps::format_required_timestamp;

/// Maximum length of a token; a valid one has 65 characters.
const MAX_TOKEN_CHARS: usize = 100;
/// Maximum length of the name of a format.
const MAX_FORMAT_CHARS: usize = 10;

/// Link that is being used.
struct OpenLink {
    link: TaxLink,
    trader: Trader,
    query: TaxQuery,
}

/// Account of a shared tax pack, without the name that the trader gave it and its terms.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SharedAccountJson {
    broker: &'static str,
    broker_account: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_code: Option<String>,
}

impl TryFrom<BrokerAccount> for SharedAccountJson {
    type Error = JsonError;

    fn try_from(account: BrokerAccount) -> Result<Self, JsonError> {
        Ok(Self {
            broker: enum_name(account.broker())?,
            broker_account: account.broker_account.max(1),
            holder: optional_text(account.holder),
            client_code: optional_text(account.masked_client_code),
        })
    }
}

/// `POST /analytics/tax/shared`
pub(crate) async fn show_shared_tax_pack(
    State(app): State<Shared>,
    context: Context,
    parts: Parts,
    LoginDevice(device): LoginDevice,
    mut body: JsonBody,
) -> Result<Response, Problem> {
    let token = body.non_empty_text("token", MAX_TOKEN_CHARS);
    body.finish()?;
    app.rate_limits.count_tax_link(&parts, &token)?;
    app.respond_in_time(async {
        let open = open_link(&app, context, token, TaxLinkAction::View, TaxFormat::default(), device).await?;
        app.rate_limits.count_tax_links(&parts, open.trader.caller.account_id, false)?;
        let (mut pack, ledger, accounts) = tokio::try_join!(
            get_tax_pack(&app, &open.trader, &open.query),
            list_costs_of_year(&app, &open.trader, &open.query),
            list_accounts(&app, &open.trader, &open.query)
        )?;
        // It tells the trader's salary and taxes, which the link was not created for.
        pack.estimate = None;
        let accounts = accounts.into_iter().map(SharedAccountJson::try_from).collect::<Result<Vec<_>, _>>()?;
        let body = json!({
            "name": open.trader.caller.name,
            "recipient": open.link.recipient,
            "accounts": accounts,
            "expiresAt": format_required_timestamp(open.link.expires_at.as_ref())?,
            "pack": TaxPackJson::new(format_financial_year(open.query.year), pack, ledger),
        });
        Ok(Json(body).into_response())
    })
    .await
}

/// `POST /analytics/tax/shared/export`
pub(crate) async fn export_shared_tax_pack(
    State(app): State<Shared>,
    context: Context,
    parts: Parts,
    LoginDevice(device): LoginDevice,
    request: Request,
) -> Result<Response, Problem> {
    let mut client = Client::from_request(&request);
    let mut body = JsonBody::from_request(request, &()).await?;
    let (token, format) =
        (body.non_empty_text("token", MAX_TOKEN_CHARS), body.non_empty_text("format", MAX_FORMAT_CHARS));
    body.finish()?;
    app.rate_limits.count_tax_link(&parts, &token)?;
    let format = TaxFormat::from_name(&format)
        .ok_or_else(|| Problem::from_field_errors(vec![invalid_field("analytics", "format")]))?;
    let open = open_link(&app, context, token, TaxLinkAction::Download, format, device).await?;
    app.rate_limits.count_tax_links(&parts, open.trader.caller.account_id, true)?;
    // A share of its own, so that the link takes none of the owner's. The id of the link is that of its session.
    let link_id = open.trader.caller.session_id;
    client.account_id = Some(link_id);
    app.export(client, tax_pack_file(&app, &open.trader, &open.query, link_id)).await
}

/// Logs the use of a link and returns what it gives access to.
async fn open_link(
    app: &Shared,
    context: Context,
    token: String,
    action: TaxLinkAction,
    format: TaxFormat,
    device: Device,
) -> Result<OpenLink, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let message = UseTaxLinkRequest { token, action: action.into(), device: Some(device) };
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    let used = call::write(deadline, async move { auth.use_tax_link(request).await }).await?;
    let inconsistent = || {
        tracing::error!("response of auth with an inconsistent tax link");
        Problem::internal()
    };
    let link = used.link.ok_or_else(inconsistent)?;
    let accounts = match link.broker_accounts.as_slice() {
        [] => Vec::new(),
        keys => parse_accounts(&keys.join(",")).ok_or_else(inconsistent)?,
    };
    let bearer = app.verifier.verify(&used.access_token);
    let caller = bearer.and_then(Bearer::require_reader).map_err(problem_from_refusal)?;
    let context = context.with_authorization(&format!("Bearer {}", used.access_token));
    let query = TaxQuery { year: link.year, accounts, format };
    Ok(OpenLink { link, trader: Trader { caller, context }, query })
}
