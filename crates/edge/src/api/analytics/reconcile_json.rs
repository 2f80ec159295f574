//! JSON of a reconciliation.

use rpc::analytics::v1 as wire;
use rpc::imports::v1::{ChargeLine, ProfitReport};
use serde::Serialize;

use crate::api::analytics::json::{
    Number, each, json_struct, optional, optional_decimal, optional_text, required, same,
};
use crate::api::analytics::json_names::charge_kind_name;
use crate::json::{JsonError, raw_decimal};
use crate::json_names::book_names;

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
    row_total: i64,
    differing: i64,
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
        Ok(Self {
            format: report.format,
            format_title: report.format_title,
            title: report.title,
            broker,
            tradetype,
            from: report.from,
            to: report.to,
            agrees: comparison.agrees,
            totals: TotalsJson {
                buy_value: required(comparison.buy_value)?,
                sell_value: required(comparison.sell_value)?,
                gross: required(comparison.gross)?,
                charges: required(comparison.charges)?,
                net: required(comparison.net)?,
            },
            rows: each(comparison.rows)?,
            row_total: comparison.row_total,
            differing: comparison.differing,
            charges: each(comparison.charge_rows)?,
            not_compared: each(comparison.not_compared)?,
        })
    }
}

json_struct!(ComparedSumJson of ComparedSum { ours: Number = raw_decimal, theirs: Number = raw_decimal, difference: Number = raw_decimal });

json_struct!(ReconciledRowJson of ReconciledRow {
    symbol: Option<String> = optional_text,
    isin: Option<String> = optional_text,
    name: Option<String> = optional_text,
    ours: Option<ClosedSumsJson> = optional,
    theirs: Option<ClosedSumsJson> = optional,
    difference: ClosedSumsJson = required,
    agrees: bool = same,
    cause: Option<RemarkJson> = optional,
});

json_struct!(ClosedSumsJson of ClosedSums {
    quantity: Number = raw_decimal,
    buy_value: Number = raw_decimal,
    sell_value: Number = raw_decimal,
    gross: Number = raw_decimal,
});

/// Comparison of one kind of charge.
#[derive(Serialize)]
pub(crate) struct ReconciledChargeJson {
    charge: &'static str,
    ours: Option<Number>,
    theirs: Option<Number>,
    difference: Option<Number>,
    agrees: bool,
    cause: Option<RemarkJson>,
    lines: Vec<LineJson>,
}

impl TryFrom<wire::ReconciledCharge> for ReconciledChargeJson {
    type Error = JsonError;

    fn try_from(charge: wire::ReconciledCharge) -> Result<Self, JsonError> {
        Ok(Self {
            charge: charge_kind_name(charge.kind())?,
            ours: optional_decimal(charge.ours)?,
            theirs: optional_decimal(charge.theirs)?,
            difference: optional_decimal(charge.difference)?,
            agrees: charge.agrees,
            cause: optional(charge.cause)?,
            lines: each(charge.lines)?,
        })
    }
}

/// Line of the report.
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

json_struct!(RemarkJson of Remark { code: String = same, sentence: String = same });
