//! Charges of trades, computed per contract note.
//!
//! A contract note covers one broker, one day, and either shares or contracts. Brokerage is charged per executed order.
//! STT on shares is due on the day's average price of each scrip and side. STT and stamp duty are rounded to whole
//! rupees on the note, all other charges to 4 decimals; each rounded amount is allocated to the trades of the note.
//! Brokers may round differently, so all these charges are estimates. Charges that an imported contract note states
//! replace them: each amount is distributed in proportion to the estimates.

mod stated;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use self::stated::apply_stated_charges;
pub use self::stated::trade_estimate;
use crate::arithmetic::{allocate, divide_to_paise, prorate};
use crate::broker_terms::{BrokerTerms, StatedCharges};
use crate::charge_rates::{BrokerPrice, ChargeEvent, ChargeRates, Levy, LevyQuery, LevyRate};
use crate::exchange::Exchange;
use crate::fill::{BrokerAccount, Fill, Side, Source, TradeKind};
use crate::matching::Lot;

/// Largest difference between the turnover of a contract note and that of the log, as a share: some tradebooks state an
/// average price of an order, rounded to the paisa.
const MAX_TURNOVER_DIFFERENCE: Decimal = Decimal::from_parts(1, 0, 0, false, 3);

/// Component of charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    Brokerage,
    /// Securities transaction tax.
    Stt,
    /// Transaction charges of the exchange.
    Exchange,
    /// Turnover fee of SEBI.
    Sebi,
    /// Contribution to the NSE Investor Protection Fund Trust.
    Ipft,
    StampDuty,
    /// Goods and services tax.
    Gst,
    /// Charge of the depository participant for shares that leave the account.
    Dp,
}

impl Component {
    /// Charges that a contract note states.
    pub const STATED: [Self; 7] =
        [Self::Brokerage, Self::Stt, Self::Exchange, Self::Sebi, Self::Ipft, Self::StampDuty, Self::Gst];
}

/// Charges by component, in rupees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charges {
    pub brokerage: Decimal,
    pub stt: Decimal,
    pub exchange: Decimal,
    pub sebi: Decimal,
    pub ipft: Decimal,
    pub stamp_duty: Decimal,
    pub gst: Decimal,
    pub dp: Decimal,
    /// Part of the sum that contract notes state; the rest is estimated.
    pub stated: Decimal,
}

impl Charges {
    pub fn components(&self) -> [(Component, Decimal); 8] {
        [
            (Component::Brokerage, self.brokerage),
            (Component::Stt, self.stt),
            (Component::Exchange, self.exchange),
            (Component::Sebi, self.sebi),
            (Component::Ipft, self.ipft),
            (Component::StampDuty, self.stamp_duty),
            (Component::Gst, self.gst),
            (Component::Dp, self.dp),
        ]
    }

    pub fn total(&self) -> Decimal {
        // Each trade has some that are zero, and adding takes longer than comparing.
        let amounts = self.components().into_iter().map(|(_, amount)| amount).filter(|amount| !amount.is_zero());
        amounts.reduce(|sum, amount| sum + amount).unwrap_or_default()
    }

    /// Returns the GST that no contract note states: that on the charge of the depository participant, if the other charges
    /// are stated.
    pub fn estimated_gst(&self) -> Decimal {
        if self.dp.is_zero() { Decimal::ZERO } else { self.total() - self.dp - self.stated }
    }

    pub fn add(&mut self, other: &Self) {
        self.brokerage += other.brokerage;
        self.stt += other.stt;
        self.exchange += other.exchange;
        self.sebi += other.sebi;
        self.ipft += other.ipft;
        self.stamp_duty += other.stamp_duty;
        self.gst += other.gst;
        self.dp += other.dp;
        self.stated += other.stated;
    }

    /// Returns the charges that belong to the range from `from` to `to` of `whole`.
    pub fn prorate(&self, from: Decimal, to: Decimal, whole: Decimal) -> Self {
        if from.is_zero() && to >= whole {
            return *self;
        }
        let part = |amount: Decimal| if amount.is_zero() { amount } else { prorate(amount, from, to, whole) };
        Self {
            brokerage: part(self.brokerage),
            stt: part(self.stt),
            exchange: part(self.exchange),
            sebi: part(self.sebi),
            ipft: part(self.ipft),
            stamp_duty: part(self.stamp_duty),
            gst: part(self.gst),
            dp: part(self.dp),
            stated: part(self.stated),
        }
    }
}

/// Charges of one lot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LotCharges {
    pub charges: Charges,
    /// True if a charge rate is missing in the tables, so that the charges are incomplete.
    pub rates_missing: bool,
    /// True if a contract note states the charges, except those of the depository participant.
    pub is_stated: bool,
}

/// Identity of a contract note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContractNote {
    pub account: BrokerAccount,
    /// True for futures and options, false for shares.
    pub contracts: bool,
    pub day: Date,
}

/// Returns whether a fill is on a contract note. Bonus shares and opening holdings have no known charges.
pub fn is_on_contract_note(fill: &Fill) -> bool {
    match fill.source {
        Source::Trade | Source::Settled | Source::Delivered => true,
        Source::Opening
        | Source::Bonus
        | Source::Demerger
        | Source::Rights
        | Source::Buyback { .. }
        | Source::FractionPayment { .. } => false,
    }
}

/// Lot on a contract note.
#[derive(Clone, Copy)]
pub struct NoteLot<'a> {
    /// Index of the instrument's ledger.
    pub ledger: usize,
    /// Index of the lot in the ledger.
    pub index: usize,
    pub lot: &'a Lot,
    pub fill: &'a Fill,
}

impl NoteLot<'_> {
    /// Orders the lots of a note by their contents, so that the order of imports does not matter.
    fn compare(&self, other: &Self) -> Ordering {
        self.fill.compare(other.fill).then_with(|| self.lot.kind.cmp(&other.lot.kind))
    }
}

/// Line of a contract note: a lot with its charges.
pub struct NoteLine<'a> {
    /// As in [`NoteLot`].
    pub ledger: usize,
    pub index: usize,
    pub lot: &'a Lot,
    pub fill: &'a Fill,
    pub lot_charges: LotCharges,
}

impl NoteLine<'_> {
    pub fn is_trade(&self) -> bool {
        self.fill.source == Source::Trade
    }
}

/// Returns the lines of one contract note with their charges.
pub fn charge_note<'a>(mut lots: Vec<NoteLot<'a>>, rates: &ChargeRates, terms: &BrokerTerms) -> Vec<NoteLine<'a>> {
    // Lines are several times as large, so the lots are sorted.
    lots.sort_by(NoteLot::compare);
    let line = |NoteLot { ledger, index, lot, fill }| {
        let lot_charges = LotCharges::default();
        NoteLine { ledger, index, lot, fill, lot_charges }
    };
    let mut lines: Vec<NoteLine> = lots.into_iter().map(line).collect();
    charge_lines(&mut lines, rates, terms);
    lines
}

/// Computes the charges of the lines of one contract note.
fn charge_lines(lines: &mut [NoteLine], rates: &ChargeRates, terms: &BrokerTerms) {
    add_brokerage(lines, rates, terms);
    add_dp_charges(lines, rates, terms);
    let queries: Vec<Option<LevyQuery>> = lines.iter().map(|line| levy_query(line.fill, line.lot.kind)).collect();
    let values: Vec<Decimal> = lines.iter().map(|line| line.lot.value).collect();
    let sebi_values: Vec<Decimal> = lines.iter().map(sebi_value).collect();
    let stt_values = stt_values(lines);
    let exchange = add_levy(lines, &rates.exchange, &queries, &values, 4, |charges| &mut charges.exchange);
    let sebi = add_levy(lines, &rates.sebi, &queries, &sebi_values, 4, |charges| &mut charges.sebi);
    add_levy(lines, &rates.ipft, &queries, &values, 4, |charges| &mut charges.ipft);
    add_levy(lines, &rates.stt, &queries, stt_values.as_ref().unwrap_or(&values), 0, |charges| &mut charges.stt);
    add_levy(lines, &rates.stamp_duty, &queries, &values, 0, |charges| &mut charges.stamp_duty);
    let taxable = |line: &NoteLine| {
        let charges = &line.lot_charges.charges;
        charges.brokerage + charges.exchange + charges.sebi + charges.ipft + charges.dp
    };
    let taxable: Vec<Decimal> = lines.iter().map(taxable).collect();
    add_levy(lines, &rates.gst, &queries, &taxable, 4, |charges| &mut charges.gst);
    for (line, (has_exchange, has_sebi)) in lines.iter_mut().zip(exchange.into_iter().zip(sebi)) {
        let kind = line.lot.kind;
        let event = ChargeEvent::Trade(kind);
        line.lot_charges.rates_missing |= if line.is_trade() {
            !has_exchange
                || !has_sebi
                || line.fill.instrument.security.has_unknown_charges()
                || !rates.stamp_duty.has_rate(line.fill.day, event)
                || !rates.stt.has_rate(line.fill.day, event)
        } else {
            // The levies of netted settlements are computed like those of deliveries, which is not certain.
            charge_event(line.fill, kind) == Some(ChargeEvent::NettedSettlement)
        };
    }
    if let Some(stated) = find_stated_charges(lines, terms) {
        apply_stated_charges(lines, &stated.charges);
    }
}

/// Returns the charges that the contract notes or a tradebook state for these lines; none if nothing is stated, or for
/// other trades.
pub fn find_stated_charges<'t>(lines: &[NoteLine], terms: &'t BrokerTerms) -> Option<&'t StatedCharges> {
    if terms.notes.is_empty() {
        return None;
    }
    let fill = lines.first()?.fill;
    let contracts = fill.instrument.is_contract();
    let stated = terms.notes.get(&ContractNote { account: fill.account, contracts, day: fill.day })?;
    let turnover: Decimal = lines.iter().filter(|line| line.is_trade()).map(|line| line.lot.value).sum();
    let agrees = |stated: &&StatedCharges| {
        stated.turnover > Decimal::ZERO
            && (turnover - stated.turnover).abs() <= stated.turnover * MAX_TURNOVER_DIFFERENCE
    };
    stated.iter().find(agrees)
}

/// Returns whether a fill settles an option that expired in the money: an exercise for its holder, an assignment for
/// its writer.
pub fn is_exercise(fill: &Fill) -> bool {
    fill.source == Source::Settled && fill.instrument.is_option() && !fill.value.is_zero()
}

/// Returns the value on which the SEBI fee is due: for an exercise or assignment the notional value of the contract.
fn sebi_value(line: &NoteLine) -> Decimal {
    match line.fill.instrument.strike {
        Some(strike) if is_exercise(line.fill) => strike * line.lot.quantity,
        _ => line.lot.value,
    }
}

/// Returns the values on which STT is due: for shares at the day's average price of the scrip and side, rounded to the
/// paisa (Securities Transaction Tax Rules 2004, rules 3 and 4). None if the note has no shares.
fn stt_values(lines: &[NoteLine]) -> Option<Vec<Decimal>> {
    let key = |line: &NoteLine| (line.ledger, line.fill.exchange, line.fill.side);
    let is_share = |line: &&NoteLine| line.is_trade() && !line.fill.instrument.is_contract();
    let mut sums: HashMap<(usize, Exchange, Side), (Decimal, Decimal)> = HashMap::new();
    for line in lines.iter().filter(is_share) {
        let (value, quantity) = sums.entry(key(line)).or_default();
        *value += line.lot.value;
        *quantity += line.lot.quantity;
    }
    let value = |line: &NoteLine| {
        let sum = if is_share(&line) { sums.get(&key(line)) } else { None };
        let average = sum.and_then(|(value, quantity)| divide_to_paise(*value, *quantity));
        average.map_or(line.lot.value, |average| average * line.lot.quantity)
    };
    (!sums.is_empty()).then(|| lines.iter().map(value).collect())
}

/// Returns the event that causes the charges of a lot of a fill; none if it has no charges.
pub fn charge_event(fill: &Fill, kind: TradeKind) -> Option<ChargeEvent> {
    match fill.source {
        Source::Trade => Some(ChargeEvent::Trade(kind)),
        Source::Settled if is_exercise(fill) => Some(ChargeEvent::Exercise),
        Source::Delivered if kind == TradeKind::Delivery => Some(ChargeEvent::PhysicalSettlement),
        Source::Delivered => Some(ChargeEvent::NettedSettlement),
        Source::Settled
        | Source::Opening
        | Source::Bonus
        | Source::Demerger
        | Source::Rights
        | Source::Buyback { .. }
        | Source::FractionPayment { .. } => None,
    }
}

/// Returns the facts about a lot of a fill on which the rates of levies depend; none if it has no charges.
fn levy_query(fill: &Fill, kind: TradeKind) -> Option<LevyQuery<'_>> {
    let event = match charge_event(fill, kind)? {
        ChargeEvent::NettedSettlement => ChargeEvent::PhysicalSettlement,
        event => event,
    };
    let side = match (event, fill.side) {
        // STT on an exercise is paid by the holder, who is the buyer in the rates. The fill that closes the holder's
        // position is a sale, and the fill that closes the position of the writer is a purchase.
        (ChargeEvent::Exercise, Side::Sell) => Side::Buy,
        (ChargeEvent::Exercise, Side::Buy) => Side::Sell,
        (_, side) => side,
    };
    let instrument = &fill.instrument;
    Some(LevyQuery {
        day: fill.day,
        exchange: fill.exchange,
        event,
        side,
        underlying: &instrument.underlying,
        security: instrument.security,
        series: &instrument.series,
        expiry: instrument.expiry.filter(|expiry| expiry.exact).map(|expiry| expiry.day),
    })
}

/// Returns the rate of a levy for a lot of a fill; none if the levy does not apply.
pub fn levy_rate<'r>(levy: &'r Levy, fill: &Fill, kind: TradeKind) -> Option<&'r LevyRate> {
    levy.find(&levy_query(fill, kind)?)
}

/// Adds the broker's price of each executed order, and of each exercise, assignment or delivery for a contract.
fn add_brokerage(lines: &mut [NoteLine], rates: &ChargeRates, terms: &BrokerTerms) {
    let mut orders: BTreeMap<_, (Option<&BrokerPrice>, Vec<usize>)> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.is_trade()) {
        let price = terms.price(rates, line.fill.account, line.fill.day, ChargeEvent::Trade(line.lot.kind));
        // An order of shares may be partly intraday and partly delivery. If both have the same terms, it is charged once.
        let order = (line.fill.order_key(), price.map(BrokerPrice::terms));
        orders.entry(order).or_insert_with(|| (price, Vec::new())).1.push(index);
    }
    let orders: Vec<_> = orders.into_values().collect();
    for line in lines.iter_mut().filter(|line| !line.is_trade()) {
        let Some(event) = charge_event(line.fill, line.lot.kind) else { continue };
        match terms.price(rates, line.fill.account, line.fill.day, event) {
            Some(price) => line.lot_charges.charges.brokerage = price.amount_for(line.lot.value),
            None => line.lot_charges.rates_missing = true,
        }
    }
    for (price, indices) in orders {
        match price {
            Some(price) => {
                allocate_by_value(lines, &indices, |value| price.amount_for(value), |charges| &mut charges.brokerage);
            }
            None => indices.iter().for_each(|index| {
                if let Some(line) = lines.get_mut(*index) {
                    line.lot_charges.rates_missing = true;
                }
            }),
        }
    }
}

/// Adds the charges of the depository participant for delivered shares, per scrip and day.
fn add_dp_charges(lines: &mut [NoteLine], rates: &ChargeRates, terms: &BrokerTerms) {
    let mut scrips: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        if line.is_trade() && line.lot.kind == TradeKind::Delivery && line.fill.side == Side::Sell {
            scrips.entry(&line.fill.instrument.symbol).or_default().push(index);
        }
    }
    let scrips: Vec<_> = scrips.into_values().collect();
    for indices in scrips {
        let Some(first) = indices.first().and_then(|index| lines.get(*index)) else { continue };
        if let Some(price) = terms.price(rates, first.fill.account, first.fill.day, ChargeEvent::DpDebit) {
            allocate_by_value(lines, &indices, |value| price.amount_for(value), |charges| &mut charges.dp);
        }
    }
}

/// Computes `amount` from the total value of the lines at `indices`, and allocates it to them by value.
fn allocate_by_value(
    lines: &mut [NoteLine],
    indices: &[usize],
    amount: impl FnOnce(Decimal) -> Decimal,
    field: fn(&mut Charges) -> &mut Decimal,
) {
    let weights: Vec<Decimal> =
        indices.iter().filter_map(|index| lines.get(*index)).map(|line| line.lot.value).collect();
    for (index, part) in indices.iter().zip(allocate(amount(weights.iter().sum()), &weights)) {
        if let Some(line) = lines.get_mut(*index) {
            *field(&mut line.lot_charges.charges) = part;
        }
    }
}

/// Adds a levy on these values of the lines, rounded on the whole note to this number of decimals; returns which lines
/// have a rate.
fn add_levy(
    lines: &mut [NoteLine],
    levy: &Levy,
    queries: &[Option<LevyQuery>],
    values: &[Decimal],
    decimals: u32,
    field: fn(&mut Charges) -> &mut Decimal,
) -> Vec<bool> {
    let rates: Vec<_> = queries.iter().map(|query| levy.find(query.as_ref()?)).collect();
    let exact =
        |(rate, value): (&Option<&LevyRate>, &Decimal)| rate.map_or(Decimal::ZERO, |rate| rate.amount_on(*value));
    let exact: Vec<Decimal> = rates.iter().zip(values).map(exact).collect();
    allocate_rounded(lines, &exact, decimals, field);
    rates.iter().map(Option::is_some).collect()
}

/// Rounds the sum of the exact amounts half away from zero, and allocates it to the lines in proportion to them.
fn allocate_rounded(lines: &mut [NoteLine], exact: &[Decimal], decimals: u32, field: fn(&mut Charges) -> &mut Decimal) {
    let total: Decimal = exact.iter().sum();
    let amount = total.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
    if amount.is_zero() {
        return;
    }
    for (line, part) in lines.iter_mut().zip(allocate(amount, exact)) {
        *field(&mut line.lot_charges.charges) = part;
    }
}
