//! Handlers of `/analytics/data-issues`: open questions about the data, and their answers.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::analytics::v1::{AnswerDataIssuesRequest, IssueAnswer, ListDataIssuesRequest};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::data_issues_json::DataIssuesJson;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::json::{JsonError, json_response};
use crate::state::Shared;

/// `GET /analytics/data-issues`
pub(crate) async fn list_data_issues(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_data_issues(request).await };
    let issues = call_analytics(&app, &trader, ListDataIssuesRequest {}, rpc).await?;
    let body = serde_json::to_vec(&DataIssuesJson::try_from(issues)?).map_err(JsonError::from)?;
    Ok(json_response(body.into()))
}

/// `POST /analytics/data-issues/answers`
pub(crate) async fn answer_data_issues(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["answers"]);
    let answers = fields.list("answers", |answer| {
        answer.require(&["issueId", "answer"]);
        IssueAnswer {
            issue_id: answer.text("issueId").unwrap_or_default(),
            answer: answer.text("answer").unwrap_or_default(),
            date: answer.text("date").unwrap_or_default(),
            price: answer.number("price").unwrap_or_default(),
            quantity: answer.number("quantity").unwrap_or_default(),
        }
    });
    fields.finish()?;
    // The core may have to read the whole log first.
    let deadline = app.settings.core_timeouts.call;
    let request =
        trader.context.request(AnswerDataIssuesRequest { issue_answers: answers.unwrap_or_default() }, deadline);
    let mut core = app.clients.analytics.clone();
    let response = call::write(deadline, async move { core.answer_data_issues(request).await }).await?;
    Ok((StatusCode::CREATED, Json(response)).into_response())
}
