//! Matching of entries and exits, first in, first out (FIFO): the oldest open lots are closed first.
//!
//! Fills are matched per broker and instrument, in the order of time; the functions of this module get the fills of one
//! broker and one instrument, or of several shares that mergers and demergers link.
//! - Shares: purchases and sales of one day are matched with each other first (same-day netting), because tax law
//!   treats them as intraday trades. Only the rest of the day is added to the holding or closes lots of it.
//! - Contracts: all fills form one running position, which may change from long to short and back. A split or bonus of
//!   the underlying applies to it as to the shares.

mod contracts;
mod corporate_actions;
mod expiry;
mod lots;
mod matcher;
mod positions;
mod shares;

use time::Date;

pub use self::lots::{Closing, CorporateActions, Lot, LotMatch, LotRange, MatchResult, OpenPosition};
use self::matcher::Matcher;
pub use self::positions::{PositionRange, divide_into_positions};
pub use self::shares::{HoldingProbe, adjustment_fill};
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::Fill;

/// Matches the sorted fills of one ledger, with the adjustments that apply to it. Records the holdings of shares on the
/// days of `probes`, which are sorted. A contract that expires after `today` stays open.
pub fn match_fills(
    fills: Vec<Fill>,
    adjustments: &AdjustmentIndex,
    probes: &[HoldingProbe],
    today: Date,
) -> MatchResult {
    let days: Vec<(Date, usize)> = fills.iter().enumerate().map(|(index, fill)| (fill.day, index)).collect();
    let Some(instrument) = fills.first().map(|fill| fill.instrument.clone()) else { return MatchResult::default() };
    let mut matcher = Matcher::new(fills);
    if instrument.is_contract() {
        let symbols = matcher.result.symbols();
        let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
        let (settlements, actions) =
            (adjustments.settlements(&symbols), adjustments.contract_actions(&symbols, &instrument.underlying));
        matcher.match_contract(&days, &settlements, &actions, today);
    } else {
        matcher.match_shares(&days, adjustments, probes, today);
    }
    matcher.result
}
