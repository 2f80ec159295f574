//! Closed trades: one closing order with the lots that it closed. A position has the sums of its closed trades.

use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::arithmetic::divide;
use crate::fill::{BrokerAccount, Fill, INDIA, Labels, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;
use crate::matching::{Closing, CorporateActions};

/// Closing order with the lots that it closed, their values and charges.
#[derive(Clone, Debug)]
pub struct ClosedTrade {
    /// Index of its ledger in the analysis.
    pub ledger: usize,
    /// Number of its first closing trade, of its first opening trade if it was closed by expiry, or of the adjustment if it
    /// was closed by a buyback or the payment for a fraction.
    pub trade_id: i64,
    /// Key of the position whose sums it is; none for a closed trade.
    pub position_key: Option<FillKey>,
    /// Index of its position in the ledger; of the sums of a strategy, that of its unit.
    pub position: usize,
    /// True for the sums of a strategy, whose key `position_key` is.
    pub is_strategy: bool,
    /// Indices of its lot matches in the ledger.
    pub lot_matches: Range<usize>,
    pub kind: TradeKind,
    /// True if bought first.
    pub long: bool,
    pub account: BrokerAccount,
    pub instrument: Arc<Instrument>,
    /// Quantity in units at the closing, after corporate actions.
    pub quantity: Decimal,
    pub entry_value: Decimal,
    pub exit_value: Decimal,
    pub gross: Decimal,
    pub charges: Decimal,
    /// Part of `charges` that contract notes state; the rest is estimated.
    pub stated_charges: Decimal,
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

/// Facts about the opening of a position or strategy.
pub struct Opening {
    pub ledger: usize,
    pub trade_id: i64,
    pub kind: TradeKind,
    pub long: bool,
    pub account: BrokerAccount,
    pub instrument: Arc<Instrument>,
    pub at: OffsetDateTime,
    pub day: Date,
    pub has_time: bool,
    pub labels: Option<Arc<Labels>>,
}

/// Facts about a closed trade that its trades do not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Closed by an entered settlement.
    pub settled: bool,
    /// Closed by delivery of the shares for a stock derivative.
    pub delivered: bool,
    pub corporate_actions: CorporateActions,
    pub bonus: bool,
    /// Contains shares of an opening holding.
    pub opening: bool,
    /// Contains shares of a rights issue.
    pub rights: bool,
    /// Closed by a buyback.
    pub bought_back: bool,
    /// Closed by the payment for a fraction of a share.
    pub fraction_paid: bool,
    /// Some charge rates are missing in the tables, so its charges are incomplete.
    pub rates_missing: bool,
}

impl Flags {
    /// Returns the facts about the exit.
    pub fn from_exit(exit: &Fill) -> Self {
        Self {
            settled: exit.source == Source::Settled,
            delivered: exit.source == Source::Delivered,
            bought_back: matches!(exit.source, Source::Buyback { .. }),
            fraction_paid: matches!(exit.source, Source::FractionPayment { .. }),
            ..Self::default()
        }
    }

    /// Adds the facts about another closed trade.
    fn add(&mut self, part: Self) {
        self.settled |= part.settled;
        self.delivered |= part.delivered;
        self.corporate_actions |= part.corporate_actions;
        self.bonus |= part.bonus;
        self.opening |= part.opening;
        self.rights |= part.rights;
        self.bought_back |= part.bought_back;
        self.fraction_paid |= part.fraction_paid;
        self.rates_missing |= part.rates_missing;
    }

    /// Adds the facts about one entry.
    pub fn add_entry(&mut self, entry: &Fill, corporate_actions: CorporateActions) {
        self.corporate_actions |= corporate_actions;
        self.bonus |= entry.source == Source::Bonus;
        self.opening |= entry.source == Source::Opening;
        self.rights |= entry.source == Source::Rights;
    }
}

impl ClosedTrade {
    /// Returns the sums of a position or strategy of which nothing was closed yet.
    pub fn without_result(opening: Opening, key: FillKey) -> Self {
        Self {
            ledger: opening.ledger,
            trade_id: opening.trade_id,
            position_key: Some(key),
            position: 0,
            is_strategy: false,
            lot_matches: Range::default(),
            kind: opening.kind,
            long: opening.long,
            account: opening.account,
            instrument: opening.instrument,
            quantity: Decimal::ZERO,
            entry_value: Decimal::ZERO,
            exit_value: Decimal::ZERO,
            gross: Decimal::ZERO,
            charges: Decimal::ZERO,
            stated_charges: Decimal::ZERO,
            stt: Decimal::ZERO,
            net: Decimal::ZERO,
            risk: None,
            opened_at: opening.at,
            closed_at: opening.at,
            opened_day: opening.day,
            closed_day: opening.day,
            has_opening_time: opening.has_time,
            has_times: opening.has_time,
            labels: opening.labels,
            flags: Flags::default(),
        }
    }

    /// Adds a closed part, except its values of entry and exit. Returns whether it is the last one so far.
    pub fn add(&mut self, part: &Self) -> bool {
        self.quantity += part.quantity;
        self.gross += part.gross;
        self.charges += part.charges;
        self.stated_charges += part.stated_charges;
        self.stt += part.stt;
        self.net += part.net;
        self.has_times &= part.has_times;
        self.flags.add(part.flags);
        let is_last = part.closed_at >= self.closed_at;
        if is_last {
            (self.closed_at, self.closed_day) = (part.closed_at, part.closed_day);
        }
        is_last
    }

    /// Returns the closing from which it was made.
    pub fn closing(&self) -> Closing {
        Closing { lot_matches: self.lot_matches.clone(), kind: self.kind, long: self.long }
    }

    /// Returns its id, unique within the account; that of a closed trade is stable as long as its trades do not change.
    pub fn id(&self) -> String {
        if let Some(key) = self.position_key {
            return key.to_string();
        }
        let kind = match self.kind {
            _ if self.flags.settled => 'x',
            _ if self.flags.delivered => 's',
            _ if self.flags.bought_back => 'b',
            _ if self.flags.fraction_paid => 'c',
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

    /// Returns the weekday of the opening, 1 is Monday; none for a delivery trade, on whose result months later the
    /// weekday has no influence.
    pub fn opening_weekday(&self) -> Option<u8> {
        (self.kind != TradeKind::Delivery).then(|| self.opened_day.weekday().number_from_monday())
    }

    /// Returns the hour of the opening in India, if known; none for a delivery trade, as with the weekday.
    pub fn opening_hour(&self) -> Option<u8> {
        let is_relevant = self.has_opening_time && self.kind != TradeKind::Delivery;
        is_relevant.then(|| self.opened_at.to_offset(INDIA).hour())
    }

    /// Returns the seconds from opening to closing; none if both are on one day and a time is unknown.
    pub fn holding_seconds(&self) -> Option<i64> {
        let is_known = self.has_times || self.opened_day != self.closed_day;
        is_known.then(|| (self.closed_at - self.opened_at).whole_seconds())
    }
}
