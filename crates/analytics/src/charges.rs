//! What the trades cost, as the contract notes of their days would say.
//!
//! A contract note is of one broker, one day, and shares or contracts. Brokerage is per executed order. STT and stamp
//! duty are rounded to whole rupees on the note, the rest to 4 decimals, and what that changes is spread over its
//! trades. A contract note may round otherwise, so all of it is an estimate.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use crate::fill::{Broker, Fill, Side, Source, share};
use crate::instrument::Class;
use crate::matching::Part;
use crate::tariff::{Kind, Levy, On, Price, Rate, Tariff};

/// What charges are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    Brokerage,
    Stt,
    Exchange,
    Sebi,
    Ipft,
    StampDuty,
    Gst,
    Dp,
}

/// The charges of something, by component.
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
}

impl Charges {
    pub fn each(&self) -> [(Component, Decimal); 8] {
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
        self.each().into_iter().map(|(_, amount)| amount).sum()
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
    }

    /// What falls on `from` to `to` of `whole`.
    pub fn share(&self, from: Decimal, to: Decimal, whole: Decimal) -> Self {
        if from.is_zero() && to >= whole {
            return *self;
        }
        let of = |amount: Decimal| if amount.is_zero() { amount } else { share(amount, from, to, whole) };
        Self {
            brokerage: of(self.brokerage),
            stt: of(self.stt),
            exchange: of(self.exchange),
            sebi: of(self.sebi),
            ipft: of(self.ipft),
            stamp_duty: of(self.stamp_duty),
            gst: of(self.gst),
            dp: of(self.dp),
        }
    }
}

/// The charges of one part of a fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    pub charges: Charges,
    /// Some rate for it is not in our tables.
    pub unknown: bool,
}

/// What a contract note is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Note {
    pub broker: Broker,
    /// Futures and options, or shares.
    pub contracts: bool,
    pub day: Date,
}

/// Shares that were given, or held before, cost no charges that we know of.
pub fn is_charged(fill: &Fill) -> bool {
    match fill.source {
        Source::Trade | Source::Settled | Source::Worthless => true,
        Source::Opening | Source::Bonus => false,
    }
}

/// A line of a contract note.
pub struct Line<'a> {
    pub part: &'a Part,
    pub fill: &'a Fill,
    pub charged: Charged,
}

impl Line<'_> {
    fn is_trade(&self) -> bool {
        self.fill.source == Source::Trade
    }

    /// Where it stands on the note: by what it is, so that nothing depends on where it came from.
    pub fn order(&self, other: &Self) -> Ordering {
        self.fill.order(other.fill).then(self.part.kind.cmp(&other.part.kind))
    }
}

/// Charges the lines of one contract note, which stand in their order.
pub fn charge(lines: &mut [Line], tariff: &Tariff) {
    brokerage(lines, tariff);
    depository(lines, tariff);
    levy(lines, &tariff.exchange, 4, |charges| &mut charges.exchange);
    levy(lines, &tariff.sebi, 4, |charges| &mut charges.sebi);
    levy(lines, &tariff.ipft, 4, |charges| &mut charges.ipft);
    levy(lines, &tariff.stt, 0, |charges| &mut charges.stt);
    levy(lines, &tariff.stamp_duty, 0, |charges| &mut charges.stamp_duty);
    goods_and_services_tax(lines, &tariff.gst);
    for line in lines {
        let kind = line.part.kind;
        line.charged.unknown |= line.is_trade()
            && (levied(&tariff.exchange, line.fill, kind).is_none()
                || !tariff.stt.knows(line.fill.day, On::Trade(kind)));
    }
}

/// The rate of a levy for a part of a fill, where there is one.
pub fn levied<'t>(levy: &'t Levy, fill: &Fill, kind: Kind) -> Option<&'t Rate> {
    let (on, side) = match fill.source {
        Source::Trade => (On::Trade(kind), fill.side),
        // The law taxes who exercises: the holder, whose position is sold here.
        Source::Settled if fill.instrument.class != Class::Future && fill.side == Side::Sell => {
            (On::Exercise, Side::Buy)
        }
        Source::Settled | Source::Worthless | Source::Opening | Source::Bonus => return None,
    };
    levy.find(fill.day, fill.exchange, on, side, &fill.instrument.underlying).filter(|rate| {
        // Only what is for an exercise is levied on it.
        on != On::Exercise || rate.is_for(on)
    })
}

/// The broker's price of each executed order.
fn brokerage(lines: &mut [Line], tariff: &Tariff) {
    let mut orders: BTreeMap<_, (Option<&Price>, Vec<usize>)> = BTreeMap::new();
    for (place, line) in lines.iter().enumerate().filter(|(_, line)| line.is_trade()) {
        let price = tariff.price(line.fill.broker, line.fill.day, On::Trade(line.part.kind));
        // Shares of one order may be of both kinds. Where the broker asks the same for either, it asks once.
        let order = (line.fill.executed_order(), price.map(Price::terms));
        orders.entry(order).or_insert_with(|| (price, Vec::new())).1.push(place);
    }
    let orders: Vec<_> = orders.into_values().collect();
    for (price, places) in orders {
        match price {
            Some(price) => spread(lines, &places, |value| price.of(value), |charges| &mut charges.brokerage),
            None => places.iter().for_each(|place| {
                if let Some(line) = lines.get_mut(*place) {
                    line.charged.unknown = true;
                }
            }),
        }
    }
}

/// Shares that leave the account cost something for each scrip and day.
fn depository(lines: &mut [Line], tariff: &Tariff) {
    let mut scrips: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        if line.is_trade() && line.part.kind == Kind::Delivery && line.fill.side == Side::Sell {
            scrips.entry(&line.fill.instrument.symbol).or_default().push(place);
        }
    }
    let scrips: Vec<_> = scrips.into_values().collect();
    for scrip in scrips {
        let Some(first) = scrip.first().and_then(|place| lines.get(*place)) else { continue };
        if let Some(price) = tariff.price(first.fill.broker, first.fill.day, On::Dp) {
            spread(lines, &scrip, |value| price.of(value), |charges| &mut charges.dp);
        }
    }
}

/// Spreads what `amount` says of the value of all these lines over them, by value.
fn spread(
    lines: &mut [Line],
    places: &[usize],
    amount: impl FnOnce(Decimal) -> Decimal,
    field: fn(&mut Charges) -> &mut Decimal,
) {
    let whole: Decimal = places.iter().filter_map(|place| lines.get(*place)).map(|line| line.part.value).sum();
    let amount = amount(whole);
    let mut from = Decimal::ZERO;
    for place in places {
        let Some(line) = lines.get_mut(*place) else { continue };
        let to = from + line.part.value;
        *field(&mut line.charged.charges) = share(amount, from, to, whole);
        from = to;
    }
}

/// A levy of the whole note, rounded to so many decimals, spread over its lines.
fn levy(lines: &mut [Line], levy: &Levy, decimals: u32, field: fn(&mut Charges) -> &mut Decimal) {
    let exact =
        |line: &Line| levied(levy, line.fill, line.part.kind).map_or(Decimal::ZERO, |rate| rate.of(line.part.value));
    let exact: Vec<Decimal> = lines.iter().map(exact).collect();
    by_line(lines, &exact, decimals, field);
}

fn goods_and_services_tax(lines: &mut [Line], levy: &Levy) {
    let exact = |line: &Line| {
        let charges = &line.charged.charges;
        let taxed = charges.brokerage + charges.exchange + charges.sebi + charges.ipft + charges.dp;
        levied(levy, line.fill, line.part.kind).map_or(Decimal::ZERO, |rate| rate.of(taxed))
    };
    let exact: Vec<Decimal> = lines.iter().map(exact).collect();
    by_line(lines, &exact, 4, |charges| &mut charges.gst);
}

fn by_line(lines: &mut [Line], exact: &[Decimal], decimals: u32, field: fn(&mut Charges) -> &mut Decimal) {
    let whole: Decimal = exact.iter().sum();
    let amount = whole.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
    if amount.is_zero() {
        return;
    }
    let (mut end, mut given) = (Decimal::ZERO, Decimal::ZERO);
    for (line, exact) in lines.iter_mut().zip(exact).filter(|(_, exact)| !exact.is_zero()) {
        end += exact;
        let up_to = share(amount, Decimal::ZERO, end, whole);
        *field(&mut line.charged.charges) = up_to - given;
        given = up_to;
    }
}
