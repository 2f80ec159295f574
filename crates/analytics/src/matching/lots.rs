//! Result of matching: lots, their matches, and the positions that stay open.

use std::collections::BTreeSet;
use std::ops::{BitOrAssign, Range};
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::fill::{Fill, TradeKind};
use crate::instrument::Instrument;

/// Quantity of one fill that is of one kind. A fill of shares has two lots if a part of it is intraday.
#[derive(Clone, Copy, Debug)]
pub struct Lot {
    /// Index of the fill.
    pub fill: usize,
    pub kind: TradeKind,
    pub quantity: Decimal,
    pub value: Decimal,
}

/// Range of a lot's quantity, in units of the fill, so before any later split.
#[derive(Clone, Copy, Debug)]
pub struct LotRange {
    /// Index of the lot.
    pub lot: usize,
    pub from: Decimal,
    pub to: Decimal,
    /// Cost after a demerger, capital return or contract adjustment; none if it is that of the fill.
    pub cost: Option<Decimal>,
}

impl LotRange {
    pub fn quantity(&self) -> Decimal {
        self.to - self.from
    }
}

/// Corporate actions that affected shares while they were held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CorporateActions {
    pub split: bool,
    pub renamed: bool,
    pub merged: bool,
    /// Shares for which a merger also paid cash, which reduced their cost.
    pub merged_with_cash: bool,
    /// Shares that a demerger added, or whose cost it reduced.
    pub demerged: bool,
    pub capital_returned: bool,
    pub contract_adjusted: bool,
}

impl BitOrAssign for CorporateActions {
    fn bitor_assign(&mut self, other: Self) {
        self.split |= other.split;
        self.renamed |= other.renamed;
        self.merged |= other.merged;
        self.merged_with_cash |= other.merged_with_cash;
        self.demerged |= other.demerged;
        self.capital_returned |= other.capital_returned;
        self.contract_adjusted |= other.contract_adjusted;
    }
}

/// Match of an entry with the exit that closed it.
#[derive(Clone, Copy, Debug)]
pub struct LotMatch {
    pub entry: LotRange,
    pub exit: LotRange,
    pub corporate_actions: CorporateActions,
}

/// Lots that one closing order closed.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Indices of the lot matches.
    pub lot_matches: Range<usize>,
    pub kind: TradeKind,
    /// True if bought first.
    pub long: bool,
}

impl Closing {
    /// Returns 1 for a long and -1 for a short position.
    pub fn sign(&self) -> Decimal {
        if self.long { Decimal::ONE } else { Decimal::NEGATIVE_ONE }
    }
}

/// Position that is open after the last fill.
#[derive(Clone, Debug)]
pub struct OpenPosition {
    /// Index of its first fill.
    pub fill: usize,
    /// Instrument now; the first fill may be of another one that was renamed or merged.
    pub instrument: Arc<Instrument>,
    pub long: bool,
    pub quantity: Decimal,
    /// Value of its entries: cost of a long, proceeds of a short position.
    pub value: Decimal,
    /// Corporate actions that affected some of its lots.
    pub corporate_actions: CorporateActions,
    /// True for a contract past its expiry without an entered settlement.
    pub expired: bool,
    /// True for a fraction of a share that a corporate action left. The company pays it in cash; no payment is entered.
    pub fraction: bool,
    /// Parts of lots that are open, the oldest first.
    pub lots: Vec<LotRange>,
}

/// Result of matching the fills of one instrument at one broker.
#[derive(Clone, Debug, Default)]
pub struct MatchResult {
    /// The given fills in their order, followed by added ones, such as bonus shares and settlements.
    pub fills: Vec<Fill>,
    pub lots: Vec<Lot>,
    pub lot_matches: Vec<LotMatch>,
    pub closings: Vec<Closing>,
    /// Sold shares without a purchase, so without a cost basis.
    pub missing_cost_basis: Vec<LotRange>,
    pub positions: Vec<OpenPosition>,
    /// Shares that an expired stock derivative receives or delivers; they belong to the ledger of the share.
    pub deliveries: Vec<Fill>,
    /// Shares held at the start of the day of each probe.
    pub probed_holdings: Vec<Decimal>,
}

impl MatchResult {
    /// Returns the distinct symbols of the fills, in capitals.
    pub fn symbols(&self) -> BTreeSet<String> {
        let fills = self.fills.chunk_by(|one, other| Arc::ptr_eq(&one.instrument, &other.instrument));
        fills.filter_map(|fills| fills.first()).map(|fill| fill.instrument.symbol.to_uppercase()).collect()
    }
}
