//! First in, first out: which sale belongs to which purchase.
//!
//! Shares that were bought and sold on one day with one broker are paired with each other first, as the law taxes them;
//! what is left goes to the holding. Contracts make one running position, which may turn. Everything happens per
//! broker and instrument, in the order of time; here it is of one of each.

mod shares;

use std::collections::VecDeque;
use std::ops::Range;

use rust_decimal::Decimal;
use time::macros::time;
use time::{Date, OffsetDateTime};

use crate::adjustment::Entries;
use crate::fill::{Fill, INDIA, Side, Source, share};
use crate::instrument::Expiry;
use crate::tariff::Kind;
pub use shares::opening;

/// The part of a fill that is of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The place of the fill.
    pub fill: usize,
    pub kind: Kind,
    pub quantity: Decimal,
    pub value: Decimal,
}

/// What one side of a piece takes out of a part, in the part's own units.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// The place of the part.
    pub part: usize,
    pub from: Decimal,
    pub to: Decimal,
}

impl Slice {
    pub fn quantity(&self) -> Decimal {
        self.to - self.from
    }
}

/// What happened to shares while they were held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub split: bool,
    pub renamed: bool,
}

/// So much of an opening and of its closing.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub entry: Slice,
    pub exit: Slice,
    pub marks: Marks,
}

/// What one closing order closed, as a run of pieces.
#[derive(Clone, Debug)]
pub struct Closing {
    pub pieces: Range<usize>,
    pub kind: Kind,
    /// Bought first.
    pub long: bool,
}

impl Closing {
    /// 1 where a price that rises wins, -1 where it loses.
    pub fn sign(&self) -> Decimal {
        if self.long { Decimal::ONE } else { Decimal::NEGATIVE_ONE }
    }
}

/// What is open at the end.
#[derive(Clone, Debug)]
pub struct Position {
    /// The first fill that it is made of.
    pub fill: usize,
    pub long: bool,
    pub quantity: Decimal,
    /// What it cost, or brought, to open.
    pub value: Decimal,
    /// A contract that is past its expiry; nobody entered its settlement.
    pub expired: bool,
    /// It was closed at 0 for that.
    pub worthless: bool,
}

/// All that the trades of one instrument come to.
#[derive(Clone, Debug, Default)]
pub struct Matched {
    /// The trades, in their order, and behind them what was added to them.
    pub fills: Vec<Fill>,
    pub parts: Vec<Part>,
    pub pieces: Vec<Piece>,
    pub closings: Vec<Closing>,
    /// Sales of shares for which there was no purchase.
    pub missing_cost_basis: Vec<Slice>,
    pub positions: Vec<Position>,
}

/// Something held, or sold and not yet bought back.
#[derive(Clone, Copy, Debug)]
struct Lot {
    part: usize,
    /// How much of the part is gone, and how much is left, in its own units.
    gone: Decimal,
    left: Decimal,
    /// The same as it is now, after splits.
    now: Decimal,
    marks: Marks,
}

type Lots = VecDeque<Lot>;

/// Matches the fills of one instrument with one broker, in their order, with what the trader entered. What expires after
/// `today` is open.
pub fn matched(fills: Vec<Fill>, entries: &Entries, today: Date) -> Matched {
    let days: Vec<(Date, usize)> = fills.iter().enumerate().map(|(place, fill)| (fill.day, place)).collect();
    let Some(instrument) = fills.first().map(|fill| fill.instrument.clone()) else { return Matched::default() };
    let parts = Vec::with_capacity(fills.len());
    let mut matcher = Matcher { out: Matched { fills, parts, ..Matched::default() }, last: None };
    if instrument.is_contract() {
        matcher.contract(&days, &entries.settlements(&instrument.symbol), today);
    } else {
        matcher.shares(&days, entries.of_share(&instrument.symbol), today);
    }
    matcher.out
}

struct Matcher {
    out: Matched,
    /// The fill that closed the latest piece.
    last: Option<usize>,
}

impl Matcher {
    fn fill(&self, part: usize) -> Option<(usize, &Fill)> {
        let fill = self.out.parts.get(part)?.fill;
        Some((fill, self.out.fills.get(fill)?))
    }

    fn part(&mut self, fill: usize, kind: Kind, quantity: Decimal, value: Decimal) -> usize {
        self.out.parts.push(Part { fill, kind, quantity, value });
        self.out.parts.len() - 1
    }

    /// A whole fill as one part.
    fn whole(&mut self, fill: usize, kind: Kind) -> Option<(usize, Decimal)> {
        let (quantity, value) = self.out.fills.get(fill).map(|fill| (fill.quantity, fill.value))?;
        Some((self.part(fill, kind, quantity, value), quantity))
    }

    /// Adds a piece to what its order closes.
    fn close(&mut self, piece: Piece, kind: Kind, long: bool) {
        let Some((fill, closing)) = self.fill(piece.exit.part) else { return };
        let same_order = self.last.is_some_and(|last| {
            last == fill || self.out.fills.get(last).is_some_and(|last| last.shares_order(closing))
        });
        self.last = Some(fill);
        let end = self.out.pieces.len();
        self.out.pieces.push(piece);
        match self.out.closings.last_mut() {
            Some(open) if same_order && open.kind == kind && open.long == long => open.pieces.end = end + 1,
            _ => self.out.closings.push(Closing { pieces: end..end + 1, kind, long }),
        }
    }

    /// Closes up to `wanted` of the lots, the oldest first, by `exit` from `from` on; how much was left to close.
    fn take(
        &mut self,
        lots: &mut Lots,
        exit: usize,
        from: Decimal,
        mut wanted: Decimal,
        kind: Kind,
        long: bool,
    ) -> Decimal {
        let mut done = from;
        while wanted > Decimal::ZERO
            && let Some(lot) = lots.front_mut()
        {
            let taken = wanted.min(lot.now);
            let own = if taken == lot.now { lot.left } else { share(lot.left, Decimal::ZERO, taken, lot.now) };
            let entry = Slice { part: lot.part, from: lot.gone, to: lot.gone + own };
            let marks = lot.marks;
            lot.gone += own;
            lot.left -= own;
            lot.now -= taken;
            if lot.now.is_zero() {
                lots.pop_front();
            }
            wanted -= taken;
            let exit = Slice { part: exit, from: done, to: done + taken };
            done += taken;
            self.close(Piece { entry, exit, marks }, kind, long);
        }
        wanted
    }

    /// One contract from its first trade to its expiry.
    fn contract(&mut self, group: &[(Date, usize)], settlements: &[(Date, Decimal)], today: Date) {
        // One trade may tell the day, another the month alone.
        let expiry = self.out.fills.iter().filter_map(|fill| fill.instrument.expiry).max_by_key(|expiry| expiry.exact);
        // Where no trade tells the day of expiry, it is the day that was entered.
        let known = expiry.is_some_and(|expiry| expiry.exact);
        let mut entered = settlements.iter().filter(|_| !known).peekable();
        let mut lots = Lots::new();
        let mut long = true;
        for (day, place) in group {
            while let Some((settled, price)) = entered.next_if(|(settled, _)| settled < day) {
                self.end(&mut lots, long, Expiry { day: *settled, exact: true }, Some(*price));
            }
            let Some(fill) = self.out.fills.get(*place) else { continue };
            let kind = if fill.instrument.is_option() { Kind::Options } else { Kind::Futures };
            let buys = fill.side == Side::Buy;
            let Some((part, quantity)) = self.whole(*place, kind) else { continue };
            let left = if lots.is_empty() || long == buys {
                quantity
            } else {
                self.take(&mut lots, part, Decimal::ZERO, quantity, kind, long)
            };
            if left > Decimal::ZERO {
                long = buys;
                lots.push_back(Lot { part, gone: quantity - left, left, now: left, marks: Marks::default() });
            }
        }
        while let Some((settled, price)) = entered.next_if(|(settled, _)| *settled <= today) {
            self.end(&mut lots, long, Expiry { day: *settled, exact: true }, Some(*price));
        }
        let price = settlements.last().filter(|_| known).map(|(_, price)| *price);
        self.expire(lots, long, expiry.filter(|expiry| expiry.day < today), price);
    }

    /// Closes what was open when the contract expired; one that did not, or that has no price, stays open.
    fn expire(&mut self, mut lots: Lots, long: bool, expired: Option<Expiry>, price: Option<Decimal>) {
        let Some((first, opened)) = lots.front().and_then(|lot| self.fill(lot.part)) else { return };
        let position = self.position(first, &lots, long, expired.is_some());
        // What a future was settled at cannot be guessed; an option that nobody speaks of ended worthless.
        let Some(expiry) = expired.filter(|_| price.is_some() || opened.instrument.is_option()) else {
            self.out.positions.push(position);
            return;
        };
        if price.is_none() {
            self.out.positions.push(Position { worthless: true, ..position });
        }
        self.end(&mut lots, long, expiry, price);
    }

    /// Closes all that is open of a contract on the day of its expiry: at what was entered, otherwise at nothing.
    fn end(&mut self, lots: &mut Lots, long: bool, expiry: Expiry, price: Option<Decimal>) {
        let Some((_, opened)) = lots.front().and_then(|lot| self.fill(lot.part)) else { return };
        let quantity: Decimal = lots.iter().map(|lot| lot.now).sum();
        let kind = if opened.instrument.is_option() { Kind::Options } else { Kind::Futures };
        let settlement = Fill {
            trade_id: 0,
            source: if price.is_some() { Source::Settled } else { Source::Worthless },
            side: if long { Side::Sell } else { Side::Buy },
            quantity,
            value: (quantity * price.unwrap_or_default()).round_dp(4),
            at: OffsetDateTime::new_in_offset(expiry.day, time!(15:30), INDIA),
            day: expiry.day,
            timed: expiry.exact,
            by_hand: false,
            order: None,
            words: None,
            stop_loss: None,
            ..opened.clone()
        };
        self.out.fills.push(settlement);
        self.last = None;
        if let Some((part, quantity)) = self.whole(self.out.fills.len() - 1, kind) {
            self.take(lots, part, Decimal::ZERO, quantity, kind, long);
        }
    }

    fn position(&self, fill: usize, lots: &Lots, long: bool, expired: bool) -> Position {
        let value = |lot: &Lot| {
            let part = self.out.parts.get(lot.part);
            part.map_or(Decimal::ZERO, |part| share(part.value, lot.gone, lot.gone + lot.left, part.quantity))
        };
        Position {
            fill,
            long,
            quantity: lots.iter().map(|lot| lot.now).sum(),
            value: lots.iter().map(value).sum(),
            expired,
            worthless: false,
        }
    }
}
