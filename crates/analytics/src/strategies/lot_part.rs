//! Parts of lots, the smallest units of which strategies are made.

use std::cmp::Ordering;
use std::ops::Add;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::macros::time;
use time::{Date, OffsetDateTime};

use crate::arithmetic::prorate;
use crate::charges::Charges;
use crate::exchange::Exchange;
use crate::fill::{BrokerAccount, INDIA, Labels, Side, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::LotRange;
use crate::position::Position;

/// Part of a lot with its entry and, if it was closed, its exit.
#[derive(Clone, Debug)]
pub struct LotPart {
    pub account: BrokerAccount,
    /// Index of the ledger in the analysis.
    pub ledger: usize,
    /// Index of the lot in the ledger.
    pub lot: usize,
    /// Key of the position that contains it.
    pub position: FillKey,
    /// Index of the position in the ledger.
    pub position_index: usize,
    /// Key of the fill that opened it.
    pub fill: FillKey,
    /// Start of its range in the quantity of the fill.
    pub from: Decimal,
    /// Start of the lot in the quantity of the fill: above 0 if a part of the fill is netted within the day.
    pub lot_start: Decimal,
    pub quantity: Decimal,
    /// True if nothing of the fill follows this part.
    pub ends_fill: bool,
    pub instrument: Arc<Instrument>,
    pub exchange: Exchange,
    pub kind: TradeKind,
    pub long: bool,
    pub opened_at: OffsetDateTime,
    pub opened_day: Date,
    /// True if the time of day of the entry is known.
    pub has_time: bool,
    pub entry_value: Decimal,
    pub entry_charges: LotPartCharges,
    pub exit: Option<Exit>,
    /// True for a contract past its expiry without an entered settlement.
    pub awaits_settlement: bool,
    /// True for shares that a contract delivered.
    pub delivered: bool,
    /// Number of the trade that opened it.
    pub trade_id: i64,
    pub labels: Option<Arc<Labels>>,
    /// True if a charge rate is missing in the tables.
    pub rates_missing: bool,
}

/// Charges of an entry or exit.
#[derive(Clone, Copy, Debug, Default)]
pub struct LotPartCharges {
    pub total: Decimal,
    /// Part of `total` that contract notes state.
    pub stated: Decimal,
    /// STT, which `total` includes.
    pub stt: Decimal,
}

impl LotPartCharges {
    fn new(charges: &Charges) -> Self {
        Self { total: charges.total(), stated: charges.stated, stt: charges.stt }
    }

    /// Returns the parts that `first` computes, and the rest.
    fn split(self, first: &impl Fn(Decimal) -> Decimal) -> (Self, Self) {
        let part = Self { total: first(self.total), stated: first(self.stated), stt: first(self.stt) };
        let rest = Self { total: self.total - part.total, stated: self.stated - part.stated, stt: self.stt - part.stt };
        (part, rest)
    }
}

impl Add for LotPartCharges {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { total: self.total + other.total, stated: self.stated + other.stated, stt: self.stt + other.stt }
    }
}

/// Exit of a part of a lot.
#[derive(Clone, Debug)]
pub struct Exit {
    /// Range of the lot of the closing fill.
    pub range: LotRange,
    pub at: OffsetDateTime,
    pub day: Date,
    pub has_time: bool,
    pub value: Decimal,
    pub charges: LotPartCharges,
    /// True if the contract expired and was settled.
    pub settled: bool,
}

impl LotPart {
    /// Returns the parts of the lots of a position, given with the index of its ledger.
    pub fn list(index: usize, ledger: &InstrumentLedger, position: &Position) -> Vec<Self> {
        let Some(key) = position.key() else { return Vec::new() };
        let open = ledger.open_part(position);
        let expired = open.is_some_and(|open| open.expired);
        let matches = ledger.lot_matches(&position.result.lot_matches).iter();
        let matched = matches.map(|lot_match| (&lot_match.entry, Some(&lot_match.exit)));
        let open = open.into_iter().flat_map(|open| &open.lots).map(|range| (range, None));
        let part = |(entry, exit): (&LotRange, Option<&LotRange>)| {
            let detail = ledger.range_detail(entry)?;
            let lot_start = ledger.lot_start(entry.lot);
            let exit = match exit {
                Some(range) => Some(exit_of(ledger, range)?),
                None => None,
            };
            Some(Self {
                account: detail.fill.account,
                ledger: index,
                lot: entry.lot,
                position: key,
                position_index: position.result.position,
                fill: detail.fill.key,
                from: lot_start + entry.from,
                lot_start,
                quantity: entry.quantity(),
                ends_fill: lot_start + entry.to == detail.fill.quantity,
                instrument: detail.fill.instrument.clone(),
                exchange: detail.fill.exchange,
                kind: detail.lot.kind,
                long: detail.fill.side == Side::Buy,
                opened_at: detail.fill.executed_at,
                opened_day: detail.fill.day,
                has_time: detail.fill.has_time,
                entry_value: detail.value,
                entry_charges: LotPartCharges::new(&detail.charges),
                awaits_settlement: exit.is_none() && expired,
                exit,
                delivered: detail.fill.source == Source::Delivered,
                trade_id: detail.fill.trade_id,
                labels: detail.fill.labels.clone(),
                rates_missing: detail.rates_missing,
            })
        };
        matched.chain(open).filter_map(part).collect()
    }

    /// Returns the first `quantity` and the rest, whose amounts add up to those of the whole.
    pub fn split(self, quantity: Decimal) -> (Self, Option<Self>) {
        if quantity >= self.quantity {
            return (self, None);
        }
        let whole = self.quantity;
        let first = |amount: Decimal| prorate(amount, Decimal::ZERO, quantity, whole);
        let mut rest = Self { from: self.from + quantity, quantity: whole - quantity, ..self.clone() };
        let mut part = Self { quantity, ends_fill: false, ..self };
        part.entry_value = first(part.entry_value);
        (part.entry_charges, rest.entry_charges) = part.entry_charges.split(&first);
        rest.entry_value -= part.entry_value;
        if let (Some(exit), Some(other)) = (&mut part.exit, &mut rest.exit) {
            exit.value = first(exit.value);
            other.value -= exit.value;
            let end = exit.range.from + first(exit.range.quantity());
            (exit.range.to, other.range.from) = (end, end);
            (exit.charges, other.charges) = exit.charges.split(&first);
        }
        (part, Some(rest))
    }

    /// Returns the ledger, the lot, and the start of the range in it.
    pub fn start(&self) -> (usize, usize, Decimal) {
        (self.ledger, self.lot, self.from)
    }

    /// Returns the ranges of the lots of its entry and exit.
    pub fn ranges(&self) -> impl Iterator<Item = LotRange> {
        let from = self.from - self.lot_start;
        let entry = LotRange { lot: self.lot, from, to: from + self.quantity, cost: None };
        [Some(entry), self.exit.as_ref().map(|exit| exit.range)].into_iter().flatten()
    }

    /// Compares the order of openings. It does not depend on the order in which trades were imported.
    pub fn compare(&self, other: &Self) -> Ordering {
        let key = |lot: &Self| (lot.fill, lot.from);
        let symbols = || self.instrument.symbol.cmp(&other.instrument.symbol);
        self.opened_at.cmp(&other.opened_at).then_with(symbols).then_with(|| key(self).cmp(&key(other)))
    }

    /// Returns 1 for a long and -1 for a short part.
    pub fn sign(&self) -> Decimal {
        if self.long { Decimal::ONE } else { Decimal::NEGATIVE_ONE }
    }

    /// Returns the result before charges; none if it is open.
    pub fn gross(&self) -> Option<Decimal> {
        self.exit.as_ref().map(|exit| (exit.value - self.entry_value) * self.sign())
    }

    /// Returns the charges of entry and exit.
    pub fn charges(&self) -> Decimal {
        self.all_charges().total
    }

    /// Returns the charges of entry and exit with their parts.
    pub fn all_charges(&self) -> LotPartCharges {
        self.entry_charges + self.exit.as_ref().map(|exit| exit.charges).unwrap_or_default()
    }

    /// Returns the time from which it has no effect any more: that of the exit, or of the expiry if it awaits its
    /// settlement. None if it is open.
    pub fn ended_at(&self) -> Option<OffsetDateTime> {
        let expiry = || self.instrument.expiry.filter(|_| self.awaits_settlement);
        let at_close = |day| OffsetDateTime::new_in_offset(day, time!(15:30), INDIA);
        self.exit.as_ref().map(|exit| exit.at).or_else(|| expiry().map(|expiry| at_close(expiry.day)))
    }

    pub fn is_open_at(&self, at: OffsetDateTime) -> bool {
        self.opened_at <= at && self.ended_at().is_none_or(|ended| ended > at)
    }
}

fn exit_of(ledger: &InstrumentLedger, range: &LotRange) -> Option<Exit> {
    let detail = ledger.range_detail(range)?;
    Some(Exit {
        range: *range,
        at: detail.fill.executed_at,
        day: detail.fill.day,
        has_time: detail.fill.has_time,
        value: detail.value,
        charges: LotPartCharges::new(&detail.charges),
        settled: detail.fill.source == Source::Settled,
    })
}
