//! Profit and loss report of a broker, and the part of the trade log with which it is compared.

use rust_decimal::Decimal;
use time::Date;

use super::sums::ClosedSums;
use crate::analysis::Analysis;
use crate::charges::ContractNote;
use crate::closed_trade::ClosedTrade;
use crate::fill::{BrokerAccount, Fill, Source};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};

/// Profit and loss report of a broker.
#[derive(Debug)]
pub struct Report {
    pub account: BrokerAccount,
    /// True for futures and options, false for shares.
    pub contracts: bool,
    /// First day of the period.
    pub from: Date,
    /// Last day of the period.
    pub to: Date,
    pub rows: Vec<ReportRow>,
    pub charges: Vec<ReportChargeLine>,
    /// Total realised profit that the report states.
    pub realised: Option<Decimal>,
    /// Number of rows that are open positions.
    pub open_positions: i64,
    /// Number of rows that could not be read.
    pub unread_rows: i64,
}

/// Row of a report: one share or contract.
#[derive(Debug)]
pub struct ReportRow {
    /// Empty if the report states only the company's name.
    pub symbol: String,
    pub name: String,
    pub isin: String,
    pub sums: ClosedSums,
}

/// Line of a report's charges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportChargeLine {
    pub charge: ChargeKind,
    pub label: String,
    pub amount: Decimal,
}

/// Kind of a charge in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChargeKind {
    Brokerage,
    Exchange,
    Clearing,
    Stt,
    /// Central, state and integrated GST.
    Gst,
    Sebi,
    StampDuty,
    Ipft,
    Dp,
    /// Debits and credits that are not charges of trading.
    Other,
}

impl ChargeKind {
    /// All kinds, in the order of the response.
    pub(super) const ALL: [Self; 10] = [
        Self::Brokerage,
        Self::Exchange,
        Self::Clearing,
        Self::Stt,
        Self::Gst,
        Self::Sebi,
        Self::StampDuty,
        Self::Ipft,
        Self::Dp,
        Self::Other,
    ];

    /// Returns the code of its name.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Brokerage => "brokerage",
            Self::Exchange => "exchange",
            Self::Clearing => "clearing",
            Self::Stt => "stt",
            Self::Gst => "gst",
            Self::Sebi => "sebi",
            Self::StampDuty => "stamp_duty",
            Self::Ipft => "ipft",
            Self::Dp => "dp",
            Self::Other => "other",
        }
    }
}

impl Report {
    /// Returns whether the report covers this broker and segment.
    pub(super) fn covers(&self, account: BrokerAccount, contract: bool) -> bool {
        self.account == account && self.contracts == contract
    }

    fn is_in_period(&self, day: Date) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// Returns all trades of the report's broker and segment, in any period.
    pub(super) fn trades<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Fill> {
        let trades = analysis.ledgers().flat_map(InstrumentLedger::fills).filter(|fill| fill.source == Source::Trade);
        trades.filter(|fill| self.covers(fill.account, fill.instrument.is_contract()))
    }

    /// Returns the closed trades of the report's broker, segment and period.
    pub(super) fn closed_trades<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> {
        let closed_trades = analysis.closed_trades().filter(|closed_trade| self.is_in_period(closed_trade.closed_day));
        closed_trades.filter(|closed_trade| self.covers(closed_trade.account, closed_trade.instrument.is_contract()))
    }

    /// Returns the sales of the period without a purchase, with their quantities.
    pub(super) fn missing_cost_basis<'a>(
        &'a self,
        analysis: &'a Analysis,
    ) -> impl Iterator<Item = (RangeDetail<'a>, Decimal)> {
        let sales = analysis.ledgers().flat_map(|ledger| {
            ledger.missing_cost_basis().iter().filter_map(|range| Some((ledger.range_detail(range)?, range.quantity())))
        });
        sales.filter(|(sale, _)| self.covers_fill(sale.fill))
    }

    /// Returns whether a contract note is of the report's broker, segment and period.
    pub(super) fn covers_note(&self, note: &ContractNote) -> bool {
        self.covers(note.account, note.contracts) && self.is_in_period(note.day)
    }

    /// Returns whether a fill is of the report's broker, segment and period.
    pub(super) fn covers_fill(&self, fill: &Fill) -> bool {
        self.covers(fill.account, fill.instrument.is_contract()) && self.is_in_period(fill.day)
    }
}
