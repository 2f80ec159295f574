//! `POST /analytics/reconcile`: a broker's profit and loss report on its way to what reads it, and what it says from
//! there to what knows the trades.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use rpc::analytics::v1 as wire;
use rpc::imports::v1::{ChargeKind, ChargeLine, ProfitReport};
use serde::Serialize;

use super::answer::{Number, each, json_record, maybe, one, optional, same, text};
use super::{Client, ask};
use crate::Shared;
use crate::auth::Reader;
use crate::form;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::record::{Unwritable, book_words, raw_number};
use crate::trades;
use crate::transfer::Transfer;
use crate::words::Wordless;

/// `POST /analytics/reconcile`
pub(super) async fn reconcile(
    State(app): State<Shared>,
    Reader(trader): Reader,
    request: Request,
) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let parts = Parts::of(&app, request, form::too_large).await?;
    let mut transfer = Transfer::report(&app, &trader.context);
    form::read_file(parts, &mut transfer).await?;
    let report = transfer.finish(None).await?.report.unwrap_or_default();
    let question = wire::ReconcileRequest { report: Some(report.clone()) };
    let rpc = |mut core: Client, question| async move { core.reconcile(question).await };
    let found = ask(&app, &trader, question, rpc).await?;
    let body = serde_json::to_vec(&Reconciliation::of(report, found)?).map_err(Unwritable::from)?;
    Ok(trades::json(body.into()))
}

/// A report beside the trades.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reconciliation {
    format: String,
    format_title: String,
    title: String,
    broker: &'static str,
    tradetype: &'static str,
    from: String,
    to: String,
    agrees: bool,
    totals: Totals,
    rows: Vec<ReconciledRow>,
    row_total: i64,
    differing: i64,
    charges: Vec<ReconciledCharge>,
    not_compared: Vec<Remark>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Totals {
    buy_value: ComparedSum,
    sell_value: ComparedSum,
    gross: ComparedSum,
    charges: ComparedSum,
    net: ComparedSum,
}

impl Reconciliation {
    fn of(report: ProfitReport, found: wire::ReconcileResponse) -> Result<Self, Unwritable> {
        let (broker, tradetype) = book_words(&report.book.unwrap_or_default())?;
        Ok(Self {
            format: report.format,
            format_title: report.format_title,
            title: report.title,
            broker,
            tradetype,
            from: report.from,
            to: report.to,
            agrees: found.agrees,
            totals: Totals {
                buy_value: one(found.buy_value)?,
                sell_value: one(found.sell_value)?,
                gross: one(found.gross)?,
                charges: one(found.charges)?,
                net: one(found.net)?,
            },
            rows: each(found.rows)?,
            row_total: found.row_total,
            differing: found.differing,
            charges: each(found.charge_rows)?,
            not_compared: each(found.not_compared)?,
        })
    }
}

json_record!(ComparedSum of ComparedSum { ours: Number = raw_number, theirs: Number = raw_number, difference: Number = raw_number });

json_record!(ReconciledRow of ReconciledRow {
    symbol: Option<String> = text,
    isin: Option<String> = text,
    name: Option<String> = text,
    ours: Option<ClosedSums> = maybe,
    theirs: Option<ClosedSums> = maybe,
    difference: ClosedSums = one,
    agrees: bool = same,
    cause: Option<Remark> = maybe,
});

json_record!(ClosedSums of ClosedSums {
    quantity: Number = raw_number,
    buy_value: Number = raw_number,
    sell_value: Number = raw_number,
    gross: Number = raw_number,
});

/// Ours and theirs of one charge.
#[derive(Serialize)]
pub(crate) struct ReconciledCharge {
    charge: &'static str,
    ours: Option<Number>,
    theirs: Option<Number>,
    difference: Option<Number>,
    agrees: bool,
    cause: Option<Remark>,
    lines: Vec<Line>,
}

impl TryFrom<wire::ReconciledCharge> for ReconciledCharge {
    type Error = Unwritable;

    fn try_from(charge: wire::ReconciledCharge) -> Result<Self, Unwritable> {
        Ok(Self {
            charge: of_charge(charge.kind())?,
            ours: optional(charge.ours)?,
            theirs: optional(charge.theirs)?,
            difference: optional(charge.difference)?,
            agrees: charge.agrees,
            cause: maybe(charge.cause)?,
            lines: each(charge.lines)?,
        })
    }
}

/// A line of the report.
#[derive(Serialize)]
pub(super) struct Line {
    label: String,
    amount: Number,
}

impl TryFrom<ChargeLine> for Line {
    type Error = Unwritable;

    fn try_from(line: ChargeLine) -> Result<Self, Unwritable> {
        Ok(Self { label: line.label, amount: raw_number(line.amount)? })
    }
}

json_record!(Remark of Remark { code: String = same, sentence: String = same });

pub(super) fn of_charge(kind: ChargeKind) -> Result<&'static str, Wordless> {
    match kind {
        ChargeKind::Brokerage => Ok("brokerage"),
        ChargeKind::Exchange => Ok("exchange"),
        ChargeKind::Clearing => Ok("clearing"),
        ChargeKind::Stt => Ok("stt"),
        ChargeKind::Gst => Ok("gst"),
        ChargeKind::Sebi => Ok("sebi"),
        ChargeKind::StampDuty => Ok("stampDuty"),
        ChargeKind::Ipft => Ok("ipft"),
        ChargeKind::Dp => Ok("dp"),
        ChargeKind::Other => Ok("other"),
        ChargeKind::Unspecified => Err(Wordless("a kind of charge")),
    }
}
