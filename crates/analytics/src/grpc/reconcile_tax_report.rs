//! Conversion of tax reports and their comparisons.

use rpc::analytics::v1 as wire;
use rpc::failure::Violation;
use rpc::imports::v1 as imports;
use rpc::imports::v1::TaxReportHead;

use super::reconcile::{MAX_NAME_CHARS, invalid_report, parse_amount, to_compared_sum, to_sums};
use super::request::parse_day;
use super::response::to_remark;
use super::values::{to_contract, to_count};
use crate::error::Error;
use crate::reconcile::{
    ClosedSums, MAX_LINES, MAX_REPORT_LINES, ReconciledHead, ReconciledLine, ReportHead, ReportLine, TaxReconciliation,
    TaxReport,
};
use crate::trade_log::parse_account;

/// Listed sections that were not read.
const MAX_SKIPPED_SECTIONS: usize = 20;
/// Rows that were added up to one line; no file has more.
const MAX_ROWS_OF_LINE: i64 = 500_000;

pub fn parse_tax_report(report: Option<imports::TaxReport>) -> Result<TaxReport, Error> {
    let report = report.ok_or_else(|| invalid_report("REQUIRED"))?;
    let account = parse_account(report.broker(), 0).ok_or_else(|| invalid_report("BROKER_REQUIRED"))?;
    let (from, to) = (parse_day(&report.from, "report.from")?, parse_day(&report.to, "report.to")?);
    if to < from {
        return Err(Violation::new("report.to", "BEFORE_FROM").into());
    }
    if report.lines.len() > MAX_REPORT_LINES || report.skipped_sections.len() > MAX_SKIPPED_SECTIONS {
        return Err(invalid_report("TOO_MANY_LINES").with("max", MAX_REPORT_LINES).into());
    }
    let sections = report.sections().map(parse_head).collect::<Result<_, Error>>()?;
    let skipped = report.skipped_sections.into_iter();
    let shorten = |title: String| title.chars().take(MAX_NAME_CHARS).collect();
    Ok(TaxReport {
        account,
        from,
        to,
        sections,
        lines: report.lines.into_iter().map(parse_line).collect::<Result<_, _>>()?,
        skipped_sections: skipped.map(|section| (shorten(section.title), section.rows.max(0))).collect(),
        unread_rows: report.error_count.max(0),
        is_unverified: report.unverified,
    })
}

fn parse_head(head: TaxReportHead) -> Result<ReportHead, Error> {
    Ok(match head {
        TaxReportHead::Intraday => ReportHead::Intraday,
        TaxReportHead::ShortTerm => ReportHead::ShortTerm,
        TaxReportHead::LongTerm => ReportHead::LongTerm,
        TaxReportHead::Buyback => ReportHead::Buyback,
        TaxReportHead::OtherSecurities => ReportHead::OtherSecurities,
        TaxReportHead::Fno => ReportHead::Fno,
        TaxReportHead::Unspecified => return Err(invalid_report("HEAD_REQUIRED").into()),
    })
}

fn parse_line(line: imports::TaxReportLine) -> Result<ReportLine, Error> {
    let (buy_value, sell_value) = (parse_amount(&line.buy_value)?, parse_amount(&line.sell_value)?);
    let is_too_long = |text: &String| text.chars().count() > MAX_NAME_CHARS;
    let has_name = !line.symbol.is_empty() || !line.name.is_empty();
    if !has_name || [&line.symbol, &line.name, &line.isin].into_iter().any(is_too_long) {
        return Err(invalid_report("NAME_INVALID").into());
    }
    Ok(ReportLine {
        head: parse_head(line.head())?,
        entry_day: parse_day(&line.entry_day, "report.lines.entry_day")?,
        exit_day: parse_day(&line.exit_day, "report.lines.exit_day")?,
        rows: line.rows.clamp(1, MAX_ROWS_OF_LINE),
        sums: ClosedSums {
            quantity: parse_amount(&line.quantity)?,
            buy_value,
            sell_value,
            gross: sell_value - buy_value,
        },
        profit: parse_amount(&line.profit)?,
        symbol: line.symbol,
        name: line.name,
        isin: line.isin,
    })
}

pub fn to_response(result: TaxReconciliation) -> wire::ReconcileTaxReportResponse {
    wire::ReconcileTaxReportResponse {
        agrees: result.differing_lines == 0,
        heads: result.heads.into_iter().map(to_reconciled_head).collect(),
        total_lines: to_count(result.lines.len()),
        lines: result.lines.into_iter().take(MAX_LINES).map(to_line).collect(),
        differing_lines: to_count(result.differing_lines),
        not_compared: result.not_compared.into_iter().map(to_remark).collect(),
    }
}

fn to_head(head: ReportHead) -> TaxReportHead {
    match head {
        ReportHead::Intraday => TaxReportHead::Intraday,
        ReportHead::ShortTerm => TaxReportHead::ShortTerm,
        ReportHead::LongTerm => TaxReportHead::LongTerm,
        ReportHead::Buyback => TaxReportHead::Buyback,
        ReportHead::OtherSecurities => TaxReportHead::OtherSecurities,
        ReportHead::Fno => TaxReportHead::Fno,
    }
}

fn to_reconciled_head(head: ReconciledHead) -> wire::ReconciledHead {
    wire::ReconciledHead {
        head: to_head(head.head).into(),
        buy_value: Some(to_compared_sum(head.buy_value)),
        sell_value: Some(to_compared_sum(head.sell_value)),
        gross: Some(to_compared_sum(head.gross)),
    }
}

fn to_line(line: ReconciledLine) -> wire::ReconciledLine {
    let to_side = |(head, sums)| wire::LineSums { head: to_head(head).into(), sums: Some(to_sums(sums)) };
    wire::ReconciledLine {
        difference: Some(to_sums(line.difference())),
        agrees: line.cause.is_none(),
        symbol: line.symbol,
        isin: line.isin,
        name: line.name,
        entry_day: line.entry_day.to_string(),
        exit_day: line.exit_day.to_string(),
        log: line.log.map(to_side),
        report: line.report.map(to_side),
        cause: line.cause.map(to_remark),
        contract: line.instrument.as_deref().and_then(to_contract),
    }
}
