//! Conversion of reports and reconciliations.

use std::str::FromStr as _;

use rpc::analytics::v1 as wire;
use rpc::failure::Violation;
use rpc::imports::v1 as imports;
use rpc::trades::v1::Segment;
use rust_decimal::Decimal;

use super::request::parse_day;
use super::response::{to_brokerage_price, to_remark};
use super::values::{format_decimal, format_optional, format_optional_day, to_contract, to_count};
use crate::data_issues::IssueAnswer;
use crate::error::Error;
use crate::reconcile::{
    ChargeKind, ClosedSums, ComparedSum, MAX_ROWS, ReconciledCharge, ReconciledRow, Reconciliation, Repair, Report,
    ReportChargeLine, ReportRow,
};
use crate::trade_log::parse_account;

/// Charge lines of a report.
const MAX_CHARGE_LINES: usize = 200;
/// Lines of one kind of charge in a response.
const MAX_LINES_PER_CHARGE: usize = 50;
/// Characters of a symbol, name, ISIN or label in the report.
pub(super) const MAX_NAME_CHARS: usize = 100;
/// Absolute value of an amount, exclusive. Sums of a year are far smaller; sums of larger amounts could overflow.
const AMOUNT_LIMIT: i64 = 1_000_000_000_000_000_000;

pub fn parse_report(report: Option<imports::ProfitReport>) -> Result<Report, Error> {
    let report = report.ok_or_else(|| invalid_report("REQUIRED"))?;
    let book = report.book.unwrap_or_default();
    let contracts = match book.segment() {
        Segment::Equity => false,
        Segment::Fno => true,
        Segment::Unspecified => return Err(invalid_report("SEGMENT_REQUIRED").into()),
    };
    let account = parse_account(book.broker(), book.broker_account).ok_or_else(|| invalid_report("BROKER_REQUIRED"))?;
    let (from, to) = (parse_day(&report.from, "report.from")?, parse_day(&report.to, "report.to")?);
    if to < from {
        return Err(Violation::new("report.to", "BEFORE_FROM").into());
    }
    if report.rows.len() > MAX_ROWS || report.charges.len() > MAX_CHARGE_LINES {
        let too_large = invalid_report("TOO_LARGE");
        return Err(too_large.with("max_rows", MAX_ROWS).with("max_charges", MAX_CHARGE_LINES).into());
    }
    Ok(Report {
        account,
        contracts,
        from,
        to,
        rows: report.rows.into_iter().map(parse_row).collect::<Result<_, _>>()?,
        charges: report.charges.into_iter().map(parse_charge_line).collect::<Result<_, _>>()?,
        realised: if report.realised.is_empty() { None } else { Some(parse_amount(&report.realised)?) },
        open_positions: report.open_positions.max(0),
        unread_rows: report.error_count.max(0),
    })
}

pub(super) fn invalid_report(reason: &'static str) -> Violation {
    Violation::new("report", reason)
}

/// Parses an amount or quantity, rounded to 6 decimals.
pub(super) fn parse_amount(text: &str) -> Result<Decimal, Error> {
    let number = Decimal::from_str(text).ok().filter(|number| number.abs() < Decimal::from(AMOUNT_LIMIT));
    Ok(number.map(|number| number.round_dp(6).normalize()).ok_or_else(|| invalid_report("AMOUNT_INVALID"))?)
}

fn parse_row(row: imports::ProfitRow) -> Result<ReportRow, Error> {
    let sums = ClosedSums {
        quantity: parse_amount(&row.quantity)?,
        buy_value: parse_amount(&row.buy_value)?,
        sell_value: parse_amount(&row.sell_value)?,
        gross: parse_amount(&row.realised)?,
    };
    let is_too_long = |text: &String| text.chars().count() > MAX_NAME_CHARS;
    if [&row.symbol, &row.name, &row.isin].into_iter().any(is_too_long) || row.symbol.is_empty() && row.name.is_empty()
    {
        return Err(invalid_report("NAME_INVALID").into());
    }
    Ok(ReportRow { symbol: row.symbol, name: row.name, isin: row.isin, sums })
}

fn parse_charge_line(line: imports::ChargeLine) -> Result<ReportChargeLine, Error> {
    let charge = match line.kind() {
        imports::ChargeKind::Brokerage => ChargeKind::Brokerage,
        imports::ChargeKind::Exchange => ChargeKind::Exchange,
        imports::ChargeKind::Clearing => ChargeKind::Clearing,
        imports::ChargeKind::Stt => ChargeKind::Stt,
        imports::ChargeKind::Gst => ChargeKind::Gst,
        imports::ChargeKind::Sebi => ChargeKind::Sebi,
        imports::ChargeKind::StampDuty => ChargeKind::StampDuty,
        imports::ChargeKind::Ipft => ChargeKind::Ipft,
        imports::ChargeKind::Dp => ChargeKind::Dp,
        imports::ChargeKind::Other => ChargeKind::Other,
        imports::ChargeKind::Unspecified => return Err(invalid_report("CHARGE_KIND_REQUIRED").into()),
    };
    Ok(ReportChargeLine {
        charge,
        amount: parse_amount(&line.amount)?,
        label: line.label.chars().take(MAX_NAME_CHARS).collect(),
    })
}

pub fn to_reconcile_response(result: Reconciliation) -> wire::ReconcileResponse {
    wire::ReconcileResponse {
        agrees: result.agrees(),
        buy_value: Some(to_compared_sum(result.buy_value)),
        sell_value: Some(to_compared_sum(result.sell_value)),
        gross: Some(to_compared_sum(result.gross)),
        charge_sum: Some(to_compared_sum(result.charge_sum)),
        net: Some(to_compared_sum(result.net)),
        total_rows: to_count(result.rows.len()),
        rows: result.rows.into_iter().take(MAX_ROWS).map(to_row).collect(),
        differing_rows: to_count(result.differing_rows),
        charges: result.charges.into_iter().map(to_charge).collect(),
        not_compared: result.not_compared.into_iter().map(to_remark).collect(),
    }
}

pub(super) fn to_compared_sum(sum: ComparedSum) -> wire::ComparedSum {
    wire::ComparedSum {
        log: format_decimal(sum.log),
        report: format_decimal(sum.report),
        difference: format_decimal(sum.log - sum.report),
    }
}

fn to_row(row: ReconciledRow) -> wire::ReconciledRow {
    wire::ReconciledRow {
        difference: Some(to_sums(row.difference())),
        agrees: row.cause.is_none(),
        symbol: row.symbol,
        isin: row.isin,
        name: row.name,
        log: row.log.map(to_sums),
        report: row.report.map(to_sums),
        cause: row.cause.map(to_remark),
        contract: row.instrument.as_deref().and_then(to_contract),
        repair: row.repair.map(to_repair),
    }
}

fn to_repair(repair: Repair) -> wire::Repair {
    let IssueAnswer { issue_id, answer, values } = repair.answer;
    wire::Repair {
        answer: Some(wire::IssueAnswer {
            issue_id,
            answer,
            date: String::new(),
            price: format_optional(values.price),
            quantity: format_optional(values.quantity),
        }),
        date_required: repair.latest_day.is_some(),
        latest_date: format_optional_day(repair.latest_day),
    }
}

pub(super) fn to_sums(sums: ClosedSums) -> wire::ClosedSums {
    wire::ClosedSums {
        quantity: format_decimal(sums.quantity),
        buy_value: format_decimal(sums.buy_value),
        sell_value: format_decimal(sums.sell_value),
        gross: format_decimal(sums.gross),
    }
}

fn to_charge(row: ReconciledCharge) -> wire::ReconciledCharge {
    wire::ReconciledCharge {
        kind: to_charge_kind(row.charge).into(),
        log: format_optional(row.log),
        report: format_optional(row.report),
        difference: format_optional(row.log.zip(row.report).map(|(log, report)| log - report)),
        agrees: row.agrees,
        cause: row.cause.map(to_remark),
        lines: row.lines.into_iter().take(MAX_LINES_PER_CHARGE).map(to_charge_line).collect(),
        prices: row.prices.into_iter().map(to_brokerage_price).collect(),
    }
}

fn to_charge_line(line: ReportChargeLine) -> imports::ChargeLine {
    imports::ChargeLine {
        kind: to_charge_kind(line.charge).into(),
        amount: format_decimal(line.amount),
        label: line.label,
    }
}

fn to_charge_kind(charge: ChargeKind) -> imports::ChargeKind {
    match charge {
        ChargeKind::Brokerage => imports::ChargeKind::Brokerage,
        ChargeKind::Exchange => imports::ChargeKind::Exchange,
        ChargeKind::Clearing => imports::ChargeKind::Clearing,
        ChargeKind::Stt => imports::ChargeKind::Stt,
        ChargeKind::Gst => imports::ChargeKind::Gst,
        ChargeKind::Sebi => imports::ChargeKind::Sebi,
        ChargeKind::StampDuty => imports::ChargeKind::StampDuty,
        ChargeKind::Ipft => imports::ChargeKind::Ipft,
        ChargeKind::Dp => imports::ChargeKind::Dp,
        ChargeKind::Other => imports::ChargeKind::Other,
    }
}
