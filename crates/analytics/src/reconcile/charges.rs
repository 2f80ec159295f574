//! Charges: the estimate for the trades of the period compared with the lines of the report.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use time::Date;

use super::report::{ChargeKind, Report, ReportChargeLine};
use super::sums::{ComparedSum, PAISA};
use crate::analysis::Analysis;
use crate::brokerage_plan::OrderPrice;
use crate::charges::{Charges, levy_rate};
use crate::exchange::Exchange;
use crate::fill::{Broker, OrderKey, Source, TradeKind};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::remark::Remark;

/// Comparison of one kind of charge.
#[derive(Debug, PartialEq, Eq)]
pub struct ReconciledCharge {
    pub charge: ChargeKind,
    /// Our estimate; none if we do not estimate this kind.
    pub log: Option<Decimal>,
    /// Sum of the report's lines; none if it has no line of this kind.
    pub report: Option<Decimal>,
    /// True if both amounts agree, or if one of them is absent.
    pub agrees: bool,
    pub cause: Option<Remark>,
    /// Prices of an order by which the brokerage would agree; empty if there are none.
    pub prices: Vec<OrderPrice>,
    /// Lines of the report.
    pub lines: Vec<ReportChargeLine>,
}

/// Compares the charges that at least one side has. `same_trades` is true if both sides closed the same quantities.
pub fn reconcile_charges(analysis: &Analysis, report: &Report, same_trades: bool) -> Vec<ReconciledCharge> {
    let details = analysis.ledgers().flat_map(InstrumentLedger::lot_details);
    let mut period = Estimate::default();
    details.filter(|detail| report.covers_fill(detail.fill)).for_each(|detail| period.add(analysis, report, &detail));
    let mut closed = Estimate::default();
    for closed_trade in report.closed_trades(analysis) {
        let Some(ledger) = analysis.ledger(closed_trade) else { continue };
        let lot_matches = ledger.lot_matches(&closed_trade.lot_matches).iter();
        let ranges = lot_matches.flat_map(|lot_match| [&lot_match.entry, &lot_match.exit]);
        let details = ranges.filter_map(|range| ledger.range_detail(range));
        details.for_each(|detail| closed.add(analysis, report, &detail));
    }
    let report_lines = |charge| {
        let lines = report.charges.iter().filter(|line| line.charge == charge).cloned();
        let lines: Vec<ReportChargeLine> = lines.collect();
        ((!lines.is_empty()).then(|| lines.iter().map(|line| line.amount).sum()), lines)
    };
    let report_sums = ChargeKind::ALL.map(|charge| (charge, report_lines(charge).0)).into();
    let comparison = Comparison { period, closed, report_sums, same_trades };
    let row = |charge| {
        let (log, (report, lines)) = (comparison.log_amount(charge), report_lines(charge));
        let is_empty = log.is_none_or(|log| log.is_zero()) && report.is_none();
        let agrees = log.zip(report).is_none_or(|(log, report)| (log - report).abs() <= PAISA);
        let cause = comparison.cause(charge, agrees);
        (!is_empty).then_some(ReconciledCharge { charge, log, report, agrees, cause, prices: Vec::new(), lines })
    };
    ChargeKind::ALL.into_iter().filter_map(row).collect()
}

/// Estimated charges of some trades, with facts that may explain differences.
#[derive(Default)]
struct Estimate<'a> {
    charges: Charges,
    /// Days of trading, each with one contract note.
    note_days: BTreeSet<Date>,
    orders: BTreeSet<OrderKey<'a>>,
    /// Number of BSE trades other than futures.
    bse_trades: usize,
    /// Number of lots with missing charge rates.
    rates_missing: usize,
    gst_percent: Decimal,
}

impl<'a> Estimate<'a> {
    fn add(&mut self, analysis: &Analysis, report: &Report, detail: &RangeDetail<'a>) {
        let fill = detail.fill;
        let mut charges = detail.charges;
        if let Some(rate) = levy_rate(&analysis.rates.gst, fill, detail.lot.kind) {
            self.gst_percent = rate.percent;
            // Zerodha lists depository charges including GST.
            if report.account.broker == Broker::Zerodha {
                let gst = rate.amount_on(charges.dp).min(charges.gst);
                charges.dp += gst;
                charges.gst -= gst;
            }
        }
        self.charges.add(&charges);
        self.note_days.insert(fill.day);
        self.rates_missing += usize::from(detail.rates_missing);
        if fill.source == Source::Trade {
            let is_bse = fill.exchange == Exchange::Bse && detail.lot.kind != TradeKind::Futures;
            self.bse_trades += usize::from(is_bse);
            self.orders.insert(fill.order_key());
        }
    }

    /// Returns the amount of a kind; none if we do not estimate it.
    fn amount(&self, charge: ChargeKind) -> Option<Decimal> {
        let charges = &self.charges;
        Some(match charge {
            ChargeKind::Brokerage => charges.brokerage,
            ChargeKind::Exchange => charges.exchange,
            ChargeKind::Stt => charges.stt,
            ChargeKind::Gst => charges.gst,
            ChargeKind::Sebi => charges.sebi,
            ChargeKind::StampDuty => charges.stamp_duty,
            ChargeKind::Ipft => charges.ipft,
            ChargeKind::Dp => charges.dp,
            ChargeKind::Clearing | ChargeKind::Other => return None,
        })
    }
}

/// Charges of both sides.
struct Comparison<'a> {
    /// Estimate for all trades of the period.
    period: Estimate<'a>,
    /// Estimate for the closed trades of the period only.
    closed: Estimate<'a>,
    report_sums: Vec<(ChargeKind, Option<Decimal>)>,
    same_trades: bool,
}

impl Comparison<'_> {
    fn log_amount(&self, charge: ChargeKind) -> Option<Decimal> {
        self.period.amount(charge)
    }

    fn report_amount(&self, charge: ChargeKind) -> Option<Decimal> {
        self.report_sums.iter().find(|(other, _)| *other == charge).and_then(|(_, sum)| *sum)
    }

    /// Returns both sums; an absent one counts as 0.
    fn both(&self, charge: ChargeKind) -> ComparedSum {
        ComparedSum {
            log: self.log_amount(charge).unwrap_or_default(),
            report: self.report_amount(charge).unwrap_or_default(),
        }
    }

    fn difference(&self, charge: ChargeKind) -> Decimal {
        let ComparedSum { log, report } = self.both(charge);
        log - report
    }

    /// Returns the maximum difference from rounding: ₹1 per contract note for STT and stamp duty, otherwise one paisa.
    fn rounding_tolerance(&self, charge: ChargeKind) -> Decimal {
        let notes = Decimal::from(self.period.note_days.len());
        match charge {
            ChargeKind::Stt | ChargeKind::StampDuty => notes,
            // A note has up to three lines of GST.
            ChargeKind::Gst => notes * PAISA * Decimal::from(3),
            _ => notes * PAISA,
        }
    }

    /// Returns the cause of a difference, or the reason why one side has no amount.
    fn cause(&self, charge: ChargeKind, agrees: bool) -> Option<Remark> {
        match (self.log_amount(charge), self.report_amount(charge)) {
            (None, Some(report)) if !report.is_zero() => {
                Some(Remark::new("not_estimated").with("charge", charge.code()))
            }
            (Some(log), None) if !log.is_zero() => Some(self.not_listed(charge, log)),
            _ if agrees => None,
            _ => Some(self.find_cause(charge).unwrap_or_else(Remark::unknown_cause)),
        }
    }

    /// Returns the reason why the report does not list the amount of the log.
    fn not_listed(&self, charge: ChargeKind, log: Decimal) -> Remark {
        let exchange = self.both(ChargeKind::Exchange);
        if charge == ChargeKind::Ipft
            && (exchange.report - exchange.log - log).abs() <= self.rounding_tolerance(ChargeKind::Exchange)
        {
            return Remark::new("ipft_included").with("charge", charge.code());
        }
        let case = if charge == ChargeKind::Dp { "debits" } else { "charge" };
        Remark::new("not_listed").with("case", case).with("charge", charge.code())
    }

    /// Returns the cause for which there is evidence.
    fn find_cause(&self, charge: ChargeKind) -> Option<Remark> {
        let difference = self.difference(charge);
        if difference.abs() <= self.rounding_tolerance(charge) {
            return Some(Remark::new("rounding").with("notes", self.period.note_days.len()));
        }
        if let Some(remark) = self.different_grouping(charge) {
            return Some(remark);
        }
        if !self.same_trades {
            return Some(Remark::new("rows_differ"));
        }
        let closed_difference = self.closed.amount(charge).unwrap_or_default() - self.both(charge).report;
        if closed_difference.abs() <= self.rounding_tolerance(charge) {
            return Some(Remark::new("closed_only"));
        }
        if charge == ChargeKind::Gst && self.is_gst_on_differences() {
            return Some(Remark::new("gst_on_differences"));
        }
        if self.period.rates_missing > 0 {
            return Some(Remark::new("rates_unknown").with("count", self.period.rates_missing));
        }
        match charge {
            ChargeKind::Brokerage => self.brokerage_cause(),
            ChargeKind::Exchange if self.period.bse_trades > 0 => {
                Some(Remark::new("exchange_rates").with("count", self.period.bse_trades))
            }
            _ => None,
        }
    }

    /// Returns a remark if one side includes in its exchange charges what the other lists separately.
    fn different_grouping(&self, charge: ChargeKind) -> Option<Remark> {
        if charge != ChargeKind::Exchange {
            return None;
        }
        let (difference, tolerance) = (self.difference(charge), self.rounding_tolerance(charge));
        let (ipft, clearing) = (self.both(ChargeKind::Ipft), self.both(ChargeKind::Clearing).report);
        if ipft.report.is_zero() && !ipft.log.is_zero() && (difference + ipft.log).abs() <= tolerance {
            return Some(Remark::new("ipft_included").with("charge", charge.code()));
        }
        (!clearing.is_zero() && (difference - clearing).abs() <= tolerance).then(|| Remark::new("clearing_included"))
    }

    /// Returns whether GST differs only by the GST on the differences of the other charges.
    fn is_gst_on_differences(&self) -> bool {
        let taxable = [ChargeKind::Brokerage, ChargeKind::Exchange, ChargeKind::Sebi, ChargeKind::Ipft];
        let taxable: Decimal = taxable.into_iter().map(|charge| self.difference(charge)).sum();
        let taxable = taxable - self.both(ChargeKind::Clearing).report;
        let gst = taxable * self.period.gst_percent / Decimal::ONE_HUNDRED;
        (self.difference(ChargeKind::Gst) - gst).abs() <= self.rounding_tolerance(ChargeKind::Gst)
    }

    /// Returns the cause of a difference in brokerage: orders without numbers, or another brokerage plan.
    fn brokerage_cause(&self) -> Option<Remark> {
        let ComparedSum { log, report } = self.both(ChargeKind::Brokerage);
        let without_order_id = self.period.orders.iter().filter(|(_, _, order_id, _, _)| order_id.is_none()).count();
        if without_order_id > 0 {
            return Some(Remark::new("orders_unknown").with("count", without_order_id));
        }
        // STT depends only on the values of the trades, so equal STT means equal trades.
        let same_stt = self.report_amount(ChargeKind::Stt).is_some()
            && self.difference(ChargeKind::Stt).abs() <= self.rounding_tolerance(ChargeKind::Stt);
        let orders = self.period.orders.len();
        let average = |sum: Decimal| sum.checked_div(orders.into()).unwrap_or_default();
        let remark = Remark::new("plan").with("count", orders);
        same_stt.then(|| remark.with_amount("log", average(log)).with_amount("report", average(report)))
    }
}
