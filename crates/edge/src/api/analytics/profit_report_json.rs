//! JSON of a broker's profit and loss report, which the terminal command prints.

use rpc::imports::v1::{ProfitReport, ProfitRow};
use rpc::trades::v1::Book;
use serde::Serialize;

use crate::api::analytics::reconcile_json::LineJson;
use crate::file_issues::{RejectedJson, format_title, from_file_issue};
use crate::json::{JsonError, Number, convert_list, enum_name, optional_decimal, optional_text, raw_decimal};

/// Returns the report as JSON, or `None` if the report is invalid.
pub fn profit_report_json(report: ProfitReport) -> Option<String> {
    ReportJson::try_from(report).ok().and_then(|report| serde_json::to_string(&report).ok())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportJson {
    format: String,
    format_title: String,
    title: String,
    #[serde(flatten)]
    book: Book,
    from: String,
    to: String,
    rows: Vec<RowJson>,
    charges: Vec<ChargeJson>,
    /// Realised profit, as the report states it.
    realised: Option<Number>,
    open_positions: i64,
    rejected: Vec<RejectedJson>,
    rejected_total: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowJson {
    symbol: Option<String>,
    name: Option<String>,
    isin: Option<String>,
    quantity: Number,
    buy_value: Number,
    sell_value: Number,
    gross: Number,
}

#[derive(Serialize)]
struct ChargeJson {
    charge: &'static str,
    #[serde(flatten)]
    line: LineJson,
}

impl TryFrom<ProfitReport> for ReportJson {
    type Error = JsonError;

    fn try_from(report: ProfitReport) -> Result<Self, JsonError> {
        let book = report.book.unwrap_or_default();
        let to_charge_json = |line: rpc::imports::v1::ChargeLine| {
            Ok(ChargeJson { charge: enum_name(line.kind())?, line: LineJson::try_from(line)? })
        };
        Ok(Self {
            format_title: format_title(&report.format),
            format: report.format,
            title: report.title,
            book,
            from: report.from,
            to: report.to,
            rows: convert_list(report.rows)?,
            charges: report.charges.into_iter().map(to_charge_json).collect::<Result<_, JsonError>>()?,
            realised: optional_decimal(report.realised)?,
            open_positions: report.open_positions,
            rejected: report.errors.into_iter().map(|row| from_file_issue(row).into()).collect(),
            rejected_total: report.error_count,
        })
    }
}

impl TryFrom<ProfitRow> for RowJson {
    type Error = JsonError;

    fn try_from(row: ProfitRow) -> Result<Self, JsonError> {
        Ok(Self {
            symbol: optional_text(row.symbol),
            name: optional_text(row.name),
            isin: optional_text(row.isin),
            quantity: raw_decimal(row.quantity)?,
            buy_value: raw_decimal(row.buy_value)?,
            sell_value: raw_decimal(row.sell_value)?,
            gross: raw_decimal(row.realised)?,
        })
    }
}
