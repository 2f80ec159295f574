//! What a trader enters because no trade says it: splits, settlements, holdings from before.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use rpc::analytics::v1::{AddAdjustmentRequest, Adjustment, DeleteAdjustmentRequest, ListAdjustmentsRequest};

use super::{AdjustmentRecord, Client, ask};
use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::call;
use crate::problem::Problem;
use crate::record::Unwritable;
use crate::trades::fields::Fields;
use crate::words;

/// What the trader entered, the newest day first.
pub(crate) async fn own_adjustments(app: &Shared, trader: &Trader) -> Result<Vec<AdjustmentRecord>, Problem> {
    let rpc = |mut core: Client, question| async move { core.list_adjustments(question).await };
    let entered = ask(app, trader, ListAdjustmentsRequest {}, rpc).await?.adjustments;
    Ok(entered.into_iter().map(AdjustmentRecord::try_from).collect::<Result<_, Unwritable>>()?)
}

#[derive(serde::Serialize)]
struct Adjustments {
    adjustments: Vec<AdjustmentRecord>,
}

/// `GET /analytics/adjustments`
pub(super) async fn list(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let adjustments = own_adjustments(&app, &trader).await?;
    Ok(Json(Adjustments { adjustments }).into_response())
}

/// `POST /analytics/adjustments`
pub(super) async fn add(State(app): State<Shared>, trader: Trader, mut fields: Fields) -> Result<Response, Problem> {
    fields.require(&["kind", "symbol", "date"]);
    let kinds = "Say split, bonus, rename, settlement or opening.";
    let mut shares = |name: &str| fields.count(name).map_or(0, |shares| i32::try_from(shares).unwrap_or(i32::MAX));
    let (new_shares, old_shares) = (shares("newShares"), shares("oldShares"));
    let adjustment = Adjustment {
        id: 0,
        kind: fields.word("kind", super::words::adjustment, kinds).unwrap_or_default().into(),
        symbol: fields.text("symbol").unwrap_or_default(),
        date: fields.text("date").unwrap_or_default(),
        broker: fields.word("broker", words::broker, "Say zerodha or groww.").unwrap_or_default().into(),
        new_shares,
        old_shares,
        new_symbol: fields.text("newSymbol").unwrap_or_default(),
        quantity: fields.number("quantity").unwrap_or_default(),
        price: fields.number("price").unwrap_or_default(),
    };
    fields.finish()?;
    let deadline = app.settings.times.core;
    let request = trader.context.request(AddAdjustmentRequest { adjustment: Some(adjustment) }, deadline);
    let mut core = app.clients.analytics.clone();
    let added = call::write(deadline, async move { core.add_adjustment(request).await }).await?;
    let added = AdjustmentRecord::try_from(added.adjustment.unwrap_or_default())?;
    Ok((StatusCode::CREATED, Json(added)).into_response())
}

/// `DELETE /analytics/adjustments/{id}`
pub(super) async fn delete(
    State(app): State<Shared>,
    trader: Trader,
    AdjustmentId(id): AdjustmentId,
) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let request = trader.context.request(DeleteAdjustmentRequest { id }, deadline);
    let mut core = app.clients.analytics.clone();
    call::write(deadline, async move { core.delete_adjustment(request).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The number of an entry. What is none of ours is not found.
pub(super) struct AdjustmentId(i64);

impl<S: Send + Sync> FromRequestParts<S> for AdjustmentId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let none = || Problem::new(StatusCode::NOT_FOUND, "no_adjustment", "There is no such entry.");
        crate::trades::path::id(parts, state).await.map(Self).ok_or_else(none)
    }
}
