//! Line of a tax report: closed lots of the log beside the rows of the report.

use rust_decimal::Decimal;
use time::Date;

use super::rows::MAX_PRICE_ROUNDING;
use super::sums::{ClosedSums, PAISA};
use super::tax_report::{ReportHead, ReportLine};
use crate::adjustment_index::AdjustmentIndex;
use crate::closed_trade::ClosedTrade;
use crate::fill::{Source, TradeKind};
use crate::instrument::SecurityKind;
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::{CorporateActions, LotMatch};
use crate::tax::{FAIR_VALUE_DAY, FairValue, gains_rule};

/// Closed lots of the log that are one line.
#[derive(Clone, Debug)]
pub(super) struct LogLine {
    pub head: ReportHead,
    pub sums: ClosedSums,
    /// Buy value after the fair market value of 31 January 2018 replaced lower costs.
    pub raised_cost: Decimal,
    /// True if that value may count, but its price is not entered.
    pub is_fair_value_unknown: bool,
    /// Neither a share nor a unit of an equity fund; the report may have it as another security.
    is_other_security: bool,
    pub has_corporate_action: bool,
    /// Part of an opening holding.
    pub is_opening: bool,
    /// A trade was entered or edited by the trader.
    pub is_manual: bool,
    /// Quantity closed with a price that the trader entered.
    quantity_at_entered_price: Decimal,
}

impl LogLine {
    /// Returns the line of a lot, with its days of entry and exit.
    pub fn new(
        ledger: &InstrumentLedger,
        adjustments: &AdjustmentIndex,
        closed_trade: &ClosedTrade,
        lot_match: &LotMatch,
    ) -> Option<(Self, [Date; 2])> {
        let (entry, exit) = (ledger.range_detail(&lot_match.entry)?, ledger.range_detail(&lot_match.exit)?);
        let quantity = lot_match.exit.quantity();
        let (buy_value, sell_value) =
            if closed_trade.long { (entry.value, exit.value) } else { (exit.value, entry.value) };
        let is_delivery = closed_trade.kind == TradeKind::Delivery;
        let fair_value = if is_delivery && entry.fill.day <= FAIR_VALUE_DAY {
            FairValue::new(entry.fill, lot_match.entry.quantity(), exit.fill.day, adjustments)
        } else {
            FairValue::NotConcerned
        };
        let counting = fair_value.amount().map(|value| value.min(sell_value));
        let is_entered =
            [&entry, &exit].iter().any(|side| matches!(side.fill.source, Source::Opening | Source::Settled));
        let line = Self {
            head: head_of(closed_trade, &entry, &exit),
            sums: ClosedSums { quantity, buy_value, sell_value, gross: sell_value - buy_value },
            raised_cost: counting.map_or(buy_value, |value| value.max(buy_value)),
            is_fair_value_unknown: fair_value == FairValue::Unknown,
            is_other_security: !matches!(
                closed_trade.instrument.security,
                SecurityKind::Share | SecurityKind::EquityFund
            ),
            has_corporate_action: lot_match.corporate_actions != CorporateActions::default()
                || matches!(entry.fill.source, Source::Bonus | Source::Demerger | Source::Rights),
            is_opening: entry.fill.source == Source::Opening,
            is_manual: entry.fill.manual || exit.fill.manual,
            quantity_at_entered_price: if is_entered { quantity } else { Decimal::ZERO },
        };
        Some((line, [entry.fill.day, exit.fill.day]))
    }

    pub fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.raised_cost += other.raised_cost;
        self.is_fair_value_unknown |= other.is_fair_value_unknown;
        self.has_corporate_action |= other.has_corporate_action;
        self.is_opening |= other.is_opening;
        self.is_manual |= other.is_manual;
        self.quantity_at_entered_price += other.quantity_at_entered_price;
    }

    /// Returns whether a report may have the line under another head of its own.
    pub fn may_be(&self, head: ReportHead) -> bool {
        head == ReportHead::OtherSecurities && self.is_other_security && self.head != ReportHead::Fno
    }
}

/// Returns the head of a lot.
fn head_of(closed_trade: &ClosedTrade, entry: &RangeDetail<'_>, exit: &RangeDetail<'_>) -> ReportHead {
    match closed_trade.kind {
        TradeKind::Intraday => ReportHead::Intraday,
        TradeKind::Futures | TradeKind::Options => ReportHead::Fno,
        TradeKind::Delivery if closed_trade.flags.bought_back => ReportHead::Buyback,
        TradeKind::Delivery => {
            let (bought, sold) = (entry.fill.day, exit.fill.day);
            let rule = gains_rule(closed_trade.instrument.security, bought, sold);
            let is_long = rule.is_some_and(|rule| rule.is_long_term(bought, sold));
            if is_long { ReportHead::LongTerm } else { ReportHead::ShortTerm }
        }
    }
}

/// Both sides of a line.
#[derive(Debug)]
pub(super) struct Line {
    pub log: Option<LogLine>,
    pub report: Option<ReportLine>,
}

impl Line {
    pub fn difference(&self) -> ClosedSums {
        let log = self.log.as_ref().map(|line| line.sums).unwrap_or_default();
        log.subtract(&self.report.as_ref().map(|line| line.sums).unwrap_or_default())
    }

    /// Returns the difference of a value that rounding explains: one paisa for each row of the report.
    pub fn tolerance(&self) -> Decimal {
        let rows = self.report.as_ref().map_or(1, |line| line.rows);
        let entered = self.log.as_ref().map(|line| line.quantity_at_entered_price).unwrap_or_default();
        PAISA * Decimal::from(rows) + entered * MAX_PRICE_ROUNDING
    }

    /// Returns whether quantity, buy value and sell value agree.
    pub fn sums_agree(&self) -> bool {
        let (difference, tolerance) = (self.difference(), self.tolerance());
        difference.quantity.is_zero()
            && difference.buy_value.abs() <= tolerance
            && difference.sell_value.abs() <= tolerance
    }

    pub fn heads(&self) -> Option<(ReportHead, ReportHead)> {
        Some((self.log.as_ref()?.head, self.report.as_ref()?.head))
    }

    pub fn agrees(&self) -> bool {
        self.sums_agree() && self.heads().is_some_and(|(log, report)| log == report)
    }
}

/// Lines of one share with the same days, before they are paired.
#[derive(Default)]
pub(super) struct UnpairedLines {
    pub log: Vec<LogLine>,
    pub report: Vec<ReportLine>,
}

/// Condition under which a line of the log and one of the report are a pair.
type PairRule = fn(&LogLine, &ReportLine) -> bool;

/// Pairs lines with the same days: of the same head first, then of a head that the report may use, then the others.
pub(super) fn pair(UnpairedLines { mut log, mut report }: UnpairedLines) -> Vec<Line> {
    let rules: [PairRule; 3] =
        [|log, report| log.head == report.head, |log, report| log.may_be(report.head), |_, _| true];
    let mut lines = Vec::new();
    for is_pair in rules {
        for mut one in std::mem::take(&mut log) {
            match report.iter().position(|other| is_pair(&one, other)) {
                Some(index) => {
                    let other = report.swap_remove(index);
                    if one.may_be(other.head) {
                        one.head = other.head;
                    }
                    lines.push(Line { log: Some(one), report: Some(other) });
                }
                None => log.push(one),
            }
        }
    }
    lines.extend(log.into_iter().map(|one| Line { log: Some(one), report: None }));
    lines.extend(report.into_iter().map(|one| Line { log: None, report: Some(one) }));
    lines
}
