//! A report from the wire, and what comes of it to the wire.

use std::str::FromStr as _;

use rpc::analytics::v1 as wire;
use rpc::imports::v1::{ChargeKind, ChargeLine, ProfitReport};
use rpc::trades::v1::Segment;
use rust_decimal::Decimal;

use super::read::read_day;
use super::render::{count, text};
use crate::error::Error;
use crate::log::read_broker;
use crate::reconcile::{Charge, ChargeRow, Compared, Line, MOST_ROWS, Reconciliation, Remark, Report, Row, Sums, Told};

const MOST_CHARGES: usize = 200;
/// Lines of one charge that are told.
const LINES: usize = 50;
const LONGEST_TEXT: usize = 400;

pub fn read_report(report: Option<ProfitReport>) -> Result<Report, Error> {
    let report = report.ok_or_else(|| wrong("There is no report."))?;
    let book = report.book.unwrap_or_default();
    let contracts = match book.segment() {
        Segment::Equity => false,
        Segment::Fno => true,
        Segment::Unspecified => return Err(wrong("Say the report's segment.")),
    };
    let broker = read_broker(book.broker()).ok_or_else(|| wrong("Say the report's broker."))?;
    let (from, to) = (read_day(&report.from, "from")?, read_day(&report.to, "to")?);
    if to < from {
        return Err(Error::field("to", "The last day is before the first."));
    }
    if report.rows.len() > MOST_ROWS || report.charges.len() > MOST_CHARGES {
        return Err(wrong("A report has at most 5,000 rows and 200 charges."));
    }
    let first_unread = report.problems.first().map(|problem| format!("Row {}: {}", problem.row, problem.message));
    Ok(Report {
        broker,
        contracts,
        from,
        to,
        rows: report.rows.into_iter().map(read_row).collect::<Result<_, _>>()?,
        charges: report.charges.into_iter().map(read_line).collect::<Result<_, _>>()?,
        realised: if report.realised.is_empty() { None } else { Some(amount(&report.realised)?) },
        open_positions: report.open_positions.max(0),
        unread_rows: report.problem_count.max(0),
        first_unread: first_unread.unwrap_or_default().chars().take(LONGEST_TEXT).collect(),
    })
}

fn wrong(message: &str) -> Error {
    Error::field("report", message)
}

/// Far above every sum of a year, and far below what would not add up.
fn amount(text: &str) -> Result<Decimal, Error> {
    let number =
        Decimal::from_str(text).ok().filter(|number| number.abs() < Decimal::from(1_000_000_000_000_000_000_i64));
    number.map(|number| number.round_dp(6).normalize()).ok_or_else(|| wrong("An amount of the report is none."))
}

fn read_row(row: rpc::imports::v1::ProfitRow) -> Result<Told, Error> {
    let sums = Sums {
        quantity: amount(&row.quantity)?,
        buy_value: amount(&row.buy_value)?,
        sell_value: amount(&row.sell_value)?,
        gross: amount(&row.realised)?,
    };
    let is_long = |text: &String| text.chars().count() > 100;
    if [&row.symbol, &row.name, &row.isin].into_iter().any(is_long) || row.symbol.is_empty() && row.name.is_empty() {
        return Err(wrong("A row of the report has no name."));
    }
    Ok(Told { symbol: row.symbol, name: row.name, isin: row.isin, sums })
}

fn read_line(line: ChargeLine) -> Result<Line, Error> {
    let charge = match line.kind() {
        ChargeKind::Brokerage => Charge::Brokerage,
        ChargeKind::Exchange => Charge::Exchange,
        ChargeKind::Clearing => Charge::Clearing,
        ChargeKind::Stt => Charge::Stt,
        ChargeKind::Gst => Charge::Gst,
        ChargeKind::Sebi => Charge::Sebi,
        ChargeKind::StampDuty => Charge::StampDuty,
        ChargeKind::Ipft => Charge::Ipft,
        ChargeKind::Dp => Charge::Dp,
        ChargeKind::Other => Charge::Other,
        ChargeKind::Unspecified => return Err(wrong("A charge of the report is none.")),
    };
    Ok(Line { charge, amount: amount(&line.amount)?, label: line.label.chars().take(100).collect() })
}

pub fn reconciliation(found: Reconciliation) -> wire::ReconcileResponse {
    wire::ReconcileResponse {
        agrees: found.agrees(),
        buy_value: Some(compared(found.buy_value)),
        sell_value: Some(compared(found.sell_value)),
        gross: Some(compared(found.gross)),
        charges: Some(compared(found.charge_sum)),
        net: Some(compared(found.net)),
        row_total: count(found.rows.len()),
        rows: found.rows.into_iter().take(MOST_ROWS).map(row).collect(),
        differing: count(found.differing),
        charge_rows: found.charges.into_iter().map(charge_row).collect(),
        not_compared: found.not_compared.into_iter().map(remark).collect(),
    }
}

fn compared(sum: Compared) -> wire::ComparedSum {
    wire::ComparedSum { ours: text(sum.ours), theirs: text(sum.theirs), difference: text(sum.ours - sum.theirs) }
}

fn row(row: Row) -> wire::ReconciledRow {
    wire::ReconciledRow {
        difference: Some(sums(row.difference())),
        agrees: row.cause.is_none(),
        symbol: row.symbol,
        isin: row.isin,
        name: row.name,
        ours: row.ours.map(sums),
        theirs: row.theirs.map(sums),
        cause: row.cause.map(remark),
    }
}

fn sums(sums: Sums) -> wire::ClosedSums {
    wire::ClosedSums {
        quantity: text(sums.quantity),
        buy_value: text(sums.buy_value),
        sell_value: text(sums.sell_value),
        gross: text(sums.gross),
    }
}

fn charge_row(row: ChargeRow) -> wire::ReconciledCharge {
    let optional = |amount: Option<Decimal>| amount.map(text).unwrap_or_default();
    wire::ReconciledCharge {
        kind: kind(row.charge).into(),
        ours: optional(row.ours),
        theirs: optional(row.theirs),
        difference: optional(row.ours.zip(row.theirs).map(|(ours, theirs)| ours - theirs)),
        agrees: row.agrees,
        cause: row.cause.map(remark),
        lines: row.lines.into_iter().take(LINES).map(line).collect(),
    }
}

fn line(line: Line) -> ChargeLine {
    ChargeLine { kind: kind(line.charge).into(), amount: text(line.amount), label: line.label }
}

fn kind(charge: Charge) -> ChargeKind {
    match charge {
        Charge::Brokerage => ChargeKind::Brokerage,
        Charge::Exchange => ChargeKind::Exchange,
        Charge::Clearing => ChargeKind::Clearing,
        Charge::Stt => ChargeKind::Stt,
        Charge::Gst => ChargeKind::Gst,
        Charge::Sebi => ChargeKind::Sebi,
        Charge::StampDuty => ChargeKind::StampDuty,
        Charge::Ipft => ChargeKind::Ipft,
        Charge::Dp => ChargeKind::Dp,
        Charge::Other => ChargeKind::Other,
    }
}

fn remark(remark: Remark) -> wire::Remark {
    wire::Remark { code: remark.code.to_owned(), sentence: remark.sentence }
}
