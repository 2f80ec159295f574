//! What a broker's profit and loss report holds, as a terminal tells it in JSON.

use rpc::imports::v1::{ProfitReport, ProfitRow};
use serde::Serialize;

use super::answer::{Number, each, optional, text};
use super::reconcile::{Line, of_charge};
use crate::findings::{Rejected, finding};
use crate::record::{Unwritable, book_words, raw_number};

/// The report as JSON; `None` where it cannot be written so.
pub fn profit_report(report: ProfitReport) -> Option<String> {
    Report::try_from(report).ok().and_then(|report| serde_json::to_string(&report).ok())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    format: String,
    format_title: String,
    title: String,
    broker: &'static str,
    tradetype: &'static str,
    from: String,
    to: String,
    rows: Vec<Row>,
    charges: Vec<Charge>,
    /// The report's own sum of results.
    realised: Option<Number>,
    open_positions: i64,
    rejected: Vec<Rejected>,
    rejected_total: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    symbol: Option<String>,
    name: Option<String>,
    isin: Option<String>,
    quantity: Number,
    buy_value: Number,
    sell_value: Number,
    gross: Number,
}

#[derive(Serialize)]
struct Charge {
    charge: &'static str,
    #[serde(flatten)]
    line: Line,
}

impl TryFrom<ProfitReport> for Report {
    type Error = Unwritable;

    fn try_from(report: ProfitReport) -> Result<Self, Unwritable> {
        let (broker, tradetype) = book_words(&report.book.unwrap_or_default())?;
        let charge = |line: rpc::imports::v1::ChargeLine| {
            Ok(Charge { charge: of_charge(line.kind())?, line: Line::try_from(line)? })
        };
        Ok(Self {
            format: report.format,
            format_title: report.format_title,
            title: report.title,
            broker,
            tradetype,
            from: report.from,
            to: report.to,
            rows: each(report.rows)?,
            charges: report.charges.into_iter().map(charge).collect::<Result<_, Unwritable>>()?,
            realised: optional(report.realised)?,
            open_positions: report.open_positions,
            rejected: report.problems.into_iter().map(|row| finding(row).into()).collect(),
            rejected_total: report.problem_count,
        })
    }
}

impl TryFrom<ProfitRow> for Row {
    type Error = Unwritable;

    fn try_from(row: ProfitRow) -> Result<Self, Unwritable> {
        Ok(Self {
            symbol: text(row.symbol)?,
            name: text(row.name)?,
            isin: text(row.isin)?,
            quantity: raw_number(row.quantity)?,
            buy_value: raw_number(row.buy_value)?,
            sell_value: raw_number(row.sell_value)?,
            gross: raw_number(row.realised)?,
        })
    }
}
