//! Parts of a position that were opened together, the units that are grouped.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime};

use super::lot_part::LotPart;
use super::shape::ShapeLeg;
use crate::fill::{BrokerAccount, INDIA};
use crate::fill_key::FillKey;

/// Lots of one position that were opened within minutes of each other. Never empty.
#[derive(Clone, Debug)]
pub struct TimePart {
    pub lots: Vec<LotPart>,
    pub leg: ShapeLeg,
    pub position: FillKey,
    pub opened_at: OffsetDateTime,
    /// Time from which nothing of it is open; none if something is.
    pub ended_at: Option<OffsetDateTime>,
    pub has_time: bool,
    /// True for shares that a contract delivered.
    pub delivered: bool,
}

impl TimePart {
    /// Divides the lots of a position by the time of their entries.
    pub fn divide(mut lots: Vec<LotPart>, window: Duration) -> Vec<Self> {
        lots.sort_by_key(|lot| (lot.opened_at, lot.lot, lot.from));
        let mut parts: Vec<Vec<LotPart>> = Vec::new();
        for lot in lots {
            match parts.last_mut() {
                Some(part) if part.first().is_some_and(|first| is_together(first, &lot, window)) => part.push(lot),
                _ => parts.push(vec![lot]),
            }
        }
        parts.into_iter().filter_map(Self::new).collect()
    }

    /// Divides lots by their positions and the time of their entries.
    pub fn divide_by_position(lots: Vec<LotPart>, window: Duration) -> Vec<Self> {
        let mut by_position: BTreeMap<FillKey, Vec<LotPart>> = BTreeMap::new();
        for lot in lots {
            by_position.entry(lot.position).or_default().push(lot);
        }
        by_position.into_values().flat_map(|lots| Self::divide(lots, window)).collect()
    }

    fn new(lots: Vec<LotPart>) -> Option<Self> {
        let first = lots.first()?;
        let quantity = lots.iter().map(|lot| lot.quantity).sum();
        let ends: Option<Vec<OffsetDateTime>> = lots.iter().map(LotPart::ended_at).collect();
        Some(Self {
            leg: ShapeLeg {
                class: first.instrument.class,
                long: first.long,
                strike: first.instrument.strike.unwrap_or_default(),
                expiry: first.instrument.expiry.map(|expiry| expiry.day),
                quantity,
            },
            position: first.position,
            opened_at: first.opened_at,
            ended_at: ends.and_then(|ends| ends.into_iter().max()),
            has_time: lots.iter().all(|lot| lot.has_time),
            delivered: first.delivered,
            lots,
        })
    }

    /// Returns the account with a broker that has it.
    pub fn account(&self) -> Option<BrokerAccount> {
        self.lots.first().map(|lot| lot.account)
    }

    /// Returns the part with the first `quantity`, and the rest.
    pub fn split(self, quantity: Decimal) -> (Option<Self>, Option<Self>) {
        let (mut first, mut rest, mut missing) = (Vec::new(), Vec::new(), quantity);
        for lot in self.lots {
            if missing.is_zero() {
                rest.push(lot);
                continue;
            }
            let (part, other) = lot.split(missing);
            missing -= part.quantity;
            first.push(part);
            rest.extend(other);
        }
        (Self::new(first), Self::new(rest))
    }

    /// Returns the lots that are open at a time, and the others.
    pub fn split_open(self, at: OffsetDateTime) -> (Option<Self>, Option<Self>) {
        let (open, ended) = self.lots.into_iter().partition(|lot| lot.is_open_at(at));
        (Self::new(open), Self::new(ended))
    }

    /// Returns the lots that end at the same time as one part each.
    pub fn split_by_end(self) -> Vec<Self> {
        let mut by_end: BTreeMap<Option<OffsetDateTime>, Vec<LotPart>> = BTreeMap::new();
        for lot in self.lots {
            by_end.entry(lot.ended_at()).or_default().push(lot);
        }
        by_end.into_values().filter_map(Self::new).collect()
    }

    /// Returns the leg as far as it is open at a time.
    pub fn open_leg(&self, at: OffsetDateTime) -> Option<ShapeLeg> {
        let quantity: Decimal = self.lots.iter().filter(|lot| lot.is_open_at(at)).map(|lot| lot.quantity).sum();
        (!quantity.is_zero()).then_some(ShapeLeg { quantity, ..self.leg })
    }

    /// Returns the key of the shares that its contract delivers at expiry, and the settled quantity; none if it was not
    /// settled.
    pub fn delivery(&self) -> Option<(FillKey, Decimal)> {
        let is_settled = |lot: &&LotPart| lot.exit.as_ref().is_some_and(|exit| exit.settled);
        let lot = self.lots.iter().find(is_settled)?;
        let day = lot.exit.as_ref()?.day;
        let quantity = self.lots.iter().filter(is_settled).map(|lot| lot.quantity).sum();
        Some((FillKey::from_adjustment(lot.account, &lot.instrument.symbol, day, "delivery"), quantity))
    }

    pub fn is_option(&self) -> bool {
        self.lots.first().is_some_and(|lot| lot.instrument.is_option())
    }

    /// Returns whether it was closed, and within the window of a time.
    pub fn ended_within(&self, at: OffsetDateTime, window: Duration) -> bool {
        self.ended_at.is_some_and(|ended| (ended - at).abs() <= window)
    }
}

/// Returns whether two entries were made within the window. Without times, those of one day are together.
fn is_together(first: &LotPart, lot: &LotPart, window: Duration) -> bool {
    if first.has_time && lot.has_time {
        lot.opened_at - first.opened_at <= window
    } else {
        lot.opened_at.to_offset(INDIA).date() == first.opened_at.to_offset(INDIA).date()
    }
}
