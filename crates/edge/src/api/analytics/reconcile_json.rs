//! JSON of a reconciliation.

use rpc::analytics::v1 as wire;
use rpc::imports::v1::{ChargeLine, FileIssue, ProfitReport};
use rpc::trades::v1::{Book, BrokeragePrice};
use serde::Serialize;

use crate::file_issues::{RejectedJson, format_title, from_file_issue};
use crate::json::{JsonError, Number, convert_list, enum_name, optional_decimal, optional_text, raw_decimal};

/// Comparison of a broker's report with the trade log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReconciliationJson {
    format: String,
    format_title: String,
    title: String,
    #[serde(flatten)]
    book: Book,
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
    buy_value: wire::ComparedSum,
    sell_value: wire::ComparedSum,
    gross: wire::ComparedSum,
    charges: wire::ComparedSum,
    net: wire::ComparedSum,
}

impl ReconciliationJson {
    pub fn new(report: ProfitReport, comparison: wire::ReconcileResponse) -> Result<Self, JsonError> {
        let book = report.book.unwrap_or_default();
        Ok(Self {
            format_title: format_title(&report.format),
            format: report.format,
            title: report.title,
            book,
            from: report.from,
            to: report.to,
            agrees: comparison.agrees,
            totals: TotalsJson {
                buy_value: comparison.buy_value.unwrap_or_default(),
                sell_value: comparison.sell_value.unwrap_or_default(),
                gross: comparison.gross.unwrap_or_default(),
                charges: comparison.charge_sum.unwrap_or_default(),
                net: comparison.net.unwrap_or_default(),
            },
            rows: convert_list(comparison.rows)?,
            total_rows: comparison.total_rows,
            differing_rows: comparison.differing_rows,
            charges: convert_list(comparison.charges)?,
            not_compared: to_notes(comparison.not_compared, report.errors),
        })
    }
}

/// Converts remarks on what was not compared, and adds the first of the rows that could not be read.
pub(crate) fn to_notes(remarks: Vec<wire::Remark>, errors: Vec<FileIssue>) -> Vec<RemarkJson> {
    let first_unread = errors.into_iter().next().map(|issue| RejectedJson::from(from_file_issue(issue)));
    let to_note = |mut remark: wire::Remark| {
        if let Some(issue) = &first_unread
            && remark.code == "unread_rows"
        {
            remark.params.insert("row".to_owned(), issue.row.to_string());
            remark.params.insert("issue".to_owned(), issue.message.clone());
        }
        RemarkJson::new("not_compared", remark)
    };
    remarks.into_iter().map(to_note).collect()
}

/// Comparison of one share or contract.
#[derive(Serialize)]
pub(crate) struct ReconciledRowJson {
    #[serde(flatten)]
    row: wire::ReconciledRow,
    cause: Option<RemarkJson>,
    repair: Option<RepairJson>,
}

impl TryFrom<wire::ReconciledRow> for ReconciledRowJson {
    type Error = JsonError;

    fn try_from(mut row: wire::ReconciledRow) -> Result<Self, JsonError> {
        let cause = row.cause.take().map(|cause| RemarkJson::new("row_cause", cause));
        let repair = row.repair.take().map(RepairJson::try_from).transpose()?;
        Ok(Self { row, cause, repair })
    }
}

/// Answer to a data issue by which a row is expected to agree.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepairJson {
    label: String,
    answer: AnswerJson,
    date_required: bool,
    latest_date: Option<String>,
}

/// Answer as in the body of `POST /analytics/data-issues/answers`, without its date.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnswerJson {
    issue_id: String,
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<Number>,
}

impl TryFrom<wire::Repair> for RepairJson {
    type Error = JsonError;

    fn try_from(repair: wire::Repair) -> Result<Self, JsonError> {
        let wire::IssueAnswer { issue_id, answer, price, quantity, .. } = repair.answer.unwrap_or_default();
        let params = [("price", price.clone()), ("count", quantity.clone())];
        let params = params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self {
            label: texts::text("analytics", &format!("repair.{answer}"), &params).unwrap_or_default(),
            answer: AnswerJson {
                issue_id,
                answer,
                price: optional_decimal(price)?,
                quantity: optional_decimal(quantity)?,
            },
            date_required: repair.date_required,
            latest_date: optional_text(repair.latest_date),
        })
    }
}

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
    prices: Vec<BrokeragePrice>,
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
            prices: charge.prices,
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
    pub fn new(kind: &str, remark: wire::Remark) -> Self {
        let wire::Remark { code, params } = remark;
        let sentence = texts::text("analytics", &format!("{kind}.{code}"), &params).unwrap_or_default();
        Self { code, sentence }
    }
}
