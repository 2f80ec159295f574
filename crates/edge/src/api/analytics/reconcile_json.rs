//! JSON of a reconciliation.

use rpc::analytics::v1 as wire;
use rpc::imports::v1::{ChargeLine, ProfitReport};
use rpc::trades::v1::Contract;
use serde::Serialize;

use crate::api::analytics::json_struct::{
    Number, convert_list, convert_optional, convert_required, copy_value, json_struct, optional_decimal, optional_text,
};
use crate::file_issues::{RejectedJson, format_title, from_file_issue};
use crate::json::{JsonError, book_names, enum_name, raw_decimal};

/// Comparison of a broker's report with the trade log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReconciliationJson {
    format: String,
    format_title: String,
    title: String,
    broker: &'static str,
    tradetype: &'static str,
    from: String,
    to: String,
    agrees: bool,
    totals: TotalsJson,
    rows: Vec<ReconciledRowJson>,
    total_rows: i64,
    differing_rows: i64,
    charges: Vec<ReconciledChargeJson>,
    not_compared: Vec<RemarkJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TotalsJson {
    buy_value: ComparedSumJson,
    sell_value: ComparedSumJson,
    gross: ComparedSumJson,
    charges: ComparedSumJson,
    net: ComparedSumJson,
}

impl ReconciliationJson {
    pub fn new(report: ProfitReport, comparison: wire::ReconcileResponse) -> Result<Self, JsonError> {
        let (broker, tradetype) = book_names(&report.book.unwrap_or_default())?;
        let first_unread = report.errors.into_iter().next().map(|issue| RejectedJson::from(from_file_issue(issue)));
        let to_note = |mut remark: wire::Remark| {
            if let Some(issue) = &first_unread
                && remark.code == "unread_rows"
            {
                remark.params.insert("row".to_owned(), issue.row.to_string());
                remark.params.insert("issue".to_owned(), issue.message.clone());
            }
            RemarkJson::new("not_compared", remark)
        };
        Ok(Self {
            format_title: format_title(&report.format),
            format: report.format,
            title: report.title,
            broker,
            tradetype,
            from: report.from,
            to: report.to,
            agrees: comparison.agrees,
            totals: TotalsJson {
                buy_value: convert_required(comparison.buy_value)?,
                sell_value: convert_required(comparison.sell_value)?,
                gross: convert_required(comparison.gross)?,
                charges: convert_required(comparison.charge_sum)?,
                net: convert_required(comparison.net)?,
            },
            rows: convert_list(comparison.rows)?,
            total_rows: comparison.total_rows,
            differing_rows: comparison.differing_rows,
            charges: convert_list(comparison.charges)?,
            not_compared: comparison.not_compared.into_iter().map(to_note).collect(),
        })
    }
}

json_struct!(ComparedSumJson from ComparedSum { log: Number = raw_decimal, report: Number = raw_decimal, difference: Number = raw_decimal });

json_struct!(ReconciledRowJson from ReconciledRow {
    symbol: Option<String> = optional_text,
    isin: Option<String> = optional_text,
    name: Option<String> = optional_text,
    log: Option<ClosedSumsJson> = convert_optional,
    report: Option<ClosedSumsJson> = convert_optional,
    difference: ClosedSumsJson = convert_required,
    agrees: bool = copy_value,
    cause: Option<RemarkJson> = row_cause,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<Contract> = copy_value,
});

fn row_cause(cause: Option<wire::Remark>) -> Result<Option<RemarkJson>, JsonError> {
    Ok(cause.map(|cause| RemarkJson::new("row_cause", cause)))
}

json_struct!(ClosedSumsJson from ClosedSums {
    quantity: Number = raw_decimal,
    buy_value: Number = raw_decimal,
    sell_value: Number = raw_decimal,
    gross: Number = raw_decimal,
});

/// Comparison of one kind of charge.
#[derive(Serialize)]
pub(crate) struct ReconciledChargeJson {
    charge: &'static str,
    log: Option<Number>,
    report: Option<Number>,
    difference: Option<Number>,
    agrees: bool,
    cause: Option<RemarkJson>,
    lines: Vec<LineJson>,
}

impl TryFrom<wire::ReconciledCharge> for ReconciledChargeJson {
    type Error = JsonError;

    fn try_from(charge: wire::ReconciledCharge) -> Result<Self, JsonError> {
        Ok(Self {
            charge: enum_name(charge.kind())?,
            log: optional_decimal(charge.log)?,
            report: optional_decimal(charge.report)?,
            difference: optional_decimal(charge.difference)?,
            agrees: charge.agrees,
            cause: charge.cause.map(|cause| RemarkJson::new("charge_cause", cause)),
            lines: convert_list(charge.lines)?,
        })
    }
}

/// Line of charges in the report.
#[derive(Serialize)]
pub(crate) struct LineJson {
    label: String,
    amount: Number,
}

impl TryFrom<ChargeLine> for LineJson {
    type Error = JsonError;

    fn try_from(line: ChargeLine) -> Result<Self, JsonError> {
        Ok(Self { label: line.label, amount: raw_decimal(line.amount)? })
    }
}

/// Reason why something differs, or is not compared.
#[derive(Serialize)]
pub(crate) struct RemarkJson {
    code: String,
    sentence: String,
}

impl RemarkJson {
    /// Converts a remark; its sentence is the text `kind.code`.
    fn new(kind: &str, remark: wire::Remark) -> Self {
        let wire::Remark { code, params } = remark;
        let sentence = texts::text("analytics", &format!("{kind}.{code}"), &params).unwrap_or_default();
        Self { code, sentence }
    }
}
