//! `uploadexcel/preview`: what an import would do, and doing just that.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use rpc::imports::v1::PreviewFileRequest;
use rpc::trades::v1::commit_preview_response::Outcome;
use rpc::trades::v1::{
    BrokerTrade, CommitPreviewRequest, CommittedPreview, Conflict, GetPreviewRequest, Preview, PreviewedTrade,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::Shared;
use crate::auth::Trader;
use crate::call;
use crate::findings::{self, Rejected, Warning};
use crate::form;
use crate::imports::{FileTrade, time};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::record::{self, Unwritable};
use crate::transfer::Transfer;
use crate::words;

/// `POST /uploadexcel/preview`
pub(crate) async fn make(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let parts = Parts::of(&app, request, form::too_large).await?;
    let mut transfer = Transfer::preview(&app, &trader.context);
    let choice = form::read(parts, &trader, &mut transfer).await?;
    let answer = transfer.finish(Some(Transfer::<PreviewFileRequest, _>::choice(choice))).await?;
    let preview = PreviewRecord::of(answer.preview.ok_or_else(previewless)?)?;
    Ok(Json(preview).into_response())
}

/// `GET /uploadexcel/preview/{id}`
pub(crate) async fn show(
    State(app): State<Shared>,
    trader: Trader,
    Path(preview_id): Path<String>,
) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(GetPreviewRequest { preview_id: preview_id.clone() }, deadline);
        async move { trades.get_preview(request).await }
    });
    let preview = PreviewRecord::of(answer.await?.preview.ok_or_else(previewless)?)?;
    Ok(Json(preview).into_response())
}

/// Imports what a preview showed; where something else would be, shows that.
pub(crate) async fn commit(
    app: &Shared,
    trader: &Trader,
    request: CommitPreviewRequest,
) -> Result<CommittedPreview, Problem> {
    let deadline = app.settings.times.core_upload;
    let request = trader.context.request(request, deadline);
    let mut trades = app.clients.trades.clone();
    let answer = call::write(deadline, async move { trades.commit_preview(request).await }).await?;
    match answer.outcome.ok_or_else(previewless)? {
        Outcome::Committed(committed) => Ok(committed),
        Outcome::Changed(preview) => {
            let preview = to_raw_value(&PreviewRecord::of(preview)?).map_err(Unwritable::from)?;
            Err(Problem::preview_changed(preview))
        }
    }
}

fn previewless() -> Problem {
    tracing::error!("the core sent no preview");
    Problem::internal()
}

/// What an import would do.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PreviewRecord {
    id: String,
    expires_at: String,
    state: String,
    file_name: String,
    sha256: String,
    format: String,
    format_title: String,
    broker: &'static str,
    tradetype: &'static str,
    rows: i64,
    skipped: i64,
    added: i64,
    duplicates: i64,
    conflicts: Vec<ConflictRecord>,
    conflict_total: i64,
    rejected: Vec<Rejected>,
    rejected_total: i64,
    warnings: Vec<Warning>,
    warning_total: i64,
    odd_total: i64,
    sample: Vec<SampleTrade>,
    from: Option<String>,
    to: Option<String>,
}

/// A trade that the broker tells otherwise than before.
#[derive(Debug, Serialize)]
struct ConflictRecord {
    id: String,
    row: Option<i64>,
    trade: Box<RawValue>,
    before: Told,
    now: Told,
}

/// What a broker may correct.
#[derive(Debug, Serialize)]
struct Told {
    r#type: &'static str,
    quantity: Box<RawValue>,
    price: Box<RawValue>,
    value: Box<RawValue>,
}

/// A trade of the file with what would become of it.
#[derive(Debug, Serialize)]
struct SampleTrade {
    row: Option<i64>,
    outcome: &'static str,
    #[serde(flatten)]
    trade: FileTrade,
}

impl PreviewRecord {
    fn of(preview: Preview) -> Result<Self, Unwritable> {
        let (broker, tradetype) = record::book_words(&preview.book.ok_or(Unwritable::NoBook)?)?;
        let findings = preview.findings.unwrap_or_default();
        Ok(Self {
            id: preview.id,
            expires_at: record::time_of(preview.expires_at.as_ref())?,
            state: preview.state,
            file_name: preview.file_name,
            sha256: record::hex(&preview.file_sha256),
            format: preview.format,
            format_title: findings.format_title,
            broker,
            tradetype,
            rows: findings.rows,
            skipped: findings.skipped,
            added: preview.added,
            duplicates: preview.duplicates,
            conflicts: preview.conflicts.into_iter().map(ConflictRecord::of).collect::<Result<_, _>>()?,
            conflict_total: preview.conflict_count,
            rejected: findings::all(findings.problems),
            rejected_total: findings.problem_count,
            warnings: findings::all([findings.warnings, preview.warnings].concat()),
            warning_total: findings.warning_count + preview.warning_count,
            odd_total: findings.odd_count,
            sample: preview.sample.into_iter().map(SampleTrade::of).collect::<Result<_, _>>()?,
            from: time(preview.first_executed_at)?,
            to: time(preview.last_executed_at)?,
        })
    }
}

impl ConflictRecord {
    fn of(conflict: Conflict) -> Result<Self, Unwritable> {
        let trade = conflict.trade.unwrap_or_default();
        Ok(Self {
            id: trade.id.to_string(),
            row: findings::row_of(conflict.row),
            trade: record::trade(&trade)?,
            before: Told::of(conflict.before.unwrap_or_default())?,
            now: Told::of(conflict.now.unwrap_or_default())?,
        })
    }
}

impl Told {
    fn of(told: BrokerTrade) -> Result<Self, Unwritable> {
        Ok(Self {
            r#type: words::of_side(told.side())?,
            quantity: record::raw_number(told.quantity)?,
            price: record::raw_number(told.price)?,
            value: record::raw_number(told.value)?,
        })
    }
}

impl SampleTrade {
    fn of(previewed: PreviewedTrade) -> Result<Self, Unwritable> {
        let outcome = words::of_outcome(previewed.outcome())?;
        let trade = previewed.trade.unwrap_or_default();
        Ok(Self { row: findings::row_of(trade.row), outcome, trade: FileTrade::of(trade)? })
    }
}
