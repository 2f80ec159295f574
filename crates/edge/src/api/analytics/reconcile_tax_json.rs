//! JSON of the comparison with a tax report.

use rpc::analytics::v1 as wire;
use rpc::imports::v1::TaxReport;
use rpc::trades::v1::Broker;
use serde::Serialize;

use crate::api::analytics::reconcile_json::{RemarkJson, to_notes};
use crate::file_issues::format_title;
use crate::json::{JsonError, enum_name};

/// Comparison of a broker's tax report with the trade log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaxReconciliationJson {
    format: String,
    format_title: String,
    title: String,
    broker: &'static str,
    from: String,
    to: String,
    agrees: bool,
    heads: Vec<wire::ReconciledHead>,
    lines: Vec<ReconciledLineJson>,
    total_lines: i64,
    differing_lines: i64,
    not_compared: Vec<RemarkJson>,
}

impl TaxReconciliationJson {
    pub fn new(report: TaxReport, comparison: wire::ReconcileTaxReportResponse) -> Result<Self, JsonError> {
        Ok(Self {
            format_title: format_title(&report.format),
            broker: enum_name::<Broker>(report.broker())?,
            format: report.format,
            title: report.title,
            from: report.from,
            to: report.to,
            agrees: comparison.agrees,
            heads: comparison.heads,
            lines: comparison.lines.into_iter().map(ReconciledLineJson::from).collect(),
            total_lines: comparison.total_lines,
            differing_lines: comparison.differing_lines,
            not_compared: to_notes(comparison.not_compared, report.errors),
        })
    }
}

/// Comparison of one line.
#[derive(Serialize)]
struct ReconciledLineJson {
    #[serde(flatten)]
    line: wire::ReconciledLine,
    cause: Option<RemarkJson>,
}

impl From<wire::ReconciledLine> for ReconciledLineJson {
    fn from(mut line: wire::ReconciledLine) -> Self {
        let cause = line.cause.take().map(|cause| RemarkJson::new("line_cause", cause));
        Self { line, cause }
    }
}
