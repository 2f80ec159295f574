//! `uploadexcel`: a broker's file on its way from a form to the core, piece by piece.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::response::Response;
use axum::routing::post;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use rpc::auth::v1::GetAccountResponse;
use rpc::imports::v1::{ImportFileResponse, Problem as Row};
use rpc::trades::v1::TradesHead;
use serde::Serialize;

use crate::Shared;
use crate::auth::Trader;
use crate::form;
use crate::pace::Steady;
use crate::problem::Problem;
use crate::record::{self, Unwritable};
use crate::trades::{account, json, list};
use crate::transfer::Transfer;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/uploadexcel", post(upload))
}

async fn upload(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let minimal = prefers_minimal(request.headers());
    if !is_form(request.headers()) {
        return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let request = request.map(|body| Body::new(Steady::new(body)));
    let multipart = Multipart::from_request(request, &app).await;
    let multipart = multipart.map_err(|_| Problem::malformed("The form has no boundary."))?;
    // Asked before anything is stored: what fails here has changed nothing.
    let account = account(&app, &trader).await?;
    let mut transfer = Transfer::begin(&app, &trader);
    let choice = form::read(multipart, &trader, &mut transfer).await?;
    let file_name = choice.file_name.clone();
    let answer = transfer.finish(choice).await?;
    let (import, head) = Import::of(answer, file_name)?;
    answered(&app, &trader, &account, &head, &import, minimal).await
}

/// The record after the import. The import is stored by now, so whatever fails from here on may only shorten the
/// answer.
async fn answered(
    app: &Shared,
    trader: &Trader,
    account: &GetAccountResponse,
    head: &TradesHead,
    import: &Import,
    minimal: bool,
) -> Result<Response, Problem> {
    if !minimal && let Ok((head, pages)) = list(app, trader, None).await {
        let top = record::minimal(account, &head, None, Some(import))?;
        return Ok(json(record::streamed(top, pages, app.settings.times.core)));
    }
    let mut response = json(Body::from(record::minimal(account, head, None, Some(import))?));
    if minimal {
        let applied = HeaderName::from_static("preference-applied");
        response.headers_mut().insert(applied, HeaderValue::from_static("return=minimal"));
    }
    Ok(response)
}

fn is_form(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("multipart/form-data")
}

/// RFC 7240: preferences are separated by commas, and what is not known is left alone.
fn prefers_minimal(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        name.trim().eq_ignore_ascii_case("return") && value.trim().trim_matches('"').eq_ignore_ascii_case("minimal")
    })
}

/// The report of an import.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Import {
    id: String,
    file_name: String,
    format: String,
    broker: &'static str,
    tradetype: &'static str,
    rows: i64,
    added: i64,
    duplicates: i64,
    rejected: Vec<Rejected>,
    rejected_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// A row that was left out.
#[derive(Debug, Serialize)]
struct Rejected {
    row: i64,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

impl Import {
    fn of(answer: ImportFileResponse, file_name: String) -> Result<(Self, TradesHead), Problem> {
        let (Some(result), Some(book)) = (answer.result, answer.book) else {
            tracing::error!("the core sent an import without a result or a book");
            return Err(Problem::internal());
        };
        let (broker, tradetype) = record::book_words(&book).map_err(Unwritable::from)?;
        let time = |at: Option<prost_types::Timestamp>| at.as_ref().map(record::time_text).transpose();
        let import = Self {
            id: result.import_id.to_string(),
            file_name,
            format: answer.format,
            broker,
            tradetype,
            rows: answer.rows,
            added: result.added,
            duplicates: result.duplicates,
            rejected: answer.problems.into_iter().map(Rejected::from).collect(),
            rejected_total: answer.problem_count,
            from: time(result.first_executed_at)?,
            to: time(result.last_executed_at)?,
        };
        Ok((import, result.head.unwrap_or_default()))
    }
}

impl From<Row> for Rejected {
    fn from(row: Row) -> Self {
        let Row { row, column, value, code, message, sheet } = row;
        Self { row, column, value, code, message, sheet }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_found_among_others() {
        let check = |line: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", HeaderValue::from_static(line));
            prefers_minimal(&headers)
        };
        assert!(check("return=minimal"));
        assert!(check("respond-async, Return=\"minimal\"; x=y"));
        assert!(!check("return=representation"));
        assert!(!check("minimal"));
    }
}
