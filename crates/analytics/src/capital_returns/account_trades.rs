//! Facts about the trades of an account on which returns on capital depend.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::settlement::{MAX_CONTRACT_LAG, add_trading_days};
use crate::adjustment::{Adjustment, AdjustmentKind};
use crate::analysis::Analysis;
use crate::charges::Charges;
use crate::fill::{BrokerAccount, Fill, Side, Source};
use crate::instrument::{Class, Instrument};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::{CorporateActions, LotRange, OpenPosition};

/// Part of the estimated charges by which they may differ from the charged ones: 20 %.
const ESTIMATE_ERROR: Decimal = Decimal::from_parts(2, 0, 0, false, 1);

/// Lot that is or was open overnight.
#[derive(Clone, Debug)]
struct HeldLot {
    /// Number of its instrument, or of several shares that mergers and demergers link.
    ledger: usize,
    /// Instrument as which it was closed; as which it is open now otherwise.
    instrument: Arc<Instrument>,
    opened_on: Date,
    /// None while it is open.
    closed_on: Option<Date>,
    /// Cost of a long lot; proceeds of a short one, negative. Zero for futures, whose value the daily settlement pays.
    cost: Decimal,
    /// True if it has bonus shares, whose cost is that of the older shares.
    is_bonus: bool,
    /// True if a capital return, the cash part of a merger, or a contract adjustment reduced its cost while it was open.
    is_cost_reduced: bool,
}

impl HeldLot {
    /// Returns whether it was open at the beginning of a day.
    fn is_open_before(&self, day: Date) -> bool {
        self.opened_on < day && self.closed_on.is_none_or(|closed_on| closed_on >= day)
    }

    /// Returns the key of the position to which it belongs.
    fn position(&self) -> (usize, &str) {
        (self.ledger, &self.instrument.symbol)
    }
}

/// Position that is open now, with a fraction of a share that awaits its payment.
#[derive(Clone, Debug)]
pub struct HeldPosition {
    /// Number of its instrument, or of several shares that mergers and demergers link.
    pub ledger: usize,
    pub symbol: String,
    /// Day on which its oldest open lot was opened.
    pub opened_on: Date,
    pub quantity: Decimal,
    /// Cost of a long position; proceeds of a short one, negative.
    pub cost: Decimal,
    pub long: bool,
    /// Day of the last corporate action, which changed the number of shares.
    pub last_action: Option<Date>,
}

/// Contract that expired without a settlement price.
#[derive(Clone, Copy, Debug)]
struct ExpiredContract {
    /// First and last day on which it may have expired; the same if the day is known.
    earliest: Date,
    latest: Date,
}

/// Cash that the trades of a day pay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TradeCash {
    /// Sale values less buy values and charges, without those of the depository participant, which the ledger lists.
    pub net: Decimal,
    /// Amount by which the ledger may differ from it: a part of the estimated charges, and charges of the depository
    /// participant that the broker may settle with the trades.
    pub tolerance: Decimal,
}

impl TradeCash {
    pub fn add(&mut self, other: &Self) {
        self.net += other.net;
        self.tolerance += other.tolerance;
    }
}

/// Sums of one day.
#[derive(Clone, Copy, Debug, Default)]
pub struct TradeDay {
    pub shares: TradeCash,
    pub contracts: TradeCash,
    /// Change of the cost of open positions.
    pub cost: Decimal,
    /// Shares that came without a payment from the account, less payments that went to a bank account.
    pub transfers: Decimal,
}

/// Trades of one account.
#[derive(Clone, Debug, Default)]
pub struct AccountTrades {
    pub days: BTreeMap<Date, TradeDay>,
    lots: Vec<HeldLot>,
    pub positions: Vec<HeldPosition>,
    pub last_trade: Option<Date>,
    /// Days of sales without a purchase.
    missing_cost: Vec<Date>,
    expired: Vec<ExpiredContract>,
    /// Ex-dates of bonus issues by the day of their allotment.
    bonus_ex_dates: BTreeMap<Date, Date>,
}

impl AccountTrades {
    /// Collects the trades of the accounts that match.
    pub fn collect(analysis: &Analysis, is_wanted: impl Fn(BrokerAccount) -> bool) -> BTreeMap<BrokerAccount, Self> {
        let mut accounts: BTreeMap<BrokerAccount, Self> = BTreeMap::new();
        let mut bonus_ex_dates: BTreeMap<Date, Date> = BTreeMap::new();
        for adjustment in analysis.adjustments() {
            if let AdjustmentKind::Bonus { allotted: Some(allotted), .. } = adjustment.kind {
                let ex_date = bonus_ex_dates.entry(allotted).or_insert(adjustment.day);
                *ex_date = adjustment.day.min(*ex_date);
            }
        }
        let actions = last_actions(analysis.adjustments(), analysis.today());
        for (index, ledger) in analysis.ledgers().enumerate() {
            if let Some(account) = ledger.lot_details().next().map(|detail| detail.fill.account)
                && is_wanted(account)
            {
                let new = || Self { bonus_ex_dates: bonus_ex_dates.clone(), ..Self::default() };
                accounts.entry(account).or_insert_with(new).add_instrument(index, ledger, &actions);
            }
        }
        accounts
    }

    fn add_instrument(&mut self, index: usize, ledger: &InstrumentLedger, actions: &HashMap<&str, Date>) {
        for detail in ledger.lot_details() {
            self.add_cash(&detail);
        }
        for closed_trade in &ledger.closed_trades {
            let day = self.days.entry(closed_trade.closed_day).or_default();
            if closed_trade.instrument.class == Class::Future {
                day.contracts.net += closed_trade.gross;
            }
            for lot_match in ledger.lot_matches(&closed_trade.lot_matches) {
                let closed_on = Some(closed_trade.closed_day);
                let key = (index, &closed_trade.instrument);
                self.add_lot(key, ledger, &lot_match.entry, closed_on, lot_match.corporate_actions);
            }
        }
        for position in ledger.open_positions() {
            let expiry = position.instrument.expiry.filter(|_| position.expired);
            let key = (index, &position.instrument);
            for range in &position.lots {
                self.add_lot(key, ledger, range, expiry.map(|expiry| expiry.day), position.corporate_actions);
            }
            if let Some(expiry) = expiry {
                let first = expiry.day.replace_day(1).unwrap_or(expiry.day);
                let earliest = if expiry.exact { expiry.day } else { first };
                self.expired.push(ExpiredContract { earliest, latest: expiry.day });
            } else {
                let symbols = || ledger.symbols().into_iter().chain([position.instrument.symbol.clone()]);
                let last_action = symbols().filter_map(|symbol| actions.get(&*symbol).copied()).max();
                self.add_position(index, ledger, position, last_action);
            }
        }
        let sales = ledger.missing_cost_basis().iter().filter_map(|range| ledger.fill_of_lot(range.lot));
        self.missing_cost.extend(sales.map(|fill| fill.day));
    }

    /// Adds a position that is open now. A fraction of a share belongs to the position of the whole shares.
    fn add_position(
        &mut self,
        index: usize,
        ledger: &InstrumentLedger,
        position: &OpenPosition,
        last_action: Option<Date>,
    ) {
        let days = position.lots.iter().filter_map(|range| Some(ledger.fill_of_lot(range.lot)?.day));
        let Some(opened_on) = days.min() else { return };
        let cost = if position.long { position.value } else { -position.value };
        let symbol = &position.instrument.symbol;
        let mut of_ledger = self.positions.iter_mut().rev().take_while(|other| other.ledger == index);
        if let Some(whole) = of_ledger.find(|other| other.symbol == *symbol) {
            whole.opened_on = whole.opened_on.min(opened_on);
            whole.quantity += position.quantity;
            whole.cost += cost;
            return;
        }
        let (symbol, quantity, long) = (symbol.clone(), position.quantity, position.long);
        self.positions.push(HeldPosition { ledger: index, symbol, opened_on, quantity, cost, long, last_action });
    }

    /// Adds the cash of a lot. That of futures is their result, and their charges.
    fn add_cash(&mut self, detail: &RangeDetail) {
        let fill = detail.fill;
        let day = self.days.entry(fill.day).or_default();
        let value = match fill.side {
            Side::Buy => -detail.value,
            Side::Sell => detail.value,
        };
        match fill.source {
            Source::Trade | Source::Settled | Source::Delivered => {
                let dp = depository_charges(&detail.charges, detail.is_stated);
                let charges = detail.charges.total() - dp;
                let value = if fill.instrument.class == Class::Future { Decimal::ZERO } else { value };
                let estimated = (charges - detail.charges.stated).max(Decimal::ZERO);
                let cash = TradeCash { net: value - charges, tolerance: estimated * ESTIMATE_ERROR + dp };
                let own = if fill.instrument.class == Class::Equity { &mut day.shares } else { &mut day.contracts };
                own.add(&cash);
            }
            // Held elsewhere before, or paid from or to a bank account.
            Source::Opening | Source::Rights | Source::Buyback { .. } | Source::FractionPayment { .. } => {
                day.transfers -= value;
            }
            // Bonus shares have no cost; a demerger moves a part of the cost of the lots from which they are.
            Source::Bonus | Source::Demerger => (),
        }
        if fill.source == Source::Trade {
            self.last_trade = self.last_trade.max(Some(fill.day));
        }
    }

    /// Adds a lot, unless it was closed on the day on which it was opened.
    fn add_lot(
        &mut self,
        (index, instrument): (usize, &Arc<Instrument>),
        ledger: &InstrumentLedger,
        range: &LotRange,
        closed_on: Option<Date>,
        corporate_actions: CorporateActions,
    ) {
        let Some(detail) = ledger.range_detail(range) else { return };
        let Fill { day: opened_on, side, source, .. } = *detail.fill;
        let class = detail.fill.instrument.class;
        let cost = match side {
            _ if class == Class::Future => Decimal::ZERO,
            Side::Buy => detail.value,
            Side::Sell => -detail.value,
        };
        self.days.entry(opened_on).or_default().cost += cost;
        if let Some(closed_on) = closed_on {
            self.days.entry(closed_on).or_default().cost -= cost;
        }
        if closed_on.is_some_and(|closed_on| closed_on <= opened_on) {
            return;
        }
        let CorporateActions { capital_returned, contract_adjusted, merged_with_cash, .. } = corporate_actions;
        let is_reduced = capital_returned || contract_adjusted || merged_with_cash;
        let is_cost_reduced = range.cost.is_some() && is_reduced && class != Class::Future;
        let instrument = instrument.clone();
        let is_bonus = source == Source::Bonus;
        self.lots.push(HeldLot { ledger: index, instrument, opened_on, closed_on, cost, is_bonus, is_cost_reduced });
    }

    fn open_before(&self, day: Date) -> impl Iterator<Item = &HeldLot> {
        self.lots.iter().filter(move |lot| lot.is_open_before(day))
    }

    /// Returns the cost of the lots that were open at the beginning of a day.
    pub fn cost_before(&self, day: Date) -> Decimal {
        self.open_before(day).map(|lot| lot.cost).sum()
    }

    /// Returns whether the lots of a ledger that were open at the beginning of a day have the cost of those that are open
    /// now.
    pub fn has_same_lots_before(&self, day: Date, ledger: usize) -> bool {
        let lots = || self.lots.iter().filter(|lot| lot.ledger == ledger);
        let before: Decimal = lots().filter(|lot| lot.is_open_before(day)).map(|lot| lot.cost).sum();
        let now: Decimal = lots().filter(|lot| lot.closed_on.is_none()).map(|lot| lot.cost).sum();
        before == now
    }

    /// Returns the number of positions that were open at the beginning of a day.
    pub fn count_open_before(&self, day: Date) -> usize {
        self.open_before(day).map(HeldLot::position).collect::<BTreeSet<_>>().len()
    }

    /// Returns the positions with bonus shares at the beginning of a day, allotted or not, of which older shares were sold since
    /// the ex-date. The cost of the bonus shares is that of the older shares, so their value is missing.
    pub fn bonus_without_cost_before(&self, day: Date) -> BTreeSet<(usize, &str)> {
        let lacks_cost = |bonus: &&HeldLot| {
            bonus.is_bonus
                && bonus.closed_on.is_none_or(|closed_on| closed_on >= day)
                && self.first_sale_of_older(bonus).is_some_and(|sold_on| sold_on < day)
        };
        self.lots.iter().filter(lacks_cost).map(HeldLot::position).collect()
    }

    /// Returns the first and last days of the times at whose beginnings the value of bonus shares was missing, allotted or not.
    pub fn periods_of_bonus_without_cost(&self) -> Vec<(Date, Date)> {
        let period = |bonus: &HeldLot| {
            Some((self.first_sale_of_older(bonus)?.next_day()?, bonus.closed_on.unwrap_or(Date::MAX)))
        };
        join_overlapping(self.lots.iter().filter(|lot| lot.is_bonus).filter_map(period).collect())
    }

    /// Returns the ex-date of bonus shares.
    fn ex_date(&self, bonus: &HeldLot) -> Date {
        *self.bonus_ex_dates.get(&bonus.opened_on).unwrap_or(&bonus.opened_on)
    }

    /// Returns the first day since the ex-date of bonus shares on which older shares were sold.
    fn first_sale_of_older(&self, bonus: &HeldLot) -> Option<Date> {
        let ex_date = self.ex_date(bonus);
        let older = self.lots.iter().filter(|lot| lot.ledger == bonus.ledger && lot.opened_on < bonus.opened_on);
        older.filter_map(|lot| lot.closed_on).filter(|closed_on| *closed_on >= ex_date).min()
    }

    /// Returns whether a ledger has bonus shares on shares that were bought before a day. Their value has what those had gained
    /// before.
    pub fn has_bonus_on_lots_before(&self, day: Date, ledger: usize) -> bool {
        let lots = || self.lots.iter().filter(move |lot| lot.ledger == ledger);
        lots().filter(|lot| lot.is_bonus && lot.closed_on.is_none()).any(|bonus| {
            let ex_date = self.ex_date(bonus);
            lots().any(|lot| lot.opened_on < day && lot.is_open_before(ex_date))
        })
    }

    /// Returns whether a contract was open at the beginning of a day.
    pub fn has_contracts_before(&self, day: Date) -> bool {
        self.open_before(day).any(|lot| lot.instrument.class != Class::Equity)
    }

    /// Returns the periods in which daily settlements of futures may be posted, in the order of time and without overlaps.
    /// The last one has no end while a future is open.
    pub fn futures_periods(&self) -> Vec<(Date, Date)> {
        let futures = self.lots.iter().filter(|lot| lot.instrument.class == Class::Future);
        let settled = |lot: &HeldLot| lot.closed_on.map_or(Date::MAX, |day| add_trading_days(day, MAX_CONTRACT_LAG));
        join_overlapping(futures.map(|lot| (lot.opened_on, settled(lot))).collect())
    }

    /// Returns the first and last days of the times at whose beginnings lots were open.
    pub fn open_periods(&self) -> Vec<(Date, Date)> {
        let closed = |lot: &HeldLot| lot.closed_on.unwrap_or(Date::MAX);
        join_overlapping(self.lots.iter().filter_map(|lot| Some((lot.opened_on.next_day()?, closed(lot)))).collect())
    }

    /// Returns the number of sales without a purchase from a day on. Their shares were held before at an unknown cost.
    pub fn count_missing_costs(&self, from: Date) -> usize {
        self.missing_cost.iter().filter(|day| **day >= from).count()
    }

    /// Returns the number of contracts without a settlement price that may have expired or been settled in a period.
    pub fn count_missing_settlements(&self, from: Date, to: Date) -> usize {
        let settled_by = |expired: &ExpiredContract| add_trading_days(expired.latest, MAX_CONTRACT_LAG);
        self.expired.iter().filter(|expired| expired.earliest <= to && settled_by(expired) >= from).count()
    }

    /// Returns the number of positions that were open in a period and whose cost was reduced on an unknown day.
    pub fn count_reduced_costs(&self, from: Date, to: Date) -> usize {
        let is_in_period = |lot: &&HeldLot| lot.opened_on <= to && lot.closed_on.is_none_or(|closed| closed >= from);
        let lots = self.lots.iter().filter(|lot| lot.is_cost_reduced).filter(is_in_period);
        lots.map(HeldLot::position).collect::<BTreeSet<_>>().len()
    }
}

/// Returns the last day until today of an action that changed the number of shares, by symbol.
fn last_actions(adjustments: &[Adjustment], today: Date) -> HashMap<&str, Date> {
    let changes_quantity = |kind: &AdjustmentKind| {
        use AdjustmentKind as Kind;
        matches!(
            kind,
            Kind::Split(_)
                | Kind::Bonus { .. }
                | Kind::Merger { .. }
                | Kind::Demerger { .. }
                | Kind::ContractAdjustment { .. }
        )
    };
    let mut actions: HashMap<&str, Date> = HashMap::new();
    for one in adjustments.iter().filter(|one| one.day <= today && changes_quantity(&one.kind)) {
        let last = actions.entry(&one.symbol).or_insert(one.day);
        *last = one.day.max(*last);
    }
    actions
}

/// Joins periods that overlap, in the order of time.
fn join_overlapping(mut periods: Vec<(Date, Date)>) -> Vec<(Date, Date)> {
    periods.sort_unstable();
    let mut joined: Vec<(Date, Date)> = Vec::new();
    for (first, last) in periods {
        match joined.last_mut() {
            Some(period) if period.1 >= first => period.1 = period.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// Returns the charges of the depository participant, with their part of the GST.
pub fn depository_charges(charges: &Charges, is_stated: bool) -> Decimal {
    if charges.dp.is_zero() {
        return Decimal::ZERO;
    }
    if is_stated {
        return charges.dp + charges.estimated_gst();
    }
    let taxed = charges.brokerage + charges.exchange + charges.sebi + charges.ipft + charges.dp;
    charges.dp + (charges.gst * charges.dp).checked_div(taxed).unwrap_or_default().round_dp(4)
}
