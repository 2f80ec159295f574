//! Conversion of previews and of their commit.

use std::collections::HashMap;

use prost::Message as _;
use rpc::broker_account::{MAX_BROKER_ACCOUNTS, parse_account_number};
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rpc::trades::v1::commit_preview_response::Outcome;
use rpc::trades::v1::preview_trades_request::Part;
use time::OffsetDateTime;
use uuid::Uuid;

use super::requests::{MAX_BATCH_TRADES, parse_file_counts, parse_imported_trade};
use super::responses::{
    mask_client_code, to_timestamp, to_wire_book, to_wire_contract, to_wire_exchange, to_wire_import,
    to_wire_precision, to_wire_side, to_wire_trade, to_wire_warning,
};
use crate::contract_note::parse_notes;
use crate::error::Error;
use crate::service::{PreviewPart, PreviewResponse};
use crate::store::{
    AccountMatch, BrokerTrade, CommitOutcome, Conflict, ConflictChoices, Preview, PreviewOutcome, PreviewedFile,
    PreviewedTrade, Resolution,
};
use crate::trade::FileTrade;

/// Maximum number of other previews in a batch; an account has no more.
const MAX_BATCH_PREVIEWS: usize = 24;
/// Maximum size of the encoded issues of a file, in bytes.
const MAX_ISSUES_BYTES: usize = 2 * 1024 * 1024;
const MAX_CHOICES: usize = 1_000;
const MAX_STATE_BYTES: usize = 64;

pub(super) fn parse_preview_part(message: wire::PreviewTradesRequest) -> Result<PreviewPart, Error> {
    match message.part {
        Some(Part::Batch(batch)) if batch.trades.len() <= MAX_BATCH_TRADES => {
            let now = OffsetDateTime::now_utc();
            let parse = |(index, trade): (usize, wire::ImportedTrade)| {
                let row = trade.row.max(0);
                Ok(FileTrade { trade: parse_imported_trade(trade, index, now)?, row })
            };
            Ok(PreviewPart::Batch(batch.trades.into_iter().enumerate().map(parse).collect::<Result<_, Error>>()?))
        }
        Some(Part::Batch(_)) => Err(Violation::new("batch.trades", "TOO_MANY").with("max", MAX_BATCH_TRADES).into()),
        Some(Part::End(end)) => {
            let issues = end.issues.unwrap_or_default();
            let file_counts = Some(parse_file_counts(&issues)?);
            let encoded_issues = issues.encode_to_vec();
            if encoded_issues.len() > MAX_ISSUES_BYTES {
                return Err(Violation::new("end.issues", "TOO_LARGE").into());
            }
            let notes = parse_notes(&end.notes)?;
            Ok(PreviewPart::End { trade_count: end.trades, file_counts, encoded_issues, notes })
        }
        Some(Part::Head(_)) | None => Err(Violation::new("part", "INVALID").into()),
    }
}

/// Parses a preview id. An invalid id gives the same error as an unknown one.
pub(super) fn parse_preview_id(text: &str) -> Result<Uuid, Error> {
    text.parse().map_err(|_| Error::PreviewNotFound)
}

/// Parses the ids of the other previews of a batch. An id without a preview has no effect.
pub(super) fn parse_preview_batch(ids: &[String]) -> Result<Vec<Uuid>, Error> {
    if ids.len() > MAX_BATCH_PREVIEWS {
        return Err(Violation::new("batch_preview_ids", "TOO_MANY").with("max", MAX_BATCH_PREVIEWS).into());
    }
    ids.iter().map(|id| parse_preview_id(id)).collect()
}

pub(super) fn parse_choices(request: wire::CommitPreviewRequest) -> Result<ConflictChoices, Error> {
    let default = parse_resolution(request.default_resolution());
    if request.state.len() > MAX_STATE_BYTES {
        return Err(Violation::new("state", "INVALID").into());
    }
    if request.choices.len() > MAX_CHOICES {
        return Err(Violation::new("choices", "TOO_MANY").with("max", MAX_CHOICES).into());
    }
    let by_trade_id: HashMap<_, _> =
        request.choices.iter().map(|choice| (choice.trade_id, parse_resolution(choice.resolution()))).collect();
    if by_trade_id.len() < request.choices.len() {
        return Err(Violation::new("choices", "REPEATED").into());
    }
    let invalid_account = || Violation::new("broker_account", "INVALID").with("max", MAX_BROKER_ACCOUNTS);
    let account_number = match request.broker_account {
        0 => None,
        number => Some(parse_account_number(number).ok_or_else(invalid_account)?),
    };
    let expected_state = Some(request.state).filter(|state| !state.is_empty());
    Ok(ConflictChoices { expected_state, by_trade_id, default, account_number })
}

const fn parse_resolution(resolution: wire::Resolution) -> Resolution {
    match resolution {
        wire::Resolution::Unspecified => Resolution::Undecided,
        wire::Resolution::Keep => Resolution::Keep,
        wire::Resolution::Replace => Resolution::Replace,
    }
}

impl PreviewResponse for wire::Preview {
    fn from_preview(preview: Preview) -> Result<Self, Error> {
        to_wire_preview(preview)
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    fn from_bytes(saved: &[u8]) -> Option<Self> {
        Self::decode(saved).ok()
    }
}

fn to_wire_preview(preview: Preview) -> Result<wire::Preview, Error> {
    let Preview { file, comparison, conflicts, uncovered_sales, account_match, sample } = preview;
    Ok(wire::Preview {
        id: file.preview_id.to_string(),
        expires_at: Some(to_timestamp(file.expires_at)),
        book: Some(to_wire_book(file.book)),
        issues: Some(decode_issues(&file)?),
        file_name: file.record.file_name,
        file_sha256: file.record.file_sha256,
        format: file.record.format,
        added: comparison.added,
        duplicates: comparison.duplicates,
        conflicts: conflicts.into_iter().map(to_wire_conflict).collect(),
        conflict_count: comparison.conflicts,
        warnings: uncovered_sales.listed.iter().map(to_wire_warning).collect(),
        warning_count: uncovered_sales.count,
        first_executed_at: file.first_executed_at.map(to_timestamp),
        last_executed_at: file.last_executed_at.map(to_timestamp),
        sample: sample.into_iter().map(to_wire_previewed_trade).collect(),
        state: comparison.state,
        masked_client_code: mask_client_code(&file.record.owner.client_code),
        holder: file.record.owner.holder,
        account_match: match account_match {
            AccountMatch::Unknown => wire::AccountMatch::Unspecified,
            AccountMatch::Known => wire::AccountMatch::Known,
            AccountMatch::NewCode => wire::AccountMatch::NewCode,
            AccountMatch::OtherCodes => wire::AccountMatch::OtherCodes,
        }
        .into(),
    })
}

pub(super) fn to_wire_commit(committed: CommitOutcome) -> Result<wire::CommitPreviewResponse, Error> {
    let outcome = match committed {
        CommitOutcome::Imported { imported, file } => Outcome::Committed(wire::CommittedPreview {
            result: Some(to_wire_import(&imported)),
            book: Some(to_wire_book(file.book)),
            issues: Some(decode_issues(&file)?),
            file_name: file.record.file_name,
            format: file.record.format,
        }),
        CommitOutcome::Outdated(preview) => Outcome::Changed(to_wire_preview(preview)?),
    };
    Ok(wire::CommitPreviewResponse { outcome: Some(outcome) })
}

/// Decodes the stored issues of the file.
fn decode_issues(file: &PreviewedFile) -> Result<wire::FileIssues, Error> {
    let to_error = |error: prost::DecodeError| Error::Store(sqlx::Error::Decode(error.into()));
    wire::FileIssues::decode(&*file.encoded_issues).map_err(to_error)
}

fn to_wire_conflict(conflict: Conflict) -> wire::Conflict {
    let Conflict { trade, previous, corrected, row } = conflict;
    let to_wire_broker_trade = |broker_trade: BrokerTrade| wire::BrokerTrade {
        side: to_wire_side(broker_trade.side).into(),
        quantity: broker_trade.quantity.normalize().to_string(),
        price: broker_trade.price.normalize().to_string(),
        value: broker_trade.value.normalize().to_string(),
    };
    wire::Conflict {
        trade: Some(to_wire_trade(trade)),
        previous: Some(to_wire_broker_trade(previous)),
        corrected: Some(to_wire_broker_trade(corrected)),
        row,
    }
}

fn to_wire_previewed_trade(previewed: PreviewedTrade) -> wire::PreviewedTrade {
    let PreviewedTrade { file: FileTrade { trade, row }, outcome } = previewed;
    let outcome = match outcome {
        PreviewOutcome::Added => wire::PreviewOutcome::Added,
        PreviewOutcome::Duplicate => wire::PreviewOutcome::Duplicate,
        PreviewOutcome::Conflict => wire::PreviewOutcome::Conflict,
    };
    let trade = wire::ImportedTrade {
        side: to_wire_side(trade.side).into(),
        symbol: trade.symbol,
        isin: trade.isin.unwrap_or_default(),
        series: trade.series.unwrap_or_default(),
        auction: trade.auction,
        quantity: trade.quantity.normalize().to_string(),
        price: trade.price.normalize().to_string(),
        value: trade.value.normalize().to_string(),
        executed_at: Some(to_timestamp(trade.executed_at)),
        time_precision: to_wire_precision(trade.time_precision).into(),
        exchange: to_wire_exchange(trade.exchange).into(),
        order_id: trade.order_id.unwrap_or_default(),
        source_key: trade.source_key.unwrap_or_default(),
        contract: trade.contract.map(to_wire_contract),
        row,
    };
    wire::PreviewedTrade { trade: Some(trade), outcome: outcome.into() }
}
