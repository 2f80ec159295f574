//! Closed trades: what one closing order took out of a position, with what it closed.

use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::charges::Charges;
use crate::figures::divided;
use crate::fill::{Broker, INDIA, Source, Words};
use crate::group::Group;
use crate::instrument::Instrument;
use crate::matching::{Closing, Marks};
use crate::tariff::Kind;

/// What one closing order took out of a position, with what it closed.
#[derive(Clone, Debug)]
pub struct ClosedTrade {
    /// The place of its group in the analysis.
    pub group: usize,
    /// The number of its first closing trade, or of its first opening one where none closed it.
    pub trade_id: i64,
    /// In its group.
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
    /// What it would have lost, before charges, had it ended where the trader meant to get out. None where some of its
    /// opening trades have no stop loss.
    pub risk: Option<Decimal>,
    pub opened: OffsetDateTime,
    pub closed: OffsetDateTime,
    /// In India.
    pub opened_day: Date,
    pub closed_day: Date,
    /// The time of the day is known: of the opening, of both.
    pub opened_timed: bool,
    pub timed: bool,
    /// What stands beside its first trade.
    pub words: Option<Arc<Words>>,
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

impl ClosedTrade {
    /// What the pieces of a closing come to.
    pub fn of(group: &Group, place: usize, closing: &Closing) -> Option<Self> {
        let pieces = group.pieces(&closing.pieces);
        let first = pieces.first()?;
        let (entry, exit) = (group.fill(first.entry.part)?, group.fill(first.exit.part)?);
        let mut notes = Notes {
            worthless: exit.source == Source::Worthless,
            settled: exit.source == Source::Settled,
            ..Notes::default()
        };
        let (mut entry_value, mut exit_value, mut quantity) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let mut charges = Charges::default();
        let (mut opened, mut closed, mut timed) = (entry, exit, true);
        let mut risk = Some(Decimal::ZERO);
        for piece in pieces {
            let (of_entry, of_exit) = (group.origin(&piece.entry)?, group.origin(&piece.exit)?);
            entry_value += of_entry.value;
            exit_value += of_exit.value;
            quantity += piece.exit.quantity();
            let at_stop = group.stop_loss(of_entry.fill).map(|stop_loss| stop_loss * piece.entry.quantity());
            let at_risk = at_stop.map(|at_stop| (of_entry.value - at_stop) * closing.sign());
            risk = risk.zip(at_risk.filter(|at_risk| *at_risk > Decimal::ZERO)).map(|(risk, more)| risk + more);
            charges.add(&of_entry.charges);
            charges.add(&of_exit.charges);
            opened = if of_entry.fill.at < opened.at { of_entry.fill } else { opened };
            closed = if of_exit.fill.at > closed.at { of_exit.fill } else { closed };
            timed &= of_entry.fill.timed && of_exit.fill.timed;
            notes.marks.split |= piece.marks.split;
            notes.marks.renamed |= piece.marks.renamed;
            notes.bonus |= of_entry.fill.source == Source::Bonus;
            notes.opening |= of_entry.fill.source == Source::Opening;
            notes.uncharged |= of_entry.uncharged || of_exit.uncharged;
        }
        let gross = (exit_value - entry_value) * closing.sign();
        let total = charges.total();
        Some(Self {
            group: place,
            trade_id: if exit.trade_id == 0 { entry.trade_id } else { exit.trade_id },
            pieces: closing.pieces.clone(),
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
            risk,
            opened: opened.at,
            closed: closed.at,
            opened_day: opened.day,
            closed_day: closed.day,
            opened_timed: opened.timed,
            timed,
            words: entry.words.clone(),
            notes,
        })
    }

    /// The closing that it came of.
    pub fn closing(&self) -> Closing {
        Closing { pieces: self.pieces.clone(), kind: self.kind, long: self.long }
    }

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

    /// The net result by what was at risk: 2 is twice that won, -1 all of it lost.
    pub fn r(&self) -> Option<Decimal> {
        divided(self.net, self.risk?)
    }

    /// The hour of the opening in India, where it is known.
    pub fn opened_hour(&self) -> Option<u8> {
        self.opened_timed.then(|| self.opened.to_offset(INDIA).hour())
    }

    /// From opening to closing, where it is known well enough.
    pub fn holding_seconds(&self) -> Option<i64> {
        let known = self.timed || self.opened_day != self.closed_day;
        known.then(|| (self.closed - self.opened).whole_seconds())
    }
}
