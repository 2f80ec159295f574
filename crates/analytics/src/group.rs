//! One instrument with one broker: its trades, what they match to, what that costs, and the closed trades.
//!
//! Nothing goes from one group to another but the charges of a contract note, which is of several. So a change of a
//! trade makes its group anew, and of the others no more than what shares a note with it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use crate::adjustment::Entries;
use crate::charges::{Charged, Charges, Line, Note, is_charged};
use crate::closed_trade::ClosedTrade;
use crate::fill::{Broker, Fill, Side, Source, share};
use crate::matching::{Matched, Part, Piece, Position, Slice, matched};

/// What a group is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub broker: Broker,
    pub contracts: bool,
    /// Of shares the last name.
    pub symbol: String,
}

impl Key {
    pub fn of(fill: &Fill, entries: &Entries) -> Self {
        let (contracts, symbol) = (fill.instrument.is_contract(), fill.instrument.symbol.as_str());
        let symbol = if contracts { symbol } else { entries.last_name(symbol) };
        Self { broker: fill.broker, contracts, symbol: symbol.to_owned() }
    }

    /// The contract note of a day that its parts stand on.
    pub fn note(&self, day: Date) -> Note {
        Note { broker: self.broker, contracts: self.contracts, day }
    }
}

/// Where a slice comes from.
pub struct Origin<'a> {
    pub fill: &'a Fill,
    pub part: &'a Part,
    pub value: Decimal,
    pub charges: Charges,
    /// Some rate for it is not known.
    pub uncharged: bool,
}

/// An order: its number, its day, its side.
type Order = (Arc<str>, Date, Side);

#[derive(Clone, Debug)]
pub struct Group {
    matched: Matched,
    charged: Vec<Charged>,
    /// The parts by the days of their fills.
    days: Vec<(Date, usize)>,
    /// Stop losses by order: what stands beside one fill of it holds for the others.
    stops: HashMap<Order, Decimal>,
    /// How many of the fills are trades.
    pub trades: usize,
    pub closed_trades: Vec<ClosedTrade>,
}

impl Group {
    /// Matches trades and what was held before them, in any order. There are no charges and no closed trades yet.
    pub fn of(mut fills: Vec<Fill>, entries: &Entries, today: Date) -> Self {
        fills.sort_by(Fill::order);
        let trades = fills.iter().filter(|fill| fill.source == Source::Trade).count();
        let mut stops = HashMap::new();
        for fill in &fills {
            if let (Some(order), Some(stop_loss)) = (&fill.order, fill.stop_loss) {
                stops.entry((order.clone(), fill.day, fill.side)).or_insert(stop_loss);
            }
        }
        let matched = matched(fills, entries, today);
        let day = |part: &Part| matched.fills.get(part.fill).map(|fill| fill.day);
        let mut days: Vec<(Date, usize)> =
            matched.parts.iter().enumerate().filter_map(|(place, part)| Some((day(part)?, place))).collect();
        days.sort();
        let charged = vec![Charged::default(); matched.parts.len()];
        Self { matched, charged, days, stops, trades, closed_trades: Vec::new() }
    }

    /// What it was made of.
    pub fn fills(&self) -> impl Iterator<Item = &Fill> {
        self.matched.fills.iter().filter(|fill| matches!(fill.source, Source::Trade | Source::Opening))
    }

    /// The fill of a part.
    pub fn fill(&self, part: usize) -> Option<&Fill> {
        self.matched.fills.get(self.matched.parts.get(part)?.fill)
    }

    /// Where the trader meant to get out of what that fill opened.
    pub fn stop_loss(&self, fill: &Fill) -> Option<Decimal> {
        let of_order = || self.stops.get(&(fill.order.clone()?, fill.day, fill.side)).copied();
        fill.stop_loss.or_else(|| if self.stops.is_empty() { None } else { of_order() })
    }

    pub fn pieces(&self, places: &Range<usize>) -> &[Piece] {
        self.matched.pieces.get(places.clone()).unwrap_or_default()
    }

    /// Sales of shares for which there was no purchase.
    pub fn missing_cost_basis(&self) -> &[Slice] {
        &self.matched.missing_cost_basis
    }

    /// What is open, each with its first fill.
    pub fn positions(&self) -> impl Iterator<Item = (&Position, &Fill)> {
        let positions = self.matched.positions.iter();
        positions.filter_map(|position| Some((position, self.matched.fills.get(position.fill)?)))
    }

    /// What a slice is of.
    pub fn origin(&self, slice: &Slice) -> Option<Origin<'_>> {
        let (part, charged) = (self.matched.parts.get(slice.part)?, self.charged.get(slice.part)?);
        Some(Origin {
            fill: self.matched.fills.get(part.fill)?,
            part,
            value: share(part.value, slice.from, slice.to, part.quantity),
            charges: charged.charges.share(slice.from, slice.to, part.quantity),
            uncharged: charged.unknown,
        })
    }

    /// What every part is of.
    pub fn origins(&self) -> impl Iterator<Item = Origin<'_>> {
        let whole = |(place, part): (usize, &Part)| Slice { part: place, from: Decimal::ZERO, to: part.quantity };
        self.matched.parts.iter().enumerate().filter_map(move |part| self.origin(&whole(part)))
    }

    /// The days of its parts with their places, in order.
    pub fn days(&self) -> &[(Date, usize)] {
        &self.days
    }

    /// The parts of one day.
    pub fn parts_of(&self, day: Date) -> &[(Date, usize)] {
        let start = self.days.partition_point(|(other, _)| *other < day);
        let end = self.days.partition_point(|(other, _)| *other <= day);
        self.days.get(start..end).unwrap_or_default()
    }

    /// A part as a line of a contract note, where it stands on one.
    pub fn line(&self, part: usize) -> Option<Line<'_>> {
        let fill = self.fill(part).filter(|fill| is_charged(fill))?;
        Some(Line { part: self.matched.parts.get(part)?, fill, charged: Charged::default() })
    }

    pub fn charged(&self, part: usize) -> Option<&Charged> {
        self.charged.get(part)
    }

    pub fn charge(&mut self, part: usize, charged: Charged) {
        if let Some(place) = self.charged.get_mut(part) {
            *place = charged;
        }
    }

    /// Takes the charges of the days on which nothing is different from `before`, and names the other days.
    pub fn take_charges(&mut self, before: &Self) -> Vec<Date> {
        let mut different = Vec::new();
        let same_day = |one: &(Date, usize), other: &(Date, usize)| one.0 == other.0;
        let of_day = |run: &&[(Date, usize)], day| run.first().is_some_and(|(first, _)| *first == day);
        let (mut old, mut new) = (before.days.chunk_by(same_day).peekable(), self.days.chunk_by(same_day).peekable());
        while let Some((day, _)) = [old.peek(), new.peek()].into_iter().flatten().filter_map(|run| run.first()).min() {
            let day = *day;
            let was = old.next_if(|run| of_day(run, day)).unwrap_or_default();
            let is = new.next_if(|run| of_day(run, day)).unwrap_or_default();
            let alike = |((_, was), (_, is)): (&(Date, usize), &(Date, usize))| before.alike(*was, self, *is);
            if was.len() != is.len() || !was.iter().zip(is).all(alike) {
                different.push(day);
                continue;
            }
            for ((_, was), (_, is)) in was.iter().zip(is) {
                if let (Some(place), Some(charged)) = (self.charged.get_mut(*is), before.charged.get(*was)) {
                    *place = *charged;
                }
            }
        }
        different
    }

    /// Whether a part and one of `other` are the same to a contract note.
    fn alike(&self, part: usize, other: &Self, other_part: usize) -> bool {
        let of = |group: &Self, part: usize| group.matched.parts.get(part).copied();
        let (Some(one), Some(two)) = (of(self, part), of(other, other_part)) else { return false };
        let (Some(fill), Some(other)) = (self.fill(part), other.fill(other_part)) else { return false };
        (one.kind, one.quantity, one.value) == (two.kind, two.quantity, two.value)
            && fill.order(other).is_eq()
            && fill.instrument == other.instrument
    }

    /// Makes all closed trades; `place` is that of the group.
    pub fn make_closed_trades(&mut self, place: usize) {
        let closings = self.matched.closings.iter();
        self.closed_trades = closings.filter_map(|closing| ClosedTrade::of(self, place, closing)).collect();
    }

    /// Makes those closed trades anew in which one of the parts stands whose charges are different.
    pub fn renew_closed_trades(&mut self, charged: &[usize]) {
        let mut marked = vec![false; self.matched.parts.len()];
        for part in charged {
            if let Some(mark) = marked.get_mut(*part) {
                *mark = true;
            }
        }
        let is_marked = |slice: &Slice| marked.get(slice.part).is_some_and(|mark| *mark);
        let stands_in = |closed_trade: &ClosedTrade| {
            self.pieces(&closed_trade.pieces).iter().any(|piece| is_marked(&piece.entry) || is_marked(&piece.exit))
        };
        let renewed: Vec<(usize, ClosedTrade)> = self
            .closed_trades
            .iter()
            .enumerate()
            .filter(|(_, closed_trade)| stands_in(closed_trade))
            .filter_map(|(at, closed_trade)| {
                Some((at, ClosedTrade::of(self, closed_trade.group, &closed_trade.closing())?))
            })
            .collect();
        for (at, closed_trade) in renewed {
            if let Some(place) = self.closed_trades.get_mut(at) {
                *place = closed_trade;
            }
        }
    }
}
