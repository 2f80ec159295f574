//! Handlers for a single trade, and for undoing a change.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Uri};
use http_server::json_body::{NoBody, not_an_object};
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::trades::v1::{AddTradeRequest, DeleteTradeRequest, GetTradeRequest, UndoChangeRequest};
use serde_json::json;
use tonic::{Response as CallResponse, Status};

use crate::api::trades::json::EditedTradeJson;
use crate::api::trades::new_trade::{parse_book, parse_new_trade, parse_trade_edit};
use crate::api::trades::path::{ChangeId, TradeId};
use crate::api::trades::query::parse_delete_query;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::change_response::{ChangeHeaders, ChangeResponse, Outcome};
use crate::client_record::{get_account, missing_head};
use crate::error_texts::error_text;
use crate::json::json_response;
use crate::state::Shared;
use crate::trade_json::trade_to_json;

/// `POST /trades/add`
pub(crate) async fn add_trade(
    State(app): State<Shared>,
    trader: Trader,
    headers: HeaderMap,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    let headers = ChangeHeaders::read(&headers)?;
    trader.check_email(fields.text("email").as_deref())?;
    let book = parse_book(&mut fields);
    fields.require(&["trade"]);
    let parsed_trade = fields.object("trade").map(|mut trade_fields| {
        let trade = parse_new_trade(&mut trade_fields, Some(&book));
        (trade, trade_fields.into_errors())
    });
    let (trade, trade_errors) = parsed_trade.unwrap_or_default();
    let mut errors = fields.into_errors();
    errors.extend(trade_errors);
    Problem::reject_any(errors)?;

    let message =
        AddTradeRequest { book: Some(book), trade: Some(trade), idempotency_key: headers.idempotency_key.clone() };
    app.respond_in_time(async {
        // Read before the change, so that an error here leaves the trades unchanged.
        let account = get_account(&app, &trader).await?;
        let mut trades = app.clients.trades.clone();
        let response =
            send_change(&app, &trader, message, async move |request| trades.add_trade(request).await).await?;
        let outcome = Outcome::Entry {
            trade: response.trade.as_ref().map(trade_to_json).transpose()?,
            change_id: response.change_id.to_string(),
        };
        let head = response.head.ok_or_else(missing_head)?;
        let change = ChangeResponse { account: &account, head, replayed: response.replayed, outcome };
        change.respond(&app, &trader, &headers).await
    })
    .await
}

/// `PATCH /trades/{id}`
pub(crate) async fn edit_trade(
    State(app): State<Shared>,
    trader: Trader,
    TradeId(id): TradeId,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    if fields.is_empty() {
        return Err(not_an_object().with_detail("invalid", error_text("edge", "INVALID.NOTHING_TO_CORRECT", &[])));
    }
    let message = parse_trade_edit(&mut fields, id);
    fields.finish()?;
    let mut trades = app.clients.trades.clone();
    let response = send_change(&app, &trader, message, async move |request| trades.update_trade(request).await).await;
    // The REST API has the fields of the trade at the top level.
    let response = response.map_err(|problem| problem.strip_field_prefix("trade."))?;
    let edited = EditedTradeJson {
        trade: trade_to_json(&response.trade.ok_or_else(missing_head)?)?,
        change_id: (response.change_id != 0).then(|| response.change_id.to_string()),
    };
    Ok(Json(edited).into_response())
}

/// `GET /trades/{id}`
pub(crate) async fn show_trade(
    State(app): State<Shared>,
    Reader(trader): Reader,
    TradeId(id): TradeId,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(GetTradeRequest { id }, deadline);
        async move { trades.get_trade(request).await }
    });
    let trade = trade_to_json(&response.await?.trade.ok_or_else(missing_head)?)?;
    Ok(json_response(Body::from(String::from(Box::<str>::from(trade)))))
}

/// `DELETE /trades/{id}`
pub(crate) async fn delete_trade(
    State(app): State<Shared>,
    trader: Trader,
    TradeId(id): TradeId,
    uri: Uri,
    _: NoBody,
) -> Result<Response, Problem> {
    let message = DeleteTradeRequest { id, pair: parse_delete_query(&uri)? };
    let mut trades = app.clients.trades.clone();
    let response = send_change(&app, &trader, message, async move |request| trades.delete_trade(request).await).await?;
    let total = response.head.ok_or_else(missing_head)?.total;
    let body = json!({ "changeId": response.change_id.to_string(), "deleted": response.deleted, "total": total });
    Ok(Json(body).into_response())
}

/// `POST /trades/changes/{id}/undo`
pub(crate) async fn undo_change(
    State(app): State<Shared>,
    trader: Trader,
    ChangeId(change_id): ChangeId,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["newer"]);
    let expected_newer_changes = fields.whole_number("newer").unwrap_or_default();
    fields.finish()?;
    let message = UndoChangeRequest { change_id, expected_newer_changes };
    let mut trades = app.clients.trades.clone();
    let response = send_change(&app, &trader, message, async move |request| trades.undo_change(request).await).await?;
    let total = response.head.ok_or_else(missing_head)?.total;
    let (removed, restored, undone) = (response.removed, response.restored, response.undone);
    let body = json!({ "removed": removed, "restored": restored, "undone": undone, "total": total });
    Ok(Json(body).into_response())
}

/// Makes a call that changes trades. The call continues if the client disconnects.
async fn send_change<M, T, C, F>(app: &Shared, trader: &Trader, message: M, call: C) -> Result<T, Problem>
where
    T: Send + 'static,
    C: FnOnce(tonic::Request<M>) -> F,
    F: Future<Output = Result<CallResponse<T>, Status>> + Send + 'static,
{
    let deadline = app.settings.core_timeouts.call;
    call::write(deadline, call(trader.context.request(message, deadline))).await
}
