//! Closed trades: one closing order with the lots that it closed.

use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::arithmetic::divide;
use crate::charges::Charges;
use crate::fill::{Broker, INDIA, Labels, Source, TradeKind};
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::{Closing, CorporateActions};

/// Closing order with the lots that it closed, their values and charges.
#[derive(Clone, Debug)]
pub struct ClosedTrade {
    /// Index of its ledger in the analysis.
    pub ledger: usize,
    /// Number of its first closing trade, or of its first opening trade if it was closed by expiry.
    pub trade_id: i64,
    /// Indices of its lot matches in the ledger.
    pub lot_matches: Range<usize>,
    pub kind: TradeKind,
    /// True if bought first.
    pub long: bool,
    pub broker: Broker,
    pub instrument: Arc<Instrument>,
    /// Quantity in units at the closing, after splits.
    pub quantity: Decimal,
    pub entry_value: Decimal,
    pub exit_value: Decimal,
    pub gross: Decimal,
    pub charges: Decimal,
    /// STT, which `charges` includes.
    pub stt: Decimal,
    pub net: Decimal,
    /// Initial risk: loss before charges if closed at the stop loss. None if an opening trade has no stop loss.
    pub risk: Option<Decimal>,
    pub opened_at: OffsetDateTime,
    pub closed_at: OffsetDateTime,
    /// Day of opening in India.
    pub opened_day: Date,
    /// Day of closing in India.
    pub closed_day: Date,
    /// True if the time of the first opening fill is known.
    pub has_opening_time: bool,
    /// True if the times of all its fills are known.
    pub has_times: bool,
    /// Labels of its first opening trade.
    pub labels: Option<Arc<Labels>>,
    pub flags: Flags,
}

/// Facts about a closed trade that its trades do not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Expired without an entered settlement.
    pub worthless: bool,
    /// Closed by an entered settlement.
    pub settled: bool,
    pub corporate_actions: CorporateActions,
    pub bonus: bool,
    /// Contains shares of an opening holding.
    pub opening: bool,
    /// Some charge rates are missing in the tables, so its charges are incomplete.
    pub rates_missing: bool,
}

impl ClosedTrade {
    /// Sums up the lot matches of a closing; `index` is that of the ledger in the analysis.
    pub fn new(ledger: &InstrumentLedger, index: usize, closing: &Closing) -> Option<Self> {
        let lot_matches = ledger.lot_matches(&closing.lot_matches);
        let first = lot_matches.first()?;
        let (entry, exit) = (ledger.fill_of_lot(first.entry.lot)?, ledger.fill_of_lot(first.exit.lot)?);
        let mut flags = Flags {
            worthless: exit.source == Source::Worthless,
            settled: exit.source == Source::Settled,
            ..Flags::default()
        };
        let (mut entry_value, mut exit_value, mut quantity) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let mut charges = Charges::default();
        let (mut opened, mut closed, mut has_times) = (entry, exit, true);
        let mut risk = Some(Decimal::ZERO);
        for lot_match in lot_matches {
            let (entry, exit) = (ledger.range_detail(&lot_match.entry)?, ledger.range_detail(&lot_match.exit)?);
            entry_value += entry.value;
            exit_value += exit.value;
            quantity += lot_match.exit.quantity();
            let stop_value = ledger.stop_loss(entry.fill).map(|stop_loss| stop_loss * lot_match.entry.quantity());
            let loss_at_stop = stop_value.map(|stop_value| (entry.value - stop_value) * closing.sign());
            // A stop loss on the wrong side of the entry price does not define a risk.
            risk = risk.zip(loss_at_stop.filter(|loss| *loss > Decimal::ZERO)).map(|(risk, loss)| risk + loss);
            charges.add(&entry.charges);
            charges.add(&exit.charges);
            opened = if entry.fill.executed_at < opened.executed_at { entry.fill } else { opened };
            closed = if exit.fill.executed_at > closed.executed_at { exit.fill } else { closed };
            has_times &= entry.fill.has_time && exit.fill.has_time;
            flags.corporate_actions.split |= lot_match.corporate_actions.split;
            flags.corporate_actions.renamed |= lot_match.corporate_actions.renamed;
            flags.bonus |= entry.fill.source == Source::Bonus;
            flags.opening |= entry.fill.source == Source::Opening;
            flags.rates_missing |= entry.rates_missing || exit.rates_missing;
        }
        let gross = (exit_value - entry_value) * closing.sign();
        let total = charges.total();
        Some(Self {
            ledger: index,
            trade_id: if exit.trade_id == 0 { entry.trade_id } else { exit.trade_id },
            lot_matches: closing.lot_matches.clone(),
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
            opened_at: opened.executed_at,
            closed_at: closed.executed_at,
            opened_day: opened.day,
            closed_day: closed.day,
            has_opening_time: opened.has_time,
            has_times,
            labels: entry.labels.clone(),
            flags,
        })
    }

    /// Returns the closing from which it was made.
    pub fn closing(&self) -> Closing {
        Closing { lot_matches: self.lot_matches.clone(), kind: self.kind, long: self.long }
    }

    /// Returns its id, unique within the account and stable as long as its trades do not change.
    pub fn id(&self) -> String {
        let kind = match self.kind {
            _ if self.flags.worthless || self.flags.settled => 'x',
            TradeKind::Intraday => 'i',
            TradeKind::Delivery => 'd',
            TradeKind::Futures | TradeKind::Options => 'f',
        };
        format!("{}{kind}", self.trade_id)
    }

    /// Returns the result in R, the net result divided by the initial risk: 2 is a profit of twice the risk, -1 a loss
    /// of the whole risk.
    pub fn r(&self) -> Option<Decimal> {
        divide(self.net, self.risk?)
    }

    /// Returns the hour of the opening in India, if known.
    pub fn opening_hour(&self) -> Option<u8> {
        self.has_opening_time.then(|| self.opened_at.to_offset(INDIA).hour())
    }

    /// Returns the seconds from opening to closing; none if both are on one day and a time is unknown.
    pub fn holding_seconds(&self) -> Option<i64> {
        let is_known = self.has_times || self.opened_day != self.closed_day;
        is_known.then(|| (self.closed_at - self.opened_at).whole_seconds())
    }
}
