//! Everything that is known of an account's trades, worked out once for each version of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::adjustment::Adjustment;
use crate::charges::{Charged, Charges, Component, charged, levied};
use crate::contract::{Class, Instrument};
use crate::fill::{Broker, Exchange, Fill, Side, Source, share};
use crate::matching::{Closing, Marks, Matched, Part, Piece, Position, Slice, matched};
use crate::tariff::{Kind, On, Rate, Tariff};

/// What one closing order took out of a position, with what it closed.
#[derive(Clone, Debug)]
pub struct Trip {
    /// The number of its first closing trade, or of its first opening one where none closed it.
    pub trade_id: i64,
    pub pieces: Range<usize>,
    pub kind: Kind,
    /// Bought first.
    pub long: bool,
    pub broker: Broker,
    pub instrument: Arc<Instrument>,
    /// As it was at the closing.
    pub quantity: Decimal,
    pub entry_value: Decimal,
    pub exit_value: Decimal,
    pub gross: Decimal,
    pub charges: Decimal,
    /// Of the charges.
    pub stt: Decimal,
    pub net: Decimal,
    pub opened: OffsetDateTime,
    pub closed: OffsetDateTime,
    /// In India.
    pub opened_day: Date,
    pub closed_day: Date,
    /// The time of the day is known: of the opening, of both.
    pub opened_timed: bool,
    pub timed: bool,
    /// The first opening fill, and the first closing one.
    pub entry: usize,
    pub exit: usize,
    pub notes: Notes,
}

/// What was not a trade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    pub worthless: bool,
    pub settled: bool,
    pub marks: Marks,
    pub bonus: bool,
    pub opening: bool,
    pub uncharged: bool,
}

impl Trip {
    /// Unique within the account, and the same as long as its trades are.
    pub fn id(&self) -> String {
        let kind = match self.kind {
            _ if self.notes.worthless || self.notes.settled => 'x',
            Kind::Intraday => 'i',
            Kind::Delivery => 'd',
            Kind::Futures | Kind::Options => 'f',
        };
        format!("{}{kind}", self.trade_id)
    }

    /// From opening to closing, where it is known well enough.
    pub fn holding_seconds(&self) -> Option<i64> {
        let known = self.timed || self.opened_day != self.closed_day;
        known.then(|| (self.closed - self.opened).whole_seconds())
    }
}

/// Where a slice comes from.
pub struct Origin<'a> {
    pub fill: &'a Fill,
    pub part: &'a Part,
    pub value: Decimal,
    pub charges: Charges,
    /// Some rate for it is not in our tables.
    pub unknown: bool,
}

/// A component of charges by one rule.
pub struct ChargeLine {
    pub component: Component,
    pub rule: String,
    pub from: Date,
    pub source: String,
    pub amount: Decimal,
}

#[derive(Debug)]
pub struct Analysis {
    pub fills: Vec<Fill>,
    /// How many of them are trades.
    pub trades: usize,
    parts: Vec<Part>,
    charged: Vec<Charged>,
    pub pieces: Vec<Piece>,
    /// In the order of their closing.
    pub trips: Vec<Trip>,
    pub unmatched: Vec<Slice>,
    pub positions: Vec<Position>,
    tariff: &'static Tariff,
}

impl Analysis {
    pub fn of(fills: Vec<Fill>, adjustments: &[Adjustment], tariff: &'static Tariff, today: Date) -> Self {
        let trades = fills.len();
        let Matched { fills, parts, pieces, closings, unmatched, positions } = matched(fills, adjustments, today);
        let charged = charged(&fills, &parts, tariff);
        let mut analysis =
            Self { fills, trades, parts, charged, pieces, trips: Vec::new(), unmatched, positions, tariff };
        let mut trips: Vec<Trip> = closings.into_iter().filter_map(|closing| analysis.trip(closing)).collect();
        trips.sort_by(|one, other| {
            (one.closed, one.opened, &one.instrument.symbol, one.net, one.trade_id).cmp(&(
                other.closed,
                other.opened,
                &other.instrument.symbol,
                other.net,
                other.trade_id,
            ))
        });
        analysis.trips = trips;
        analysis
    }

    /// What a slice is of.
    pub fn origin(&self, slice: &Slice) -> Option<Origin<'_>> {
        let part = self.parts.get(slice.part)?;
        let charged = self.charged.get(slice.part)?;
        let charges = charged.charges.share(slice.from, slice.to, part.quantity);
        let value = share(part.value, slice.from, slice.to, part.quantity);
        Some(Origin { fill: self.fills.get(part.fill)?, part, value, charges, unknown: charged.unknown })
    }

    /// Every part of every fill.
    pub fn origins(&self) -> impl Iterator<Item = Origin<'_>> {
        let whole = |(place, part): (usize, &Part)| Slice { part: place, from: Decimal::ZERO, to: part.quantity };
        self.parts.iter().enumerate().filter_map(move |part| self.origin(&whole(part)))
    }

    /// The rate of the tax on the charges of a part.
    pub fn gst(&self, origin: &Origin) -> Option<&Rate> {
        levied(&self.tariff.gst, origin.fill, origin.part.kind)
    }

    /// The pieces of a round trip.
    pub fn pieces(&self, trip: &Trip) -> &[Piece] {
        self.pieces.get(trip.pieces.clone()).unwrap_or_default()
    }

    fn trip(&self, closing: Closing) -> Option<Trip> {
        let pieces = self.pieces.get(closing.pieces.clone())?;
        let first = pieces.first()?;
        let (entry_part, exit_part) = (self.parts.get(first.entry.part)?, self.parts.get(first.exit.part)?);
        let (entry, exit) = (self.fills.get(entry_part.fill)?, self.fills.get(exit_part.fill)?);
        let mut notes = Notes {
            worthless: exit.source == Source::Worthless,
            settled: exit.source == Source::Settled,
            ..Notes::default()
        };
        let (mut entry_value, mut exit_value, mut quantity) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let mut charges = Charges::default();
        let (mut opened, mut closed, mut timed) = (entry, exit, true);
        for piece in pieces {
            let (of_entry, of_exit) = (self.origin(&piece.entry)?, self.origin(&piece.exit)?);
            entry_value += of_entry.value;
            exit_value += of_exit.value;
            quantity += piece.exit.quantity();
            charges.add(&of_entry.charges);
            charges.add(&of_exit.charges);
            opened = if of_entry.fill.at < opened.at { of_entry.fill } else { opened };
            closed = if of_exit.fill.at > closed.at { of_exit.fill } else { closed };
            timed &= of_entry.fill.timed && of_exit.fill.timed;
            notes.marks.split |= piece.marks.split;
            notes.marks.renamed |= piece.marks.renamed;
            notes.bonus |= of_entry.fill.source == Source::Bonus;
            notes.opening |= of_entry.fill.source == Source::Opening;
            notes.uncharged |= [piece.entry.part, piece.exit.part]
                .iter()
                .any(|part| self.charged.get(*part).is_some_and(|charged| charged.unknown));
        }
        let gross = if closing.long { exit_value - entry_value } else { entry_value - exit_value };
        let total = charges.total();
        Some(Trip {
            trade_id: if exit.trade_id == 0 { entry.trade_id } else { exit.trade_id },
            pieces: closing.pieces,
            kind: closing.kind,
            long: closing.long,
            broker: exit.broker,
            instrument: exit.instrument.clone(),
            quantity,
            entry_value,
            exit_value,
            gross,
            charges: total,
            stt: charges.stt,
            net: gross - total,
            opened: opened.at,
            closed: closed.at,
            opened_day: opened.day,
            closed_day: closed.day,
            opened_timed: opened.timed,
            timed,
            entry: entry_part.fill,
            exit: exit_part.fill,
            notes,
        })
    }

    /// The charges of round trips, by component and by rule.
    pub fn charges<'t>(&self, trips: impl Iterator<Item = &'t Trip>) -> (Charges, Vec<ChargeLine>) {
        let mut sum = Charges::default();
        // What follows the same rules is added up first: there are few of those, and many slices.
        let mut alike: HashMap<RuleKey, (Slice, Charges)> = HashMap::new();
        for trip in trips {
            for slice in self.pieces(trip).iter().flat_map(|piece| [&piece.entry, &piece.exit]) {
                let Some(origin) = self.origin(slice) else { continue };
                let (_, charges) = alike.entry(RuleKey::of(&origin)).or_insert_with(|| (*slice, Charges::default()));
                charges.add(&origin.charges);
            }
        }
        let mut lines: BTreeMap<(Component, Date, String), ChargeLine> = BTreeMap::new();
        for (slice, charges) in alike.into_values() {
            sum.add(&charges);
            let Some(origin) = self.origin(&slice) else { continue };
            let rules = self.rules(&origin);
            for (component, amount) in charges.each().into_iter().filter(|(_, amount)| !amount.is_zero()) {
                let Some((_, rule)) = rules.iter().find(|(of, _)| *of == component) else { continue };
                let line = lines.entry((component, rule.from, rule.text.clone())).or_insert_with(|| ChargeLine {
                    component,
                    rule: rule.text.clone(),
                    from: rule.from,
                    source: rule.source.clone(),
                    amount: Decimal::ZERO,
                });
                line.amount += amount;
            }
        }
        (sum, lines.into_values().collect())
    }

    /// The rules that the charges of a part follow.
    fn rules(&self, origin: &Origin) -> Vec<(Component, Rule)> {
        let (fill, kind, tariff) = (origin.fill, origin.part.kind, self.tariff);
        let levies = [
            (Component::Stt, &tariff.stt),
            (Component::Exchange, &tariff.exchange),
            (Component::Sebi, &tariff.sebi),
            (Component::Ipft, &tariff.ipft),
            (Component::StampDuty, &tariff.stamp_duty),
        ];
        let mut rules: Vec<(Component, Rule)> = levies
            .into_iter()
            .filter_map(|(component, levy)| Some((component, levied(levy, fill, kind)?)))
            .map(|(component, rate)| {
                (component, Rule { text: rate.rule(), from: rate.from, source: rate.source.clone() })
            })
            .collect();
        if let Some(rate) = levied(&tariff.gst, fill, kind) {
            let text = format!("{} % of brokerage, exchange, SEBI, IPFT and depository charges", rate.percent);
            rules.push((Component::Gst, Rule { text, from: rate.from, source: rate.source.clone() }));
        }
        for (component, on) in [(Component::Brokerage, On::Trade(kind)), (Component::Dp, On::Dp)] {
            if let Some(price) = tariff.price(fill.broker, fill.day, on) {
                let source = price.source.clone();
                rules.push((component, Rule { text: price.rule(), from: price.from, source }));
            }
        }
        rules
    }
}

struct Rule {
    text: String,
    from: Date,
    source: String,
}

/// What rules depend on.
#[derive(PartialEq, Eq, Hash)]
struct RuleKey {
    day: Date,
    broker: Broker,
    exchange: Exchange,
    side: Side,
    kind: Kind,
    class: Class,
    settled: bool,
    /// Where it matters.
    underlying: Option<String>,
}

impl RuleKey {
    fn of(origin: &Origin) -> Self {
        let fill = origin.fill;
        Self {
            day: fill.day,
            broker: fill.broker,
            exchange: fill.exchange,
            side: fill.side,
            kind: origin.part.kind,
            class: fill.instrument.class,
            settled: fill.source == Source::Settled,
            underlying: (fill.exchange == Exchange::Bse && fill.instrument.is_contract())
                .then(|| fill.instrument.underlying.clone()),
        }
    }
}
