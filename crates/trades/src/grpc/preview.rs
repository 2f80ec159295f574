//! Previews of imports: from the wire, and to it.

use std::collections::HashMap;

use prost::Message as _;
use rpc::trades::v1 as wire;
use rpc::trades::v1::commit_preview_response::Outcome;
use rpc::trades::v1::preview_trades_request::Part;
use time::OffsetDateTime;
use uuid::Uuid;

use super::read::{LARGEST_BATCH, read_counts, read_imported};
use super::render::{
    wire_book, wire_contract, wire_exchange, wire_imported, wire_precision, wire_side, wire_time, wire_trade,
    wire_uncovered,
};
use crate::error::Error;
use crate::service::PreviewPart;
use crate::store::{
    Choices, Committed, Conflict, Preview, PreviewOutcome, PreviewedFile, PreviewedTrade, Resolution, Told,
};
use crate::trade::FileTrade;

/// What is kept of all that a file's reader said, in bytes.
const LARGEST_FINDINGS: usize = 2 * 1024 * 1024;
const MOST_CHOICES: usize = 1_000;
const LONGEST_STATE: usize = 64;

pub(super) fn read_preview_part(message: wire::PreviewTradesRequest) -> Result<PreviewPart, Error> {
    match message.part {
        Some(Part::Batch(batch)) if batch.trades.len() <= LARGEST_BATCH => {
            let now = OffsetDateTime::now_utc();
            let read = |trade: wire::ImportedTrade| {
                let row = trade.row.max(0);
                Ok(FileTrade { trade: read_imported(trade, now)?, row })
            };
            Ok(PreviewPart::Batch(batch.trades.into_iter().map(read).collect::<Result<_, Error>>()?))
        }
        Some(Part::Batch(_)) => Err(Error::field("batch", "A batch has at most 2,000 trades.")),
        Some(Part::End(end)) => {
            let findings = end.findings.unwrap_or_default();
            let read = Some(read_counts(&findings)?);
            let findings = findings.encode_to_vec();
            if findings.len() > LARGEST_FINDINGS {
                return Err(Error::field("findings", "Too much is said beside the trades."));
            }
            Ok(PreviewPart::End { trades: end.trades, read, findings })
        }
        Some(Part::Head(_)) | None => Err(Error::field("part", "After the head come batches and the end.")),
    }
}

/// What is no id is the id of no preview.
pub(super) fn read_preview_id(text: &str) -> Result<Uuid, Error> {
    text.parse().map_err(|_| Error::NoPreview)
}

pub(super) fn read_choices(request: wire::CommitPreviewRequest) -> Result<Choices, Error> {
    let others = read_resolution(request.others());
    if request.state.len() > LONGEST_STATE {
        return Err(Error::field("state", "This is not a state of ours."));
    }
    if request.choices.len() > MOST_CHOICES {
        return Err(Error::field("choices", "At most 1,000 trades are named; the others are decided together."));
    }
    let named: HashMap<_, _> =
        request.choices.iter().map(|choice| (choice.trade_id, read_resolution(choice.resolution()))).collect();
    if named.len() < request.choices.len() {
        return Err(Error::field("choices", "Each trade is named once."));
    }
    Ok(Choices { state: Some(request.state).filter(|state| !state.is_empty()), named, others })
}

const fn read_resolution(resolution: wire::Resolution) -> Resolution {
    match resolution {
        wire::Resolution::Unspecified => Resolution::Undecided,
        wire::Resolution::Keep => Resolution::Keep,
        wire::Resolution::Take => Resolution::Take,
    }
}

pub(super) fn wire_preview(preview: Preview) -> Result<wire::Preview, Error> {
    let Preview { file, compared, conflicts, sales, sample } = preview;
    Ok(wire::Preview {
        id: file.preview_id.to_string(),
        expires_at: Some(wire_time(file.expires_at)),
        book: Some(wire_book(file.book)),
        findings: Some(findings(&file)?),
        file_name: file.record.file_name,
        file_sha256: file.record.file_sha256,
        format: file.record.format,
        added: compared.added,
        duplicates: compared.duplicates,
        conflicts: conflicts.into_iter().map(wire_conflict).collect(),
        conflict_count: compared.conflicts,
        warnings: sales.told.iter().map(wire_uncovered).collect(),
        warning_count: sales.count,
        first_executed_at: file.first_executed_at.map(wire_time),
        last_executed_at: file.last_executed_at.map(wire_time),
        sample: sample.into_iter().map(wire_previewed).collect(),
        state: compared.state,
    })
}

pub(super) fn wire_committed(committed: Committed) -> Result<wire::CommitPreviewResponse, Error> {
    let outcome = match committed {
        Committed::Imported { imported, file } => Outcome::Committed(wire::CommittedPreview {
            result: Some(wire_imported(&imported)),
            book: Some(wire_book(file.book)),
            findings: Some(findings(&file)?),
            file_name: file.record.file_name,
            format: file.record.format,
        }),
        Committed::Changed(preview) => Outcome::Changed(wire_preview(preview)?),
    };
    Ok(wire::CommitPreviewResponse { outcome: Some(outcome) })
}

/// What the reader of the file said, as it was kept.
fn findings(file: &PreviewedFile) -> Result<wire::FileIssues, Error> {
    let stored = |error: prost::DecodeError| Error::Store(sqlx::Error::Decode(error.into()));
    wire::FileIssues::decode(&*file.findings).map_err(stored)
}

fn wire_conflict(conflict: Conflict) -> wire::Conflict {
    let Conflict { trade, before, now, row } = conflict;
    let told = |told: Told| wire::BrokerTrade {
        side: wire_side(told.side).into(),
        quantity: told.quantity.normalize().to_string(),
        price: told.price.normalize().to_string(),
        value: told.value.normalize().to_string(),
    };
    wire::Conflict { trade: Some(wire_trade(trade)), before: Some(told(before)), now: Some(told(now)), row }
}

fn wire_previewed(previewed: PreviewedTrade) -> wire::PreviewedTrade {
    let PreviewedTrade { file: FileTrade { trade, row }, outcome } = previewed;
    let outcome = match outcome {
        PreviewOutcome::Added => wire::PreviewOutcome::Added,
        PreviewOutcome::Duplicate => wire::PreviewOutcome::Duplicate,
        PreviewOutcome::Conflict => wire::PreviewOutcome::Conflict,
    };
    let trade = wire::ImportedTrade {
        side: wire_side(trade.side).into(),
        symbol: trade.symbol,
        isin: trade.isin.unwrap_or_default(),
        quantity: trade.quantity.normalize().to_string(),
        price: trade.price.normalize().to_string(),
        value: trade.value.normalize().to_string(),
        executed_at: Some(wire_time(trade.executed_at)),
        time_precision: wire_precision(trade.time_precision).into(),
        exchange: wire_exchange(trade.exchange).into(),
        order_id: trade.order_id.unwrap_or_default(),
        source_key: trade.source_key.unwrap_or_default(),
        contract: trade.contract.map(wire_contract),
        row,
    };
    wire::PreviewedTrade { trade: Some(trade), outcome: outcome.into() }
}
