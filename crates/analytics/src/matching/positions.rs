//! Division of the fills of one ledger into positions, from flat to flat.
//!
//! A position begins with the fill that opens it and ends when all its lots are closed. Matching connects fills: a
//! position contains both fills of every lot match. Same-day matching of shares may therefore join trades that seem to
//! be separate, such as a sale of a holding in the morning and a purchase in the afternoon, of which only the difference
//! is delivered. A fraction of a share that awaits its payment keeps no position open.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;

use super::lots::{Closing, LotMatch, MatchResult, OpenPosition};
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::Fill;
use crate::fill_key::FillKey;
use crate::instrument::Instrument;

/// Lot matches that form a position.
#[derive(Clone, Debug)]
pub struct PositionRange {
    pub lot_matches: Range<usize>,
    /// Index of its open part in the result of matching; none if the position is flat.
    pub open: Option<usize>,
    /// Index of the fill that opened it.
    pub first_fill: usize,
    /// Identity of the position: smallest key of the fills that opened it at the same time, so that their order does not
    /// matter.
    pub key: FillKey,
}

/// Divides a ledger into positions, the oldest first for each instrument. The first `given` fills were matched, the others
/// were added by matching. Sorts the lot matches by instrument if the ledger has several, and divides the closings so that
/// each belongs to one position.
pub fn divide_into_positions(
    matched: &mut MatchResult,
    given: usize,
    adjustments: &AdjustmentIndex,
) -> Vec<PositionRange> {
    let Some(first) = matched.fills.first().map(|fill| fill.instrument.clone()) else { return Vec::new() };
    let ranges = if !first.is_contract() && adjustments.linked_shares(&first.symbol).is_some() {
        let holding = |instrument: &Instrument| adjustments.latest_symbol(&instrument.symbol).to_owned();
        let sections = sort_by_holding(matched, &holding);
        let timeline = Timeline::new(matched, given);
        let divide = |(symbol, lot_matches)| {
            timeline.divide(lot_matches, |open: &OpenPosition| holding(&open.instrument) == symbol)
        };
        sections.into_iter().flat_map(divide).collect()
    } else {
        Timeline::new(matched, given).divide(0..matched.lot_matches.len(), |_| true)
    };
    matched.closings = divide_closings(mem::take(&mut matched.closings), &ranges);
    ranges
}

/// Sorts the closings and their lot matches by holding. Returns the lot matches of each holding, also of those that only
/// have open lots. A closing belongs to one holding.
fn sort_by_holding(matched: &mut MatchResult, holding: &dyn Fn(&Instrument) -> String) -> Vec<(String, Range<usize>)> {
    let mut closings: BTreeMap<String, Vec<Closing>> = BTreeMap::new();
    for open in &matched.positions {
        closings.entry(holding(&open.instrument)).or_default();
    }
    for closing in mem::take(&mut matched.closings) {
        let exit = matched
            .lot_matches
            .get(closing.lot_matches.start)
            .and_then(|lot_match| matched.fills.get(matched.lots.get(lot_match.exit.lot)?.fill));
        let Some(exit) = exit else { continue };
        closings.entry(holding(&exit.instrument)).or_default().push(closing);
    }
    let lot_matches = mem::take(&mut matched.lot_matches);
    let mut sections = Vec::new();
    for (symbol, closings) in closings {
        let start = matched.lot_matches.len();
        for closing in closings {
            let from = matched.lot_matches.len();
            matched.lot_matches.extend(lot_matches.get(closing.lot_matches.clone()).unwrap_or_default());
            matched.closings.push(Closing { lot_matches: from..matched.lot_matches.len(), ..closing });
        }
        sections.push((symbol, start..matched.lot_matches.len()));
    }
    sections
}

/// Order in which the lots of one ledger were opened and closed.
struct Timeline<'a> {
    matched: &'a MatchResult,
    contracts: bool,
    /// Number of fills that matching did not add.
    given: usize,
}

impl<'a> Timeline<'a> {
    fn new(matched: &'a MatchResult, given: usize) -> Self {
        let contracts = matched.fills.first().is_some_and(|fill| fill.instrument.is_contract());
        Self { matched, contracts, given }
    }

    fn fill_of(&self, lot: usize) -> usize {
        self.matched.lots.get(lot).map_or(0, |lot| lot.fill)
    }

    /// Returns the place of a lot in the order of time. Contracts are matched in this order; the fills of shares are
    /// sorted, apart from those that matching added, which are held from the start of their day.
    fn place(&self, lot: usize) -> usize {
        let fill = self.fill_of(lot);
        match self.matched.fills.get(fill) {
            _ if self.contracts => lot,
            Some(added) if fill >= self.given => {
                let given = self.matched.fills.get(..self.given).unwrap_or_default();
                2 * given.partition_point(|fill| fill.day < added.day)
            }
            _ => 2 * fill + 1,
        }
    }

    /// Returns the place at which a lot is opened. A fill may close one position and open the next.
    fn opening(&self, lot: usize) -> usize {
        2 * self.place(lot) + 1
    }

    /// Returns the first and the last place of a lot match. A share may be sold earlier on the day of its delivery than it
    /// is received.
    fn places(&self, lot_match: &LotMatch) -> (usize, usize) {
        let (entry, exit) = (self.opening(lot_match.entry.lot), 2 * self.place(lot_match.exit.lot));
        (entry.min(exit), entry.max(exit))
    }

    /// Divides the lot matches of a range, and the open lots of one of the open positions, into positions.
    fn divide(&self, range: Range<usize>, is_open: impl Fn(&OpenPosition) -> bool) -> Vec<PositionRange> {
        let open = self.matched.positions.iter().enumerate().filter(|(_, open)| !open.fraction && is_open(open));
        let open = open
            .filter_map(|(index, open)| Some((index, open.lots.iter().map(|range| self.opening(range.lot)).min()?)));
        let open = open.min_by_key(|(_, place)| *place);
        let lot_matches = self.matched.lot_matches.get(range.clone()).unwrap_or_default();
        let places: Vec<(usize, usize)> = lot_matches.iter().map(|lot_match| self.places(lot_match)).collect();
        // First place of a lot that a lot match from here on closes, or that stays open.
        let mut first_places = vec![open.map_or(usize::MAX, |(_, place)| place); places.len() + 1];
        let mut first_place = open.map_or(usize::MAX, |(_, place)| place);
        for ((first, _), next) in places.iter().zip(&mut first_places).rev() {
            first_place = first_place.min(*first);
            *next = first_place;
        }
        let mut ranges = Vec::new();
        let (mut start, mut last_place) = (range.start, 0);
        for (index, ((_, last), next)) in (range.start + 1..).zip(places.iter().zip(first_places.iter().skip(1))) {
            last_place = last_place.max(*last);
            // Nothing that is open here is closed later or stays open: the position is flat.
            if last_place < *next {
                ranges.extend(self.position(start..index, None));
                start = index;
            }
        }
        if let Some((open, _)) = open {
            ranges.extend(self.position(start..range.end, Some(open)));
        }
        ranges
    }

    fn position(&self, lot_matches: Range<usize>, open: Option<usize>) -> Option<PositionRange> {
        let matched = self.matched;
        let open_lots = open.and_then(|open| matched.positions.get(open)).into_iter().flat_map(|open| &open.lots);
        let closed_lots = matched.lot_matches.get(lot_matches.clone()).unwrap_or_default().iter();
        let entries = closed_lots.map(|lot_match| lot_match.entry.lot).chain(open_lots.map(|range| range.lot));
        let fill_of = |lot| {
            let index = self.fill_of(lot);
            Some((index, matched.fills.get(index)?))
        };
        let (first_fill, first) = entries.clone().min_by_key(|lot| self.opening(*lot)).and_then(fill_of)?;
        let is_simultaneous = |fill: &&Fill| (fill.executed_at, fill.side) == (first.executed_at, first.side);
        let simultaneous = entries.filter_map(|lot| fill_of(lot).map(|(_, fill)| fill)).filter(is_simultaneous);
        let key = simultaneous.map(|fill| fill.key).min()?;
        Some(PositionRange { lot_matches, open, first_fill, key })
    }
}

/// Divides closings at the ends of positions. An order may close a position with one fill and, after the next position was
/// opened, that one with another.
fn divide_closings(closings: Vec<Closing>, ranges: &[PositionRange]) -> Vec<Closing> {
    let mut divided = Vec::with_capacity(closings.len());
    let mut ends = ranges.iter().map(|range| range.lot_matches.end).peekable();
    for closing in closings {
        let Range { mut start, end } = closing.lot_matches;
        let (kind, long) = (closing.kind, closing.long);
        while let Some(cut) = ends.next_if(|cut| *cut < end) {
            if cut > start {
                divided.push(Closing { lot_matches: start..cut, kind, long });
                start = cut;
            }
        }
        divided.push(Closing { lot_matches: start..end, kind, long });
    }
    divided
}
