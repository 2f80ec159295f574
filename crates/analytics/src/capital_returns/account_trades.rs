//! Facts about the trades of an account on which returns on capital depend.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::fill::{BrokerAccount, Fill, Side, Source};
use crate::instrument::Class;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::LotRange;

/// Lot that is or was open overnight.
#[derive(Clone, Copy, Debug)]
pub struct HeldLot {
    /// Number of its instrument.
    instrument: usize,
    opened_on: Date,
    /// None while it is open.
    closed_on: Option<Date>,
    /// Cost of a long lot; proceeds of a short one, negative. Zero for futures, which are paid by the daily settlement.
    cost: Decimal,
    is_future: bool,
}

impl HeldLot {
    /// Returns whether it was open at the beginning of a day.
    pub fn is_open_before(&self, day: Date) -> bool {
        self.opened_on < day && self.closed_on.is_none_or(|closed_on| closed_on >= day)
    }
}

/// Position that is open now.
#[derive(Clone, Debug)]
pub struct HeldPosition {
    pub symbol: String,
    pub quantity: Decimal,
    pub value: Decimal,
    pub long: bool,
}

/// Sums of one day.
#[derive(Clone, Copy, Debug, Default)]
pub struct TradeDay {
    /// Net result of closed trades.
    pub result: Decimal,
    pub charges: Decimal,
    /// Value of the trades that the broker settles on the next days. The result for futures.
    pub unsettled: Decimal,
    /// Shares that came without a payment from the account, less payments that went to a bank account.
    pub transfers: Decimal,
    /// Value that corporate actions moved, which may not be in the ledger.
    pub corporate_actions: Decimal,
}

/// Trades of one account.
#[derive(Clone, Debug, Default)]
pub struct AccountTrades {
    pub days: BTreeMap<Date, TradeDay>,
    pub lots: Vec<HeldLot>,
    pub positions: Vec<HeldPosition>,
    pub last_trade: Option<Date>,
    /// Days of sales without a purchase.
    pub missing_cost: Vec<Date>,
    /// Expiry days of contracts whose settlement is unknown.
    pub awaiting_settlement: Vec<Date>,
}

impl AccountTrades {
    /// Collects the trades of the accounts that match.
    pub fn collect(analysis: &Analysis, is_wanted: impl Fn(BrokerAccount) -> bool) -> BTreeMap<BrokerAccount, Self> {
        let mut accounts: BTreeMap<BrokerAccount, Self> = BTreeMap::new();
        for (index, ledger) in analysis.ledgers().enumerate() {
            if let Some(account) = ledger.lot_details().next().map(|detail| detail.fill.account)
                && is_wanted(account)
            {
                accounts.entry(account).or_default().add_instrument(index, ledger);
            }
        }
        accounts
    }

    fn add_instrument(&mut self, index: usize, ledger: &InstrumentLedger) {
        for fill in ledger.fills() {
            self.add_fill(fill);
        }
        for closed_trade in &ledger.closed_trades {
            let is_future = closed_trade.instrument.class == Class::Future;
            let day = self.days.entry(closed_trade.closed_day).or_default();
            day.result += closed_trade.net;
            day.charges += closed_trade.charges;
            if is_future {
                day.unsettled += closed_trade.gross.abs();
            }
            // Paid to a bank account.
            if closed_trade.flags.bought_back || closed_trade.flags.fraction_paid {
                day.transfers -= closed_trade.exit_value;
                day.corporate_actions += closed_trade.exit_value;
            }
            for lot_match in ledger.lot_matches(&closed_trade.lot_matches) {
                self.add_lot(index, ledger, &lot_match.entry, Some(closed_trade.closed_day));
            }
        }
        for position in ledger.open_positions() {
            for range in &position.lots {
                self.add_lot(index, ledger, range, None);
            }
            if position.expired {
                self.awaiting_settlement.extend(position.instrument.expiry.map(|expiry| expiry.day));
            } else if !position.fraction {
                self.positions.push(HeldPosition {
                    symbol: position.instrument.symbol.clone(),
                    quantity: position.quantity,
                    value: position.value,
                    long: position.long,
                });
            }
        }
        let sales = ledger.missing_cost_basis().iter().filter_map(|range| ledger.fill_of_lot(range.lot));
        self.missing_cost.extend(sales.map(|fill| fill.day));
    }

    fn add_fill(&mut self, fill: &Fill) {
        let day = self.days.entry(fill.day).or_default();
        match fill.source {
            Source::Trade => {
                self.last_trade = self.last_trade.max(Some(fill.day));
                if fill.instrument.class != Class::Future {
                    day.unsettled += fill.value;
                }
            }
            Source::Opening | Source::Rights => {
                day.transfers += fill.value;
                day.corporate_actions += fill.value;
            }
            Source::Bonus
            | Source::Demerger
            | Source::Buyback { .. }
            | Source::FractionPayment { .. }
            | Source::Settled
            | Source::Delivered => day.corporate_actions += fill.value,
        }
    }

    /// Adds a lot, unless it was closed on the day on which it was opened.
    fn add_lot(&mut self, instrument: usize, ledger: &InstrumentLedger, range: &LotRange, closed_on: Option<Date>) {
        let is_held = |fill: &&Fill| closed_on.is_none_or(|closed_on| fill.day < closed_on);
        if ledger.fill_of_lot(range.lot).filter(is_held).is_none() {
            return;
        }
        let Some(detail) = ledger.range_detail(range) else { return };
        let is_future = detail.fill.instrument.class == Class::Future;
        let cost = match detail.fill.side {
            _ if is_future => Decimal::ZERO,
            Side::Buy => detail.value,
            Side::Sell => -detail.value,
        };
        self.lots.push(HeldLot { instrument, opened_on: detail.fill.day, closed_on, cost, is_future });
    }

    /// Returns the cost of the lots that were open at the beginning of a day, and whether futures were among them.
    pub fn open_before(&self, day: Date) -> (Decimal, bool) {
        let open = || self.lots.iter().filter(|lot| lot.is_open_before(day));
        (open().map(|lot| lot.cost).sum(), open().any(|lot| lot.is_future))
    }

    /// Returns the number of instruments that were open at the beginning of a day.
    pub fn count_open_before(&self, day: Date) -> usize {
        let mut instruments: Vec<usize> =
            self.lots.iter().filter(|lot| lot.is_open_before(day)).map(|lot| lot.instrument).collect();
        instruments.sort_unstable();
        instruments.dedup();
        instruments.len()
    }

    /// Returns whether a lot was open at the beginning of one of the days, given in order.
    pub fn is_open_before_any(&self, days: &[Date]) -> bool {
        self.lots.iter().any(|lot| {
            let next = days.get(days.partition_point(|day| *day <= lot.opened_on));
            next.is_some_and(|day| lot.is_open_before(*day))
        })
    }

    pub fn sum(&self, from: Date, to: Date, part: impl Fn(&TradeDay) -> Decimal) -> Decimal {
        if to < from {
            return Decimal::ZERO;
        }
        self.days.range(from..=to).map(|(_, day)| part(day)).sum()
    }
}
