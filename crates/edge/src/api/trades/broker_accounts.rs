//! Accounts with brokers.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Broker, DeleteBrokerAccountRequest, SaveBrokerAccountRequest};
use serde_json::json;

use crate::api::trades::broker_account_json::{BrokerAccountJson, parse_settings};
use crate::broker_account::parse_account_number;
use crate::broker_accounts::load_broker_accounts;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::state::Shared;

/// `GET /trades/broker-accounts`
pub(crate) async fn show_broker_accounts(
    State(app): State<Shared>,
    Reader(trader): Reader,
) -> Result<Response, Problem> {
    Ok(Json(json!({ "accounts": list_broker_accounts(&app, &trader).await? })).into_response())
}

/// Returns the accounts of the trader with brokers.
pub(crate) async fn list_broker_accounts(app: &Shared, trader: &Trader) -> Result<Vec<BrokerAccountJson>, Problem> {
    let accounts = load_broker_accounts(app, trader).await?.into_iter().map(BrokerAccountJson::try_from);
    Ok(accounts.collect::<Result<_, _>>()?)
}

/// `PUT /trades/broker-accounts/{broker}/{number}`
pub(crate) async fn save_broker_account(
    State(app): State<Shared>,
    trader: Trader,
    AccountPath { broker, number }: AccountPath,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    let request = SaveBrokerAccountRequest {
        broker: broker.into(),
        broker_account: number,
        label: fields.text("label").unwrap_or_default(),
        holder: fields.text("holder").unwrap_or_default(),
        client_code: fields.text("clientCode"),
        settings: fields.nested("settings", parse_settings),
    };
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(request, deadline);
    let mut trades = app.clients.trades.clone();
    let response = call::write(deadline, async move { trades.save_broker_account(request).await }).await?;
    Ok(Json(BrokerAccountJson::try_from(response.account.unwrap_or_default())?).into_response())
}

/// `DELETE /trades/broker-accounts/{broker}/{number}`
pub(crate) async fn delete_broker_account(
    State(app): State<Shared>,
    trader: Trader,
    AccountPath { broker, number }: AccountPath,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = DeleteBrokerAccountRequest { broker: broker.into(), broker_account: number };
    let request = trader.context.request(request, deadline);
    let mut trades = app.clients.trades.clone();
    call::write(deadline, async move { trades.delete_broker_account(request).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Account in a path. A malformed path is rejected with 404.
pub(crate) struct AccountPath {
    broker: Broker,
    number: u32,
}

impl<S: Send + Sync> FromRequestParts<S> for AccountPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = || Problem::from_status(StatusCode::NOT_FOUND);
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((broker, number)) = path.map_err(|_| not_found())?;
        let broker = Broker::from_json_name(&broker).ok_or_else(not_found)?;
        let number = parse_account_number(&number).ok_or_else(not_found)?;
        Ok(Self { broker, number })
    }
}
