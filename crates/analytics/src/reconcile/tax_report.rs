//! Tax report of a broker, and the part of the trade log with which it is compared.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use time::Date;

use super::sums::ClosedSums;
use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::fill::{BrokerAccount, Fill, Source};
use crate::instrument_ledger::InstrumentLedger;

/// Lines of a report.
pub const MAX_REPORT_LINES: usize = 10_000;
/// Head of income in a tax report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReportHead {
    Intraday,
    ShortTerm,
    LongTerm,
    Buyback,
    /// Securities that are not taxed as shares, of either term.
    OtherSecurities,
    Fno,
}

impl ReportHead {
    /// Returns the code of its name.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Intraday => "intraday",
            Self::ShortTerm => "short_term",
            Self::LongTerm => "long_term",
            Self::Buyback => "buyback",
            Self::OtherSecurities => "other_securities",
            Self::Fno => "fno",
        }
    }
}

/// Tax report of a broker.
#[derive(Debug)]
pub struct TaxReport {
    pub account: BrokerAccount,
    /// First day of the period.
    pub from: Date,
    /// Last day of the period.
    pub to: Date,
    pub lines: Vec<ReportLine>,
    /// Heads that have a section, also one without rows.
    pub sections: BTreeSet<ReportHead>,
    /// Titles of the sections that were not read, with their numbers of rows.
    pub skipped_sections: Vec<(String, i64)>,
    /// Number of rows that could not be read.
    pub unread_rows: i64,
    /// Few files of its layout are known.
    pub is_unverified: bool,
}

/// Line of a tax report: the sum of its rows with the same head, share and days.
#[derive(Clone, Debug)]
pub struct ReportLine {
    pub head: ReportHead,
    /// Empty if the report states only the company's name.
    pub symbol: String,
    pub name: String,
    pub isin: String,
    pub entry_day: Date,
    pub exit_day: Date,
    /// Number of rows.
    pub rows: i64,
    /// `gross` is the sell value minus the buy value.
    pub sums: ClosedSums,
    /// Profit that the report states.
    pub profit: Decimal,
}

impl TaxReport {
    fn has_contracts(&self) -> bool {
        self.sections.contains(&ReportHead::Fno)
    }

    pub fn has_shares(&self) -> bool {
        self.sections.iter().any(|head| *head != ReportHead::Fno)
    }

    /// Returns whether the report has a section for shares or for contracts.
    pub(super) fn covers(&self, contract: bool) -> bool {
        if contract { self.has_contracts() } else { self.has_shares() }
    }

    /// Returns all trades of the report's account and segments, in any period.
    pub(super) fn trades<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Fill> {
        let fills = analysis.ledgers().flat_map(InstrumentLedger::fills);
        fills.filter(|fill| {
            fill.account == self.account && fill.source == Source::Trade && self.covers(fill.instrument.is_contract())
        })
    }

    /// Returns the trades of the account that were closed in the period.
    pub(super) fn closed_in_period<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> {
        analysis.closed_trades().filter(|closed_trade| {
            closed_trade.account == self.account && (self.from..=self.to).contains(&closed_trade.closed_day)
        })
    }

    /// Returns those of the report's segments.
    pub(super) fn closed_trades<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> {
        self.closed_in_period(analysis).filter(|closed_trade| self.covers(closed_trade.instrument.is_contract()))
    }

    /// Returns the sales of shares in the period without a purchase: symbol, day, quantity and value.
    pub(super) fn missing_cost_basis<'a>(
        &'a self,
        analysis: &'a Analysis,
    ) -> impl Iterator<Item = (&'a str, Date, Decimal, Decimal)> {
        let sales = analysis.ledgers().flat_map(|ledger| {
            ledger.missing_cost_basis().iter().filter_map(|range| Some((ledger.range_detail(range)?, range.quantity())))
        });
        sales.filter_map(|(sale, quantity)| {
            let fill = sale.fill;
            let is_covered = fill.account == self.account && self.covers(fill.instrument.is_contract());
            let is_counted = is_covered && (self.from..=self.to).contains(&fill.day);
            is_counted.then_some((fill.instrument.symbol.as_str(), fill.day, quantity, sale.value))
        })
    }
}
