//! JSON of import previews.

use rpc::json::JsonName as _;
use rpc::trades::v1::{Book, BrokerTrade, Conflict, DocumentSignature, Preview, PreviewedTrade};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::imports::json::FileTradeJson;
use crate::file_issues::{RejectedJson, WarningJson, format_title, optional_row, to_issues};
use crate::json::{JsonError, enum_name, raw_decimal, to_hex};
use crate::timestamps::{format_optional_timestamp, format_required_timestamp};
use crate::trade_json::trade_to_json;

/// Preview of an import.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewJson {
    id: String,
    expires_at: String,
    state: String,
    file_name: String,
    sha256: String,
    format: String,
    format_title: String,
    #[serde(flatten)]
    book: Book,
    /// Client code in the file, with its middle hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_code: Option<String>,
    /// Name of the person in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_match: Option<&'static str>,
    rows: i64,
    skipped: i64,
    added: i64,
    duplicates: i64,
    conflicts: Vec<ConflictJson>,
    conflict_total: i64,
    rejected: Vec<RejectedJson>,
    rejected_total: i64,
    warnings: Vec<WarningJson>,
    warning_total: i64,
    odd_total: i64,
    other_segment_rows: i64,
    contract_notes: i64,
    days_with_charges: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<DocumentSignature>,
    sample: Vec<SampleTradeJson>,
    from: Option<String>,
    to: Option<String>,
}

/// Trade that differs between the trade log and the file.
#[derive(Debug, Serialize)]
struct ConflictJson {
    id: String,
    row: Option<i64>,
    trade: Box<RawValue>,
    before: CorrectableJson,
    now: CorrectableJson,
}

/// Fields of a trade that a later file of the broker can correct.
#[derive(Debug, Serialize)]
struct CorrectableJson {
    r#type: &'static str,
    quantity: Box<RawValue>,
    price: Box<RawValue>,
    value: Box<RawValue>,
}

/// Trade of the file, with the outcome of its import.
#[derive(Debug, Serialize)]
struct SampleTradeJson {
    row: Option<i64>,
    outcome: &'static str,
    #[serde(flatten)]
    trade: FileTradeJson,
}

impl TryFrom<Preview> for PreviewJson {
    type Error = JsonError;

    fn try_from(preview: Preview) -> Result<Self, JsonError> {
        let book = preview.book.ok_or(JsonError::MissingBook)?;
        let account_match = preview.account_match().json_name();
        let issues = preview.issues.unwrap_or_default();
        Ok(Self {
            id: preview.id,
            expires_at: format_required_timestamp(preview.expires_at.as_ref())?,
            state: preview.state,
            file_name: preview.file_name,
            sha256: to_hex(&preview.file_sha256),
            format_title: format_title(&preview.format),
            format: preview.format,
            book,
            client_code: Some(preview.masked_client_code).filter(|code| !code.is_empty()),
            holder: Some(preview.holder).filter(|name| !name.is_empty()),
            account_match,
            rows: issues.rows,
            skipped: issues.skipped_rows,
            added: preview.added,
            duplicates: preview.duplicates,
            conflicts: preview.conflicts.into_iter().map(ConflictJson::try_from).collect::<Result<_, _>>()?,
            conflict_total: preview.conflict_count,
            rejected: to_issues(issues.errors),
            rejected_total: issues.error_count,
            warnings: to_issues([issues.warnings, preview.warnings].concat()),
            warning_total: issues.warning_count + preview.warning_count,
            odd_total: issues.unusual_count,
            other_segment_rows: issues.other_segment_rows,
            contract_notes: issues.contract_notes,
            days_with_charges: issues.days_with_charges,
            signature: issues.signature,
            sample: preview.sample.into_iter().map(SampleTradeJson::try_from).collect::<Result<_, _>>()?,
            from: format_optional_timestamp(preview.first_executed_at.as_ref())?,
            to: format_optional_timestamp(preview.last_executed_at.as_ref())?,
        })
    }
}

impl TryFrom<Conflict> for ConflictJson {
    type Error = JsonError;

    fn try_from(conflict: Conflict) -> Result<Self, JsonError> {
        let trade = conflict.trade.unwrap_or_default();
        Ok(Self {
            id: trade.id.to_string(),
            row: optional_row(conflict.row),
            trade: trade_to_json(&trade)?,
            before: CorrectableJson::try_from(conflict.previous.unwrap_or_default())?,
            now: CorrectableJson::try_from(conflict.corrected.unwrap_or_default())?,
        })
    }
}

impl TryFrom<BrokerTrade> for CorrectableJson {
    type Error = JsonError;

    fn try_from(trade: BrokerTrade) -> Result<Self, JsonError> {
        Ok(Self {
            r#type: enum_name(trade.side())?,
            quantity: raw_decimal(trade.quantity)?,
            price: raw_decimal(trade.price)?,
            value: raw_decimal(trade.value)?,
        })
    }
}

impl TryFrom<PreviewedTrade> for SampleTradeJson {
    type Error = JsonError;

    fn try_from(previewed: PreviewedTrade) -> Result<Self, JsonError> {
        let outcome = enum_name(previewed.outcome())?;
        let trade = previewed.trade.unwrap_or_default();
        Ok(Self { row: optional_row(trade.row), outcome, trade: FileTradeJson::try_from(trade)? })
    }
}
