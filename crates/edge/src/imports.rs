//! `uploadexcel` and `upload`: a broker's file on its way from a form to the core, piece by piece.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use prost_types::Timestamp;
use rpc::imports::v1::{Choice, ImportFileResponse, InspectFileResponse, Problem as Row};
use rpc::trades::v1::{ImportedTrade, TradesHead};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Shared;
use crate::auth::Trader;
use crate::call::Context;
use crate::form;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::record::{self, Unwritable};
use crate::trades::account;
use crate::trades::answer::{Asked, Changed, Outcome};
use crate::transfer::Transfer;
use crate::words;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/uploadexcel", post(upload)).route("/upload", post(inspect))
}

/// `POST /uploadexcel`
async fn upload(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let asked = Asked::of(request.headers())?;
    let parts = Parts::of(&app, request, form::too_large).await?;
    // Asked before anything is stored: what fails here has changed nothing.
    let account = account(&app, &trader).await?;
    let mut transfer = Transfer::import(&app, &trader.context);
    let choice = form::read(parts, &trader, &mut transfer).await?;
    let choice = Choice { idempotency_key: asked.key.clone(), ..choice };
    let file_name = choice.file_name.clone();
    let answer = transfer.finish(Some(Transfer::choice(choice))).await?;
    let replayed = answer.result.as_ref().is_some_and(|result| result.replayed);
    let (import, head) = Import::of(answer, file_name)?;
    let outcome = Outcome::Import { import: Box::new(import) };
    Changed { account: &account, head, replayed, outcome }.answer(&app, &trader, &asked).await
}

/// `POST /upload`
async fn inspect(State(app): State<Shared>, context: Context, request: Request) -> Result<Response, Problem> {
    // Of the places for uploads, strangers get but a few.
    let permit = (Arc::clone(&app.inspections).try_acquire_owned(), Arc::clone(&app.uploads).try_acquire_owned());
    let (Ok(_inspection), Ok(_upload)) = permit else { return Err(Problem::busy()) };
    let parts = Parts::of(&app, request, form::too_large).await?;
    let mut transfer = Transfer::inspect(&app, &context);
    form::read_file(parts, &mut transfer).await?;
    let report = FileReport::of(transfer.finish(None).await?)?;
    Ok(Json(report).into_response())
}

/// The report of an import.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Import {
    id: String,
    change_id: String,
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
        let import = Self {
            id: result.import_id.to_string(),
            change_id: result.change_id.to_string(),
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

/// What a file holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileReport {
    format: String,
    broker: &'static str,
    tradetype: &'static str,
    rows: i64,
    trades: i64,
    sample: Vec<FileTrade>,
    rejected: Vec<Rejected>,
    rejected_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// A trade as the file tells it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileTrade {
    r#type: &'static str,
    symbol: String,
    quantity: Box<RawValue>,
    price: Box<RawValue>,
    timestamp: Option<String>,
    time_precision: &'static str,
    exchange: &'static str,
}

impl FileReport {
    fn of(answer: InspectFileResponse) -> Result<Self, Unwritable> {
        let (broker, tradetype) = record::book_words(&answer.book.ok_or(Unwritable::NoBook)?)?;
        Ok(Self {
            format: answer.format,
            broker,
            tradetype,
            rows: answer.rows,
            trades: answer.trades,
            sample: answer.sample.into_iter().map(FileTrade::of).collect::<Result<_, Unwritable>>()?,
            rejected: answer.problems.into_iter().map(Rejected::from).collect(),
            rejected_total: answer.problem_count,
            from: time(answer.first_executed_at)?,
            to: time(answer.last_executed_at)?,
        })
    }
}

impl FileTrade {
    fn of(trade: ImportedTrade) -> Result<Self, Unwritable> {
        Ok(Self {
            r#type: words::of_side(trade.side())?,
            time_precision: words::of_precision(trade.time_precision())?,
            exchange: words::of_exchange(trade.exchange())?,
            timestamp: time(trade.executed_at)?,
            quantity: record::raw_number(trade.quantity)?,
            price: record::raw_number(trade.price)?,
            symbol: trade.symbol,
        })
    }
}

fn time(at: Option<Timestamp>) -> Result<Option<String>, Unwritable> {
    at.as_ref().map(record::time_text).transpose()
}
