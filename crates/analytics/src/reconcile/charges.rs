//! Charges: the estimate for the trades of the period against the report's lines.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use time::Date;

use super::{Compared, Line, PAISA, Remark, Report, rupees};
use crate::analysis::Analysis;
use crate::charges::{Charges, levied};
use crate::fill::{Broker, Exchange, Order, Source};
use crate::group::{Group, Origin};
use crate::tariff::Kind;

/// What a line of charges is for, in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Charge {
    Brokerage,
    Exchange,
    Clearing,
    Stt,
    /// Of the centre, the state, or both.
    Gst,
    Sebi,
    StampDuty,
    Ipft,
    Dp,
    /// What is no charge of trading.
    Other,
}

const ALL: [Charge; 10] = [
    Charge::Brokerage,
    Charge::Exchange,
    Charge::Clearing,
    Charge::Stt,
    Charge::Gst,
    Charge::Sebi,
    Charge::StampDuty,
    Charge::Ipft,
    Charge::Dp,
    Charge::Other,
];

impl Charge {
    /// As a sentence names it.
    fn name(self) -> &'static str {
        match self {
            Self::Brokerage => "brokerage",
            Self::Exchange => "exchange charges",
            Self::Clearing => "clearing charges",
            Self::Stt => "STT",
            Self::Gst => "GST",
            Self::Sebi => "SEBI fees",
            Self::StampDuty => "stamp duty",
            Self::Ipft => "IPFT",
            Self::Dp => "depository charges",
            Self::Other => "other debits and credits",
        }
    }
}

/// One charge.
#[derive(Debug, PartialEq, Eq)]
pub struct ChargeRow {
    pub charge: Charge,
    pub ours: Option<Decimal>,
    pub theirs: Option<Decimal>,
    /// They do, or there is nothing to compare.
    pub agrees: bool,
    pub cause: Option<Remark>,
    /// What theirs adds up.
    pub lines: Vec<Line>,
}

/// All that at least one side has.
pub fn rows(analysis: &Analysis, report: &Report, same_trades: bool) -> Vec<ChargeRow> {
    let traded = analysis.groups().flat_map(Group::origins).filter(|origin| report.is_traded(origin.fill));
    let mut period = Estimate::default();
    traded.for_each(|origin| period.add(analysis, report, &origin));
    let mut closed = Estimate::default();
    for closed_trade in report.closed_trades(analysis) {
        let Some(group) = analysis.group(closed_trade) else { continue };
        let slices = group.pieces(&closed_trade.pieces).iter().flat_map(|piece| [&piece.entry, &piece.exit]);
        slices.filter_map(|slice| group.origin(slice)).for_each(|origin| closed.add(analysis, report, &origin));
    }
    let theirs = |charge| {
        let lines: Vec<Line> = report.charges.iter().filter(|line| line.charge == charge).cloned().collect();
        ((!lines.is_empty()).then(|| lines.iter().map(|line| line.amount).sum()), lines)
    };
    let sides = Sides { period, closed, theirs: ALL.map(|charge| (charge, theirs(charge).0)).into(), same_trades };
    let row = |charge| {
        let (ours, (theirs, lines)) = (sides.ours(charge), theirs(charge));
        let nothing = ours.is_none_or(|ours| ours.is_zero()) && theirs.is_none();
        let agrees = ours.zip(theirs).is_none_or(|(ours, theirs)| (ours - theirs).abs() <= PAISA);
        let cause = sides.cause(charge, agrees);
        (!nothing).then_some(ChargeRow { charge, ours, theirs, agrees, cause, lines })
    };
    ALL.into_iter().filter_map(row).collect()
}

/// What some trades are estimated to have cost.
#[derive(Default)]
struct Estimate<'a> {
    charges: Charges,
    /// One for each day: a contract note.
    notes: BTreeSet<Date>,
    orders: BTreeSet<Order<'a>>,
    of_bse: usize,
    unknown: usize,
    gst_percent: Decimal,
}

impl<'a> Estimate<'a> {
    fn add(&mut self, analysis: &Analysis, report: &Report, origin: &Origin<'a>) {
        let fill = origin.fill;
        let mut charges = origin.charges;
        if let Some(rate) = levied(&analysis.tariff.gst, fill, origin.part.kind) {
            self.gst_percent = rate.percent;
            // Zerodha lists the charges of the depository with their tax in them.
            if report.broker == Broker::Zerodha {
                let tax = rate.of(charges.dp).min(charges.gst);
                charges.dp += tax;
                charges.gst -= tax;
            }
        }
        self.charges.add(&charges);
        self.notes.insert(fill.day);
        self.unknown += usize::from(origin.uncharged);
        if fill.source == Source::Trade {
            let of_bse = fill.exchange == Exchange::Bse && origin.part.kind != Kind::Futures;
            self.of_bse += usize::from(of_bse);
            self.orders.insert(fill.executed_order());
        }
    }

    fn of(&self, charge: Charge) -> Option<Decimal> {
        let charges = &self.charges;
        Some(match charge {
            Charge::Brokerage => charges.brokerage,
            Charge::Exchange => charges.exchange,
            Charge::Stt => charges.stt,
            Charge::Gst => charges.gst,
            Charge::Sebi => charges.sebi,
            Charge::StampDuty => charges.stamp_duty,
            Charge::Ipft => charges.ipft,
            Charge::Dp => charges.dp,
            Charge::Clearing | Charge::Other => return None,
        })
    }
}

/// Both sides of all charges.
struct Sides<'a> {
    period: Estimate<'a>,
    closed: Estimate<'a>,
    theirs: Vec<(Charge, Option<Decimal>)>,
    same_trades: bool,
}

impl Sides<'_> {
    fn ours(&self, charge: Charge) -> Option<Decimal> {
        self.period.of(charge)
    }

    fn theirs(&self, charge: Charge) -> Option<Decimal> {
        self.theirs.iter().find(|(of, _)| *of == charge).and_then(|(_, theirs)| *theirs)
    }

    /// What is absent is 0.
    fn both(&self, charge: Charge) -> Compared {
        Compared { ours: self.ours(charge).unwrap_or_default(), theirs: self.theirs(charge).unwrap_or_default() }
    }

    fn difference(&self, charge: Charge) -> Decimal {
        let Compared { ours, theirs } = self.both(charge);
        ours - theirs
    }

    /// What rounding on contract notes may come to.
    fn rounding(&self, charge: Charge) -> Decimal {
        let notes = Decimal::from(self.period.notes.len());
        match charge {
            Charge::Stt | Charge::StampDuty => notes,
            // Up to three kinds of it.
            Charge::Gst => notes * PAISA * Decimal::from(3),
            _ => notes * PAISA,
        }
    }

    fn cause(&self, charge: Charge, agrees: bool) -> Option<Remark> {
        match (self.ours(charge), self.theirs(charge)) {
            (None, Some(theirs)) if !theirs.is_zero() => {
                let sentence = format!("No rule of ours covers {}.", charge.name());
                Some(Remark::new("not_estimated", sentence))
            }
            (Some(ours), None) if !ours.is_zero() => Some(self.unlisted(charge, ours)),
            _ if agrees => None,
            _ => Some(self.found(charge).unwrap_or_else(Remark::none)),
        }
    }

    /// Why the report does not have it.
    fn unlisted(&self, charge: Charge, ours: Decimal) -> Remark {
        let exchange = self.both(Charge::Exchange);
        if charge == Charge::Ipft && (exchange.theirs - exchange.ours - ours).abs() <= self.rounding(Charge::Exchange) {
            return Remark::new("ipft_inside", "The report's exchange charges hold it.");
        }
        let sentence = match charge {
            Charge::Dp => {
                "The report does not list depository charges. Zerodha has them in the sheet Other Debits and Credits."
                    .to_owned()
            }
            _ => format!("The report does not list {}.", charge.name()),
        };
        Remark::new("listed_apart", sentence)
    }

    /// The fact that explains a difference.
    fn found(&self, charge: Charge) -> Option<Remark> {
        let difference = self.difference(charge);
        if difference.abs() <= self.rounding(charge) {
            let notes = self.period.notes.len();
            let sentence = format!("Contract notes round, and so do we: {notes} of them come to no more than this.");
            return Some(Remark::new("rounding", sentence));
        }
        if let Some(inside) = self.inside(charge) {
            return Some(inside);
        }
        if !self.same_trades {
            let sentence = "The trades behind it are not the same: see the shares and contracts that differ.";
            return Some(Remark::new("rows_differ", sentence));
        }
        let of_closed = self.closed.of(charge).unwrap_or_default() - self.both(charge).theirs;
        if of_closed.abs() <= self.rounding(charge) {
            let sentence = "The report counts what was closed alone; we count every trade of the period.";
            return Some(Remark::new("closed_only", sentence));
        }
        if charge == Charge::Gst && self.follows() {
            let sentence = "It is the tax on the charges above, and differs as they do.";
            return Some(Remark::new("follows", sentence));
        }
        if self.period.unknown > 0 {
            let sentence = format!("For {} trades of the period some rates are not known.", self.period.unknown);
            return Some(Remark::new("rates_unknown", sentence));
        }
        match charge {
            Charge::Brokerage => self.of_brokerage(),
            Charge::Exchange if self.period.of_bse > 0 => {
                let sentence = format!(
                    "{} trades of the period are of BSE, whose rate depends on the group of the share. We take that of \
                     the main groups.",
                    self.period.of_bse
                );
                Some(Remark::new("exchange_rates", sentence))
            }
            _ => None,
        }
    }

    /// One line of theirs may hold what we tell apart, or the other way round.
    fn inside(&self, charge: Charge) -> Option<Remark> {
        if charge != Charge::Exchange {
            return None;
        }
        let (difference, near) = (self.difference(charge), self.rounding(charge));
        let (ipft, clearing) = (self.both(Charge::Ipft), self.both(Charge::Clearing).theirs);
        if ipft.theirs.is_zero() && !ipft.ours.is_zero() && (difference + ipft.ours).abs() <= near {
            return Some(Remark::new("ipft_inside", "The report's exchange charges hold the IPFT."));
        }
        let sentence = "Our exchange charges hold what the report lists as clearing charges.";
        (!clearing.is_zero() && (difference - clearing).abs() <= near).then(|| Remark::new("clearing_inside", sentence))
    }

    /// Whether the tax differs by just the tax on what differs beside it.
    fn follows(&self) -> bool {
        let taxed = [Charge::Brokerage, Charge::Exchange, Charge::Sebi, Charge::Ipft];
        let taxed: Decimal = taxed.into_iter().map(|charge| self.difference(charge)).sum();
        let taxed = taxed - self.both(Charge::Clearing).theirs;
        let tax = taxed * self.period.gst_percent / Decimal::ONE_HUNDRED;
        (self.difference(Charge::Gst) - tax).abs() <= self.rounding(Charge::Gst)
    }

    fn of_brokerage(&self) -> Option<Remark> {
        let Compared { ours, theirs } = self.both(Charge::Brokerage);
        let without_number = self.period.orders.iter().filter(|(_, _, number, _)| number.is_none()).count();
        if without_number > 0 {
            let sentence = format!(
                "{without_number} trades of the period have no order number, so that each counts as an order of its own."
            );
            return Some(Remark::new("orders_unknown", sentence));
        }
        // STT goes by the values alone: where it agrees, the trades are the same.
        let stt =
            self.theirs(Charge::Stt).is_some() && self.difference(Charge::Stt).abs() <= self.rounding(Charge::Stt);
        let orders = self.period.orders.len();
        let each = |sum: Decimal| sum.checked_div(orders.into()).map(rupees).unwrap_or_default();
        let sentence = format!(
            "The trades are the same, so your plan is another than the price list that we take: {orders} orders, on \
             average {} by ours and {} by theirs.",
            each(ours),
            each(theirs)
        );
        stt.then(|| Remark::new("plan", sentence))
    }
}
