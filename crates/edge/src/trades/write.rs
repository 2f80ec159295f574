//! One trade at a time: added, corrected, deleted; and a change taken back.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Uri};
use rpc::trades::v1::{AddTradeRequest, DeleteTradeRequest, GetTradeRequest, UndoChangeRequest};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tonic::{Response as Answer, Status};

use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::call;
use crate::input::NoBody;
use crate::problem::Problem;
use crate::query;
use crate::record;
use crate::trades::answer::{Asked, Changed, Outcome};
use crate::trades::fields::{Fields, not_an_object, refuse};
use crate::trades::path::{ChangeId, TradeId};
use crate::trades::{account, entry, headless, in_time, json as json_body};

/// `POST /trades/add`
pub(crate) async fn add(
    State(app): State<Shared>,
    trader: Trader,
    headers: HeaderMap,
    mut fields: Fields,
) -> Result<Response, Problem> {
    let asked = Asked::of(&headers)?;
    trader.is(fields.text("email").as_deref())?;
    let book = entry::book(&mut fields);
    fields.require(&["trade"]);
    let inner = fields.object("trade").map(|mut inner| (entry::new_trade(&mut inner, Some(&book)), inner.errors()));
    let (trade, inside) = inner.unwrap_or_default();
    let mut errors = fields.errors();
    errors.extend(inside);
    refuse(errors)?;

    let message = AddTradeRequest { book: Some(book), trade: Some(trade), idempotency_key: asked.key.clone() };
    in_time(&app, async {
        // Asked before anything is stored: what fails here has changed nothing.
        let account = account(&app, &trader).await?;
        let mut trades = app.clients.trades.clone();
        let answer = write(&app, &trader, message, async move |request| trades.add_trade(request).await).await?;
        let outcome = Outcome::Entry {
            trade: answer.trade.as_ref().map(record::trade).transpose()?,
            change_id: answer.change_id.to_string(),
        };
        let head = answer.head.ok_or_else(headless)?;
        Changed { account: &account, head, replayed: answer.replayed, outcome }.answer(&app, &trader, &asked).await
    })
    .await
}

/// `PATCH /trades/{id}`
pub(crate) async fn edit(
    State(app): State<Shared>,
    trader: Trader,
    TradeId(id): TradeId,
    mut fields: Fields,
) -> Result<Response, Problem> {
    if fields.is_empty() {
        return Err(not_an_object().saying("invalid", "Say what to correct."));
    }
    let message = entry::correction(&mut fields, id);
    fields.finish()?;
    let mut trades = app.clients.trades.clone();
    let answer = write(&app, &trader, message, async move |request| trades.edit_trade(request).await).await?;
    let changed = ChangedTrade {
        trade: record::trade(&answer.trade.ok_or_else(headless)?)?,
        change_id: (answer.change_id != 0).then(|| answer.change_id.to_string()),
    };
    Ok(Json(changed).into_response())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangedTrade {
    trade: Box<RawValue>,
    change_id: Option<String>,
}

/// `GET /trades/{id}`
pub(crate) async fn show(
    State(app): State<Shared>,
    Reader(trader): Reader,
    TradeId(id): TradeId,
) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(GetTradeRequest { id }, deadline);
        async move { trades.get_trade(request).await }
    });
    let trade = record::trade(&answer.await?.trade.ok_or_else(headless)?)?;
    Ok(json_body(Body::from(String::from(Box::<str>::from(trade)))))
}

/// `DELETE /trades/{id}`
pub(crate) async fn delete(
    State(app): State<Shared>,
    trader: Trader,
    TradeId(id): TradeId,
    uri: Uri,
    _: NoBody,
) -> Result<Response, Problem> {
    let message = DeleteTradeRequest { id, pair: query::pair(&uri)? };
    let mut trades = app.clients.trades.clone();
    let answer = write(&app, &trader, message, async move |request| trades.delete_trade(request).await).await?;
    let total = answer.head.ok_or_else(headless)?.total;
    let body = json!({ "changeId": answer.change_id.to_string(), "deleted": answer.deleted, "total": total });
    Ok(Json(body).into_response())
}

/// `POST /trades/changes/{id}/undo`
pub(crate) async fn undo(
    State(app): State<Shared>,
    trader: Trader,
    ChangeId(change_id): ChangeId,
    mut fields: Fields,
) -> Result<Response, Problem> {
    fields.require(&["newer"]);
    let expected_newer = fields.count("newer").unwrap_or_default();
    fields.finish()?;
    let message = UndoChangeRequest { change_id, expected_newer };
    let mut trades = app.clients.trades.clone();
    let answer = write(&app, &trader, message, async move |request| trades.undo_change(request).await).await?;
    let total = answer.head.ok_or_else(headless)?.total;
    let (removed, restored, undone) = (answer.removed, answer.restored, answer.undone);
    let body = json!({ "removed": removed, "restored": restored, "undone": undone, "total": total });
    Ok(Json(body).into_response())
}

/// Changes something. It goes on when the client hangs up.
async fn write<M, T, C, F>(app: &Shared, trader: &Trader, message: M, change: C) -> Result<T, Problem>
where
    T: Send + 'static,
    C: FnOnce(tonic::Request<M>) -> F,
    F: Future<Output = Result<Answer<T>, Status>> + Send + 'static,
{
    let deadline = app.settings.times.core;
    call::write(deadline, change(trader.context.request(message, deadline))).await
}
