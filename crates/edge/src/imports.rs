//! `uploadexcel` and `upload`: a broker's file on its way from a form to the core, piece by piece.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use prost_types::Timestamp;
use rpc::imports::v1::{Choice, ImportFileRequest, ImportFileResponse, InspectFileResponse};
use rpc::trades::v1::{CommittedPreview, FileIssues, ImportedTrade, TradesHead};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Shared;
use crate::auth::Trader;
use crate::call::Context;
use crate::findings::{self, Rejected, Warning, finding};
use crate::form::{self, Sent};
use crate::parts::Parts;
use crate::previews;
use crate::problem::Problem;
use crate::record::{self, ContractRecord, Unwritable};
use crate::trades::account;
use crate::trades::answer::{Asked, Changed, Outcome};
use crate::transfer::Transfer;
use crate::words;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/uploadexcel", post(upload))
        .route("/uploadexcel/preview", post(previews::make))
        .route("/uploadexcel/preview/{id}", get(previews::show))
        .route("/upload", post(inspect))
}

/// `POST /uploadexcel`
async fn upload(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let asked = Asked::of(request.headers())?;
    let parts = Parts::of(&app, request, form::too_large).await?;
    // Asked before anything is stored: what fails here has changed nothing.
    let account = account(&app, &trader).await?;
    let mut transfer = Transfer::import(&app, &trader.context);
    let committed = match form::read_either(parts, &trader, &mut transfer).await? {
        Sent::File(choice) => {
            let choice = Choice { idempotency_key: asked.key.clone(), ..choice };
            let file_name = choice.file_name.clone();
            of_file(transfer.finish(Some(Transfer::<ImportFileRequest, _>::choice(choice))).await?, file_name)
        }
        Sent::Preview(commit) => {
            drop(transfer);
            previews::commit(&app, &trader, commit).await?
        }
    };
    let replayed = committed.result.as_ref().is_some_and(|result| result.replayed);
    let (import, head) = Import::of(committed)?;
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

/// What a file holds, as `POST /upload` answers; `None` where it cannot be written as JSON.
pub fn file_report(answer: InspectFileResponse) -> Option<String> {
    FileReport::of(answer).ok().and_then(|report| serde_json::to_string(&report).ok())
}

/// The report of an import.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Import {
    id: String,
    change_id: String,
    file_name: String,
    format: String,
    format_title: String,
    broker: &'static str,
    tradetype: &'static str,
    rows: i64,
    skipped: i64,
    added: i64,
    duplicates: i64,
    conflict_total: i64,
    corrected: i64,
    rejected: Vec<Rejected>,
    rejected_total: i64,
    warnings: Vec<Warning>,
    warning_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// An import of a file as that of a preview is told: both have one report.
fn of_file(answer: ImportFileResponse, file_name: String) -> CommittedPreview {
    let findings = FileIssues {
        rows: answer.rows,
        skipped: answer.skipped,
        problems: answer.problems.into_iter().map(finding).collect(),
        problem_count: answer.problem_count,
        warnings: answer.warnings.into_iter().map(finding).collect(),
        warning_count: answer.warning_count,
        format_title: answer.format_title,
        // What looks odd is asked about before an import, not after it.
        ..FileIssues::default()
    };
    CommittedPreview {
        result: answer.result,
        book: answer.book,
        file_name,
        format: answer.format,
        findings: Some(findings),
    }
}

impl Import {
    fn of(committed: CommittedPreview) -> Result<(Self, TradesHead), Problem> {
        let (Some(result), Some(book)) = (committed.result, committed.book) else {
            tracing::error!("the core sent an import without a result or a book");
            return Err(Problem::internal());
        };
        let findings = committed.findings.unwrap_or_default();
        let (broker, tradetype) = record::book_words(&book).map_err(Unwritable::from)?;
        let import = Self {
            id: result.import_id.to_string(),
            change_id: result.change_id.to_string(),
            file_name: committed.file_name,
            format: committed.format,
            format_title: findings.format_title,
            broker,
            tradetype,
            rows: findings.rows,
            skipped: findings.skipped,
            added: result.added,
            duplicates: result.duplicates,
            conflict_total: result.conflicts,
            corrected: result.corrected,
            rejected: findings::all(findings.problems),
            rejected_total: findings.problem_count,
            warnings: findings::all([findings.warnings, result.warnings].concat()),
            warning_total: findings.warning_count + result.warning_count,
            from: time(result.first_executed_at)?,
            to: time(result.last_executed_at)?,
        };
        Ok((import, result.head.unwrap_or_default()))
    }
}

/// What a file holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileReport {
    format: String,
    format_title: String,
    broker: &'static str,
    tradetype: &'static str,
    rows: i64,
    skipped: i64,
    trades: i64,
    sample: Vec<FileTrade>,
    rejected: Vec<Rejected>,
    rejected_total: i64,
    warnings: Vec<Warning>,
    warning_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// A trade as the file tells it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileTrade {
    r#type: &'static str,
    symbol: String,
    quantity: Box<RawValue>,
    price: Box<RawValue>,
    timestamp: Option<String>,
    time_precision: &'static str,
    exchange: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<ContractRecord>,
}

impl FileReport {
    fn of(answer: InspectFileResponse) -> Result<Self, Unwritable> {
        let (broker, tradetype) = record::book_words(&answer.book.ok_or(Unwritable::NoBook)?)?;
        Ok(Self {
            format: answer.format,
            format_title: answer.format_title,
            broker,
            tradetype,
            rows: answer.rows,
            skipped: answer.skipped,
            trades: answer.trades,
            sample: answer.sample.into_iter().map(FileTrade::of).collect::<Result<_, Unwritable>>()?,
            rejected: answer.problems.into_iter().map(|row| finding(row).into()).collect(),
            rejected_total: answer.problem_count,
            warnings: answer.warnings.into_iter().map(|row| finding(row).into()).collect(),
            warning_total: answer.warning_count,
            from: time(answer.first_executed_at)?,
            to: time(answer.last_executed_at)?,
        })
    }
}

impl FileTrade {
    pub fn of(trade: ImportedTrade) -> Result<Self, Unwritable> {
        Ok(Self {
            r#type: words::of_side(trade.side())?,
            time_precision: words::of_precision(trade.time_precision())?,
            exchange: words::of_exchange(trade.exchange())?,
            timestamp: time(trade.executed_at)?,
            quantity: record::raw_number(trade.quantity)?,
            price: record::raw_number(trade.price)?,
            contract: trade.contract.map(ContractRecord::of).transpose()?,
            symbol: trade.symbol,
        })
    }
}

pub(crate) fn time(at: Option<Timestamp>) -> Result<Option<String>, Unwritable> {
    at.as_ref().map(record::time_text).transpose()
}
